//! One folder and one environment a test.

pub mod rows;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// The programs of this package, by name.
pub fn program(name: &str) -> PathBuf {
    match name {
        "kz" => env!("CARGO_BIN_EXE_kz"),
        "kz-run" => env!("CARGO_BIN_EXE_kz-run"),
        "kz-normalize" => env!("CARGO_BIN_EXE_kz-normalize"),
        "kz-classify" => env!("CARGO_BIN_EXE_kz-classify"),
        "kz-guard" => env!("CARGO_BIN_EXE_kz-guard"),
        "kz-ladder" => env!("CARGO_BIN_EXE_kz-ladder"),
        "kz-handoff" => env!("CARGO_BIN_EXE_kz-handoff"),
        "kz-decide" => env!("CARGO_BIN_EXE_kz-decide"),
        other => panic!("no program {other}"),
    }
    .into()
}

/// All stage programs of the default pipeline in order.
pub const PIPE: [&str; 5] = ["kz-normalize", "kz-classify", "kz-guard", "kz-ladder", "kz-decide"];

/// A scratch home with a project in it.
pub struct Place {
    pub home: TempDir,
    pub now: i64,
}

impl Place {
    pub fn new() -> Self {
        let home = TempDir::new().unwrap();
        std::fs::create_dir_all(home.path().join("project/src")).unwrap();
        std::fs::create_dir_all(home.path().join("project/.git")).unwrap();
        Self { home, now: 1_764_512_345_123 }
    }

    pub fn project(&self) -> PathBuf {
        self.home.path().join("project")
    }

    pub fn state(&self) -> PathBuf {
        self.home.path().join(".local/state/kz")
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.home.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn command(&self, name: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program(name));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.home.path())
            .env("PATH", program("kz").parent().unwrap())
            .env("KZ_NOW", self.now.to_string())
            .env("CLAUDE_PROJECT_DIR", self.project())
            .current_dir(self.project());
        command
    }

    pub fn run(&self, name: &str, args: &[&str], input: &[u8]) -> Output {
        feed(self.command(name, args), input)
    }

    /// The input through all five programs, with these options for the last one.
    pub fn pipe(&self, last: &[&str], input: &[u8]) -> Output {
        let mut bytes = input.to_vec();
        for name in &PIPE[..4] {
            let output = self.run(name, &[], &bytes);
            assert!(output.status.success(), "{name}: {output:?}");
            bytes = output.stdout;
        }
        self.run(PIPE[4], last, &bytes)
    }

    /// A Bash call as Claude Code sends it.
    pub fn bash(&self, event: &str, id: &str, command: &str) -> Vec<u8> {
        let mut payload = serde_json::json!({
            "session_id": "5b1f0c1e-0000-4000-8000-000000000001",
            "transcript_path": self.home.path().join("none.jsonl"),
            "cwd": self.project(), "permission_mode": "default", "hook_event_name": event,
            "tool_name": "Bash", "tool_input": {"command": command, "description": "x"}, "tool_use_id": id,
        });
        if event == "PostToolUse" {
            payload["tool_response"] =
                serde_json::json!({"stdout": "x", "stderr": "", "interrupted": false, "isImage": false});
        }
        format!("{payload}\n").into_bytes()
    }

    pub fn files(&self) -> Vec<PathBuf> {
        fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                match entry.path() {
                    path if path.is_dir() => walk(&path, out),
                    path => out.push(path),
                }
            }
        }
        let mut out = Vec::new();
        walk(&self.state(), &mut out);
        out.sort();
        out
    }
}

/// Starts a command, feeds it and waits.
pub fn feed(command: Command, input: &[u8]) -> Output {
    assert_cmd::Command::from_std(command).write_stdin(input).output().unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

pub fn json(bytes: &[u8]) -> serde_json::Value {
    serde_json::from_slice(bytes).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(bytes)))
}

/// Payloads captured from the real client, by file name.
pub fn fixtures() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/claude-code");
    let mut out: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "json"))
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()))
        .filter(|(name, _)| name != "INDEX.json" && name != "env.json")
        .collect();
    out.sort();
    assert!(out.len() > 50, "the fixtures are missing");
    out
}
