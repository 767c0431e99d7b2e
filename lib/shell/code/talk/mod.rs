//! A walk over the words of Perl, Ruby and PHP: values of variables, loops over lists, and the
//! arguments of calls. The words are read in `words`; what single calls do is in `perl`, `ruby` and `php`.

mod expression;
mod perl;
mod php;
mod ruby;
mod words;

use std::cell::RefCell;
use std::collections::HashMap;

use super::super::part::Arg;
use super::value::{Out, Value, blank, both, concat, home, unknown};
use super::{Found, Host};
use crate::call::Op;
pub(super) use words::Kind;
use words::{Piece, Script, Tok};

/// Most words of an expression that are looked at.
const MOST_WORDS: usize = 128;
/// Most terms of one expression.
const MOST_TERMS: usize = 24;
/// Most brackets in brackets of an expression.
const MOST_DEPTH: usize = 12;

/// Where an expression stands: its text, and its first word and the one behind its last.
#[derive(Clone, Copy, Debug)]
struct Range {
    pub text: usize,
    pub from: usize,
    pub to: usize,
}

/// The walk.
struct Talk<'a> {
    pub kind: Kind,
    pub script: Script,
    pub names: HashMap<String, Value>,
    pub args: &'a [Arg],
    pub host: &'a Host<'a>,
    /// The whole text.
    pub source: &'a str,
    pub out: Out,
    /// Whether it sends or fetches over the network.
    pub net: bool,
    /// Whether this is the walk that only collects what variables may be.
    first: bool,
    depth: usize,
    evaluated: usize,
    mentioned: RefCell<Vec<(&'static str, bool)>>,
}

/// Reads a program text of Perl, Ruby or PHP.
pub(super) fn read(kind: Kind, text: &Arg, args: &[Arg], host: &Host) -> Found {
    let mut talk = Talk::new(kind, text, args, host);
    if blank(text) {
        talk.out.open("code from a variable");
    }
    talk.all();
    talk.out.found
}

impl<'a> Talk<'a> {
    fn new(kind: Kind, text: &'a Arg, args: &'a [Arg], host: &'a Host<'a>) -> Self {
        let script = words::script(text, kind);
        let mentioned = RefCell::default();
        let mut names = HashMap::new();
        names.insert("$HOME".to_owned(), vec![home()]);
        if !text.dynamic.contains(&crate::shell::Dynamic::Tilde) {
            names.clear();
        }
        let out = Out::default();
        let source = text.text.as_str();
        let (net, first, depth, evaluated) = (false, true, 0, 0);
        Self { kind, script, names, args, host, source, out, net, first, depth, evaluated, mentioned }
    }

    fn all(&mut self) {
        if self.script.deep {
            self.out.open("code inside code");
        }
        let root = self.script.texts.len().saturating_sub(1);
        let simple = |tok: &Tok| matches!(tok, Tok::Other | Tok::Number(_) | Tok::Var(_) | Tok::Sign(_));
        if self.script.texts.iter().all(|text| text.toks.iter().all(simple)) {
            return;
        }
        self.walk(root);
        self.first = false;
        self.walk(root);
        if self.net {
            self.addresses();
        }
    }

    /// The addresses that stand in strings.
    fn addresses(&mut self) {
        let Self { script, out, .. } = self;
        let texts = script.texts.iter().flat_map(|text| &text.toks);
        for tok in texts {
            let Tok::Text(pieces) = tok else { continue };
            if let Some(Piece::Text(arg)) = pieces.first()
                && arg.text.contains("://")
            {
                out.net(&arg.text);
            }
        }
        if out.found.net.is_empty() {
            out.net("«var»");
        }
    }

    /// Whether a word stands anywhere in the text; looked up once.
    pub fn mentions(&self, word: &'static str) -> bool {
        if let Some((_, found)) = self.mentioned.borrow().iter().find(|(known, _)| *known == word) {
            return *found;
        }
        let found = self.source.contains(word);
        self.mentioned.borrow_mut().push((word, found));
        found
    }

    pub fn tok(&self, text: usize, at: usize) -> Option<&Tok> {
        self.script.texts.get(text)?.toks.get(at)
    }

    pub fn sign(&self, text: usize, at: usize) -> &'static str {
        match self.tok(text, at) {
            Some(Tok::Sign(sign)) => sign,
            Some(Tok::Line) => "\n",
            _ => "",
        }
    }

    pub fn name(&self, text: usize, at: usize) -> &str {
        match self.tok(text, at) {
            Some(Tok::Name(name)) => name,
            _ => "",
        }
    }

    /// Where the bracket at `at` closes.
    pub fn close(&self, text: usize, at: usize) -> usize {
        self.script.texts.get(text).and_then(|text| text.close.get(at)).copied().unwrap_or(at + 1)
    }

    fn walk(&mut self, text: usize) {
        let end = self.script.texts.get(text).map_or(0, |text| text.toks.len());
        let depth = self.depth;
        for at in 0..end {
            let nested = match self.tok(text, at) {
                Some(Tok::Text(pieces) | Tok::Run(pieces) | Tok::Glob(pieces)) => pieces
                    .iter()
                    .filter_map(|piece| if let Piece::Code(text) = piece { Some(*text) } else { None })
                    .collect(),
                _ => Vec::new(),
            };
            for inner in nested {
                self.depth += 1;
                self.walk(inner);
                self.depth -= 1;
            }
            match self.tok(text, at) {
                Some(Tok::Run(pieces)) if !self.first => {
                    let value = self.string(pieces, 0);
                    self.out.text(&value);
                }
                Some(Tok::Sign("{")) => {
                    self.depth += 1;
                    self.block(text, at);
                }
                Some(Tok::Sign("}")) => self.depth = self.depth.saturating_sub(1),
                Some(Tok::Var(name)) => {
                    let name = name.clone();
                    self.assign(text, at, &name);
                }
                Some(Tok::Name(name)) => {
                    let name = name.clone();
                    self.word(text, at, &name);
                }
                Some(Tok::Mark) => {
                    let before = at.checked_sub(1).map_or("\n", |before| self.sign(text, before));
                    let after = if at + 1 == end { "\n" } else { self.sign(text, at + 1) };
                    let edge = |sign: &str| matches!(sign, "\n" | ";" | "{" | "}");
                    if edge(before) && edge(after) && end > 1 {
                        self.out.open("code from a variable");
                    }
                }
                _ => {}
            }
        }
        self.depth = depth;
    }

    fn word(&mut self, text: usize, at: usize, name: &str) {
        let before = at.checked_sub(1).map_or("", |before| self.sign(text, before));
        if self.kind == Kind::Ruby && before != "." && before != "::" {
            if name == "do" {
                self.block(text, at);
            }
            self.assign(text, at, name);
        }
        match name {
            "for" | "foreach" if before != "." => return self.each(text, at),
            "map" | "grep" if self.kind == Kind::Perl => {
                let skip = if self.sign(text, at + 1) == "{" { self.close(text, at + 1) + 1 } else { at + 1 };
                let value = self.value(self.statement(text, skip), 0);
                self.set("$_", value, false);
                return;
            }
            _ => {}
        }
        if self.first {
            return;
        }
        match self.kind {
            Kind::Perl => perl::call(self, text, at, name, before),
            Kind::Ruby => ruby::call(self, text, at, name, before),
            Kind::Php => php::call(self, text, at, name, before),
        }
    }

    fn set(&mut self, name: &str, value: Value, replaces: bool) {
        if replaces {
            self.names.insert(name.to_owned(), value);
        } else {
            let known = self.names.remove(name).unwrap_or_default();
            self.names.insert(name.to_owned(), both(known, value));
        }
    }

    /// `x = value`
    fn assign(&mut self, text: usize, at: usize, name: &str) {
        let sign = self.sign(text, at + 1);
        match sign {
            "=" | "||=" | "//=" | "??=" => {
                let value = self.value(self.statement(text, at + 2), 0);
                let plain = sign == "=" && !self.first && self.depth == 0 && self.kind != Kind::Ruby;
                self.set(name, value, plain);
                if name == "@ARGV" && !self.first {
                    let value = self.names.get(name).cloned().unwrap_or_default();
                    self.edits(&value);
                }
            }
            ".=" | "+=" | "++" | "--" | "-=" | "*=" => self.set(name, vec![unknown()], false),
            "<<" if self.kind == Kind::Ruby => {
                let value = self.value(self.statement(text, at + 2), 0);
                if self.names.contains_key(name) {
                    self.set(name, value, false);
                }
            }
            _ => {}
        }
        // `my ($a, $b) = @_`
        if matches!(sign, "," | ")") && self.kind != Kind::Ruby {
            let mut end = at + 1;
            while end < at + 16 && (self.sign(text, end) == "," || matches!(self.tok(text, end), Some(Tok::Var(_)))) {
                end += 1;
            }
            if self.sign(text, end) == ")" && self.sign(text, end + 1) == "=" {
                let before = (0..at).rev().take(16).take_while(|at| self.sign(text, *at) != "(");
                let skip = before.filter(|at| matches!(self.tok(text, *at), Some(Tok::Var(_)))).count();
                let whole = self.statement(text, end + 2);
                if let (Some(Tok::Var(list)), true) = (self.tok(text, whole.from), whole.from + 1 == whole.to)
                    && list == "@ARGV"
                    && name.starts_with('$')
                {
                    let value = self.given_at(skip);
                    return self.set(name, value, false);
                }
                if name == "@ARGV" && !self.first {
                    // `local ($^I, @ARGV) = ('.bak', 'a.txt')`
                    let inner = match self.sign(text, whole.from) {
                        "(" => Range { text, from: whole.from + 1, to: self.close(text, whole.from) },
                        _ => whole,
                    };
                    let files = self.values(self.split(inner).get(skip..).unwrap_or_default());
                    self.set(name, files.clone(), true);
                    return self.edits(&files);
                }
                let value = self.value(self.statement(text, end + 2), 0);
                self.set(name, value, false);
            }
        }
    }

    /// Perl goes through these files by `<>`: it edits them if `$^I` is set, its suffix for the old ones.
    fn edits(&mut self, files: &[Arg]) {
        if !self.mentions("$^I") {
            return self.out.touch(files, Op::Read);
        }
        self.out.touch(files, Op::Write);
        let suffixes = self.names.get("$^I").cloned().unwrap_or_default();
        let suffixes: Value = suffixes.into_iter().filter(|suffix| suffix.text.starts_with(['.', '~'])).collect();
        if !suffixes.is_empty() {
            let old = concat(files, &suffixes);
            self.out.touch(&old, Op::Write);
        }
    }

    /// `for my $f (list)`, `foreach (list as $f)`, `for f in list`, `… for list`
    fn each(&mut self, text: usize, at: usize) {
        let mut next = at + 1;
        if self.kind == Kind::Ruby {
            let name = self.name(text, next).to_owned();
            if self.name(text, next + 1) == "in" {
                let value = self.value(self.statement(text, next + 2), 0);
                self.set(&name, value, false);
            }
            return;
        }
        if matches!(self.name(text, next), "my" | "our") {
            next += 1;
        }
        let mut variable = "$_".to_owned();
        if let (Some(Tok::Var(name)), "(") = (self.tok(text, next), self.sign(text, next + 1)) {
            variable.clone_from(name);
            next += 1;
        }
        if self.sign(text, next) != "(" {
            let value = self.value(self.statement(text, next), 0);
            return self.set(&variable, value, false);
        }
        let close = self.close(text, next);
        let mut to = close;
        for inner in next + 1..close.min(next + MOST_WORDS) {
            if self.sign(text, inner) == ";" {
                return;
            }
            if self.kind == Kind::Php && self.name(text, inner) == "as" {
                to = inner;
                let last = (inner + 1..close.min(inner + 5)).rev().find_map(|at| match self.tok(text, at) {
                    Some(Tok::Var(name)) => Some(name.clone()),
                    _ => None,
                });
                variable = last.unwrap_or(variable);
                break;
            }
        }
        let value = self.value(Range { text, from: next + 1, to }, 0);
        self.set(&variable, value, false);
    }

    /// Ruby: `list.each { |f| …`
    fn block(&mut self, text: usize, at: usize) {
        if self.kind != Kind::Ruby || self.sign(text, at + 1) != "|" {
            return;
        }
        let parameter = self.name(text, at + 2).to_owned();
        let from = self.receiver(text, at);
        let value = self.value(Range { text, from, to: at }, 0);
        self.set(&parameter, value, false);
    }

    /// Runs the arguments: one is a line for the shell, several are words.
    pub fn run(&mut self, ranges: &[Range]) {
        match ranges {
            [] => {}
            [only] => {
                let list = matches!(self.sign(only.text, only.from), "[" | "(")
                    && self.close(only.text, only.from) + 1 == only.to
                    && self.sign(only.text, only.from) == "[";
                let several = matches!(self.tok(only.text, only.from), Some(Tok::Var(name)) if name.starts_with('@'));
                if list {
                    let inner = self.split(Range { text: only.text, from: only.from + 1, to: only.to - 1 });
                    let words = self.words(&inner);
                    self.out.argv(words);
                } else {
                    let value = self.value(*only, 0);
                    if several && value.len() > 1 { self.out.argv(value) } else { self.out.text(&value) }
                }
            }
            _ => {
                let words = self.words(ranges);
                self.out.argv(words);
            }
        }
    }

    fn words(&self, ranges: &[Range]) -> Vec<Arg> {
        ranges.iter().flat_map(|range| self.value(*range, 0)).collect()
    }

    /// Reads program text in a string of the program.
    pub fn evaluates(&mut self, value: &[Arg]) {
        for text in value {
            if !text.dynamic.is_empty() {
                self.out.open("runs computed code");
            } else if self.host.depth >= 3 || self.evaluated >= 8 {
                self.out.open("code inside code");
            } else if text.text.len() < self.source.len() {
                self.evaluated += 1;
                let host = Host { setting: self.host.setting, depth: self.host.depth + 1, ..Host::default() };
                let found = read(self.kind, text, &[], &host);
                for path in found.paths {
                    self.out.touch(&[path.path], path.op);
                }
                self.out.found.runs.extend(found.runs);
                found.net.iter().for_each(|to| self.out.net(to));
                if let Some(why) = found.open {
                    self.out.open(why);
                }
            }
        }
    }

    /// The program opens a file; `mode` as for `fopen`.
    pub fn opens(&mut self, path: &[Arg], mode: &str) {
        let writes = mode.contains(['w', 'a', '+', '>', 'x', 'c']);
        self.out.touch(path, if writes { Op::Write } else { Op::Read });
    }

    /// Whether the name at `at` is being defined.
    pub fn kind_of_definition(&self, text: usize, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| matches!(self.name(text, before), "def" | "function" | "sub"))
    }
}
