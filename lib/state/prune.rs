//! Old sessions are removed when a new one starts.

use super::store::Files;
use crate::world::World;
use std::path::Path;

/// Age at which a session is removed: 30 days without an event.
const OLD: i64 = 30 * 24 * 3_600 * 1_000;
/// Folders looked at in one go.
const LOOKED_AT: usize = 200;
/// Names read.
const NAMES: usize = 4_096;

/// Removes sessions that are old compared with this one.
///
/// Both ages come from the file system's clock: a `KZ_NOW` far in the future removes nothing.
/// With many sessions each start looks at another stretch, which `turn` (any number) chooses.
pub fn old_sessions(folder: &Path, own: &Files, turn: i64, world: &dyn World) {
    let sessions = folder.join("sessions");
    let Some(newest) = world.stat(&own.events).map(|found| found.modified) else { return };
    let Ok(mut names) = world.list(&sessions, NAMES) else { return };
    if names.len() > LOOKED_AT {
        let turn = usize::try_from(turn.unsigned_abs()).unwrap_or_default();
        let begin = turn % names.len();
        names.rotate_left(begin);
    }
    for name in names.into_iter().take(LOOKED_AT) {
        let session = sessions.join(name);
        if session == own.folder {
            continue;
        }
        let found = world.stat(&session.join("events.jsonl")).or_else(|| world.stat(&session));
        if found.is_some_and(|found| found.modified.saturating_add(OLD) < newest) {
            // Another session's start will try again.
            let _ = world.remove_folder(&session);
        }
    }
}
