//! What the program table cannot say about the paths of single programs.

use super::super::options::{Opt, Options};
use super::super::part::Arg;
use super::super::programs::Does;
use super::super::unwrap;
use super::{Found, Op, value};

impl Found<'_> {
    /// What is written beside an operand: a copy with a suffix, a packed or unpacked file.
    pub(super) fn beside(&mut self, at: usize, head: &str, read: &Options<'_>) {
        let Some(word) = self.part.words().get(at) else {
            return;
        };
        let with = |text: String| Arg { text, dynamic: word.dynamic.clone() };
        if matches!(head, "sed" | "gsed" | "perl" | "ruby") {
            let option = read.get(&["-i", "--in-place"]);
            if let Some(suffix) = option.and_then(|option| option.value.as_deref()) {
                let text = if suffix.contains('*') {
                    let (folder, name) = word.text.rsplit_once('/').unwrap_or((".", &word.text));
                    format!("{folder}/{}", suffix.replace('*', name))
                } else {
                    format!("{}{suffix}", word.text)
                };
                self.add(with(text), Op::Write);
            }
            return;
        }
        if self.rewrites(head, read) && matches!(head, "awk" | "gawk") {
            let set = |option: &&Opt<'_>| matches!(option.name.as_ref(), "-v" | "--assign");
            let values = read.options.iter().filter(set).filter_map(|option| option.value.as_deref());
            for suffix in values
                .filter_map(|value| value.strip_prefix("INPLACE_SUFFIX=").or(value.strip_prefix("inplace::suffix=")))
            {
                self.add(with(format!("{}{suffix}", word.text)), Op::Write);
            }
            return;
        }
        let Some(suffix) = packs(head).filter(|_| !self.only_reads(head, read)) else {
            return;
        };
        let text = match word.text.strip_suffix(suffix) {
            Some(stem) => stem.to_owned(),
            None => format!("{}{suffix}", word.text),
        };
        self.add(with(text), Op::Write);
    }

    /// Whether an option makes it change its operands in place.
    pub(super) fn rewrites(&self, head: &str, read: &Options<'_>) -> bool {
        match head {
            "awk" | "gawk" => {
                read.options.iter().any(|option| option.name == "-i" && option.value.as_deref() == Some("inplace"))
            }
            _ => read.has(read.row.in_place),
        }
    }

    /// Whether an option keeps a program from changing what it usually changes.
    pub(super) fn only_reads(&self, head: &str, read: &Options<'_>) -> bool {
        match head {
            "black" | "isort" | "rustfmt" | "ruff" | "yapf" | "autopep8" => {
                read.has(&["--check", "--diff", "--check-only", "-d"])
            }
            "gzip" | "gunzip" | "bzip2" | "bunzip2" | "xz" | "unxz" | "zstd" | "unzstd" | "lz4" | "pigz" => {
                read.has(&["-c", "--stdout", "--to-stdout", "-t", "--test", "-l", "--list"])
            }
            _ => false,
        }
    }

    /// What the table cannot say about operands.
    pub(super) fn special(&mut self, head: &str, read: &Options<'_>, operands: &mut Vec<usize>) {
        let words = self.part.words();
        let text = |at: &usize| words.get(*at).map_or("", |word| word.text.as_str());
        match head {
            // BSD: the suffix of `-i` is a word of its own, often empty.
            "sed" if read.has(&["-i"]) && operands.first().is_some_and(|at| text(at).is_empty()) => {
                operands.remove(0);
            }
            "awk" | "gawk" | "mawk" | "nawk" => {
                operands.retain(|at| *at == operand_zero(read) || !unwrap::is_assignment(text(at)));
            }
            // Only a loop over its input reads them; else the code says what happens to them.
            "perl" | "ruby"
                if self.part.code.is_some() && read.has(read.row.code_text) && !read.has(&["-n", "-p", "-a", "-F"]) =>
            {
                operands.clear();
            }
            "sqlite3" | "duckdb" => {
                let name = operands.first().map_or("", text);
                if name == ":memory:" {
                    operands.clear();
                } else if let Some(path) = name.strip_prefix("file:") {
                    let path = path.split('?').next().unwrap_or_default();
                    let path = path.strip_prefix("//").unwrap_or(path);
                    let dynamic = operands.first().and_then(|at| words.get(*at)).map(|word| word.dynamic.clone());
                    let raw = Arg { text: path.to_owned(), dynamic: dynamic.unwrap_or_default() };
                    operands.clear();
                    if let Some(op) = self.base(Does::Write) {
                        self.add(raw, op);
                    }
                }
            }
            "jq" | "gojq" | "jaq" => {
                let pairs = ["--arg", "--argjson", "--slurpfile", "--rawfile"];
                for option in read.options.iter().filter(|option| pairs.contains(&option.name.as_ref())) {
                    operands.retain(|at| *at != option.at + 1 && *at != option.at + 2);
                    if option.name.ends_with("file") {
                        self.word(option.at + 2, Some(Op::Read));
                    }
                }
            }
            "rsync" | "scp" | "sftp" => {
                let remote =
                    |text: &str| text.find(':').is_some_and(|at| !text.get(..at).unwrap_or_default().contains('/'));
                // A remote target is no path of ours, but it still is the last operand.
                if operands.last().is_some_and(|at| remote(text(at))) {
                    for at in operands.drain(..) {
                        if !words.get(at).is_some_and(|word| remote(&word.text)) {
                            self.word(at, Some(Op::Read));
                        }
                    }
                }
                operands.retain(|at| !remote(text(at)));
                if let ([only], false) = (operands.as_slice(), read.operands.len() < 2) {
                    let only = *only;
                    operands.clear();
                    self.word(only, Some(Op::Write));
                }
            }
            "curl" if read.has(&["-O", "--remote-name", "--remote-name-all"]) => {
                for at in operands.drain(..) {
                    let Some(word) = words.get(at) else { continue };
                    let path = word.text.split(['?', '#']).next().unwrap_or_default();
                    let name = path.rsplit('/').next().unwrap_or_default();
                    let raw = Arg { text: name.to_owned(), dynamic: word.dynamic.clone() };
                    self.add(raw, Op::Write);
                }
            }
            "unzip" if !read.has(&["-d", "-l", "-p", "-t", "-Z", "-v", "-z"]) => {
                self.add(Arg::literal("."), Op::Write);
            }
            _ => {}
        }
    }

    /// Starting points stand before the expression.
    pub(super) fn find(&mut self, read: &Options<'_>) {
        let words = self.part.words();
        let start = |text: &str| {
            let option = text.starts_with('-') && text.len() > 1;
            !(option || matches!(text, "(" | ")" | "!" | ","))
        };
        let mut at = 1;
        while words
            .get(at)
            .is_some_and(|word| matches!(word.text.as_str(), "-H" | "-L" | "-P") || word.text.starts_with("-O"))
        {
            at += 1;
        }
        let op = if read.has(&["-delete"]) { Op::Delete } else { Op::List };
        let from = at;
        while words.get(at).is_some_and(|word| start(&word.text)) {
            self.word(at, Some(op));
            at += 1;
        }
        if at == from {
            self.add(Arg::literal("."), op);
        }
    }

    /// `tar -xzf a`, `tar xzf a`.
    pub(super) fn tar(&mut self, read: &Options<'_>) {
        let words = self.part.words();
        let mut operands = read.operands.clone();
        let mut letters = String::new();
        let mut file = read.get(&["-f", "--file"]).and_then(|option| value(self.part, option));
        let mut folder = read.get(&["-C", "--directory"]).and_then(|option| value(self.part, option));
        // The old spelling: letters without a dash, their values follow in order.
        if let Some(bundle) = words.get(1).filter(|word| !word.text.starts_with('-') && word.dynamic.is_empty()) {
            letters.clone_from(&bundle.text);
            let mut at = 2;
            for letter in bundle.text.chars().filter(|letter| "fCbTXIgKLNVF".contains(*letter)) {
                match letter {
                    'f' => file = words.get(at).cloned(),
                    'C' => folder = words.get(at).cloned(),
                    _ => {}
                }
                at += 1;
            }
            operands.retain(|operand| *operand >= at);
        }
        let has = |letter: char, names: &[&str]| letters.contains(letter) || read.has(names);
        let writes = has('c', &["-c", "--create"]) || has('r', &["-r", "--append"]) || has('u', &["-u", "--update"]);
        let extracts = has('x', &["-x", "--extract", "--get"]);
        if let Some(file) = file {
            self.add(file, if writes || read.has(&["--delete"]) { Op::Write } else { Op::Read });
        }
        if extracts && !has('O', &["-O", "--to-stdout"]) {
            self.add(folder.unwrap_or_else(|| Arg::literal(".")), Op::Write);
        } else if writes {
            self.under = folder.into_iter().collect();
            let op = if read.has(&["--remove-files"]) { Op::Delete } else { Op::Read };
            for at in operands {
                self.word(at, Some(op));
            }
        }
    }
}

/// The suffix of the files that a packer makes.
pub(super) fn packs(head: &str) -> Option<&'static str> {
    match head {
        "gzip" | "gunzip" | "pigz" => Some(".gz"),
        "bzip2" | "bunzip2" => Some(".bz2"),
        "xz" | "unxz" => Some(".xz"),
        "zstd" | "unzstd" => Some(".zst"),
        "lz4" => Some(".lz4"),
        _ => None,
    }
}

fn operand_zero(read: &Options<'_>) -> usize {
    if read.has(read.row.unless) { 0 } else { read.operands.first().copied().unwrap_or(0) }
}
