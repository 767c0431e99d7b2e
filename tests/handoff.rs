//! The fleet: real programs in a scratch home, real files, real `tmux`, and processes killed half way.

use crate::support::{Place, feed, json, text};
use kibitzer::world::{Appended, Real, Stat, World};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const AGENT: &str = "a1b2c3d4";
const PLACEHOLDER: &str = "_(operator-triggered handoff — fill in before resuming)_";
/// A record as a fleet writes it, with fields that nobody here knows.
const RECORD: &str = r#"{
  "schema_version": 1,
  "id": "a1b2c3d4",
  "pid": 4242,
  "tmux_session": "fleet-a1b2c3d4",
  "engine": "claude",
  "mode": "execute",
  "task_id": "fix: \"quotes\"",
  "project": "demo",
  "review_round": 1e0,
  "context_pct": null,
  "future": {"deep": [1.0, 2e5,   "\u00e9"]},
  "last_handoff_path": "/old/one.md",
  "handoff_number": 2,
  "cwd": "/w",
  "spawned_at": "2025-11-30T10:00:00Z"
}
"#;

struct Fleet {
    place: Place,
}

impl Fleet {
    fn new() -> Self {
        let place = Place::new();
        place.write(&format!(".fleet/agents/{AGENT}.json"), RECORD);
        Self { place }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.home.path().join(".fleet").join(name)
    }

    fn set(&self, name: &str, value: Value) {
        let mut record = self.record();
        record[name] = value;
        self.place.write(&format!(".fleet/agents/{AGENT}.json"), &format!("{record:#}\n"));
    }

    fn record(&self) -> Value {
        json(&std::fs::read(self.path(&format!("agents/{AGENT}.json"))).unwrap())
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.path(folder))
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !name.starts_with('.'))
            .collect();
        names.sort();
        names
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn inbox(&self, text: &str) {
        self.place.write(&format!(".fleet/inbox/{AGENT}.md"), text);
    }

    fn transcript(&self, text: &[u8]) {
        std::fs::write(self.place.home.path().join("t.jsonl"), text).unwrap();
    }

    /// A transcript whose last row has so many thousand tokens of a window of 200.
    fn full(&self, thousands: u64) {
        self.transcript((row(thousands) + "\n").as_bytes());
    }

    fn payload(&self, event: &str, more: Value) -> Vec<u8> {
        let mut payload = json!({
            "session_id": "5b1f0c1e-0000-4000-8000-000000000001", "cwd": self.place.project(),
            "transcript_path": self.place.home.path().join("t.jsonl"), "hook_event_name": event,
        });
        if event == "Stop" {
            payload["stop_hook_active"] = false.into();
        }
        for (key, value) in more.as_object().unwrap() {
            payload[key] = value.clone();
        }
        format!("{payload}\n").into_bytes()
    }

    fn command(&self, name: &str, args: &[&str]) -> Command {
        let mut command = self.place.command(name, args);
        command.env("FLEET_AGENT_ID", AGENT);
        command
    }

    fn fire(&self, event: &str, more: Value) -> Output {
        let output = feed(self.command("kz-run", &["fleet"]), &self.payload(event, more));
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        output
    }

    /// What a Stop hook says to the agent; empty if nothing.
    fn stop(&self) -> String {
        reason(&self.fire("Stop", json!({})))
    }

    /// So many minutes later.
    fn later(&mut self, minutes: i64) {
        self.place.now += minutes * 60_000;
    }

    /// A `tmux` that shows this pane, and notes how it was called.
    fn tmux(&self, pane: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = self.place.home.path().join("bin/tmux");
        let log = self.place.home.path().join("tmux.log");
        self.place.write("bin/pane", pane);
        let script = format!(
            "#!/bin/sh\necho \"$@\" >> {}\nexec /bin/cat {}/bin/pane\n",
            log.display(),
            self.place.home.path().display()
        );
        self.place.write("bin/tmux", &script);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn with_tmux(&self, event: &str, more: Value) -> Output {
        let mut command = self.command("kz-run", &["fleet"]);
        command.env("PATH", self.place.home.path().join("bin"));
        feed(command, &self.payload(event, more))
    }

    fn tmux_calls(&self) -> String {
        std::fs::read_to_string(self.place.home.path().join("tmux.log")).unwrap_or_default()
    }
}

fn row(thousands: u64) -> String {
    json!({"type": "assistant", "isSidechain": false, "message": {"model": "claude-opus-4-5",
        "usage": {"input_tokens": 10, "cache_read_input_tokens": thousands * 1000 - 10, "output_tokens": 900_000}}})
    .to_string()
}

fn reason(output: &Output) -> String {
    if output.stdout.is_empty() {
        return String::new();
    }
    let answer = json(&output.stdout);
    assert_eq!(answer["decision"], "block", "{answer}");
    answer["reason"].as_str().unwrap().to_owned()
}

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
fn damaged_transcripts_give_what_their_last_whole_row_says() {
    let side = row(180).replace("\"isSidechain\":false", "\"isSidechain\":true");
    let synthetic = row(190).replace("claude-opus-4-5", "<synthetic>");
    let bare = r#"{"type":"assistant","message":{"model":"claude-opus-4-5","usage":{}}}"#;
    let uncached = r#"{"type":"assistant","message":{"model":"claude-opus-4-5","usage":{"input_tokens":60000}}}"#;
    let nested = format!(r#"{{"type":"progress","data":{{"message":{}}}}}"#, row(170));
    let summary = r#"{"type":"system","subtype":"compact_boundary"}"#;
    let long = format!("{{\"type\":\"user\",\"text\":\"{}\"}}", "x".repeat(300_000));
    let cases: Vec<(&str, Vec<u8>, Option<f64>)> = vec![
        ("plain", format!("{}\n", row(60)).into(), Some(30.0)),
        ("no newline at the end", row(60).into(), Some(30.0)),
        ("sidechain last", format!("{}\n{side}\n", row(60)).into(), Some(30.0)),
        ("synthetic last", format!("{}\n{synthetic}\n", row(60)).into(), Some(30.0)),
        ("usage without numbers", format!("{}\n{bare}\n", row(60)).into(), Some(30.0)),
        ("no cache fields", format!("{uncached}\n").into(), Some(30.0)),
        ("half-written last row", format!("{}\n{}", row(60), &row(90)[..50]).into(), Some(30.0)),
        (
            "half-written, then a row on the same line",
            format!("{}{}\n", &row(90)[..50], row(60).replacen('{', "{\"parentUuid\":null,", 1)).into(),
            Some(30.0),
        ),
        ("two on a line", format!("{{\"type\":\"user\"}}{}\n", row(60)).into(), Some(30.0)),
        ("two measurements on a line", format!("{}{}\n", row(80), row(60)).into(), Some(30.0)),
        ("garbage between", format!("{}\n{{bad\n\u{1}\u{2}\n]]\n", row(60)).into(), Some(30.0)),
        ("bytes that are no text", [row(60).as_bytes(), b"\n\xff\xfe{\"assistant\"\"usage\"\n"].concat(), Some(30.0)),
        ("a subagent's row in a progress row", format!("{}\n{nested}\n", row(60)).into(), Some(30.0)),
        ("behind long rows", format!("{}\n{long}\n{long}\n", row(60)).into(), Some(30.0)),
        ("a compaction", format!("{}\n{summary}\n", row(160)).into(), None),
        ("a row after the compaction", format!("{}\n{summary}\n{}\n", row(160), row(60)).into(), Some(30.0)),
        ("beyond a mebibyte", format!("{}\n{}\n{long}\n{long}\n", row(60), "x".repeat(600_000)).into(), None),
        ("no assistant yet", b"{\"type\":\"user\"}\n".to_vec(), None),
        ("empty", Vec::new(), None),
        ("UTF-16, little end first", utf16(&format!("{}\r\n", row(60)), u16::to_le_bytes), Some(30.0)),
        ("UTF-16, big end first", utf16(&format!("{}\n{side}\n", row(60)), u16::to_be_bytes), Some(30.0)),
        ("a whole JSON file of another program", b"{\n  \"info\": {},\n  \"messages\": []\n}\n".to_vec(), None),
    ];
    for (name, bytes, want) in cases {
        let fleet = Fleet::new();
        fleet.transcript(&bytes);
        let output = fleet.fire("Stop", json!({}));
        assert_eq!(fleet.record()["context_pct"].as_f64(), want, "{name}");
        let source = if want.is_some() { "transcript" } else { "none" };
        assert_eq!(fleet.record()["context_source"], source, "{name}");
        assert!(output.stderr.is_empty() && output.stdout.is_empty(), "{name}: {output:?}");
    }
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect()
}

#[test]
fn the_window_comes_from_the_longest_name_or_from_the_agent() {
    let fleet = Fleet::new();
    let usage = |model: &str| row(100).replace("claude-opus-4-5", model) + "\n";
    for (model, want) in [("claude-sonnet-4-5-20250929", Some(50.0)), ("claude-next-9", None)] {
        fleet.transcript(usage(model).as_bytes());
        let output = fleet.fire("Stop", json!({"stop_hook_active": true}));
        assert_eq!(fleet.record()["context_pct"].as_f64(), want, "{model}");
        let hint = text(&output.stdout).contains("handoff.limits");
        assert_eq!(hint, want.is_none(), "{model}");
    }
    // The hint comes once a session.
    assert!(fleet.fire("Stop", json!({})).stdout.is_empty());
    fleet
        .place
        .write(".config/kz/config.toml", "[handoff.limits]\n\"claude-sonnet-4\" = 400000\n\"claude-next\" = 1000000\n");
    for (model, want) in [("claude-sonnet-4-5", 25.0), ("claude-next-9", 10.0)] {
        fleet.transcript(usage(model).as_bytes());
        fleet.fire("Stop", json!({}));
        assert_eq!(fleet.record()["context_pct"].as_f64(), Some(want), "{model}");
    }
    let mut command = fleet.command("kz-run", &["fleet"]);
    command.env("FLEET_CONTEXT_LIMIT", "500000");
    feed(command, &fleet.payload("Stop", json!({})));
    assert_eq!(fleet.record()["context_pct"].as_f64(), Some(20.0));
}

#[test]
fn an_old_transcript_of_another_session_says_nothing() {
    let fleet = Fleet::new();
    let with = |session: &str, at: &str| {
        let mut value = json(row(150).as_bytes());
        value["sessionId"] = session.into();
        value["timestamp"] = at.into();
        fleet.transcript(format!("{value}\n").as_bytes());
        fleet.fire("Stop", json!({}));
        fleet.record()["context_pct"].as_f64()
    };
    let own = "5b1f0c1e-0000-4000-8000-000000000001";
    assert_eq!(with("other", "2025-11-30T13:30:00Z"), None);
    assert!(fleet.names("queue").is_empty());
    assert_eq!(with("other", "2025-11-30T14:18:00Z"), Some(75.0));
    assert_eq!(with(own, "2025-11-30T13:30:00Z"), Some(75.0));
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
fn real_tmux_shows_its_pane() {
    let Some(tmux) =
        ["/usr/bin/tmux", "/bin/tmux", "/usr/local/bin/tmux"].into_iter().find(|path| Path::new(path).exists())
    else {
        // Past the capture of the test harness: a skipped check is told.
        io::Write::write_all(&mut io::stderr(), b"skipped: there is no tmux here\n").unwrap();
        return;
    };
    let fleet = Fleet::new();
    // A server of its own, which the programs find by its folder.
    let folder = fleet.place.home.path().join("tmux");
    std::fs::create_dir_all(&folder).unwrap();
    let run = |args: &[&str]| {
        Command::new(tmux)
            .args(args)
            .env("TMUX_TMPDIR", &folder)
            .env("TERM", "xterm")
            .env_remove("TMUX")
            .output()
            .unwrap()
    };
    fleet.place.write("say.sh", "echo wrapped up; echo MILESTONE; exec sleep 600\n");
    let script = fleet.place.home.path().join("say.sh");
    let started = run(&[
        "-f",
        "/dev/null",
        "new-session",
        "-d",
        "-s",
        "fleet-a1b2c3d4",
        "-x",
        "80",
        "-y",
        "24",
        &format!("sh {}", script.display()),
    ]);
    assert!(started.status.success(), "{started:?}");
    while !text(&run(&["capture-pane", "-t", "fleet-a1b2c3d4", "-p"]).stdout).contains("MILESTONE") {
        std::thread::yield_now();
    }
    fleet.full(100);
    let fire = || {
        let mut command = fleet.command("kz-run", &["fleet"]);
        command.env("PATH", Path::new(tmux).parent().unwrap()).env("TMUX_TMPDIR", &folder).env("TERM", "xterm");
        feed(command, &fleet.payload("Stop", json!({})))
    };
    assert!(reason(&fire()).starts_with("HANDOFF REQUESTED"));
    fire();
    run(&["kill-server"]);
    let document = fleet.read(&format!("handoffs/{}", fleet.names("handoffs")[0]));
    assert!(document.contains("## Completed\n```\nwrapped up\nMILESTONE\n```\n"), "{document}");
    assert!(document.contains("handoff_type: \"auto-yellow\""));
}

#[test]
fn a_tmux_that_hangs_is_not_waited_for() {
    let fleet = Fleet::new();
    fleet.full(150);
    fleet.tmux("");
    fleet.place.write("bin/tmux", "#!/bin/sh\nsleep 600 &\nwait\n");
    let mut command = fleet.command("kz-run", &["fleet"]);
    command.env("PATH", format!("{}:/usr/bin:/bin", fleet.place.home.path().join("bin").display()));
    feed(command, &fleet.payload("Stop", json!({})));
    let document = fleet.read(&format!("handoffs/{}", fleet.names("handoffs")[0]));
    assert!(document.contains(&format!("## Completed\n{PLACEHOLDER}\n")), "{document}");
}

/// The machine, but for one thing: the process is killed before its `left`th change of a file.
struct Dying {
    real: Real,
    left: AtomicU32,
}

impl Dying {
    fn change(&self) {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 0 {
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        }
    }
}

impl World for Dying {
    fn now(&self) -> i64 {
        self.real.now()
    }
    fn env(&self, key: &str) -> Option<String> {
        self.real.env(key)
    }
    fn passwd_home(&self) -> Option<PathBuf> {
        self.real.passwd_home()
    }
    fn uid(&self) -> u32 {
        self.real.uid()
    }
    fn current_dir(&self) -> Option<PathBuf> {
        self.real.current_dir()
    }
    fn stat(&self, path: &Path) -> Option<Stat> {
        self.real.stat(path)
    }
    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        self.real.read(path, max)
    }
    fn read_end(&self, path: &Path, from: u64, max: u64) -> io::Result<(u64, Vec<u8>)> {
        self.real.read_end(path, from, max)
    }
    fn resolve(&self, path: &Path) -> PathBuf {
        self.real.resolve(path)
    }
    fn which(&self, program: &str) -> Option<PathBuf> {
        self.real.which(program)
    }
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.change();
        self.real.make_folder(path)
    }
    fn append(&self, path: &Path, since: u64, choose: &mut dyn FnMut(&[u8]) -> Vec<u8>) -> io::Result<Appended> {
        self.change();
        self.real.append(path, since, choose)
    }
    fn locked(&self, path: &Path, limit: Duration, act: &mut dyn FnMut(&[u8]) -> Vec<u8>) -> io::Result<bool> {
        self.change();
        self.real.locked(path, limit, &mut |region| {
            let lines = act(region);
            self.change();
            lines
        })
    }
    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.change();
        self.real.replace(path, bytes)
    }
    fn replace_synced(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.change();
        self.real.replace_synced(path, bytes)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.change();
        self.real.rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.change();
        self.real.remove(path)
    }
    fn list(&self, path: &Path, max: usize) -> io::Result<Vec<OsString>> {
        self.real.list(path, max)
    }
    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.change();
        self.real.remove_folder(path)
    }
}

/// The hook of a process that dies: started by the test below, does nothing in an ordinary run.
#[test]
fn hook_of_a_dying_process() {
    use kibitzer::pipeline::{Pipeline, Sink, Style, Trace};
    use kibitzer::stage::source::Source;
    use kibitzer::stage::{Contexts, Memory};
    use kibitzer::wire::framing::Frames;
    let Some(left) = std::env::var("KZ_TEST_DIES_AT").ok().and_then(|text| text.parse().ok()) else { return };
    let world = Dying { real: Real::new(), left: AtomicU32::new(left) };
    let payload = std::fs::read(std::env::var("KZ_TEST_PAYLOAD").unwrap()).unwrap();
    let (pipeline, _) = Pipeline::find("fleet", &world).unwrap();
    let mut contexts = Contexts::new(&world, kibitzer::config::Options::default());
    let mut source = Source::new(&world, &pipeline.names());
    let mut sink = Sink::new(Style::Auto, false, Some(source.store().clone()), &world);
    for item in Frames::new(payload) {
        let mut envelope = source.envelope(item, &mut contexts).unwrap();
        let cx = contexts.of(&envelope.call.root);
        pipeline.run(&mut envelope, cx, &mut Memory::default(), &mut Trace::default());
        sink.take(envelope, &cx.config);
    }
    let (answer, later) = sink.finish();
    std::fs::write(std::env::var("KZ_TEST_ANSWER").unwrap(), answer.out).unwrap();
    later.perform(true);
}

#[test]
fn killed_between_any_two_changes_the_next_hooks_finish_the_work() {
    use std::os::unix::process::ExitStatusExt;
    for (event, thousands) in [("Stop", 150), ("Stop", 100), ("PreCompact", 150)] {
        let mut deaths = 0;
        for left in 0..40 {
            let mut fleet = Fleet::new();
            fleet.full(thousands);
            fleet.inbox("hello");
            let answer = fleet.place.home.path().join("answer");
            fleet.place.write("payload", &text(&fleet.payload(event, json!({}))));
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", "handoff::hook_of_a_dying_process", "--nocapture"]).env_clear();
            fleet.command("kz-run", &[]).get_envs().for_each(|(key, value)| {
                command.env(key, value.unwrap());
            });
            command
                .env("KZ_TEST_DIES_AT", left.to_string())
                .env("KZ_TEST_PAYLOAD", fleet.place.home.path().join("payload"))
                .env("KZ_TEST_ANSWER", &answer)
                .current_dir(fleet.place.project());
            let status = command.output().unwrap().status;
            let killed = status.signal() == Some(9);
            assert!(killed || status.success(), "{status:?}");
            deaths += usize::from(killed);
            let before = std::fs::read_to_string(&answer).unwrap_or_default();
            // What a reader may meet now: whole files only, and no queue file without its document.
            assert_eq!(fleet.record()["future"], json!({"deep": [1.0, 2e5, "é"]}), "{left}");
            for name in fleet.names("queue") {
                let queue = json(fleet.read(&format!("queue/{name}")).as_bytes());
                let new = queue["new_agent_id"].as_str().unwrap();
                assert_eq!(queue["new_session"], format!("fleet-{new}"));
                let document = std::fs::read_to_string(queue["handoff_doc"].as_str().unwrap()).unwrap();
                assert!(document.ends_with(&format!("{PLACEHOLDER}\n")));
            }
            let queue = fleet.names("queue").first().map(|name| fleet.read(&format!("queue/{name}")));
            // The next hooks of the same session.
            fleet.later(1);
            let mut heard = before.clone();
            for event in [event, "Stop"] {
                heard.push_str(&text(&fleet.fire(event, json!({})).stdout));
            }
            assert!(heard.contains("[OPERATOR] hello"), "{event} {left}: at least once");
            assert_eq!(fleet.names("inbox"), ["archive"], "{event} {left}");
            assert_eq!(fleet.names("inbox/archive").len(), 1);
            if thousands == 150 {
                assert_eq!(fleet.names("queue").len(), 1, "{event} {left}");
                let now = fleet.read("queue/spawn-fresh-a1b2c3d4.json");
                assert!(queue.is_none_or(|queue| queue == now), "a queue file is never replaced");
                let kind = if event == "Stop" { "auto-red" } else { "precompact" };
                assert_eq!(fleet.record()["handoff_type"], kind, "{left}");
            } else {
                assert_eq!(fleet.record()["handoff_type"], "auto-yellow", "{left}");
                assert!((1..=2).contains(&heard.matches("HANDOFF REQUESTED").count()), "{left}");
            }
            if !killed {
                break;
            }
        }
        assert!(deaths >= 5, "{event} {thousands}: {deaths}");
    }
}
