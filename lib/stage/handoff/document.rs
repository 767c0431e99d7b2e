//! The handoff document and the queue file, in the form that the fleet's own readers expect.

use super::facts::Facts;
use super::quote::{moment, quote};
use super::{Kind, percent};
use serde_json::json;

/// What stands in a section that nobody here can fill. The fleet knows exactly this text.
pub const PLACEHOLDER: &str = "_(operator-triggered handoff \u{2014} fill in before resuming)_";

/// Bytes of the pane that go into a document.
const PANE: usize = 64 << 10;

/// The document. The pane stands in the first section, so that no reader meets a section that it does not know.
pub fn document(facts: &Facts, kind: Kind, at: i64, lines: usize) -> String {
    let record = &facts.record;
    let text = |text: &str| quote(text.as_bytes());
    let mut out = String::from("---\n");
    let rows = [
        ("agent_id", text(&facts.agent)),
        ("task_id", text(&record.task)),
        ("project", text(&record.project)),
        ("context_pct_at_handoff", facts.pct.map_or("null".into(), percent)),
        ("previous_handoff", if record.previous.is_empty() { "null".into() } else { text(&record.previous) }),
        ("handoff_number", record.number.to_string()),
        ("timestamp", text(&moment(at))),
        ("handoff_type", text(kind.word())),
    ];
    for (name, value) in rows {
        out.push_str(&format!("{name}: {value}\n"));
    }
    out.push_str("---\n");
    let pane = facts.pane.as_deref().and_then(|pane| fenced(pane, lines));
    let sections = ["Completed", "Key Decisions", "Files Modified", "Open Questions", "Next Steps (prioritized)"];
    for (at, name) in sections.into_iter().enumerate() {
        let body = pane.as_deref().filter(|_| at == 0).unwrap_or(PLACEHOLDER);
        out.push_str(&format!("\n## {name}\n{body}\n"));
    }
    out
}

/// The end of a pane between fences that are longer than any in it; `None` if nothing is on it.
fn fenced(pane: &str, lines: usize) -> Option<String> {
    let pane = pane.trim_end();
    let begin = memchr::memrchr_iter(b'\n', pane.as_bytes()).nth(lines.saturating_sub(1)).map_or(0, |end| end + 1);
    let begin = pane.ceil_char_boundary(begin.max(pane.len().saturating_sub(PANE)));
    let pane = &pane[begin..];
    if pane.trim().is_empty() {
        return None;
    }
    let longest = pane.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    Some(format!("{fence}\n{pane}\n{fence}"))
}

/// The queue file. The ids of what comes after are in it before anybody starts that.
pub fn queue(facts: &Facts, document: &str, at: i64) -> String {
    let row = json!({
        "schema_version": 1,
        "old_agent_id": facts.agent,
        "handoff_doc": document,
        "project": facts.record.project,
        "task_id": facts.record.task,
        "new_agent_id": facts.successor,
        "new_session": format!("fleet-{}", facts.successor),
        "enqueued_at": moment(at),
    });
    format!("{row:#}\n")
}
