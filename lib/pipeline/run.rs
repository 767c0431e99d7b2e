//! The fused loop: one stage over one envelope, with its failures caught.

use crate::envelope::{Envelope, Fault};
use crate::stage::{Context, Memory, Stage};
use crate::text::panic_message;
use serde::Serialize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// What `KZ_TRACE=1` shows: one JSON line per stage.
#[derive(Debug, Default)]
pub struct Trace {
    /// Whether lines are collected.
    pub on: bool,
    /// The lines so far.
    pub lines: Vec<String>,
}

#[derive(Serialize)]
struct Row<'a> {
    stage: &'a str,
    us: u128,
    added: Added<'a>,
}

#[derive(Serialize)]
struct Added<'a> {
    findings: &'a [crate::envelope::Finding],
    votes: &'a [crate::envelope::Vote],
    notes: &'a [crate::envelope::Note],
    events: &'a [crate::envelope::Event],
    effects: &'a [crate::envelope::Effect],
    faults: &'a [Fault],
}

/// How long the lists are, to see what a stage appended and to take a panicking stage's half back.
#[derive(Clone, Copy)]
struct Lengths {
    findings: usize,
    votes: usize,
    notes: usize,
    events: usize,
    effects: usize,
    faults: usize,
}

impl Lengths {
    fn of(envelope: &Envelope) -> Self {
        Self {
            findings: envelope.findings.len(),
            votes: envelope.votes.len(),
            notes: envelope.notes.len(),
            events: envelope.events.len(),
            effects: envelope.effects.len(),
            faults: envelope.faults.len(),
        }
    }
}

impl Trace {
    /// Reads `KZ_TRACE` from the world.
    pub fn from_env(world: &dyn crate::world::World) -> Self {
        Self { on: world.env("KZ_TRACE").is_some_and(|value| value != "0"), lines: Vec::new() }
    }

    fn row(&mut self, stage: &str, start: Instant, before: Lengths, envelope: &Envelope) {
        let row = Row {
            stage,
            us: start.elapsed().as_micros(),
            added: Added {
                findings: envelope.findings.get(before.findings..).unwrap_or_default(),
                votes: envelope.votes.get(before.votes..).unwrap_or_default(),
                notes: envelope.notes.get(before.notes..).unwrap_or_default(),
                events: envelope.events.get(before.events..).unwrap_or_default(),
                effects: envelope.effects.get(before.effects..).unwrap_or_default(),
                faults: envelope.faults.get(before.faults..).unwrap_or_default(),
            },
        };
        self.lines.extend(serde_json::to_string(&row));
    }
}

/// Runs one stage. An error or a panic becomes a fault of that stage; what a panicking stage had
/// appended is taken back. `closed` marks its failures as stopping the call.
pub fn run_stage(
    stage: &dyn Stage,
    envelope: &mut Envelope,
    cx: &Context,
    memory: &mut Memory,
    trace: &mut Trace,
    closed: bool,
) {
    let name = stage.spec().name;
    if !stage.spec().events.contains(&envelope.call.event) {
        return;
    }
    let start = Instant::now();
    let before = Lengths::of(envelope);
    let fault = match catch_unwind(AssertUnwindSafe(|| stage.run(envelope, cx, memory))) {
        Ok(Ok(())) => None,
        Ok(Err(fault)) => Some(fault),
        Err(panic) => {
            envelope.findings.truncate(before.findings);
            envelope.votes.truncate(before.votes);
            envelope.notes.truncate(before.notes);
            envelope.events.truncate(before.events);
            envelope.effects.truncate(before.effects);
            envelope.faults.truncate(before.faults);
            let text = format!("stage {name} panicked ({})", panic_message(&*panic));
            Some(Fault { by: name.into(), kind: "panic".into(), text, ..Fault::default() })
        }
    };
    if let Some(fault) = fault {
        let stops = fault.closed || closed;
        envelope.faults.push(Fault { closed: stops, ..fault });
    }
    if trace.on {
        trace.row(name, start, before, envelope);
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::panic, reason = "a stage that panics is what is tested")]
    use super::*;
    use crate::call::EventKind;
    use crate::envelope::{Finding, Vote};
    use crate::stage::Spec;

    struct Breaks;

    static SPEC: Spec =
        Spec { name: "breaks", about: "", events: &[EventKind::PreTool], reads: &[], writes: &[], config: &[] };

    impl Stage for Breaks {
        fn spec(&self) -> &'static Spec {
            &SPEC
        }
        fn run(&self, envelope: &mut Envelope, _: &Context, _: &mut Memory) -> Result<(), Fault> {
            envelope.votes.push(Vote::default());
            panic!("half way");
        }
    }

    #[test]
    fn a_panic_becomes_a_fault_and_leaves_no_half_work() {
        let mut envelope = Envelope::default();
        envelope.call.event = EventKind::PreTool;
        envelope.findings.push(Finding::default());
        let mut trace = Trace { on: true, lines: Vec::new() };
        run_stage(&Breaks, &mut envelope, &Context::default(), &mut Memory::default(), &mut trace, true);
        assert!(envelope.votes.is_empty());
        assert_eq!(envelope.findings.len(), 1);
        assert_eq!(envelope.faults.len(), 1);
        assert!(envelope.faults[0].closed && envelope.faults[0].text.contains("half way"));
        assert!(trace.lines[0].starts_with(r#"{"stage":"breaks","us":"#), "{}", trace.lines[0]);
    }

    #[test]
    fn other_events_pass() {
        let mut envelope = Envelope::default();
        run_stage(&Breaks, &mut envelope, &Context::default(), &mut Memory::default(), &mut Trace::default(), false);
        assert!(envelope.faults.is_empty());
    }
}
