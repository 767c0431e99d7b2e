//! Claude Code: its events and tools as a [`Call`].
//!
//! The other hosts that copied its contract differ in what they add, so recognising is by the
//! event's name and the absence of their marks. How a decision is said is in [`super::matrix`].

use super::Dialect;
use super::matrix;
use super::payload::{InputPath, Payload, tail};
use crate::call::{Agent, Call, CallPath, CallResult, Does, EventKind, Op, canonical_tool};
use crate::envelope::Decision;

/// Claude Code.
#[derive(Debug)]
pub struct Claude;

/// A payload of a host that is not known, read and answered in the Claude form.
#[derive(Debug)]
pub struct Unknown;

impl Dialect for Claude {
    fn kind(&self) -> &'static str {
        "claude"
    }

    fn recognises(&self, payload: &Payload) -> bool {
        let Some(event) = payload.event.as_deref() else { return false };
        if matrix::row(event).is_none() || payload.has_timestamp {
            return false;
        }
        // Codex uses the same names and adds `model`, which Claude Code sends on SessionStart only.
        let codex = payload.model.is_some() && (event != "SessionStart" || payload.permission_mode.is_some());
        !codex
    }

    fn call(&self, payload: &Payload) -> Call {
        call(payload, self.kind())
    }

    fn answer(&self, call: &Call, decision: &Decision) -> Option<String> {
        matrix::answer(call, decision)
    }
}

impl Dialect for Unknown {
    fn kind(&self) -> &'static str {
        "unknown"
    }

    fn recognises(&self, _: &Payload) -> bool {
        true
    }

    fn call(&self, payload: &Payload) -> Call {
        call(payload, self.kind())
    }

    fn answer(&self, call: &Call, decision: &Decision) -> Option<String> {
        matrix::answer(call, decision)
    }
}

/// One reading of a payload in the Claude form. `root`, `shell` and resolved paths come later.
fn call(payload: &Payload, kind: &str) -> Call {
    let owned = |text: &Option<String>| text.clone().unwrap_or_default();
    let event = event(payload);
    let tool = owned(&payload.tool);
    let does = does(&tool);
    let input = payload.input.as_ref();
    Call {
        event,
        host_event: owned(&payload.event),
        agent: Agent {
            kind: kind.to_owned(),
            id: payload.agent_id.clone().filter(|id| !id.is_empty()).unwrap_or_else(|| "main".to_owned()),
            ..Agent::default()
        },
        session: owned(&payload.session),
        id: owned(&payload.tool_use_id),
        cwd: owned(&payload.cwd),
        unattended: matches!(payload.permission_mode.as_deref(), Some("dontAsk" | "bypassPermissions")),
        command: match does {
            Does::Shell => input.and_then(|input| input.command.clone()).unwrap_or_default(),
            _ => String::new(),
        },
        prompt: owned(&payload.prompt),
        source: match event {
            EventKind::SessionEnd => owned(&payload.reason),
            _ => payload.source.clone().or_else(|| payload.trigger.clone()).unwrap_or_default(),
        },
        stop_active: payload.stop_hook_active.unwrap_or(false),
        paths: input.map_or_else(Vec::new, |input| paths(&tool, does, &input.paths)),
        result: result(payload, event),
        tool,
        does,
        ..Call::default()
    }
}

fn event(payload: &Payload) -> EventKind {
    match payload.event.as_deref() {
        Some(name) => matrix::row(name).map_or(EventKind::Other, |row| row.kind),
        None if payload.tool.is_some() && payload.input.is_some() => EventKind::PreTool,
        None => EventKind::Other,
    }
}

fn does(tool: &str) -> Does {
    if tool.starts_with("mcp__") {
        return Does::Mcp;
    }
    match canonical_tool(tool) {
        "bash" | "pwsh" => Does::Shell,
        "read" => Does::Read,
        "write" => Does::Write,
        "edit" | "notebook_edit" => Does::Edit,
        "grep" => Does::Search,
        "glob" | "LS" => Does::List,
        "WebFetch" | "WebSearch" => Does::Fetch,
        "task" => Does::Agent,
        _ => Does::Other,
    }
}

fn result(payload: &Payload, event: EventKind) -> Option<CallResult> {
    if event != EventKind::PostTool {
        return None;
    }
    let failed = payload.event.as_deref() == Some("PostToolUseFailure");
    let response = payload.response.as_ref();
    let interrupt = payload.is_interrupt.unwrap_or(false) || response.is_some_and(|response| response.interrupted);
    let error = payload.error.as_deref().filter(|_| failed);
    Some(CallResult {
        ok: (!interrupt).then_some(!failed),
        code: error.and_then(exit_code),
        interrupt,
        tail: match (error, response) {
            (Some(error), _) => tail(error),
            (None, Some(response)) => response.tail.clone(),
            (None, None) => String::new(),
        },
        ..CallResult::default()
    })
}

/// The number in `Exit code N`, the first line of a failed Bash call.
fn exit_code(error: &str) -> Option<i64> {
    error.strip_prefix("Exit code ")?.lines().next()?.trim().parse().ok()
}

/// The paths of a tool's input, as written. What happens to them follows from the tool; of a
/// tool that is not the host's own, from the words of its name.
fn paths(tool: &str, does: Does, rows: &[InputPath]) -> Vec<CallPath> {
    let fixed = match does {
        Does::Shell | Does::Fetch | Does::Agent => return Vec::new(),
        Does::Read | Does::Search => Some(Op::Read),
        Does::Write | Does::Edit => Some(Op::Write),
        Does::Delete => Some(Op::Delete),
        Does::List => Some(Op::List),
        Does::Mcp | Does::Other => None,
    };
    let verb = if fixed.is_none() { verb(tool) } else { Verb::Other };
    rows.iter()
        .filter_map(|row| {
            let role = role(row.key);
            let (op, sure) = match (fixed, verb, role) {
                (Some(op), _, Role::Path) => (op, true),
                (Some(_), ..) => return None,
                (None, Verb::Move, Role::From) => (Op::Delete, true),
                (None, Verb::Copy, Role::From) => (Op::Read, true),
                (None, Verb::Move | Verb::Copy, _) => (Op::Write, true),
                // `to` and `source` of any other tool are as good as never paths.
                (None, _, Role::From | Role::To) => return None,
                (None, Verb::Does(op), Role::Path) => (op, true),
                (None, Verb::Other, Role::Path) => (Op::Read, false),
            };
            (!row.raw.is_empty()).then(|| CallPath { raw: row.raw.clone(), op, sure, ..CallPath::default() })
        })
        .collect()
}

#[derive(Clone, Copy)]
enum Role {
    Path,
    From,
    To,
}

fn role(key: &str) -> Role {
    match key {
        "source" | "src" | "source_path" | "sourcePath" | "from" | "old_path" | "oldPath" => Role::From,
        "destination" | "dest" | "dst" | "destination_path" | "destinationPath" | "to" | "target" | "target_path"
        | "new_path" | "newPath" => Role::To,
        _ => Role::Path,
    }
}

#[derive(Clone, Copy)]
enum Verb {
    Does(Op),
    Move,
    Copy,
    Other,
}

/// What a tool does to its paths, by the words of its name (`mcp__fs__write_file`, `writeFile`).
/// A word of changing tells more than one of looking (`find_and_replace`), else the first counts.
fn verb(tool: &str) -> Verb {
    let name = tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")).map_or(tool, |(_, name)| name);
    let mut words: Vec<String> = vec![String::new()];
    let mut lower_before = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && lower_before) {
            words.push(String::new());
        }
        lower_before = letter.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    let changes = |word: &String| {
        Some(match word.as_str() {
            "move" | "rename" | "mv" => Verb::Move,
            "copy" | "cp" | "duplicate" => Verb::Copy,
            "delete" | "remove" | "rm" | "unlink" | "rmdir" | "trash" => Verb::Does(Op::Delete),
            "write" | "edit" | "create" | "update" | "insert" | "append" | "replace" | "patch" | "modify" | "mkdir"
            | "touch" | "overwrite" => Verb::Does(Op::Write),
            _ => return None,
        })
    };
    let looks = |word: &String| {
        Some(match word.as_str() {
            "save" | "put" | "set" | "apply" | "format" => Verb::Does(Op::Write),
            "read" | "get" | "open" | "view" | "cat" | "show" | "grep" | "search" => Verb::Does(Op::Read),
            "list" | "ls" | "tree" | "glob" | "find" | "stat" | "info" => Verb::Does(Op::List),
            _ => return None,
        })
    };
    words.iter().find_map(changes).or_else(|| words.iter().find_map(looks)).unwrap_or(Verb::Other)
}
