//! The fleet: real programs in a scratch home, real files, real `tmux`, and processes killed half way.

mod due;
mod files;
mod inbox;
mod killed;
mod pane;
mod transcript;

use crate::support::{Place, feed, json, text};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Output};

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
