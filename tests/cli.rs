//! Every program: help, version, usage, and input of every wrong kind.

use crate::support::{PIPE, Place, feed, json, text};
use std::process::{Output, Stdio};

const ALL: [&str; 7] = ["kz", "kz-run", "kz-normalize", "kz-classify", "kz-guard", "kz-ladder", "kz-decide"];

#[test]
fn help_and_version_of_every_program() {
    let place = Place::new();
    for name in ALL {
        let help = place.run(name, &["--help"], b"");
        assert_eq!(help.status.code(), Some(0), "{name}");
        assert!(text(&help.stdout).contains("Usage: "), "{name}: {}", text(&help.stdout));
        let version = place.run(name, &["--version"], b"");
        assert_eq!(version.status.code(), Some(0), "{name}");
        assert_eq!(text(&version.stdout), format!("{name} {}\n", env!("CARGO_PKG_VERSION")));
    }
}

#[test]
fn wrong_usage_never_exits_2_and_says_what() {
    let place = Place::new();
    let payload = place.bash("PreToolUse", "t1", "git push --force");
    for name in ALL {
        let output = place.run(name, &["--no-such-option"], &payload);
        let expected = if name == "kz-run" || name == "kz-decide" { 0 } else { 1 };
        assert_eq!(output.status.code(), Some(expected), "{name}");
        assert!(text(&output.stderr).contains("--no-such-option"), "{name}: {}", text(&output.stderr));
        if expected == 0 {
            let said = json(&output.stdout);
            assert!(said["systemMessage"].as_str().unwrap().contains("nothing was checked"), "{said}");
        }
    }
}

/// Inputs that are no well-formed hook payload, by name.
fn wrong_inputs() -> Vec<(&'static str, Vec<u8>)> {
    let mut deep = b"[".repeat(100_000);
    deep.extend(b"]".repeat(100_000));
    vec![
        ("empty", Vec::new()),
        ("blank", b" \n\t\n".to_vec()),
        ("not json", b"hello there\n".to_vec()),
        ("array", b"[1,2,3]\n".to_vec()),
        ("string", b"\"hook_event_name\"\n".to_vec()),
        ("null", b"null\n".to_vec()),
        ("empty object", b"{}\n".to_vec()),
        ("cut off", br#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"comm"#.to_vec()),
        ("invalid utf-8", b"{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Ba\xffsh\"}\n".to_vec()),
        ("nul bytes", vec![0; 1000]),
        ("deep", deep),
        ("unknown event", br#"{"hook_event_name":"Nonsense","session_id":"s"}"#.to_vec()),
        ("unknown tool", br#"{"hook_event_name":"PreToolUse","tool_name":"Nope","tool_input":{}}"#.to_vec()),
        ("missing fields", br#"{"hook_event_name":"PreToolUse"}"#.to_vec()),
        (
            "wrong types",
            br#"{"hook_event_name":"PreToolUse","tool_name":7,"tool_input":"x","session_id":{},"cwd":[1]}"#.to_vec(),
        ),
        (
            "command is no string",
            br#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":["rm"]}}"#.to_vec(),
        ),
        (
            "session is a path",
            br#"{"hook_event_name":"UserPromptSubmit","session_id":"../../x","prompt":"hi"}"#.to_vec(),
        ),
        (
            "session of 5,000 characters",
            format!(r#"{{"hook_event_name":"UserPromptSubmit","session_id":"{}","prompt":"hi"}}"#, "s".repeat(5000))
                .into_bytes(),
        ),
    ]
}

#[test]
fn no_input_makes_a_hook_fail_block_or_panic() {
    for (name, input) in wrong_inputs() {
        let place = Place::new();
        for args in [&[][..], &["--style", "envelope"], &["--style", "json", "--dry"]] {
            let output = place.run("kz-run", args, &input);
            assert_eq!(output.status.code(), Some(0), "{name} {args:?}: {}", text(&output.stderr));
            assert!(!text(&output.stderr).contains("fault of its own"), "{name}: {}", text(&output.stderr));
            for line in text(&output.stdout).lines() {
                let said = json(line.as_bytes());
                assert!(said["hookSpecificOutput"]["permissionDecision"].is_null(), "{name}: {said}");
            }
        }
        let piped = place.pipe(&[], &input);
        assert_eq!(piped.status.code(), Some(0), "{name}");
    }
}

#[test]
fn what_was_not_understood_is_told_to_the_user() {
    for (name, input) in wrong_inputs() {
        if !matches!(name, "empty" | "blank" | "not json" | "cut off" | "array" | "nul bytes" | "deep") {
            continue;
        }
        let place = Place::new();
        let output = place.run("kz-run", &[], &input);
        let said = json(&output.stdout);
        assert!(said["systemMessage"].is_string(), "{name}: {said}");
    }
}

#[test]
fn wrong_input_to_the_exit_style_exits_1() {
    let place = Place::new();
    for input in [&b""[..], b"not json\n"] {
        let output = place.run("kz-run", &["--style", "exit"], input);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(!output.stderr.is_empty());
    }
}

#[test]
fn exit_style_says_deny_with_2_and_the_reason() {
    let place = Place::new();
    let deny = place.bash("PreToolUse", "t1", "git push --force");
    for output in [place.run("kz-run", &["--style", "exit"], &deny), place.pipe(&["--style", "exit"], &deny)] {
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).trim_end().ends_with("[kz git/force-push]"), "{}", text(&output.stderr));
        assert!(output.stdout.is_empty());
    }
    let pass = place.run("kz-run", &["--style", "exit"], &place.bash("PreToolUse", "t2", "git status"));
    assert_eq!((pass.status.code(), pass.stdout.len(), pass.stderr.len()), (Some(0), 0, 0));
}

#[test]
fn two_documents_get_one_answer_and_the_strictest() {
    let place = Place::new();
    let mut input = place.bash("PreToolUse", "t1", "git status");
    input.extend(place.bash("PreToolUse", "t2", "git push --force"));
    input.extend(place.bash("PreToolUse", "t3", "ls"));
    let output = place.run("kz-run", &[], &input);
    let said = json(&output.stdout);
    assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "deny");
    let envelopes = place.run("kz-run", &["--style", "envelope"], &input);
    let ids: Vec<_> =
        text(&envelopes.stdout).lines().map(|line| json(line.as_bytes())["call"]["id"].to_string()).collect();
    assert_eq!(ids, ["\"t1\"", "\"t2\"", "\"t3\""]);
}

#[test]
fn pretty_printed_with_a_bom_and_garbage_around_it_is_read() {
    let place = Place::new();
    let value = json(&place.bash("PreToolUse", "t1", "git push --force"));
    let input = format!("\u{feff}{}\nnoise here\n{}", serde_json::to_string_pretty(&value).unwrap(), value);
    let output = place.run("kz-run", &[], input.as_bytes());
    let said = json(&output.stdout);
    assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "deny");
    assert!(said["systemMessage"].as_str().unwrap().contains("noise here"), "{said}");
}

#[test]
fn a_payload_of_64_mib_is_judged_and_a_larger_one_asks() {
    let place = Place::new();
    let payload = |bytes: usize, command: &str| {
        let mut value = json(&place.bash("PreToolUse", "t1", command));
        value["padding"] = "x".repeat(bytes).into();
        value.to_string().into_bytes()
    };
    let small = place.run("kz-run", &[], &payload((64 << 20) - 2048, "git push --force"));
    assert_eq!(json(&small.stdout)["hookSpecificOutput"]["permissionDecision"], "deny");
    let large = payload((64 << 20) + 2048, "ls");
    for (bounds, say) in [("ask", "ask"), ("deny", "deny")] {
        let mut command = place.command("kz-run", &[]);
        command.env("KZ_GUARD_BOUNDS", bounds);
        let output = feed(command, &large);
        let said = &json(&output.stdout)["hookSpecificOutput"];
        assert_eq!(said["permissionDecision"], say, "{}", text(&output.stdout));
        let reason = said["permissionDecisionReason"].as_str().unwrap();
        assert!(reason.contains("67108864 bytes") && reason.contains("payload/bound"), "{reason}");
    }
}

#[test]
fn where_nobody_can_answer_an_ask_is_what_config_says() {
    let place = Place::new();
    let call = |mode: &str, command: &str| {
        let mut value = json(&place.bash("PreToolUse", "", command));
        value["permission_mode"] = mode.into();
        value.to_string().into_bytes()
    };
    let say = |output: &Output| match output.stdout.as_slice() {
        [] => "nothing".to_owned(),
        bytes => json(bytes)["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or_default().to_owned(),
    };
    for (config, alone, exit) in [("", "deny", 2), ("[guard]\nask_when_unattended = \"abstain\"\n", "nothing", 0)] {
        place.write(".config/kz/config.toml", config);
        for (mode, expected) in [
            ("dontAsk", alone),
            ("bypassPermissions", alone),
            ("default", "ask"),
            ("acceptEdits", "ask"),
            ("plan", "ask"),
            ("auto", "ask"),
        ] {
            let input = call(mode, "sudo ls");
            let (fused, piped) = (place.run("kz-run", &[], &input), place.pipe(&[], &input));
            assert_eq!((say(&fused), say(&piped)), (expected.to_owned(), expected.to_owned()), "{mode} {config}");
        }
        // A host without a screen that goes by exit codes has nobody to ask, whatever its mode.
        let headless = place.run("kz-run", &["--style", "exit"], &call("default", "sudo ls"));
        assert_eq!(headless.status.code(), Some(exit), "{config}");
        // A deny is no question.
        assert_eq!(say(&place.run("kz-run", &[], &call("bypassPermissions", "rm -rf ~"))), "deny", "{config}");
    }
}

#[test]
fn a_filter_passes_on_what_it_does_not_understand() {
    let place = Place::new();
    for name in &PIPE[1..4] {
        let input = b"not an envelope\n{\"kz\":99,\"hook\":1.0,\"later\":[1.50]}\n\xff\xfe\n";
        let output = place.run(name, &[], input);
        let lines: Vec<&[u8]> = output.stdout.split(|byte| *byte == b'\n').collect();
        assert_eq!(lines[0], b"not an envelope", "{name}");
        assert!(lines[1].starts_with(b"{\"kz\":99,\"hook\":1.0,\"later\":[1.50],\"faults\":["), "{name}");
        assert_eq!(lines[2], b"\xff\xfe", "{name}");
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert_eq!(text(&output.stderr).lines().count(), 1, "{name}: {}", text(&output.stderr));
    }
}

#[test]
fn decide_without_a_line_says_that_nothing_was_checked() {
    let place = Place::new();
    let output = place.run("kz-decide", &[], b"");
    assert_eq!(output.status.code(), Some(0));
    assert!(json(&output.stdout)["systemMessage"].as_str().unwrap().contains("nothing was checked"));
}

#[test]
fn a_closed_pipe_is_nobodys_fault() {
    let place = Place::new();
    for name in ["kz-normalize", "kz-run"] {
        let mut command = place.command(name, if name == "kz-run" { &["--style", "envelope"] } else { &[] });
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut child = command.stdin(Stdio::piped()).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        drop(command);
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), &place.bash("PreToolUse", "t", "ls")).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{name}");
    }
}

#[test]
fn unknown_keys_of_an_envelope_survive_every_stage() {
    let place = Place::new();
    let normalized = place.run("kz-normalize", &[], &place.bash("PreToolUse", "t1", "cat a && git push -f"));
    let line = text(&normalized.stdout);
    let line = line.trim_end().strip_suffix('}').unwrap();
    let mut bytes = format!("{line},\"x\":{{\"jira\":{{\"n\":1.0}}}},\"zz\":[1e3]}}\n").into_bytes();
    for name in &PIPE[1..4] {
        bytes = place.run(name, &[], &bytes).stdout;
    }
    let output = place.run("kz-decide", &["--style", "envelope", "--dry"], &bytes);
    let out = text(&output.stdout);
    assert!(out.trim_end().ends_with("\"x\":{\"jira\":{\"n\":1.0}},\"zz\":[1e3]}"), "{out}");
}

#[test]
fn a_missing_home_is_no_obstacle() {
    let place = Place::new();
    let mut command = place.command("kz-run", &[]);
    command.env_remove("HOME").env("KZ_STATE", place.home.path().join("state"));
    let output = feed(command, &place.bash("PreToolUse", "t1", "git push --force"));
    assert_eq!(json(&output.stdout)["hookSpecificOutput"]["permissionDecision"], "deny");
}

/// Each would take hours if what feeds what were walked again for every way through the pipes.
#[test]
fn branched_pipes_are_judged_and_nothing_is_lost() {
    let place = Place::new();
    // As long as commands are, or there would be more of them than a text of that length may have.
    let cat = "cat -u -u -u -u; ";
    let branched = |cats: usize, stages: usize| vec![format!("{{ {}}}", cat.repeat(cats)); stages].join(" | ");
    for command in [
        format!("{} | sh; git push --force", branched(8, 10)),
        format!("cat a | {}; git push --force", branched(4, 14)),
        format!("{} | sh; git push --force", branched(60, 100)),
    ] {
        let output = place.run("kz-run", &["--dry"], &place.bash("PreToolUse", "t", &command));
        assert_eq!(json(&output.stdout)["hookSpecificOutput"]["permissionDecision"], "deny");
    }
}
