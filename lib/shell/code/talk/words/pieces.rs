//! Strings with their interpolation, and the names of variables.

use super::super::super::super::growth::add;
use super::super::super::value::literal;
use super::{Kind, Lexer, MOST_DEPTH, Piece, Tok, lex};
use crate::shell::unwrap::is_name;

impl Lexer<'_> {
    pub(super) fn variable(&mut self) -> Tok {
        let rest = self.rest();
        let end = variable_end(rest, self.kind);
        if end == 0 {
            return self.sign();
        }
        let text = self.take(end);
        Tok::Var(text.replace(['{', '}'], ""))
    }

    pub(super) fn quoted(&mut self, skip: usize, plain: bool) -> Vec<Piece> {
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

    pub(super) fn code(&mut self, text: &str) -> Piece {
        if self.depth >= MOST_DEPTH {
            self.script.deep = true;
            return Piece::Unknown;
        }
        let text = lex(text, self.kind, self.marks, self.script, self.depth + 1);
        self.script.texts.push(text);
        Piece::Code(self.script.texts.len() - 1)
    }

    /// The pieces of a text with interpolation.
    pub(super) fn pieces(&mut self, text: &str) -> Vec<Piece> {
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
                add(&mut pieces, Piece::Text(literal(std::mem::take(&mut plain), self.marks)));
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
                add(&mut pieces, Piece::Name(inner.to_owned()));
            } else if let Some(name) = inner.strip_prefix("${").and_then(|name| name.strip_suffix('}')) {
                add(&mut pieces, if is_name(name) { Piece::Name(format!("${name}")) } else { self.code(name) });
            } else {
                let inner = inner.strip_prefix("@{").and_then(|inner| inner.strip_suffix('}')).unwrap_or(inner);
                let piece = self.code(inner);
                add(&mut pieces, piece);
            }
        }
        if !plain.is_empty() || pieces.is_empty() {
            add(&mut pieces, Piece::Text(literal(plain, self.marks)));
        }
        pieces
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
