//! What a row of the key table is: name, kind of value, merge rule, and where the value lives.
//!
//! The rows are in [`table`](super::table). Reading, merging, "did you mean", help, schema and
//! `kz config` follow from them.

use super::table::KEYS;
use super::{Config, Failure, Origin, Row, Setting, Switch};
use crate::envelope::Verdict;
use std::fmt::Write;

/// What a value looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// A whole number between two bounds, both included.
    Number(u32, u32),
    /// Any text.
    Text,
    /// Text without line breaks.
    Line,
    /// A note: not empty, and only the placeholders of [`PLACEHOLDERS`].
    Note,
    /// Name of a mode.
    ModeName,
    /// A list of texts, none of them empty.
    List,
    /// A list of what may be written: folders, files, globs.
    Globs,
    /// A list of names of keys and tables.
    Locks,
    /// A list of programs with subcommand words, behind which a command stands.
    Runners,
    /// A list of names of rule packs; `!` before one for off.
    Packs,
    /// A list of patterns of pipelines.
    Exemptions,
    /// A list of tables, each a row of the ladder.
    Rows,
    /// One of these words.
    Word(&'static [&'static str]),
    /// One of these verdicts; the word of [`Verdict::None`] is `abstain`.
    Verdict(&'static [Verdict]),
    /// `open` or `closed`.
    Failure,
    /// `off`, `ask` or `deny`.
    Switch,
}

/// How a later layer changes what an earlier one set, and with it what a repo's files may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// The later layer wins, be it a repo's file.
    Replace,
    /// The later layer wins; a repo's files may set it under a name that neither kz nor the user has.
    NewName,
    /// Lists add up.
    Extend,
    /// An ordered value that a repo's files may only raise, or set under a name of their own.
    Tighten,
    /// The later layer wins; a repo's files may not set it.
    UserOnly,
}

/// A key.
#[derive(Debug)]
pub struct Key {
    /// Dotted name; `*` stands for a name that the person chooses.
    pub name: &'static str,
    /// What its value looks like.
    pub kind: Kind,
    /// How layers merge.
    pub merge: Merge,
    /// Environment variable that may tighten it.
    pub variable: Option<&'static str>,
    /// One sentence.
    pub about: &'static str,
    /// Where the value lives; `None` for a key on which no stage of this version acts.
    pub(super) slot: Option<for<'a> fn(&'a mut Config, &str) -> Slot<'a>>,
}

/// A value as it was read, checked against its [`Kind`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// See [`Kind::Flag`].
    Flag(bool),
    /// See [`Kind::Number`].
    Number(u32),
    /// See [`Kind::Text`] and its stricter siblings.
    Text(String),
    /// See [`Kind::List`].
    List(Vec<String>),
    /// See [`Kind::Rows`].
    Rows(Vec<Row>),
    /// See [`Kind::Verdict`].
    Verdict(Verdict),
    /// See [`Kind::Failure`].
    Failure(Failure),
    /// See [`Kind::Switch`].
    Switch(Switch),
}

/// The place of a value in the config.
pub(super) enum Slot<'a> {
    Flag(&'a mut Setting<bool>),
    Number(&'a mut Setting<u32>),
    Text(&'a mut Setting<String>),
    List(&'a mut Setting<Vec<String>>),
    Rows(&'a mut Setting<Vec<Row>>),
    Verdict(&'a mut Setting<Verdict>),
    Failure(&'a mut Setting<Failure>),
    Switch(&'a mut Setting<Switch>),
}

impl Slot<'_> {
    /// Puts a value in; false if the row's kind and its slot do not agree (a test sees to it).
    pub(super) fn set(self, value: Value, origin: Origin) -> bool {
        match (self, value) {
            (Self::Flag(slot), Value::Flag(value)) => *slot = Setting { value, origin },
            (Self::Number(slot), Value::Number(value)) => *slot = Setting { value, origin },
            (Self::Text(slot), Value::Text(value)) => *slot = Setting { value, origin },
            (Self::List(slot), Value::List(value)) => *slot = Setting { value, origin },
            (Self::Rows(slot), Value::Rows(value)) => *slot = Setting { value, origin },
            (Self::Verdict(slot), Value::Verdict(value)) => *slot = Setting { value, origin },
            (Self::Failure(slot), Value::Failure(value)) => *slot = Setting { value, origin },
            (Self::Switch(slot), Value::Switch(value)) => *slot = Setting { value, origin },
            _ => return false,
        }
        true
    }

    /// What is there now and who set it.
    pub(super) fn get(self) -> (Value, Origin) {
        match self {
            Self::Flag(slot) => (Value::Flag(slot.value), slot.origin.clone()),
            Self::Number(slot) => (Value::Number(slot.value), slot.origin.clone()),
            Self::Text(slot) => (Value::Text(slot.value.clone()), slot.origin.clone()),
            Self::List(slot) => (Value::List(slot.value.clone()), slot.origin.clone()),
            Self::Rows(slot) => (Value::Rows(slot.value.clone()), slot.origin.clone()),
            Self::Verdict(slot) => (Value::Verdict(slot.value), slot.origin.clone()),
            Self::Failure(slot) => (Value::Failure(slot.value), slot.origin.clone()),
            Self::Switch(slot) => (Value::Switch(slot.value), slot.origin.clone()),
        }
    }
}

impl PartialEq for Key {
    /// Rows are told apart by their names.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Key {}

/// A place on the way from the whole table to one key: the rows that begin with the segments so far, which
/// stand together in the table.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    rows: &'static [Key],
    /// Bytes of their names that are used up.
    used: usize,
    wild: &'a str,
}

impl<'a> Place<'a> {
    /// The whole table.
    pub fn top() -> Self {
        Self { rows: KEYS, used: 0, wild: "" }
    }

    /// One segment further; `None` if no key is there.
    pub fn down(self, given: &'a str) -> Option<Self> {
        let rest = |key: &'static Key| key.name.get(self.used..).unwrap_or_default();
        let fits = |key: &'static Key| {
            let rest = rest(key);
            rest.starts_with('*')
                || matches!(rest.as_bytes().get(given.len()), None | Some(b'.')) && rest.starts_with(given)
        };
        let first = self.rows.iter().position(fits)?;
        let rows = self.rows.get(first..)?;
        let rows = rows.get(..rows.iter().take_while(|key| fits(key)).count())?;
        let wild = rest(rows.first()?).starts_with('*');
        // A name in quotes may hold dots; it is one segment all the same.
        if !wild && (given.is_empty() || given.contains('.')) {
            return None;
        }
        let used = self.used + if wild { 1 } else { given.len() };
        // The dot behind it, unless the name ends here.
        Some(Self { rows, used: used + 1, wild: if wild { given } else { self.wild } })
    }

    /// The key whose name ends here, and what stands for its `*`; `None` for a table.
    pub fn key(self) -> Option<(&'static Key, &'a str)> {
        self.rows.first().filter(|key| key.name.len() < self.used).map(|key| (key, self.wild))
    }
}

impl Key {
    /// The row of a dotted name, given as segments, and what stands for its `*`.
    pub fn find<'a>(path: &[&'a str]) -> Option<(&'static Self, &'a str)> {
        path.iter().try_fold(Place::top(), |place, segment| place.down(segment))?.key()
    }

    /// Whether some key lies in the table of that name.
    pub fn is_table(path: &[&str]) -> bool {
        path.iter().try_fold(Place::top(), |place, segment| place.down(segment)).is_some_and(|at| at.key().is_none())
    }

    /// The segments of its name with `*` filled in.
    pub fn path<'a>(&self, wild: &'a str) -> impl Iterator<Item = &'a str> {
        self.name.split('.').map(move |segment| if segment == "*" { wild } else { segment })
    }

    /// The name with `*` filled in, as it is written in TOML.
    pub fn dotted(&self, wild: &str) -> String {
        dotted(&self.path(wild).collect::<Vec<_>>())
    }

    /// Whether a stage of this version acts on it.
    pub fn acts(&self) -> bool {
        self.slot.is_some()
    }

    /// Whether its name holds one that the person chooses.
    pub fn is_wild(&self) -> bool {
        self.name.contains('*')
    }

    /// What is set now and who set it; `None` if nobody has set it or no stage acts on it.
    pub fn get(&self, config: &mut Config, wild: &str) -> Option<(Value, Origin)> {
        let there = match self.name.split_once(".*") {
            Some(("modes", _)) => config.modes.contains_key(wild),
            Some(("handoff.limits", _)) => config.handoff.limits.contains_key(wild),
            Some(_) => config.guard.rules.contains_key(wild),
            None => true,
        };
        self.slot.filter(|_| there).map(|slot| slot(config, wild).get())
    }
}

impl Kind {
    /// What is wanted, after "wants".
    pub fn wanted(self) -> String {
        match self {
            Self::Flag => "`true` or `false`".to_owned(),
            Self::Number(from, to) => format!("a whole number from {from} to {to}"),
            Self::Text => "a text in quotes".to_owned(),
            Self::Line => "a text in quotes, on one line".to_owned(),
            Self::Note => "a text in quotes that is not empty".to_owned(),
            Self::ModeName => "the name of a mode, in quotes".to_owned(),
            Self::List | Self::Globs => "a list of texts, such as `[\"src/\"]`".to_owned(),
            Self::Locks => "a list of names of keys and tables, such as `[\"modes\", \"ladder.threshold\"]`".to_owned(),
            Self::Packs => "a list of names of packs, such as `[\"aws\", \"!docker\"]`, or `[\"all\"]`".to_owned(),
            Self::Exemptions => "a list of patterns, such as `[\"cat * | mlr *\", \"re:^tail -f\"]`".to_owned(),
            Self::Rows => {
                "a list of rows, each such as `{ pattern = \"^mycat \", class = \"read\", tool = \"read\" }`".to_owned()
            }
            Self::Runners => "a list of plain words, such as `[\"workmux exec\", \"bd run --\"]`".to_owned(),
            Self::Word(_) | Self::Verdict(_) | Self::Failure | Self::Switch => choice(&self.words()),
        }
    }

    /// The words to choose from, the loosest first; none if it is not a choice.
    pub fn words(self) -> Vec<&'static str> {
        match self {
            Self::Word(words) => words.to_vec(),
            Self::Verdict(words) => words.iter().map(|word| verdict_word(*word)).collect(),
            Self::Failure => vec!["open", "closed"],
            Self::Switch => vec!["off", "ask", "deny"],
            _ => Vec::new(),
        }
    }
}

impl Value {
    /// The value as it is written in TOML.
    pub fn toml(&self) -> String {
        match self {
            Self::Flag(value) => value.to_string(),
            Self::Number(value) => value.to_string(),
            Self::Text(value) => quoted(value),
            Self::List(values) => {
                format!("[{}]", values.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", "))
            }
            Self::Rows(rows) => format!("[{}]", rows.iter().map(Row::toml).collect::<Vec<_>>().join(", ")),
            Self::Verdict(value) => quoted(verdict_word(*value)),
            Self::Failure(Failure::Open) => quoted("open"),
            Self::Failure(Failure::Closed) => quoted("closed"),
            Self::Switch(Switch::Off) => quoted("off"),
            Self::Switch(Switch::Ask) => quoted("ask"),
            Self::Switch(Switch::Deny) => quoted("deny"),
        }
    }

    /// The value for a script: texts as they are, everything else as in TOML.
    pub fn plain(&self) -> String {
        match self {
            Self::Text(value) => value.clone(),
            Self::Flag(_) | Self::Number(_) | Self::List(_) | Self::Rows(_) => self.toml(),
            Self::Verdict(_) | Self::Failure(_) | Self::Switch(_) => self.toml().trim_matches('"').to_owned(),
        }
    }

    /// The value as JSON.
    pub fn json(&self) -> serde_json::Value {
        match self {
            Self::Flag(value) => (*value).into(),
            Self::Number(value) => (*value).into(),
            Self::List(values) => values.clone().into(),
            Self::Rows(rows) => rows.iter().map(Row::json).collect(),
            Self::Text(_) | Self::Verdict(_) | Self::Failure(_) | Self::Switch(_) => self.plain().into(),
        }
    }
}

/// The word of a verdict in config.
pub(super) fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::None => "abstain",
        other => other.word(),
    }
}

/// Segments as a dotted TOML key.
pub fn dotted(path: &[&str]) -> String {
    let mut out = String::new();
    for (at, segment) in path.iter().enumerate() {
        if at > 0 {
            out.push('.');
        }
        let bare = !segment.is_empty()
            && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
        if bare { out.push_str(segment) } else { out.push_str(&quoted(segment)) }
    }
    out
}

/// A TOML basic string.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ if letter.is_control() => {
                // INVARIANT: writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", letter as u32);
            }
            _ => out.push(letter),
        }
    }
    out.push('"');
    out
}

/// Splits a dotted name; a name that the person chose may have dots of its own only in quotes.
pub fn segments(name: &str) -> Vec<&str> {
    let mut path = Vec::new();
    let mut rest = name.trim();
    while !rest.is_empty() {
        let (segment, more) = match rest.strip_prefix('"').and_then(|inner| inner.split_once('"')) {
            Some((segment, more)) => (segment, more.strip_prefix('.').unwrap_or(more)),
            None => rest.split_once('.').unwrap_or((rest, "")),
        };
        path.push(segment);
        rest = more;
    }
    path
}

/// `a`, `b` or `c`, each in backticks.
pub fn choice(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => format!("`{only}`"),
        [first @ .., last] => {
            let first: Vec<_> = first.iter().map(|word| format!("`{word}`")).collect();
            format!("{} or `{last}`", first.join(", "))
        }
    }
}
