//! Config: consequence, in layers that know who set what.
//!
//! [`table`] is the one list of what can be set, [`keys`] says what its rows mean; [`layer`] reads a
//! text by it, [`merge`] says what a layer may do, [`load()`] goes through the layers, [`history`] keeps
//! how each value came about. A fault never stops the rest.

pub mod history;
pub mod keys;
pub mod layer;
mod load;
mod lock;
mod merge;
mod near;
mod reference;
pub mod rows;
mod schema;
pub mod table;
#[cfg(test)]
pub(crate) mod test;

pub use load::{MAX_BYTES, Options, check, load, load_with, placed, trace, trace_with, user_file};
pub use lock::lock_on;
pub use near::nearest;
pub use reference::{may_set, reference};
pub use schema::schema;

/// The commented file for people, written by the key table; equal to [`Config::default`] by test.
pub const DEFAULTS: &str = include_str!("defaults.toml");

use crate::envelope::{Fault, Verdict};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where a value can come from, lowest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// Built in.
    #[default]
    Default,
    /// The user's file.
    User,
    /// `.kibitzer/config.toml` of the root.
    Project,
    /// `.kibitzer/local.toml` of the root.
    Local,
    /// `KZ_*` variables.
    Environment,
    /// Options of the command line.
    Flag,
}

impl Layer {
    /// Its name in messages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
            Self::Environment => "environment",
            Self::Flag => "flag",
        }
    }
}

/// Who set a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The layer.
    pub layer: Layer,
    /// The file of the layer, if it is one; the variable's or option's name otherwise.
    pub place: Option<Arc<Path>>,
    /// Line in the file, from 1; 0 if there is none.
    pub line: u32,
}

/// A value and who set it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// Who set it.
    pub origin: Origin,
}

impl<T> std::ops::Deref for Setting<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> From<T> for Setting<T> {
    fn from(value: T) -> Self {
        Self { value, origin: Origin::default() }
    }
}

/// What the person makes of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Switch {
    /// The rule casts no vote.
    Off,
    /// A person should look.
    Ask,
    /// Stop it.
    Deny,
}

/// Whether a failure of ours stops the call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Failure {
    /// The call goes on.
    #[default]
    Open,
    /// The call is denied.
    Closed,
}

/// Table `[mode]`: settings of the machinery.
#[derive(Clone, Debug)]
pub struct ModeConfig {
    /// Mode of a session that has set none.
    pub default: Setting<String>,
    /// What a write target that cannot be known does in a mode that is not free: none, ask, deny.
    pub opaque: Setting<Verdict>,
    /// Whether files of the repo choose the mode of a session that has set none.
    pub from_repo: Setting<bool>,
}

/// One `[modes.<name>]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mode {
    /// What may be written: folder prefixes (`src/`), files, globs, `~` and absolute paths, `*`.
    pub writable: Setting<Vec<String>>,
    /// Told to the agent when the mode begins.
    pub strategy: Setting<String>,
    /// First sentence of a denial; empty for the built-in one.
    pub message: Setting<String>,
}

/// Table `[guard]`.
#[derive(Clone, Debug)]
pub struct GuardConfig {
    /// What `ask` becomes where nobody can answer: deny or none (`abstain`).
    pub ask_when_unattended: Setting<Verdict>,
    /// What a part that cannot be read votes: none (`abstain`), ask, deny.
    pub opaque: Setting<Verdict>,
    /// What reaching a bound votes: ask or deny.
    pub bounds: Setting<Verdict>,
    /// Packs that are on beside those that always are: names, `all`, `!name` for off.
    pub packs: Setting<Vec<String>>,
    /// `[guard.rules]`: the person's verdict per rule id.
    pub rules: BTreeMap<String, Setting<Switch>>,
}

impl GuardConfig {
    /// Whether the rules of a pack vote; `by_name` says that they only do where they are asked to. What
    /// rests a pack by its name counts more than `all`.
    pub fn is_on(&self, pack: &str, by_name: bool) -> bool {
        let named = |wanted: &str| self.packs.iter().any(|name| name == wanted);
        let off = self.packs.iter().any(|name| name.strip_prefix('!') == Some(pack));
        !off && (!by_name || named(pack) || named("all"))
    }
}

/// Table `[coordinator]`.
#[derive(Clone, Debug, Default)]
pub struct CoordinatorConfig {
    /// Whether the coordinator votes.
    pub enabled: Setting<bool>,
    /// File of the policy; empty for the built-in one.
    pub policy: Setting<String>,
}

/// Table `[shell]`.
#[derive(Clone, Debug, Default)]
pub struct ShellConfig {
    /// Programs behind whose words a command stands; they only add to what is seen.
    pub runners: Setting<Vec<String>>,
}

/// Table `[ladder]`; names and defaults of the seed's section 5.
#[derive(Clone, Debug)]
pub struct LadderConfig {
    /// Master switch.
    pub enabled: Setting<bool>,
    /// Whether the durable ledger is written.
    pub log: Setting<bool>,
    /// Its file; empty for `$KZ_STATE/tool-coach.log`.
    pub log_file: Setting<String>,
    /// Kilobytes after which that file and the ledger are begun anew.
    pub log_max_kb: Setting<u32>,
    /// Prefix of its lines.
    pub ledger_prefix: Setting<String>,
    /// Canonical names of judged tools.
    pub judge_tools: Setting<Vec<String>>,
    /// A class over this many strikes brings a note.
    pub threshold: Setting<u32>,
    /// Judged calls that count.
    pub window: Setting<u32>,
    /// Judged calls between two notes.
    pub cooldown: Setting<u32>,
    /// Offenses since the last note that turn the section on.
    pub escalate_threshold: Setting<u32>,
    /// Judged calls in a row without an offense that turn it off.
    pub clean_window: Setting<u32>,
    /// Judged calls for which its text is kept.
    pub section_ttl: Setting<u32>,
    /// Most rows of it.
    pub max_section_tools: Setting<u32>,
    /// `off`, `write` or `all`; see [`LadderConfig::enforces`].
    pub enforce: Setting<String>,
    /// Strikes since the last note from which on a call of the class is denied.
    pub enforce_threshold: Setting<u32>,
    /// Pipelines that are no offense, beside the built-in ones.
    pub exempt_patterns: Setting<Vec<String>>,
    /// Rows beside the built-in ones; see [`LadderConfig::detects`].
    pub pattern_table: Setting<Vec<Row>>,
    /// Whether tools are described as the session has them.
    pub fetch_live: Setting<bool>,
    /// File or `!command` that tells the tools; empty for none.
    pub tools: Setting<String>,
    /// Milliseconds that command may take.
    pub tools_ms: Setting<u32>,
    /// Template of the note; empty for the built-in one.
    pub note_first: Setting<String>,
    /// Template of the section; empty for the built-in one.
    pub note_persistent: Setting<String>,
    /// Template of a denial; empty for the built-in one.
    pub note_denied: Setting<String>,
}

impl Default for LadderConfig {
    fn default() -> Self {
        Self {
            enabled: true.into(),
            log: true.into(),
            log_file: String::new().into(),
            log_max_kb: 8192.into(),
            ledger_prefix: "hook-dsh-tool-coach: ".to_owned().into(),
            judge_tools: vec!["bash".to_owned(), "pwsh".to_owned()].into(),
            threshold: 3.into(),
            window: 8.into(),
            cooldown: 10.into(),
            escalate_threshold: 6.into(),
            clean_window: 12.into(),
            section_ttl: 20.into(),
            max_section_tools: 5.into(),
            enforce: "off".to_owned().into(),
            enforce_threshold: 4.into(),
            exempt_patterns: Vec::new().into(),
            pattern_table: Vec::new().into(),
            fetch_live: true.into(),
            tools: String::new().into(),
            tools_ms: 500.into(),
            note_first: String::new().into(),
            note_persistent: String::new().into(),
            note_denied: String::new().into(),
        }
    }
}

impl LadderConfig {
    /// Whether calls of this class can be denied: discovery and control never are.
    pub fn enforces(&self, class: &str) -> bool {
        match self.enforce.as_str() {
            "write" => class == "write",
            "all" => matches!(class, "write" | "read" | "search"),
            _ => false,
        }
    }

    /// Whether there is anything to detect: a person who sets an empty table wants nothing seen.
    pub fn detects(&self) -> bool {
        !self.pattern_table.is_empty() || self.pattern_table.origin.layer == Layer::Default
    }
}

/// A row of `ladder.pattern_table`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// What ledger lines call it; the pattern if it has no name of its own.
    pub id: String,
    /// Regular expression over a pipeline's text (see [`crate::shell::pipelines`]).
    pub pattern: String,
    /// `write`, `read`, `search`, `discovery` or `control`.
    pub class: String,
    /// Canonical key of the tool that does it better.
    pub tool: String,
}

/// Table `[handoff]`.
#[derive(Clone, Debug)]
pub struct HandoffConfig {
    /// Percent from which an agent is asked to wrap up.
    pub yellow: Setting<u32>,
    /// Percent from which its handoff is written at once.
    pub red: Setting<u32>,
    /// Minutes until it is asked again.
    pub reask_minutes: Setting<u32>,
    /// Lines of the pane that go into the document.
    pub pane_lines: Setting<u32>,
    /// Context windows in tokens, by the beginning of the model's name.
    pub limits: BTreeMap<String, Setting<u32>>,
}

impl Default for HandoffConfig {
    fn default() -> Self {
        let limits = crate::stage::handoff::LIMITS.iter().map(|(model, limit)| ((*model).to_owned(), (*limit).into()));
        Self {
            yellow: 50.into(),
            red: 70.into(),
            reask_minutes: 30.into(),
            pane_lines: 200.into(),
            limits: limits.collect(),
        }
    }
}

/// Table `[failure]`.
#[derive(Clone, Debug, Default)]
pub struct FailureConfig {
    /// What a config that does not read does to calls.
    pub config: Setting<Failure>,
}

/// The resolved config.
#[derive(Clone, Debug)]
pub struct Config {
    /// Names of keys and tables that nothing above the user's file may change.
    pub lock: Setting<Vec<String>>,
    /// `[mode]`
    pub mode: ModeConfig,
    /// `[modes.<name>]`
    pub modes: BTreeMap<String, Mode>,
    /// `[guard]`
    pub guard: GuardConfig,
    /// `[coordinator]`
    pub coordinator: CoordinatorConfig,
    /// `[shell]`
    pub shell: ShellConfig,
    /// `[ladder]`
    pub ladder: LadderConfig,
    /// `[handoff]`
    pub handoff: HandoffConfig,
    /// `[failure]`
    pub failure: FailureConfig,
    /// What was refused or could not be read: each names file, line and the way on.
    pub faults: Vec<Fault>,
    /// The files that were read, in layer order.
    pub files: Vec<(Layer, PathBuf)>,
}

impl Default for Config {
    fn default() -> Self {
        let mode = |writable: &[&str], strategy: &str| Mode {
            writable: writable.iter().map(|entry| (*entry).to_owned()).collect::<Vec<_>>().into(),
            strategy: strategy.to_owned().into(),
            message: String::new().into(),
        };
        let modes = [
            ("debug", mode(&[], "Identify all failures before proposing fixes.")),
            ("docs", mode(&["docs/", "*.md"], "")),
            ("free", mode(&["*"], "")),
            ("implement", mode(&["src/", "lib/"], "")),
            ("review", mode(&[], "Read everything before forming an opinion.")),
            (
                "test_dev",
                mode(&["tests/", "test/", "spec/"], "Write tests for the expected behavior, not the current behavior."),
            ),
        ];
        Self {
            lock: Setting::default(),
            mode: ModeConfig {
                default: "free".to_owned().into(),
                opaque: Verdict::None.into(),
                from_repo: false.into(),
            },
            modes: modes.into_iter().map(|(name, mode)| (name.to_owned(), mode)).collect(),
            guard: GuardConfig {
                ask_when_unattended: Verdict::Deny.into(),
                opaque: Verdict::None.into(),
                bounds: Verdict::Ask.into(),
                packs: Vec::new().into(),
                rules: BTreeMap::new(),
            },
            coordinator: CoordinatorConfig::default(),
            shell: ShellConfig::default(),
            ladder: LadderConfig::default(),
            handoff: HandoffConfig::default(),
            failure: FailureConfig::default(),
            faults: Vec::new(),
            files: Vec::new(),
        }
    }
}
