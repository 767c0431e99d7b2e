//! `find`: the commands in its expression, and what the paths that it finds look like.

use super::{Around, Inner};
use crate::shell::dynamic::Dynamic;
use crate::shell::part::Arg;

/// Most commands of one expression.
const MOST_COMMANDS: usize = 256;

/// The commands of `-exec` and its siblings.
pub fn collect(argv: &[Arg], found: &mut Vec<Inner>) {
    let mut at = 1;
    while let Some(word) = argv.get(at) {
        at += 1;
        if !runs(&word.text) {
            continue;
        }
        let end = end(argv, at);
        if at < end {
            let beside = word.text.ends_with("dir") && leaves_names(argv.get(at..end).unwrap_or_default());
            let around = Around {
                label: format!("find {}", word.text).into(),
                replace: Some("{}".into()),
                chdir: beside.then(|| Arg { text: "«var»".into(), dynamic: Dynamic::Var.into() }),
                ..Around::default()
            };
            if found.len() >= MOST_COMMANDS {
                found.push(Inner::Unknown("bound: commands of `find`"));
                return;
            }
            found.push(Inner::Command(at..end, around));
        }
        at = end;
    }
}

/// Whether a command has operands besides what is found: with `-execdir` they lie beside that,
/// in folders that nobody knows.
fn leaves_names(command: &[Arg]) -> bool {
    let head = command.first().map_or("", |word| word.text.as_str());
    let others = command.iter().skip(1).filter(|word| !word.text.contains("{}") && !word.text.starts_with('-'));
    // The first one of these is a text or a mode.
    let texts = matches!(head, "sed" | "gsed" | "grep" | "awk" | "perl" | "chmod" | "chown" | "chgrp");
    others.count() > usize::from(texts)
}

/// Whether a word of the expression is followed by a command.
pub fn runs(word: &str) -> bool {
    matches!(word, "-exec" | "-execdir" | "-ok" | "-okdir")
}

/// The end of the command that begins at `at`: `;`, or `+` right after `{}`.
pub fn end(argv: &[Arg], at: usize) -> usize {
    let words = argv.get(at..).unwrap_or_default();
    let mut before = "";
    for (number, word) in words.iter().enumerate() {
        if word.text == ";" || (word.text == "+" && before == "{}") {
            return at + number;
        }
        before = &word.text;
    }
    argv.len()
}

/// What lies below a folder, at any depth, with a name.
pub fn below(start: &Arg, name: &str) -> Option<Arg> {
    if start.dynamic.iter().any(|kind| !matches!(kind, Dynamic::Glob | Dynamic::Tilde)) || start.text.is_empty() {
        return None;
    }
    let mut arg = start.clone();
    if !arg.text.ends_with('/') {
        arg.text.push('/');
    }
    arg.text.push_str("**/");
    arg.text.push_str(name);
    arg.mark(Dynamic::Glob);
    Some(arg)
}
