//! What calls in Ruby do.

use super::super::super::dynamic::Dynamic;
use super::super::super::part::Arg;
use super::super::value::{Value, glob, home};
use super::words::{Piece, Tok};
use super::{Range, Talk};
use crate::call::Op;

/// Methods that give what they are called on, or members of it.
pub(super) const SAME: &[&str] = &[
    "to_s",
    "to_a",
    "to_str",
    "to_path",
    "freeze",
    "dup",
    "strip",
    "chomp",
    "sort",
    "sort_by",
    "reverse",
    "uniq",
    "select",
    "filter",
    "reject",
    "each",
    "each_with_index",
    "map",
    "flat_map",
    "first",
    "last",
    "compact",
    "flatten",
    "expand_path",
    "cleanpath",
    "realpath",
    "each_entry",
    "each_slice",
    "lazy",
    "find",
    "detect",
    "max_by",
    "min_by",
    "take",
    "drop",
];

/// Reads a call.
pub(super) fn call(talk: &mut Talk<'_>, text: usize, at: usize, name: &str, before: &str) {
    if talk.sign(text, at + 1) == ":" || talk.sign(text, at + 1) == "=" || name == "def" {
        return;
    }
    if talk.kind_of_definition(text, at) {
        return;
    }
    let arguments = talk.arguments(text, at);
    if matches!(before, "." | "::" | "&.") {
        let class = at.checked_sub(2).map_or("", |class| talk.name(text, class)).to_owned();
        match class.as_str() {
            "File" | "IO" | "Dir" | "FileUtils" | "CSV" | "YAML" | "Psych" | "JSON" | "Marshal" => {
                files(talk, &class, name, &arguments);
            }
            "Kernel" | "Process" => kernel(talk, name, &arguments),
            "Open3" | "PTY" => runs(talk, &arguments),
            "SQLite3::Database" if matches!(name, "new" | "open") => {
                let file = talk.at(&arguments, 0);
                talk.out.touch(&file, Op::Write);
            }
            "URI" if name != "open" => {}
            "Net::HTTP" | "Net::FTP" | "Net::SMTP" | "TCPSocket" | "UDPSocket" | "URI" | "Faraday" | "HTTParty"
            | "RestClient" | "Excon" | "Typhoeus" => talk.net = true,
            _ => pathname(talk, text, at, name, &arguments),
        }
        return;
    }
    match name {
        "rm" | "rm_f" | "rm_r" | "rm_rf" | "rmtree" | "cp" | "cp_r" | "mv" | "mkdir_p" | "touch" | "ln_s" | "ln_sf"
        | "mkdir" | "install" | "remove_dir"
            if talk.mentions("include FileUtils") || talk.source.contains("un\"") =>
        {
            files(talk, "FileUtils", name, &arguments);
        }
        _ => kernel(talk, name, &arguments),
    }
}

fn kernel(talk: &mut Talk<'_>, name: &str, arguments: &[Range]) {
    match name {
        "system" | "exec" | "spawn" => runs(talk, arguments),
        "open" => {
            for path in talk.at(arguments, 0) {
                match path.text.strip_prefix('|') {
                    Some(command) => {
                        let line = Arg { text: command.into(), dynamic: path.dynamic };
                        talk.out.text(&[line]);
                    }
                    None => opens(talk, arguments, &[path]),
                }
            }
        }
        "eval" | "instance_eval" | "class_eval" if !arguments.is_empty() => {
            let value = talk.at(arguments, 0);
            talk.evaluates(&value);
        }
        "load" | "require_relative" if !arguments.is_empty() => {
            let value = talk.at(arguments, 0);
            talk.out.touch(&value, Op::Read);
            talk.out.open("runs a script");
        }
        "require" => {
            let value = talk.at(arguments, 0);
            if value.iter().any(|path| path.text.starts_with(['.', '/']) || !path.dynamic.is_empty()) {
                talk.out.touch(&value, Op::Read);
                talk.out.open("runs a script");
            }
        }
        "gets" | "readlines" | "readline" | "ARGF" if !talk.args.is_empty() => {
            let value = talk.arguments_given();
            let op = if talk.host.has(&["-i"]) { Op::Write } else { Op::Read };
            talk.out.touch(&value, op);
        }
        "syscall" => talk.out.open("calls the system by number"),
        _ => {}
    }
}

fn runs(talk: &mut Talk<'_>, arguments: &[Range]) {
    let words = commands(talk, arguments);
    talk.run(&words);
}

/// Arguments of a command: environment and options left out.
fn commands(talk: &mut Talk<'_>, arguments: &[Range]) -> Vec<Range> {
    let mut kept = Vec::new();
    for range in arguments {
        let key = talk.name(range.text, range.from).to_owned();
        let labelled = talk.sign(range.text, range.from + 1) == ":";
        if labelled {
            match key.as_str() {
                "chdir" => talk.out.open("runs a command in another folder"),
                "out" | "err" => {
                    let file = talk.value(Range { from: range.from + 2, ..*range }, 0);
                    talk.out.touch(&file, Op::Write);
                }
                _ => {}
            }
        } else if talk.sign(range.text, range.from) != "{" {
            kept.push(*range);
        }
    }
    kept
}

/// `open(path, 'w')`
fn opens(talk: &mut Talk<'_>, arguments: &[Range], path: &[Arg]) {
    let mut mode = String::from("r");
    if let Some(range) = arguments.get(1) {
        let mut range = *range;
        if talk.sign(range.text, range.from + 1) == ":" {
            range.from += 2;
        }
        match talk.tok(range.text, range.from) {
            Some(Tok::Text(_)) => {
                let text = talk.value(range, 0).first().map_or_else(Default::default, |mode| mode.text.clone());
                mode = text.split(':').next().unwrap_or_default().to_owned();
            }
            Some(Tok::Other | Tok::Number(_)) => "w".clone_into(&mut mode),
            Some(Tok::Name(_)) => {
                let writes = (range.from..range.to.min(range.from + 32)).any(|at| {
                    let name = talk.name(range.text, at);
                    ["WRONLY", "RDWR", "CREAT", "TRUNC", "APPEND"].iter().any(|flag| name.ends_with(flag))
                });
                mode = if writes { "w".to_owned() } else { mode };
            }
            _ => "w".clone_into(&mut mode),
        }
    }
    talk.opens(path, &mode);
}

/// Methods of the classes of files and folders.
fn files(talk: &mut Talk<'_>, class: &str, name: &str, arguments: &[Range]) {
    let first = |talk: &Talk<'_>| talk.at(arguments, 0);
    let positional: Vec<Range> =
        arguments.iter().copied().filter(|range| talk.sign(range.text, range.from + 1) != ":").collect();
    let op = match (class, name) {
        ("File" | "CSV", "open" | "new") => {
            let path = first(talk);
            return opens(talk, arguments, &path);
        }
        ("IO", "popen") => return runs(talk, positional.get(..1).unwrap_or_default()),
        ("IO", "sysopen") => Op::Write,
        ("File" | "IO", "write" | "binwrite" | "truncate" | "mkfifo") => Op::Write,
        ("File" | "IO", "read" | "binread" | "readlines" | "foreach")
        | ("CSV", "read" | "foreach" | "table")
        | ("YAML" | "Psych", "load_file" | "safe_load_file")
        | ("JSON", "load_file") => Op::Read,
        ("File", "delete" | "unlink") | ("Dir", "rmdir" | "unlink" | "delete") => {
            let value = talk.values(arguments);
            return talk.out.touch(&value, Op::Delete);
        }
        ("File", "rename") | ("FileUtils", "mv" | "move") => return pair(talk, &positional, Op::Delete),
        ("IO", "copy_stream")
        | ("FileUtils", "cp" | "copy" | "cp_r" | "copy_file" | "copy_entry" | "install" | "cp_lr") => {
            return pair(talk, &positional, Op::Read);
        }
        ("File", "symlink" | "link") | ("FileUtils", "ln" | "ln_s" | "ln_sf" | "link" | "symlink") => {
            let value = talk.at(&positional, 1);
            return talk.out.touch(&value, Op::Write);
        }
        ("File", "chmod" | "utime" | "chown") | ("FileUtils", "chmod" | "chmod_R" | "chown" | "chown_R") => {
            let skip = if name.starts_with("chmod") { 1 } else { 2 };
            let value = talk.values(positional.get(skip..).unwrap_or_default());
            return talk.out.touch(&value, Op::Write);
        }
        ("Dir", "mkdir") | ("FileUtils", "mkdir" | "mkdir_p" | "mkpath" | "makedirs" | "touch") => Op::Write,
        (
            "FileUtils",
            "rm"
            | "rm_f"
            | "rm_r"
            | "rm_rf"
            | "rmtree"
            | "rmdir"
            | "remove"
            | "remove_dir"
            | "remove_entry"
            | "remove_entry_secure"
            | "remove_file"
            | "safe_unlink",
        ) => Op::Delete,
        ("Dir", "entries" | "children" | "each_child" | "foreach" | "open" | "new") => Op::List,
        ("Dir", "chdir") | ("FileUtils", "cd" | "chdir") => {
            let to = first(talk);
            return talk.out.enter(to.into_iter().next().unwrap_or_else(home));
        }
        _ => return,
    };
    let value = first(talk);
    talk.out.touch(&value, op);
}

/// From one path to another.
fn pair(talk: &mut Talk<'_>, arguments: &[Range], op: Op) {
    let (from, to) = (talk.at(arguments, 0), talk.at(arguments, 1));
    talk.out.touch(&from, op);
    talk.out.touch(&to, Op::Write);
}

/// Methods of a `Pathname`.
fn pathname(talk: &mut Talk<'_>, text: usize, at: usize, name: &str, arguments: &[Range]) {
    if !talk.mentions("Path") {
        return;
    }
    let op = match name {
        "write" | "binwrite" | "mkpath" | "mkdir" | "truncate" | "make_link" => Op::Write,
        "read" | "binread" | "readlines" | "each_line" => Op::Read,
        "delete" | "unlink" | "rmtree" | "rmdir" | "rename" => Op::Delete,
        "open" => Op::Write,
        "children" | "entries" => Op::List,
        _ => return,
    };
    let to = at.saturating_sub(1);
    let value = talk.value(Range { text, from: talk.receiver(text, to), to }, 1);
    if name == "open" {
        let mode = talk.at(arguments, 0).first().map_or_else(Default::default, |mode| mode.text.clone());
        return talk.opens(&value, &mode);
    }
    talk.out.touch(&value, op);
    if name == "rename" {
        let to = talk.at(arguments, 0);
        talk.out.touch(&to, Op::Write);
    }
}

/// A term that begins with a name; what follows it.
pub(super) fn term(talk: &Talk<'_>, text: usize, at: usize, name: &str, depth: usize) -> Option<(Value, usize)> {
    let dotted = matches!(talk.sign(text, at + 1), "." | "::");
    let method = if dotted { talk.name(text, at + 2) } else { "" };
    let open = if dotted && !method.is_empty() { at + 3 } else { at + 1 };
    let called = talk.sign(text, open) == "(";
    let indexed = talk.sign(text, open) == "[";
    let end = if called || indexed { talk.close(text, open) + 1 } else { open };
    let inner = Range { text, from: open + 1, to: end.saturating_sub(1) };
    let key = |at: usize| match talk.tok(text, at) {
        Some(Tok::Text(pieces)) => match pieces.as_slice() {
            [Piece::Text(key)] => key.text.as_str(),
            _ => "",
        },
        _ => "",
    };
    Some(match (name, method) {
        ("ENV", _) => (talk.environment(key(open + 1)), end),
        ("ARGV", "") if indexed => (talk.argument(text, open + 1, 0), end),
        ("ARGV", "" | "shift" | "first" | "fetch" | "last") => (talk.arguments_given(), end),
        ("ARGV", _) => (talk.arguments_given(), at + 1),
        ("Dir", "home") => (vec![home()], end),
        ("Dir", "pwd") => (vec![Arg::literal(".")], end),
        ("Dir", "tmpdir") => (vec![Arg::literal("/tmp")], end),
        ("Dir", "glob") if called => {
            (talk.split(inner).first().map_or_else(Vec::new, |range| globs(talk, *range, depth)), end)
        }
        ("Dir", "") if indexed => (globs(talk, inner, depth), end),
        ("Dir" | "Pathname", "glob") => (globs(talk, talk.statement(text, open), depth), talk.statement(text, open).to),
        ("File", "join") if called => (talk.path_of(inner, depth), end),
        ("File", "expand_path" | "realpath" | "absolute_path") if called => {
            let value = talk.split(inner).first().map_or_else(Vec::new, |range| talk.value(*range, depth + 1));
            let value = value.into_iter().map(|mut path| {
                if path.text == "~" || path.text.starts_with("~/") {
                    path.dynamic.insert(Dynamic::Tilde);
                }
                path
            });
            (value.collect(), end)
        }
        ("Pathname", "" | "new") if called => (talk.value(inner, depth + 1), end),
        _ => return None,
    })
}

fn globs(talk: &Talk<'_>, range: Range, depth: usize) -> Value {
    talk.value(range, depth + 1).into_iter().map(glob).collect()
}
