//! Names that commands print: globs that they are among, for what reads them. `find`, `ls`,
//! `git ls-files`, `grep -l`, and filters of these.

use ecow::eco_format;

use super::super::ast::{CommandKind, Pipeline, Run};
use super::super::dynamic::Dynamic;
use super::super::options::{self, Options};
use super::super::part::{Arg, Part};
use super::super::paths::found_by;
use super::super::programs;
use super::super::unwrap::{Around, find};
use super::Walk;
use super::fed::MOST_TURNS;

/// How far back a chain of filters is followed.
const CHAIN: usize = 8;

impl Walk<'_, '_> {
    /// Globs for the names on the standard input of `xargs`.
    pub(super) fn names(&self, part: &Part, read: &Options<'_>) -> Vec<Arg> {
        let redirected = part.redirs.iter().any(|redir| redir.op.starts_with('<'));
        match part.from.as_slice() {
            from if !redirected && !read.has(&["-a", "--arg-file"]) => {
                self.printer(from).map_or_else(Vec::new, |from| self.printed_names(from, CHAIN))
            }
            _ => Vec::new(),
        }
    }

    /// Globs for the names that are piped in here.
    pub(super) fn names_piped(&self) -> Vec<Arg> {
        let from = self.printer(&self.out.from);
        from.map_or_else(Vec::new, |from| files(self.printed_names(from, CHAIN)))
    }

    /// Globs for the names that the process substitution prints which part `n` reads.
    pub(super) fn names_substituted(&self, n: u32) -> Vec<Arg> {
        let read = self.out.parts.get(n as usize).and_then(Part::input_redirect);
        let from = match read {
            Some(read) if read.target.dynamic.contains(&Dynamic::Proc) => self.printer(&self.processes(n)),
            _ => None,
        };
        from.map_or_else(Vec::new, |from| files(self.printed_names(from, CHAIN)))
    }

    /// The one of the parts of a stage that prints: it, or what it runs in front of nothing else.
    fn printer(&self, from: &[u32]) -> Option<u32> {
        let wraps = |pair: &[u32]| match pair {
            [outer, inner] => self.out.parts.get(*inner as usize).is_some_and(|part| part.inside == Some(*outer)),
            _ => false,
        };
        from.last().copied().filter(|_| from.windows(2).all(wraps))
    }

    /// Globs for the names that a substitution prints: it is walked once more, and what that adds
    /// is dropped.
    pub(super) fn names_of(&mut self, list: Run<Pipeline>) -> Vec<Arg> {
        let Some([pipeline]) = self.script.pipelines.get(list.range()) else { return Vec::new() };
        let stages = self.script.commands.get(pipeline.stages.range()).unwrap_or_default();
        if !stages.iter().all(|stage| matches!(stage.kind, CommandKind::Simple { .. })) {
            return Vec::new();
        }
        let source = stages.first().map(|stage| self.source(stage.span)).unwrap_or_default();
        let names = ["find", "gfind", "ls", "git", "grep", "egrep", "fgrep", "rg"];
        if !names.contains(&source.split([' ', '\t']).next().unwrap_or_default())
            || stages.len() > CHAIN
            || self.out.deep > 0
            || !self.out.may_turn(stages.len())
        {
            return Vec::new();
        }
        let (opaque, why, first) = (self.out.opaque, self.out.why.len(), self.out.parts.len());
        let (functions, later) = (self.out.functions.len(), self.out.later.len());
        self.out.deep += 1;
        let depth = self.out.ctx.len() + 1 + usize::from(stages.len() > 1);
        self.aside("cmdsub", self.out.inside, |walk| walk.list(list));
        self.out.deep -= 1;
        self.out.turned += self.out.parts.len() - first;
        let last = self.out.parts.iter().skip(first).rev().find(|part| part.ctx.len() == depth).map(|part| part.n);
        let found = last.map_or_else(Vec::new, |last| files(self.printed_names(last, CHAIN)));
        self.out.parts.truncate(first);
        self.out.functions.truncate(functions);
        self.out.later.truncate(later);
        self.out.opaque = opaque;
        self.out.why.truncate(why);
        found
    }

    /// The globs that a shell text which is handed names by `find` or `xargs` gets one of as a
    /// parameter; none if it gets none, or nobody knows.
    pub(super) fn handed_to(&self, n: u32, args: std::ops::Range<usize>, around: &Around) -> Vec<Arg> {
        let Some(part) = self.out.parts.get(n as usize) else { return Vec::new() };
        // Only a shell has parameters; others join what they are given to the text.
        if programs::program(&part.head).is_none_or(|program| program.row.run != programs::Run::Shell) {
            return Vec::new();
        }
        let mark = around.replace.as_deref().or(part.replace.as_deref());
        let mut args = part.words().get(args).unwrap_or_default().iter();
        if !part.appends && !args.any(|arg| mark == Some(arg.text.as_str())) {
            return Vec::new();
        }
        let names = if around.input.is_empty() { &part.input } else { &around.input };
        let names = files(names.to_vec());
        if names.len() > MOST_TURNS { Vec::new() } else { names }
    }

    /// Globs for the names that a part prints.
    fn printed_names(&self, n: u32, chain: usize) -> Vec<Arg> {
        let Some(part) = self.out.parts.get(n as usize) else {
            return Vec::new();
        };
        // Names are seen from the folder of the part that prints them.
        if part.cwd != self.out.state.place.path || part.cwd_unknown {
            return Vec::new();
        }
        let read = options::options(part);
        let words = part.words();
        match (part.head.as_str(), part.from.as_slice()) {
            ("find" | "gfind", _) => {
                let other = ["-exec", "-execdir", "-ok", "-okdir", "-printf", "-fprintf", "-ls", "-fprint", "-fls"];
                if read.has(&other) { Vec::new() } else { found_by(part) }
            }
            ("sort" | "head" | "tail" | "uniq" | "grep" | "egrep" | "fgrep", from @ [_, ..])
                if filters(&read) && chain > 0 =>
            {
                self.printer(from).map_or_else(Vec::new, |from| self.printed_names(from, chain - 1))
            }
            ("grep" | "egrep" | "fgrep", _)
                if read.has(&["-l", "--files-with-matches", "-L", "--files-without-match"]) =>
            {
                let deep = read.has(&["-r", "-R", "--recursive", "--dereference-recursive"]);
                let pattern = !read.has(read.row.unless);
                let given = read.operands.get(usize::from(pattern)..).unwrap_or_default();
                let marked = |at: &usize| words.get(*at).map(|word| word.text.as_str()) == part.replace.as_deref();
                // `find -exec grep -l x {} +`, `xargs grep -l x`: some of what it is handed.
                if given.is_empty() && part.appends || !given.is_empty() && given.iter().all(marked) {
                    return part.input.to_vec();
                }
                let name = read.get(&["--include"]).and_then(|option| option.value.as_deref());
                below(words, read.operands.get(usize::from(pattern)..), deep, name)
            }
            ("rg", _) if read.has(&["-l", "--files-with-matches", "--files"]) => {
                let pattern = !read.has(read.row.unless);
                let one = read.options.iter().filter(|option| matches!(option.name.as_ref(), "-g" | "--glob" | "-t"));
                let name = read.get(&["-g", "--glob"]).and_then(|option| option.value.as_deref());
                let name = name.filter(|name| !name.contains(['/', '!']) && one.count() == 1);
                below(words, read.operands.get(usize::from(pattern)..), true, name)
            }
            ("git", _) if read.words.as_slice() == ["ls-files"] => tracked(words, &read.operands),
            ("git", _)
                if read.words.as_slice() == ["grep"]
                    && read.has(&["-l", "--files-with-matches", "--name-only", "-L", "--files-without-match"]) =>
            {
                let pattern = !read.has(&["-e", "-f"]);
                tracked(words, read.operands.get(usize::from(pattern)..).unwrap_or_default())
            }
            ("ls", _) if !read.has(&["-l", "-R", "--recursive"]) => {
                let operands = read.operands.iter().filter_map(|at| words.get(*at)).cloned();
                let is_file = |word: &Arg| word.dynamic.is_empty() && names_file(&word.text);
                let names: Vec<Arg> =
                    operands.filter(|word| word.dynamic == [Dynamic::Glob] || is_file(word)).collect();
                if names.len() == read.operands.len() { names } else { Vec::new() }
            }
            _ => Vec::new(),
        }
    }
}

/// As globs, what is below some of the names, where those may be folders; none if that may be all
/// that there is.
fn files(names: Vec<Arg>) -> Vec<Arg> {
    let shape = |name: Arg| {
        let sure = name.dynamic.is_empty() || name.dynamic == [Dynamic::Glob];
        let text = name.text.trim_start_matches("./").trim_end_matches('/');
        if !sure || matches!(text, "" | "." | "*" | "**" | "**/*") || text.starts_with('-') {
            return None;
        }
        if name.dynamic.is_empty() && !names_file(text) {
            return Some(Arg { text: eco_format!("{text}/**"), dynamic: Dynamic::Glob.into() });
        }
        Some(name)
    };
    names.into_iter().map(shape).collect::<Option<_>>().unwrap_or_default()
}

/// Whether a filter reads standard input and prints some of its lines as they are.
fn filters(read: &Options<'_>) -> bool {
    let changes = ["-c", "--count", "-o", "--only-matching", "-n", "--line-number", "-b", "-q"];
    let grep = read.row.unless.contains(&"-e");
    let operands = usize::from(grep && !read.has(read.row.unless));
    read.operands.len() == operands && !(grep && read.has(&changes))
}

/// What lies below these operands, or below the folder itself if there are none.
fn below(words: &[Arg], operands: Option<&[usize]>, deep: bool, name: Option<&str>) -> Vec<Arg> {
    let operands = operands.unwrap_or_default();
    let starts: Vec<Arg> = match operands.is_empty() {
        true => vec![Arg::literal(".")],
        false => operands.iter().filter_map(|at| words.get(*at)).cloned().collect(),
    };
    let shape = |start: Arg| match (name, deep && !start.dynamic.contains(&Dynamic::Glob)) {
        (Some(name), true) => find::below(&start, name),
        // A file itself, or a folder for all that lies in it.
        _ => Some(start).filter(|start| !start.dynamic.contains(&Dynamic::Var)),
    };
    starts.into_iter().filter_map(shape).collect()
}

/// What `git ls-files` prints of these operands: in a pattern of git, a star takes in folders too.
fn tracked(words: &[Arg], operands: &[usize]) -> Vec<Arg> {
    let stars = |text: &str| text.contains(['*', '?', '[']);
    let shape = |name: Arg| {
        // `:!x` takes something away.
        let magic = name.text.starts_with(':') && !name.text.starts_with(":!") && !name.text.starts_with(":^");
        let (folder, last) = name.text.rsplit_once('/').unwrap_or(("", name.text.as_str()));
        match name.dynamic.is_empty() {
            _ if magic || stars(folder) => None,
            true if stars(last) => {
                let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
                Some(Arg { text: eco_format!("{folder}**/{last}"), dynamic: Dynamic::Glob.into() })
            }
            _ => Some(name),
        }
    };
    let kept = |word: &&Arg| !word.text.starts_with(":!") && !word.text.starts_with(":^");
    let all: Vec<Arg> = operands.iter().filter_map(|at| words.get(*at)).filter(kept).cloned().collect();
    match all.is_empty() {
        true => vec![Arg::literal(".")],
        false => all.into_iter().map(shape).collect::<Option<_>>().unwrap_or_default(),
    }
}

/// Whether a path names a file by its ending: of a folder `ls` prints what lies in it.
fn names_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').filter(|(stem, ending)| !stem.is_empty() && !ending.is_empty());
    ending.is_some_and(|(_, ending)| !matches!(ending, "." | "d" | "app" | "git")) || name.starts_with(".env")
}
