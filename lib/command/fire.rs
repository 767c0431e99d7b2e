//! Fires a registered hook for real: the very command line, through a shell, as the host does.

use serde_json::{Value, json};
use std::fs::{self, DirBuilder};
use std::io::{Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// The command that must be refused.
pub const MUST_DENY: &str = "git push --force";

/// Rule that refuses it.
pub const MUST_DENY_RULE: &str = "git/force-push";

/// A hook that takes longer counts as one that does not answer.
const LIMIT: Duration = Duration::from_secs(10);

/// What is read of an answer.
const MAX_ANSWER: u64 = 1 << 20;

/// What a hook answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It said no, with this reason.
    Denied(String),
    /// It wants a person asked, with this reason.
    Asked(String),
    /// It let the call run, or could not be run: what was seen instead.
    Passed(String),
}

/// Runs a hook command with the must-deny call. State goes to a scratch folder.
pub fn fire(command: &str, folder: &Path) -> Answer {
    // Two at once in one process must not remove each other's folder.
    static FIRED: AtomicU32 = AtomicU32::new(0);
    let name = format!("kz-selftest-{}-{}", std::process::id(), FIRED.fetch_add(1, Ordering::Relaxed));
    let scratch = std::env::temp_dir().join(&name);
    let _ = fs::remove_dir_all(&scratch);
    if let Err(error) = DirBuilder::new().mode(0o700).create(&scratch) {
        return Answer::Passed(format!("no scratch folder {}: {}", scratch.display(), error.kind()));
    }
    let payload = json!({
        "session_id": name,
        "transcript_path": scratch.join("none.jsonl"),
        "cwd": folder,
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": { "command": MUST_DENY, "description": "kz checks that its hook answers" },
        "tool_use_id": name,
    });
    let answer = run(command, folder, &scratch, &format!("{payload}\n"));
    let _ = fs::remove_dir_all(&scratch);
    answer
}

fn run(command: &str, folder: &Path, scratch: &Path, payload: &str) -> Answer {
    let child = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .env("KZ_STATE", scratch)
        .env("CLAUDE_PROJECT_DIR", folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return Answer::Passed(format!("`sh` does not start: {}", error.kind())),
    };
    let out = child.stdout.take().map(collect);
    let err = child.stderr.take().map(collect);
    if let Some(mut input) = child.stdin.take() {
        // A program that does not read its input is no error here: its answer tells.
        let _ = input.write_all(payload.as_bytes());
    }
    let Some(code) = wait(&mut child) else {
        return Answer::Passed(format!("no answer within {} s", LIMIT.as_secs()));
    };
    let text = |channel: Option<Receiver<Vec<u8>>>| {
        let bytes = channel.and_then(|channel| channel.recv_timeout(Duration::from_secs(1)).ok()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).trim().to_owned()
    };
    judge(code, &text(out), &text(err))
}

/// Reads a pipe aside, so that a full one does not stop the hook.
fn collect(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = (&mut pipe).take(MAX_ANSWER).read_to_end(&mut bytes);
        let _ = send.send(bytes);
    });
    receive
}

/// The exit code, or nothing if it had to be stopped.
fn wait(child: &mut Child) -> Option<String> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.to_string()),
            Ok(None) if start.elapsed() < LIMIT => std::thread::sleep(Duration::from_millis(3)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    }
}

fn judge(code: String, out: &str, err: &str) -> Answer {
    let answer: Value = serde_json::from_str(out).unwrap_or_default();
    let said = answer.get("hookSpecificOutput").unwrap_or(&Value::Null);
    let text = |key: &str| said.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    match (text("permissionDecision").as_str(), text("hookEventName").as_str()) {
        ("deny", "PreToolUse") => Answer::Denied(text("permissionDecisionReason")),
        ("ask", "PreToolUse") => Answer::Asked(text("permissionDecisionReason")),
        _ => {
            let shown = |name: &str, text: &str| match text {
                "" => format!("nothing on {name}"),
                text => format!("{name}: {}", text.chars().take(400).collect::<String>()),
            };
            Answer::Passed(format!("{code}, {}, {}", shown("stdout", out), shown("stderr", err)))
        }
    }
}
