//! Examples of rules, run.

use super::{Rule, hit};
use crate::call::{Call, CallPath, Does, EventKind, Op};
use crate::envelope::Facts;

/// The home folder of examples.
const HOME: &str = "/home/u";
/// Their session root and current folder.
const ROOT: &str = "/home/u/repo";

/// What is wrong with a rule's examples, a line each; nothing if they hold.
pub fn examples(rule: &Rule) -> Vec<String> {
    let found = |example: &str| -> Vec<&'static str> {
        hit::all(&call(example), &facts()).iter().map(|hit| hit.rule.id).collect()
    };
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

/// The call of an example: a command line, or `@Read <path>` for a tool that is no shell.
pub fn call(example: &str) -> Call {
    let call = Call { event: EventKind::PreTool, cwd: ROOT.into(), root: ROOT.into(), ..Call::default() };
    match example.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
        Some((tool, path)) => {
            let (does, op) = if tool == "Read" { (Does::Read, Op::Read) } else { (Does::Write, Op::Write) };
            let path = CallPath { raw: path.into(), path: path.into(), op, sure: true, ..CallPath::default() };
            Call { tool: tool.into(), does, paths: vec![path], ..call }
        }
        None => Call {
            tool: "Bash".into(),
            does: Does::Shell,
            command: example.into(),
            shell: Some(crate::shell::read(example)),
            ..call
        },
    }
}

/// The facts of an example.
pub fn facts() -> Facts {
    Facts { home: HOME.into(), ..Facts::default() }
}
