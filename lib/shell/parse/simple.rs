//! Simple commands, assignments and redirects.

use super::class::{self, DIGIT, NAME, NAME_START, is};
use super::{Parser, Step};
use crate::shell::ast::{
    Command, CommandKind, Compound, Fd, Piece, PieceKind, Redirect, RedirectOp, Role, Run, Span,
    Word,
};

impl Command {
    /// A simple command without words.
    pub(super) fn empty(span: Span) -> Self {
        Self {
            kind: CommandKind::Simple {
                assigns: Run::default(),
                words: Run::default(),
            },
            redirects: Run::default(),
            pipes_both: false,
            span,
        }
    }
}

impl RedirectOp {
    /// Whether a body follows on later lines.
    pub(super) fn has_body(self) -> bool {
        matches!(self, Self::Heredoc | Self::HeredocTabs)
    }
}

/// What begins with a name at the start of a word.
enum Assignment {
    No,
    /// The value begins here.
    Value(usize),
    /// A `[` stands here.
    Subscript(usize),
}

impl Parser<'_> {
    pub(super) fn simple(&mut self) -> Step<Command> {
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
            let Some(&byte) = self.src.get(self.pos) else {
                break;
            };
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
            let mut assigned = false;
            let word_start = self.pos;
            match may_assign && is(byte, NAME_START) {
                true => match self.assignment_here() {
                    Assignment::No => self.push_word()?,
                    Assignment::Value(at) => {
                        assigned = true;
                        self.assignment(at)?;
                    }
                    Assignment::Subscript(at) => assigned = self.subscripted(at)?,
                },
                false => self.push_word()?,
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
        Ok(Command {
            kind: CommandKind::Simple {
                assigns: Run::new(words.start, split),
                words: Run::new(split, words.end),
            },
            redirects: self.take_redirects(redirects_from),
            pipes_both: false,
            span: Span::new(start, end),
        })
    }

    fn lone_word(&self, words_from: usize, redirects_from: usize, assigns: u32) -> bool {
        let s = &self.script.scratch;
        assigns == 0 && s.words.len() == words_from + 1 && s.redirects.len() == redirects_from
    }

    /// Whether the arguments of the command named here may be array assignments.
    fn declares(&self, name: Span) -> bool {
        matches!(
            self.src.get(name.range()),
            Some(
                b"declare"
                    | b"local"
                    | b"export"
                    | b"readonly"
                    | b"typeset"
                    | b"alias"
                    | b"eval"
                    | b"let"
            )
        )
    }

    /// `( ) body` after the name of a function.
    #[inline(never)]
    fn function_after_name(&mut self, start: usize, words_from: usize) -> Step<Command> {
        let name = self
            .script
            .scratch
            .words
            .get(words_from)
            .map(|w| w.span)
            .unwrap_or_default();
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
    pub(super) fn function_body(&mut self, start: usize, name: Span) -> Step<Command> {
        self.after_word = false;
        self.newlines()?;
        self.enter()?;
        let reserved = self.reserved();
        if !reserved.opens_compound() && self.peek() != Some(b'(') {
            return self.unexpected();
        }
        let body = self.command(reserved)?;
        self.leave();
        let end = body.span.end as usize;
        let block = self.block_of(body, Role::Body);
        Ok(self.compound_of(start, end, Compound::Function, name, Run::default(), block))
    }

    /// What the name at the start of this word is followed by.
    fn assignment_here(&self) -> Assignment {
        let mut at = self.pos + 1;
        while let Some(&byte) = self.src.get(at)
            && is(byte, NAME)
        {
            at += 1;
        }
        match self.src.get(at) {
            Some(b'=') => Assignment::Value(at + 1),
            Some(b'+') if self.src.get(at + 1) == Some(&b'=') => Assignment::Value(at + 2),
            Some(b'[') => Assignment::Subscript(at),
            Some(b'\\') if self.joined(at) > at => self.assignment_joined(at),
            _ => Assignment::No,
        }
    }

    /// The same for a name with line continuations in it.
    #[cold]
    fn assignment_joined(&self, at: usize) -> Assignment {
        let mut at = at;
        loop {
            at = self.joined(at);
            match self.src.get(at) {
                Some(&byte) if is(byte, NAME) => at += 1,
                Some(b'=') => return Assignment::Value(at + 1),
                Some(b'+') if self.src.get(self.joined(at + 1)) == Some(&b'=') => {
                    return Assignment::Value(self.joined(at + 1) + 1);
                }
                Some(b'[') => return Assignment::Subscript(at),
                _ => return Assignment::No,
            }
        }
    }

    /// `NAME=value` whose value begins at `value`.
    fn assignment(&mut self, value: usize) -> Step {
        let start = self.pos;
        let from = self.script.scratch.pieces.len();
        self.pos = value;
        let array_at = self.joined(value);
        if self.src.get(array_at) == Some(&b'(') {
            self.text(start, value);
            self.pos = array_at;
            self.array()?;
            // What follows the `)` directly still belongs to the word.
            let braces = self.pieces_from(&class::WORD, self.pos)?;
            return self.push_word_of(from, start, braces);
        }
        if matches!(self.src.get(value), Some(b'~')) {
            self.text(start, value);
            self.tilde(value, true);
            let run = self.pos;
            let braces = self.pieces_assigned(run)?;
            return self.push_word_of(from, start, braces);
        }
        let braces = self.pieces_assigned(start)?;
        self.push_word_of(from, start, braces)
    }

    /// `NAME[…]` and what follows.
    #[inline(never)]
    fn subscripted(&mut self, open: usize) -> Step<bool> {
        let start = self.pos;
        let from = self.script.scratch.pieces.len();
        let close = self.pair(open + 1, b'[', b']')?;
        self.enter()?;
        self.text(start, open + 1);
        self.pos = open + 1;
        self.within(close - 1, |p| p.pieces_from(&class::RAW, p.pos).map(drop))?;
        self.leave();
        let value = match (self.src.get(close), self.src.get(close + 1)) {
            (Some(b'='), _) => close + 1,
            (Some(b'+'), Some(b'=')) => close + 2,
            _ => {
                self.pos = close;
                let braces = self.pieces_from(&class::WORD, close - 1)?;
                self.push_word_of(from, start, braces)?;
                return Ok(false);
            }
        };
        self.pos = value;
        let array_at = self.joined(value);
        if self.src.get(array_at) == Some(&b'(') {
            self.text(close - 1, value);
            self.pos = array_at;
            self.array()?;
            let braces = self.pieces_from(&class::WORD, self.pos)?;
            self.push_word_of(from, start, braces)?;
            return Ok(true);
        }
        let braces = self.pieces_assigned(close - 1)?;
        self.push_word_of(from, start, braces)?;
        Ok(true)
    }

    fn push_word_of(&mut self, from: usize, start: usize, braces: bool) -> Step {
        let word = self.word_of(from, start, braces);
        self.script.scratch.words.push(word);
        Ok(())
    }

    /// `( … )` of an array.
    #[inline(never)]
    fn array(&mut self) -> Step {
        let start = self.pos;
        self.enter()?;
        let words_from = self.script.scratch.words.len();
        self.pos += 1;
        loop {
            self.newlines()?;
            match self.peek() {
                Some(b')') => break,
                None => return self.fail(start, "no `)` for this `(` of an array"),
                Some(b'<' | b'>') if self.peek_second() == Some(b'(') => {}
                Some(b'(') => return self.unexpected(),
                Some(b'[') => {
                    let word = self.array_element()?;
                    self.script.scratch.words.push(word);
                    continue;
                }
                Some(byte) if class::breaks(byte) => return self.unexpected(),
                Some(_) => {}
            }
            let word = match self.peek() {
                Some(byte) if is(byte, NAME_START) => match self.assignment_here() {
                    Assignment::Value(_) => {
                        let start = self.pos;
                        let from = self.script.scratch.pieces.len();
                        let braces = self.pieces_assigned(start)?;
                        self.word_of(from, start, braces)
                    }
                    _ => self.word()?,
                },
                _ => self.word()?,
            };
            self.script.scratch.words.push(word);
        }
        self.pos += 1;
        self.leave();
        let words = self.take_words(words_from);
        let span = Span::new(start, self.pos);
        self.script.scratch.pieces.push(Piece {
            kind: PieceKind::Array { words },
            quoted: false,
            span,
        });
        Ok(())
    }

    /// `[sub]=value` in an array, or a word that begins with a bracket.
    #[inline(never)]
    fn array_element(&mut self) -> Step<Word> {
        let start = self.pos;
        let close = self.pair(start + 1, b'[', b']')?;
        let assigned = match self.src.get(close) {
            Some(b'=') => true,
            Some(b'+') => self.src.get(close + 1) == Some(&b'='),
            _ => false,
        };
        let from = self.script.scratch.pieces.len();
        if !assigned
            && !self
                .src
                .get(start..close)
                .is_some_and(|s| s.iter().any(|&b| class::breaks(b)))
        {
            return self.word();
        }
        self.text(start, start + 1);
        self.pos = start + 1;
        self.within(close - 1, |p| p.pieces_from(&class::RAW, p.pos).map(drop))?;
        self.pos = close;
        let braces = self.pieces_assigned(close - 1)?;
        Ok(self.word_of(from, start, braces))
    }

    /// `2` of `2>`.
    #[inline]
    fn numbered_fd(&self) -> Option<(Fd, usize)> {
        let mut at = self.pos;
        let mut number = 0u64;
        loop {
            match self.src.get(at) {
                Some(&digit) if is(digit, DIGIT) => {
                    number = number
                        .saturating_mul(10)
                        .saturating_add(u64::from(digit - b'0'));
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
    fn named_fd(&self) -> Option<(Fd, usize)> {
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
    pub(super) fn redirect(&mut self, start: usize, fd: Fd) -> Step {
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
        let target =
            if matches!(op, RedirectOp::DupIn | RedirectOp::DupOut) && self.peek() == Some(b'-') {
                // Bash takes the `-` alone; what follows is a word of its own.
                let from = self.script.scratch.pieces.len();
                let at = self.pos;
                self.text(at, at + 1);
                self.pos += 1;
                self.word_of(from, at, false)
            } else {
                match self.peek() {
                    None | Some(b'\n') => return self.fail(start, "a redirect without a target"),
                    Some(b'<' | b'>') if self.peek_second() == Some(b'(') => {}
                    Some(byte) if class::breaks(byte) => return self.unexpected(),
                    Some(_) => {}
                }
                self.word()?
            };
        let literal = op.has_body() && self.delimiter_quoted(target.span);
        let span = Span::new(start, self.pos);
        self.script.scratch.redirects.push(Redirect {
            fd,
            op,
            target,
            literal,
            span,
        });
        Ok(())
    }

    /// Redirects after a compound command.
    pub(super) fn redirects(&mut self) -> Step<usize> {
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
            self.redirect(start, fd)?;
            self.after_word = true;
            end = self.pos;
        }
    }
}
