//! From program text to tokens, for Python and JavaScript.

use std::borrow::Cow;

/// Which language a text is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Python: `#` comments, prefixes of strings, lines and indentation.
    Python,
    /// JavaScript and TypeScript: `//` comments, templates, regular expressions.
    JavaScript,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An identifier or keyword.
    Name,
    /// A number.
    Number,
    /// A string; the token's text is what stands between its quotes.
    Text(Quote),
    /// An operator or bracket, or a character that belongs nowhere.
    Op,
    /// The end of a line of Python.
    Newline,
    /// More indentation than the line before.
    Indent,
    /// Less indentation, once per level.
    Dedent,
    /// A value that is unknown: a regular expression, or a mark of the shell.
    Other,
    /// A mark of the shell where code should stand.
    Mark,
}

/// How a string is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quote {
    /// Backslashes stand for themselves.
    pub raw: bool,
    /// Expressions in braces are put in (`f"{x}"`, a JavaScript template).
    pub format: bool,
}

/// One token.
#[derive(Clone, Copy, Debug)]
pub struct Token<'t> {
    /// What it is.
    pub kind: Kind,
    /// Its text; of a string, without prefix and quotes.
    pub text: &'t str,
    /// Whether a line ended before it.
    pub fresh: bool,
}

/// A token as it is kept: a text has about as many as it has words and operators.
#[derive(Clone, Copy, Debug)]
struct Kept {
    kind: Kind,
    fresh: bool,
    start: u32,
    length: u32,
}

/// The tokens of a text.
#[derive(Debug)]
pub struct Tokens<'t> {
    text: &'t str,
    all: Vec<Kept>,
    /// Whether there are more than are looked at.
    pub cut: bool,
}

/// Tokens that any text may have; a longer one may have one more for so many of its bytes.
const LEAST_TOKENS: usize = 1024;
const BYTES_OF_TOKEN: usize = 3;

/// Longest regular expression that is looked for the end of.
const MOST_REGEX: usize = 1000;

/// Operators, longest first.
const OPERATORS: &[&str] = &[
    ">>>=", "**=", "//=", ">>=", "<<=", "===", "!==", "...", "&&=", "||=", "??=", ">>>", "=>", "->", ":=", "==", "!=",
    "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", "**", "//",
    "<<", ">>",
];

impl<'t> Tokens<'t> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// The token with this number.
    pub fn get(&self, at: usize) -> Option<Token<'t>> {
        let kept = self.all.get(at)?;
        let start = kept.start as usize;
        let text = self.text.get(start..start + kept.length as usize).unwrap_or_default();
        Some(Token { kind: kept.kind, text, fresh: kept.fresh })
    }

    fn last(&self) -> Option<Token<'t>> {
        self.get(self.all.len().checked_sub(1)?)
    }
}

/// Splits a text into tokens.
pub fn tokens(text: &str, style: Style) -> Tokens<'_> {
    let most = LEAST_TOKENS + text.len() / BYTES_OF_TOKEN;
    let all = Vec::with_capacity(text.len() / 4);
    let out = Tokens { text, all, cut: false };
    let mut lexer = Lexer { text, at: 0, style, open: 0, fresh: true, levels: vec![0], out };
    if style == Style::Python {
        lexer.indent();
    }
    while lexer.next() {
        if lexer.out.len() > most {
            lexer.out.cut = true;
            break;
        }
    }
    if style == Style::Python {
        lexer.push(Kind::Newline, "");
        for _ in 1..lexer.levels.len() {
            lexer.push(Kind::Dedent, "");
        }
    }
    lexer.out
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    style: Style,
    /// Open brackets.
    open: u32,
    fresh: bool,
    /// Columns of the open indentations.
    levels: Vec<usize>,
    out: Tokens<'t>,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn push(&mut self, kind: Kind, text: &'t str) {
        // A token is a piece of the text, or empty.
        let start = if text.is_empty() { 0 } else { text.as_ptr().addr().wrapping_sub(self.text.as_ptr().addr()) };
        let (start, length) = (start as u32, text.len() as u32);
        self.out.all.push(Kept { kind, fresh: self.fresh, start, length });
        self.fresh = false;
    }

    /// Takes `length` bytes as a token.
    fn take(&mut self, kind: Kind, length: usize) {
        let text = self.rest().get(..length).unwrap_or_default();
        self.at += length;
        self.push(kind, text);
    }

    fn skip_while(&mut self, keep: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|letter| !keep(letter)).unwrap_or(rest.len());
    }

    fn next(&mut self) -> bool {
        let rest = self.rest();
        let Some(letter) = rest.chars().next() else {
            return false;
        };
        let python = self.style == Style::Python;
        match letter {
            '\n' => {
                self.at += 1;
                if python && self.open == 0 {
                    self.line();
                } else {
                    self.fresh = true;
                }
            }
            '\\' if rest.starts_with("\\\n") => self.at += 2,
            ' ' => self.at += rest.bytes().position(|byte| byte != b' ').unwrap_or(rest.len()),
            _ if letter.is_whitespace() => self.at += letter.len_utf8(),
            '#' if python || (rest.starts_with("#!") && self.at == 0) => self.skip_while(|letter| letter != '\n'),
            '/' if !python && rest.starts_with("//") => self.skip_while(|letter| letter != '\n'),
            '/' if !python && rest.starts_with("/*") => {
                self.at += rest.get(2..).and_then(|rest| rest.find("*/")).map_or(rest.len(), |end| end + 4);
            }
            '/' if !python && self.value_comes() => self.regex(),
            '\'' | '"' => self.string(0),
            '`' if !python => self.template(),
            '0'..='9' => {
                let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
                self.take(Kind::Number, end);
            }
            '«' => self.mark(rest),
            _ if letter.is_alphabetic() || letter == '_' || letter == '$' || (letter == '#' && !python) => {
                self.name(rest);
            }
            _ => self.operator(rest, letter),
        }
        true
    }

    fn operator(&mut self, rest: &str, letter: char) {
        match letter {
            '(' | '[' | '{' => self.open += 1,
            ')' | ']' | '}' => self.open = self.open.saturating_sub(1),
            _ => {}
        }
        let long = matches!(
            rest.as_bytes().get(1),
            Some(b'=' | b'>' | b'<' | b'*' | b'/' | b'&' | b'|' | b'?' | b'+' | b'-' | b'.')
        )
        .then(|| OPERATORS.iter().find(|op| rest.starts_with(**op)))
        .flatten();
        self.take(Kind::Op, long.map_or(letter.len_utf8(), |op| op.len()));
    }

    fn name(&mut self, rest: &str) {
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
        let mut end = rest.bytes().position(|byte| !plain(&byte)).unwrap_or(rest.len());
        if end == 0 || rest.as_bytes().get(end).is_some_and(|byte| !byte.is_ascii()) {
            let after = rest.char_indices().skip(1).find(|(_, c)| !(c.is_alphanumeric() || *c == '_' || *c == '$'));
            end = after.map_or(rest.len(), |(at, _)| at);
        }
        let quote = rest.as_bytes().get(end);
        let prefix = self.style == Style::Python
            && end <= 2
            && matches!(quote, Some(b'\'' | b'"'))
            && rest.bytes().take(end).all(|byte| matches!(byte.to_ascii_lowercase(), b'r' | b'b' | b'f' | b'u'));
        if prefix { self.string(end) } else { self.take(Kind::Name, end) }
    }

    /// A string with a prefix of `prefix` letters.
    fn string(&mut self, prefix: usize) {
        let rest = self.rest();
        let (letters, body) = rest.split_at_checked(prefix).unwrap_or(("", rest));
        let has = |wanted: char| letters.chars().any(|letter| letter.eq_ignore_ascii_case(&wanted));
        let quote = Quote { raw: has('r'), format: has('f') };
        let mark = body.get(..1).unwrap_or_default();
        let triple = self.style == Style::Python && body.get(..3).is_some_and(|three| three == mark.repeat(3));
        let width = if triple { 3 } else { 1 };
        let inner = body.get(width..).unwrap_or_default();
        let end = close(inner, body.get(..width).unwrap_or(mark), !triple);
        self.at += prefix + width;
        let text = inner.get(..end).unwrap_or_default();
        let closed = inner.get(end..).is_some_and(|rest| rest.starts_with(mark));
        self.at += end + if closed { width } else { 0 };
        self.push(Kind::Text(quote), text);
    }

    /// A template: its end is looked for outside of `${…}`, where strings and templates may nest.
    fn template(&mut self) {
        let inner = self.rest().get(1..).unwrap_or_default();
        let bytes = inner.as_bytes();
        let (mut at, mut stack) = (0, Vec::new());
        while let Some(byte) = bytes.get(at) {
            match (byte, stack.last()) {
                (b'\\', _) => at += 1,
                (b'`', None) => break,
                (b'`', Some(b'`')) => {
                    stack.pop();
                }
                (b'$', None | Some(b'`')) if bytes.get(at + 1) == Some(&b'{') => {
                    at += 1;
                    stack.push(b'{');
                }
                (b'`', Some(b'{')) => stack.push(b'`'),
                (b'{', Some(b'{')) => stack.push(b'{'),
                (b'}', Some(b'{')) => {
                    stack.pop();
                }
                (quote @ (b'\'' | b'"'), Some(b'{')) => {
                    let after = inner.get(at + 1..).unwrap_or_default();
                    at += 1 + close(after, if *quote == b'"' { "\"" } else { "'" }, true);
                }
                _ => {}
            }
            at += 1;
        }
        let end = at.min(inner.len());
        self.at += 1 + end + usize::from(end < inner.len());
        self.push(Kind::Text(Quote { raw: false, format: true }), inner.get(..end).unwrap_or_default());
    }

    /// Whether a value may begin here, so that `/` opens a regular expression.
    fn value_comes(&self) -> bool {
        self.out.last().is_none_or(|last| match last.kind {
            Kind::Op => !matches!(last.text, ")" | "]" | "}" | "++" | "--"),
            Kind::Name => matches!(last.text, "return" | "typeof" | "case" | "in" | "of" | "await" | "else" | "do"),
            _ => false,
        })
    }

    fn regex(&mut self) {
        let rest = self.rest();
        let (mut class, mut escape) = (false, false);
        let mut end = None;
        for (at, letter) in rest.char_indices().take(MOST_REGEX).skip(1) {
            match letter {
                '\n' => break,
                _ if escape => escape = false,
                '\\' => escape = true,
                '[' => class = true,
                ']' => class = false,
                '/' if !class => {
                    end = Some(at + 1);
                    break;
                }
                _ => {}
            }
        }
        match end {
            Some(end) => {
                self.take(Kind::Other, end);
                self.skip_while(|letter| letter.is_ascii_alphabetic());
            }
            None => self.take(Kind::Op, 1),
        }
    }

    /// A mark of the shell: code that is not known.
    fn mark(&mut self, rest: &str) {
        let end = rest.char_indices().take(12).find(|(_, letter)| *letter == '»');
        let end = end.map_or('«'.len_utf8(), |(at, letter)| at + letter.len_utf8());
        let starts = self.out.last().is_none_or(|last| {
            last.fresh_start() || matches!(last.text, ";" | ":" | "{" | "}") && last.kind == Kind::Op
        });
        self.take(if starts || self.fresh { Kind::Mark } else { Kind::Other }, end);
    }

    /// The end of a line of Python and the indentation of the next one.
    fn line(&mut self) {
        if self.out.last().is_some_and(|last| last.kind != Kind::Newline) {
            self.push(Kind::Newline, "");
        }
        self.fresh = true;
        self.indent();
    }

    fn indent(&mut self) {
        let mut column = 0;
        loop {
            let start = self.at;
            self.skip_while(|letter| matches!(letter, ' ' | '\t' | '\r' | '\x0c'));
            column =
                self.text.get(start..self.at).unwrap_or_default().bytes().fold(column, |column, byte| match byte {
                    b'\t' => (column / 8 + 1) * 8,
                    _ => column + 1,
                });
            if self.rest().starts_with('#') {
                self.skip_while(|letter| letter != '\n');
            }
            match self.rest().as_bytes().first() {
                Some(b'\n') => {
                    self.at += 1;
                    column = 0;
                }
                None => return,
                _ => break,
            }
        }
        let level = self.levels.last().copied().unwrap_or_default();
        // The text of `-c` may be indented as a whole.
        if self.out.all.is_empty() {
            self.levels = vec![column];
        } else if column > level {
            self.levels.push(column);
            self.push(Kind::Indent, "");
            self.fresh = true;
        } else {
            while self.levels.len() > 1 && self.levels.last().is_some_and(|level| *level > column) {
                self.levels.pop();
                self.push(Kind::Dedent, "");
                self.fresh = true;
            }
        }
    }
}

impl Token<'_> {
    fn fresh_start(&self) -> bool {
        matches!(self.kind, Kind::Newline | Kind::Indent | Kind::Dedent)
    }
}

/// Where a string ends that closes with `mark`.
fn close(text: &str, mark: &str, one_line: bool) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' if one_line => return at,
            _ if bytes.get(at..).is_some_and(|rest| rest.starts_with(mark.as_bytes())) => return at,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// The value of a string, escapes resolved.
pub fn decode(text: &str, quote: Quote) -> Cow<'_, str> {
    if quote.raw || !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('0') => out.push('\0'),
            Some('\n') => {}
            Some(kind @ ('x' | 'u' | 'U')) => {
                let width = match kind {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                let rest = letters.as_str();
                let code = rest.get(..width).and_then(|digits| u32::from_str_radix(digits, 16).ok());
                match code.and_then(char::from_u32) {
                    Some(code) => {
                        out.push(code);
                        letters = rest.get(width..).unwrap_or_default().chars();
                    }
                    None => out.push(kind),
                }
            }
            Some(other @ ('\\' | '\'' | '"' | '`' | '$')) => out.push(other),
            Some(other) => {
                out.push('\\');
                out.push(other);
            }
            None => {}
        }
    }
    Cow::Owned(out)
}
