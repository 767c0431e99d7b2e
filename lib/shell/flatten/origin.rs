//! Where code comes from that does not stand in a command's words: a file, a process substitution
//! or standard input.

use super::super::dynamic::Dynamic;
use super::super::options;
use super::super::part::{Arg, Part, RedirFd};
use super::super::paths;
use super::super::programs;
use super::super::unwrap::{Around, Scope};
use super::state::Place;
use super::{Flow, Walk, feed};

impl Walk<'_, '_> {
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
        let from = self.out.from.clone();
        Some((self.fed_with(&from)?, None))
    }

    pub(super) fn inner_file(&mut self, n: u32, at: usize, scope: Scope, around: Around, spans: &[[u32; 2]]) {
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
        match self.fed_with(&from) {
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

    pub(super) fn inner_stdin(&mut self, n: u32, around: Around, spans: &[[u32; 2]]) {
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
                match self.fed_with(&from) {
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
