//! The kill switch: `off.json`, a list of `{since, until?, session?}`.

use crate::text::{rfc3339, show};
use crate::world::World;
use serde::{Deserialize, Serialize};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// What is read of it.
const READ: u64 = 64 << 10;

#[derive(Debug, Serialize, Deserialize)]
struct Switch {
    since: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
}

impl Switch {
    fn running(&self, now: i64) -> bool {
        self.since <= now && self.until.is_none_or(|until| now < until)
    }
}

/// Where it is.
pub fn path(folder: &Path) -> PathBuf {
    folder.join("off.json")
}

/// Why kz is off for a session. A switch that does not read switches nothing off.
///
/// # Errors
/// What is wrong with the file.
pub fn reason(folder: &Path, session: &str, now: i64, world: &dyn World) -> Result<Option<String>, String> {
    let switches = read(folder, world)?;
    let mine = |switch: &&Switch| switch.session.as_deref().is_none_or(|id| id == session) && switch.running(now);
    let switch = switches.iter().find(mine);
    Ok(switch.map(|switch| match (&switch.session, switch.until) {
        (_, Some(until)) => format!("until {}", rfc3339(until)),
        (Some(_), None) => "session".to_owned(),
        (None, None) => "until kz on".to_owned(),
    }))
}

/// Adds a switch; what ran out, or was set for the same session, is dropped.
pub fn write(folder: &Path, session: Option<&str>, until: Option<i64>, world: &dyn World) -> io::Result<()> {
    let now = world.clock();
    let mut switches = read(folder, world).unwrap_or_default();
    switches.retain(|old| old.running(now) && old.session.as_deref() != session);
    switches.push(Switch { since: now, until, session: session.map(str::to_owned) });
    world.replace(&path(folder), &serde_json::to_vec(&switches)?)
}

fn read(folder: &Path, world: &dyn World) -> Result<Vec<Switch>, String> {
    let path = path(folder);
    let wrong = |what: &str| {
        format!("the switch `{}` {what}, so it switches nothing off\n  hint: `kz on` removes it", show(&path))
    };
    match world.read(&path, READ) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|_| wrong("does not read")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) if error.kind() == ErrorKind::InvalidInput => Err(wrong("is no regular file")),
        Err(_) => Err(wrong("cannot be read")),
    }
}
