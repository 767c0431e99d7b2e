//! Measures how much memory the shell reader takes at most.
//!
//! `cargo run --release --example shell-memory -- FILE.jsonl…`
//!
//! Reads the commands of the files, alone and by the hundred, and all hostile shapes, and prints the
//! peak of the heap as a multiple of the text. Texts below 4 KiB are left out.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people, whose output is its product")]

#[path = "shapes.rs"]
mod shapes;

use std::alloc::System;
use std::io::{Read as _, Write as _};
use std::process::{Command, ExitCode, Stdio};

use cap::Cap;
use kibitzer::shell;
use shapes::{SHAPES, shape};

#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

/// The most bytes for each byte of text.
const MOST: f64 = 40.0;
const LEAST_TEXT: usize = 4096;
/// In a text that is smaller than this, what any text is granted of parts and words counts for more.
const LARGE: usize = 60 * 1024;
/// The most bytes for each byte of a small text: 4 KiB of a hostile one take some 600 KB.
const MOST_SMALL: f64 = 160.0;
/// The sizes that are counted apart.
const SIZES: &[(usize, usize)] = &[
    (LEAST_TEXT, 14 * 1024),
    (14 * 1024, LARGE),
    (LARGE, 250 * 1024),
    (250 * 1024, 1000 * 1024),
    (1000 * 1024, usize::MAX),
];

fn main() -> ExitCode {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.iter().any(|file| file == "--one") {
        return one();
    }
    match all(&files) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("shell-memory: {message}");
            ExitCode::FAILURE
        }
    }
}

fn all(files: &[String]) -> Result<bool, String> {
    let mut texts = Vec::new();
    for sizes in SHAPES {
        let name = format!("{:?}", sizes.0.to_owned() + sizes.1);
        texts.extend([12, 14, 16, 18, 20].map(|power| (shape(sizes, 1 << power), name.clone())));
    }
    for file in files {
        let text = std::fs::read_to_string(file).map_err(|e| format!("cannot read `{file}`: {e}"))?;
        let rows = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let command = |row: serde_json::Value| row.get("command").or(row.get("cmd"))?.as_str().map(str::to_owned);
        let commands: Vec<String> = rows.filter_map(command).collect();
        // Many commands in one text make one that is as mixed as real ones and long.
        for some in commands.chunks(100) {
            texts.push((some.join("\n"), format!("100 of {file}")));
        }
        texts.extend(commands.into_iter().map(|command| (command.clone(), command)));
    }
    let mut found = Vec::new();
    for (text, name) in texts.iter().filter(|(text, _)| text.len() >= LEAST_TEXT) {
        found.push((peak(text)?, text.len(), name));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("memory: {} texts of {LEAST_TEXT} bytes and more; peak of the heap by byte of text", found.len());
    for (times, length, name) in found.iter().take(24) {
        let name: String = name.chars().take(40).collect();
        println!("  {times:7.1}  {length:8}  {name}");
    }
    println!("  above {MOST}, by size of the text:");
    for (from, to) in SIZES {
        let all = found.iter().filter(|(_, length, _)| (*from..*to).contains(length));
        let (over, all) = all.fold((0, 0), |(over, all), (times, ..)| (over + usize::from(*times > MOST), all + 1));
        println!("    {:5} KiB and more  {over:4} of {all}", from / 1024);
    }
    Ok(!found.iter().any(|&(times, length, _)| times > if length < LARGE { MOST_SMALL } else { MOST }))
}

/// The peak of the heap in bytes for each byte of `text`. The allocator remembers one peak only, so
/// each text is read by a process of its own.
fn peak(text: &str) -> Result<f64, String> {
    let wrong = |e: std::io::Error| format!("cannot start a process: {e}");
    let me = std::env::current_exe().map_err(wrong)?;
    let mut child =
        Command::new(me).arg("--one").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(wrong)?;
    if let Some(mut to) = child.stdin.take() {
        to.write_all(text.as_bytes()).map_err(wrong)?;
    }
    let output = child.wait_with_output().map_err(wrong)?;
    let bytes: usize = String::from_utf8_lossy(&output.stdout).trim().parse().map_err(|_| "a reading process died")?;
    Ok(bytes as f64 / text.len() as f64)
}

/// Reads the text on the standard input and prints the peak of the heap without the text.
///
/// It reads as a hook does: the tree is gone once the parts are there. A hook asks for the paths of one part
/// at a time and keeps what it makes of them; here all are kept as they are.
fn one() -> ExitCode {
    let mut text = String::new();
    if std::io::stdin().read_to_string(&mut text).is_err() {
        return ExitCode::FAILURE;
    }
    let read = shell::read(&text);
    let touched: Vec<_> = read.parts.iter().map(shell::touched).collect();
    println!("{}", HEAP.max_allocated().saturating_sub(text.len()));
    drop(touched);
    ExitCode::SUCCESS
}
