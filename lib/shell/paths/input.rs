//! What `find` and `xargs` put into the commands that they run, as globs, where that is known.

use super::super::options;
use super::super::part::{Arg, Dynamic, Part};
use super::search::found_by;

/// How far wrappers and pipes are followed.
const MOST_STEPS: usize = 8;

/// Most runs of one command that are told apart.
const MOST_RUNS: usize = 16;
/// Longest command, in words, that is looked at for what it hands on; each part that it runs looks again.
const MOST_WORDS: usize = 128;

/// The part with what `find` or `xargs` puts into it, once for each run; none if nothing is, or it
/// is unknown.
pub(super) fn filled(part: &Part, all: &[Part]) -> Option<Vec<Part>> {
    if (!part.appends && part.replace.is_none()) || all.is_empty() {
        return None;
    }
    let names = input(part, all)?;
    let runs = match part.replace.as_deref().filter(|mark| !mark.is_empty()) {
        Some(mark) if names.len() <= MOST_RUNS => names.iter().map(|name| with(part, mark, name)).collect(),
        Some(_) => return None,
        None => {
            let mut filled = part.clone();
            let words = names.iter().flat_map(|name| match name.certain() {
                Some(text) => text.split_ascii_whitespace().map(Arg::literal).collect(),
                None => vec![name.clone()],
            });
            filled.known = Some(part.words().iter().cloned().chain(words).collect());
            vec![filled]
        }
    };
    let settled = |mut run: Part| {
        run.appends = false;
        run.replace = None;
        run
    };
    Some(runs.into_iter().map(settled).collect())
}

/// The part with a name where the mark stands.
fn with(part: &Part, mark: &str, name: &Arg) -> Part {
    let put = |word: &Arg| {
        if !word.text.contains(mark) {
            return word.clone();
        }
        let mut filled = name.clone();
        filled.text = word.text.replacen(mark, &name.text, 4);
        super::copy::with_kinds(&mut filled, word);
        filled
    };
    let mut run = part.clone();
    run.known = Some(part.words().iter().map(put).collect());
    for redir in &mut run.redirs {
        redir.known = Some(put(redir.target()));
    }
    run
}

/// The names that the nearest `find` or `xargs` around a part hands to it.
fn input(part: &Part, all: &[Part]) -> Option<Vec<Arg>> {
    let mut at = part.inside?;
    for _ in 0..MOST_STEPS {
        let outer = all.get(at as usize).filter(|outer| outer.words().len() <= MOST_WORDS)?;
        match outer.head.as_str() {
            "find" | "gfind" => return Some(found_by(outer)).filter(|names| !names.is_empty()),
            "xargs" | "gxargs" => {
                let fed = outer.redirs.iter().any(|redir| redir.op.starts_with('<'));
                let [from] = outer.from.as_slice() else { return None };
                return if fed { None } else { printed(all.get(*from as usize)?, all) };
            }
            _ => at = outer.inside?,
        }
    }
    None
}

/// The names that a part prints, one a line, as globs.
fn printed(part: &Part, all: &[Part]) -> Option<Vec<Arg>> {
    let mut part = part;
    for _ in 0..MOST_STEPS {
        if part.words().len() > MOST_WORDS {
            return None;
        }
        let read = options::options(part);
        let words = part.words();
        match part.head.as_str() {
            "printf" | "echo" | "seq" => return lines(part),
            "find" | "gfind" if !read.has(&["-printf", "-exec", "-execdir", "-ls", "-fprint"]) => {
                return Some(found_by(part)).filter(|names| !names.is_empty());
            }
            // Filters that let whole lines through.
            "head" | "tail" | "sort" | "uniq" | "tac" | "shuf" | "cat" if read.operands.is_empty() => {}
            "grep" | "egrep" | "fgrep" | "rg" if read.operands.len() == 1 && !read.has(&["-o", "-l", "-c", "-n"]) => {}
            "grep" | "egrep" | "fgrep" | "rg"
                if read.has(&["-l", "-L", "--files-with-matches", "--files-without-match", "--files"]) =>
            {
                let skip = usize::from(!read.has(read.row.unless));
                let files = read.operands.get(skip..).filter(|files| !files.is_empty())?;
                // A folder stands for the files below it.
                return files.iter().map(|at| words.get(*at).cloned()).collect();
            }
            "ls" | "gls" if !read.operands.is_empty() && !read.has(&["-l", "-R"]) => {
                // Of a folder it prints bare names, so only globs over files are of use.
                let files: Vec<Arg> = read.operands.iter().filter_map(|at| words.get(*at)).cloned().collect();
                let globs = |word: &Arg| word.dynamic == [Dynamic::Glob] && !word.text.ends_with(['*', '/']);
                return Some(files).filter(|files| files.iter().all(globs));
            }
            "git" if read.words == ["ls-files"] && read.options.iter().all(|option| option.name == "-z") => {
                let files = Some(&read.operands).filter(|files| !files.is_empty())?;
                return files.iter().map(|at| words.get(*at).cloned()).collect();
            }
            _ => return None,
        }
        let [from] = part.from.as_slice() else { return None };
        part = all.get(*from as usize)?;
    }
    None
}

/// The lines that a part with certain words prints.
fn lines(part: &Part) -> Option<Vec<Arg>> {
    let words: Option<Vec<&str>> = part.words().iter().skip(1).map(Arg::certain).collect();
    let words = words?;
    if part.head == "seq" {
        let numbers: Option<Vec<i64>> = words.iter().map(|word| word.parse().ok()).collect();
        let (first, last) = match numbers?.as_slice() {
            [last] => (1, *last),
            [first, last] => (*first, *last),
            _ => return None,
        };
        let count = usize::try_from(last.checked_sub(first)?).ok().filter(|count| *count < MOST_RUNS)?;
        return Some((first..=last).take(count + 1).map(|number| Arg::literal(number.to_string())).collect());
    }
    let text = match words.as_slice() {
        [format] if part.head == "printf" && !format.contains('%') => format.replace("\\n", "\n"),
        [format, rest @ ..] if part.head == "printf" && *format == "%s\\n" => rest.join("\n"),
        rest if part.head == "echo" && rest.iter().all(|word| !word.starts_with('-')) => rest.join(" "),
        _ => return None,
    };
    let odd = text.contains(['\\', '\'', '"']);
    let lines: Vec<Arg> = text.lines().map(str::trim).filter(|line| !line.is_empty()).map(Arg::literal).collect();
    Some(lines).filter(|lines| !odd && !lines.is_empty() && lines.len() <= MOST_RUNS)
}
