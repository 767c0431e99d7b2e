//! Loops over what is written out: the body is walked once more for each value, and what differs
//! is kept with the part as its turns.

use super::super::ast::{Block, Word};
use super::super::part::{Arg, Part};
use super::simple::Words;
use super::state::State;
use super::vars::assigns;
use super::{Walk, calls, fixed};
use thin_vec::ThinVec;

/// Most values of one list.
const MOST_VALUES: usize = 32;

/// What a loop goes over.
pub(super) enum Each {
    /// Nobody knows.
    Unknown,
    /// These values of its variable.
    List(thin_vec::IntoIter<Arg>),
    /// The records of its certain input.
    Input,
    /// Records that are names among these globs.
    Names(std::vec::IntoIter<Arg>),
    /// `for ((…; condition; step))`: the value to come, and the expressions.
    Count(i64, Word, Word),
}

impl Walk<'_, '_> {
    /// Walks the body of a loop; `name` is its variable, `by` what joins its first part.
    pub(super) fn turns(&mut self, name: &str, mut each: Each, blocks: &[Block], by: &'static str) {
        if !name.is_empty() {
            self.out.state.vars.assign(name, None);
        }
        let start = self.out.state.clone();
        let first = self.out.parts.len();
        let known = !matches!(each, Each::Unknown);
        let input = if matches!(each, Each::Input) { self.out.input.take() } else { None };
        self.out.tentative += usize::from(known);
        let doubts = self.out.doubts();
        let mut end = self.turn(blocks, &start);
        let doubts = if known { self.out.set_aside(doubts) } else { Vec::new() };
        self.out.tentative -= usize::from(known);
        if input.is_some() {
            self.out.input = input;
        }
        let count = self.out.parts.len() - first;
        // Turns of loops inside this one come again with each value.
        let base = self.out.parts.iter_mut().skip(first);
        let inner: Vec<ThinVec<Part>> = match known {
            false => Vec::new(),
            true => base.map(|part| std::mem::take(&mut part.turns)).collect(),
        };
        let mut all = true;
        let mut number = 0;
        while let Some(value) = self.next(&mut each, name, &start) {
            number += 1;
            let fits = self.out.may_turn(count.max(1));
            self.out.turned += count.max(1);
            if !fits || self.out.full || number > MOST_VALUES {
                all = false;
                break;
            }
            self.out.state = start.clone();
            if let Some(value) = value {
                self.out.state.vars.assign(name, Some(value));
            }
            self.out.by = by;
            let before = self.out.state.clone();
            let at = self.out.input.as_ref().map(|input| input.at);
            let after = self.turn(blocks, &before);
            end = end.merge(&after);
            self.keep(first, count, first + count);
            if matches!(each, Each::Input) && self.out.input.as_ref().map(|input| input.at) == at {
                all = false;
                break;
            }
        }
        for (part, inner) in self.out.parts.iter_mut().skip(first).zip(inner) {
            if part.turns.is_empty() || !all {
                part.turns = inner;
            }
        }
        if !all || number == 0 {
            self.out.put_back(doubts);
        }
        if !all {
            self.out.unclear();
        }
        self.out.state = end.merge(&start);
        if !name.is_empty() {
            self.out.state.vars.assign(name, None);
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

    /// Whether there is one more turn, and the value of the variable in it.
    fn next(&mut self, each: &mut Each, name: &str, start: &State) -> Option<Option<Arg>> {
        match each {
            Each::Unknown => None,
            Each::List(values) => values.next().map(Some),
            Each::Names(names) => {
                self.out.handed = names.next();
                self.out.handed.is_some().then_some(None)
            }
            Each::Input => self.out.input.as_ref().is_some_and(|input| input.at < input.text.len()).then_some(None),
            Each::Count(value, condition, step) => {
                let now = *value;
                self.out.state = start.clone();
                self.out.state.vars.assign(name, Some(Arg::literal(now.to_string())));
                if self.number(*condition)? == 0 {
                    return None;
                }
                let text = self.value(step);
                self.evaluated(text.certain()?)?;
                *value = super::arith::evaluate(name, &mut |name, _| match self.out.state.vars.value(name) {
                    super::vars::Value::Certain(value) => value.certain()?.parse().ok(),
                    _ => None,
                })?;
                Some(Some(Arg::literal(now.to_string())))
            }
        }
    }

    /// What `for ((i = 0; i < 3; i++))` goes over; `body` is the text of its body.
    pub(super) fn counted(&mut self, words: &[Word], body: &str) -> Option<(String, Each)> {
        let [begin, condition, step] = words else { return None };
        let text = self.value(begin);
        let name = text.certain()?.split_once('=')?.0.trim().to_owned();
        if !super::super::unwrap::is_name(&name) || assigns(body, &name) {
            return None;
        }
        let saved = self.out.state.clone();
        self.evaluated(text.certain()?);
        let value = self.evaluated(&name);
        self.out.state = saved;
        let value = value?;
        // It must come to an end soon, or it is not followed.
        let mut probe = Each::Count(value, *condition, *step);
        let start = self.out.state.clone();
        let mut turns = 0;
        while turns <= MOST_VALUES && self.next(&mut probe, &name, &start).is_some() {
            turns += 1;
        }
        self.out.state = start;
        (turns > 0 && turns <= MOST_VALUES).then_some((name, Each::Count(value, *condition, *step)))
    }

    /// The values of a list, if all are certain and there are not too many.
    pub(super) fn listed(&mut self, list: &[Word]) -> Each {
        if list.len() > MOST_VALUES {
            return Each::Unknown;
        }
        let (opaque, why) = (self.out.opaque, self.out.why.len());
        let mut made = Words::default();
        for word in list {
            self.add_word(word, &mut made);
        }
        // A list that is too long to be followed is no reason for doubt.
        self.out.opaque = opaque;
        self.out.why.truncate(why);
        Self::each(made.known.map_or(made.argv, |(known, _)| known))
    }

    /// The values of `"$@"`.
    pub(super) fn parameters(&mut self) -> Each {
        self.out.state.params.as_ref().map_or(Each::Unknown, |params| Self::each(params.as_slice().into()))
    }

    fn each(values: ThinVec<Arg>) -> Each {
        let follows = !values.is_empty() && values.len() <= MOST_VALUES && values.iter().all(calls::listed);
        if follows { Each::List(values.into_iter()) } else { Each::Unknown }
    }

    /// Moves the parts of one more turn, which begin at `at`, to those of the first, if they are
    /// the same commands.
    pub(super) fn keep(&mut self, first: usize, count: usize, at: usize) {
        let Some((base, turn)) = self.out.parts.split_at_mut_checked(at) else { return };
        let base = base.get_mut(first..first + count).unwrap_or_default();
        if turn.len() != count
            || base.len() != count
            || base.iter().zip(turn.iter()).any(|(base, turn)| base.ctx != turn.ctx)
        {
            return;
        }
        for (base, turn) in base.iter_mut().zip(turn.iter_mut()) {
            let mut kept = std::mem::take(&mut turn.turns);
            if kept.is_empty() {
                kept.push(std::mem::take(turn));
            }
            // Also a turn that is as the first reading: others may differ from it.
            for mut turn in kept {
                turn.n = base.n;
                turn.inside = base.inside;
                turn.from.clone_from(&base.from);
                if !base.turns.iter().any(|known| alike(known, &turn)) {
                    base.turns.push(turn);
                }
            }
        }
        self.out.parts.truncate(at);
        self.out.functions.retain(|function| function.first < at);
    }
}

/// Whether two turns of one part say the same; what differs most is compared first.
fn alike(one: &Part, other: &Part) -> bool {
    one.known == other.known
        && one.cwd == other.cwd
        && one.cwd_unknown == other.cwd_unknown
        && one.redirs == other.redirs
        && one.code == other.code
        && one.argv == other.argv
        && one == other
}

impl super::Out {
    /// Not every turn was walked: what functions do in them is not known.
    fn unclear(&mut self) {
        for function in &mut self.functions {
            function.unclear = true;
        }
    }
}

/// Takes the turns from a part that are all as the part itself.
pub(super) fn drop_same(part: &mut Part) {
    let same = |turn: &Part| {
        part.words() == turn.words()
            && part.redirs == turn.redirs
            && part.code == turn.code
            && (&part.cwd, part.cwd_unknown) == (&turn.cwd, turn.cwd_unknown)
    };
    if part.turns.iter().all(same) {
        part.turns.clear();
    }
    // What a variable named once is the command.
    if let ([only], true) = (part.turns.as_slice(), part.head.is_empty()) {
        part.head.clone_from(&only.head);
        part.known.clone_from(&only.known);
    }
}

/// Makes the folder of a part unknown, unless it does not depend on where it was entered from.
pub(super) fn unplace(part: &mut Part) {
    part.turns.iter_mut().for_each(unplace);
    unplace_here(part);
}

/// As [`unplace`], without the turns.
pub(super) fn unplace_here(part: &mut Part) {
    if !fixed(part) {
        part.cwd = None;
        part.cwd_unknown = true;
    }
}
