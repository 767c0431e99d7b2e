//! How each value came about: who set it, what it overrode, and who was refused. Kept only for people who
//! ask (`kz config`, `kz doctor`), never for a hook.

use super::keys::{Key, Value};
use super::layer::Entry;
use super::table::KEYS;
use super::{Config, Origin};

/// A config and how it came about.
#[derive(Debug, Default)]
pub struct Traced {
    /// The result.
    pub config: Config,
    /// Every value that a layer wanted set, in the order of the layers.
    pub steps: Vec<Step>,
}

/// A value that a layer wanted set.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its row.
    pub key: &'static Key,
    /// What stands for the `*` of the row's name.
    pub wild: String,
    /// The value, if it is one that the key takes.
    pub value: Option<Value>,
    /// The value as TOML; empty if it could not be read.
    pub text: String,
    /// Who.
    pub origin: Origin,
    /// Why it does not count, if it does not.
    pub refused: Option<String>,
}

impl Step {
    pub(super) fn set(entry: &Entry, origin: Origin) -> Self {
        Self {
            key: entry.key,
            wild: entry.wild.clone(),
            value: Some(entry.value.clone()),
            text: entry.value.toml(),
            origin,
            refused: None,
        }
    }
}

/// A key as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Now {
    /// Its row.
    pub key: &'static Key,
    /// What stands for the `*` of the row's name.
    pub wild: String,
    /// Its value.
    pub value: Value,
    /// Who set it.
    pub origin: Origin,
}

impl Now {
    /// Dotted name.
    pub fn name(&self) -> String {
        self.key.dotted(&self.wild)
    }
}

/// Every key of a config that has a value, in table order.
pub fn list(config: &Config) -> Vec<Now> {
    let mut copy = config.clone();
    let mut rows = Vec::new();
    for key in KEYS {
        let names: Vec<String> = match key.name.split_once(".*") {
            Some(("modes", _)) => config.modes.keys().cloned().collect(),
            Some(("handoff.limits", _)) => config.handoff.limits.keys().cloned().collect(),
            Some(_) => config.guard.rules.keys().cloned().collect(),
            None => vec![String::new()],
        };
        for wild in names {
            if let Some((value, origin)) = key.get(&mut copy, &wild) {
                rows.push(Now { key, wild, value, origin });
            }
        }
    }
    rows
}

impl Traced {
    /// Every key that has a value, in table order: also those that somebody set and no stage acts on.
    pub fn list(&self) -> Vec<Now> {
        let mut rows = list(&self.config);
        rows.extend(self.idle().into_iter().filter_map(|step| {
            let (key, wild, origin) = (step.key, step.wild.clone(), step.origin.clone());
            step.value.clone().map(|value| Now { key, wild, value, origin })
        }));
        rows
    }

    /// The value of one key; `None` if it has none.
    pub fn get(&self, key: &Key, wild: &str) -> Option<Now> {
        self.list().into_iter().find(|row| row.key == key && row.wild == wild)
    }

    /// Who set or tried to set a key, in the order of the layers.
    pub fn of<'a>(&'a self, key: &Key, wild: &str) -> impl Iterator<Item = &'a Step> {
        self.steps.iter().filter(move |step| step.key == key && step.wild == wild)
    }

    /// What is set, the last word for each key, and no stage of this version acts on.
    pub fn idle(&self) -> Vec<&Step> {
        let mut last: Vec<&Step> = Vec::new();
        for step in self.steps.iter().filter(|step| !step.key.acts() && step.refused.is_none()) {
            last.retain(|other| other.key != step.key || other.wild != step.wild);
            last.push(step);
        }
        last
    }

    /// How many values count that layers above the defaults have set.
    pub fn count(&self) -> usize {
        self.steps.iter().filter(|step| step.refused.is_none()).count()
    }
}
