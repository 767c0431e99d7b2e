//! What one call adds: events, notes, votes and lines, each folded into the chain as it is added.

use super::state::Chain;
use super::tools::{Catalogue, Known};
use super::{SPEC, text};
use crate::call::Call;
use crate::config::LadderConfig;
use crate::envelope::{Effect, Event, Extra, Note, Vote};
use crate::state::{Fold, Past};

/// The ladder at work on one call.
pub struct Desk<'a> {
    pub call: &'a Call,
    pub config: &'a LadderConfig,
    pub chain: &'a mut Chain,
    pub known: Known,
    pub events: Vec<Event>,
    pub notes: Vec<Note>,
    pub votes: Vec<Vote>,
    effects: Vec<Effect>,
}

impl<'a> Desk<'a> {
    pub fn new(call: &'a Call, config: &'a LadderConfig, chain: &'a mut Chain, known: Known) -> Self {
        let (events, notes, votes, effects) = Default::default();
        Self { call, config, chain, known, events, notes, votes, effects }
    }

    /// A hook that runs twice for one call counts once; a call without an id cannot be told apart.
    pub fn judged_key(&self) -> String {
        if self.call.id.is_empty() {
            return String::new();
        }
        format!("judged/{}/{}", self.call.event.word(), self.call.id)
    }

    /// Key of the next note or denial.
    pub fn note_key(&self) -> String {
        format!("ladder/note/{}/{}", self.call.agent.id, self.chain.notes + 1)
    }

    /// Key of the next change of the section.
    pub fn section_key(&self) -> String {
        format!("ladder/section/{}/{}", self.call.agent.id, self.chain.sections + 1)
    }

    /// Remembers something; from now on the chain knows it.
    pub fn event(&mut self, kind: &str, once: &str, fields: &[(&str, &str)]) {
        let mut extra = Extra::default();
        for (key, value) in fields {
            extra.set(key, value);
        }
        self.push(kind, once, extra);
    }

    /// The same with fields of any type.
    pub fn push(&mut self, kind: &str, once: &str, extra: Extra) {
        let event = Event {
            by: SPEC.name.into(),
            kind: kind.into(),
            agent: self.call.agent.id.clone(),
            once: once.into(),
            extra,
            ..Event::default()
        };
        let past = Past::from(&event);
        self.chain.fold(&past);
        self.known.fold(&past);
        self.events.push(event);
    }

    /// A line of the ladder's log.
    pub fn line(&mut self, line: &str, once: &str) {
        if *self.config.log {
            let line = format!("{}{line}", *self.config.ledger_prefix);
            self.effect("tool_coach_line", once).extra.set("line", &line);
        }
    }

    /// A row of the ledger.
    pub fn ledger(&mut self, row: &serde_json::Value, once: &str) {
        self.effect("ledger", once).extra.set("row", row);
    }

    fn effect(&mut self, action: &str, once: &str) -> &mut Effect {
        let (by, action, once) = (SPEC.name.into(), action.into(), once.into());
        self.effects.push(Effect { by, action, once, ..Effect::default() });
        let last = self.effects.len() - 1;
        &mut self.effects[last]
    }

    /// A note for the agent, with the source that the seed gives it.
    pub fn note(&mut self, key: String, once: &str, text: String, form: &str, summary: &str) {
        let mut source = Extra::default();
        source.set("kind", "tool-coach");
        source.set("form", form);
        source.set("summary", summary);
        let (by, to, once) = (SPEC.name.into(), "agent".into(), once.into());
        self.notes.push(Note { by, key, to, text, once, source, ..Note::default() });
    }

    /// What may be said of the session's tools now.
    pub fn catalogue(&self) -> Catalogue<'_> {
        Catalogue::at(self.call, &self.known, *self.config.fetch_live)
    }

    /// Writes the section anew.
    pub fn write_section(&mut self, once: &str, strikes: u32) {
        let catalogue = self.catalogue();
        let (text, mark) = (text::section(self.call, &catalogue, strikes, self.config), catalogue.mark());
        self.event("section", once, &[("text", &text), ("mark", &mark)]);
    }

    /// Writes it anew where its time is over or the tools are others.
    pub fn renew_section(&mut self, changed: bool) {
        let Some(section) = &self.chain.section else { return };
        let line = if changed || section.mark != self.catalogue().mark() {
            "section rebuilt (tools/change)".to_owned()
        } else if section.age >= *self.config.section_ttl {
            format!("section rebuilt (ttl {})", *self.config.section_ttl)
        } else {
            return;
        };
        let once = self.section_key();
        self.write_section(&once, self.chain.offenses());
        self.line(&line, &once);
    }

    /// Says the section.
    pub fn say_section(&mut self, once: &str) {
        let Some(section) = &self.chain.section else { return };
        let text = section.text.clone();
        self.note("ladder/section".into(), once, text, "section", "hook-dsh-tool-coach");
        self.event("said", once, &[]);
    }

    /// What the envelope gets.
    pub fn close(self) -> (Vec<Event>, Vec<Note>, Vec<Vote>, Vec<Effect>, Known) {
        (self.events, self.notes, self.votes, self.effects, self.known)
    }
}
