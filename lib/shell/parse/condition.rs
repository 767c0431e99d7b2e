//! `[[ … ]]`.

use super::{Parser, Reserved, Run, Step, class};
use crate::shell::ast::{Span, Word};

impl Parser<'_> {
    /// The expression of `[[` and its `]]`.
    pub(super) fn condition(&mut self) -> Step<Run<Word>> {
        let from = self.script.scratch.words.len();
        self.alternatives()?;
        if self.reserved() != Reserved::TestEnd {
            return self.unexpected();
        }
        self.pos = self.reserved_here().1;
        Ok(self.take_words(from))
    }

    /// Terms joined by `&&` and `||`. Which binds closer changes nothing in the tree.
    fn alternatives(&mut self) -> Step {
        loop {
            self.term()?;
            self.newlines()?;
            match (self.peek(), self.peek_second()) {
                (Some(b'&'), Some(b'&')) | (Some(b'|'), Some(b'|')) => self.skip_two(),
                _ => return Ok(()),
            }
        }
    }

    fn term(&mut self) -> Step {
        self.newlines()?;
        while self.reserved() == Reserved::Bang {
            self.skip_reserved();
            self.newlines()?;
        }
        if self.peek() == Some(b'(') {
            self.enter()?;
            self.pos += 1;
            self.alternatives()?;
            if self.peek() != Some(b')') {
                return self.unexpected();
            }
            self.pos += 1;
            self.leave();
            return Ok(());
        }
        let left = self.operand_word()?;
        self.blanks();
        if unary(self.src.get(left.range()).unwrap_or_default()) {
            self.operand_word()?;
            return Ok(());
        }
        self.newlines()?;
        match (self.peek(), self.peek_second()) {
            (Some(b'<' | b'>'), second) if second != Some(b'(') => self.pos += 1,
            (Some(b')'), _) | (Some(b'&'), Some(b'&')) | (Some(b'|'), Some(b'|')) => return Ok(()),
            _ if self.reserved() == Reserved::TestEnd => return Ok(()),
            _ => {
                let operator = self.operand_word()?;
                let text = self.src.get(operator.range()).unwrap_or_default();
                if !binary(text) {
                    return self.fail(operator.start as usize, "no operator of `[[`");
                }
                if text == b"=~" {
                    self.blanks();
                    return self.pattern();
                }
            }
        }
        self.blanks();
        self.operand_word()?;
        Ok(())
    }

    /// A regular expression: brackets and `|` are text.
    fn pattern(&mut self) -> Step {
        let start = self.pos;
        let from = self.script.scratch.pieces.len();
        self.pieces_from(&class::REGEX, start)?;
        if self.pos == start {
            return self.unexpected();
        }
        let word = self.word_of(from, start, false);
        self.script.scratch.words.push(word);
        Ok(())
    }

    fn operand_word(&mut self) -> Step<Span> {
        if self.reserved() == Reserved::TestEnd {
            return self.unexpected();
        }
        match self.peek() {
            None => return self.unexpected(),
            Some(b'<' | b'>') if self.peek_second() == Some(b'(') => {}
            Some(byte) if class::breaks(byte) => return self.unexpected(),
            Some(_) => {}
        }
        let word = self.word()?;
        self.script.scratch.words.push(word);
        Ok(word.span)
    }
}

fn unary(text: &[u8]) -> bool {
    matches!(text, [b'-', letter] if b"abcdefghknoprstuvwxzGLNORS".contains(letter))
}

fn binary(text: &[u8]) -> bool {
    matches!(
        text,
        b"=" | b"=="
            | b"!="
            | b"=~"
            | b"-eq"
            | b"-ne"
            | b"-lt"
            | b"-le"
            | b"-gt"
            | b"-ge"
            | b"-nt"
            | b"-ot"
            | b"-ef"
    )
}
