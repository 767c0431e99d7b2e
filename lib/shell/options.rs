//! Reads the options of a part with the program table: bundles are split, values are found,
//! abbreviations completed, subcommands told from operands.
//!
//! Indices count in [`Part::words`], which is `argv` with certain variables put in.

use std::borrow::Cow;

use smallvec::SmallVec;

use super::dynamic::Dynamic;
use super::part::{Arg, Part};
use super::powershell;
use super::programs::{self, Program, Row, Run, Style, Sub};
use super::unwrap::find;

/// One option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opt<'p> {
    /// With its dashes, completed if it was a unique abbreviation: `-r`, `--force`.
    pub name: Cow<'p, str>,
    /// Its value, if the program takes one there.
    pub value: Option<Cow<'p, str>>,
    /// Whether the value is certain (a leading `~` or `$HOME` counts as certain).
    pub sure: bool,
    /// Index of the word that holds the option.
    pub at: usize,
    /// Index of the word that holds the value; `at` if attached or none.
    pub value_at: usize,
}

/// Indices of operands; few commands have more than fit in without allocating.
pub type Operands = SmallVec<[usize; 6]>;

/// The words of a subcommand; used as the slice of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Subcommand<'p> {
    words: [&'p str; MOST_SUBS],
    count: usize,
}

/// Most words of a subcommand; the table has none with more.
const MOST_SUBS: usize = 4;

impl<'p> Subcommand<'p> {
    /// Adds a word; false if there is no room for it.
    fn push(&mut self, word: &'p str) -> bool {
        let free = self.words.get_mut(self.count);
        let fits = free.map(|free| *free = word).is_some();
        self.count += usize::from(fits);
        fits
    }

    /// Its words.
    pub fn as_slice(&self) -> &[&'p str] {
        self.words.get(..self.count).unwrap_or_default()
    }
}

impl<'p> std::ops::Deref for Subcommand<'p> {
    type Target = [&'p str];
    fn deref(&self) -> &[&'p str] {
        self.as_slice()
    }
}

/// What the words of a part are.
#[derive(Debug)]
pub struct Options<'p> {
    /// Options in order; those before a subcommand too.
    pub options: Vec<Opt<'p>>,
    /// Indices of the operands, subcommand words not included, everything after `--` included.
    pub operands: Operands,
    /// The subcommand: `["stash", "drop"]`.
    pub words: Subcommand<'p>,
    /// Index of the first subcommand word; options before it are those of the program. 0 without one.
    pub sub: usize,
    /// Index of `--`, if one ended the options.
    pub dashes: Option<usize>,
    /// Index of the first word of a command that an option introduced (`fd -x`).
    pub rest: Option<usize>,
    /// The row that was used for the operands.
    pub row: &'static Row,
    /// The program, if the table has it.
    pub program: Option<&'static Program>,
}

/// From so many options or operands on, no more room is made than there may be need of.
const MANY: usize = 64;

impl<'p> Options<'p> {
    fn add(&mut self, option: Opt<'p>) {
        let count = self.options.len();
        if count >= MANY && count == self.options.capacity() {
            self.options.reserve_exact(count / 4);
        }
        self.options.push(option);
    }

    /// No words yet.
    pub(super) fn of(row: &'static Row, program: Option<&'static Program>) -> Self {
        let (operands, words) = (Operands::new(), Subcommand::default());
        Self { options: Vec::new(), operands, words, sub: 0, dashes: None, rest: None, row, program }
    }

    /// Whether one of `names` is there.
    pub fn has(&self, names: &[&str]) -> bool {
        !names.is_empty() && self.options.iter().any(|option| names.contains(&option.name.as_ref()))
    }
    /// The last option of one of these names.
    pub fn get(&self, names: &[&str]) -> Option<&Opt<'_>> {
        self.options.iter().rev().find(|option| names.contains(&option.name.as_ref()))
    }
}

/// Reads the words of a part.
pub fn options(part: &Part) -> Options<'_> {
    if powershell::is_cmdlet(part) {
        return powershell::options(part);
    }
    read(&part.head, part.words())
}

/// Reads words whose first is the program `head`.
pub fn read<'p>(head: &str, argv: &'p [Arg]) -> Options<'p> {
    read_as(programs::program(head), argv)
}

/// As [`read`], of a program that was looked up.
pub fn read_as<'p>(program: Option<&'static Program>, argv: &'p [Arg]) -> Options<'p> {
    let mut out = Options::of(program.map_or(&programs::UNKNOWN, |program| &program.row), program);
    let mut at = 1;
    if let Some(program) = program.filter(|program| !program.subs.is_empty()) {
        at = subcommand(program, argv, &mut out);
    }
    let row = out.row;
    scan(row, argv, at, row.style == Style::Posix, &mut out);
    out
}

/// Reads global options and subcommand words; returns the index of what follows.
fn subcommand<'p>(program: &'static Program, argv: &'p [Arg], out: &mut Options<'p>) -> usize {
    let mut at = 1;
    let mut subs = program.subs;
    loop {
        // Options of this level, up to the next word that is none.
        let before = out.operands.len();
        let next = scan_options(out.row, argv, at, out);
        debug_assert_eq!(before, out.operands.len());
        let Some(word) = argv.get(next).filter(|word| word.dynamic.is_empty()) else {
            return next;
        };
        if out.dashes.is_some() {
            return next;
        }
        let word = word.text.as_str();
        let depth = out.words.len();
        if depth == 0 {
            out.sub = next;
            subs = program.subs_of(word);
        }
        let holds = |sub: &&Sub| sub.words.get(depth) == Some(&word) && sub.words.starts_with(&out.words);
        let exact = subs.iter().filter(holds).find(|sub| sub.words.len() == depth + 1);
        let deeper = subs.iter().filter(holds).any(|sub| sub.words.len() > depth + 1);
        if let Some(sub) = exact {
            out.row = sub.row;
        } else if !deeper {
            // No subcommand of ours. At the first level it is one all the same, unless the
            // program takes operands or a command there.
            let own = program.row.run != Run::Nothing || program.row.operands.is_some();
            if depth > 0 || own {
                return next;
            }
            out.row = &programs::UNKNOWN;
        }
        if !out.words.push(word) {
            return next;
        }
        at = next + 1;
        if !deeper {
            return at;
        }
    }
}

/// Reads everything from `at` on.
fn scan<'p>(row: &'static Row, argv: &'p [Arg], at: usize, first_ends: bool, out: &mut Options<'p>) {
    let mut at = at;
    while at < argv.len() {
        if out.dashes.is_none() && out.rest.is_none() {
            at = scan_options(row, argv, at, out);
        }
        if at >= argv.len() || out.rest.is_some() {
            break;
        }
        if first_ends || out.dashes.is_some() {
            if argv.len() - at > MANY {
                out.operands.reserve_exact(argv.len() - at);
            }
            out.operands.extend(at..argv.len());
            break;
        }
        if out.operands.len() == MANY {
            out.operands.reserve_exact(argv.len().saturating_sub(at));
        }
        out.operands.push(at);
        at += 1;
    }
}

/// Reads options from `at` on; returns the index of the first word that is none.
fn scan_options<'p>(row: &'static Row, argv: &'p [Arg], at: usize, out: &mut Options<'p>) -> usize {
    let mut at = at;
    while let Some(word) = argv.get(at) {
        let text = word.text.as_str();
        let sign = text.starts_with('-') || (row.run == Run::Shell && text.starts_with('+'));
        if row.style == Style::None || out.dashes.is_some() || !sign || text.len() < 2 {
            break;
        }
        if text == "--" {
            out.dashes = Some(at);
            return at + 1;
        }
        if row.run == Run::Find && find::runs(text) {
            out.add(Opt { name: Cow::Borrowed(text), value: None, sure: true, at, value_at: at });
            at = find::end(argv, at + 1);
            continue;
        }
        // Most options are flags.
        let listed = row.may_list(text);
        if listed && row.pairs.contains(&text) {
            out.add(separate(argv, Cow::Borrowed(text), at).0);
            at += 3;
            continue;
        }
        at = match row.style {
            Style::Words if listed => whole(row, argv, at, out),
            Style::Words => flag(text, at, out),
            _ if text.starts_with("--") => long(row, argv, at, listed, out),
            _ if listed && (row.values.contains(&text) || row.rest.contains(&text)) => whole(row, argv, at, out),
            _ => bundle(row, argv, at, out),
        };
        let ended = || out.options.last().is_some_and(|last| row.ends.contains(&last.name.as_ref()));
        if out.rest.is_some() || (!row.ends.is_empty() && ended()) {
            break;
        }
    }
    at
}

/// The value in a word of its own, if it is there.
fn separate<'p>(argv: &'p [Arg], name: Cow<'p, str>, at: usize) -> (Opt<'p>, usize) {
    let Some(next) = argv.get(at + 1) else {
        return (Opt { name, value: None, sure: true, at, value_at: at }, at + 1);
    };
    let value = Some(Cow::Borrowed(next.text.as_str()));
    (Opt { name, value, sure: sure(next), at, value_at: at + 1 }, at + 2)
}

fn whole<'p>(row: &'static Row, argv: &'p [Arg], at: usize, out: &mut Options<'p>) -> usize {
    let Some(word) = argv.get(at) else {
        return at + 1;
    };
    let text = word.text.as_str();
    let (option, next) = if row.values.contains(&text) {
        separate(argv, Cow::Borrowed(text), at)
    } else if let Some((name, value)) = text.split_once('=')
        && row.values.contains(&name)
    {
        let value = Some(Cow::Borrowed(value));
        (Opt { name: Cow::Borrowed(name), value, sure: sure(word), at, value_at: at }, at + 1)
    } else {
        let name = Cow::Borrowed(text);
        (Opt { name, value: None, sure: true, at, value_at: at }, at + 1)
    };
    if row.rest.contains(&text) {
        out.rest = Some(next);
    }
    out.add(option);
    next
}

/// An option that takes no value and ends nothing.
fn flag<'p>(name: &'p str, at: usize, out: &mut Options<'p>) -> usize {
    out.add(Opt { name: Cow::Borrowed(name), value: None, sure: true, at, value_at: at });
    at + 1
}

/// `listed`: whether a list of the row may have it.
fn long<'p>(row: &'static Row, argv: &'p [Arg], at: usize, listed: bool, out: &mut Options<'p>) -> usize {
    let Some(word) = argv.get(at) else {
        return at + 1;
    };
    let (written, value) = match word.text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (word.text.as_str(), None),
    };
    if !listed && value.is_none() {
        return flag(written, at, out);
    }
    let name = if listed { complete(row, written) } else { Cow::Borrowed(written) };
    let (option, next) = match value {
        Some(value) => {
            let value = Some(Cow::Borrowed(value));
            (Opt { name, value, sure: sure(word), at, value_at: at }, at + 1)
        }
        None if row.values.contains(&name.as_ref()) => separate(argv, name, at),
        None => (Opt { name, value: None, sure: true, at, value_at: at }, at + 1),
    };
    if row.rest.contains(&option.name.as_ref()) {
        out.rest = Some(next);
    }
    out.add(option);
    next
}

/// The full name of a long option if `written` is a unique beginning of it.
///
/// Only where the row lists the long options: with a partial list a beginning proves nothing.
fn complete<'p>(row: &'static Row, written: &'p str) -> Cow<'p, str> {
    if row.flags.is_empty() {
        return Cow::Borrowed(written);
    }
    let mut found: Option<&'static str> = None;
    for name in row.values.iter().chain(row.optional).chain(row.flags).copied() {
        if name == written {
            return Cow::Borrowed(written);
        }
        if name.starts_with("--") && name.starts_with(written) {
            if found.is_some_and(|other| other != name) {
                return Cow::Borrowed(written);
            }
            found = Some(name);
        }
    }
    found.map_or(Cow::Borrowed(written), Cow::Borrowed)
}

fn bundle<'p>(row: &'static Row, argv: &'p [Arg], at: usize, out: &mut Options<'p>) -> usize {
    let Some(word) = argv.get(at) else {
        return at + 1;
    };
    let text = word.text.as_str();
    let flag = |name: Cow<'p, str>| Opt { name, value: None, sure: true, at, value_at: at };
    let body = text.get(1..).unwrap_or_default();
    if body.bytes().all(|byte| byte.is_ascii_digit()) {
        out.add(flag(Cow::Borrowed(text)));
        return at + 1;
    }
    for (offset, letter) in body.char_indices() {
        if letter == '«' && !word.dynamic.is_empty() {
            break;
        }
        let after = offset + letter.len_utf8();
        let rest = body.get(after..).unwrap_or_default();
        let name: Cow<'p, str> = match (offset, text.get(..=after)) {
            (0, Some(name)) => Cow::Borrowed(name),
            _ => short(text, letter),
        };
        if !row.may_list(&name) {
            out.add(flag(name));
            continue;
        }
        let takes = row.values.contains(&name.as_ref());
        if takes && rest.is_empty() {
            let (option, next) = separate(argv, name, at);
            out.add(option);
            return next;
        }
        if row.rest.contains(&name.as_ref()) {
            out.add(flag(name));
            out.rest = Some(at + 1);
            return at + 1;
        }
        if (takes || row.optional.contains(&name.as_ref())) && !rest.is_empty() {
            let value = Some(Cow::Borrowed(rest));
            out.add(Opt { name, value, sure: sure(word), at, value_at: at });
            return at + 1;
        }
        out.add(flag(name));
    }
    at + 1
}

/// The name of a letter in a bundle.
fn short(bundle: &str, letter: char) -> Cow<'static, str> {
    static LETTERS: &str = "-a-b-c-d-e-f-g-h-i-j-k-l-m-n-o-p-q-r-s-t-u-v-w-x-y-z";
    if letter.is_ascii_lowercase() && bundle.starts_with('-') {
        let at = usize::from(letter as u8 - b'a') * 2;
        if let Some(name) = LETTERS.get(at..at + 2) {
            return Cow::Borrowed(name);
        }
    }
    Cow::Owned(format!("{}{letter}", if bundle.starts_with('+') { '+' } else { '-' }))
}

/// Whether a word's value is certain up to the home folder.
pub fn sure(word: &Arg) -> bool {
    word.dynamic.iter().all(|kind| *kind == Dynamic::Tilde)
}

#[cfg(test)]
mod tests {
    use super::options;
    use crate::shell::read;

    /// Options as `name` or `name=value`, then operands, then the subcommand.
    fn show(command: &str) -> String {
        let read = read(command);
        let Some(part) = read.parts.first() else {
            return String::new();
        };
        let options = options(part);
        let mut out: Vec<String> = Vec::new();
        for option in &options.options {
            out.push(match &option.value {
                Some(value) => format!("{}={value}", option.name),
                None => option.name.to_string(),
            });
        }
        out.push("/".to_owned());
        out.extend(options.operands.iter().map(|at| part.words()[*at].text.to_string()));
        if !options.words.is_empty() {
            out.push(format!("[{}]", options.words.join(" ")));
        }
        out.join(" ")
    }

    #[test]
    fn words_are_told_apart() {
        for (command, expected) in [
            ("rm -rf a -v b", "-r -f -v / a b"),
            ("rm -- -rf a", "/ -rf a"),
            ("grep -rne x -A3 --include '*.c' --color=auto a", "-r -n -e=x -A=3 --include=*.c --color=auto / a"),
            ("rm --recur --fo a", "--recursive --force / a"),
            ("rm --no-p a", "--no-preserve-root / a"),
            ("rm --r a", "--recursive / a"),
            ("rmdir --p a; rm --n a", "--parents / a"),
            ("head -20 a", "-20 / a"),
            ("timeout -k 5 -s KILL 10 rm -rf a", "-k=5 -s=KILL / 10 rm -rf a"),
            ("sed -i.bak -ne p a", "-i=.bak -n -e=p / a"),
            ("sed -ni p a", "-n -i / p a"),
            ("find a -name b -delete", "-name=b -delete / a"),
            ("nosuch --x=1 -ab c", "--x=1 -a -b / c"),
            ("git -C d push --force-w origin +x", "-C=d --force-with-lease / origin +x [push]"),
            ("git stash drop -q s", "-q / s [stash drop]"),
            ("git stash -u", "-u / [stash]"),
            ("git nosuch -a b", "-a / b [nosuch]"),
            ("git commit -am msg -- a", "-a -m=msg / a [commit]"),
            ("git --no-pager log -5", "--no-pager -5 / [log]"),
            ("docker compose -f a up -d b", "-f=a -d / b [compose up]"),
            ("gh pr merge 3 --squash -R o/r", "--squash -R=o/r / 3 [pr merge]"),
            ("cargo test -p a -- --nocapture", "-p=a / --nocapture [test]"),
            ("kubectl -n p delete pod x --force", "-n=p --force / pod x [delete]"),
            ("npm --prefix a run b -- c", "--prefix=a / b -- c [run]"),
            ("node a.js --x", "/ a.js --x"),
            ("python3 -u -m zipfile -c a b", "-u -m=zipfile / -c a b"),
            ("python3 -c pass -m b", "-c=pass / -m b"),
            ("dd if=a of=b", "/ if=a of=b"),
            ("cp -t", "-t /"),
            ("git", "/"),
        ] {
            assert_eq!(show(command), expected, "{command}");
        }
    }
}
