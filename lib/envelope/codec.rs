//! Lines to envelopes and back.
//!
//! `kz`, `hook` and `faults` are frozen for ever, so a line of a newer major version can be
//! passed on with a fault added. `hook` and unknown keys keep their bytes.

use super::{Envelope, Fault, VERSION};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// What a line turned out to be.
#[derive(Debug)]
pub enum Line {
    /// An envelope of this version.
    Envelope(Box<Envelope>),
    /// An envelope of a newer major version: the line to pass on, with a fault added.
    Newer(String),
    /// Not an envelope: why. The line is passed on as it is.
    Foreign(String),
}

/// Reads one line. Total: anything that is no envelope is [`Line::Foreign`].
pub fn decode(line: &str) -> Line {
    let keys: Keys = match serde_json::from_str(line) {
        Ok(keys) => keys,
        Err(error) => return Line::Foreign(format!("not a JSON object: {error}")),
    };
    let Some(version) = keys.0.iter().find(|(key, _)| key == "kz") else {
        return Line::Foreign("a JSON object without `kz`, so no envelope".into());
    };
    match serde_json::from_str::<u32>(version.1.get()) {
        Ok(VERSION) => {}
        Ok(newer) if newer > VERSION => return Line::Newer(add_fault(&keys, newer)),
        _ => return Line::Foreign(format!("`kz` is `{}`, no version that was ever written", version.1.get())),
    }
    let mut envelope = Envelope::default();
    for (key, raw) in keys.0 {
        let text = raw.get();
        let read = match &*key {
            "kz" => Ok(()),
            "hook" => {
                text.clone_into(&mut envelope.hook);
                Ok(())
            }
            "call" => fill(text, &mut envelope.call),
            "facts" => fill(text, &mut envelope.facts),
            "findings" => fill(text, &mut envelope.findings),
            "votes" => fill(text, &mut envelope.votes),
            "notes" => fill(text, &mut envelope.notes),
            "events" => fill(text, &mut envelope.events),
            "effects" => fill(text, &mut envelope.effects),
            "faults" => fill(text, &mut envelope.faults),
            "decision" => fill(text, &mut envelope.decision),
            _ => {
                envelope.extra.0.push((key.clone().into_owned(), raw.to_owned()));
                Ok(())
            }
        };
        if let Err(error) = read {
            return Line::Foreign(format!("`{key}` of the envelope does not read: {error}"));
        }
    }
    Line::Envelope(Box::new(envelope))
}

/// Writes one line, without the newline.
pub fn encode(envelope: &Envelope) -> String {
    let mut out = String::with_capacity(envelope.hook.len() + 1024);
    out.push_str("{\"kz\":1,\"hook\":");
    out.push_str(if envelope.hook.is_empty() { "null" } else { &envelope.hook });
    push(&mut out, "call", &envelope.call);
    push(&mut out, "facts", &envelope.facts);
    list(&mut out, "findings", &envelope.findings);
    list(&mut out, "votes", &envelope.votes);
    list(&mut out, "notes", &envelope.notes);
    list(&mut out, "events", &envelope.events);
    list(&mut out, "effects", &envelope.effects);
    list(&mut out, "faults", &envelope.faults);
    if let Some(decision) = &envelope.decision {
        push(&mut out, "decision", decision);
    }
    for (key, raw) in &envelope.extra.0 {
        push(&mut out, key, raw);
    }
    out.push('}');
    out
}

struct Keys<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> serde::Deserialize<'de> for Keys<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Keys<'de>;
            fn expecting(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
                out.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys<'de>, A::Error> {
                let mut rows = Vec::with_capacity(16);
                while let Some(row) = map.next_entry::<Cow<'de, str>, &'de RawValue>()? {
                    rows.push(row);
                }
                Ok(Keys(rows))
            }
        }
        from.deserialize_map(Visit)
    }
}

fn fill<'a, T: serde::Deserialize<'a>>(text: &'a str, slot: &mut T) -> Result<(), serde_json::Error> {
    *slot = serde_json::from_str(text)?;
    Ok(())
}

fn push<T: serde::Serialize + ?Sized>(out: &mut String, key: &str, value: &T) {
    // Everything written here has a JSON form; should that ever fail, the key is left out whole.
    let (Ok(key), Ok(value)) = (serde_json::to_string(key), serde_json::to_string(value)) else { return };
    out.push(',');
    out.push_str(&key);
    out.push(':');
    out.push_str(&value);
}

fn list<T: serde::Serialize>(out: &mut String, key: &str, rows: &[T]) {
    if !rows.is_empty() {
        push(out, key, rows);
    }
}

fn add_fault(keys: &Keys, newer: u32) -> String {
    let fault = Fault {
        by: "codec".into(),
        kind: "version".into(),
        text: format!(
            "this program reads envelopes of version {VERSION} and passed on one of version {newer}; update kz"
        ),
        ..Fault::default()
    };
    let mut out = String::from("{");
    let mut written = false;
    for (key, raw) in &keys.0 {
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&serde_json::to_string(key).unwrap_or_default());
        out.push(':');
        let text = raw.get();
        match (key.as_ref(), text.trim_end().strip_suffix(']')) {
            ("faults", Some(head)) if !written => {
                out.push_str(head);
                if !head.trim_end().ends_with('[') {
                    out.push(',');
                }
                out.push_str(&serde_json::to_string(&fault).unwrap_or_default());
                out.push(']');
                written = true;
            }
            _ => out.push_str(text),
        }
    }
    if !written {
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str("\"faults\":[");
        out.push_str(&serde_json::to_string(&fault).unwrap_or_default());
        out.push(']');
    }
    out.push('}');
    out
}

#[cfg(test)]
mod tests {
    #![expect(clippy::panic, reason = "tests may fail")]
    use super::*;

    fn envelope(line: &str) -> Envelope {
        match decode(line) {
            Line::Envelope(envelope) => *envelope,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn unknown_keys_and_numbers_keep_their_bytes() {
        let line = concat!(
            r#"{"kz":1,"hook":{"a" : 1.0, "b":1e400},"call":{"event":"pre_tool","host_event":"PreToolUse","#,
            r#""agent":{"kind":"claude","id":"main"},"unattended":false,"does":"shell","stop_active":false,"late":1.50},"#,
            r#""facts":{"at":5,"repeated":false,"session":{"ladder":{"n":1.0}},"more":[ 1 ]},"#,
            r#""votes":[{"by":"x.jira","rule":"a/b","say":"deny","weight":2.0}],"x":{"jira":{"t":"A-7"}},"zz":1.0}"#
        );
        assert_eq!(encode(&envelope(line)), line);
    }

    #[test]
    fn a_newer_major_passes_through_with_a_fault() {
        for (line, want) in [
            (r#"{"kz":2,"hook":{},"new":[1.0]}"#, r#"{"kz":2,"hook":{},"new":[1.0],"faults":[{"by""#),
            (r#"{"kz":2,"faults":[{"by":"a"}],"hook":{}}"#, r#"{"kz":2,"faults":[{"by":"a"},{"by":"codec""#),
            (r#"{"kz":2,"faults":[ ]}"#, r#"{"kz":2,"faults":[ {"by":"codec""#),
        ] {
            let Line::Newer(out) = decode(line) else { panic!("{line}") };
            assert!(out.starts_with(want), "{out}");
            assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok(), "{out}");
        }
    }

    #[test]
    fn what_is_no_envelope_says_why() {
        for (line, why) in [
            ("nonsense", "not a JSON object"),
            ("[1]", "not a JSON object"),
            ("{}", "without `kz`"),
            (r#"{"kz":0}"#, "no version"),
            (r#"{"kz":"1"}"#, "no version"),
            (r#"{"kz":1,"votes":3}"#, "`votes`"),
        ] {
            let Line::Foreign(text) = decode(line) else { panic!("{line}") };
            assert!(text.contains(why), "{text}");
        }
    }

    #[test]
    fn an_empty_envelope_is_written_and_read() {
        let line = encode(&Envelope::default());
        assert_eq!(encode(&envelope(&line)), line);
    }
}
