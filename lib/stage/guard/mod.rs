//! kz-guard: votes on a call before it runs, by the danger rules, what could not be read, and the mode.
//!
//! It reads what `classify` found and looks nothing up in the shell itself; [`modes`] compares
//! the paths that the source found with what the mode lets write. [`coordinator`] is one more voter
//! where it is on, and the only one in a pipeline that asks for that.

pub mod coordinator;
mod danger;
mod modes;
mod shield;
#[cfg(test)]
mod tests;

pub use modes::writable_glob;

use super::{Context, Memory, Spec, Stage};
use crate::call::{Call, EventKind};
use crate::envelope::{Envelope, Facts, Fault, Verdict, Vote};
use crate::state::Session;
use crate::world::World;
use serde_json::value::RawValue;

/// Votes by danger rules and modes.
#[derive(Debug)]
pub struct Guard;

static SPEC: Spec = Spec {
    name: "guard",
    about: "vote on a call by danger rules, what could not be read, the mode's writable paths, and the coordinator's policy",
    events: &[EventKind::PreTool, EventKind::Permission],
    reads: &[
        "findings",
        "call.paths",
        "call.shell",
        "call.unattended",
        "facts.mode",
        "facts.home",
        "facts.shield",
        "facts.session.guard",
    ],
    writes: &["votes", "faults"],
    config: &[
        "guard.rules",
        "guard.opaque",
        "guard.bounds",
        "guard.ask_when_unattended",
        "mode.default",
        "mode.opaque",
        "modes",
        "coordinator",
    ],
};

impl Stage for Guard {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn voices(&self) -> &'static [&'static str] {
        &[coordinator::NAME]
    }

    fn only(&self, voice: &str) -> Option<&'static dyn Stage> {
        (voice == coordinator::NAME).then_some(&Coordinator as &dyn Stage)
    }

    fn gather(
        &self,
        call: &Call,
        _so_far: &Facts,
        _session: &Session,
        cx: &Context,
        world: &dyn World,
    ) -> Result<Option<Box<RawValue>>, Fault> {
        Ok(coordinator::facts(call, cx, world))
    }

    fn run(&self, envelope: &mut Envelope, cx: &Context, _memory: &mut Memory) -> Result<(), Fault> {
        if SPEC.events.contains(&envelope.call.event) {
            danger::vote(envelope, cx);
            modes::vote(envelope, cx);
            shield::vote(envelope, cx);
            coordinator::vote(envelope, cx);
        }
        Ok(())
    }
}

/// The guard with the coordinator's voice alone. What it needs of the world the guard gathers.
#[derive(Debug)]
struct Coordinator;

impl Stage for Coordinator {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, envelope: &mut Envelope, cx: &Context, _memory: &mut Memory) -> Result<(), Fault> {
        if SPEC.events.contains(&envelope.call.event) {
            coordinator::vote(envelope, cx);
        }
        Ok(())
    }
}

/// Casts a vote. The one place where `ask` becomes what it means when nobody can answer.
fn cast(envelope: &mut Envelope, cx: &Context, mut vote: Vote) {
    if vote.say == Verdict::Ask && envelope.call.unattended {
        vote.say = *cx.config.guard.ask_when_unattended;
    }
    if vote.say > Verdict::Approve {
        vote.by = SPEC.name.into();
        envelope.votes.push(vote);
    }
}
