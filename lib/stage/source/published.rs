//! Whether the branch that a command would rewrite is on its remote as it stands, by the files in
//! `.git` alone.

use super::root::{git_top, pointed, text};
use crate::call::Call;
use crate::shell::Part;
use crate::world::{Kind, World};
use std::path::{Path, PathBuf};

/// Bytes of a config or of packed refs that are read.
const LONGEST: u64 = 1 << 20;

/// Whether the call amends or rebases a branch that equals its remote-tracking ref; nothing if that
/// is not certain. Only the first such command counts; without one nothing is read.
pub fn published(call: &Call, world: &dyn World) -> Option<bool> {
    let parts = call.shell.iter().flat_map(|shell| &shell.parts);
    let folder = parts.filter(|part| rewrites(part)).map(|part| folder(part, &call.cwd)).next().flatten();
    is_published(&folder?, world)
}

fn rewrites(part: &Part) -> bool {
    let word = |wanted: &str| part.words().iter().skip(1).any(|word| word.text == wanted);
    part.head == "git" && (word("rebase") || word("commit") && word("--amend"))
}

/// Where it runs, if that is certain: `git -C` and its kin are not followed.
fn folder(part: &Part, cwd: &str) -> Option<PathBuf> {
    let moved = part.words().get(1).is_some_and(|word| word.text.starts_with('-') && word.text != "-c");
    let base = Path::new(cwd);
    if moved || part.cwd_unknown || part.elsewhere || !part.assign.is_empty() || !base.is_absolute() {
        return None;
    }
    match part.cwd.as_deref() {
        None => Some(base.to_owned()),
        Some(to) if to.starts_with('~') => None,
        Some(to) => Some(base.join(to)),
    }
}

fn is_published(folder: &Path, world: &dyn World) -> Option<bool> {
    let folder = world.resolve(folder);
    let (top, kind) = git_top(&folder, world)?;
    let own = if kind == Kind::Folder { world.resolve(&top.join(".git")) } else { pointed(top, world)? };
    // Branches of a linked worktree are in the repository's own folder.
    let common = text(&own.join("commondir"), world);
    let common = common.map_or_else(|| own.clone(), |to| world.resolve(&own.join(to.trim())));
    let head = text(&own.join("HEAD"), world)?;
    let branch = head.trim().strip_prefix("ref: refs/heads/")?.to_owned();
    let config = long(&common.join("config"), world)?;
    let (remote, merge) = upstream(&config, &branch)?;
    let packed = long(&common.join("packed-refs"), world).unwrap_or_default();
    let value = |name: &str| value(name, &common, &packed, world);
    let here = value(&format!("refs/heads/{branch}"))?;
    Some(here == value(&format!("refs/remotes/{remote}/{merge}"))?)
}

/// Remote and branch there, by `[branch "name"]` of a config.
fn upstream(config: &str, branch: &str) -> Option<(String, String)> {
    let header = format!("[branch \"{branch}\"]");
    let rows = config.lines().map(str::trim).skip_while(|line| *line != header).skip(1);
    let (mut remote, mut merge) = (None, None);
    for row in rows.take_while(|line| !line.starts_with('[')) {
        match row.split_once('=').map(|(key, value)| (key.trim(), value.trim())) {
            Some(("remote", value)) => remote = Some(value.to_owned()),
            Some(("merge", value)) => merge = value.strip_prefix("refs/heads/").map(str::to_owned),
            _ => {}
        }
    }
    let plain = |name: &String| !name.is_empty() && !name.contains("..") && !name.starts_with('/');
    Some((remote.filter(plain)?, merge.filter(plain)?))
}

/// The commit that a ref names: a file of its own, else a row of the packed refs.
fn value(name: &str, common: &Path, packed: &str, world: &dyn World) -> Option<String> {
    let commit = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit()) && text.len() >= 40;
    if let Some(own) = text(&common.join(name), world) {
        return Some(own.trim().to_owned()).filter(|text| commit(text));
    }
    let mut rows = packed.lines().filter_map(|row| row.split_once(' '));
    rows.find(|(_, of)| *of == name).map(|(text, _)| text.to_owned()).filter(|text| commit(text))
}

fn long(path: &Path, world: &dyn World) -> Option<String> {
    String::from_utf8(world.read(path, LONGEST).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Memory;

    const ONE: &str = "1111111111111111111111111111111111111111\n";
    const TWO: &str = "2222222222222222222222222222222222222222\n";

    fn repository(there: &str) -> Memory {
        let world = Memory::new();
        world.put("/p/.git/HEAD", "ref: refs/heads/topic/a\n");
        world.put(
            "/p/.git/config",
            "[core]\n\tbare = false\n[branch \"topic/a\"]\n\tremote = up\n\tmerge = refs/heads/topic/a\n",
        );
        world.put("/p/.git/refs/heads/topic/a", ONE);
        world.put("/p/.git/packed-refs", format!("# pack-refs\n{} refs/remotes/up/topic/a\n", there.trim()));
        world.put("/p/src/a", "");
        world
    }

    fn found(command: &str, cwd: &str, world: &Memory) -> bool {
        let shell = Some(crate::shell::read(command));
        published(&Call { cwd: cwd.into(), shell, ..Call::default() }, world) == Some(true)
    }

    #[test]
    fn a_branch_that_is_on_its_remote() {
        let world = repository(ONE);
        for command in ["git commit --amend --no-edit", "git rebase main", "cd src && git rebase -i HEAD~2"] {
            assert!(found(command, "/p", &world), "{command}");
        }
        world.put("/w/.git", "gitdir: /p/.git/worktrees/w\n");
        world.put("/p/.git/worktrees/w/HEAD", "ref: refs/heads/topic/a\n");
        world.put("/p/.git/worktrees/w/commondir", "../..\n");
        assert!(found("git commit --amend", "/w", &world));
    }

    #[test]
    fn what_is_not_certain_is_no() {
        let world = repository(ONE);
        for command in [
            "git commit -m x",
            "git -C /q rebase main",
            "cd \"$X\" && git rebase main",
            "git log --amend",
            "GIT_DIR=/q git rebase",
        ] {
            assert!(!found(command, "/p", &world), "{command}");
        }
        assert!(!found("git rebase main", "/elsewhere", &world));
        assert!(!found("git commit --amend", "/p", &repository(TWO)));
        let world = repository(ONE);
        world.put("/p/.git/HEAD", ONE);
        assert!(!found("git commit --amend", "/p", &world));
        world.put("/p/.git/HEAD", "ref: refs/heads/other\n");
        assert!(!found("git commit --amend", "/p", &world));
    }
}
