//! Redirects.

use super::class::{self, DIGIT, NAME, NAME_START, is};
use super::stack::Row;
use super::{Parser, Step};
use crate::shell::ast::{Fd, Redirect, RedirectOp, Span, Word};

impl RedirectOp {
    /// Whether a body follows on later lines.
    pub(super) fn has_body(self) -> bool {
        matches!(self, Self::Heredoc | Self::HeredocTabs)
    }
}

impl Parser<'_> {
    /// `2` of `2>`.
    #[inline]
    pub(super) fn numbered_fd(&self) -> Option<(Fd, usize)> {
        let mut at = self.pos;
        let mut number = 0u64;
        loop {
            match self.src.get(at) {
                Some(&digit) if is(digit, DIGIT) => {
                    number = number.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
                    at += 1;
                }
                Some(b'<' | b'>') => break,
                Some(b'\\') if self.joined(at) > at => at = self.joined(at),
                _ => return None,
            }
        }
        if self.src.get(self.joined(at + 1)) == Some(&b'(') {
            return None;
        }
        // Larger ones are words to bash.
        let number = i32::try_from(number).ok()?;
        Some((Fd::Number(number.unsigned_abs()), at))
    }

    /// `{name}` of `{name}>`.
    #[inline(never)]
    pub(super) fn named_fd(&self) -> Option<(Fd, usize)> {
        let start = self.pos;
        let first = *self.src.get(start + 1)?;
        if !is(first, NAME_START) {
            return None;
        }
        let mut at = start + 1;
        while is(*self.src.get(at)?, NAME) {
            at += 1;
        }
        if self.src.get(at) == Some(&b'[') {
            let rest = self.src.get(at..)?;
            let close = rest.iter().position(|&b| b == b']' || class::breaks(b))?;
            at += close;
            if self.src.get(at) != Some(&b']') {
                return None;
            }
            at += 1;
        }
        let closed = self.src.get(at) == Some(&b'}');
        let operator = matches!(self.src.get(at + 1), Some(b'<' | b'>'));
        let process = self.src.get(at + 2) == Some(&b'(');
        (closed && operator && !process).then(|| (Fd::Named(Span::new(start, at + 1)), at + 1))
    }

    /// A redirect whose operator stands here and whose descriptor began at `start`.
    #[inline(never)]
    pub(super) fn redirect(&mut self, row: &mut Row, start: usize, fd: Fd) -> Step {
        let first = self.peek();
        let second = self.peek_second();
        let mut length = 2;
        let op = match (first, second) {
            (Some(b'&'), _) => {
                self.skip_two();
                if self.src.get(self.joined(self.pos)) == Some(&b'>') {
                    self.pos = self.joined(self.pos) + 1;
                    RedirectOp::BothAppend
                } else {
                    RedirectOp::Both
                }
            }
            (Some(b'<'), Some(b'<')) => {
                self.skip_two();
                let third = self.joined(self.pos);
                match self.src.get(third) {
                    Some(b'<') => {
                        self.pos = third + 1;
                        RedirectOp::HereString
                    }
                    Some(b'-') => {
                        self.pos = third + 1;
                        RedirectOp::HeredocTabs
                    }
                    _ => RedirectOp::Heredoc,
                }
            }
            (Some(b'<'), Some(b'&')) => RedirectOp::DupIn,
            (Some(b'<'), Some(b'>')) => RedirectOp::ReadWrite,
            (Some(b'>'), Some(b'>')) => RedirectOp::Append,
            (Some(b'>'), Some(b'&')) => RedirectOp::DupOut,
            (Some(b'>'), Some(b'|')) => RedirectOp::Clobber,
            (Some(b'<'), _) => {
                length = 1;
                RedirectOp::Read
            }
            _ => {
                length = 1;
                RedirectOp::Write
            }
        };
        match op {
            RedirectOp::Both | RedirectOp::BothAppend | RedirectOp::HereString => {}
            _ if op.has_body() => {}
            _ if length == 2 => self.skip_two(),
            _ => self.pos += 1,
        }
        self.blanks();
        let target = if matches!(op, RedirectOp::DupIn | RedirectOp::DupOut) && self.peek() == Some(b'-') {
            // Bash takes the `-` alone; what follows is a word of its own.
            let at = self.pos;
            self.pos += 1;
            Word::plain(Span::new(at, at + 1))
        } else {
            match self.peek() {
                None | Some(b'\n') => return self.fail(start, "a redirect without a target"),
                Some(b'<' | b'>') if self.peek_second() == Some(b'(') => {}
                Some(byte) if class::breaks(byte) => return self.unexpected(),
                // A descriptor is no word.
                Some(b'{') if self.named_fd().is_some() => return self.unexpected(),
                Some(byte)
                    if is(byte, DIGIT)
                        && !matches!(op, RedirectOp::DupIn | RedirectOp::DupOut)
                        && self.numbered_fd().is_some() =>
                {
                    return self.unexpected();
                }
                Some(_) => {}
            }
            self.word()?
        };
        let literal = op.has_body() && self.delimiter_quoted(target.span);
        let span = Span::new(start, self.pos);
        let s = &mut *self.script;
        row.add(&mut s.redirects, &mut s.scratch.redirects, || Redirect { fd, op, target, literal, span });
        Ok(())
    }

    /// Redirects after a compound command; the end of the last.
    pub(super) fn redirects(&mut self, row: &mut Row) -> Step<usize> {
        let mut end = self.pos;
        loop {
            self.blanks();
            let start = self.pos;
            let fd = match self.peek() {
                Some(b'<' | b'>') if self.peek_second() != Some(b'(') => Fd::Default,
                Some(b'&') if self.peek_second() == Some(b'>') => Fd::Default,
                Some(b'{') => match self.named_fd() {
                    Some((fd, past)) => {
                        self.pos = past;
                        fd
                    }
                    None => return Ok(end),
                },
                Some(byte) if is(byte, DIGIT) => match self.numbered_fd() {
                    Some((fd, past)) => {
                        self.pos = past;
                        fd
                    }
                    None => return Ok(end),
                },
                _ => return Ok(end),
            };
            self.redirect(row, start, fd)?;
            self.after_word = true;
            end = self.pos;
        }
    }
}
