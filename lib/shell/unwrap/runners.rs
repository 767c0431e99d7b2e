//! Runners that the person adds: words behind which a command stands.

use std::sync::Arc;

use super::{Around, Inner};
use crate::shell::part::Arg;

/// Programs that run what stands behind them: `workmux exec`, `bd run --`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Runners(Option<Arc<[Vec<String>]>>);

impl Runners {
    /// The runners of these lines, each a program, its subcommand words and perhaps `--`. Lines
    /// that [`Runners::fault`] complains about are left out.
    pub fn new<'l>(lines: impl IntoIterator<Item = &'l str>) -> Self {
        let good = lines.into_iter().filter(|line| Self::fault(line).is_none());
        let rows: Vec<Vec<String>> = good.map(|line| line.split_whitespace().map(str::to_owned).collect()).collect();
        Self((!rows.is_empty()).then(|| rows.into()))
    }

    /// What is wrong with a line, if anything is.
    pub fn fault(line: &str) -> Option<&'static str> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (first, rest) = match words.as_slice() {
            [] => return Some("it is empty"),
            [first, rest @ ..] => (*first, rest),
        };
        let odd = |word: &str| {
            word.contains(['$', '`', '\'', '"', '\\', ';', '&', '|', '<', '>', '(', ')', '*', '='])
                || word.chars().any(char::is_control)
        };
        let last = rest.len().saturating_sub(1);
        if words.iter().any(|word| odd(word)) {
            Some("it holds more than plain words")
        } else if first.starts_with('-') {
            Some("it does not begin with a program")
        } else if first.contains('/') {
            Some("its program is a path and not a name")
        } else if rest.iter().enumerate().any(|(at, word)| word.starts_with('-') && !(*word == "--" && at == last)) {
            Some("of the words that begin with a dash only a last `--` is understood")
        } else {
            None
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The command behind the words of a runner, if one of them is there.
    pub fn command(&self, head: &str, argv: &[Arg]) -> Option<Inner> {
        let rows = self.0.as_deref()?.iter().filter(|row| row.first().is_some_and(|first| first == head));
        // The row with most words is meant.
        let found = rows.filter_map(|row| Some((row, behind(row.get(1..)?, argv)?)));
        let (row, at) = found.max_by_key(|(row, _)| row.len())?;
        let words: Vec<&str> = row.iter().map(String::as_str).filter(|word| *word != "--").collect();
        let around = Around { label: words.join(" ").into(), ..Around::default() };
        Some(Inner::Command(at..argv.len(), around))
    }
}

/// Where the command behind `words` begins. Options may stand between them.
fn behind(words: &[String], argv: &[Arg]) -> Option<usize> {
    let text = |at: usize| argv.get(at).map(|word| word.text.as_str());
    let mut at = 1;
    for word in words {
        if word == "--" {
            let dashes = argv.get(at..)?.iter().position(|word| word.text == "--")?;
            return text(at + dashes + 1).map(|_| at + dashes + 1);
        }
        while text(at)?.starts_with('-') {
            at += 1;
        }
        if text(at)? != word {
            return None;
        }
        at += 1;
    }
    loop {
        match text(at)? {
            "--" => return text(at + 1).map(|_| at + 1),
            option if option.starts_with('-') && option.len() > 1 => at += 1,
            _ => return Some(at),
        }
    }
}
