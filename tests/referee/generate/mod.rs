//! Makes commands that real bash can run without harm: the programs in them are stubs.
//!
//! A command is a few items: plain ones that are put together here ([`items`]), and templates
//! of one construct each with holes that are filled at random.

mod control;
mod items;
mod parameters;
mod pieces;
mod texts;

use super::random::Random;
use pieces::{FILES, GLOBS, NAMES, ODD, OPERANDS, PATTERNS, PLAIN, REPLACEMENTS, VALUES};

/// The programs that only record how they were called.
pub const STUBS: &[&str] = &["touch", "rm", "cp", "mv", "git", "make", "cat", "ls", "sed", "tee", "my-tool", "x1"];

/// Wrappers that run for real and start a stub.
pub const WRAPPERS: &[&str] = &[
    "env", "nice", "nohup", "timeout", "xargs", "bash", "sh", "stdbuf", "setsid", "find", "basename", "dirname", "seq",
];

/// Folders that exist where a command runs.
pub const FOLDERS: &[&str] = &["a", "a/b", "c d", "e", "e/f"];

/// A command and what is known of it.
pub struct Made {
    pub text: String,
    /// Whether every command in it runs, once and in reading order.
    pub straight: bool,
    /// Whether every command in it runs.
    pub all_run: bool,
    /// The kinds of its templates.
    pub kinds: Vec<&'static str>,
}

/// A kind of construct, whether every command in it runs, and its text with holes.
type Template = (&'static str, bool, &'static str);

/// Makes commands from a seed.
pub struct Maker {
    random: Random,
    straight: bool,
    all_run: bool,
    depth: usize,
    /// Variables that have a value here.
    names: Vec<&'static str>,
    /// Here-document bodies that the next newline brings.
    bodies: Vec<String>,
    kinds: Vec<&'static str>,
}

impl Maker {
    pub fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            straight: true,
            all_run: true,
            depth: 0,
            names: Vec::new(),
            bodies: Vec::new(),
            kinds: Vec::new(),
        }
    }

    /// The next command.
    pub fn next(&mut self) -> Made {
        (self.straight, self.all_run, self.depth) = (true, true, 0);
        self.names.clear();
        let mut text = String::new();
        for n in 0..=self.random.below(4) {
            if n > 0 {
                text.push_str(self.random.of(&["\n", "; ", " && ", "\n\n", "\n# it's (a comment\n", "\t;\n"]));
            }
            // A here-document takes the rest of its line.
            if !text.is_empty() && !text.ends_with(['\n', ' ']) {
                text.push(' ');
            }
            let item = if self.random.percent(60) { self.template() } else { self.item() };
            text.push_str(&item);
            if item.ends_with('\n') {
                text.push_str(": ");
            }
            if !self.bodies.is_empty() {
                text.push('\n');
                text.extend(std::mem::take(&mut self.bodies));
                text.push_str(": ");
            }
        }
        Made { text, straight: self.straight, all_run: self.all_run, kinds: std::mem::take(&mut self.kinds) }
    }

    /// One command of a list, compound or simple.
    fn item(&mut self) -> String {
        self.depth += 1;
        let text = match self.random.below(if self.depth > 3 { 8 } else { 26 }) {
            0..=7 => self.simple(),
            8 => self.assignment(),
            9 => self.folder(),
            10 => self.pipe(),
            11 | 12 => self.for_loop(),
            13 => self.function(),
            14 => self.wrapped(),
            15 => self.branch(),
            16 => self.case(),
            17 => self.subshell(),
            18 => self.reread(),
            19 => self.positional(),
            20 => self.substituted(),
            21 => self.array(),
            22 => self.logic(),
            23 => self.heredoc(),
            _ => self.template(),
        };
        self.depth -= 1;
        text
    }

    /// A command of one line, for places where no newline may come.
    fn inner(&mut self) -> String {
        self.depth += 2;
        let text = if self.random.percent(60) { self.simple() } else { self.item() };
        self.depth -= 2;
        match self.bodies.is_empty() {
            true => text,
            false => {
                let bodies: String = std::mem::take(&mut self.bodies).concat();
                format!("{text}\n{bodies}:")
            }
        }
    }

    fn simple(&mut self) -> String {
        let mut text = String::new();
        if self.random.percent(8) {
            text.push_str("LC_X=1 ");
        }
        let stub = self.random.of(STUBS);
        text.push_str(&match self.random.below(12) {
            0 => format!("\\{stub}"),
            1 => format!("\"{stub}\""),
            2 => format!("'{}'{}", stub.get(..1).unwrap_or_default(), stub.get(1..).unwrap_or_default()),
            3 => format!("{}\\\n{}", stub.get(..1).unwrap_or_default(), stub.get(1..).unwrap_or_default()),
            4 => format!("command {stub}"),
            _ => stub.to_owned(),
        });
        for _ in 0..self.random.below(4) {
            text.push_str(self.random.of(&[" ", " ", " ", "  ", " \\\n ", "\t"]));
            text.push_str(&self.word());
        }
        if self.random.percent(15) {
            text.push_str(self.random.of(&[
                " >out",
                " >>'o p'",
                " 2>&1",
                " </dev/null",
                " &>all",
                " >|out",
                " <<<\"a b\"",
                " 2>err",
            ]));
        }
        if self.random.percent(3) {
            text.push_str(" &\nwait");
            self.straight = false;
        }
        text
    }

    fn word(&mut self) -> String {
        let mut text = self.piece();
        while self.random.percent(20) {
            text.push_str(&self.piece());
        }
        text
    }

    fn piece(&mut self) -> String {
        match self.random.below(14) {
            0..=4 => self.random.of(PLAIN).to_owned(),
            5..=7 => {
                let odd = self.random.of(ODD);
                self.quoted(odd)
            }
            8 | 9 => self.variable(),
            10 => self
                .random
                .of(&[
                    "{a,b}",
                    "x{1..3}",
                    "{01..03}",
                    "{a..e..2}",
                    "{a,b{c,d}}",
                    "{,x}",
                    "{a}",
                    "{}",
                    "{a,\"b c\"}",
                    "{3..1}",
                    "{a,'b,c'}",
                ])
                .to_owned(),
            11 => self
                .random
                .of(&["$'a\\tb'", "$'\\x41\\102'", "$'\\u00e9'", "$\"loc\"", "$'\\'q'", "$'a\\cAb'", "$'\\e[0m'"])
                .to_owned(),
            12 => self
                .random
                .of(&[
                    "~",
                    "~/x",
                    "*.none",
                    "$HOME/x",
                    "$((1+2))",
                    "$PWD",
                    "$(echo s)",
                    "`echo t`",
                    "$(printf %s u)",
                    "a~",
                    "x=~",
                ])
                .to_owned(),
            _ => "a\\\nb".to_owned(),
        }
    }

    /// A spelling of `value`.
    fn quoted(&mut self, value: &str) -> String {
        match self.random.below(4) {
            0 if !value.contains('\'') => format!("'{value}'"),
            1 => {
                let mut text = String::from("\"");
                for c in value.chars() {
                    if matches!(c, '"' | '\\' | '$' | '`') {
                        text.push('\\');
                    }
                    text.push(c);
                }
                text + "\""
            }
            2 => {
                let escaped = value.replace('\\', "\\\\").replace('\'', "\\'").replace('\t', "\\t");
                format!("$'{escaped}'")
            }
            _ if value.is_empty() => "''".to_owned(),
            _ => value.chars().flat_map(|c| ['\\', c]).collect(),
        }
    }

    fn variable(&mut self) -> String {
        let Some(&name) = self.names.get(self.random.below(self.names.len())) else {
            return self.random.of(PLAIN).to_owned();
        };
        let form = self.random.of(&[
            "$N",
            "\"$N\"",
            "${N}",
            "\"${N}\"",
            "\"$N/x\"",
            "${N%.*}",
            "\"${N##*/}\"",
            "${N:-d}",
            "\"${N:+set}\"",
            "\"${N/a/b}\"",
            "\"${N^^}\"",
            "${#N}",
            "\"${N:0:2}\"",
            "\"${none:-$N}\"",
            "'$N'",
            "\\$N",
            "\"${N%%[a-z]*}\"",
            "${N#?}",
            "\"${N//a}\"",
        ]);
        form.replace('N', name)
    }

    /// One of the templates with its holes filled.
    fn template(&mut self) -> String {
        self.straight = false;
        let groups = [parameters::PARAMETERS, control::CONTROL, texts::TEXTS];
        let mut number = self.random.below(groups.iter().map(|group| group.len()).sum());
        for group in groups {
            if let Some(&(kind, all_run, text)) = group.get(number) {
                self.kinds.push(kind);
                self.all_run &= all_run;
                return self.fill(text);
            }
            number -= group.len();
        }
        String::new()
    }

    /// Fills the holes of a template: `§` and a letter.
    fn fill(&mut self, template: &str) -> String {
        let mut text = String::new();
        let mut holes = template.split('§');
        text.push_str(holes.next().unwrap_or_default());
        for hole in holes {
            let mut letters = hole.chars();
            match letters.next() {
                // A simple command, and one for single quotes.
                Some('s') => text.push_str(&self.alone()),
                Some('t') => text.push_str(&self.alone().replace('\'', "'\\''")),
                // The name of a program.
                Some('S') => text.push_str(self.random.of(STUBS)),
                // A name that gets a value here, and one that has a value.
                Some('N') => {
                    let name = NAMES.get(self.random.below(NAMES.len())).copied().unwrap_or("x");
                    self.names.push(name);
                    text.push_str(name);
                }
                Some('V') => {
                    let name = self.names.get(self.random.below(self.names.len())).copied().unwrap_or("x");
                    text.push_str(name);
                }
                // A word, a value that is one word, and an operand between double quotes.
                Some('w') => text.push_str(&self.word()),
                Some('q' | 'v') => {
                    let value = self.random.of(VALUES);
                    text.push_str(&self.quoted(value));
                }
                Some('d') => text.push_str(self.random.of(OPERANDS)),
                Some('p') => text.push_str(self.random.of(PATTERNS)),
                Some('r') => text.push_str(self.random.of(REPLACEMENTS)),
                Some('f') => text.push_str(self.random.of(FILES)),
                Some('g') => text.push_str(self.random.of(GLOBS)),
                Some('n') => text.push_str(&(self.random.below(9) as i64 - 3).to_string()),
                _ => {}
            }
            text.push_str(letters.as_str());
        }
        text
    }

    /// A simple command that is waited for.
    fn alone(&mut self) -> String {
        let straight = self.straight;
        let text = self.simple();
        self.straight = straight;
        text.trim_end_matches(" &\nwait").to_owned()
    }
}
