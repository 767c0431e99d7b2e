//! The paths in a part: what it reads, writes, deletes or lists, by its redirects and the program
//! table. Nothing here looks at a disk.

mod special;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use super::options::{self, Options};
use super::part::{Arg, Dynamic, Part, RedirFd};
use super::programs::{Does, Row};
pub use crate::call::Op;
use special::packs;

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
    /// The folder of the part, in the turn of its loop that the path is from.
    pub cwd: Option<String>,
    /// Whether that folder is unknown.
    pub cwd_unknown: bool,
}

/// What a part touches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// Its paths.
    pub operands: Vec<Operand>,
    /// Why it may touch more than that; `None` if that is all.
    pub open: Option<Cow<'static, str>>,
}

/// Lists the paths of a part, in all turns of its loop.
pub fn paths(part: &Part) -> Vec<Operand> {
    touched(part).operands
}

/// What a part touches, in all turns of its loop.
pub fn touched(part: &Part) -> Touched {
    if !part.turns.is_empty() {
        let mut all = Touched::default();
        for turn in part.turns.iter().map(touched) {
            for operand in turn.operands {
                if !all.operands.contains(&operand) {
                    all.operands.push(operand);
                }
            }
            all.open = all.open.or(turn.open);
        }
        return all;
    }
    let mut found = Found { part, operands: Vec::new(), under: Vec::new() };
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
        return Touched { operands: found.operands, open: None };
    }
    let read = options::options(part);
    found.under = folders(part, &read);
    found.options(&read);
    match part.head.as_str() {
        "find" | "gfind" => found.find(&read),
        "tar" | "gtar" | "bsdtar" => found.tar(&read),
        _ => found.plain(&read),
    }
    let mut open = read.row.open.map(Cow::Borrowed);
    if let Some(code) = &part.code {
        found.under.clear();
        for touch in &code.paths {
            found.add(touch.path.clone(), touch.op);
        }
        open = (!code.open.is_empty()).then(|| Cow::Owned(code.open.clone()));
    }
    Touched { operands: found.operands, open }
}

/// `1`, `-`, `3-`
fn descriptor(text: &str) -> bool {
    let digits = text.strip_suffix('-').unwrap_or(text);
    digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The folders that options such as `git -C` name, in order.
fn folders(part: &Part, read: &Options<'_>) -> Vec<Arg> {
    let rows = read.program.map(|program| &program.row).into_iter().chain([read.row]);
    let names: Vec<&str> = rows.flat_map(|row| row.chdir).copied().collect();
    if names.is_empty() || !matches!(read.row.run, super::programs::Run::Nothing) {
        return Vec::new();
    }
    let chosen = read.options.iter().filter(|option| names.contains(&option.name.as_ref()));
    chosen.filter_map(|option| value(part, option)).collect()
}

/// The value of an option as a word.
fn value(part: &Part, option: &options::Opt<'_>) -> Option<Arg> {
    let text = option.value.as_deref()?;
    let dynamic = part.words().get(option.value_at)?.dynamic.clone();
    Some(Arg { text: text.to_owned(), dynamic })
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
        let plain = |arg: &Arg| arg.dynamic.iter().all(|kind| matches!(kind, Dynamic::Tilde | Dynamic::Glob));
        let sure = plain(&raw)
            && self.under.iter().all(plain)
            && !part.elsewhere
            && (rooted || !part.cwd_unknown)
            && part.replace.as_ref().is_none_or(|unknown| !text.contains(unknown));
        self.operands.push(Operand {
            raw,
            op,
            sure,
            part: part.n,
            under: self.under.clone(),
            cwd: part.cwd.clone(),
            cwd_unknown: part.cwd_unknown,
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
            let does = known.flat_map(|row| row.option_paths).find(|(name, _)| *name == option.name);
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
            self.word(*at, self.base(first));
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
            let raw = Arg { text: "«var»".to_owned(), dynamic: vec![Dynamic::Var] };
            self.add(raw, op);
        }
        if operands.is_empty() && matches!(head, "ls" | "tree" | "du" | "eza" | "exa") {
            self.add(Arg::literal("."), Op::List);
        }
    }

    /// What happens to the first operand: a database changes only if the code says so.
    fn base(&self, first: Does) -> Option<Op> {
        match &self.part.code {
            Some(code) if code.lang == "sql" && first == Does::Write && !code.writes_base => Some(Op::Read),
            _ => op(first),
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
                self.add(Arg { text: value.to_owned(), dynamic: word.dynamic.clone() }, op);
            }
            return;
        }
        self.word(at, main);
    }

    fn dashed(&mut self, read: &Options<'_>, operands: &[usize]) {
        let does = read.row.dashed.and_then(op);
        for at in operands {
            let after = read.dashes.is_some_and(|dashes| *at > dashes);
            let folder = self
                .part
                .words()
                .get(*at)
                .is_some_and(|word| word.text == "." || word.text.starts_with("./") || word.text.starts_with(":/"));
            if after || (folder && does == Some(Op::Write)) {
                self.word(*at, does);
            }
        }
    }
}

/// Where an operand lies, if that is certain; lexically, with globs left in.
///
/// `base` is the folder of the call, `home` the home folder.
pub fn locate(part: &Part, operand: &Operand, base: &Path, home: Option<&Path>) -> Option<PathBuf> {
    if part.elsewhere {
        return None;
    }
    let mut at = match (&operand.cwd, operand.cwd_unknown) {
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
    at.map(|path| collapse(&path))
}

/// The path `step`, seen from `at`.
fn enter(at: Option<&Path>, step: &Arg, base: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let text = step.text.as_str();
    if step.dynamic.iter().any(|kind| !matches!(kind, Dynamic::Tilde | Dynamic::Glob)) {
        return None;
    }
    if step.dynamic.contains(&Dynamic::Tilde) {
        let under = |prefix: &str| text.strip_prefix(prefix).filter(|rest| rest.is_empty() || rest.starts_with('/'));
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

/// A path without `.` and `..`, links not looked at.
pub fn collapse(path: &Path) -> PathBuf {
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
