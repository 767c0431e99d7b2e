//! Loops over a list that is written out: the body is walked once more for each value, and what
//! differs is kept with the part as its turns.

use super::super::ast::{Block, Word};
use super::super::part::{Arg, Dynamic, Part};
use super::simple::Words;
use super::state::State;
use super::{Walk, fixed};

/// Most values of one list.
const MOST_VALUES: usize = 32;
/// Most parts that all turns of a call may make.
const MOST_PARTS: usize = 1_000;

impl Walk<'_, '_> {
    /// Walks the body of a loop; `name` is its variable, `by` what joins its first part.
    pub(super) fn turns(&mut self, name: &str, list: &[Word], blocks: &[Block], by: &'static str) {
        let values = if name.is_empty() { Vec::new() } else { self.listed(list) };
        if !name.is_empty() {
            self.out.state.assign(name, None);
        }
        let start = self.out.state.clone();
        let first = self.out.parts.len();
        let mut end = self.turn(blocks, &start);
        let count = self.out.parts.len() - first;
        // Turns of loops inside this one come again with each value.
        let base = self.out.parts.iter_mut().skip(first);
        let inner: Vec<Vec<Part>> = match values.is_empty() {
            true => Vec::new(),
            false => base.map(|part| std::mem::take(&mut part.turns)).collect(),
        };
        let mut all = true;
        for value in values {
            self.out.turned += count.max(1);
            if self.out.turned > MOST_PARTS || self.out.full {
                all = false;
                break;
            }
            self.out.state = start.clone();
            self.out.state.assign(name, Some(value));
            self.out.by = by;
            let before = self.out.state.clone();
            let after = self.turn(blocks, &before);
            end = end.merge(&after);
            self.keep(first, count);
        }
        for (part, inner) in self.out.parts.iter_mut().skip(first).zip(inner) {
            if part.turns.is_empty() || !all {
                part.turns = inner;
            }
        }
        self.out.state = end.merge(&start);
        if !name.is_empty() {
            self.out.state.assign(name, None);
        }
    }

    /// Walks the body once and returns the state after it.
    fn turn(&mut self, blocks: &[Block], start: &State) -> State {
        let first = self.out.parts.len();
        self.blocks(blocks);
        if self.out.state.place != start.place {
            // The second turn starts where the first ended.
            self.out.parts.iter_mut().skip(first).for_each(unplace);
        }
        std::mem::take(&mut self.out.state)
    }

    /// The values of a list, if all are certain and there are not too many.
    fn listed(&mut self, list: &[Word]) -> Vec<Arg> {
        if list.len() > MOST_VALUES {
            return Vec::new();
        }
        let (opaque, why) = (self.out.opaque, self.out.why.len());
        let mut made = Words::default();
        for word in list {
            self.add_word(word, &mut made);
        }
        // A list that is too long to be followed is no reason for doubt.
        self.out.opaque = opaque;
        self.out.why.truncate(why);
        let values = made.known.map_or(made.argv, |(known, _)| known);
        let certain = |value: &Arg| {
            value.dynamic.is_empty() || value.dynamic == [Dynamic::Tilde] || value.dynamic == [Dynamic::Glob]
        };
        if values.len() <= MOST_VALUES && values.iter().all(certain) { values } else { Vec::new() }
    }

    /// Moves the parts of one more turn to those of the first, if they are the same commands.
    pub(super) fn keep(&mut self, first: usize, count: usize) {
        let (base, turn) = self.out.parts.split_at_mut(first + count);
        let base = base.get_mut(first..).unwrap_or_default();
        if turn.len() != count || base.iter().zip(turn.iter()).any(|(base, turn)| base.ctx != turn.ctx) {
            return;
        }
        for (base, turn) in base.iter_mut().zip(turn.iter()) {
            let same = base.words() == turn.words()
                && base.redirs == turn.redirs
                && (&base.cwd, base.cwd_unknown) == (&turn.cwd, turn.cwd_unknown)
                && turn.turns.is_empty();
            if !same {
                let mut turn = turn.clone();
                turn.n = base.n;
                turn.inside = base.inside;
                turn.from.clone_from(&base.from);
                base.turns.push(turn);
            }
        }
        self.out.parts.truncate(first + count);
    }
}

/// Makes the folder of a part unknown, unless it does not depend on where it was entered from.
pub(super) fn unplace(part: &mut Part) {
    part.turns.iter_mut().for_each(unplace);
    if !fixed(part) {
        part.cwd = None;
        part.cwd_unknown = true;
    }
}
