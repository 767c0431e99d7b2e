//! Calls of functions of the program itself.

use super::super::tree::{Expr, Function};
use super::super::value::{Args, Value};
use super::{MOST_CALLS, Walk};
use std::rc::Rc;

impl<'a> Walk<'a> {
    /// Calls a function of the program.
    pub fn call_function(&mut self, function: &'a Function<'a>, args: &Args<'a>) -> Value<'a> {
        if self.calls.iter().any(|running| std::ptr::eq(*running, function)) {
            self.ran.remove(&std::ptr::from_ref(function));
            return Value::Unknown;
        }
        if self.calls.len() >= MOST_CALLS || !self.step(4) {
            return Value::Unknown;
        }
        self.ran.insert(std::ptr::from_ref(function));
        self.calls.push(function);
        self.returns.push(None);
        self.journal.push(Vec::new());
        let outer = std::mem::take(&mut self.outer);
        for (at, (target, default)) in function.params.iter().enumerate() {
            if let (Expr::All(rest), None) = (target, default) {
                let items = args.items.iter().filter(|(name, _)| name.is_none()).skip(at);
                let list = Value::List(Rc::new(items.map(|(_, value)| value.clone()).collect()));
                rest.iter().for_each(|rest| self.assign(rest, list.clone()));
                continue;
            }
            let named = match target {
                Expr::Name(name) => args.named(name),
                _ => None,
            };
            let value = match (args.at(at).or(named), default) {
                (Some(value), _) => value.clone(),
                (None, Some(default)) => self.value(default),
                (None, None) => Value::Unknown,
            };
            self.assign(target, value);
        }
        self.block(&function.body);
        self.undone();
        let changed = std::mem::replace(&mut self.outer, outer);
        for name in changed.into_iter().chain(function.outer.iter().copied()) {
            if self.names.contains_key(name) {
                self.set(name, Value::Unknown);
            }
        }
        self.calls.pop();
        self.returns.pop().flatten().unwrap_or(Value::Unknown)
    }

    /// Runs a function with arguments that nobody knows.
    pub fn call_loose(&mut self, function: &'a Function<'a>) {
        let items = function.params.iter().map(|_| (None, Value::Unknown)).collect();
        self.call_function(function, &Args { items });
        self.ran.insert(std::ptr::from_ref(function));
    }

    /// Functions that are handed on are called by somebody.
    pub fn callbacks(&mut self, args: &Args<'a>) {
        for (_, value) in &args.items {
            match value {
                Value::Function(function) => self.call_loose(function),
                Value::Foreign => {}
                Value::Dict(pairs) if self.step(pairs.len()) => {
                    let functions: Vec<_> = pairs
                        .iter()
                        .filter_map(|(_, value)| match value {
                            Value::Function(function) => Some(*function),
                            _ => None,
                        })
                        .collect();
                    functions.into_iter().for_each(|function| self.call_loose(function));
                }
                _ => {}
            }
        }
    }
}
