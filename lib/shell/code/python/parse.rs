//! Python text to the shared tree.

use super::super::super::dynamic::Dynamics;
use super::super::super::growth::add;
use super::super::program::cursor::Cursor;
use super::super::program::lex::{Kind, Style};
use super::super::program::tree::{Expr, Function, Loop, Stmt, Tree};
use super::expr::binding;

/// Reads a program text.
pub fn parse<'t>(text: &'t str, dynamic: Dynamics) -> Tree<'t> {
    let mut parser = Parser { c: Cursor::new(text, Style::Python, dynamic, 0) };
    let mut body = Vec::new();
    while parser.c.peek().is_some() {
        parser.statement(&mut body);
    }
    Tree { body, broken: parser.c.broken }
}

/// Reads tokens into statements.
pub(super) struct Parser<'t> {
    pub(super) c: Cursor<'t>,
}

impl<'t> Parser<'t> {
    fn block(&mut self) -> Vec<Stmt<'t>> {
        let mut body = Vec::new();
        if !self.c.eat(":") {
            self.c.broken = true;
            return body;
        }
        if !self.c.deeper() {
            return body;
        }
        if self.c.peek().is_some_and(|token| token.kind == Kind::Newline) {
            self.c.bump();
            if self.c.peek().is_some_and(|token| token.kind == Kind::Indent) {
                self.c.bump();
                while self.c.peek().is_some_and(|token| token.kind != Kind::Dedent) {
                    self.statement(&mut body);
                }
                self.c.bump();
            }
        } else {
            self.line(&mut body);
        }
        self.c.depth -= 1;
        body
    }

    /// Simple statements up to the end of the line.
    fn line(&mut self, body: &mut Vec<Stmt<'t>>) {
        while let Some(token) = self.c.peek() {
            match token.kind {
                Kind::Newline => {
                    self.c.bump();
                    return;
                }
                Kind::Indent | Kind::Dedent => return,
                _ if self.c.eat(";") => {}
                _ => {
                    let before = self.c.taken();
                    add(body, self.simple());
                    let ends = self.c.peek().is_none_or(|token| token.kind == Kind::Newline || token.text == ";");
                    if !ends {
                        self.c.broken = true;
                    }
                    if self.c.taken() == before || !ends {
                        self.c.bump();
                    }
                }
            }
        }
    }

    fn statement(&mut self, body: &mut Vec<Stmt<'t>>) {
        let Some(token) = self.c.peek() else {
            return;
        };
        match token.kind {
            Kind::Newline | Kind::Indent | Kind::Dedent => {
                self.c.bump();
                return;
            }
            Kind::Mark => {
                self.c.bump();
                add(body, Stmt::Hole);
                return;
            }
            Kind::Name => {}
            _ if self.c.eat("@") => {
                let value = self.tuple();
                add(body, Stmt::Expr(value));
                return;
            }
            _ => return self.line(body),
        }
        match token.text {
            "if" => self.ways(body),
            "while" => {
                self.c.bump();
                let start = self.c.changes.len();
                let test = self.test();
                let inner = self.block();
                let inner = self.looped(start, inner);
                add(body, Stmt::While(test, inner));
                self.otherwise(body);
            }
            "async" => {
                self.c.bump();
            }
            "for" => {
                self.c.bump();
                let start = self.c.changes.len();
                let target = self.targets();
                self.c.changed(&target);
                self.c.want("in");
                let iter = self.tuple();
                let inner = self.block();
                let inner = self.looped(start, inner);
                add(body, Stmt::For(Box::new((target, iter)), inner));
                self.otherwise(body);
            }
            "def" => {
                self.c.bump();
                let name = self.c.name().unwrap_or_default();
                let function = self.function(")");
                add(body, Stmt::Function(name, Box::new(function)));
            }
            "class" => {
                self.c.bump();
                let name = self.c.name().unwrap_or_default();
                let bases = if self.c.eat("(") { self.arguments(")") } else { Vec::new() };
                let bases = bases.into_iter().filter(|base| base.name.is_none());
                let mut inner: Vec<Stmt<'t>> = bases.map(|base| Stmt::Expr(base.value)).collect();
                inner.extend(self.block());
                add(body, Stmt::Class(name, inner));
            }
            "with" => self.with(body),
            "try" => {
                self.c.bump();
                let mut ways = Vec::new();
                add(body, Stmt::Block(self.block()));
                loop {
                    if self.c.eat("except") {
                        self.c.eat("*");
                        if !self.c.is(":") {
                            self.tuple();
                            if self.c.eat("as") {
                                self.c.name();
                            }
                        }
                        add(&mut ways, self.block());
                    } else if self.c.is("else") || self.c.is("finally") {
                        if !ways.is_empty() {
                            add(body, Stmt::Ways(std::mem::take(&mut ways), false));
                        }
                        self.c.bump();
                        add(body, Stmt::Block(self.block()));
                    } else {
                        break;
                    }
                }
                if !ways.is_empty() {
                    add(body, Stmt::Ways(ways, false));
                }
            }
            "match" if self.matches() => {
                self.c.bump();
                let subject = self.tuple();
                add(body, Stmt::Expr(subject));
                self.c.want(":");
                self.c.bump();
                self.c.bump();
                let mut ways = Vec::new();
                while self.c.eat("case") {
                    while self.c.peek().is_some_and(|token| token.kind != Kind::Newline && token.text != ":") {
                        self.c.bump();
                    }
                    add(&mut ways, self.block());
                }
                self.c.bump();
                add(body, Stmt::Ways(ways, false));
            }
            _ => self.line(body),
        }
    }

    /// Whether the word `match` opens a statement.
    fn matches(&self) -> bool {
        (1..60).map_while(|by| self.c.ahead(by)).take_while(|token| token.kind != Kind::Newline).any(|t| t.text == ":")
            && self.c.ahead(1).is_some_and(|token| !matches!(token.text, "=" | "." | ":" | "," | ")"))
    }

    fn looped(&mut self, start: usize, body: Vec<Stmt<'t>>) -> Box<Loop<'t>> {
        let changes = self.c.changes.get(start..).unwrap_or_default().to_vec();
        Box::new(Loop { changes, body })
    }

    fn otherwise(&mut self, body: &mut Vec<Stmt<'t>>) {
        if self.c.eat("else") {
            let ways = vec![self.block()];
            add(body, Stmt::Ways(ways, false));
        }
    }

    fn ways(&mut self, body: &mut Vec<Stmt<'t>>) {
        let mut ways = Vec::new();
        let mut whole = false;
        loop {
            if (ways.is_empty() && self.c.eat("if")) || self.c.eat("elif") {
                let test = self.test();
                add(body, Stmt::Expr(test));
                add(&mut ways, self.block());
            } else {
                if self.c.eat("else") {
                    add(&mut ways, self.block());
                    whole = true;
                }
                break;
            }
        }
        add(body, Stmt::Ways(ways, whole));
    }

    fn with(&mut self, body: &mut Vec<Stmt<'t>>) {
        self.c.bump();
        // `with (open(a) as f, open(b) as g):`
        let wrapped = self.c.is("(") && self.wrapped();
        if wrapped {
            self.c.bump();
        }
        loop {
            let value = self.test();
            if self.c.eat("as") {
                let target = self.test();
                self.c.changed(&target);
                add(body, Stmt::Assign(vec![target], value));
            } else {
                add(body, Stmt::Expr(value));
            }
            if !self.c.eat(",") || self.c.is(")") {
                break;
            }
        }
        if wrapped {
            self.c.want(")");
        }
        let inner = self.block();
        add(body, Stmt::Block(inner));
    }

    /// Whether the bracket here closes right before the colon and holds an `as`.
    fn wrapped(&self) -> bool {
        let (mut open, mut named) = (0u32, false);
        for by in 0..400 {
            let Some(token) = self.c.ahead(by) else {
                return false;
            };
            match token.text {
                "(" | "[" | "{" if token.kind == Kind::Op => open += 1,
                ")" | "]" | "}" if token.kind == Kind::Op => open = open.saturating_sub(1),
                "as" if token.kind == Kind::Name && open == 1 => named = true,
                _ => {}
            }
            if open == 0 {
                return named && self.c.is_ahead(by + 1, ":");
            }
        }
        false
    }

    /// Parameters up to `end`, and the body.
    fn function(&mut self, end: &str) -> Function<'t> {
        self.c.want("(");
        let mut params = Vec::new();
        let outer = std::mem::take(&mut self.c.outer);
        while self.c.peek().is_some() && !self.c.eat(end) {
            let rest = self.c.eat("*");
            let spread = rest || self.c.eat("**");
            match self.c.name() {
                // The rest of the arguments: a list.
                Some(name) if rest => {
                    if self.c.eat(":") {
                        self.test();
                    }
                    params.push((Expr::All(vec![Expr::Name(name)]), None));
                }
                Some(name) => {
                    if self.c.eat(":") {
                        self.test();
                    }
                    let default = self.c.eat("=").then(|| self.test());
                    add(&mut params, (if spread { Expr::Unknown } else { Expr::Name(name) }, default));
                }
                None if !spread && !self.c.is(",") && !self.c.eat("/") => {
                    self.c.broken = true;
                    self.c.bump();
                }
                None => {}
            }
            self.c.eat(",");
        }
        if self.c.eat("->") {
            self.test();
        }
        let body = self.block();
        let outer = std::mem::replace(&mut self.c.outer, outer);
        Function { params, body, outer }
    }

    fn simple(&mut self) -> Stmt<'t> {
        let word = self.c.peek().filter(|token| token.kind == Kind::Name).map_or("", |token| token.text);
        match word {
            "pass" => {
                self.c.bump();
                Stmt::Block(Vec::new())
            }
            "import" => self.import(),
            "from" => self.from(),
            "return" | "raise" => {
                self.c.bump();
                let none = self.c.peek().is_none_or(|token| token.kind == Kind::Newline || token.text == ";");
                let value = (!none).then(|| self.tuple());
                if self.c.eat("from") {
                    self.test();
                }
                Stmt::Leave(value, word == "return")
            }
            "break" | "continue" => {
                self.c.bump();
                Stmt::Leave(None, false)
            }
            "global" | "nonlocal" => {
                self.c.bump();
                while let Some(name) = self.c.name() {
                    self.c.outer.push(name);
                    self.c.eat(",");
                }
                Stmt::Block(Vec::new())
            }
            "del" | "assert" => {
                self.c.bump();
                let value = self.tuple();
                Stmt::Expr(value)
            }
            _ => self.assigned(),
        }
    }

    fn assigned(&mut self) -> Stmt<'t> {
        let first = self.tuple();
        if self.c.eat(":") {
            self.test();
            if !self.c.is("=") {
                return Stmt::Block(Vec::new());
            }
        }
        let op = self.c.peek().filter(|token| token.kind == Kind::Op).map_or("", |token| token.text);
        if op == "=" {
            let mut targets = vec![first];
            loop {
                self.c.eat("=");
                let value = self.tuple();
                if !self.c.is("=") {
                    targets.iter().for_each(|target| self.c.changed(target));
                    return Stmt::Assign(targets, value);
                }
                add(&mut targets, value);
            }
        }
        if op.len() > 1 && op.ends_with('=') && binding(op).is_none() && op != ":=" {
            self.c.bump();
            let value = self.tuple();
            self.c.changed(&first);
            return Stmt::Change(Box::new((first, op.strip_suffix('=').unwrap_or(op), value)));
        }
        Stmt::Expr(first)
    }

    fn dotted(&mut self) -> String {
        let mut name = String::new();
        loop {
            if self.c.eat(".") {
                name.push('.');
            } else if self.c.eat("...") {
                name.push_str("...");
            } else if !(self.c.is("import") || self.c.is("as")) && (name.is_empty() || name.ends_with('.')) {
                match self.c.name() {
                    Some(part) => name.push_str(part),
                    None => return name,
                }
            } else {
                return name;
            }
        }
    }

    fn import(&mut self) -> Stmt<'t> {
        self.c.bump();
        let mut all = Vec::new();
        loop {
            let name = self.dotted();
            let alias = if self.c.eat("as") { self.c.name() } else { None };
            add(&mut all, Stmt::Import(name.into(), alias));
            if !self.c.eat(",") {
                return Stmt::Block(all);
            }
        }
    }

    fn from(&mut self) -> Stmt<'t> {
        self.c.bump();
        let module = self.dotted();
        self.c.want("import");
        let wrapped = self.c.eat("(");
        let mut names = Vec::new();
        if self.c.eat("*") {
            add(&mut names, ("*", "*"));
        }
        while let Some(name) = self.c.name() {
            let alias = if self.c.eat("as") { self.c.name().unwrap_or(name) } else { name };
            add(&mut names, (name, alias));
            if !self.c.eat(",") {
                break;
            }
        }
        if wrapped {
            self.c.want(")");
        }
        Stmt::From(module.into(), names)
    }
}
