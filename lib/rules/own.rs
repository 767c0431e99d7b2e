//! Rules that are not kz's: the user's packs, and the repo's.
//!
//! Files are read once, next to the config; a rule in them is parsed when one of its heads and
//! first subcommand words occurs, or one of its tools, and then kept, with what is wrong with it. A repo
//! may only add and raise: its rules are of classes that exempt nothing, and take no id of kz or the user.

mod load;

pub use load::folder;

use super::read::{self, Header, Problem};
use super::rule::{Rule, Words};
use super::scan::{Chunk, What};
use super::view::View;
use super::{find, hit};
use crate::call::{Call, canonical_tool};
use crate::envelope::{Fault, Verdict};
use crate::shell::Part;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Whose a pack is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The user's.
    User,
    /// The session root's, and a person trusts the file as it is: as good as the user's.
    Trusted,
    /// The session root's.
    Repo,
}

impl Origin {
    /// For people.
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "your file",
            Self::Trusted => "repo, trusted",
            Self::Repo => "repo",
        }
    }
}

/// A pack file of the user or the repo.
#[derive(Debug)]
pub struct File {
    /// Whose it is.
    pub origin: Origin,
    /// As people write it: `~/.config/kz/rules/deploy.toml`.
    pub shown: &'static str,
    text: &'static str,
    chunks: Vec<Chunk>,
    header: OnceLock<(Header, Vec<Problem>)>,
    rules: Vec<OnceLock<Parsed>>,
}

/// A rule that was parsed, or what is wrong with it.
#[derive(Debug, Default)]
struct Parsed {
    rule: Option<&'static Rule>,
    problems: Vec<Problem>,
}

impl File {
    /// A pack file with this text; nothing of it is parsed yet.
    pub fn new(origin: Origin, shown: &'static str, text: &'static str) -> Self {
        let chunks = super::scan::scan(text);
        let rules = chunks.iter().map(|_| OnceLock::new()).collect();
        Self { origin, shown, text, chunks, header: OnceLock::new(), rules }
    }

    fn header(&self) -> &(Header, Vec<Problem>) {
        self.header.get_or_init(|| read::header(self.text, self.shown, &self.chunks))
    }

    fn rule_chunks(&self) -> impl Iterator<Item = (usize, &Chunk)> {
        self.chunks.iter().enumerate().filter(|(_, chunk)| chunk.what == What::Rule)
    }

    /// Whether anything of the file stands in no rule and is more than a plain head.
    fn is_odd(&self) -> bool {
        self.chunks.iter().any(|chunk| chunk.what == What::Stray || chunk.what == What::Head && !chunk.plain)
    }
}

/// Where a rule stands: file and piece.
type Place = (u16, u16);

/// The packs of the user and the repo.
#[derive(Debug, Default)]
pub struct Own {
    files: Vec<File>,
    /// Heads and tools, each sorted, with the rules that name them.
    heads: Vec<(&'static str, Place)>,
    tools: Vec<(&'static str, Place)>,
    /// What is wrong with files as such.
    faults: Vec<String>,
}

impl Own {
    /// Rules of these files; the user's stand before the repo's.
    pub fn of(files: Vec<File>) -> Self {
        let mut own = Self { files, ..Self::default() };
        own.index();
        own
    }

    fn index(&mut self) {
        let (mut heads, mut tools) = (Vec::new(), Vec::new());
        for (n, file) in self.files.iter().enumerate() {
            let plain = file.chunks.iter().filter(|chunk| chunk.what == What::Head);
            let odd = file.is_odd();
            let common: Words = if odd {
                file.header().0.heads
            } else {
                plain.flat_map(|chunk| &chunk.heads).copied().collect::<Vec<_>>().leak()
            };
            for (at, chunk) in file.rule_chunks() {
                let (Ok(n), Ok(at)) = (u16::try_from(n), u16::try_from(at)) else { continue };
                let place = (n, at);
                // What is written in a way that the scan does not see through is parsed at once.
                let parsed = if chunk.plain { None } else { self.parsed(place).rule };
                let own: &[&'static str] = parsed.map_or(&chunk.heads, |rule| rule.heads);
                let named: &[&'static str] = parsed.map_or(&chunk.tools, |rule| rule.tools);
                let all = if own.is_empty() && named.is_empty() { common } else { own };
                heads.extend(all.iter().map(|head| (*head, place)));
                let key = |tool: &&'static str| if tool.contains('*') { "*" } else { canonical_tool(tool) };
                tools.extend(named.iter().map(|tool| (key(tool), place)));
            }
        }
        heads.sort_unstable();
        tools.sort_unstable();
        heads.dedup();
        tools.dedup();
        (self.heads, self.tools) = (heads, tools);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.faults.is_empty()
    }

    /// The files, the user's first, each sort by name.
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// All rules that are right, in order of files and lines, with whose they are.
    pub fn rules(&self) -> impl Iterator<Item = (Origin, &'static Rule)> {
        self.places().filter_map(|(file, place)| Some((file.origin, self.parsed(place).rule?)))
    }

    fn places(&self) -> impl Iterator<Item = (&File, Place)> {
        self.files.iter().enumerate().flat_map(|(n, file)| {
            file.rule_chunks()
                .filter_map(move |(at, _)| Some((file, (u16::try_from(n).ok()?, u16::try_from(at).ok()?))))
        })
    }

    /// A rule by id.
    pub fn find(&self, id: &str) -> Option<(Origin, &'static Rule)> {
        self.places()
            .filter(|(file, (_, at))| {
                file.chunks.get(usize::from(*at)).is_some_and(|chunk| chunk.id == id || !chunk.plain)
            })
            .find_map(|(file, place)| Some((file.origin, self.parsed(place).rule.filter(|rule| rule.id == id)?)))
    }

    /// Whether an id is a repo's rule.
    pub fn is_of_repo(&self, rule: &Rule) -> bool {
        self.files.iter().any(|file| file.origin == Origin::Repo && std::ptr::eq(file.shown, rule.file))
    }

    /// The source of a rule: its lines in the file.
    pub fn source(&self, id: &str) -> Option<&'static str> {
        let chunks = self.files.iter().flat_map(|file| file.rule_chunks().map(move |(_, chunk)| (file, chunk)));
        let (file, chunk) = chunks.into_iter().find(|(_, chunk)| chunk.id == id)?;
        file.text.get(chunk.start..chunk.end).map(trimmed)
    }

    /// The rules for a command word, with the options with which they do not match; only those with whose
    /// first subcommand words the command begins.
    pub(super) fn for_head<F: Fn(&[&str]) -> bool>(
        &self,
        head: &str,
        begins: F,
    ) -> impl Iterator<Item = (Words, &'static Rule)> + use<'_, F> {
        let listed = self.range(&self.heads, head).iter();
        listed.filter(move |(_, place)| self.may_begin(*place, &begins)).filter_map(|(_, place)| {
            let rule = self.parsed(*place).rule?;
            Some((self.files.get(usize::from(place.0))?.header().0.harmless, rule))
        })
    }

    /// Whether a command may be of a rule, by the rule's first subcommand words.
    fn may_begin(&self, (file, at): Place, begins: impl Fn(&[&str]) -> bool) -> bool {
        let chunk = self.files.get(usize::from(file)).and_then(|file| file.chunks.get(usize::from(at)));
        chunk.is_none_or(|chunk| chunk.first.is_empty() || begins(&chunk.first))
    }

    /// The rules for a tool that is no shell.
    pub(super) fn for_tool(&self, tool: &str) -> impl Iterator<Item = &'static Rule> + use<'_> {
        self.range(&self.tools, tool).iter().filter_map(|(_, place)| self.parsed(*place).rule)
    }

    fn range<'t>(&self, table: &'t [(&'static str, Place)], word: &str) -> &'t [(&'static str, Place)] {
        let from = table.partition_point(|(known, _)| *known < word);
        let rest = table.get(from..).unwrap_or_default();
        let count = rest.iter().take_while(|(known, _)| *known == word).count();
        rest.get(..count).unwrap_or_default()
    }

    fn parsed(&self, place: Place) -> &Parsed {
        static NOTHING: Parsed = Parsed { rule: None, problems: Vec::new() };
        let found = self.files.get(usize::from(place.0)).and_then(|file| {
            let (slot, chunk) = (file.rules.get(usize::from(place.1))?, file.chunks.get(usize::from(place.1))?);
            Some(slot.get_or_init(|| self.parse(file, chunk, place)))
        });
        found.unwrap_or(&NOTHING)
    }

    fn parse(&self, file: &File, chunk: &Chunk, place: Place) -> Parsed {
        let (rule, mut problems) = read::rule(file.text, chunk, &file.header().0);
        if let Some(rule) = &rule {
            problems.extend(refused(file.origin, rule, chunk));
            problems.extend(find(rule.id).map(|known| read::twice(chunk.id_at, known)));
            // Of two with one id the first counts.
            problems.extend(self.before(rule.id, place).map(|known| Problem {
                at: chunk.id_at,
                text: format!("there is a rule `{}` already, in {known}", rule.id),
                hint: "give this one an id of its own".into(),
            }));
        }
        let rule = rule.filter(|_| problems.is_empty()).map(|rule| &*Box::leak(Box::new(rule)));
        Parsed { rule, problems }
    }

    /// Where a rule of this id stands before another, as `file:line`.
    fn before(&self, id: &str, place: Place) -> Option<String> {
        self.places().take_while(|(_, other)| *other != place).find_map(|(file, (_, at))| {
            let chunk = file.chunks.get(usize::from(at)).filter(|chunk| chunk.id == id)?;
            Some(format!("{}:{}", file.shown, read::line(file.text, chunk.id_at)))
        })
    }

    /// Everything that is wrong, file by file; parses all rules.
    pub fn all_faults(&self) -> Vec<String> {
        let mut told = self.faults.clone();
        for (n, file) in self.files.iter().enumerate() {
            let mut problems = file.header().1.clone();
            for (at, _) in file.rule_chunks() {
                if let (Ok(n), Ok(at)) = (u16::try_from(n), u16::try_from(at)) {
                    problems.extend(self.parsed((n, at)).problems.iter().cloned());
                }
            }
            problems.sort_by_key(|problem| problem.at);
            told.extend(problems.iter().map(|problem| read::said(problem, file.text, file.shown)));
        }
        told
    }

    /// What is wrong that this call comes upon: with files as such, with what the rules of a file have in
    /// common if any of their heads or tools occurs, and with the rules that it may be of.
    pub(crate) fn faults(&self, call: &Call) -> Vec<String> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut told = self.faults.clone();
        // Each with whether the call may be of the rule.
        let mut places: BTreeMap<Place, bool> = BTreeMap::new();
        let mut add = |listed: &[(&'static str, Place)], may: &dyn Fn(Place) -> bool| {
            for (_, place) in listed {
                let known = places.entry(*place).or_default();
                *known = *known || may(*place);
            }
        };
        match &call.shell {
            Some(shell) => {
                let any = self.range(&self.heads, "*");
                // Also of a line in which no command was found.
                add(any, &|place| self.may_begin(place, |_| false));
                for part in shell.parts.iter().flat_map(|part: &Part| std::iter::once(part).chain(&part.turns)) {
                    let head = hit::head(part);
                    let view = OnceCell::new();
                    let begins = |words: &[&str]| view.get_or_init(|| View::of(part, head.clone())).begins(&[words]);
                    let may = |place| self.may_begin(place, begins);
                    add(self.range(&self.heads, &head), &may);
                    add(any, &may);
                }
            }
            None => super::tools::tool_keys(call).iter().for_each(|key| add(self.range(&self.tools, key), &|_| true)),
        }
        let mut last = None;
        for (place, may) in places {
            let Some(file) = self.files.get(usize::from(place.0)) else { continue };
            if last != Some(place.0) {
                last = Some(place.0);
                told.extend(file.header().1.iter().map(|problem| read::said(problem, file.text, file.shown)));
            }
            let problems = if may { &self.parsed(place).problems[..] } else { &[] };
            told.extend(problems.iter().map(|problem| read::said(problem, file.text, file.shown)));
        }
        told
    }
}

/// Why a repo may not have this rule.
fn refused(origin: Origin, rule: &Rule, chunk: &Chunk) -> Option<Problem> {
    let problem = |text: String, hint: &str| Some(Problem { at: chunk.id_at, text, hint: hint.into() });
    match origin {
        Origin::User | Origin::Trusted => None,
        Origin::Repo if !rule.class.only_adds() => problem(
            format!("a repo may not have the rule `{}`: class {} can exempt a command", rule.id, rule.class.word()),
            "it is yours to have: move it into `~/.config/kz/rules/`",
        ),
        Origin::Repo if rule.class == super::Class::Danger && rule.verdict < Verdict::Ask => {
            problem(format!("a repo's danger rule `{}` must ask or deny", rule.id), "write `verdict = \"ask\"`")
        }
        Origin::Repo => None,
    }
}

/// Faults as the envelope carries them.
pub(crate) fn as_faults(texts: Vec<String>, closed: bool) -> impl Iterator<Item = Fault> {
    texts.into_iter().map(move |text| Fault {
        by: "rules".into(),
        kind: "config".into(),
        text,
        closed,
        ..Fault::default()
    })
}

/// The lines of a rule without the blank lines and comments that stand before the next.
pub(crate) fn trimmed(piece: &'static str) -> &'static str {
    let kept = piece.lines().rev().take_while(|line| line.trim().is_empty() || line.starts_with('#')).count();
    let lines = piece.lines().count().saturating_sub(kept);
    let end: usize = piece.split_inclusive('\n').take(lines).map(str::len).sum();
    piece.get(..end).unwrap_or(piece)
}

#[cfg(test)]
mod tests;
