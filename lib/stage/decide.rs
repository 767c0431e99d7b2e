//! The sink: the strictest vote becomes the decision.
//!
//! Pure, like the stages: committing and answering belong to `pipeline::sink`, which calls
//! [`settle`] once the lock has told which `once` keys are still free.

use crate::call::{Call, EventKind};
use crate::envelope::{Decision, Effect, Envelope, Event, Note, Verdict};
use crate::state::allow;
use serde_json::json;

/// Kind of the event and the ledger row of a call that a person allowed once.
const ALLOWED: &str = "allow_once";

/// Key of the one note per session about faults.
const FAULT_KEY: &str = "fault/told/1";

/// Keys that belong to no call: the source says in `facts.used` which of them are used up.
pub const KEYS: &[&str] = &[FAULT_KEY];

/// Adds what the sink itself has to say, before anything is committed: at most one note a session
/// to the user about open faults, and a word about a switched-off kz with every prompt.
pub fn prepare(envelope: &mut Envelope) {
    if !envelope.facts.off.is_empty() {
        if envelope.call.event == EventKind::Prompt {
            let text = format!("kz is off ({}): nothing is checked. Switch it on with `kz on`.", envelope.facts.off);
            tell(envelope, "off", "", text);
        }
        return;
    }
    permit(envelope);
    let Some(fault) = envelope.faults.iter().find(|fault| !fault.closed) else { return };
    if envelope.facts.used.iter().any(|key| key == FAULT_KEY) {
        return;
    }
    let more = match envelope.faults.len() {
        1 => String::new(),
        n => format!(" ({} more: `kz doctor`)", n - 1),
    };
    let text = format!("kz: {}{more}", fault.text);
    tell(envelope, "fault", FAULT_KEY, text);
    envelope.events.push(Event {
        by: "decide".into(),
        kind: "fault_told".into(),
        once: FAULT_KEY.into(),
        ..Event::default()
    });
}

/// A note to the user.
fn tell(envelope: &mut Envelope, key: &str, once: &str, text: String) {
    let (key, once) = (key.to_owned(), once.to_owned());
    envelope.notes.push(Note { by: "decide".into(), key, to: "user".into(), text, once, ..Note::default() });
}

/// Uses up what a person allowed once, if this call needs it. The event carries the permission's key,
/// so that of several hooks at the same moment one alone has it left at commit.
fn permit(envelope: &mut Envelope) {
    let key = envelope.facts.allowed.clone();
    let strictest = envelope.votes.iter().max_by_key(|vote| vote.say).filter(|vote| vote.say > Verdict::Approve);
    let Some(rule) = strictest.map(|vote| vote.rule.clone()).filter(|_| !key.is_empty()) else { return };
    tell(envelope, "allow", &key, format!("kz: allowed this once, as you said: {rule} would have stopped it"));
    let mut event = Event {
        by: "decide".into(),
        kind: ALLOWED.into(),
        agent: envelope.call.agent.id.clone(),
        once: key.clone(),
        ..Event::default()
    };
    event.extra.set("rule", &rule);
    envelope.events.push(event);
    let mut row = Effect { by: "decide".into(), action: "ledger".into(), once: key, ..Effect::default() };
    row.extra.set(
        "row",
        &json!({"kind": ALLOWED, "tool": envelope.call.tool, "rule": rule, "event": envelope.call.host_event}),
    );
    envelope.effects.push(row);
}

/// Whether a permission was used up for this call.
pub fn is_permitted(envelope: &Envelope) -> bool {
    envelope.events.iter().any(|event| event.kind == ALLOWED && event.by == "decide")
}

/// Computes the decision from what is left of votes and notes, and the events and ledger rows
/// that remember it. `unattended` is what an ask becomes where nobody can answer: the guard casts
/// its votes so, but a stage from outside may not know.
pub fn settle(envelope: &mut Envelope, unattended: Verdict) {
    let mut decision = Decision::default();
    for note in &envelope.notes {
        let list = if note.to == "user" { &mut decision.user } else { &mut decision.notes };
        list.push(note.text.clone());
    }
    if !envelope.facts.off.is_empty() {
        decision.notes.clear();
        envelope.decision = Some(decision);
        return;
    }
    decide(envelope, &mut decision);
    if decision.say == Verdict::Ask && envelope.call.unattended {
        decision.say = unattended;
    }
    let said = decision.say != Verdict::None || !decision.notes.is_empty();
    if said {
        remember(envelope, &decision);
    }
    if matches!(decision.say, Verdict::Ask | Verdict::Deny) {
        // For `kz allow-once`, which sees the call with its secrets masked only.
        decision.id = allow::id(&envelope.call);
    }
    envelope.decision = Some(decision);
}

fn decide(envelope: &Envelope, decision: &mut Decision) {
    // A failure of ours stops a call only where the person asked for that, and only before it runs.
    let closed = envelope.faults.iter().find(|fault| fault.closed);
    if let Some(fault) = closed
        && matches!(envelope.call.event, EventKind::PreTool | EventKind::Permission)
    {
        decision.say = Verdict::Deny;
        decision.rule = format!("fault/{}", fault.by);
        decision.reason = format!(
            "kz could not check this call and is set to stop what it cannot check: {}. A person can repair it: `kz doctor`.",
            fault.text.trim_end_matches('.')
        );
        return;
    }
    if is_permitted(envelope) {
        return;
    }
    let strictest = envelope.votes.iter().map(|vote| vote.say).max().unwrap_or_default();
    let mut of_that_weight = envelope.votes.iter().filter(|vote| vote.say == strictest);
    let Some(first) = of_that_weight.next() else { return };
    decision.say = strictest;
    if strictest == Verdict::None {
        return;
    }
    decision.rule.clone_from(&first.rule);
    // The mark with the rule's id is put on when the reason is said; an outside stage may have put it.
    let mark = format!("[kz {}]", first.rule);
    let bare = first.reason.trim_end();
    decision.reason = sentence(bare.strip_suffix(&mark).unwrap_or(bare));
    if !first.instead.is_empty() {
        decision.reason = format!("{} {}", decision.reason, sentence(&first.instead));
    }
    if envelope.call.event == EventKind::Stop {
        // Each keeps the turn going with a text that the agent has to read, so none is only counted.
        let texts: Vec<&str> = std::iter::once(first).chain(of_that_weight).map(|vote| vote.reason.trim()).collect();
        decision.reason = texts.join("\n\n");
        return;
    }
    let mut others: Vec<&str> =
        of_that_weight.map(|vote| vote.rule.as_str()).filter(|rule| *rule != first.rule).collect();
    others.dedup();
    if !others.is_empty() {
        decision.reason = format!("{} (and {} more: {})", decision.reason, others.len(), others.join(", "));
    }
}

/// A text with its final stop.
fn sentence(text: &str) -> String {
    match text.trim_end().chars().last() {
        Some('.' | '!' | '?') | None => text.trim_end().to_owned(),
        Some(_) => format!("{}.", text.trim_end()),
    }
}

/// Key of what is remembered of a decision: a hook that runs twice for one call counts once.
pub fn decided_key(call: &Call) -> String {
    if call.id.is_empty() { String::new() } else { format!("decided/{}/{}", call.host_event, call.id) }
}

fn remember(envelope: &mut Envelope, decision: &Decision) {
    let call = &envelope.call;
    let once = decided_key(call);
    if !once.is_empty() && envelope.facts.used.contains(&once) {
        return;
    }
    let mut event = Event {
        by: "decide".into(),
        kind: "decided".into(),
        agent: call.agent.id.clone(),
        once: once.clone(),
        ..Event::default()
    };
    event.extra.set("say", decision.say.word());
    if !decision.rule.is_empty() {
        event.extra.set("rule", &decision.rule);
    }
    envelope.events.push(event);
    if matches!(decision.say, Verdict::Deny | Verdict::Ask) {
        let mut row = Effect { by: "decide".into(), action: "ledger".into(), once, ..Effect::default() };
        let kind = decision.say.word();
        row.extra
            .set("row", &json!({"kind": kind, "tool": call.tool, "rule": decision.rule, "event": call.host_event}));
        envelope.effects.push(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::envelope::{Fault, Vote};

    #[test]
    fn what_a_person_allows_once_is_let_through_and_told() {
        let mut envelope = before(vec![vote("b/deny", Verdict::Deny), vote("a/ask", Verdict::Ask)]);
        envelope.facts.allowed = "allow/3f9a2c1b/5".into();
        let mut used = envelope.clone();
        let decision = settled(envelope.clone());
        assert_eq!((decision.say, decision.rule.as_str()), (Verdict::None, ""));
        assert_eq!(decision.user, ["kz: allowed this once, as you said: b/deny would have stopped it"]);
        // Another hook was faster: the commit takes event, note and row away, and the votes count.
        prepare(&mut used);
        used.events.retain(|event| event.once != "allow/3f9a2c1b/5");
        used.notes.retain(|note| note.once != "allow/3f9a2c1b/5");
        settle(&mut used, Verdict::Deny);
        let decision = used.decision.unwrap_or_default();
        assert_eq!((decision.say, decision.user.len(), decision.id.len()), (Verdict::Deny, 0, 8));
        // A call that nothing stops uses nothing up, and a failure of ours is no vote.
        envelope.votes.clear();
        let mut calm = envelope.clone();
        prepare(&mut calm);
        assert!(calm.events.is_empty());
        envelope.faults.push(Fault { by: "config".into(), text: "bad".into(), closed: true, ..Fault::default() });
        assert_eq!(settled(envelope).say, Verdict::Deny);
    }

    fn vote(rule: &str, say: Verdict) -> Vote {
        Vote { by: "guard".into(), rule: rule.into(), say, reason: format!("because {rule}."), ..Vote::default() }
    }

    fn before(votes: Vec<Vote>) -> Envelope {
        Envelope { call: Call { event: EventKind::PreTool, ..Call::default() }, votes, ..Envelope::default() }
    }

    fn settled(mut envelope: Envelope) -> Decision {
        prepare(&mut envelope);
        settle(&mut envelope, Verdict::Deny);
        envelope.decision.unwrap_or_default()
    }

    #[test]
    fn the_first_strictest_vote_decides_and_the_others_are_counted() {
        let votes = vec![vote("a/ask", Verdict::Ask), vote("b/deny", Verdict::Deny), vote("c/deny", Verdict::Deny)];
        let decision = settled(before(votes));
        assert_eq!((decision.say, decision.rule.as_str()), (Verdict::Deny, "b/deny"));
        assert_eq!(decision.reason, "because b/deny. (and 1 more: c/deny)");
    }

    #[test]
    fn when_a_turn_ends_every_vote_is_said_in_order() {
        let mut envelope = before(vec![vote("a/one", Verdict::Deny), vote("b/two", Verdict::Deny)]);
        envelope.call.event = EventKind::Stop;
        let decision = settled(envelope);
        assert_eq!((decision.rule.as_str(), decision.reason.as_str()), ("a/one", "because a/one.\n\nbecause b/two."));
    }

    #[test]
    fn where_nobody_can_answer_an_ask_from_outside_is_no_question() {
        let mut envelope = before(vec![vote("x/ask", Verdict::Ask)]);
        assert_eq!(settled(envelope.clone()).say, Verdict::Ask);
        envelope.call.unattended = true;
        assert_eq!(settled(envelope).say, Verdict::Deny);
    }

    #[test]
    fn without_votes_nothing_is_said_or_remembered() {
        let mut envelope = before(Vec::new());
        prepare(&mut envelope);
        settle(&mut envelope, Verdict::Deny);
        assert_eq!(envelope.decision, Some(Decision::default()));
        assert!(envelope.events.is_empty() && envelope.effects.is_empty());
    }

    #[test]
    fn an_open_fault_is_told_to_the_user_once_a_session() {
        let mut envelope = before(Vec::new());
        envelope.fault("state", "state", "cannot write");
        assert_eq!(settled(envelope.clone()).user, ["kz: cannot write"]);
        envelope.facts.used.push(FAULT_KEY.into());
        assert!(settled(envelope).user.is_empty());
    }

    #[test]
    fn a_closed_fault_denies_before_a_call_only() {
        let mut envelope = before(vec![vote("a/b", Verdict::Ask)]);
        envelope.faults.push(Fault { by: "config".into(), text: "bad".into(), closed: true, ..Fault::default() });
        let decision = settled(envelope.clone());
        assert_eq!((decision.say, decision.rule.as_str()), (Verdict::Deny, "fault/config"));
        envelope.call.event = EventKind::PostTool;
        assert_eq!(settled(envelope).say, Verdict::Ask);
    }

    #[test]
    fn switched_off_only_prompts_hear_of_it() {
        let mut envelope = before(vec![vote("a/b", Verdict::Deny)]);
        envelope.facts.off = "until 10:00".into();
        let decision = settled(envelope.clone());
        assert_eq!(decision, Decision::default());
        envelope.call.event = EventKind::Prompt;
        assert_eq!(settled(envelope).user.len(), 1);
    }
}
