//! The paths in a tool's input: which values are paths, and what the tool does to them.

use super::payload::{Input, InputPath};
use crate::call::patch::{self, Touch};
use crate::call::{CallPath, Does, Op, canonical_tool};

/// The paths of a tool's input, as written. What happens to them follows from the tool; of a
/// tool that is not the host's own, from the words of its name.
pub(super) fn of(tool: &str, does: Does, input: &Input) -> Vec<CallPath> {
    let fixed = match does {
        Does::Shell | Does::Fetch | Does::Agent => return Vec::new(),
        Does::Read | Does::Search => Op::Read,
        Does::Write | Does::Edit => Op::Write,
        Does::Delete => Op::Delete,
        Does::List => Op::List,
        Does::Mcp | Does::Other => return foreign(tool, input),
    };
    // A patch names its files itself.
    if does == Does::Edit {
        let touches = touches(input);
        if !touches.is_empty() {
            return touches;
        }
    }
    let many = tool == "read_many_files";
    let named = input.paths.iter().filter(|row| matches!(role(row.key), Role::Path | Role::Perhaps));
    let mut found: Vec<CallPath> = named
        .filter_map(|row| match folder(&row.raw) {
            Some(folder) if many => Some(CallPath { sure: false, ..path(folder, fixed) }),
            _ if row.raw.is_empty() => None,
            _ => local(&row.raw).map(|raw| path(&raw, fixed)),
        })
        .collect();
    match does {
        Does::List if canonical_tool(tool) == "glob" => below_pattern(input, &mut found),
        Does::List | Does::Search if found.is_empty() => found.push(path(".", Op::List)),
        _ => {}
    }
    if does == Does::Search {
        searched(input, &mut found);
    }
    found
}

fn path(raw: &str, op: Op) -> CallPath {
    CallPath { raw: raw.to_owned(), op, sure: true, ..CallPath::default() }
}

/// The files of a patch that is the input, or its command.
fn touches(input: &Input) -> Vec<CallPath> {
    let of_command = || input.command.as_deref().map(|command| patch::files(command, 1)).unwrap_or_default();
    let rows: Vec<Touch> = if input.patch.is_empty() { of_command() } else { input.patch.clone() };
    rows.into_iter().map(|touch| path(&touch.path, touch.op)).collect()
}

/// A file pattern lists the folder before its first wildcard, seen from the folder that is given.
fn below_pattern(input: &Input, found: &mut Vec<CallPath>) {
    let pattern = input.pattern.as_deref().unwrap_or_default();
    let top = folder(pattern).unwrap_or_else(|| pattern.rsplit_once('/').map_or("", |(folder, _)| folder));
    let top = if top.is_empty() && pattern.starts_with('/') { "/" } else { top };
    match found.first_mut() {
        _ if top.is_empty() || top == "." => {}
        Some(_) | None if top.starts_with(['/', '~']) => *found = vec![path(top, Op::List)],
        Some(first) => first.raw = format!("{}/{top}", first.raw.trim_end_matches('/')),
        None => found.push(path(top, Op::List)),
    }
    if found.is_empty() {
        found.push(path(".", Op::List));
    }
}

/// Files that a search picks by name, in whatever folder below: `**/.env`, `id_rsa*`.
fn searched(input: &Input, found: &mut Vec<CallPath>) {
    let Some(glob) = input.glob.as_deref() else { return };
    let name = glob.rsplit('/').next().unwrap_or_default();
    if name.is_empty() || name.starts_with(['*', '!', '{']) {
        return;
    }
    let base = found.first().map_or(".", |path| path.raw.trim_end_matches('/')).to_owned();
    let raw = if base == "." { name.to_owned() } else { format!("{base}/{name}") };
    let wild = name.contains(['*', '?', '[', '{']);
    found.push(CallPath { glob: wild.then_some(true), sure: false, ..path(&raw, Op::Read) });
}

/// The folder before the first wildcard of a pattern, `.` if it stands in the first name; `None`
/// without wildcards.
fn folder(pattern: &str) -> Option<&str> {
    let wild = pattern.find(['*', '?', '[', '{'])?;
    match pattern.get(..wild)?.rsplit_once('/') {
        Some(("", _)) => Some("/"),
        Some((folder, _)) => Some(folder),
        None => Some("."),
    }
}

/// The paths of a tool that is not the host's own.
fn foreign(tool: &str, input: &Input) -> Vec<CallPath> {
    let verb = verb(tool);
    let rows = input.paths.iter().filter_map(|row| {
        let (op, sure) = match (verb, role(row.key)) {
            (_, Role::Result) => (Op::Write, true),
            (Verb::Move, Role::From) => (Op::Delete, true),
            (Verb::Copy, Role::From) => (Op::Read, true),
            (Verb::Move | Verb::Copy, _) => (Op::Write, true),
            // `to` and `source` of any other tool are as good as never paths.
            (_, Role::From | Role::To) => return None,
            (_, Role::Perhaps) if !row.raw.contains('/') => return None,
            (Verb::Does(op), _) => (op, true),
            (Verb::Other, _) => (Op::Read, false),
        };
        let raw = plausible(row)?;
        Some(CallPath { sure, ..path(&raw, op) })
    });
    let mut found: Vec<CallPath> = rows.collect();
    found.extend(input.patch.iter().map(|touch| path(&touch.path, touch.op)));
    found
}

/// The value if it can be a path: no URL, no pattern, no text of several lines.
fn plausible(row: &InputPath) -> Option<String> {
    let raw = row.raw.as_str();
    let text = raw.contains(['\n', '\0', '*', '"', '<', '>']) || raw.trim().is_empty();
    if text { None } else { local(raw) }
}

/// The path of a `file:` URL, or the value itself; `None` for any other URL.
fn local(raw: &str) -> Option<String> {
    let Some((scheme, rest)) = raw.split_once(':') else { return Some(raw.to_owned()) };
    if scheme.eq_ignore_ascii_case("file") && rest.starts_with("//") {
        let rest = rest.get(2..).unwrap_or_default();
        // `file://host/path`: a host of our own is empty or says so.
        let path = if rest.starts_with('/') { rest } else { rest.strip_prefix("localhost")? };
        return Some(decoded(path));
    }
    let letters = scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let url = letters && (rest.starts_with("//") || matches!(scheme, "data" | "mailto" | "urn"));
    (!url).then(|| raw.to_owned())
}

/// `%20` and the like put in.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        match after.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(b'%');
                rest = after;
            }
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).unwrap_or_else(|_| path.to_owned())
}

#[derive(Clone, Copy)]
enum Role {
    /// What the tool is about.
    Path,
    /// The same, if it looks like a path: other servers call other things so.
    Perhaps,
    /// What is moved or copied.
    From,
    /// Where it goes.
    To,
    /// A file that the tool makes.
    Result,
}

fn role(key: &str) -> Role {
    match key {
        "source" | "src" | "source_path" | "sourcePath" | "source_file" | "sourceFile" | "from" | "old_path"
        | "oldPath" => Role::From,
        "destination" | "dest" | "dst" | "destination_path" | "destinationPath" | "to" | "target" | "target_path"
        | "targetPath" | "new_path" | "newPath" => Role::To,
        "output_path" | "outputPath" | "output_file" | "outputFile" | "output_dir" | "outputDir" | "save_path"
        | "savePath" => Role::Result,
        "root" | "uri" | "folder" => Role::Perhaps,
        _ => Role::Path,
    }
}

#[derive(Clone, Copy)]
enum Verb {
    Does(Op),
    Move,
    Copy,
    Other,
}

/// What a tool does to its paths, by the words of its name (`mcp__fs__write_file`, `writeFile`).
/// A word of changing tells more than one of looking (`find_and_replace`), else the first counts.
fn verb(tool: &str) -> Verb {
    let name = tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")).map_or(tool, |(_, name)| name);
    let mut words: Vec<String> = vec![String::new()];
    let mut lower_before = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && lower_before) {
            words.push(String::new());
        }
        lower_before = letter.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    let changes = |word: &String| {
        Some(match word.as_str() {
            "move" | "rename" | "mv" => Verb::Move,
            "copy" | "cp" | "duplicate" => Verb::Copy,
            "delete" | "remove" | "rm" | "unlink" | "rmdir" | "trash" => Verb::Does(Op::Delete),
            "write" | "edit" | "create" | "update" | "insert" | "append" | "replace" | "patch" | "modify" | "mkdir"
            | "touch" | "overwrite" | "download" | "export" | "screenshot" | "extract" => Verb::Does(Op::Write),
            _ => return None,
        })
    };
    let looks = |word: &String| {
        Some(match word.as_str() {
            "save" | "put" | "set" | "apply" | "format" => Verb::Does(Op::Write),
            "read" | "get" | "open" | "view" | "cat" | "show" | "grep" | "search" => Verb::Does(Op::Read),
            "list" | "ls" | "tree" | "glob" | "find" | "stat" | "info" => Verb::Does(Op::List),
            _ => return None,
        })
    };
    words.iter().find_map(changes).or_else(|| words.iter().find_map(looks)).unwrap_or(Verb::Other)
}
