//! State: an append-only log of events per session, folded when read.
//!
//! [`Store::session`] reads (snapshot plus tail of the log), [`Store::commit`] writes, and nothing
//! in between touches the disk. What two hooks of one session decide at the same moment is settled
//! at commit by `once` keys: the log is the truth, append first, answer second.

pub mod allow;
mod effects;
pub mod fleet;
mod keys;
mod last;
mod log;
mod off;
mod past;
mod place;
mod prune;
mod snapshot;
mod store;
#[cfg(test)]
mod tests;
pub mod trust;

pub use effects::{KEPT, coach_file};
pub use keys::Keys;
pub use past::{Fold, Past};
pub use store::{Store, stamp};

use serde::{Deserialize, Serialize};

/// What the log of a session adds up to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Session {
    /// Byte of the log up to which it was read; a line boundary.
    pub through: u64,
    /// The last `once` keys that were used.
    #[serde(default)]
    pub keys: Keys,
    /// The session's first folder, where the host names no project folder.
    #[serde(default)]
    pub first_cwd: String,
    /// The mode that was set for the session; empty if none was.
    #[serde(default)]
    pub mode: String,
    /// The ladder's chains.
    #[serde(default)]
    pub ladder: crate::stage::ladder::State,
}

impl Session {
    /// The states that stages fold. A new stateful stage is a field above and an entry here; then
    /// count up `snapshot::FOLDS`, so that snapshots written without it are not used.
    fn stages(&mut self) -> [&mut dyn Fold; 1] {
        [&mut self.ladder]
    }
}

impl Fold for Session {
    fn fold(&mut self, past: &Past) {
        self.keys.add(&past.once);
        if self.first_cwd.is_empty()
            && past.by == "source"
            && past.kind == "cwd"
            && let Some(cwd) = past.get::<std::borrow::Cow<str>>("cwd")
        {
            self.first_cwd = cwd.into_owned();
        }
        if past.by == "mode"
            && past.kind == "mode"
            && let Some(to) = past.get::<std::borrow::Cow<str>>("to")
        {
            self.mode = to.into_owned();
        }
        for stage in self.stages() {
            stage.fold(past);
        }
    }
}
