//! What the program table cannot say about compilers, formatters and other tools of developers.

#[cfg(test)]
mod tests;

use super::super::dynamic::Dynamic;
use super::super::options::Options;
use super::super::part::{Arg, Part};
use super::super::programs::{self, Run};
use super::{Found, Op, touched, value};

/// Whether a known program is only asked for its version or its help.
pub(super) fn asks(part: &Part, read: &Options<'_>) -> bool {
    let words = part.words();
    if read.program.is_none() || read.row.code.is_some() || read.row.run != Run::Nothing {
        return false;
    }
    match words {
        [_, only] => matches!(only.text.as_str(), "--version" | "--help" | "-V" | "-h" | "version" | "help"),
        [.., last] => read.dashes.is_none() && matches!(last.text.as_str(), "--help" | "--version"),
        [] => false,
    }
}

impl Found<'_> {
    /// `python -m module`: as if the module were a program. False if it is none of those.
    pub(super) fn module(&mut self, read: &Options<'_>) -> bool {
        let part = self.part;
        if !matches!(part.head.as_str(), "python" | "python2" | "python3" | "pypy3") || part.code.is_some() {
            return false;
        }
        let Some(option) = read.get(&["-m"]) else { return false };
        let (Some(name), Some(rest)) = (option.value.as_deref(), part.words().get(option.value_at + 1..)) else {
            return false;
        };
        // Rows of modules that are no programs have the option in their name.
        let row = Some(format!("-m {name}")).filter(|row| programs::program(row).is_some());
        let head = match row {
            Some(row) => row,
            None if !name.starts_with("python") && programs::program(name).is_some() => name.to_owned(),
            None => {
                self.open = Some("runs a module");
                return true;
            }
        };
        let mut argv = vec![Arg::literal(name)];
        argv.extend_from_slice(rest);
        let inner = touched(&Part {
            n: part.n,
            head: head.into(),
            argv: argv.into(),
            cwd: part.cwd.clone(),
            cwd_unknown: part.cwd_unknown,
            appends: part.appends,
            replace: part.replace.clone(),
            elsewhere: part.elsewhere,
            ..Part::default()
        });
        self.operands.extend(inner.operands);
        self.open = inner.open.map(|_| "runs a module");
        true
    }

    /// What a tool writes without being told, and where its words say more than the table can.
    pub(super) fn tool(&mut self, read: &Options<'_>) {
        if self.part.words().len() < 2 {
            // `yarn` alone installs.
            self.open = if self.part.head == "yarn" { Some("runs what the packages say") } else { self.open };
            return;
        }
        if !self.dry && !asks(self.part, read) {
            for path in read.row.makes {
                self.add(Arg::literal(*path), Op::Write);
            }
        }
        self.script(read);
        match self.part.head.as_str() {
            "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" => self.compiled(read),
            "javac" if !read.has(&["-d"]) => self.beside_sources(read, ".java", "*.class"),
            "rustc" => self.rustc(read),
            "ctags" if !read.has(&["-f", "-o"]) => self.add(Arg::literal("tags"), Op::Write),
            "etags" if !read.has(&["-f", "-o"]) => self.add(Arg::literal("TAGS"), Op::Write),
            "cscope" if !read.has(&["-f"]) => self.add(Arg::literal("cscope.out"), Op::Write),
            "jar" => self.jar(),
            "tsc" | "vue-tsc" | "tsgo" if read.has(&["--init"]) => {
                self.open = None;
                self.add(Arg::literal("tsconfig.json"), Op::Write);
            }
            "tsc" | "vue-tsc" | "tsgo" if read.has(&["--outDir", "--outFile"]) => self.open = None,
            "pip" | "pip3" | "uv" if read.words.last() == Some(&"install") => {
                let words = self.part.words();
                let local = |at: &usize| words.get(*at).is_some_and(|word| word.text.starts_with(['.', '/', '~']));
                if read.has(&["-e", "--editable"]) || read.operands.iter().any(local) {
                    self.open = Some("builds the project");
                }
            }
            "go" => self.go(read),
            "cargo" if read.words.as_slice() == ["fmt"] => {
                let words = self.part.words();
                if read.operands.iter().any(|at| words.get(*at).is_some_and(|word| word.text == "--check")) {
                    self.open = None;
                }
            }
            "eslint" | "ruff" | "biome" | "rubocop" | "stylelint" | "golangci-lint"
                if read.operands.is_empty() && read.has(read.row.in_place) && !self.dry =>
            {
                self.add(Arg::literal("."), Op::Write);
            }
            "-m gzip" => {
                let words = self.part.words();
                let opens = read.has(&["-d", "--decompress"]);
                for word in read.operands.iter().filter_map(|at| words.get(*at)) {
                    let text = match word.text.strip_suffix(".gz") {
                        Some(stem) if opens => stem.to_owned(),
                        _ => format!("{}.gz", word.text),
                    };
                    self.add(Arg { text: text.into(), dynamic: word.dynamic }, Op::Write);
                }
            }
            "-m zipfile" | "-m tarfile" => self.archived(read),
            "protoc" => {
                for option in read.options.iter().filter(|option| option.name.ends_with("_out")) {
                    // `--go_out=plugins=grpc:folder`
                    let Some(raw) = value(self.part, option) else { continue };
                    let text = raw.text.rsplit(':').next().unwrap_or_default().to_owned();
                    self.add(Arg { text: text.into(), dynamic: raw.dynamic }, Op::Write);
                }
            }
            "docker" | "podman" | "nerdctl" if read.words.last() == Some(&"cp") => self.copied(read, Op::Read),
            "kubectl" | "oc" | "k" if read.words.as_slice() == ["cp"] => self.copied(read, Op::Read),
            "aws" if matches!(read.words.as_slice(), ["s3", _]) => {
                self.copied(read, if read.words.last() == Some(&"mv") { Op::Delete } else { Op::Read });
            }
            "gsutil" if matches!(read.words.as_slice(), ["cp" | "mv" | "rsync"]) => self.copied(read, Op::Read),
            _ => {}
        }
    }

    /// A script file can do anything, but some are known by their name to set variables only.
    fn script(&mut self, read: &Options<'_>) {
        // What a shell reads before it does anything else.
        let starts = |word: &Arg| {
            let text = word.text.strip_prefix("BASH_ENV=").filter(|text| !text.is_empty())?.to_owned();
            Some(Arg { text: text.into(), dynamic: word.dynamic })
        };
        if read.row.run == Run::Shell
            && let Some(file) = self.part.assign.iter().find_map(starts)
        {
            self.add(file, Op::Read);
            self.open = Some("runs a script");
        }
        let Some(file) = read.operands.first().and_then(|at| self.part.words().get(*at)) else { return };
        let runs = match read.row.run {
            Run::Shell => !read.has(&["-c", "--command", "-s", "-n"]) && file.text != "-",
            Run::Source => !only_sets(&file.text),
            _ => false,
        };
        if runs && !file.text.starts_with("/dev/") && !file.dynamic.contains(&Dynamic::Proc) {
            self.open = Some("runs a script");
        }
    }

    /// `-c archive files`, `-e archive folder`, `-l archive`
    fn archived(&mut self, read: &Options<'_>) {
        let (first, others) = read.operands.split_at_checked(1).unwrap_or_default();
        let creates = read.has(&["-c", "--create"]);
        for at in first {
            self.word(*at, Some(if creates { Op::Write } else { Op::Read }));
        }
        let extracts = read.has(&["-e", "--extract"]);
        for at in others.iter().filter(|_| creates || extracts) {
            self.word(*at, Some(if creates { Op::Read } else { Op::Write }));
        }
        if extracts && others.is_empty() {
            self.add(Arg::literal("."), Op::Write);
        }
    }

    /// What a C compiler makes when it is not told with `-o`.
    fn compiled(&mut self, read: &Options<'_>) {
        if read.operands.is_empty() || self.dry {
            return;
        }
        let named = read.has(&["-o"]);
        let depends = read.has(&["-MD", "-MMD"]) && !read.has(&["-MF"]);
        if let (true, Some(raw)) = (depends, read.get(&["-o"]).and_then(|option| value(self.part, option))) {
            let text = format!("{}.d", stem(&raw.text));
            self.add(Arg { text: text.into(), dynamic: raw.dynamic }, Op::Write);
        }
        let ending = match (read.has(&["-c"]), read.has(&["-S"])) {
            (_, true) => ".s",
            (true, _) => ".o",
            _ if named => return,
            _ => return self.add(Arg::literal("a.out"), Op::Write),
        };
        for at in &read.operands {
            let Some(word) = self.part.words().get(*at) else { continue };
            let stem = stem(base(&word.text));
            let endings = [(!named).then_some(ending), (depends && !named).then_some(".d")];
            for ending in endings.into_iter().flatten() {
                self.add(Arg { text: format!("{stem}{ending}").into(), dynamic: word.dynamic }, Op::Write);
            }
        }
    }

    /// Files with another ending beside each source.
    fn beside_sources(&mut self, read: &Options<'_>, source: &str, ending: &str) {
        for at in &read.operands {
            let Some(word) = self.part.words().get(*at) else { continue };
            let Some(stem) = word.text.strip_suffix(source) else { continue };
            let mut made = Arg { text: format!("{stem}{ending}").into(), dynamic: word.dynamic };
            made.mark(Dynamic::Glob);
            self.add(made, Op::Write);
        }
    }

    /// `jar cf archive files`, `jar -xf archive`
    fn jar(&mut self) {
        let words = self.part.words();
        let Some(letters) = words.get(1).map(|word| word.text.trim_start_matches('-')) else { return };
        if !letters.contains('f') || letters.len() > 6 || letters.contains(['e', 'm']) {
            return;
        }
        let creates = letters.contains(['c', 'u']);
        if creates || letters.contains('t') {
            self.word(2, Some(if creates { Op::Write } else { Op::Read }));
            for at in (3..words.len()).filter(|_| creates) {
                self.word(at, Some(Op::Read));
            }
            // `-C folder` stands among the files.
            self.open = words.iter().any(|word| word.text == "-C").then_some("packs another folder");
        } else {
            self.word(2, Some(Op::Read));
        }
    }

    fn rustc(&mut self, read: &Options<'_>) {
        if read.has(&["-o", "--out-dir", "--print"]) {
            return;
        }
        let Some(word) = read.operands.first().and_then(|at| self.part.words().get(*at)) else { return };
        if read.has(&["--emit", "--crate-type"]) {
            self.open = Some("writes what it compiles");
        }
        let text = stem(base(&word.text)).to_owned();
        self.add(Arg { text: text.into(), dynamic: word.dynamic }, Op::Write);
    }

    fn go(&mut self, read: &Options<'_>) {
        let words = self.part.words();
        let at = |at: &usize| words.get(*at);
        match read.words.as_slice() {
            ["build"] if !read.has(&["-o"]) && !self.dry => match read.operands.as_slice() {
                [first, ..] if at(first).is_some_and(|word| word.text.ends_with(".go")) => {
                    let Some(word) = at(first) else { return };
                    let text = stem(base(&word.text)).to_owned();
                    self.add(Arg { text: text.into(), dynamic: word.dynamic }, Op::Write);
                }
                // Of several packages nothing is kept.
                [only] if at(only).is_some_and(|word| !word.text.ends_with("...")) => {
                    self.open = Some("writes a program if it is one");
                }
                [] => self.open = Some("writes a program if it is one"),
                _ => {}
            },
            ["fmt" | "fix"] if !self.dry => {
                if read.operands.is_empty() {
                    self.add(Arg { text: "*.go".into(), dynamic: Dynamic::Glob.into() }, Op::Write);
                }
                for word in read.operands.iter().filter_map(at) {
                    let text = word.text.trim_end_matches("...").trim_end_matches('/');
                    let text = if text.is_empty() { "." } else { text }.to_owned();
                    self.add(Arg { text: text.into(), dynamic: word.dynamic }, Op::Write);
                }
            }
            _ => {}
        }
    }

    /// Copies between here and elsewhere: `box:/a b`, `a s3://b`.
    fn copied(&mut self, read: &Options<'_>, from: Op) {
        let words = self.part.words();
        let here = |at: &usize| {
            let text = words.get(*at).map_or("", |word| word.text.as_str());
            text.split_once(':').is_none_or(|(before, _)| before.contains('/') || before.starts_with('.'))
        };
        if let Some((last, others)) = read.operands.split_last() {
            for at in others.iter().filter(|at| here(at)) {
                self.word(*at, Some(from));
            }
            if here(last) && !others.is_empty() {
                self.word(*last, Some(Op::Write));
            }
        }
    }
}

/// Whether a file that is sourced sets variables and functions only, by its name: of a virtual
/// environment, `.env`, or what a shell reads when it starts.
pub(in crate::shell) fn only_sets(path: &str) -> bool {
    let name = base(path);
    let starts = [".bashrc", ".zshrc", ".profile", ".bash_profile", ".zprofile", "nvm.sh", "conda.sh"];
    matches!(name, "activate" | "activate.fish")
        || starts.contains(&name)
        || name.starts_with(".env")
        || path.ends_with("/.cargo/env")
}

/// The name in a path.
fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// A path without its last ending.
fn stem(path: &str) -> &str {
    match path.rsplit_once('.') {
        Some((stem, end)) if !stem.is_empty() && !end.contains('/') => stem,
        _ => path,
    }
}
