//! What the program table cannot say about the paths of single programs.

use super::super::dynamic::Dynamic;
use super::super::options::{Operands, Options};
use super::super::part::Arg;
use super::super::programs::Does;
use super::super::unwrap;
use super::copy::join;
use super::{Found, Op, value};

/// Longest suffix of the pieces of `split` that is told exactly.
const MOST_LETTERS: usize = 16;

/// Most folders above a name that `rmdir -p` is followed to.
const MOST_ABOVE: usize = 16;

impl Found<'_> {
    /// What is written beside an operand: a copy with a suffix.
    pub(super) fn beside(&mut self, at: usize, head: &str, read: &Options<'_>) {
        let Some(word) = self.part.words().get(at) else { return };
        if matches!(head, "awk" | "gawk") && self.rewrites(head, read) {
            let suffix = read.options.iter().filter_map(|option| option.value.as_deref()).find_map(|value| {
                value.strip_prefix("INPLACE_SUFFIX=").or_else(|| value.strip_prefix("inplace::suffix="))
            });
            if let Some(suffix) = suffix {
                self.entry(Arg { text: format!("{}{suffix}", word.text).into(), dynamic: word.dynamic }, Op::Write);
            }
        }
        if !matches!(head, "sed" | "gsed" | "perl" | "ruby") {
            return;
        }
        let option = read.get(&["-i", "--in-place"]);
        let Some(suffix) = option.and_then(|option| option.value.as_deref()).filter(|suffix| !suffix.is_empty()) else {
            return;
        };
        // Each star stands for the name as it was given.
        let text =
            if suffix.contains('*') { suffix.replacen('*', &word.text, 4) } else { format!("{}{suffix}", word.text) };
        self.entry(Arg { text: text.into(), dynamic: word.dynamic }, Op::Write);
    }

    /// Whether an option makes it change its operands in place.
    pub(super) fn rewrites(&self, head: &str, read: &Options<'_>) -> bool {
        match head {
            "awk" | "gawk" => read.options.iter().any(|option| {
                matches!(option.name.as_ref(), "-i" | "--include") && option.value.as_deref() == Some("inplace")
            }),
            _ => read.has(read.row.in_place),
        }
    }

    /// Whether an option keeps a program from changing what it usually changes.
    pub(super) fn only_reads(&self, head: &str, read: &Options<'_>) -> bool {
        match head {
            "black" | "isort" | "rustfmt" | "ruff" | "yapf" | "autopep8" => {
                read.has(&["--check", "--diff", "--check-only", "-d"])
            }
            _ => false,
        }
    }

    /// What the table cannot say about operands.
    pub(super) fn special(&mut self, head: &str, read: &Options<'_>, operands: &mut Operands) {
        let words = self.part.words();
        match head {
            // BSD: the suffix of `-i` is a word of its own, often empty. With one word behind it that
            // word is a script without files there, and a file with an empty script to GNU.
            "sed"
                if read.has(&["-i"])
                    && operands.first().is_some_and(|at| self.text(*at).is_empty())
                    && (operands.len() > 2 || read.has(read.row.unless)) =>
            {
                operands.remove(0);
            }
            "touch" | "gtouch" if read.has(&["-h", "--no-dereference"]) => {
                for word in operands.drain(..).filter_map(|at| words.get(at)) {
                    self.entry(word.clone(), Op::Write);
                }
            }
            // Pairs of an old and a new file.
            "dos2unix" | "unix2dos" | "mac2unix" if read.has(&["-n", "--newfile"]) => {
                for (number, at) in operands.drain(..).enumerate() {
                    self.word(at, Some(if number % 2 == 0 { Op::Read } else { Op::Write }));
                }
            }
            // A number is an open descriptor.
            "flock" if operands.first().is_some_and(|at| self.text(*at).bytes().all(|byte| byte.is_ascii_digit())) => {
                operands.clear();
            }
            "awk" | "gawk" | "mawk" | "nawk" => {
                operands.retain(|at| *at == operand_zero(read) || !unwrap::is_assignment(self.text(*at)));
            }
            // Only a loop over its input reads them; else the code says what happens to them.
            "perl" | "ruby"
                if self.part.code.is_some() && read.has(read.row.code_text) && !read.has(&["-n", "-p", "-a", "-F"]) =>
            {
                operands.clear();
            }
            "sqlite3" | "duckdb" => {
                let name = operands.first().map_or("", |at| self.text(*at));
                if name == ":memory:" {
                    operands.clear();
                } else if let Some(path) = name.strip_prefix("file:") {
                    let path = path.split('?').next().unwrap_or_default();
                    let path = path.strip_prefix("//").unwrap_or(path);
                    let dynamic = operands.first().and_then(|at| words.get(*at)).map(|word| word.dynamic);
                    let raw = Arg { text: path.into(), dynamic: dynamic.unwrap_or_default() };
                    operands.clear();
                    if let Some(op) = self.base(Does::Write) {
                        self.add(raw, op);
                    }
                }
            }
            "jq" | "gojq" | "jaq" => self.jq(read, operands),
            "split" | "csplit" => self.split(head, read, operands),
            "mktemp" => self.mktemp(read, operands),
            "rmdir" if read.has(&["-p", "--parents"]) => {
                for word in operands.drain(..).filter_map(|at| words.get(at)) {
                    let mut text = word.text.trim_end_matches('/');
                    self.add(word.clone(), Op::Delete);
                    for _ in 0..MOST_ABOVE {
                        let Some((above, _)) = text.rsplit_once('/').filter(|(above, _)| !above.is_empty()) else {
                            break;
                        };
                        self.add(Arg { text: above.into(), dynamic: word.dynamic }, Op::Delete);
                        text = above;
                    }
                }
            }
            "shred" if !read.has(&["-u", "--remove"]) => {
                for at in operands.drain(..) {
                    self.word(at, Some(Op::Write));
                }
            }
            "python" | "python3"
                if read.get(&["-m"]).is_some_and(|module| module.value.as_deref() == Some("json.tool")) =>
            {
                self.open = None;
                for (number, at) in operands.drain(..).enumerate() {
                    self.word(at, Some(if number == 0 { Op::Read } else { Op::Write }));
                }
            }
            "openssl" => {
                // `openssl dgst a` reads files behind its options; others take none.
                let digests = operands.first().is_some_and(|at| {
                    let name = self.text(*at);
                    matches!(name, "dgst" | "verify") || name.starts_with("sha") || name.starts_with("md")
                });
                for at in operands.iter().skip(1).filter(|_| digests) {
                    self.word(*at, Some(Op::Read));
                }
            }
            "gpg" | "gpg2" => self.gpg(read, operands),
            "ssh-keygen" => {
                let makes = !read.has(&["-l", "-y", "-F", "-R", "-B", "-e", "-i", "-c", "-p", "-L", "-Y"]);
                if let Some(file) = read.get(&["-f"]).and_then(|option| value(self.part, option)) {
                    let mut public = file.clone();
                    public.text.push_str(".pub");
                    self.add(file, if makes { Op::Write } else { Op::Read });
                    if makes {
                        self.add(public, Op::Write);
                    }
                }
            }
            "chmod" if operands.first().is_some_and(|at| at > &1 && self.text(1).starts_with('-')) => {
                // `chmod -x a`: what looks like an option is the mode.
                let mode = self.text(1);
                let letters = mode.get(1..).unwrap_or_default();
                if !letters.is_empty() && letters.bytes().all(|byte| b"rwxXstugoa,+=-".contains(&byte)) {
                    for at in operands.drain(..) {
                        self.word(at, Some(Op::Write));
                    }
                }
            }
            _ => {}
        }
    }

    /// `--arg a b` and the like take two words.
    fn jq(&mut self, read: &Options<'_>, operands: &mut Operands) {
        let pairs = ["--arg", "--argjson", "--slurpfile", "--rawfile"];
        for option in read.options.iter().filter(|option| pairs.contains(&option.name.as_ref())) {
            operands.retain(|at| *at != option.at + 1 && *at != option.at + 2);
            if option.name.ends_with("file") {
                self.word(option.at + 2, Some(Op::Read));
            }
        }
        // What follows are texts for the program, no files.
        let texts = read.get(&["--args", "--jsonargs"]).map_or(usize::MAX, |option| option.at);
        let program = operands.first().copied();
        operands.retain(|at| *at < texts || (Some(*at) == program && !read.has(read.row.unless)));
    }

    /// The pieces of `split` and `csplit`, as a glob.
    fn split(&mut self, head: &str, read: &Options<'_>, operands: &mut Operands) {
        let number = |names: &[&str], most: usize| {
            let value = read.get(names).and_then(|option| option.value.as_deref());
            value.and_then(|value| value.parse::<usize>().ok()).map_or(2, |value| value.min(most))
        };
        let mut rest = std::mem::take(operands).into_iter();
        if let Some(first) = rest.next() {
            self.word(first, Some(Op::Read));
        }
        if read.has(&["--filter"]) || self.part.appends {
            return;
        }
        let prefix = match head {
            "csplit" => read.get(&["-f", "--prefix"]).and_then(|option| value(self.part, option)),
            _ => rest.next().and_then(|at| self.part.words().get(at).cloned()),
        };
        let mut raw = prefix.unwrap_or_else(|| Arg::literal(if head == "csplit" { "xx" } else { "x" }));
        let letters = if head == "csplit" {
            number(&["-n", "--digits"], MOST_LETTERS)
        } else {
            number(&["-a", "--suffix-length"], MOST_LETTERS)
        };
        match read.get(&["-b", "--suffix-format"]).filter(|_| head == "csplit") {
            Some(_) => raw.text.push('*'),
            None => raw.text.extend(std::iter::repeat_n('?', letters)),
        }
        if let Some(suffix) = read.get(&["--additional-suffix"]).and_then(|option| option.value.as_deref()) {
            raw.text.push_str(suffix);
        }
        raw.mark(Dynamic::Glob);
        self.add(raw, Op::Write);
    }

    /// `mktemp -p a b.XXX`
    fn mktemp(&mut self, read: &Options<'_>, operands: &mut Operands) {
        let folder = read.get(&["-p", "--tmpdir"]).and_then(|option| value(self.part, option));
        let template = operands.drain(..).next().and_then(|at| self.part.words().get(at).cloned());
        if read.has(&["-u", "--dry-run"]) {
            return;
        }
        let elsewhere = read.has(&["-t", "--tmpdir"]) && folder.is_none();
        let name = template.or_else(|| folder.is_some().then(|| Arg::literal("tmp.XXXXXXXXXX")));
        // The letters at the end stand for any others.
        let name = name.map(|mut name| {
            let stem = name.text.trim_end_matches('X').len();
            let letters = name.text.len() - stem;
            if letters > 2 {
                name.text.truncate(stem);
                name.text.extend(std::iter::repeat_n('?', letters));
                name.mark(Dynamic::Glob);
            }
            name
        });
        let path = match (name, folder) {
            (Some(name), Some(folder)) => join(&folder, &name),
            (Some(name), None) if elsewhere => join(&Arg::literal("/tmp"), &name),
            (Some(name), None) => name,
            (None, _) => return,
        };
        self.add(path, Op::Write);
    }

    /// `gpg -o a b`, `gpg -e b`
    fn gpg(&mut self, read: &Options<'_>, operands: &mut Operands) {
        let suffix = if read.has(&["-b", "--detach-sign"]) {
            if read.has(&["-a", "--armor"]) { ".asc" } else { ".sig" }
        } else if read.has(&["--clear-sign", "--clearsign"]) {
            ".asc"
        } else if read.has(&["-e", "--encrypt", "-c", "--symmetric", "-s", "--sign"]) {
            if read.has(&["-a", "--armor"]) { ".asc" } else { ".gpg" }
        } else {
            ""
        };
        for word in operands.drain(..).filter_map(|at| self.part.words().get(at)) {
            self.add(word.clone(), Op::Read);
            if !suffix.is_empty() && !read.has(&["-o", "--output"]) {
                self.add(Arg { text: format!("{}{suffix}", word.text).into(), dynamic: word.dynamic }, Op::Write);
            }
        }
    }

    /// `test -f a`, `[ a -nt b ]`: looks at paths.
    pub(super) fn test(&mut self) {
        let words = self.part.words();
        for (at, word) in words.iter().enumerate().skip(1) {
            let mut letters = word.text.chars();
            let unary = matches!((letters.next(), letters.next(), letters.next()), (Some('-'), Some(letter), None)
                if "abcdefghkprsuwxLNOGS".contains(letter));
            // `-a` between two tests joins them.
            let joins = word.text == "-a" && at > 2 && words.get(at + 1).is_some_and(|word| word.text.starts_with('-'));
            if unary && !joins && words.get(at + 1).is_some_and(|word| word.text != "]") {
                self.word(at + 1, Some(Op::List));
            }
            if matches!(word.text.as_str(), "-nt" | "-ot" | "-ef") {
                self.word(at - 1, Some(Op::List));
                self.word(at + 1, Some(Op::List));
            }
        }
    }
}

fn operand_zero(read: &Options<'_>) -> usize {
    if read.has(read.row.unless) { 0 } else { read.operands.first().copied().unwrap_or(0) }
}
