//! What `$` begins, and process substitutions.

use super::class::{self, NAME, NAME_START, is};
use super::{Joint, Parser, Pipeline, Reserved, Run, Step};
use crate::shell::ast::{PieceKind, Span, Variable, Word};

impl Parser<'_> {
    /// The expansion here; false if the `$` is text.
    pub(super) fn dollar(&mut self, quoted: bool) -> Step<bool> {
        let start = self.pos;
        let next = self.joined(start + 1);
        let Some(&byte) = self.src.get(next) else {
            return Ok(false);
        };
        match byte {
            b'(' => self.dollar_paren(next, quoted)?,
            b'{' => self.parameter(next, quoted)?,
            b'[' => self.old_arithmetic(next, quoted)?,
            b'\'' if !quoted => self.ansi(next)?,
            b'"' if !quoted => {
                self.pos = next;
                self.double()?;
            }
            b'\'' | b'"' => return Ok(false),
            _ => {
                let mut end = next + 1;
                if is(byte, NAME_START) {
                    while let Some(&more) = self.src.get(end) {
                        if is(more, NAME) {
                            end += 1;
                        } else if more == b'\\'
                            && self.joined(end) > end
                            && self.src.get(self.joined(end)).is_some_and(|&b| is(b, NAME))
                        {
                            end = self.joined(end);
                        } else {
                            break;
                        }
                    }
                } else if !is(byte, class::EXPANDS) {
                    return Ok(false);
                }
                self.pos = end;
                self.push_variable(Span::new(next, end), quoted, start);
            }
        }
        Ok(true)
    }

    /// `$x` or `${x}` that ends here.
    pub(super) fn push_variable(&mut self, name: Span, quoted: bool, start: usize) {
        if !quoted && self.src.get(name.range()) == Some(b"IFS") {
            self.push(PieceKind::Ifs, quoted, start, self.pos);
        } else {
            self.push_expansion(Variable { name, ..Variable::default() }, quoted, start);
        }
    }

    /// The same with all that belongs to it.
    pub(super) fn push_expansion(&mut self, variable: Variable, quoted: bool, start: usize) {
        let number = self.script.variables.len() as u32;
        self.script.variables.push(variable);
        self.push(PieceKind::Variable(number), quoted, start, self.pos);
    }

    /// `$(…)` or `$((…))` whose `(` stands at `open`.
    #[inline(never)]
    fn dollar_paren(&mut self, open: usize, quoted: bool) -> Step {
        let start = self.pos;
        self.enter()?;
        let second = self.joined(open + 1);
        if self.src.get(second) == Some(&b'(') {
            let close = self.pair(second + 1, b'(', b')')?;
            if self.src.get(self.joined(close)) == Some(&b')') {
                let words = self.expression(second + 1, close - 1)?;
                self.pos = self.joined(close) + 1;
                self.push(PieceKind::Arithmetic { words }, quoted, start, self.pos);
            } else {
                // A subshell first thing in a substitution. Bash has only counted brackets here.
                let end = self.pair(close, b'(', b')')?;
                self.pos = open + 1;
                let mut list = Run::default();
                self.within(end - 1, |p| {
                    list = p.lines();
                    p.settle();
                    Ok(())
                })?;
                self.pos = end;
                self.push(PieceKind::Substitution { list }, quoted, start, end);
            }
        } else {
            self.pos = open + 1;
            let list = self.in_parens(start)?;
            self.push(PieceKind::Substitution { list }, quoted, start, self.pos);
        }
        self.leave();
        Ok(())
    }

    /// Makes an error that [`Parser::lines`] met a late one.
    pub(super) fn settle(&mut self) {
        if let Some(error) = self.script.error
            && error.stop == crate::shell::ast::Stop::Syntax
        {
            self.script.late.get_or_insert(error);
            self.script.error = None;
        }
    }

    /// A list and its `)`.
    fn in_parens(&mut self, start: usize) -> Step<Run<Pipeline>> {
        let mut row = self.row();
        let pending_from = self.pending_from;
        let paren_ends = self.paren_ends;
        let brace_ends = self.brace_ends;
        self.pending_from = self.script.scratch.pending.len();
        self.paren_ends = true;
        self.brace_ends = false;
        self.after_word = false;
        self.newlines()?;
        self.list(&mut row, Joint::First, true)?;
        match self.peek() {
            Some(b')') => self.pos += 1,
            None => return self.fail(start, "no `)` for this substitution"),
            Some(_) => return self.unexpected(),
        }
        self.abandon();
        self.pending_from = pending_from;
        self.paren_ends = paren_ends;
        self.brace_ends = brace_ends;
        Ok(self.take_row(row))
    }

    /// `<(…)` or `>(…)` that begins here.
    #[inline(never)]
    pub(super) fn process(&mut self) -> Step {
        let start = self.pos;
        self.enter()?;
        let output = self.peek() == Some(b'>');
        self.skip_two();
        let list = self.in_parens(start)?;
        self.push(PieceKind::Process { list, output }, false, start, self.pos);
        self.leave();
        Ok(())
    }

    /// Past the `<(…)` at `at`, which must be right and is text all the same.
    #[cold]
    pub(super) fn process_text(&mut self, at: usize) -> Step<usize> {
        let pieces = self.script.scratch.pieces.len();
        self.pos = at;
        self.process()?;
        self.script.scratch.pieces.truncate(pieces);
        Ok(self.pos)
    }

    /// `$[…]` whose `[` stands at `open`.
    #[inline(never)]
    fn old_arithmetic(&mut self, open: usize, quoted: bool) -> Step {
        let start = self.pos;
        self.enter()?;
        let close = self.pair(open + 1, b'[', b']')?;
        let words = self.expression(open + 1, close - 1)?;
        self.pos = close;
        self.push(PieceKind::Arithmetic { words }, quoted, start, close);
        self.leave();
        Ok(())
    }

    /// The expression between two places as one word.
    pub(super) fn expression(&mut self, start: usize, end: usize) -> Step<Run<Word>> {
        let word = self.expression_word(start, end)?;
        let index = self.script.words.len() as u32;
        self.script.words.push(word);
        Ok(Run::new(index, index + 1))
    }

    /// The same without a place in the arena.
    pub(super) fn expression_word(&mut self, start: usize, end: usize) -> Step<Word> {
        let from = self.script.scratch.pieces.len();
        self.pos = start;
        self.within(end, |p| p.quoted(&class::HERE))?;
        Ok(self.word_of(from, start, false))
    }

    /// `${ list; }` or `${| list; }` whose list begins here.
    pub(super) fn in_braces(&mut self) -> Step<Run<Pipeline>> {
        let mut row = self.row();
        let pending_from = self.pending_from;
        let paren_ends = self.paren_ends;
        let brace_ends = self.brace_ends;
        self.pending_from = self.script.scratch.pending.len();
        self.paren_ends = false;
        self.brace_ends = true;
        self.after_word = false;
        self.newlines()?;
        self.list(&mut row, Joint::First, true)?;
        if self.after_word || self.peek() != Some(b'}') {
            return self.unexpected();
        }
        self.pos += 1;
        self.abandon();
        self.pending_from = pending_from;
        self.paren_ends = paren_ends;
        self.brace_ends = brace_ends;
        Ok(self.take_row(row))
    }
}

impl Reserved {
    /// Whether a compound command begins with it.
    pub(super) fn opens_compound(self) -> bool {
        use Reserved::{Case, For, If, Open, Select, Test, Until, While};
        matches!(self, Case | For | If | Open | Select | Test | Until | While)
    }
}
