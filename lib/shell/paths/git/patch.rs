//! The files that a patch names.

use super::Op;

/// The files that a patch changes, with `strip` components taken off.
pub(super) fn patched(text: &str, strip: usize, reverse: bool) -> Vec<(String, Op)> {
    let mut files: Vec<(String, Op)> = Vec::new();
    let mut add = |path: Option<&str>, op: Op| {
        if let Some(path) = path
            && files.last().is_none_or(|(last, known)| last != path || *known != op)
        {
            files.push((path.to_owned(), op));
        }
    };
    let mut before = "";
    // Lines of the hunk that are still to come, in the old and the new file.
    let (mut old, mut new) = (0_u32, 0_u32);
    for line in text.lines() {
        if old > 0 || new > 0 {
            match line.bytes().next() {
                Some(b'-') => old = old.saturating_sub(1),
                Some(b'+') => new = new.saturating_sub(1),
                Some(b'\\') => {}
                _ => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
            }
        } else if let Some(range) = line.strip_prefix("@@ -") {
            (old, new) = hunk(range).unwrap_or_default();
        } else if let Some(name) = line.strip_prefix("--- ") {
            before = name;
        } else if let Some(after) = line.strip_prefix("+++ ") {
            match (file_name(before, strip), file_name(after, strip)) {
                (Some(from), None) => add(Some(from), if reverse { Op::Write } else { Op::Delete }),
                (None, to) => add(to, if reverse { Op::Delete } else { Op::Write }),
                (_, to) => add(to, Op::Write),
            }
        } else if let Some(name) = line.strip_prefix("rename from ") {
            add(file_name(name, strip.saturating_sub(1)), if reverse { Op::Write } else { Op::Delete });
        } else if let Some(name) = line.strip_prefix("rename to ") {
            add(file_name(name, strip.saturating_sub(1)), if reverse { Op::Delete } else { Op::Write });
        } else if let Some(name) = line.strip_prefix("copy to ") {
            add(file_name(name, strip.saturating_sub(1)), Op::Write);
        } else if let Some(pair) = line.strip_prefix("diff --git ") {
            // New empty files and modes have no other line with their name.
            let half = pair.get(pair.len() / 2..).and_then(|half| half.strip_prefix(' '));
            before = half.unwrap_or_default();
        } else if line.starts_with("new file mode ") || line.starts_with("new mode ") {
            add(file_name(before, strip), if reverse { Op::Delete } else { Op::Write });
        } else if line.starts_with("deleted file mode ") {
            add(file_name(before, strip), if reverse { Op::Write } else { Op::Delete });
        }
    }
    files
}

/// `1,3 +1,4 @@`: how many lines.
fn hunk(range: &str) -> Option<(u32, u32)> {
    let count = |side: &str| side.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok());
    let mut sides = range.split(' ');
    Some((count(sides.next()?)?, count(sides.next()?)?))
}

/// A name in a patch; `None` for no file.
fn file_name(name: &str, strip: usize) -> Option<&str> {
    let name = name.split('\t').next().unwrap_or_default().trim_end_matches('\r').trim_matches('"');
    if name == "/dev/null" || name.is_empty() {
        return None;
    }
    let mut rest = name;
    for _ in 0..strip.min(64) {
        rest = rest.split_once('/')?.1.trim_start_matches('/');
    }
    Some(rest).filter(|rest| !rest.is_empty())
}
