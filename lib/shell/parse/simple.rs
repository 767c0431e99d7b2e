//! Simple commands.

use super::assignment::Assignment;
use super::class::{self, DIGIT, NAME_START, is};
use super::{Parser, Step};
use crate::shell::ast::{Command, CommandKind, Compound, Fd, Role, Run, Span};

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
    /// Reads a simple command onto the stack.
    pub(super) fn simple(&mut self) -> Step {
        let start = self.pos;
        let words_from = self.script.scratch.words.len();
        let redirects_from = self.script.scratch.redirects.len();
        let mut assigns = 0;
        // Whether an assignment may stand here, as it may before the command word and after
        // `declare` and its like.
        let mut may_assign = true;
        let mut first_word = true;
        let mut end = start;
        loop {
            while self.peek() == Some(b' ') {
                self.pos += 1;
            }
            let Some(byte) = self.peek() else { break };
            if !is(byte, class::COMMON) {
                match class::WORD[byte as usize] {
                    class::END => match byte {
                        b' ' | b'\t' => {
                            self.pos += 1;
                            continue;
                        }
                        b'&' if self.peek_second() == Some(b'>') => {
                            self.redirect(self.pos, Fd::Default)?;
                            end = self.pos;
                            continue;
                        }
                        _ => break,
                    },
                    class::ANGLE if self.peek_second() != Some(b'(') => {
                        self.redirect(self.pos, Fd::Default)?;
                        end = self.pos;
                        continue;
                    }
                    class::PAREN => {
                        if !first_word && self.lone_word(words_from, redirects_from, assigns) {
                            return self.function_after_name(start, words_from);
                        }
                        break;
                    }
                    class::BACKSLASH if self.src.get(self.pos + 1) == Some(&b'\n') => {
                        self.pos += 2;
                        continue;
                    }
                    class::BRACE => {
                        if let Some((fd, past)) = self.named_fd() {
                            let from = self.pos;
                            self.pos = past;
                            self.redirect(from, fd)?;
                            end = self.pos;
                            continue;
                        }
                    }
                    class::PLAIN => {
                        if byte == b'#' {
                            self.blanks();
                            continue;
                        }
                        if is(byte, DIGIT)
                            && let Some((fd, past)) = self.numbered_fd()
                        {
                            let from = self.pos;
                            self.pos = past;
                            self.redirect(from, fd)?;
                            end = self.pos;
                            continue;
                        }
                    }
                    _ => {}
                }
            }
            let mut assigned = false;
            let word_start = self.pos;
            let assignment = if may_assign && is(byte, NAME_START) { self.assignment_here() } else { Assignment::No };
            match assignment {
                Assignment::No => self.push_word()?,
                Assignment::Value(at) => {
                    assigned = true;
                    self.assignment(at)?;
                }
                // Bash looks for the `]` only where a command may begin.
                Assignment::Subscript(at) if first_word || self.subscript_holds(at) => {
                    assigned = self.subscripted(at)?;
                }
                Assignment::Subscript(_) => self.push_word()?,
            }
            end = self.pos;
            if first_word {
                if assigned {
                    assigns += 1;
                } else {
                    first_word = false;
                    may_assign = self.declares(Span::new(word_start, end));
                }
            }
        }
        self.after_word = true;
        let words = self.take_words(words_from);
        let split = words.start + assigns;
        let redirects = self.take_redirects(redirects_from);
        self.script.scratch.commands.push(Command {
            kind: CommandKind::Simple { assigns: Run::new(words.start, split), words: Run::new(split, words.end) },
            redirects,
            pipes_both: false,
            span: Span::new(start, end),
        });
        Ok(())
    }

    fn lone_word(&self, words_from: usize, redirects_from: usize, assigns: u32) -> bool {
        let s = &self.script.scratch;
        assigns == 0 && s.words.len() == words_from + 1 && s.redirects.len() == redirects_from
    }

    /// Whether the arguments of the command named here may be array assignments.
    fn declares(&self, name: Span) -> bool {
        matches!(
            self.src.get(name.range()),
            Some(b"declare" | b"local" | b"export" | b"readonly" | b"typeset" | b"alias" | b"eval" | b"let")
        )
    }

    /// `( ) body` after the name of a function.
    #[inline(never)]
    fn function_after_name(&mut self, start: usize, words_from: usize) -> Step {
        let name = self.script.scratch.words.get(words_from).map(|w| w.span).unwrap_or_default();
        self.script.scratch.words.truncate(words_from);
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
        let Some(body) = self.script.scratch.commands.pop() else {
            return Err(super::Fail);
        };
        let end = body.span.end as usize;
        let block = self.block_of(body, Role::Body);
        let command = self.compound_of(start, end, Compound::Function, name, Run::default(), block);
        self.script.scratch.commands.push(command);
        Ok(())
    }
}
