//! The cheap first look at a pack file: where each rule stands and which heads it names.
//!
//! One pass over the bytes that knows strings, comments and brackets, and nothing else of TOML.
//! A rule is parsed only when one of its heads and first subcommand words occurs; and since each rule
//! is cut out by itself, a wrong one costs only itself.

use memchr::{memchr, memchr3};

/// What a piece of a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// What stands before the first rule, and `[pack]`.
    Head,
    /// A `[[rule]]` with its tables.
    Rule,
    /// A table that packs do not have.
    Stray,
}

/// A piece of a pack file.
#[derive(Debug)]
pub struct Chunk {
    /// What it is.
    pub what: What,
    /// Its first byte.
    pub start: usize,
    /// The byte behind its last.
    pub end: usize,
    /// Its id, as far as it is written plainly.
    pub id: &'static str,
    /// Where the id's key begins; the chunk's first byte without one.
    pub id_at: usize,
    /// Its heads, as far as they are written plainly.
    pub heads: Vec<&'static str>,
    /// Its tools, likewise.
    pub tools: Vec<&'static str>,
    /// The subcommand words of which a command's first must be one; none if that is not written plainly.
    pub first: Vec<&'static str>,
    /// Whether id, heads and tools are all that it says of them: nothing escaped, quoted or split.
    pub plain: bool,
}

/// Which list the strings of a value go to.
#[derive(Clone, Copy, PartialEq)]
enum Into {
    Nothing,
    Id,
    Heads,
    Tools,
    First,
}

/// Cuts a file into pieces. Linear.
pub fn scan(text: &'static str) -> Vec<Chunk> {
    let mut scan = Scan { text, chunks: vec![chunk(What::Head, 0)], depth: 0, into: Into::Nothing };
    let mut at = 0;
    while at < text.len() {
        at = scan.line(at);
    }
    let mut chunks = scan.chunks;
    let ends: Vec<usize> = chunks.iter().skip(1).map(|next| next.start).chain([text.len()]).collect();
    for (chunk, end) in chunks.iter_mut().zip(ends) {
        chunk.end = end;
    }
    chunks
}

fn chunk(what: What, start: usize) -> Chunk {
    Chunk {
        what,
        start,
        end: start,
        id: "",
        id_at: start,
        heads: Vec::new(),
        tools: Vec::new(),
        first: Vec::new(),
        plain: true,
    }
}

struct Scan {
    text: &'static str,
    chunks: Vec<Chunk>,
    depth: usize,
    into: Into,
}

impl Scan {
    /// Reads the line that begins at `at`, or as many as a text of several lines takes; returns where the next begins.
    fn line(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let blank = bytes.get(at..).unwrap_or_default().iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let at = at + blank;
        let rest = self.text.get(at..).unwrap_or_default();
        // A header within brackets can only mean that a bracket was left open.
        if rest.starts_with("[[rule]]") || self.depth == 0 && rest.starts_with('[') {
            self.depth = 0;
            self.into = Into::Nothing;
            self.header(rest.lines().next().unwrap_or_default(), at);
            return memchr(b'\n', rest.as_bytes()).map_or(bytes.len(), |end| at + end + 1);
        }
        if self.depth == 0 {
            let key =
                rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count();
            self.into = self.key(rest, key, at);
            if self.into == Into::Nothing {
                let value = rest.as_bytes().get(key..).unwrap_or_default();
                // A text in plain quotes ends on its line, and nothing of it is wanted.
                if is_short_text(value) {
                    return memchr(b'\n', value).map_or(bytes.len(), |end| at + key + end + 1);
                }
                if let Some(end) = end_of_plain(value) {
                    return at + key + end;
                }
            }
        }
        self.value(at)
    }

    fn header(&mut self, line: &str, at: usize) {
        let name = line.split('#').next().unwrap_or_default();
        let name = name.trim_matches(|c| matches!(c, '[' | ']' | ' ' | '\t' | '\r' | '"' | '\''));
        let what = match name {
            "rule" => What::Rule,
            "pack" => What::Head,
            name if name.starts_with("rule.") && self.chunks.last().is_some_and(|last| last.what == What::Rule) => {
                return;
            }
            _ => What::Stray,
        };
        self.chunks.push(chunk(what, at));
    }

    /// Which list the value of this line's key goes to; the key ends at `end`.
    fn key(&mut self, rest: &str, end: usize, at: usize) -> Into {
        let Some(chunk) = self.chunks.last_mut() else { return Into::Nothing };
        match rest.get(..end).unwrap_or_default() {
            "id" => {
                chunk.id_at = at;
                Into::Id
            }
            "heads" => Into::Heads,
            "tools" => Into::Tools,
            "args" => Into::First,
            "" => {
                chunk.plain &= !rest.starts_with(['"', '\'']);
                Into::Nothing
            }
            _ => Into::Nothing,
        }
    }

    /// Reads to the end of the line, over strings, comments and brackets.
    fn value(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = at;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\n' => return at + 1,
                b'#' => {
                    at = memchr(b'\n', bytes.get(at..).unwrap_or_default()).map_or(bytes.len(), |end| at + end);
                    continue;
                }
                b'[' | b'{' => self.depth += 1,
                b']' | b'}' => {
                    self.depth = self.depth.saturating_sub(1);
                    // The first list of `args` ends here.
                    if self.into == Into::First {
                        self.into = Into::Nothing;
                    }
                }
                b'"' | b'\'' => {
                    at = self.string(at, *byte);
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        at
    }

    /// Reads a string; returns the byte behind it, or the end of the line if it is not closed there.
    fn string(&mut self, at: usize, quote: u8) -> usize {
        let bytes = self.text.as_bytes();
        let long = bytes.get(at + 1) == Some(&quote) && bytes.get(at + 2) == Some(&quote);
        let from = at + if long { 3 } else { 1 };
        let (mut end, mut escaped) = (from, false);
        loop {
            let rest = bytes.get(end..).unwrap_or_default();
            let Some(found) = memchr3(quote, b'\\', b'\n', rest) else {
                end = bytes.len();
                self.take(from, end, true);
                return end;
            };
            end += found;
            match bytes.get(end) {
                Some(b'\\') if quote == b'"' => {
                    escaped = true;
                    end += 2;
                }
                Some(b'\n') if !long => {
                    self.take(from, end, true);
                    return end;
                }
                Some(byte) if *byte == quote => {
                    if !long {
                        self.take(from, end, escaped);
                        return end + 1;
                    }
                    let run = bytes.get(end..).unwrap_or_default().iter().take_while(|byte| **byte == quote).count();
                    end += run;
                    if run >= 3 {
                        self.take(from, end, true);
                        return end;
                    }
                }
                _ => end += 1,
            }
        }
    }

    /// Notes a string that stands between two bytes; `odd` if it is not what its letters say.
    fn take(&mut self, from: usize, to: usize, odd: bool) {
        let Some(chunk) = self.chunks.last_mut().filter(|_| self.into != Into::Nothing) else { return };
        let text = self.text.get(from..to).unwrap_or_default();
        match self.into {
            Into::Nothing => return,
            Into::First => {
                // A word that stands in no list of its own is the only one.
                if odd || self.depth < 2 {
                    self.into = Into::Nothing;
                }
                if odd || self.depth == 0 {
                    chunk.first.clear();
                } else {
                    chunk.first.push(text);
                }
                return;
            }
            Into::Id => chunk.id = text,
            Into::Heads => chunk.heads.push(text),
            Into::Tools => chunk.tools.push(text),
        }
        chunk.plain &= !odd;
    }
}

/// The byte behind a line that ends with no bracket or text left open, as far as a plain look can tell:
/// one that knows no escape, comment, empty text or other quotes.
fn end_of_plain(line: &[u8]) -> Option<usize> {
    let (mut quoted, mut depth, mut before) = (false, 0_usize, b' ');
    for (at, byte) in line.iter().enumerate() {
        match byte {
            b'\n' => return (!quoted && depth == 0).then_some(at + 1),
            b'"' if before == b'"' => return None,
            b'"' => quoted = !quoted,
            b'\\' | b'\'' | b'#' => return None,
            b'[' | b'{' if !quoted => depth += 1,
            b']' | b'}' if !quoted => depth = depth.checked_sub(1)?,
            _ => {}
        }
        before = *byte;
    }
    None
}

/// Whether what stands behind a key is a text in plain quotes: ` = "…"`.
fn is_short_text(line: &[u8]) -> bool {
    let mut rest = line.iter().skip_while(|byte| **byte == b' ');
    if rest.next() != Some(&b'=') {
        return false;
    }
    let mut value = rest.skip_while(|byte| **byte == b' ');
    match (value.next(), value.next(), value.next()) {
        (Some(quote @ (b'"' | b'\'')), second, third) => second != Some(quote) || third != Some(quote),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each piece as `what id heads / tools`, with a `?` if it is not plain.
    fn shown(text: &'static str) -> Vec<String> {
        scan(text)
            .iter()
            .map(|chunk| {
                let odd = if chunk.plain { "" } else { "?" };
                let list =
                    |words: &[&str]| if words.is_empty() { "-".to_owned() } else { format!("[{}]", words.join(", ")) };
                format!("{:?}{odd} {} {} {}", chunk.what, chunk.id, list(&chunk.heads), list(&chunk.tools))
            })
            .collect()
    }

    #[test]
    fn rules_are_cut_out_whatever_their_strings_hold() {
        for (text, expected) in [
            ("", &["Head  - -"][..]),
            ("[pack]\nheads = ['a', 'b']\n[[rule]]\nid = 'x/y'\n", &["Head  - -", "Head  [a, b] -", "Rule x/y - -"]),
            (
                "[[rule]]\nid='x/y'\nheads=[\n \"a\", # \"c\n 'b']\ntools = [\"t\"]",
                &["Head  - -", "Rule x/y [a, b] [t]"],
            ),
            ("[[rule]]\nreason = '''\n[[rule]]\nid = \"no\"\n'''\nid = 'x/y'", &["Head  - -", "Rule x/y - -"]),
            (
                "[[rule]]\nreason = \"a\\\"\\n[\" # [\nheads = ['h']\n[[rule]]\nid = 'b/b'",
                &["Head  - -", "Rule  [h] -", "Rule b/b - -"],
            ),
            ("[[rule]]\nargs = [\n['a'],\n[[rule]]\nid = 'b/b'", &["Head  - -", "Rule  - -", "Rule b/b - -"]),
            ("[[rule]]\nheads = [\"\\u0067it\"]\n", &["Head  - -", "Rule?  [\\u0067it] -"]),
            ("[[rule]]\n\"heads\" = ['git']\n", &["Head  - -", "Rule?  - -"]),
            ("[[rule]]\nid = 'open\nheads = ['a']\n[[rule]]\n", &["Head  - -", "Rule? open [a] -", "Rule  - -"]),
            (
                "[[rule]]\n[rule.flags]\nany = ['-f']\n[[rules]]\nid = 'c'\n[[ rule ]]\n",
                &["Head  - -", "Rule  - -", "Stray c - -", "Rule  - -"],
            ),
            ("[[rule]]\nreason = ''\noffer = 'a[' # ]\nheads = ['h']", &["Head  - -", "Rule  [h] -"]),
            ("[[rule]]\nreason = \"\"\"never closed\n[[rule]]\n", &["Head  - -", "Rule  - -"]),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn the_first_subcommand_words_are_known_where_they_are_written_plainly() {
        for (args, expected) in [
            ("[\"deploy\", [\"prod\"]]", &["deploy"][..]),
            ("[['deploy', \"ship\"], ['prod']]", &["deploy", "ship"]),
            ("[\n  [ # [\n 'deploy',\n 'ship'],\n 'prod' ]", &["deploy", "ship"]),
            ("[['deploy', \"s\\u0068ip\"], ['prod']]", &[]),
            ("[\"d\\u0065ploy\", 'prod']", &[]),
            ("[[], ['prod']]", &[]),
            ("[]", &[]),
            ("'deploy'", &[]),
        ] {
            let text = format!("[[rule]]\nargs = {args}\nheads = ['a']\n").leak();
            let chunks = scan(text);
            assert_eq!((&chunks[1].first[..], &chunks[1].heads[..]), (expected, &["a"][..]), "{args}");
        }
    }

    #[test]
    fn a_plain_look_tells_where_a_value_ends_or_nothing() {
        for line in [" = [\"a\", [\"b]\"]]\n", " = { x = [1], y = \"[\" }\n", " = 1\n", "\n", " = [\"ä\"]\r\n"] {
            assert_eq!(end_of_plain(format!("{line}[x]").as_bytes()), Some(line.len()), "{line}");
        }
        for line in [
            " = [\n",
            " = [\"a\n",
            " = ['a']\n",
            " = [\"\\\"\"]\n",
            " = [] # [\n",
            " = \"\"\"a\"b\"\"\n",
            " = ]\n",
            " = 1",
        ] {
            assert_eq!(end_of_plain(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn pieces_cover_the_text() {
        for text in ["", "a", "[pack]\n[[rule]]\n\n[[rule]]", "\"\\", "'''", "\"\"\"\"\"\"\"", "[[rule]]\r\nid='ä'\r\n"]
        {
            let joined: String = scan(text).iter().map(|chunk| &text[chunk.start..chunk.end]).collect();
            assert_eq!(joined, text);
        }
    }
}
