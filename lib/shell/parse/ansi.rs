//! The escapes of `$'…'`.

use super::{Parser, Step, class, pair};
use crate::shell::ast::{PieceKind, Span};

impl Parser<'_> {
    /// `$'…'` whose `'` stands at `quote`.
    pub(super) fn ansi(&mut self, quote: usize) -> Step {
        let Some(end) = pair::ansi_end(self.src, quote + 1) else {
            return self.fail(quote, "no closing `'` for this one");
        };
        self.pos = end;
        let inner = self.src.get(quote + 1..end - 1).unwrap_or_default();
        if memchr::memchr(b'\\', inner).is_none() {
            self.push(PieceKind::Text, true, quote + 1, end - 1);
            return Ok(());
        }
        let start = self.script.decoded.len();
        decode(inner, &mut self.script.decoded);
        let value = Span::new(start, self.script.decoded.len());
        self.push(PieceKind::Decoded(value), true, quote + 1, end - 1);
        Ok(())
    }
}

/// Appends the value of what stands between the quotes.
///
/// Bytes that form no character become U+FFFD, as a text holds only characters.
pub(super) fn decode(inner: &[u8], out: &mut String) {
    let mut bytes = Vec::with_capacity(inner.len());
    unescape(inner, &mut bytes);
    out.push_str(&String::from_utf8_lossy(&bytes));
}

fn unescape(inner: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(&byte) = inner.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(&escape) = inner.get(at) else {
            out.push(b'\\');
            return;
        };
        at += 1;
        let value = match escape {
            b'a' => 7,
            b'b' => 8,
            b'e' | b'E' => 27,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'\\' | b'\'' | b'"' | b'?' => escape,
            b'0'..=b'7' => {
                let (value, past) = digits(inner, at - 1, 3, 8);
                at = past;
                value as u8
            }
            b'x' => {
                let braced = inner.get(at) == Some(&b'{');
                // With braces bash reads any number of digits and keeps the low byte.
                let (value, past) = if braced {
                    digits(inner, at + 1, usize::MAX, 16)
                } else {
                    digits(inner, at, 2, 16)
                };
                if braced {
                    let none = past == at + 1;
                    let closed = inner.get(past) == Some(&b'}');
                    if none {
                        // `\x{` without digits is a NUL if it closes, else text.
                        if closed {
                            return;
                        }
                        out.extend_from_slice(b"\\x");
                        continue;
                    }
                    at = if closed { past + 1 } else { past };
                    value as u8
                } else if past == at {
                    out.extend_from_slice(b"\\x");
                    continue;
                } else {
                    at = past;
                    value as u8
                }
            }
            b'u' | b'U' => {
                let most = if escape == b'u' { 4 } else { 8 };
                let (value, past) = digits(inner, at, most, 16);
                if past == at {
                    out.extend_from_slice(&[b'\\', escape]);
                    continue;
                }
                at = past;
                if value == 0 {
                    return;
                }
                encode(value, out);
                continue;
            }
            b'c' => match inner.get(at) {
                None => {
                    out.extend_from_slice(b"\\c");
                    return;
                }
                Some(&control) => {
                    at += 1;
                    // `\c\\` is one control character.
                    if control == b'\\' && inner.get(at) == Some(&b'\\') {
                        at += 1;
                    }
                    if control == b'?' {
                        0x7F
                    } else {
                        control.to_ascii_uppercase() & 0x1F
                    }
                }
            },
            other => {
                out.extend_from_slice(&[b'\\', other]);
                continue;
            }
        };
        if value == 0 {
            return;
        }
        out.push(value);
    }
}

/// The number at `at`, and the place after it.
fn digits(inner: &[u8], at: usize, most: usize, radix: u32) -> (u32, usize) {
    let mut value = 0u32;
    let mut past = at;
    while past - at < most
        && let Some(digit) = inner.get(past).and_then(|&b| char::from(b).to_digit(radix))
    {
        value = value.wrapping_mul(radix).wrapping_add(digit);
        past += 1;
    }
    (value, past)
}

/// Appends a code point; one that is no character leaves a byte that is none either.
fn encode(value: u32, out: &mut Vec<u8>) {
    match char::from_u32(value) {
        Some(character) => {
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        None => out.push(0xFF),
    }
}

/// Appends what a here-document delimiter is after quote removal.
pub(super) fn unquote(raw: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(&byte) = raw.get(at) {
        at += 1;
        match byte {
            b'\\' => {
                match raw.get(at) {
                    None => out.push(byte),
                    Some(b'\n') => {}
                    Some(&next) => out.push(next),
                }
                at += 1;
            }
            b'\'' => {
                let rest = raw.get(at..).unwrap_or_default();
                let length = memchr::memchr(b'\'', rest).unwrap_or(rest.len());
                out.extend_from_slice(rest.get(..length).unwrap_or_default());
                at += length + 1;
            }
            b'$' if raw.get(at) == Some(&b'\'') => {
                let end = pair::ansi_end(raw, at + 1).unwrap_or(raw.len() + 1);
                unescape(raw.get(at + 1..end - 1).unwrap_or_default(), out);
                at = end;
            }
            b'$' if raw.get(at) == Some(&b'"') => {}
            b'"' => {
                while let Some(&inner) = raw.get(at)
                    && inner != b'"'
                {
                    at += 1;
                    match (inner, raw.get(at)) {
                        (b'\\', Some(b'\n')) => at += 1,
                        (b'\\', Some(&next)) if class::QUOTED[next as usize] != class::PLAIN => {
                            out.push(next);
                            at += 1;
                        }
                        _ => out.push(inner),
                    }
                }
                at += 1;
            }
            _ => out.push(byte),
        }
    }
}
