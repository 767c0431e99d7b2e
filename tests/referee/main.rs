//! Measures the shell reader against bash itself.
//!
//! `cargo run --release --example shell-referee -- [--bench] [--mutate N] FILE.jsonl…`
//!
//! Each row of a file holds a `command` (or `cmd`) string. Without options it is compared with
//! bash which of them are valid, and what the words of those are after quote removal and brace
//! expansion. Exits with 0 if everything is as it should be.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for people, whose output is its product"
)]

mod accept;
mod bench;
mod mutate;
mod words;

use std::process::ExitCode;

/// A command and where it comes from.
struct Row {
    place: String,
    command: String,
}

struct Options {
    bench: bool,
    mutants: Option<u64>,
    files: Vec<String>,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("shell-referee: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<bool, String> {
    let options = options(std::env::args().skip(1))?;
    let mut rows = Vec::new();
    let mut skipped = 0;
    for file in &options.files {
        let text =
            std::fs::read_to_string(file).map_err(|e| format!("cannot read `{file}`: {e}"))?;
        skipped += read(file, &text, &mut rows)?;
    }
    println!("{} commands, {skipped} rows without one", rows.len());
    if rows.is_empty() {
        return Err("there are no commands in the files".into());
    }
    if options.bench {
        return bench::run(&options.files, &rows);
    }
    if let Some(mutants) = options.mutants {
        return mutate::run(&rows, mutants);
    }
    let accepted = accept::run(&rows)?;
    let words = words::run(&rows)?;
    Ok(accepted && words)
}

fn options(arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options {
        bench: false,
        mutants: None,
        files: Vec::new(),
    };
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--bench" => options.bench = true,
            "--mutate" => {
                let count = arguments
                    .next()
                    .and_then(|n| n.replace(['_', ','], "").parse().ok());
                options.mutants = Some(count.ok_or("`--mutate` needs a number")?);
            }
            option if option.starts_with('-') => {
                return Err(format!("unknown option `{option}`"));
            }
            _ => options.files.push(argument),
        }
    }
    if options.files.is_empty() {
        return Err(
            "no files given\n  hint: shell-referee [--bench] [--mutate N] FILE.jsonl…".into(),
        );
    }
    Ok(options)
}

/// Reads the commands of a file; the number of rows without one.
fn read(file: &str, text: &str, rows: &mut Vec<Row>) -> Result<usize, String> {
    let mut skipped = 0;
    for (n, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let place = format!("{file}:{}", n + 1);
        let row: serde_json::Value =
            serde_json::from_str(line).map_err(|e| format!("{place}: not JSON: {e}"))?;
        let command = ["/command", "/cmd", "/input/tool_input/command"]
            .iter()
            .find_map(|key| row.pointer(key)?.as_str());
        match command {
            // A process cannot be given a NUL.
            Some(command) if !command.contains('\0') => {
                rows.push(Row {
                    place,
                    command: command.to_owned(),
                });
            }
            _ => skipped += 1,
        }
    }
    Ok(skipped)
}
