//! `find`: where it begins, and which names it finds.

use super::super::dynamic::Dynamic;
use super::super::options::Options;
use super::super::part::{Arg, Part};
use super::copy::join;
use super::{Found, Op};

/// Most names that are told apart.
const MOST_NAMES: usize = 16;

impl Found<'_> {
    /// Starting points stand before the expression.
    pub(super) fn find(&mut self, read: &Options<'_>) {
        let (starts, _) = starts(self.part);
        if read.has(&["-delete"]) {
            for found in found_by(self.part) {
                self.add(found, Op::Delete);
            }
            return;
        }
        for start in starts {
            self.add(start.clone(), Op::List);
        }
    }
}

/// The starting points of a `find`, and where its expression begins.
fn starts(part: &Part) -> (&[Arg], usize) {
    let words = part.words();
    let start = |text: &str| {
        let option = text.starts_with('-') && text.len() > 1;
        !(option || matches!(text, "(" | ")" | "!" | ","))
    };
    let leading = |word: &&Arg| matches!(word.text.as_str(), "-H" | "-L" | "-P") || word.text.starts_with("-O");
    let from = 1 + words.iter().skip(1).take_while(leading).count();
    let to = from + words.iter().skip(from).take_while(|word| start(&word.text)).count();
    (words.get(from..to).unwrap_or_default(), to)
}

/// What a `find` may find: the starting point if all below it is meant, else globs.
///
/// It is never too little: tests that are not understood find everything below.
pub(in crate::shell) fn found_by(part: &Part) -> Vec<Arg> {
    let (starts, at) = starts(part);
    let here = [Arg::literal(".")];
    let starts = if starts.is_empty() { &here[..] } else { starts };
    let tests = Tests::of(part.words().get(at..).unwrap_or_default());
    let mut found = Vec::new();
    for start in starts {
        if tests.names.is_empty() && !tests.below {
            found.push(start.clone());
        } else if tests.names.is_empty() {
            found.push(join(start, &glob(if tests.flat { "*" } else { "**" })));
        }
        for name in &tests.names {
            let mut pattern = name.clone();
            if !tests.flat {
                pattern.text.insert_str(0, "**/");
            }
            let mut path = join(start, &pattern);
            path.mark(Dynamic::Glob);
            found.push(path);
        }
    }
    found
}

fn glob(text: &str) -> Arg {
    Arg { text: text.into(), dynamic: Dynamic::Glob.into() }
}

/// What the tests of a `find` say about the names that it finds.
#[derive(Debug, Default)]
struct Tests {
    /// Names, one of which each result has; none if any name will do.
    names: Vec<Arg>,
    /// Whether results lie directly in the starting point.
    flat: bool,
    /// Whether a starting point itself is no result.
    below: bool,
}

impl Tests {
    fn of(words: &[Arg]) -> Self {
        // `-path x -prune -o …`: what counts stands behind.
        let pruned = words.windows(2).rposition(
            |pair| matches!(pair, [prune, or] if prune.text == "-prune" && matches!(or.text.as_str(), "-o" | "-or")),
        );
        let mut found = Self::default();
        let all = words;
        let words = pruned.and_then(|at| words.get(at + 2..)).unwrap_or(words);
        let depth = |name: &str| {
            let value = all.windows(2).find(|pair| matches!(pair, [option, _] if option.text == name));
            value.and_then(|pair| pair.get(1)).and_then(|word| word.text.parse::<u32>().ok())
        };
        found.flat = depth("-maxdepth") == Some(1);
        found.below = depth("-mindepth").is_some_and(|least| least > 0);
        let mut at = 0;
        let mut alternatives = 0;
        let mut lost = false;
        while let Some(word) = words.get(at) {
            let value = words.get(at + 1);
            match word.text.as_str() {
                "!" | "-not" => {
                    // A test that must fail only takes away.
                    at += if words.get(at + 2).is_some_and(|word| !word.text.starts_with('-')) { 3 } else { 2 };
                    continue;
                }
                "-o" | "-or" => alternatives += 1,
                "-name" | "-iname" => {
                    if let Some(value) = value {
                        found.names.push(named(value, word.text == "-iname"));
                        lost |= !value.dynamic.is_empty();
                    }
                    at += 1;
                }
                "-type" => {
                    found.below |= value.is_some_and(|value| value.text == "f");
                    at += 1;
                }
                "-delete" | "-exec" | "-execdir" | "-ok" | "-okdir" | "-print" | "-print0" | "," => break,
                _ => {}
            }
            at += 1;
        }
        // Each alternative must be a name.
        let names = found.names.len();
        if lost
            || names > MOST_NAMES
            || (alternatives > 0 && names != alternatives + 1)
            || pruned.is_some() && names == 0
        {
            found.names.clear();
        }
        found
    }
}

/// The glob of a name; with letters in any case if that is asked for.
fn named(value: &Arg, any_case: bool) -> Arg {
    let mut text = String::with_capacity(value.text.len());
    for letter in value.text.chars() {
        let (low, high) = (letter.to_ascii_lowercase(), letter.to_ascii_uppercase());
        if any_case && low != high && !value.text.contains('[') {
            text.extend(['[', low, high, ']']);
        } else {
            text.push(letter);
        }
    }
    Arg { text: text.into(), dynamic: value.dynamic }
}
