//! Assignments and arrays.

use super::class::{self, NAME, NAME_START, is};
use super::glob::Homes;
use super::{Parser, Step};
use crate::shell::ast::{Piece, PieceKind, Span, Word};

/// What begins with a name at the start of a word.
pub(super) enum Assignment {
    No,
    /// The value begins here.
    Value(usize),
    /// A `[` stands here.
    Subscript(usize),
}

impl Parser<'_> {
    /// What the name at the start of this word is followed by.
    pub(super) fn assignment_here(&self) -> Assignment {
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
    pub(super) fn assignment(&mut self, value: usize) -> Step<Word> {
        let start = self.pos;
        let from = self.script.scratch.pieces.len();
        self.pos = value;
        let array_at = self.joined(value);
        if self.src.get(array_at) == Some(&b'(') {
            self.prefix(start, value);
            self.pos = array_at;
            self.array()?;
            // What follows the `)` directly still belongs to the word.
            let braces = self.pieces_from(&class::WORD, self.pos)?;
            return Ok(self.word_of(from, start, braces));
        }
        if matches!(self.src.get(value), Some(b'~')) {
            self.prefix(start, value);
            self.tilde(value);
            let run = self.pos;
            let braces = self.pieces_assigned(run)?;
            return Ok(self.word_of(from, start, braces));
        }
        let braces = self.pieces_assigned(start)?;
        Ok(self.word_of(from, start, braces))
    }

    /// `NAME[…]` and what follows, and whether it is an assignment.
    #[inline(never)]
    pub(super) fn subscripted(&mut self, open: usize) -> Step<(Word, bool)> {
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
                return Ok((self.word_of(from, start, braces), false));
            }
        };
        self.pos = value;
        let array_at = self.joined(value);
        if self.src.get(array_at) == Some(&b'(') {
            self.text(close - 1, value);
            self.pos = array_at;
            self.array()?;
            let braces = self.pieces_from(&class::WORD, self.pos)?;
            return Ok((self.word_of(from, start, braces), true));
        }
        let braces = self.pieces_assigned(close - 1)?;
        Ok((self.word_of(from, start, braces), true))
    }

    /// Whether the `[` at `open` begins the subscript of an array in one plain word.
    pub(super) fn subscript_holds(&self, open: usize) -> bool {
        let rest = self.src.get(open + 1..).unwrap_or_default();
        let plain = |b: u8| b != b']' && class::WORD[b as usize] == class::PLAIN;
        let length = rest.iter().take_while(|&&b| plain(b)).count();
        matches!(rest.get(length..), Some([b']', b'=', b'(', ..] | [b']', b'+', b'=', b'(', ..]))
    }

    /// Text that holds nothing but perhaps line continuations.
    fn prefix(&mut self, start: usize, end: usize) {
        let mut run = start;
        let mut at = start;
        while at < end {
            let past = self.joined(at);
            if past > at {
                self.text(run, at);
                run = past;
            }
            at = past.max(at + 1);
        }
        self.text(run, end);
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
                        let braces = self.pieces(&class::WORD, start, Homes::Start)?;
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
        self.script.scratch.pieces.push(Piece { kind: PieceKind::Array { words }, quoted: false, span });
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
        if !assigned && !self.src.get(start..close).is_some_and(|s| s.iter().any(|&b| class::breaks(b))) {
            return self.word();
        }
        self.text(start, start + 1);
        self.pos = start + 1;
        self.within(close - 1, |p| p.pieces_from(&class::RAW, p.pos).map(drop))?;
        self.pos = close;
        let braces = self.pieces_assigned(close - 1)?;
        Ok(self.word_of(from, start, braces))
    }
}
