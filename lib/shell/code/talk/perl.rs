//! What calls in Perl do.

use super::super::super::part::Arg;
use super::super::value::{Value, glob, unknown};
use super::words::Tok;
use super::{Range, Talk};
use crate::call::Op;

/// Reads a call.
pub(super) fn call(talk: &mut Talk<'_>, text: usize, at: usize, name: &str, before: &str) {
    // A key of a hash: `{unlink}`, `unlink =>`.
    let keyed = before == "{"
        && talk.sign(text, at + 1) == "}"
        && match at.checked_sub(2).and_then(|outer| talk.tok(text, outer)) {
            Some(Tok::Var(_)) => true,
            Some(Tok::Sign(sign)) => matches!(*sign, "->" | "]" | "}"),
            _ => false,
        };
    if keyed || talk.sign(text, at + 1) == "=>" {
        return;
    }
    if before == "->" {
        return method(talk, text, at, name);
    }
    if matches!(name, "sub" | "package" | "use" | "no") {
        return;
    }
    let uses = |module: &'static str| {
        talk.mentions(module)
            || talk.host.options.iter().any(|option| {
                matches!(option.name.as_str(), "-M" | "-m")
                    && option.value.as_ref().is_some_and(|value| value.text.starts_with(module))
            })
    };
    let module = match name {
        "copy" | "cp" | "move" | "mv" => "File::Copy",
        "make_path" | "mkpath" | "remove_tree" | "rmtree" => "File::Path",
        "read_file" | "write_file" | "append_file" | "edit_file" | "read_text" | "write_text" => "File::Slurp",
        "get" | "getstore" | "mirror" | "getprint" => "LWP",
        "find" | "finddepth" => "File::Find",
        _ => "",
    };
    let slurps = module == "File::Slurp" && uses("File::Slurper");
    if !(module.is_empty() || uses(module) || slurps) {
        return;
    }
    let arguments = talk.arguments(text, at);
    let all = |talk: &Talk<'_>| talk.values(&arguments);
    let topic = |talk: &Talk<'_>, value: Value| {
        if value.is_empty() { talk.names.get("$_").cloned().unwrap_or_else(|| vec![unknown()]) } else { value }
    };
    match name {
        "unlink" | "rmdir" => {
            let value = topic(talk, all(talk));
            talk.out.touch(&value, Op::Delete);
        }
        "remove_tree" | "rmtree" => {
            let paths = all_but_hash(talk, &arguments);
            talk.out.touch(&paths, Op::Delete);
        }
        "make_path" | "mkpath" => {
            let paths = all_but_hash(talk, &arguments);
            talk.out.touch(&paths, Op::Write);
        }
        "mkdir" => {
            let value = topic(talk, talk.at(&arguments, 0));
            talk.out.touch(&value, Op::Write);
        }
        "rename" | "move" | "mv" => {
            let (from, to) = (talk.at(&arguments, 0), talk.at(&arguments, 1));
            talk.out.touch(&from, Op::Delete);
            talk.out.touch(&to, Op::Write);
        }
        "copy" | "cp" | "File::Copy::copy" => {
            let (from, to) = (talk.at(&arguments, 0), talk.at(&arguments, 1));
            talk.out.touch(&from, Op::Read);
            talk.out.touch(&to, Op::Write);
        }
        "symlink" | "link" => {
            let to = talk.at(&arguments, 1);
            talk.out.touch(&to, Op::Write);
        }
        "chmod" | "utime" | "chown" => {
            let skip = if name == "chmod" { 1 } else { 2 };
            let value = talk.values(arguments.get(skip..).unwrap_or_default());
            talk.out.touch(&value, Op::Write);
        }
        "truncate" if matches!(first(talk, &arguments), Some(Tok::Text(_))) => {
            let value = talk.at(&arguments, 0);
            talk.out.touch(&value, Op::Write);
        }
        "open" => open(talk, &arguments),
        "sysopen" => {
            let value = talk.at(&arguments, 1);
            let mode = arguments.get(2).map_or("w", |mode| {
                let read = (mode.from..mode.to).all(|at| matches!(talk.name(text, at), "" | "O_RDONLY" | "Fcntl"));
                if read { "r" } else { "w" }
            });
            talk.opens(&value, mode);
        }
        "opendir" => {
            let value = talk.at(&arguments, 1);
            talk.out.touch(&value, Op::List);
        }
        "chdir" => {
            let to = talk.at(&arguments, 0);
            talk.out.enter(to.into_iter().next().unwrap_or_else(unknown));
        }
        "system" | "exec" => {
            if matches!(first(talk, &arguments), Some(Tok::Sign("{"))) {
                talk.out.open("runs a computed command");
            } else {
                talk.run(&arguments);
            }
        }
        "readpipe" => talk.run(&arguments),
        "eval" if !matches!(talk.sign(text, at + 1), "{" | ";" | "}") => {
            let value = all(talk);
            talk.evaluates(&value);
        }
        "do" | "require" if matches!(talk.tok(text, at + 1), Some(Tok::Text(_) | Tok::Var(_))) => {
            let value = all(talk);
            talk.out.touch(&value, Op::Read);
            talk.out.open("runs a script");
        }
        "read_file" | "read_text" => {
            let value = talk.at(&arguments, 0);
            talk.out.touch(&value, Op::Read);
        }
        "write_file" | "append_file" | "edit_file" | "write_text" => {
            let value = talk.at(&arguments, 0);
            talk.out.touch(&value, Op::Write);
        }
        "getstore" | "mirror" => {
            talk.net = true;
            let value = talk.at(&arguments, 1);
            talk.out.touch(&value, Op::Write);
        }
        "find" | "finddepth" => {
            let value = talk.values(arguments.get(1..).unwrap_or_default());
            talk.out.touch(&value, Op::List);
        }
        "<>" => {
            let value = talk.arguments_given();
            if !talk.args.is_empty() {
                let op = if talk.host.has(&["-i"]) || talk.mentions("$^I") { Op::Write } else { Op::Read };
                talk.out.touch(&value, op);
            }
        }
        "syscall" => talk.out.open("calls the system by number"),
        "get" | "getprint" => talk.net = true,
        _ if name.starts_with("LWP::") || name.starts_with("HTTP::") || name.starts_with("IO::Socket") => {
            talk.net = true;
        }
        "socket" | "Net::FTP" | "Net::SMTP" => talk.net = true,
        _ => {}
    }
}

fn first<'t>(talk: &'t Talk<'_>, arguments: &[Range]) -> Option<&'t Tok> {
    let range = arguments.first()?;
    talk.tok(range.text, range.from)
}

fn all_but_hash(talk: &Talk<'_>, arguments: &[Range]) -> Value {
    let paths: Vec<Range> =
        arguments.iter().copied().filter(|range| talk.sign(range.text, range.from) != "{").collect();
    talk.values(&paths)
}

/// `open(F, '>', 'x')`, `open(F, '>x')`, `open(F, '-|', 'cmd', 'arg')`
fn open(talk: &mut Talk<'_>, arguments: &[Range]) {
    let modes = talk.at(arguments, 1);
    if let Some(path) = arguments.get(2) {
        // In memory, or a temporary file.
        if talk.sign(path.text, path.from) == "\\" || talk.name(path.text, path.from) == "undef" {
            return;
        }
        let mode = modes.first().map_or("", |mode| mode.text.trim());
        if mode.starts_with("-|") || mode.starts_with("|-") {
            return talk.run(arguments.get(2..).unwrap_or_default());
        }
        if mode.contains('&') {
            return;
        }
        let known = modes.iter().all(|mode| mode.dynamic.is_empty());
        let mode = if known { mode.split(':').next().unwrap_or_default().to_owned() } else { "w".to_owned() };
        let value = talk.value(*path, 0);
        return talk.opens(&value, &mode);
    }
    for whole in modes {
        let cut = |text: &str| Arg { text: text.trim().into(), dynamic: whole.dynamic };
        let text = whole.text.trim();
        if let Some(command) = text.strip_prefix('|').or_else(|| text.strip_suffix('|')) {
            let line = cut(command);
            if command.trim() != "-" {
                talk.out.text(&[line]);
            }
            continue;
        }
        let path = text.trim_start_matches(['<', '>', '+']);
        let mode = text.get(..text.len() - path.len()).unwrap_or_default();
        if !path.starts_with('&') {
            let path = cut(path);
            talk.opens(&[path], mode);
        }
    }
}

/// Methods of Path::Tiny, IO::File and DBI.
fn method(talk: &mut Talk<'_>, text: usize, at: usize, name: &str) {
    let arguments = talk.arguments(text, at);
    let class = at.checked_sub(2).map_or("", |class| talk.name(text, class)).to_owned();
    match (class.as_str(), name) {
        ("IO::File", "new") | ("IO::File", "open") => {
            let value = talk.at(&arguments, 0);
            let mode = talk.at(&arguments, 1).first().map_or_else(Default::default, |mode| mode.text.clone());
            if arguments.len() < 2 {
                open(talk, &[arguments.first().copied(), arguments.first().copied()].map(|r| r.unwrap_or(EMPTY)));
            } else {
                talk.opens(&value, &mode);
            }
            return;
        }
        ("DBI", "connect") => {
            let value = talk.at(&arguments, 0);
            for source in value {
                if let Some(rest) = source.text.strip_prefix("dbi:SQLite:") {
                    let rest = rest.strip_prefix("dbname=").or_else(|| rest.strip_prefix("dbname:")).unwrap_or(rest);
                    let file = Arg { text: rest.into(), dynamic: source.dynamic };
                    if rest != ":memory:" {
                        talk.out.touch(&[file], Op::Write);
                    }
                } else {
                    talk.net = true;
                }
            }
            return;
        }
        _ => {}
    }
    if !talk.mentions("path") {
        return;
    }
    let op = match name {
        "spew" | "spew_utf8" | "spew_raw" | "append" | "append_utf8" | "append_raw" | "touch" | "mkpath" | "mkdir"
        | "edit" | "edit_utf8" | "edit_lines" | "edit_lines_utf8" | "touchpath" | "openw" | "opena" | "openrw" => {
            Op::Write
        }
        "slurp" | "slurp_utf8" | "slurp_raw" | "lines" | "lines_utf8" | "lines_raw" | "openr" | "copy" => Op::Read,
        "remove" | "remove_tree" | "move" => Op::Delete,
        _ => return,
    };
    let to = at.saturating_sub(1);
    let value = talk.value(Range { text, from: talk.receiver(text, to), to }, 1);
    talk.out.touch(&value, op);
    if matches!(name, "copy" | "move") {
        let to = talk.at(&arguments, 0);
        talk.out.touch(&to, Op::Write);
    }
}

const EMPTY: Range = Range { text: usize::MAX, from: 0, to: 0 };

/// A term that begins with a name; what follows it.
pub(super) fn term(talk: &Talk<'_>, text: usize, at: usize, name: &str, depth: usize) -> Option<(Value, usize)> {
    let called = talk.sign(text, at + 1) == "(";
    let end = if called { talk.close(text, at + 1) + 1 } else { at + 1 };
    let inner = Range { text, from: at + 2, to: end.saturating_sub(1) };
    Some(match name {
        "shift" | "pop" => {
            let own = talk.mentions("sub ");
            let other = matches!(talk.tok(text, at + 1), Some(Tok::Var(name)) if name != "@ARGV");
            (if own || other { vec![unknown()] } else { talk.arguments_given() }, end)
        }
        "path" if called => (talk.path_of(inner, depth), end),
        "glob" | "bsd_glob" => {
            let range = if called { inner } else { talk.statement(text, at + 1) };
            let value = talk.value(range, depth + 1);
            let split = value.iter().flat_map(|arg| {
                arg.text.split_whitespace().map(|text| Arg { text: text.into(), dynamic: arg.dynamic })
            });
            (split.map(glob).collect(), if called { end } else { range.to })
        }
        "sort" | "reverse" | "uniq" => {
            let range = if called { inner } else { talk.statement(text, at + 1) };
            (talk.value(range, depth + 1), if called { end } else { range.to })
        }
        "grep" => {
            let from = if called { at + 2 } else { at + 1 };
            let from = if talk.sign(text, from) == "{" { talk.close(text, from) + 1 } else { from + 2 };
            let range = talk.statement(text, from);
            (talk.value(range, depth + 1), range.to)
        }
        "undef" => (Value::new(), end),
        _ => return None,
    })
}
