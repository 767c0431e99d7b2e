//! The values of expressions, and what their calls do.

use std::rc::Rc;

use super::super::{Found, javascript, python};
use super::lex::Style;
use super::tree::{Argument, Expr, Post, Stmt};
use super::value::{Args, Value, concat, unknown};
use super::walk::Walk;
use crate::shell::part::Arg;

/// Most items that a comprehension is followed for.
const MOST_ITEMS: usize = 200;

impl<'a> Walk<'a> {
    /// The value of an expression; what it does is found on the way.
    pub fn value(&mut self, expr: &'a Expr<'a>) -> Value<'a> {
        if !self.step(1) {
            return Value::Unknown;
        }
        match expr {
            Expr::Unknown => Value::Unknown,
            Expr::Text(text) => Value::Text(Rc::clone(text)),
            Expr::Number(number) => Value::Number(*number),
            Expr::Name(name) => self.name(name).unwrap_or_else(|| match self.style {
                Style::Python => python::calls::global(name),
                Style::JavaScript => javascript::calls::global(name),
            }),
            Expr::Format(pieces) => {
                let mut sum = Value::text("");
                for piece in pieces {
                    let piece = self.value(piece);
                    let piece = piece.map(&mut |piece| Value::Text(piece.word()));
                    self.step(piece_cost(&sum));
                    sum = sum.plus(&piece);
                }
                sum
            }
            Expr::Chain(base, posts) => self.chain(base, posts),
            Expr::Binary(first, rest) => self.binary(first, rest),
            Expr::List(items) => Value::List(Rc::new(items.iter().map(|item| self.value(item)).collect())),
            Expr::Dict(pairs) => {
                let mut all = Vec::new();
                for pair in pairs {
                    let value = self.value(&pair.value);
                    match (&pair.name, pair.spread, value) {
                        (Some(name), _, value) => all.push((Rc::clone(name), value)),
                        (None, true, Value::Dict(more)) if self.step(more.len()) => all.extend(more.iter().cloned()),
                        _ => {}
                    }
                }
                Value::Dict(Rc::new(all))
            }
            Expr::Either(all) => {
                let mut sum: Option<Value<'a>> = None;
                for expr in all {
                    let value = self.value(expr);
                    if matches!(expr, Expr::All(_)) {
                        continue;
                    }
                    sum = Some(match sum {
                        Some(sum) => sum.either(value),
                        None => value,
                    });
                }
                sum.unwrap_or(Value::Unknown)
            }
            Expr::All(all) => {
                for expr in all {
                    self.value(expr);
                }
                Value::Unknown
            }
            Expr::Each(each) => self.comprehension(&each.loops, &each.body, &each.tests),
            Expr::Function(function) => Value::Function(function),
            Expr::Assign(target, value) => {
                let value = self.value(value);
                match &**target {
                    Expr::Name(name) => self.set_outer(name, value.clone()),
                    target => self.assign(target, value.clone()),
                }
                value
            }
        }
    }

    fn binary(&mut self, first: &'a Expr<'a>, rest: &'a [(&'a str, Expr<'a>)]) -> Value<'a> {
        let mut sum = self.value(first);
        for (op, right) in rest {
            let right = self.value(right);
            self.step(piece_cost(&sum));
            sum = match *op {
                "+" => sum.plus(&right),
                "/" => match (&sum, &right) {
                    (Value::Path(_) | Value::Either(_), _) | (_, Value::Path(_)) => sum.below(&right, true),
                    _ => Value::Unknown,
                },
                "-" => match (&sum, &right) {
                    (Value::Number(a), Value::Number(b)) => a.checked_sub(*b).map_or(Value::Unknown, Value::Number),
                    _ => Value::Unknown,
                },
                "%" if matches!(sum, Value::Text(_)) => python::calls::percent(&sum, &right),
                "or" | "||" | "??" => match sum.truth() {
                    Some(true) => sum,
                    Some(false) => right,
                    None => sum.either(right),
                },
                "and" | "&&" => right,
                _ => Value::Unknown,
            };
        }
        sum
    }

    fn comprehension(
        &mut self,
        loops: &'a [(Expr<'a>, Expr<'a>)],
        body: &'a Expr<'a>,
        tests: &'a [Expr<'a>],
    ) -> Value<'a> {
        if let [(target, iter)] = loops {
            let iter = self.value(iter);
            let (items, all) = iter.items();
            if all && items.len() <= MOST_ITEMS {
                let mut out = Vec::new();
                for item in items {
                    if !self.step(1) {
                        break;
                    }
                    self.assign(target, item);
                    tests.iter().for_each(|test| {
                        self.value(test);
                    });
                    out.push(self.value(body));
                }
                return Value::List(Rc::new(out));
            }
            self.assign(target, if all { Value::Unknown } else { items.into_iter().next().unwrap_or(Value::Unknown) });
        } else {
            for (target, iter) in loops {
                let item = self.value(iter).any_item();
                self.assign(target, item);
            }
        }
        tests.iter().for_each(|test| {
            self.value(test);
        });
        let item = self.value(body);
        Value::Each(Rc::new(item))
    }

    fn chain(&mut self, base: &'a Expr<'a>, posts: &'a [Post<'a>]) -> Value<'a> {
        let mut value = self.value(base);
        let mut at = 0;
        while let Some(post) = posts.get(at) {
            if !self.step(1) {
                return Value::Unknown;
            }
            at += 1;
            value = match post {
                Post::Attr(name) => match posts.get(at) {
                    Some(Post::Call(arguments)) => {
                        at += 1;
                        let args = self.arguments(arguments);
                        let plain = if at == 2 { base } else { &Expr::Unknown };
                        self.method(&value, name, &args, plain)
                    }
                    _ => self.attr(&value, name),
                },
                Post::Index(index) => {
                    let index = self.value(index);
                    self.index(&value, &index)
                }
                Post::Slice(start) => slice(&value, *start),
                Post::Call(arguments) => {
                    let args = self.arguments(arguments);
                    self.call(&value, &args)
                }
            };
        }
        value
    }

    /// The values of arguments.
    fn arguments(&mut self, arguments: &'a [Argument<'a>]) -> Args<'a> {
        let mut items = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let value = self.value(&argument.value);
            match (argument.spread, &value) {
                (true, Value::List(list)) if list.len() < 100 => {
                    items.extend(list.iter().map(|item| (None, item.clone())));
                }
                (true, Value::Dict(pairs)) if pairs.len() < 100 => {
                    items.extend(pairs.iter().map(|(name, value)| (Some(Rc::clone(name)), value.clone())));
                }
                (true, _) => items.push((None, Value::Unknown)),
                (false, _) => items.push((argument.name.clone(), value)),
            }
        }
        Args { items }
    }

    /// `value.name`
    pub fn attr(&mut self, value: &Value<'a>, name: &str) -> Value<'a> {
        match value {
            Value::Foreign => Value::Foreign,
            Value::Dict(pairs) => {
                let found = pairs.iter().rev().find(|(key, _)| &**key == name);
                found.map_or(Value::Unknown, |(_, value)| value.clone())
            }
            Value::Class(body) => {
                let found = body.iter().find_map(|stmt| match stmt {
                    Stmt::Function(method, function) if *method == name => Some(function),
                    _ => None,
                });
                match found {
                    Some(function) => Value::Function(function),
                    None => self.constant(body, name),
                }
            }
            Value::Object(..) => self.field(value, name),
            _ => match self.style {
                Style::Python if name == "argv" && matches!(value, Value::Thing(thing) if thing == "sys") => {
                    python::calls::arguments(self.args)
                }
                Style::Python => python::calls::attr(value, name),
                Style::JavaScript => javascript::calls::attr(self, value, name),
            },
        }
    }

    fn index(&mut self, value: &Value<'a>, index: &Value<'a>) -> Value<'a> {
        match (value, index) {
            (Value::List(items), Value::Number(number)) => {
                usize::try_from(*number).ok().and_then(|at| items.get(at).cloned()).unwrap_or(Value::Unknown)
            }
            (Value::List(_) | Value::Each(_), _) => value.any_item(),
            (Value::Dict(_), _) => match index.certain() {
                Some(key) => {
                    let key = key.to_owned();
                    self.attr(value, &key)
                }
                None => Value::Unknown,
            },
            (Value::Thing(_), _) => match self.style {
                Style::Python => python::calls::index(self, value, index),
                Style::JavaScript => javascript::calls::index(self, value, index),
            },
            (Value::Foreign, _) => Value::Foreign,
            _ => Value::Unknown,
        }
    }

    /// Calls a value.
    pub fn call(&mut self, value: &Value<'a>, args: &Args<'a>) -> Value<'a> {
        match value {
            Value::Function(function) => self.call_function(function, args),
            Value::Class(body) => self.construct(body, args),
            Value::Thing(name) => match self.style {
                Style::Python => python::calls::call(self, name, args),
                Style::JavaScript => javascript::calls::call(self, name, args),
            },
            Value::Foreign => {
                self.callbacks(args);
                Value::Foreign
            }
            Value::Either(all) => {
                let mut sum: Option<Value<'a>> = None;
                for value in all.iter().filter(|value| !matches!(value, Value::Either(_))) {
                    let value = self.call(value, args);
                    sum = Some(match sum {
                        Some(sum) => sum.either(value),
                        None => value,
                    });
                }
                sum.unwrap_or(Value::Unknown)
            }
            _ => {
                self.callbacks(args);
                Value::Unknown
            }
        }
    }

    fn method(&mut self, value: &Value<'a>, name: &str, args: &Args<'a>, base: &'a Expr<'a>) -> Value<'a> {
        if let (Style::JavaScript, "then", Some(next)) = (self.style, name, args.at(0)) {
            // What a promise gives is what it was made of.
            let result = self.call(next, &Args { items: vec![(None, value.clone())] });
            if let Some(failed) = args.at(1) {
                self.call(failed, &Args::default());
            }
            return result;
        }
        match value {
            Value::Object(..) => match self.call_method(value, name, args) {
                Some(value) => value,
                None => match self.field(value, name) {
                    callee @ (Value::Thing(_) | Value::Class(_)) => self.call(&callee, args),
                    _ => match self.style {
                        Style::Python => python::methods::method(self, &Value::Unknown, name, args),
                        Style::JavaScript => javascript::methods::method(self, &Value::Unknown, name, args),
                    },
                },
            },
            Value::Thing(_) | Value::Class(_) | Value::Foreign => {
                let callee = self.attr(value, name);
                self.call(&callee, args)
            }
            Value::Dict(pairs) if pairs.iter().any(|(key, _)| &**key == name) => {
                let callee = self.attr(value, name);
                self.call(&callee, args)
            }
            Value::Either(all) => {
                let mut sum: Option<Value<'a>> = None;
                for value in all.iter().filter(|value| !matches!(value, Value::Either(_))) {
                    let value = self.method(value, name, args, &Expr::Unknown);
                    sum = Some(match sum {
                        Some(sum) => sum.either(value),
                        None => value,
                    });
                }
                sum.unwrap_or(Value::Unknown)
            }
            Value::List(_) | Value::Each(_) if changes(name) => {
                self.grow(value, name, args, base);
                Value::Unknown
            }
            Value::Dict(_) if changes(name) => {
                if let Expr::Name(name) = base {
                    self.set(name, Value::Unknown);
                }
                Value::Unknown
            }
            _ => match self.style {
                Style::Python => python::methods::method(self, value, name, args),
                Style::JavaScript => javascript::methods::method(self, value, name, args),
            },
        }
    }

    /// A list changes by a method.
    fn grow(&mut self, value: &Value<'a>, name: &str, args: &Args<'a>, base: &'a Expr<'a>) {
        let Expr::Name(target) = base else {
            return;
        };
        let grown = match (value, name) {
            (Value::List(items), "append" | "push") if items.len() < 256 && self.step(items.len() / 4) => {
                let more = args.items.iter().map(|(_, value)| value.clone());
                Value::List(Rc::new(items.iter().cloned().chain(more).collect()))
            }
            (Value::List(items), "extend") if items.len() < 256 => match args.at(0) {
                Some(more) => Value::List(Rc::clone(items)).plus(more),
                None => Value::Unknown,
            },
            (_, "sort" | "reverse") => return,
            _ => Value::Unknown,
        };
        self.set(target, grown);
    }

    /// Program text in a program text.
    pub fn nested(&mut self, value: Option<&Value<'a>>) {
        let Some(Value::Text(text)) = value else {
            return self.open("runs computed code");
        };
        if self.nested >= 3 || !self.step(text.text.len() / 4) {
            return self.open("runs computed code");
        }
        let found: Found = match self.style {
            Style::Python => python::read_nested(text, self.args, self.setting, self.nested + 1),
            Style::JavaScript => javascript::read_nested(text, self.args, self.setting, self.nested + 1),
        };
        for path in found.paths {
            self.touch_word(&path.path, path.op);
        }
        for run in found.runs {
            self.run(run, None);
        }
        for net in found.net {
            self.net(Some(&Value::Text(Rc::new(Arg::literal(net)))));
        }
        if let Some(why) = found.open {
            self.open(why);
        }
    }

    /// An argument list as the words of a command.
    pub fn argv(&mut self, values: &Value<'a>) -> Vec<Arg> {
        match values {
            Value::List(items) => items.iter().take(256).map(|item| (*item.word()).clone()).collect(),
            Value::Each(item) => vec![(*item.word()).clone()],
            _ => vec![(*unknown()).clone()],
        }
    }

    /// Texts put behind each other with something between.
    pub fn joined(&mut self, between: &Arg, items: &Value<'a>) -> Value<'a> {
        let Value::List(items) = items else {
            return Value::Unknown;
        };
        if !self.step(items.len()) {
            return Value::Unknown;
        }
        let mut sum: Option<Arg> = None;
        for item in items.iter() {
            let word = item.word();
            let next = match sum {
                None => Some((*word).clone()),
                Some(sum) => concat(&sum, between).and_then(|sum| concat(&sum, &word)),
            };
            match next {
                Some(next) if self.step(1 + next.text.len() / 64) => sum = Some(next),
                _ => return Value::Unknown,
            }
        }
        sum.map_or_else(|| Value::text(""), |sum| Value::Text(Rc::new(sum)))
    }
}

/// A part of a list: from one place on, to another or to the end.
pub fn slice<'a>(value: &Value<'a>, range: Option<(i64, Option<i64>)>) -> Value<'a> {
    let place = |number: i64| usize::try_from(number).ok();
    let range = range.and_then(|(start, end)| {
        let end = end.map_or(Some(usize::MAX), place)?;
        Some((place(start)?, end))
    });
    match (value, range) {
        (Value::List(items), Some((start, end))) => {
            let count = end.saturating_sub(start);
            Value::List(Rc::new(items.iter().skip(start).take(count).cloned().collect()))
        }
        (Value::List(_), None) => Value::Each(Rc::new(value.any_item())),
        (Value::Each(_), _) => value.clone(),
        _ => Value::Unknown,
    }
}

/// Whether a method changes the list or dictionary that it is called on.
fn changes(name: &str) -> bool {
    matches!(
        name,
        "add"
            | "append"
            | "clear"
            | "extend"
            | "insert"
            | "pop"
            | "push"
            | "remove"
            | "reverse"
            | "shift"
            | "sort"
            | "splice"
            | "unshift"
            | "update"
    )
}

/// What copying a value costs.
fn piece_cost(value: &Value<'_>) -> usize {
    match value {
        Value::Text(text) => text.text.len() / 64,
        Value::List(items) => items.len() / 4,
        Value::Either(all) => all.len() * 4,
        _ => 0,
    }
}
