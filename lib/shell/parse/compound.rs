//! Compound commands.

use super::stack::Row;
use super::{Joint, Parser, Reserved, Run, Step, class};
use crate::shell::ast::{Block, Command, CommandKind, Compound, Pipeline, Role, Span, Word};

impl Parser<'_> {
    /// Reads into its arena the command that begins here with this reserved word or none.
    pub(super) fn command(&mut self, reserved: Reserved) -> Step {
        if reserved == Reserved::None {
            return match self.peek() {
                Some(b'(') => self.compound(reserved),
                _ if self.command_may_begin() => self.simple(),
                _ => self.unexpected(),
            };
        }
        self.compound(reserved)
    }

    #[inline(never)]
    fn compound(&mut self, reserved: Reserved) -> Step {
        let start = self.pos;
        self.enter()?;
        let (what, name, words, blocks) = match reserved {
            Reserved::None => self.parens()?,
            Reserved::Open => {
                self.skip_reserved();
                let from = self.script.scratch.blocks.len();
                self.block(Role::Body)?;
                self.expect(Reserved::Close)?;
                (Compound::Group, Span::default(), Run::default(), self.take_blocks(from))
            }
            Reserved::If => self.if_command()?,
            Reserved::While => self.loop_command(Compound::While)?,
            Reserved::Until => self.loop_command(Compound::Until)?,
            Reserved::For => self.for_command(Compound::For)?,
            Reserved::Select => self.for_command(Compound::Select)?,
            Reserved::Case => self.case_command()?,
            Reserved::Test => {
                self.skip_reserved();
                let words = self.condition()?;
                (Compound::Test, Span::default(), words, Run::default())
            }
            Reserved::Function => {
                self.function_command()?;
                self.leave();
                return Ok(());
            }
            Reserved::Coproc => {
                self.coproc_command()?;
                self.leave();
                return Ok(());
            }
            _ => return self.unexpected(),
        };
        self.leave();
        self.after_word = false;
        let mut row = Row::new(&self.script.redirects, &self.script.scratch.redirects);
        let end = self.redirects(&mut row)?;
        let redirects = self.take_redirects(row);
        self.script.commands.push(Command {
            kind: CommandKind::Compound { what, words, blocks, name },
            redirects,
            pipes_both: false,
            span: Span::new(start, end),
        });
        Ok(())
    }

    /// Makes the last command of the arena the body of a command that began at `start`.
    pub(super) fn wrap_last(&mut self, start: usize, what: Compound, name: Span) {
        let s = &mut *self.script;
        let Some(span) = s.commands.last().map(|body| body.span) else {
            return;
        };
        let at = s.commands.len() as u32;
        let stages = Run::new(at - 1, at);
        let at = s.pipelines.len() as u32;
        s.pipelines.push(Pipeline { stages, span, ..Pipeline::default() });
        let list = Run::new(at, at + 1);
        let at = s.blocks.len() as u32;
        s.blocks.push(Block { role: Role::Body, list });
        let blocks = Run::new(at, at + 1);
        s.commands.push(Command {
            kind: CommandKind::Compound { what, words: Run::default(), blocks, name },
            redirects: Run::default(),
            pipes_both: false,
            span: Span::new(start, span.end as usize),
        });
    }

    /// A list of at least one command.
    fn block(&mut self, role: Role) -> Step {
        if self.block_or_nothing(role)? {
            return Ok(());
        }
        self.unexpected()
    }

    fn block_or_nothing(&mut self, role: Role) -> Step<bool> {
        let mut row = self.row();
        self.after_word = false;
        self.newlines()?;
        self.list(&mut row, Joint::First, true)?;
        let list = self.take_row(row);
        self.script.scratch.blocks.push(Block { role, list });
        Ok(!list.is_empty())
    }

    /// Skips this reserved word; anything else is an error.
    fn expect(&mut self, word: Reserved) -> Step {
        if self.after_word || self.reserved() != word {
            return self.unexpected();
        }
        self.pos = self.reserved_here().1;
        self.after_word = false;
        Ok(())
    }

    fn if_command(&mut self) -> Step<(Compound, Span, Run<Word>, Run<Block>)> {
        let from = self.script.scratch.blocks.len();
        self.skip_reserved();
        loop {
            self.block(Role::Condition)?;
            self.expect(Reserved::Then)?;
            self.block(Role::Body)?;
            if self.after_word {
                return self.unexpected();
            }
            match self.reserved() {
                Reserved::Elif => {
                    self.skip_reserved();
                }
                Reserved::Else => {
                    self.skip_reserved();
                    self.block(Role::Body)?;
                    break;
                }
                _ => break,
            }
        }
        self.expect(Reserved::Fi)?;
        Ok((Compound::If, Span::default(), Run::default(), self.take_blocks(from)))
    }

    fn loop_command(&mut self, what: Compound) -> Step<(Compound, Span, Run<Word>, Run<Block>)> {
        let from = self.script.scratch.blocks.len();
        self.skip_reserved();
        self.block(Role::Condition)?;
        self.expect(Reserved::Do)?;
        self.block(Role::Body)?;
        self.expect(Reserved::Done)?;
        Ok((what, Span::default(), Run::default(), self.take_blocks(from)))
    }

    /// `do … done` or `{ … }`.
    fn loop_body(&mut self) -> Step {
        let close = match self.reserved() {
            Reserved::Do => Reserved::Done,
            Reserved::Open => Reserved::Close,
            _ => return self.unexpected(),
        };
        self.skip_reserved();
        self.block(Role::Body)?;
        self.expect(close)
    }

    /// A word that must stand here, its pieces in the arena.
    fn needed_word(&mut self) -> Step<Word> {
        match self.peek() {
            None => self.unexpected(),
            Some(b'<' | b'>') if self.peek_second() == Some(b'(') => self.word(),
            Some(byte) if class::breaks(byte) => self.unexpected(),
            Some(_) => self.word(),
        }
    }

    fn for_command(&mut self, what: Compound) -> Step<(Compound, Span, Run<Word>, Run<Block>)> {
        let blocks_from = self.script.scratch.blocks.len();
        let words_from = self.script.scratch.words.len();
        self.skip_reserved();
        if what == Compound::For && self.peek() == Some(b'(') && self.peek_second() == Some(b'(') {
            self.arithmetic_head()?;
            self.blanks();
            match self.peek() {
                Some(b';') => {
                    self.pos += 1;
                    self.newlines()?;
                }
                _ => self.newlines()?,
            }
            self.loop_body()?;
            let words = self.take_words(words_from);
            let blocks = self.take_blocks(blocks_from);
            return Ok((Compound::ArithFor, Span::default(), words, blocks));
        }
        let name = self.needed_word()?.span;
        self.blanks();
        if self.peek() == Some(b';') {
            self.pos += 1;
            self.newlines()?;
        } else {
            self.newlines()?;
            if self.reserved() == Reserved::In {
                self.skip_reserved();
                loop {
                    self.blanks();
                    match self.peek() {
                        None | Some(b'\n') => break,
                        Some(b';') => {
                            self.pos += 1;
                            break;
                        }
                        Some(_) => {
                            let word = self.needed_word()?;
                            self.script.scratch.words.push(word);
                        }
                    }
                }
                self.newlines()?;
            }
        }
        self.loop_body()?;
        let words = self.take_words(words_from);
        Ok((what, name, words, self.take_blocks(blocks_from)))
    }

    /// `((a; b; c))`.
    fn arithmetic_head(&mut self) -> Step {
        let open = self.pos;
        self.skip_two();
        let start = self.pos;
        let close = self.pair(start, b'(', b')')?;
        if self.src.get(self.joined(close)) != Some(&b')') {
            return self.fail(open, "no `))` for this `((`");
        }
        let mut at = start;
        let mut from = start;
        let mut count = 0;
        while at < close {
            match (self.src.get(at), self.src.get(at + 1)) {
                (Some(b'\\'), _) => at += 1,
                (Some(&quote @ (b'\'' | b'"' | b'`')), _) => {
                    let rest = self.src.get(at + 1..close).unwrap_or_default();
                    at += 1 + memchr::memchr(quote, rest).unwrap_or(rest.len());
                }
                // Of brackets only those of an expansion keep a `;` from its meaning.
                (Some(b'$'), Some(b'(')) => at = self.pair(at + 2, b'(', b')')? - 1,
                (Some(b'$'), Some(b'{')) => at = self.pair(at + 2, b'{', b'}')? - 1,
                (Some(b';'), _) => {
                    let word = self.expression_word(from, at)?;
                    self.script.scratch.words.push(word);
                    count += 1;
                    from = at + 1;
                }
                _ => {}
            }
            at += 1;
        }
        let word = self.expression_word(from, (close - 1).max(from))?;
        self.script.scratch.words.push(word);
        count += 1;
        if count != 3 {
            return self.fail(open, "`for ((` needs three expressions");
        }
        self.pos = self.joined(close) + 1;
        Ok(())
    }

    fn case_command(&mut self) -> Step<(Compound, Span, Run<Word>, Run<Block>)> {
        let blocks_from = self.script.scratch.blocks.len();
        let words_from = self.script.scratch.words.len();
        self.skip_reserved();
        let subject = self.needed_word()?;
        self.script.scratch.words.push(subject);
        self.newlines()?;
        if self.reserved() != Reserved::In {
            return self.unexpected();
        }
        self.skip_reserved();
        loop {
            self.newlines()?;
            if self.reserved() == Reserved::Esac {
                break;
            }
            if self.peek() == Some(b'(') {
                self.pos += 1;
                self.blanks();
            }
            loop {
                let pattern = self.needed_word()?;
                self.script.scratch.words.push(pattern);
                self.blanks();
                match self.peek() {
                    Some(b'|') => {
                        self.pos += 1;
                        self.blanks();
                    }
                    Some(b')') => {
                        self.pos += 1;
                        break;
                    }
                    _ => return self.unexpected(),
                }
            }
            self.block_or_nothing(Role::Body)?;
            match (self.peek(), self.peek_second()) {
                (Some(b';'), Some(b';')) => {
                    self.skip_two();
                    let third = self.joined(self.pos);
                    if self.src.get(third) == Some(&b'&') {
                        self.pos = third + 1;
                    }
                }
                (Some(b';'), Some(b'&')) => self.skip_two(),
                _ => break,
            }
            self.after_word = false;
        }
        self.expect(Reserved::Esac)?;
        let words = self.take_words(words_from);
        Ok((Compound::Case, Span::default(), words, self.take_blocks(blocks_from)))
    }

    /// `( … )` or `(( … ))`.
    fn parens(&mut self) -> Step<(Compound, Span, Run<Word>, Run<Block>)> {
        if self.peek_second() == Some(b'(') {
            let start = self.joined(self.pos + 1) + 1;
            let close = self.pair(start, b'(', b')')?;
            let last = self.joined(close);
            if self.src.get(last) == Some(&b')') {
                let words = self.expression(start, close - 1)?;
                self.pos = last + 1;
                return Ok((Compound::Arith, Span::default(), words, Run::default()));
            }
        }
        let from = self.script.scratch.blocks.len();
        self.pos += 1;
        self.block(Role::Body)?;
        if self.peek() != Some(b')') {
            return self.unexpected();
        }
        self.pos += 1;
        self.after_word = false;
        Ok((Compound::Subshell, Span::default(), Run::default(), self.take_blocks(from)))
    }

    fn function_command(&mut self) -> Step {
        let start = self.pos;
        self.skip_reserved();
        let name = self.needed_word()?.span;
        self.blanks();
        if self.peek() == Some(b'(') {
            let open = self.pos;
            self.pos += 1;
            self.blanks();
            if self.peek() == Some(b')') {
                self.pos += 1;
            } else {
                self.pos = open;
            }
        }
        self.function_body(start, name)
    }

    fn coproc_command(&mut self) -> Step {
        let start = self.pos;
        self.skip_reserved();
        let mut name = Span::default();
        let mut reserved = self.reserved();
        if reserved == Reserved::Time {
            reserved = Reserved::None;
        }
        if reserved == Reserved::None && self.peek() != Some(b'(') {
            // Only a plain word is looked past: reading a substitution twice could go on and on.
            let at = self.pos;
            while self.peek().is_some_and(|b| class::WORD[b as usize] == class::PLAIN) {
                self.pos += 1;
            }
            let end = self.pos;
            self.blanks();
            reserved = self.reserved();
            let compound = reserved.opens_compound() || self.peek() == Some(b'(');
            if end > at && self.pos > end && compound {
                name = Span::new(at, end);
            } else {
                reserved = Reserved::None;
                self.pos = at;
            }
        } else if reserved != Reserved::None && !reserved.opens_compound() {
            return self.unexpected();
        }
        self.command(reserved)?;
        let function =
            |command: &Command| matches!(command.kind, CommandKind::Compound { what: Compound::Function, .. });
        if self.script.commands.last().is_some_and(function) {
            return self.fail(start, "a coprocess cannot be a function definition");
        }
        self.wrap_last(start, Compound::Coproc, name);
        Ok(())
    }
}
