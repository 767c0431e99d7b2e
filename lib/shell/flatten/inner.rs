//! What a command runs besides itself: commands behind wrappers, shell text in its words, in a
//! file or on its standard input.

use super::super::ast::Bound;
use super::super::code::{self, Lang};
use super::super::part::{Arg, Code, Dynamic, Part, RedirFd};
use super::super::unwrap::{self, Around, Inner, Scope};
use super::feed;
use super::state::{Place, State};
use super::word::{MARKED, add, mark};
use super::{Flow, Walk, head};

/// Most wrappers around a command.
const MOST_WRAPPERS: usize = 32;
/// Most shells in shells.
const MOST_SHELLS: usize = 10;

impl Walk<'_, '_> {
    /// What a command runs besides itself.
    pub(super) fn runs(&mut self, n: u32, spans: &[[u32; 2]]) {
        let Some(part) = self.out.parts.get(n as usize) else {
            return;
        };
        let inner = unwrap::unwrap(&part.head, part.words(), part.appends);
        for inner in inner {
            if self.out.full {
                return;
            }
            match inner {
                Inner::Command(range, around) => self.inner_command(n, range, around, spans),
                Inner::Text { text, at, scope, args, around } => {
                    self.inner_text(n, &text, at, scope, args, around, spans);
                }
                Inner::File(at, scope, around) => self.inner_file(n, at, scope, around, spans),
                Inner::Stdin(around) => self.inner_stdin(n, around, spans),
                Inner::Code { lang, text, at, args, label } => {
                    let text = match text {
                        Some(text) => Some((text, spans.get(at).copied())),
                        None => self.stdin_text(n),
                    };
                    match text {
                        Some((text, span)) => self.inner_code(n, lang, &text, args, label, span),
                        None => self.no_code(n, lang),
                    }
                }
                Inner::Unknown(why) => self.out.doubt(why),
            }
        }
    }

    fn inner_command(&mut self, n: u32, range: std::ops::Range<usize>, around: Around, spans: &[[u32; 2]]) {
        let Some(outer) = self.out.parts.get(n as usize) else {
            return;
        };
        let words = outer.words().get(range.clone()).unwrap_or_default();
        let first = words.first();
        let name = head(first).to_owned();
        let mut why = None;
        if let Some(first) = first.filter(|first| name.is_empty() || outer.replace.as_ref() == Some(&first.text)) {
            let input = around.replace.as_ref().or(outer.replace.as_ref()) == Some(&first.text);
            if !first.dynamic.is_empty() {
                why = Some(format!("command from {}", unwrap::source_of(first)));
            } else if input {
                why = Some("command from input".to_owned());
            }
        } else if first.is_some_and(|first| around.replace.as_ref() == Some(&first.text)) {
            why = Some("command from input".to_owned());
        }
        let even = outer.known.as_ref().is_none_or(|known| known.len() == outer.argv.len());
        let (argv, known) = if even {
            let argv = outer.argv.get(range.clone()).unwrap_or_default().to_vec();
            (argv, outer.known.as_ref().map(|_| words.to_vec()))
        } else {
            (words.to_vec(), None)
        };
        let mut known = known.filter(|known| *known != argv);
        let mut appends = around.appends || outer.appends;
        let mut replace = around.replace.clone().or_else(|| outer.replace.clone());
        if outer.head == "xargs"
            && let Some(input) = self.input_words(n)
        {
            if around.appends && !input.is_empty() {
                let mut all = known.take().unwrap_or_else(|| argv.clone());
                all.extend(input);
                known = Some(all);
                appends = false;
            } else if let ([only], Some(mark)) = (input.as_slice(), &around.replace) {
                let mut all = known.take().unwrap_or_else(|| argv.clone());
                for word in all.iter_mut().filter(|word| word.text.contains(mark)) {
                    word.text = word.text.replace(mark, &only.text);
                    for kind in &only.dynamic {
                        add(&mut word.dynamic, *kind);
                    }
                }
                known = Some(all);
                replace = None;
            }
        }
        let spans = spans.get(range).unwrap_or_default();
        let span = match (spans.first(), spans.last()) {
            (Some(first), Some(last)) => [first[0], last[1]],
            _ => outer.span,
        };
        let part = Part {
            head: name,
            argv,
            known,
            span,
            appends,
            replace,
            elsewhere: around.elsewhere || outer.elsewhere,
            ..Part::default()
        };
        let in_shell = matches!(outer.head.as_str(), "builtin" | "command");
        if let Some(why) = why {
            self.out.doubt(why);
        }
        if self.out.wrappers >= MOST_WRAPPERS {
            self.out.bound(Bound::Wrappers);
            return;
        }
        self.out.wrappers += 1;
        let state = (!in_shell).then(|| self.out.state.clone());
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

    fn surround(&mut self, around: &Around) {
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
        let replace = around.replace.as_ref().or(part.replace.as_ref());
        if replace == Some(&text.text) {
            self.out.doubt("code from input");
            return;
        }
        let args: Vec<Arg> = part.words().get(args).unwrap_or_default().to_vec();
        let appends = part.appends;
        let saved = self.out.state.clone();
        match scope {
            Scope::Same => {}
            Scope::Later => self.out.state.lose(),
            Scope::Child => self.out.state = saved.child(),
        }
        self.surround(&around);
        if scope == Scope::Child && !appends {
            for (number, arg) in args.into_iter().enumerate().take(10) {
                if arg.dynamic.contains(&Dynamic::Glob) {
                    break;
                }
                let certain = super::super::options::sure(&arg);
                self.out.state.assign(&number.to_string(), certain.then_some(arg));
            }
        }
        let from = self.out.from.clone();
        self.reread(n, text, span, around);
        self.out.from = from;
        match scope {
            Scope::Same => {}
            _ => {
                self.out.state = saved;
                self.out.flow = Flow::Open;
            }
        }
    }

    /// Reads shell text inside shell text.
    fn reread(&mut self, n: u32, text: &Arg, span: [u32; 2], around: Around) {
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
        if self.out.shells >= MOST_SHELLS {
            self.out.bound(Bound::Wrappers);
            return;
        }
        let script = super::super::parse::parse(&text.text);
        let out = &mut *self.out;
        out.shells += 1;
        let marks = text.dynamic.iter().copied().filter(|kind| MARKED.contains(kind)).collect();
        let marks = std::mem::replace(&mut out.marks, marks);
        let fixed = out.span;
        out.span = Some(fixed.unwrap_or(span));
        let replace = out.replace.clone();
        if let Some(part) = out.parts.get(n as usize) {
            out.replace = around.replace.or_else(|| part.replace.clone());
        }
        let (elsewhere, foreign) = (out.elsewhere, out.foreign);
        let outer = out.parts.get(n as usize).is_some_and(|part| part.elsewhere);
        out.elsewhere |= around.elsewhere || outer;
        out.foreign |= out.elsewhere;
        let inside = out.inside.replace(n);
        let by = std::mem::take(&mut out.by);
        out.ctx.push(around.label);
        Walk { text: &text.text, script: &script, out }.body();
        let out = &mut *self.out;
        out.ctx.pop();
        out.by = by;
        out.inside = inside;
        out.elsewhere = elsewhere;
        out.foreign = foreign;
        out.replace = replace;
        out.span = fixed;
        out.marks = marks;
        out.shells -= 1;
    }

    /// Program text of another language: what it says it touches, and the commands it runs.
    fn inner_code(
        &mut self,
        n: u32,
        lang: Lang,
        text: &Arg,
        args: std::ops::Range<usize>,
        label: String,
        span: Option<[u32; 2]>,
    ) {
        let Some(part) = self.out.parts.get(n as usize) else {
            return;
        };
        let span = span.unwrap_or(part.span);
        let args = part.words().get(args).unwrap_or_default();
        let found = code::read_in(lang, text, args, &part.head, part.words());
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
                code::Run::Text(text) => self.reread(n, &text, span, around),
                code::Run::Argv(argv) => {
                    let part = Part { head: head(argv.first()).to_owned(), argv, span, ..Part::default() };
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
    fn stdin_text(&self, n: u32) -> Option<(Arg, Option<[u32; 2]>)> {
        let mut holder = n;
        loop {
            let part = self.out.parts.get(holder as usize)?;
            if let Some(text) = feed::here(&part.redirs) {
                return Some((text.into_owned(), Some(part.span)));
            }
            if part.redirs.iter().any(|redir| redir.fd == RedirFd::Number(0) && redir.op.starts_with('<')) {
                return None;
            }
            match part.inside {
                Some(outer) if part.ctx.last().is_some_and(|ctx| ctx != "cmdsub" && ctx != "procsub") => {
                    holder = outer;
                }
                _ => break,
            }
        }
        let text = (!self.out.from.is_empty()).then(|| self.fed_by(&self.out.from))??;
        Some((text, None))
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
            return;
        }
        if word.dynamic.contains(&Dynamic::Proc) {
            let span = spans.get(at).copied().unwrap_or(part.span);
            self.inner_processes(n, span, around, scope);
            return;
        }
        if scope == Scope::Same {
            self.out.state.lose();
            // A virtual environment's own script stays where it is; of others nobody knows.
            if !word.text.ends_with("/activate") {
                self.out.state.place = Place::unknown();
            }
        }
    }

    /// The code is what the process substitutions of part `n` print.
    fn inner_processes(&mut self, n: u32, span: [u32; 2], around: Around, scope: Scope) {
        let from: Vec<u32> = (n + 1..)
            .map_while(|number| self.out.parts.get(number as usize))
            .filter(|part| part.inside == Some(n) && part.ctx.iter().any(|ctx| ctx == "procsub"))
            .map(|part| part.n)
            .collect();
        match self.fed_by(&from) {
            Some(text) => {
                let saved = self.out.state.clone();
                if scope != Scope::Same {
                    self.out.state = saved.child();
                }
                self.reread(n, &text, span, around);
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
        // A wrapper hands its standard input on.
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
                .find(|redir| redir.fd == RedirFd::Number(0) && matches!(redir.op.as_str(), "<" | "<&" | "<>"));
            if let Some(read) = read {
                if read.target.dynamic.contains(&Dynamic::Proc) {
                    let span = part.span;
                    self.inner_processes(holder, span, around, Scope::Child);
                }
                return;
            }
            match part.inside {
                Some(outer) if part.ctx.last().is_some_and(|ctx| ctx != "cmdsub" && ctx != "procsub") => {
                    holder = outer;
                }
                _ => break (None, part.span),
            }
        };
        let span = if self.out.parts.get(n as usize).is_some_and(|part| part.head == "at") {
            span
        } else {
            spans.first().copied().filter(|_| text.is_none()).unwrap_or(span)
        };
        let text = match text {
            Some(text) => text,
            None if self.out.from.is_empty() => return,
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
        let saved = self.out.state.clone();
        self.out.state = saved.child();
        self.surround(&around);
        let from = std::mem::take(&mut self.out.from);
        self.reread(n, &text, span, around);
        self.out.from = from;
        self.out.state = saved;
        self.out.flow = Flow::Open;
    }
}
