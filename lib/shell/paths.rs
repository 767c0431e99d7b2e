//! The paths in a part: what it reads, writes, deletes or lists, by its redirects and the program
//! table. Nothing here looks at a disk.

use std::path::{Component, Path, PathBuf};

use super::options::{self, Options};
use super::part::{Arg, Dynamic, Part, RedirFd};
use super::programs::{Does, Row};

/// What happens to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Op {
    /// Its names or properties are looked at.
    List,
    /// Its content is read.
    Read,
    /// It is created or changed.
    Write,
    /// It is removed.
    Delete,
}

/// One path of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// As written, with certain values put in.
    pub raw: Arg,
    /// What happens to it.
    pub op: Op,
    /// Whether it is certain which path it is (a glob counts as certain).
    pub sure: bool,
    /// The part.
    pub part: u32,
    /// The folder that the program changes to before it reads the path (`git -C`).
    pub under: Vec<Arg>,
}

/// Lists the paths of a part.
pub fn paths(part: &Part) -> Vec<Operand> {
    let mut found = Found {
        part,
        operands: Vec::new(),
        under: Vec::new(),
    };
    for redir in &part.redirs {
        let target = redir.target();
        let op = match redir.op.as_str() {
            "<" => Op::Read,
            ">" | ">>" | ">|" | "&>" | "&>>" | "<>" => Op::Write,
            ">&" if redir.fd == RedirFd::Number(1) && !descriptor(&target.text) => Op::Write,
            _ => continue,
        };
        found.add(target.clone(), op);
    }
    if part.head.is_empty() {
        return found.operands;
    }
    let read = options::options(part);
    found.under = folders(part, &read);
    found.options(&read);
    match part.head.as_str() {
        "find" | "gfind" => found.find(&read),
        "tar" | "gtar" | "bsdtar" => found.tar(&read),
        _ => found.plain(&read),
    }
    found.operands
}

/// `1`, `-`, `3-`
fn descriptor(text: &str) -> bool {
    let digits = text.strip_suffix('-').unwrap_or(text);
    digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The folders that options such as `git -C` name, in order.
fn folders(part: &Part, read: &Options<'_>) -> Vec<Arg> {
    let rows = read
        .program
        .map(|program| &program.row)
        .into_iter()
        .chain([read.row]);
    let names: Vec<&str> = rows.flat_map(|row| row.chdir).copied().collect();
    if names.is_empty() || !matches!(read.row.run, super::programs::Run::Nothing) {
        return Vec::new();
    }
    let chosen = read
        .options
        .iter()
        .filter(|option| names.contains(&option.name.as_ref()));
    chosen.filter_map(|option| value(part, option)).collect()
}

/// The value of an option as a word.
fn value(part: &Part, option: &options::Opt<'_>) -> Option<Arg> {
    let text = option.value.as_deref()?;
    let dynamic = part.words().get(option.value_at)?.dynamic.clone();
    Some(Arg {
        text: text.to_owned(),
        dynamic,
    })
}

fn op(does: Does) -> Option<Op> {
    match does {
        Does::Read => Some(Op::Read),
        Does::Write => Some(Op::Write),
        Does::Delete => Some(Op::Delete),
        Does::List => Some(Op::List),
        Does::Nothing => None,
    }
}

struct Found<'p> {
    part: &'p Part,
    operands: Vec<Operand>,
    under: Vec<Arg>,
}

impl Found<'_> {
    fn add(&mut self, raw: Arg, op: Op) {
        let text = raw.text.as_str();
        let device = matches!(text, "/dev/null" | "/dev/tty" | "/dev/zero" | "/dev/full")
            || text.starts_with("/dev/std")
            || text.starts_with("/dev/fd/");
        if text.is_empty() || text == "-" || device {
            return;
        }
        let part = self.part;
        let home = raw.dynamic.contains(&Dynamic::Tilde);
        let rooted = text.starts_with('/') || home;
        let plain = |arg: &Arg| {
            arg.dynamic
                .iter()
                .all(|kind| matches!(kind, Dynamic::Tilde | Dynamic::Glob))
        };
        let sure = plain(&raw)
            && self.under.iter().all(plain)
            && !part.elsewhere
            && (rooted || !part.cwd_unknown)
            && part
                .replace
                .as_ref()
                .is_none_or(|unknown| !text.contains(unknown));
        self.operands.push(Operand {
            raw,
            op,
            sure,
            part: part.n,
            under: self.under.clone(),
        });
    }

    fn word(&mut self, at: usize, op: Option<Op>) {
        if let (Some(op), Some(word)) = (op, self.part.words().get(at)) {
            self.add(word.clone(), op);
        }
    }

    /// Values of options that are paths.
    fn options(&mut self, read: &Options<'_>) {
        let rows = [Some(read.row), read.program.map(|program| &program.row)];
        let same = rows[1].is_some_and(|row| std::ptr::eq(row, read.row));
        for option in &read.options {
            let known = rows.iter().flatten().take(if same { 1 } else { 2 });
            let does = known
                .flat_map(|row| row.option_paths)
                .find(|(name, _)| *name == option.name);
            let Some((_, does)) = does else { continue };
            if let (Some(raw), Some(op)) = (value(self.part, option), op(*does)) {
                self.add(raw, op);
            }
        }
    }

    fn plain(&mut self, read: &Options<'_>) {
        let row = read.row;
        let head = self.part.head.as_str();
        let mut operands = read.operands.clone();
        self.special(head, read, &mut operands);
        if head == "git" && row.dashed.is_some() && row.operands.is_none() {
            self.dashed(read, &operands);
            return;
        }
        let mut main = row.operands.and_then(op);
        if self.rewrites(head, read) {
            main = Some(Op::Write);
        }
        if row.operands == Some(Does::Write) && self.only_reads(head, read) {
            main = Some(Op::Read);
        }
        if head == "git" && read.words == ["rm"] && read.has(&["--cached"]) {
            main = Some(Op::List);
        }
        if packs(head).is_some() && main == Some(Op::Write) {
            let keeps = read.has(&["-k", "--keep"]) || matches!(head, "zstd" | "unzstd" | "lz4");
            main = Some(if keeps { Op::Read } else { Op::Delete });
        }
        if head == "git"
            && read.words == ["restore"]
            && read.has(&["--staged", "-S"])
            && !read.has(&["--worktree", "-W"])
        {
            main = Some(Op::List);
        }
        if head == "rsync" && read.has(&["-n", "--dry-run"]) {
            return;
        }
        if head == "rsync" && read.has(&["--remove-source-files"]) {
            main = Some(Op::Delete);
        }
        let mut rest = operands.as_slice();
        if let (Some(first), false) = (row.first, read.has(row.unless))
            && let Some((at, others)) = rest.split_first()
        {
            rest = others;
            self.word(*at, op(first));
        }
        let into = read.has(row.into) || self.rewrites(head, read);
        if let (Some(last), false) = (row.last, into)
            && let Some((at, others)) = rest.split_last()
            && (!others.is_empty() || self.part.appends)
        {
            for at in others {
                self.word(*at, main);
            }
            self.word(*at, op(last));
        } else {
            for at in rest {
                self.keyed(*at, row, main);
                self.beside(*at, head, read);
            }
        }
        if self.part.appends
            && let Some(op) = main
        {
            let raw = Arg {
                text: "«var»".to_owned(),
                dynamic: vec![Dynamic::Var],
            };
            self.add(raw, op);
        }
        if operands.is_empty() && matches!(head, "ls" | "tree" | "du" | "eza" | "exa") {
            self.add(Arg::literal("."), Op::List);
        }
    }

    /// An operand, or `key=path`.
    fn keyed(&mut self, at: usize, row: &Row, main: Option<Op>) {
        let Some(word) = self.part.words().get(at) else {
            return;
        };
        if let Some((key, value)) = word.text.split_once('=')
            && let Some((_, does)) = row.keys.iter().find(|(name, _)| *name == key)
        {
            if let Some(op) = op(*does) {
                self.add(
                    Arg {
                        text: value.to_owned(),
                        dynamic: word.dynamic.clone(),
                    },
                    op,
                );
            }
            return;
        }
        self.word(at, main);
    }

    /// What is written beside an operand: a copy with a suffix, a packed or unpacked file.
    fn beside(&mut self, at: usize, head: &str, read: &Options<'_>) {
        let Some(word) = self.part.words().get(at) else { return };
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
        let Some(suffix) = packs(head).filter(|_| !self.only_reads(head, read)) else { return };
        let text = match word.text.strip_suffix(suffix) {
            Some(stem) => stem.to_owned(),
            None => format!("{}{suffix}", word.text),
        };
        self.add(with(text), Op::Write);
    }

    fn dashed(&mut self, read: &Options<'_>, operands: &[usize]) {
        let does = read.row.dashed.and_then(op);
        for at in operands {
            let after = read.dashes.is_some_and(|dashes| *at > dashes);
            let folder = self.part.words().get(*at).is_some_and(|word| {
                word.text == "." || word.text.starts_with("./") || word.text.starts_with(":/")
            });
            if after || (folder && does == Some(Op::Write)) {
                self.word(*at, does);
            }
        }
    }

    /// Whether an option makes it change its operands in place.
    fn rewrites(&self, head: &str, read: &Options<'_>) -> bool {
        match head {
            "awk" | "gawk" => read
                .options
                .iter()
                .any(|option| option.name == "-i" && option.value.as_deref() == Some("inplace")),
            _ => read.has(read.row.in_place),
        }
    }

    /// Whether an option keeps a program from changing what it usually changes.
    fn only_reads(&self, head: &str, read: &Options<'_>) -> bool {
        match head {
            "black" | "isort" | "rustfmt" | "ruff" | "yapf" | "autopep8" => {
                read.has(&["--check", "--diff", "--check-only", "-d"])
            }
            "gzip" | "gunzip" | "bzip2" | "bunzip2" | "xz" | "unxz" | "zstd" | "unzstd" | "lz4"
            | "pigz" => read.has(&[
                "-c",
                "--stdout",
                "--to-stdout",
                "-t",
                "--test",
                "-l",
                "--list",
            ]),
            _ => false,
        }
    }

    /// What the table cannot say about operands.
    fn special(&mut self, head: &str, read: &Options<'_>, operands: &mut Vec<usize>) {
        let words = self.part.words();
        let text = |at: &usize| words.get(*at).map_or("", |word| word.text.as_str());
        match head {
            // BSD: the suffix of `-i` is a word of its own, often empty.
            "sed"
                if read.has(&["-i"]) && operands.first().is_some_and(|at| text(at).is_empty()) =>
            {
                operands.remove(0);
            }
            "awk" | "gawk" | "mawk" | "nawk" => {
                operands.retain(|at| {
                    *at == operand_zero(read) || !super::unwrap::is_assignment(text(at))
                });
            }
            "jq" | "gojq" | "jaq" => {
                let pairs = ["--arg", "--argjson", "--slurpfile", "--rawfile"];
                for option in read
                    .options
                    .iter()
                    .filter(|option| pairs.contains(&option.name.as_ref()))
                {
                    operands.retain(|at| *at != option.at + 1 && *at != option.at + 2);
                    if option.name.ends_with("file") {
                        self.word(option.at + 2, Some(Op::Read));
                    }
                }
            }
            "rsync" | "scp" | "sftp" => {
                let remote = |text: &str| {
                    text.find(':')
                        .is_some_and(|at| !text.get(..at).unwrap_or_default().contains('/'))
                };
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
                    let raw = Arg {
                        text: name.to_owned(),
                        dynamic: word.dynamic.clone(),
                    };
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
    fn find(&mut self, read: &Options<'_>) {
        let words = self.part.words();
        let start = |text: &str| {
            let option = text.starts_with('-') && text.len() > 1;
            !(option || matches!(text, "(" | ")" | "!" | ","))
        };
        let mut at = 1;
        while words.get(at).is_some_and(|word| {
            matches!(word.text.as_str(), "-H" | "-L" | "-P") || word.text.starts_with("-O")
        }) {
            at += 1;
        }
        let op = if read.has(&["-delete"]) {
            Op::Delete
        } else {
            Op::List
        };
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
    fn tar(&mut self, read: &Options<'_>) {
        let words = self.part.words();
        let mut operands = read.operands.clone();
        let mut letters = String::new();
        let mut file = read
            .get(&["-f", "--file"])
            .and_then(|option| value(self.part, option));
        let mut folder = read
            .get(&["-C", "--directory"])
            .and_then(|option| value(self.part, option));
        // The old spelling: letters without a dash, their values follow in order.
        if let Some(bundle) = words
            .get(1)
            .filter(|word| !word.text.starts_with('-') && word.dynamic.is_empty())
        {
            letters.clone_from(&bundle.text);
            let mut at = 2;
            for letter in bundle
                .text
                .chars()
                .filter(|letter| "fCbTXIgKLNVF".contains(*letter))
            {
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
        let writes = has('c', &["-c", "--create"])
            || has('r', &["-r", "--append"])
            || has('u', &["-u", "--update"]);
        let extracts = has('x', &["-x", "--extract", "--get"]);
        if let Some(file) = file {
            self.add(
                file,
                if writes || read.has(&["--delete"]) {
                    Op::Write
                } else {
                    Op::Read
                },
            );
        }
        if extracts && !has('O', &["-O", "--to-stdout"]) {
            self.add(folder.unwrap_or_else(|| Arg::literal(".")), Op::Write);
        } else if writes {
            self.under = folder.into_iter().collect();
            let op = if read.has(&["--remove-files"]) {
                Op::Delete
            } else {
                Op::Read
            };
            for at in operands {
                self.word(at, Some(op));
            }
        }
    }
}

/// The suffix of the files that a packer makes.
fn packs(head: &str) -> Option<&'static str> {
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
    if read.has(read.row.unless) {
        0
    } else {
        read.operands.first().copied().unwrap_or(0)
    }
}

/// Where an operand lies, if that is certain; lexically, with globs left in.
///
/// `base` is the folder of the call, `home` the home folder.
pub fn locate(part: &Part, operand: &Operand, base: &Path, home: Option<&Path>) -> Option<PathBuf> {
    if part.elsewhere {
        return None;
    }
    let mut at = match (&part.cwd, part.cwd_unknown) {
        (_, true) => None,
        (None, false) => Some(base.to_owned()),
        (Some(path), false) => match path.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                home.map(|home| home.join(rest.trim_start_matches('/')))
            }
            Some(_) => None,
            None => Some(base.join(path)),
        },
    };
    for step in operand.under.iter().chain([&operand.raw]) {
        at = enter(at.as_deref(), step, base, home);
    }
    at.map(|path| tidy(&path))
}

/// The path `step`, seen from `at`.
fn enter(at: Option<&Path>, step: &Arg, base: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let text = step.text.as_str();
    if step
        .dynamic
        .iter()
        .any(|kind| !matches!(kind, Dynamic::Tilde | Dynamic::Glob))
    {
        return None;
    }
    if step.dynamic.contains(&Dynamic::Tilde) {
        let under = |prefix: &str| {
            text.strip_prefix(prefix)
                .filter(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if let Some(rest) = under("~").or_else(|| under("$HOME")) {
            return Some(home?.join(rest.trim_start_matches('/')));
        }
        let rest = under("$PWD")?;
        return Some(base.join(rest.trim_start_matches('/')));
    }
    if text.starts_with('/') {
        return Some(PathBuf::from(text));
    }
    Some(at?.join(text))
}

fn tidy(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Op, locate, paths};
    use crate::shell::read;
    use std::path::Path;

    /// Paths of all parts as `W:/abs`, `?` where they are not certain.
    fn show(command: &str) -> String {
        let read = read(command);
        let mut out = Vec::new();
        for part in &read.parts {
            for operand in paths(part) {
                let letter = match operand.op {
                    Op::Read => 'R',
                    Op::Write => 'W',
                    Op::Delete => 'D',
                    Op::List => 'L',
                };
                let at = locate(part, &operand, Path::new("/r"), Some(Path::new("/h")));
                let at = at.filter(|_| operand.sure);
                let at = at.map_or("?".to_owned(), |path| path.display().to_string());
                out.push(format!("{letter}:{at}"));
            }
        }
        out.join(" ")
    }

    #[test]
    fn paths_are_found() {
        for (command, expected) in [
            ("echo a > b 2>&1 < c", "W:/r/b R:/r/c"),
            ("echo a >& b; echo >/dev/null 2>>/dev/stderr", "W:/r/b"),
            ("F=b; echo a > $F; echo > $G", "W:/r/b W:?"),
            (
                "cat a ~/b \"$HOME/c\" $d - *.e",
                "R:/r/a R:/h/b R:/h/c R:? R:/r/*.e",
            ),
            ("grep -r x a; grep -e x a; grep x", "R:/r/a R:/r/a"),
            (
                "sed s/x/y/ a; sed -i s/x/y/ a; sed --in-p=.b -e p a",
                "R:/r/a W:/r/a W:/r/a W:/r/a.b",
            ),
            (
                "cp a b c; cp -t c a; mv a b; ln -s a b",
                "R:/r/a R:/r/b W:/r/c W:/r/c R:/r/a D:/r/a W:/r/b W:/r/b",
            ),
            (
                "tee -a a; touch b; mkdir -p c/d; chmod +x e",
                "W:/r/a W:/r/b W:/r/c/d W:/r/e",
            ),
            ("rm -rf a; rmdir b; truncate -s 0 c", "D:/r/a D:/r/b W:/r/c"),
            ("dd if=a of=b bs=1", "R:/r/a W:/r/b"),
            (
                "find a -delete; find -name x; find a -fprint b",
                "D:/r/a L:/r W:/r/b L:/r/a",
            ),
            ("find a -exec rm {} +", "L:/r/a D:?"),
            ("ls | xargs rm", "L:/r D:?"),
            (
                "tar xf a -C b; tar czf a b; tar tf a",
                "R:/r/a W:/r/b W:/r/a R:/r/b R:/r/a",
            ),
            (
                "curl -o a u; curl -O u/b; wget -O c u",
                "W:/r/a W:/r/b W:/r/c",
            ),
            (
                "git -C s add a; git rm b; git mv c d",
                "R:/r/s/a D:/r/b D:/r/c W:/r/d",
            ),
            (
                "git checkout x; git checkout -- a; git restore b",
                "W:/r/a W:/r/b",
            ),
            (
                "cd s && touch a; cd /t; touch b",
                "L:/r/s W:/r/s/a L:/t W:/t/b",
            ),
            ("cd $x; touch a /b", "L:? W:? W:/b"),
            ("env -C s touch a", "W:/r/s/a"),
            ("ssh h touch /a", "W:?"),
            ("touch ../a ./b/../c", "W:/a W:/r/c"),
            ("awk '{print}' v=1 a; awk -i inplace 1 a", "R:/r/a W:/r/a"),
            (
                "jq --arg a b .x c; python3 a.py b; bash s x",
                "R:/r/c R:/r/a.py R:/r/s",
            ),
            (
                "rsync -a a b/; rsync a h:b; scp h:a b",
                "R:/r/a W:/r/b R:/r/a W:/r/b",
            ),
            (
                "sort -o a b; uniq a b; split -l 1 a b",
                "W:/r/a R:/r/b R:/r/a W:/r/b R:/r/a W:/r/b",
            ),
            ("A=~/x; rm $A; rm $PWD/y", "D:/h/x D:/r/y"),
            ("touch ~root/a", "W:?"),
        ] {
            assert_eq!(show(command), expected, "{command}");
        }
    }
}
