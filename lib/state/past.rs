//! An event as it is folded: borrowed from the log, or from an envelope of the same process.

use crate::envelope::{Event, Extra};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// One remembered event. Unknown kinds are skipped by whoever folds.
#[derive(Clone, Debug, Default)]
pub struct Past<'a> {
    /// Milliseconds since 1970.
    pub at: i64,
    /// Stage that added it.
    pub by: Cow<'a, str>,
    /// What happened.
    pub kind: Cow<'a, str>,
    /// Agent of the session it belongs to.
    pub agent: Cow<'a, str>,
    /// Its `once` key, or empty.
    pub once: Cow<'a, str>,
    /// Raw JSON by key.
    fields: Vec<(Cow<'a, str>, &'a str)>,
}

/// State that is an input as facts and an output as events.
pub trait Fold {
    /// Takes one event into account. Must not depend on config.
    fn fold(&mut self, past: &Past);
}

impl<'a> Past<'a> {
    /// A field of the event's own, if it is there and has this type.
    pub fn get<T: Deserialize<'a>>(&self, key: &str) -> Option<T> {
        let raw = self.fields.iter().find(|(known, _)| known == key)?.1;
        serde_json::from_str(raw).ok()
    }
}

impl<'a> From<&'a Event> for Past<'a> {
    fn from(event: &'a Event) -> Self {
        let Extra(rows) = &event.extra;
        Self {
            at: event.at,
            by: Cow::Borrowed(&event.by),
            kind: Cow::Borrowed(&event.kind),
            agent: Cow::Borrowed(&event.agent),
            once: Cow::Borrowed(&event.once),
            fields: rows.iter().map(|(key, raw)| (Cow::Borrowed(key.as_str()), raw.get())).collect(),
        }
    }
}

impl<'a> Past<'a> {
    /// Becomes the event of a line, in place: a fold over a log needs no room per line.
    /// `false` if the line is none; what is left is then of no use.
    pub fn read(&mut self, line: &'a str) -> bool {
        self.clear();
        if self.scan(line).is_some() {
            return true;
        }
        self.clear();
        let mut from = serde_json::Deserializer::from_str(line);
        Refill(self).deserialize(&mut from).and_then(|()| from.end()).is_ok()
    }

    /// Reads a line as our own writer writes it: no space between tokens, no escape in a key or in
    /// a name. Anything else is left to serde. Folding 16 KB so takes a third of the time, in
    /// every hook. What is inside a field is not looked at before somebody asks for it.
    fn scan(&mut self, line: &'a str) -> Option<()> {
        let bytes = line.as_bytes();
        if bytes.first() != Some(&b'{') {
            return None;
        }
        let mut at = 1;
        loop {
            let (key, end) = plain_string(line, at)?;
            if bytes.get(end) != Some(&b':') {
                return None;
            }
            at = end + 1;
            let slot = match key {
                "by" => Some(&mut self.by),
                "kind" => Some(&mut self.kind),
                "agent" => Some(&mut self.agent),
                "once" => Some(&mut self.once),
                _ => None,
            };
            if let Some(slot) = slot {
                let (text, end) = plain_string(line, at)?;
                *slot = Cow::Borrowed(text);
                at = end;
            } else {
                let end = value_end(bytes, at)?;
                let raw = line.get(at..end)?;
                match key {
                    "at" => self.at = raw.parse().ok()?,
                    _ => self.fields.push((Cow::Borrowed(key), raw)),
                }
                at = end;
            }
            match bytes.get(at)? {
                b',' => at += 1,
                b'}' if at + 1 == bytes.len() => return Some(()),
                _ => return None,
            }
        }
    }

    fn clear(&mut self) {
        let mut fields = std::mem::take(&mut self.fields);
        fields.clear();
        *self = Self { fields, ..Self::default() };
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Past<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut past = Past::default();
        Refill(&mut past).deserialize(from)?;
        Ok(past)
    }
}

struct Refill<'p, 'a>(&'p mut Past<'a>);

impl<'de: 'a, 'a> DeserializeSeed<'de> for Refill<'_, 'a> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de: 'a, 'a> Visitor<'de> for Refill<'_, 'a> {
    type Value = ();
    fn expecting(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("an event")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let past = self.0;
        while let Some(key) = map.next_key::<Text<'de>>()? {
            match &*key.0 {
                "at" => past.at = map.next_value()?,
                "by" => past.by = map.next_value::<Text<'de>>()?.0,
                "kind" => past.kind = map.next_value::<Text<'de>>()?.0,
                "agent" => past.agent = map.next_value::<Text<'de>>()?.0,
                "once" => past.once = map.next_value::<Text<'de>>()?.0,
                _ => past.fields.push((key.0, map.next_value::<&'de RawValue>()?.get())),
            }
        }
        Ok(())
    }
}

/// The string that begins here, and where it ends; none if it has escapes.
fn plain_string(line: &str, at: usize) -> Option<(&str, usize)> {
    let rest = line.get(at..)?.strip_prefix('"')?;
    let len = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\') || byte < b' ')?;
    (rest.as_bytes()[len] == b'"').then(|| (&rest[..len], at + len + 2))
}

/// Where the value that begins here ends.
fn value_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let begin = at;
    let mut depth = 0_u32;
    loop {
        match bytes.get(at)? {
            b'"' => {
                at += 1;
                loop {
                    match bytes.get(at)? {
                        b'"' => break,
                        b'\\' => at += 2,
                        _ => at += 1,
                    }
                }
            }
            b'{' | b'[' => depth += 1,
            b',' | b'}' if depth == 0 => return (at > begin && scalar(&bytes[begin..at])).then_some(at),
            b'}' | b']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        at += 1;
    }
}

/// Whether a value without quotes and brackets is one: a number, or one of three words.
fn scalar(raw: &[u8]) -> bool {
    match raw[0] {
        b'"' | b'{' | b'[' => true,
        b't' | b'f' | b'n' => matches!(raw, b"true" | b"false" | b"null"),
        _ => raw.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E')),
    }
}

/// A string borrowed from the input where it has no escapes (`Cow` alone always copies).
struct Text<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Text<'de>;
            fn expecting(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
                out.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        from.deserialize_str(Visit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn same(line: &str) -> Result<(), TestCaseError> {
        let (mut fast, slow) = (Past::default(), serde_json::from_str::<Past>(line));
        prop_assert_eq!(fast.read(line), slow.is_ok(), "{}", line);
        if let Ok(slow) = slow {
            prop_assert_eq!(format!("{fast:?}"), format!("{slow:?}"));
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn both_ways_of_reading_agree(
            rows in proptest::collection::vec((
                prop_oneof![Just("at"), Just("by"), Just("kind"), Just("once"), Just("agent"), Just("x"), Just("\u{e9}\""), Just("")],
                prop_oneof![Just("5"), Just("-1.5e3"), Just("\"a\""), Just("\"\\\"}\""), Just("null"), Just("{\"a\":[1,\"]\"]}"), Just("[]"), Just("\"\u{e9}\"")],
            ), 0..6),
            spaces in any::<bool>(), cut in 0..200_usize,
        ) {
            let colon = if spaces { " : " } else { ":" };
            let rows: Vec<_> = rows.iter().map(|(key, raw)| format!("{}{colon}{raw}", serde_json::json!(key))).collect();
            let line = format!("{{{}}}", rows.join(","));
            same(&line)?;
            if let Some(torn) = line.get(..cut) {
                same(torn)?;
            }
            same(&format!("{line}{line}"))?;
        }
    }
}
