//! JSON with the byte span of every value, so that a file can be edited without rewriting it.
//!
//! Strict: comments and trailing commas are refused with their place, because the host drops a
//! file that has them. Depth is bounded.

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// First byte.
    pub start: usize,
    /// Byte behind the last one.
    pub end: usize,
    /// What it is.
    pub kind: Kind,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Members in the order of the text, repeated keys included.
    Object(Vec<Member>),
    /// Elements.
    Array(Vec<Node>),
    /// A string, decoded.
    Text(String),
    /// A number.
    Number(f64),
    /// `true` or `false`.
    Flag(bool),
    /// `null`.
    Null,
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The key, decoded.
    pub key: String,
    /// First byte of the key.
    pub start: usize,
    /// Its value.
    pub value: Node,
}

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Byte of the text.
    pub at: usize,
    /// One sentence.
    pub text: String,
}

impl Problem {
    /// A problem at a byte.
    pub fn new(at: usize, text: impl Into<String>) -> Self {
        Self { at, text: text.into() }
    }

    /// Line and column of it, from 1.
    pub fn place(&self, text: &str) -> (usize, usize) {
        let before = text.get(..self.at).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        (before.matches('\n').count() + 1, line.chars().count() + 1)
    }
}

impl Node {
    /// The members of an object.
    pub fn members(&self) -> Option<&[Member]> {
        match &self.kind {
            Kind::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The elements of an array.
    pub fn elements(&self) -> Option<&[Self]> {
        match &self.kind {
            Kind::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The text of a string.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a key: the last one, as the host reads it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.members()?.iter().rev().find(|member| member.key == key).map(|member| &member.value)
    }

    /// Spans of the children, keys included.
    pub fn children(&self) -> Vec<(usize, usize)> {
        match &self.kind {
            Kind::Object(members) => members.iter().map(|member| (member.start, member.value.end)).collect(),
            Kind::Array(elements) => elements.iter().map(|node| (node.start, node.end)).collect(),
            _ => Vec::new(),
        }
    }
}

/// Deeper than this is refused.
const MAX_DEPTH: usize = 100;

/// Reads a whole text.
///
/// # Errors
/// The first thing that is no JSON.
pub fn scan(text: &str) -> Result<Node, Problem> {
    let mut scanner = Scanner { text, bytes: text.as_bytes(), at: 0 };
    scanner.blank()?;
    let node = scanner.value(0)?;
    scanner.blank()?;
    match scanner.peek() {
        None => Ok(node),
        Some(_) => Err(Problem::new(scanner.at, "more text behind the end of the JSON value")),
    }
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn wrong<T>(&self, text: &str) -> Result<T, Problem> {
        Err(Problem::new(self.at, text))
    }

    fn blank(&mut self) -> Result<(), Problem> {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'/' => return self.wrong("a comment: the host drops a settings file that has one"),
                0xEF => return self.wrong("a byte order mark or another odd letter outside of a string"),
                _ => break,
            }
        }
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Node, Problem> {
        if depth > MAX_DEPTH {
            return self.wrong("nested too deeply");
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Kind::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => {
                let rest = &self.bytes[self.at..];
                let len = rest
                    .iter()
                    .position(|byte| !matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
                    .unwrap_or(rest.len());
                self.at += len;
                match serde_json::from_str(&self.text[start..self.at]) {
                    Ok(number) => Kind::Number(number),
                    Err(_) => return Err(Problem::new(start, "not a number of JSON")),
                }
            }
            Some(_) => {
                let words = [("true", Kind::Flag(true)), ("false", Kind::Flag(false)), ("null", Kind::Null)];
                let Some((word, kind)) = words.into_iter().find(|(word, _)| self.text[self.at..].starts_with(word))
                else {
                    return self.wrong("not a JSON value");
                };
                self.at += word.len();
                kind
            }
            None => return self.wrong("the text ends where a value should be"),
        };
        Ok(Node { start, end: self.at, kind })
    }

    fn object(&mut self, depth: usize) -> Result<Kind, Problem> {
        let mut members = Vec::new();
        self.at += 1;
        self.blank()?;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Kind::Object(members));
        }
        loop {
            let start = self.at;
            if self.peek() != Some(b'"') {
                return self.wrong(if members.is_empty() || self.peek() != Some(b'}') {
                    "a key in quotes should be here"
                } else {
                    "a comma before `}`: the host drops a settings file that has one"
                });
            }
            let key = self.string()?;
            self.blank()?;
            if self.peek() != Some(b':') {
                return self.wrong("`:` should be here");
            }
            self.at += 1;
            self.blank()?;
            let value = self.value(depth + 1)?;
            members.push(Member { key, start, value });
            self.blank()?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return self.wrong("`,` or `}` should be here"),
            }
            self.blank()?;
        }
        self.at += 1;
        Ok(Kind::Object(members))
    }

    fn array(&mut self, depth: usize) -> Result<Kind, Problem> {
        let mut elements = Vec::new();
        self.at += 1;
        self.blank()?;
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Kind::Array(elements));
        }
        loop {
            if self.peek() == Some(b']') {
                return self.wrong("a comma before `]`: the host drops a settings file that has one");
            }
            elements.push(self.value(depth + 1)?);
            self.blank()?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return self.wrong("`,` or `]` should be here"),
            }
            self.blank()?;
        }
        self.at += 1;
        Ok(Kind::Array(elements))
    }

    fn string(&mut self) -> Result<String, Problem> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                None => return Err(Problem::new(start, "a string that does not end")),
                Some(b'\\') => self.at += 2,
                Some(b'"') => break,
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        let raw = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_str(raw).map_err(|_| Problem::new(start, "not a string of JSON"))
    }
}
