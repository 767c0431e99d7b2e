//! Objects of the program's own classes: what their fields hold, and calls of their methods.

use super::super::super::super::part::Arg;
use super::super::lex::Style;
use super::super::tree::{Expr, Function, Post, Stmt};
use super::super::value::{Args, Value};
use super::Walk;
use std::rc::Rc;

/// Most objects that are told apart.
const MOST_OBJECTS: usize = 64;
/// Most fields of an object.
const MOST_FIELDS: usize = 64;

/// Most classes that a class is looked for a method through.
const MOST_BASES: usize = 4;

impl<'a> Walk<'a> {
    /// The method of a class with a name, of its own or of a class that it is made of.
    fn method_of(&mut self, body: &'a [Stmt<'a>], name: &str) -> Option<&'a Function<'a>> {
        let mut classes = vec![body];
        let mut at = 0;
        while let Some(body) = classes.get(at).copied().filter(|body| self.step(body.len() / 4)) {
            at += 1;
            for stmt in body {
                match stmt {
                    Stmt::Function(method, function) if *method == name => return Some(function),
                    Stmt::Expr(Expr::Name(base)) if classes.len() < MOST_BASES => {
                        if let Some(Value::Class(base)) = self.name(base) {
                            classes.push(base);
                        }
                    }
                    _ => {}
                }
            }
        }
        None
    }

    /// A new object of a class.
    pub fn construct(&mut self, body: &'a [Stmt<'a>], args: &Args<'a>) -> Value<'a> {
        if self.objects.len() >= MOST_OBJECTS || !self.step(1 + body.len()) {
            return Value::Unknown;
        }
        let object = Value::Object(body, self.objects.len());
        self.objects.push(Vec::new());
        if self.style == Style::JavaScript {
            let before = self.begin_this(&object);
            for stmt in body.iter().filter(|stmt| matches!(stmt, Stmt::Assign(..))) {
                self.statement(stmt);
            }
            self.end_this(before);
        }
        let name = if self.style == Style::Python { "__init__" } else { "constructor" };
        match self.method_of(body, name) {
            Some(function) => {
                self.call_on(&object, function, args);
            }
            // A constructor that is not seen (`@dataclass`): what it does with its arguments is not known.
            None if !args.items.is_empty() => return Value::Unknown,
            None => {}
        }
        object
    }

    /// Calls a method of an object.
    pub fn call_method(&mut self, object: &Value<'a>, name: &str, args: &Args<'a>) -> Option<Value<'a>> {
        let Value::Object(body, _) = object else { return None };
        let body: &'a [Stmt<'a>] = body;
        let function = match self.method_of(body, name) {
            Some(function) => function,
            None => match self.field(object, name) {
                Value::Function(function) => function,
                _ => return None,
            },
        };
        Some(self.call_on(object, function, args))
    }

    fn call_on(&mut self, object: &Value<'a>, function: &'a Function<'a>, args: &Args<'a>) -> Value<'a> {
        if self.style == Style::JavaScript {
            let before = self.begin_this(object);
            let value = self.call_function(function, args);
            self.end_this(before);
            return value;
        }
        let own = matches!(function.params.first(), Some((Expr::Name("self" | "cls" | "this" | "_"), _)));
        let first = own.then(|| (None, object.clone()));
        self.call_function(function, &Args { items: first.into_iter().chain(args.items.iter().cloned()).collect() })
    }

    fn begin_this(&mut self, object: &Value<'a>) -> Value<'a> {
        let before = self.name("this").unwrap_or(Value::Unknown);
        self.set("this", object.clone());
        before
    }

    fn end_this(&mut self, before: Value<'a>) {
        self.set("this", before);
    }

    /// What a field of an object may hold.
    pub fn field(&mut self, object: &Value<'a>, name: &str) -> Value<'a> {
        let Value::Object(body, number) = object else { return Value::Unknown };
        let fields = self.objects.get(*number).map(Vec::as_slice).unwrap_or_default();
        match fields.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => value.clone(),
            None => self.constant(body, name),
        }
    }

    /// What the body of a class gives to a name.
    pub fn constant(&mut self, body: &'a [Stmt<'a>], name: &str) -> Value<'a> {
        let named = |target: &Expr<'a>| match target {
            Expr::Name(known) => *known == name,
            Expr::Chain(_, posts) => matches!(posts.as_slice(), [Post::Attr(known)] if *known == name),
            _ => false,
        };
        let found = body.iter().rev().find_map(|stmt| match stmt {
            Stmt::Assign(targets, value) if targets.iter().any(named) => Some(value),
            _ => None,
        });
        match found {
            Some(value) if self.step(4) => kept(self.value(value)),
            _ => Value::Unknown,
        }
    }

    /// Gives a field of an object a value besides those that it had; false if the target is no field.
    pub(super) fn set_field(&mut self, base: &'a Expr<'a>, posts: &'a [Post<'a>], value: &Value<'a>) -> bool {
        let (Expr::Name(name), [Post::Attr(field)]) = (base, posts) else { return false };
        let Some(Value::Object(_, number)) = self.name(name) else { return false };
        let value = kept(value.clone());
        let Some(fields) = self.objects.get_mut(number) else { return false };
        let full = fields.len() >= MOST_FIELDS;
        match fields.iter_mut().find(|(known, _)| known == field) {
            Some((_, before)) => *before = std::mem::replace(before, Value::Unknown).either(value),
            None if full => return false,
            None => fields.push((field, value)),
        }
        true
    }
}

/// A value as a field keeps it: what methods may change out of sight is not known.
fn kept(value: Value<'_>) -> Value<'_> {
    match value {
        Value::List(_) | Value::Each(_) | Value::Dict(_) => Value::Unknown,
        Value::Either(all) if all.iter().any(|one| matches!(one, Value::List(_) | Value::Each(_) | Value::Dict(_))) => {
            Value::Unknown
        }
        value => value,
    }
}

impl<'a> Walk<'a> {
    /// What the line gives to a variable of the environment.
    pub fn variable(&self, name: &str) -> Option<Value<'a>> {
        self.setting.variable(name).map(|value: &Arg| Value::Text(Rc::new(value.clone())))
    }
}
