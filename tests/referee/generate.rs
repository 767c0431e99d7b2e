//! Makes commands that real bash can run without harm: the programs in them are stubs.

use super::random::Random;

/// The programs that only record how they were called.
pub const STUBS: &[&str] = &["touch", "rm", "cp", "mv", "git", "make", "cat", "ls", "sed", "tee", "my-tool", "x1"];

/// Wrappers that run for real and start a stub.
pub const WRAPPERS: &[&str] = &["env", "nice", "nohup", "timeout", "xargs", "bash", "sh", "stdbuf", "setsid", "find"];

/// Folders that exist where a command runs.
pub const FOLDERS: &[&str] = &["a", "a/b", "c d", "e", "e/f"];

/// A command and what is known of it.
pub struct Made {
    pub text: String,
    /// Whether every command in it runs, once and in reading order.
    pub straight: bool,
    /// Whether every command in it runs.
    pub all_run: bool,
}

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
}

const NAMES: &[&str] = &["x", "y", "dir", "F_1"];
const PLAIN: &[&str] =
    &["a", "b.txt", "-r", "--opt=v", "src/main.rs", "./x", "a:b", "1", "%s", "a=b", "-", "@v", "x,y", "+x"];
const ODD: &[&str] = &[
    "two words",
    "it is",
    "a;b",
    "a&b",
    "$x",
    "`x`",
    "*",
    "?",
    "[z]",
    "~",
    "{a,b}",
    "#",
    "a#b",
    "",
    " ",
    "<x",
    "a|b",
    "(x)",
    "\\",
    "a\\b",
    "\"",
    "é",
    "語",
    "!",
    "a\tb",
    "$(x)",
    "${x}",
    "-n",
    "=",
    "\\n",
    "a'b",
];

impl Maker {
    pub fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            straight: true,
            all_run: true,
            depth: 0,
            names: Vec::new(),
            bodies: Vec::new(),
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
            let item = self.item();
            text.push_str(&item);
            if !self.bodies.is_empty() {
                text.push('\n');
                text.extend(std::mem::take(&mut self.bodies));
                text.push_str(": ");
            }
        }
        Made { text, straight: self.straight, all_run: self.all_run }
    }

    /// One command of a list, compound or simple.
    fn item(&mut self) -> String {
        self.depth += 1;
        let text = match self.random.below(if self.depth > 3 { 8 } else { 24 }) {
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
            _ => self.heredoc(),
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

    fn assignment(&mut self) -> String {
        let name = NAMES.get(self.random.below(NAMES.len())).copied().unwrap_or("x");
        let value = self.word();
        let lead = self.random.of(&["", "", "", "export ", "declare ", "readonly q; "]);
        let op = if self.names.contains(&name) && self.random.percent(20) && lead.is_empty() { "+=" } else { "=" };
        // Of `declare` the value is one word too.
        if !self.names.contains(&name) {
            self.names.push(name);
        }
        format!("{lead}{name}{op}{value}")
    }

    fn folder(&mut self) -> String {
        let folder = self.random.of(&["a", "a/b", "'c d'", "e/f", ".", "./e", "\"c d\""]);
        // Where it stands decides whether the folder exists.
        match self.random.below(3) {
            0 => format!("(cd {folder} && {})", self.inner()),
            1 => {
                self.unsure();
                format!("cd {folder} && {}", self.simple())
            }
            _ => {
                self.unsure();
                format!("pushd {folder} >/dev/null && {} && popd >/dev/null", self.simple())
            }
        }
    }

    /// What follows may not run.
    fn unsure(&mut self) {
        (self.all_run, self.straight) = (false, false);
    }

    fn pipe(&mut self) -> String {
        self.straight = false;
        let bar = self.random.of(&[" | ", "|", " |& ", " |\n"]);
        format!("{}{bar}{}", self.simple(), self.simple())
    }

    fn for_loop(&mut self) -> String {
        self.straight = false;
        let name = NAMES.get(self.random.below(NAMES.len())).copied().unwrap_or("x");
        let words: Vec<String> = (0..=self.random.below(2)).map(|_| self.word()).collect();
        let known = self.names.clone();
        self.names.push(name);
        let body = self.inner();
        self.names = known;
        self.names.retain(|&other| other != name);
        format!("for {name} in {}; do {body}\ndone", words.join(" "))
    }

    fn function(&mut self) -> String {
        self.straight = false;
        let known = std::mem::take(&mut self.names);
        let body = self.inner();
        self.names = known;
        let argument = self.word();
        let head = self.random.of(&["f() {", "function f {", "f ()\n{"]);
        format!("{head} {body}\n}}\nf {argument}")
    }

    fn wrapped(&mut self) -> String {
        let wrapper = self.random.of(&[
            "env A=1",
            "env -u Q",
            "nice -n 1",
            "nohup",
            "timeout 5",
            "stdbuf -oL",
            "env -i PATH=\"$PATH\" REFEREE=\"$REFEREE\"",
            "timeout -k 1 5s",
            "nice",
            "command",
            "exec",
        ]);
        let stub = self.random.of(STUBS);
        let words: Vec<String> = (0..self.random.below(3)).map(|_| self.word()).collect();
        let text = format!("{wrapper} {stub} {}", words.join(" "));
        if wrapper == "exec" { format!("({text})") } else { text }
    }

    fn branch(&mut self) -> String {
        let condition = self.random.of(&["true", "[ -d . ]", "[[ a == a ]]", "((1))", "! false"]);
        let body = self.inner();
        match self.random.below(3) {
            0 => format!("if {condition}; then {body}\nfi"),
            1 => {
                self.unsure();
                format!("if {condition}; then {body}\nelse {}\nfi", self.inner())
            }
            _ => {
                self.unsure();
                format!("while {condition}; do {body}\nbreak; done")
            }
        }
    }

    fn case(&mut self) -> String {
        self.unsure();
        let pattern = self.random.of(&["a", "(a)", "a|b", "*", "'x y')", "\"b\""]);
        let pattern = pattern.trim_end_matches(')');
        let pattern = if pattern.starts_with('(') { "(a" } else { pattern };
        format!("case {} in {pattern}) {}\n;; *) {} ;& esac", self.word(), self.inner(), self.simple())
    }

    fn subshell(&mut self) -> String {
        let known = self.names.clone();
        let text = match self.random.below(3) {
            0 => format!("({}; {})", self.simple(), self.simple()),
            1 => format!("{{ {}; {}; }}", self.simple(), self.simple()),
            _ => format!("( {} )", self.inner()),
        };
        self.names = known;
        text
    }

    /// Text that a shell reads again.
    fn reread(&mut self) -> String {
        self.straight = false;
        let known = std::mem::take(&mut self.names);
        let text = self.simple();
        self.names = known;
        match self.random.below(5) {
            0 => format!("bash -c '{}'", text.replace('\'', "'\\''")),
            1 => format!("eval '{}'", text.replace('\'', "'\\''")),
            2 => format!("sh -c '{}' name \"arg\"", text.replace('\'', "'\\''")),
            3 => {
                self.bodies.push(format!("{text}\nEND\n"));
                "bash <<'END'".to_owned()
            }
            _ => format!("echo a 'b c' | xargs {}", self.random.of(STUBS)),
        }
    }

    fn positional(&mut self) -> String {
        self.straight = false;
        let (one, two) = (self.word(), self.word());
        let use_of = self.random.of(&["\"$@\"", "\"$1\" $2", "$*", "\"$2\"", "\"${@:2}\"", "$#", "\"${1:-x}\""]);
        format!("set -- {one} {two}; {} {use_of}", self.random.of(STUBS))
    }

    fn substituted(&mut self) -> String {
        self.straight = false;
        let inside = self.simple();
        let inside = inside.trim_end_matches("&\nwait").to_owned();
        let stub = self.random.of(STUBS);
        match self.random.below(4) {
            0 => format!("{stub} $({inside})"),
            1 => format!("{stub} \"$({inside})\" x"),
            2 => format!("{stub} <({inside})"),
            _ => format!("{stub} \"${{none:-$({inside})}}\""),
        }
    }

    fn array(&mut self) -> String {
        self.straight = false;
        let (one, two) = (self.word(), self.word());
        let use_of = self.random.of(&[
            "\"${r[@]}\"",
            "${r[0]}",
            "\"${r[1]}\"",
            "${r[*]}",
            "\"$r\"",
            "${#r[@]}",
            "\"${r[@]:1}\"",
        ]);
        let more = self.random.of(&["", "r+=(z); ", "r[1]=w; "]);
        format!("r=({one} {two}); {more}{} {use_of}", self.random.of(STUBS))
    }

    fn logic(&mut self) -> String {
        match self.random.below(3) {
            0 => format!("{} && {}", self.simple(), self.simple()),
            1 => {
                self.unsure();
                format!("{} || {}", self.simple(), self.simple())
            }
            _ => format!("! {}\n{}", self.simple(), self.simple()),
        }
    }

    fn heredoc(&mut self) -> String {
        let body =
            self.random.of(&["plain\n", "it's \"one\"\n", "$x `echo` \\$y\n", "", "a ) b\n", "E\\\nND2\n", "\ttab\n"]);
        let (open, close) = self.random_pair(&[
            ("<<END", "END"),
            ("<<'END'", "END"),
            ("<<\"END\"", "END"),
            ("<<-END", "\tEND"),
            ("<<\\END", "END"),
        ]);
        let stub = self.random.of(STUBS);
        self.bodies.push(format!("{body}{close}\n"));
        let tail = self.random.of(&["", " >out", " x y", " 2>&1 | cat"]);
        self.straight &= !tail.contains('|');
        format!("{stub} {open}{tail}")
    }

    fn random_pair<'a>(&mut self, all: &[(&'a str, &'a str)]) -> (&'a str, &'a str) {
        all.get(self.random.below(all.len())).copied().unwrap_or_default()
    }
}
