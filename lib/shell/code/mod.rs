//! Program text of other languages that a command line holds: `python3 -c`, a here-document for
//! `node`, an `awk` program. A bounded reader per language finds what it opens, deletes, runs and
//! sends with literal arguments, or says that there is more. A literal alone is never a finding.
//!
//! Nothing is evaluated. Every reader is linear in the text and total.

mod javascript;
mod python;
mod script;

use super::part::{Arg, CodePath};

/// A language with a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lang {
    /// Python.
    Python,
    /// JavaScript and TypeScript, for node, bun and deno.
    JavaScript,
    /// Ruby.
    Ruby,
    /// Perl.
    Perl,
    /// PHP.
    Php,
    /// AWK.
    Awk,
    /// A sed script.
    Sed,
    /// SQL, with the dot commands of sqlite3 and the backslash commands of psql.
    Sql,
}

impl Lang {
    /// Its name on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::JavaScript => "javascript",
            Self::Ruby => "ruby",
            Self::Perl => "perl",
            Self::Php => "php",
            Self::Awk => "awk",
            Self::Sed => "sed",
            Self::Sql => "sql",
        }
    }
}

/// A command that a program text runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Run {
    /// A line for the shell.
    Text(Arg),
    /// Command word and arguments, without a shell.
    Argv(Vec<Arg>),
}

/// What a program text does, as far as its words say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Paths that it names.
    pub paths: Vec<CodePath>,
    /// Commands that it runs.
    pub runs: Vec<Run>,
    /// Where it sends to or fetches from: the literal URL or host, `«var»` if it is computed.
    pub net: Vec<String>,
    /// Why it may do more than that; `None` if that is all.
    pub open: Option<&'static str>,
}

/// Reads a program text. `args` are the words behind it, its arguments.
pub fn read(lang: Lang, text: &Arg, args: &[Arg]) -> Found {
    match lang {
        Lang::Python => python::read(text, args),
        Lang::JavaScript => javascript::read(text, args),
        Lang::Awk | Lang::Sed => Found::default(),
        _ => Found { open: Some("code that is not read"), ..Found::default() },
    }
}
