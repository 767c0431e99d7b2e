//! kz-guard: votes on a call before it runs, by the danger rules, what could not be read, and the mode.
//!
//! It reads what `classify` found and looks nothing up in the shell itself; [`modes`] compares
//! the paths that the source found with what the mode lets write.

mod danger;
mod modes;
mod shield;
#[cfg(test)]
mod tests;

pub use modes::writable_glob;

use super::{Context, Memory, Spec, Stage};
use crate::call::EventKind;
use crate::envelope::{Envelope, Fault, Verdict, Vote};

/// Votes by danger rules and modes.
#[derive(Debug)]
pub struct Guard;

static SPEC: Spec = Spec {
    name: "guard",
    about: "vote on a call by danger rules, by what could not be read, and by the mode's writable paths",
    events: &[EventKind::PreTool, EventKind::Permission],
    reads: &["findings", "call.paths", "call.unattended", "facts.mode", "facts.home", "facts.shield"],
    writes: &["votes"],
    config: &[
        "guard.rules",
        "guard.opaque",
        "guard.bounds",
        "guard.ask_when_unattended",
        "mode.default",
        "mode.opaque",
        "modes",
    ],
};

impl Stage for Guard {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, envelope: &mut Envelope, cx: &Context, _memory: &mut Memory) -> Result<(), Fault> {
        if SPEC.events.contains(&envelope.call.event) {
            danger::vote(envelope, cx);
            modes::vote(envelope, cx);
            shield::vote(envelope, cx);
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
