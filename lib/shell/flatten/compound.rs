//! Compound commands: what their bodies run, and what is certain after them.

use super::super::ast::{Block, Compound, Role, Run, Span, Word};
use super::state::State;
use super::{Flow, Walk, both};

impl Walk<'_, '_> {
    pub(super) fn compound(
        &mut self,
        what: Compound,
        span: Span,
        name: Span,
        words: Run<Word>,
        blocks: Run<Block>,
    ) {
        let blocks = self.script.blocks.get(blocks.range()).unwrap_or_default();
        let by = std::mem::take(&mut self.out.by);
        let repeats = matches!(
            what,
            Compound::While
                | Compound::Until
                | Compound::For
                | Compound::ArithFor
                | Compound::Select
        );
        if what == Compound::Arith && self.out.state.any() {
            let text = self.source(span);
            self.out.state.doubt(text);
        }
        if repeats && self.out.state.any() {
            if self.out.functions.is_empty() {
                let text = self.source(span);
                self.out.state.doubt(text);
            } else {
                self.out.state.lose();
            }
        }
        for word in self.words(words) {
            self.nested(word, self.out.inside);
        }
        self.out.by = by;
        match what {
            Compound::Test | Compound::Arith => {}
            Compound::Group => self.blocks(blocks),
            Compound::Subshell | Compound::Coproc => {
                let saved = self.out.state.clone();
                self.blocks(blocks);
                self.out.state = saved;
                self.out.flow = Flow::Open;
            }
            Compound::Function => self.function(name, blocks),
            Compound::If => self.branches(blocks),
            Compound::Case => {
                let start = self.out.state.clone();
                let mut end = Some(start.clone());
                for block in blocks {
                    self.out.state = start.clone();
                    self.out.flow = Flow::Open;
                    self.block(block);
                    if !matches!(self.out.flow, Flow::Gone) {
                        end = both(end, Some(std::mem::take(&mut self.out.state)));
                    }
                }
                self.out.state = end.unwrap_or(start);
                self.out.flow = Flow::Open;
            }
            _ => {
                let list = self.words(words);
                let name = self.source(name);
                let list = if what == Compound::For { list } else { &[] };
                self.turns(name, list, blocks, by);
                self.out.flow = Flow::Open;
            }
        }
    }

    fn block(&mut self, block: &Block) {
        self.list(block.list);
        self.out.by = ";";
    }

    pub(super) fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            self.block(block);
        }
        self.out.by = "";
    }

    fn branches(&mut self, blocks: &[Block]) {
        let mut ends: Option<State> = None;
        let mut passed: Option<State> = None;
        let mut last = Role::Body;
        for block in blocks {
            match (block.role, last) {
                (Role::Condition, _) => {
                    if let Some(state) = passed.take() {
                        self.out.state = state;
                    }
                }
                // Two bodies in a row: the second is `else`.
                (Role::Body, Role::Body) => {
                    if let Some(state) = passed.take() {
                        self.out.state = state;
                    }
                }
                (Role::Body, Role::Condition) => {}
            }
            self.out.flow = Flow::Open;
            self.block(block);
            match block.role {
                Role::Condition => passed = Some(self.out.state.clone()),
                Role::Body if matches!(self.out.flow, Flow::Gone) => {}
                Role::Body => ends = both(ends, Some(self.out.state.clone())),
            }
            last = block.role;
        }
        let end = both(ends, passed);
        self.out.flow = if end.is_none() {
            Flow::Gone
        } else {
            Flow::Open
        };
        if let Some(state) = end {
            self.out.state = state;
        }
        self.out.by = "";
    }

    /// A body that runs later, from anywhere, with anything.
    fn function(&mut self, name: Span, blocks: &[Block]) {
        let saved = self.out.state.clone();
        self.out.state.lose();
        let from = std::mem::take(&mut self.out.from);
        self.blocks(blocks);
        self.out.from = from;
        let moves = self.out.state.place != saved.place;
        self.out.state = saved;
        self.out.flow = Flow::Sure;
        let name = self.source(name);
        self.out.functions.push((name.to_owned(), moves));
    }
}
