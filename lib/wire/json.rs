//! A scanner over JSON text that can stop anywhere and skips without allocating.
//!
//! The payload reader needs what no value parser offers at once: to keep what was read before
//! the text broke off, to tell "broken" from "cut off", to accept lone surrogates, numbers of
//! any size and any depth in what it skips, and to look at two megabytes of `content` once.
//! It accepts exactly what RFC 8259 accepts.

use std::borrow::Cow;

/// Why a scan ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The text ended inside a value.
    End,
    /// No JSON at this byte.
    Bad(usize),
}

/// What a value is, by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

/// A place in a text.
#[derive(Debug)]
pub(super) struct Scan<'a> {
    text: &'a str,
    at: usize,
}

const ONES: u64 = 0x0101_0101_0101_0101;

impl<'a> Scan<'a> {
    /// Begins at a byte of the text.
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    /// The byte at which the next token is looked for.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The kind of the value that comes next.
    pub(super) fn kind(&mut self) -> Result<Kind, Stop> {
        match self.peek()? {
            b'n' => Ok(Kind::Null),
            b't' | b'f' => Ok(Kind::Bool),
            b'-' | b'0'..=b'9' => Ok(Kind::Number),
            b'"' => Ok(Kind::String),
            b'[' => Ok(Kind::Array),
            b'{' => Ok(Kind::Object),
            _ => Err(Stop::Bad(self.at)),
        }
    }

    /// Passes over one value and gives its text. Iterative, so depth costs no stack.
    pub(super) fn skip(&mut self) -> Result<&'a str, Stop> {
        self.white();
        let from = self.at;
        let mut open: Vec<u8> = Vec::new();
        loop {
            match self.peek()? {
                b'"' => {
                    self.string()?;
                }
                b'{' => {
                    self.at += 1;
                    if self.peek()? != b'}' {
                        open.push(b'}');
                        self.key()?;
                        continue;
                    }
                    self.at += 1;
                }
                b'[' => {
                    self.at += 1;
                    if self.peek()? != b']' {
                        open.push(b']');
                        continue;
                    }
                    self.at += 1;
                }
                b't' => self.word("true")?,
                b'f' => self.word("false")?,
                b'n' => self.word("null")?,
                _ => self.number()?,
            }
            loop {
                let Some(&close) = open.last() else { return Ok(&self.text[from..self.at]) };
                let byte = self.peek()?;
                if byte == close {
                    self.at += 1;
                    open.pop();
                } else if byte == b',' {
                    self.at += 1;
                    if close == b'}' {
                        self.key()?;
                    }
                    break;
                } else {
                    return Err(Stop::Bad(self.at));
                }
            }
        }
    }

    /// Walks an object; `each` must consume the value of the key it is given.
    pub(super) fn object(&mut self, mut each: impl FnMut(&mut Self, &str) -> Result<(), Stop>) -> Result<(), Stop> {
        self.expect(b'{')?;
        if self.peek()? == b'}' {
            self.at += 1;
            return Ok(());
        }
        loop {
            let key = unescape(self.key()?);
            each(self, &key)?;
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(Stop::Bad(self.at)),
            }
        }
    }

    /// Walks an array; `each` must consume the value that comes next.
    pub(super) fn array(&mut self, mut each: impl FnMut(&mut Self) -> Result<(), Stop>) -> Result<(), Stop> {
        self.expect(b'[')?;
        if self.peek()? == b']' {
            self.at += 1;
            return Ok(());
        }
        loop {
            each(self)?;
            match self.peek()? {
                b',' => self.at += 1,
                b']' => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(Stop::Bad(self.at)),
            }
        }
    }

    /// Passes over a string and gives what stands between its quotes, escapes as they are.
    pub(super) fn string(&mut self) -> Result<&'a str, Stop> {
        self.expect(b'"')?;
        let from = self.at;
        let bytes = self.text.as_bytes();
        let mut leapt = false;
        loop {
            while let Some(Ok(eight)) = bytes.get(self.at..self.at + 8).map(<[u8; 8]>::try_from) {
                let chunk = u64::from_le_bytes(eight);
                let special = below_space(chunk) | equal(chunk, b'"') | equal(chunk, b'\\');
                if special != 0 {
                    self.at += (special.trailing_zeros() / 8) as usize;
                    break;
                }
                self.at += 8;
            }
            match bytes.get(self.at) {
                None => return Err(Stop::End),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(&self.text[from..self.at - 1]);
                }
                Some(b'\\') => self.escape()?,
                Some(0..0x20) => return Err(Stop::Bad(self.at)),
                Some(_) => self.at += 1,
            }
            // Once only, so that a string which does not let itself leap costs a second look at most.
            if !leapt && self.at - from > LONG {
                leapt = true;
                self.leap();
            }
        }
    }

    /// Goes to the end of a long string in passes that the compiler can do sixteen bytes at a time.
    /// Stays where it is if anything in it needs a careful look: a control character, `\u`, or a
    /// backslash before any letter that makes no escape (perhaps itself escaped).
    fn leap(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        let Some(end) = closing_quote(rest) else { return };
        let body = &rest[..end];
        let control = body.iter().fold(0, |odd, byte| odd | u8::from(*byte < 0x20));
        let odd_pair = |first: u8, second: u8| {
            let plain = [b'"', b'\\', b'/', b'b', b'f', b'n', b'r', b't'];
            let known = plain.iter().fold(0, |known, letter| known | u8::from(second == *letter));
            u8::from(first == b'\\') & (known ^ 1)
        };
        let pairs = body.iter().zip(&rest[1..]);
        if control | pairs.fold(0, |odd, (first, second)| odd | odd_pair(*first, *second)) == 0 {
            self.at += end;
        }
    }

    fn escape(&mut self) -> Result<(), Stop> {
        let bytes = self.text.as_bytes();
        match bytes.get(self.at + 1) {
            None => Err(Stop::End),
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 2;
                Ok(())
            }
            Some(b'u') => {
                for place in self.at + 2..self.at + 6 {
                    match bytes.get(place) {
                        None => return Err(Stop::End),
                        Some(byte) if byte.is_ascii_hexdigit() => {}
                        Some(_) => return Err(Stop::Bad(place)),
                    }
                }
                self.at += 6;
                Ok(())
            }
            Some(_) => Err(Stop::Bad(self.at + 1)),
        }
    }

    fn key(&mut self) -> Result<&'a str, Stop> {
        self.white();
        let key = self.string()?;
        self.white();
        self.expect(b':')?;
        Ok(key)
    }

    fn number(&mut self) -> Result<(), Stop> {
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        match self.byte() {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Stop> {
        let from = self.at;
        while self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        match self.byte() {
            _ if self.at > from => Ok(()),
            None => Err(Stop::End),
            Some(_) => Err(Stop::Bad(self.at)),
        }
    }

    fn word(&mut self, word: &str) -> Result<(), Stop> {
        let rest = &self.text[self.at..];
        if rest.starts_with(word) {
            self.at += word.len();
            return Ok(());
        }
        Err(if word.starts_with(rest) { Stop::End } else { Stop::Bad(self.at) })
    }

    fn expect(&mut self, byte: u8) -> Result<(), Stop> {
        match self.byte() {
            Some(found) if found == byte => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(Stop::Bad(self.at)),
            None => Err(Stop::End),
        }
    }

    fn peek(&mut self) -> Result<u8, Stop> {
        self.white();
        self.byte().ok_or(Stop::End)
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn white(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.byte() {
            self.at += 1;
        }
    }
}

/// A mark in each byte that is below a space; a byte above a true hit may be marked too.
fn below_space(chunk: u64) -> u64 {
    chunk.wrapping_sub(ONES * 0x20) & !chunk & (ONES << 7)
}

/// A mark in each byte that equals `byte`; a byte above a true hit may be marked too.
fn equal(chunk: u64, byte: u8) -> u64 {
    let differs = chunk ^ (ONES * u64::from(byte));
    differs.wrapping_sub(ONES) & !differs & (ONES << 7)
}

/// Beyond this a string is worth a leap.
const LONG: usize = 256;

/// The first quote that no backslash escapes. Runs of backslashes do not overlap, so it is linear.
fn closing_quote(rest: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'"', rest).find(|at| {
        let backslashes = rest[..*at].iter().rev().take_while(|byte| **byte == b'\\').count();
        backslashes % 2 == 0
    })
}

/// The text of a scanned string. Half of a surrogate pair becomes U+FFFD, as a lone half is no character.
pub(super) fn unescape(raw: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', raw.as_bytes()) else { return Cow::Borrowed(raw) };
    let mut out = String::with_capacity(raw.len());
    out.push_str(&raw[..first]);
    let mut rest = &raw[first..];
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(letter) = rest.bytes().next() else { return Cow::Owned(out) };
        if letter == b'u' {
            let unit = unit(rest);
            rest = rest.get(5..).unwrap_or("");
            let low = rest.strip_prefix('\\').filter(|next| next.starts_with('u')).map(self::unit);
            match (unit, low) {
                (0xD800..0xDC00, Some(low @ 0xDC00..0xE000)) => {
                    let scalar = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                    out.push(char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER));
                    rest = rest.get(6..).unwrap_or("");
                }
                _ => out.push(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)),
            }
            continue;
        }
        out.push(match letter {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            other => char::from(other),
        });
        rest = &rest[1..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn unit(rest: &str) -> u32 {
    rest.get(1..5).and_then(|hex| u32::from_str_radix(hex, 16).ok()).unwrap_or(0xFFFD)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests may fail")]
    use super::*;
    use proptest::prelude::*;
    use serde_json::value::RawValue;

    fn whole(text: &str) -> Result<&str, Stop> {
        let mut scan = Scan::new(text, 0);
        let value = scan.skip()?;
        scan.white();
        if scan.at < text.len() { Err(Stop::Bad(scan.at)) } else { Ok(value) }
    }

    #[test]
    fn cut_off_and_broken_are_told_apart() {
        for text in ["", " ", "{", "[1,", "\"a", "\"\\u12", "tru", "-", "1e", "1.", "{\"a\"", "{\"a\":", "[[", "\"\\"] {
            assert_eq!(whole(text), Err(Stop::End), "{text}");
        }
        for (text, at) in [("}", 0), ("{a", 1), ("[1 2", 3), ("\"\\x\"", 2), ("trve", 0), ("01", 1), ("\"\n\"", 1)] {
            assert_eq!(whole(text), Err(Stop::Bad(at)), "{text}");
        }
    }

    #[test]
    fn depth_size_and_surrogates_do_not_matter() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(whole(&deep), Ok(deep.as_str()));
        for text in ["1e999", "-0.0", r#""\ud83d""#, r#"{"\udc00":1,"a":[ ]}"#] {
            assert_eq!(whole(text), Ok(text));
        }
    }

    #[test]
    fn long_strings_end_where_they_end_whatever_is_in_them() {
        let fill = "a line of text\\n".repeat(40);
        for odd in ["", "\\u00e9", "C:\\\\dir", "\\\\", "say \\\"x\\\"", "é"] {
            for text in [format!("\"{fill}{odd}\""), format!("\"{odd}{fill}\""), format!("\"{fill}{odd}{fill}\"")] {
                assert_eq!(whole(&text), Ok(text.as_str()));
                assert!(serde_json::from_str::<String>(&text).is_ok(), "{text}");
            }
        }
        for odd in ["\n", "\u{1}", "\\q", "\\u00g0"] {
            let text = format!("\"{fill}{odd}{fill}\"");
            assert!(matches!(whole(&text), Err(Stop::Bad(_))), "{text}");
        }
        assert!(matches!(whole(&format!("\"{fill}")), Err(Stop::End)));
        assert!(matches!(whole(&format!("\"{fill}\\\"")), Err(Stop::End)));
    }

    #[test]
    fn unescaping() {
        for (raw, text) in [
            ("plain", "plain"),
            (r#"a\n\t\"\\\/\b\f\r"#, "a\n\t\"\\/\u{8}\u{c}\r"),
            (r"\u0041\u00e9", "Aé"),
            (r"\ud83d\ude00!", "😀!"),
            (r"\ud83d", "\u{fffd}"),
            (r"\ud83dx", "\u{fffd}x"),
            (r"\ude00\ud83d\ude00", "\u{fffd}😀"),
            (r"\ud83d\u0041", "\u{fffd}A"),
            (r"\ud83d\n", "\u{fffd}\n"),
        ] {
            assert_eq!(unescape(raw), text, "{raw}");
        }
    }

    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("{"),
            Just("}"),
            Just("["),
            Just("]"),
            Just(","),
            Just(":"),
            Just("\""),
            Just("\\"),
            Just("\\n"),
            Just("\\u00e9"),
            Just("true"),
            Just("null"),
            Just("fals"),
            Just("-"),
            Just("0"),
            Just("12"),
            Just("."),
            Just("e+5"),
            Just(" "),
            Just("\n"),
            Just("\u{1}"),
            Just("é"),
            Just("\"abcdefgh\""),
            Just("\"a\":"),
        ];
        proptest::collection::vec(piece, 0..14).prop_map(|list| list.concat())
    }

    proptest! {
        #[test]
        fn accepts_what_serde_accepts(text in pieces()) {
            let referee = serde_json::from_str::<&RawValue>(&text).ok().map(RawValue::get);
            prop_assert_eq!(whole(&text).ok(), referee, "{}", text);
        }

        #[test]
        fn a_quoted_text_comes_back(text in ".{0,40}") {
            let json = serde_json::to_string(&text).unwrap();
            let mut scan = Scan::new(&json, 0);
            prop_assert_eq!(unescape(scan.string().unwrap()), text);
        }
    }
}
