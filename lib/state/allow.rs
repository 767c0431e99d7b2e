//! What a person allows once: `allowed.json`, a list of `{id, since, until}`.
//!
//! An id is a short hash of one call of one session. The source says in `facts.allowed` that such a
//! call is there; the decision uses it up under the lock of the session's log.

use crate::call::{Call, Op};
use crate::text::{show, stable_hash};
use crate::world::World;
use serde::{Deserialize, Serialize};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// How long a permission lasts, in milliseconds.
pub const LASTS: i64 = 10 * 60 * 1000;

/// What is read of the file.
const READ: u64 = 64 << 10;

/// Most permissions that wait at once.
const MOST: usize = 64;

#[derive(Debug, Serialize, Deserialize)]
struct Permission {
    id: String,
    since: i64,
    until: i64,
}

impl Permission {
    fn holds(&self, now: i64) -> bool {
        // One that begins later, or lasts longer than any that was given, was not written by kz.
        self.since <= now && now < self.until && self.until - self.since <= LASTS
    }
}

/// The id of a call: eight letters for its session, agent, tool, command and paths.
pub fn id(call: &Call) -> String {
    let folder = call.cwd.strip_prefix(call.root.as_str()).unwrap_or(&call.cwd);
    let mut text = [call.session.as_str(), &call.agent.id, &call.tool, folder, &call.command].join("\0");
    for path in &call.paths {
        text.push('\0');
        text.push(match path.op {
            Op::List => 'l',
            Op::Read => 'r',
            Op::Write => 'w',
            Op::Delete => 'd',
        });
        text.push_str(&path.raw);
    }
    format!("{:08x}", stable_hash(&text) >> 32)
}

/// The key under which a call is allowed once, if it is.
///
/// # Errors
/// What is wrong with the file; then it allows nothing.
pub fn key(state: &Path, call: &Call, now: i64, world: &dyn World) -> Result<Option<String>, String> {
    let all = read(state, world)?;
    if !all.iter().any(|permission| permission.holds(now)) {
        return Ok(None);
    }
    let id = id(call);
    let found = all.iter().find(|permission| permission.id == id && permission.holds(now));
    Ok(found.map(|permission| format!("allow/{id}/{}", permission.since)))
}

/// Allows a call once, for ten minutes.
///
/// # Errors
/// As they come from the system.
pub fn allow(state: &Path, id: &str, world: &dyn World) -> io::Result<()> {
    let now = world.clock();
    let mut all = read(state, world).unwrap_or_default();
    all.retain(|old| old.holds(now) && old.id != id);
    let more = all.len().saturating_sub(MOST - 1);
    all.drain(..more);
    all.push(Permission { id: id.to_owned(), since: now, until: now + LASTS });
    world.make_folder(state)?;
    world.replace(&path(state), &serde_json::to_vec(&all)?)
}

/// Takes a permission away that was used.
///
/// # Errors
/// As they come from the system.
pub fn used(state: &Path, key: &str, world: &dyn World) -> io::Result<()> {
    let mut all = read(state, world).unwrap_or_default();
    all.retain(|permission| format!("allow/{}/{}", permission.id, permission.since) != key);
    if all.is_empty() { world.remove(&path(state)) } else { world.replace(&path(state), &serde_json::to_vec(&all)?) }
}

fn path(state: &Path) -> PathBuf {
    state.join("allowed.json")
}

fn read(state: &Path, world: &dyn World) -> Result<Vec<Permission>, String> {
    let path = path(state);
    let wrong =
        |what: &str| format!("`{}` {what}, so it allows nothing\n  hint: `kz allow-once` writes it anew", show(&path));
    match world.read(&path, READ) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|_| wrong("does not read")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(_) => Err(wrong("cannot be read")),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests may fail")]
    use super::*;
    use crate::world::Memory;

    #[test]
    fn a_permission_is_for_one_call_and_ten_minutes() {
        let (world, state) = (Memory::new(), Path::new("/s"));
        world.set_now(1000);
        let call = |command: &str| Call {
            session: "s".into(),
            tool: "Bash".into(),
            command: command.into(),
            ..Call::default()
        };
        let push = call("git push --force");
        let holds = |call: &Call, now| key(state, call, now, &world).unwrap();
        assert_eq!(holds(&push, 1000), None);
        allow(state, &id(&push), &world).unwrap();
        let first = holds(&push, 1000).unwrap();
        assert_eq!(holds(&push, 1000 + LASTS - 1), Some(first.clone()));
        assert_eq!(holds(&push, 1000 + LASTS), None);
        assert_eq!(holds(&push, 999), None, "a clock set back gives nothing");
        assert_eq!(holds(&call("git push --force origin"), 1000), None);
        assert_eq!(holds(&Call { session: "t".into(), ..push.clone() }, 1000), None);
        used(state, &first, &world).unwrap();
        assert_eq!(holds(&push, 1000), None);
    }

    #[test]
    fn what_kz_did_not_write_allows_nothing() {
        let (world, state) = (Memory::new(), Path::new("/s"));
        let call = Call { session: "s".into(), ..Call::default() };
        world.put("/s/allowed.json", format!("[{{\"id\":\"{}\",\"since\":0,\"until\":99999999999}}]", id(&call)));
        assert_eq!(key(state, &call, 5, &world), Ok(None));
        world.put("/s/allowed.json", "nonsense");
        assert!(key(state, &call, 5, &world).is_err_and(|text| text.contains("does not read")));
    }
}
