//! Regex patterns of a policy or an overlay, compiled as late as can be.
//!
//! Compiling one costs some 10 µs, more than the rest of a judgement. So a pattern is first asked for
//! a text that each of its matches must hold, and compiled only where the subject has that text.

use regex::bytes::{Regex, RegexBuilder};
use std::borrow::Cow;

/// Longest pattern, in bytes.
const LONGEST: usize = 1_000;
/// Largest compiled pattern, in bytes.
const LARGEST: usize = 256 << 10;
/// Deepest nesting of groups.
const DEEPEST: u32 = 32;

/// What stands for the name of the agent.
const SELF: &str = "<self>";

/// Whether a pattern matches a subject. One that does not compile matches nothing.
pub(super) fn matches(pattern: &str, me: &str, subject: &str) -> bool {
    let pattern = with_self(pattern, me);
    if let Some(answer) = simple(&pattern, subject) {
        return answer;
    }
    Needed::of(&pattern).allows(subject) && compile(&pattern).is_ok_and(|regex| regex.is_match(subject.as_bytes()))
}

/// The first of the patterns that matches.
pub(super) fn first<'p>(patterns: &'p [String], me: &str, subject: &str) -> Option<&'p str> {
    patterns.iter().map(String::as_str).find(|pattern| matches(pattern, me, subject))
}

/// What is wrong with a pattern, if anything is: one sentence on one line.
pub(super) fn problem(pattern: &str, me: &str) -> Option<String> {
    let pattern = with_self(pattern, me);
    let known = pattern.len() <= LONGEST && simple(&pattern, "").is_some();
    if known { None } else { compile(&pattern).err() }
}

/// The pattern with the agent's name put in, every character of it as itself; any one name where the
/// agent is not known.
fn with_self<'p>(pattern: &'p str, me: &str) -> Cow<'p, str> {
    match (pattern.contains(SELF), me) {
        (false, _) => Cow::Borrowed(pattern),
        (true, "") => Cow::Owned(pattern.replace(SELF, "[^/]+")),
        (true, name) => Cow::Owned(pattern.replace(SELF, &regex::escape(name))),
    }
}

fn compile(pattern: &str) -> Result<Regex, String> {
    if pattern.len() > LONGEST {
        return Err(format!("is longer than {LONGEST} bytes"));
    }
    // Bytes and ASCII classes: the tables of Unicode would make the program a megabyte larger.
    let built = RegexBuilder::new(pattern).unicode(false).size_limit(LARGEST).nest_limit(DEEPEST).build();
    built.map_err(|error| match &error {
        // The message shows the pattern with carets below it; its last line says what is wrong.
        regex::Error::Syntax(text) => {
            let last = text.lines().last().unwrap_or_default();
            format!("does not compile: {}", last.strip_prefix("error: ").unwrap_or(last))
        }
        _ => "does not compile: it would be too large".to_owned(),
    })
}

/// The answer of the forms that most patterns have, without compiling them: `^` or `(^|/)`, then plain
/// text, then nothing, `$`, `\s`, `(\s|$)` or `(/|$)`. `None` for any other form.
fn simple(pattern: &str, subject: &str) -> Option<bool> {
    let (fold, rest) = pattern.strip_prefix("(?i)").map_or((false, pattern), |rest| (true, rest));
    let (anywhere, rest) = match (rest.strip_prefix("(^|/)"), rest.strip_prefix('^')) {
        (Some(rest), _) => (true, rest),
        (None, Some(rest)) => (false, rest),
        (None, None) => return None,
    };
    let blank: &[char] = &[' ', '\t', '\n', '\r', '\x0b', '\x0c'];
    // What the subject goes on with, and whether it may end there.
    let ends = [(r"(\s|$)", blank, true), ("(/|$)", &['/'], true), (r"\s", blank, false), ("$", &[], true)];
    let end = ends.iter().find_map(|(end, next, last)| rest.strip_suffix(end).map(|text| (text, Some((*next, *last)))));
    let (text, end) = end.unwrap_or((rest, None));
    let mut wanted = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let escaped = letter == '\\';
        let plain = if escaped { letters.next()? } else { letter };
        let fits = if escaped {
            plain.is_ascii_punctuation() && !matches!(plain, '<' | '>')
        } else {
            plain.is_ascii_alphanumeric() || matches!(plain, ' ' | '/' | '-' | '_' | '@' | ':' | ',' | '=' | '~' | '%')
        };
        if !fits {
            return None;
        }
        wanted.push(if fold { plain.to_ascii_lowercase() } else { plain });
    }
    let subject = if fold { Cow::Owned(subject.to_ascii_lowercase()) } else { Cow::Borrowed(subject) };
    let at = |from: &str| {
        let rest = from.strip_prefix(wanted.as_str());
        rest.is_some_and(|rest| end.is_none_or(|(next, last)| last && rest.is_empty() || rest.starts_with(next)))
    };
    let below = || subject.match_indices('/').any(|(slash, _)| subject.get(slash + 1..).is_some_and(at));
    Some(at(&subject) || anywhere && below())
}

/// What every match of a pattern must hold.
#[derive(Debug, Default, PartialEq)]
struct Needed {
    /// Text that the subject begins with.
    prefix: String,
    /// The longest text that is in every match.
    inside: String,
    /// Whether letters count in either case.
    fold: bool,
}

impl Needed {
    /// Reads as much of a pattern as is needed to be sure; of one that is not understood, nothing is needed.
    fn of(pattern: &str) -> Self {
        let (fold, rest) = match pattern.strip_prefix("(?i)") {
            Some(rest) => (true, rest),
            None => (false, pattern),
        };
        if rest.replace("(?:", "").contains("(?") {
            return Self::default();
        }
        let mut scan = Scan { rest: rest.chars().peekable(), run: String::new(), first: true, needed: Self::default() };
        if scan.read().is_none() {
            return Self::default();
        }
        let mut needed = Self { fold, ..scan.needed };
        if fold {
            needed.prefix.make_ascii_lowercase();
            needed.inside.make_ascii_lowercase();
        }
        needed
    }

    fn allows(&self, subject: &str) -> bool {
        let subject = if self.fold { Cow::Owned(subject.to_ascii_lowercase()) } else { Cow::Borrowed(subject) };
        subject.starts_with(&self.prefix) && subject.contains(&self.inside)
    }
}

/// Walks over the outermost level of a pattern and collects its runs of plain characters.
struct Scan<'p> {
    rest: std::iter::Peekable<std::str::Chars<'p>>,
    run: String,
    /// Whether the run that is collected begins right behind a leading `^`.
    first: bool,
    needed: Needed,
}

impl Scan<'_> {
    /// `None` if it is not sure what the pattern says.
    fn read(&mut self) -> Option<()> {
        let anchored = self.rest.next_if_eq(&'^').is_some();
        self.first = anchored;
        while let Some(letter) = self.rest.next() {
            match letter {
                '|' => return None,
                '\\' => match self.rest.next()? {
                    plain if plain.is_ascii_punctuation() && !matches!(plain, '<' | '>') => self.run.push(plain),
                    's' | 'S' | 'd' | 'D' | 'w' | 'W' | 'b' | 'B' | 'A' | 'z' | 'n' | 't' | 'r' | 'f' | 'v' => {
                        self.end()
                    }
                    _ => return None,
                },
                '[' => {
                    self.end();
                    self.class()?;
                }
                '(' => {
                    self.end();
                    self.group()?;
                }
                ')' => return None,
                '.' | '^' | '$' => self.end(),
                '+' => self.end(),
                '*' | '?' => self.optional(),
                '{' => {
                    self.optional();
                    self.rest.find(|letter| *letter == '}')?;
                }
                plain => self.run.push(plain),
            }
        }
        self.end();
        Some(())
    }

    /// The character before need not be there.
    fn optional(&mut self) {
        self.run.pop();
        self.end();
    }

    fn end(&mut self) {
        let run = std::mem::take(&mut self.run);
        if std::mem::take(&mut self.first) {
            self.needed.prefix.clone_from(&run);
        }
        if run.len() > self.needed.inside.len() {
            self.needed.inside = run;
        }
    }

    /// Passes over a class whose bracket is read.
    fn class(&mut self) -> Option<()> {
        self.rest.next_if_eq(&'^');
        self.rest.next_if_eq(&']');
        let mut depth = 1;
        while depth > 0 {
            match self.rest.next()? {
                '\\' => drop(self.rest.next()?),
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
        }
        Some(())
    }

    /// Passes over a group whose parenthesis is read.
    fn group(&mut self) -> Option<()> {
        let mut depth = 1;
        while depth > 0 {
            match self.rest.next()? {
                '\\' => drop(self.rest.next()?),
                '[' => self.class()?,
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_match_must_hold() {
        for (pattern, prefix, inside, fold) in [
            (r"^git status(\s|$)", "git status", "git status", false),
            (r"(?i)(^|/)\.ssh(/|$)", "", ".ssh", true),
            (r"^projects/[^/]+/project\.json$", "projects/", "/project.json", false),
            (r"^ab*c", "a", "a", false),
            (r"^ab+c", "ab", "ab", false),
            (r"^ab{0,3}cde", "a", "cde", false),
            (r"x(yyyy)?z", "", "x", false),
            (r"a|bcd", "", "", false),
            (r".*", "", "", false),
            (r"[]a]bc[[:alpha:]]d", "", "bc", false),
            (r"\x41bc", "", "", false),
            (r"(?s)abc", "", "", false),
            (r"(?:a|b)cd", "", "cd", false),
            (r"^(?:a|b)cd", "", "cd", false),
            (r"^$", "", "", false),
            (r"a\", "", "", false),
            (r"[a", "", "", false),
            (r"(a", "", "", false),
        ] {
            let want = Needed { prefix: prefix.into(), inside: inside.into(), fold };
            assert_eq!(Needed::of(pattern), want, "{pattern}");
        }
    }

    #[test]
    fn what_is_skipped_would_not_have_matched() {
        let patterns = [
            r"^pa(\s|$)",
            r"^a/b(/|$)",
            r"^ab$",
            r"^pa\s",
            r"^pa\\\s",
            r"^a\$",
            r"^ab",
            r"(^|/)b",
            r"(?i)(^|/)B$",
            r"^a\(\s|$)",
            r"^a{2}$",
            r"^é$",
            r"^git status(\s|$)",
            r"(?i)(^|/)\.ssh(/|$)",
            r"^ab*c",
            r"^ab+c",
            r"^ab{0,3}cde",
            r"x(yyyy)?z",
            r"a|bcd",
            r"^a?b",
            r"[]a]bc[[:alpha:]]d",
            r"(?:a|b)cd",
            r"^\.session/",
            r"a\b",
            r"^[^a]b",
            r"(a|b(c|d))e",
            r"(\(|x)y",
            r"^",
            r"a{2}b",
        ];
        let subjects = [
            "pa",
            "pa x",
            "pa\tx",
            "pa\\ x",
            "pa\\\\ x",
            "pax",
            "a/b",
            "a/b/c",
            "a/bc",
            "ab",
            "abc",
            "a$",
            "a/b/B",
            "a( ",
            "a(",
            "aa",
            "é",
            "git status",
            "git status -s",
            "git statusx",
            ".SSH/id",
            "a/.ssh",
            "ac",
            "abbc",
            "acde",
            "abcde",
            "xz",
            "xyyyyz",
            "a",
            "bcd",
            "b",
            "]bcxd",
            "abcd",
            "acd",
            ".session/x",
            "x/.session/y",
            "xb",
            "ae",
            "bce",
            "(y",
            "xy",
            "aab",
            "",
        ];
        for pattern in patterns {
            let regex = compile(pattern);
            for subject in subjects {
                let plain = regex.as_ref().is_ok_and(|regex| regex.is_match(subject.as_bytes()));
                assert_eq!(matches(pattern, "", subject), plain, "{pattern} {subject}");
            }
        }
    }

    #[test]
    fn the_name_of_the_agent_is_no_pattern() {
        let pattern = "^agents/<self>/";
        for (me, subject, want) in [
            ("mira", "agents/mira/a.md", true),
            ("mira", "agents/tom/a.md", false),
            ("a.b", "agents/a.b/x", true),
            ("a.b", "agents/axb/x", false),
            (".*", "agents/tom/x", false),
            ("a|b", "agents/b/x", false),
            ("(", "agents/(/x", true),
            ("", "agents/anybody/x", true),
            ("", "agents//x", false),
        ] {
            assert_eq!(matches(pattern, me, subject), want, "{me} {subject}");
        }
    }

    #[test]
    fn what_does_not_compile_says_why_on_one_line() {
        for (pattern, want) in [
            ("(", "does not compile: unclosed group"),
            ("a{9999}{9999}", "does not compile: it would be too large"),
            ("(?=x)", "does not compile: look-around"),
            (&"a".repeat(1_001), "is longer than 1000 bytes"),
        ] {
            let told = problem(pattern, "").unwrap_or_default();
            assert!(told.starts_with(want) && !told.contains('\n'), "{told}");
        }
        assert_eq!(problem(r"^\d+\s\w/$", ""), None);
    }
}
