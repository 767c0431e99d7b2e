//! Examples of rules, run.

use super::{Class, Own, Rule, hit};
use crate::call::{Agent, Call, Does, EventKind};
use crate::envelope::Facts;
use crate::wire::framing::{Frames, Item};
use crate::wire::recognise;

/// The home folder of examples.
const HOME: &str = "/home/u";
/// Their session root and current folder.
const ROOT: &str = "/home/u/repo";

/// What is wrong with a rule's examples, a line each; nothing if they hold. `own` are the rules
/// that stand beside kz's.
pub fn examples(rule: &Rule, own: &Own) -> Vec<String> {
    let host = rule.hosts.first().copied().unwrap_or_default();
    let found = |example: &str| -> Vec<&'static str> { ids(example, host, own) };
    let mut wrong = Vec::new();
    for example in rule.matches {
        let ids = found(example);
        if !ids.contains(&rule.id) {
            let instead = if ids.is_empty() { "nothing does".to_owned() } else { ids.join(", ") };
            wrong.push(format!("{}: `{}` does not match `{example}` ({instead})", rule.place(), rule.id));
        }
    }
    for example in rule.not_matches {
        if found(example).contains(&rule.id) {
            wrong.push(format!("{}: `{}` matches `{example}`", rule.place(), rule.id));
        }
    }
    wrong
}

/// The commands that a rule offers and that would be stopped themselves, a line each.
pub fn offers(rule: &Rule, own: &Own) -> Vec<String> {
    let mut wrong = Vec::new();
    for command in rule.instead.split('`').skip(1).step_by(2) {
        let hits = hit::all(&call(command, ""), &facts(), own);
        let stopped: Vec<_> =
            hits.iter().filter(|hit| hit.rule.class == Class::Danger).map(|hit| hit.rule.id).collect();
        if !stopped.is_empty() {
            wrong.push(format!("{}: `{}` offers `{command}`, which is {}", rule.place(), rule.id, stopped.join(", ")));
        }
    }
    wrong
}

/// The rules that recognise an example, in order.
pub fn ids(example: &str, host: &str, own: &Own) -> Vec<&'static str> {
    let mut ids: Vec<_> = hit::every(&call(example, host), &facts(), own).iter().map(|hit| hit.rule.id).collect();
    ids.dedup();
    ids
}

/// The call of an example: a command line, or `@Read <path>` for a tool that is no shell. It is
/// read as the host's own call would be.
pub fn call(example: &str, host: &str) -> Call {
    let tool = example.strip_prefix('@').filter(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
    let Some(rest) = tool else {
        return Call {
            event: EventKind::PreTool,
            agent: Agent { kind: host.into(), ..Agent::default() },
            cwd: ROOT.into(),
            root: ROOT.into(),
            tool: "Bash".into(),
            does: Does::Shell,
            command: example.into(),
            shell: Some(crate::shell::read(example)),
            ..Call::default()
        };
    };
    let (tool, path) = rest.split_once(' ').unwrap_or((rest, ""));
    let key = match tool {
        "NotebookEdit" => "notebook_path",
        "Grep" | "Glob" | "LS" => "path",
        _ => "file_path",
    };
    let input = if path.is_empty() { serde_json::json!({}) } else { serde_json::json!({ key: path }) };
    let payload = serde_json::json!({"tool_name": tool, "tool_input": input}).to_string();
    let mut call = Frames::new(payload.into_bytes()).find_map(read_call).unwrap_or_default();
    call.agent.kind = host.into();
    (call.event, call.cwd, call.root) = (EventKind::PreTool, ROOT.into(), ROOT.into());
    for path in &mut call.paths {
        let absolute = match path.raw.strip_prefix("~/") {
            Some(rest) => format!("{HOME}/{rest}"),
            None if path.raw.starts_with('/') => path.raw.clone(),
            None => format!("{ROOT}/{}", path.raw),
        };
        path.path = absolute;
    }
    call
}

fn read_call(item: Item) -> Option<Call> {
    match item {
        Item::Value { payload, .. } => Some(recognise(&payload).call(&payload)),
        _ => None,
    }
}

/// The facts of an example.
pub fn facts() -> Facts {
    Facts { home: HOME.into(), published: Some(true), ..Facts::default() }
}
