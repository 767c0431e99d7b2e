//! The ladder: counts terminal calls that a dedicated tool does better, and says so once it
//! has become a habit (seed 001, tool-coach; decided in the spec's ladder page).
//!
//! Tier 0 is a ledger line per offense, tier 1 a note when a class passes its threshold, tier 2 a
//! standing section, tier 3 a denial. What is an offense, `classify` has said already: a finding
//! with an `offer`.

mod desk;
mod judge;
mod rewrite;
mod state;
mod text;
mod tools;

pub use state::{Chain, REMEMBERED, State};
pub use text::PLACEHOLDERS;
pub use tools::{Known, told_tools};

use super::classify::CATCH_ALL;
use super::{Context, Memory, Spec, Stage};
use crate::call::{Call, EventKind, Tool, canonical_tool};
use crate::envelope::{Envelope, Extra, Facts, Fault, Finding, Verdict};
use crate::state::Session;
use crate::world::World;
use desk::Desk;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The stage.
#[derive(Debug)]
pub struct Ladder;

static SPEC: Spec = Spec {
    name: "ladder",
    about: "count terminal calls that a dedicated tool does better, and teach it when it becomes a habit",
    events: &[
        EventKind::PreTool,
        EventKind::PostTool,
        EventKind::Prompt,
        EventKind::SessionStart,
        EventKind::ToolsChange,
        EventKind::Other,
    ],
    reads: &["call", "findings", "votes", "facts.session.ladder"],
    writes: &["events", "votes", "notes", "effects"],
    config: &["ladder"],
};

/// What the source brings.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Given {
    #[serde(skip_serializing_if = "Option::is_none")]
    chain: Option<Chain>,
    #[serde(skip_serializing_if = "is_default")]
    known: Known,
    /// What the catalogue says now: its tools, or why it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    fetched: Option<Result<Vec<Tool>, String>>,
}

fn is_default(known: &Known) -> bool {
    *known == Known::default()
}

impl Stage for Ladder {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn gather(
        &self,
        call: &Call,
        _: &Facts,
        session: &Session,
        cx: &Context,
        world: &dyn World,
    ) -> Result<Option<Box<RawValue>>, Fault> {
        if !SPEC.events.contains(&call.event) || call.event == EventKind::Other && !is_switch(call) {
            return Ok(None);
        }
        let given = Given {
            chain: session.ladder.chain(&call.agent.id).cloned(),
            known: session.ladder.known().clone(),
            fetched: tools::fetch(call, cx, world),
        };
        if given.chain.is_none() && given.fetched.is_none() && given.known == Known::default() {
            return Ok(None);
        }
        Ok(serde_json::value::to_raw_value(&given).ok())
    }

    fn run(&self, envelope: &mut Envelope, cx: &Context, memory: &mut Memory) -> Result<(), Fault> {
        let call = &envelope.call;
        let config = &cx.config.ladder;
        if !SPEC.events.contains(&call.event) || call.event == EventKind::Other && !is_switch(call) {
            return Ok(());
        }
        let given: Given = envelope.facts.session.get(SPEC.name).unwrap_or_default();
        let known = memory.slot("ladder/tools", &call.session, || given.known).clone();
        let name = format!("{}\n{}", call.session, call.agent.id);
        let chain = memory.slot(SPEC.name, &name, || given.chain.unwrap_or_default());
        let mut desk = Desk::new(call, config, chain, known);
        let judged = config.judge_tools.iter().any(|tool| tool == canonical_tool(&call.tool));
        if !*config.enabled {
            if judged && !desk.known.disabled_told && call.event == EventKind::PostTool {
                desk.event("disabled", "ladder/disabled/1", &[]);
                desk.line("disabled (enabled=false)", "ladder/disabled/1");
            }
        } else {
            let new = !envelope.facts.repeated && desk.chain.is_new_call(&desk.judged_key());
            match call.event {
                EventKind::PreTool if new => {
                    let denied = envelope.votes.iter().any(|vote| vote.say == Verdict::Deny);
                    judge::before(&mut desk, &envelope.findings, judged, denied, !envelope.facts.allowed.is_empty());
                }
                EventKind::PostTool if new => judge::after(&mut desk, &envelope.findings, judged),
                EventKind::PreTool | EventKind::PostTool => {}
                _ => between(&mut desk, given.fetched),
            }
        }
        let (mut events, mut notes, mut votes, mut effects, known) = desk.close();
        *memory.slot("ladder/tools", &envelope.call.session, Known::default) = known;
        envelope.events.append(&mut events);
        envelope.notes.append(&mut notes);
        envelope.votes.append(&mut votes);
        envelope.effects.append(&mut effects);
        Ok(())
    }
}

/// Around no tool call: a session or prompt begins, the tools or the model are others.
fn between(desk: &mut Desk, fetched: Option<Result<Vec<Tool>, String>>) {
    learn(desk, fetched);
    if desk.call.event == EventKind::Prompt && is_new_message(desk.call) && desk.chain.has_strikes() {
        desk.event("prompt", "", &[]);
    }
    desk.renew_section(desk.call.event == EventKind::ToolsChange);
    if matches!(desk.call.event, EventKind::Prompt | EventKind::SessionStart) {
        desk.say_section("");
    }
}

/// Keeps in mind what is told of the session's tools, if it is new.
fn learn(desk: &mut Desk, fetched: Option<Result<Vec<Tool>, String>>) {
    let told = if desk.call.tools.is_empty() { fetched } else { Some(Ok(desk.call.tools.clone())) };
    match told {
        Some(Ok(tools)) if desk.known.tools != tools => {
            let mut extra = Extra::default();
            extra.set("tools", &tools);
            desk.push("tools", "", extra);
        }
        Some(Err(why)) if !desk.known.failed => {
            desk.event("tools_failed", "", &[("why", &why)]);
        }
        _ => {}
    }
}

fn is_switch(call: &Call) -> bool {
    call.host_event == "PostModelSwitch"
}

/// Not every prompt event is a new message of the user (spec, *Counting*).
fn is_new_message(call: &Call) -> bool {
    !call.prompt.trim().is_empty()
        && !call.prompt.starts_with("<task-notification>")
        && matches!(call.source.as_str(), "" | "user" | "sdk")
}

/// What ledger lines call the pattern of a finding.
fn pattern(found: &Finding) -> &str {
    if found.rule == CATCH_ALL { "<catch-all>" } else { &found.rule }
}

#[cfg(test)]
mod tests;
