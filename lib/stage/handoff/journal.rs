//! Our own file beside the record: a line for each document that was written and each message that was said.

use super::Kind;
use super::quote::millis;
use serde::Deserialize;

/// Whether the lines of a journal say that a session had a message.
pub fn delivered(journal: &[u8], session: &str, hash: &str) -> bool {
    #[derive(Deserialize)]
    struct Line {
        delivered: String,
        session: String,
    }
    let mut lines = journal.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Line>(line).ok());
    lines.any(|line| line.delivered == hash && line.session == session)
}

/// The strongest kind of document that the lines of a journal tell of, since the agent was spawned.
pub fn written(journal: &[u8], spawned_at: &str) -> Option<Kind> {
    #[derive(Deserialize)]
    struct Line {
        at: i64,
        written: Kind,
    }
    let spawned = millis(spawned_at).unwrap_or(i64::MIN);
    let lines = journal.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Line>(line).ok());
    lines.filter(|line| line.at >= spawned).map(|line| line.written).max_by_key(|kind| kind.weight())
}
