//! `cargo run --example shell-tricky -- FILE`: reads a file of hand-checked commands and compares.
//!
//! A row is `{"id", "cmd", "valid", "commands"}`; a command is `argv` and, where there are any,
//! `assign`, `redirs` and `ctx`, in the wire form of a part. Order does not matter.

use std::io::Write as _;
use std::process::ExitCode;

use kibitzer::shell;
use serde_json::{Value, json};

fn main() -> ExitCode {
    let mut out = std::io::stdout().lock();
    match run(&mut out) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "shell-tricky: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(out: &mut impl std::io::Write) -> Result<bool, Box<dyn std::error::Error>> {
    let path = std::env::args()
        .nth(1)
        .ok_or("which file? usage: shell-tricky FILE")?;
    let text = std::fs::read_to_string(&path).map_err(|error| format!("`{path}`: {error}"))?;
    let (mut all, mut exact) = (0, 0);
    for (number, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let wrong = |what: &str| format!("`{path}`, line {}: {what}", number + 1);
        let row: Value = serde_json::from_str(line).map_err(|error| wrong(&error.to_string()))?;
        let command = row["cmd"].as_str().ok_or_else(|| wrong("no `cmd`"))?;
        let valid = row["valid"].as_bool().ok_or_else(|| wrong("no `valid`"))?;
        let wanted = row["commands"]
            .as_array()
            .ok_or_else(|| wrong("no `commands`"))?;
        let read = shell::read(command);
        let refused = read.why.iter().any(|why| why.starts_with("syntax: "));
        let found = read
            .parts
            .iter()
            .map(shown)
            .collect::<Result<Vec<String>, _>>()?;
        let wanted: Vec<String> = wanted.iter().map(Value::to_string).collect();
        let (missing, extra) = (less(&wanted, &found), less(&found, &wanted));
        all += 1;
        if missing.is_empty() && extra.is_empty() && valid != refused {
            exact += 1;
            continue;
        }
        writeln!(out, "{} {command:?}", row["id"].as_str().unwrap_or("?"))?;
        if valid == refused {
            writeln!(
                out,
                "  valid: wanted {valid}, found {} {:?}",
                !refused, read.why
            )?;
        }
        for row in missing {
            writeln!(out, "  - {row}")?;
        }
        for row in extra {
            writeln!(out, "  + {row}")?;
        }
    }
    writeln!(out, "{exact} of {all} exact")?;
    Ok(exact == all)
}

/// A part in the form of the file.
fn shown(part: &shell::Part) -> serde_json::Result<String> {
    let mut row = json!({ "argv": part.argv });
    if !part.assign.is_empty() {
        row["assign"] = serde_json::to_value(&part.assign)?;
    }
    if !part.redirs.is_empty() {
        row["redirs"] = serde_json::to_value(&part.redirs)?;
    }
    if !part.ctx.is_empty() {
        row["ctx"] = serde_json::to_value(&part.ctx)?;
    }
    Ok(row.to_string())
}

/// The rows of `these` that `those` does not have, counted.
fn less(these: &[String], those: &[String]) -> Vec<String> {
    let mut those = those.to_vec();
    let mut left = Vec::new();
    for row in these {
        match those.iter().position(|other| other == row) {
            Some(at) => {
                those.swap_remove(at);
            }
            None => left.push(row.clone()),
        }
    }
    left
}
