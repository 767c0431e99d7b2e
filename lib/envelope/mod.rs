//! The envelope: one hook call as one line of JSON that only grows on its way.
//!
//! One original (`hook`), one reading (`call`), one view of the world (`facts`), six
//! append-only lists, one verdict. `hook`, `call` and `facts` are written once by the source;
//! a stage may only append to the lists. [`codec`] reads and writes lines.

mod codec;
mod record;

pub use codec::{Line, decode, encode};
pub use record::{Blank, Extra};

use crate::call::Call;
use crate::record;
use serde::{Deserialize, Serialize};

/// The major version written into `kz`. Additions do not change it.
pub const VERSION: u32 = 1;

/// What a stage wants done, from weakest to strictest; merging is `max`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Nothing against it: the host's own permissions decide.
    #[default]
    None,
    /// Skip the host's prompt.
    Approve,
    /// A person should look.
    Ask,
    /// Stop it.
    Deny,
}
impl Blank for Verdict {}

impl Verdict {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Approve => "approve",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

record! {
    /// What a rule recognised.
    pub struct Finding {
        /// Stage that added it.
        by: String,
        /// Rule id, `<pack>/<pattern>`.
        rule: String,
        /// write, read, search, discovery, control, build, vcs, danger, mode, bound, opaque.
        class: String,
        /// Number of the part it was found in.
        part: Option<u32>,
        /// Canonical key of the dedicated tool that fits (`read`, `edit`, `write`, `grep`, `glob`, `task`).
        offer: String,
        /// Of what would be an offense: the exemption that makes it none.
        exempt: String,
        /// One sentence.
        why: String,
    }
}

record! {
    /// What a stage wants done with the call. Final when cast.
    pub struct Vote {
        /// Stage that cast it.
        by: String,
        /// Rule id that decided.
        rule: String,
        /// The verdict.
        say: Verdict,
        /// Why, for the agent; ends ` [kz <rule id>]` when shown.
        reason: String,
        /// The way on, for the agent.
        instead as "try": String,
        /// What kind of thing that is: `use_alternative`, `scope_down`, `ask_person`, `stop`.
        way: String,
        /// Number of the part it is about.
        part: Option<u32>,
        /// Key and generation if it must take effect only once per session.
        once: String,
    }
}

record! {
    /// A text for the agent or for the user.
    pub struct Note {
        /// Stage that added it.
        by: String,
        /// What it is about.
        key: String,
        /// `agent` (default) or `user`.
        to: String,
        /// The text.
        text: String,
        /// Key and generation if it must be said only once per session.
        once: String,
        /// Where it comes from, as the ladder's seed wants it: `{kind, form, summary}`.
        source: Extra,
    }
}

record! {
    /// Something to remember in the session's log. Its own fields are in `extra`.
    pub struct Event {
        /// Milliseconds since 1970, filled in from the facts.
        at: i64,
        /// Stage that added it.
        by: String,
        /// What happened.
        kind: String,
        /// Agent of the session it belongs to.
        agent: String,
        /// Key and generation if it must be remembered only once per session.
        once: String,
    }
}

record! {
    /// Something to do to a file outside the session's log, at commit. Its own fields are in `extra`.
    pub struct Effect {
        /// Stage that asked for it.
        by: String,
        /// What to do: `tool_coach_line` (append `line` to the ladder's log), `ledger` (append `row`),
        /// `fleet_…` (in the fleet's folder, once the answer is out).
        action as "do": String,
        /// Key and generation if it must be done only once per session.
        once: String,
    }
}

record! {
    /// Something of ours that failed.
    pub struct Fault {
        /// Stage or module that failed.
        by: String,
        /// `panic`, `payload`, `config`, `state`, `bound`, `version`, `timeout`, `usage`.
        kind: String,
        /// What, where, and what to do.
        text: String,
        /// Whether the failure must stop the call.
        closed: bool,
    }
}

record! {
    /// The verdict of the whole pipeline.
    pub struct Decision {
        /// The strictest vote.
        say: Verdict,
        /// Rule id of the first strictest vote.
        rule: String,
        /// What the agent is told about the verdict.
        reason: String,
        /// Texts for the agent.
        notes: Vec<String>,
        /// Texts for the user.
        user: Vec<String>,
        /// Of an ask or a deny: by which `kz allow-once` lets the call through.
        id: String,
    }
}

record! {
    /// The active mode and what set it.
    pub struct ModeFact {
        /// Name of the mode.
        name: String,
        /// `config`, `environment`, `session`, …
        from: String,
    }
}

record! {
    /// The world as the source saw it, once.
    pub struct Facts {
        /// Milliseconds since 1970.
        at: i64,
        /// Home folder of the user, absolute.
        home: String,
        /// The active mode.
        mode: Option<ModeFact>,
        /// Byte of the session log up to which the source read.
        through: Option<u64>,
        /// Whether this call id was judged on this event before.
        repeated: bool,
        /// `once` keys of this session used before that belong to no call (`fault/…`, `mode/…`).
        used: Vec<String>,
        /// Folders of kz's own that a variable has moved, absolute: the agent may not change them.
        shield: Vec<String>,
        /// Whether the branch of a `git commit --amend` or `git rebase` is on its remote as it stands;
        /// nothing if the call has no such command, or nobody knows.
        published: Option<bool>,
        /// Why kz is switched off (`session`, `until <time>`), empty if it is on.
        off: String,
        /// Key of the permission by which a person allows this call once; empty if there is none.
        allowed: String,
        /// Folded state of each stateful stage, by stage name.
        session: Extra,
    }
}

/// One hook call on its way through the pipeline.
#[derive(Clone, Debug, Default)]
pub struct Envelope {
    /// The payload exactly as received (a JSON value as text).
    pub hook: String,
    /// One reading of it, the same for all agents.
    pub call: Call,
    /// The world at that moment.
    pub facts: Facts,
    /// What rules recognised.
    pub findings: Vec<Finding>,
    /// What stages want done.
    pub votes: Vec<Vote>,
    /// Texts to pass on.
    pub notes: Vec<Note>,
    /// What to remember.
    pub events: Vec<Event>,
    /// What to do outside.
    pub effects: Vec<Effect>,
    /// What failed.
    pub faults: Vec<Fault>,
    /// The verdict, once `decide` has spoken.
    pub decision: Option<Decision>,
    /// Any other key, `x` (free room for outside stages) among them.
    pub extra: Extra,
}

impl Envelope {
    /// Appends a fault.
    pub fn fault(&mut self, by: &str, kind: &str, text: impl Into<String>) {
        self.faults.push(Fault { by: by.into(), kind: kind.into(), text: text.into(), ..Fault::default() });
    }
}
