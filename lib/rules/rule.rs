//! A rule and its matchers, as the tables hold them.

use super::words::{At, Class, Kinds, RedirectOp, Severity, Sink, Source, Way};
use crate::envelope::Verdict;

/// A list of words that lives as long as the program.
pub type Words = &'static [&'static str];

/// A matcher over words.
#[derive(Debug, PartialEq)]
pub struct Operand {
    /// Which words.
    pub at: At,
    /// Names for [`At::Option`] and [`At::Key`].
    pub names: Words,
    /// Kinds of path, one of which it must be; none for any.
    pub kinds: Kinds,
    /// Kinds it must not be.
    pub not_kinds: Kinds,
    /// Globs over the text, one of which must match; none for any.
    pub text: Words,
    /// Globs that must not match.
    pub not_text: Words,
    /// A regular expression over the text; empty for none.
    pub regex: &'static str,
    /// Whether all must fit, not one.
    pub every: bool,
    /// Least number of words looked at.
    pub min: u16,
    /// Largest number of words looked at.
    pub max: u16,
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
    pub any: Words,
    /// One option of each list.
    pub all: &'static [Words],
    /// None of these options.
    pub none: Words,
    /// Matchers, each of which must fit.
    pub operands: &'static [Operand],
    /// A redirect.
    pub redirect: Option<Redirect>,
    /// What feeds standard input.
    pub stdin_from: Option<Source>,
    /// Where the output goes.
    pub stdout_to: Option<Sink>,
    /// What a substitution inside runs.
    pub runs_code_from: Option<Source>,
    /// What wrote a file, earlier in the line, that it reads.
    pub reads_file_from: Option<Source>,
    /// What wrote a file, earlier in the line, that it runs.
    pub runs_file_from: Option<Source>,
    /// Contexts, one of which it must stand in.
    pub inside: Words,
    /// Contexts it may not stand in.
    pub not_inside: Words,
    /// Matchers over the part it stands in.
    pub outer: &'static [Operand],
    /// A regular expression over the words, joined by blanks; empty for none.
    pub regex: &'static str,
}

impl Clause {
    /// Whether it says anything that only a part of a shell call can hold.
    pub fn is_of_shell(&self) -> bool {
        !(self.any.is_empty() && self.all.is_empty() && self.none.is_empty())
            || self.redirect.is_some()
            || self.stdin_from.is_some()
            || self.stdout_to.is_some()
            || self.runs_code_from.is_some()
            || self.reads_file_from.is_some()
            || self.runs_file_from.is_some()
            || !(self.inside.is_empty() && self.not_inside.is_empty() && self.outer.is_empty())
            || !self.regex.is_empty()
    }
}

/// A rule.
#[derive(Debug, PartialEq)]
pub struct Rule {
    /// `<pack>/<pattern>`.
    pub id: &'static str,
    /// Its file: `rules/packs/git.toml` below the library's folder, or a user's or repo's file as people write it.
    pub file: &'static str,
    /// Line of its id in the file.
    pub line: u32,
    /// What it recognises.
    pub class: Class,
    /// Command words; `*` for any.
    pub heads: Words,
    /// Canonical keys of tools other than a shell; a `*` in one stands for any letters.
    pub tools: Words,
    /// Agents that it is for; none for all.
    pub hosts: Words,
    /// Subcommand words in order, each with alternatives.
    pub args: &'static [Words],
    /// Conditions.
    pub base: Clause,
    /// Further conditions, one of which must hold; none for none.
    pub when: &'static [Clause],
    /// Why, for the agent.
    pub reason: &'static str,
    /// The way on, for the agent.
    pub instead: &'static str,
    /// What kind of thing that is.
    pub way: Way,
    /// Canonical key of the dedicated tool.
    pub offer: &'static str,
    /// What a danger rule votes unless config says otherwise.
    pub verdict: Verdict,
    /// How bad it is.
    pub severity: Severity,
    /// Whether it only votes where config names its pack.
    pub by_name: bool,
    /// Plugin it belongs to.
    pub plugin: &'static str,
    /// Levels before and after.
    pub grade: Option<(u8, u8)>,
    /// Commands it matches.
    pub matches: Words,
    /// Commands it does not match.
    pub not_matches: Words,
}

impl Eq for Rule {}

impl Rule {
    /// The pack's name.
    pub fn pack(&self) -> &'static str {
        self.id.split('/').next().unwrap_or_default()
    }

    /// Where it stands: `rules/packs/git.toml:12`.
    pub fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}

/// A pack of rules: one family of programs.
#[derive(Debug, PartialEq)]
pub struct Pack {
    /// Name: the part of its rules' ids before the slash.
    pub name: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// Its file.
    pub file: &'static str,
    /// Command words of its rules that name none.
    pub heads: Words,
    /// Options with which none of its rules matches.
    pub harmless: Words,
    /// Its rules, in order of the file.
    pub rules: &'static [Rule],
}
