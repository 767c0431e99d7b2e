//! Rows of `tests/cases/shell`: a command and what the reader must say of it.
//!
//! A row is an object on a line of its own: `command`, `parts` and, where they matter, `why` (a
//! list, empty if the command is wholly understood) and `paths` (`write:out`, `read:?` if it is
//! not certain which). A part is in the wire form with `argv`, `assign`, `redirs`, `ctx`, `known`,
//! `turns` and `cwd`. What a row does not say is not compared. `run` says that bash may run the command,
//! with stubs for programs.

use kibitzer::call::Op;
use kibitzer::shell::{self, Operand, Part};
use serde_json::{Value, json};

/// The keys of a part that a row holds.
const KEYS: &[&str] = &["argv", "assign", "redirs", "ctx", "known", "cwd", "cwd_unknown", "turns"];

/// What the reader says of `command`, in the form of a row.
pub fn row(command: &str) -> Value {
    let read = shell::read(command);
    let parts: Vec<Value> = read.parts.iter().map(part).collect();
    let paths: Vec<String> = read.parts.iter().flat_map(shell::paths).map(|operand| path(&operand)).collect();
    json!({"command": command, "parts": parts, "why": read.why, "paths": paths})
}

fn part(part: &Part) -> Value {
    let mut value = serde_json::to_value(part).unwrap_or_default();
    let Some(row) = value.as_object_mut() else { return value };
    row.retain(|key, _| KEYS.contains(&key.as_str()));
    for turn in row.get_mut("turns").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(turn) = turn.as_object_mut() {
            turn.retain(|key, _| matches!(key.as_str(), "argv" | "known" | "cwd"));
        }
    }
    value
}

fn path(operand: &Operand) -> String {
    let op = match operand.op {
        Op::Read => "read",
        Op::Write => "write",
        Op::Delete => "delete",
        Op::List => "list",
    };
    let mark = if operand.sure { "" } else { "?" };
    format!("{op}{mark}:{}", operand.raw.text)
}
