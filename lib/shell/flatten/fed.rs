//! What `xargs` and `find` hand to the command they run: words that are certain, one turn for each
//! where it runs more than once, or globs that they are among.

use super::super::dynamic::Dynamic;
use super::super::options::{self, Options};
use super::super::part::{Arg, Part};
use super::super::paths::found_by;
use super::super::unwrap::{Around, Inner, find};
use super::Walk;
use super::feed;
use super::word::mark;

/// Most turns of one command.
const MOST_TURNS: usize = 32;
/// How far back a chain of filters is followed.
const CHAIN: usize = 8;

impl Walk<'_, '_> {
    /// The command that part `n` runs, with what it is given; `number` is which of all that it runs.
    pub(super) fn fed(&self, n: u32, inner: Inner, number: usize) -> Inner {
        let Some(part) = self.out.parts.get(n as usize) else {
            return inner;
        };
        match (part.head.as_str(), inner) {
            ("xargs" | "gxargs", Inner::Command(range, around)) => self.xargs(part, range, around),
            ("find" | "gfind", Inner::Command(range, mut around)) => {
                around.input = if number < MOST_TURNS { found_by(part).into() } else { Vec::new().into() };
                // What is found is copied for each command.
                if number > 0 && around.input.len() > MOST_TURNS || number >= MOST_TURNS {
                    around.input = vec![Arg { text: mark(Dynamic::Var).into(), dynamic: Dynamic::Var.into() }].into();
                }
                Inner::Command(range, around)
            }
            (_, inner) => inner,
        }
    }

    /// Notes the names that an archiver reads from a pipe.
    pub(super) fn packs(&mut self, n: u32) {
        let Some(part) = self.out.parts.get(n as usize) else { return };
        if part.from.is_empty() || !matches!(part.head.as_str(), "cpio" | "tar" | "gtar" | "bsdtar" | "zip") {
            return;
        }
        let read = options::options(part);
        let names = self.input_words(part, &read).map_or_else(|| self.names(part, &read), |(words, _)| words);
        drop(read);
        if let Some(part) = self.out.parts.get_mut(n as usize) {
            part.input = names.into();
        }
    }

    fn xargs(&self, part: &Part, range: std::ops::Range<usize>, mut around: Around) -> Inner {
        let read = options::options(part);
        let Some((input, lines)) = self.input_words(part, &read) else {
            around.input = self.names(part, &read).into();
            return Inner::Command(range, around);
        };
        let words = part.words().get(range.clone()).unwrap_or_default();
        let base = around.clone();
        around.appends = false;
        let turns: Vec<Inner> = match &around.replace {
            Some(mark) => {
                let mark = mark.clone();
                around.replace = None;
                let turn = |value: &Arg| words.iter().map(|word| filled(word, &mark, value)).collect();
                let turns = input.iter().map(turn);
                turns.map(|words| Inner::Words(range.clone(), words, around.clone())).collect()
            }
            None => {
                let most = read.get(&["-n", "--max-args"]).and_then(|option| option.value.as_deref()?.parse().ok());
                let turn = |chunk: &[Arg]| words.iter().chain(chunk).cloned().collect();
                let mut rest = input.as_slice();
                let chunks = lines.iter().filter_map(|count| {
                    let (chunk, after) = rest.split_at_checked(*count)?;
                    rest = after;
                    Some(chunk)
                });
                let chunks: Vec<&[Arg]> = match lines.is_empty() {
                    true => input.chunks(most.unwrap_or(usize::MAX).max(1)).collect(),
                    false => chunks.collect(),
                };
                let chunks = chunks.into_iter().map(turn);
                chunks.map(|words| Inner::Words(range.clone(), words, around.clone())).collect()
            }
        };
        // Of words that are appended all stand in the first reading, which the rules look at.
        let base = match around.replace.is_some() || base.replace.is_some() {
            true => Inner::Command(range, base),
            false => Inner::Words(range, words.iter().chain(&input).cloned().collect(), around),
        };
        match <[Inner; 1]>::try_from(turns) {
            Ok([only]) => only,
            Err(turns) if turns.is_empty() => base,
            Err(turns) => Inner::Turns(Box::new(base), turns),
        }
    }

    /// Walks `base`, and again each of `turns` if they are not too many, as turns of its parts.
    pub(super) fn inner_turns(&mut self, n: u32, base: Inner, turns: Vec<Inner>, spans: &[[u32; 2]]) {
        let first = self.out.parts.len();
        let (opaque, why) = (self.out.opaque, self.out.why.len());
        let by = self.out.by;
        self.inner(n, base, spans);
        let count = self.out.parts.len() - first;
        let cost = turns.len().saturating_mul(count.max(1));
        if self.out.full || turns.len() > MOST_TURNS || !self.out.may_turn(cost) {
            return;
        }
        self.out.turned += cost;
        // With all values known there is no doubt about them.
        self.out.opaque = opaque;
        self.out.why.truncate(why);
        let parts = self.out.parts.iter_mut().skip(first);
        parts.for_each(|part| part.turns.clear());
        let before = self.out.parts.len();
        for turn in turns {
            self.out.by = by;
            self.inner(n, turn, spans);
            // From the first that is another command on, each stands on its own.
            if self.out.parts.len() == before + count {
                self.keep(first, count, before);
            }
        }
        self.out.by = "";
    }

    /// The words that `xargs` makes of its standard input, if that can be seen, and how many of
    /// them each command gets if it takes them by lines (`-L`).
    fn input_words(&self, part: &Part, read: &Options<'_>) -> Option<(Vec<Arg>, Vec<usize>)> {
        if read.has(&["-a", "--arg-file", "-E", "-e", "--eof"]) {
            return None;
        }
        let text = match feed::here(&part.redirs) {
            Some(text) => text.into_owned(),
            None if part.redirs.iter().any(|redir| redir.op.starts_with('<')) => return None,
            None if part.from.is_empty() => return None,
            None => self.fed_by(&part.from)?,
        };
        let kinds = [Dynamic::Glob, Dynamic::Tilde];
        if text.text.len() > 4096 || text.dynamic.iter().any(|kind| !kinds.contains(kind)) {
            return None;
        }
        let delimiter = read.get(&["-d", "--delimiter"]).map(|option| option.value.as_deref().unwrap_or_default());
        let words: Vec<&str> = match delimiter {
            Some("\\n" | "\n") => text.text.lines().collect(),
            Some("\\0") => text.text.split('\0').collect(),
            Some(mark) if mark.chars().count() == 1 && mark != "\\" => {
                text.text.split(mark).map(|word| word.trim_end_matches('\n')).collect()
            }
            Some(_) => return None,
            None if read.has(&["-0", "--null"]) => text.text.split('\0').collect(),
            None if text.text.contains(['\'', '"', '\\']) => return None,
            None if read.has(read.row.replace) => text.text.lines().map(str::trim_start).collect(),
            None => text.text.split_ascii_whitespace().collect(),
        };
        let mut lines = Vec::new();
        if let Some(option) = read.get(&["-L", "-l", "--max-lines"])
            && !read.has(read.row.replace)
        {
            let most = option.value.as_deref().map_or(Some(1), |value| value.parse().ok()).filter(|most| *most > 0);
            // A blank at its end joins a line to the next.
            let joined = text.text.lines().any(|line| line.ends_with([' ', '\t']));
            if joined || delimiter.is_some() || read.has(&["-0", "--null", "-n", "--max-args"]) {
                return None;
            }
            let counts = text.text.lines().map(|line| line.split_ascii_whitespace().count());
            let counts: Vec<usize> = counts.filter(|count| *count > 0).collect();
            lines = counts.chunks(most?).map(|counts| counts.iter().sum()).collect();
        }
        let words = words.into_iter().filter(|word| !word.is_empty());
        let words = words.map(|word| {
            let mut arg = Arg::literal(word);
            if text.dynamic.contains(&Dynamic::Glob) && word.contains(['*', '?', '[']) {
                arg.dynamic.insert(Dynamic::Glob);
            }
            if text.dynamic.contains(&Dynamic::Tilde) && word.starts_with(['~', '$']) {
                arg.dynamic.insert(Dynamic::Tilde);
            }
            arg
        });
        Some((words.collect(), lines))
    }

    /// Globs for the names on the standard input of `xargs`.
    fn names(&self, part: &Part, read: &Options<'_>) -> Vec<Arg> {
        let redirected = part.redirs.iter().any(|redir| redir.op.starts_with('<'));
        match part.from.as_slice() {
            [from] if !redirected && !read.has(&["-a", "--arg-file"]) => self.printed_names(*from, CHAIN),
            _ => Vec::new(),
        }
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
            ("sort" | "head" | "tail" | "uniq" | "grep" | "egrep" | "fgrep", [from]) if filters(&read) && chain > 0 => {
                self.printed_names(*from, chain - 1)
            }
            ("grep" | "egrep" | "fgrep", _)
                if read.has(&["-l", "--files-with-matches", "-L", "--files-without-match"]) =>
            {
                let deep = read.has(&["-r", "-R", "--recursive", "--dereference-recursive"]);
                let pattern = !read.has(read.row.unless);
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
            ("git", _) if read.words.as_slice() == ["ls-files"] => below(words, Some(&read.operands), true, None),
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

/// A word with a value put in for the mark.
fn filled(word: &Arg, mark: &str, value: &Arg) -> Arg {
    let mut word = word.clone();
    if word.text.contains(mark) {
        word.text = word.text.replace(mark, &value.text);
        word.mark_all(value.dynamic);
    }
    word
}

/// Whether a path names a file by its ending: of a folder `ls` prints what lies in it.
fn names_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').filter(|(stem, ending)| !stem.is_empty() && !ending.is_empty());
    ending.is_some_and(|(_, ending)| !matches!(ending, "." | "d" | "app" | "git")) || name.starts_with(".env")
}
