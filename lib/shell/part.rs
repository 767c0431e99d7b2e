//! A part: one simple command of a shell call, as it stands in the envelope.
//!
//! The wire form of a word is a plain string if its value is certain, else
//! `{"w": text, "dyn": [kinds]}` with a mark such as `«var»` where the unknown stands.

use serde::{Deserialize, Serialize};

use std::sync::Arc;

use ecow::{EcoString, EcoVec};
use thin_vec::ThinVec;

use super::dynamic::{Dynamic, Dynamics};
use crate::call::Op;

/// A word as the program would see it, as far as can be known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arg {
    /// The text with marks for what is unknown.
    pub text: EcoString,
    /// Why it is not certain; empty for a literal word.
    pub dynamic: Dynamics,
}

/// One redirect of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redir {
    /// Descriptor: a number, or `{name}`.
    pub fd: RedirFd,
    /// Operator as written in bash: `>`, `>>`, `<<`, `&>`, …
    pub op: EcoString,
    /// File, descriptor, or here-document body.
    pub target: Arg,
    /// The target with certain values put in, where that differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<Arg>,
}

/// The descriptor of a redirect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RedirFd {
    /// `2`
    Number(u32),
    /// `{fd}`
    Named(EcoString),
}

/// One simple command, where it stands and how it was reached.
///
/// A compound command's own redirects form a part with an empty `argv`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Its number in the call, from 0, in reading order.
    pub n: u32,
    /// Base name of the program (no folder, lower case as typed), empty if unknown or none.
    pub head: EcoString,
    /// Command word and arguments.
    pub argv: ThinVec<Arg>,
    /// Assignments before it.
    #[serde(default, skip_serializing_if = "ThinVec::is_empty")]
    pub assign: ThinVec<Arg>,
    /// Its redirects, in source order.
    #[serde(default, skip_serializing_if = "ThinVec::is_empty")]
    pub redirs: ThinVec<Redir>,
    /// Where it stands, outermost first: `pipe 2/3`, `cmdsub`, `procsub`, `subshell`, `func f`,
    /// `if`, `for`, a wrapper's name (`sudo`), `bash -c`, `find -exec`, `bash stdin`, …
    #[serde(default, skip_serializing_if = "EcoVec::is_empty")]
    pub ctx: EcoVec<EcoString>,
    /// The operator that joins it to the part before: `&&`, `||`, `;`, `&`, `|`, `|&`; empty for the first.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub by: EcoString,
    /// The part it stands inside of: the wrapper, or the command whose word holds the substitution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<u32>,
    /// Parts whose output feeds its standard input, nearest stage of the pipe.
    #[serde(default, skip_serializing_if = "ThinVec::is_empty")]
    pub from: ThinVec<u32>,
    /// Folder it runs in if a `cd` before it changed it: absolute, or relative to the call's
    /// folder; `None` for the call's own folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<Arc<str>>,
    /// Whether that folder (or which of several) is unknown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cwd_unknown: bool,
    /// `argv` with certain values put in, where that differs: variables assigned on the same line,
    /// split at blanks; `$HOME` and `$PWD` stand as written and count as [`Dynamic::Tilde`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<ThinVec<Arg>>,
    /// The same part once for each value of a loop over a written list, where it differs; a glob
    /// in the list stands for its results.
    #[serde(default, skip_serializing_if = "ThinVec::is_empty")]
    pub turns: ThinVec<Part>,
    /// Whether unknown operands are appended when it runs (`xargs`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub appends: bool,
    /// The text in its words that stands for unknown input: `{}` of `find -exec`, `xargs -I`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replace: Option<Arc<str>>,
    /// Globs that the unknown input is among: what `find` finds, what `xargs` is given by it.
    #[serde(default, skip_serializing_if = "ThinVec::is_empty")]
    pub input: ThinVec<Arg>,
    /// Whether it runs on another machine or in another root folder (`ssh`, `docker exec`, `chroot`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub elsewhere: bool,
    /// Whether each turn of an endless loop starts it in the background.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forks: bool,
    /// Whether a function starts it in the background.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub behind: bool,
    /// Whether it calls a function of this call or an alias: what that does is said by other parts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub calls: bool,
    /// What the program text that it is given says (`python -c`, a here-document for `node`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Box<Code>>,
    /// Why it may touch more than its paths say: an unknown program, a script, a build; empty if
    /// the paths are all.
    #[serde(default, skip_serializing_if = "EcoString::is_empty")]
    pub open: EcoString,
    /// Byte range in the command text; of a part in a re-read text: of the word that holds it.
    pub span: [u32; 2],
}

/// What a program text says that it touches and does. The commands it runs are parts of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    /// Its language: `python`, `javascript`, `ruby`, `perl`, `php`, `awk`, `sed`, `sql`;
    /// `shell` for a script whose text is known, which has parts of its own.
    pub lang: String,
    /// Paths that it names, as seen from the folder of the part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<CodePath>,
    /// Where it sends to or fetches from: the literal URL or host, `«var»` if it is computed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub net: Vec<String>,
    /// Why it may touch more than that; empty if that is all.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub open: String,
    /// Whether it changes the database that the command names, or nobody knows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub writes_base: bool,
}

/// A path in a program text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodePath {
    /// The path; with marks where it is computed.
    pub path: Arg,
    /// What happens to it.
    pub op: Op,
}

/// What was read of a shell call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shell {
    /// The language it is written in if that is not the shell's: `powershell`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub dialect: String,
    /// Whether something in it could not be understood (a syntax error, a bound, code from a variable).
    pub opaque: bool,
    /// Why, one line each: `syntax: unexpected end`, `bound: nesting`, `code from a variable`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
    /// Its parts in reading order.
    pub parts: Vec<Part>,
}

impl Part {
    /// The words as far as they are known: `known`, else `argv`.
    pub fn words(&self) -> &[Arg] {
        self.known.as_deref().unwrap_or(&self.argv)
    }

    /// The redirect that its standard input comes from, if one of its own does.
    pub fn input_redirect(&self) -> Option<&Redir> {
        self.redirs.iter().rev().find(|redir| redir.fd == RedirFd::Number(0) && redir.op.starts_with('<'))
    }
}

impl Redir {
    /// The target as far as it is known.
    pub fn target(&self) -> &Arg {
        self.known.as_ref().unwrap_or(&self.target)
    }
}

impl Arg {
    /// A word whose value is certain.
    pub fn literal(text: impl Into<EcoString>) -> Self {
        Self { text: text.into(), dynamic: Dynamics::NONE }
    }

    /// Says that it is also uncertain in this way.
    pub fn mark(&mut self, kind: Dynamic) {
        self.dynamic.insert(kind);
    }

    /// Says that it is also uncertain in these ways.
    pub fn mark_all(&mut self, kinds: impl Into<Dynamics>) {
        self.dynamic = self.dynamic.with(kinds.into());
    }

    /// The value if it is certain.
    pub fn certain(&self) -> Option<&str> {
        self.dynamic.is_empty().then_some(self.text.as_str())
    }
}

impl Serialize for Arg {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if self.dynamic.is_empty() {
            return to.serialize_str(&self.text);
        }
        use serde::ser::SerializeStruct;
        let mut row = to.serialize_struct("Arg", 2)?;
        row.serialize_field("w", &self.text)?;
        row.serialize_field("dyn", &self.dynamic)?;
        row.end()
    }
}

impl<'de> Deserialize<'de> for Arg {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Row {
            w: EcoString,
            #[serde(rename = "dyn", default)]
            dynamic: Dynamics,
        }
        struct Visit;
        impl<'de> serde::de::Visitor<'de> for Visit {
            type Value = Arg;
            fn expecting(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
                out.write_str("a word or {\"w\", \"dyn\"}")
            }
            fn visit_str<E>(self, text: &str) -> Result<Arg, E> {
                Ok(Arg::literal(text))
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<Arg, A::Error> {
                let row = Row::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
                Ok(Arg { text: row.w, dynamic: row.dynamic })
            }
        }
        from.deserialize_any(Visit)
    }
}
