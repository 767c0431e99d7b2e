//! The `once` keys that a session has used.

use crate::text::key_hash;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::VecDeque;

/// Keys that are remembered; older ones belong to calls long over.
const KEPT: usize = 512;

/// The last 512 `once` keys that were used, as hashes: half of what a hook reads would else be keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys(VecDeque<u64>);

impl Keys {
    /// Whether a key was used.
    pub fn contains(&self, key: &str) -> bool {
        !key.is_empty() && self.0.contains(&key_hash(key))
    }

    /// Remembers a key. The events of one call often share theirs, so the same one twice in a row is once.
    pub fn add(&mut self, key: &str) {
        let hash = key_hash(key);
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

/// One string of 16 hex digits a key: read in a third of the time that a list of numbers takes.
impl Serialize for Keys {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digits = self.0.iter().flat_map(|hash| (0..16).rev().map(move |n| DIGITS[(hash >> (4 * n)) as usize & 15]));
        to.serialize_str(&digits.map(char::from).collect::<String>())
    }
}

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visit;
        impl serde::de::Visitor<'_> for Visit {
            type Value = Keys;
            fn expecting(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
                out.write_str("16 hex digits a key")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Keys, E> {
                let (hashes, rest) = text.as_bytes().as_chunks::<16>();
                let hex = text.bytes().fold(true, |hex, byte| hex & matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
                if !hex || !rest.is_empty() || hashes.len() > KEPT {
                    return Err(E::invalid_value(serde::de::Unexpected::Str(text), &self));
                }
                Ok(Keys(hashes.iter().map(hash).collect()))
            }
        }
        from.deserialize_str(Visit)
    }
}

fn hash(digits: &[u8; 16]) -> u64 {
    let (halves, _) = digits.as_chunks::<8>();
    halves.iter().fold(0, |hash, half| hash << 32 | nibbles(u64::from_be_bytes(*half)))
}

/// The number that eight hex digits say: digit by digit it would be half of what a snapshot costs.
fn nibbles(digits: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // A letter has bit 6 and its low bits count from 1.
    let each = (digits & (0x0f * ONES)) + 9 * (digits >> 6 & ONES);
    let pairs = (each | each >> 4) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs | pairs >> 8) & 0x0000_ffff_0000_ffff;
    (fours | fours >> 16) & 0xffff_ffff
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests may fail")]
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut keys = Keys::default();
        for n in 0..600 {
            keys.add(&format!("key/{n}"));
            keys.add(&format!("key/{n}"));
        }
        assert!(keys.len() == KEPT && keys.contains("key/88") && !keys.contains("key/87") && !keys.contains(""));
        let text = serde_json::to_string(&keys).unwrap();
        assert_eq!(serde_json::from_str::<Keys>(&text).unwrap(), keys);
        let numbers = Keys([0, u64::MAX, 0x0123_4567_89ab_cdef].into());
        let text = serde_json::to_string(&numbers).unwrap();
        assert_eq!(text, "\"0000000000000000ffffffffffffffff0123456789abcdef\"");
        assert_eq!(serde_json::from_str::<Keys>(&text).unwrap(), numbers);
        for odd in ["\"0\"", "\"000000000000000g\"", "[1]", "5"] {
            assert!(serde_json::from_str::<Keys>(odd).is_err(), "{odd}");
        }
    }
}
