//! The wire as a whole: captured payloads, hostile input, and answers held to the contract.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may fail")]

use super::framing::{Frames, Item};
use super::*;
use crate::call::{Does, EventKind};
use crate::envelope::Verdict;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

fn folder(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// Names and bytes of a folder's captures, sorted.
fn captures(host: &str) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<_> = std::fs::read_dir(folder(host))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()))
        .collect();
    all.sort();
    all
}

fn items(bytes: &[u8]) -> Vec<Item> {
    Frames::new(bytes.to_vec()).collect()
}

fn payload(bytes: &[u8]) -> Payload {
    match items(bytes).remove(0) {
        Item::Value { payload, .. } => *payload,
        other => panic!("{other:?}"),
    }
}

fn read(json: &Value) -> Call {
    let payload = Payload::read(&json.to_string());
    assert_eq!(payload.complaints, Vec::<String>::new());
    recognise(&payload).call(&payload)
}

#[test]
fn captures_read_as_they_say() {
    let mut golden = String::new();
    for (name, bytes) in captures("claude-code") {
        let all = items(&bytes);
        let [Item::Value { text, payload, replaced: 0 }] = all.as_slice() else { panic!("{name}: {all:?}") };
        assert_eq!(text.as_bytes(), bytes.trim_ascii_end(), "{name}");
        assert_eq!(payload.complaints, Vec::<String>::new(), "{name}");
        let dialect = recognise(payload);
        assert_eq!(dialect.kind(), "claude", "{name}");
        let call = dialect.call(payload);
        let source: Value = serde_json::from_slice(&bytes).unwrap();
        let field = |key: &str| source[key].as_str().unwrap_or_default();
        assert_eq!(call.host_event, field("hook_event_name"), "{name}");
        assert_eq!(call.host_event, name.split('-').next().unwrap(), "{name}");
        assert_eq!(call.tool, field("tool_name"), "{name}");
        assert_eq!(call.session, field("session_id"), "{name}");
        assert_eq!(call.cwd, field("cwd"), "{name}");
        assert_eq!(call.id, field("tool_use_id"), "{name}");
        let agent = source["agent_id"].as_str().unwrap_or("main");
        assert_eq!(call.agent.id, agent, "{name}");
        let mut short = call.clone();
        short.host_event.clear();
        short.session.clear();
        short.cwd.clear();
        writeln!(golden, "{name} {}", serde_json::to_string(&short).unwrap()).unwrap();
    }
    let file = folder("claude-code.golden");
    if std::env::var_os("KZ_BLESS").is_some() {
        std::fs::write(&file, &golden).unwrap();
    }
    assert_eq!(golden, std::fs::read_to_string(&file).unwrap(), "read the difference, then run with KZ_BLESS=1");
}

#[test]
fn every_event_of_the_host_has_a_row() {
    for (name, _) in captures("claude-code") {
        assert!(matrix::row(name.split('-').next().unwrap()).is_some(), "{name}");
    }
    assert_eq!(matrix::CLAUDE.len(), 34);
}

#[test]
fn hosts_that_copied_the_contract_are_not_taken_for_it() {
    for mark in [
        json!({"hook_event_name": "PreToolUse", "model": "gpt-5", "permission_mode": "default", "turn_id": "1"}),
        json!({"hook_event_name": "PreCompact", "model": "gpt-5", "turn_id": "1"}),
        json!({"hook_event_name": "SessionStart", "model": "gpt-5", "permission_mode": "default"}),
        json!({"hook_event_name": "PreToolUse", "timestamp": "2026-11-30T00:00:00Z"}),
        json!({"hook_event_name": "BeforeTool"}),
        json!({"tool_name": "Bash", "tool_input": {}}),
        json!({}),
    ] {
        assert_eq!(read(&mark).agent.kind, "unknown", "{mark}");
    }
    let start = json!({"hook_event_name": "SessionStart", "model": "claude-opus-5-5", "source": "compact"});
    assert_eq!(read(&start).agent.kind, "claude");
}

#[test]
fn a_tool_without_an_event_is_about_to_run() {
    let call = read(&json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}));
    assert_eq!((call.event, call.does, call.command.as_str()), (EventKind::PreTool, Does::Shell, "ls"));
    let answer = dialect(&call.agent.kind).answer(&call, &deny("git/x", "no")).unwrap();
    assert!(answer.contains(r#""hookEventName":"PreToolUse""#), "{answer}");
    assert_eq!(read(&json!({"tool_name": "Bash"})).event, EventKind::Other);
}

#[test]
fn results() {
    let after = |more: Value| {
        let mut all = json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {}});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let result = read(&all).result.unwrap();
        (result.ok, result.code, result.interrupt, result.tail)
    };
    let tail = |text: &str| text.to_owned();
    assert_eq!(
        after(json!({"tool_response": {"stdout": "a", "stderr": "b"}})),
        (Some(true), None, false, tail("a\nb"))
    );
    assert_eq!(after(json!({"tool_response": {"stdout": "a", "interrupted": true}})), (None, None, true, tail("a")));
    assert_eq!(after(json!({"tool_response": "text"})), (Some(true), None, false, tail("text")));
    assert_eq!(
        after(json!({"tool_response": [{"type": "text", "text": "a"}, 3, {"type": "image"}, {"text": "b"}]})),
        (Some(true), None, false, tail("a\nb"))
    );
    let failed = |error: &str, interrupt: bool| {
        after(json!({"hook_event_name": "PostToolUseFailure", "error": error, "is_interrupt": interrupt}))
    };
    assert_eq!(failed("Exit code 143\nlate", false), (Some(false), Some(143), false, tail("Exit code 143\nlate")));
    assert_eq!(failed("Exit code 7", false).1, Some(7));
    assert_eq!(failed("Exit codes", false).1, None);
    assert_eq!(failed("Exit code 1", true), (None, Some(1), true, tail("Exit code 1")));
    let long = after(json!({"tool_response": {"stdout": "é".repeat(3000) + "x"}})).3;
    assert_eq!((long.len(), long.chars().count()), (3999, 2000));
}

#[test]
fn paths_of_tools() {
    use crate::call::Op::{self, Delete, List, Read, Write};
    let paths = |tool: &str, input: Value| -> Vec<(String, Op, bool)> {
        read(&json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input}))
            .paths
            .into_iter()
            .map(|path| (path.raw, path.op, path.sure))
            .collect()
    };
    let row = |raw: &str, op: Op, sure: bool| (raw.to_owned(), op, sure);
    for (tool, input, want) in [
        ("Read", json!({"file_path": "/a"}), vec![row("/a", Read, true)]),
        ("Write", json!({"file_path": "/a", "content": "x"}), vec![row("/a", Write, true)]),
        ("MultiEdit", json!({"file_path": "/a", "edits": []}), vec![row("/a", Write, true)]),
        ("NotebookEdit", json!({"notebook_path": "/a"}), vec![row("/a", Write, true)]),
        ("Grep", json!({"pattern": "x", "path": "src"}), vec![row("src", Read, true)]),
        ("Glob", json!({"pattern": "*"}), vec![]),
        ("Bash", json!({"command": "ls", "path": "/a"}), vec![]),
        ("mcp__fs__write_file", json!({"path": "/a"}), vec![row("/a", Write, true)]),
        ("mcp__fs__writeFile", json!({"filePath": "/a"}), vec![row("/a", Write, true)]),
        (
            "mcp__fs__read_multiple_files",
            json!({"paths": ["/a", 1, "/b"]}),
            vec![row("/a", Read, true), row("/b", Read, true)],
        ),
        ("mcp__fs__list_directory", json!({"path": "/a"}), vec![row("/a", List, true)]),
        ("mcp__fs__delete_file", json!({"path": "/a"}), vec![row("/a", Delete, true)]),
        (
            "mcp__fs__move_file",
            json!({"source": "/a", "destination": "/b"}),
            vec![row("/a", Delete, true), row("/b", Write, true)],
        ),
        ("mcp__fs__copy", json!({"src": "/a", "dst": "/b"}), vec![row("/a", Read, true), row("/b", Write, true)]),
        ("mcp__x__find_and_replace", json!({"path": "/a"}), vec![row("/a", Write, true)]),
        ("mcp__mail__send", json!({"to": "me", "path": "/a"}), vec![row("/a", Read, false)]),
        ("mcp__write__read_file", json!({"path": "/a"}), vec![row("/a", Read, true)]),
        ("Strange", json!({"path": ""}), vec![]),
    ] {
        assert_eq!(paths(tool, input), want, "{tool}");
    }
}

#[test]
fn wrong_types_are_left_out_and_named() {
    let strings = [
        "hook_event_name",
        "session_id",
        "cwd",
        "agent_id",
        "permission_mode",
        "tool_name",
        "tool_use_id",
        "prompt",
        "source",
        "trigger",
        "reason",
        "error",
        "model",
    ];
    let odd =
        |key: &str, value: &str| format!("{{\"a\":1,\"{key}\":{value},\"tool_name\":\"Bash\",\"tool_input\":{{}}}}");
    let deep = "[".repeat(200) + &"]".repeat(200);
    for value in ["7", "1e999", "true", "[]", "{}", deep.as_str()] {
        for key in strings.iter().filter(|key| **key != "tool_name") {
            let payload = Payload::read(&odd(key, value));
            assert_eq!(payload.complaints.len(), 1, "{key}: {value}");
            assert!(payload.complaints[0].contains(&format!("`{key}`")), "{:?}", payload.complaints);
            assert_eq!(payload.tool.as_deref(), Some("Bash"));
        }
    }
    for key in ["is_interrupt", "stop_hook_active"] {
        assert_eq!(Payload::read(&odd(key, "\"true\"")).complaints.len(), 1, "{key}");
    }
    for input in ["\"x\"", "[1]", "3"] {
        let payload = Payload::read(&format!("{{\"tool_input\":{input},\"cwd\":\"/a\"}}"));
        assert_eq!((payload.complaints.len(), payload.input, payload.cwd.as_deref()), (1, None, Some("/a")));
    }
    let payload = Payload::read(r#"{"tool_input":{"command":["ls"],"file_path":3,"to":4},"cwd":"/a"}"#);
    assert_eq!(
        payload.complaints,
        [
            "`tool_input.command` of the payload is an array, not a string, and was left out",
            "`tool_input.file_path` of the payload is a number, not a string, and was left out",
        ]
    );
    for key in strings.iter().chain(&["is_interrupt", "stop_hook_active", "tool_input", "tool_response"]) {
        let payload = Payload::read(&format!("{{\"{key}\":null}}"));
        assert_eq!(payload, Payload::default(), "{key}");
    }
}

#[test]
fn the_last_of_equal_keys_counts() {
    let payload = Payload::read(
        r#"{"cwd":"/a","cwd":"/b","tool_input":{"command":"rm","path":"x"},"tool_input":{"path":"y","path":"z"},"prompt":"p","prompt":null}"#,
    );
    assert_eq!(payload.cwd.as_deref(), Some("/b"));
    assert_eq!(payload.prompt, None);
    let input = payload.input.unwrap();
    assert_eq!(input.command, None);
    assert_eq!(input.paths.iter().map(|path| path.raw.as_str()).collect::<Vec<_>>(), ["z"]);
    assert_eq!(Payload::read(r#"{"tool\u005fname":"Ba\ud83dsh"}"#).tool.as_deref(), Some("Ba\u{fffd}sh"));
}

#[test]
fn bad_input() {
    let shown = |bytes: &[u8]| -> Vec<String> {
        items(bytes)
            .into_iter()
            .map(|item| match item {
                Item::Value { text, replaced: 0, .. } => format!("value {text}"),
                Item::Value { text, replaced, .. } => format!("value, {replaced} replaced {text}"),
                Item::Garbage { shown, bytes } => format!("garbage of {bytes}: {shown}"),
                Item::Unterminated { text, payload } => {
                    format!("unterminated {text} {:?} {:?}", payload.event, payload.tool)
                }
                Item::TooLarge { .. } => "too large".into(),
                Item::Empty => "empty".into(),
            })
            .collect()
    };
    for (input, want) in [
        (&b""[..], &["empty"][..]),
        (b" \r\n\t ", &["empty"]),
        ("\u{feff}".as_bytes(), &["empty"]),
        (b"{}", &["value {}"]),
        (b"{}\n", &["value {}"]),
        (b"\n\n {} \n", &["value {}"]),
        ("\u{feff}{}\n".as_bytes(), &["value {}"]),
        (b"{}\n{\"a\":1}\n", &["value {}", "value {\"a\":1}"]),
        (b"{}{}  {}", &["value {}", "value {}", "value {}"]),
        (b"{\n \"a\": [\n  1\n ]\n}\n", &["value {\n \"a\": [\n  1\n ]\n}"]),
        (b"hello {}\n{}\n", &["garbage of 8: hello {}", "value {}"]),
        (b"{} x {}\n{}\n", &["value {}", "garbage of 4: x {}", "value {}"]),
        (b"[1,\n{}\n]\n{}", &["garbage of 8: [1,\n{}\n]", "value {}"]),
        (b"\"text\" {}", &["garbage of 6: \"text\"", "value {}"]),
        (b"7\n{}", &["garbage of 1: 7", "value {}"]),
        (b"null", &["garbage of 4: null"]),
        (b"{\"a\":tru}\nx\n\n{}", &["garbage of 11: {\"a\":tru}\nx", "value {}"]),
        (b"{\"a\":\"x\n{\"b\":1}\n", &["garbage of 7: {\"a\":\"x", "value {\"b\":1}"]),
        (b"{\"a\":\n{\"b\":1}\n{\"c\":1}", &["garbage of 13: {\"a\":\n{\"b\":1}", "value {\"c\":1}"]),
        (b"{\"a\":\"\0\"}", &["garbage of 9: {\"a\":\"\0\"}"]),
        (b"\0\0", &["garbage of 2: \0\0"]),
        (b"{\"a\":\"\xff\xfe\"}", &["value, 2 replaced {\"a\":\"\u{fffd}\u{fffd}\"}"]),
        (b"{\"a\":1}\n{\"b\":\"\xff\"}", &["value {\"a\":1}", "value, 1 replaced {\"b\":\"\u{fffd}\"}"]),
        (
            b"{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"rm -r",
            &[
                "unterminated {\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"rm -r Some(\"PreToolUse\") Some(\"Bash\")",
            ],
        ),
        (b"{\"a\":1e999,\"a\":-0.0,\"b\":\"\\ud83d\"}", &["value {\"a\":1e999,\"a\":-0.0,\"b\":\"\\ud83d\"}"]),
    ] {
        assert_eq!(shown(input), want, "{}", String::from_utf8_lossy(input));
    }
    assert_eq!(shown("é".repeat(100).as_bytes()), [format!("garbage of 200: {}", "é".repeat(80))]);
    let deep = format!("{{\"x\":{}{},\"cwd\":\"/a\"}}", "[".repeat(200), "]".repeat(200));
    assert_eq!(payload(deep.as_bytes()).cwd.as_deref(), Some("/a"));
}

#[test]
fn input_beyond_the_limit_keeps_what_its_head_says() {
    let mut bytes = br#"{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"content":""#.to_vec();
    bytes.resize(framing::LIMIT + 1, b'a');
    let mut frames = Frames::new(bytes);
    let Some(Item::TooLarge { payload }) = frames.next() else { panic!("not too large") };
    assert_eq!((payload.event.as_deref(), payload.tool.as_deref()), (Some("PreToolUse"), Some("Write")));
    assert_eq!(frames.next(), None);
}

fn deny(rule: &str, reason: &str) -> Decision {
    Decision { say: Verdict::Deny, rule: rule.into(), reason: reason.into(), ..Decision::default() }
}

/// The schema rules of the contract page, as the host checks them.
fn check(event: &str, text: &str) {
    let all: Value = serde_json::from_str(text).unwrap();
    fn no_null(value: &Value) -> bool {
        match value {
            Value::Null => false,
            Value::Array(rows) => rows.iter().all(no_null),
            Value::Object(rows) => rows.values().all(no_null),
            _ => true,
        }
    }
    assert!(no_null(&all), "{text}");
    assert!(!text.contains('\n'), "{text}");
    let top = all.as_object().unwrap();
    assert!(!top.is_empty());
    for (key, value) in top {
        match key.as_str() {
            "systemMessage" | "reason" => assert!(!value.as_str().unwrap().is_empty(), "{text}"),
            "decision" => {
                assert_eq!(value, "block", "{text}");
                assert!(top.contains_key("reason"), "{text}");
            }
            "hookSpecificOutput" => {
                let rows = value.as_object().unwrap();
                assert_eq!(rows["hookEventName"], event, "{text}");
                assert!(rows.len() > 1, "{text}");
                for (key, value) in rows {
                    match key.as_str() {
                        "hookEventName" | "permissionDecisionReason" | "additionalContext" => {
                            assert!(!value.as_str().unwrap().is_empty(), "{text}");
                        }
                        "permissionDecision" => {
                            assert!(["allow", "ask", "deny"].contains(&value.as_str().unwrap()), "{text}");
                            assert!(rows.contains_key("permissionDecisionReason"), "{text}");
                            assert!(["PreToolUse", "PreSkillShellCommand", "PreModelSwitch"].contains(&event));
                        }
                        "decision" => {
                            assert_eq!(event, "PermissionRequest");
                            let word = value["behavior"].as_str().unwrap();
                            assert!(word == "allow" || (word == "deny" && value["message"].is_string()), "{text}");
                        }
                        other => panic!("unknown key `{other}` in {text}"),
                    }
                }
            }
            other => panic!("unknown key `{other}` in {text}"),
        }
    }
}

#[test]
fn every_answer_keeps_the_contract() {
    for row in matrix::CLAUDE {
        let call = read(&json!({"hook_event_name": row.event, "tool_name": "Bash", "tool_input": {}}));
        assert_eq!(call.event, row.kind, "{}", row.event);
        for say in [Verdict::None, Verdict::Approve, Verdict::Ask, Verdict::Deny] {
            for (rule, reason) in [("", ""), ("git/force-push", "rewrites history"), ("a/b", "done [kz a/b]")] {
                for (note, user) in [("", ""), ("a note", ""), ("", "for you"), ("one\ntwo", "for \"you\"")] {
                    let list = |text: &str| if text.is_empty() { Vec::new() } else { vec![text.to_owned()] };
                    let decision = Decision {
                        say,
                        rule: rule.into(),
                        reason: reason.into(),
                        notes: list(note),
                        user: list(user),
                        ..Decision::default()
                    };
                    let answer = matrix::answer(&call, &decision);
                    let Some(text) = answer else {
                        assert!(
                            say < Verdict::Ask || row.event == "WorktreeCreate" || row.event == "PermissionRequest"
                        );
                        assert!(user.is_empty() || row.event == "WorktreeCreate");
                        continue;
                    };
                    assert_ne!(row.event, "WorktreeCreate", "{text}");
                    assert!(say != Verdict::None || !note.is_empty() || !user.is_empty(), "{text}");
                    check(row.event, &text);
                    if say == Verdict::Deny {
                        let mark = if rule.is_empty() { "[kz]".to_owned() } else { format!("[kz {rule}]") };
                        assert_eq!(text.matches(&mark).count(), 1, "{text}");
                    }
                    if matches!(row.event, "Stop" | "SubagentStop") {
                        assert!(!text.contains("additionalContext"), "{text}");
                    }
                }
            }
        }
    }
    let strange = Call { host_event: "Later".into(), ..Call::default() };
    check("Later", &matrix::answer(&strange, &deny("a/b", "no")).unwrap());
    check("", &matrix::nothing_checked("the line was cut off"));
}

#[test]
fn the_words_of_a_denial() {
    let call = read(&json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}}));
    let mut decision = deny("git/force-push", "rewrites history");
    decision.notes = vec!["one".into(), " ".into(), "two".into()];
    decision.user = vec!["config is broken".into()];
    assert_eq!(
        matrix::answer(&call, &decision).unwrap(),
        concat!(
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","#,
            r#""permissionDecisionReason":"rewrites history [kz git/force-push]","additionalContext":"one\n\ntwo"},"#,
            r#""systemMessage":"config is broken"}"#
        )
    );
    let stop = read(&json!({"hook_event_name": "Stop"}));
    assert_eq!(
        matrix::answer(&stop, &decision).unwrap(),
        r#"{"decision":"block","reason":"rewrites history [kz git/force-push]","systemMessage":"config is broken"}"#
    );
    let start = read(&json!({"hook_event_name": "SessionStart"}));
    assert_eq!(
        matrix::answer(&start, &deny("a/b", "no")).unwrap(),
        r#"{"systemMessage":"kz: SessionStart cannot be stopped: no [kz a/b]"}"#
    );
    let prompt = read(&json!({"hook_event_name": "UserPromptSubmit", "prompt": "x"}));
    decision.say = Verdict::Ask;
    decision.notes.clear();
    decision.user.clear();
    assert_eq!(
        matrix::answer(&prompt, &decision).unwrap(),
        r#"{"systemMessage":"kz: please look at this: rewrites history [kz git/force-push]"}"#
    );
}

#[test]
fn long_texts_are_cut_at_a_line() {
    let call = read(&json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}}));
    for line in ["0123456789\n", "𝄞é\n", "0123456789"] {
        let mut decision = deny("a/b", &line.repeat(5000));
        decision.notes = vec![line.repeat(5000)];
        let all: Value = serde_json::from_str(&matrix::answer(&call, &decision).unwrap()).unwrap();
        let reason = all["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
        let note = all["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
        for text in [reason, note] {
            let width = text.encode_utf16().count();
            assert!((9_900..=10_000).contains(&width), "{width}");
        }
        assert!(reason.ends_with(" [kz a/b]"), "{reason}");
        let (body, last) = note.rsplit_once('\n').unwrap();
        assert!(last.starts_with("[kz cut this text of "), "{last}");
        assert!(line.contains('\n') <= body.ends_with(line.trim_end()), "{body}");
    }
}

#[test]
fn exit_codes() {
    let call = |event: &str| read(&json!({"hook_event_name": event, "tool_name": "Bash", "tool_input": {}}));
    let decision = deny("a/b", "no");
    let out = matrix::exit(&call("PreToolUse"), &decision, Verdict::Deny);
    assert_eq!((out.code, out.stderr.as_str()), (2, "no [kz a/b]"));
    assert_eq!(matrix::exit(&call("WorktreeCreate"), &decision, Verdict::Deny).code, 0);
    assert_eq!(matrix::exit(&call("SessionStart"), &decision, Verdict::Deny).code, 0);
    let ask = Decision { say: Verdict::Ask, ..decision };
    assert_eq!(matrix::exit(&call("PreToolUse"), &ask, Verdict::Deny).code, 2);
    let out = matrix::exit(&call("PreToolUse"), &ask, Verdict::None);
    assert_eq!((out.code, out.stderr.as_str()), (0, ""));
}

proptest! {
    #[test]
    fn any_bytes_are_split(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(!items(&bytes).is_empty());
    }

    #[test]
    fn pieces_are_split(picks in proptest::collection::vec(0..14usize, 0..30)) {
        const PIECES: [&[u8]; 14] = [
            b"{", b"}", b"[", b"]", b"\"", b":", b",", b"\n", b" ", b"\\", b"\xff", b"null", b"\"tool_input\":", b"\"a\":1",
        ];
        let bytes: Vec<u8> = picks.iter().flat_map(|pick| PIECES[*pick]).copied().collect();
        for item in items(&bytes) {
            if let Item::Value { text, .. } = item {
                let referee: Result<&serde_json::value::RawValue, _> = serde_json::from_str(&text);
                prop_assert!(referee.is_ok(), "{}", text);
            }
        }
    }

    #[test]
    fn objects_come_back_byte_for_byte(
        texts in proptest::collection::vec((".{0,20}", ".{0,20}", 0..4usize), 1..5),
        pretty in any::<bool>(),
        between in "[ \n\r\t]{0,3}",
    ) {
        let objects: Vec<String> = texts
            .into_iter()
            .map(|(key, text, depth)| {
                let value = (0..depth).fold(json!({ key.clone(): text }), |inner, _| json!({ key.clone(): [inner, 1.5] }));
                if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() }
            })
            .collect();
        let back: Vec<String> = items(objects.join(&between).as_bytes())
            .into_iter()
            .map(|item| match item {
                Item::Value { text, replaced: 0, .. } => text,
                other => panic!("{other:?}"),
            })
            .collect();
        prop_assert_eq!(back, objects);
    }
}
