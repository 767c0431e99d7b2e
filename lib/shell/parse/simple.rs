//! Simple commands.

use super::assignment::Assignment;
use super::class::{self, NAME_START, is};
use super::stack::Row;
use super::{Parser, Step, scan};
use crate::shell::ast::{Command, CommandKind, Compound, Fd, Redirect, RedirectOp, Run, Span, Word};

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
        let mut redirects = Row::new(&self.script.redirects, &self.script.scratch.redirects);
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
                at += usize::from(src.get(at) == Some(&b' '));
                loop {
                    let sign = scan::sign(src, at);
                    if src.get(sign) == Some(&b' ') && sign > at && src.get(at) != Some(&b'#') {
                        let span = Span::new(at, sign);
                        row.add(&mut s.words, &mut s.scratch.words, || Word::plain(span));
                        end = sign;
                        at = sign + 1;
                        continue;
                    }
                    let (past, class) = scan::plain_after(src, sign);
                    if class == class::END && past > at && src.get(at) != Some(&b'#') {
                        let span = Span::new(at, past);
                        row.add(&mut s.words, &mut s.scratch.words, || Word::plain(span));
                        end = past;
                        at = past;
                    }
                    break (past, class);
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
                        self.redirect(&mut redirects, at, Fd::Default)?;
                        at = self.pos;
                        end = at;
                        continue;
                    }
                    _ => break,
                }
            }
            let Some(&byte) = src.get(at) else { break };
            if byte == b'2'
                && class == class::ANGLE
                && let Some(past) = self.common_redirect(&mut redirects)
            {
                at = past;
                end = past;
                continue;
            }
            if !is(byte, class::COMMON) && byte != b'"' && byte != b'\'' {
                let redirect = match class::WORD[byte as usize] {
                    class::ANGLE if self.peek_second() != Some(b'(') => Some((Fd::Default, at)),
                    class::PAREN => {
                        let redirected = redirects.len(&self.script.scratch.redirects) > 0;
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
                    self.redirect(&mut redirects, at, fd)?;
                    at = self.pos;
                    end = at;
                    continue;
                }
            }
            let assigned = may_assign && is(byte, NAME_START) && self.add_perhaps_assigned(&mut row, first_word)?;
            if self.pos == at {
                self.add_mixed(&mut row, past)?;
            }
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
        let redirects = self.take_redirects(redirects);
        self.script.commands.push(Command {
            kind: CommandKind::Simple { assigns: Run::new(words.start, split), words: Run::new(split, words.end) },
            redirects,
            pipes_both: false,
            span: Span::new(start, end),
        });
        Ok(())
    }

    /// Adds the redirect here if it is one of the two that stand in half of all commands; its end.
    #[inline]
    fn common_redirect(&mut self, row: &mut Row) -> Option<usize> {
        let at = self.pos;
        let here = self.src.get(at..)?;
        let (op, written, length) = match here {
            [b'2', b'>', b'&', b'1', ..] => (RedirectOp::DupOut, 3, 4),
            [b'2', b'>', b'/', b'd', b'e', b'v', b'/', b'n', b'u', b'l', b'l', ..] => (RedirectOp::Write, 2, 11),
            _ => return None,
        };
        let end = at + length;
        if !self.ends(end) {
            return None;
        }
        let s = &mut *self.script;
        row.add(&mut s.redirects, &mut s.scratch.redirects, || Redirect {
            fd: Fd::Number(2),
            op,
            target: Word::plain(Span::new(at + written, end)),
            literal: false,
            span: Span::new(at, end),
        });
        Some(end)
    }

    /// Adds the word that begins here and is plain up to `past`.
    #[inline(never)]
    fn add_mixed(&mut self, row: &mut Row, past: usize) -> Step {
        let start = self.pos;
        if self.quoted_whole(past) {
            let span = Span::new(start, self.pos);
            let s = &mut *self.script;
            row.add(&mut s.words, &mut s.scratch.words, || Word::quoted(span));
            return Ok(());
        }
        let (pieces, braces) = self.mixed_pieces(past)?;
        let span = Span::new(start, self.pos);
        let s = &mut *self.script;
        row.add(&mut s.words, &mut s.scratch.words, || Word::of(pieces, span, braces));
        Ok(())
    }

    /// Adds the word here, which begins with a name, if it may be an assignment; whether it is one.
    #[inline(never)]
    fn add_perhaps_assigned(&mut self, row: &mut Row, first_word: bool) -> Step<bool> {
        let (word, assigned) = match self.assignment_here() {
            Assignment::Value(at) => (self.assignment(at)?, true),
            // Bash looks for the `]` only where a command may begin.
            Assignment::Subscript(at) if first_word || self.subscript_holds(at) => self.subscripted(at)?,
            Assignment::No | Assignment::Subscript(_) => return Ok(false),
        };
        row.add(&mut self.script.words, &mut self.script.scratch.words, || word);
        Ok(assigned)
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
