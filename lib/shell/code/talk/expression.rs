//! Where expressions stand, and what they may be.

use super::super::super::part::Arg;
use super::super::value::{Value, both, concat, glob, home, unknown};
use super::words::{Kind, Piece, Tok};
use super::{MOST_DEPTH, MOST_TERMS, MOST_WORDS, Range, Talk, perl, php, ruby};

impl Talk<'_> {
    /// Where the chain of calls begins that ends before `end`: `a.b(c).each`.
    pub fn receiver(&self, text: usize, end: usize) -> usize {
        let mut from = end;
        // Whether something must stand before it; whether a name may.
        let (mut joined, mut bracket) = (true, false);
        for _ in 0..16 {
            let Some(before) = from.checked_sub(1) else { break };
            match self.tok(text, before) {
                Some(Tok::Sign(")" | "]")) if joined || bracket => {
                    let back = (before.saturating_sub(64)..before).rev().find(|open| self.close(text, *open) == before);
                    let Some(back) = back.filter(|open| matches!(self.sign(text, *open), "(" | "[")) else { break };
                    (from, joined, bracket) = (back, false, true);
                }
                Some(Tok::Name(name)) if bracket && matches!(name.as_str(), "puts" | "print" | "return" | "p") => break,
                Some(Tok::Name(_) | Tok::Text(_) | Tok::List(_) | Tok::Var(_)) if joined || bracket => {
                    (from, joined, bracket) = (before, false, false);
                }
                Some(Tok::Sign("." | "&." | "::" | "->")) if !joined || from == end => {
                    (from, joined, bracket) = (before, true, false);
                }
                _ => break,
            }
        }
        from
    }

    /// From `from` to the end of the statement.
    pub fn statement(&self, text: usize, from: usize) -> Range {
        let mut at = from;
        let end = self.script.texts.get(text).map_or(0, |text| text.toks.len()).min(from + MOST_WORDS);
        while at < end {
            match self.tok(text, at) {
                Some(Tok::Sign("(" | "[")) => at = self.close(text, at),
                // A block of Ruby; a hash or block of Perl.
                Some(Tok::Sign("{")) if self.kind == Kind::Ruby && at > from => break,
                Some(Tok::Sign("{")) => at = self.close(text, at),
                Some(Tok::Sign(";" | ")" | "]" | "}")) => break,
                Some(Tok::Line) if !matches!(self.sign(text, at.saturating_sub(1)), "," | "+" | "\\" | ".") => break,
                Some(Tok::Name(name))
                    if matches!(
                        name.as_str(),
                        "if" | "unless"
                            | "or"
                            | "and"
                            | "for"
                            | "foreach"
                            | "while"
                            | "until"
                            | "do"
                            | "rescue"
                            | "then"
                    ) && at > from =>
                {
                    break;
                }
                _ => {}
            }
            at += 1;
        }
        Range { text, from, to: at.min(end) }
    }

    /// The arguments of the call whose name stands at `at`.
    pub fn arguments(&self, text: usize, at: usize) -> Vec<Range> {
        let whole = match self.sign(text, at + 1) {
            "(" => Range { text, from: at + 2, to: self.close(text, at + 1) },
            "." | "->" | "=>" | "=" | "," | "\n" | ";" | "}" | ")" => return Vec::new(),
            _ => self.statement(text, at + 1),
        };
        self.split(whole)
    }

    /// The arguments in `range` as one path: `File.join`, `path` of Path::Tiny.
    pub fn path_of(&self, range: Range, depth: usize) -> Value {
        let parts = self.split(range).into_iter().map(|part| self.value(part, depth + 1));
        parts.reduce(|path, part| concat(&concat(&path, &[Arg::literal("/")]), &part)).unwrap_or_default()
    }

    /// An expression at its commas.
    pub fn split(&self, range: Range) -> Vec<Range> {
        let Range { text, mut from, to } = range;
        let mut parts = Vec::new();
        let mut at = from;
        let end = to.min(from + MOST_WORDS);
        while at < end {
            match self.sign(text, at) {
                "(" | "[" | "{" => at = self.close(text, at),
                "," | "=>" => {
                    parts.push(Range { text, from, to: at });
                    from = at + 1;
                }
                "\n" if at == from => from = at + 1,
                _ => {}
            }
            at += 1;
        }
        if from < end {
            parts.push(Range { text, from, to: end });
        }
        parts
    }

    /// What an expression may be; of a list, all of its members.
    pub fn value(&self, range: Range, depth: usize) -> Value {
        if depth > MOST_DEPTH {
            return vec![unknown()];
        }
        let parts = self.split(range);
        if let [only] = parts.as_slice() {
            return self.one(*only, depth + 1);
        }
        let mut all = Value::new();
        for part in parts {
            all = both(all, self.one(part, depth + 1));
        }
        all
    }

    pub(super) fn one(&self, range: Range, depth: usize) -> Value {
        let Range { text, mut from, to } = range;
        while matches!(self.name(text, from), "my" | "our" | "local" | "return" | "new")
            || self.sign(text, from) == "\n"
        {
            from += 1;
        }
        let mut value: Option<Value> = None;
        let mut others = Value::new();
        let mut at = from;
        let mut terms = 0;
        // `Pathname.new("a") + "b"` is `a/b`.
        let paths =
            self.kind == Kind::Ruby && self.mentions("Pathname") && !matches!(self.tok(text, from), Some(Tok::Text(_)));
        while at < to {
            let below = paths && at > from && self.sign(text, at) == "+";
            terms += 1;
            if terms > MOST_TERMS {
                return vec![unknown()];
            }
            match self.sign(text, at) {
                "." if self.kind != Kind::Ruby => at += 1,
                "+" if self.kind == Kind::Ruby => at += 1,
                "\n" => {
                    at += 1;
                    continue;
                }
                // Either side; of a condition only what follows it.
                "?" | ":" | "||" | "//" | "??" => {
                    let side = value.take().unwrap_or_default();
                    if self.sign(text, at) != "?" {
                        others = both(others, side);
                    }
                    at += 1;
                }
                _ => {}
            }
            if at >= to {
                break;
            }
            let (term, next) = self.term(text, at, to, depth);
            value = Some(match value {
                Some(value) if below => {
                    both(concat(&concat(&value, &[Arg::literal("/")]), &term), concat(&value, &term))
                }
                Some(value) => concat(&value, &term),
                None => term,
            });
            at = next.max(at + 1);
        }
        both(others, value.unwrap_or_default())
    }

    pub(super) fn term(&self, text: usize, at: usize, to: usize, depth: usize) -> (Value, usize) {
        if depth > MOST_DEPTH {
            return (vec![unknown()], to);
        }
        let inner = |open: usize| Range { text, from: open + 1, to: self.close(text, open).min(to) };
        let (value, mut next) = match self.tok(text, at) {
            Some(Tok::Text(pieces)) => (self.string(pieces, depth), at + 1),
            Some(Tok::Glob(pieces)) => (self.string(pieces, depth).into_iter().map(glob).collect(), at + 1),
            Some(Tok::List(words)) => (words.clone(), at + 1),
            Some(Tok::Sign("(" | "[")) => (self.value(inner(at), depth + 1), self.close(text, at) + 1),
            Some(Tok::Var(name)) => {
                let mut end = at + 1;
                let value = self.variable(text, at, name);
                while matches!(self.sign(text, end), "[" | "{") && end < to {
                    end = self.close(text, end) + 1;
                }
                (value, end)
            }
            Some(Tok::Name(name)) => {
                let name = name.as_str();
                let found = match self.kind {
                    Kind::Perl => perl::term(self, text, at, name, depth),
                    Kind::Ruby => ruby::term(self, text, at, name, depth),
                    Kind::Php => php::term(self, text, at, name, depth),
                };
                match found {
                    Some(found) => found,
                    None if matches!(self.sign(text, at + 1), "(" | "[") => {
                        (vec![unknown()], self.close(text, at + 1) + 1)
                    }
                    None if self.kind == Kind::Ruby && self.names.contains_key(name) => {
                        (self.names.get(name).cloned().unwrap_or_default(), at + 1)
                    }
                    None => (vec![unknown()], at + 1),
                }
            }
            _ => (vec![unknown()], at + 1),
        };
        let mut value = value;
        // Methods of the value.
        let dot = if self.kind == Kind::Ruby { "." } else { "->" };
        while next < to && (self.sign(text, next) == dot || self.sign(text, next) == "&.") {
            let method = self.name(text, next + 1);
            let same = match self.kind {
                Kind::Ruby => ruby::SAME.contains(&method),
                _ => matches!(method, "stringify" | "canonpath"),
            };
            let called = self.sign(text, next + 2) == "(";
            let operands = Range { text, from: next + 3, to: self.close(text, next + 2) };
            if called && matches!(method, "child" | "join") {
                let part = self.value(operands, depth + 1);
                value = concat(&concat(&value, &[Arg::literal("/")]), &part);
            } else if !same {
                value = vec![unknown()];
            }
            next += 2;
            if called {
                next = operands.to + 1;
            } else if self.sign(text, next) == "[" {
                next = self.close(text, next) + 1;
            }
        }
        (value, next)
    }

    pub(super) fn variable(&self, text: usize, at: usize, name: &str) -> Value {
        let index = self.sign(text, at + 1);
        let key = match self.tok(text, at + 2) {
            Some(Tok::Text(pieces)) => match pieces.as_slice() {
                [Piece::Text(key)] => key.text.as_str(),
                _ => "",
            },
            Some(Tok::Name(name)) => name.as_str(),
            _ => "",
        };
        match (name, index) {
            ("$ENV" | "$_ENV" | "$_SERVER", "[" | "{") => self.environment(key),
            ("$ARGV" | "$argv", "[") => self.argument(text, at + 2, usize::from(name == "$argv")),
            ("@ARGV", _) => self.arguments_given(),
            ("$ENV" | "$_ENV" | "$_SERVER", _) => vec![unknown()],
            (_, "[") if self.kind == Kind::Perl => {
                let list = name.replacen('$', "@", 1);
                self.names.get(&list).cloned().unwrap_or_else(|| vec![unknown()])
            }
            (_, "[" | "{") if self.kind == Kind::Php => {
                self.names.get(name).cloned().unwrap_or_else(|| vec![unknown()])
            }
            (_, "{") if self.kind == Kind::Perl && self.close(text, at + 1) <= at + 3 => vec![unknown()],
            _ => self.names.get(name).cloned().unwrap_or_else(|| vec![unknown()]),
        }
    }

    /// The value of a variable of the environment.
    pub fn environment(&self, name: &str) -> Value {
        match (self.host.setting.variable(name), name) {
            (Some(value), _) => vec![value.clone()],
            (None, "HOME") => vec![home()],
            (None, _) => vec![unknown()],
        }
    }

    /// The argument of the program whose number stands at `at`; the first has the number `least`.
    pub fn argument(&self, text: usize, at: usize, least: usize) -> Value {
        let number = match self.tok(text, at) {
            Some(Tok::Number(number)) if self.sign(text, at + 1) == "]" => number.checked_sub(least),
            _ => None,
        };
        number.map_or_else(|| self.arguments_given(), |number| self.given_at(number))
    }

    /// The argument of the program at a place from 0 on; all of them if they may have moved.
    pub fn given_at(&self, number: usize) -> Value {
        let all = self.arguments_given();
        let shifted = ["shift", "pop", "@ARGV ="].into_iter().any(|word| self.mentions(word));
        if shifted || self.names.contains_key("@ARGV") || all.iter().any(|arg| !arg.dynamic.is_empty()) {
            return all;
        }
        all.get(number).map_or_else(|| vec![unknown()], |arg| vec![arg.clone()])
    }

    /// The words behind the program text.
    pub fn arguments_given(&self) -> Value {
        if let Some(set) = self.names.get("@ARGV") {
            return set.clone();
        }
        if self.args.is_empty() || self.args.len() > 32 {
            return vec![unknown()];
        }
        self.args.to_vec()
    }

    pub(super) fn string(&self, pieces: &[Piece], depth: usize) -> Value {
        let mut value: Option<Value> = None;
        for piece in pieces {
            let part = match piece {
                Piece::Text(text) => vec![text.clone()],
                Piece::Name(name) => self.names.get(name).cloned().unwrap_or_else(|| vec![unknown()]),
                Piece::Code(text) if depth < MOST_DEPTH => {
                    let to = self.script.texts.get(*text).map_or(0, |text| text.toks.len());
                    self.value(Range { text: *text, from: 0, to }, depth + 1)
                }
                Piece::Code(_) | Piece::Unknown => vec![unknown()],
            };
            value = Some(match value {
                Some(value) => concat(&value, &part),
                None => part,
            });
        }
        value.unwrap_or_default()
    }

    /// The values of all these expressions.
    pub fn values(&self, ranges: &[Range]) -> Value {
        ranges.iter().fold(Value::new(), |all, range| both(all, self.value(*range, 0)))
    }

    /// The value of one of several arguments.
    pub fn at(&self, ranges: &[Range], at: usize) -> Value {
        ranges.get(at).map_or_else(Vec::new, |range| self.value(*range, 0))
    }
}
