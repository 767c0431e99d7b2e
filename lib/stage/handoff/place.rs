//! Whose process this is, and where the fleet keeps what.

use crate::world::World;
use std::path::{Path, PathBuf};

/// The agent that the fleet runs this process for: `FLEET_AGENT_ID`, 8 hex digits.
pub fn agent(world: &dyn World) -> Option<String> {
    world.env("FLEET_AGENT_ID").filter(|id| is_id(id))
}

/// Whether that is an agent's id. It becomes part of file names.
pub fn is_id(id: &str) -> bool {
    id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The fleet's folder.
///
/// # Errors
/// Why there is none.
pub fn home(world: &dyn World) -> Result<PathBuf, String> {
    match world.env("FLEET_HOME").map(PathBuf::from) {
        Some(folder) if folder.is_absolute() => Ok(folder),
        Some(folder) => Err(format!(
            "`FLEET_HOME` is `{}`, which is no absolute path, so nothing is done for the fleet\n  hint: set it to `/…`",
            folder.display()
        )),
        None => world
            .home()
            .map(|home| home.join(".fleet"))
            .ok_or_else(|| "there is no home folder, so no `~/.fleet`\n  hint: set `FLEET_HOME`".to_owned()),
    }
}

/// The health record of an agent.
pub fn record_file(home: &Path, agent: &str) -> PathBuf {
    home.join("agents").join(format!("{agent}.json"))
}

/// Our own file beside it: the lock, and a line for each document written.
pub fn journal_file(home: &Path, agent: &str) -> PathBuf {
    home.join("agents").join(format!(".{agent}.kz"))
}

/// The queue file of an agent.
pub fn queue_file(home: &Path, agent: &str) -> PathBuf {
    home.join("queue").join(format!("spawn-fresh-{agent}.json"))
}

/// The message of the operator to an agent.
pub fn inbox_file(home: &Path, agent: &str) -> PathBuf {
    home.join("inbox").join(format!("{agent}.md"))
}
