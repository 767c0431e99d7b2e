//! What is due: a request, a reminder, a document. Pure; the pane is asked for only if it would change this.

use super::facts::Facts;
use super::quote::millis;
use super::{HandoffConfig, Kind};
use crate::call::{Call, EventKind};

/// Modes in which a forced handoff would spoil the work.
const THINKING: &[&str] = &["plan", "review", "fix"];
/// Bullets that clients put before what an agent says.
const BULLETS: &[char] = &['\u{23fa}', '\u{25cf}', '\u{2022}'];

/// What is due on one event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The agent is asked to wrap up.
    pub ask: bool,
    /// A reminder goes into the inbox.
    pub remind: bool,
    /// Document and queue file are written.
    pub write: Option<Kind>,
    /// The record says that a handoff of this kind is on its way.
    pub mark: Option<Kind>,
    /// The pane decides whether the agent has wrapped up.
    waits: bool,
}

/// Whether the pane would change what is due, or stands in what is written.
pub fn wants_pane(call: &Call, now: i64, facts: &Facts, config: &HandoffConfig) -> bool {
    let plan = plan(call, now, facts, config);
    !facts.record.tmux.is_empty() && (plan.waits || plan.write.is_some())
}

/// What is due.
pub fn plan(call: &Call, now: i64, facts: &Facts, config: &HandoffConfig) -> Plan {
    let mut plan = Plan::default();
    if !facts.no_record.is_empty() {
        return plan;
    }
    let pct = facts.pct.unwrap_or(0.0);
    let (yellow, red) = (pct >= f64::from(*config.yellow), pct >= f64::from(*config.red));
    if THINKING.contains(&facts.record.mode.as_str()) {
        let below = facts.record.pct.is_none_or(|before| before < f64::from(*config.yellow));
        plan.remind = call.event == EventKind::Stop && yellow && below;
        return plan;
    }
    let kind = match call.event {
        EventKind::PreCompact => Kind::Precompact,
        EventKind::Stop if red => Kind::Red,
        EventKind::Stop if yellow => Kind::Yellow,
        _ => return plan,
    };
    let carried = facts.record.kind;
    // A yellow mark in the record is a request; that a document followed, only the journal knows.
    let done = [carried.filter(|kind| *kind != Kind::Yellow), facts.written].into_iter().flatten();
    if facts.queued || done.map(Kind::weight).max() >= Some(kind.weight()) {
        // A hook that was killed between queue and record: the record follows.
        plan.mark = Some(kind).filter(|kind| carried.map(Kind::weight) < Some(kind.weight()));
        return plan;
    }
    if kind != Kind::Yellow {
        (plan.write, plan.mark) = (Some(kind), Some(kind));
        return plan;
    }
    match (carried, millis(&facts.record.kind_at)) {
        (Some(Kind::Yellow), asked_at) => {
            plan.waits = facts.pane.is_none();
            let patience = i64::from(*config.reask_minutes) * 60_000;
            if facts.pane.as_deref().is_some_and(has_milestone) {
                plan.write = Some(Kind::Yellow);
            } else if !call.stop_active && asked_at.is_none_or(|at| now - at >= patience) {
                (plan.ask, plan.mark) = (true, Some(Kind::Yellow));
            }
        }
        _ => (plan.ask, plan.mark) = (true, Some(Kind::Yellow)),
    }
    plan
}

/// Whether `MILESTONE` stands alone on a line, behind a client's bullet at most.
fn has_milestone(pane: &str) -> bool {
    let bare = |line: &str| {
        line.trim_matches(|letter: char| letter.is_whitespace() || BULLETS.contains(&letter)) == "MILESTONE"
    };
    pane.lines().any(bare)
}

/// Key of the request that is due: one for every time that the record says it was made before.
pub fn ask_key(facts: &Facts) -> String {
    let before = facts.record.kind.map_or("", |_| facts.record.kind_at.as_str());
    format!("ask/{}/{}/{before}", facts.agent, facts.record.spawned_at)
}
