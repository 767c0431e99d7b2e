//! Compound commands: what their bodies run, and what is certain after them.

use std::rc::Rc;

use super::super::ast::{Block, Compound, Role, Run, Span, Word};
use super::super::part::Arg;
use super::state::State;
use super::turns::Each;
use super::vars::Known;
use super::{Flow, Walk, both};

impl Walk<'_, '_> {
    pub(super) fn compound(&mut self, what: Compound, span: Span, name: Span, words: Run<Word>, blocks: Run<Block>) {
        let run = blocks;
        let blocks = self.script.blocks.get(run.range()).unwrap_or_default();
        let by = std::mem::take(&mut self.out.by);
        let repeats =
            matches!(what, Compound::While | Compound::Until | Compound::For | Compound::ArithFor | Compound::Select);
        if what == Compound::Arith {
            self.computes(self.source(span), words);
        }
        if repeats && (self.out.state.vars.any() || self.out.state.params.is_some()) {
            self.doubted(span);
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
                if what == Compound::Coproc {
                    // The numbers of its two ends: which ones does not matter.
                    let name = Some(self.source(name)).filter(|name| !name.is_empty()).unwrap_or("COPROC").to_owned();
                    let ends = vec![Arg::literal("63"), Arg::literal("60")];
                    self.out.state.vars.set(&name, Known::List(Rc::new(ends)));
                }
            }
            Compound::Function => self.function(self.source(name), span, run, blocks),
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
                self.repeat(what, span, name, self.words(words), blocks, by);
                self.out.flow = Flow::Open;
            }
        }
    }

    /// Whether the condition of a loop says that it never ends: `while true`, `until false`, `for ((;;))`.
    pub(super) fn endless(&self, what: Compound, words: Run<Word>, blocks: Run<Block>) -> bool {
        if what == Compound::ArithFor {
            return self.words(words).get(1).is_none_or(|word| self.source(word.span).trim().is_empty());
        }
        if !matches!(what, Compound::While | Compound::Until) {
            return false;
        }
        let condition = self.script.blocks.get(blocks.range()).and_then(<[Block]>::first);
        let condition = condition.filter(|block| block.role == Role::Condition);
        let lists = condition.and_then(|block| self.script.pipelines.get(block.list.range()));
        let Some([only]) = lists else { return false };
        let text = self.source(only.span).trim();
        let text = text.trim_start_matches(['[', '(', ' ']).trim_end_matches([']', ')', ' ', ';']);
        match (what, only.negated) {
            (Compound::While, false) => {
                matches!(text, "true" | ":" | "/bin/true" | "/usr/bin/true" | "1" | "test 1" | "1 -eq 1" | "1 == 1")
            }
            (Compound::Until, false) => matches!(text, "false" | "/bin/false" | "/usr/bin/false" | "0" | "! true"),
            _ => false,
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
        self.out.flow = if end.is_none() { Flow::Gone } else { Flow::Open };
        if let Some(state) = end {
            self.out.state = state;
        }
        self.out.by = "";
    }

    /// Makes uncertain what a loop may assign, in its text or in the functions that it may call.
    fn doubted(&mut self, span: Span) {
        let text = self.source(span);
        self.out.state.vars.doubt(text);
        if text.contains("shift") || text.contains("set ") {
            self.out.state.params = None;
        }
        if self.out.functions.len() > 16 {
            self.out.state.vars.lose();
            return;
        }
        for at in 0..self.out.functions.len() {
            let Some(function) = self.out.functions.get(at) else { break };
            if !self.source(span).contains(&function.name) {
                continue;
            }
            if function.source == self.here.number {
                let text = self.source(function.span);
                self.out.state.vars.doubt(text);
            } else {
                self.out.state.vars.lose();
            }
        }
    }

    fn repeat(&mut self, what: Compound, span: Span, name: Span, words: &[Word], blocks: &[Block], by: &'static str) {
        let name_text = self.source(name);
        if what == Compound::Select {
            self.out.state.vars.assign("REPLY", None);
        }
        let each = match what {
            Compound::For | Compound::Select if words.is_empty() => {
                let after = self.text.get(name.end as usize..span.end as usize).unwrap_or_default();
                // `for x in; do` has no values, `for x; do` those of `"$@"`.
                if after.trim_start().starts_with("in") { Each::Unknown } else { self.parameters() }
            }
            Compound::For | Compound::Select => self.listed(words),
            Compound::ArithFor => {
                let head = words.last().map_or(span.start, |word| word.span.end);
                let body = self.text.get(head as usize..span.end as usize).unwrap_or_default();
                if let Some((name, each)) = self.counted(words, body) {
                    self.turns(&name, each, blocks, by);
                    return;
                }
                Each::Unknown
            }
            Compound::While | Compound::Until if self.out.input.is_some() => Each::Input,
            Compound::While | Compound::Until if !self.out.names.is_empty() => {
                Each::Names(std::mem::take(&mut self.out.names).into_iter())
            }
            _ => Each::Unknown,
        };
        self.turns(name_text, each, blocks, by);
    }
}
