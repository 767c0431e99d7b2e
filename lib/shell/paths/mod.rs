//! The paths in a part: what it reads, writes, deletes or lists, by its redirects and the program
//! table. Nothing here looks at a disk.

mod archive;
mod copy;
mod edit;
mod git;
mod input;
mod net;
mod place;
mod search;
mod special;
#[cfg(test)]
mod tests;
mod tools;

use std::borrow::Cow;
use std::sync::Arc;

use thin_vec::{ThinVec, thin_vec};

use super::dynamic::Dynamic;
use super::options::{self, Operands, Options};
use super::part::{Arg, Part, RedirFd};
use super::programs::{self, Does, Row};
pub use crate::call::Op;
pub use place::{collapse, locate};
pub(super) use search::found_by;
pub(super) use tools::only_sets;

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
    pub under: ThinVec<Arg>,
    /// The folder of the part, in the turn of its loop that the path is from.
    pub cwd: Option<Arc<str>>,
    /// Whether that folder is unknown.
    pub cwd_unknown: bool,
    /// Whether the name itself is made, replaced or removed: a link of that name is not followed.
    pub entry: bool,
    /// The name that is added if the place is an existing folder (`cp a dir`).
    pub into: Option<Box<Arg>>,
    /// What the name points to afterwards, as the link spells it, if a symbolic link is made.
    pub link: Option<Box<Arg>>,
}

/// Why a patch that cannot be seen is open: what is written is known to be files, but not which.
pub const PATCH: &str = "the patch names the files";

/// Why a part with very many paths is open.
const MANY: &str = "bound: it names more paths than are followed";
/// Paths that any part is granted; one with longer words is granted one more for so many of their bytes.
const LEAST_OPERANDS: usize = 512;
const BYTES_OF_OPERAND: usize = 16;

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
        return union(part.turns.iter().map(touched));
    }
    match input::filled(part) {
        Some(filled) => union(filled.iter().map(touches)),
        None => touches(part),
    }
}

fn union(each: impl Iterator<Item = Touched>) -> Touched {
    let mut found = Touched::default();
    for turn in each {
        for operand in turn.operands {
            if !found.operands.contains(&operand) {
                found.operands.push(operand);
            }
        }
        found.open = found.open.or(turn.open);
    }
    found
}

fn touches(part: &Part) -> Touched {
    let most = LEAST_OPERANDS;
    let mut found =
        Found { part, operands: Vec::new(), under: ThinVec::new(), dry: false, full: false, most, open: None };
    for redir in &part.redirs {
        let target = redir.target();
        let op = match redir.op.as_ref() {
            "<" => Op::Read,
            ">" | ">>" | ">|" | "&>" | "&>>" | "<>" => Op::Write,
            ">&" if redir.fd == RedirFd::Number(1) && !descriptor(&target.text) => Op::Write,
            _ => continue,
        };
        found.add(target.clone(), op);
    }
    if part.head.is_empty() || part.calls || asks_about(part) {
        return found.only();
    }
    let read = if part.code.is_none() {
        let program = programs::program(&part.head);
        if program.is_some_and(|program| program.idle) {
            return found.only();
        }
        options::read_as(program, part.words())
    } else {
        options::options(part)
    };
    found.under = folders(part, &read);
    found.open = read.row.open;
    found.options(&read);
    if tools::asks(part, &read) {
        found.open = None;
    }
    if read.has(read.row.dry) {
        found.dry = true;
        found.open = None;
    }
    found.program(&read);
    let mut open = found.open.map(Cow::Borrowed);
    if let Some(code) = &part.code {
        found.under.clear();
        for touch in &code.paths {
            found.add(touch.path.clone(), touch.op);
        }
        open = (!code.open.is_empty()).then(|| Cow::Owned(code.open.clone()));
    }
    let touched = found.only();
    Touched { open: open.or(touched.open), operands: touched.operands }
}

/// `tool --version`: a question about the program itself.
fn asks_about(part: &Part) -> bool {
    match part.words() {
        [_, word] => matches!(word.text.as_str(), "--version" | "--help"),
        _ => false,
    }
}

/// `1`, `-`, `3-`
fn descriptor(text: &str) -> bool {
    let digits = text.strip_suffix('-').unwrap_or(text);
    digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Most folders before one path, each of which holds a copy of them.
const MOST_FOLDERS: usize = 16;

/// The folders that options such as `git -C` name, in order.
fn folders(part: &Part, read: &Options<'_>) -> ThinVec<Arg> {
    let rows = read.program.map(|program| &program.row).into_iter().chain([read.row]);
    let mut names = rows.flat_map(|row| row.chdir).copied().peekable();
    if names.peek().is_none() || read.options.is_empty() || !matches!(read.row.run, super::programs::Run::Nothing) {
        return ThinVec::new();
    }
    let names: Vec<&str> = names.collect();
    // `git commit -C HEAD`: behind the subcommand the letter means something else.
    let first = if part.head == "git" { read.sub } else { usize::MAX };
    let chosen = read.options.iter().filter(|option| names.contains(&option.name.as_ref()) && option.at < first);
    let found: ThinVec<Arg> = chosen.filter_map(|option| value(part, option)).collect();
    if found.len() <= MOST_FOLDERS { found } else { thin_vec![somewhere()] }
}

/// A folder that is not known.
fn somewhere() -> Arg {
    Arg { text: "«var»".into(), dynamic: Dynamic::Var.into() }
}

/// The value of an option as a word.
fn value(part: &Part, option: &options::Opt<'_>) -> Option<Arg> {
    let text = option.value.as_deref()?;
    let dynamic = part.words().get(option.value_at)?.dynamic;
    Some(Arg { text: text.into(), dynamic })
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
    under: ThinVec<Arg>,
    /// Whether an option keeps the program from changing anything.
    dry: bool,
    /// Whether there are more paths than may be followed.
    full: bool,
    /// How many may be.
    most: usize,
    /// Why it may touch more.
    open: Option<&'static str>,
}

impl Found<'_> {
    /// Adds a path; where unknown input stands in it, what the input is among.
    fn add(&mut self, raw: Arg, op: Op) {
        self.put(raw, op, op == Op::Delete, None);
    }

    /// As [`Found::add`], of a path whose name is made, replaced or removed.
    fn entry(&mut self, raw: Arg, op: Op) {
        self.put(raw, op, true, None);
    }

    fn put(&mut self, raw: Arg, op: Op, entry: bool, into: Option<Arg>) {
        let op = match op {
            Op::Write if self.dry => Op::Read,
            Op::Delete if self.dry => Op::List,
            op => op,
        };
        let text = raw.text.as_str();
        let device = matches!(text, "/dev/null" | "/dev/tty" | "/dev/zero" | "/dev/full")
            || matches!(text, "/dev/random" | "/dev/urandom")
            || text.starts_with("/dev/std")
            || text.starts_with("/dev/fd/");
        // A process substitution is a pipe; what is behind it is a part of its own.
        let pipe = text == "«proc»" && raw.dynamic == [Dynamic::Proc];
        if text.is_empty() || text == "-" || device || pipe {
            return;
        }
        if self.full || self.operands.len() >= self.most && !self.may_be_more() {
            return;
        }
        let part = self.part;
        let home = raw.dynamic.contains(&Dynamic::Tilde);
        let rooted = text.starts_with('/') || home;
        let sure = plain(&raw)
            && self.under.iter().all(plain)
            && !part.elsewhere
            && (rooted || !part.cwd_unknown)
            && part.replace.as_ref().is_none_or(|unknown| !text.contains(&**unknown));
        // An unknown name in a known folder: the folder stands for it.
        let into = into.filter(plain);
        if self.operands.len() == self.operands.capacity() {
            // Few parts have more than two; many are no reason to take twice as much.
            self.operands.reserve_exact((self.operands.len() / 2).max(2));
        }
        self.operands.push(Operand {
            raw,
            op,
            sure,
            part: part.n,
            under: self.under.clone(),
            cwd: part.cwd.clone(),
            cwd_unknown: part.cwd_unknown,
            entry,
            into: into.map(Box::new),
            link: None,
        });
    }

    /// What was found, if the program does nothing else.
    fn only(self) -> Touched {
        Touched { operands: self.operands, open: self.full.then_some(Cow::Borrowed(MANY)) }
    }

    /// Whether the part may have more paths than the least; how many is counted once.
    #[cold]
    fn may_be_more(&mut self) -> bool {
        if self.most == LEAST_OPERANDS {
            let bytes: usize = self.part.words().iter().map(|word| word.text.len() + 1).sum();
            self.most += bytes / BYTES_OF_OPERAND;
        }
        self.full = self.operands.len() >= self.most;
        !self.full
    }

    fn word(&mut self, at: usize, op: Option<Op>) {
        if let (Some(op), Some(word)) = (op, self.part.words().get(at)) {
            let mut word = word.clone();
            // git reads the stars of its pathspecs itself.
            if self.part.head == "git" && word.text.contains(['*', '?']) {
                word.mark(Dynamic::Glob);
            }
            self.add(word, op);
        }
    }

    /// The text of a word, empty if it is not there.
    fn text(&self, at: usize) -> &str {
        self.part.words().get(at).map_or("", |word| word.text.as_str())
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

    /// The operands of the part, as its program takes them.
    fn program(&mut self, read: &Options<'_>) {
        match self.part.head.as_str() {
            "find" | "gfind" => self.find(read),
            "tar" | "gtar" | "bsdtar" => self.tar(read),
            "zip" => self.zip(read),
            "unzip" => self.unzip(read),
            "7z" | "7za" | "7zz" | "7zr" => self.seven(read),
            "ar" | "gcc-ar" | "llvm-ar" => self.ar(read),
            "cpio" => self.cpio(read),
            "cp" | "gcp" | "mv" | "gmv" | "ln" | "gln" | "install" | "ginstall" => self.copies(read),
            "git" => self.git(read),
            "rsync" | "scp" => self.sends(read),
            "curl" => self.curl(read),
            "wget" => self.wget(read),
            "patch" | "gpatch" => self.patch(read),
            "ed" | "red" => self.ed(read),
            "ex" | "vi" | "vim" | "nvim" | "view" => self.vim(read),
            "test" | "[" | "[[" => self.test(),
            head if archive::packer(head).is_some() => self.pack(read),
            _ if read.program.is_none() => self.unknown(),
            _ if self.module(read) => {}
            _ => {
                self.plain(read);
                self.tool(read);
            }
        }
    }

    /// A program that the table does not know; one that is called by a path is a file that is read.
    fn unknown(&mut self) {
        let Some(word) = self.part.words().first() else { return };
        if word.text.contains('/') {
            self.add(word.clone(), Op::Read);
            self.open = Some("runs a script");
        }
    }

    fn plain(&mut self, read: &Options<'_>) {
        let row = read.row;
        let head = self.part.head.as_str();
        let mut operands = Operands::from_slice(&read.operands);
        self.special(head, read, &mut operands);
        let rewrites = self.rewrites(head, read);
        let mut main = row.operands.and_then(op);
        if rewrites {
            main = Some(Op::Write);
        }
        if row.operands == Some(Does::Write) && self.only_reads(head, read) {
            main = Some(Op::Read);
        }
        let mut rest = operands.as_slice();
        if main.is_some() {
            self.operands.reserve_exact(rest.len().min(LEAST_OPERANDS));
        }
        if let (Some(first), false) = (row.first, read.has(row.unless))
            && let Some((at, others)) = rest.split_first()
        {
            rest = others;
            self.word(*at, self.base(first));
        }
        let into = read.has(row.into) || rewrites;
        if let (Some(last), false) = (row.last, into)
            && let Some((at, others)) = rest.split_last()
            && (!others.is_empty() || self.part.appends)
        {
            for at in others {
                self.word(*at, main);
            }
            self.word(*at, op(last));
        } else {
            let entry = rewrites && replaces(head) && !read.has(&["--follow-symlinks"]);
            for at in rest {
                match self.part.words().get(*at) {
                    Some(word) if entry => self.entry(word.clone(), Op::Write),
                    _ => self.keyed(*at, row, main),
                }
                self.beside(*at, head, read);
            }
        }
        if self.part.appends {
            self.appended(main);
        }
    }

    /// The unknown operands that are appended.
    fn appended(&mut self, op: Option<Op>) {
        if let Some(op) = op {
            self.add(Arg { text: "«var»".into(), dynamic: Dynamic::Var.into() }, op);
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
                self.add(Arg { text: value.into(), dynamic: word.dynamic }, op);
            }
            return;
        }
        self.word(at, main);
    }
}

/// Whether a path is known but for a glob in it.
fn plain(arg: &Arg) -> bool {
    arg.dynamic.iter().all(|kind| matches!(kind, Dynamic::Tilde | Dynamic::Glob))
}

/// Whether a program that changes a file in place puts a new file under the old name.
fn replaces(head: &str) -> bool {
    matches!(head, "sed" | "gsed" | "perl" | "ruby" | "awk" | "gawk")
}
