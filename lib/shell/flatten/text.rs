//! Text inside the text that is read in turn: shell text, and program text of other languages.

use ecow::EcoString;

use super::super::ast::Bound;
use super::super::code::{self, Lang};
use super::super::dynamic::Dynamic;
use super::super::part::{Arg, Code, Part};
use super::super::programs;
use super::super::unwrap::{self, Around, Scope};
use super::calls::Source;
use super::word::{MARKED, mark};
use super::{Flow, Walk, head};

/// Most texts that run later and are followed; one line sets few traps.
const MOST_LATER: usize = 64;
/// Most shells in shells.
const MOST_SHELLS: usize = 10;

impl Walk<'_, '_> {
    #[expect(clippy::too_many_arguments, reason = "the fields of `Inner::Text`")]
    pub(super) fn inner_text(
        &mut self,
        n: u32,
        text: &Arg,
        at: usize,
        scope: Scope,
        args: std::ops::Range<usize>,
        around: Around,
        spans: &[[u32; 2]],
    ) {
        let Some(part) = self.out.parts.get(n as usize) else {
            return;
        };
        let span = spans.get(at).copied().unwrap_or(part.span);
        let replace = around.replace.as_deref().or(part.replace.as_deref());
        if replace == Some(&text.text) {
            self.out.doubt("code from input");
            return;
        }
        let mut args: Vec<Arg> = part.words().get(args).unwrap_or_default().to_vec();
        let handed = match around.input.as_slice() {
            [only] if around.handed => Some(only),
            _ => None,
        };
        if let Some(replace) = replace {
            for arg in args.iter_mut().filter(|arg| arg.text.contains(replace)) {
                *arg = match handed {
                    Some(name) if arg.text == replace => name.clone(),
                    _ => Arg { text: mark(Dynamic::Var).into(), dynamic: Dynamic::Var.into() },
                };
            }
        }
        if part.appends {
            args.extend(handed.cloned());
        }
        let appends = part.appends && handed.is_none();
        let shell = programs::program(&part.head).is_some_and(|program| program.row.run == programs::Run::Shell);
        let saved = self.out.state.clone();
        match scope {
            Scope::Same => {}
            Scope::Later => self.waits(),
            Scope::Child => self.out.state = saved.child(),
        }
        self.surround(&around);
        if scope == Scope::Child && !appends {
            let mut args = args.into_iter();
            if let Some(name) = args.next() {
                let known = super::super::options::sure(&name) || name.dynamic == [Dynamic::Glob];
                self.out.state.vars.assign("0", known.then_some(name));
                self.out.state.set_params(args.as_slice());
            } else if shell {
                self.out.state.set_params(&[]);
            }
        }
        let from = self.out.from.clone();
        let first = self.out.parts.len();
        self.reread(n, text, span, around, scope != Scope::Child);
        self.out.from = from;
        if scope == Scope::Later && self.out.later.len() < MOST_LATER {
            self.out.later.push((first..self.out.parts.len(), self.out.ctx.len()));
        }
        match scope {
            Scope::Same => {}
            _ => {
                self.out.state = saved;
                self.out.flow = Flow::Open;
                // At the end of the shell nothing comes after it.
                let part = self.out.parts.get(n as usize);
                let signals = part.and_then(|part| part.words().get(at + 1..)).unwrap_or_default();
                if scope == Scope::Later && !signals.iter().all(|word| matches!(word.text.as_str(), "EXIT" | "0")) {
                    self.out.state.vars.doubt(&text.text);
                }
            }
        }
    }

    /// Reads shell text inside shell text.
    ///
    /// `same` says that the shell around it reads it: its functions can be called.
    pub(super) fn reread(&mut self, n: u32, text: &Arg, span: [u32; 2], around: Around, same: bool) {
        let bare = text.dynamic.iter().fold(text.text.clone(), |bare, kind| match mark(*kind) {
            "" => bare,
            mark => bare.replace(mark, ""),
        });
        if !text.dynamic.is_empty() && bare.trim().is_empty() {
            let from = unwrap::source_of(text);
            self.out.doubt(format!("code from {from}"));
            self.out.state.lose();
            return;
        }
        if !self.out.may_read(text) || self.out.shells >= MOST_SHELLS {
            self.out.bound(Bound::Wrappers);
            return;
        }
        let script = super::super::parse::parse(&text.text);
        let outer_text = self.here;
        let out = &mut *self.out;
        out.shells += 1;
        out.reading += text.text.len();
        let marks = text.dynamic.iter().copied().filter(|kind| MARKED.contains(kind)).collect();
        let marks = std::mem::replace(&mut out.marks, marks);
        let fixed = out.span;
        out.span = Some(fixed.unwrap_or(span));
        let (replace, input) = (out.replace.clone(), out.among.clone());
        if let Some(part) = out.parts.get(n as usize) {
            out.replace = around.replace.or_else(|| part.replace.clone());
            out.among = if around.input.is_empty() { part.input.clone() } else { around.input };
        }
        let (elsewhere, foreign) = (out.elsewhere, out.foreign);
        let outer = out.parts.get(n as usize).is_some_and(|part| part.elsewhere);
        out.elsewhere |= around.elsewhere || outer;
        out.foreign |= out.elsewhere;
        let inside = out.inside.replace(n);
        let by = std::mem::take(&mut out.by);
        out.ctx.push(around.label);
        out.texts += 1;
        let number = out.texts;
        let here = Source {
            text: &text.text,
            script: &script,
            outer: same.then_some(&outer_text),
            number,
            root: if same { outer_text.root } else { number },
        };
        Walk { here, text: &text.text, script: &script, at: 0, out }.body();
        let out = &mut *self.out;
        out.ctx.pop();
        out.by = by;
        out.inside = inside;
        out.elsewhere = elsewhere;
        out.foreign = foreign;
        out.replace = replace;
        out.among = input;
        out.span = fixed;
        out.marks = marks;
        out.reading -= text.text.len();
        out.shells -= 1;
    }

    /// Program text of another language: what it says it touches, and the commands it runs.
    ///
    /// `named` says that it is a script or standard input, whose name stands before its arguments.
    pub(super) fn inner_code(
        &mut self,
        n: u32,
        lang: Lang,
        (text, named): (&Arg, bool),
        args: std::ops::Range<usize>,
        label: EcoString,
        span: Option<[u32; 2]>,
    ) {
        let Some(part) = self.out.parts.get(n as usize) else {
            return;
        };
        let span = span.unwrap_or(part.span);
        let args = part.words().get(args).unwrap_or_default();
        let env: Vec<(EcoString, Arg)> = match code::asks_environment(&text.text) {
            true => self.out.state.vars.exported().map(|(name, value)| (name.into(), value.clone())).collect(),
            false => Vec::new(),
        };
        let setting = code::Setting { env: &env, named };
        let found = code::read_in(lang, text, args, &part.head, part.words(), setting);
        let (lang, open) = (lang.word().to_owned(), found.open.unwrap_or_default().to_owned());
        if let Some(part) = self.out.parts.get_mut(n as usize) {
            let writes_base = found.writes_base;
            part.code = Some(Box::new(Code { lang, paths: found.paths, net: found.net, open, writes_base }));
        }
        let from = std::mem::take(&mut self.out.from);
        for run in found.runs {
            let saved = self.out.state.clone();
            self.out.state = saved.child();
            let around = Around { label: label.clone(), ..Around::default() };
            match run {
                code::Run::Text(text) => self.reread(n, &text, span, around, false),
                code::Run::Argv(argv) => {
                    if let Some(first) = argv.first().filter(|first| !first.dynamic.is_empty())
                        && head(Some(first)).is_empty()
                    {
                        self.out.doubt(format!("command from {}", unwrap::source_of(first)));
                    }
                    let part = Part { head: head(argv.first()).into(), argv: argv.into(), span, ..Part::default() };
                    self.out.ctx.push(around.label);
                    let inside = self.out.inside.replace(n);
                    if let Some(m) = self.out.push(part) {
                        self.runs(m, &[]);
                    }
                    self.out.inside = inside;
                    self.out.ctx.pop();
                }
            }
            self.out.state = saved;
            self.out.flow = Flow::Open;
        }
        self.out.from = from;
    }

    /// Part `n` takes program text from an input that cannot be seen.
    pub(super) fn no_code(&mut self, n: u32, lang: Lang) {
        if let Some(part) = self.out.parts.get_mut(n as usize) {
            let open = format!("{} code that cannot be seen", lang.word());
            let lang = lang.word().to_owned();
            part.code = Some(Box::new(Code { lang, open, writes_base: true, ..Code::default() }));
        }
    }
}
