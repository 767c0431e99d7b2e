//! The `once` keys that a session has used.

use crate::text::stable_hash;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Keys that are remembered; older ones belong to calls long over.
const KEPT: usize = 512;

/// The last 512 `once` keys that were used, as hashes: half of what a hook reads would else be keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Keys(VecDeque<u64>);

impl Keys {
    /// Whether a key was used.
    pub fn contains(&self, key: &str) -> bool {
        !key.is_empty() && self.0.contains(&stable_hash(key))
    }

    /// Remembers a key. The events of one call often share theirs, so the same one twice in a row is once.
    pub fn add(&mut self, key: &str) {
        let hash = stable_hash(key);
        if key.is_empty() || self.0.back() == Some(&hash) {
            return;
        }
        if self.0.len() >= KEPT {
            self.0.pop_front();
        }
        self.0.push_back(hash);
    }

    /// How many are remembered.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether none was used yet.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
