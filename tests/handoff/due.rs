//! What is due when: thresholds, once per crossing, modes.

use super::*;

#[test]
fn green_keeps_the_health_record_and_nothing_else() {
    let fleet = Fleet::new();
    fleet.full(40);
    assert_eq!(fleet.stop(), "");
    let record = fleet.record();
    let want = json!({"context_pct": 20.0, "context_source": "transcript", "needs_input": true, "inbox_pending": false,
        "last_activity_ts": "2025-11-30T14:19:05Z"});
    for (key, value) in want.as_object().unwrap() {
        assert_eq!(record[key], *value, "{key}");
    }
    assert!(record.get("handoff_type").is_none() && fleet.names("handoffs").is_empty());
    fleet.fire("UserPromptSubmit", json!({"prompt": "go on"}));
    assert_eq!(fleet.record()["needs_input"], false);
}

#[test]
fn yellow_asks_once_and_again_when_half_an_hour_is_over() {
    let mut fleet = Fleet::new();
    fleet.full(100);
    let said = fleet.stop();
    assert!(said.starts_with("HANDOFF REQUESTED") && said.ends_with("[kz handoff/request]"), "{said}");
    assert!(said.lines().all(|line| line.trim() != "MILESTONE"));
    let record = fleet.record();
    assert_eq!(
        (&record["handoff_type"], &record["handoff_type_at"]),
        (&json!("auto-yellow"), &json!("2025-11-30T14:19:05Z"))
    );
    fleet.later(29);
    assert_eq!(fleet.stop(), "");
    fleet.later(1);
    assert!(fleet.stop().starts_with("HANDOFF REQUESTED"));
    assert_eq!(fleet.record()["handoff_type_at"], "2025-11-30T14:49:05Z");
    fleet.set("handoff_type_at", Value::Null);
    assert!(fleet.stop().starts_with("HANDOFF REQUESTED"), "a record that does not say when");
    assert!(fleet.names("handoffs").is_empty() && fleet.names("queue").is_empty());
}

#[test]
fn a_milestone_on_a_line_of_its_own_brings_the_document_once() {
    let mut fleet = Fleet::new();
    fleet.full(100);
    fleet.tmux("no MILESTONE here\n");
    assert!(reason(&fleet.with_tmux("Stop", json!({}))).starts_with("HANDOFF"));
    assert_eq!(fleet.tmux_calls(), "", "the first request does not need the pane");
    fleet.with_tmux("Stop", json!({}));
    assert_eq!(fleet.tmux_calls(), "capture-pane -t fleet-a1b2c3d4 -p\n");
    assert!(fleet.names("queue").is_empty());
    fleet.tmux("done\n  MILESTONE  \n> \n");
    fleet.with_tmux("Stop", json!({}));
    assert_eq!((fleet.names("handoffs").len(), fleet.names("queue").len()), (1, 1));
    let document = fleet.read(&format!("handoffs/{}", fleet.names("handoffs")[0]));
    assert!(
        document.contains("handoff_type: \"auto-yellow\"\n")
            && document.contains("\n## Completed\n```\ndone\n  MILESTONE")
    );
    // Drained; the word is still on the screen.
    std::fs::remove_file(fleet.path("queue/spawn-fresh-a1b2c3d4.json")).unwrap();
    fleet.later(45);
    assert!(fleet.with_tmux("Stop", json!({})).stdout.is_empty());
    assert!(fleet.names("queue").is_empty(), "once per crossing");
    // Red is stronger.
    fleet.full(150);
    fleet.with_tmux("Stop", json!({}));
    assert_eq!(fleet.names("queue").len(), 1);
}

#[test]
fn precompact_writes_at_any_level_and_says_nothing() {
    let fleet = Fleet::new();
    fleet.full(10);
    assert!(fleet.fire("PreCompact", json!({"trigger": "auto", "custom_instructions": null})).stdout.is_empty());
    let record = fleet.record();
    assert_eq!((&record["handoff_type"], &record["context_pct"]), (&json!("precompact"), &json!(5.0)));
    assert_eq!((fleet.names("handoffs").len(), fleet.names("queue").len()), (1, 1));
    fleet.fire("PreCompact", json!({"trigger": "auto"}));
    fleet.full(190);
    fleet.stop();
    assert_eq!(fleet.names("handoffs").len(), 1, "one handoff is on its way");
    let fleet = Fleet::new();
    fleet.fire("PreCompact", json!({"trigger": "manual"}));
    assert!(fleet.read(&format!("handoffs/{}", fleet.names("handoffs")[0])).contains("context_pct_at_handoff: null\n"));
}

#[test]
fn an_active_stop_hook_hears_nothing_twice() {
    let mut fleet = Fleet::new();
    fleet.full(100);
    assert!(fleet.stop().starts_with("HANDOFF REQUESTED"));
    for minutes in [0, 31, 61] {
        fleet.later(minutes);
        assert!(fleet.fire("Stop", json!({"stop_hook_active": true})).stdout.is_empty(), "{minutes}");
    }
    assert!(fleet.fire("Stop", json!({"stop_hook_active": null, "stopHookActive": true})).stdout.is_empty());
    // What is new is said.
    let fleet = Fleet::new();
    fleet.full(100);
    assert!(reason(&fleet.fire("Stop", json!({"stop_hook_active": true}))).starts_with("HANDOFF REQUESTED"));
}

#[test]
fn thinking_modes_get_a_reminder_and_never_a_handoff() {
    for mode in ["plan", "review", "fix"] {
        let mut fleet = Fleet::new();
        fleet.set("mode", mode.into());
        for thousands in [100, 120, 150, 190] {
            fleet.full(thousands);
            fleet.fire("Stop", json!({}));
            fleet.later(40);
        }
        fleet.fire("PreCompact", json!({"trigger": "auto"}));
        assert!(fleet.names("handoffs").is_empty() && fleet.names("queue").is_empty(), "{mode}");
        assert!(fleet.record().get("handoff_type").is_none());
        let told = fleet.names("inbox/archive");
        assert_eq!(told.len(), 1, "one reminder: {mode}");
        assert!(fleet.read(&format!("inbox/archive/{}", told[0])).contains(&format!("In mode {mode} no handoff")));
        // Below and above again is a new crossing.
        fleet.full(20);
        fleet.stop();
        fleet.full(110);
        assert_eq!(fleet.stop(), "");
        assert_eq!(fleet.record()["inbox_pending"], true);
        // The same words as before, but for another percentage.
        assert!(fleet.stop().starts_with("[OPERATOR] The context window is at 55.0 %"));
    }
}

#[test]
fn without_an_agent_id_nothing_is_read_or_written() {
    let fleet = Fleet::new();
    fleet.full(150);
    fleet.inbox("hello");
    for id in [None, Some(""), Some("a1b2c3d"), Some("a1b2c3d4e"), Some("../../etc"), Some("a1b2c3dg")] {
        let mut command = fleet.place.command("kz-run", &["fleet", "--style", "envelope"]);
        command.envs(id.map(|id| ("FLEET_AGENT_ID", id)));
        let output = feed(command, &fleet.payload("Stop", json!({})));
        let envelope = json(&output.stdout);
        assert_eq!(envelope["facts"]["session"].get("handoff"), None, "{id:?}");
        assert_eq!(envelope.get("effects").and_then(Value::as_array).map_or(0, Vec::len), 0, "{id:?}");
    }
    assert_eq!(fleet.read(&format!("agents/{AGENT}.json")), RECORD);
    assert_eq!(fleet.names("inbox"), ["a1b2c3d4.md"]);
}

#[test]
fn what_the_record_carries_counts_if_it_is_as_strong_and_of_this_life() {
    let before = "2025-11-30T09:00:00Z";
    let since = "2025-11-30T11:00:00.5+01:00";
    for (kind, at, red, precompact) in [
        ("auto-red", json!(since), false, false),
        ("auto-red", Value::Null, false, false),
        ("precompact", json!(since), false, false),
        ("manual", json!(since), false, false),
        ("auto-yellow", json!(since), true, true),
        ("auto-red", json!(before), true, true),
        ("manual", json!(before), true, true),
        ("nonsense", json!(since), true, true),
    ] {
        for (event, want) in [("Stop", red), ("PreCompact", precompact)] {
            let fleet = Fleet::new();
            fleet.set("handoff_type", kind.into());
            fleet.set("handoff_type_at", at.clone());
            fleet.full(150);
            fleet.fire(event, json!({}));
            assert_eq!(fleet.names("queue").len(), usize::from(want), "{kind} {at} {event}");
            assert_eq!(fleet.record()["context_pct"], 75.0);
            if !want {
                assert_eq!(fleet.record()["handoff_type"], kind, "never to clear, never to weaken");
            }
        }
    }
}
