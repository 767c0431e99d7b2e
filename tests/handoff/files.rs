//! What is written, byte for byte, and where never.

use super::*;

#[test]
fn the_merge_changes_our_fields_and_leaves_every_other_byte() {
    let fleet = Fleet::new();
    fleet.full(40);
    fleet.stop();
    let want = RECORD.replace("\"context_pct\": null", "\"context_pct\": 20.0").replace(
        "10:00:00Z\"\n}",
        "10:00:00Z\",\n  \"last_activity_ts\": \"2025-11-30T14:19:05Z\",\n  \"context_source\": \"transcript\",\n  \
         \"needs_input\": true,\n  \"inbox_pending\": false\n}",
    );
    assert_eq!(fleet.read(&format!("agents/{AGENT}.json")), want);
}

#[test]
fn red_writes_document_and_queue_byte_for_byte() {
    let fleet = Fleet::new();
    fleet.full(150);
    fleet.tmux("one\n``` two\nthree\n\n");
    assert!(fleet.with_tmux("Stop", json!({})).stdout.is_empty());
    let name = fleet.names("handoffs")[0].clone();
    assert!(
        name.starts_with("a1b2c3d4-20251130T141905Z-") && name.len() == "a1b2c3d4-20251130T141905Z-01234567.md".len()
    );
    let document = format!(
        "---\nagent_id: \"a1b2c3d4\"\ntask_id: \"fix: \\\"quotes\\\"\"\nproject: \"demo\"\ncontext_pct_at_handoff: 75.0\n\
         previous_handoff: \"/old/one.md\"\nhandoff_number: 2\ntimestamp: \"2025-11-30T14:19:05Z\"\n\
         handoff_type: \"auto-red\"\n---\n\n## Completed\n````\none\n``` two\nthree\n````\n\n## Key Decisions\n{PLACEHOLDER}\n\n\
         ## Files Modified\n{PLACEHOLDER}\n\n## Open Questions\n{PLACEHOLDER}\n\n## Next Steps (prioritized)\n{PLACEHOLDER}\n"
    );
    assert_eq!(fleet.read(&format!("handoffs/{name}")), document);
    let text = fleet.read("queue/spawn-fresh-a1b2c3d4.json");
    let new = json(text.as_bytes())["new_agent_id"].as_str().unwrap().to_owned();
    let path = fleet.path("handoffs").join(&name);
    let queue = format!(
        "{{\n  \"schema_version\": 1,\n  \"old_agent_id\": \"a1b2c3d4\",\n  \"handoff_doc\": \"{}\",\n  \"project\": \"demo\",\n  \
         \"task_id\": \"fix: \\\"quotes\\\"\",\n  \"new_agent_id\": \"{new}\",\n  \"new_session\": \"fleet-{new}\",\n  \
         \"enqueued_at\": \"2025-11-30T14:19:05Z\"\n}}\n",
        path.display()
    );
    assert_eq!(text, queue);
    assert!(new.len() == 8 && new != AGENT && new.bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert_eq!(fleet.record()["handoff_type"], "auto-red");
}

#[test]
fn what_we_write_is_read_by_line_prefix() {
    let fleet = Fleet::new();
    let odd = "a: b\n---\nagent_id: \"evil\"\t\u{1}\u{e9}\u{2028}\\";
    fleet.set("task_id", odd.into());
    fleet.set("last_handoff_path", Value::Null);
    fleet.full(150);
    fleet.stop();
    let document = fleet.read(&format!("handoffs/{}", fleet.names("handoffs")[0]));
    let field = |name: &str| {
        let mut rows = document.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        let row = rows.next().unwrap().to_owned();
        assert_eq!(rows.next(), None, "{name} stands once");
        row
    };
    assert_eq!(field("agent_id"), "\"a1b2c3d4\"");
    assert_eq!(field("task_id"), r#""a: b\n---\nagent_id: \"evil\"\t\x01é\u2028\\""#);
    assert_eq!(field("previous_handoff"), "null");
    assert_eq!(document.lines().filter(|line| *line == "---").count(), 2);
    let heads: Vec<&str> = document.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(heads, ["Completed", "Key Decisions", "Files Modified", "Open Questions", "Next Steps (prioritized)"]);
    let queue = json(fleet.read("queue/spawn-fresh-a1b2c3d4.json").as_bytes());
    assert_eq!(queue["task_id"], odd);
    assert_eq!(std::fs::read_to_string(queue["handoff_doc"].as_str().unwrap()).unwrap(), document);
}

#[test]
fn a_record_that_is_missing_or_no_record_is_never_made_up() {
    for bad in [None, Some("{\"id\": \"a1b2"), Some("[]"), Some("{\"id\": \"ffffffff\"}")] {
        let fleet = Fleet::new();
        let path = fleet.path(&format!("agents/{AGENT}.json"));
        match bad {
            None => std::fs::remove_file(&path).unwrap(),
            Some(text) => std::fs::write(&path, text).unwrap(),
        }
        fleet.full(150);
        fleet.inbox("hello");
        let output = fleet.fire("Stop", json!({}));
        assert!(text(&output.stdout).contains("[OPERATOR] hello"), "{bad:?}");
        assert!(text(&output.stderr).contains("health record"), "{bad:?}: {}", text(&output.stderr));
        assert_eq!(std::fs::read_to_string(&path).ok().as_deref(), bad);
        assert!(fleet.names("handoffs").is_empty() && fleet.names("queue").is_empty());
        let ledger = std::fs::read_to_string(fleet.place.state().join("ledger.jsonl")).unwrap();
        assert!(ledger.contains("\"kind\":\"fault\"") && ledger.contains("health record"), "{ledger}");
    }
}

#[test]
fn nothing_is_written_outside_the_fleets_folder() {
    let fleet = Fleet::new();
    let outside = fleet.place.home.path().join("outside");
    std::fs::create_dir_all(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, fleet.path("handoffs")).unwrap();
    fleet.full(150);
    let output = fleet.fire("Stop", json!({}));
    assert!(text(&output.stderr).contains("leads out of the fleet's"), "{}", text(&output.stderr));
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
    assert!(fleet.names("queue").is_empty(), "no queue file without its document");
    assert!(fleet.record().get("handoff_type").is_none(), "and no mark in the record");
    assert_eq!(fleet.record()["context_pct"], 75.0);
    let mut command = fleet.command("kz-run", &["fleet"]);
    command.env("FLEET_HOME", "relative");
    let output = feed(command, &fleet.payload("Stop", json!({})));
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("no absolute path"));
    assert!(!fleet.place.project().join("relative").exists());
}

#[test]
fn piped_is_fused_with_a_fleet() {
    for event in ["Stop", "PreCompact", "SessionStart", "UserPromptSubmit"] {
        for thousands in [40, 100, 150] {
            let (piped, fused) = (Fleet::new(), Fleet::new());
            for fleet in [&piped, &fused] {
                fleet.full(thousands);
                fleet.inbox("hello");
            }
            let mut bytes = piped.payload(event, json!({"source": "startup"}));
            let stages: &[(&str, &[&str])] = &[
                ("kz-normalize", &["--for", "classify,guard,ladder,handoff"]),
                ("kz-classify", &[]),
                ("kz-guard", &[]),
                ("kz-ladder", &[]),
                ("kz-handoff", &[]),
            ];
            for (name, args) in stages {
                bytes = feed(piped.command(name, args), &bytes).stdout;
            }
            let style = ["--style", "envelope"];
            let a = feed(piped.command("kz-decide", &style), &bytes).stdout;
            let b = feed(
                fused.command("kz-run", &["fleet", "--style", "envelope"]),
                &fused.payload(event, json!({"source": "startup"})),
            )
            .stdout;
            // Names are made from the folder too, so what differs by it is taken out.
            let clean = |fleet: &Fleet, bytes: &[u8]| {
                let mut text = text(bytes).replace(&fleet.place.home.path().display().to_string(), "HOME");
                let names = json(text.as_bytes())["facts"]["session"]["handoff"].clone();
                for key in ["successor", "document"] {
                    if let Some(name) = names[key].as_str().filter(|name| !name.is_empty()) {
                        text = text.replace(name, key);
                    }
                }
                text
            };
            assert_eq!(clean(&piped, &a), clean(&fused, &b), "{event} {thousands}");
            assert_eq!(piped.record(), fused.record());
            assert_eq!(piped.names("inbox/archive"), fused.names("inbox/archive"));
        }
    }
}
