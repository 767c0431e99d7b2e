//! The ladder's memory: one chain of judged calls per agent of a session.

use crate::state::{Fold, Past};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Judged calls a chain remembers; `window` and `cooldown` may not be larger.
pub const REMEMBERED: u32 = 256;

/// Chains of a session, by agent id.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct State {
    chains: BTreeMap<String, Chain>,
}

impl State {
    /// The chain of one agent, if it has one.
    pub fn chain(&self, agent: &str) -> Option<&Chain> {
        self.chains.get(agent)
    }
}

impl Fold for State {
    fn fold(&mut self, past: &Past) {
        if past.by != "ladder" {
            return;
        }
        match self.chains.get_mut(&*past.agent) {
            Some(chain) => chain.fold(past),
            None => self.chains.entry(past.agent.clone().into_owned()).or_default().fold(past),
        }
    }
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
    /// Notes so far: the generation of the next note's key.
    pub notes: u32,
    /// Whether the switched-off line was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disabled_told: bool,
    /// Keys of calls judged by this process, so that a stream counts a repeated call once.
    #[serde(skip)]
    seen: Vec<String>,
}

impl Chain {
    /// Whether a new message would clear anything.
    pub fn has_strikes(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Strikes of a class if this call is one more, among the last `window` judged calls.
    pub fn strikes_with(&self, class: &str, window: u32) -> u32 {
        let letter = letter(class);
        let before = self.calls.chars().rev().take(window.saturating_sub(1) as usize);
        1 + before.filter(|seen| *seen == letter).count() as u32
    }

    /// Whether the cooldown is over once this call is counted.
    pub fn is_cool_with_one_more(&self, cooldown: u32) -> bool {
        self.since_note.is_none_or(|calls| calls.saturating_add(1) >= cooldown)
    }

    /// Whether this process has not judged that call yet.
    pub fn is_new_call(&self, key: &str) -> bool {
        key.is_empty() || !self.seen.iter().any(|seen| seen == key)
    }
}

fn letter(class: &str) -> char {
    class.chars().next().unwrap_or('.')
}

impl Fold for Chain {
    fn fold(&mut self, past: &Past) {
        match &*past.kind {
            "judged" => {
                if self.calls.len() >= REMEMBERED as usize {
                    self.calls.remove(0);
                }
                let class: Option<String> = past.get("class");
                self.calls.push(letter(class.as_deref().unwrap_or(".")));
                self.since_note = self.since_note.map(|calls| calls.saturating_add(1));
                if !past.once.is_empty() {
                    if self.seen.len() >= REMEMBERED as usize {
                        self.seen.remove(0);
                    }
                    self.seen.push(past.once.clone().into_owned());
                }
            }
            "note" => {
                self.calls.clear();
                self.since_note = Some(0);
                self.notes = self.notes.saturating_add(1);
            }
            "prompt" => self.calls.clear(),
            "disabled" => self.disabled_told = true,
            _ => {}
        }
    }
}
