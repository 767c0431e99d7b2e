//! The coordinator: a main thread dispatches, and does little itself.
//!
//! Three tiers of tools. What is in the first, or in none, is free; of the second (Bash, Read, Write)
//! certain commands and paths; nothing of the third. A hard deny stands before all of them, and
//! overlays may only add to what the second tier allows. On only where the user says so, or
//! `PA_COORDINATOR_MODE` is `1`. [`gather`] reads the world, the rest is pure.

mod chain;
mod deny;
mod gather;
mod overlay;
mod pattern;
mod place;
mod policy;
#[cfg(test)]
mod tests;

pub use policy::BUILT_IN;

use super::cast;
use crate::call::{Call, CallPath, Does, Op};
use crate::config::Switch;
use crate::envelope::{Envelope, Facts, Fault, Finding, Verdict, Vote};
use crate::rules::Place;
use crate::shell::{Part, Redir, RedirFd};
use crate::stage::Context;
use crate::world::World;
use gather::Seen;
use policy::Policy;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Who its faults are by. The sink says each of them, a line on standard error.
pub const NAME: &str = "coordinator";

/// Ids that its votes carry.
pub const RULES: &[&str] = &[
    "coordinator/hard-deny",
    "coordinator/tier3",
    "coordinator/chain",
    "coordinator/bash",
    "coordinator/read",
    "coordinator/write",
    "coordinator/path",
    "coordinator/blocked-path",
];

/// Longest command that allow patterns are matched against, in bytes.
const LONGEST: usize = 64 << 10;

/// What stands in `facts.session.guard`.
#[derive(Serialize, Deserialize)]
struct Slot {
    coordinator: Seen,
}

/// The facts of the guard stage, if the coordinator has a say in this call.
pub(super) fn facts(call: &Call, cx: &Context, world: &dyn World) -> Option<Box<RawValue>> {
    let coordinator = gather::seen(call, cx, world)?;
    serde_json::value::to_raw_value(&Slot { coordinator }).ok()
}

/// Votes against a call that the policy does not let pass.
pub(super) fn vote(envelope: &mut Envelope, cx: &Context) {
    let Some(Slot { coordinator: seen }) = envelope.facts.session.get("guard") else { return };
    let fault = |text: &String, closed| Fault {
        by: NAME.into(),
        kind: "config".into(),
        text: text.clone(),
        closed,
        ..Fault::default()
    };
    envelope.faults.extend(seen.refused.iter().map(|(text, closed)| fault(text, *closed)));
    envelope.faults.extend(seen.ignored.iter().map(|text| fault(text, false)));
    let own = seen.policy.as_deref().and_then(|text| serde_json::from_str::<Policy>(text).ok());
    let own = own.map(|own| own.over(Policy::built_in().clone()));
    let policy = own.as_ref().unwrap_or(Policy::built_in());
    let case = Case::of(&envelope.call, &envelope.facts, &envelope.findings, policy, &seen);
    let votes = case.votes(cx);
    for vote in votes {
        cast(envelope, cx, vote);
    }
}

/// The tool that a call counts as: every shell is Bash.
fn tool(call: &Call) -> &str {
    if call.does == Does::Shell { "Bash" } else { &call.tool }
}

/// One reason against a call.
struct Objection {
    rule: &'static str,
    part: Option<u32>,
    reason: String,
    instead: String,
}

/// A call and the policy that it is judged by.
struct Case<'a> {
    call: &'a Call,
    findings: &'a [Finding],
    home: &'a str,
    policy: &'a Policy,
    seen: &'a Seen,
    place: Place,
}

impl<'a> Case<'a> {
    fn of(call: &'a Call, facts: &'a Facts, findings: &'a [Finding], policy: &'a Policy, seen: &'a Seen) -> Self {
        let place = Place::of_call(call, &facts.home);
        Self { call, findings, home: &facts.home, policy, seen, place }
    }

    /// The votes up to the first that stops the call, in the order of the checks.
    fn votes(&self, cx: &Context) -> Vec<Vote> {
        let mut votes = Vec::new();
        for check in [Self::hard_denied, Self::barred, Self::chained, Self::gated, Self::redirected] {
            let Some(Objection { rule, part, reason, instead }) = check(self) else { continue };
            let say = match cx.config.guard.rules.get(rule).map(|switch| switch.value) {
                Some(Switch::Off) => continue,
                Some(Switch::Ask) => Verdict::Ask,
                Some(Switch::Deny) | None => Verdict::Deny,
            };
            votes.push(Vote { rule: rule.into(), say, reason, instead, part, ..Vote::default() });
            if say == Verdict::Deny {
                break;
            }
        }
        votes
    }

    fn hard_denied(&self) -> Option<Objection> {
        let (what, part) = deny::found(self)?;
        Some(Objection {
            rule: "coordinator/hard-deny",
            part,
            reason: format!("the coordinator never does this: {what}"),
            instead: "No overlay opens it. Ask the person to do it".to_owned(),
        })
    }

    fn barred(&self) -> Option<Objection> {
        self.policy.bars(tool(self.call)).then(|| Objection {
            rule: "coordinator/tier3",
            part: None,
            reason: format!("the coordinator does not use {}", self.call.tool),
            instead: format!("{} No overlay opens it", sentence(self.policy.message(&self.call.tool))),
        })
    }

    fn chained(&self) -> Option<Objection> {
        if self.call.does != Does::Shell || self.policy.gate("Bash").is_none() || self.policy.bars("Bash") {
            return None;
        }
        let what = chain::broken(self.call)?;
        Some(Objection {
            rule: "coordinator/chain",
            part: None,
            reason: format!("a Bash call of the coordinator is one simple command, and this one has {what}"),
            instead: format!(
                "Make each command a call of its own. {} No overlay opens it",
                sentence(self.policy.message("Bash"))
            ),
        })
    }

    fn gated(&self) -> Option<Objection> {
        let gate = self.policy.gate(tool(self.call)).filter(|_| !self.policy.bars(tool(self.call)))?;
        if self.call.does == Does::Shell {
            return self.unlisted(&gate.allow_patterns);
        }
        if self.call.paths.is_empty() {
            return Some(self.closed(
                tool(self.call),
                None,
                &format!("the {} call names no file", self.call.tool),
                false,
            ));
        }
        self.call.paths.iter().find_map(|path| self.path(tool(self.call), path))
    }

    /// The first command of the call that no pattern allows. With the chain guard on there is one.
    fn unlisted(&self, patterns: &[String]) -> Option<Objection> {
        let parts = self.call.shell.as_ref().map_or(&[][..], |shell| &shell.parts);
        let substituted = |part: &Part| part.ctx.iter().any(|word| matches!(word.as_str(), "cmdsub" | "procsub"));
        let mut starts = parts.iter().filter(|part| part.inside.is_none() || substituted(part)).peekable();
        if starts.peek().is_none() {
            return Some(self.closed("Bash", None, "the Bash call names no command", false));
        }
        starts.find_map(|part| {
            let Some(text) = place::command(part) else {
                return Some(self.closed("Bash", Some(part.n), "it cannot be known which program this runs", false));
            };
            let me = &self.seen.me;
            let fits = |patterns| pattern::first(patterns, me, &text).is_some();
            if text.len() <= LONGEST && (fits(patterns) || fits(&self.seen.overlay.bash)) {
                return None;
            }
            let what = format!("`{}` is not on the coordinator's list of commands", deny::shortened(&text));
            Some(self.closed("Bash", Some(part.n), &what, true))
        })
    }

    /// What an output redirect, or an option of git, writes: judged as a Write.
    fn redirected(&self) -> Option<Objection> {
        let shell = self.call.shell.as_ref().filter(|_| self.policy.gate("Bash").is_some())?;
        shell.parts.iter().find_map(|part| {
            let redirects = part.redirs.iter().filter(|redir| writes(redir)).map(|redir| redir.target().text.as_str());
            redirects.chain(place::git_output(part)).find_map(|target| self.written(part.n, target))
        })
    }

    /// What speaks against a file that part `n` writes.
    fn written(&self, n: u32, target: &str) -> Option<Objection> {
        let shown = deny::shortened(target);
        if self.policy.bars("Write") {
            let what = format!("the command writes `{shown}`, and the coordinator does not use Write");
            return Some(self.closed("Write", Some(n), &what, false));
        }
        self.policy.gate("Write")?;
        let mut paths = self.call.paths.iter();
        match paths.find(|path| path.op == Op::Write && path.part == Some(n) && path.raw == target) {
            Some(path) => self.path("Write", path),
            None => {
                let what = format!("it cannot be known which file `{shown}` is, and the command writes it");
                Some(self.closed("Write", Some(n), &what, false))
            }
        }
    }

    /// What speaks against a path, by the gate of a tool.
    fn path(&self, tool: &str, path: &CallPath) -> Option<Objection> {
        let gate = self.policy.gate(tool)?;
        let me = &self.seen.me;
        let shown =
            deny::shortened(path.rel.as_deref().unwrap_or(if path.path.is_empty() { &path.raw } else { &path.path }));
        if !path.sure || path.path.is_empty() || path.glob == Some(true) {
            let what = format!("it cannot be known which file `{shown}` is");
            return Some(self.closed(tool, path.part, &what, false));
        }
        let spelled = place::absolute(&path.raw, &self.call.cwd, self.home)
            .and_then(|plain| place::below(&plain, &self.place.root));
        let mut below = path.rel.iter().chain(&spelled);
        if below.any(|rel| pattern::first(&gate.block_path_patterns, me, rel).is_some()) {
            return Some(Objection {
                rule: "coordinator/blocked-path",
                part: path.part,
                reason: format!("`{shown}` is not for {tool}"),
                instead: format!("{} No overlay opens it", sentence(self.policy.message("blockedPath"))),
            });
        }
        let overlay: &[String] = match tool {
            "Read" => &self.seen.overlay.read,
            "Write" => &self.seen.overlay.write,
            _ => &[],
        };
        let allowed = match &path.rel {
            Some(rel) => {
                [&gate.allow_path_patterns, overlay].iter().any(|list| pattern::first(list, me, rel).is_some())
            }
            None => pattern::first(&gate.allow_absolute_path_patterns, me, &path.path).is_some(),
        };
        let what = format!("`{shown}` is not on the coordinator's list of paths for {tool}");
        (!allowed).then(|| self.closed(tool, path.part, &what, path.rel.is_some()))
    }

    /// An objection of a gate; `opens` if an overlay can lift it.
    fn closed(&self, tool: &str, part: Option<u32>, what: &str, opens: bool) -> Objection {
        let (rule, key) = match tool {
            "Bash" => ("coordinator/bash", "tier2.Bash.allowPatterns"),
            "Read" => ("coordinator/read", "tier2.Read.allowPathPatterns"),
            "Write" => ("coordinator/write", "tier2.Write.allowPathPatterns"),
            _ => ("coordinator/path", ""),
        };
        let message = sentence(self.policy.message(tool));
        let instead = if opens && !key.is_empty() {
            format!(
                "{message} A person can allow it under `{key}` in `~/{file}`, or in `{file}` of the repository",
                file = overlay::FILE
            )
        } else {
            message
        };
        Objection { rule, part, reason: what.to_owned(), instead }
    }
}

/// Whether a redirect writes a file: no descriptor, no here-document, no standard stream.
fn writes(redir: &Redir) -> bool {
    let target = redir.target().text.as_str();
    let descriptor =
        redir.op == ">&" && (target == "-" || target.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit()));
    let stream = matches!(target, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty");
    let closes = matches!(&redir.fd, RedirFd::Named(_)) && target == "-";
    redir.op.contains('>') && !(descriptor || stream || closes)
}

/// A text with its final stop.
fn sentence(text: &str) -> String {
    let text = text.trim_end();
    if text.is_empty() || text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}
