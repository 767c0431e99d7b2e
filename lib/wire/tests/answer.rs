//! Answers, held to the contract.

use super::*;

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
