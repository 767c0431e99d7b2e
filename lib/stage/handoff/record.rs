//! The health record `agents/<id>.json`: a file of the fleet's, of which a few fields are ours.

use super::Kind;
use super::quote::millis;
use crate::envelope::Extra;
use serde_json::value::RawValue;

/// Fields that may be written here; every other one is the fleet's.
pub const OWNED: &[&str] = &[
    "context_pct",
    "context_source",
    "last_activity_ts",
    "blocked",
    "blocked_reason",
    "blocked_since",
    "needs_input",
    "inbox_pending",
    "handoff_type",
    "handoff_type_at",
];

/// A record: its fields in order, each with its raw text.
#[derive(Clone, Debug, Default)]
pub struct Record(Extra);

impl Record {
    /// Reads a record of this agent.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(bytes: &[u8], agent: &str) -> Result<Self, String> {
        let fields: Extra = serde_json::from_slice(bytes).map_err(|error| format!("it is no JSON object: {error}"))?;
        let record = Self(fields);
        match record.text("id").as_str() {
            "" => Ok(record),
            id if id == agent => Ok(record),
            id => Err(format!("it is the record of `{id}`")),
        }
    }

    /// The raw text of a field. Of several equal names the last counts, as its owner reads it.
    fn raw(&self, name: &str) -> Option<&RawValue> {
        self.0.0.iter().rev().find(|(known, _)| known == name).map(|(_, raw)| &**raw)
    }

    /// A text; empty if it is not there, null, or no text.
    pub fn text(&self, name: &str) -> String {
        self.raw(name).and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
    }

    /// A number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.raw(name).and_then(|raw| serde_json::from_str(raw.get()).ok())
    }

    /// A flag.
    pub fn flag(&self, name: &str) -> bool {
        self.raw(name).is_some_and(|raw| raw.get() == "true")
    }

    /// The kind of handoff that the record carries, unless it says that this was before the agent was spawned. A
    /// record is an agent's, so one that does not say when is taken for this life's.
    pub fn kind(&self) -> Option<Kind> {
        let kind = Kind::named(&self.text("handoff_type"))?;
        let spawned = millis(&self.text("spawned_at"));
        let at = millis(&self.text("handoff_type_at"));
        Some(kind).filter(|_| !matches!((at, spawned), (Some(at), Some(spawned)) if at < spawned))
    }

    /// The record with some of our fields set: each where it stands, new ones at the end, all else as it was.
    pub fn merged(mut self, set: &Extra) -> Vec<u8> {
        for (name, value) in set.0.iter().filter(|(name, _)| OWNED.contains(&name.as_str())) {
            let fields = &mut self.0.0;
            let mut there = fields.iter_mut().filter(|(known, _)| known == name).peekable();
            if there.peek().is_none() {
                fields.push((name.clone(), value.clone()));
            } else {
                there.for_each(|slot| slot.1.clone_from(value));
            }
        }
        let mut out = String::from("{");
        for (at, (name, raw)) in self.0.0.iter().enumerate() {
            let name = serde_json::Value::from(name.as_str());
            let raw = raw.get();
            out.push_str(&format!("{}\n  {name}: {raw}", if at > 0 { "," } else { "" }));
        }
        out.push_str("\n}\n");
        out.into_bytes()
    }
}
