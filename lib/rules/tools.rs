//! Rules for tools that are no shell, and for paths that a command reaches under another name.

use super::hit::Hit;
use super::matcher::{matched, wild};
use super::own::Own;
use super::{At, Clause, Kind, Operand, Place, Rule, for_tool};
use crate::call::{Call, CallPath, Op, canonical_tool};
use crate::shell::{Arg, Shell};
use std::borrow::Cow;

/// What a tool's paths are chosen by: for rules of `read` and `write` what happens to the paths,
/// so that any tool that reads or writes is seen; for rules of the tool's own name all of them.
pub(super) fn tool_keys(call: &Call) -> [&str; 4] {
    let name = canonical_tool(&call.tool);
    let own = if matches!(name, "read" | "write") { "" } else { name };
    ["read", "write", own, "*"]
}

/// Rules for tools that are no shell.
pub(super) fn tool(call: &Call, place: &Place, own: &Own, found: &mut Vec<Hit>) {
    let name = canonical_tool(&call.tool);
    for key in tool_keys(call) {
        let ops: &[Op] = match key {
            "read" => &[Op::Read],
            "write" => &[Op::Write, Op::Delete],
            _ => &[Op::Read, Op::Write, Op::Delete, Op::List],
        };
        let paths: Vec<&CallPath> = call.paths.iter().filter(|path| ops.contains(&path.op)).collect();
        let by_name = !matches!(key, "read" | "write");
        for rule in for_tool(key).map(|(_, rule)| rule).chain(own.for_tool(key)) {
            let named = key != "*" || rule.tools.iter().any(|tool| tool.contains('*') && wild(tool, name));
            // A tool that touches nothing is recognised by its name alone, where nothing more is asked.
            let some = !paths.is_empty() || by_name && rule.base.operands.is_empty();
            let fits = |clause: &Clause| clause.operands.iter().all(|matcher| tool_path(matcher, &paths, place));
            let hit = Hit { rule, part: None };
            if named
                && some
                && is_host(rule, &call.agent.kind)
                && fits(&rule.base)
                && (rule.when.is_empty() || rule.when.iter().any(|way| !way.is_of_shell() && fits(way)))
                && !found.contains(&hit)
            {
                found.push(hit);
            }
        }
    }
}

/// Files of credentials, of git and of the system that a command reads or writes under another name, by a
/// link: what the words do not say the rules for tools say of the paths, which have links followed.
pub(super) fn linked(call: &Call, shell: &Shell, place: &Place, own: &Own, found: &mut Vec<Hit>) {
    let hidden = |path: &&CallPath| {
        let part = path.part.and_then(|n| shell.parts.get(n as usize)).filter(|part| !part.elsewhere);
        path.sure
            && part.is_some_and(|part| {
                let (led, said) = (place.of(&path.path), place.moved(part).of(&path.raw));
                [Kind::Secret, Kind::Git, Kind::System].into_iter().any(|kind| led.has(kind) && !said.has(kind))
            })
    };
    // Links on the disk are followed already, those of the line are not.
    let paths = call.paths.iter().map(|path| match place.led(path) {
        Some(led) => Cow::Owned(CallPath { path: led, ..path.clone() }),
        None => Cow::Borrowed(path),
    });
    let paths: Vec<Cow<'_, CallPath>> = paths.filter(|path| hidden(&path.as_ref())).collect();
    for (key, ops) in [("read", &[Op::Read][..]), ("write", &[Op::Write, Op::Delete])] {
        for path in paths.iter().filter(|path| ops.contains(&path.op)) {
            for rule in for_tool(key).map(|(_, rule)| rule).chain(own.for_tool(key)) {
                let fits = rule.base.operands.iter().all(|matcher| tool_path(matcher, &[path], place));
                let hit = Hit { rule, part: path.part };
                if fits && rule.when.is_empty() && is_host(rule, &call.agent.kind) && !found.contains(&hit) {
                    found.push(hit);
                }
            }
        }
    }
}

/// Whether a matcher fits a tool's paths.
fn tool_path(matcher: &Operand, paths: &[&CallPath], place: &Place) -> bool {
    let picked = paths.iter().filter(|path| match matcher.at {
        At::Reads => path.op == Op::Read,
        At::Writes => matches!(path.op, Op::Write | Op::Delete),
        At::Written => path.op == Op::Write && path.sure,
        At::Deleted => path.op == Op::Delete && path.sure,
        _ => true,
    });
    let words: Vec<Arg> =
        picked.map(|path| Arg::literal(if path.path.is_empty() { &path.raw } else { &path.path })).collect();
    matched(matcher, &words, |arg| place.of(&arg.text))
}

/// Whether a rule is for this agent.
pub(super) fn is_host(rule: &Rule, host: &str) -> bool {
    rule.hosts.is_empty() || rule.hosts.contains(&host)
}
