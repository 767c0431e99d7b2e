//! Expressions of Python.

use super::super::super::dynamic::Dynamics;
use super::super::super::growth::add;
use super::super::program::cursor::Cursor;
use super::super::program::lex::{Kind, Style};
use super::super::program::tree::{Argument, Each, Expr, Function, Post, Stmt};
use super::parse::Parser;

/// Reads one expression, at a depth.
fn expression<'t>(text: &'t str, depth: u32, dynamic: Dynamics) -> (Expr<'t>, bool) {
    let mut parser = Parser { c: Cursor::new(text.trim(), Style::Python, dynamic, depth) };
    let value = parser.tuple();
    (value, parser.c.broken)
}

/// How tightly an operator binds.
pub(super) fn binding(op: &str) -> Option<u32> {
    Some(match op.as_bytes() {
        b"or" => 1,
        b"and" => 2,
        b"in" | b"is" | b"not" | b"<" | b">" | b"==" | b">=" | b"<=" | b"!=" => 4,
        b"|" => 5,
        b"^" => 6,
        b"&" => 7,
        b"<<" | b">>" => 8,
        b"+" | b"-" => 9,
        b"*" | b"/" | b"//" | b"%" | b"@" => 10,
        b"**" => 12,
        _ => return None,
    })
}

/// Whether a word cannot be a value.
fn keyword(word: &str) -> bool {
    matches!(
        word.as_bytes(),
        b"for" | b"if" | b"else" | b"in" | b"is" | b"and" | b"or" | b"not" | b"as" | b"import" | b"from" | b"async"
    )
}

impl<'t> Parser<'t> {
    /// Targets of a `for`, up to `in`.
    pub(super) fn targets(&mut self) -> Expr<'t> {
        if !self.c.deeper() {
            return Expr::Unknown;
        }
        let mut all = Vec::new();
        let mut several = false;
        while self.c.peek().is_some() && !self.c.is("in") {
            let before = self.c.taken();
            self.c.eat("*");
            add(&mut all, self.unary());
            several |= self.c.eat(",");
            if self.c.taken() == before {
                self.c.broken = true;
                break;
            }
        }
        self.c.depth -= 1;
        if several || all.len() != 1 { Expr::List(all) } else { all.pop().unwrap_or(Expr::Unknown) }
    }

    /// `a, b` or a single value.
    pub(super) fn tuple(&mut self) -> Expr<'t> {
        let first = self.test();
        if !self.c.is(",") {
            return first;
        }
        let mut all = vec![first];
        while self.c.eat(",") {
            let ends = self.c.peek().is_none_or(|token| match token.kind {
                Kind::Newline => true,
                Kind::Op => matches!(token.text, ")" | "]" | "}" | "=" | ":" | ";"),
                _ => false,
            });
            if ends {
                break;
            }
            add(&mut all, self.test());
        }
        Expr::List(all)
    }

    /// One value.
    pub(super) fn test(&mut self) -> Expr<'t> {
        if !self.c.deeper() {
            return Expr::Unknown;
        }
        let value = self.conditional();
        self.c.depth -= 1;
        value
    }

    fn conditional(&mut self) -> Expr<'t> {
        if self.c.eat("lambda") {
            let mut params = Vec::new();
            while self.c.peek().is_some() && !self.c.eat(":") {
                let spread = self.c.eat("*") || self.c.eat("**");
                match self.c.name() {
                    Some(name) => {
                        let default = self.c.eat("=").then(|| self.test());
                        add(&mut params, (if spread { Expr::Unknown } else { Expr::Name(name) }, default));
                    }
                    None if spread => {}
                    None => {
                        self.c.bump();
                    }
                }
                self.c.eat(",");
            }
            let body = vec![Stmt::Leave(Some(self.test()), true)];
            return Expr::Function(Box::new(Function { params, body, outer: Vec::new() }));
        }
        if self.c.eat("yield") {
            self.c.eat("from");
            let ends = self.c.peek().is_none_or(|t| t.kind == Kind::Newline || matches!(t.text, ")" | "]" | ";" | "="));
            return if ends { Expr::Unknown } else { Expr::All(vec![self.tuple()]) };
        }
        let value = self.binary(0);
        if self.c.eat(":=") {
            self.c.changed(&value);
            let right = self.test();
            return Expr::Assign(Box::new(value), Box::new(right));
        }
        if self.c.eat("if") {
            let test = self.binary(0);
            let mut ways = vec![value];
            if self.c.eat("else") {
                add(&mut ways, self.test());
            }
            return Expr::Either(vec![Expr::All(vec![test]), Expr::Either(ways)]);
        }
        value
    }

    fn binary(&mut self, least: u32) -> Expr<'t> {
        let mut left = self.unary();
        while let Some(token) = self.c.peek().filter(|token| matches!(token.kind, Kind::Op | Kind::Name)) {
            let Some(level) = binding(token.text).filter(|level| *level >= least) else {
                break;
            };
            if token.text == "not" && !self.c.is_ahead(1, "in") {
                break;
            }
            let mut rest = Vec::new();
            while let Some(op) =
                self.c.peek().filter(|op| matches!(op.kind, Kind::Op | Kind::Name) && binding(op.text) == Some(level))
            {
                self.c.bump();
                // `not in`, `is not`
                let _ = (op.text == "not" && self.c.eat("in")) || (op.text == "is" && self.c.eat("not"));
                if !self.c.deeper() {
                    break;
                }
                let right = self.binary(level + 1);
                self.c.depth -= 1;
                add(&mut rest, (op.text, right));
            }
            left = Expr::Binary(Box::new(left), rest);
        }
        left
    }

    fn unary(&mut self) -> Expr<'t> {
        let (mut prefix, mut spread) = (false, false);
        while let Some(token) = self.c.peek() {
            match (token.kind, token.text) {
                (Kind::Op, "-" | "+" | "~") | (Kind::Name, "not") => prefix = true,
                (Kind::Op, "*" | "**") => spread = true,
                (Kind::Name, "await") => {}
                _ => break,
            }
            self.c.bump();
        }
        let value = self.postfix();
        if prefix || spread { Expr::All(vec![value]) } else { value }
    }

    fn postfix(&mut self) -> Expr<'t> {
        let base = self.atom();
        let mut posts = Vec::new();
        while let Some(token) = self.c.peek().filter(|token| token.kind == Kind::Op) {
            match token.text {
                "." => {
                    self.c.bump();
                    add(&mut posts, Post::Attr(self.c.name().unwrap_or_default()));
                }
                "(" => {
                    self.c.bump();
                    add(&mut posts, Post::Call(self.arguments(")")));
                }
                "[" => {
                    self.c.bump();
                    let start = self.slice_start();
                    let index = self.subscript();
                    add(
                        &mut posts,
                        match (start, index) {
                            (Some(range), _) => Post::Slice(Some(range)),
                            (None, Expr::All(_)) => Post::Slice(None),
                            (None, index) => Post::Index(index),
                        },
                    );
                }
                _ => break,
            }
        }
        self.c.chain(base, posts)
    }

    /// The `n` and `m` of `[n:]`, `[:m]`, `[n:m]`.
    fn slice_start(&self) -> Option<(i64, Option<i64>)> {
        let number = |at: usize| {
            let token = self.c.ahead(at).filter(|token| token.kind == Kind::Number)?;
            token.text.parse::<i64>().ok()
        };
        let (start, colon) = if self.c.is(":") { (0, 0) } else { (number(0)?, 1) };
        if colon == 1 && !self.c.is_ahead(1, ":") {
            return None;
        }
        if self.c.is_ahead(colon + 1, "]") {
            return Some((start, None));
        }
        let end = number(colon + 1).filter(|_| self.c.is_ahead(colon + 2, "]"))?;
        Some((start, Some(end)))
    }

    fn subscript(&mut self) -> Expr<'t> {
        let mut all = Vec::new();
        let mut slice = false;
        while self.c.peek().is_some() && !self.c.eat("]") {
            let before = self.c.taken();
            if self.c.eat(":") {
                slice = true;
                if all.is_empty() {
                    add(&mut all, Expr::Unknown);
                }
            } else if self.c.eat(",") {
                slice = true;
            } else {
                add(&mut all, self.test());
            }
            if self.c.taken() == before {
                self.c.broken = true;
                self.c.bump();
            }
        }
        if slice || all.len() != 1 { Expr::All(all) } else { all.pop().unwrap_or(Expr::Unknown) }
    }

    /// Arguments, list items or pairs up to `end`.
    pub(super) fn arguments(&mut self, end: &str) -> Vec<Argument<'t>> {
        let mut all = Vec::new();
        while self.c.peek().is_some() && !self.c.eat(end) {
            let before = self.c.taken();
            let spread = self.c.eat("*") || self.c.eat("**");
            let named = end == ")" && self.c.is_ahead(1, "=") && self.c.peek().is_some_and(|t| t.kind == Kind::Name);
            let mut name = None;
            if named {
                name = self.c.name().map(Into::into);
                self.c.bump();
            }
            let mut value = self.test();
            if end == "}" && self.c.eat(":") {
                name = match &value {
                    Expr::Text(text) => text.certain().map(Into::into),
                    _ => None,
                };
                let pair = self.test();
                value = if name.is_some() { pair } else { Expr::All(vec![value, pair]) };
            }
            if self.c.is("for") || self.c.is("async") {
                value = self.comprehension(value);
            }
            add(&mut all, Argument { name, spread, value });
            if !self.c.eat(",") && !self.c.is(end) {
                self.c.broken = true;
                if self.c.taken() == before || !self.c.is("(") {
                    self.c.bump();
                }
            }
        }
        all
    }

    fn comprehension(&mut self, body: Expr<'t>) -> Expr<'t> {
        let (mut loops, mut tests) = (Vec::new(), Vec::new());
        loop {
            if self.c.eat("async") {
            } else if self.c.eat("for") {
                let target = self.targets();
                self.c.want("in");
                let iter = self.binary(0);
                add(&mut loops, (target, iter));
            } else if self.c.eat("if") {
                add(&mut tests, self.binary(0));
            } else {
                return Expr::Each(Box::new(Each { loops, body, tests }));
            }
        }
    }

    fn atom(&mut self) -> Expr<'t> {
        let Some(token) = self.c.peek() else {
            self.c.broken = true;
            return Expr::Unknown;
        };
        match token.kind {
            Kind::Text(_) => self.strings(),
            Kind::Number => {
                self.c.bump();
                token.text.parse().map_or(Expr::Unknown, Expr::Number)
            }
            Kind::Name if !keyword(token.text) => {
                self.c.bump();
                Expr::Name(token.text)
            }
            Kind::Other | Kind::Mark => {
                self.c.bump();
                Expr::Unknown
            }
            Kind::Op => self.bracket(token.text),
            _ => {
                self.c.broken = true;
                Expr::Unknown
            }
        }
    }

    fn bracket(&mut self, text: &str) -> Expr<'t> {
        match text {
            "(" | "[" => {
                self.c.bump();
                let end = if text == "(" { ")" } else { "]" };
                let start = self.c.taken();
                let mut items = self.arguments(end);
                let comma = self.c.taken().checked_sub(2).is_some_and(|at| at >= start && self.c.comma(at));
                let single = items.len() == 1
                    && (matches!(items.first().map(|item| &item.value), Some(Expr::Each(..)))
                        || (text == "(" && !comma));
                if single && let Some(item) = items.pop() {
                    return item.value;
                }
                Expr::List(
                    items
                        .into_iter()
                        .map(|item| if item.spread { Expr::All(vec![item.value]) } else { item.value })
                        .collect(),
                )
            }
            "{" => {
                self.c.bump();
                let items = self.arguments("}");
                Expr::Dict(items)
            }
            "..." => {
                self.c.bump();
                Expr::Unknown
            }
            _ => {
                self.c.broken = true;
                Expr::Unknown
            }
        }
    }

    /// Strings in a row.
    fn strings(&mut self) -> Expr<'t> {
        let mut all = Vec::new();
        while let Some(token) = self.c.peek()
            && let Kind::Text(quote) = token.kind
        {
            self.c.bump();
            add(&mut all, self.c.string(token.text, quote, |text, depth, dynamic| expression(text, depth, dynamic)));
        }
        if all.len() == 1 { all.pop().unwrap_or(Expr::Unknown) } else { Expr::Format(all) }
    }
}
