//! Languages whose commands are phrases: `exec rm x` of Tcl and expect, `do shell script "…"` of AppleScript.

use super::words::Tok;
use crate::call::Op;
use crate::shell::code::value::{Out, literal, unknown};
use crate::shell::dynamic::{Dynamic, Dynamics};
use crate::shell::part::Arg;

/// Most words of one Tcl command.
const MOST_WORDS: usize = 256;

/// Reads AppleScript.
pub(super) fn apple(toks: &[Tok], out: &mut Out) {
    let name = |at: usize| match toks.get(at) {
        Some(Tok::Name(name)) => name.as_str(),
        _ => "",
    };
    for at in 0..toks.len() {
        let words = [name(at), name(at + 1), name(at + 2)];
        let behind = match words {
            ["do", "shell", "script"] => at + 3,
            ["do", "script", _] => at + 2,
            _ => continue,
        };
        match (toks.get(behind), toks.get(behind + 1)) {
            (Some(Tok::Text(line)), Some(Tok::Sign('&'))) => out.text(&[super::joined(line)]),
            (Some(Tok::Text(line)), _) => out.text(std::slice::from_ref(line)),
            _ => out.text(&[unknown()]),
        }
    }
}

/// Reads Tcl, and what expect adds to it.
pub(super) fn tcl(text: &Arg, out: &mut Out) {
    let mut rest = text.text.as_str();
    while !rest.is_empty() {
        let (words, after) = command(rest, text.dynamic);
        does(&words, out);
        rest = after;
    }
}

fn does(words: &[Arg], out: &mut Out) {
    let Some((first, operands)) = words.split_first() else { return };
    let plain = || operands.iter().filter(|word| !word.text.starts_with('-') || !word.dynamic.is_empty());
    let paths = |skip: usize| plain().skip(skip).cloned().collect::<Vec<_>>();
    let second = operands.first().map_or("", |word| word.text.as_str());
    match (first.text.as_str(), second) {
        ("exec" | "spawn", _) => {
            out.argv(operands.iter().skip_while(|word| word.text.starts_with('-')).cloned().collect())
        }
        ("system", _) => out.text(operands),
        // What expect types into the program that it started, mostly a shell or a login to one.
        ("send", _) => {
            let typed = operands.last().filter(|word| word.text.ends_with(['\n', '\r']) && word.text.contains(' '));
            out.text(typed.map_or(&[], std::slice::from_ref));
        }
        ("open", piped) if piped.starts_with('|') => {
            let line = Arg {
                text: piped.trim_start_matches('|').into(),
                dynamic: operands.first().map_or(Dynamics::NONE, |word| word.dynamic),
            };
            out.text(&[line]);
        }
        ("open", _) => {
            let mode = operands.get(1).map_or("r", |mode| mode.text.as_str());
            out.touch(operands.get(..1).unwrap_or_default(), if mode == "r" { Op::Read } else { Op::Write });
        }
        ("file", "delete") => out.touch(&paths(1), Op::Delete),
        ("file", "mkdir") => out.touch(&paths(1), Op::Write),
        ("file", "copy" | "rename") => {
            let mut paths = paths(1);
            let to = paths.pop();
            out.touch(&paths, if second == "copy" { Op::Read } else { Op::Delete });
            out.touch(to.as_slice(), Op::Write);
        }
        ("source", _) => {
            out.touch(&paths(0), Op::Read);
            out.open("runs a script");
        }
        ("cd", _) => out.enter(operands.first().cloned().unwrap_or_else(unknown)),
        _ => {}
    }
}

/// The words of the first command, and what follows it. A bracket or a brace begins commands of its own.
fn command(text: &str, marks: Dynamics) -> (Vec<Arg>, &str) {
    let mut words: Vec<Arg> = Vec::new();
    let mut rest = text.trim_start_matches([' ', '\t']);
    if let Some(comment) = rest.strip_prefix('#') {
        return (words, comment.find('\n').and_then(|at| comment.get(at..)).unwrap_or_default());
    }
    loop {
        rest = rest.trim_start_matches([' ', '\t']);
        let Some(letter) = rest.chars().next() else { return (words, "") };
        let after = rest.get(letter.len_utf8()..).unwrap_or_default();
        match letter {
            '\n' | ';' | ']' | '[' | '}' => return (words, after),
            // The body of `if` and its like holds commands; of a command that takes paths it is a word.
            '{' => {
                let word = after.find(['}', '\n', '{']).filter(|at| after.as_bytes().get(*at) == Some(&b'}'));
                let takes = matches!(
                    words.first().map(|word| word.text.as_str()),
                    Some("file" | "exec" | "spawn" | "open" | "send" | "source")
                );
                let Some(at) = word.filter(|_| takes) else { return (words, after) };
                words.push(literal(after.get(..at).unwrap_or_default().to_owned(), marks));
                rest = after.get(at + 1..).unwrap_or_default();
            }
            '"' => {
                let (word, after) = quoted(after, marks);
                words.push(word);
                rest = after;
            }
            _ => {
                let at = rest.find([' ', '\t', '\n', ';', ']', '[', '{', '}']).unwrap_or(rest.len());
                let (word, after) = rest.split_at(at);
                words.push(computed(word, marks));
                rest = after;
            }
        }
        if words.len() >= MOST_WORDS {
            return (words, rest);
        }
    }
}

/// A string behind its first quote, and what follows it.
fn quoted(text: &str, marks: Dynamics) -> (Arg, &str) {
    let mut body = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (computed(&body, marks), text.get(at + 1..).unwrap_or_default()),
            '\\' => match letters.next() {
                Some((_, 'n')) => body.push('\n'),
                Some((_, 'r')) => body.push('\r'),
                Some((_, 't')) => body.push('\t'),
                Some((_, other)) => body.push(other),
                None => {}
            },
            letter => body.push(letter),
        }
    }
    (computed(&body, marks), "")
}

/// A word in which `$name` and `[…]` are unknown.
fn computed(word: &str, marks: Dynamics) -> Arg {
    let Some(at) = word.find(['$', '[']) else { return literal(word.to_owned(), marks) };
    if word.starts_with("$HOME") || word.starts_with("$PWD") {
        return literal(word.to_owned(), marks);
    }
    let mut known = literal(word.get(..at).unwrap_or_default().to_owned() + "«var»", marks);
    known.mark(Dynamic::Var);
    known
}
