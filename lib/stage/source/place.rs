//! Where the paths of a call lie: what its words say, and then what the disk says of links,
//! folders and globs.

use super::patch;
use crate::call::{CallPath, Op};
use crate::shell::{self, Arg, Dynamic, Operand, Part, Shell, collapse};
use crate::world::{Kind, World};
use std::path::{Path, PathBuf};

/// How many changes of names a path is compared with, the last ones first.
const CHANGED: usize = 16;

/// Most names that one glob in brackets is tried for.
const TRIED: usize = 64;

/// Most globs in brackets of one call that are tried.
const GLOBS: usize = 16;

/// Where a path lies, before the disk is asked.
#[derive(Debug, Default)]
pub struct Spot {
    /// The place, absolute.
    at: PathBuf,
    /// Whether the name itself is made, replaced or removed, so that a link of that name is not followed.
    entry: bool,
    /// The name that is added if the place is an existing folder.
    into: Option<String>,
    /// What the name points to afterwards, if a link is made.
    link: Option<PathBuf>,
}

impl Spot {
    fn of(at: PathBuf, operand: &Operand) -> Self {
        let slash = operand.raw.text.ends_with('/');
        let folder = at.parent().unwrap_or(&at);
        let link = operand.link.as_ref().filter(|to| to.dynamic.is_empty()).map(|to| folder.join(&to.text));
        let into = operand.into.as_ref().map(|name| name.text.to_string());
        Self { entry: operand.entry && !slash, into, link, at }
    }

    /// The place as its words have it.
    pub fn at(&self) -> &Path {
        &self.at
    }

    /// The place without a look at the disk.
    pub fn blind(self) -> PathBuf {
        collapse(&self.at)
    }

    /// The place with links followed, also those that the call has changed by then.
    pub fn found(self, changed: &[Changed], world: &dyn World) -> PathBuf {
        let mut at = self.at;
        if !changed.is_empty() {
            at = collapse(&at);
            for change in changed.iter().rev().take(CHANGED) {
                let Ok(rest) = at.strip_prefix(&change.name) else { continue };
                let inside = rest.components().next().is_some();
                match &change.now {
                    // Nothing is below it until it is made anew, unless the deletion fails.
                    Now::Gone if inside => {}
                    Now::Gone | Now::Plain if !inside => return follow(&change.name, true, world),
                    Now::Link(_) if self.entry && !inside => {}
                    Now::Link(to) => at = if inside { to.join(rest) } else { to.clone() },
                    // What lies below is no longer elsewhere.
                    Now::Gone | Now::Plain => return follow(&change.name, true, world).join(rest),
                }
                break;
            }
        }
        match &self.into {
            Some(name) if folder(&at, world) => follow(&at.join(name), self.entry, world),
            _ => follow(&at, self.entry, world),
        }
    }

    /// What becomes of the name when the path is touched, if a link there would not be followed.
    pub fn changes(&self, op: Op, changed: &[Changed], world: &dyn World) -> Option<Changed> {
        let anew = || changed.iter().rev().take(CHANGED).any(|old| matches!(old.now, Now::Gone) && old.name == self.at);
        let now = match op {
            Op::Delete if self.entry => Now::Gone,
            Op::Write if self.entry && self.into.is_some() && folder(&self.at, world) => return None,
            Op::Write if self.entry => self.link.clone().map_or(Now::Plain, Now::Link),
            Op::Write if anew() => Now::Plain,
            _ => return None,
        };
        Some(Changed { name: collapse(&self.at), now })
    }
}

/// A name that the call has changed.
#[derive(Debug)]
pub struct Changed {
    name: PathBuf,
    now: Now,
}

/// What a name is after a change.
#[derive(Debug)]
enum Now {
    /// Not there any more.
    Gone,
    /// A file or folder.
    Plain,
    /// A symbolic link to there.
    Link(PathBuf),
}

fn folder(path: &Path, world: &dyn World) -> bool {
    world.stat(path).is_some_and(|found| found.kind == Kind::Folder)
}

fn follow(place: &Path, entry: bool, world: &dyn World) -> PathBuf {
    match (entry, place.parent(), place.file_name()) {
        (true, Some(folder), Some(name)) => world.resolve(folder).join(name),
        _ => world.resolve(place),
    }
}

/// Paths in the parts of a command, and where they lie if that is certain.
///
/// Writes into the parts why they may touch more.
pub fn operands(
    shell: &mut Shell,
    base: Option<&Path>,
    home: Option<&Path>,
    world: &dyn World,
) -> Vec<(CallPath, Option<Spot>)> {
    let mut rows = Vec::new();
    let mut tried = 0;
    for at in 0..shell.parts.len() {
        let Some(part) = shell.parts.get(at) else { break };
        let mut touched = shell::touched(part);
        if let Some(files) = touched.open.as_ref().and_then(|_| patch::made(&shell.parts, at)) {
            touched.operands.extend(shell::touched(&files).operands);
            touched.open = None;
        }
        let patch =
            touched.open.as_ref().and_then(|_| patch::on_disk(&shell.parts, at, &touched.operands, base, home, world));
        if let Some(read) = patch.map(|part| shell::touched(&part)).filter(|read| read.open.is_none()) {
            touched.operands.extend(read.operands);
            touched.open = None;
        }
        let astray = base.is_some_and(|base| astray(&shell.parts, at, base, &rows, world));
        for mut operand in touched.operands {
            operand.sure &= !astray || operand.raw.text.starts_with(['/', '~', '$']);
            let place = base.and_then(|base| shell::locate(part, &operand, base, home));
            let spot = place.map(|place| Spot::of(place, &operand));
            let glob = is_glob(&operand.raw) || operand.into.as_deref().is_some_and(is_glob);
            let brackets = spot.as_ref().filter(|_| glob && tried < GLOBS && operand.raw.text.contains('['));
            tried += usize::from(brackets.is_some());
            let glob = glob && brackets.is_none_or(|spot| matches_something(&spot.at, world));
            let (raw, op, sure, part) = (operand.raw.text.into(), operand.op, operand.sure, Some(operand.part));
            let glob = glob.then_some(true);
            rows.push((CallPath { raw, op, sure, part, glob, ..CallPath::default() }, spot));
        }
        if let (Some(open), Some(part)) = (touched.open, shell.parts.get_mut(at)) {
            part.open = open.into_owned().into();
        }
    }
    rows
}

/// Whether a part runs in a folder that does not exist, although a failed `cd` does not keep it from
/// running: it may run in the folder before.
fn astray(parts: &[Part], at: usize, base: &Path, rows: &[(CallPath, Option<Spot>)], world: &dyn World) -> bool {
    let Some(part) = parts.get(at) else { return false };
    let Some(cwd) = part.cwd.as_ref().filter(|cwd| !cwd.starts_with('~') && !part.cwd_unknown) else { return false };
    let before = parts.get(..at).unwrap_or_default();
    let Some(moved) = before.iter().rposition(|part| matches!(part.head.as_str(), "cd" | "pushd")) else {
        return false;
    };
    let heedless = parts.get(moved + 1).is_some_and(|next| next.by == ";" && next.ctx == part.ctx);
    if !heedless || before.iter().any(|part| !part.open.is_empty()) {
        return false;
    }
    let place = collapse(&base.join(&**cwd));
    let made = |(row, spot): &(CallPath, Option<Spot>)| {
        let at = spot.as_ref().map(|spot| collapse(&spot.at));
        row.op == Op::Write && at.is_none_or(|at| place.starts_with(&at) || at.starts_with(&place))
    };
    folder(base, world) && world.stat(&place).is_none() && !rows.iter().any(made)
}

fn is_glob(word: &Arg) -> bool {
    word.dynamic.contains(&Dynamic::Glob) && word.text.contains(['*', '?', '[', '('])
}

/// Whether a glob matches something, as far as that can be found out by trying names: only
/// brackets can be tried, and only they are no glob for their own spelling.
fn matches_something(pattern: &Path, world: &dyn World) -> bool {
    let Some(text) = pattern.to_str().filter(|text| text.len() < 4096) else { return true };
    let mut found = vec![PathBuf::from("/")];
    for name in text.split('/').filter(|name| !name.is_empty()) {
        if name.contains(['*', '?', '(']) {
            break;
        }
        let Some(names) = spellings(name) else { return true };
        if found.len() * names.len() > TRIED {
            return true;
        }
        let bracket = names.len() > 1 || name.contains('[');
        found = found.iter().flat_map(|folder| names.iter().map(|name| folder.join(name))).collect();
        if bracket {
            found.retain(|path| world.stat(path).is_some());
        }
    }
    // The names behind the last bracket count too.
    found.iter().any(|path| world.stat(path).is_some())
}

/// The names that a name with brackets stands for; none if they are too many to try.
fn spellings(name: &str) -> Option<Vec<String>> {
    let mut all = vec![String::new()];
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('[') {
        // A bracket right behind the opening one is a letter.
        let end = after.char_indices().skip(1).find(|(_, letter)| *letter == ']').map(|(at, _)| at);
        let Some(end) = end else { break };
        let (set, behind) = (after.get(..end)?, after.get(end + 1..)?);
        if set.starts_with(['!', '^']) || set.contains([':', '\\']) {
            return None;
        }
        let mut letters: Vec<char> = Vec::new();
        let mut signs = set.chars().peekable();
        while let Some(letter) = signs.next() {
            let mut ahead = signs.clone();
            match (ahead.next(), ahead.next()) {
                (Some('-'), Some(last)) => {
                    letters.extend((letter..=last).take(TRIED + 1));
                    signs = ahead;
                }
                _ => letters.push(letter),
            }
        }
        if all.len() * letters.len() > TRIED {
            return None;
        }
        all =
            all.iter().flat_map(|begin| letters.iter().map(move |letter| format!("{begin}{before}{letter}"))).collect();
        rest = behind;
    }
    for name in &mut all {
        name.push_str(rest);
    }
    Some(all)
}

/// The place of a path that a tool names: what is deleted is the link, not what it points to.
pub fn named(path: &CallPath, base: Option<&Path>, home: Option<&Path>) -> Option<Spot> {
    let entry = path.op == Op::Delete && !path.raw.ends_with('/');
    absolute(&path.raw, base, home).map(|at| Spot { at, entry, ..Spot::default() })
}

/// A path of a tool's input, made absolute. None if that takes knowledge that we do not have.
fn absolute(raw: &str, base: Option<&Path>, home: Option<&Path>) -> Option<PathBuf> {
    if raw == "~" {
        return home.map(Path::to_owned);
    }
    if let Some(rest) = raw.strip_prefix("~/") {
        return home.map(|home| home.join(rest));
    }
    let path = Path::new(raw);
    if path.is_absolute() {
        return Some(path.to_owned());
    }
    base.map(|base| base.join(path))
}

/// Whether a path is one of Windows and the machine has no such place: `C:\\x`, `\\\\wsl$\\x`, and `/c/x`,
/// however it is spelled, where no folder has that name. What lies in one of `own`, the folders that
/// the host names, is a path of this machine whatever its name.
pub fn elsewhere(raw: &str, place: &Path, own: &[&Path], world: &dyn World) -> bool {
    let absent = |path: &Path| world.stat(path).is_none();
    match raw.as_bytes() {
        [b'\\', b'\\', ..] => return absent(place),
        [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic() => return absent(place),
        _ => {}
    }
    let place = collapse(place);
    let text = place.to_str().unwrap_or_default();
    match text.as_bytes() {
        [b'/', letter, b'/', ..] if letter.is_ascii_alphabetic() => {
            !own.iter().any(|folder| place.starts_with(folder))
                && text.get(..2).is_some_and(|top| absent(Path::new(top)))
        }
        _ => false,
    }
}
