//! The session root: where the project begins, and what counts as inside it.
//!
//! The root is fixed for a session, so a `cd` of the agent cannot move it. A linked worktree of
//! the same repository counts as the root, with paths from the worktree's own top.

use crate::world::{Kind, World};
use std::path::{Path, PathBuf};

/// Folders that are looked at on the way up.
const LEVELS: usize = 40;

/// Bytes of a `.git` file that are read; it holds one path.
const POINTER: u64 = 8 << 10;

/// A session root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Root {
    /// Its top folder, links followed.
    pub top: PathBuf,
    /// The repository's folder of linked worktrees, if it has any.
    worktrees: Option<PathBuf>,
}

/// The folder that the host names as the project's, if it names one.
pub fn project(world: &dyn World) -> Option<PathBuf> {
    world.env("CLAUDE_PROJECT_DIR").map(PathBuf::from).filter(|folder| folder.is_absolute())
}

impl Root {
    /// The root of a folder: the nearest folder upward that holds `.git`, else the folder itself.
    pub fn of(folder: &Path, world: &dyn World) -> Self {
        let folder = world.resolve(folder);
        let Some((top, kind)) = git_top(&folder, world) else { return Self { top: folder, worktrees: None } };
        let git = match kind {
            Kind::Folder => Some(world.resolve(&top.join(".git"))),
            // The root is a worktree itself, or a submodule.
            _ => pointed(top, world).map(|git| match git.parent() {
                Some(above) if above.ends_with("worktrees") => above.parent().map_or(git.clone(), Path::to_owned),
                _ => git,
            }),
        };
        let worktrees = git
            .map(|git| git.join("worktrees"))
            .filter(|folder| world.stat(folder).is_some_and(|stat| stat.kind == Kind::Folder));
        Self { top: top.to_owned(), worktrees }
    }

    /// A resolved path relative to the root, if it is inside; the root itself is `.`.
    pub fn relative(&self, path: &Path, world: &dyn World) -> Option<String> {
        let top = self.worktree_of(path, world);
        let inside = path.strip_prefix(top.as_deref().unwrap_or(&self.top)).ok()?;
        if inside.as_os_str().is_empty() {
            return Some(".".to_owned());
        }
        Some(inside.to_string_lossy().into_owned())
    }

    /// Top of the linked worktree that a path lies in.
    fn worktree_of(&self, path: &Path, world: &dyn World) -> Option<PathBuf> {
        let worktrees = self.worktrees.as_deref()?;
        path.ancestors().take(LEVELS).take_while(|folder| *folder != self.top).find_map(|folder| {
            let git = folder.join(".git");
            world.stat(&git).filter(|stat| stat.kind == Kind::File)?;
            let own = pointed(folder, world)?;
            if own.parent() != Some(worktrees) {
                return None;
            }
            // Both must point at each other, as for git itself: a `.git` file alone is easily made.
            let back = text(&own.join("gitdir"), world)?;
            (world.resolve(&own.join(back.trim())) == git).then(|| folder.to_owned())
        })
    }
}

pub(super) fn git_top<'p>(folder: &'p Path, world: &dyn World) -> Option<(&'p Path, Kind)> {
    folder.ancestors().take(LEVELS).find_map(|folder| {
        let kind = world.stat(&folder.join(".git"))?.kind;
        (kind != Kind::Other).then_some((folder, kind))
    })
}

/// Where a folder's `.git` file points.
pub(super) fn pointed(folder: &Path, world: &dyn World) -> Option<PathBuf> {
    let text = text(&folder.join(".git"), world)?;
    Some(world.resolve(&folder.join(text.strip_prefix("gitdir:")?.trim())))
}

pub(super) fn text(path: &Path, world: &dyn World) -> Option<String> {
    String::from_utf8(world.read(path, POINTER).ok()?).ok()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests may fail")]
    use super::*;
    use crate::world::Memory;

    fn rel(root: &Root, path: &str, world: &Memory) -> Option<String> {
        root.relative(Path::new(path), world)
    }

    fn repository() -> Memory {
        let world = Memory::new();
        world.put("/p/.git/HEAD", "ref");
        world.put("/p/src/a.rs", "");
        for (name, top) in [("one", "/w/one"), ("two", "/p/.claude/worktrees/two")] {
            world.put(format!("/p/.git/worktrees/{name}/gitdir"), format!("{top}/.git\n"));
            world.put(format!("{top}/.git"), format!("gitdir: /p/.git/worktrees/{name}\n"));
            world.put(format!("{top}/src/a.rs"), "");
        }
        world
    }

    #[test]
    fn raised_to_the_top_of_the_repository() {
        let world = repository();
        world.put("/plain/x/y", "");
        for (from, top) in
            [("/p/src", "/p"), ("/p", "/p"), ("/w/one/src", "/w/one"), ("/plain/x", "/plain/x"), ("/", "/")]
        {
            assert_eq!(Root::of(Path::new(from), &world).top, Path::new(top), "{from}");
        }
        world.put_other("/odd/.git");
        assert_eq!(Root::of(Path::new("/odd/x"), &world).top, Path::new("/odd/x"));
        let deep = format!("/p{}", "/d".repeat(50));
        assert_eq!(Root::of(Path::new(&deep), &world).top, Path::new(&deep));
    }

    #[test]
    fn inside_and_outside() {
        let world = repository();
        for start in ["/p", "/w/one"] {
            let root = Root::of(Path::new(start), &world);
            for path in ["/w/one/src/a.rs", "/p/.claude/worktrees/two/src/a.rs", "/w/one/src/new/b.rs"] {
                let want = if path.ends_with("b.rs") { "src/new/b.rs" } else { "src/a.rs" };
                assert_eq!(rel(&root, path, &world).as_deref(), Some(want), "{start} {path}");
            }
            assert_eq!(rel(&root, start, &world).as_deref(), Some("."));
            assert_eq!(rel(&root, "/etc/passwd", &world), None);
            assert_eq!(rel(&root, "/p2/src", &world), None);
        }
        let root = Root::of(Path::new("/p"), &world);
        assert_eq!(rel(&root, "/p/src/a.rs", &world).as_deref(), Some("src/a.rs"));
    }

    #[test]
    fn a_git_file_that_is_not_pointed_back_at_is_no_worktree() {
        let world = repository();
        world.put("/home/.git", "gitdir: /p/.git/worktrees/one\n");
        world.put("/tmp/.git", "gitdir: /p/.git/worktrees/none\n");
        world.put("/p/sub/.git", "gitdir: ../.git/modules/sub\n");
        let root = Root::of(Path::new("/p"), &world);
        assert_eq!(rel(&root, "/home/src/a", &world), None);
        assert_eq!(rel(&root, "/tmp/src/a", &world), None);
        assert_eq!(rel(&root, "/p/sub/a", &world).as_deref(), Some("sub/a"));
    }

    #[test]
    fn a_project_folder_must_be_absolute() {
        let world = Memory::new();
        assert_eq!(project(&world), None);
        world.set_env("CLAUDE_PROJECT_DIR", "p");
        assert_eq!(project(&world), None);
        world.set_env("CLAUDE_PROJECT_DIR", "/p");
        assert_eq!(project(&world).unwrap(), Path::new("/p"));
    }
}
