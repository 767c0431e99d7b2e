//! Counting and notes, call by call, as the spec's ladder page tells them.

use super::*;
use crate::call::Agent;
use crate::envelope::Vote;
use crate::state::{Fold, Past};

/// Runs one call through the ladder and returns the ledger lines without their prefix.
struct Bench {
    memory: Memory,
    cx: Context,
    calls: u32,
    last: Envelope,
}

impl Bench {
    fn new() -> Self {
        Self { memory: Memory::default(), cx: Context::default(), calls: 0, last: Envelope::default() }
    }

    fn run(&mut self, event: EventKind, change: impl FnOnce(&mut Envelope)) -> Vec<String> {
        self.calls += 1;
        let mut envelope = Envelope {
            call: Call {
                event,
                agent: Agent { kind: "claude".into(), id: "main".into(), ..Agent::default() },
                session: "s".into(),
                id: format!("call-{}", self.calls),
                tool: "Bash".into(),
                ..Call::default()
            },
            ..Envelope::default()
        };
        change(&mut envelope);
        assert_eq!(Ladder.run(&mut envelope, &self.cx, &mut self.memory), Ok(()));
        self.last = envelope;
        let prefix = "hook-dsh-tool-coach: ";
        let lines = self.last.effects.iter().filter(|effect| effect.action == "tool_coach_line");
        let lines = lines.filter_map(|effect| effect.extra.get::<String>("line"));
        lines.map(|line| line.strip_prefix(prefix).map_or(line.clone(), str::to_owned)).collect()
    }

    fn read(&mut self) -> Vec<String> {
        self.run(EventKind::PostTool, |envelope| envelope.findings.push(found("read", "cat/file", "read")))
    }

    fn clean(&mut self) -> Vec<String> {
        self.run(EventKind::PostTool, |_| {})
    }
}

fn found(class: &str, rule: &str, offer: &str) -> Finding {
    Finding { by: "classify".into(), class: class.into(), rule: rule.into(), offer: offer.into(), ..Finding::default() }
}

#[test]
fn the_fourth_read_brings_the_note_and_the_line_of_battery_r2() {
    let mut bench = Bench::new();
    for _ in 0..3 {
        assert_eq!(bench.read(), ["offense bash read cat/file"]);
        assert!(bench.last.notes.is_empty());
    }
    assert_eq!(bench.read(), ["offense bash read cat/file", "strike 4/3 bash read -> note read"]);
    let note = &bench.last.notes[0];
    assert_eq!(
        note.text,
        "4 of your latest bash calls were a plain read that a dedicated tool does better (now: cat/file). \
         Use Read for it: give it `file_path`, and `offset` and `limit` for a part of a long file."
    );
    assert_eq!(note.once, "ladder/note/main/1");
    assert_eq!(note.source.get::<String>("summary").as_deref(), Some("bash read × 4"));
}

#[test]
fn battery_r3_suppresses_until_the_cooldown_is_over_and_caps_at_the_window() {
    let mut bench = Bench::new();
    let mut lines = vec![String::new()];
    for _ in 1..=14 {
        lines.push(bench.read().get(1).cloned().unwrap_or_default());
    }
    assert_eq!(lines[4], "strike 4/3 bash read -> note read");
    assert_eq!(lines[7], "");
    for (call, strikes) in [(8, 4), (9, 5), (10, 6), (11, 7), (12, 8), (13, 8)] {
        assert_eq!(lines[call], format!("cooldown suppressed {strikes} bash read"));
    }
    assert_eq!(lines[14], "strike 8/3 bash read -> note read");
    assert_eq!(bench.last.notes[0].once, "ladder/note/main/2");
}

#[test]
fn the_highest_class_of_a_call_is_its_one_offense() {
    let mut bench = Bench::new();
    let lines = bench.run(EventKind::PostTool, |envelope| {
        envelope.findings.push(found("danger", "git/force-push", ""));
        envelope.findings.push(found("search", "grep/files", "grep"));
        envelope.findings.push(found("write", "sed/in-place", "edit"));
        envelope.findings.push(found("write", "tee/file", "write"));
    });
    assert_eq!(lines, ["offense bash write sed/in-place"]);
}

#[test]
fn clean_calls_push_old_strikes_out_of_the_window() {
    let mut bench = Bench::new();
    for _ in 0..3 {
        bench.read();
    }
    for _ in 0..6 {
        assert!(bench.clean().is_empty());
    }
    assert_eq!(bench.read(), ["offense bash read cat/file"]);
}

#[test]
fn a_new_message_clears_strikes_but_a_task_notification_does_not() {
    let mut bench = Bench::new();
    for _ in 0..3 {
        bench.read();
    }
    bench.run(EventKind::Prompt, |envelope| envelope.call.prompt = "<task-notification> done".into());
    bench.run(EventKind::Prompt, |envelope| envelope.call.prompt = "  ".into());
    assert!(bench.last.events.is_empty());
    bench.run(EventKind::Prompt, |envelope| envelope.call.prompt = "now the tests".into());
    assert_eq!(bench.last.events.len(), 1);
    assert_eq!(bench.read(), ["offense bash read cat/file"]);
}

#[test]
fn a_call_that_another_stage_denied_is_counted_before_it_runs() {
    let mut bench = Bench::new();
    let before = |envelope: &mut Envelope| envelope.findings.push(found("read", "cat/file", "read"));
    assert!(bench.run(EventKind::PreTool, before).is_empty());
    let denied = |envelope: &mut Envelope| {
        before(envelope);
        envelope.votes.push(Vote { say: Verdict::Deny, ..Vote::default() });
    };
    assert_eq!(bench.run(EventKind::PreTool, denied), ["offense bash read cat/file"]);
    assert_eq!(bench.last.events[0].once, "judged/pre_tool/call-2");
}

#[test]
fn a_repeated_hook_counts_once() {
    let mut bench = Bench::new();
    bench.read();
    let again = bench.run(EventKind::PostTool, |envelope| {
        envelope.call.id = "call-1".into();
        envelope.findings.push(found("read", "cat/file", "read"));
    });
    assert!(again.is_empty());
    let known = bench.run(EventKind::PostTool, |envelope| {
        envelope.facts.repeated = true;
        envelope.findings.push(found("read", "cat/file", "read"));
    });
    assert!(known.is_empty());
}

#[test]
fn other_tools_and_other_agents_do_not_count() {
    let mut bench = Bench::new();
    for _ in 0..3 {
        bench.read();
    }
    let other = bench.run(EventKind::PostTool, |envelope| {
        envelope.call.tool = "Read".into();
        envelope.findings.push(found("read", "cat/file", "read"));
    });
    assert!(other.is_empty());
    let sub = bench.run(EventKind::PostTool, |envelope| {
        envelope.call.agent.id = "a1".into();
        envelope.findings.push(found("read", "cat/file", "read"));
    });
    assert_eq!(sub, ["offense bash read cat/file"]);
    assert_eq!(bench.read().len(), 2);
}

#[test]
fn switched_off_it_writes_one_line_per_session() {
    let mut bench = Bench::new();
    bench.cx.config.ladder.enabled = false.into();
    assert_eq!(bench.read(), ["disabled (enabled=false)"]);
    assert!(bench.read().is_empty());
}

#[test]
fn folding_a_log_gives_the_chain_that_the_stream_had() {
    let mut bench = Bench::new();
    let mut state = State::default();
    for _ in 0..7 {
        bench.read();
        for event in &bench.last.events {
            state.fold(&Past::from(event));
        }
    }
    let chain = state.chain("main").cloned().unwrap_or_default();
    assert_eq!((chain.calls.as_str(), chain.since_note, chain.notes), ("rrr", Some(3), 1));
}
