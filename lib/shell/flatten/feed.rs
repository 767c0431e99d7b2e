//! What `echo`, `printf` and `cat` with a here-document print, where that is certain: text that is
//! piped into a shell, or put in for a substitution.

use std::borrow::Cow;

use super::super::ast::{CommandKind, Pipeline, Redirect, RedirectOp, Run};
use super::super::part::{Arg, Part, Redir, RedirFd};
use super::Walk;
use super::word::add;

/// How deep substitutions whose output is known may nest.
const MOST_DEEP: usize = 8;
/// How far back a chain of `cat` is followed.
const CHAIN: usize = 8;

impl Walk<'_, '_> {
    /// What a substitution prints, without the newlines at its end, if that is certain.
    pub(super) fn output_of(&mut self, list: Run<Pipeline>) -> Option<Arg> {
        let [pipeline] = self.script.pipelines.get(list.range())? else {
            return None;
        };
        let [command] = self.script.commands.get(pipeline.stages.range())? else {
            return None;
        };
        let CommandKind::Simple { assigns, words } = command.kind else {
            return None;
        };
        if !assigns.is_empty() || pipeline.negated || self.out.deep > MOST_DEEP {
            return None;
        }
        let words = self.script.words.get(words.range())?;
        let head = self.literal(self.pieces(words.first()?).first()?)?;
        if head == "pwd" && words.len() == 1 {
            return self.out.state.place.value();
        }
        if !matches!(head, "echo" | "printf" | "cat" | "basename" | "dirname" | "command" | "which") {
            return None;
        }
        self.out.deep += 1;
        let argv: Option<Vec<Arg>> = words
            .iter()
            .map(|word| {
                let mut fields = Vec::new();
                let arg = if !word.braces() && self.fields(word, &mut fields) {
                    (fields.len() == 1).then(|| fields.pop()).flatten()
                } else {
                    Some(self.arg(word))
                };
                arg.filter(|arg| arg.dynamic.is_empty() && !word.braces())
            })
            .collect();
        let redirs = self.script.redirects.get(command.redirects.range()).unwrap_or_default();
        let redirs: Option<Vec<Redir>> = redirs.iter().map(|redirect| self.stdin(redirect)).collect();
        self.out.deep -= 1;
        let text = printed(&argv?, &redirs?)?;
        if !text.dynamic.is_empty() {
            return None;
        }
        Some(Arg::literal(text.text.trim_end_matches('\n')))
    }

    fn stdin(&mut self, redirect: &Redirect) -> Option<Redir> {
        let op = match redirect.op {
            RedirectOp::Heredoc | RedirectOp::HeredocTabs => "<<",
            RedirectOp::HereString => "<<<",
            _ => return None,
        };
        let target = self.value(&redirect.target);
        Some(Redir { fd: RedirFd::Number(0), op: op.to_owned(), target, known: None })
    }

    /// What the parts `from` print together, if that can be seen.
    pub(super) fn fed_by(&self, from: &[u32]) -> Option<Arg> {
        let mut all: Option<Arg> = None;
        for number in from {
            let text = self.prints(self.out.parts.get(*number as usize)?, CHAIN)?;
            match &mut all {
                None => all = Some(text),
                Some(all) => {
                    all.text.push_str(&text.text);
                    for kind in text.dynamic {
                        add(&mut all.dynamic, kind);
                    }
                }
            }
        }
        all
    }

    fn prints(&self, part: &Part, chain: usize) -> Option<Arg> {
        let words = part.words();
        if let Some(text) = printed(words, &part.redirs) {
            return Some(text);
        }
        let passes = match part.head.as_str() {
            "cat" => words.len() == 1 || words.get(1..).is_some_and(|rest| rest.iter().all(|word| word.text == "-")),
            "tee" => true,
            _ => false,
        };
        let reads = part.redirs.iter().any(|redir| redir.op.starts_with('<'));
        match part.from.as_slice() {
            [from] if passes && !reads && chain > 0 => self.prints(self.out.parts.get(*from as usize)?, chain - 1),
            _ => None,
        }
    }
}

/// The commands of a table of jobs, one a line.
pub fn jobs(table: &str) -> String {
    let mut out = String::with_capacity(table.len());
    for line in table.lines().map(str::trim_start) {
        let setting = line.split_once('=').is_some_and(|(name, _)| super::super::unwrap::is_name(name.trim_end()));
        if line.is_empty() || line.starts_with('#') || setting {
            continue;
        }
        let mut rest = line;
        for _ in 0..if line.starts_with('@') { 1 } else { 5 } {
            rest = rest.split_once([' ', '\t']).map_or("", |(_, rest)| rest).trim_start();
        }
        out.push_str(rest);
        out.push('\n');
    }
    out
}

/// The here-document or here-string that is standard input, if one is.
pub fn here(redirs: &[Redir]) -> Option<Cow<'_, Arg>> {
    let last = redirs.iter().rev().find(|redir| redir.fd == RedirFd::Number(0))?;
    match last.op.as_str() {
        "<<" | "<<-" => Some(Cow::Borrowed(&last.target)),
        "<<<" => {
            let mut text = last.target.clone();
            text.text.push('\n');
            Some(Cow::Owned(text))
        }
        _ => None,
    }
}

fn printed(words: &[Arg], redirs: &[Redir]) -> Option<Arg> {
    let (head, rest) = words.split_first()?;
    match head.certain()?.rsplit('/').next()? {
        "echo" => Some(echo(rest)),
        "printf" => printf(rest),
        // Where a program lies; its name is enough.
        "command" => match rest {
            [flag, name] if flag.text == "-v" => Some(Arg::literal(name.certain()?)),
            _ => None,
        },
        "which" => match rest {
            [name] if !name.text.starts_with('-') => Some(Arg::literal(name.certain()?)),
            _ => None,
        },
        "basename" => {
            let (path, suffix) = match rest {
                [path] => (path.certain()?, ""),
                [path, suffix] => (path.certain()?, suffix.certain()?),
                _ => return None,
            };
            let name = path.trim_end_matches('/').rsplit('/').next()?;
            let stem = name.strip_suffix(suffix).filter(|stem| !stem.is_empty()).unwrap_or(name);
            (!stem.is_empty() && !stem.starts_with('-')).then(|| Arg::literal(stem))
        }
        "dirname" => {
            let [path] = rest else { return None };
            let path = path.certain()?.trim_end_matches('/');
            let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder.trim_end_matches('/'));
            (!path.is_empty() && !folder.is_empty() && !path.starts_with('-')).then(|| Arg::literal(folder))
        }
        "cat" | "tee" if rest.iter().all(|word| word.text == "-") => here(redirs).map(Cow::into_owned),
        _ => None,
    }
}

fn echo(words: &[Arg]) -> Arg {
    let mut escapes = false;
    let mut newline = true;
    let mut start = 0;
    for word in words {
        let Some(flags) = word
            .text
            .strip_prefix('-')
            .filter(|flags| !flags.is_empty() && flags.bytes().all(|flag| matches!(flag, b'n' | b'e' | b'E')))
        else {
            break;
        };
        for flag in flags.bytes() {
            match flag {
                b'n' => newline = false,
                flag => escapes = flag == b'e',
            }
        }
        start += 1;
    }
    let mut arg = super::super::unwrap::join(words, start..words.len());
    if escapes {
        arg.text = unescape(&arg.text);
    }
    if newline {
        arg.text.push('\n');
    }
    arg
}

/// `printf` with `%s`, `%b`, `%d`, `%%`; anything else is not certain.
fn printf(words: &[Arg]) -> Option<Arg> {
    let words = if words.first().is_some_and(|word| word.text == "--") { words.get(1..)? } else { words };
    let (format, rest) = words.split_first()?;
    if format.text.starts_with("-v") {
        return None;
    }
    let mut arg = Arg { text: String::new(), dynamic: format.dynamic.clone() };
    let pattern = unescape(&format.text);
    let mut rest = rest.iter();
    loop {
        let mut used = false;
        let mut letters = pattern.chars();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                arg.text.push(letter);
                continue;
            }
            match letters.next()? {
                '%' => arg.text.push('%'),
                kind @ ('s' | 'b' | 'd' | 'q') => {
                    used = true;
                    let Some(word) = rest.next() else { continue };
                    for kind in &word.dynamic {
                        add(&mut arg.dynamic, *kind);
                    }
                    match kind {
                        'b' => arg.text.push_str(&unescape(&word.text)),
                        _ => arg.text.push_str(&word.text),
                    }
                }
                _ => return None,
            }
        }
        if !used || rest.len() == 0 {
            return Some(arg);
        }
    }
}

/// The escapes of `echo -e` and `printf`.
fn unescape(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at + 1..).unwrap_or_default();
        let Some(letter) = rest.chars().next() else {
            out.push('\\');
            break;
        };
        let digits = |skip: usize, most: usize, radix: u32| {
            let digits = rest.get(skip..).unwrap_or_default();
            let length = digits.chars().take(most).take_while(|digit| digit.is_digit(radix)).count();
            let value = u32::from_str_radix(digits.get(..length).unwrap_or_default(), radix).ok();
            value.and_then(char::from_u32).map(|value| (value, skip + length))
        };
        let code = match letter {
            'x' => digits(1, 2, 16),
            'u' => digits(1, 4, 16),
            'U' => digits(1, 8, 16),
            '0' => digits(1, 3, 8).or(Some(('\0', 1))),
            '1'..='7' => digits(0, 3, 8),
            _ => None,
        };
        let simple = match letter {
            'a' => Some('\x07'),
            'b' => Some('\x08'),
            'e' | 'E' => Some('\x1b'),
            'f' => Some('\x0c'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'v' => Some('\x0b'),
            '\\' | '"' | '\'' => Some(letter),
            _ => None,
        };
        if letter == 'c' {
            return out;
        }
        let length = match (code, simple) {
            (Some((value, length)), _) => {
                out.push(value);
                length
            }
            (None, Some(value)) => {
                out.push(value);
                letter.len_utf8()
            }
            (None, None) => {
                out.push('\\');
                out.push(letter);
                letter.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}
