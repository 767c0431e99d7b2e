//! Expansions of variables and arithmetic whose values are certain.

use std::rc::Rc;

use super::super::ast::{Run, Variable, Word};
use super::super::dynamic::Dynamic;
use super::super::part::Arg;
use super::Walk;
use super::arith;
use super::vars::{Known, Value};
use super::word::{MOST_KNOWN, mark};

/// Whether a value is a path below a temp folder of which nobody knows which.
pub(super) fn in_temp(value: &Arg) -> bool {
    value.dynamic == [Dynamic::Var] && value.text.starts_with("/tmp") && !value.text.contains('«')
}

/// What an expansion gives.
pub(super) enum Got {
    /// A text, split if it is not quoted.
    One(Arg),
    /// Words of their own: `"$@"`.
    Many(Rc<Vec<Arg>>),
}

/// What is known before the operator is looked at.
enum Base {
    Unset,
    /// The environment's.
    Outer,
    One(Arg),
    Many(Rc<Vec<Arg>>),
}

impl Walk<'_, '_> {
    /// The value of an expansion where it is certain; `whole` if it is not split, `first` if
    /// nothing stands before it in its word.
    pub(super) fn parameter(&mut self, variable: Variable, whole: bool, first: bool) -> Option<Got> {
        if self.out.known_bytes > MOST_KNOWN {
            return None;
        }
        let name = self.source(variable.name);
        let plain = variable.op.start >= variable.op.end && variable.words.is_empty();
        if plain && !name.starts_with(['#', '!', '@', '*']) && self.state().params.is_none() && !self.state().vars.any()
        {
            // Nothing was assigned: the common case.
            return self.environment(name, first).map(Got::One);
        }
        let words = self.words(variable.words);
        let subscripted = self.text.as_bytes().get(variable.name.end as usize) == Some(&b'[');
        let (subscript, words) = match words.split_first() {
            Some((subscript, rest)) if subscripted => (Some(subscript), rest),
            _ => (None, words),
        };
        let mut op = self.source(variable.op);
        if op == "[" {
            op = "";
        }
        let lists =
            subscript.is_some_and(|word| matches!(self.source(word.span), "@" | "*")) || matches!(name, "@" | "*");
        if let Some(counted) = name.strip_prefix('#') {
            return if op.is_empty() { self.count(counted, subscript, lists).map(Got::One) } else { None };
        }
        if let Some(pointer) = name.strip_prefix('!') {
            if pointer.is_empty() || lists && !op.is_empty() {
                return None;
            }
            if lists {
                return self.keys(pointer, whole && subscript.is_some_and(|word| self.source(word.span) == "*"));
            }
            let target = match pointer {
                "#" => self.count("", None, true)?,
                _ => match self.base(pointer, subscript, true)? {
                    Base::One(target) => target,
                    _ => return None,
                },
            };
            let number = |target: &str| !target.starts_with('0') && target.bytes().all(|byte| byte.is_ascii_digit());
            let target = target.certain().filter(|target| super::super::unwrap::is_name(target) || number(target));
            let target = target.filter(|target| !target.is_empty())?.to_owned();
            return match self.base(&target, None, first)? {
                Base::One(value) => self.operated(Base::One(value), op, words, whole),
                _ => None,
            };
        }
        let star = name == "*" || subscript.is_some_and(|word| self.source(word.span) == "*");
        let mut base = self.base(name, subscript, first)?;
        if let (Base::Many(list), ":", "@" | "*") = (&base, op, name) {
            // `${@:1}` begins with the first: `$0` stands before it.
            let shell = match self.state().vars.value("0") {
                Value::Certain(value) => value.clone(),
                _ => Arg { text: mark(Dynamic::Var).into(), dynamic: Dynamic::Var.into() },
            };
            let sure = list.iter().all(super::super::options::sure);
            base = Base::Many(sure.then(|| Rc::new(std::iter::once(shell).chain(list.iter().cloned()).collect()))?);
        }
        let got = self.operated(base, op, words, whole)?;
        match got {
            Got::Many(list) if star && whole => {
                let joint = self.state().vars.separators()?.chars().next().map(String::from).unwrap_or_default();
                let texts: Option<Vec<&str>> = list.iter().map(Arg::certain).collect();
                Some(Got::One(Arg::literal(texts?.join(&joint))))
            }
            got => Some(got),
        }
    }

    fn state(&self) -> &super::State {
        &self.out.state
    }

    /// A variable that is not assigned on the line.
    fn environment(&self, name: &str, first: bool) -> Option<Arg> {
        match name {
            "HOME" if first && !self.out.foreign => Some(Arg { text: "$HOME".into(), dynamic: Dynamic::Tilde.into() }),
            // Which folder it is, nobody knows; that it holds what may go, everybody does.
            "TMPDIR" | "TEMP" | "TMP" | "RUNNER_TEMP" if first && !self.out.foreign => {
                Some(Arg { text: "/tmp".into(), dynamic: Dynamic::Var.into() })
            }
            "PWD" => self.state().place.value().filter(|value| first || value.dynamic.is_empty()),
            "_" => self.last_word().filter(|value| first || value.dynamic.is_empty()),
            "OLDPWD" => self.state().previous.as_ref()?.value().filter(|value| first || value.dynamic.is_empty()),
            _ => None,
        }
    }

    /// `$_`: the last word of the command just before, if that surely ran.
    fn last_word(&self) -> Option<Arg> {
        let last = self.out.parts.last()?;
        let plain = last.inside == self.out.inside
            && last.ctx == self.out.ctx
            && self.out.span.is_none()
            && last.from.is_empty();
        if !plain || matches!(last.by.as_ref(), "||" | "|" | "|&") {
            return None;
        }
        let after =
            self.text.get(last.span[1] as usize..)?.trim_start_matches([' ', '\t', '\\']).trim_start_matches('\n');
        // Behind `a && b;` nobody knows which of the two was the last.
        let ran = after.starts_with("&&") || after.starts_with(';') && last.by != "&&";
        let word = last.words().last()?;
        (ran && !after.starts_with(";;")).then(|| word.clone())
    }

    fn base(&mut self, name: &str, subscript: Option<&Word>, first: bool) -> Option<Base> {
        if matches!(name, "@" | "*") {
            return self.state().params.clone().map(Base::Many);
        }
        if name != "0" && name.bytes().all(|byte| byte.is_ascii_digit()) {
            let params = self.state().params.clone()?;
            let number: usize = name.parse().ok()?;
            return match params.get(number.checked_sub(1)?) {
                Some(value) => self.one(value, first),
                // Behind a word that may be several nobody can count.
                None if params.iter().all(super::super::options::sure) => Some(Base::Unset),
                None => None,
            };
        }
        let Some(subscript) = subscript else {
            return match self.state().vars.value(name) {
                Value::Certain(value) => {
                    let value = value.clone();
                    self.one(&value, first)
                }
                Value::List(list) => {
                    let list = Rc::clone(list);
                    list.first().map_or(Some(Base::Unset), |value| self.one(value, first))
                }
                Value::Unset => Some(Base::Unset),
                Value::Untouched => Some(self.environment(name, first).map_or(Base::Outer, Base::One)),
                Value::Unknown => None,
            };
        };
        let list = match self.state().vars.value(name) {
            Value::List(list) => Rc::clone(list),
            Value::Certain(value) => Rc::new(vec![value.clone()]),
            Value::Unset => Rc::default(),
            _ => return None,
        };
        if matches!(self.source(subscript.span), "@" | "*") {
            return Some(Base::Many(list));
        }
        let number = self.number(*subscript)?;
        // Behind a glob nobody can count.
        if !list.iter().all(super::super::options::sure) {
            return None;
        }
        let number = if number < 0 { number.checked_add(i64::try_from(list.len()).ok()?)? } else { number };
        match list.get(usize::try_from(number).ok()?) {
            Some(value) => self.one(value, first),
            None => Some(Base::Unset),
        }
    }

    fn one(&self, value: &Arg, first: bool) -> Option<Base> {
        let home = value.dynamic == [Dynamic::Tilde];
        let glob = value.dynamic == [Dynamic::Glob];
        (value.dynamic.is_empty() || glob || (home || in_temp(value)) && first).then(|| Base::One(value.clone()))
    }

    /// `${!a[@]}`: an array that is followed has no gaps.
    fn keys(&self, name: &str, joined: bool) -> Option<Got> {
        let Value::List(list) = self.state().vars.value(name) else { return None };
        if joined || !list.iter().all(super::super::options::sure) {
            return None;
        }
        Some(Got::Many(Rc::new((0..list.len()).map(|key| Arg::literal(key.to_string())).collect())))
    }

    /// `${#x}`, `$#`, `${#a[@]}`
    fn count(&mut self, name: &str, subscript: Option<&Word>, lists: bool) -> Option<Arg> {
        let count = if name.is_empty() || matches!(name, "@" | "*") {
            let params = self.state().params.clone()?;
            params.iter().all(super::super::options::sure).then_some(params.len())?
        } else {
            match self.base(name, subscript, true)? {
                Base::Many(list) if lists && list.iter().all(super::super::options::sure) => list.len(),
                Base::One(value) => value.certain()?.chars().count(),
                Base::Unset => 0,
                _ => return None,
            }
        };
        Some(Arg::literal(count.to_string()))
    }

    fn operated(&mut self, base: Base, op: &str, words: &[Word], whole: bool) -> Option<Got> {
        let empty = match &base {
            Base::Unset => true,
            Base::Outer => return self.possible(op, words),
            Base::One(value) => value.text.is_empty() && op.starts_with(':'),
            Base::Many(list) => list.is_empty(),
        };
        match op {
            ":-" | "-" | ":=" | "=" if empty => return self.operand(words, whole).map(Got::One),
            ":+" | "+" if empty => return Some(Got::One(Arg::default())),
            ":+" | "+" => return self.operand(words, whole).map(Got::One),
            ":?" | "?" if empty => return None,
            "" | ":-" | "-" | ":=" | "=" | ":?" | "?" => {
                return Some(match base {
                    Base::One(value) => Got::One(value),
                    Base::Many(list) => Got::Many(list),
                    Base::Unset | Base::Outer => Got::One(Arg::default()),
                });
            }
            _ => {}
        }
        match base {
            Base::Unset => Some(Got::One(Arg::default())),
            Base::One(value) => self.changed(&value, op, words).map(Got::One),
            Base::Many(list) if op == ":" => {
                let start = self.number(*words.first()?)?;
                let start = if start < 0 { start.checked_add(i64::try_from(list.len()).ok()?)? } else { start };
                let length = words.get(1).map(|word| self.number(*word).filter(|length| *length >= 0));
                let length = match length {
                    Some(length) => usize::try_from(length?).ok()?,
                    None => list.len(),
                };
                let start = usize::try_from(start).ok()?;
                Some(Got::Many(Rc::new(list.iter().skip(start).take(length).cloned().collect())))
            }
            Base::Many(list) => {
                let list: Option<Vec<Arg>> = list.iter().map(|value| self.changed(value, op, words)).collect();
                list.map(|list| Got::Many(Rc::new(list)))
            }
            Base::Outer => None,
        }
    }

    /// `${X:-default}` of the environment's `X`: the default is possible, no more.
    fn possible(&mut self, op: &str, words: &[Word]) -> Option<Got> {
        if !matches!(op, ":-" | "-" | ":=" | "=") {
            return None;
        }
        let mut value = self.operand(words, true)?;
        if value.text.is_empty() || !value.dynamic.is_empty() {
            return None;
        }
        value.dynamic.insert(Dynamic::Var);
        Some(Got::One(value))
    }

    /// The word of `${x:-word}`.
    fn operand(&mut self, words: &[Word], whole: bool) -> Option<Arg> {
        let Some(word) = words.first() else {
            return Some(Arg::default());
        };
        // Quotes inside would keep parts of it together.
        let value = self.value(word);
        if !whole && self.source(word.span).contains(['\'', '"', '\\']) {
            let separators = self.state().vars.separators()?;
            if value.text.is_empty()
                || value.text.contains(|letter| separators.contains(letter) || matches!(letter, '*' | '?' | '['))
            {
                return None;
            }
        }
        (value.dynamic.is_empty() || value.dynamic == [Dynamic::Tilde]).then_some(value)
    }

    /// The value of an arithmetic word that changes nothing.
    pub(super) fn number(&mut self, word: Word) -> Option<i64> {
        let text = self.value(&word);
        let text = text.certain()?;
        if arith::changes(text) { None } else { self.evaluated(text) }
    }

    /// What `$((…))` gives, if it is certain and changes nothing.
    pub(super) fn computed(&mut self, words: Run<Word>) -> Option<Arg> {
        let [word] = self.words(words) else { return None };
        self.number(*word).map(|value| Arg::literal(value.to_string()))
    }

    /// The value of an expression; variables that it sets are set.
    pub(super) fn evaluated(&mut self, text: &str) -> Option<i64> {
        let vars = &mut self.out.state.vars;
        arith::evaluate(text, &mut |name, new| {
            if let Some(new) = new {
                vars.set(name, Known::text(Some(Arg::literal(new.to_string()))));
                return Some(new);
            }
            match vars.value(name) {
                Value::Certain(value) => match value.certain()? {
                    "" => Some(0),
                    text => arith::number(text.trim()),
                },
                Value::Unset => Some(0),
                _ => None,
            }
        })
    }
}
