//! Measures what kz says that commands write and read.
//!
//! `cargo run --release --example shell-oracle -- REPO.json COMMANDS.jsonl`
//!
//! prints one prediction per command, `{"id", "writes", "reads", "opaque"}`, with the files of
//! REPO.json laid out in memory (nothing runs, nothing is written). With `--why` a row also says
//! what made it opaque.
//!
//! `cargo run --release --example shell-oracle -- --labelled ROWS.jsonl [--all] [--at-least parts=97]…`
//!
//! compares parts (their programs, wrappers left out), writes and reads with rows labelled by
//! reading, and prints how many agree; fails if fewer percent of the rows are the same than
//! `--at-least` says of `parts`, `writes` or `reads`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people, whose output is its product")]

use kibitzer::call::{Call, CallPath, Op};
use kibitzer::config::Options;
use kibitzer::shell::Shell;
use kibitzer::stage::{Contexts, source::Source};
use kibitzer::wire::framing::Frames;
use kibitzer::world::{Memory, World};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

const ROOT: &str = "/home/dev/repo";
const HOME: &str = "/home/dev";

#[derive(Deserialize)]
struct Repo {
    files: Map<String, Value>,
    then: Map<String, Value>,
    home: Map<String, Value>,
}

#[derive(Deserialize)]
struct Command {
    id: String,
    command: String,
    #[serde(default)]
    cwd: String,
    #[serde(default)]
    setup: Map<String, Value>,
}

#[derive(Serialize)]
struct Prediction {
    id: String,
    writes: BTreeSet<String>,
    reads: BTreeSet<String>,
    opaque: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    why: Vec<String>,
}

#[derive(Deserialize)]
struct Labelled {
    id: String,
    command: String,
    parts: Vec<Part>,
    writes: Vec<String>,
    reads: Vec<String>,
    unknown: bool,
}

#[derive(Deserialize)]
struct Part {
    argv0: String,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["--labelled", file, rest @ ..] => limits(rest).and_then(|limits| labelled(file, rest.contains(&"--all"), &limits)),
        ["--why", repo, commands] => predict(repo, commands, true),
        [repo, commands] if !repo.starts_with('-') => predict(repo, commands, false),
        _ => Err("usage: shell-oracle [--why] REPO.json COMMANDS.jsonl, or --labelled ROWS.jsonl [--all] [--at-least parts=97]…".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("shell-oracle: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The limits after `--at-least`: a name, and percent of the rows.
fn limits<'w>(words: &[&'w str]) -> Result<Vec<(&'w str, f64)>, String> {
    let given = words.iter().filter(|word| **word != "--all" && **word != "--at-least");
    let limit = |word: &&'w str| {
        let (name, percent) = word.split_once('=').filter(|(name, _)| ["parts", "writes", "reads"].contains(name))?;
        Some((name, percent.parse().ok()?))
    };
    given.map(|word| limit(word).ok_or_else(|| format!("not a limit: `{word}`\n  hint: --at-least parts=97"))).collect()
}

fn text_of(file: &str) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("cannot read `{file}`: {error}"))
}

fn rows<T: for<'d> Deserialize<'d>>(file: &str) -> Result<Vec<T>, String> {
    let text = text_of(file)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(at, line)| serde_json::from_str(line).map_err(|error| format!("{file}:{}: {error}", at + 1))).collect()
}

/// Reads a command as the source does, in a world.
fn call(world: &Memory, cwd: &str, command: &str) -> Result<Call, String> {
    let payload = json!({
        "session_id": "oracle", "hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": cwd,
        "tool_input": { "command": command },
    });
    let mut frames = Frames::new(payload.to_string().into_bytes());
    let item = frames.next().ok_or("no payload")?;
    let mut contexts = Contexts::new(world, Options::default());
    let envelope = Source::new(world, &[]).envelope(item, &mut contexts).ok_or("no envelope")?;
    Ok(envelope.call)
}

fn put(world: &Memory, top: &str, files: &Map<String, Value>) {
    for (name, what) in files {
        let path = format!("{top}/{name}");
        match what {
            Value::Null => drop(world.remove(Path::new(&path))),
            Value::String(text) => world.put(&path, text.as_bytes()),
            what => match (what.get("symlink").and_then(Value::as_str), what.get("dir")) {
                (Some(target), _) => world.put_link(&path, target),
                (None, Some(_)) => world.put_folder(&path),
                (None, None) => {
                    world.put(&path, what.get("text").and_then(Value::as_str).unwrap_or_default().as_bytes());
                }
            },
        }
    }
}

fn predict(repo: &str, commands: &str, why: bool) -> Result<(), String> {
    let repo: Repo = serde_json::from_str(&text_of(repo)?).map_err(|error| format!("{repo}: {error}"))?;
    for row in rows::<Command>(commands)? {
        let world = Memory::new();
        world.set_env("HOME", HOME);
        world.set_env("CLAUDE_PROJECT_DIR", ROOT);
        world.put_folder(format!("{ROOT}/.git"));
        put(&world, ROOT, &repo.files);
        put(&world, ROOT, &repo.then);
        put(&world, HOME, &repo.home);
        put(&world, ROOT, &row.setup);
        let cwd = format!("{ROOT}/{}", row.cwd);
        let command = row.command.replace("${ROOT}", "\u{1}").replace("{ROOT}", ROOT).replace('\u{1}', "${ROOT}");
        let command = command.replace("${HOME}", "\u{1}").replace("{HOME}", HOME).replace('\u{1}', "${HOME}");
        let call = call(&world, cwd.trim_end_matches('/'), &command)?;
        let prediction = prediction(row.id, &call, why);
        println!("{}", serde_json::to_string(&prediction).map_err(|error| error.to_string())?);
    }
    Ok(())
}

fn prediction(id: String, call: &Call, why: bool) -> Prediction {
    let mut found = Prediction { id, writes: BTreeSet::new(), reads: BTreeSet::new(), opaque: false, why: Vec::new() };
    let mut doubts: Vec<String> = Vec::new();
    if let Some(shell) = &call.shell {
        doubts.extend(shell.why.iter().cloned());
        doubts.extend(
            shell.parts.iter().filter(|part| !part.open.is_empty()).map(|part| format!("{}: {}", part.head, part.open)),
        );
    }
    for path in &call.paths {
        let set = match path.op {
            Op::Write | Op::Delete => &mut found.writes,
            Op::Read => &mut found.reads,
            Op::List => continue,
        };
        if !path.sure && path.op != Op::Read {
            doubts.push(format!("unsure: {}", path.raw));
        }
        if !path.path.is_empty() {
            let text = match &path.rel {
                Some(rel) if rel.is_empty() => ".",
                Some(rel) => rel,
                None => &path.path,
            };
            set.insert(if path.glob.is_some() { text.to_owned() } else { literal(text) });
        }
    }
    found.opaque = !doubts.is_empty();
    if why {
        found.why = doubts;
    }
    found
}

/// A path whose stars and brackets are letters.
fn literal(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for letter in path.chars() {
        if matches!(letter, '*' | '?' | '[' | '\\') {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

/// How many rows agree, and how many items are found and right.
#[derive(Default)]
struct Tally {
    rows: usize,
    same: usize,
    wanted: usize,
    said: usize,
    both: usize,
}

impl Tally {
    fn add(&mut self, want: &[String], said: &[String]) -> bool {
        let mut rest = want.to_vec();
        let mut both = 0;
        for item in said {
            if let Some(at) = rest.iter().position(|wanted| wanted == item) {
                rest.swap_remove(at);
                both += 1;
            }
        }
        self.rows += 1;
        self.wanted += want.len();
        self.said += said.len();
        self.both += both;
        let same = both == want.len() && both == said.len();
        self.same += usize::from(same);
        same
    }

    /// How many percent of the rows are the same.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    fn percent(&self) -> f64 {
        100.0 * self.same as f64 / self.rows.max(1) as f64
    }

    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    fn line(&self, name: &str) -> String {
        let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        format!(
            "{name}: {}/{} rows the same ({:.1} %); {} of {} found ({:.1} %), {} of {} right ({:.1} %)",
            self.same,
            self.rows,
            percent(self.same, self.rows),
            self.both,
            self.wanted,
            percent(self.both, self.wanted),
            self.both,
            self.said,
            percent(self.both, self.said),
        )
    }
}

const BASE: &str = "/here";

fn labelled(file: &str, all: bool, limits: &[(&str, f64)]) -> Result<(), String> {
    let world = Memory::new();
    world.set_env("HOME", "/~");
    world.put_folder(BASE);
    let (mut parts, mut writes, mut reads) = (Tally::default(), Tally::default(), Tally::default());
    for row in rows::<Labelled>(file)?.into_iter().filter(|row| !row.unknown) {
        let call = call(&world, BASE, &row.command)?;
        let Some(shell) = &call.shell else { continue };
        let wraps = |n: u32| {
            let inner = |part: &&kibitzer::shell::Part| part.inside == Some(n);
            let aside = |part: &kibitzer::shell::Part| {
                part.ctx
                    .iter()
                    .rev()
                    .find(|ctx| !ctx.starts_with("pipe "))
                    .is_some_and(|ctx| ctx == "cmdsub" || ctx == "procsub")
            };
            shell.parts.iter().filter(inner).any(|part| !aside(part))
        };
        let said: Vec<String> = shell
            .parts
            .iter()
            .filter(|part| !part.argv.is_empty() && (part.head == "find" || !wraps(part.n)))
            .map(|part| cased(&part.head))
            .collect();
        let want: Vec<String> =
            row.parts.iter().map(|part| cased(part.argv0.rsplit('/').next().unwrap_or_default())).collect();
        let mut show = Vec::new();
        if !parts.add(&want, &said) {
            show.push(format!("parts want {want:?}\n      said {said:?}"));
        }
        for (name, tally, want, ops) in [
            ("writes", &mut writes, &row.writes, [Op::Write, Op::Delete]),
            ("reads", &mut reads, &row.reads, [Op::Read, Op::List]),
        ] {
            let mut want: Vec<String> = want.iter().map(|path| tidy(path)).collect();
            let mut said: Vec<String> = call
                .paths
                .iter()
                .filter(|path| ops.contains(&path.op) && (name == "writes" || counted(path, shell)))
                .map(|path| shown(&path.path, &path.raw))
                .collect();
            for list in [&mut want, &mut said] {
                list.sort_unstable();
                list.dedup();
            }
            if !tally.add(&want, &said) {
                show.push(format!("{name} want {want:?}\n      said {said:?}"));
            }
        }
        if all && !show.is_empty() {
            println!("{}: {}\n    {}", row.id, row.command.replace('\n', "\\n"), show.join("\n    "));
        }
    }
    println!("{}\n{}\n{}", parts.line("parts"), writes.line("writes"), reads.line("reads"));
    for (name, tally) in [("parts", &parts), ("writes", &writes), ("reads", &reads)] {
        if let Some((_, least)) = limits.iter().find(|(limit, least)| *limit == name && tally.percent() < *least) {
            return Err(format!("{name}: {:.1} % of the rows are the same, not {least} %", tally.percent()));
        }
    }
    Ok(())
}

/// A name in which the case of the letters does not count if PowerShell's cmdlets look like it.
fn cased(name: &str) -> String {
    let cmdlet = name.split_once('-').is_some_and(|(verb, noun)| {
        let letters = |word: &str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
        letters(verb) && letters(noun)
    });
    if cmdlet { name.to_ascii_lowercase() } else { name.to_owned() }
}

/// Whether somebody who labels a command by reading it counts a path as read: not what git is
/// given, what a test asks about, where `cd` goes, nor what `find` hands to another program (its folder counts).
fn counted(path: &CallPath, shell: &Shell) -> bool {
    let part = path.part.and_then(|part| shell.parts.get(part as usize));
    part.is_none_or(|part| {
        let handed = path.glob.is_some() && (part.appends || part.replace.is_some());
        !matches!(part.head.as_str(), "git" | "test" | "[" | "cd" | "pushd") && !handed
    })
}

/// A path of ours as a label would spell it.
fn shown(path: &str, raw: &str) -> String {
    let text = if path.is_empty() { raw } else { path };
    let text = text.strip_prefix("/here/").unwrap_or(text);
    let text = if text == BASE { "." } else { text };
    tidy(&text.replacen("/~", "~", 1))
}

fn tidy(path: &str) -> String {
    let path = path.replacen("$HOME", "~", 1);
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/').filter(|name| !name.is_empty() && *name != ".") {
        match (name, names.last()) {
            ("..", Some(last)) if *last != ".." => {
                names.pop();
            }
            _ => names.push(name),
        }
    }
    let joined = names.join("/");
    match (path.starts_with('/'), joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}
