//! Quote operators, regular expressions and here-documents of Perl, Ruby and PHP.

use super::super::super::super::part::Arg;
use super::super::super::value::literal;
use super::{Here, Kind, Lexer, Piece, Tok};

/// Most bytes of `<*.o>`.
const MOST_GLOB: usize = 128;

impl<'t> Lexer<'t> {
    pub(super) fn perl_quote(&mut self, name: &str) -> Option<Tok> {
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

    pub(super) fn flags(&mut self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        self.take(end)
    }

    /// Ruby: `%w(a b)`, `%x{cmd}`, `%(text)`; Perl: a hash.
    pub(super) fn percent(&mut self) -> Tok {
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

    pub(super) fn regex_here(&self) -> bool {
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
    pub(super) fn angle(&mut self) -> Option<Tok> {
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

    pub(super) fn here(&mut self, after: &str) -> Option<Tok> {
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

    pub(super) fn body(&mut self, here: &Here) {
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

    /// Where the text that opens `skip` bytes from here ends: behind its closing delimiter.
    pub(super) fn inside(&self, from: usize, close: char) -> usize {
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
    pub(super) fn raw(&mut self, skip: usize) -> &'t str {
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

    pub(super) fn list(&mut self, skip: usize) -> Vec<Arg> {
        let marks = self.marks;
        let words = self.raw(skip);
        words.split_whitespace().map(|word| literal(word.to_owned(), marks)).collect()
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
