//! What calls in PHP do.

use super::super::super::part::Arg;
use super::super::value::{Value, glob, unknown};
use super::words::{Piece, Tok};
use super::{Range, Talk};
use crate::call::Op;

/// Reads a call.
pub(super) fn call(talk: &mut Talk<'_>, text: usize, at: usize, name: &str, before: &str) {
    let name = name.trim_start_matches('\\').to_ascii_lowercase();
    if matches!(name.as_str(), "include" | "include_once" | "require" | "require_once") {
        let value = talk.value(talk.statement(text, at + 1), 0);
        talk.out.touch(&value, Op::Read);
        return talk.out.open("runs a script");
    }
    if talk.sign(text, at + 1) != "(" || before == "::" || talk.kind_of_definition(text, at) {
        return;
    }
    let arguments = talk.arguments(text, at);
    if before == "->" {
        if name == "open" && talk.mentions("ZipArchive") {
            let file = talk.at(&arguments, 0);
            let op = if arguments.len() > 1 { Op::Write } else { Op::Read };
            talk.out.touch(&file, op);
        }
        return;
    }
    let op = match name.as_str() {
        "file_put_contents" | "mkdir" | "touch" | "chmod" | "chown" | "chgrp" => Op::Write,
        "file_get_contents"
        | "file"
        | "readfile"
        | "parse_ini_file"
        | "simplexml_load_file"
        | "md5_file"
        | "sha1_file"
        | "highlight_file"
        | "show_source"
        | "php_strip_whitespace"
        | "exif_read_data" => Op::Read,
        "unlink" | "rmdir" => Op::Delete,
        "scandir" | "opendir" | "dir" => Op::List,
        _ => return other(talk, &name, &arguments),
    };
    let value = plain(talk, talk.at(&arguments, 0));
    talk.out.touch(&value, op);
}

/// Paths without the streams of PHP itself.
fn plain(talk: &mut Talk<'_>, value: Value) -> Value {
    let mut kept = Value::new();
    for path in value {
        let text = path.text.as_str();
        if text.starts_with("php://filter") || text.starts_with("phar:") || text.starts_with("compress.") {
            talk.out.open("opens a stream");
        } else if let Some(file) = text.strip_prefix("file://") {
            kept.push(Arg { text: file.into(), dynamic: path.dynamic });
        } else if !text.starts_with("php://") && !text.starts_with("data:") {
            kept.push(path);
        }
    }
    kept
}

fn other(talk: &mut Talk<'_>, name: &str, arguments: &[Range]) {
    match name {
        "fopen" | "splfileobject" | "gzopen" => {
            let value = plain(talk, talk.at(arguments, 0));
            let mode = talk.at(arguments, 1);
            let known = mode.iter().all(|mode| mode.dynamic.is_empty());
            let mode = mode.first().map_or("r", |mode| mode.text.as_str());
            talk.opens(&value, if known { mode } else { "w" });
        }
        "rename" | "copy" => {
            let (from, to) = (plain(talk, talk.at(arguments, 0)), plain(talk, talk.at(arguments, 1)));
            talk.out.touch(&from, if name == "copy" { Op::Read } else { Op::Delete });
            talk.out.touch(&to, Op::Write);
        }
        "symlink" | "link" | "imagepng" | "imagejpeg" | "imagegif" | "imagewebp" => {
            let value = talk.at(arguments, 1);
            talk.out.touch(&value, Op::Write);
        }
        "error_log" => {
            let value = talk.at(arguments, 2);
            talk.out.touch(&value, Op::Write);
        }
        "hash_file" => {
            let value = talk.at(arguments, 1);
            talk.out.touch(&value, Op::Read);
        }
        "array_map" | "array_walk" | "call_user_func" | "call_user_func_array" => {
            let (callee, list) = if name == "array_walk" { (1, 0) } else { (0, 1) };
            let callee = talk.at(arguments, callee).first().map_or_else(Default::default, |name| name.text.clone());
            let list = talk.at(arguments, list);
            match callee.as_str() {
                "unlink" | "rmdir" => talk.out.touch(&list, Op::Delete),
                "mkdir" | "touch" => talk.out.touch(&list, Op::Write),
                "file_get_contents" | "file" => talk.out.touch(&list, Op::Read),
                "system" | "exec" | "shell_exec" | "passthru" => talk.out.text(&list),
                _ if name.starts_with("call") => talk.out.open("calls a computed function"),
                _ => {}
            }
        }
        "chdir" => {
            let to = talk.at(arguments, 0);
            talk.out.enter(to.into_iter().next().unwrap_or_else(unknown));
        }
        "exec" | "shell_exec" | "system" | "passthru" | "popen" | "proc_open" => {
            talk.run(arguments.get(..1).unwrap_or_default());
        }
        "pcntl_exec" => {
            let words = arguments.iter().take(2).flat_map(|range| talk.value(*range, 0)).collect();
            talk.out.argv(words);
        }
        "eval" => {
            let value = talk.at(arguments, 0);
            talk.evaluates(&value);
        }
        "sqlite3" => {
            let value = talk.at(arguments, 0);
            talk.out.touch(&value, Op::Write);
        }
        "pdo" => {
            for source in talk.at(arguments, 0) {
                match source.text.strip_prefix("sqlite:") {
                    Some(":memory:") => {}
                    Some(file) => {
                        let file = Arg { text: file.into(), dynamic: source.dynamic };
                        talk.out.touch(&[file], Op::Write);
                    }
                    None => talk.net = true,
                }
            }
        }
        "curl_init"
        | "curl_exec"
        | "curl_setopt"
        | "fsockopen"
        | "stream_socket_client"
        | "mail"
        | "socket_connect"
        | "mysqli"
        | "mysqli_connect"
        | "pg_connect"
        | "soapclient" => talk.net = true,
        _ => {}
    }
}

/// A term that begins with a name; what follows it.
pub(super) fn term(talk: &Talk<'_>, text: usize, at: usize, name: &str, depth: usize) -> Option<(Value, usize)> {
    let called = talk.sign(text, at + 1) == "(";
    let end = if called { talk.close(text, at + 1) + 1 } else { at + 1 };
    let inner = Range { text, from: at + 2, to: end.saturating_sub(1) };
    Some(match name.trim_start_matches('\\') {
        "__DIR__" => (vec![Arg::literal(".")], at + 1),
        "PHP_EOL" => (vec![Arg::literal("\n")], at + 1),
        "DIRECTORY_SEPARATOR" => (vec![Arg::literal("/")], at + 1),
        "getcwd" if called => (vec![Arg::literal(".")], end),
        "sys_get_temp_dir" if called => (vec![Arg::literal("/tmp")], end),
        "getenv" if called => {
            let key = match talk.tok(text, at + 2) {
                Some(Tok::Text(pieces)) => match pieces.as_slice() {
                    [Piece::Text(key)] => key.text.as_str(),
                    _ => "",
                },
                _ => "",
            };
            (talk.environment(key), end)
        }
        "glob" if called => {
            let pattern = talk.split(inner).first().map_or_else(Vec::new, |range| talk.value(*range, depth + 1));
            (pattern.into_iter().map(glob).collect(), end)
        }
        "array" | "realpath" | "array_filter" | "array_reverse" | "trim" | "rtrim" if called => {
            (talk.value(inner, depth + 1), end)
        }
        _ => return None,
    })
}
