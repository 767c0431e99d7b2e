//! Words and paths of a call as the patterns see them. Pure; links were followed in the source.

use crate::shell::options::options;
use crate::shell::{Arg, Dynamic, Part, collapse};
use std::path::Path;

/// Options whose value is a text for people, whatever program has them.
pub(super) const TEXTS: &[&str] = &[
    "-m",
    "--message",
    "-t",
    "--title",
    "-b",
    "--body",
    "--notes",
    "--description",
    "--comment",
    "--grep",
    "--author",
];

/// Most words of a part that are looked at one by one.
const WORDS: usize = 256;

/// The command as an allow pattern sees it: assignments and words with one blank between, words with
/// blanks or quotes of their own in quotes, so that no word can pass for several. None if it is not known what runs.
pub(super) fn command(part: &Part) -> Option<String> {
    let words = part.words();
    let first = words.first()?;
    if first.dynamic.iter().any(|kind| *kind != Dynamic::Tilde) || part.calls {
        return None;
    }
    let mut out = String::new();
    for word in part.assign.iter().chain(words) {
        if !out.is_empty() {
            out.push(' ');
        }
        if word.text.is_empty() || word.text.contains(|letter: char| letter.is_whitespace() || letter == '"') {
            out.push('"');
            out.push_str(&word.text.as_str().replace('"', "\\\""));
            out.push('"');
        } else {
            out.push_str(&word.text);
        }
    }
    Some(out)
}

/// The command as a pattern of the hard deny sees it: the program's plain name and its words, without
/// what is data: words with blanks in them, and texts for people.
pub(super) fn plain(part: &Part) -> String {
    let read = options(part);
    let texts: Vec<usize> = read
        .options
        .iter()
        .filter(|option| option.value_at != option.at && TEXTS.contains(&&*option.name))
        .map(|option| option.value_at)
        .collect();
    let mut out = part.head.to_string();
    for (at, word) in part.words().iter().enumerate().skip(1) {
        let data = word.text.contains(char::is_whitespace) || texts.contains(&at);
        out.push(' ');
        out.push_str(if data { "…" } else { &word.text });
    }
    out
}

/// Files that `--output` of git has it write.
pub(super) fn git_output(part: &Part) -> impl Iterator<Item = &str> {
    let words = if part.head == "git" { part.words() } else { &[] };
    words.iter().enumerate().filter_map(move |(at, word)| match word.text.as_str() {
        "--output" => words.get(at + 1).map(|next| next.text.as_str()),
        text => text.strip_prefix("--output="),
    })
}

/// Words of a part that may name a file without the program table knowing it: `@file`, `key=@file`,
/// `--option=file`, `commit:file` of git, and the plain words of a program that the table does not have.
pub(super) fn words(part: &Part) -> impl Iterator<Item = String> + '_ {
    // What a link is made to is nothing that `ln` reads, but somebody will.
    let unknown = !part.open.is_empty() || part.head == "ln";
    let git = part.head == "git";
    part.words().iter().skip(1).take(WORDS).filter_map(move |word| {
        let text = word.text.as_str();
        if text.contains("://") || text.contains(char::is_whitespace) {
            return None;
        }
        let value = text.split_once('=').map(|(_, value)| value);
        let file = value.unwrap_or(text).strip_prefix('@');
        let path_like = |text: &&str| text.starts_with(['.', '~', '/', '$']) || text.contains('/');
        let stored = text.rsplit_once(':').map(|(_, file)| file).filter(|_| git);
        let found = file
            .or(stored)
            .or_else(|| value.filter(path_like))
            .or_else(|| Some(text).filter(|text| unknown && !text.starts_with('-')));
        found.filter(|found| !found.is_empty() && certain(word)).map(str::to_owned)
    })
}

fn certain(word: &Arg) -> bool {
    word.dynamic.iter().all(|kind| matches!(kind, Dynamic::Tilde | Dynamic::Glob))
}

/// A path made absolute by its spelling, `.` and `..` collapsed. None if that takes more than we know.
pub(super) fn absolute(raw: &str, cwd: &str, home: &str) -> Option<String> {
    let below_home = raw
        .strip_prefix("~/")
        .or_else(|| raw.strip_prefix("$HOME/"))
        .or_else(|| raw.strip_prefix("${HOME}/"))
        .or_else(|| matches!(raw, "~" | "$HOME" | "${HOME}").then_some(""));
    let path = match below_home {
        Some(below) => Path::new(home).join(below),
        None => Path::new(cwd).join(raw),
    };
    path.is_absolute().then(|| collapse(&path).to_string_lossy().into_owned())
}

/// An absolute path below the root, if it lies there; `.` for the root itself.
pub(super) fn below(path: &str, root: &str) -> Option<String> {
    if root.is_empty() {
        return None;
    }
    let inside = Path::new(path).strip_prefix(root).ok()?.to_string_lossy();
    Some(if inside.is_empty() { ".".to_owned() } else { inside.into_owned() })
}
