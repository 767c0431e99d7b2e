//! Simple filters of certain texts: `seq`, `tr`, `cut`, `head`, `sort`, `sed s/a/b/`.

use super::super::part::Arg;

/// Longest text that is made.
const LONGEST: usize = 16 * 1024;

/// Whether a program is a filter that is followed.
pub(super) fn known(head: &str) -> bool {
    matches!(head, "tr" | "cut" | "sed" | "head" | "tail" | "sort" | "rev" | "tac" | "cat")
}

/// What a filter prints, given what it reads.
pub(super) fn filtered(words: &[Arg], input: &Arg) -> Option<Arg> {
    let (head, rest) = words.split_first()?;
    let text = input.certain().filter(|text| text.len() <= LONGEST)?;
    let words: Option<Vec<&str>> = rest.iter().map(Arg::certain).collect();
    let words = words?;
    let lines = || text.lines();
    let out = match (head.certain()?.rsplit('/').next()?, words.as_slice()) {
        ("cat", [] | ["-"]) => text.to_owned(),
        ("tr", ["-d", gone]) => {
            let gone = letters(gone)?;
            text.chars().filter(|letter| !gone.contains(letter)).collect()
        }
        ("tr", [from, to]) => translated(text, from, to)?,
        ("cut", words) => cut(text, words)?,
        ("sed", [script] | ["-e", script]) => substituted(text, script, false)?,
        ("sed", ["-E" | "-r", script]) => substituted(text, script, true)?,
        ("head", words) => joined(lines().take(count(words)?)),
        ("tail", words) => {
            let most = count(words)?;
            joined(lines().skip(lines().count().saturating_sub(most)))
        }
        ("sort", ["-u"]) => {
            let mut all: Vec<&str> = lines().collect();
            all.sort_unstable();
            all.dedup();
            joined(all.into_iter())
        }
        ("sort", []) => {
            let mut all: Vec<&str> = lines().collect();
            all.sort_unstable();
            joined(all.into_iter())
        }
        ("tac", []) => joined(lines().rev()),
        ("rev", []) => {
            let all: Vec<String> = lines().map(|line| line.chars().rev().collect()).collect();
            joined(all.iter().map(String::as_str))
        }
        _ => return None,
    };
    Some(Arg::literal(out))
}

/// What `seq` prints.
pub(super) fn seq(words: &[Arg]) -> Option<Arg> {
    let mut width = 0;
    let mut separator = "\n";
    let mut numbers: Vec<&str> = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.certain()? {
            "-w" => width = 1,
            "-s" => separator = rest.next()?.certain()?,
            text if text.starts_with("-s") => separator = text.get(2..)?,
            number => numbers.push(number),
        }
    }
    let parsed: Option<Vec<i64>> = numbers.iter().map(|number| number.parse().ok()).collect();
    let (first, step, last) = match parsed?.as_slice() {
        [last] => (1, 1, *last),
        [first, last] => (*first, 1, *last),
        [first, step, last] if *step != 0 => (*first, *step, *last),
        _ => return None,
    };
    if width > 0 {
        width = numbers.iter().map(|number| number.len()).max()?;
    }
    let mut out = String::new();
    let mut now = first;
    while if step > 0 { now <= last } else { now >= last } {
        if out.len() > LONGEST {
            return None;
        }
        if !out.is_empty() {
            out.push_str(separator);
        }
        out.push_str(&format!("{now:0width$}"));
        now = now.checked_add(step)?;
    }
    if !out.is_empty() {
        out.push('\n');
    }
    Some(Arg::literal(out))
}

/// The name that `mktemp` prints, with its template where the chosen letters stand: it is a file
/// that was not there before, so no other name is meant.
pub(super) fn mktemp(words: &[Arg]) -> Option<Arg> {
    let mut folder = None;
    let mut template = None;
    let mut suffix = "";
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.certain()? {
            "-d" | "--directory" | "-q" | "--quiet" | "-dq" | "-qd" => {}
            "-t" | "-td" | "-dt" | "--tmpdir" => folder = folder.or(Some("/tmp")),
            "-p" => folder = Some(rest.next()?.certain()?),
            text if text.starts_with("--tmpdir=") => folder = text.strip_prefix("--tmpdir="),
            text if text.starts_with("--suffix=") => suffix = text.strip_prefix("--suffix=")?,
            text if text.starts_with('-') || template.is_some() => return None,
            text => template = Some(text),
        }
    }
    let folder = folder.or(template.is_none().then_some("/tmp"));
    let template = template.unwrap_or("tmp.XXXXXXXXXX");
    let path = match folder {
        Some(folder) => format!("{}/{template}{suffix}", folder.trim_end_matches('/')),
        None => format!("{template}{suffix}"),
    };
    template.contains("XXX").then(|| Arg::literal(path))
}

fn joined<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    let mut out = String::new();
    for line in lines {
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// `-3`, `-n 3`, `-n3`
fn count(words: &[&str]) -> Option<usize> {
    match words {
        [] => Some(10),
        ["-n", number] => number.parse().ok(),
        [word] => word.strip_prefix("-n").or_else(|| word.strip_prefix('-'))?.parse().ok(),
        _ => None,
    }
}

/// The letters of a set of `tr`, ranges and the best known classes resolved.
fn letters(set: &str) -> Option<Vec<char>> {
    match set {
        "[:upper:]" => return Some(('A'..='Z').collect()),
        "[:lower:]" => return Some(('a'..='z').collect()),
        "[:digit:]" => return Some(('0'..='9').collect()),
        "[:space:]" => return Some(vec![' ', '\t', '\n', '\r', '\u{b}', '\u{c}']),
        _ if set.contains("[:") || set.contains("[=") || set.contains('*') => return None,
        _ => {}
    }
    let mut out = Vec::new();
    let mut rest = set.chars().peekable();
    while let Some(mut letter) = rest.next() {
        if letter == '\\' {
            letter = match rest.next()? {
                'n' => '\n',
                't' => '\t',
                '0' => '\0',
                '\\' => '\\',
                _ => return None,
            };
        }
        let mut ahead = rest.clone();
        if ahead.next() == Some('-')
            && let Some(last) = ahead.next().filter(|last| last.is_ascii() && letter.is_ascii())
        {
            rest = ahead;
            out.extend(letter..=last);
        } else {
            out.push(letter);
        }
    }
    Some(out)
}

fn translated(text: &str, from: &str, to: &str) -> Option<String> {
    let (from, to) = (letters(from)?, letters(to)?);
    let last = *to.last()?;
    let new = |letter: char| match from.iter().rposition(|old| *old == letter) {
        Some(at) => to.get(at).copied().unwrap_or(last),
        None => letter,
    };
    (!from.contains(&'-') || from.len() == 1).then(|| text.chars().map(new).collect())
}

/// `cut -d, -f2`, `cut -c1-3`: one field or one range.
fn cut(text: &str, words: &[&str]) -> Option<String> {
    let mut separator = "\t";
    let mut fields = None;
    let mut places = None;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let (flag, value) = word.split_at_checked(2)?;
        let value = if value.is_empty() { rest.next()? } else { value };
        match flag {
            "-d" => separator = value,
            "-f" => fields = Some(range(value)?),
            "-c" => places = Some(range(value)?),
            _ => return None,
        }
    }
    let mut out = String::new();
    for line in text.lines() {
        match (fields, places) {
            (Some((first, last)), None) if line.contains(separator) => {
                let chosen = line.split(separator).skip(first - 1).take(last.saturating_sub(first - 1));
                out.push_str(&chosen.collect::<Vec<_>>().join(separator));
            }
            (Some(_), None) => out.push_str(line),
            (None, Some((first, last))) => {
                out.extend(line.chars().skip(first - 1).take(last.saturating_sub(first - 1)));
            }
            _ => return None,
        }
        out.push('\n');
    }
    Some(out)
}

/// `2`, `2-`, `-3`, `2-3`; the first is at least 1.
fn range(text: &str) -> Option<(usize, usize)> {
    let (first, last) = match text.split_once('-') {
        Some((first, "")) => (first.parse().ok()?, usize::MAX),
        Some(("", last)) => (1, last.parse().ok()?),
        Some((first, last)) => (first.parse().ok()?, last.parse().ok()?),
        None => (text.parse().ok()?, text.parse().ok()?),
    };
    (first > 0).then_some((first, last))
}

/// `s/a/b/g` where `a` and `b` are plain; a pattern with `^` or `$` at its edge is plain too.
fn substituted(text: &str, script: &str, extended: bool) -> Option<String> {
    let rest = script.strip_prefix('s')?;
    let mark = rest.chars().next().filter(|mark| !mark.is_alphanumeric() && *mark != '\\')?;
    let mut sides = rest.get(mark.len_utf8()..)?.split(mark);
    let (old, new, flags) = (sides.next()?, sides.next()?, sides.next()?);
    if sides.next().is_some() || !matches!(flags, "" | "g") || new.contains(['&', '\\', '\n']) {
        return None;
    }
    let (start, old) = old.strip_prefix('^').map_or((false, old), |old| (true, old));
    let (end, old) = old.strip_suffix('$').map_or((false, old), |old| (true, old));
    // `\.` is a dot.
    let mut plain = String::new();
    let mut letters = old.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => plain.push(letters.next().filter(|letter| matches!(letter, '.' | '/' | '-' | '*' | '['))?),
            '.' | '*' | '[' | '^' | '$' => return None,
            '+' | '?' | '(' | ')' | '|' | '{' | '}' if extended => return None,
            letter => plain.push(letter),
        }
    }
    if plain.is_empty() && !start && !end || new.len().saturating_mul(text.len()) > 64 * LONGEST {
        return None;
    }
    let lines: Vec<String> = text
        .lines()
        .map(|line| match (start, end) {
            (true, true) if line == plain => new.to_owned(),
            (true, true) => line.to_owned(),
            (true, false) => line.strip_prefix(&plain).map_or(line.to_owned(), |rest| format!("{new}{rest}")),
            (false, true) => line.strip_suffix(&plain).map_or(line.to_owned(), |rest| format!("{rest}{new}")),
            (false, false) if flags == "g" => line.replace(&plain, new),
            (false, false) => line.replacen(&plain, new, 1),
        })
        .collect();
    Some(joined(lines.iter().map(String::as_str)))
}
