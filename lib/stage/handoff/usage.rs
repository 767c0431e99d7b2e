//! How full the context is: the last measurement in a transcript, read from its end in blocks.
//!
//! A measurement is an assistant row that is no sidechain, no placeholder of the client (`<synthetic>`) and
//! has `message.usage`. A compaction behind it makes it void. What is not a row is passed over: a line that is
//! being written, garbage, a type of row that is not known. Two rows on one line are two rows.

use crate::world::World;
use memchr::{memmem, memrchr};
use serde::Deserialize;
use std::borrow::Cow;
use std::io;
use std::path::Path;

/// Bytes of one read.
const BLOCK: u64 = 64 << 10;
/// Bytes that are read of one transcript at most.
const READ: u64 = 1 << 20;
/// Age from which the last row of a transcript that belongs to another session is an old one.
const STALE: i64 = 30 * 60 * 1000;

/// What a row measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// The model, as the row names it.
    pub model: String,
    /// Tokens that went in: new ones, read from the cache and written to it.
    pub used: f64,
}

#[derive(Default, Deserialize)]
struct Row<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    subtype: Option<Cow<'a, str>>,
    #[serde(rename = "isSidechain")]
    sidechain: Option<bool>,
    #[serde(rename = "isApiErrorMessage")]
    error: Option<bool>,
    #[serde(borrow, rename = "sessionId")]
    session: Option<Cow<'a, str>>,
    #[serde(borrow)]
    timestamp: Option<Cow<'a, str>>,
    #[serde(borrow)]
    message: Option<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    model: Option<Cow<'a, str>>,
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(rename = "input_tokens")]
    input: Option<f64>,
    #[serde(rename = "cache_read_input_tokens")]
    read: Option<f64>,
    #[serde(rename = "cache_creation_input_tokens")]
    written: Option<f64>,
}

/// What one line says.
enum Said {
    Measured(Usage),
    /// What was measured before is void.
    Void,
    Nothing,
}

/// The last measurement of a transcript; `None` if its last mebibyte has none that counts.
///
/// # Errors
/// As [`World::read_end`].
pub fn last(path: &Path, session: &str, now: i64, world: &dyn World) -> io::Result<Option<Usage>> {
    let (mut start, mut bytes) = world.read_end(path, 0, BLOCK)?;
    // JSON text holds no NUL: this is UTF-16, or a disk lost what was written last.
    if bytes.contains(&0)
        && let Some(unit) = utf16(&world.read_at(path, 0, 2)?)
    {
        return last_utf16(path, session, now, unit, world);
    }
    let own = path.file_stem().is_some_and(|stem| stem.to_str() == Some(session));
    let mut read = bytes.len() as u64;
    loop {
        // What stands before the first newline may have begun in the block before.
        let whole = if start == 0 { 0 } else { memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |end| end + 1) };
        if let Some(found) = search(&bytes[whole..], session, now, own) {
            return Ok(found);
        }
        if start == 0 || read >= READ {
            return Ok(None);
        }
        bytes.truncate(whole);
        let from = start.saturating_sub(BLOCK.min(READ - read));
        let mut more = world.read_at(path, from, start - from)?;
        if more.is_empty() {
            return Ok(None);
        }
        read += more.len() as u64;
        start = from;
        more.append(&mut bytes);
        bytes = more;
    }
}

/// Looks through lines, the last first. The outer `None`: nothing there, go on before them.
fn search(mut lines: &[u8], session: &str, now: i64, own: bool) -> Option<Option<Usage>> {
    loop {
        let begin = memrchr(b'\n', lines).map_or(0, |end| end + 1);
        match read_line(&lines[begin..], session, now, own) {
            Said::Measured(usage) => return Some(Some(usage)),
            Said::Void => return Some(None),
            Said::Nothing => {}
        }
        if begin == 0 {
            return None;
        }
        lines = &lines[..begin - 1];
    }
}

fn read_line(line: &[u8], session: &str, now: i64, own: bool) -> Said {
    let holds = |word: &str| memmem::find(line, word.as_bytes()).is_some();
    if !(holds("\"assistant\"") && holds("\"usage\"") || holds("\"compact_boundary\"")) {
        return Said::Nothing;
    }
    let mut said = Said::Nothing;
    let mut from = 0;
    loop {
        let mut rows = serde_json::Deserializer::from_slice(&line[from..]).into_iter::<Row>();
        let (mut broken, mut good) = (false, 0);
        while let Some(row) = rows.next() {
            match row.map(|row| row.said(session, now, own)) {
                Ok(new) => {
                    good = rows.byte_offset();
                    if !matches!(new, Said::Nothing) {
                        said = new;
                    }
                }
                Err(_) => broken = true,
            }
        }
        // A row that was not written to its end: the next one begins behind it, on the same line.
        let next = from + good + 1;
        let rest = line.get(next..).filter(|_| broken).unwrap_or_default();
        match memmem::find(rest, b"{\"parentUuid\"") {
            Some(at) => from = next + at,
            None => return said,
        }
    }
}

impl Row<'_> {
    fn said(self, session: &str, now: i64, own: bool) -> Said {
        if self.kind.as_deref() == Some("system") && self.subtype.as_deref() == Some("compact_boundary") {
            return Said::Void;
        }
        let main = self.kind.as_deref() == Some("assistant") && self.sidechain != Some(true);
        let Some(message) = self.message.filter(|_| main && self.error != Some(true)) else { return Said::Nothing };
        let (Some(model), Some(tokens)) = (message.model, message.usage) else { return Said::Nothing };
        let Some(input) = tokens.input.filter(|_| !model.is_empty() && !model.starts_with('<')) else {
            return Said::Nothing;
        };
        let used = input + tokens.read.unwrap_or(0.0) + tokens.written.unwrap_or(0.0);
        // A request is never empty.
        if !(used.is_finite() && used > 0.0) {
            return Said::Nothing;
        }
        // A host may hand out the path of a transcript that is long over.
        let foreign = !own && self.session.is_some_and(|id| id != session);
        let old = self.timestamp.and_then(|at| super::quote::millis(&at)).is_some_and(|at| at + STALE < now);
        if foreign && old {
            return Said::Void;
        }
        Said::Measured(Usage { model: model.into_owned(), used })
    }
}

/// How two bytes make a unit of UTF-16, by the mark at the beginning of a file.
fn utf16(mark: &[u8]) -> Option<fn([u8; 2]) -> u16> {
    match mark {
        [0xff, 0xfe] => Some(u16::from_le_bytes),
        [0xfe, 0xff] => Some(u16::from_be_bytes),
        _ => None,
    }
}

/// The same of a transcript that something has saved as UTF-16.
fn last_utf16(
    path: &Path,
    session: &str,
    now: i64,
    unit: fn([u8; 2]) -> u16,
    world: &dyn World,
) -> io::Result<Option<Usage>> {
    // One block was read before.
    let (start, bytes) = world.read_end(path, 2, READ - 2 * BLOCK)?;
    let bytes = bytes.get(usize::from(start % 2 == 1)..).unwrap_or_default();
    let (units, _) = bytes.as_chunks::<2>();
    let text: String =
        char::decode_utf16(units.iter().map(|bytes| unit(*bytes))).map(|letter| letter.unwrap_or('\u{fffd}')).collect();
    match search(text.as_bytes(), session, now, false) {
        Some(found) => Ok(found),
        None => Err(io::Error::other("it is saved as UTF-16, and no line of it is a row that measures")),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests may fail")]
    use super::*;
    use crate::world::Memory;
    use proptest::prelude::*;

    const ROWS: &[&str] = &[
        r#"{"type":"user","message":{"role":"user","content":"hi"}}"#,
        r#"{"parentUuid":null,"type":"assistant","message":{"model":"claude-opus-4-5","usage":{"input_tokens":7,"cache_read_input_tokens":5}}}"#,
        r#"{"type":"assistant","isSidechain":true,"message":{"model":"claude-opus-4-5","usage":{"input_tokens":3}}}"#,
        r#"{"type":"assistant","message":{"model":"<synthetic>","usage":{"input_tokens":0,"output_tokens":0}}}"#,
        r#"{"type":"system","subtype":"compact_boundary"}"#,
        "{bad",
        "",
    ];

    proptest! {
        /// In blocks or at once, the last row that counts is the same; and nothing panics.
        #[test]
        fn blocks_do_not_matter(
            rows in proptest::collection::vec((0..ROWS.len(), prop_oneof![Just(0_usize), Just(70_000), Just(200)]), 0..12),
            cut in 0..400_000_usize, byte: u8,
        ) {
            let mut text = String::new();
            for (row, pad) in rows {
                text.push_str(ROWS[row]);
                text.push_str(&" ".repeat(pad));
                text.push('\n');
            }
            let mut bytes = text.into_bytes();
            if let Some(slot) = bytes.get_mut(cut / 3) {
                *slot = byte;
            }
            bytes.truncate(cut);
            let want = if bytes.starts_with(&[0xff, 0xfe]) { None } else { search(&bytes, "s", 0, false).flatten() };
            let world = Memory::new();
            world.put("/t.jsonl", bytes);
            prop_assert_eq!(last(Path::new("/t.jsonl"), "s", 0, &world).unwrap(), want);
        }

        #[test]
        fn any_bytes_are_read_without_harm(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let world = Memory::new();
            world.put("/t.jsonl", bytes);
            let _ = last(Path::new("/t.jsonl"), "s", 0, &world);
        }
    }
}
