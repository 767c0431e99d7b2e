//! Simple commands.

use super::assignment::Assignment;
use super::class::{self, DIGIT, NAME_START, is};
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
        let mut words = 0;
        let redirects_from = self.script.scratch.redirects.len();
        let mut assigns = 0u32;
        // Whether an assignment may stand here, as it may before the command word and after
        // `declare` and its like.
        let mut may_assign = true;
        let mut first_word = true;
        let mut end = start;
        let src = self.src;
        loop {
            // Mostly there is one blank; no branch is spent on it.
            let at = self.pos + usize::from(src.get(self.pos) == Some(&b' '));
            self.pos = at;
            let Some(&byte) = src.get(at) else { break };
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
                        let redirected = self.script.scratch.redirects.len() > redirects_from;
                        if !first_word && words == 1 && !redirected {
                            return self.function_after_name(start, name);
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
            let (past, class) = if may_assign {
                let (past, class) = scan::plain::<true>(src, at);
                if class != class::END && is(byte, NAME_START) {
                    let assigned = self.add_perhaps_assigned(&mut row, first_word)?;
                    words += 1;
                    end = self.pos;
                    if first_word && assigned {
                        assigns += 1;
                    } else if first_word {
                        first_word = false;
                        name = Span::new(at, end);
                        may_assign = self.declares(name);
                    }
                    continue;
                }
                (past, class)
            } else {
                scan::plain::<false>(src, at)
            };
            if class == class::END && past > at {
                self.pos = past;
                let span = Span::new(at, past);
                let pieces = self.one_text(span, false);
                let s = &mut *self.script;
                row.add(&mut s.words, &mut s.scratch.words, || Word { pieces, span, braces: false });
            } else {
                self.add_mixed(&mut row, past)?;
            }
            words += 1;
            end = self.pos;
            if first_word {
                first_word = false;
                name = Span::new(at, end);
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

    /// Adds the word that begins here and is plain up to `past`.
    #[inline(never)]
    fn add_mixed(&mut self, row: &mut Row, past: usize) -> Step {
        let start = self.pos;
        let (pieces, braces) = self.mixed(past)?;
        let span = Span::new(start, self.pos);
        let s = &mut *self.script;
        row.add(&mut s.words, &mut s.scratch.words, || Word { pieces, span, braces });
        Ok(())
    }

    /// Adds a word that begins with a name where an assignment may stand; whether it is one.
    #[inline(never)]
    fn add_perhaps_assigned(&mut self, row: &mut Row, first_word: bool) -> Step<bool> {
        let (word, assigned) = match self.assignment_here() {
            Assignment::Value(at) => (self.assignment(at)?, true),
            // Bash looks for the `]` only where a command may begin.
            Assignment::Subscript(at) if first_word || self.subscript_holds(at) => self.subscripted(at)?,
            Assignment::No | Assignment::Subscript(_) => (self.word()?, false),
        };
        row.add(&mut self.script.words, &mut self.script.scratch.words, || word);
        Ok(assigned)
    }

    /// Whether the arguments of the command named here may be array assignments.
    fn declares(&self, name: Span) -> bool {
        let text = self.src.get(name.range()).unwrap_or_default();
        // Of most names two letters tell it.
        let Some(&[first, second]) = text.first_chunk::<2>() else {
            return false;
        };
        if !class::may_declare(first, second) {
            return false;
        }
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
