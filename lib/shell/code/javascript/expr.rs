//! Expressions of JavaScript and TypeScript.

use super::super::super::growth::add;
use super::super::program::lex::Kind;
use super::super::program::tree::{Argument, Expr, Function, Post, Stmt};
use super::parse::{Parser, expression};

/// How tightly an operator binds.
fn binding(op: &str) -> Option<u32> {
    Some(match op {
        "||" | "??" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" | "===" | "!==" => 6,
        "<" | ">" | "<=" | ">=" | "in" | "instanceof" => 7,
        "<<" | ">>" | ">>>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        "**" => 11,
        _ => return None,
    })
}

impl<'t> Parser<'t> {
    /// Values with commas between them.
    pub(super) fn sequence(&mut self) -> Expr<'t> {
        let first = self.value();
        if !self.c.is(",") {
            return first;
        }
        let mut all = vec![first];
        while self.c.eat(",") {
            add(&mut all, self.value());
        }
        Expr::All(all)
    }

    /// One value.
    pub(super) fn value(&mut self) -> Expr<'t> {
        if !self.c.deeper() {
            return Expr::Unknown;
        }
        let value = self.assigned();
        self.c.depth -= 1;
        value
    }

    fn assigned(&mut self) -> Expr<'t> {
        if let Some(function) = self.arrow() {
            return function;
        }
        let left = self.binary(0);
        if self.c.eat("?") {
            let yes = self.value();
            self.c.want(":");
            let no = self.value();
            return Expr::Either(vec![Expr::All(vec![left]), Expr::Either(vec![yes, no])]);
        }
        let Some(op) = self.c.peek().filter(|token| token.kind == Kind::Op) else {
            return left;
        };
        if op.text == "=" {
            self.c.bump();
            self.c.changed(&left);
            let right = self.value();
            return Expr::Assign(Box::new(left), Box::new(right));
        }
        if op.text.len() > 1 && op.text.ends_with('=') && binding(op.text).is_none() && op.text != "=>" {
            self.c.bump();
            self.c.changed(&left);
            let right = self.value();
            // The value after it: a sum is known, all others are not.
            let sum = match (&left, op.text) {
                (Expr::Name(name), "+=") => Expr::Binary(Box::new(Expr::Name(name)), vec![("+", right)]),
                (Expr::Name(name), "||=" | "??=") => Expr::Either(vec![Expr::Name(name), right]),
                _ => Expr::All(vec![right]),
            };
            return Expr::Assign(Box::new(left), Box::new(sum));
        }
        left
    }

    /// `x => …`, `(x, y) => …`, `async () => …`
    fn arrow(&mut self) -> Option<Expr<'t>> {
        let start = self.c.taken();
        let by = usize::from(self.c.is("async") && !self.c.is_ahead(1, "=>"));
        let first = self.c.ahead(by)?;
        let params = if first.kind == Kind::Name && self.c.is_ahead(by + 1, "=>") {
            (0..by).for_each(|_| {
                self.c.bump();
            });
            vec![(Expr::Name(self.c.name()?), None)]
        } else if first.kind == Kind::Op && first.text == "(" && self.arrow_behind(by) {
            (0..=by).for_each(|_| {
                self.c.bump();
            });
            let params = self.params();
            if self.c.eat(":") {
                self.skip_type();
            }
            params
        } else {
            return None;
        };
        if !self.c.eat("=>") {
            self.c.back(start);
            self.c.broken = true;
            self.c.bump();
            return Some(Expr::Unknown);
        }
        let body = if self.c.is("{") { self.block() } else { vec![Stmt::Leave(Some(self.value()), true)] };
        Some(Expr::Function(Box::new(Function { params, body, outer: Vec::new() })))
    }

    /// Whether `=>` stands behind the bracket that opens here.
    fn arrow_behind(&self, by: usize) -> bool {
        let mut open = 0u32;
        for at in by.. {
            let Some(token) = self.c.ahead(at) else {
                return false;
            };
            if token.kind == Kind::Op {
                match token.text {
                    "(" | "[" | "{" => open += 1,
                    ")" | "]" | "}" => open = open.saturating_sub(1),
                    _ => {}
                }
            }
            if open == 0 {
                return self.c.is_ahead(at + 1, "=>")
                    || (self.c.is_ahead(at + 1, ":")
                        && (2..12).any(|more| self.c.is_ahead(at + more, "=>"))
                        && !(2..12).map_while(|more| self.c.ahead(at + more)).take_while(|t| t.text != "=>").any(
                            |token| {
                                matches!(token.kind, Kind::Text(_)) || matches!(token.text, "(" | ":" | "," | ")" | ";")
                            },
                        ));
            }
        }
        false
    }

    fn binary(&mut self, least: u32) -> Expr<'t> {
        let mut left = self.unary();
        loop {
            // A type assertion.
            if self.c.is("as") || self.c.is("satisfies") {
                self.c.bump();
                self.skip_type();
            }
            let Some(level) = self.operator().filter(|level| *level >= least) else {
                return left;
            };
            let mut rest = Vec::new();
            while self.operator() == Some(level)
                && let Some(op) = self.c.bump()
            {
                if !self.c.deeper() {
                    break;
                }
                let right = self.binary(level + 1);
                self.c.depth -= 1;
                add(&mut rest, (op.text, right));
            }
            left = Expr::Binary(Box::new(left), rest);
        }
    }

    fn operator(&self) -> Option<u32> {
        let token = self.c.peek().filter(|token| matches!(token.kind, Kind::Op | Kind::Name))?;
        binding(token.text)
    }

    fn unary(&mut self) -> Expr<'t> {
        let mut prefix = false;
        while let Some(token) = self.c.peek() {
            match (token.kind, token.text) {
                (Kind::Op, "-" | "+" | "~" | "!") | (Kind::Name, "typeof" | "delete" | "yield") => prefix = true,
                (Kind::Op, "++" | "--") => {
                    prefix = true;
                    if let Some(next) = self.c.ahead(1).filter(|next| next.kind == Kind::Name) {
                        self.c.changes.push(next.text);
                    }
                }
                (Kind::Name, "await" | "void" | "new") => {}
                _ => break,
            }
            self.c.bump();
        }
        let value = self.postfix();
        if prefix { Expr::All(vec![value]) } else { value }
    }

    fn postfix(&mut self) -> Expr<'t> {
        let base = self.atom();
        let mut posts = Vec::new();
        while let Some(token) = self.c.peek() {
            match (token.kind, token.text) {
                (Kind::Op, "." | "?.") => {
                    self.c.bump();
                    if !(token.text == "?." && (self.c.is("(") || self.c.is("["))) {
                        add(&mut posts, Post::Attr(self.c.name().unwrap_or_default()));
                    }
                }
                (Kind::Op, "(") => {
                    self.c.bump();
                    let arguments = self.arguments(")");
                    add(&mut posts, Post::Call(arguments));
                }
                (Kind::Op, "[") if !token.fresh => {
                    self.c.bump();
                    let index = self.sequence();
                    self.c.want("]");
                    add(&mut posts, Post::Index(index));
                }
                (Kind::Op, "!") if !token.fresh && !self.c.is_ahead(1, "=") => {
                    self.c.bump();
                }
                (Kind::Op, "++" | "--") if !token.fresh => {
                    self.c.bump();
                    self.c.changed(&base);
                }
                (Kind::Text(quote), text) if quote.format && !token.fresh => {
                    self.c.bump();
                    let value = self.c.string(text, quote, expression);
                    add(&mut posts, Post::Call(vec![Argument { name: None, spread: false, value }]));
                }
                _ => break,
            }
        }
        self.c.chain(base, posts)
    }

    /// Arguments or list items up to `end`.
    fn arguments(&mut self, end: &str) -> Vec<Argument<'t>> {
        let mut all = Vec::new();
        while self.c.peek().is_some() && !self.c.eat(end) {
            if self.c.eat(",") {
                add(&mut all, Argument { name: None, spread: false, value: Expr::Unknown });
                continue;
            }
            let before = self.c.taken();
            let spread = self.c.eat("...");
            let value = self.value();
            add(&mut all, Argument { name: None, spread, value });
            if !self.c.eat(",") && !self.c.is(end) {
                self.c.broken = true;
                if self.c.taken() == before {
                    self.c.bump();
                }
            }
        }
        all
    }

    /// A value without operators.
    pub(super) fn atom(&mut self) -> Expr<'t> {
        let Some(token) = self.c.peek() else {
            self.c.broken = true;
            return Expr::Unknown;
        };
        match token.kind {
            Kind::Text(quote) => {
                self.c.bump();
                self.c.string(token.text, quote, expression)
            }
            Kind::Number => {
                self.c.bump();
                token.text.parse().map_or(Expr::Unknown, Expr::Number)
            }
            Kind::Other | Kind::Mark => {
                self.c.bump();
                Expr::Unknown
            }
            Kind::Name => {
                self.c.bump();
                match token.text {
                    "function" => {
                        self.c.eat("*");
                        self.c.name();
                        Expr::Function(Box::new(self.function()))
                    }
                    "async" if self.c.eat("function") => {
                        self.c.eat("*");
                        self.c.name();
                        Expr::Function(Box::new(self.function()))
                    }
                    "class" => {
                        self.c.name();
                        let body = self.class();
                        Expr::Function(Box::new(Function { params: Vec::new(), body, outer: Vec::new() }))
                    }
                    name => Expr::Name(name),
                }
            }
            _ => self.bracket(token.text),
        }
    }

    fn bracket(&mut self, text: &str) -> Expr<'t> {
        match text {
            "(" => {
                self.c.bump();
                let value = self.sequence();
                self.c.want(")");
                value
            }
            "[" => {
                self.c.bump();
                let items = self.arguments("]");
                let item = |item: Argument<'t>| if item.spread { Expr::All(vec![item.value]) } else { item.value };
                Expr::List(items.into_iter().map(item).collect())
            }
            "{" => {
                self.c.bump();
                self.object()
            }
            _ => {
                self.c.broken = true;
                Expr::Unknown
            }
        }
    }

    fn object(&mut self) -> Expr<'t> {
        let mut all = Vec::new();
        while self.c.peek().is_some() && !self.c.eat("}") {
            let before = self.c.taken();
            if self.c.eat("...") {
                let value = self.value();
                add(&mut all, Argument { name: None, spread: true, value });
            } else {
                self.pair(&mut all);
            }
            if !self.c.eat(",") && !self.c.is("}") {
                self.c.broken = true;
                if self.c.taken() == before {
                    self.c.bump();
                }
            }
        }
        Expr::Dict(all)
    }

    fn pair(&mut self, all: &mut Vec<Argument<'t>>) {
        while matches!(self.c.peek().map(|token| token.text), Some("async" | "get" | "set" | "*"))
            && self.c.ahead(1).is_some_and(|next| next.kind == Kind::Name)
        {
            self.c.bump();
        }
        let Some(token) = self.c.bump() else {
            return;
        };
        let mut name = None;
        match token.kind {
            Kind::Op if token.text == "[" => {
                let key = self.value();
                self.c.want("]");
                add(all, Argument { name: None, spread: false, value: Expr::All(vec![key]) });
            }
            Kind::Name | Kind::Text(_) | Kind::Number => name = Some(token.text),
            _ => self.c.broken = true,
        }
        let mut value = if self.c.eat(":") {
            self.value()
        } else if self.c.is("(") {
            Expr::Function(Box::new(self.function()))
        } else {
            Expr::Name(token.text)
        };
        if self.c.eat("=") {
            let default = self.value();
            value = Expr::Assign(Box::new(value), Box::new(default));
        }
        add(all, Argument { name: name.map(Into::into), spread: false, value });
    }
}
