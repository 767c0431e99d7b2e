//! What a command runs besides itself: commands behind wrappers, shell text in its words, in a
//! file or on its standard input.

use ecow::eco_format;
use thin_vec::ThinVec;

use super::super::part::{Arg, Part};
use super::super::programs;
use super::super::unwrap::{self, Around, Inner, Outer, Scope};
use super::state::{Place, State};
use super::{Walk, head};

/// Most wrappers around a command.
pub(super) const MOST_WRAPPERS: usize = 32;
/// Most words before a wrapped command that are looked through for assignments.
const MOST_ASSIGNS: usize = 64;

impl Walk<'_, '_> {
    /// What a command runs besides itself.
    pub(super) fn runs(&mut self, n: u32, spans: &[[u32; 2]]) {
        if self.runs_apart(n, spans) {
            return;
        }
        if let Some(inner) = self.renamed(n) {
            self.inner(n, inner, spans);
            return;
        }
        self.packs(n);
        let Some(part) = self.out.parts.get(n as usize) else {
            return;
        };
        let appends = part.appends;
        // Where file names have no case, `XARGS` is xargs.
        let lower = part.head.bytes().any(|byte| byte.is_ascii_uppercase()).then(|| part.head.to_ascii_lowercase());
        let lower = lower.filter(|name| programs::program(name).is_some());
        let head = lower.as_deref().unwrap_or(part.head.as_str());
        let program = programs::program(head);
        let given = self.given(part, program);
        let assign = given.as_deref().unwrap_or(&part.assign);
        let outer = Outer { head, program, argv: part.words(), assign, appends };
        let inner = unwrap::unwrap(&outer, &self.out.runners);
        if inner.is_empty() && n > 0 {
            self.run_file(n, program, spans);
            return;
        }
        for (number, inner) in inner.into_iter().enumerate() {
            if self.out.full {
                return;
            }
            let inner = self.fed(n, inner, number);
            self.inner(n, inner, spans);
        }
    }

    /// The assignments before a part and those that `env` and `export` made for it, if the program
    /// takes shell text from its environment.
    fn given(&self, part: &Part, program: Option<&programs::Program>) -> Option<Vec<Arg>> {
        let names = program?.row.env_text;
        let of = |arg: &Arg, name: &str| arg.text.split_once('=').is_some_and(|(known, _)| known == name);
        let exported = self.out.state.vars.exported().filter(|(name, _)| names.contains(name));
        let mut further = exported.filter(|(name, _)| !part.assign.iter().any(|arg| of(arg, name))).peekable();
        further.peek()?;
        let further =
            further.map(|(name, value)| Arg { text: eco_format!("{name}={}", value.text), dynamic: value.dynamic });
        Some(part.assign.iter().cloned().chain(further).collect())
    }

    pub(super) fn inner(&mut self, n: u32, inner: Inner, spans: &[[u32; 2]]) {
        match inner {
            Inner::Command(range, around) => self.inner_command(n, range, None, around, spans),
            Inner::Words(range, words, around) => self.inner_command(n, range, Some(words), around, spans),
            Inner::Turns(base, turns) => self.inner_turns(n, *base, turns, spans),
            Inner::Text { text, at, scope, args, around } => {
                let handed = if scope == Scope::Child && !around.handed {
                    self.handed_to(n, args.clone(), &around)
                } else {
                    Vec::new()
                };
                let with = |name: Arg| {
                    let around = Around { input: [name].into_iter().collect(), handed: true, ..around.clone() };
                    Inner::Text { text: text.clone(), at, scope, args: args.clone(), around }
                };
                let mut turns: Vec<Inner> = handed.into_iter().map(with).collect();
                match turns.len() {
                    0 => self.inner_text(n, &text, at, scope, args, around, spans),
                    1 => turns.drain(..).for_each(|only| self.inner(n, only, spans)),
                    _ => {
                        let around = Around { handed: true, ..around };
                        self.inner_turns(n, Inner::Text { text, at, scope, args, around }, turns, spans);
                    }
                }
            }
            Inner::File(at, scope, around) => self.inner_file(n, at, scope, around, spans),
            Inner::Stdin(around) => self.inner_stdin(n, around, spans),
            Inner::Code { lang, text, at, args, label } => {
                let named = text.is_none();
                let text = match text {
                    Some(text) => Some((text, spans.get(at).copied())),
                    None => self.stdin_text(n),
                };
                match text {
                    Some((text, span)) => self.inner_code(n, lang, (&text, named), args, label, span),
                    None => self.no_code(n, lang),
                }
            }
            Inner::Recipes(run) => self.inner_recipes(n, run),
            Inner::Unknown(why) => self.out.doubt(why),
        }
    }

    fn inner_command(
        &mut self,
        n: u32,
        range: std::ops::Range<usize>,
        given: Option<ThinVec<Arg>>,
        around: Around,
        spans: &[[u32; 2]],
    ) {
        if !self.out.may_wrap(range.len()) {
            return;
        }
        let Some(outer) = self.out.parts.get(n as usize) else {
            return;
        };
        let written = outer.words().get(range.clone()).unwrap_or_default();
        let words = given.as_deref().unwrap_or(written);
        let first = words.first();
        let name = head(first).to_owned();
        let mut why = None;
        if let Some(first) = first.filter(|first| name.is_empty() || outer.replace.as_deref() == Some(&first.text)) {
            let input = around.replace.as_deref().or(outer.replace.as_deref()) == Some(&first.text);
            if !first.dynamic.is_empty() {
                why = Some(format!("command from {}", unwrap::source_of(first)));
            } else if input {
                why = Some("command from input".to_owned());
            }
        } else if first.is_some_and(|first| around.replace.as_deref() == Some(&first.text)) {
            why = Some("command from input".to_owned());
        }
        // Words that stand nowhere on the line are shown as they are.
        let made = given.is_some() && range.is_empty();
        let even = !made && outer.known.as_ref().is_none_or(|known| known.len() == outer.argv.len());
        let (argv, known) = if even {
            let argv: ThinVec<Arg> = outer.argv.get(range.clone()).unwrap_or_default().into();
            (argv, outer.known.as_ref().map(|_| words.into()))
        } else {
            (words.into(), None)
        };
        let range_start = range.start;
        let known = given.or(known).filter(|known| *known != argv);
        // What a command makes of its words is seen; then nothing is unknown.
        let appends = around.appends || outer.appends;
        let replace = around.replace.clone().or_else(|| outer.replace.clone());
        let input = if around.input.is_empty() { outer.input.clone() } else { around.input.clone() };
        let spans = spans.get(range).unwrap_or_default();
        let span = match (spans.first(), spans.last()) {
            (Some(first), Some(last)) => [first[0], last[1]],
            _ => outer.span,
        };
        let part = Part {
            head: name.into(),
            argv,
            known,
            span,
            appends,
            replace,
            input,
            elsewhere: around.elsewhere || outer.elsewhere,
            ..Part::default()
        };
        let in_shell = matches!(outer.head.as_str(), "builtin" | "command");
        // `env A=1 bash -c …`
        let before = outer.words().get(range_start.saturating_sub(MOST_ASSIGNS).max(1)..range_start);
        let before = before.unwrap_or_default();
        let assigns = before.iter().filter(|word| unwrap::is_assignment(&word.text));
        let assigns: Vec<Arg> = if in_shell { Vec::new() } else { assigns.cloned().collect() };
        if let Some(why) = why {
            self.out.doubt(why);
        }
        self.out.wrappers += 1;
        let state = (!in_shell).then(|| self.out.state.clone());
        for word in assigns {
            if let Some((name, value)) = word.text.split_once('=') {
                let value = word.dynamic.is_empty().then(|| Arg::literal(value));
                self.out.state.vars.assign(name, value);
                self.out.state.vars.export(name, true);
            }
        }
        self.surround(&around);
        self.out.ctx.push(around.label);
        let inside = self.out.inside.replace(n);
        if let Some(m) = self.out.push(part) {
            self.runs(m, spans);
            if in_shell {
                self.leaves(m);
            }
        }
        self.out.inside = inside;
        self.out.ctx.pop();
        if let Some(state) = state {
            self.out.state = state;
        }
        self.out.wrappers -= 1;
    }

    pub(super) fn surround(&mut self, around: &Around) {
        if around.elsewhere {
            self.out.state = State::default();
            self.out.state.lose();
            self.out.state.place = Place::unknown();
        }
        if let Some(to) = &around.chdir {
            self.out.state.place = self.out.state.place.enter(to);
        }
    }
}
