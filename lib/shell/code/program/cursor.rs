//! A place in the tokens of a program text, and what both parsers do with it.

use std::borrow::Cow;
use std::rc::Rc;

use super::super::super::dynamic::{Dynamic, Dynamics};
use super::super::super::growth::add;
use super::super::super::part::Arg;
use super::lex::{self, Kind, Quote, Style, Token, Tokens};
use super::tree::{Expr, Post};

/// Deepest nesting that is read.
const MOST_DEPTH: u32 = 32;

/// A place in the tokens.
pub struct Cursor<'t> {
    tokens: Tokens<'t>,
    at: usize,
    /// How deep expressions and blocks are nested.
    pub depth: u32,
    /// Whether something could not be followed.
    pub broken: bool,
    /// Names that are assigned, in reading order.
    pub changes: Vec<&'t str>,
    /// Names that the function at hand assigns outside of itself (`global`, `nonlocal`).
    pub outer: Vec<&'t str>,
    /// What is unknown in the text as a whole.
    pub dynamic: Dynamics,
    style: Style,
}

impl<'t> Cursor<'t> {
    /// At the start of a text.
    pub fn new(text: &'t str, style: Style, dynamic: Dynamics, depth: u32) -> Self {
        let tokens = lex::tokens(text, style);
        let broken = tokens.cut;
        Self { tokens, at: 0, depth, broken, changes: Vec::new(), outer: Vec::new(), dynamic, style }
    }

    /// The token here.
    pub fn peek(&self) -> Option<Token<'t>> {
        self.ahead(0)
    }

    /// The token `by` further on.
    pub fn ahead(&self, by: usize) -> Option<Token<'t>> {
        self.tokens.get(self.at + by)
    }

    /// Takes the token here.
    pub fn bump(&mut self) -> Option<Token<'t>> {
        let token = self.peek();
        self.at += 1;
        token
    }

    /// How many tokens have been taken.
    pub fn taken(&self) -> usize {
        self.at
    }

    /// Goes back to a place that `taken` named.
    pub fn back(&mut self, at: usize) {
        self.at = at;
    }

    /// Whether the token here is this operator or keyword.
    pub fn is(&self, text: &str) -> bool {
        self.is_ahead(0, text)
    }

    /// Whether the token `by` further on is this operator or keyword.
    pub fn is_ahead(&self, by: usize, text: &str) -> bool {
        self.ahead(by).is_some_and(|token| matches!(token.kind, Kind::Op | Kind::Name) && token.text == text)
    }

    /// Takes the token here if it is this.
    pub fn eat(&mut self, text: &str) -> bool {
        let is = self.is(text);
        self.at += usize::from(is);
        is
    }

    /// Whether the token with this number is a comma.
    pub fn comma(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Op && token.text == ",")
    }

    /// Takes this token, or the text cannot be followed.
    pub fn want(&mut self, text: &str) {
        if !self.eat(text) {
            self.broken = true;
        }
    }

    /// Takes a name.
    pub fn name(&mut self) -> Option<&'t str> {
        let token = self.peek().filter(|token| token.kind == Kind::Name)?;
        self.at += 1;
        Some(token.text)
    }

    /// One level deeper; at the bound, nothing of the text is left to read.
    pub fn deeper(&mut self) -> bool {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            self.broken = true;
            self.at = self.tokens.len();
            return false;
        }
        true
    }

    /// Skips to behind the bracket that closes the one that has just been taken.
    pub fn skip_brackets(&mut self) {
        let mut open = 1u32;
        while let Some(token) = self.bump() {
            if token.kind == Kind::Op {
                match token.text {
                    "(" | "[" | "{" => open += 1,
                    ")" | "]" | "}" => open -= 1,
                    _ => {}
                }
            }
            if open == 0 {
                break;
            }
        }
    }

    /// Remembers that the names of a target change.
    pub fn changed(&mut self, target: &Expr<'t>) {
        match target {
            Expr::Name(name) => self.changes.push(name),
            Expr::List(items) => items.iter().for_each(|item| self.changed(item)),
            Expr::Dict(pairs) => pairs.iter().for_each(|pair| self.changed(&pair.value)),
            Expr::Chain(base, posts) if matches!(posts.last(), Some(Post::Attr(_) | Post::Index(_))) => {
                self.changed(base);
            }
            Expr::Assign(target, _) => self.changed(target),
            _ => {}
        }
    }

    /// Whether a call changes what it is called on.
    pub fn chain(&mut self, base: Expr<'t>, posts: Vec<Post<'t>>) -> Expr<'t> {
        if posts.is_empty() {
            return base;
        }
        if let (Expr::Name(name), Some(Post::Attr(method))) = (&base, posts.first())
            && MUTATORS.contains(method)
        {
            self.changes.push(name);
        }
        Expr::Chain(Box::new(base), posts)
    }

    /// A certain string, with what the shell left unknown in it.
    pub fn text(&self, text: &str) -> Rc<Arg> {
        let mut dynamic = Dynamics::NONE;
        if !self.dynamic.is_empty() {
            for (kind, mark) in MARKS {
                if self.dynamic.contains(kind) && text.contains(mark) {
                    dynamic.insert(*kind);
                }
            }
            if self.dynamic.contains(&Dynamic::Tilde) && (text.contains("$HOME") || text.contains("$PWD")) {
                let first = text.starts_with("$HOME") || text.starts_with("$PWD");
                dynamic.insert(if first { Dynamic::Tilde } else { Dynamic::Var });
            }
        }
        Rc::new(Arg { text: text.into(), dynamic })
    }

    /// A string token as an expression; `read` reads the expressions that are put in.
    pub fn string(
        &mut self,
        text: &'t str,
        quote: Quote,
        read: impl Fn(&'t str, u32, Dynamics) -> (Expr<'t>, bool),
    ) -> Expr<'t> {
        let opener = if self.style == Style::Python { "{" } else { "${" };
        if !quote.format || !text.contains(opener) {
            return Expr::Text(self.text(&lex::decode(text, quote)));
        }
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(opener) {
            let python = self.style == Style::Python;
            let before = unbraced(before, python);
            if python && after.starts_with('{') {
                add(&mut pieces, Expr::Text(self.text(&(lex::decode(&before, quote) + "{"))));
                rest = after.get(1..).unwrap_or_default();
                continue;
            }
            if !before.is_empty() {
                add(&mut pieces, Expr::Text(self.text(&lex::decode(&before, quote))));
            }
            let (inside, behind) = hole(after);
            let (code, plain) = if python { format_spec(inside) } else { (inside, true) };
            if self.depth < MOST_DEPTH && pieces.len() < 200 {
                let (value, broken) = read(code, self.depth + 8, self.dynamic);
                self.broken |= broken;
                add(&mut pieces, if plain { value } else { Expr::All(vec![value]) });
            } else {
                self.broken = true;
            }
            rest = behind;
        }
        if !rest.is_empty() {
            let rest = unbraced(rest, self.style == Style::Python);
            add(&mut pieces, Expr::Text(self.text(&lex::decode(&rest, quote))));
        }
        Expr::Format(pieces)
    }
}

/// A piece of a format string: Python writes a brace twice.
fn unbraced(text: &str, python: bool) -> Cow<'_, str> {
    if python && text.contains("}}") { Cow::Owned(text.replace("}}", "}")) } else { Cow::Borrowed(text) }
}

/// Methods that change a list or dictionary.
const MUTATORS: &[&str] = &[
    "add", "append", "clear", "extend", "insert", "pop", "push", "remove", "reverse", "shift", "sort", "splice",
    "unshift", "update",
];

const MARKS: &[(Dynamic, &str)] = &[
    (Dynamic::Arith, "«arith»"),
    (Dynamic::Ifs, "«ifs»"),
    (Dynamic::Proc, "«proc»"),
    (Dynamic::Sub, "«sub»"),
    (Dynamic::Var, "«var»"),
];

/// Splits at the brace that closes an expression which is put in.
fn hole(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let (mut at, mut open) = (0, 0u32);
    let mut quote = None;
    while let Some(byte) = bytes.get(at) {
        match (byte, quote) {
            (b'\\', Some(_)) => at += 1,
            (byte, Some(mark)) if *byte == mark => {
                quote = None;
            }
            (b'\'' | b'"' | b'`', None) => quote = Some(*byte),
            (b'{', None) => open += 1,
            (b'}', None) if open == 0 => break,
            (b'}', None) => open -= 1,
            _ => {}
        }
        at += 1;
    }
    (text.get(..at).unwrap_or(text), text.get(at + 1..).unwrap_or_default())
}

/// The expression before `:spec` or `!r`, and whether there was none of them.
fn format_spec(text: &str) -> (&str, bool) {
    let mut open = 0u32;
    let mut quote = None;
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match (byte, quote) {
            (byte, Some(mark)) if *byte == mark => {
                quote = None;
            }
            (b'\'' | b'"', None) => quote = Some(*byte),
            (b'(' | b'[' | b'{', None) => open += 1,
            (b')' | b']' | b'}', None) => open = open.saturating_sub(1),
            (b':', None) if open == 0 => return (text.get(..at).unwrap_or(text), text.get(at..) == Some(":s")),
            (b'!', None) if open == 0 && bytes.get(at + 1) != Some(&b'=') => {
                return (text.get(..at).unwrap_or(text), text.get(at..) == Some("!s"));
            }
            _ => {}
        }
    }
    (text.strip_suffix('=').unwrap_or(text), !text.ends_with('='))
}
