//! Measures the shell reader against bash itself.
//!
//! `cargo run --release --example shell-referee -- [--bench] [--mutate N] [--generate N] FILE.jsonl…`
//!
//! Each row of a file holds a `command` (or `cmd`) string. Without options it is compared with
//! bash which of them are valid, and what the words of those are after quote removal and brace
//! expansion. With `--generate N` (and `--seed N`), N commands are made and run by bash with stubs
//! for programs, and what it starts is compared with what is foretold; this needs no files.
//! `--run` does the same with the rows of files that say `"run": true`, and `--rows` prints what
//! the reader says of each, in the form of `tests/cases/shell`.
//! Exits with 0 if everything is as it should be.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people, whose output is its product")]

mod accept;
mod bench;
mod generate;
mod matching;
mod mutate;
mod random;
#[path = "../support/rows.rs"]
mod rows;
mod run;
mod shapes;
mod signs;
mod words;

use std::process::ExitCode;

/// A command and where it comes from.
struct Row {
    place: String,
    command: String,
    /// Whether it may be run.
    run: bool,
}

struct Options {
    bench: bool,
    run: bool,
    rows: bool,
    mutants: Option<u64>,
    generate: Option<u64>,
    seed: u64,
    files: Vec<String>,
}

fn main() -> ExitCode {
    if run::record() {
        return ExitCode::SUCCESS;
    }
    match all() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("shell-referee: {message}");
            ExitCode::FAILURE
        }
    }
}

fn all() -> Result<bool, String> {
    let options = options(std::env::args().skip(1))?;
    if let Some(count) = options.generate {
        return run::run(count, options.seed);
    }
    let mut rows = Vec::new();
    let mut skipped = 0;
    for file in &options.files {
        let text = std::fs::read_to_string(file).map_err(|e| format!("cannot read `{file}`: {e}"))?;
        skipped += read(file, &text, &mut rows)?;
    }
    if options.rows {
        return Ok(print(&rows));
    }
    println!("{} commands, {skipped} rows without one", rows.len());
    if rows.is_empty() {
        return Err("there are no commands in the files".into());
    }
    if options.run {
        return run::rows(&rows);
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
    let mut options =
        Options { bench: false, run: false, rows: false, mutants: None, generate: None, seed: 1, files: Vec::new() };
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--bench" => options.bench = true,
            "--run" => options.run = true,
            "--rows" => options.rows = true,
            "--mutate" => options.mutants = Some(number(&argument, arguments.next())?),
            "--generate" => options.generate = Some(number(&argument, arguments.next())?),
            "--seed" => options.seed = number(&argument, arguments.next())?,
            option if option.starts_with('-') => {
                return Err(format!("unknown option `{option}`"));
            }
            _ => options.files.push(argument),
        }
    }
    if options.files.is_empty() && options.generate.is_none() {
        return Err("no files given\n  hint: shell-referee [--bench] [--mutate N] [--generate N] FILE.jsonl…".into());
    }
    Ok(options)
}

/// Prints what the reader says of each command.
fn print(rows: &[Row]) -> bool {
    for row in rows {
        let mut said = rows::row(&row.command);
        if row.run {
            said["run"] = true.into();
        }
        println!("{said}");
    }
    true
}

fn number(option: &str, value: Option<String>) -> Result<u64, String> {
    let value = value.and_then(|n| n.replace(['_', ','], "").parse().ok());
    value.ok_or_else(|| format!("`{option}` needs a number"))
}

/// Reads the commands of a file; the number of rows without one.
fn read(file: &str, text: &str, rows: &mut Vec<Row>) -> Result<usize, String> {
    let mut skipped = 0;
    for (n, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let place = format!("{file}:{}", n + 1);
        let row: serde_json::Value = serde_json::from_str(line).map_err(|e| format!("{place}: not JSON: {e}"))?;
        let command =
            ["/command", "/cmd", "/input/tool_input/command"].iter().find_map(|key| row.pointer(key)?.as_str());
        match command {
            // A process cannot be given a NUL.
            Some(command) if !command.contains('\0') => {
                let run = row.get("run").is_some_and(|run| run == true);
                rows.push(Row { place, command: command.to_owned(), run });
            }
            _ => skipped += 1,
        }
    }
    Ok(skipped)
}
