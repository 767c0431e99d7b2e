//! Judging one call: the four tiers, in the order in which their lines stand.

use super::desk::Desk;
use super::text::{self, About};
use super::tools::rank;
use super::{SPEC, pattern};
use crate::call::canonical_tool;
use crate::envelope::Extra;
use crate::envelope::{Finding, Verdict, Vote};
use serde_json::json;

/// Longest head of an exemption in its line, in characters.
const HEAD: usize = 40;

/// Before a call: tier 3, and the count of a call that is stopped, for which no after-call hook will come.
/// `allowed` is a call that a person lets through once: it will run, and be counted then.
pub fn before(desk: &mut Desk, findings: &[Finding], judged: bool, denied: bool, allowed: bool) {
    if !judged {
        return;
    }
    if denied {
        if !allowed {
            judge(desk, findings, true);
        }
        return;
    }
    let Some(found) = offense(desk, findings) else { return };
    let strikes = desk.chain.strikes(&found.class, u32::MAX);
    if !desk.config.enforces(&found.class) || strikes < *desk.config.enforce_threshold {
        return;
    }
    let Some(tool) = desk.catalogue().tool(&found.offer) else { return };
    let failed = desk.catalogue().failed;
    let once = desk.note_key();
    let reason = text::denied(&About { call: desk.call, found, strikes, tool }, desk.config);
    desk.votes.push(Vote {
        by: SPEC.name.into(),
        rule: format!("ladder/{}", found.class),
        say: Verdict::Deny,
        reason,
        way: "use_alternative".into(),
        part: found.part,
        ..Vote::default()
    });
    if allowed {
        return;
    }
    let (name, class, rule, offer) = (canonical_tool(&desk.call.tool), &found.class, pattern(found), &found.offer);
    if failed {
        desk.line("schema fetch failed -> static fallback", &once);
    }
    desk.event("denied", &once, &[("class", class), ("offer", offer)]);
    desk.line(&format!("denied {name} {class} {rule} -> use {offer}"), &once);
    desk.ledger(&json!({"kind": "denied", "tool": name, "class": class, "rule": found.rule, "offer": offer}), &once);
    judge(desk, findings, true);
}

/// After a call.
pub fn after(desk: &mut Desk, findings: &[Finding], judged: bool) {
    if judged {
        judge(desk, findings, false);
    } else if !desk.chain.open.is_empty() {
        let key = desk.judged_key();
        heed(desk, &key);
        desk.event("call", &key, &[("tool", &desk.call.tool)]);
    }
}

/// The one offense of a call: the strictest class, of those whose tool the session has.
fn offense<'f>(desk: &Desk, findings: &'f [Finding]) -> Option<&'f Finding> {
    let catalogue = desk.catalogue();
    let offered = findings.iter().filter(|found| !found.offer.is_empty() && rank(&found.class).is_some());
    offered.filter(|found| catalogue.tool(&found.offer).is_some()).min_by_key(|found| rank(&found.class))
}

fn judge(desk: &mut Desk, findings: &[Finding], denied: bool) {
    let judged_key = desk.judged_key();
    if !denied {
        heed(desk, &judged_key);
    }
    exempt(desk, findings);
    let found = offense(desk, findings);
    let mut extra = Extra::default();
    extra.set("tool", &desk.call.tool);
    if let Some(found) = found {
        extra.set("class", &found.class);
        extra.set("pattern", &found.rule);
    }
    if denied {
        extra.set("denied", &true);
    }
    desk.push("judged", &judged_key, extra);
    if let Some(found) = found {
        let name = canonical_tool(&desk.call.tool);
        desk.line(&format!("offense {name} {} {}", found.class, pattern(found)), &judged_key);
        desk.ledger(&json!({"kind": "offense", "tool": name, "class": found.class, "rule": found.rule}), &judged_key);
        strike(desk, found, &judged_key);
        escalate(desk);
    } else if desk.chain.section.is_some() && desk.chain.clean >= *desk.config.clean_window {
        let (once, clean) = (desk.section_key(), desk.chain.clean);
        desk.event("section_off", &once, &[]);
        desk.line(&format!("persistent section cleared ({clean} clean calls)"), &once);
    }
    desk.renew_section(false);
    let unsaid = desk.chain.section.as_ref().map_or(0, |section| section.unsaid);
    if unsaid >= *desk.config.section_ttl {
        let once = format!("ladder/said/{}/{}", desk.call.agent.id, judged_key);
        desk.say_section(if judged_key.is_empty() { "" } else { &once });
    }
}

/// Tier 1.
fn strike(desk: &mut Desk, found: &Finding, judged_key: &str) {
    let (name, class, offer) = (canonical_tool(&desk.call.tool), &found.class, &found.offer);
    let strikes = desk.chain.strikes(class, *desk.config.window);
    if strikes <= *desk.config.threshold {
        return;
    }
    if !desk.chain.is_cool(*desk.config.cooldown) {
        desk.line(&format!("cooldown suppressed {strikes} {name} {class}"), judged_key);
        return;
    }
    let Some(tool) = desk.catalogue().tool(offer) else { return };
    let failed = desk.catalogue().failed;
    let once = desk.note_key();
    let said = text::first(&About { call: desk.call, found, strikes, tool }, desk.config);
    desk.event("note", &once, &[("class", class), ("offer", offer)]);
    desk.line(&format!("strike {strikes}/{} {name} {class} -> note {offer}", *desk.config.threshold), &once);
    if failed {
        desk.line("schema fetch failed -> static fallback", &once);
    }
    desk.ledger(&json!({"kind": "note", "tool": name, "class": class, "rule": found.rule, "offer": offer}), &once);
    desk.note(format!("ladder/{class}"), &once, said, "notice", &format!("{name} {class} × {strikes}"));
}

/// Tier 2.
fn escalate(desk: &mut Desk) {
    let strikes = desk.chain.offenses();
    if desk.chain.section.is_some() || strikes < *desk.config.escalate_threshold {
        return;
    }
    let once = desk.section_key();
    desk.write_section(&once, strikes);
    desk.line(&format!("escalated persistent section ({strikes} strikes)"), &once);
    desk.ledger(&json!({"kind": "escalated", "tool": canonical_tool(&desk.call.tool), "strikes": strikes}), &once);
    desk.say_section(&once);
}

/// Tier 0: what would have been an offense, once per pattern and agent.
fn exempt(desk: &mut Desk, findings: &[Finding]) {
    let name = canonical_tool(&desk.call.tool);
    for found in findings.iter().filter(|found| !found.exempt.is_empty()) {
        if desk.chain.exempts.contains(&found.exempt) {
            continue;
        }
        let once = format!("ladder/exempt/{}/{}", desk.call.agent.id, found.exempt);
        desk.event("exempt", &once, &[("pattern", &found.exempt)]);
        let head: String = found.exempt.chars().take(HEAD).collect();
        desk.line(&format!("exempt {name} {head}"), &once);
    }
}

/// Notes whose fate this call decides.
fn heed(desk: &mut Desk, once: &str) {
    for (open, used) in desk.chain.decided_by(&desk.call.tool) {
        desk.ledger(
            &json!({"kind": "heed", "offer": open.offer, "class": open.class, "used": used, "calls": open.calls}),
            once,
        );
    }
}
