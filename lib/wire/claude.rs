//! Claude Code: its events and tools as a [`Call`].
//!
//! The other hosts that copied its contract differ in what they add, so recognising is by the
//! event's name and the absence of their marks. How a decision is said is in [`super::matrix`].

use super::Dialect;
use super::matrix;
use super::paths;
use super::payload::{Payload, tail};
use crate::call::{Agent, Call, CallResult, Does, EventKind, canonical_tool, tools};
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
        transcript: match event {
            EventKind::Stop | EventKind::PreCompact => owned(&payload.transcript),
            _ => String::new(),
        },
        stop_active: payload.stop_hook_active.unwrap_or(false),
        paths: input.map_or_else(Vec::new, |input| paths::of(&tool, does, input)),
        result: result(payload, event),
        tools: payload.tools.as_deref().and_then(|json| tools::read(json).ok()).unwrap_or_default(),
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
        "Delete" | "delete_file" => Does::Delete,
        "WebFetch" | "WebSearch" | "webfetch" | "web_fetch" | "google_web_search" => Does::Fetch,
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
