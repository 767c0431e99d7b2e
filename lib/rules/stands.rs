//! Contexts that rules can ask for and that the reader does not write down, because they take a
//! look at more than one part: where a process forks without end, what is fed by one program.

use super::hit::Reader;
use super::matcher::wild;
use super::{Kind, Kinds};
use crate::shell::Part;
use ecow::EcoString;

/// Programs that a loop runs in no time, so that they keep nothing from forking.
const QUICK: &[&str] = &["echo", "printf", ":", "true", "false", "cd", "date", "let", "test", "[", "disown", ""];

/// Names of what is made anew without anybody's doing.
const CACHES: &[&str] = &[
    "*.egg-info",
    "*.py[co]",
    "*.pyc",
    "*.pyo",
    "*.class",
    "*.o",
    ".DS_Store",
    ".hypothesis",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".next",
    ".nox",
    ".nyc_output",
    ".parcel-cache",
    ".pytest_cache",
    ".ruff_cache",
    ".tox",
    ".turbo",
    "__pycache__",
    "build",
    "coverage",
    "dist",
    "htmlcov",
    "node_modules",
    "target",
];

/// Most parts of a call that are looked at for one context.
const LOOKED: usize = 256;

/// Whether a part stands in a context by this name. Contexts that the reader writes down are not
/// looked at here.
pub(super) fn is(wanted: &str, part: &Part, reader: &Reader<'_>) -> bool {
    match wanted {
        "func self" => part.ctx.iter().any(|word| word.strip_prefix("func ") == Some(part.head.as_str())),
        "background" => part.behind,
        "forking loop" => forking_loop(part, reader),
        "forking cycle" => forking_cycle(part, reader),
        "among caches" => among_caches(part),
        "fresh repository" => fresh(part, reader, |other| git(other, &["init", "clone"])),
        "fresh worktree" => fresh(part, reader, |other| git(other, &["worktree"]) && git(other, &["add"])),
        "traced" => traced(part, reader),
        "made temp folder" => made_temp(part, reader),
        "published branch" => reader.published && !moved(part, reader),
        _ => wanted.strip_prefix("fed by ").is_some_and(|name| fed_by(name, part, reader)),
    }
}

fn fed_by(name: &str, part: &Part, reader: &Reader<'_>) -> bool {
    part.from.iter().any(|from| reader.shell.parts.get(*from as usize).is_some_and(|from| from.head == name))
}

/// Whether what a part is fed are caches and build folders below the folder it runs in, by name.
fn among_caches(part: &Part) -> bool {
    let cache = |text: &str| {
        let inside = !text.starts_with(['/', '~', '$', '«']) && !text.contains("..");
        inside && CACHES.iter().any(|glob| wild(glob, text.rsplit('/').next().unwrap_or_default()))
    };
    !part.input.is_empty() && part.input.iter().all(|found| cache(&found.text))
}

/// Whether a part starts a process in each turn of an endless loop that waits for nothing.
fn forking_loop(part: &Part, reader: &Reader<'_>) -> bool {
    let is_loop = |word: &EcoString| matches!(word.as_str(), "while" | "until" | "for");
    let inside = part.ctx.iter().position(is_loop).and_then(|at| part.ctx.get(..=at));
    let Some(inside) = inside.filter(|_| part.forks) else { return false };
    let apart = |word: &EcoString| matches!(word.as_str(), "subshell" | "cmdsub" | "procsub");
    let idle = reader
        .shell
        .parts
        .iter()
        .take(LOOKED)
        .any(|part| part.head == "false" && part.ctx.last().is_some_and(|word| word == "if"));
    let left = reader.shell.parts.iter().take(LOOKED).any(|part| part.head == "disown");
    !reader.shell.parts.iter().take(LOOKED).any(|other| {
        let Some(below) = other.ctx.strip_prefix(inside) else { return false };
        match other.head.as_str() {
            "break" | "exit" | "return" => true,
            "wait" if other.ctx == part.ctx => !left,
            _ if other.forks || below.iter().any(apart) => false,
            "wait" => !left && !idle,
            head if below.is_empty() => !QUICK.contains(&head),
            "sleep" | "read" => !idle,
            _ => false,
        }
    })
}

/// Whether a part calls a function that calls the one it stands in, one of them in the background.
fn forking_cycle(part: &Part, reader: &Reader<'_>) -> bool {
    let Some(own) = part.ctx.iter().find_map(|word| word.strip_prefix("func ")) else { return false };
    // Called once both are there.
    let called = |after: u32| {
        let mut outer = reader.shell.parts.iter().take(LOOKED).filter(|other| other.n > after);
        outer.any(|other| {
            (other.head == own || other.head == part.head) && !other.ctx.iter().any(|word| word.starts_with("func "))
        })
    };
    own != part.head
        && reader.shell.parts.iter().take(LOOKED).any(|other| {
            let inside = other.ctx.iter().any(|word| word.strip_prefix("func ") == Some(part.head.as_str()));
            other.head == own && inside && (part.behind || other.behind) && called(part.n.max(other.n))
        })
}

/// Whether the shell that a part runs in shows what it runs (`set -x`) or reads (`set -v`).
fn traced(part: &Part, reader: &Reader<'_>) -> bool {
    let set = before(part, reader).filter(|other| other.head == "set" && part.ctx.starts_with(&other.ctx));
    let (mut runs, mut reads) = (false, false);
    for words in set.map(|other| other.words()) {
        for (at, word) in words.iter().enumerate().skip(1) {
            let Some((sign, letters)) = word.text.split_at_checked(1) else { continue };
            let named = letters.ends_with('o').then(|| words.get(at + 1)).flatten().map(|name| name.text.as_str());
            if sign == "-" || sign == "+" {
                if letters.contains('x') || named == Some("xtrace") {
                    runs = sign == "-";
                }
                if letters.contains('v') || named == Some("verbose") {
                    reads = sign == "-";
                }
            }
        }
    }
    runs || reads
}

/// Whether a part works in a repository in a temp folder that the same call has made.
fn fresh(part: &Part, reader: &Reader<'_>, makes: impl Fn(&Part) -> bool) -> bool {
    let place = reader.place_of(part);
    let temp = Kinds::from(Kind::Temp);
    !place.cwd.is_empty() && place.of(&place.cwd).meets(temp) && before(part, reader).any(makes)
}

/// Whether the variables in a text that runs later, a trap or a function, are such as the line gives nothing
/// but what `mktemp` made: `trap 'rm -rf "$T"' EXIT; T=$(mktemp -d)`. Before that they are empty, unless
/// the environment has them.
fn made_temp(part: &Part, reader: &Reader<'_>) -> bool {
    let later = part.ctx.iter().any(|word| word == "trap" || word.starts_with("func "));
    let [start, end] = part.span.map(|at| at as usize);
    let text = reader.text.get(start..end).unwrap_or_default();
    if !later || text.contains("$(") || text.contains('`') || text.contains("..") {
        return false;
    }
    let parts = || reader.shell.parts.iter().take(LOOKED);
    let by_mktemp = |n: u32| {
        let inner = parts().filter(|inner| inner.inside == Some(n));
        inner.clone().count() == 1 && inner.clone().all(|inner| inner.head == "mktemp")
    };
    let gives = |part: &Part, name: &str| {
        part.argv.is_empty()
            && part.assign.len() == 1
            && part.assign.iter().all(|word| {
                let value = word.text.split_once('=').filter(|(known, _)| *known == name).map(|(_, value)| value);
                value.is_some_and(|value| value.is_empty() || value == "«sub»" && by_mktemp(part.n))
            })
    };
    let only = |name: &str| {
        let given = parts().filter(|part| gives(part, name)).count();
        // Wherever else the name stands bare, it may get another value.
        given > 0 && !name.is_empty() && bare(reader.text, name) == given
    };
    let mut names = reader.names(part).peekable();
    names.peek().is_some() && names.all(only)
}

/// How often a name stands in a text otherwise than as `$name` or `${name}`.
fn bare(text: &str, name: &str) -> usize {
    let word = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let stands = text.match_indices(name).filter(|(at, _)| {
        let (before, after) = (text.get(..*at).unwrap_or_default(), text.get(at + name.len()..).unwrap_or_default());
        let value = before.ends_with('$') || before.ends_with("${") && after.starts_with('}');
        !value && !word(before.chars().next_back()) && !word(after.chars().next())
    });
    stands.count()
}

/// Whether a part before has moved the branch, so that nobody knows where it is.
fn moved(part: &Part, reader: &Reader<'_>) -> bool {
    before(part, reader)
        .any(|other| git(other, &["commit", "pull", "merge", "cherry-pick", "reset", "checkout", "switch", "am"]))
}

fn before<'r>(part: &Part, reader: &'r Reader<'_>) -> impl Iterator<Item = &'r Part> {
    reader.shell.parts.iter().take((part.n as usize).min(LOOKED))
}

fn git(part: &Part, words: &[&str]) -> bool {
    part.head == "git" && part.words().iter().skip(1).any(|word| words.contains(&word.text.as_str()))
}
