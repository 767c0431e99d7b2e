//! The words of a PowerShell text: statements, pipelines, arguments, and what stands inside of them.
//!
//! No full grammar: expressions are passed over, but for the commands, blocks and calls of .NET
//! methods in them. One pass, total; what nests too deep ends the reading and says so.

mod value;

use super::super::part::{Arg, Dynamic};

/// Most groups around a word.
const DEEPEST: usize = 40;
/// Most variables that are followed.
const MOST_VARIABLES: usize = 64;

/// A text as read.
#[derive(Debug, Default)]
pub struct Script {
    /// Its statements.
    pub body: Vec<Pipeline>,
    /// Why it was not read to its end, if so.
    pub broken: Option<&'static str>,
}

/// Stages that are joined by `|`.
#[derive(Debug, Default)]
pub struct Pipeline {
    /// What joins it to the one before: `;`, `&&`, `||`, `&`; empty for the first.
    pub joint: &'static str,
    /// Its stages.
    pub stages: Vec<Stage>,
}

/// What a stage is.
#[derive(Debug, Default, PartialEq, Eq)]
pub enum What {
    /// A command with arguments.
    #[default]
    Command,
    /// A value.
    Expression,
    /// `if`, `foreach`, `function x` and their like, by the name of their context.
    Control(String),
}

/// One stage.
#[derive(Debug, Default)]
pub struct Stage {
    /// What it is.
    pub what: What,
    /// Command word and arguments; of an expression, its values.
    pub words: Vec<Word>,
    /// Where its output goes.
    pub redirects: Vec<Redirect>,
    /// Groups and blocks of an expression or of a control statement.
    pub groups: Vec<Group>,
    /// Calls of methods in it.
    pub calls: Vec<Method>,
    /// Whether an expression is its words and nothing else.
    pub plain: bool,
    /// Bytes in the text.
    pub span: [usize; 2],
}

/// A call of a method: `[System.IO.File]::Delete('a')`, `$x.Delete()`.
#[derive(Debug)]
pub struct Method {
    /// `[system.io.file]::delete`, `.delete`
    pub name: String,
    /// Its arguments.
    pub args: Vec<Arg>,
}

/// An argument, or several joined with commas.
#[derive(Clone, Debug, Default)]
pub struct Word {
    /// Its values; one, if it is no list.
    pub items: Vec<Arg>,
    /// Whether it begins with a quote, so that it names no parameter.
    pub quoted: bool,
    /// Whether it is the object of the pipeline (`$_`, `$_.FullName`).
    pub item: bool,
    /// Groups and blocks in it.
    pub groups: Vec<usize>,
    /// Bytes in the text.
    pub span: [usize; 2],
}

/// `> a`
#[derive(Debug)]
pub struct Redirect {
    /// `>`, `>>`, `&>`
    pub op: &'static str,
    /// The stream.
    pub stream: u32,
    /// The file.
    pub target: Word,
}

/// What stands in brackets.
#[derive(Debug)]
pub struct Group {
    /// Whether it is a block `{ }` and no value `( )`.
    pub block: bool,
    /// Its statements.
    pub body: Vec<Pipeline>,
}

/// Reads a text. `marks` says what marks in it stand for.
pub fn parse(text: &str, marks: &[Dynamic]) -> Script {
    let mut read = Reader {
        text,
        at: 0,
        depth: 0,
        marks,
        broken: None,
        variables: Vec::new(),
        groups: Vec::new(),
        calls: Vec::new(),
    };
    let body = read.list(None, false);
    Script { body, broken: read.broken }
}

const KEYWORDS: &[(&str, &str)] = &[
    ("if", "if"),
    ("elseif", "if"),
    ("else", "if"),
    ("foreach", "for"),
    ("for", "for"),
    ("while", "while"),
    ("do", "while"),
    ("until", "while"),
    ("switch", "case"),
    ("try", "try"),
    ("catch", "try"),
    ("finally", "try"),
    ("trap", "try"),
    ("function", "func"),
    ("filter", "func"),
    ("param", "param"),
    ("begin", ""),
    ("process", ""),
    ("end", ""),
];

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    marks: &'t [Dynamic],
    broken: Option<&'static str>,
    variables: Vec<(String, Option<Arg>)>,
    /// Groups of the stage that is being read.
    groups: Vec<Group>,
    /// Calls of methods in its words.
    calls: Vec<Method>,
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl<'t> Reader<'t> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn ahead(&self, by: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + by).copied()
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn starts(&self, what: &str) -> bool {
        self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(what.as_bytes()))
    }

    fn eat(&mut self, what: &str) -> bool {
        let there = self.starts(what);
        if there {
            self.at += what.len();
        }
        there
    }

    /// Passes blanks, comments and continued lines; newlines too if asked to.
    fn blanks(&mut self, newlines: bool) {
        loop {
            match self.byte() {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\n') if newlines => self.at += 1,
                Some(b'`') if self.ahead(1) == Some(b'\n') => self.at += 2,
                Some(b'`') if self.ahead(1) == Some(b'\r') && self.ahead(2) == Some(b'\n') => self.at += 3,
                Some(b'<') if self.starts("<#") => {
                    self.at = self.rest().find("#>").map_or(self.text.len(), |end| self.at + end + 2);
                }
                Some(b'#') => self.at = self.rest().find('\n').map_or(self.text.len(), |end| self.at + end),
                Some(0xC2) if self.starts("\u{a0}") => self.at += 2,
                _ => return,
            }
        }
    }

    /// Statements up to a closing bracket, which is passed. `table` is `@{ key = value }`.
    fn list(&mut self, close: Option<u8>, table: bool) -> Vec<Pipeline> {
        let mut found: Vec<Pipeline> = Vec::new();
        let mut joint = "";
        loop {
            self.blanks(true);
            let Some(byte) = self.byte() else {
                if close.is_some() {
                    self.broken.get_or_insert("a bracket that is not closed");
                }
                return found;
            };
            if Some(byte) == close {
                self.at += 1;
                return found;
            }
            if matches!(byte, b';' | b',') {
                self.at += 1;
                continue;
            }
            if self.eat("&&") {
                joint = "&&";
                continue;
            }
            if self.eat("||") {
                joint = "||";
                continue;
            }
            if matches!(byte, b')' | b'}' | b']' | b'|') {
                self.at += 1;
                continue;
            }
            let from = self.at;
            if table {
                self.key();
            }
            let stages = self.pipeline();
            if self.at == from {
                self.at += 1;
                while !self.text.is_char_boundary(self.at) {
                    self.at += 1;
                }
            }
            if !stages.is_empty() {
                found.push(Pipeline { joint, stages });
            }
            joint = ";";
            self.blanks(false);
            if self.byte() == Some(b'&') && self.ahead(1) != Some(b'&') && !found.is_empty() {
                self.at += 1;
                joint = "&";
            }
        }
    }

    /// `key =` of a table.
    fn key(&mut self) {
        let from = self.at;
        let _ = self.word();
        self.blanks(false);
        if self.byte() == Some(b'=') { self.at += 1 } else { self.at = from }
    }

    fn pipeline(&mut self) -> Vec<Stage> {
        let assigned = self.assignment();
        let mut stages = Vec::new();
        loop {
            self.blanks(!stages.is_empty());
            let stage = self.stage();
            let empty = stage.words.is_empty() && stage.groups.is_empty() && stage.calls.is_empty();
            if !(empty && stage.redirects.is_empty()) {
                stages.push(stage);
            }
            self.blanks(false);
            if self.byte() != Some(b'|') {
                // A line that begins with `|` goes on with the one before.
                let from = self.at;
                self.blanks(true);
                if self.byte() != Some(b'|') || stages.is_empty() {
                    self.at = from;
                    break;
                }
            }
            if self.ahead(1) == Some(b'|') {
                break;
            }
            self.at += 1;
        }
        if let Some((name, plain)) = assigned {
            let value = match stages.as_slice() {
                [only] if plain && only.plain && only.what == What::Expression => match only.words.as_slice() {
                    [word] if word.items.len() == 1 => word.items.first().cloned(),
                    _ => None,
                },
                _ => None,
            };
            self.assign(name, value);
        }
        stages
    }

    /// Passes `$x =`, `[int]$x +=`, `$env:A =`; gives the name and whether it is a plain assignment.
    fn assignment(&mut self) -> Option<(String, bool)> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        while bytes.get(at) == Some(&b'[') {
            at += bytes.get(at..(at + 128).min(bytes.len()))?.iter().position(|byte| *byte == b']')? + 1;
        }
        if bytes.get(at) != Some(&b'$') {
            return None;
        }
        at += 1;
        let from = at;
        while bytes.get(at).is_some_and(|byte| is_name(*byte) || matches!(byte, b':' | b'.' | b'{' | b'}')) {
            at += 1;
        }
        let name = self.text.get(from..at)?.trim_matches(['{', '}']).to_ascii_lowercase();
        while matches!(bytes.get(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        let op = bytes.get(at)?;
        let plain = *op == b'=';
        if !plain {
            if !matches!(op, b'+' | b'-' | b'*' | b'/' | b'%' | b'?') {
                return None;
            }
            at += if self.text.get(at..)?.starts_with("??") { 2 } else { 1 };
        }
        if bytes.get(at) != Some(&b'=') {
            return None;
        }
        self.at = at + 1;
        Some((name, plain))
    }

    fn assign(&mut self, name: String, value: Option<Arg>) {
        let name = name.rsplit(':').next().unwrap_or_default().to_owned();
        let certain = |arg: &Arg| arg.dynamic.iter().all(|kind| *kind == Dynamic::Tilde);
        let once = self.depth == 0 && !self.assigned_later(&name);
        let value = value.filter(|value| once && certain(value) && value.text.len() <= 4096);
        if let Some(known) = self.variables.iter_mut().find(|(known, _)| *known == name) {
            known.1 = value;
        } else if self.variables.len() < MOST_VARIABLES {
            self.variables.push((name, value));
        }
    }

    /// Whether the text assigns a variable once more further on.
    fn assigned_later(&self, name: &str) -> bool {
        let bytes = self.text.as_bytes().get(self.at..).unwrap_or_default();
        memchr::memchr_iter(b'$', bytes).any(|at| {
            let Some(after) = bytes.get(at + 1..) else { return false };
            let named = after.get(..name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()));
            let Some(after) = after.get(name.len()..).filter(|_| named) else { return false };
            let blanks = after.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            match after.get(blanks..) {
                Some([b'=', ..] | [b'+' | b'-' | b'*' | b'/' | b'?', b'=', ..]) => true,
                Some([b'i', b'n', b' ', ..]) => blanks > 0,
                _ => false,
            }
        })
    }

    /// The bare word that comes next, in lower case.
    fn bare(&self) -> String {
        let word = self.rest().bytes().take(24).take_while(|byte| is_name(*byte));
        word.map(|byte| char::from(byte.to_ascii_lowercase())).collect()
    }

    fn keyword(&self) -> Option<(usize, &'static str, &'static str)> {
        let word = self.bare();
        let (name, label) = KEYWORDS.iter().find(|(name, _)| *name == word)?;
        // `foreach` is an alias too; the statement has its bracket.
        let next = self.rest().get(word.len()..)?.trim_start();
        let fits = match *name {
            "else" | "do" | "try" | "finally" | "begin" | "process" | "end" => next.starts_with(['{', 'i']),
            "catch" | "trap" => next.starts_with(['{', '[']),
            "function" | "filter" => true,
            "switch" => next.starts_with(['(', '-']),
            _ => next.starts_with('('),
        };
        fits.then_some((word.len(), *name, *label))
    }

    fn stage(&mut self) -> Stage {
        let outer = std::mem::take(&mut self.groups);
        let calls = std::mem::take(&mut self.calls);
        let from = self.at;
        let mut stage = match self.bare().as_str() {
            // What they give back is read like any statement.
            word @ ("return" | "throw" | "exit")
                if !self.rest().get(word.len()..).is_some_and(|next| next.starts_with('-')) =>
            {
                self.at += word.len();
                self.blanks(false);
                self.simple()
            }
            _ if self.keyword().is_some() => self.control(),
            _ => self.simple(),
        };
        stage.groups = std::mem::replace(&mut self.groups, outer);
        stage.calls.append(&mut self.calls);
        self.calls = calls;
        stage.span = [from, self.at];
        stage
    }

    fn control(&mut self) -> Stage {
        let mut label = String::new();
        while let Some((length, name, word)) = self.keyword() {
            self.at += length;
            if label.is_empty() {
                label = word.to_owned();
            }
            self.blanks(true);
            if word == "func" {
                let end = self.rest().find([' ', '\t', '\r', '\n', '(', '{']).unwrap_or(self.rest().len());
                label = format!("func {}", self.rest().get(..end).unwrap_or_default());
                self.at += end;
                self.blanks(true);
            }
            loop {
                match self.byte() {
                    Some(b'(') => {
                        self.at += 1;
                        if name == "foreach" {
                            self.element();
                        }
                        self.group(b')', false, false);
                        self.blanks(true);
                        if self.byte() != Some(b'{') {
                            break;
                        }
                    }
                    Some(b'{') => {
                        self.at += 1;
                        self.group(b'}', true, false);
                        self.blanks(false);
                        break;
                    }
                    Some(b'[' | b'-') => {
                        let end = self.rest().find([' ', '\t', '\n', '{', '(']).unwrap_or(self.rest().len());
                        self.at += end.max(1);
                        self.blanks(true);
                    }
                    _ => break,
                }
            }
        }
        Stage { what: What::Control(label), ..Stage::default() }
    }

    /// `$x in` of a loop.
    fn element(&mut self) {
        self.blanks(true);
        let from = self.at;
        if self.eat("$") {
            let name = self.bare();
            self.at += name.len();
            self.blanks(true);
            if self.bare() == "in" {
                self.at += 2;
                self.variables.retain(|(known, _)| *known != name);
                return;
            }
        }
        self.at = from;
    }

    /// What stands up to `close`, the opening bracket being passed; gives its number.
    fn group(&mut self, close: u8, block: bool, table: bool) -> usize {
        if self.depth >= DEEPEST {
            self.broken = Some("bound: nesting");
            self.at = self.text.len();
            return self.groups.len();
        }
        self.depth += 1;
        let outer = std::mem::take(&mut self.groups);
        let body = self.list(Some(close), table);
        self.groups = outer;
        self.depth -= 1;
        self.groups.push(Group { block, body });
        self.groups.len() - 1
    }

    fn simple(&mut self) -> Stage {
        let mut stage = Stage::default();
        if self.byte() == Some(b'&') || (self.byte() == Some(b'.') && matches!(self.ahead(1), Some(b' ' | b'\t'))) {
            self.at += 1;
            self.blanks(false);
            self.arguments(&mut stage);
            return stage;
        }
        let letters = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let command = match self.byte() {
            Some(b'0'..=b'9') => self.ahead(letters).is_some_and(|byte| byte.is_ascii_alphabetic()),
            Some(b'.' | b'\\' | b'/' | b'~' | b'%' | b'?' | b'_' | b'`' | b'*') => true,
            Some(byte) => byte.is_ascii_alphabetic() || byte >= 0x80,
            None => false,
        };
        if command {
            self.arguments(&mut stage);
        } else {
            stage.what = What::Expression;
            stage.plain = true;
            self.expression(&mut stage);
        }
        stage
    }

    /// Whether a statement ends here.
    fn ends(&self) -> bool {
        matches!(self.byte(), None | Some(b'\n' | b';' | b'|' | b')' | b'}' | b'&'))
    }

    fn redirect(&mut self, stage: &mut Stage) -> bool {
        let (stream, skip) = match (self.byte(), self.ahead(1)) {
            (Some(b'>'), _) => (1, 0),
            (Some(digit @ b'1'..=b'6'), Some(b'>')) => (u32::from(digit - b'0'), 1),
            (Some(b'*'), Some(b'>')) => (0, 1),
            _ => return false,
        };
        self.at += skip + 1;
        let appends = self.eat(">");
        if self.eat("&") {
            self.at += 1;
            return true;
        }
        self.blanks(false);
        let target = self.word();
        let op = match (stream, appends) {
            (0, false) => "&>",
            (0, true) => "&>>",
            (_, false) => ">",
            (_, true) => ">>",
        };
        stage.redirects.push(Redirect { op, stream: stream.max(1), target });
        true
    }

    fn arguments(&mut self, stage: &mut Stage) {
        loop {
            self.blanks(false);
            if self.ends() {
                return;
            }
            if self.redirect(stage) {
                continue;
            }
            if !stage.words.is_empty() && self.eat("--%") {
                // Everything up to the end of the line or a pipe stands for itself.
                let end = self.rest().find(['\n', '|']).unwrap_or(self.rest().len());
                for word in self.rest().get(..end).unwrap_or_default().split_ascii_whitespace() {
                    let items = vec![Arg::literal(word.trim_matches('"'))];
                    stage.words.push(Word { items, quoted: true, span: [self.at, self.at + end], ..Word::default() });
                }
                self.at += end;
                continue;
            }
            let from = self.at;
            let word = self.list_word();
            if self.at == from {
                self.at += 1;
                while !self.text.is_char_boundary(self.at) {
                    self.at += 1;
                }
                continue;
            }
            stage.words.push(word);
        }
    }

    /// `a, b`
    fn list_word(&mut self) -> Word {
        let mut word = self.word();
        loop {
            let end = self.at;
            self.blanks(false);
            if self.byte() != Some(b',') {
                self.at = end;
                return word;
            }
            self.at += 1;
            self.blanks(true);
            let next = self.word();
            word.items.extend(next.items);
            word.groups.extend(next.groups);
            word.item &= next.item;
            word.span[1] = self.at;
        }
    }

    /// Everything of a value up to the end of its statement.
    fn expression(&mut self, stage: &mut Stage) {
        let mut member = String::new();
        loop {
            let before = self.at;
            self.blanks(false);
            if self.at > before {
                member.clear();
            }
            if self.ends() {
                return;
            }
            if self.byte() == Some(b'>') && self.redirect(stage) {
                continue;
            }
            match self.byte() {
                Some(b'(') if member.contains('.') || member.contains("::") => {
                    self.at += 1;
                    stage.plain = false;
                    let args = self.method_arguments();
                    stage.calls.push(Method { name: std::mem::take(&mut member).to_ascii_lowercase(), args });
                    continue;
                }
                Some(b'[') => {
                    let end = self.rest().find(']').map_or(self.rest().len(), |end| end + 1);
                    member = self.rest().get(..end).unwrap_or_default().to_owned();
                    self.at += end;
                    stage.plain = false;
                    continue;
                }
                Some(b':') if self.starts("::") => {
                    self.at += 2;
                    let name = self.bare();
                    self.at += name.len();
                    member = format!("{member}::{name}");
                    continue;
                }
                Some(b'.') if self.ahead(1).is_some_and(|byte| byte.is_ascii_alphabetic()) => {
                    self.at += 1;
                    let name = self.bare();
                    self.at += name.len();
                    member = format!(".{name}");
                    stage.plain = false;
                    continue;
                }
                _ => {}
            }
            let from = self.at;
            let first = self.byte();
            let word = self.list_word();
            if self.at == from {
                self.at += 1;
                while !self.text.is_char_boundary(self.at) {
                    self.at += 1;
                }
                stage.plain = false;
                continue;
            }
            stage.plain &= matches!(first, Some(b'\'' | b'"' | b'$' | b'@')) && stage.words.is_empty();
            stage.words.push(word);
        }
    }

    fn method_arguments(&mut self) -> Vec<Arg> {
        let mut args: Vec<Arg> = Vec::new();
        if self.depth >= DEEPEST {
            self.broken = Some("bound: nesting");
            self.at = self.text.len();
            return args;
        }
        self.depth += 1;
        self.listed_arguments(&mut args);
        self.depth -= 1;
        args
    }

    fn listed_arguments(&mut self, args: &mut Vec<Arg>) {
        let mut fresh = true;
        loop {
            self.blanks(true);
            match self.byte() {
                None => return,
                Some(b')') => {
                    self.at += 1;
                    return;
                }
                Some(b',') => {
                    self.at += 1;
                    fresh = true;
                    continue;
                }
                _ => {}
            }
            let from = self.at;
            let word = self.word();
            if self.at == from {
                self.at += 1;
                while !self.text.is_char_boundary(self.at) {
                    self.at += 1;
                }
            }
            match args.last_mut() {
                Some(last) if !fresh => *last = Arg { text: "«sub»".to_owned(), dynamic: vec![Dynamic::Sub] },
                _ => args.push(word.items.into_iter().next().unwrap_or_default()),
            }
            fresh = false;
        }
    }
}
