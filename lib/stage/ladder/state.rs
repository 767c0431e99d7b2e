//! The ladder's memory: one chain of judged calls per agent of a session, and what is known of the
//! session's tools. No fold depends on config.

use super::tools::Known;
use crate::call::{Tool, canonical_tool};
use crate::state::{Fold, Past};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Judged calls a chain remembers; `window` and `cooldown` may not be larger.
pub const REMEMBERED: u32 = 256;

/// Calls within which the tool that a note names must be used for the note to count as heeded.
pub const HEED: u32 = 10;

/// Exemptions and notes that a chain keeps in mind.
const KEPT: usize = 64;

/// Chains of a session, by agent id.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct State {
    chains: BTreeMap<String, Chain>,
    #[serde(default)]
    known: Known,
}

impl State {
    /// The chain of one agent, if it has one.
    pub fn chain(&self, agent: &str) -> Option<&Chain> {
        self.chains.get(agent)
    }

    /// What is known of the session's tools.
    pub fn known(&self) -> &Known {
        &self.known
    }
}

impl Fold for State {
    fn fold(&mut self, past: &Past) {
        if past.by != "ladder" {
            return;
        }
        self.known.fold(past);
        match self.chains.get_mut(&*past.agent) {
            Some(chain) => chain.fold(past),
            None => self.chains.entry(past.agent.clone().into_owned()).or_default().fold(past),
        }
    }
}

impl Fold for Known {
    fn fold(&mut self, past: &Past) {
        match &*past.kind {
            "tools" => (self.tools, self.failed) = (past.get::<Vec<Tool>>("tools").unwrap_or_default(), false),
            "tools_failed" => (self.tools, self.failed) = (Vec::new(), true),
            "disabled" => self.disabled_told = true,
            _ => {}
        }
    }
}

/// The standing section while it is on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Section {
    /// What it says.
    pub text: String,
    /// Which set of tools it was written for.
    pub mark: String,
    /// Judged calls since it was written.
    pub age: u32,
    /// Judged calls since it was said.
    pub unsaid: u32,
}

/// A note or denial of which is not known yet whether it was heeded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Open {
    /// Canonical key of the tool it named.
    pub offer: String,
    /// Class of the offense.
    pub class: String,
    /// Calls of the agent since.
    pub calls: u32,
}

/// Judged calls of one agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Chain {
    /// Judged calls since the last note or new message, oldest first: the first letter of the
    /// offense's class, or `.` for none.
    pub calls: String,
    /// Judged calls since the last note; `None` before the first.
    pub since_note: Option<u32>,
    /// Notes and denials so far: the generation of the next one's key.
    pub notes: u32,
    /// Judged calls in a row without an offense.
    pub clean: u32,
    /// The standing section, while it is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<Section>,
    /// How often it was switched or written: the generation of its next key.
    #[serde(skip_serializing_if = "is_zero")]
    pub sections: u32,
    /// Exemptions that were logged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exempts: Vec<String>,
    /// Notes that may still be heeded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<Open>,
    /// Keys of calls judged by this process, so that a stream counts a repeated call once.
    #[serde(skip)]
    seen: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Chain {
    /// The chain as a log folds to it.
    #[cfg(test)]
    pub fn without_keys(self) -> Self {
        Self { seen: Vec::new(), ..self }
    }

    /// Whether a new message would clear anything.
    pub fn has_strikes(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Strikes of a class among the last `window` judged calls since the last note.
    pub fn strikes(&self, class: &str, window: u32) -> u32 {
        let letter = letter(class);
        self.calls.chars().rev().take(window as usize).filter(|seen| *seen == letter).count() as u32
    }

    /// Offenses of any class since the last note.
    pub fn offenses(&self) -> u32 {
        self.calls.chars().filter(|seen| *seen != '.').count() as u32
    }

    /// Whether the cooldown is over.
    pub fn is_cool(&self, cooldown: u32) -> bool {
        self.since_note.is_none_or(|calls| calls >= cooldown)
    }

    /// Whether this process has not judged that call yet.
    pub fn is_new_call(&self, key: &str) -> bool {
        key.is_empty() || !self.seen.iter().any(|seen| seen == key)
    }

    /// Notes whose fate a call with this tool decides, with whether it heeds them.
    pub fn decided_by(&self, tool: &str) -> Vec<(Open, bool)> {
        let tool = canonical_tool(tool);
        let step = self.open.iter().map(|open| (Open { calls: open.calls + 1, ..open.clone() }, open.offer == tool));
        step.filter(|(open, heeds)| *heeds || open.calls >= HEED).collect()
    }

    fn step(&mut self, tool: &str) {
        let tool = canonical_tool(tool);
        self.open.iter_mut().for_each(|open| open.calls += 1);
        self.open.retain(|open| open.offer != tool && open.calls < HEED);
    }

    fn remember(&mut self, past: &Past) {
        if past.once.is_empty() {
            return;
        }
        if self.seen.len() >= REMEMBERED as usize {
            self.seen.remove(0);
        }
        self.seen.push(past.once.clone().into_owned());
    }

    fn judged(&mut self, past: &Past) {
        if self.calls.len() >= REMEMBERED as usize {
            self.calls.remove(0);
        }
        let class: Option<String> = past.get("class");
        let letter = letter(class.as_deref().unwrap_or("."));
        self.calls.push(letter);
        self.since_note = self.since_note.map(|calls| calls.saturating_add(1));
        self.clean = if letter == '.' { self.clean.saturating_add(1) } else { 0 };
        if let Some(section) = &mut self.section {
            section.age = section.age.saturating_add(1);
            section.unsaid = section.unsaid.saturating_add(1);
        }
        // A denied call is the one that its note is about.
        if past.get::<bool>("denied") != Some(true) {
            self.step(&past.get::<String>("tool").unwrap_or_default());
        }
        self.remember(past);
    }
}

fn letter(class: &str) -> char {
    class.chars().next().unwrap_or('.')
}

fn keep<T>(list: &mut Vec<T>, item: T) {
    if list.len() >= KEPT {
        list.remove(0);
    }
    list.push(item);
}

impl Fold for Chain {
    fn fold(&mut self, past: &Past) {
        let text = |key: &str| past.get::<String>(key).unwrap_or_default();
        match &*past.kind {
            "judged" => self.judged(past),
            "call" => {
                self.step(&text("tool"));
                self.remember(past);
            }
            "note" | "denied" => {
                self.calls.clear();
                self.since_note = Some(0);
                self.notes = self.notes.saturating_add(1);
                keep(&mut self.open, Open { offer: text("offer"), class: text("class"), calls: 0 });
            }
            "prompt" => self.calls.clear(),
            "section" => {
                let unsaid = self.section.as_ref().map_or(0, |section| section.unsaid);
                self.section = Some(Section { text: text("text"), mark: text("mark"), age: 0, unsaid });
                self.sections = self.sections.saturating_add(1);
            }
            "section_off" => {
                self.section = None;
                self.sections = self.sections.saturating_add(1);
            }
            "said" => {
                if let Some(section) = &mut self.section {
                    section.unsaid = 0;
                }
            }
            "exempt" => keep(&mut self.exempts, text("pattern")),
            _ => {}
        }
    }
}
