//! The files that a patch names: the envelope form of `apply_patch` and unified diffs.
//!
//! Only the heads of the sections are read; what the lines say is nobody's business here.

use super::Op;

/// Most files of one patch.
const MOST: usize = 1_000;

/// A file that a patch touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touch {
    /// As the patch writes it.
    pub path: String,
    /// What happens to it.
    pub op: Op,
}

/// The files of a patch, in order; none if the text is no patch.
///
/// `strip` is how many leading folders of a unified diff do not count (`patch -p1`).
pub fn files(text: &str, strip: usize) -> Vec<Touch> {
    if text.contains("*** Begin Patch") { envelope(text) } else { unified(text, strip) }
}

/// `*** Add File: a`, `*** Update File: a`, `*** Delete File: a`, `*** Move to: b`.
fn envelope(text: &str) -> Vec<Touch> {
    let mut found: Vec<Touch> = Vec::new();
    for line in text.lines() {
        let Some((verb, path)) = line.trim().strip_prefix("*** ").and_then(|rest| rest.split_once(": ")) else {
            continue;
        };
        let op = match verb {
            "Add File" | "Update File" => Op::Write,
            "Delete File" => Op::Delete,
            "Move to" => {
                // The file of the section goes away.
                if let Some(last) = found.last_mut() {
                    last.op = Op::Delete;
                }
                Op::Write
            }
            _ => continue,
        };
        push(&mut found, path.trim(), op);
    }
    found
}

/// `--- a/x` and `+++ b/x`, with `/dev/null` for a side that is not there, and renames of git.
fn unified(text: &str, strip: usize) -> Vec<Touch> {
    let mut found = Vec::new();
    let mut old: Option<&str> = None;
    // Lines of the hunk that are still to come, so that a removed `-- x` is no head.
    let (mut minus, mut plus) = (0_usize, 0_usize);
    for line in text.lines() {
        if minus > 0 || plus > 0 {
            match line.as_bytes().first() {
                Some(b'-') => minus = minus.saturating_sub(1),
                Some(b'+') => plus = plus.saturating_sub(1),
                Some(b'\\') => {}
                _ => {
                    minus = minus.saturating_sub(1);
                    plus = plus.saturating_sub(1);
                }
            }
        } else if let Some(head) = line.strip_prefix("@@ -") {
            (minus, plus) = counts(head);
        } else if let Some(path) = line.strip_prefix("--- ") {
            old = stripped(path, strip);
        } else if let Some(path) = line.strip_prefix("+++ ") {
            match (old.take(), stripped(path, strip)) {
                (_, Some(new)) => push(&mut found, new, Op::Write),
                (Some(old), None) => push(&mut found, old, Op::Delete),
                (None, None) => {}
            }
        } else if let Some(path) = line.strip_prefix("rename from ") {
            push(&mut found, path, Op::Delete);
        } else if let Some(path) = line.strip_prefix("rename to ").or_else(|| line.strip_prefix("copy to ")) {
            push(&mut found, path, Op::Write);
        }
    }
    found
}

/// The lengths in `3,4 +3,5 @@`.
fn counts(head: &str) -> (usize, usize) {
    let length = |side: &str| side.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok()).unwrap_or(0);
    let mut sides = head.split(' ');
    let minus = sides.next().map_or(0, length);
    let plus = sides.next().and_then(|side| side.strip_prefix('+')).map_or(0, length);
    (minus, plus)
}

/// A path of a head without its date and its leading folders; `None` for `/dev/null`.
fn stripped(path: &str, strip: usize) -> Option<&str> {
    let path = path.split('\t').next().unwrap_or_default().trim_end();
    if path.is_empty() || path == "/dev/null" {
        return None;
    }
    let mut rest = path;
    for _ in 0..strip {
        rest = rest.split_once('/').map_or(rest, |(_, rest)| rest);
    }
    Some(rest)
}

fn push(found: &mut Vec<Touch>, path: &str, op: Op) {
    let known = found.iter().rev().take(8).any(|touch| touch.path == path && touch.op == op);
    if !path.is_empty() && !known && found.len() < MOST {
        found.push(Touch { path: path.to_owned(), op });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str, strip: usize) -> Vec<String> {
        files(text, strip).into_iter().map(|touch| format!("{:?} {}", touch.op, touch.path)).collect()
    }

    #[test]
    fn the_envelope_form() {
        let text = "*** Begin Patch\n*** Update File: src/a.rs\n@@ fn x\n-beta\n+*** gamma\n*** Add File: b.txt\n+new\n\
                    *** Delete File: old/c.md\n*** Update File: d.rs\n*** Move to: e.rs\n@@\n-x\n+y\n*** End Patch\n";
        assert_eq!(show(text, 0), ["Write src/a.rs", "Write b.txt", "Delete old/c.md", "Delete d.rs", "Write e.rs"]);
        assert_eq!(show("*** Begin Patch\n*** End Patch", 0), [""; 0]);
        assert_eq!(show("some text\n*** Update File: a", 0), [""; 0]);
    }

    #[test]
    fn unified_diffs() {
        let text = "diff --git a/x.c b/x.c\n--- a/x.c\t2026-01-01\n+++ b/x.c\n@@ -1,2 +1,2 @@\n--- gone\n+++ come\n same\n\
                    --- /dev/null\n+++ b/new.c\n@@ -0,0 +1 @@\n+x\n--- a/dead.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
                    rename from p/q\nrename to p/r\n";
        assert_eq!(show(text, 1), ["Write x.c", "Write new.c", "Delete dead.c", "Delete p/q", "Write p/r"]);
        assert_eq!(show("--- a/x\n+++ b/x\n", 0), ["Write b/x"]);
    }
}
