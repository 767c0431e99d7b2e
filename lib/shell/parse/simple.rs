//! Simple commands.

use super::assignment::Assignment;
use super::class::{self, NAME_START, is};
use super::stack::Row;
use super::{Parser, Step, scan};
use crate::shell::ast::{Command, CommandKind, Compound, Fd, Run, Span, Word};

impl Command {
    /// A simple command without words.
    pub(super) fn empty(span: Span) -> Self {
        Self {
            kind: CommandKind::Simple { assigns: Run::default(), words: Run::default() },
            redirects: Run::default(),
            pipes_both: false,
            span,
        }
    }
}

impl Parser<'_> {
    /// Reads a simple command into its arena.
    pub(super) fn simple(&mut self) -> Step {
        let start = self.pos;
        let mut row = Row::new(&self.script.words, &self.script.scratch.words);
        let mut name = Span::default();
        let redirects_from = self.script.scratch.redirects.len();
        let mut assigns = 0u32;
        // Whether an assignment may stand here, as it may before the command word and after
        // `declare` and its like.
        let mut may_assign = true;
        let mut first_word = true;
        let mut end = start;
        let src = self.src;
        let mut at = start;
        loop {
            let (past, class) = if may_assign {
                at += usize::from(src.get(at) == Some(&b' '));
                let (past, class) = scan::plain::<true>(src, at);
                if class == class::END && past > at && src.get(at) != Some(&b'#') {
                    let span = Span::new(at, past);
                    let s = &mut *self.script;
                    row.add(&mut s.words, &mut s.scratch.words, || Word::plain(span));
                    at = past;
                    end = past;
                    if first_word {
                        first_word = false;
                        name = span;
                        may_assign = self.declares(name);
                    }
                    continue;
                }
                (past, class)
            } else {
                let s = &mut *self.script;
                loop {
                    // Mostly there is one blank; no branch is spent on it.
                    at += usize::from(src.get(at) == Some(&b' '));
                    let (past, class) = scan::plain::<false>(src, at);
                    if class != class::END || past == at || src.get(at) == Some(&b'#') {
                        break (past, class);
                    }
                    let span = Span::new(at, past);
                    row.add(&mut s.words, &mut s.scratch.words, || Word::plain(span));
                    at = past;
                    end = past;
                }
            };
            self.pos = at;
            if class == class::END && past == at {
                match src.get(at) {
                    Some(b' ' | b'\t') => {
                        at += 1;
                        continue;
                    }
                    Some(b'&') if self.peek_second() == Some(b'>') => {
                        self.redirect(at, Fd::Default)?;
                        at = self.pos;
                        end = at;
                        continue;
                    }
                    _ => break,
                }
            }
            let Some(&byte) = src.get(at) else { break };
            if !is(byte, class::COMMON) && byte != b'"' && byte != b'\'' {
                let redirect = match class::WORD[byte as usize] {
                    class::ANGLE if self.peek_second() != Some(b'(') => Some((Fd::Default, at)),
                    class::PAREN => {
                        let redirected = self.script.scratch.redirects.len() > redirects_from;
                        if !first_word && row.len(&self.script.scratch.words) == 1 && !redirected {
                            return self.function_after_name(start, name);
                        }
                        break;
                    }
                    class::BACKSLASH if src.get(at + 1) == Some(&b'\n') => {
                        at += 2;
                        continue;
                    }
                    class::BRACE => self.named_fd(),
                    class::PLAIN if byte == b'#' => {
                        self.blanks();
                        at = self.pos;
                        continue;
                    }
                    class::PLAIN if class == class::ANGLE || class == class::BACKSLASH => self.numbered_fd(),
                    _ => None,
                };
                if let Some((fd, past)) = redirect {
                    self.pos = past;
                    self.redirect(at, fd)?;
                    at = self.pos;
                    end = at;
                    continue;
                }
            }
            let mut assigned = false;
            let word = if may_assign && is(byte, NAME_START) {
                let (word, is_one) = self.perhaps_assigned(first_word)?;
                assigned = is_one;
                word
            } else {
                self.mixed(past)?
            };
            let s = &mut *self.script;
            row.add(&mut s.words, &mut s.scratch.words, || word);
            let from = at;
            at = self.pos;
            end = at;
            if first_word && assigned {
                assigns += 1;
            } else if first_word {
                first_word = false;
                name = Span::new(from, end);
                may_assign = self.declares(name);
            }
        }
        self.after_word = true;
        let words = row.take(&mut self.script.words, &mut self.script.scratch.words);
        let split = words.start + assigns;
        let redirects = self.take_redirects(redirects_from);
        self.script.commands.push(Command {
            kind: CommandKind::Simple { assigns: Run::new(words.start, split), words: Run::new(split, words.end) },
            redirects,
            pipes_both: false,
            span: Span::new(start, end),
        });
        Ok(())
    }

    /// A word that begins with a name where an assignment may stand, and whether it is one.
    #[inline(never)]
    fn perhaps_assigned(&mut self, first_word: bool) -> Step<(Word, bool)> {
        match self.assignment_here() {
            Assignment::Value(at) => Ok((self.assignment(at)?, true)),
            // Bash looks for the `]` only where a command may begin.
            Assignment::Subscript(at) if first_word || self.subscript_holds(at) => self.subscripted(at),
            Assignment::No | Assignment::Subscript(_) => Ok((self.word()?, false)),
        }
    }

    /// Whether the arguments of the command named here may be array assignments.
    #[inline(always)]
    fn declares(&self, name: Span) -> bool {
        // Of most names two letters tell it.
        match self.src.get(name.start as usize..).and_then(<[u8]>::first_chunk::<2>) {
            Some(&[first, second]) => class::may_declare(first, second) && self.declares_indeed(name),
            None => false,
        }
    }

    #[inline(never)]
    fn declares_indeed(&self, name: Span) -> bool {
        let text = self.src.get(name.range()).unwrap_or_default();
        matches!(text, b"declare" | b"local" | b"export" | b"readonly" | b"typeset" | b"alias" | b"eval" | b"let")
    }

    /// `( ) body` after the name of a function.
    #[inline(never)]
    fn function_after_name(&mut self, start: usize, name: Span) -> Step {
        self.pos += 1;
        self.blanks();
        if self.peek() != Some(b')') {
            return self.unexpected();
        }
        self.pos += 1;
        self.function_body(start, name)
    }

    /// What stands after `f()`: a compound command.
    pub(super) fn function_body(&mut self, start: usize, name: Span) -> Step {
        self.after_word = false;
        self.newlines()?;
        self.enter()?;
        let reserved = self.reserved();
        if !reserved.opens_compound() && self.peek() != Some(b'(') {
            return self.unexpected();
        }
        self.command(reserved)?;
        self.leave();
        self.wrap_last(start, Compound::Function, name);
        Ok(())
    }
}
