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
    fields: Vec<(Cow<'a, str>, &'a RawValue)>,
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
        serde_json::from_str(raw.get()).ok()
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
            fields: rows.iter().map(|(key, raw)| (Cow::Borrowed(key.as_str()), &**raw)).collect(),
        }
    }
}

impl<'a> Past<'a> {
    /// Becomes the event of a line, in place: a fold over a log needs no room per line.
    /// `false` if the line is none; what is left is then of no use.
    pub fn read(&mut self, line: &'a str) -> bool {
        self.clear();
        let mut from = serde_json::Deserializer::from_str(line);
        Refill(self).deserialize(&mut from).and_then(|()| from.end()).is_ok()
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
                _ => past.fields.push((key.0, map.next_value()?)),
            }
        }
        Ok(())
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
