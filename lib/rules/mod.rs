//! Rules as data: what a command is, said in TOML packs with their own examples.
//!
//! A rule only recognises; what follows is for config and the stages. The packs in `packs/`
//! become static tables when the library is built ([`packs`]); [`hits`] matches them against a
//! call, by head first, so that a part costs a binary search and its own program's rules.
//! No regex: options are compared by name, operands by the kind of path they are ([`kind`]).

pub mod check;
mod code;
mod files;
pub mod hit;
pub mod kind;
#[cfg(test)]
mod tests;
mod view;

pub use hit::{Hit, hits};
pub use kind::{Kind, Kinds, Place};

use crate::envelope::Verdict;
use crate::stage::guard::coordinator;
use crate::text::prefix;

/// What kind of thing a rule recognises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Writes a file.
    Write,
    /// Reads a file.
    Read,
    /// Searches contents.
    Search,
    /// Lists files.
    Discovery,
    /// Steers processes.
    Control,
    /// Builds, tests, lints.
    Build,
    /// Version control.
    Vcs,
    /// Could lose or leak something.
    Danger,
    /// Puts bytes of the network on its output; no finding of its own.
    Download,
    /// Puts decoded bytes on its output; no finding of its own.
    Decoder,
    /// Moves, prints, tests: nothing by itself; no finding of its own.
    Glue,
    /// Reshapes what a pipe brings; no finding of its own.
    Filter,
}

impl Class {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Read => "read",
            Self::Search => "search",
            Self::Discovery => "discovery",
            Self::Control => "control",
            Self::Build => "build",
            Self::Vcs => "vcs",
            Self::Danger => "danger",
            Self::Download => "download",
            Self::Decoder => "decoder",
            Self::Glue => "glue",
            Self::Filter => "filter",
        }
    }

    /// Whether a hit becomes a finding.
    pub fn is_finding(self) -> bool {
        !matches!(self, Self::Download | Self::Decoder | Self::Glue | Self::Filter)
    }
}

/// How bad it is if a danger rule is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A nuisance.
    Low,
    /// Work to repeat.
    Medium,
    /// Work is lost.
    High,
    /// The machine, the history or a secret is lost.
    Critical,
}

/// What stands behind a pipe or a substitution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A download.
    Download,
    /// A decoder.
    Decoder,
    /// Anything.
    Any,
}

/// Which words a matcher looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// All operands.
    Any,
    /// The first operand.
    First,
    /// The last operand.
    Last,
    /// All but the first.
    Rest,
    /// Operands behind `--`.
    Dashed,
    /// Operands before the first word that begins like an expression: where `find` starts.
    Start,
    /// Every word behind the command word.
    Words,
    /// Assignments before the command.
    Assign,
    /// Targets of redirects.
    Redirect,
    /// Files whose content it reads, by the program table; all operands if it has no row there.
    Reads,
    /// Files that it writes or deletes, by the program table; all operands if it has no row there.
    Writes,
    /// Words that stand for input which nobody has seen: `{}` of xargs, what xargs appends.
    Fed,
    /// Values of the named options.
    Option,
    /// Values of `name=value` operands.
    Key,
    /// Program text: values of code options, here-documents, here-strings, text piped in by echo or printf.
    Code,
    /// String literals of that program text.
    Literal,
    /// Text that reaches standard input, as far as it is written in the line.
    Input,
}

/// A matcher over words.
#[derive(Debug, PartialEq)]
pub struct Operand {
    /// Which words.
    pub at: At,
    /// Names for [`At::Option`] and [`At::Key`].
    pub names: &'static [&'static str],
    /// Kinds of path, one of which it must be; none for any.
    pub kinds: Kinds,
    /// Kinds it must not be.
    pub not_kinds: Kinds,
    /// Globs over the text, one of which must match; none for any.
    pub text: &'static [&'static str],
    /// Globs that must not match.
    pub not_text: &'static [&'static str],
    /// Whether all must fit, not one.
    pub every: bool,
    /// Least number of words looked at.
    pub min: u16,
    /// Largest number of words looked at.
    pub max: u16,
}

/// Direction of a redirect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectOp {
    /// From a file.
    Read,
    /// To a file.
    Write,
    /// A here-document or here-string.
    Heredoc,
}

/// A matcher over redirects.
#[derive(Debug, PartialEq)]
pub struct Redirect {
    /// Direction.
    pub op: RedirectOp,
    /// Kinds of path of the target; none for any.
    pub kinds: Kinds,
    /// Kinds it must not be.
    pub not_kinds: Kinds,
}

/// Conditions that must all hold.
#[derive(Debug, PartialEq)]
pub struct Clause {
    /// One of these options.
    pub any: &'static [&'static str],
    /// One option of each list.
    pub all: &'static [&'static [&'static str]],
    /// None of these options.
    pub none: &'static [&'static str],
    /// Matchers, each of which must fit.
    pub operands: &'static [Operand],
    /// A redirect.
    pub redirect: Option<Redirect>,
    /// What feeds standard input.
    pub stdin_from: Option<Source>,
    /// What a substitution inside runs.
    pub runs_code_from: Option<Source>,
    /// Contexts, one of which it must stand in.
    pub inside: &'static [&'static str],
    /// Contexts it may not stand in.
    pub not_inside: &'static [&'static str],
    /// Matchers over the part it stands in.
    pub outer: &'static [Operand],
}

/// A rule.
#[derive(Debug, PartialEq)]
pub struct Rule {
    /// `<pack>/<pattern>`.
    pub id: &'static str,
    /// Line of its id in the pack's file.
    pub line: u32,
    /// What it recognises.
    pub class: Class,
    /// Command words; `*` for any.
    pub heads: &'static [&'static str],
    /// Canonical keys of tools other than a shell.
    pub tools: &'static [&'static str],
    /// Subcommand words in order, each with alternatives.
    pub args: &'static [&'static [&'static str]],
    /// Conditions.
    pub base: Clause,
    /// Further conditions, one of which must hold; none for none.
    pub when: &'static [Clause],
    /// Why, for the agent.
    pub reason: &'static str,
    /// The way on, for the agent.
    pub instead: &'static str,
    /// Canonical key of the dedicated tool.
    pub offer: &'static str,
    /// What a danger rule votes unless config says otherwise.
    pub verdict: Verdict,
    /// How bad it is.
    pub severity: Severity,
    /// Plugin it belongs to.
    pub plugin: &'static str,
    /// Levels before and after.
    pub grade: Option<(u8, u8)>,
    /// Commands it matches.
    pub matches: &'static [&'static str],
    /// Commands it does not match.
    pub not_matches: &'static [&'static str],
}

/// A pack of rules: one family of programs.
#[derive(Debug)]
pub struct Pack {
    /// Name: the part of its rules' ids before the slash.
    pub name: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// Its file, below the library's folder.
    pub file: &'static str,
    /// Command words that its rules need.
    pub heads: &'static [&'static str],
    /// Options with which none of its rules matches.
    pub harmless: &'static [&'static str],
    /// Its rules.
    pub rules: &'static [Rule],
}

/// A table that is searched by word: its first bytes, the word, and its rules as pack and place.
type Index = &'static [(u64, &'static str, &'static [(u16, u16)])];

include!(concat!(env!("OUT_DIR"), "/packs.rs"));

/// The built-in packs.
pub fn packs() -> &'static [Pack] {
    PACKS
}

/// A rule by id.
pub fn find(id: &str) -> Option<&'static Rule> {
    locate(id).map(|(_, rule)| rule)
}

/// Whether votes can carry this id: a rule of a pack, or what the guard says without one.
pub fn is_known(id: &str) -> bool {
    ["shell/bound", "shell/opaque", "shell/opaque-danger", "payload/bound"].contains(&id)
        || id.starts_with("mode/")
        || coordinator::RULES.contains(&id)
        || find(id).is_some()
}

/// A rule by id, with its pack.
pub fn locate(id: &str) -> Option<(&'static Pack, &'static Rule)> {
    let pack = id.split('/').next()?;
    PACKS
        .iter()
        .filter(|known| known.name == pack)
        .find_map(|pack| pack.rules.iter().find(|rule| rule.id == id).map(|rule| (pack, rule)))
}

impl Rule {
    /// Where it stands: `rules/packs/git.toml:12`.
    pub fn place(&self) -> String {
        locate(self.id).map_or_else(String::new, |(pack, rule)| format!("{}:{}", pack.file, rule.line))
    }
}

/// The rules of a word in one of the index tables.
fn listed(table: Index, word: &str) -> impl Iterator<Item = (&'static Pack, &'static Rule)> + use<> {
    let first = prefix(word);
    let found = table.binary_search_by(|(known, name, _)| known.cmp(&first).then_with(|| (*name).cmp(word)));
    let places = found.ok().and_then(|at| table.get(at));
    places.map_or(&[][..], |(.., places)| places).iter().filter_map(|(pack, rule)| {
        let pack = PACKS.get(usize::from(*pack))?;
        Some((pack, pack.rules.get(usize::from(*rule))?))
    })
}

/// The rules for a command word.
fn for_head(head: &str) -> impl Iterator<Item = (&'static Pack, &'static Rule)> + use<> {
    listed(HEADS, head)
}

/// The rules for a tool that is no shell.
fn for_tool(tool: &str) -> impl Iterator<Item = (&'static Pack, &'static Rule)> + use<> {
    listed(TOOLS, tool)
}
