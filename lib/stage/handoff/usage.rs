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
    // JSON text holds no NUL: this is UTF-16, or no text at all.
    if bytes.contains(&0) {
        return last_utf16(path, session, now, world);
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

/// The same of a transcript that something has saved as UTF-16: its mark says which end comes first.
fn last_utf16(path: &Path, session: &str, now: i64, world: &dyn World) -> io::Result<Option<Usage>> {
    let mark = world.read_at(path, 0, 2)?;
    let unit: fn([u8; 2]) -> u16 = match mark.as_slice() {
        [0xff, 0xfe] => u16::from_le_bytes,
        [0xfe, 0xff] => u16::from_be_bytes,
        _ => return Ok(None),
    };
    // One block was read before.
    let (start, bytes) = world.read_end(path, 2, READ - 2 * BLOCK)?;
    let bytes = bytes.get(usize::from(start % 2 == 1)..).unwrap_or_default();
    let (units, _) = bytes.as_chunks::<2>();
    let text: String =
        char::decode_utf16(units.iter().map(|bytes| unit(*bytes))).map(|letter| letter.unwrap_or('\u{fffd}')).collect();
    Ok(search(text.as_bytes(), session, now, false).flatten())
}
