//! `[[test]]` rows: a call that is given, and what is expected of the whole pipeline.
//!
//! Rows stand in pipeline files and in config files, beside what they are about. [`read`] takes them
//! from a TOML text, [`run`] sends the calls of one through a pipeline. Nothing is executed or kept.

mod read;
mod run;
#[cfg(test)]
mod tests;

pub use read::{Problem, is_pipeline, read};
pub use run::{Outcome, run};

use crate::envelope::Verdict;
use serde_json::{Map, Value};

/// A row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name; `test N` if it has none.
    pub name: String,
    /// Its line in the text, from 1.
    pub line: usize,
    /// The calls of one session, in order; the expectation is about the last.
    pub given: Vec<Given>,
    /// What must come out.
    pub expect: Expect,
    /// Settings that hold for this row, as `--set` takes them.
    pub set: Vec<String>,
}

/// A call that is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// The payload in the form of Claude Code, without session, folder and call id; or a whole
    /// payload of any host.
    pub payload: Map<String, Value>,
    /// The mode of the session, instead of the one that config says.
    pub mode: Option<String>,
    /// How often in a row.
    pub times: u32,
}

/// What is expected of the last call. What is not named may be anything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expect {
    /// The decision.
    pub say: Option<Verdict>,
    /// The rule that decided.
    pub rule: Option<String>,
    /// What the reason of the decision holds.
    pub reason: Option<String>,
    /// What a note holds; with an empty text there is to be no note.
    pub note: Option<String>,
    /// Rules that recognised something.
    pub finding: Vec<String>,
    /// Rules that did not.
    pub not_finding: Vec<String>,
}
