//! Strings as Go's `%q` writes them, and moments as its RFC 3339: what the readers of our files expect.

use jiff::Timestamp;
use std::fmt::Write;

/// A string in double quotes, as Go's `strconv.Quote` gives it. Bytes that are no UTF-8 become `\xNN`.
pub fn quote(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|letter| push(&mut out, letter));
        for byte in chunk.invalid() {
            // INVARIANT: writing to a String cannot fail.
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out.push('"');
    out
}

fn push(out: &mut String, letter: char) {
    let short = match letter {
        '"' | '\\' => Some(letter),
        '\u{7}' => Some('a'),
        '\u{8}' => Some('b'),
        '\u{c}' => Some('f'),
        '\n' => Some('n'),
        '\r' => Some('r'),
        '\t' => Some('t'),
        '\u{b}' => Some('v'),
        _ => None,
    };
    let code = u32::from(letter);
    // INVARIANT: writing to a String cannot fail.
    let _ = match short {
        Some(short) => write!(out, "\\{short}"),
        None if is_print(letter) => write!(out, "{letter}"),
        None if code < 0x20 || code == 0x7f => write!(out, "\\x{code:02x}"),
        None if code < 0x1_0000 => write!(out, "\\u{code:04x}"),
        None => write!(out, "\\U{code:08x}"),
    };
}

/// Letters, marks, numbers, punctuation, symbols, and of all spaces the plain one. `escape_debug` escapes the
/// same, but also a mark at the beginning; so something stands before it.
fn is_print(letter: char) -> bool {
    if letter.is_ascii() {
        return matches!(letter, ' '..='~');
    }
    let mut text = [0; 5];
    text[0] = b'a';
    let end = 1 + letter.encode_utf8(&mut text[1..]).len();
    std::str::from_utf8(&text[..end]).is_ok_and(|text| text.escape_debug().nth(1) == Some(letter))
}

/// A moment in UTC with seconds, `2026-01-31T12:00:00Z`.
pub fn moment(at: i64) -> String {
    let at = Timestamp::from_millisecond(at).unwrap_or(Timestamp::UNIX_EPOCH);
    format!("{:.0}", Timestamp::from_second(at.as_millisecond().div_euclid(1000)).unwrap_or(Timestamp::UNIX_EPOCH))
}

/// The same moment for a file name, `20260131T120000Z`.
pub fn stamp(at: i64) -> String {
    moment(at).replace(['-', ':'], "")
}

/// Milliseconds since 1970 of a moment in RFC 3339, with whatever offset and fraction.
pub fn millis(text: &str) -> Option<i64> {
    text.trim().parse::<Timestamp>().ok().map(Timestamp::as_millisecond)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests may fail")]
    use super::*;

    /// Written by a Go program: bytes in hex, a blank, what `%q` made of them.
    const TABLE: &str = include_str!("quote.txt");

    #[test]
    fn strings_are_quoted_as_go_does() {
        for row in TABLE.lines() {
            let (hex, want) = row.split_once(' ').unwrap();
            let bytes: Vec<u8> =
                (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
            assert_eq!(quote(&bytes), want, "{hex}");
        }
        assert!(TABLE.lines().count() > 500);
    }

    #[test]
    fn moments_have_seconds_and_are_utc() {
        assert_eq!(moment(1_764_512_345_999), "2025-11-30T14:19:05Z");
        assert_eq!(stamp(1_764_512_345_999), "20251130T141905Z");
        assert_eq!(millis("2025-11-30T15:19:05.5+01:00"), Some(1_764_512_345_500));
        assert_eq!(millis("yesterday"), None);
    }
}
