//! The operator's messages, said once and put away once they were heard.

use super::*;

#[test]
fn the_operators_message_comes_before_the_request_and_is_archived_after_the_answer() {
    let mut fleet = Fleet::new();
    fleet.full(100);
    fleet.inbox("look at the flaky test: it's `x`\n\nthen go on\n");
    let said = fleet.stop();
    assert!(
        said.starts_with("[OPERATOR] look at the flaky test: it's `x`\n\nthen go on\n\nHANDOFF REQUESTED"),
        "{said}"
    );
    assert_eq!(fleet.names("inbox"), ["archive"]);
    assert_eq!(fleet.names("inbox/archive"), ["a1b2c3d4-20251130T141905Z.md"]);
    // The same words again in this session are put away and not said; others are said, also in a loop.
    fleet.inbox("look at the flaky test: it's `x`\n\nthen go on");
    assert_eq!(fleet.stop(), "");
    assert_eq!(fleet.names("inbox/archive").len(), 2);
    fleet.later(1);
    fleet.inbox("new");
    let output = fleet.fire("Stop", json!({"stop_hook_active": true}));
    assert_eq!(reason(&output), "[OPERATOR] new [kz handoff/operator]");
}

#[test]
fn a_session_that_starts_gets_the_message_as_context() {
    for source in ["startup", "resume", "clear", "compact"] {
        let fleet = Fleet::new();
        fleet.set("context_pct", json!(64.0));
        fleet.full(150);
        fleet.inbox("hello");
        let answer = json(&fleet.fire("SessionStart", json!({"source": source})).stdout);
        assert_eq!(
            answer["hookSpecificOutput"],
            json!({"hookEventName": "SessionStart", "additionalContext": "[OPERATOR] hello"})
        );
        assert_eq!(fleet.names("inbox/archive").len(), 1);
        let emptied = matches!(source, "clear" | "compact");
        assert_eq!(fleet.record()["context_pct"], if emptied { Value::Null } else { json!(64.0) }, "{source}");
        assert!(fleet.names("queue").is_empty() && fleet.record().get("handoff_type").is_none());
    }
}

#[test]
fn fifty_stop_hooks_at_once_ask_once_hand_over_once_and_lose_nothing() {
    for thousands in [100, 150] {
        let fleet = Fleet::new();
        fleet.full(thousands);
        fleet.inbox("hello");
        let said: Vec<String> = std::thread::scope(|scope| {
            let hooks: Vec<_> = (0..50).map(|_| scope.spawn(|| fleet.stop())).collect();
            hooks.into_iter().map(|hook| hook.join().unwrap()).collect()
        });
        let count = |word: &str| said.iter().filter(|text| text.contains(word)).count();
        assert_eq!(count("[OPERATOR] hello"), 1);
        assert_eq!(count("HANDOFF REQUESTED"), usize::from(thousands == 100));
        let documents = usize::from(thousands == 150);
        assert_eq!((fleet.names("handoffs").len(), fleet.names("queue").len()), (documents, documents));
        assert_eq!(fleet.names("inbox/archive").len(), 1);
        let record = fleet.record();
        assert_eq!(
            (&record["future"], &record["context_pct"]),
            (&json!({"deep": [1.0, 2e5, "é"]}), &json!(thousands as f64 / 2.0))
        );
        assert_eq!(record["handoff_type"], if thousands == 100 { "auto-yellow" } else { "auto-red" });
        let asides = std::fs::read_dir(fleet.path("agents")).unwrap().count();
        assert_eq!(asides, 2, "the record and our own file, no half-written one");
    }
}

#[test]
fn no_answer_no_archive() {
    let fleet = Fleet::new();
    fleet.full(20);
    fleet.inbox("hello");
    let mut command = fleet.command("kz-run", &["fleet"]);
    let piped = std::process::Stdio::piped;
    let mut hook = command.stdin(piped()).stdout(piped()).stderr(piped()).spawn().unwrap();
    // Nobody listens.
    drop(hook.stdout.take());
    std::io::Write::write_all(&mut hook.stdin.take().unwrap(), &fleet.payload("Stop", json!({}))).unwrap();
    assert_eq!(hook.wait().unwrap().code(), Some(0));
    assert_eq!(fleet.record()["context_pct"], 10.0);
    assert_eq!(fleet.names("inbox"), ["a1b2c3d4.md"], "a message that nobody got stays");
    let mut fleet = fleet;
    fleet.later(1);
    assert!(fleet.stop().starts_with("[OPERATOR] hello"), "and is said by a later hook");
    // What was said and could not be put away is not said again.
    std::fs::remove_dir_all(fleet.path("inbox/archive")).unwrap();
    std::fs::write(fleet.path("inbox/archive"), "in the way").unwrap();
    fleet.inbox("again");
    assert!(fleet.stop().starts_with("[OPERATOR] again"));
    fleet.later(5);
    assert_eq!(fleet.stop(), "");
    assert_eq!(fleet.names("inbox"), ["a1b2c3d4.md", "archive"]);
    std::fs::remove_file(fleet.path("inbox/archive")).unwrap();
    assert_eq!(fleet.stop(), "");
    assert_eq!(fleet.names("inbox"), ["archive"]);
}

#[test]
fn the_operators_verbs_show_and_write() {
    let fleet = Fleet::new();
    fleet
        .place
        .write(".fleet/agents/00ff00ff.json", "{\"id\": \"00ff00ff\", \"mode\": \"plan\", \"context_pct\": 71.25}");
    fleet.place.write(".fleet/agents/0badbad0.json", "{");
    let kz = |args: &[&str]| fleet.place.run("kz", args, b"");
    assert_eq!(kz(&["fleet", "inbox", AGENT, "look", "here"]).status.code(), Some(0));
    kz(&["fleet", "inbox", AGENT, "and there"]);
    assert_eq!(fleet.read("inbox/a1b2c3d4.md"), "look here\n\nand there\n");
    fleet.full(150);
    assert!(fleet.stop().starts_with("[OPERATOR] look here\n\nand there"));
    kz(&["fleet", "inbox", AGENT, "more"]);
    let shown = text(&kz(&["fleet", "status"]).stdout);
    for want in
        ["a1b2c3d4", "75.0 %", "red", "execute", "a handoff (auto-red) is queued", "a message waits", "needs input"]
    {
        assert!(shown.contains(want), "{want}: {shown}");
    }
    assert!(shown.contains("00ff00ff") && shown.contains("71.2 %") && shown.contains("plan"), "{shown}");
    assert!(shown.contains("0badbad0") && shown.contains("no JSON object"), "{shown}");
    for wrong in
        [&["fleet", "inbox", "../x", "t"][..], &["fleet", "inbox", "deadbeef", "t"], &["fleet", "inbox", AGENT, " "]]
    {
        let output = kz(wrong);
        assert_eq!(output.status.code(), Some(1), "{wrong:?}");
        assert!(text(&output.stderr).contains("hint: "), "{}", text(&output.stderr));
    }
    assert_eq!(fleet.names("inbox"), ["a1b2c3d4.md", "archive"]);
}

#[test]
fn a_message_too_long_for_an_answer_does_not_push_the_request_out() {
    let fleet = Fleet::new();
    fleet.full(100);
    let long = "line of the message\n".repeat(2_000);
    fleet.inbox(&long);
    let said = fleet.stop();
    assert!(said.starts_with("[OPERATOR] line of the message\n") && said.len() < 10_000, "{}", said.len());
    assert!(said.contains("inbox/archive/a1b2c3d4-") && said.contains("\n\nHANDOFF REQUESTED"), "{said}");
    assert_eq!(fleet.read(&format!("inbox/archive/{}", fleet.names("inbox/archive")[0])), long);
    std::fs::create_dir_all(fleet.path("inbox/a1b2c3d4.md")).unwrap();
    let told = text(&fleet.fire("Stop", json!({})).stdout);
    assert!(told.contains("operator's message") && told.contains("cannot be read"), "{told}");
}
