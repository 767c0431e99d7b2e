//! The key table: what can be set, by whom, how layers merge, and where the value lives.
//!
//! Help, "did you mean", the reading of every layer and `kz config list` are rendered from it.
//! A new key is a field of [`Config`], a row here and a line in `defaults.toml`; tests compare.

use super::{Config, Failure, Origin, Setting, Switch};
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
    /// A list of programs with subcommand words, behind which a command stands.
    Runners,
    /// One of these verdicts; the word of [`Verdict::None`] is `abstain`.
    Verdict(&'static [Verdict]),
    /// `open` or `closed`.
    Failure,
    /// `off`, `ask` or `deny`.
    Switch,
}

/// How a later layer changes what an earlier one set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// The later layer wins.
    Replace,
    /// Lists add up.
    Extend,
    /// An ordered value that a repo may only raise.
    Tighten,
    /// A repo's files may not set it.
    UserOnly,
}

/// What the repo's own files may do with a key. Narrowing and raising are not open to them yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repo {
    /// Nothing.
    No,
    /// Set it.
    Yes,
    /// Set it under a name that neither kz nor the user has defined.
    NewName,
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
    /// What the repo's files may do with it.
    pub repo: Repo,
    /// Environment variable that may tighten it.
    pub variable: Option<&'static str>,
    /// One sentence.
    pub about: &'static str,
    slot: for<'a> fn(&'a mut Config, &str) -> Slot<'a>,
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
            Self::Verdict(slot) => (Value::Verdict(slot.value), slot.origin.clone()),
            Self::Failure(slot) => (Value::Failure(slot.value), slot.origin.clone()),
            Self::Switch(slot) => (Value::Switch(slot.value), slot.origin.clone()),
        }
    }
}

/// Placeholders of note texts; written `${name}`, and `$${` for the two characters themselves.
pub const PLACEHOLDERS: &[&str] = crate::stage::ladder::PLACEHOLDERS;

/// Upper bound of everything that counts judged calls: sessions keep no more of them.
pub const JUDGED_CALLS: u32 = crate::stage::ladder::REMEMBERED;

const ANY: &[Verdict] = &[Verdict::None, Verdict::Ask, Verdict::Deny];

/// All keys, by table.
pub static KEYS: &[Key] = &[
    Key {
        name: "mode.default",
        kind: Kind::ModeName,
        merge: Merge::UserOnly,
        repo: Repo::No,
        variable: Some("KZ_MODE"),
        about: "Mode of a session that has set none.",
        slot: |config, _| Slot::Text(&mut config.mode.default),
    },
    Key {
        name: "mode.opaque",
        kind: Kind::Verdict(ANY),
        merge: Merge::Tighten,
        repo: Repo::No,
        variable: Some("KZ_MODE_OPAQUE"),
        about: "What a write whose target cannot be known brings in a mode that is not free.",
        slot: |config, _| Slot::Verdict(&mut config.mode.opaque),
    },
    Key {
        name: "modes.*.writable",
        kind: Kind::List,
        merge: Merge::Replace,
        repo: Repo::NewName,
        variable: None,
        about: "What may be written in the mode: folders (`src/`), files, globs, `~` and absolute paths, `*`.",
        slot: |config, name| Slot::List(&mut config.modes.entry(name.to_owned()).or_default().writable),
    },
    Key {
        name: "modes.*.strategy",
        kind: Kind::Text,
        merge: Merge::Replace,
        repo: Repo::NewName,
        variable: None,
        about: "Told to the agent when the mode begins.",
        slot: |config, name| Slot::Text(&mut config.modes.entry(name.to_owned()).or_default().strategy),
    },
    Key {
        name: "modes.*.message",
        kind: Kind::Text,
        merge: Merge::Replace,
        repo: Repo::NewName,
        variable: None,
        about: "First sentence of a denial in the mode; empty for the built-in one.",
        slot: |config, name| Slot::Text(&mut config.modes.entry(name.to_owned()).or_default().message),
    },
    Key {
        name: "guard.ask_when_unattended",
        kind: Kind::Verdict(&[Verdict::None, Verdict::Deny]),
        merge: Merge::Tighten,
        repo: Repo::No,
        variable: Some("KZ_GUARD_ASK_WHEN_UNATTENDED"),
        about: "What `ask` becomes where nobody can answer.",
        slot: |config, _| Slot::Verdict(&mut config.guard.ask_when_unattended),
    },
    Key {
        name: "guard.opaque",
        kind: Kind::Verdict(ANY),
        merge: Merge::Tighten,
        repo: Repo::No,
        variable: Some("KZ_GUARD_OPAQUE"),
        about: "What a part of a command that cannot be read brings.",
        slot: |config, _| Slot::Verdict(&mut config.guard.opaque),
    },
    Key {
        name: "guard.bounds",
        kind: Kind::Verdict(&[Verdict::Ask, Verdict::Deny]),
        merge: Merge::Tighten,
        repo: Repo::No,
        variable: Some("KZ_GUARD_BOUNDS"),
        about: "What a command beyond the reader's bounds brings.",
        slot: |config, _| Slot::Verdict(&mut config.guard.bounds),
    },
    Key {
        name: "guard.rules.*",
        kind: Kind::Switch,
        merge: Merge::Tighten,
        repo: Repo::No,
        variable: None,
        about: "What you make of one rule, by its id.",
        slot: |config, id| {
            Slot::Switch(config.guard.rules.entry(id.to_owned()).or_insert_with(|| Setting::from(Switch::Off)))
        },
    },
    Key {
        name: "coordinator.enabled",
        kind: Kind::Flag,
        merge: Merge::UserOnly,
        repo: Repo::No,
        variable: None,
        about: "Whether the main thread may only dispatch; PA_COORDINATOR_MODE=1 does the same. See `kz help coordinator`.",
        slot: |config, _| Slot::Flag(&mut config.coordinator.enabled),
    },
    Key {
        name: "coordinator.policy",
        kind: Kind::Line,
        merge: Merge::UserOnly,
        repo: Repo::No,
        variable: None,
        about: "JSON file that replaces the coordinator's policy, seen from the folder of this config; empty for the built-in one.",
        slot: |config, _| Slot::Text(&mut config.coordinator.policy),
    },
    Key {
        name: "shell.runners",
        kind: Kind::Runners,
        merge: Merge::Extend,
        repo: Repo::Yes,
        variable: None,
        about: "Programs behind whose words a command stands, such as `workmux exec` or `bd run --`; all layers add up.",
        slot: |config, _| Slot::List(&mut config.shell.runners),
    },
    Key {
        name: "ladder.enabled",
        kind: Kind::Flag,
        merge: Merge::UserOnly,
        repo: Repo::No,
        variable: None,
        about: "Whether the ladder judges calls at all.",
        slot: |config, _| Slot::Flag(&mut config.ladder.enabled),
    },
    Key {
        name: "ladder.log",
        kind: Kind::Flag,
        merge: Merge::UserOnly,
        repo: Repo::No,
        variable: None,
        about: "Whether the ladder's lines are kept in a file.",
        slot: |config, _| Slot::Flag(&mut config.ladder.log),
    },
    Key {
        name: "ladder.log_file",
        kind: Kind::Line,
        merge: Merge::UserOnly,
        repo: Repo::No,
        variable: None,
        about: "That file; empty for `tool-coach.log` in the state folder.",
        slot: |config, _| Slot::Text(&mut config.ladder.log_file),
    },
    Key {
        name: "ladder.ledger_prefix",
        kind: Kind::Line,
        merge: Merge::UserOnly,
        repo: Repo::No,
        variable: None,
        about: "What each of its lines begins with.",
        slot: |config, _| Slot::Text(&mut config.ladder.ledger_prefix),
    },
    Key {
        name: "ladder.judge_tools",
        kind: Kind::List,
        merge: Merge::UserOnly,
        repo: Repo::No,
        variable: None,
        about: "Canonical names of the tools that are judged.",
        slot: |config, _| Slot::List(&mut config.ladder.judge_tools),
    },
    Key {
        name: "ladder.threshold",
        kind: Kind::Number(1, JUDGED_CALLS),
        merge: Merge::Replace,
        repo: Repo::No,
        variable: None,
        about: "A class with more strikes than this brings a note.",
        slot: |config, _| Slot::Number(&mut config.ladder.threshold),
    },
    Key {
        name: "ladder.window",
        kind: Kind::Number(1, JUDGED_CALLS),
        merge: Merge::Replace,
        repo: Repo::No,
        variable: None,
        about: "How many judged calls back strikes count; not below the threshold.",
        slot: |config, _| Slot::Number(&mut config.ladder.window),
    },
    Key {
        name: "ladder.cooldown",
        kind: Kind::Number(1, JUDGED_CALLS),
        merge: Merge::Replace,
        repo: Repo::No,
        variable: None,
        about: "Judged calls between two notes.",
        slot: |config, _| Slot::Number(&mut config.ladder.cooldown),
    },
    Key {
        name: "ladder.notes.first",
        kind: Kind::Note,
        merge: Merge::Replace,
        repo: Repo::Yes,
        variable: None,
        about: "Text of the note; the built-in one if not set.",
        slot: |config, _| Slot::Text(&mut config.ladder.note_first),
    },
    Key {
        name: "failure.config",
        kind: Kind::Failure,
        merge: Merge::Tighten,
        repo: Repo::No,
        variable: Some("KZ_FAILURE_CONFIG"),
        about: "Whether a config that does not read lets calls through (`open`) or denies them (`closed`).",
        slot: |config, _| Slot::Failure(&mut config.failure.config),
    },
];

impl Key {
    /// The row of a dotted name, given as segments, and what stands for its `*`.
    pub fn find<'a>(path: &[&'a str]) -> Option<(&'static Self, &'a str)> {
        KEYS.iter().find_map(|key| key.fits(path).map(|wild| (key, wild)))
    }

    /// Whether the name has these segments; what stands for its `*`, or nothing.
    fn fits<'a>(&self, path: &[&'a str]) -> Option<&'a str> {
        let mut wild = "";
        let mut rest = path.iter();
        for segment in self.name.split('.') {
            let given = rest.next()?;
            match segment {
                "*" => wild = given,
                _ if segment == *given => {}
                _ => return None,
            }
        }
        rest.next().is_none().then_some(wild)
    }

    /// The name with `*` filled in, as it is written in TOML.
    pub fn dotted(&self, wild: &str) -> String {
        let path: Vec<_> = self.name.split('.').map(|segment| if segment == "*" { wild } else { segment }).collect();
        dotted(&path)
    }

    pub(super) fn slot<'a>(&self, config: &'a mut Config, wild: &str) -> Slot<'a> {
        (self.slot)(config, wild)
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
            Self::List => "a list of texts, such as `[\"src/\"]`".to_owned(),
            Self::Runners => "a list of plain words, such as `[\"workmux exec\", \"bd run --\"]`".to_owned(),
            Self::Verdict(words) => choice(&words.iter().map(|word| verdict_word(*word)).collect::<Vec<_>>()),
            Self::Failure => choice(&["open", "closed"]),
            Self::Switch => choice(&["off", "ask", "deny"]),
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
            Self::Verdict(value) => quoted(verdict_word(*value)),
            Self::Failure(Failure::Open) => quoted("open"),
            Self::Failure(Failure::Closed) => quoted("closed"),
            Self::Switch(Switch::Off) => quoted("off"),
            Self::Switch(Switch::Ask) => quoted("ask"),
            Self::Switch(Switch::Deny) => quoted("deny"),
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

/// A row of `kz config list`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Dotted name.
    pub name: String,
    /// The value as TOML.
    pub value: String,
    /// Who set it.
    pub origin: Origin,
}

/// The key table for people: name, type, default, sentence, and who may set it.
pub fn reference() -> String {
    let mut defaults = Config::default();
    let mut out = String::from(
        "Config keys. Your own file is ~/.config/kz/config.toml; a repo's are .kibitzer/config.toml and\n\
         .kibitzer/local.toml, which may set only what is marked so. Options: --set KEY=VALUE.\n",
    );
    for key in KEYS {
        let default = if key.name.contains(".*") { String::new() } else { key.slot(&mut defaults, "").get().0.toml() };
        let default = if default.is_empty() { default } else { format!(" = {default}") };
        out.push_str(&format!("\n{}{default}\n    {} ({})", key.name, key.about, key.kind.wanted()));
        out.push_str(match key.repo {
            Repo::No => "",
            Repo::Yes => "; a repo may set it",
            Repo::NewName => "; a repo may set it for a name of its own",
        });
        if let Some(variable) = key.variable {
            out.push_str(&format!("; {variable} may tighten it"));
        }
        out.push('\n');
    }
    out
}

/// Every key with its value and who set it, in table order.
pub fn list(config: &Config) -> Vec<Listed> {
    let mut copy = config.clone();
    let mut rows = Vec::new();
    for key in KEYS {
        let names: Vec<String> = match key.name.split_once(".*") {
            Some(("modes", _)) => config.modes.keys().cloned().collect(),
            Some(_) => config.guard.rules.keys().cloned().collect(),
            None => vec![String::new()],
        };
        for name in names {
            let (value, origin) = key.slot(&mut copy, &name).get();
            rows.push(Listed { name: key.dotted(&name), value: value.toml(), origin });
        }
    }
    rows
}

/// The nearest known name with as many segments (tables included), if one is near.
pub(super) fn nearest(path: &[&str]) -> Option<String> {
    let given = dotted(path);
    let mut best: Option<(f64, String)> = None;
    for key in KEYS {
        let mut candidate: Vec<&str> = key.name.split('.').take(path.len()).collect();
        if candidate.len() < path.len() {
            continue;
        }
        for (segment, given) in candidate.iter_mut().zip(path) {
            if *segment == "*" {
                *segment = given;
            }
        }
        let name = dotted(&candidate);
        let score = strsim::normalized_damerau_levenshtein(&given, &name);
        if score >= 0.6 && best.as_ref().is_none_or(|(other, _)| score > *other) {
            best = Some((score, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Segments as a dotted TOML key.
pub(super) fn dotted(path: &[&str]) -> String {
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
pub(super) fn quoted(text: &str) -> String {
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

fn choice(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => format!("`{only}`"),
        [first @ .., last] => {
            let first: Vec<_> = first.iter().map(|word| format!("`{word}`")).collect();
            format!("{} or `{last}`", first.join(", "))
        }
    }
}
