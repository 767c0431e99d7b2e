//! The wire as a whole: captured payloads, hostile input, and answers held to the contract.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may fail")]

mod answer;
mod input;

use super::framing::{Frames, Item};
use super::*;
use crate::call::{Does, EventKind};
use crate::envelope::Verdict;
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
        ("Grep", json!({"pattern": "x"}), vec![row(".", List, true)]),
        ("Grep", json!({"pattern": "x", "glob": "*.rs"}), vec![row(".", List, true)]),
        (
            "Grep",
            json!({"pattern": "x", "path": "a/", "glob": "**/.env"}),
            vec![row("a/", Read, true), row("a/.env", Read, false)],
        ),
        ("Glob", json!({"pattern": "*"}), vec![row(".", List, true)]),
        ("Glob", json!({"pattern": "src/**/*.rs"}), vec![row("src", List, true)]),
        ("Glob", json!({"pattern": "a/*.rs", "path": "/w/"}), vec![row("/w/a", List, true)]),
        ("Glob", json!({"pattern": "/etc/*", "path": "/w"}), vec![row("/etc", List, true)]),
        ("Glob", json!({"pattern": "**/*.ts", "path": "/w"}), vec![row("/w", List, true)]),
        ("LS", json!({}), vec![row(".", List, true)]),
        ("list_directory", json!({"path": "lib"}), vec![row("lib", List, true)]),
        ("NotebookRead", json!({"notebook_path": "/a.ipynb"}), vec![row("/a.ipynb", Read, true)]),
        ("read_file", json!({"absolute_path": "/a"}), vec![row("/a", Read, true)]),
        (
            "read_many_files",
            json!({"paths": ["a.md", "src/*.rs"]}),
            vec![row("a.md", Read, true), row("src", Read, false)],
        ),
        ("replace", json!({"file_path": "a", "old_string": "/x", "new_string": "/y"}), vec![row("a", Write, true)]),
        ("search_file_content", json!({"pattern": "x", "path": "lib"}), vec![row("lib", Read, true)]),
        ("create", json!({"path": "/b.txt", "file_text": "new"}), vec![row("/b.txt", Write, true)]),
        ("view", json!({"path": "/b.txt"}), vec![row("/b.txt", Read, true)]),
        ("Delete", json!({"path": "/b.txt"}), vec![row("/b.txt", Delete, true)]),
        ("WebFetch", json!({"url": "https://x.test/a", "path": "/a"}), vec![]),
        (
            "apply_patch",
            json!({"command": "*** Begin Patch\n*** Update File: a.txt\n@@\n-b\n+c\n*** Add File: d/e.txt\n+n\n*** End Patch\n"}),
            vec![row("a.txt", Write, true), row("d/e.txt", Write, true)],
        ),
        (
            "apply_patch",
            json!({"input": "*** Begin Patch\n*** Delete File: a\n*** Update File: b\n*** Move to: c\n*** End Patch"}),
            vec![row("a", Delete, true), row("b", Delete, true), row("c", Write, true)],
        ),
        ("patch", json!({"patchText": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}), vec![row("x", Write, true)]),
        ("mcp__fs__read", json!({"uri": "file:///w/a%20b.txt"}), vec![row("/w/a b.txt", Read, true)]),
        ("mcp__fs__read", json!({"uri": "https://x.test/a", "path": "http://x.test"}), vec![]),
        ("mcp__fs__search", json!({"path": "src/**", "files": ["a\nb", "ok.txt"]}), vec![row("ok.txt", Read, true)]),
        (
            "mcp__fs__write_files",
            json!({"files": [{"path": "a", "content": "x"}, {"path": "b", "content": "/y"}]}),
            vec![row("a", Write, true), row("b", Write, true)],
        ),
        ("mcp__x__call", json!({"arguments": {"options": {"file_path": "/a"}}}), vec![row("/a", Read, false)]),
        ("mcp__b__take_screenshot", json!({"filename": "s.png"}), vec![row("s.png", Write, true)]),
        (
            "mcp__x__convert",
            json!({"path": "a.md", "output_path": "b.pdf"}),
            vec![row("a.md", Read, false), row("b.pdf", Write, true)],
        ),
        ("mcp__mail__list", json!({"folder": "inbox"}), vec![]),
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
        assert_eq!(paths(tool, input.clone()), want, "{tool} {input}");
    }
}

#[test]
fn paths_of_strange_inputs_are_bounded() {
    let many: Vec<String> = (0..5_000).map(|number| format!("f{number}")).collect();
    let input =
        |value: Value| json!({"hook_event_name": "PreToolUse", "tool_name": "mcp__fs__read", "tool_input": value});
    assert_eq!(read(&input(json!({"paths": many}))).paths.len(), 1_000);
    assert_eq!(read(&input(json!({"path": "x".repeat(5_000)}))).paths.len(), 0);
    let deep = format!("{}\"a\"{}", "[".repeat(50_000), "]".repeat(50_000));
    let text = format!(r#"{{"tool_name":"mcp__fs__read","tool_input":{{"path":{deep},"file":"b"}}}}"#);
    let payload = Payload::read(&text);
    let paths: Vec<&str> = payload.input.iter().flat_map(|input| &input.paths).map(|path| path.raw.as_str()).collect();
    assert_eq!(paths, ["b"]);
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

fn deny(rule: &str, reason: &str) -> Decision {
    Decision { say: Verdict::Deny, rule: rule.into(), reason: reason.into(), ..Decision::default() }
}
