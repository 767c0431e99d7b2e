//! JavaScript and TypeScript text to the shared tree.

use super::super::super::dynamic::Dynamics;
use super::super::super::growth::add;
use super::super::program::cursor::Cursor;
use super::super::program::lex::{Kind, Style};
use super::super::program::tree::{Expr, Function, Loop, Post, Stmt, Tree};

/// Reads a program text.
pub fn parse<'t>(text: &'t str, dynamic: Dynamics) -> Tree<'t> {
    let mut parser = Parser { c: Cursor::new(text, Style::JavaScript, dynamic, 0) };
    let mut body = Vec::new();
    while parser.c.peek().is_some() {
        let before = parser.c.taken();
        add(&mut body, parser.statement());
        if parser.c.taken() == before {
            parser.c.broken = true;
            parser.c.bump();
        }
    }
    Tree { body, broken: parser.c.broken }
}

/// Reads one expression, at a depth.
pub(super) fn expression<'t>(text: &'t str, depth: u32, dynamic: Dynamics) -> (Expr<'t>, bool) {
    let mut parser = Parser { c: Cursor::new(text, Style::JavaScript, dynamic, depth) };
    let value = parser.sequence();
    (value, parser.c.broken)
}

/// Reads tokens into statements.
pub(super) struct Parser<'t> {
    pub(super) c: Cursor<'t>,
}

impl<'t> Parser<'t> {
    /// `{ … }`, or a single statement.
    fn body(&mut self) -> Vec<Stmt<'t>> {
        if self.c.is("{") {
            return self.block();
        }
        if !self.c.deeper() {
            return Vec::new();
        }
        let body = vec![self.statement()];
        self.c.depth -= 1;
        body
    }

    /// `{ … }`
    pub(super) fn block(&mut self) -> Vec<Stmt<'t>> {
        let mut body = Vec::new();
        self.c.want("{");
        if !self.c.deeper() {
            return body;
        }
        while self.c.peek().is_some() && !self.c.eat("}") {
            let before = self.c.taken();
            add(&mut body, self.statement());
            if self.c.taken() == before {
                self.c.broken = true;
                self.c.bump();
            }
        }
        self.c.depth -= 1;
        body
    }

    fn nothing() -> Stmt<'t> {
        Stmt::Block(Vec::new())
    }

    fn statement(&mut self) -> Stmt<'t> {
        let Some(token) = self.c.peek() else {
            return Self::nothing();
        };
        match token.kind {
            Kind::Mark => {
                self.c.bump();
                return Stmt::Hole;
            }
            Kind::Op if token.text == "{" => return Stmt::Block(self.block()),
            Kind::Op if token.text == ";" => {
                self.c.bump();
                return Self::nothing();
            }
            Kind::Name => {}
            _ => return self.simple(),
        }
        match token.text {
            "const" | "let" | "var" => self.declaration(),
            "if" => self.ways(),
            "for" => self.r#for(),
            "while" => {
                self.c.bump();
                let start = self.c.changes.len();
                let test = self.bracketed();
                let body = self.body();
                Stmt::While(test, self.looped(start, body))
            }
            "do" => {
                self.c.bump();
                let start = self.c.changes.len();
                let body = self.body();
                self.c.want("while");
                let test = self.bracketed();
                Stmt::While(test, self.looped(start, body))
            }
            "try" => self.tried(),
            "switch" => self.switch(),
            "function" => self.function_statement(),
            "async" if self.c.is_ahead(1, "function") => {
                self.c.bump();
                self.function_statement()
            }
            "class" => {
                self.c.bump();
                let name = self.c.name().unwrap_or_default();
                Stmt::Class(name, self.class())
            }
            "return" | "throw" => {
                self.c.bump();
                let none = self.c.peek().is_none_or(|next| next.fresh || matches!(next.text, ";" | "}"));
                let value = (!none).then(|| self.sequence());
                self.c.eat(";");
                Stmt::Leave(value, token.text == "return")
            }
            "break" | "continue" => {
                self.c.bump();
                if self.c.peek().is_some_and(|next| next.kind == Kind::Name && !next.fresh) {
                    self.c.bump();
                }
                self.c.eat(";");
                Stmt::Leave(None, false)
            }
            "import" if !self.c.is_ahead(1, "(") && !self.c.is_ahead(1, ".") => self.import(),
            "export" => {
                self.c.bump();
                self.c.eat("default");
                if self.c.is("{") || self.c.is("*") {
                    return self.import_rest();
                }
                self.statement_deeper()
            }
            "interface" | "declare" => {
                self.c.bump();
                while self.c.peek().is_some() && !self.c.eat("{") {
                    self.c.bump();
                }
                self.c.skip_brackets();
                Self::nothing()
            }
            "type" if self.c.is_ahead(2, "=") => {
                (0..3).for_each(|_| {
                    self.c.bump();
                });
                self.skip_type();
                Self::nothing()
            }
            _ if self.c.is_ahead(1, ":") => {
                self.c.bump();
                self.c.bump();
                self.statement_deeper()
            }
            _ => self.simple(),
        }
    }

    fn statement_deeper(&mut self) -> Stmt<'t> {
        if !self.c.deeper() {
            return Self::nothing();
        }
        let inner = self.statement();
        self.c.depth -= 1;
        inner
    }

    fn simple(&mut self) -> Stmt<'t> {
        let value = self.sequence();
        let ends = self.c.peek().is_none_or(|next| next.fresh || matches!(next.text, ";" | "}"));
        if !ends {
            self.c.broken = true;
        }
        self.c.eat(";");
        Stmt::Expr(value)
    }

    fn bracketed(&mut self) -> Expr<'t> {
        self.c.want("(");
        let value = self.sequence();
        self.c.want(")");
        value
    }

    fn looped(&mut self, start: usize, body: Vec<Stmt<'t>>) -> Box<Loop<'t>> {
        let changes = self.c.changes.get(start..).unwrap_or_default().to_vec();
        Box::new(Loop { changes, body })
    }

    fn declaration(&mut self) -> Stmt<'t> {
        self.c.bump();
        let mut all = Vec::new();
        loop {
            let target = self.pattern();
            let value = if self.c.eat("=") { self.value() } else { Expr::Unknown };
            self.c.changed(&target);
            add(&mut all, Stmt::Assign(vec![target], value));
            if !self.c.eat(",") {
                break;
            }
        }
        let ends = self.c.peek().is_none_or(|next| next.fresh || matches!(next.text, ";" | "}"));
        if !ends {
            self.c.broken = true;
        }
        self.c.eat(";");
        Stmt::Block(all)
    }

    /// The target of a declaration or a parameter, with its type.
    pub(super) fn pattern(&mut self) -> Expr<'t> {
        let spread = self.c.eat("...");
        let target = match self.c.peek() {
            Some(token) if token.kind == Kind::Op && matches!(token.text, "[" | "{") => {
                if self.c.deeper() {
                    let target = self.atom();
                    self.c.depth -= 1;
                    target
                } else {
                    Expr::Unknown
                }
            }
            _ => self.c.name().map_or(Expr::Unknown, Expr::Name),
        };
        self.c.eat("?");
        self.c.eat("!");
        if self.c.eat(":") {
            self.skip_type();
        }
        if spread { Expr::All(vec![target]) } else { target }
    }

    /// Skips a type annotation.
    pub(super) fn skip_type(&mut self) {
        let (mut open, mut taken) = (0u32, 0u32);
        while let Some(token) = self.c.peek() {
            if token.kind == Kind::Op {
                match token.text {
                    "{" if open == 0 && taken > 0 => return,
                    "(" | "[" | "{" | "<" => open += 1,
                    ")" | "]" | "}" | ">" if open == 0 => return,
                    ")" | "]" | "}" | ">" => open -= 1,
                    ">>" => open = open.saturating_sub(2),
                    "=" | "," | ";" if open == 0 => return,
                    "=>" if open == 0 => return,
                    _ => {}
                }
            } else if token.fresh && open == 0 && taken > 0 {
                return;
            }
            taken += 1;
            self.c.bump();
        }
    }

    fn ways(&mut self) -> Stmt<'t> {
        let mut all = Vec::new();
        let mut ways = Vec::new();
        let mut whole = false;
        while self.c.eat("if") {
            let test = self.bracketed();
            add(&mut all, Stmt::Expr(test));
            add(&mut ways, self.body());
            if !self.c.eat("else") {
                break;
            }
            if !self.c.is("if") {
                add(&mut ways, self.body());
                whole = true;
                break;
            }
        }
        add(&mut all, Stmt::Ways(ways, whole));
        Stmt::Block(all)
    }

    fn r#for(&mut self) -> Stmt<'t> {
        self.c.bump();
        self.c.eat("await");
        self.c.want("(");
        let start = self.c.changes.len();
        let declared = matches!(self.c.peek().map(|token| token.text), Some("const" | "let" | "var"));
        let before = self.c.taken();
        if declared {
            self.c.bump();
        }
        let target = self.pattern();
        if self.c.is("of") || self.c.is("in") {
            let keys = self.c.is("in");
            self.c.bump();
            self.c.changed(&target);
            let iter = self.sequence();
            self.c.want(")");
            let body = self.body();
            let iter = if keys { Expr::All(vec![iter]) } else { iter };
            return Stmt::For(Box::new((target, iter)), self.looped(start, body));
        }
        self.c.back(before);
        let first = if self.c.eat(";") { Self::nothing() } else { self.statement_deeper() };
        let start = self.c.changes.len();
        let mut tests = Vec::new();
        if !self.c.is(";") {
            add(&mut tests, self.sequence());
        }
        self.c.want(";");
        if !self.c.is(")") {
            add(&mut tests, self.sequence());
        }
        self.c.want(")");
        let body = self.body();
        Stmt::Block(vec![first, Stmt::While(Expr::All(tests), self.looped(start, body))])
    }

    fn tried(&mut self) -> Stmt<'t> {
        self.c.bump();
        let mut all = vec![Stmt::Block(self.block())];
        if self.c.eat("catch") {
            if self.c.eat("(") {
                self.c.skip_brackets();
            }
            let ways = vec![self.block()];
            add(&mut all, Stmt::Ways(ways, false));
        }
        if self.c.eat("finally") {
            add(&mut all, Stmt::Block(self.block()));
        }
        Stmt::Block(all)
    }

    fn switch(&mut self) -> Stmt<'t> {
        self.c.bump();
        let test = self.bracketed();
        let mut all = vec![Stmt::Expr(test)];
        self.c.want("{");
        let mut ways: Vec<Vec<Stmt<'t>>> = Vec::new();
        if !self.c.deeper() {
            return Self::nothing();
        }
        while self.c.peek().is_some() && !self.c.eat("}") {
            let before = self.c.taken();
            if self.c.eat("case") || self.c.eat("default") {
                if !self.c.is(":") {
                    let test = self.sequence();
                    add(&mut all, Stmt::Expr(test));
                }
                self.c.want(":");
                add(&mut ways, Vec::new());
            } else {
                let inner = self.statement();
                if let Some(way) = ways.last_mut() {
                    add(way, inner);
                }
            }
            if self.c.taken() == before {
                self.c.broken = true;
                self.c.bump();
            }
        }
        self.c.depth -= 1;
        add(&mut all, Stmt::Ways(ways, false));
        Stmt::Block(all)
    }

    fn function_statement(&mut self) -> Stmt<'t> {
        self.c.bump();
        self.c.eat("*");
        let name = self.c.name().unwrap_or_default();
        let function = self.function();
        Stmt::Function(name, Box::new(function))
    }

    /// Parameters in brackets and a body in braces.
    pub(super) fn function(&mut self) -> Function<'t> {
        if self.c.is("<") {
            self.skip_type();
        }
        self.c.want("(");
        let params = self.params();
        if self.c.eat(":") {
            self.skip_type();
        }
        let body = self.block();
        Function { params, body, outer: Vec::new() }
    }

    /// Parameters up to the closing bracket.
    pub(super) fn params(&mut self) -> Vec<(Expr<'t>, Option<Expr<'t>>)> {
        let mut params = Vec::new();
        while self.c.peek().is_some() && !self.c.eat(")") {
            let before = self.c.taken();
            let target = self.pattern();
            let default = self.c.eat("=").then(|| self.value());
            add(&mut params, (target, default));
            self.c.eat(",");
            if self.c.taken() == before {
                self.c.broken = true;
                self.c.bump();
            }
        }
        params
    }

    /// What stands in the braces of a class.
    pub(super) fn class(&mut self) -> Vec<Stmt<'t>> {
        let mut body = Vec::new();
        if self.c.eat("extends") {
            let base = self.value();
            add(&mut body, Stmt::Expr(base));
        }
        while self.c.peek().is_some_and(|token| token.text != "{") {
            self.c.bump();
        }
        self.c.want("{");
        if !self.c.deeper() {
            return body;
        }
        while self.c.peek().is_some() && !self.c.eat("}") {
            while matches!(
                self.c.peek().map(|token| token.text),
                Some("static" | "async" | "get" | "set" | "public" | "private" | "readonly" | "*")
            ) && !self.c.is_ahead(1, "(")
            {
                self.c.bump();
            }
            let name = self.c.bump().map_or("", |token| token.text);
            if self.c.is("(") {
                let function = self.function();
                add(&mut body, Stmt::Function(name, Box::new(function)));
            } else {
                if self.c.eat(":") {
                    self.skip_type();
                }
                if self.c.eat("=") {
                    let value = self.value();
                    let field = Expr::Chain(Box::new(Expr::Name("this")), vec![Post::Attr(name)]);
                    add(&mut body, Stmt::Assign(vec![field], value));
                }
                self.c.eat(";");
            }
        }
        self.c.depth -= 1;
        body
    }

    fn import(&mut self) -> Stmt<'t> {
        self.c.bump();
        if self.c.eat("type") {
            while self.c.peek().is_some_and(|token| !token.fresh && token.text != ";") {
                self.c.bump();
            }
            return Self::nothing();
        }
        self.import_rest()
    }

    /// `a, { b as c } from 'm'`
    fn import_rest(&mut self) -> Stmt<'t> {
        let (mut names, mut whole) = (Vec::new(), None);
        while let Some(token) = self.c.peek() {
            if let Kind::Text(_) = token.kind {
                self.c.bump();
                self.c.eat(";");
                let mut all = vec![Stmt::From(token.text.into(), names)];
                if whole.is_some() {
                    add(&mut all, Stmt::Import(token.text.into(), whole));
                }
                return Stmt::Block(all);
            }
            if self.c.eat("*") {
                self.c.eat("as");
                whole = self.c.name();
            } else if self.c.eat("{") {
                while self.c.peek().is_some() && !self.c.eat("}") {
                    self.c.eat("type");
                    if let Some(name) = self.c.name() {
                        let alias = if self.c.eat("as") { self.c.name().unwrap_or(name) } else { name };
                        add(&mut names, (name, alias));
                    } else {
                        self.c.bump();
                    }
                    self.c.eat(",");
                }
                if !self.c.is("from") {
                    break;
                }
            } else if self.c.eat("from") || self.c.eat(",") {
            } else if let Some(name) = self.c.name() {
                whole = Some(name);
            } else {
                self.c.broken = true;
                break;
            }
        }
        Self::nothing()
    }
}
