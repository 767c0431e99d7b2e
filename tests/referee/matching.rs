//! Whether a start of a program may be what a part says.

use std::path::{Path, PathBuf};

use kibitzer::shell::{self, Arg, Dynamic, Part, Shell};

use super::generate::STUBS;

/// One start of a stub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    pub cwd: PathBuf,
    pub argv: Vec<String>,
}

/// The parts that start a stub, each turn of a loop apart.
pub fn stubs(read: &Shell) -> impl Iterator<Item = &Part> {
    read.parts.iter().flat_map(turns).filter(|part| STUBS.contains(&part.head.as_str()))
}

fn turns(part: &Part) -> &[Part] {
    if part.turns.is_empty() { std::slice::from_ref(part) } else { &part.turns }
}

/// The value of a word if it is certain, below the folder of the call and the home folder too.
fn value(word: &Arg, work: &Path) -> Option<String> {
    if let Some(text) = word.certain() {
        return Some(text.to_owned());
    }
    if word.dynamic != [Dynamic::Tilde] {
        return None;
    }
    let text = word.text.as_str();
    if let Some(rest) = text.strip_prefix("$PWD") {
        return Some(format!("{}{rest}", work.display()));
    }
    let home = work.join("a");
    let rest = text.strip_prefix("$HOME").or_else(|| text.strip_prefix('~'))?;
    // `~name` and `~+` are others' folders.
    (rest.is_empty() || rest.starts_with('/')).then(|| format!("{}{rest}", home.display()))
}

/// The arguments of a part if all are certain.
pub fn certain(part: &Part, work: &Path) -> Option<Vec<String>> {
    if part.appends || part.replace.is_some() {
        return None;
    }
    part.words().iter().map(|word| value(word, work)).collect()
}

/// Whether a start may be of this part, as far as the part is known.
pub fn may_be(part: &Part, start: &Start, work: &Path) -> bool {
    let known = !part.cwd_unknown && !part.cwd.as_deref().is_some_and(|cwd| cwd.starts_with('~'));
    if known {
        let cwd = part.cwd.as_deref().map_or(work.to_owned(), |cwd| work.join(cwd));
        if shell::collapse(&cwd) != start.cwd {
            return false;
        }
    }
    if let Some(words) = certain(part, work) {
        return words == start.argv;
    }
    let words: Vec<Expected> = part.words().iter().map(|word| expected(word, part, work)).collect();
    fits(&words, &start.argv, part.appends)
}

/// What a word becomes.
enum Expected {
    /// This word.
    Word(String),
    /// One word, and nobody knows which.
    One,
    /// Any number of words, of which the first begins and the last ends so.
    Some(String, String),
}

fn expected(word: &Arg, part: &Part, work: &Path) -> Expected {
    if part.replace.as_deref().is_some_and(|replace| word.text.contains(replace)) {
        // `{}` of `find -exec … +` stands for several.
        return if part.appends || word.text == "{}" && part.replace.as_deref() == Some("{}") {
            Expected::Some(String::new(), String::new())
        } else {
            Expected::One
        };
    }
    if let Some(value) = value(word, work) {
        return Expected::Word(value);
    }
    let free = word.dynamic.contains(&Dynamic::Glob)
        || word.dynamic.contains(&Dynamic::Tilde)
        || word.dynamic.contains(&Dynamic::Array)
        || !word.text.contains('«');
    let text = if free { "«»" } else { word.text.as_str() };
    let begin = text.split('«').next().unwrap_or_default();
    let end = text.rsplit('»').next().unwrap_or_default();
    Expected::Some(begin.to_owned(), end.to_owned())
}

/// Whether words as expected may be these arguments; `more` may stand behind them.
fn fits(words: &[Expected], argv: &[String], more: bool) -> bool {
    let Some((word, words)) = words.split_first() else { return more || argv.is_empty() };
    match word {
        Expected::Word(value) => {
            argv.split_first().is_some_and(|(first, rest)| first == value && fits(words, rest, more))
        }
        Expected::One => argv.split_first().is_some_and(|(_, rest)| fits(words, rest, more)),
        Expected::Some(begin, end) => (0..=argv.len()).any(|count| {
            let (taken, rest) = argv.split_at(count);
            let whole = match (taken.first(), taken.last()) {
                (Some(first), Some(last)) => first.starts_with(begin.as_str()) && last.ends_with(end.as_str()),
                _ => begin.is_empty() && end.is_empty(),
            };
            whole && fits(words, rest, more)
        }),
    }
}
