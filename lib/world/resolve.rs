//! The walk behind `World::resolve`, the same for the machine and for memory.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

/// What stands at a path, links not followed.
pub enum Look {
    /// A link, and where it points.
    Link(PathBuf),
    /// Something else.
    Present,
    /// Nothing, or it may not be looked at.
    Missing,
}

/// Links followed in one walk, as the kernel bounds them.
const LINKS: usize = 40;
/// Components looked at in one walk; beyond it the rest is taken as written.
const COMPONENTS: usize = 1024;

/// Follows the links of the parts that exist and collapses `.` and `..`. `from` is absolute.
///
/// `..` behind a link leads to the parent of what the link points to, as the kernel has it. Below
/// a missing part nothing is looked at until `..` leaves it again.
pub fn walk(from: &Path, mut look: impl FnMut(&Path) -> Look) -> PathBuf {
    let mut out = PathBuf::from("/");
    let mut rest: Vec<OsString> = Vec::new();
    push(&mut rest, from);
    let (mut links, mut looked, mut missing) = (0, 0, 0_usize);
    while let Some(part) = rest.pop() {
        if part == ".." {
            out.pop();
            missing = missing.saturating_sub(1);
            continue;
        }
        out.push(&part);
        if missing > 0 || links >= LINKS || looked >= COMPONENTS {
            missing += 1;
            continue;
        }
        looked += 1;
        match look(&out) {
            Look::Present => {}
            Look::Missing => missing = 1,
            Look::Link(target) => {
                links += 1;
                if target.is_absolute() {
                    out = PathBuf::from("/");
                } else {
                    out.pop();
                }
                push(&mut rest, &target);
            }
        }
    }
    out
}

/// Puts a path's components before the rest; the rest is kept last first.
fn push(rest: &mut Vec<OsString>, path: &Path) {
    rest.extend(path.components().rev().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsStr::new("..").to_owned()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    }));
}
