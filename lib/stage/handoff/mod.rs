//! The handoff: the agent's half of a fleet (seed 002, fleet-guard; decided in the spec's handoff page).
//!
//! [`facts`] gathers what the event needs, [`plan`] says what is due, [`document`] writes it down. Nothing is
//! written here: effects are, by [`state::fleet`](crate::state::fleet), once the answer is out.

pub mod document;
pub mod facts;
pub mod journal;
pub mod place;
pub mod plan;
pub mod quote;
pub mod record;
pub mod usage;

use super::{Context, Memory, Spec, Stage};
use crate::call::{Call, EventKind};
use crate::config::HandoffConfig;
use crate::envelope::{Effect, Envelope, Event, Extra, Fault, Note, Verdict, Vote};
use crate::state::Session;
use crate::text::{show, stable_hash};
use crate::world::World;
use facts::{Facts, Letter};
use quote::moment;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::path::Path;

/// Context windows in tokens, by the beginning of the model's name, as Claude Code 2.1.332 has them built in. A
/// window that an account or an option makes longer shows in no transcript: that is for config.
pub static LIMITS: &[(&str, u32)] = &[
    ("claude-3", 200_000),
    ("claude-fable-5", 1_000_000),
    ("claude-haiku-4", 200_000),
    ("claude-haiku-5", 1_000_000),
    ("claude-mythos-5", 1_000_000),
    ("claude-opus-4", 200_000),
    ("claude-opus-4-7", 1_000_000),
    ("claude-opus-4-8", 1_000_000),
    ("claude-opus-5", 1_000_000),
    ("claude-sonnet-4", 200_000),
    ("claude-sonnet-5", 1_000_000),
];

/// What the agent is asked when its context fills up. No line of it is the word that it asks for, however a
/// terminal breaks it: more stands behind it.
const REQUEST: &str = "HANDOFF REQUESTED: the context window of this session is filling up. Finish the step you are on, \
leave the work in a state from which another agent can go on, and sum up what is done, what was decided, which files \
changed, what is open and what comes next. Then write the word MILESTONE on a line of its own, and nothing else on \
that line; the handoff document is written from what you said.";

/// Bytes of a message that an answer holds, beside the request.
const ROOM: usize = 8_000;

/// The kinds of handoff that are written here, weakest first. The last two weigh the same: after either a
/// document is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// Asked for, and wrapped up by the agent.
    #[serde(rename = "auto-yellow")]
    Yellow,
    /// The context is nearly full.
    #[serde(rename = "auto-red")]
    Red,
    /// The host is about to compact.
    #[serde(rename = "precompact")]
    Precompact,
    /// An operator's; never written here.
    #[serde(rename = "manual")]
    Manual,
}

impl Kind {
    /// The word in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Yellow => "auto-yellow",
            Self::Red => "auto-red",
            Self::Precompact => "precompact",
            Self::Manual => "manual",
        }
    }

    /// The kind of that word.
    pub fn named(word: &str) -> Option<Self> {
        [Self::Yellow, Self::Red, Self::Precompact, Self::Manual].into_iter().find(|kind| kind.word() == word)
    }

    /// How strong it is.
    pub fn weight(self) -> u8 {
        match self {
            Self::Yellow => 0,
            Self::Red | Self::Precompact => 1,
            Self::Manual => 2,
        }
    }
}

impl HandoffConfig {
    /// The window of a model.
    pub fn limit(&self, model: &str) -> Option<u32> {
        let fits = self.limits.iter().filter(|(begin, _)| model.starts_with(begin.as_str()));
        fits.max_by_key(|(begin, _)| begin.len()).map(|(_, limit)| limit.value)
    }
}

/// What a message is known by.
pub fn letter_hash(bytes: &[u8]) -> String {
    format!("{:016x}", stable_hash(String::from_utf8_lossy(bytes).trim()))
}

/// How long a text counts as being said: a hook that has not said it by then was killed.
const SAYING: i64 = 30_000;

/// The `once` key of a text that is said now, so that of several hooks at a time one says it.
pub fn saying(what: &str, now: i64) -> String {
    format!("handoff/{what}/{}", now.div_euclid(SAYING))
}

/// Whether another hook is saying that text, or has just said it.
fn is_said(session: &Session, what: &str, now: i64) -> bool {
    session.keys.contains(&saying(what, now)) || session.keys.contains(&saying(what, now - SAYING))
}

/// Percent as they are written: one decimal.
pub fn percent(pct: f64) -> String {
    format!("{pct:.1}")
}

/// The stage.
#[derive(Debug)]
pub struct Handoff;

static SPEC: Spec = Spec {
    name: "handoff",
    about: "for an agent of a fleet: keep its health record, deliver the operator's messages, hand the work on before the context is full",
    events: &[EventKind::Stop, EventKind::PreCompact, EventKind::SessionStart, EventKind::Prompt],
    reads: &["call", "facts.session.handoff"],
    writes: &["votes", "notes", "events", "effects"],
    config: &["handoff"],
};

impl Stage for Handoff {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn gather(
        &self,
        call: &Call,
        so_far: &crate::envelope::Facts,
        session: &Session,
        cx: &Context,
        world: &dyn World,
    ) -> Result<Option<Box<RawValue>>, Fault> {
        let facts = facts::gather(call, so_far.at, session, &cx.config.handoff, world).map_err(fault)?;
        Ok(facts.and_then(|facts| serde_json::value::to_raw_value(&facts).ok()))
    }

    fn run(&self, envelope: &mut Envelope, cx: &Context, _: &mut Memory) -> Result<(), Fault> {
        let Some(facts) = envelope.facts.session.get::<Facts>(SPEC.name) else { return Ok(()) };
        let at = envelope.facts.at;
        let mut out = Out { envelope, agent: &facts.agent };
        match out.envelope.call.event {
            EventKind::Prompt => {
                out.record(&[("last_activity_ts", moment(at).into()), ("needs_input", false.into())], &[])
            }
            EventKind::SessionStart => session_start(&facts, at, &mut out),
            EventKind::Stop | EventKind::PreCompact => turn(&facts, at, &cx.config.handoff, &mut out),
            _ => {}
        }
        for why in [&facts.no_record, &facts.no_letter, &facts.no_transcript].into_iter().filter(|why| !why.is_empty())
        {
            envelope.faults.push(fault(why.clone()));
        }
        Ok(())
    }
}

fn fault(text: String) -> Fault {
    Fault { by: SPEC.name.into(), kind: "state".into(), text, ..Fault::default() }
}

fn session_start(facts: &Facts, at: i64, out: &mut Out) {
    let mut set = vec![("last_activity_ts", moment(at).into()), ("inbox_pending", false.into())];
    // A context that was emptied is not as full as the last turn found it.
    if matches!(out.envelope.call.source.as_str(), "clear" | "compact") {
        set.extend([("context_pct", serde_json::Value::Null), ("context_source", "none".into())]);
    }
    if let Some(letter) = &facts.letter {
        if letter.is_new() {
            let (text, once) = (operator(facts, letter), letter.key(at));
            out.envelope.notes.push(Note {
                by: SPEC.name.into(),
                key: "handoff/operator".into(),
                to: "agent".into(),
                text,
                once: once.clone(),
                ..Note::default()
            });
            out.event("delivered", once);
        }
        out.record(&set, &[]);
        out.archive(letter, at);
        return;
    }
    out.record(&set, &[]);
}

/// A turn has ended, or the host is about to compact.
fn turn(facts: &Facts, at: i64, config: &HandoffConfig, out: &mut Out) {
    let plan = plan::plan(&out.envelope.call, at, facts, config);
    let stop = out.envelope.call.event == EventKind::Stop;
    let letter = facts.letter.as_ref().filter(|_| stop);
    if let Some(letter) = letter.filter(|letter| letter.is_new()) {
        out.vote("handoff/operator", operator(facts, letter), letter.key(at));
        out.event("delivered", letter.key(at));
    }
    let asks = plan.ask && !facts.asked;
    if asks {
        let key = saying(&plan::ask_key(facts), at);
        out.vote("handoff/request", REQUEST.to_owned(), key.clone());
        out.event("asked", key);
    }
    if let Some(kind) = plan.write {
        let document = Path::new(&facts.home).join("handoffs").join(&facts.document);
        let lines = usize::try_from(*config.pane_lines).unwrap_or(usize::MAX);
        out.effect("fleet_document", |extra| {
            extra.set("name", &facts.document);
            extra.set("text", &document::document(facts, kind, at, lines));
            extra.set("journal", &facts.journal);
        });
        out.effect("fleet_queue", |extra| {
            extra.set("text", &document::queue(facts, &show(&document), at));
            extra.set("kind", &kind);
        });
    }
    let mut set: Vec<(&str, serde_json::Value)> = vec![("last_activity_ts", moment(at).into())];
    let pct = facts.pct.map(|pct| serde_json::from_str(&percent(pct)).unwrap_or_default());
    set.push(("context_source", if pct.is_some() { "transcript" } else { "none" }.into()));
    set.push(("context_pct", pct.unwrap_or_default()));
    if stop {
        set.extend([("needs_input", true.into()), ("inbox_pending", plan.remind.into())]);
    }
    // Another hook asks right now, and marks the record when it has.
    let mark: Vec<(&str, serde_json::Value)> = match plan.mark.filter(|_| asks || !plan.ask) {
        Some(kind) => vec![("handoff_type", kind.word().into()), ("handoff_type_at", moment(at).into())],
        None => Vec::new(),
    };
    out.record(&set, &mark);
    if plan.remind {
        let (mode, pct) = (&facts.record.mode, percent(facts.pct.unwrap_or_default()));
        let text = format!(
            "The context window is at {pct} %. In mode {mode} no handoff is made by itself: at a good place to stop, say so to the operator."
        );
        out.effect("fleet_reminder", |extra| extra.set("text", &text));
    }
    if let Some(letter) = letter {
        out.archive(letter, at);
    }
    if !facts.unknown_model.is_empty() && !facts.told {
        let model = &facts.unknown_model;
        out.tell(format!(
            "kz: the context window of the model `{model}` is not known, so the fleet sees no percentage\n  hint: `kz config explain handoff.limits`, or set FLEET_CONTEXT_LIMIT"
        ), unknown_key(model));
    }
}

/// Key of the one hint a session about a model.
pub fn unknown_key(model: &str) -> String {
    format!("handoff/unknown/{model}")
}

/// A message as the agent gets it. What is too long for one answer would be cut there, and with it what stands
/// behind the message: so it is cut here, with a word on where all of it is.
fn operator(facts: &Facts, letter: &Letter) -> String {
    let text = &letter.text;
    if text.len() <= ROOM {
        return format!("[OPERATOR] {text}");
    }
    let head = &text[..text.floor_char_boundary(ROOM)];
    let head = head.rfind('\n').map_or(head, |end| &head[..end]).trim_end();
    let archive = Path::new(&facts.home).join("inbox").join("archive");
    let agent = &facts.agent;
    format!("[OPERATOR] {head}\n[kz cut this message; all of it is in the newest `{}/{agent}-….md`]", show(&archive))
}

/// What is appended to the envelope.
struct Out<'a> {
    envelope: &'a mut Envelope,
    agent: &'a str,
}

impl Out<'_> {
    /// Keeps the turn going with this text.
    fn vote(&mut self, rule: &str, reason: String, once: String) {
        let (by, rule) = (SPEC.name.into(), rule.to_owned());
        self.envelope.votes.push(Vote { by, rule, say: Verdict::Deny, reason, once, ..Vote::default() });
    }

    fn event(&mut self, kind: &str, once: String) {
        self.envelope.events.push(Event { by: SPEC.name.into(), kind: kind.into(), once, ..Event::default() });
    }

    /// Once a session, to the person.
    fn tell(&mut self, text: String, once: String) {
        let (by, key) = (SPEC.name.into(), "handoff/unknown".into());
        self.event("told", once.clone());
        self.envelope.notes.push(Note { by, key, to: "user".into(), text, once, ..Note::default() });
    }

    fn effect(&mut self, action: &str, fill: impl FnOnce(&mut Extra)) {
        let mut effect = Effect { by: SPEC.name.into(), action: action.into(), ..Effect::default() };
        effect.extra.set("agent", self.agent);
        fill(&mut effect.extra);
        self.envelope.effects.push(effect);
    }

    /// Fields of the record; those of `mark` only if the document is there that they tell of.
    fn record(&mut self, set: &[(&str, serde_json::Value)], mark: &[(&str, serde_json::Value)]) {
        let fields = |rows: &[(&str, serde_json::Value)]| {
            let mut fields = Extra::default();
            rows.iter().for_each(|(name, value)| fields.set(name, value));
            fields
        };
        let (set, mark) = (fields(set), fields(mark));
        self.effect("fleet_record", |extra| {
            extra.set("set", &set);
            if !mark.0.is_empty() {
                extra.set("mark", &mark);
            }
        });
    }

    /// Puts a message away. While it is being delivered, only if the answer was heard.
    fn archive(&mut self, letter: &Letter, at: i64) {
        if !letter.delivered && !letter.is_new() {
            return;
        }
        let session = self.envelope.call.session.clone();
        self.effect("fleet_archive", |extra| {
            extra.set("hash", &letter.hash);
            if letter.is_new() {
                extra.set("session", &session);
            }
        });
        if let Some(effect) = self.envelope.effects.last_mut().filter(|_| letter.is_new()) {
            effect.once = letter.key(at);
        }
    }
}
