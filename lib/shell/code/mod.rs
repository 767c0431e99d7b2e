//! Program text of other languages that a command line holds: `python3 -c`, a here-document for
//! `node`, an `awk` program. A bounded reader per language finds what it opens, deletes, runs and
//! sends with literal arguments, or says that there is more. A literal alone is never a finding.
//!
//! Nothing is evaluated. Every reader is linear in the text and total.
//!
//! The rooms: `program` (tokens, a tree, a walk through it) serves `python` and `javascript`; `talk`
//! (words, and a walk over them) holds Perl, Ruby and PHP; `awk`, `sed` and `sql` stand alone; `value` serves
//! those and `talk`; `calls` knows single calls of languages that are met less.

mod awk;
mod calls;
mod javascript;
mod program;
mod python;
mod sed;
mod sql;
mod talk;
#[cfg(test)]
mod texts;
mod value;

pub(crate) use sql::statements;

use ecow::EcoString;

use super::dynamic::Dynamics;
use super::options;
use super::part::{Arg, CodePath};
use calls::Tongue;
use talk::Kind;

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
    /// Lua.
    Lua,
    /// R.
    R,
    /// Julia.
    Julia,
    /// Elixir.
    Elixir,
    /// Tcl, and expect.
    Tcl,
    /// AppleScript.
    AppleScript,
}

impl Lang {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Python,
        Self::JavaScript,
        Self::Ruby,
        Self::Perl,
        Self::Php,
        Self::Awk,
        Self::Sed,
        Self::Sql,
        Self::Lua,
        Self::R,
        Self::Julia,
        Self::Elixir,
        Self::Tcl,
        Self::AppleScript,
    ];

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
            Self::Lua => "lua",
            Self::R => "r",
            Self::Julia => "julia",
            Self::Elixir => "elixir",
            Self::Tcl => "tcl",
            Self::AppleScript => "applescript",
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
    /// Whether it changes the database that the command names.
    pub writes_base: bool,
}

/// An option of the command that a program text was given to.
#[derive(Clone, Debug, Default)]
struct Given {
    name: String,
    value: Option<Arg>,
}

/// What a program text finds around it besides its arguments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Setting<'a> {
    /// Variables of its environment that the line sets to certain values.
    pub env: &'a [(EcoString, Arg)],
    /// Whether it is a script with a name, or standard input: that name stands before its arguments.
    pub named: bool,
}

impl<'a> Setting<'a> {
    /// The value that the line gives to a variable of the environment.
    fn variable(&self, name: &str) -> Option<&'a Arg> {
        self.env.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

/// Whether a program text may look at its environment.
pub fn asks_environment(text: &str) -> bool {
    ["env", "ENV"].iter().any(|word| text.contains(word))
}

/// The command that a program text was given to.
#[derive(Clone, Debug, Default)]
struct Host<'a> {
    /// What it finds around it.
    setting: Setting<'a>,
    /// Its name.
    head: &'a str,
    /// Its options.
    options: Vec<Given>,
    /// How many program texts this one is inside of.
    depth: usize,
}

impl Host<'_> {
    fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|option| names.contains(&option.name.as_str()))
    }
}

/// Reads a program text that the command `words` was given; its name is `head`.
pub fn read_in(lang: Lang, text: &Arg, args: &[Arg], head: &str, words: &[Arg], setting: Setting<'_>) -> Found {
    match lang {
        Lang::Python => return python::read(text, args, setting),
        Lang::JavaScript => return javascript::read(text, args, setting),
        _ => {}
    }
    let given = options::read(head, words).options;
    let options = given.iter().map(|option| Given {
        name: option.name.clone().into_owned(),
        value: option.value.as_ref().map(|value| Arg {
            text: value.clone().into_owned().into(),
            dynamic: words.get(option.value_at).map_or(Dynamics::NONE, |word| word.dynamic),
        }),
    });
    hosted(lang, text, args, &Host { setting, head, options: options.collect(), depth: 0 })
}

fn hosted(lang: Lang, text: &Arg, args: &[Arg], host: &Host<'_>) -> Found {
    match lang {
        Lang::Sed => sed::read(text, host),
        Lang::Awk => awk::read(text, args, host),
        Lang::Sql => sql::read(text, args, host),
        Lang::Perl => talk::read(Kind::Perl, text, args, host),
        Lang::Ruby => talk::read(Kind::Ruby, text, args, host),
        Lang::Php => talk::read(Kind::Php, text, args, host),
        Lang::Lua => calls::read(Tongue::Lua, text),
        Lang::R => calls::read(Tongue::R, text),
        Lang::Julia => calls::read(Tongue::Julia, text),
        Lang::Elixir => calls::read(Tongue::Elixir, text),
        Lang::Tcl => calls::read(Tongue::Tcl, text),
        Lang::AppleScript => calls::read(Tongue::AppleScript, text),
        Lang::Python | Lang::JavaScript => Found::default(),
    }
}

/// Reads a program text. `args` are the words behind it, its arguments.
pub fn read(lang: Lang, text: &Arg, args: &[Arg]) -> Found {
    match lang {
        Lang::Python => python::read(text, args, Setting::default()),
        Lang::JavaScript => javascript::read(text, args, Setting::default()),
        _ => hosted(lang, text, args, &Host::default()),
    }
}
