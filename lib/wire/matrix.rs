//! What can be said on which event: the one table, and the answers built from it.
//!
//! When there is nothing to say, nothing is printed. A verdict that the event cannot carry is
//! told to the user instead (`systemMessage`); an approval that it cannot carry is dropped,
//! because the host's own permissions then decide. Notes that the event cannot carry are not
//! said: on Stop they would keep the turn going.

use crate::call::{Call, EventKind};
use crate::envelope::{Decision, Verdict};
use serde_json::{Map, Value, json};

/// How a verdict is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// `hookSpecificOutput.permissionDecision` allow, ask or deny.
    Permission,
    /// `hookSpecificOutput.decision.behavior` allow or deny: a dialog is on its way, so `ask` needs no words.
    Behavior,
    /// `decision: "block"` for deny; `ask` goes to the user.
    Block,
    /// Not at all.
    Silent,
}

/// What becomes of notes for the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notes {
    /// `hookSpecificOutput.additionalContext`.
    Context,
    /// They could be said but would keep the turn going: they wait for the next prompt.
    Wait,
    /// The host takes none.
    Never,
}

/// One event of a host.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The host's name of the event.
    pub event: &'static str,
    /// Ours.
    pub kind: EventKind,
    /// How a verdict is said.
    pub voice: Voice,
    /// What becomes of notes.
    pub notes: Notes,
    /// Whether anything may be printed at all.
    pub prints: bool,
    /// Whether exit code 2 stops what the event announces.
    pub exits: bool,
}

const fn event(event: &'static str, kind: EventKind, voice: Voice, notes: Notes, exits: bool) -> Row {
    Row { event, kind, voice, notes, prints: true, exits }
}

/// Claude Code 2.1.332, in the order of the contract page.
pub static CLAUDE: &[Row] = {
    use EventKind as K;
    use Notes::{Context, Never, Wait};
    use Voice::{Behavior, Block, Permission, Silent};
    &[
        event("SessionStart", K::SessionStart, Silent, Context, false),
        event("Setup", K::Other, Silent, Context, false),
        event("InstructionsLoaded", K::Other, Silent, Never, false),
        event("UserPromptSubmit", K::Prompt, Block, Context, true),
        event("UserPromptExpansion", K::Other, Block, Context, true),
        // An inline command of a skill: a Bash call like any other, but its agent hears no context.
        event("PreSkillShellCommand", K::PreTool, Permission, Never, true),
        event("PreToolUse", K::PreTool, Permission, Context, true),
        event("PermissionRequest", K::Permission, Behavior, Never, false),
        event("PermissionDenied", K::Other, Silent, Never, false),
        // Too late to stop the call: a block is feedback to the agent.
        event("PostToolUse", K::PostTool, Block, Context, true),
        event("PostToolUseFailure", K::PostTool, Block, Context, true),
        // A block ends the turn here, and the agent does not hear why.
        event("PostToolBatch", K::ToolBatch, Block, Context, true),
        event("MessageDisplay", K::Other, Silent, Never, false),
        event("Notification", K::Other, Silent, Never, false),
        event("SubagentStart", K::SubagentStart, Silent, Context, false),
        event("SubagentStop", K::SubagentStop, Block, Wait, true),
        event("Stop", K::Stop, Block, Wait, true),
        event("StopFailure", K::Other, Silent, Never, false),
        // By exit code only; its JSON (`continue: false`) stops the teammate, which is another thing.
        event("TeammateIdle", K::Other, Silent, Never, true),
        event("TaskCreated", K::Other, Block, Never, true),
        event("TaskCompleted", K::Other, Silent, Never, true),
        event("PreCompact", K::PreCompact, Block, Never, true),
        event("PostCompact", K::PostCompact, Silent, Never, false),
        event("PreModelSwitch", K::Other, Permission, Never, true),
        event("PostModelSwitch", K::Other, Silent, Context, false),
        // Their verdict is an `action` without a reason; no stage votes on them.
        event("Elicitation", K::Other, Silent, Never, true),
        event("ElicitationResult", K::Other, Silent, Never, true),
        event("ConfigChange", K::Other, Block, Never, true),
        event("CwdChanged", K::Other, Silent, Never, false),
        event("FileChanged", K::Other, Silent, Never, false),
        event("DirectoryAdded", K::Other, Silent, Never, false),
        // Standard output is the path of the worktree and any exit code but 0 fails it.
        Row { event: "WorktreeCreate", kind: K::Other, voice: Silent, notes: Never, prints: false, exits: false },
        event("WorktreeRemove", K::Other, Silent, Never, false),
        event("SessionEnd", K::SessionEnd, Silent, Never, false),
    ]
};

/// An event that no table knows: nothing but a text for the user is safe.
static STRANGE: Row = event("", EventKind::Other, Voice::Silent, Notes::Never, false);

/// Characters (as JavaScript counts them) beyond which the host puts a text into a file.
const LIMIT: usize = 10_000;

/// The row of an event by the host's name.
pub fn row(event: &str) -> Option<&'static Row> {
    CLAUDE.iter().find(|row| row.event == event)
}

/// The row of a call. A call whose payload named no event is answered as PreToolUse.
pub fn row_of(call: &Call) -> &'static Row {
    let name = match (call.host_event.as_str(), call.event) {
        ("", EventKind::PreTool) => "PreToolUse",
        (name, _) => name,
    };
    row(name).unwrap_or(&STRANGE)
}

/// The answer in the Claude form: one JSON object, or nothing.
pub fn answer(call: &Call, decision: &Decision) -> Option<String> {
    let row = row_of(call);
    if !row.prints {
        return None;
    }
    let mut top = Map::new();
    let mut specific = Map::new();
    let mut user = decision.user.clone();
    match (row.voice, decision.say) {
        (_, Verdict::None) | (Voice::Silent | Voice::Block, Verdict::Approve) | (Voice::Behavior, Verdict::Ask) => {}
        (Voice::Permission, say) => {
            let word = match say {
                Verdict::Deny => "deny",
                Verdict::Ask => "ask",
                Verdict::Approve | Verdict::None => "allow",
            };
            specific.insert("permissionDecision".into(), word.into());
            specific.insert("permissionDecisionReason".into(), reason(decision).into());
        }
        (Voice::Behavior, Verdict::Approve) => {
            specific.insert("decision".into(), json!({"behavior": "allow"}));
        }
        (Voice::Behavior, Verdict::Deny) => {
            specific.insert("decision".into(), json!({"behavior": "deny", "message": reason(decision)}));
        }
        (Voice::Block, Verdict::Deny) => {
            top.insert("decision".into(), "block".into());
            top.insert("reason".into(), reason(decision).into());
        }
        (Voice::Block | Voice::Silent, say) => user.push(to_user(row, decision, say)),
    }
    if row.notes == Notes::Context
        && let Some(text) = joined(&decision.notes, "\n\n")
    {
        specific.insert("additionalContext".into(), text.into());
    }
    if !specific.is_empty() {
        let name = if row.event.is_empty() { call.host_event.as_str() } else { row.event };
        let mut named = Map::new();
        named.insert("hookEventName".into(), name.into());
        named.extend(specific);
        top.insert("hookSpecificOutput".into(), Value::Object(named));
    }
    if let Some(text) = joined(&user, "\n") {
        top.insert("systemMessage".into(), text.into());
    }
    (!top.is_empty()).then(|| Value::Object(top).to_string())
}

/// What `--style exit` does: a code, and words for standard error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exit {
    /// 0, or 2 for a verdict that stops.
    pub code: u8,
    /// Text for standard error; empty for none.
    pub stderr: String,
}

/// The answer as an exit code. A code cannot ask, so `ask` becomes `unattended` (deny or none).
pub fn exit(call: &Call, decision: &Decision, unattended: Verdict) -> Exit {
    let row = row_of(call);
    let say = match decision.say {
        Verdict::Ask => unattended,
        say => say,
    };
    let mut lines = Vec::new();
    let code = match (say, row.exits) {
        (Verdict::Deny, true) => {
            lines.push(reason(decision));
            2
        }
        (Verdict::Deny, false) => {
            lines.push(to_user(row, decision, say));
            0
        }
        _ => 0,
    };
    lines.extend(decision.user.iter().filter(|text| !text.is_empty()).cloned());
    Exit { code, stderr: lines.join("\n") }
}

/// The answer of a `kz-decide` that never got a line: the user must know that nothing was checked.
pub fn nothing_checked(why: &str) -> String {
    json!({"systemMessage": cut(&format!("kz: nothing was checked: {why}"), LIMIT)}).to_string()
}

fn to_user(row: &Row, decision: &Decision, say: Verdict) -> String {
    let event = if row.event.is_empty() { "this event" } else { row.event };
    match say {
        Verdict::Deny => format!("kz: {event} cannot be stopped: {}", reason(decision)),
        _ => format!("kz: please look at this: {}", reason(decision)),
    }
}

/// The reason with its mark ` [kz <rule id>]` at the end, once, and never empty.
fn reason(decision: &Decision) -> String {
    let mark = if decision.rule.is_empty() { "[kz]".to_owned() } else { format!("[kz {}]", decision.rule) };
    let text = decision.reason.trim_end();
    let text = text.strip_suffix(mark.as_str()).unwrap_or(text).trim_end();
    let text = match (text, decision.say) {
        ("", Verdict::Approve) => "approved",
        ("", Verdict::Ask) => "a person should look at this call",
        ("", _) => "stopped by a rule",
        (text, _) => text,
    };
    let room = LIMIT.saturating_sub(width(&mark) + 1);
    format!("{} {mark}", cut(text, room))
}

fn joined(texts: &[String], between: &str) -> Option<String> {
    let texts: Vec<&str> = texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
    (!texts.is_empty()).then(|| cut(&texts.join(between), LIMIT))
}

/// A text of at most `room` characters: cut at a line end, with a last line that says so.
fn cut(text: &str, room: usize) -> String {
    let all = width(text);
    if all <= room {
        return text.to_owned();
    }
    let last = format!("[kz cut this text of {all} characters]");
    let room = room.saturating_sub(width(&last) + 1);
    let mut used = 0;
    let end = text.char_indices().find(|(_, letter)| {
        used += letter.len_utf16();
        used > room
    });
    let head = &text[..end.map_or(text.len(), |(at, _)| at)];
    // A first line that is too long by itself is cut where the room ends.
    let head = head.rfind('\n').map_or(head, |newline| &head[..newline]);
    format!("{}\n{last}", head.trim_end())
}

fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}
