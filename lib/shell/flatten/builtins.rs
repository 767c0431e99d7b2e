//! What commands of the shell itself change: variables, parameters, the folder.

use std::rc::Rc;

use super::super::ast::{PieceKind, Run, Variable, Word};
use super::super::dynamic::Dynamic;
use super::super::part::Arg;
use super::super::unwrap;
use super::arith;
use super::expand::Got;
use super::print;
use super::simple::Words;
use super::state::Braces;
use super::vars::{Known, Value};
use super::{Flow, Walk, calls};

impl<'t> Walk<'t, '_> {
    /// `NAME=…`: the name, whether it appends, and whether the rest is a plain value.
    pub(super) fn assignment(&self, word: &Word) -> Option<(&'t str, bool, bool)> {
        let text = self.literal(self.pieces(word).first()?)?;
        let end = text.find(['=', '+', '['])?;
        let (name, rest) = text.split_at_checked(end)?;
        let plain = rest.starts_with('=') || rest.starts_with("+=");
        unwrap::is_name(name).then_some((name, rest.starts_with('+'), plain))
    }

    /// Whether these words are a command whose arguments are assignments.
    pub(super) fn declares(&self, words: &[Word]) -> bool {
        words.first().is_some_and(|word| {
            matches!(self.source(word.span), "export" | "declare" | "typeset" | "local" | "readonly")
        })
    }

    /// Assigns the variables of `A=1 B=$A`.
    pub(super) fn assigned(&mut self, words: &[Word]) {
        let mut sure = true;
        for word in words {
            sure &= !self.pieces(word).iter().any(|piece| matches!(piece.kind, PieceKind::Substitution { .. }));
            match self.assignment(word) {
                Some((name, appends, plain)) => self.assign(word, name, appends, plain),
                None => self.out.state.vars.lose(),
            }
        }
        if sure {
            self.out.flow = Flow::Sure;
        }
    }

    fn assign(&mut self, word: &Word, name: &str, appends: bool, plain: bool) {
        let array = self.pieces(word).iter().find_map(|piece| match piece.kind {
            PieceKind::Array { words } => Some(words),
            _ => None,
        });
        let known = match array {
            Some(words) => self.array(name, words, appends && plain).filter(|_| plain),
            None if plain => match self.text(word, name, appends) {
                Some(Known::Text(value)) => return self.out.state.vars.assign(name, Some(value.as_ref().clone())),
                known => known,
            },
            None => self.element(word, name),
        };
        self.out.state.vars.set(name, known.unwrap_or(Known::Not));
    }

    fn text(&mut self, word: &Word, name: &str, appends: bool) -> Option<Known> {
        let mut value = self.assigned_value(word);
        let written = value.dynamic.contains(&Dynamic::Glob) && self.globs(word);
        if written && self.may_be_known(word) {
            return None;
        }
        if written {
            value.dynamic.remove(Dynamic::Glob);
        }
        if !calls::listed(&value) {
            return value.dynamic.contains(&Dynamic::Credential).then_some(Known::Credential);
        }
        if appends {
            match self.out.state.vars.value(name) {
                Value::Certain(before) if value.dynamic.is_empty() => {
                    value.text.insert_str(0, &before.text);
                    value.dynamic.clone_from(&before.dynamic);
                }
                Value::Unset => {}
                _ => return None,
            }
        }
        Some(Known::text(Some(value)))
    }

    fn array(&mut self, name: &str, words: Run<Word>, appends: bool) -> Option<Known> {
        let mut list = match self.out.state.vars.value(name) {
            _ if !appends => Vec::new(),
            Value::List(list) => list.to_vec(),
            Value::Certain(value) => vec![value.clone()],
            Value::Unset => Vec::new(),
            _ => return None,
        };
        let mut made = Words::default();
        for word in self.words(words) {
            // `[key]=value`
            if self.source(word.span).starts_with('[') {
                return None;
            }
            self.add_word(word, &mut made);
        }
        let words = made.known.map_or(made.argv, |(known, _)| known);
        let kinds = [Dynamic::Glob, Dynamic::Tilde];
        if words.iter().any(|word| word.dynamic.iter().any(|kind| !kinds.contains(kind))) {
            return None;
        }
        list.extend(words);
        Some(Known::List(Rc::new(list)))
    }

    /// `a[0]=x`
    fn element(&mut self, word: &Word, name: &str) -> Option<Known> {
        let text = self.value(word);
        let (place, value) = text.certain()?.strip_prefix(name)?.strip_prefix('[')?.split_once("]=")?;
        let place: usize = place.parse().ok()?;
        let mut list = match self.out.state.vars.value(name) {
            Value::List(list) => list.to_vec(),
            Value::Unset => Vec::new(),
            _ => return None,
        };
        if !list.iter().all(super::super::options::sure) {
            return None;
        }
        let value = Arg::literal(value);
        if place == list.len() {
            list.push(value);
        } else {
            *list.get_mut(place)? = value;
        }
        Some(Known::List(Rc::new(list)))
    }

    /// Name and value of an assignment before a command.
    pub(super) fn temporary(&mut self, word: &Word) -> Option<(&'t str, Option<Arg>)> {
        let (name, appends, plain) = self.assignment(word)?;
        let value = if appends || !plain { None } else { Some(self.assigned_value(word)) };
        let sure = |value: &Arg| value.dynamic.is_empty() || value.dynamic == [Dynamic::Tilde];
        Some((name, value.filter(sure)))
    }

    /// Array assignments in the arguments of `declare` and the like.
    pub(super) fn arrays(&mut self, words: &[Word]) {
        let keyed = words.iter().any(|word| {
            let text = self.source(word.span);
            text.starts_with('-') && text.contains(['A', 'i', 'l', 'u', 'n'])
        });
        for word in words.iter().skip(1) {
            let array = self.pieces(word).iter().any(|piece| matches!(piece.kind, PieceKind::Array { .. }));
            if let (true, false, Some((name, appends, plain))) = (array, keyed, self.assignment(word)) {
                self.assign(word, name, appends, plain);
            }
        }
    }

    /// `${x:=default}` assigns where `x` is not set.
    pub(super) fn defaulted(&mut self, variable: Variable) {
        let name = self.source(variable.name);
        if !unwrap::is_name(name) {
            return;
        }
        let empty = self.source(variable.op) == ":=";
        let value = match self.out.state.vars.value(name) {
            Value::Certain(value) if !(empty && value.text.is_empty()) => return,
            Value::Certain(_) | Value::Unset => self.parameter(variable, true, true),
            _ => None,
        };
        let value = match value {
            Some(Got::One(value)) => Some(value),
            _ => None,
        };
        self.out.state.vars.assign(name, value);
    }

    /// What `$((…))` or `((…))` leaves behind; `text` is its source.
    pub(super) fn computes(&mut self, text: &str, words: Run<Word>) {
        if !arith::changes(text) {
            return;
        }
        for word in self.words(words) {
            let value = self.value(word);
            let done = value.certain().and_then(|text| self.evaluated(text));
            if done.is_none() {
                self.out.state.vars.doubt(text);
            }
        }
    }

    /// What a command changes in the shell that runs it.
    pub(super) fn leaves(&mut self, n: u32) {
        let out = &mut *self.out;
        let Some(part) = out.parts.get(n as usize) else {
            return;
        };
        let name = part.head.as_str();
        match name {
            "cd" | "pushd" | "popd" => {
                let before = out.state.clone();
                out.state.change(&part.head, part.words().get(1..).unwrap_or_default());
                out.moves();
                out.flow = Flow::Moved(Box::new(before));
            }
            "exit" | "break" | "continue" => out.flow = Flow::Gone,
            "return" => {
                let state = out.state.clone();
                if let Some(frame) = out.frames.last_mut() {
                    frame.returned = super::both(frame.returned.take(), Some(state));
                }
                out.flow = Flow::Gone;
            }
            "exec" if part.words().len() > 1 => out.flow = Flow::Gone,
            "true" | ":" => out.flow = Flow::Sure,
            "printf" if !part.words().get(1).is_some_and(|word| word.text.starts_with("-v")) => {}
            "export" | "declare" | "typeset" | "local" | "readonly" | "read" | "mapfile" | "readarray" | "getopts"
            | "unset" | "let" | "printf" | "wait" | "set" | "shift" | "alias" | "unalias" | "shopt" | "hash" => {
                let name = name.to_owned();
                let words: Vec<Arg> = part.words().get(1..).unwrap_or_default().to_vec();
                self.built_in(n, &name, &words);
            }
            _ => {}
        }
    }

    fn built_in(&mut self, n: u32, name: &str, words: &[Arg]) {
        let state = &mut self.out.state;
        match name {
            "export" | "declare" | "typeset" | "local" | "readonly" => self.declared(name, words),
            "read" => self.reads(n, words),
            "mapfile" | "readarray" => self.reads_all(n, words),
            "unset" if words.iter().any(|word| word.text.starts_with('-') && word.text.contains('f')) => {
                self.out.forget_functions(words);
            }
            "unset" => {
                for word in words.iter().filter(|word| !word.text.starts_with('-')) {
                    match word.certain() {
                        Some(name) if unwrap::is_name(name) => {
                            let pointer = words.iter().any(|word| word.text == "-n");
                            state.vars.change_odd(name, false);
                            state.vars.export(name, false);
                            state.vars.set(name, if pointer { Known::Not } else { Known::Unset });
                        }
                        Some(text) => {
                            if let Some((name, _)) = text.split_once('[') {
                                state.vars.set(name, Known::Not);
                            }
                        }
                        None => state.vars.lose(),
                    }
                }
            }
            "let" => {
                for word in words {
                    let done = word.certain().and_then(|text| self.evaluated(text));
                    if done.is_none() && !word.dynamic.is_empty() {
                        self.out.state.vars.lose();
                    } else if done.is_none() {
                        self.out.state.vars.doubt(&word.text);
                    }
                }
            }
            "printf" => {
                let (name, rest) = match words {
                    [flag, name, rest @ ..] if flag.text == "-v" => (name.text.as_str(), rest),
                    [flag, rest @ ..] if flag.text.starts_with("-v") => (flag.text.get(2..).unwrap_or_default(), rest),
                    _ => return,
                };
                let value = print::printf(rest).filter(|value| value.dynamic.is_empty());
                match unwrap::is_name(name) {
                    true => state.vars.assign(name, value),
                    false => self.forgets(words.get(..2).unwrap_or_default()),
                }
            }
            "set" => self.sets(words),
            "shift" => {
                let by = words.first().map_or(Some(1), |word| word.certain()?.parse::<usize>().ok());
                let params = state.params.take();
                state.params = match (params, by) {
                    (Some(params), Some(by)) if params.iter().take(by).all(super::super::options::sure) => {
                        Some(Rc::new(params.get(by..).unwrap_or(&params).to_vec()))
                    }
                    _ => None,
                };
            }
            "alias" | "unalias" | "shopt" | "hash" => self.aliases(n, name, words),
            _ => {
                if name == "getopts" {
                    ["OPTARG", "OPTIND"].into_iter().for_each(|name| state.vars.assign(name, None));
                }
                self.forgets(words);
            }
        }
    }

    /// Every name that stands in these words has another value, and nobody knows which.
    fn forgets(&mut self, words: &[Arg]) {
        for word in words {
            let text = word.text.trim_start_matches("-v");
            let end = text.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
            let name = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
            if !word.dynamic.is_empty() {
                self.out.state.vars.lose();
            } else if unwrap::is_name(name) {
                self.out.state.vars.assign(name, None);
            }
        }
    }

    fn declared(&mut self, command: &str, words: &[Arg]) {
        let flag = |letters: &[char]| {
            let flags = words.iter().filter(|word| word.text.starts_with('-') && word.dynamic.is_empty());
            flags.into_iter().any(|word| word.text.contains(letters))
        };
        // A name for another variable: assignments to it are not followed.
        if command != "export" && flag(&['n']) {
            self.out.state.vars.lose();
            self.out.state.vars.refers = true;
            return;
        }
        // `-p` and `-f` only show.
        if flag(&['p', 'f', 'F']) {
            return;
        }
        let plain = !flag(&['i', 'l', 'u', 'n', 'c', 'a', 'A'])
            || command == "export" && !flag(&['i', 'l', 'u', 'c', 'a', 'A']);
        let odd = flag(&['i', 'l', 'u', 'c']);
        let exported = match command {
            "export" => Some(!flag(&['n'])),
            _ if flag(&['x']) => Some(true),
            _ if words.iter().any(|word| word.text.starts_with('+') && word.text.contains('x')) => Some(false),
            _ => None,
        };
        let local = !matches!(command, "export" | "readonly") && !flag(&['g']);
        // Outside a function bash refuses it and keeps what was there; another shell assigns.
        let refused = command == "local" && self.out.frames.is_empty();
        for word in words.iter().filter(|word| !word.text.starts_with(['-', '+'])) {
            let (name, value) = match word.text.split_once('=') {
                Some((name, value)) => (name.strip_suffix('+').unwrap_or(name), Some(value)),
                None => (word.text.as_str(), None),
            };
            if !unwrap::is_name(name) {
                self.out.state.vars.lose();
                continue;
            }
            let vars = &mut self.out.state.vars;
            if let Some(frame) = self.out.frames.last_mut().filter(|_| local) {
                // Said again it is still the same variable.
                if !frame.locals.iter().any(|(local, _)| local == name) {
                    frame.locals.push((name.to_owned(), vars.noted(name)));
                    vars.change_odd(name, false);
                    vars.set(name, Known::Unset);
                }
            } else if local && value.is_none() && (!plain || vars.value(name) == Value::Untouched) {
                vars.assign(name, None);
            }
            if let Some(value) = value {
                let home = word.dynamic == [Dynamic::Tilde] && value.starts_with(['~', '$']);
                let appends = word.text.get(name.len()..).is_some_and(|rest| rest.starts_with('+'));
                let glob = word.dynamic == [Dynamic::Glob];
                let certain = plain && !refused && !appends && (home || glob || word.dynamic.is_empty());
                let value = Arg { text: value.into(), dynamic: word.dynamic };
                vars.assign(name, certain.then_some(value));
            } else if odd && vars.value(name) == Value::Untouched {
                vars.assign(name, None);
            }
            if odd {
                vars.change_odd(name, true);
            }
            if let Some(exported) = exported {
                vars.export(name, exported);
            }
        }
    }

    fn sets(&mut self, words: &[Arg]) {
        let mut rest = words;
        while let [word, after @ ..] = rest {
            match word.text.as_str() {
                // `set -` alone leaves the parameters as they are.
                "-" if after.is_empty() => return,
                "--" | "-" => {
                    self.out.state.set_params(after);
                    return;
                }
                "-o" | "+o" => {
                    let on = word.text == "-o";
                    match after.first().map(|name| name.text.as_str()) {
                        Some("allexport") => self.out.state.vars.exports = on,
                        Some("braceexpand") => self.out.state.braces = if on { Braces::Expand } else { Braces::Text },
                        Some("keyword") if on => self.out.doubt("assignments behind commands"),
                        _ => {}
                    }
                    rest = after.get(1..).unwrap_or_default();
                }
                flags if flags.starts_with(['-', '+']) && word.dynamic.is_empty() => {
                    if flags.contains('a') {
                        self.out.state.vars.exports = flags.starts_with('-');
                    }
                    if flags.contains('B') {
                        self.out.state.braces = if flags.starts_with('-') { Braces::Expand } else { Braces::Text };
                    }
                    if flags.starts_with('-') && flags.contains('k') {
                        self.out.doubt("assignments behind commands");
                    }
                    // `-eo pipefail`
                    rest = if flags.ends_with('o') { after.get(1..).unwrap_or_default() } else { after };
                }
                _ => {
                    self.out.state.set_params(rest);
                    return;
                }
            }
        }
    }
}
