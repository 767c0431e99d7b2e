//! What `xargs` and `find` hand to the command they run: words that are certain, one turn for each
//! where it runs more than once, or globs that they are among.

use super::super::dynamic::Dynamic;
use super::super::options::{self, Options};
use super::super::part::{Arg, Part};
use super::super::paths::found_by;
use super::super::unwrap::{Around, Inner};
use super::Walk;
use super::feed;
use super::origin::hands_on;
use super::word::mark;

/// Most turns of one command.
pub(super) const MOST_TURNS: usize = 32;

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
        // A wrapper hands its standard input on: `nice xargs rm <<< a`.
        let mut holder = part;
        while !holder.redirs.iter().any(|redir| redir.op.starts_with('<'))
            && let Some(outer) = hands_on(holder).and_then(|outer| self.out.parts.get(outer as usize))
        {
            holder = outer;
        }
        let text = match feed::here(&holder.redirs) {
            Some(text) => text.into_owned(),
            None if holder.redirs.iter().any(|redir| redir.op.starts_with('<')) => return None,
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
            Some(mark) if mark.chars().count() == 1 && mark != "\\" => text.text.split(mark).collect(),
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
