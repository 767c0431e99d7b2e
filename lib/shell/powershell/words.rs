//! The words of a PowerShell text: statements, pipelines, arguments, and what stands inside of them.
//!
//! No full grammar: expressions are passed over, but for the commands, blocks and calls of .NET
//! methods in them. One pass, total; what nests too deep ends the reading and says so.

mod assignment;
mod stage;
mod value;

use super::super::dynamic::Dynamics;
use super::super::growth::add;
use super::super::part::Arg;

/// Most groups around a word.
const DEEPEST: usize = 40;
/// Stages and words that any text may have; a longer one may have one more for so many of its bytes.
const LEAST_STAGES: usize = 128;
const BYTES_OF_STAGE: usize = 32;
const LEAST_WORDS: usize = 512;
const BYTES_OF_WORD: usize = 8;
/// Most variables that are followed.
const MOST_VARIABLES: usize = 64;
/// Most values of a list that are followed one by one.
const MOST_VALUES: usize = 32;

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
    /// The variable that keeps what it gives, if it runs anything for that.
    pub assigned: Option<String>,
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
    /// Whether its values stand there one after the other, and not together.
    pub each: bool,
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

impl Group {
    /// The values of a written list.
    fn written(&self) -> Option<&[Arg]> {
        match self.body.as_slice() {
            [only] => written(&only.stages),
            _ => None,
        }
    }
}

impl Stage {
    /// Whether it is more than a value.
    fn runs(&self) -> bool {
        let within = |group: &Group| group.body.iter().any(|line| line.stages.iter().any(Stage::runs));
        self.what == What::Command || !self.calls.is_empty() || self.groups.iter().any(within)
    }
}

/// Reads a text. `marks` says what marks in it stand for.
pub fn parse(text: &str, marks: Dynamics) -> Script {
    let mut read = Reader {
        text,
        at: 0,
        depth: 0,
        stages: LEAST_STAGES + text.len() / BYTES_OF_STAGE,
        words: LEAST_WORDS + text.len() / BYTES_OF_WORD,
        marks,
        broken: None,
        variables: Vec::new(),
        lists: Vec::new(),
        each: None,
        groups: Vec::new(),
        calls: Vec::new(),
    };
    let body = read.list(None, false);
    Script { body, broken: read.broken }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    /// How many stages and words may still come.
    stages: usize,
    words: usize,
    marks: Dynamics,
    broken: Option<&'static str>,
    variables: Vec<(String, Option<Arg>)>,
    /// Variables that hold a written list, and those of loops around, with what they hold in turn.
    lists: Vec<(String, Vec<Arg>)>,
    /// The values that [`EACH`] in the word that is being read stands for.
    each: Option<Vec<Arg>>,
    /// Groups of the stage that is being read.
    groups: Vec<Group>,
    /// Calls of methods in its words.
    calls: Vec<Method>,
}

/// Whether there was one more left of what may still come.
fn counts(left: &mut usize) -> bool {
    let some = *left > 0;
    *left = left.saturating_sub(1);
    some
}

/// The values of a statement that is a written value or list of them.
fn written(stages: &[Stage]) -> Option<&[Arg]> {
    let [Stage { what: What::Expression, plain: true, words, .. }] = stages else { return None };
    match words.as_slice() {
        [word] => Some(&word.items),
        _ => None,
    }
}

/// Where each value of a list goes into a word.
const EACH: &str = "\0";

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
            let (stages, assigned) = self.pipeline();
            if self.at == from {
                self.at += 1;
                while !self.text.is_char_boundary(self.at) {
                    self.at += 1;
                }
            }
            if !stages.is_empty() {
                add(&mut found, Pipeline { joint, stages, assigned });
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

    /// There is more than is looked at: the text counts as if it ended here.
    fn cut(&mut self) {
        self.broken = Some("bound: parts");
        self.at = self.text.len();
    }

    fn pipeline(&mut self) -> (Vec<Stage>, Option<String>) {
        let from = self.at;
        let assigned = self.assignment();
        let named = self.text.get(from..self.at).and_then(|text| text.split_once('$')).map(|(_, name)| name);
        let mut stages = Vec::new();
        loop {
            self.blanks(!stages.is_empty());
            let stage = self.stage();
            let empty = stage.words.is_empty() && stage.groups.is_empty() && stage.calls.is_empty();
            if !(empty && stage.redirects.is_empty()) {
                add(&mut stages, stage);
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
            let values = if plain { written(&stages) } else { None };
            self.assign(name, values);
        }
        let kept = named.filter(|_| stages.iter().any(Stage::runs)).map(|text| {
            text.trim_end_matches([' ', '\t', '=', '+', '-', '*', '/', '%', '?']).trim_matches(['{', '}']).to_owned()
        });
        (stages, kept)
    }
}
