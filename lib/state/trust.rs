//! What a person trusts: copies of a repo's files, by root.
//!
//! `trusted/<hash of the root>/root` names the root, beside it lie the copies. A file counts as
//! trusted only while it is byte for byte its copy, so a later pull makes it one of any repo again.

use crate::text::stable_hash;
use crate::world::World;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Largest file that can be trusted, in bytes.
pub const MAX_BYTES: u64 = 1 << 20;

/// Most files of one repo, and most repos, that are listed.
const MAX_NAMES: usize = 1024;

/// How a file stands to what was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nobody accepted a file of that name in that root.
    Unknown,
    /// It is what was accepted.
    Trusted,
    /// It was accepted, and is different now.
    Changed,
}

/// How the file `name` (relative to the root) with this content stands. `state` is the state folder.
pub fn standing(state: &Path, root: &Path, name: &str, content: &[u8], world: &dyn World) -> Standing {
    match copy(state, root, name, world) {
        None => Standing::Unknown,
        Some(copy) if copy == content => Standing::Trusted,
        Some(_) => Standing::Changed,
    }
}

/// The content that was accepted under that name.
pub fn copy(state: &Path, root: &Path, name: &str, world: &dyn World) -> Option<Vec<u8>> {
    let folder = folder(state, root);
    let owner = world.read(&folder.join("root"), MAX_BYTES).ok()?;
    // Two roots with one hash: the copies are the other's.
    if owner != root.as_os_str().as_encoded_bytes() {
        return None;
    }
    world.read(&folder.join(file_name(name)), MAX_BYTES).ok()
}

/// Accepts exactly these files of a root, name and content; what was accepted before is forgotten.
///
/// # Errors
/// As they come from the system.
pub fn accept(state: &Path, root: &Path, files: &[(String, Vec<u8>)], world: &dyn World) -> io::Result<()> {
    forget(state, root, world)?;
    let folder = folder(state, root);
    world.make_folder(&folder)?;
    for (name, content) in files {
        world.replace(&folder.join(file_name(name)), content)?;
    }
    // Last, so that half a set of copies counts for nothing.
    world.replace(&folder.join("root"), root.as_os_str().as_encoded_bytes())
}

/// Forgets what was accepted of a root; whether there was anything.
///
/// # Errors
/// As they come from the system.
pub fn forget(state: &Path, root: &Path, world: &dyn World) -> io::Result<bool> {
    let folder = folder(state, root);
    match world.stat(&folder) {
        None => Ok(false),
        Some(_) => world.remove_folder(&folder).map(|()| true),
    }
}

/// The roots of which something was accepted, in order.
///
/// # Errors
/// As they come from the system.
pub fn roots(state: &Path, world: &dyn World) -> io::Result<Vec<PathBuf>> {
    let names = match world.list(&state.join("trusted"), MAX_NAMES) {
        Ok(names) => names,
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    let root = |name| {
        let bytes = world.read(&state.join("trusted").join(name).join("root"), MAX_BYTES).ok()?;
        String::from_utf8(bytes).ok().map(PathBuf::from)
    };
    let mut roots: Vec<PathBuf> = names.into_iter().filter_map(root).collect();
    roots.sort();
    Ok(roots)
}

fn folder(state: &Path, root: &Path) -> PathBuf {
    state.join("trusted").join(format!("{:016x}", stable_hash(&root.to_string_lossy())))
}

/// The name of a copy: one file, whatever folder the original lies in.
fn file_name(name: &str) -> String {
    // `root` is taken, and no copy begins with a dot.
    format!("copy.{}", name.replace('%', "%25").replace('/', "%2f"))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests may fail")]
    use super::*;
    use crate::world::Memory;

    #[test]
    fn a_file_is_trusted_while_it_is_its_copy() {
        let (world, state, root) = (Memory::new(), Path::new("/s"), Path::new("/r"));
        let stands =
            |root: &str, name: &str, content: &str| standing(state, Path::new(root), name, content.as_bytes(), &world);
        assert_eq!(stands("/r", "a/b.toml", "x"), Standing::Unknown);
        assert!(!forget(state, root, &world).unwrap());
        accept(state, root, &[("a/b.toml".into(), b"x".to_vec()), ("a%2fb.toml".into(), b"y".to_vec())], &world)
            .unwrap();
        assert_eq!(stands("/r", "a/b.toml", "x"), Standing::Trusted);
        assert_eq!(stands("/r", "a%2fb.toml", "y"), Standing::Trusted);
        assert_eq!(stands("/r", "a/b.toml", "x "), Standing::Changed);
        assert_eq!(stands("/r2", "a/b.toml", "x"), Standing::Unknown);
        assert_eq!(roots(state, &world).unwrap(), [root]);
        // Accepting again means what is there now and nothing else.
        accept(state, root, &[("c.toml".into(), b"z".to_vec())], &world).unwrap();
        assert_eq!(stands("/r", "a/b.toml", "x"), Standing::Unknown);
        assert_eq!(stands("/r", "c.toml", "z"), Standing::Trusted);
        assert!(forget(state, root, &world).unwrap());
        assert_eq!(stands("/r", "c.toml", "z"), Standing::Unknown);
        assert_eq!(roots(state, &world).unwrap(), Vec::<PathBuf>::new());
    }

    #[test]
    fn copies_of_another_root_count_for_nothing() {
        let (world, state, root) = (Memory::new(), Path::new("/s"), Path::new("/r"));
        accept(state, root, &[("a".into(), b"x".to_vec())], &world).unwrap();
        world.put(folder(state, root).join("root"), "/other");
        assert_eq!(standing(state, root, "a", b"x", &world), Standing::Unknown);
    }
}
