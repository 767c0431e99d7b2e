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
    if text.contains("*** Begin Patch") { envelope(text) } else { unified(text, strip, false) }
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

/// The files of a unified diff. With `reverse` it is taken back (`git apply -R`).
pub fn unified(text: &str, strip: usize, reverse: bool) -> Vec<Touch> {
    let mut found = Vec::new();
    let (make, drop) = if reverse { (Op::Delete, Op::Write) } else { (Op::Write, Op::Delete) };
    for head in heads(text) {
        // Names of renames have no letter in front.
        let bare = strip.saturating_sub(1);
        match head {
            Head::Pair(old, new) => match (stripped(old, strip), stripped(new, strip)) {
                (Some(old), None) => push(&mut found, old, drop),
                (None, Some(new)) => push(&mut found, new, make),
                (_, Some(new)) => push(&mut found, new, Op::Write),
                (None, None) => {}
            },
            Head::From(name) => push(&mut found, stripped(name, bare).unwrap_or_default(), drop),
            Head::To(name) => push(&mut found, stripped(name, bare).unwrap_or_default(), make),
            Head::Made(name) => push(&mut found, stripped(name, strip).unwrap_or_default(), make),
            Head::Gone(name) => push(&mut found, stripped(name, strip).unwrap_or_default(), drop),
        }
    }
    found
}

/// A line of a unified diff that names a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head<'t> {
    /// `--- old` and `+++ new`, `/dev/null` for no file.
    Pair(&'t str, &'t str),
    /// `rename from`
    From(&'t str),
    /// `rename to`, `copy to`
    To(&'t str),
    /// `new file mode`, `new mode`
    Made(&'t str),
    /// `deleted file mode`
    Gone(&'t str),
}

/// The heads of a unified diff, in order.
pub fn heads(text: &str) -> Vec<Head<'_>> {
    let mut found = Vec::new();
    let mut old = "";
    // Lines of the hunk that are still to come, so that a removed `-- x` is no head.
    let (mut minus, mut plus) = (0_usize, 0_usize);
    for line in text.lines() {
        if minus > 0 || plus > 0 {
            match line.as_bytes().first() {
                Some(b'-') => minus = minus.saturating_sub(1),
                Some(b'+') => plus = plus.saturating_sub(1),
                Some(b'\\') => {}
                _ => (minus, plus) = (minus.saturating_sub(1), plus.saturating_sub(1)),
            }
        } else if let Some(head) = line.strip_prefix("@@ -") {
            (minus, plus) = counts(head);
        } else if let Some(name) = line.strip_prefix("--- ") {
            old = name;
        } else if let Some(new) = line.strip_prefix("+++ ") {
            found.push(Head::Pair(name(std::mem::take(&mut old)), name(new)));
        } else if let Some(from) = line.strip_prefix("rename from ") {
            found.push(Head::From(name(from)));
        } else if let Some(to) = line.strip_prefix("rename to ").or_else(|| line.strip_prefix("copy to ")) {
            found.push(Head::To(name(to)));
        } else if let Some(pair) = line.strip_prefix("diff --git ") {
            // New empty files and modes have no other line with their name.
            old = pair.get(pair.len() / 2..).and_then(|half| half.strip_prefix(' ')).unwrap_or_default();
        } else if line.starts_with("new file mode ") || line.starts_with("new mode ") {
            found.push(Head::Made(name(old)));
        } else if line.starts_with("deleted file mode ") {
            found.push(Head::Gone(name(old)));
        }
        if found.len() >= MOST {
            break;
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

/// A name of a head without the date behind it.
fn name(text: &str) -> &str {
    let name = text.split('\t').next().unwrap_or_default().trim_end().trim_matches('"');
    // Some tools put blanks before the time.
    name.split_once("  ").map_or(name, |(name, _)| name)
}

/// A name of a head without its leading folders; `None` for no file.
pub fn stripped(name: &str, strip: usize) -> Option<&str> {
    if name.is_empty() || name == "/dev/null" {
        return None;
    }
    let mut rest = name;
    for _ in 0..strip.min(64) {
        rest = rest.split_once('/').map_or(rest, |(_, rest)| rest.trim_start_matches('/'));
    }
    Some(rest).filter(|rest| !rest.is_empty())
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
