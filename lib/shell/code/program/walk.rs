//! Follows a program text once, from top to bottom, with the values that are certain.
//!
//! Loops over written lists run once per item, calls of the program's own functions are followed;
//! a store of fuel bounds it all. Ways that may not be taken are all taken, and what they leave is
//! put together.

mod found;
mod functions;
mod objects;

use ecow::EcoString;
use foldhash::{HashMap, HashMapExt as _, HashSet, HashSetExt as _};
use std::rc::Rc;

use super::super::super::part::Arg;
use super::super::{Found, Setting};
use super::lex::Style;
use super::tree::{Expr, Function, Loop, Stmt};
use super::value::{Value, unknown};
use crate::shell::code::python::arguments::Declared;

/// Steps that are taken beyond one for each token.
const FUEL: usize = 20_000;
/// Longest list that a loop follows item by item.
const MOST_TURNS: usize = 200;
/// Deepest calls of the program's own functions.
const MOST_CALLS: usize = 6;
/// Most paths of a program.
const MOST_PATHS: usize = 500;
/// Most commands of a program.
const MOST_RUNS: usize = 64;

/// Most that a value holds to be remembered.
const MOST_NODES: usize = 4000;

/// A walk through a program.
pub struct Walk<'a> {
    /// The language.
    pub style: Style,
    /// The arguments of the program.
    pub args: &'a [Arg],
    /// What it finds around it.
    pub setting: Setting<'a>,
    /// What was found.
    pub found: Found,
    /// How deep the program stands in programs.
    pub nested: u32,
    seen: HashSet<(EcoString, u8)>,
    names: HashMap<&'a str, Value<'a>>,
    /// What the names had been, per way that is being walked.
    journal: Vec<Vec<(&'a str, Option<Value<'a>>)>>,
    fuel: usize,
    /// The folder that the program went to.
    pub folder: Option<Rc<Arg>>,
    /// Functions that run now.
    calls: Vec<&'a Function<'a>>,
    returns: Vec<Option<Value<'a>>>,
    pending: Vec<&'a Function<'a>>,
    ran: HashSet<*const Function<'a>>,
    /// Names that a function assigned outside of itself.
    outer: Vec<&'a str>,
    /// The fields of the program's objects.
    objects: Vec<Vec<(&'a str, Value<'a>)>>,
    /// What the program says of its arguments.
    pub declared: Vec<Declared<'a>>,
}

impl<'a> Walk<'a> {
    /// A walk that has not begun.
    pub fn new(style: Style, (args, setting): (&'a [Arg], Setting<'a>), length: usize, nested: u32) -> Self {
        Self {
            style,
            args,
            setting,
            found: Found::default(),
            nested,
            seen: HashSet::new(),
            names: HashMap::new(),
            journal: Vec::new(),
            fuel: FUEL + length,
            folder: None,
            calls: Vec::new(),
            returns: Vec::new(),
            pending: Vec::new(),
            ran: HashSet::new(),
            outer: Vec::new(),
            objects: Vec::new(),
            declared: Vec::new(),
        }
    }

    /// Walks a whole program.
    pub fn program(mut self, body: &'a [Stmt<'a>], broken: bool) -> Found {
        self.block(body);
        while let Some(function) = self.pending.pop() {
            if !self.ran.contains(&std::ptr::from_ref(function)) {
                self.call_loose(function);
            }
        }
        if broken {
            self.open("code that could not be followed");
        }
        self.found
    }

    /// Says why the program may do more.
    pub fn open(&mut self, why: &'static str) {
        self.found.open.get_or_insert(why);
    }

    /// Takes a step; false if there were too many.
    pub fn step(&mut self, cost: usize) -> bool {
        match self.fuel.checked_sub(cost) {
            Some(left) => {
                self.fuel = left;
                true
            }
            None => {
                self.fuel = 0;
                self.open("too much code to follow");
                false
            }
        }
    }

    /// The value of a name.
    pub fn name(&mut self, name: &'a str) -> Option<Value<'a>> {
        let value = self.names.get(name)?.clone();
        match &value {
            Value::Function(function) => self.pending.push(function),
            Value::Class(body) => self.pend(body),
            _ => {}
        }
        Some(value)
    }

    fn pend(&mut self, body: &'a [Stmt<'a>]) {
        if !self.step(body.len()) {
            return;
        }
        for stmt in body {
            if let Stmt::Function(_, function) = stmt {
                self.pending.push(function);
            }
        }
    }

    /// Gives a name a value.
    pub fn set(&mut self, name: &'a str, value: Value<'a>) {
        // A list in a list in a list, built by a loop, would be too deep to let go of.
        let mut budget = MOST_NODES;
        let fits = value.fits(4, &mut budget);
        let value = if self.step((MOST_NODES - budget) / 16) && fits { value } else { Value::Unknown };
        let before = self.names.insert(name, value);
        if let Some(journal) = self.journal.last_mut() {
            journal.push((name, before));
        }
    }

    /// Gives a name a value from inside an expression.
    pub fn set_outer(&mut self, name: &'a str, value: Value<'a>) {
        if !self.calls.is_empty() && self.style == Style::JavaScript {
            self.outer.push(name);
        }
        self.set(name, value);
    }

    /// Walks statements; true if what follows them is not reached.
    pub fn block(&mut self, body: &'a [Stmt<'a>]) -> bool {
        // A function may be called above its place.
        for stmt in body {
            if let Stmt::Function(name, function) = stmt {
                self.set(name, Value::Function(function));
            }
        }
        for stmt in body {
            if !self.step(1) || self.statement(stmt) {
                return true;
            }
        }
        false
    }

    pub(super) fn statement(&mut self, stmt: &'a Stmt<'a>) -> bool {
        match stmt {
            Stmt::Expr(value) => {
                let value = self.value(value);
                return matches!(value, Value::Thing(name) if name == "exit");
            }
            Stmt::Assign(targets, value) => {
                let value = self.value(value);
                for target in targets {
                    self.assign(target, value.clone());
                }
            }
            Stmt::Change(change) => {
                let (target, op, value) = &**change;
                let before = self.value(target);
                let value = self.value(value);
                let value = if *op == "+" {
                    before.plus(&value)
                } else if *op == "/" {
                    before.below(&value, true)
                } else {
                    Value::Unknown
                };
                self.assign(target, value);
            }
            Stmt::Ways(ways, whole) => return self.ways(ways, *whole),
            Stmt::For(over, body) => {
                let (target, iter) = &**over;
                let iter = self.value(iter);
                self.each(&iter, target, body);
            }
            Stmt::While(test, body) => {
                self.forget(body);
                self.value(test);
                self.ways(std::slice::from_ref(&body.body), false);
            }
            Stmt::Function(name, function) => self.set(name, Value::Function(function)),
            Stmt::Class(name, body) => {
                for stmt in body {
                    if !matches!(stmt, Stmt::Function(..)) {
                        self.statement(stmt);
                    }
                }
                self.set(name, Value::Class(body));
            }
            Stmt::Import(module, alias) => self.import(module, *alias),
            Stmt::From(module, names) => self.import_from(module, names),
            Stmt::Leave(value, returns) => {
                let value = value.as_ref().map(|value| self.value(value));
                if let (true, Some(last)) = (*returns, self.returns.last_mut()) {
                    let value = value.unwrap_or(Value::Unknown);
                    *last = Some(match last.take() {
                        Some(before) => before.either(value),
                        None => value,
                    });
                }
                return true;
            }
            Stmt::Block(body) => return self.block(body),
            Stmt::Hole => self.open("code from a variable"),
        }
        false
    }

    /// The changes of one way, undone.
    fn undone(&mut self) -> Vec<(&'a str, Value<'a>)> {
        let mut last = Vec::new();
        let mut done = HashSet::new();
        for (name, before) in self.journal.pop().unwrap_or_default().into_iter().rev() {
            let now = match before {
                Some(before) => self.names.insert(name, before),
                None => self.names.remove(name),
            };
            if done.insert(name) {
                last.push((name, now.unwrap_or(Value::Unknown)));
            }
        }
        last
    }

    fn ways(&mut self, ways: &'a [Vec<Stmt<'a>>], whole: bool) -> bool {
        let mut merged: Vec<(&'a str, Value<'a>, usize)> = Vec::new();
        let mut places: HashMap<&'a str, usize> = HashMap::new();
        let (mut live, folder) = (usize::from(!whole), self.folder.clone());
        let mut moved = false;
        for way in ways {
            self.journal.push(Vec::new());
            self.folder = folder.clone();
            let gone = self.block(way);
            let last = self.undone();
            if gone {
                continue;
            }
            moved |= self.folder != folder;
            live += 1;
            for (name, value) in last {
                match places.get(name).and_then(|at| merged.get_mut(*at)) {
                    Some((_, sum, count)) => {
                        *sum = std::mem::replace(sum, Value::Unknown).either(value);
                        *count += 1;
                    }
                    None => {
                        places.insert(name, merged.len());
                        merged.push((name, value, 1));
                    }
                }
            }
        }
        for (name, value, count) in merged {
            let value = match self.names.get(name) {
                Some(before) if count < live => before.clone().either(value),
                _ => value,
            };
            self.set(name, value);
        }
        self.folder = if moved && (live > 1) {
            Some(unknown())
        } else if moved {
            self.folder.take()
        } else {
            folder
        };
        live == 0
    }

    /// Nothing is known any more of what a loop changes.
    fn forget(&mut self, body: &'a Loop<'a>) {
        if !self.step(body.changes.len()) {
            return;
        }
        for name in &body.changes {
            match self.names.get(name) {
                None | Some(Value::Unknown | Value::Function(_) | Value::Class(_)) => {}
                Some(_) => self.set(name, Value::Unknown),
            }
        }
    }

    /// Walks the body of a loop over values.
    fn each(&mut self, iter: &Value<'a>, target: &'a Expr<'a>, body: &'a Loop<'a>) {
        let (items, all) = iter.items();
        if all && items.len() <= MOST_TURNS && self.fuel > FUEL / 4 {
            for item in items {
                self.assign(target, item);
                self.block(&body.body);
            }
            return;
        }
        let item = if all { Value::Unknown } else { items.into_iter().next().unwrap_or(Value::Unknown) };
        self.forget(body);
        self.assign(target, item);
        self.ways(std::slice::from_ref(&body.body), false);
    }

    /// Gives a target a value.
    pub fn assign(&mut self, target: &'a Expr<'a>, value: Value<'a>) {
        if !self.step(1) {
            return;
        }
        match target {
            Expr::Name(name) => self.set(name, value),
            Expr::List(targets) => {
                let (items, all) = value.items();
                let same = !all && targets.len() > 1 && !matches!(value, Value::Either(_));
                let rest = targets.iter().position(|target| matches!(target, Expr::All(_)));
                let longer = items.len().saturating_sub(targets.len());
                for (at, target) in targets.iter().enumerate() {
                    // `first, *rest, last = …`: what stands behind the rest is counted from the end.
                    let at = if rest.is_some_and(|rest| at > rest) { at + longer } else { at };
                    if let (Expr::All(names), true) = (target, all) {
                        let count = (items.len() + 1).saturating_sub(targets.len());
                        let list = Value::List(Rc::new(items.iter().skip(at).take(count).cloned().collect()));
                        names.iter().for_each(|name| self.assign(name, list.clone()));
                        continue;
                    }
                    let item = if all {
                        items.get(at).cloned()
                    } else if same {
                        items.first().cloned()
                    } else {
                        None
                    };
                    self.assign(target, item.unwrap_or(Value::Unknown));
                }
            }
            Expr::Dict(pairs) => {
                for pair in pairs {
                    let value = match &pair.name {
                        Some(name) => self.attr(&value, name),
                        None => Value::Unknown,
                    };
                    self.assign(&pair.value, value);
                }
            }
            Expr::Assign(target, default) => {
                let value = if matches!(value, Value::Unknown) { self.value(default).either(value) } else { value };
                self.assign(target, value);
            }
            Expr::Chain(base, posts) => {
                if self.set_field(base, posts, &value) {
                    return;
                }
                self.value(target);
                if let Expr::Name(name) = &**base
                    && matches!(self.names.get(name), Some(Value::List(_) | Value::Dict(_) | Value::Each(_)))
                {
                    self.set(name, Value::Unknown);
                }
            }
            Expr::All(values) => values.iter().for_each(|value| self.assign(value, Value::Unknown)),
            _ => {}
        }
    }
}
