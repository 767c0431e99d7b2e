//! The ladder: counts terminal calls that a dedicated tool does better, and says so once it
//! has become a habit (seed 001, tool-coach; decided in the spec's ladder page).
//!
//! Tier 0 is a ledger line per offense, tier 1 a note when a class passes its threshold.
//! What is an offense, `classify` has said already: a finding with an `offer`.

mod state;
mod text;

pub use state::{Chain, REMEMBERED, State};
pub use text::PLACEHOLDERS;

use super::{Context, Memory, Spec, Stage};
use crate::call::{Call, EventKind, canonical_tool};
use crate::config::LadderConfig;
use crate::envelope::{Effect, Envelope, Event, Extra, Facts, Fault, Finding, Note, Verdict};
use crate::state::{Fold, Past, Session};
use crate::world::World;
use serde_json::json;
use serde_json::value::RawValue;

/// The stage.
#[derive(Debug)]
pub struct Ladder;

static SPEC: Spec = Spec {
    name: "ladder",
    about: "count terminal calls that a dedicated tool does better, and teach it when it becomes a habit",
    events: &[EventKind::PreTool, EventKind::PostTool, EventKind::Prompt],
    reads: &["call", "findings", "votes", "facts.session.ladder"],
    writes: &["events", "notes", "effects"],
    config: &["ladder"],
};

impl Stage for Ladder {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn gather(
        &self,
        call: &Call,
        _: &Facts,
        session: &Session,
        _: &Context,
        _: &dyn World,
    ) -> Result<Option<Box<RawValue>>, Fault> {
        if !SPEC.events.contains(&call.event) {
            return Ok(None);
        }
        Ok(session.ladder.chain(&call.agent.id).and_then(|chain| serde_json::value::to_raw_value(chain).ok()))
    }

    fn run(&self, envelope: &mut Envelope, cx: &Context, memory: &mut Memory) -> Result<(), Fault> {
        let call = &envelope.call;
        let config = &cx.config.ladder;
        let agent = call.agent.id.clone();
        let judged = config.judge_tools.iter().any(|tool| tool == canonical_tool(&call.tool));
        let denied = envelope.votes.iter().any(|vote| vote.say == Verdict::Deny);
        let counts = judged
            && match call.event {
                EventKind::PostTool => true,
                // No after-call hook will come for a call that is stopped here.
                EventKind::PreTool => denied,
                _ => false,
            };
        let resets = call.event == EventKind::Prompt && is_new_message(call);
        if !counts && !resets {
            return Ok(());
        }
        let facts = &envelope.facts.session;
        let chain = memory.slot("ladder", &format!("{}\n{agent}", call.session), || {
            facts.get::<Chain>(SPEC.name).unwrap_or_default()
        });
        let mut add = Additions { agent, call_id: call.id.clone(), event: call.event, ..Additions::default() };
        if resets {
            if chain.has_strikes() {
                add.event("prompt", "", &[]);
            }
        } else if !*config.enabled {
            if !chain.disabled_told {
                add.event("disabled", "ladder/disabled/1", &[]);
                add.line(config, "disabled (enabled=false)", "ladder/disabled/1");
            }
        } else if !envelope.facts.repeated && chain.is_new_call(&add.judged_key()) {
            judge(chain, call, &envelope.findings, config, &mut add);
        }
        for event in &add.events {
            chain.fold(&Past::from(event));
        }
        envelope.events.append(&mut add.events);
        envelope.notes.append(&mut add.notes);
        envelope.effects.append(&mut add.effects);
        Ok(())
    }
}

/// Not every prompt event is a new message of the user (spec, *Counting*).
fn is_new_message(call: &Call) -> bool {
    !call.prompt.trim().is_empty()
        && !call.prompt.starts_with("<task-notification>")
        && matches!(call.source.as_str(), "" | "user" | "sdk")
}

/// Classes of offenses, strictest first; a judged call has at most one.
const CLASSES: [&str; 5] = ["write", "read", "search", "discovery", "control"];

fn offense(findings: &[Finding]) -> Option<&Finding> {
    let rank = |finding: &&Finding| CLASSES.iter().position(|class| *class == finding.class);
    findings.iter().filter(|finding| !finding.offer.is_empty() && rank(finding).is_some()).min_by_key(rank)
}

fn judge(chain: &Chain, call: &Call, findings: &[Finding], config: &LadderConfig, add: &mut Additions) {
    let judged_key = add.judged_key();
    let Some(found) = offense(findings) else {
        add.event("judged", &judged_key, &[]);
        return;
    };
    let (tool, class, rule, offer) = (canonical_tool(&call.tool), &found.class, &found.rule, &found.offer);
    add.event("judged", &judged_key, &[("class", class), ("pattern", rule)]);
    add.line(config, &format!("offense {tool} {class} {rule}"), &judged_key);
    add.ledger(&json!({"kind": "offense", "tool": tool, "class": class, "rule": rule}), &judged_key);

    let strikes = chain.strikes_with(class, *config.window);
    if strikes <= *config.threshold {
        return;
    }
    if !chain.is_cool_with_one_more(*config.cooldown) {
        add.line(config, &format!("cooldown suppressed {strikes} {tool} {class}"), &judged_key);
        return;
    }
    let note_key = format!("ladder/note/{}/{}", add.agent, chain.notes + 1);
    add.event("note", &note_key, &[("class", class), ("offer", offer)]);
    add.line(config, &format!("strike {strikes}/{} {tool} {class} -> note {offer}", *config.threshold), &note_key);
    add.ledger(&json!({"kind": "note", "tool": tool, "class": class, "rule": rule, "offer": offer}), &note_key);
    let mut source = Extra::default();
    source.set("kind", "tool-coach");
    source.set("form", "notice");
    source.set("summary", &format!("{tool} {class} × {strikes}"));
    add.notes.push(Note {
        by: SPEC.name.into(),
        key: format!("ladder/{class}"),
        to: "agent".into(),
        text: text::first(call, found, strikes, config),
        once: note_key,
        source,
        ..Note::default()
    });
}

/// What this call adds to the envelope.
#[derive(Default)]
struct Additions {
    agent: String,
    call_id: String,
    event: EventKind,
    events: Vec<Event>,
    notes: Vec<Note>,
    effects: Vec<Effect>,
}

impl Additions {
    /// A hook that runs twice for one call counts once; a call without an id cannot be told apart.
    fn judged_key(&self) -> String {
        if self.call_id.is_empty() {
            return String::new();
        }
        format!("judged/{}/{}", self.event.word(), self.call_id)
    }

    fn event(&mut self, kind: &str, once: &str, fields: &[(&str, &String)]) {
        let mut event = Event {
            by: SPEC.name.into(),
            kind: kind.into(),
            agent: self.agent.clone(),
            once: once.into(),
            ..Event::default()
        };
        for (key, value) in fields {
            event.extra.set(key, value);
        }
        self.events.push(event);
    }

    fn line(&mut self, config: &LadderConfig, line: &str, once: &str) {
        if !*config.log {
            return;
        }
        self.effect("tool_coach_line", once).extra.set("line", &format!("{}{line}", *config.ledger_prefix));
    }

    fn ledger(&mut self, row: &serde_json::Value, once: &str) {
        self.effect("ledger", once).extra.set("row", row);
    }

    fn effect(&mut self, action: &str, once: &str) -> &mut Effect {
        self.effects.push(Effect {
            by: SPEC.name.into(),
            action: action.into(),
            once: once.into(),
            ..Effect::default()
        });
        let last = self.effects.len() - 1;
        &mut self.effects[last]
    }
}

#[cfg(test)]
mod tests;
