//! Programs and scripts under a name that the line gave them: `cp /bin/sh x; ./x`, `ln -s … x`.

use std::ops::Range;

use thin_vec::ThinVec;

use super::super::dynamic::Dynamic;
use super::super::options;
use super::super::part::{Arg, Part, Redir, RedirFd};
use super::super::programs;
use super::super::unwrap::{Around, Inner};
use super::Walk;
use super::out::may_look;
use super::state::Place;
use super::vars::Value;

/// Name of the context of a program that runs under another name.
const RENAMED: &str = "renamed";
/// Programs that give a file another name.
const MOVERS: [&str; 5] = ["cp", "mv", "ln", "link", "install"];
/// Most parts that may give files other names and are looked at.
pub(super) const MOST_MOVERS: usize = 64;
/// Most names behind names.
const CHAIN: usize = 4;

impl Walk<'_, '_> {
    /// What part `n` runs if its program is a copy of another or a link to it, made by a part before.
    pub(super) fn renamed(&mut self, n: u32) -> Option<Inner> {
        if self.out.movers.is_empty() {
            return None;
        }
        let part = self.out.parts.get(n as usize)?;
        let words = part.words();
        let word = words.first()?;
        if part.elsewhere || part.ctx.last().is_some_and(|ctx| ctx == RENAMED) {
            return None;
        }
        let name = word.certain().or_else(|| (word.dynamic == [Dynamic::Tilde]).then_some(word.text.as_str()))?;
        let (word, mut words): (Arg, ThinVec<Arg>) = (word.clone(), words.into());
        let mut before = n;
        let mut program = if name.contains('/') { word } else { self.in_path(n, name)? };
        let mut found = None;
        for _ in 0..CHAIN {
            let Some((part, source)) = self.made_of(before, &program) else { break };
            (before, program) = (part, source.clone());
            found = Some(source);
        }
        let source = found?;
        let file = source.text.rsplit('/').next().unwrap_or_default();
        if !source.dynamic.is_empty() || programs::program(file).is_none() && !is_installed(&source.text) {
            return None;
        }
        *words.first_mut()? = source;
        let range: Range<usize> = 0..words.len();
        Some(Inner::Words(range, words, Around { label: RENAMED.into(), ..Around::default() }))
    }

    /// The file that a bare name stands for, if a part made it where programs are looked for.
    fn in_path(&self, n: u32, name: &str) -> Option<Arg> {
        let searched = self.out.state.vars.value("PATH") != Value::Untouched;
        let before = self.out.movers.iter().rev().filter(|mover| **mover < n);
        before.filter_map(|mover| self.out.parts.get(*mover as usize)).find_map(|part| {
            let (_, to) = copied(part)?;
            let (folder, file) = to.text.rsplit_once('/').unwrap_or((".", to.text.as_str()));
            let place = Place { path: part.cwd.clone(), unknown: part.cwd_unknown };
            let here = place == self.out.state.place;
            (file == name && here && (searched || folder.ends_with("/bin"))).then_some(to)
        })
    }

    /// The other names that parts before part `n` gave a file by links, or that it is a link to.
    pub(super) fn aliases_of(&self, n: u32, file: &Place) -> Vec<Place> {
        let movers = self.out.movers.iter().filter(|mover| **mover < n);
        let links = movers.filter_map(|mover| self.out.parts.get(*mover as usize));
        let links = links.filter(|part| matches!(part.head.as_str(), "ln" | "link"));
        links
            .filter_map(|part| {
                let place = Place { path: part.cwd.clone(), unknown: part.cwd_unknown };
                let (from, to) = copied(part)?;
                let (from, to) = (place.enter(&from), place.enter(&to));
                match (from == *file, to == *file) {
                    (true, _) => Some(to),
                    (_, true) => Some(from),
                    _ => None,
                }
            })
            .collect()
    }

    /// The part before part `n` that made a file by copying or linking another, and that other.
    pub(super) fn made_of(&mut self, n: u32, file: &Arg) -> Option<(u32, Arg)> {
        let file = self.out.state.place.enter(file);
        let named = |part: &Part| {
            let place = Place { path: part.cwd.clone(), unknown: part.cwd_unknown };
            copied(part).filter(|(_, to)| place.enter(to) == file)
        };
        let mut movers = self.out.movers.iter().filter_map(|mover| self.out.parts.get(*mover as usize));
        if file.unknown || !movers.any(|part| part.n < n && named(part).is_some()) {
            return None;
        }
        for part in self.out.parts.get(..n as usize)?.iter().rev() {
            if !may_look(&mut self.out.looks) {
                return None;
            }
            let place = Place { path: part.cwd.clone(), unknown: part.cwd_unknown };
            if let Some((from, _)) = named(part) {
                // A word is seen from where the walk is.
                let seen = place == self.out.state.place || from.text.starts_with('/');
                return seen.then_some((part.n, from));
            }
            if self.changes(part, &file) {
                return None;
            }
        }
        None
    }
}

/// Whether a path is where programs are installed.
fn is_installed(path: &str) -> bool {
    path.starts_with('/') && path.contains("bin/")
}

/// Whether a part may give a file another name.
pub(super) fn makes(part: &Part) -> bool {
    MOVERS.contains(&part.head.as_str()) || part.head == "cat" && part.redirs.iter().any(is_output)
}

fn is_output(redir: &Redir) -> bool {
    redir.fd == RedirFd::Number(1) && matches!(redir.op.as_ref(), ">" | ">|")
}

/// The one file that a part copies, moves or links, and the name that it gets.
pub(super) fn copied(part: &Part) -> Option<(Arg, Arg)> {
    if !makes(part) {
        return None;
    }
    let read = options::options(part);
    let word = |at: usize| part.words().get(*read.operands.get(at)?).cloned();
    if part.head == "cat" {
        let [redir] = part.redirs.as_slice() else { return None };
        return (is_output(redir) && read.operands.len() == 1).then(|| Some((word(0)?, redir.target().clone())))?;
    }
    match read.operands.len() {
        _ if read.has(read.row.into) => None,
        1 if part.head == "ln" => {
            let from = word(0)?;
            let name = from.text.rsplit('/').next().map(Arg::literal)?;
            Some((from, name))
        }
        2 => Some((word(0)?, word(1)?)),
        _ => None,
    }
}
