//! Splits standard input into JSON objects, without trusting that it holds any.
//!
//! A hook gets one object and the end of file; a test or a replay pipes in many, pretty-printed
//! or several on a line. What is no object is passed over up to the next line that begins with
//! `{`, and is reported, never dropped without a word.

use super::json::{Scan, Stop};
use super::payload::Payload;

/// Bytes of input that are read.
pub const LIMIT: usize = 64 << 20;

/// Characters of garbage that are shown.
const SHOWN: usize = 80;

/// What came next in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// One JSON object.
    Value {
        /// Its text, byte for byte (invalid UTF-8 replaced).
        text: String,
        /// What is known of it.
        payload: Box<Payload>,
        /// How many times bytes that are no UTF-8 were replaced in it.
        replaced: usize,
    },
    /// Something that is no JSON object, up to the next line that may hold one.
    Garbage {
        /// Its first 80 characters.
        shown: String,
        /// How many bytes were passed over.
        bytes: usize,
        /// What could be read of it, if it began as an object.
        payload: Box<Payload>,
    },
    /// An object that the end of the input cuts off.
    Unterminated {
        /// What there is of it.
        text: String,
        /// What could be read of it.
        payload: Box<Payload>,
    },
    /// The input passes [`LIMIT`] in the middle of an object or behind one; the rest was not read.
    TooLarge {
        /// What could be read of it.
        payload: Box<Payload>,
    },
    /// The whole input is white space.
    Empty,
}

/// The input as a sequence of items.
#[derive(Debug)]
pub struct Frames {
    text: String,
    at: usize,
    /// Where bytes that are no UTF-8 were replaced.
    replaced: Vec<usize>,
    /// Whether there was more input than is read.
    cut: bool,
    /// Whether anything came out yet.
    begun: bool,
}

impl Frames {
    /// Takes a whole input.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self::bounded(bytes, LIMIT)
    }

    pub(super) fn bounded(mut bytes: Vec<u8>, limit: usize) -> Self {
        let cut = bytes.len() > limit;
        bytes.truncate(limit);
        let mut replaced = Vec::new();
        let text = String::from_utf8(bytes).unwrap_or_else(|error| {
            let mut text = String::with_capacity(error.as_bytes().len() + 16);
            for chunk in error.as_bytes().utf8_chunks() {
                text.push_str(chunk.valid());
                if !chunk.invalid().is_empty() {
                    replaced.push(text.len());
                    text.push(char::REPLACEMENT_CHARACTER);
                }
            }
            text
        });
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, at, replaced, cut, begun: false }
    }

    fn garbage(&mut self, end: usize, payload: Box<Payload>) -> Item {
        let all = self.text[self.at..end].trim_end();
        let item = Item::Garbage { shown: all.chars().take(SHOWN).collect(), bytes: all.len(), payload };
        self.at = end;
        item
    }

    /// Begin of the next line that may hold an object, looked for from a byte on.
    fn resume(&self, from: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while let Some(newline) = memchr::memchr(b'\n', &bytes[at..]) {
            at += newline + 1;
            at += bytes[at..].iter().take_while(|byte| is_white(**byte)).count();
            if bytes.get(at) == Some(&b'{') {
                return at;
            }
        }
        bytes.len()
    }
}

fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

impl Iterator for Frames {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        let rest = self.text[self.at..].trim_start_matches([' ', '\t', '\r', '\n']);
        self.at = self.text.len() - rest.len();
        let first = !std::mem::replace(&mut self.begun, true);
        let Some(byte) = rest.bytes().next() else {
            if std::mem::take(&mut self.cut) {
                return Some(Item::TooLarge { payload: Box::default() });
            }
            return first.then_some(Item::Empty);
        };
        let from = self.at;
        let mut scan = Scan::new(&self.text, from);
        if byte != b'{' {
            // An array or a string is passed over as the value it is, even over several lines.
            let end = match byte {
                b'[' | b'"' if scan.skip().is_ok() => scan.at(),
                _ => self.resume(from),
            };
            return Some(self.garbage(end, Box::default()));
        }
        let mut payload = Box::<Payload>::default();
        match payload.scan(&mut scan) {
            Ok(()) => {
                let end = scan.at();
                self.at = end;
                let before = |byte: usize| self.replaced.partition_point(|place| *place < byte);
                let replaced = before(end) - before(from);
                let alone = from == 0 && self.text[end..].trim_start_matches([' ', '\t', '\r', '\n']).is_empty();
                let text = if alone && !self.cut {
                    self.at = 0;
                    let mut text = std::mem::take(&mut self.text);
                    text.truncate(end);
                    text
                } else {
                    self.text[from..end].to_owned()
                };
                Some(Item::Value { text, payload, replaced })
            }
            Err(Stop::End) => {
                self.at = self.text.len();
                if std::mem::take(&mut self.cut) {
                    return Some(Item::TooLarge { payload });
                }
                Some(Item::Unterminated { text: self.text[from..].to_owned(), payload })
            }
            Err(Stop::Bad(place)) => {
                // From the broken line on, not from the next: an object that was cut off in the
                // middle must not take the one after it along. Never back, so it stays linear.
                let line = memchr::memrchr(b'\n', &self.text.as_bytes()[from..place]).map(|at| from + at);
                let end = self.resume(line.unwrap_or(place));
                Some(self.garbage(end, payload))
            }
        }
    }
}
