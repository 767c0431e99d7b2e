//! Secrets in text that is written down: tokens of known shapes, values of telling names, keys.
//!
//! One pass, no regular expression: it runs in hooks. It works on JSON as it stands, so that a
//! line need not be parsed; what it replaces never holds a quote that JSON needs.

use std::borrow::Cow;

/// What stands in for a secret.
const MASK: &str = "***";

/// Names whose value is a secret, also at the end of longer ones (`GITHUB_TOKEN`).
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "access-key",
    "private_key",
    "authorization",
];

/// Beginnings of tokens, and how many characters must follow.
const SHAPES: &[(&str, usize)] = &[
    ("sk-", 16),
    ("sk_live_", 8),
    ("rk_live_", 8),
    ("ghp_", 16),
    ("gho_", 16),
    ("ghu_", 16),
    ("ghs_", 16),
    ("ghr_", 16),
    ("github_pat_", 16),
    ("glpat-", 12),
    ("npm_", 24),
    ("AKIA", 12),
    ("ASIA", 12),
    ("AIza", 30),
    ("xoxa-", 8),
    ("xoxb-", 8),
    ("xoxp-", 8),
    ("xoxr-", 8),
    ("xoxs-", 8),
    ("eyJ", 24),
];

/// Longest name that is looked at.
const NAME: usize = 64;

/// Plain text with secrets replaced by `***`.
pub fn mask(text: &str) -> Cow<'_, str> {
    Scan { bytes: text.as_bytes(), json: false }.run(text)
}

/// The same for a JSON text, which stays JSON.
pub fn mask_json(text: &str) -> Cow<'_, str> {
    Scan { bytes: text.as_bytes(), json: true }.run(text)
}

struct Scan<'a> {
    bytes: &'a [u8],
    json: bool,
}

impl Scan<'_> {
    fn run<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut out = String::new();
        let (mut copied, mut at) = (0, 0);
        while at < self.bytes.len() {
            // INVARIANT: ranges begin and end at an ASCII character or the end of the text.
            match self.secret(at).filter(|(start, end)| start < end && *start >= copied) {
                Some((start, end)) => {
                    out.push_str(&text[copied..start]);
                    out.push_str(MASK);
                    (copied, at) = (end, end);
                }
                None => at += 1,
            }
        }
        if copied == 0 {
            return Cow::Borrowed(text);
        }
        out.push_str(&text[copied..]);
        Cow::Owned(out)
    }

    /// The secret that shows itself at this byte.
    fn secret(&self, at: usize) -> Option<(usize, usize)> {
        match self.bytes[at] {
            b':' if self.bytes[at..].starts_with(b"://") => self.url(at + 3),
            b'=' | b':' => self.value(at),
            b' ' | b',' => self.option(at),
            b'-' if self.bytes[at..].starts_with(b"-----BEGIN ") => self.private_key(at),
            b'B' | b'b' if self.word(at, "bearer ") && self.begins(at) => self.token(at + "bearer ".len(), 8),
            b's' | b'r' | b'g' | b'n' | b'A' | b'x' | b'e' if self.begins(at) => {
                let (shape, least) = SHAPES.iter().find(|(shape, _)| self.bytes[at..].starts_with(shape.as_bytes()))?;
                self.token(at + shape.len(), *least).map(|(_, end)| (at, end))
            }
            _ => None,
        }
    }

    fn get(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn word(&self, at: usize, lower: &str) -> bool {
        self.bytes.get(at..at + lower.len()).is_some_and(|here| here.eq_ignore_ascii_case(lower.as_bytes()))
    }

    /// Whether this byte is the second of an escape.
    fn escaped(&self, at: usize) -> bool {
        self.json && self.bytes[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
    }

    /// Whether a word can begin here: `\nsk-…` is the end of an escape and then a word.
    fn begins(&self, at: usize) -> bool {
        if at == 0 {
            return true;
        }
        let before = self.bytes[at - 1];
        !self.escaped(at) && (!(before.is_ascii_alphanumeric() || before == b'_') || self.escaped(at - 1))
    }

    /// A run of at least `least` characters that tokens are made of.
    fn token(&self, start: usize, least: usize) -> Option<(usize, usize)> {
        let made_of =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'~' | b'+' | b'/' | b'=' | b'-');
        let len = self.bytes.get(start..)?.iter().take_while(|byte| made_of(byte)).count();
        (len >= least).then_some((start, start + len))
    }

    /// `user:password@` of an URL, or a long `token@`.
    fn url(&self, start: usize) -> Option<(usize, usize)> {
        let ends = |byte: u8| {
            byte.is_ascii_whitespace() || matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'\\' | b'<' | b'>' | b'`')
        };
        let len = self.bytes.get(start..)?.iter().take_while(|byte| !ends(**byte)).count();
        let authority = &self.bytes[start..start + len];
        let user = &authority[..memchr::memrchr(b'@', authority)?];
        match memchr::memchr(b':', user) {
            Some(colon) if user.get(colon + 1) != Some(&b'$') => Some((start + colon + 1, start + user.len())),
            None if user.len() >= 20 => Some((start, start + user.len())),
            _ => None,
        }
    }

    /// The name that ends before `at`, past a closing quote and one space: where it begins and ends,
    /// and whether it is a JSON key (its quote is not escaped).
    fn name(&self, at: usize) -> (usize, usize, bool) {
        let mut end = at;
        if end > 0 && self.bytes[end - 1] == b' ' {
            end -= 1;
        }
        let mut key = false;
        if end > 0 && matches!(self.bytes[end - 1], b'"' | b'\'') {
            key = self.bytes[end - 1] == b'"' && !self.escaped(end - 1);
            end -= 1;
            if end > 0 && self.bytes[end - 1] == b'\\' {
                end -= 1;
            }
        }
        let made_of = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let len = self.bytes[..end].iter().rev().take(NAME).take_while(|byte| made_of(byte)).count();
        (end - len, end, key)
    }

    /// Whether the value of a name is a secret.
    fn is_telling(&self, begin: usize, end: usize) -> bool {
        let here = &self.bytes[begin..end];
        NAMES.iter().any(|name| {
            here.len() >= name.len() && here[here.len() - name.len()..].eq_ignore_ascii_case(name.as_bytes())
        })
    }

    /// `name=value`, `name: value`, `"name":"value"`.
    fn value(&self, at: usize) -> Option<(usize, usize)> {
        let (begin, end, key) = self.name(at);
        if !self.is_telling(begin, end) {
            return None;
        }
        let mut start = at + 1;
        while self.get(start) == Some(b' ') {
            start += 1;
        }
        if self.json && key && self.get(start) != Some(b'"') {
            // A number, or something with a shape: no place for a mask.
            return None;
        }
        let (start, end) = self.quoted_or_bare(start, key)?;
        for scheme in ["bearer ", "basic ", "token "] {
            if self.word(start, scheme) {
                return self.token(start + scheme.len(), 3);
            }
        }
        // Prose has colons: `the token: it` is none.
        let bare = start == 0 || !matches!(self.bytes[start - 1], b'"' | b'\'');
        (end - start >= if bare && self.bytes[at] == b':' { 3 } else { 1 }).then_some((start, end))
    }

    /// `--password value`, and as two strings of a list.
    fn option(&self, at: usize) -> Option<(usize, usize)> {
        let list = self.bytes[at] == b',';
        if list && (at == 0 || self.bytes[at - 1] != b'"')
            || !list && at > 0 && matches!(self.bytes[at - 1], b' ' | b'"')
        {
            return None;
        }
        let (begin, end, key) = self.name(at);
        if !self.bytes[begin..].starts_with(b"--") || !self.is_telling(begin, end) {
            return None;
        }
        if list && (!key || self.get(at + 1) != Some(b'"')) {
            return None;
        }
        let (start, end) = self.quoted_or_bare(at + 1, list)?;
        (self.get(start) != Some(b'-')).then_some((start, end))
    }

    /// What stands here, in quotes or up to where a word ends. `string`: it is a JSON string.
    fn quoted_or_bare(&self, mut start: usize, string: bool) -> Option<(usize, usize)> {
        let mut quote = None;
        match self.get(start)? {
            b'"' if self.json && !string => return None,
            byte @ (b'"' | b'\'') => {
                quote = Some(byte);
                start += 1;
            }
            b'\\' if self.get(start + 1) == Some(b'"') => {
                quote = Some(b'\\');
                start += 2;
            }
            _ => {}
        }
        // A variable is no secret.
        if self.get(start) == Some(b'$') {
            return None;
        }
        let mut end = start;
        while let Some(byte) = self.get(end) {
            match (byte, quote) {
                (b'\\', Some(b'\\')) if self.get(end + 1) == Some(b'"') => break,
                (b'"', _) if self.json || quote == Some(b'"') => break,
                (b'\'', Some(b'\'')) => break,
                (b'\\', Some(_)) => end += 2,
                (_, Some(_)) => end += 1,
                (b'"' | b'\'' | b'`' | b'\\' | b',' | b';' | b'&' | b'|' | b')' | b'}' | b']' | b'<' | b'>', None) => {
                    break;
                }
                (byte, None) if byte.is_ascii_whitespace() => break,
                (_, None) => end += 1,
            }
        }
        let end = end.min(self.bytes.len());
        (start < end).then_some((start, end))
    }

    /// What stands between the lines of a private key.
    fn private_key(&self, at: usize) -> Option<(usize, usize)> {
        let head = &self.bytes[at..self.bytes.len().min(at + NAME)];
        let label = memchr::memmem::find(head, b"PRIVATE KEY-----")?;
        let start = at + label + "PRIVATE KEY-----".len();
        let rest = &self.bytes[start..];
        let mut end = start + memchr::memmem::find(rest, b"-----END").unwrap_or(rest.len());
        if self.json
            && let Some(quote) =
                memchr::memchr_iter(b'"', &self.bytes[start..end]).find(|quote| !self.escaped(start + quote))
        {
            end = start + quote;
        }
        Some((start, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn secrets_go_and_the_rest_stays() {
        for (text, want) in [
            ("curl -H 'Authorization: Bearer abcdefgh123' x", "curl -H 'Authorization: Bearer ***' x"),
            ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic ***"),
            ("x bearer abcdefgh123.x", "x bearer ***"),
            ("OPENAI_API_KEY=sk-proj-abcdefghijklmnop make", "OPENAI_API_KEY=*** make"),
            ("echo sk-ant-api03-abcdefghijklmnop", "echo ***"),
            ("git clone https://me:hunter2@example.com/a.git", "git clone https://me:***@example.com/a.git"),
            ("git clone https://abcdefghij0123456789@example.com/a", "git clone https://***@example.com/a"),
            ("ghp_abcdefghijklmnopqrst", "***"),
            ("aws AKIAABCDEFGHIJKLMNOP", "aws ***"),
            ("mysql --password=hunter2 -h x", "mysql --password=*** -h x"),
            ("tool --token abc --force", "tool --token *** --force"),
            ("DB_PASSWORD='a b c' run", "DB_PASSWORD='***' run"),
            ("api_key = \"abc def\" # x", "api_key = \"***\" # x"),
            ("{\"secret\": \"a\\\"b\", \"n\": 1}", "{\"secret\": \"***\", \"n\": 1}"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMII\nabc\n-----END RSA PRIVATE KEY-----",
                "-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----",
            ),
        ] {
            assert_eq!(mask(text), want);
        }
        for text in [
            "git push origin task-list-of-the-whole-team",
            "https://example.com:8080/a@b",
            "ssh://git@example.com/a",
            "TOKEN=$OTHER make",
            "max_tokens=5",
            "PWD=/home",
            "password",
            "--token --force",
        ] {
            assert_eq!(mask(text), text);
        }
    }

    #[test]
    fn json_stays_json() {
        for (text, want) in [
            (r#"{"a":"TOKEN=","b":"x"}"#, r#"{"a":"TOKEN=","b":"x"}"#),
            (r#"{"token":5,"secret":null}"#, r#"{"token":5,"secret":null}"#),
            (r#"{"token":"abc","b":1}"#, r#"{"token":"***","b":1}"#),
            (r#"{"c":"x\nsk-abcdefghijklmnopqrst\n"}"#, r#"{"c":"x\n***\n"}"#),
            (r#"{"c":"PASSWORD=\"a b\" x"}"#, r#"{"c":"PASSWORD=\"***\" x"}"#),
            (r#"{"c":"{\"password\": \"a\"}"}"#, r#"{"c":"{\"password\": \"***\"}"}"#),
            (r#"{"argv":["x","--password","hunter2"]}"#, r#"{"argv":["x","--password","***"]}"#),
            (r#"{"c":"-----BEGIN PRIVATE KEY-----\nabc","d":1}"#, r#"{"c":"-----BEGIN PRIVATE KEY-----***","d":1}"#),
        ] {
            assert_eq!(mask_json(text), want);
        }
    }

    proptest! {
        #[test]
        fn whatever_is_masked_parses(parts in proptest::collection::vec(prop_oneof![
            Just("password"), Just("--token"), Just("="), Just(": "), Just("\""), Just("'"), Just("\\"), Just("\n"),
            Just(" "), Just(","), Just("sk-abcdefghijklmnopq"), Just("bearer "), Just("https://"), Just("@"), Just(":"),
            Just("é"), Just("abc12345"), Just("-----BEGIN PRIVATE KEY-----"), Just("-----END"), Just("$"), Just("["), Just("]"),
        ], 0..24)) {
            let text: String = parts.concat();
            let _ = mask(&text);
            let json = serde_json::json!({"token": text, "list": ["--password", text, 1], (text.clone()): {"secret": 1, "b": text}});
            let masked = mask_json(&json.to_string()).into_owned();
            prop_assert!(serde_json::from_str::<serde_json::Value>(&masked).is_ok(), "{}", masked);
        }
    }
}
