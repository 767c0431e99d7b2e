//! AWK programs: output redirects, pipes, `getline`, `system`.
//!
//! The values of a variable are all that it is set to anywhere, because rules run in turn for
//! every line of input.

use std::collections::HashMap;

use super::super::dynamic::Dynamics;
use super::super::part::Arg;
use super::super::unwrap::is_name;
use super::value::{Out, Value, blank, both, concat, home, literal, unknown};
use super::{Found, Host, Setting};
use crate::call::Op;

/// Most words of an expression that are looked at.
const MOST_WORDS: usize = 64;

/// Reads an AWK program; `args` are its input files and assignments.
pub(super) fn read(text: &Arg, args: &[Arg], host: &Host) -> Found {
    let (toks, names) = (lex(&text.text, text.dynamic), HashMap::new());
    let mut awk = Awk { toks, names, args, setting: host.setting, out: Out::default() };
    let files = host.options.iter().filter(|option| matches!(option.name.as_str(), "-f" | "--file" | "-E" | "--exec"));
    // What comes from standard input is this text.
    let fed = |file: &Arg| matches!(file.text.as_str(), "-" | "/dev/stdin");
    let only = host.setting.named && files.clone().count() == 1;
    if !only && files.map(|option| option.value.as_ref()).any(|file| !file.is_some_and(fed)) {
        awk.out.open("runs a script");
    }
    for option in host.options.iter().filter(|option| matches!(option.name.as_str(), "-i" | "--include")) {
        if let Some(file) = option.value.as_ref().filter(|file| file.text != "inplace") {
            awk.out.touch(std::slice::from_ref(file), Op::Read);
            awk.out.open("runs a script");
        }
    }
    if blank(text) {
        awk.out.open("code from a variable");
    }
    for option in &host.options {
        if let (true, Some(value)) = (matches!(option.name.as_str(), "-v" | "--assign"), &option.value) {
            awk.given(value);
        }
    }
    args.iter().for_each(|arg| awk.given(arg));
    // Most programs only print.
    if awk.toks.iter().any(Tok::acts) {
        awk.assignments();
        awk.walk();
    }
    awk.out.found
}

#[derive(Clone, Debug, PartialEq)]
enum Tok {
    Name(String),
    Text(Arg),
    /// A regular expression and the like: of no known value.
    Other,
    /// `>>` is `»`, `|&` is `|`, `==`, `!=`, `<=`, `>=` are `~`, `+=` and the like are `+`.
    Sign(char),
    Line,
}

impl Tok {
    fn acts(&self) -> bool {
        match self {
            Self::Sign(sign) => matches!(sign, '>' | '»' | '|' | '@'),
            Self::Name(name) => matches!(name.as_str(), "system" | "getline"),
            _ => false,
        }
    }
}

struct Awk<'a> {
    toks: Vec<Tok>,
    names: HashMap<String, Value>,
    args: &'a [Arg],
    setting: Setting<'a>,
    out: Out,
}

impl Awk<'_> {
    /// `name=value` on the command line.
    fn given(&mut self, word: &Arg) {
        if let Some((name, value)) = word.text.split_once('=').filter(|(name, _)| is_name(name)) {
            let value = Arg { text: value.into(), dynamic: word.dynamic };
            self.set(name, vec![value]);
        }
    }

    fn set(&mut self, name: &str, value: Value) {
        let known = self.names.remove(name).unwrap_or_default();
        self.names.insert(name.to_owned(), both(known, value));
    }

    fn sign(&self, at: usize) -> char {
        match self.toks.get(at) {
            Some(Tok::Sign(sign)) => *sign,
            Some(Tok::Line) => '\n',
            _ => '\0',
        }
    }

    /// All that variables are set to.
    fn assignments(&mut self) {
        for at in 0..self.toks.len() {
            let Some(Tok::Name(name)) = self.toks.get(at).cloned() else { continue };
            let before = at.checked_sub(1).map_or('\n', |before| self.sign(before));
            match (self.sign(at + 1), before) {
                ('=', _) => {
                    let end = self.end(at + 2);
                    let value = self.value(at + 2, end);
                    self.set(&name, value);
                }
                ('+', _) if self.sign(at + 2) == '+' || self.sign(at + 2) == '=' => self.set(&name, vec![unknown()]),
                _ if matches!(self.toks.get(at.wrapping_sub(1)), Some(Tok::Name(name)) if name == "getline") => {
                    self.set(&name, vec![unknown()]);
                }
                ('[' | '(', _) => {}
                // The third operand of `sub` and `gsub` is changed.
                (')', ',') if self.names.contains_key(&name) => self.set(&name, vec![unknown()]),
                _ => {}
            }
        }
    }

    /// Where the expression from `from` on ends: at a sign of no part of a concatenation.
    fn end(&self, from: usize) -> usize {
        let mut depth = 0_usize;
        for at in from..self.toks.len().min(from + MOST_WORDS) {
            match self.sign(at) {
                '(' | '[' => depth += 1,
                ')' | ']' if depth == 0 => return at,
                ')' | ']' => depth -= 1,
                ';' | '{' | '}' | '\n' | ',' | '|' if depth == 0 => return at,
                _ => {}
            }
        }
        self.toks.len().min(from + MOST_WORDS)
    }

    /// The concatenation of the words in a range.
    fn value(&self, from: usize, to: usize) -> Value {
        self.joined(from, to, 0)
    }

    fn joined(&self, from: usize, to: usize, depth: usize) -> Value {
        let (mut value, mut others) = (vec![Arg::default()], Value::new());
        let mut at = from;
        while at < to {
            match self.sign(at) {
                // Of `a ? b : c` either of the last two.
                '?' => (value, at) = (vec![Arg::default()], at + 1),
                ':' => {
                    others = both(others, std::mem::replace(&mut value, vec![Arg::default()]));
                    at += 1;
                }
                _ => {
                    let (term, next) = self.term(at, to, depth);
                    value = concat(&value, &term);
                    at = next;
                }
            }
        }
        both(others, value)
    }

    fn term(&self, at: usize, to: usize, depth: usize) -> (Value, usize) {
        match self.toks.get(at) {
            Some(Tok::Text(text)) => (vec![text.clone()], at + 1),
            Some(Tok::Name(name)) => match (name.as_str(), self.sign(at + 1)) {
                ("FILENAME", _) => (self.files(), at + 1),
                ("ENVIRON", '[') => {
                    let key = match self.toks.get(at + 2) {
                        Some(Tok::Text(key)) => key.text.as_str(),
                        _ => "",
                    };
                    let value = match (self.setting.variable(key), key) {
                        (Some(value), _) => value.clone(),
                        (None, "HOME") => home(),
                        (None, _) => unknown(),
                    };
                    (vec![value], self.past(at + 1, to))
                }
                (_, '[' | '(') => (vec![unknown()], self.past(at + 1, to)),
                _ => (self.names.get(name).cloned().unwrap_or_else(|| vec![unknown()]), at + 1),
            },
            Some(Tok::Sign('(')) if depth < 8 => {
                let end = self.past(at, to);
                (self.joined(at + 1, end.saturating_sub(1), depth + 1), end)
            }
            // `$1`, `$NF`, `$(NF - 1)`
            Some(Tok::Sign('$')) => {
                let next = if self.sign(at + 1) == '(' { self.past(at + 1, to) } else { at + 2 };
                (vec![unknown()], next)
            }
            _ => (vec![unknown()], at + 1),
        }
    }

    /// What follows the bracket that opens at `at`.
    fn past(&self, at: usize, to: usize) -> usize {
        let mut depth = 0_usize;
        for at in at..to.min(at + MOST_WORDS) {
            match self.sign(at) {
                '(' | '[' => depth += 1,
                ')' | ']' if depth <= 1 => return at + 1,
                ')' | ']' => depth -= 1,
                _ => {}
            }
        }
        to
    }

    fn files(&self) -> Value {
        let files: Value = self
            .args
            .iter()
            .filter(|arg| !arg.text.split_once('=').is_some_and(|(name, _)| is_name(name)))
            .take(32)
            .cloned()
            .collect();
        if files.is_empty() { vec![unknown()] } else { files }
    }

    fn walk(&mut self) {
        // Where the expression that a `|` reads from begins.
        let mut start = 0;
        let mut print: Option<usize> = None;
        let mut printed = 0;
        let mut depth = 0_usize;
        for at in 0..self.toks.len() {
            match self.toks.get(at).cloned() {
                Some(Tok::Name(name)) => match name.as_str() {
                    "print" | "printf" => (print, printed) = (Some(depth), at + 1),
                    "system" => {
                        let value = self.value(at + 1, self.end(at + 1));
                        self.out.text(&value);
                    }
                    "getline" => {
                        let mut file = at + 1;
                        while file < at + 4 && !matches!(self.sign(file), '<' | ')' | ';' | '\n' | '}') {
                            file += 1;
                        }
                        if self.sign(file) == '<' {
                            let (value, _) = self.term(file + 1, self.toks.len(), 0);
                            self.touch(&value, Op::Read);
                        }
                    }
                    _ => {}
                },
                Some(Tok::Line | Tok::Sign(';' | '{' | '}')) => {
                    start = at + 1;
                    print = None;
                    depth = 0;
                }
                Some(Tok::Sign('(' | '[')) => {
                    depth += 1;
                    start = at + 1;
                }
                Some(Tok::Sign(')' | ']')) => depth = depth.saturating_sub(1),
                Some(Tok::Sign('>' | '»')) if print == Some(depth) => {
                    let value = self.value(at + 1, self.end(at + 1));
                    self.touch(&value, Op::Write);
                    print = None;
                }
                Some(Tok::Sign('|')) => {
                    if print == Some(depth) {
                        let value = self.value(at + 1, self.end(at + 1));
                        self.out.text(&value);
                        // A shell that is given no more than that runs what is printed.
                        if value.iter().any(|line| line.certain().is_some_and(is_shell)) {
                            let text = self.value(printed, at);
                            self.out.text(&text);
                        }
                        print = None;
                    } else if matches!(self.toks.get(at + 1), Some(Tok::Name(name)) if name == "getline") {
                        let value = self.value(start.max(at.saturating_sub(64)), at);
                        self.out.text(&value);
                    }
                }
                Some(Tok::Sign('@')) => self.include(at),
                _ => {}
            }
        }
    }

    /// `@include "file"`, `@load "extension"`, and calls through a variable.
    fn include(&mut self, at: usize) {
        match (self.toks.get(at + 1), self.toks.get(at + 2)) {
            (Some(Tok::Name(name)), Some(Tok::Text(file))) if name == "include" => {
                let file = file.clone();
                self.out.touch(&[file], Op::Read);
                self.out.open("runs a script");
            }
            (Some(Tok::Name(name)), Some(Tok::Text(_))) if name == "load" => self.out.open("loads an extension"),
            _ => {}
        }
    }

    fn touch(&mut self, value: &[Arg], op: Op) {
        for file in value {
            if file.text.starts_with("/inet") {
                self.out.net(&file.text);
            } else if !file.text.starts_with("/dev/std") {
                self.out.touch(std::slice::from_ref(file), op);
            }
        }
    }
}

/// The words of a program.
fn lex(text: &str, marks: Dynamics) -> Vec<Tok> {
    let mut toks: Vec<Tok> = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let tok = match c {
            '#' => {
                while chars.next_if(|c| *c != '\n').is_some() {}
                continue;
            }
            '\\' => {
                chars.next();
                continue;
            }
            // A comma, an operator or an opening brace goes on in the next line.
            '\n' => match toks.last() {
                Some(Tok::Sign(',' | '{' | '&')) => continue,
                _ => Tok::Line,
            },
            _ if c.is_whitespace() => continue,
            '"' => Tok::Text(literal(string(&mut chars), marks)),
            '/' if !value_before(toks.last()) => {
                let mut class = false;
                while let Some(inner) = chars.next_if(|c| *c != '\n') {
                    match inner {
                        '\\' => {
                            chars.next();
                        }
                        '[' => class = true,
                        ']' => class = false,
                        '/' if !class => break,
                        _ => {}
                    }
                }
                Tok::Other
            }
            _ if c.is_ascii_digit() || c == '.' => {
                let mut number = String::from(c);
                while let Some(more) = chars.next_if(|c| c.is_ascii_alphanumeric() || *c == '.') {
                    number.push(more);
                }
                Tok::Text(Arg::literal(number))
            }
            '«' => {
                for inner in chars.by_ref() {
                    if inner == '»' {
                        break;
                    }
                }
                Tok::Other
            }
            _ if c.is_alphabetic() || c == '_' => {
                let mut name = String::from(c);
                while let Some(more) = chars.next_if(|c| c.is_alphanumeric() || matches!(c, '_' | ':')) {
                    name.push(more);
                }
                Tok::Name(name)
            }
            '>' if chars.next_if_eq(&'>').is_some() => Tok::Sign('»'),
            '=' | '!' | '<' | '>' if chars.next_if_eq(&'=').is_some() => Tok::Sign('~'),
            '|' if chars.next_if_eq(&'|').is_some() => Tok::Sign('&'),
            '&' => {
                chars.next_if_eq(&'&');
                Tok::Sign('&')
            }
            '|' => {
                chars.next_if_eq(&'&');
                Tok::Sign('|')
            }
            '+' | '-' | '*' | '/' | '%' | '^' => Tok::Sign('+'),
            _ => Tok::Sign(c),
        };
        toks.push(tok);
    }
    toks
}

/// Whether a `/` after this divides.
fn is_shell(command: &str) -> bool {
    let name = command.trim().trim_end_matches(" -s").rsplit('/').next().unwrap_or_default();
    matches!(name, "sh" | "bash" | "zsh" | "dash" | "ksh")
}

fn value_before(last: Option<&Tok>) -> bool {
    match last {
        Some(Tok::Name(name)) => !matches!(name.as_str(), "print" | "printf" | "return" | "in" | "case" | "getline"),
        Some(Tok::Text(_) | Tok::Other) => true,
        Some(Tok::Sign(sign)) => matches!(sign, ')' | ']' | '$'),
        Some(Tok::Line) | None => false,
    }
}

fn string(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> String {
    let mut text = String::new();
    while let Some(c) = chars.next() {
        match c {
            '"' => break,
            '\\' => match chars.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('\n') | None => {}
                Some(other) => text.push(other),
            },
            _ => text.push(c),
        }
    }
    text
}
