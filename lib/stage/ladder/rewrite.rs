//! The call of a dedicated tool that does what a terminal call did, where it can be derived.
//!
//! Only what is certain is said: one plain command, options that are understood, words whose value
//! is known. Everything else has no rewritten call, and the note says what the tool is for.

use crate::call::{Call, Op};
use crate::envelope::Finding;
use crate::shell::{self, Part};

/// A longer one says more than it helps.
const LONGEST: usize = 120;

/// The call as one of the tool, such as `Read src/a.rs offset 10 limit 31`.
pub fn rewritten(call: &Call, found: &Finding, tool: &str) -> Option<String> {
    let part = call.shell.as_ref()?.parts.get(found.part? as usize)?;
    if part.cwd.is_some() || part.cwd_unknown || part.elsewhere || !part.turns.is_empty() || part.appends {
        return None;
    }
    let words: Vec<&str> = part.words().iter().skip(1).map(crate::shell::Arg::certain).collect::<Option<_>>()?;
    let rest = match (found.offer.as_str(), part.head.as_str()) {
        ("read", "cat" | "bat" | "less" | "more" | "nl") => only(&plain(&words, &["-n", "-A", "-ba"])?)?,
        ("read", "head") => head(&words)?,
        ("read", "sed") => lines(&words)?,
        ("grep", "grep" | "egrep" | "rg") => search(&words)?,
        ("glob", "find") => find(&words)?,
        ("glob", "ls") => list(&words)?,
        ("edit", "sed") => substitution(&words)?,
        ("write", _) => only(&written(part)?)?,
        _ => return None,
    };
    let text = format!("{tool} {rest}");
    let fine = text.chars().count() <= LONGEST && !text.contains('`') && !text.chars().any(char::is_control);
    fine.then_some(text)
}

/// A word as it is said: in quotes where it would not be seen as one.
fn word(text: &str) -> String {
    let plain = |letter: char| !letter.is_whitespace() && letter != '"';
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { format!("{text:?}") }
}

fn only(words: &[&str]) -> Option<String> {
    match words {
        [one] => Some(word(one)),
        _ => None,
    }
}

/// The operands, if all options are among the known ones.
fn plain<'a>(words: &[&'a str], known: &[&str]) -> Option<Vec<&'a str>> {
    let (options, operands): (Vec<&str>, Vec<&str>) =
        words.iter().copied().partition(|word| word.starts_with('-') && word.len() > 1);
    options.iter().all(|option| known.contains(option)).then_some(operands)
}

/// `head -n 40 a`, `head -40 a`, `head a`
fn head(words: &[&str]) -> Option<String> {
    let (count, file) = match words {
        ["-n", count, file] => (*count, *file),
        [count, file] if count.starts_with('-') => (count.trim_start_matches("-n").trim_start_matches('-'), *file),
        [file] => ("10", *file),
        _ => return None,
    };
    let count: u32 = count.parse().ok().filter(|count| *count > 0)?;
    (!file.starts_with('-')).then(|| format!("{} limit {count}", word(file)))
}

/// `sed -n 10,40p a`, `sed -n 5p a`
fn lines(words: &[&str]) -> Option<String> {
    let ["-n", script, file] = words else { return None };
    let range = script.strip_suffix('p')?;
    let (from, to) = range.split_once(',').unwrap_or((range, range));
    let from: u32 = from.parse().ok().filter(|from| *from > 0)?;
    let file = word(file);
    if to == "$" {
        return Some(format!("{file} offset {from}"));
    }
    let to: u32 = to.parse().ok().filter(|to| *to >= from)?;
    Some(format!("{file} offset {from} limit {}", to - from + 1))
}

/// `grep -rn x src`, `rg x`
fn search(words: &[&str]) -> Option<String> {
    let (mut options, mut operands) = (String::new(), Vec::new());
    for word in words {
        match word.strip_prefix('-') {
            Some(letters) if !letters.is_empty() => options.push_str(letters),
            _ => operands.push(*word),
        }
    }
    if !options.chars().all(|letter| "rRnHEsIi".contains(letter)) {
        return None;
    }
    let mut out = match operands.as_slice() {
        [pattern] => word(pattern),
        [pattern, place] => format!("{} in {}", word(pattern), word(place)),
        _ => return None,
    };
    if options.contains('i') {
        out.push_str(" with -i");
    }
    Some(out)
}

/// `find src -name '*.rs' -type f`
fn find(words: &[&str]) -> Option<String> {
    let (place, tests) = match words {
        [place, tests @ ..] if !place.starts_with('-') => (*place, tests),
        tests => (".", tests),
    };
    let name = match tests {
        ["-type", "f", "-name", name] | ["-name", name, "-type", "f"] | ["-name", name] => *name,
        ["-type", "f"] => "*",
        _ => return None,
    };
    Some(word(&below(place, &format!("**/{name}"))))
}

/// `ls src`, `ls`
fn list(words: &[&str]) -> Option<String> {
    let place = match plain(words, &["-l", "-a", "-la", "-al", "-1", "-A", "-lh", "-lah"])?.as_slice() {
        [] => ".",
        [place] => *place,
        _ => return None,
    };
    Some(word(&below(place, "*")))
}

fn below(place: &str, name: &str) -> String {
    match place.trim_end_matches('/') {
        "." | "" => name.to_owned(),
        place => format!("{place}/{name}"),
    }
}

/// `sed -i s/old/new/ a`, where the old text is no pattern.
fn substitution(words: &[&str]) -> Option<String> {
    let ["-i", script, file] = words else { return None };
    let mut pieces = script.strip_prefix("s/")?.split('/');
    let (old, new, flags) = (pieces.next()?, pieces.next()?, pieces.next()?);
    let literal = |text: &str| !text.contains(['\\', '.', '*', '[', ']', '^', '$', '&', '+', '?', '(', '{', '|']);
    if pieces.next().is_some() || old.is_empty() || !literal(old) || !literal(new) || !matches!(flags, "" | "g") {
        return None;
    }
    let all = if flags == "g" { " replace_all" } else { "" };
    Some(format!("{} old_string {} new_string {}{all}", word(file), word(old), word(new)))
}

/// The one file that the part writes, if that is certain.
fn written(part: &Part) -> Option<Vec<&str>> {
    let files: Vec<_> = shell::paths(part).into_iter().filter(|path| path.op == Op::Write).collect();
    match files.as_slice() {
        [file] => {
            let certain = file.raw.certain()?.to_owned();
            let words = part.words().iter().map(|arg| arg.text.as_str());
            let targets = part.redirs.iter().map(|redir| redir.target().text.as_str());
            words.chain(targets).find(|text| *text == certain).map(|text| vec![text])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::check;

    #[test]
    fn a_call_is_rewritten_where_it_is_certain() {
        for (command, offer, expected) in [
            ("sed -n 10,40p src/a.rs", "read", Some("T src/a.rs offset 10 limit 31")),
            ("sed -n '5p' a", "read", Some("T a offset 5 limit 1")),
            ("sed -n '5,$p' a", "read", Some("T a offset 5")),
            ("sed -n 9,4p a", "read", None),
            ("cat 'a b.txt'", "read", Some("T \"a b.txt\"")),
            ("cat a b", "read", None),
            ("cat $X", "read", None),
            ("X=a; cat $X", "read", Some("T a")),
            ("head -40 a", "read", Some("T a limit 40")),
            ("head -n 5 a", "read", Some("T a limit 5")),
            ("head -c 5 a", "read", None),
            ("grep -rn x src", "grep", Some("T x in src")),
            ("rg -i 'a b'", "grep", Some("T \"a b\" with -i")),
            ("grep -A 3 x a", "grep", None),
            ("grep --include=*.rs x .", "grep", None),
            ("find . -name '*.rs'", "glob", Some("T **/*.rs")),
            ("find src -type f -name '*.rs'", "glob", Some("T src/**/*.rs")),
            ("find . -newer a", "glob", None),
            ("ls -la src/", "glob", Some("T src/*")),
            ("ls", "glob", Some("T *")),
            ("sed -i s/old/new/g a.rs", "edit", Some("T a.rs old_string old new_string new replace_all")),
            ("sed -i 's/o.d/new/' a.rs", "edit", None),
            ("echo x > out.txt", "write", Some("T out.txt")),
            ("echo x > $OUT", "write", None),
            ("cat a\u{7}b", "read", None),
        ] {
            let call = check::call(command, "");
            let found = Finding { offer: offer.into(), part: Some(0), ..Finding::default() };
            let at_last = call.shell.as_ref().map_or(0, |shell| shell.parts.len().saturating_sub(1));
            let found = Finding { part: Some(at_last as u32), ..found };
            assert_eq!(rewritten(&call, &found, "T").as_deref(), expected, "{command}");
        }
        let call = check::call("cd sub && cat a", "");
        let found = Finding { offer: "read".into(), part: Some(1), ..Finding::default() };
        assert_eq!(rewritten(&call, &found, "T"), None);
    }
}
