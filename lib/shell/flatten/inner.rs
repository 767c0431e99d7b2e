//! What a command runs besides itself: commands behind wrappers, shell text in its words, in a
//! file or on its standard input.

use ecow::{EcoString, eco_format};
use thin_vec::ThinVec;

use super::super::ast::Bound;
use super::super::code::{self, Lang};
use super::super::dynamic::Dynamic;
use super::super::options;
use super::super::part::{Arg, Code, Part, RedirFd};
use super::super::paths;
use super::super::programs;
use super::super::unwrap::{self, Around, Inner, Outer, Scope};
use super::calls::Source;
use super::feed;
use super::state::{Place, State};
use super::word::{MARKED, mark};
use super::{Flow, Walk, head};

/// Most wrappers around a command.
pub(super) const MOST_WRAPPERS: usize = 32;
/// Most words before a wrapped command that are looked through for assignments.
const MOST_ASSIGNS: usize = 64;
/// Most texts that run later and are followed; one line sets few traps.
const MOST_LATER: usize = 64;
/// Most shells in shells.
const MOST_SHELLS: usize = 10;

impl Walk<'_, '_> {
    /// What a command runs besides itself.
    pub(super) fn runs(&mut self, n: u32, spans: &[[u32; 2]]) {
        if self.runs_apart(n, spans) {
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

    #[expect(clippy::too_many_arguments, reason = "the fields of `Inner::Text`")]
    fn inner_text(
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
    fn no_code(&mut self, n: u32, lang: Lang) {
        if let Some(part) = self.out.parts.get_mut(n as usize) {
            let open = format!("{} code that cannot be seen", lang.word());
            let lang = lang.word().to_owned();
            part.code = Some(Box::new(Code { lang, open, writes_base: true, ..Code::default() }));
        }
    }

    /// The text on the standard input of part `n`, if it is certain, and where it stands.
    pub(super) fn stdin_text(&mut self, n: u32) -> Option<(Arg, Option<[u32; 2]>)> {
        let mut holder = n;
        loop {
            let part = self.out.parts.get(holder as usize)?;
            if let Some(text) = feed::here(&part.redirs) {
                return Some((text.into_owned(), Some(part.span)));
            }
            let input = part.redirs.iter().rev().find(|redir| redir.fd == RedirFd::Number(0));
            if let Some(redir) = input.filter(|redir| redir.op.starts_with('<')) {
                let span = part.span;
                if redir.op == "<" {
                    let file = redir.target().clone();
                    return self.written(holder, &file).map(|text| (text, Some(span)));
                }
                let number = redir.target().certain().filter(|_| redir.op == "<&")?.parse().ok()?;
                return self.opened(holder, number).map(|text| (text, Some(span)));
            }
            match hands_on(part) {
                Some(outer) => holder = outer,
                None => break,
            }
        }
        if self.out.from.is_empty() {
            return self.opened(n, 0).map(|text| (text, None));
        }
        Some((self.fed_by(&self.out.from)?, None))
    }

    fn inner_file(&mut self, n: u32, at: usize, scope: Scope, around: Around, spans: &[[u32; 2]]) {
        let Some(part) = self.out.parts.get(n as usize) else {
            return;
        };
        let Some(word) = part.words().get(at).cloned() else {
            return;
        };
        if word.text == "/dev/stdin" || word.text == "/dev/fd/0" {
            self.inner_stdin(n, around, spans);
            if scope == Scope::Same {
                // What it leaves behind is not followed.
                self.out.state.lose();
                self.out.state.place = Place::unknown();
                self.out.moves();
            }
            return;
        }
        if word.dynamic.contains(&Dynamic::Proc) {
            let span = spans.get(at).copied().unwrap_or(part.span);
            self.inner_processes(n, span, around, scope);
            return;
        }
        if self.run_written(n, at, scope, &around, spans) {
            return;
        }
        if ["/dev/fd/", "/proc/self/fd/"].iter().any(|folder| word.text.starts_with(folder)) {
            self.out.doubt("code from a descriptor");
        }
        // Some set variables and stay where they are, by their name; of others nobody knows.
        let tame = scope == Scope::Same && paths::only_sets(&word.text);
        if !tame {
            self.runs_unseen(n, "runs a script");
        }
        if scope == Scope::Same {
            self.out.state.lose();
            if !tame {
                self.out.state.place = Place::unknown();
            }
        }
    }

    /// Part `n` runs code that is not in the text.
    fn runs_unseen(&mut self, n: u32, why: &str) {
        if let Some(part) = self.out.parts.get_mut(n as usize) {
            part.open = why.into();
        }
    }

    /// The parts in the process substitutions of part `n`.
    pub(super) fn processes(&self, n: u32) -> Vec<u32> {
        (n + 1..)
            .map_while(|number| self.out.parts.get(number as usize))
            .filter(|part| part.inside == Some(n) && part.ctx.iter().any(|ctx| ctx == "procsub"))
            .map(|part| part.n)
            .collect()
    }

    /// The code is what the process substitutions of part `n` print.
    fn inner_processes(&mut self, n: u32, span: [u32; 2], around: Around, scope: Scope) {
        let from = self.processes(n);
        match self.fed_by(&from) {
            Some(text) => {
                let saved = self.out.state.clone();
                if scope != Scope::Same {
                    self.out.state = saved.child();
                }
                self.reread(n, &text, span, around, scope == Scope::Same);
                if scope != Scope::Same {
                    self.out.state = saved;
                }
            }
            None => {
                self.out.doubt("code from a process substitution");
                if scope == Scope::Same {
                    self.out.state.lose();
                    self.out.state.place = Place::unknown();
                }
            }
        }
    }

    fn inner_stdin(&mut self, n: u32, around: Around, spans: &[[u32; 2]]) {
        let mut holder = n;
        let (text, span) = loop {
            let Some(part) = self.out.parts.get(holder as usize) else {
                return;
            };
            if part.appends || part.replace.is_some() {
                return;
            }
            if let Some(text) = feed::here(&part.redirs) {
                break (Some(text.into_owned()), part.span);
            }
            let read = part
                .redirs
                .iter()
                .rev()
                .find(|redir| redir.fd == RedirFd::Number(0) && matches!(redir.op.as_ref(), "<" | "<&" | "<>"));
            if let Some(read) = read {
                let number = read.target().certain().filter(|_| read.op == "<&").and_then(|text| text.parse().ok());
                if let Some(text) = number.and_then(|number| self.opened(holder, number)) {
                    break (Some(text), part.span);
                }
                let span = part.span;
                if read.target.dynamic.contains(&Dynamic::Proc) {
                    self.inner_processes(holder, span, around, Scope::Child);
                    return;
                }
                let file = (read.op == "<").then(|| read.target().clone());
                if let Some(text) = file.and_then(|file| self.written(holder, &file)) {
                    break (Some(text), span);
                }
                self.runs_unseen(n, "runs a script");
                return;
            }
            match hands_on(part) {
                Some(outer) => holder = outer,
                None => break (None, part.span),
            }
        };
        let span = if self.out.parts.get(n as usize).is_some_and(|part| part.head == "at") {
            span
        } else {
            spans.first().copied().filter(|_| text.is_none()).unwrap_or(span)
        };
        let text = match text {
            Some(text) => text,
            None if self.out.from.is_empty() => {
                let Some(text) = self.opened(n, 0) else {
                    self.runs_unseen(n, "code from standard input");
                    return;
                };
                text
            }
            None => {
                let from = self.out.from.clone();
                match self.fed_by(&from) {
                    Some(text) => text,
                    None => {
                        let last = from.last().and_then(|from| self.out.parts.get(*from as usize));
                        let name = last.map_or("", |part| part.head.as_str());
                        let why = match name {
                            "" => "code from a pipe".to_owned(),
                            name => format!("code from the output of `{name}`"),
                        };
                        self.out.doubt(why);
                        return;
                    }
                }
            }
        };
        let text = match self.out.parts.get(n as usize).is_some_and(|part| part.head == "crontab") {
            true => Arg { text: feed::jobs(&text.text).into(), dynamic: text.dynamic },
            false => text,
        };
        let saved = self.out.state.clone();
        self.out.state = saved.child();
        // `bash -s -- a b`
        if let Some(part) = self.out.parts.get(n as usize) {
            let read = options::options(part);
            if read.row.run == programs::Run::Shell && read.has(&["-s"]) {
                let words: Vec<Arg> = read.operands.iter().filter_map(|at| part.words().get(*at).cloned()).collect();
                self.out.state.set_params(&words);
            }
        }
        self.surround(&around);
        let from = std::mem::take(&mut self.out.from);
        self.reread(n, &text, span, around, false);
        self.out.from = from;
        self.out.state = saved;
        self.out.flow = Flow::Open;
    }
}

/// The wrapper whose standard input a part reads: it hands its own on to what it runs.
pub(super) fn hands_on(part: &Part) -> Option<u32> {
    part.inside.filter(|_| part.ctx.last().is_some_and(|ctx| ctx != "cmdsub" && ctx != "procsub"))
}
