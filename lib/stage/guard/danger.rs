//! Votes by findings: danger rules, parts that could not be read, bounds that were reached.

use super::cast;
use crate::call::{Call, Op};
use crate::config::Switch;
use crate::envelope::{Envelope, Finding, Verdict, Vote};
use crate::rules::{self, Way};
use crate::stage::Context;
use crate::text::mask;

/// One vote for each danger finding, and for what could not be read.
pub(super) fn vote(envelope: &mut Envelope, cx: &Context) {
    let votes = envelope.findings.iter().filter_map(|finding| of(finding, &envelope.call, cx));
    let votes: Vec<Vote> = votes.collect();
    for vote in votes {
        cast(envelope, cx, vote);
    }
}

fn of(finding: &Finding, call: &Call, cx: &Context) -> Option<Vote> {
    let guard = &cx.config.guard;
    let mut way = Way::UseAlternative.word();
    let (say, reason, instead) = match finding.class.as_str() {
        "danger" => match rules::find(&finding.rule).or_else(|| cx.rules.find(&finding.rule).map(|(_, rule)| rule)) {
            Some(rule) => {
                way = rule.way.word();
                // What a person says of the rule itself counts more than whether its pack is on.
                let on = guard.is_on(rule.pack(), rule.by_name) || guard.rules.contains_key(rule.id);
                (if on { rule.verdict } else { Verdict::None }, rule.reason, rule.instead)
            }
            // A finding of an outside stage: danger is a class of rules, and its default is deny.
            None => (Verdict::Deny, finding.why.as_str(), ""),
        },
        "bound" => (*guard.bounds, "the call goes past a bound, so not all of it was read", SHORTER),
        "opaque" if finding.rule == "shell/opaque-danger" => (
            (*guard.opaque).max(Verdict::Ask),
            "part of the command cannot be read, and it holds a dangerous word",
            PLAIN,
        ),
        "opaque" => (*guard.opaque, "part of the command cannot be read", PLAIN),
        _ => return None,
    };
    let say = match guard.rules.get(&finding.rule).map(|switch| switch.value) {
        Some(Switch::Off) => return None,
        Some(Switch::Ask) => Verdict::Ask,
        Some(Switch::Deny) => Verdict::Deny,
        None => say,
    };
    let reason = match finding.class.as_str() {
        "bound" | "opaque" if !finding.why.is_empty() => format!("{reason} ({})", finding.why),
        _ => match segment(finding, call) {
            Some(segment) => format!("`{segment}`: {reason}"),
            None => reason.to_owned(),
        },
    };
    Some(Vote {
        rule: finding.rule.clone(),
        say,
        reason,
        instead: instead.to_owned(),
        way: way.to_owned(),
        part: finding.part,
        ..Vote::default()
    })
}

/// Longest segment that is named whole.
const LONGEST: usize = 60;

/// Which command is meant, in one line: the one of several, or what is deleted; none if that is clear.
fn segment(finding: &Finding, call: &Call) -> Option<String> {
    let parts = &call.shell.as_ref()?.parts;
    let deletes = || call.paths.iter().any(|path| path.part == finding.part && path.op == Op::Delete);
    let part = parts.get(finding.part? as usize).filter(|_| parts.len() > 1 || deletes())?;
    let [start, end] = part.span.map(|at| at as usize);
    let source = call.command.get(start..end)?;
    let text = match part.inside {
        // The place of what stands in a quoted text is the whole of that.
        Some(_) if source.starts_with(['\'', '"', '$']) => part.argv.iter().map(|word| word.text.as_str()).collect(),
        _ => source.split_whitespace().collect::<Vec<_>>(),
    };
    let text = text.join(" ").replace('`', "'");
    let text = mask(&text);
    let short: String = text.chars().take(LONGEST).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    (!short.is_empty()).then(|| format!("{short}{more}"))
}

const SHORTER: &str = "Split it into smaller commands";
const PLAIN: &str = "Write the command out, without variables that hold code";
