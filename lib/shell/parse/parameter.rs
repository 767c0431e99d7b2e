//! `${…}`.

use super::class::{self, NAME, NAME_START, Table, is};
use super::{Parser, Step};
use crate::shell::ast::{PieceKind, Span, Stop, Variable, Word};

impl Parser<'_> {
    /// `${…}` whose `{` stands at `open`.
    #[inline(never)]
    pub(super) fn parameter(&mut self, open: usize, quoted: bool) -> Step {
        let start = self.pos;
        self.enter()?;
        self.pos = open + 1;
        if let Some(b' ' | b'\t' | b'\n' | b'|') = self.peek()
            && self.inline_function(start, quoted)?
        {
            self.leave();
            return Ok(());
        }
        let name_start = self.joined(self.pos);
        self.pos = name_start;
        self.parameter_name();
        let name = Span::new(name_start, self.pos);
        self.pos = self.joined(self.pos);
        if self.peek() == Some(b'}') {
            self.pos += 1;
            self.push_variable(name, quoted, start);
            self.leave();
            return Ok(());
        }
        let words_from = self.script.scratch.words.len();
        let mut op = Span::default();
        if self.peek() == Some(b'[') && !name_ends_unsubscripted(self.src.get(name.range())) {
            op = Span::new(self.pos, self.pos + 1);
            self.subscript()?;
        }
        let op_at = self.joined(self.pos);
        self.pos = op_at;
        let length = self.operator_length();
        self.pos += length;
        if length > 0 {
            op = Span::new(op_at, self.pos);
        }
        if self.peek() != Some(b'}') {
            self.operands(op, quoted)?;
        }
        if self.peek() != Some(b'}') {
            return self.fail(start, "no `}` for this `${`");
        }
        self.pos += 1;
        let words = self.take_words(words_from);
        self.push_expansion(Variable { name, op, words }, quoted, start);
        self.leave();
        Ok(())
    }

    /// Tries `${ list; }`. Before 5.3 that is no more than a bad name, so failing is no error.
    #[inline(never)]
    fn inline_function(&mut self, start: usize, quoted: bool) -> Step<bool> {
        if self.no_inline_until > start {
            return Ok(false);
        }
        let mark = self.mark();
        let at = self.pos;
        let (depth, pending_from, paren_ends) = (self.depth, self.pending_from, self.paren_ends);
        let (after_word, brace_ends) = (self.after_word, self.brace_ends);
        let late = self.script.late;
        if self.peek() == Some(b'|') {
            self.pos += 1;
        }
        match self.in_braces() {
            Ok(list) => {
                self.after_word = after_word;
                self.push(PieceKind::Substitution { list }, quoted, start, self.pos);
                Ok(true)
            }
            Err(fail) => {
                match self.script.error {
                    Some(error) if error.stop == crate::shell::ast::Stop::Syntax => {}
                    _ => return Err(fail),
                }
                self.script.late = late.or(self.script.error.take());
                self.back_to(mark);
                self.no_inline_until = self.pos.max(start + 1);
                self.pos = at;
                (self.depth, self.pending_from, self.paren_ends) = (depth, pending_from, paren_ends);
                (self.after_word, self.brace_ends) = (after_word, brace_ends);
                Ok(false)
            }
        }
    }

    /// Skips the name, with a `!` or `#` before it.
    fn parameter_name(&mut self) {
        if let Some(prefix @ (b'!' | b'#')) = self.peek() {
            let next = self.src.get(self.pos + 1).copied();
            let names = match next {
                Some(byte) if is(byte, NAME) => true,
                // `${#-x}` is an operator on `$#`, `${#-}` the length of `$-`.
                Some(b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-') => {
                    let after = self.src.get(self.pos + 2);
                    let ends = matches!(after, Some(b'}' | b'['));
                    ends || prefix == b'!' && !matches!(next, Some(b'-' | b'?'))
                }
                _ => false,
            };
            self.pos += 1;
            if !names {
                return;
            }
        }
        match self.peek() {
            Some(byte) if is(byte, NAME_START) => {
                while let Some(byte) = self.peek()
                    && (is(byte, NAME) || self.joined(self.pos) > self.pos)
                {
                    self.pos = self.joined(self.pos);
                    if self.peek().is_some_and(|b| is(b, NAME)) {
                        self.pos += 1;
                    } else {
                        break;
                    }
                }
            }
            Some(byte) if is(byte, class::DIGIT) => {
                while self.peek().is_some_and(|b| is(b, class::DIGIT)) {
                    self.pos += 1;
                }
            }
            Some(b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-') => self.pos += 1,
            _ => {}
        }
    }

    /// `[…]` after the name.
    fn subscript(&mut self) -> Step {
        let open = self.pos;
        let late = self.script.late;
        let close = match (self.pair(open + 1, b'[', b']'), self.script.error) {
            (Ok(close), _) => close,
            // Bash minds it only when it expands the word.
            (Err(_), Some(error)) if error.stop == Stop::Syntax => {
                self.script.late = late.or(self.script.error.take());
                return Ok(());
            }
            (Err(fail), _) => return Err(fail),
        };
        let from = self.script.scratch.pieces.len();
        self.pos = open + 1;
        self.within(close - 1, |p| p.pieces_from(&class::RAW, p.pos).map(drop))?;
        let word = self.word_of(from, open + 1, false);
        self.script.scratch.words.push(word);
        self.pos = close;
        Ok(())
    }

    fn operator_length(&self) -> usize {
        let second = self.src.get(self.pos + 1).copied();
        match self.peek() {
            Some(b':') => match second {
                Some(b'-' | b'=' | b'?' | b'+') => 2,
                _ => 1,
            },
            Some(b'-' | b'=' | b'?' | b'+' | b'@' | b'*') => 1,
            Some(b'/') if matches!(second, Some(b'#' | b'%')) => 2,
            Some(double @ (b'#' | b'%' | b'/' | b'^' | b',' | b'~')) => {
                if second == Some(double) {
                    2
                } else {
                    1
                }
            }
            _ => 0,
        }
    }

    /// The words after the operator.
    fn operands(&mut self, op: Span, quoted: bool) -> Step {
        let first = self.src.get(op.start as usize).copied();
        // A pattern is one whatever quotes stand around the expansion.
        let quoted = quoted && !matches!(first, Some(b'#' | b'%' | b'/' | b'^' | b','));
        let last = self.src.get(op.end.wrapping_sub(1) as usize).copied();
        let length = op.end - op.start;
        let (separator, tables): (u8, (&'static Table, &'static Table)) = match (first, length) {
            (Some(b'/'), _) => (b'/', (&class::OPERAND_SLASH, &class::OPERAND_SLASH)),
            (Some(b':'), 1) => (b':', (&class::OPERAND_COLON, &class::QUOTED_OPERAND_COLON)),
            (Some(b':'), _) if last != Some(b'?') => (0, (&class::OPERAND, &class::QUOTED_DEFAULT)),
            (Some(b'-' | b'=' | b'+'), _) => (0, (&class::OPERAND, &class::QUOTED_DEFAULT)),
            _ => (0, (&class::OPERAND, &class::QUOTED_OPERAND)),
        };
        let word = self.operand(if quoted { tables.1 } else { tables.0 }, quoted)?;
        self.script.scratch.words.push(word);
        if separator != 0 && self.peek() == Some(separator) {
            self.pos += 1;
            let table = if quoted { &class::QUOTED_OPERAND } else { &class::OPERAND };
            let word = self.operand(table, quoted)?;
            self.script.scratch.words.push(word);
        }
        Ok(())
    }

    fn operand(&mut self, table: &'static Table, quoted: bool) -> Step<Word> {
        let start = self.pos;
        let from = self.script.scratch.pieces.len();
        if quoted {
            self.quoted(table)?;
        } else {
            self.pieces_from(table, start)?;
        }
        Ok(self.word_of(from, start, false))
    }
}

/// Whether no subscript can follow: there is no name.
fn name_ends_unsubscripted(name: Option<&[u8]>) -> bool {
    name.and_then(<[u8]>::last).is_none_or(|&b| !is(b, NAME))
}
