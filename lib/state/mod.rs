//! State: an append-only log of events per session, folded when read.

mod past;
pub use past::{Fold, Past};

use serde::{Deserialize, Serialize};

/// What the log of a session adds up to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Session {
    /// Byte of the log up to which it was read; a line boundary.
    pub through: u64,
    /// The last `once` keys that were used.
    #[serde(default)]
    pub keys: Vec<String>,
    /// The session's first folder, where the host names no project folder.
    #[serde(default)]
    pub first_cwd: String,
    /// The ladder's chains.
    #[serde(default)]
    pub ladder: crate::stage::ladder::State,
}
