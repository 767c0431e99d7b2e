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

/// A random walk of calls of several agents.
mod laws {
    use super::*;
    use crate::config::Config;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Step {
        Call { agent: u8, class: Option<usize>, denied: bool },
        Prompt { agent: u8 },
        Tool { agent: u8, tool: &'static str },
    }

    const OFFERS: [(&str, &str); 5] =
        [("write", "edit"), ("read", "read"), ("search", "grep"), ("discovery", "glob"), ("control", "task")];

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            12 => (0..3_u8, proptest::option::weighted(0.8, 0..5_usize), proptest::bool::weighted(0.1))
                .prop_map(|(agent, class, denied)| Step::Call { agent, class, denied }),
            1 => (0..3_u8).prop_map(|agent| Step::Prompt { agent }),
            2 => (0..3_u8, prop_oneof![Just("Read"), Just("Grep"), Just("Web")])
                .prop_map(|(agent, tool)| Step::Tool { agent, tool }),
        ]
    }

    fn config() -> impl Strategy<Value = Config> {
        (1..5_u32, 0..6_u32, 1..8_u32, 0..6_u32, 1..8_u32, 1..9_u32, 1..6_u32, 0..3_usize).prop_map(
            |(threshold, window, cooldown, escalate, clean, ttl, enforce_threshold, enforce)| {
                let mut config = Config::default();
                config.ladder.threshold = threshold.into();
                config.ladder.window = (threshold + window).into();
                config.ladder.cooldown = cooldown.into();
                config.ladder.escalate_threshold = (threshold + escalate).into();
                config.ladder.clean_window = clean.into();
                config.ladder.section_ttl = ttl.into();
                config.ladder.enforce_threshold = enforce_threshold.into();
                config.ladder.enforce = ["off", "write", "all"][enforce].to_owned().into();
                config
            },
        )
    }

    fn agent(number: u8) -> &'static str {
        ["main", "a1", "a2"][number as usize]
    }

    /// The envelopes of a step: before the call, and after it if nothing stops it.
    fn take(bench: &mut Bench, at: usize, step: &Step) -> Vec<Envelope> {
        let id = format!("step-{at}");
        let mut out = Vec::new();
        match step {
            Step::Call { agent: number, class, denied } => {
                for event in [EventKind::PreTool, EventKind::PostTool] {
                    bench.run(event, |envelope| {
                        envelope.call.agent.id = agent(*number).into();
                        envelope.call.id.clone_from(&id);
                        if let Some(class) = class {
                            let (class, offer) = OFFERS[*class];
                            envelope.findings.push(found(class, "x/y", offer));
                        }
                        if *denied {
                            envelope.votes.push(Vote { say: Verdict::Deny, ..Vote::default() });
                        }
                    });
                    out.push(bench.last.clone());
                    if bench.last.votes.iter().any(|vote| vote.say == Verdict::Deny) {
                        break;
                    }
                }
            }
            Step::Prompt { agent: number } => {
                bench.run(EventKind::Prompt, |envelope| {
                    envelope.call.agent.id = agent(*number).into();
                    envelope.call.prompt = "go on".into();
                });
                out.push(bench.last.clone());
            }
            Step::Tool { agent: number, tool } => {
                bench.run(EventKind::PostTool, |envelope| {
                    envelope.call.agent.id = agent(*number).into();
                    envelope.call.id.clone_from(&id);
                    envelope.call.tool = (*tool).into();
                });
                out.push(bench.last.clone());
            }
        }
        out
    }

    fn lines(envelope: &Envelope) -> Vec<String> {
        let lines = envelope.effects.iter().filter_map(|effect| effect.extra.get::<String>("line"));
        lines.map(|line| line.trim_start_matches("hook-dsh-tool-coach: ").to_owned()).collect()
    }

    fn of(step: &Step) -> u8 {
        let (Step::Call { agent, .. } | Step::Prompt { agent } | Step::Tool { agent, .. }) = step;
        *agent
    }

    proptest! {
        #[test]
        fn the_ladder_keeps_its_promises(config in config(), steps in proptest::collection::vec(step(), 1..80)) {
            let ladder = config.ladder.clone();
            let mut bench = Bench::new();
            bench.cx.config = config.clone();
            let mut since_note = [None::<u32>; 3];
            let mut state = State::default();
            for (at, step) in steps.iter().enumerate() {
                let envelopes = take(&mut bench, at, step);
                let mine = &mut since_note[of(step) as usize];
                for envelope in &envelopes {
                    for vote in envelope.votes.iter().filter(|vote| vote.by == "ladder") {
                        prop_assert!(!vote.rule.ends_with("discovery") && !vote.rule.ends_with("control"));
                        prop_assert!(ladder.enforces(vote.rule.trim_start_matches("ladder/")));
                    }
                    let judged = envelope.events.iter().filter(|event| event.kind == "judged").count();
                    prop_assert!(judged <= 1);
                    let notes = envelope.notes.iter().filter(|note| note.key != "ladder/section").count();
                    prop_assert!(notes <= 1);
                    *mine = mine.map(|calls| calls + judged as u32);
                    if notes == 1 {
                        prop_assert!(mine.is_none_or(|calls| calls >= *ladder.cooldown), "{:?} {:?}", mine, ladder.cooldown);
                        *mine = Some(0);
                    }
                    // A denial is one call past its note already.
                    if envelope.events.iter().any(|event| event.kind == "denied") {
                        *mine = Some(if notes == 1 { 0 } else { 1 });
                    }
                    for line in lines(envelope) {
                        let number = line.strip_prefix("cooldown suppressed ").or_else(|| line.strip_prefix("strike "));
                        if let Some(number) = number.and_then(|rest| rest.split([' ', '/']).next()) {
                            let strikes: u32 = number.parse().unwrap_or_default();
                            prop_assert!(strikes > *ladder.threshold && strikes <= *ladder.window, "{}", line);
                        }
                    }
                    envelope.events.iter().for_each(|event| state.fold(&Past::from(event)));
                }
            }
            // A stream remembers what the log of the same calls folds to.
            for number in 0..3 {
                let name = format!("s\n{}", agent(number));
                let mut streamed = bench.memory.slot("ladder", &name, Chain::default).clone();
                let mut folded = state.chain(agent(number)).cloned().unwrap_or_default();
                (streamed, folded) = (streamed.without_keys(), folded.without_keys());
                prop_assert_eq!(streamed, folded);
            }
        }

        #[test]
        fn agents_are_independent(config in config(), steps in proptest::collection::vec(step(), 1..60)) {
            let run = |only: Option<u8>| {
                let mut bench = Bench::new();
                bench.cx.config = config.clone();
                let steps = steps.iter().enumerate().filter(|(_, step)| only.is_none_or(|only| of(step) == only));
                let all = steps.flat_map(|(at, step)| {
                    let number = of(step);
                    take(&mut bench, at, step).into_iter().map(move |envelope| (number, lines(&envelope), envelope.notes, envelope.events))
                });
                all.collect::<Vec<_>>()
            };
            let together = run(None);
            for number in 0..3 {
                let mine: Vec<_> = together.iter().filter(|row| row.0 == number).cloned().collect();
                prop_assert_eq!(mine, run(Some(number)));
            }
        }
    }
}
