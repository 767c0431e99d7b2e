//! The words of Perl, Ruby and PHP: strings with their interpolation, quote operators,
//! here-documents, regular expressions, comments.

use super::super::part::{Arg, Dynamic};
use super::value::literal;

/// Most program texts inside each other: interpolation, `s///e`.
const MOST_DEPTH: usize = 5;
/// Most bytes of `<*.o>`.
const MOST_GLOB: usize = 128;

/// A language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Perl,
    Ruby,
    Php,
}

/// A piece of a string.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    /// It stands there.
    Text(Arg),
    /// The value of a variable.
    Name(String),
    /// The value of the program text of this number.
    Code(usize),
    /// Not known.
    Unknown,
}

/// A word.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tok {
    /// A name or keyword, with `::` inside.
    Name(String),
    /// A variable with its sigil.
    Var(String),
    /// A string.
    Text(Vec<Piece>),
    /// A command in backticks.
    Run(Vec<Piece>),
    /// A pattern for names of files.
    Glob(Vec<Piece>),
    /// A list of words.
    List(Vec<Arg>),
    /// A regular expression or a number.
    Other,
    /// An unknown place of the program text.
    Mark,
    /// An operator.
    Sign(&'static str),
    /// The end of a line, in Ruby only.
    Line,
}

/// One program text.
#[derive(Debug, Default)]
pub(super) struct Text {
    /// Its words.
    pub toks: Vec<Tok>,
    /// For an opening bracket, where it closes.
    pub close: Vec<usize>,
}

/// A program text and those inside of it.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// All texts, the whole one last.
    pub texts: Vec<Text>,
    /// Whether something was too deep.
    pub deep: bool,
}

const SIGNS: &[&str] = &[
    "<=>", "||=", "&&=", "//=", "??=", "...", "===", "!==", "**=", "->", "=>", "==", "=~", "!~", "!=", "<=", ">=",
    "<<", ">>", "&&", "||", "??", "::", "..", ".=", "+=", "-=", "*=", "&.", "++", "--", "**", "(", ")", "[", "]", "{",
    "}", ";", ",", ".", "=", "+", "-", "*", "/", "%", "<", ">", "?", ":", "|", "&", "!", "~", "^", "\\", "@", "$",
];

/// Reads a program text.
pub(super) fn script(text: &Arg, kind: Kind) -> Script {
    let mut script = Script::default();
    let root = lex(&text.text, kind, &text.dynamic, &mut script, 0);
    script.texts.push(root);
    script
}

fn lex(text: &str, kind: Kind, marks: &[Dynamic], script: &mut Script, depth: usize) -> Text {
    let mut lexer = Lexer { text, at: 0, kind, marks, toks: Vec::new(), heres: Vec::new(), script, depth };
    if kind == Kind::Php && depth == 0 && text.contains("<?") {
        lexer.html();
    }
    if depth == 0 {
        lexer.manual();
    }
    while lexer.step() {}
    let toks = lexer.toks;
    let mut close = vec![toks.len(); toks.len()];
    let mut stack = Vec::new();
    for (at, tok) in toks.iter().enumerate() {
        match tok {
            Tok::Sign("(" | "[" | "{") => stack.push(at),
            Tok::Sign(")" | "]" | "}") => {
                if let Some(slot) = stack.pop().and_then(|open| close.get_mut(open)) {
                    *slot = at;
                }
            }
            _ => {}
        }
    }
    Text { toks, close }
}

/// A here-document whose body comes after the line.
struct Here {
    tok: usize,
    end: String,
    plain: bool,
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    kind: Kind,
    marks: &'t [Dynamic],
    toks: Vec<Tok>,
    heres: Vec<Here>,
    script: &'t mut Script,
    depth: usize,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self, bytes: usize) -> &'t str {
        let taken = self.rest().get(..bytes).unwrap_or_default();
        self.at = (self.at + bytes).min(self.text.len());
        taken
    }

    fn line(&mut self) {
        let end = self.rest().find('\n').unwrap_or(self.rest().len());
        self.at += end;
    }

    /// PHP: what stands outside of its tags.
    fn html(&mut self) {
        match self.rest().find("<?") {
            Some(at) => {
                self.at += at + 2;
                if self.rest().starts_with("php") {
                    self.at += 3;
                } else if self.rest().starts_with('=') {
                    self.at += 1;
                }
            }
            None => self.at = self.text.len(),
        }
    }

    /// Whether the last word is a value, so that an operator must follow.
    fn valued(&self) -> bool {
        match self.toks.last() {
            None | Some(Tok::Line) => false,
            Some(Tok::Sign(sign)) => matches!(*sign, ")" | "]" | "}" | "++" | "--"),
            Some(Tok::Name(name)) => !matches!(
                name.as_str(),
                "split"
                    | "grep"
                    | "map"
                    | "if"
                    | "elsif"
                    | "unless"
                    | "and"
                    | "or"
                    | "not"
                    | "return"
                    | "when"
                    | "while"
                    | "until"
                    | "puts"
                    | "print"
                    | "push"
                    | "x"
                    | "in"
                    | "do"
                    | "then"
                    | "unlink"
                    | "for"
                    | "foreach"
                    | "join"
                    | "echo"
                    | "sort"
                    | "reverse"
                    | "system"
                    | "exec"
                    | "p"
                    | "say"
                    | "rescue"
            ),
            Some(_) => true,
        }
    }

    /// Reads one word; says whether there is more.
    fn step(&mut self) -> bool {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else { return false };
        if c == '\n' {
            self.newline();
            return true;
        }
        if c.is_whitespace() {
            self.at += c.len_utf8();
            return true;
        }
        if c == '«' {
            self.at += rest.find('»').map_or(rest.len(), |end| end + '»'.len_utf8());
            self.toks.push(Tok::Mark);
            return true;
        }
        let tok = match c {
            '#' => {
                self.line();
                return true;
            }
            '/' if self.kind == Kind::Php && rest.starts_with("//") => {
                let line = rest.split('\n').next().unwrap_or_default();
                self.at += line.find("?>").unwrap_or(line.len());
                return true;
            }
            '/' if self.kind == Kind::Php && rest.starts_with("/*") => {
                self.at += rest.find("*/").map_or(rest.len(), |end| end + 2);
                return true;
            }
            '?' if self.kind == Kind::Php && rest.starts_with("?>") => {
                self.at += 2;
                self.html();
                Tok::Sign(";")
            }
            '"' => Tok::Text(self.quoted(0, false)),
            '\'' => Tok::Text(self.quoted(0, true)),
            '`' => Tok::Run(self.quoted(0, false)),
            '$' | '@' => self.variable(),
            '%' => self.percent(),
            '/' if self.kind != Kind::Php && self.regex_here() => {
                let end = self.inside(1, '/');
                self.at = end;
                self.flags();
                Tok::Other
            }
            '<' => match self.angle() {
                Some(tok) => tok,
                None => self.sign(),
            },
            ':' if self.kind == Kind::Ruby && !rest.starts_with("::") && !self.valued() => {
                self.at += 1;
                match self.rest().starts_with(['"', '\'']) {
                    true => Tok::Text(self.quoted(0, false)),
                    false => {
                        self.name();
                        Tok::Other
                    }
                }
            }
            _ if c.is_ascii_digit() => {
                let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
                self.at += end;
                Tok::Other
            }
            _ if c.is_alphabetic() || c == '_' => return self.word(),
            _ => self.sign(),
        };
        self.toks.push(tok);
        true
    }

    fn newline(&mut self) {
        self.at += 1;
        for here in std::mem::take(&mut self.heres) {
            self.body(&here);
        }
        if self.kind == Kind::Ruby && !self.rest().trim_start_matches([' ', '\t']).starts_with('.') {
            self.toks.push(Tok::Line);
        }
        self.manual();
    }

    /// Documentation: `=pod` to `=cut`, `=begin` to `=end`.
    fn manual(&mut self) {
        let rest = self.rest();
        let to = match self.kind {
            Kind::Perl if rest.starts_with('=') && rest.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic) => {
                "\n=cut"
            }
            Kind::Ruby if rest.starts_with("=begin") => "\n=end",
            _ => return,
        };
        self.at += rest.find(to).map_or(rest.len(), |end| end + to.len());
        self.line();
    }

    fn sign(&mut self) -> Tok {
        let rest = self.rest();
        match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            Some(sign) => {
                self.at += sign.len();
                Tok::Sign(sign)
            }
            None => {
                self.at += rest.chars().next().map_or(1, char::len_utf8);
                Tok::Other
            }
        }
    }

    fn name(&mut self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        self.take(end)
    }

    fn word(&mut self) -> bool {
        let start = self.at;
        self.name();
        loop {
            let rest = self.rest();
            let inner = match self.kind {
                Kind::Php => rest.strip_prefix('\\'),
                Kind::Perl => rest.strip_prefix("::"),
                // `File::open` is a call.
                Kind::Ruby => rest.strip_prefix("::").filter(|rest| rest.starts_with(char::is_uppercase)),
            };
            let Some(inner) = inner.filter(|inner| inner.starts_with(|c: char| c.is_alphabetic() || c == '_')) else {
                break;
            };
            self.at = self.text.len() - inner.len();
            self.name();
        }
        if self.kind == Kind::Ruby && self.rest().starts_with(['?', '!']) && !self.rest().starts_with("!=") {
            self.at += 1;
        }
        let name = self.text.get(start..self.at).unwrap_or_default();
        if matches!(name, "__END__" | "__DATA__") && self.kind != Kind::Php {
            self.at = self.text.len();
            return true;
        }
        if self.kind == Kind::Perl
            && let Some(tok) = self.perl_quote(name)
        {
            self.toks.push(tok);
            return true;
        }
        self.toks.push(Tok::Name(name.to_owned()));
        true
    }

    fn perl_quote(&mut self, name: &str) -> Option<Tok> {
        if !matches!(name, "q" | "qq" | "qw" | "qx" | "qr" | "m" | "s" | "y" | "tr") {
            return None;
        }
        if matches!(self.toks.last(), Some(Tok::Sign("->" | "&"))) {
            return None;
        }
        let rest = self.rest();
        let trimmed = rest.trim_start();
        let c = trimmed.chars().next()?;
        let spaced = trimmed.len() < rest.len();
        let bad = c.is_alphanumeric() || matches!(c, ',' | ';' | ')' | '}' | '=' | '_') || (spaced && c == '#');
        if bad {
            return None;
        }
        self.at += rest.len() - trimmed.len();
        let plain = c == '\'';
        Some(match name {
            "q" => Tok::Text(self.quoted(0, true)),
            "qq" => Tok::Text(self.quoted(0, plain)),
            "qx" => Tok::Run(self.quoted(0, plain)),
            "qw" => Tok::List(self.list(0)),
            "m" | "qr" => {
                self.raw(0);
                self.flags();
                Tok::Other
            }
            _ => {
                self.raw(0);
                let open = c;
                // `s{a} {b}`, but `s/a/b/`
                if closing(open) == open {
                    self.at = self.at.saturating_sub(open.len_utf8());
                } else {
                    let rest = self.rest();
                    self.at += rest.len() - rest.trim_start().len();
                }
                let body = self.raw(0);
                let flags = self.flags();
                if name == "s" && flags.contains('e') { Tok::Text(vec![self.code(body)]) } else { Tok::Other }
            }
        })
    }

    fn flags(&mut self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        self.take(end)
    }

    /// Ruby: `%w(a b)`, `%x{cmd}`, `%(text)`; Perl: a hash.
    fn percent(&mut self) -> Tok {
        let rest = self.rest();
        if self.valued() && !(self.kind == Kind::Ruby && rest.starts_with("%w")) {
            return self.sign();
        }
        if self.kind == Kind::Perl {
            return self.variable();
        }
        let mut chars = rest.chars().skip(1);
        let letter = chars.next().unwrap_or(' ');
        let (letter, open) = match letter.is_ascii_alphabetic() {
            true => (letter, chars.next().unwrap_or(' ')),
            false => ('Q', letter),
        };
        if self.kind == Kind::Php || !open.is_ascii_punctuation() || open == '=' {
            return self.sign();
        }
        let skip = if rest.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic) { 2 } else { 1 };
        match letter {
            'w' | 'W' | 'i' | 'I' => Tok::List(self.list(skip)),
            'q' => Tok::Text(self.quoted(skip, true)),
            'x' => Tok::Run(self.quoted(skip, false)),
            'Q' => Tok::Text(self.quoted(skip, false)),
            'r' | 's' => {
                self.raw(skip);
                self.flags();
                Tok::Other
            }
            _ => self.sign(),
        }
    }

    fn regex_here(&self) -> bool {
        let rest = self.rest();
        let spaced = self.at.checked_sub(1).and_then(|at| self.text.as_bytes().get(at)) == Some(&b' ');
        let call = self.kind == Kind::Ruby && matches!(self.toks.last(), Some(Tok::Name(_)));
        let hugs = !rest.get(1..).unwrap_or_default().starts_with([' ', '=']);
        if self.valued() && !(call && spaced && hugs) {
            return false;
        }
        let line = rest.split('\n').next().unwrap_or_default();
        line.get(1..).is_some_and(|line| line.contains('/'))
    }

    /// `<<EOS`, `<STDIN>`, `<*.c>`; `None` if it compares.
    fn angle(&mut self) -> Option<Tok> {
        let rest = self.rest();
        if let Some(here) = rest.strip_prefix("<<") {
            return self.here(here);
        }
        if self.kind != Kind::Perl || self.valued() {
            return None;
        }
        let end = rest.bytes().take(MOST_GLOB).take_while(|byte| *byte != b'\n').position(|byte| byte == b'>')?;
        let inner = rest.get(1..end)?;
        self.at += end + 1;
        if inner.is_empty() || inner == "ARGV" {
            return Some(Tok::Name("<>".to_owned()));
        }
        let handle = inner.trim_start_matches('$');
        if handle.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return Some(Tok::Other);
        }
        Some(Tok::Glob(self.pieces(inner)))
    }

    fn here(&mut self, after: &str) -> Option<Tok> {
        let mut name = after;
        if self.kind == Kind::Php {
            name = name.strip_prefix('<')?.trim_start_matches([' ', '\t']);
        }
        let bare = name;
        let loose = matches!(self.kind, Kind::Perl | Kind::Ruby) && name.starts_with(['~', '-']);
        if loose {
            name = name.get(1..)?;
        }
        let quote = name.chars().next().filter(|c| matches!(c, '"' | '\''));
        if let Some(quote) = quote {
            name = name.get(1..)?;
            let end = name.find([quote, '\n'])?;
            name = name.get(..end)?;
        } else {
            let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(name.len());
            name = name.get(..end)?;
        }
        let plausible = name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_' || quote.is_some() || loose);
        let spaced = self.at.checked_sub(1).and_then(|at| self.text.as_bytes().get(at)) == Some(&b' ');
        let called = spaced && matches!(self.toks.last(), Some(Tok::Name(_))) && quote.is_none();
        if !plausible || name.is_empty() || (self.valued() && !called && !loose && self.kind != Kind::Php) {
            return None;
        }
        let end = name.to_owned();
        let used = self.rest().len() - after.len() + (after.len() - bare.len()) + usize::from(loose) + name.len();
        self.at += used + if quote.is_some() { 2 } else { 0 };
        self.heres.push(Here { tok: self.toks.len(), end, plain: quote == Some('\'') });
        Some(Tok::Text(vec![Piece::Unknown]))
    }

    fn body(&mut self, here: &Here) {
        let rest = self.rest();
        let mut length = 0;
        let mut found = rest.len();
        for line in rest.split_inclusive('\n') {
            let bare = line.trim();
            let end = bare.strip_prefix(here.end.as_str());
            if end.is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
                && (self.kind == Kind::Php || end == Some(""))
            {
                found = length;
                let at = line.find(here.end.as_str()).unwrap_or(0);
                length += at + here.end.len();
                break;
            }
            length += line.len();
        }
        self.at += length;
        let body = rest.get(..found).unwrap_or_default();
        let pieces =
            if here.plain { vec![Piece::Text(literal(body.to_owned(), self.marks))] } else { self.pieces(body) };
        if let Some(slot) = self.toks.get_mut(here.tok) {
            *slot = Tok::Text(pieces);
        }
    }

    fn variable(&mut self) -> Tok {
        let rest = self.rest();
        let end = variable_end(rest, self.kind);
        if end == 0 {
            return self.sign();
        }
        let text = self.take(end);
        Tok::Var(text.replace(['{', '}'], ""))
    }

    /// Where the text that opens `skip` bytes from here ends: behind its closing delimiter.
    fn inside(&self, from: usize, close: char) -> usize {
        let start = self.at + from;
        let text = self.text.get(start..).unwrap_or_default();
        let open = self.text.get(..start).and_then(|text| text.chars().next_back()).unwrap_or(close);
        let ruby = self.kind == Kind::Ruby;
        let mut depth = 0_usize;
        let mut braces = 0_usize;
        let mut before = ' ';
        let mut chars = text.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => {
                    chars.next();
                }
                '{' if ruby && close != '}' && (before == '#' || braces > 0) => braces += 1,
                '}' if braces > 0 => braces -= 1,
                _ if braces > 0 => {}
                _ if c == close && depth == 0 => return start + at + c.len_utf8(),
                _ if c == close => depth -= 1,
                _ if c == open && open != close => depth += 1,
                _ => {}
            }
            before = c;
        }
        self.text.len()
    }

    /// The text in delimiters that open `skip` bytes from here.
    fn raw(&mut self, skip: usize) -> &'t str {
        let Some(open) = self.rest().get(skip..).and_then(|rest| rest.chars().next()) else {
            self.at = self.text.len();
            return "";
        };
        let from = skip + open.len_utf8();
        let close = closing(open);
        let end = self.inside(from, close);
        let text = self.text.get(self.at + from..end).unwrap_or_default();
        self.at = end;
        text.strip_suffix(close).unwrap_or(text)
    }

    fn list(&mut self, skip: usize) -> Vec<Arg> {
        let marks = self.marks;
        let words = self.raw(skip);
        words.split_whitespace().map(|word| literal(word.to_owned(), marks)).collect()
    }

    fn quoted(&mut self, skip: usize, plain: bool) -> Vec<Piece> {
        let text = self.raw(skip);
        if !plain {
            return self.pieces(text);
        }
        let mut bare = String::with_capacity(text.len());
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' => bare.push(chars.next_if(|c| matches!(c, '\\' | '\'')).unwrap_or('\\')),
                _ => bare.push(c),
            }
        }
        vec![Piece::Text(literal(bare, self.marks))]
    }

    fn code(&mut self, text: &str) -> Piece {
        if self.depth >= MOST_DEPTH {
            self.script.deep = true;
            return Piece::Unknown;
        }
        let text = lex(text, self.kind, self.marks, self.script, self.depth + 1);
        self.script.texts.push(text);
        Piece::Code(self.script.texts.len() - 1)
    }

    /// The pieces of a text with interpolation.
    fn pieces(&mut self, text: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut at = 0;
        while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
            let rest = text.get(at..).unwrap_or_default();
            let end = match (self.kind, c) {
                (_, '\\') => {
                    let next = rest.chars().nth(1);
                    match next {
                        Some('n') => plain.push('\n'),
                        Some('t') => plain.push('\t'),
                        Some('x' | 'u' | 'N') => plain.push('\u{fffd}'),
                        Some(other) => plain.push(other),
                        None => {}
                    }
                    at += 1 + next.map_or(0, char::len_utf8);
                    continue;
                }
                (Kind::Ruby, '#') if rest.starts_with("#{") => bracket_end(rest, 1),
                (Kind::Php, '{') if rest.starts_with("{$") => bracket_end(rest, 0),
                (Kind::Perl, '@') | (Kind::Perl | Kind::Php, '$') => piece_end(rest, self.kind),
                _ => 0,
            };
            if end == 0 {
                plain.push(c);
                at += c.len_utf8();
                continue;
            }
            if !plain.is_empty() {
                pieces.push(Piece::Text(literal(std::mem::take(&mut plain), self.marks)));
            }
            let inner = rest.get(..end).unwrap_or_default();
            at += end;
            let inner = match self.kind {
                Kind::Ruby => inner.trim_start_matches("#{").trim_end_matches('}'),
                Kind::Php => inner.strip_prefix('{').map_or(inner, |inner| inner.trim_end_matches('}')),
                Kind::Perl => inner,
            };
            let simple =
                inner.get(1..).is_some_and(|name| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'));
            if simple && self.kind != Kind::Ruby {
                pieces.push(Piece::Name(inner.to_owned()));
            } else if let Some(name) = inner.strip_prefix("${").and_then(|name| name.strip_suffix('}')) {
                pieces.push(if super::super::unwrap::is_name(name) {
                    Piece::Name(format!("${name}"))
                } else {
                    self.code(name)
                });
            } else {
                let inner = inner.strip_prefix("@{").and_then(|inner| inner.strip_suffix('}')).unwrap_or(inner);
                let piece = self.code(inner);
                pieces.push(piece);
            }
        }
        if !plain.is_empty() || pieces.is_empty() {
            pieces.push(Piece::Text(literal(plain, self.marks)));
        }
        pieces
    }
}

fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    }
}

/// The length of the text up to the bracket that closes the one at `from`.
fn bracket_end(text: &str, from: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().skip(from) {
        match byte {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' if depth <= 1 => return at + 1,
            b'}' | b']' | b')' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a variable with its sigil; 0 if it is none.
fn variable_end(text: &str, kind: Kind) -> usize {
    let sigils = text.bytes().take_while(|byte| matches!(byte, b'$' | b'@' | b'%')).count().min(2);
    if sigils == 0 {
        return 0;
    }
    let rest = text.get(sigils..).unwrap_or_default();
    if kind == Kind::Perl && rest.starts_with('#') && text.starts_with('$') {
        return sigils + 1 + rest.bytes().skip(1).take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    }
    if let Some(inner) = rest.strip_prefix('{').filter(|_| kind == Kind::Perl && text.starts_with('$')) {
        let end = inner.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'^')).count();
        return if end > 0 && inner.as_bytes().get(end) == Some(&b'}') { sigils + end + 2 } else { 0 };
    }
    if rest.starts_with('^') && kind == Kind::Perl && text.starts_with('$') {
        return sigils + 2;
    }
    let name = |rest: &str| rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let mut end = name(rest);
    while let Some(more) = rest.get(end..).and_then(|rest| rest.strip_prefix("::")).filter(|_| kind == Kind::Perl) {
        let more = name(more);
        if more == 0 {
            break;
        }
        end += 2 + more;
    }
    let single = text.starts_with('$') && kind != Kind::Php && rest.starts_with(|c: char| c.is_ascii_punctuation());
    match end {
        0 if sigils == 2 && text.starts_with("$$") => 2,
        0 if single && !rest.starts_with(['{', '(', '[']) => 2,
        0 => 0,
        end => sigils + end,
    }
}

/// The length of an interpolated variable with its index.
fn piece_end(text: &str, kind: Kind) -> usize {
    if text.starts_with("${") || text.starts_with("@{") {
        return bracket_end(text, 1);
    }
    let named = text
        .as_bytes()
        .get(1)
        .copied()
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b':');
    let mut end = if named { variable_end(text, kind) } else { 0 };
    if end == 0 {
        return 0;
    }
    for _ in 0..4 {
        let rest = text.get(end..).unwrap_or_default();
        let arrow = rest.strip_prefix("->").unwrap_or(rest);
        let skip = rest.len() - arrow.len();
        if arrow.starts_with('[') || (arrow.starts_with('{') && kind == Kind::Perl) {
            end += skip + bracket_end(arrow, 0);
        } else if skip > 0 && kind == Kind::Php && arrow.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            end += skip + arrow.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(arrow.len());
        } else {
            break;
        }
    }
    end
}
