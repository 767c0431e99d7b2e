//! Where the state folder is, whether it may be used, and what a session's folder is called.

use crate::envelope::Fault;
use crate::text::{show, stable_hash};
use crate::world::{Kind, World};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// A fault of this module.
pub fn fault(text: String) -> Fault {
    Fault { by: "state".into(), kind: "state".into(), text, ..Fault::default() }
}

/// The state folder, if there is one that may be used, and what was refused on the way.
///
/// `KZ_STATE`, else `$XDG_STATE_HOME/kz`, else `~/.local/state/kz`. One that is refused is replaced
/// by the passwd home's default: the variables can come from a repo's own host settings.
pub fn find(world: &dyn World, root: Option<&Path>) -> (Option<PathBuf>, Vec<Fault>) {
    let mut faults = Vec::new();
    let named = |key: &'static str| world.env(key).map(|value| (key, PathBuf::from(value)));
    let wanted = named("KZ_STATE")
        .or_else(|| named("XDG_STATE_HOME").map(|(key, folder)| (key, folder.join("kz"))))
        .or_else(|| world.home().map(|home| ("HOME", below(&home))));
    let Some((key, wanted)) = wanted else {
        faults.push(fault(
            "there is no home folder to keep state in, so nothing is remembered\n  hint: set `KZ_STATE` to an absolute path"
                .into(),
        ));
        return (None, faults);
    };
    match refusal(&wanted, key, root, world) {
        None => return (Some(wanted), faults),
        Some(why) => faults.push(fault(why)),
    }
    let Some(default) = world.passwd_home().map(|home| below(&home)).filter(|default| *default != wanted) else {
        return (None, faults);
    };
    match refusal(&default, "HOME", root, world) {
        None => (Some(default), faults),
        Some(why) => {
            faults.push(fault(why));
            (None, faults)
        }
    }
}

fn below(home: &Path) -> PathBuf {
    home.join(".local/state/kz")
}

/// Why a folder may not be used: what, and what to do.
fn refusal(folder: &Path, key: &str, root: Option<&Path>, world: &dyn World) -> Option<String> {
    let shown = show(folder);
    if !folder.is_absolute() {
        return Some(format!(
            "state folder `{shown}` of `{key}` is not an absolute path\n  hint: set `{key}` to an absolute path"
        ));
    }
    let own = || world.passwd_home().is_some_and(|home| below(&home) == folder);
    // The account's own default stays where it is even if the whole home folder is the project.
    if root.is_some_and(|root| world.resolve(folder).starts_with(root)) && !own() {
        return Some(format!(
            "state folder `{shown}` of `{key}` is inside the project, where the agent can write\n  hint: unset `{key}`"
        ));
    }
    let found = world.stat(folder)?;
    if found.kind != Kind::Folder {
        return Some(format!("state folder `{shown}` is not a folder\n  hint: move it away: `mv {shown} {shown}.old`"));
    }
    if found.uid != world.uid() {
        return Some(format!(
            "state folder `{shown}` belongs to user {}, not to you (user {})\n  hint: set `KZ_STATE` to a folder of your own",
            found.uid,
            world.uid()
        ));
    }
    if found.mode & 0o077 != 0 {
        return Some(format!(
            "state folder `{shown}` is open to other users (mode {:o})\n  hint: `chmod 700 {shown}`",
            found.mode
        ));
    }
    None
}

/// The name of a session's folder: its id if that is a plain name, else a hash of it.
pub fn session_name(id: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    if (1..=128).contains(&id.len()) && !id.starts_with('.') && id.bytes().all(plain) {
        Cow::Borrowed(id)
    } else {
        Cow::Owned(format!("h-{:016x}", stable_hash(id)))
    }
}
