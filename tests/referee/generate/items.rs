//! Items that are put together rather than filled in: lists, loops, wrappers, here-documents.

use super::pieces::NAMES;
use super::{Maker, STUBS};

impl Maker {
    pub(super) fn assignment(&mut self) -> String {
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

    pub(super) fn folder(&mut self) -> String {
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

    pub(super) fn pipe(&mut self) -> String {
        self.straight = false;
        let bar = self.random.of(&[" | ", "|", " |& ", " |\n"]);
        format!("{}{bar}{}", self.simple(), self.simple())
    }

    pub(super) fn for_loop(&mut self) -> String {
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

    pub(super) fn function(&mut self) -> String {
        self.straight = false;
        let known = std::mem::take(&mut self.names);
        let body = self.inner();
        self.names = known;
        let argument = self.word();
        let head = self.random.of(&["f() {", "function f {", "f ()\n{"]);
        format!("{head} {body}\n}}\nf {argument}")
    }

    pub(super) fn wrapped(&mut self) -> String {
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

    pub(super) fn branch(&mut self) -> String {
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

    pub(super) fn case(&mut self) -> String {
        self.unsure();
        let pattern = self.random.of(&["a", "(a)", "a|b", "*", "'x y')", "\"b\""]);
        let pattern = pattern.trim_end_matches(')');
        let pattern = if pattern.starts_with('(') { "(a" } else { pattern };
        format!("case {} in {pattern}) {}\n;; *) {} ;& esac", self.word(), self.inner(), self.simple())
    }

    pub(super) fn subshell(&mut self) -> String {
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
    pub(super) fn reread(&mut self) -> String {
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

    pub(super) fn positional(&mut self) -> String {
        self.straight = false;
        let (one, two) = (self.word(), self.word());
        let use_of = self.random.of(&["\"$@\"", "\"$1\" $2", "$*", "\"$2\"", "\"${@:2}\"", "$#", "\"${1:-x}\""]);
        format!("set -- {one} {two}; {} {use_of}", self.random.of(STUBS))
    }

    pub(super) fn substituted(&mut self) -> String {
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

    pub(super) fn array(&mut self) -> String {
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

    pub(super) fn logic(&mut self) -> String {
        match self.random.below(3) {
            0 => format!("{} && {}", self.simple(), self.simple()),
            1 => {
                self.unsure();
                format!("{} || {}", self.simple(), self.simple())
            }
            _ => format!("! {}\n{}", self.simple(), self.simple()),
        }
    }

    pub(super) fn heredoc(&mut self) -> String {
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
