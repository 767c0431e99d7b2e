//! Where a path of a part lies, as far as its words say.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use super::super::dynamic::Dynamic;
use super::super::part::{Arg, Part};
use super::Operand;

/// Where an operand lies, if that is certain; with globs and `..` left in, because what `..`
/// means depends on links.
///
/// `base` is the folder of the call, `home` the home folder.
pub fn locate(part: &Part, operand: &Operand, base: &Path, home: Option<&Path>) -> Option<PathBuf> {
    // What is handed to it may be any path.
    let handed = part.replace.as_ref().is_some_and(|mark| operand.raw.text.contains(&**mark));
    if part.elsewhere || (handed && !operand.sure) {
        return None;
    }
    let mut at = match (&operand.cwd, operand.cwd_unknown) {
        (_, true) => None,
        (None, false) => Some(base.to_owned()),
        (Some(path), false) => match path.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                home.map(|home| home.join(rest.trim_start_matches('/')))
            }
            Some(_) => None,
            None => Some(base.join(&**path)),
        },
    };
    for step in operand.under.iter().chain([&operand.raw]) {
        at = enter(at.as_deref(), step, base, home);
    }
    at
}

/// The path `step`, seen from `at`.
fn enter(at: Option<&Path>, step: &Arg, base: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let text = step.text.as_str();
    if step.dynamic.iter().any(|kind| !matches!(kind, Dynamic::Tilde | Dynamic::Glob)) {
        return None;
    }
    if step.dynamic.contains(&Dynamic::Tilde) {
        let under = |prefix: &str| text.strip_prefix(prefix).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        if let Some(rest) = under("~").or_else(|| under("$HOME")) {
            return Some(home?.join(rest.trim_start_matches('/')));
        }
        let rest = under("$PWD")?;
        return Some(base.join(rest.trim_start_matches('/')));
    }
    let text = if step.dynamic.contains(&Dynamic::Glob) { ungrouped(text) } else { Cow::Borrowed(text) };
    if text.starts_with('/') {
        return Some(PathBuf::from(&*text));
    }
    Some(at?.join(&*text))
}

/// A glob in which a star stands for each group of alternatives: `!(a|b)`, `@(a|b)`.
fn ungrouped(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('(') {
        let before = rest.get(..open).unwrap_or_default();
        let Some(bare) = before.strip_suffix(['@', '!', '?', '+', '*']) else { break };
        let mut depth = 0_usize;
        let close = rest.char_indices().skip_while(|(at, _)| *at < open).find_map(|(at, letter)| {
            match letter {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(at)
        });
        let Some(close) = close else { break };
        out.push_str(bare);
        out.push('*');
        rest = rest.get(close + 1..).unwrap_or_default();
    }
    if out.is_empty() {
        return Cow::Borrowed(text);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// A path without `.` and `..`, links not looked at.
pub fn collapse(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}
