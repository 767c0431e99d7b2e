//! Certain standard input of `read` and `mapfile`.

use std::rc::Rc;

use super::super::ast::{Command, PieceKind, RedirectOp};
use super::super::dynamic::Dynamic;
use super::super::part::{Arg, Part};
use super::super::unwrap;
use super::Walk;
use super::feed;
use super::vars::Known;

/// Longest input that is followed, in bytes.
const LONGEST: usize = 16 * 1024;

/// What the commands of a construct read, and how far they are.
#[derive(Clone, Debug)]
pub(super) struct Input {
    pub(super) text: Rc<str>,
    pub(super) at: usize,
}

impl Input {
    fn new(text: &Arg) -> Option<Self> {
        let text = text.certain().filter(|text| text.len() <= LONGEST)?;
        Some(Self { text: text.into(), at: 0 })
    }

    /// The next record, without its end.
    fn record(&mut self, end: char) -> Option<String> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let (record, length) = match rest.split_once(end) {
            Some((record, _)) => (record, record.len() + end.len_utf8()),
            None => (rest, rest.len()),
        };
        self.at += length;
        Some(record.to_owned())
    }
}

impl Walk<'_, '_> {
    /// The certain input of a compound command, if something in it may read it.
    pub(super) fn input_of(&mut self, command: &Command) -> Option<Input> {
        let source = self.source(command.span);
        let redirects = self.script.redirects.get(command.redirects.range()).unwrap_or_default();
        if source.len() > LONGEST || !source.contains("read") && !source.contains("mapfile") {
            return None;
        }
        for redirect in redirects.iter().rev() {
            match redirect.op {
                RedirectOp::Heredoc | RedirectOp::HeredocTabs => return Input::new(&self.value(&redirect.target)),
                RedirectOp::HereString => {
                    let mut text = self.value(&redirect.target);
                    text.text.push('\n');
                    return Input::new(&text);
                }
                RedirectOp::Read => {
                    let pieces = self.pieces(&redirect.target);
                    let [piece] = &*pieces else { return None };
                    let PieceKind::Process { list, output: false } = piece.kind else { return None };
                    return self.output_of_list(list).and_then(|text| Input::new(&text));
                }
                RedirectOp::DupIn | RedirectOp::ReadWrite => return None,
                _ => {}
            }
        }
        if self.out.from.is_empty() {
            return self.out.input.clone();
        }
        let from = self.out.from.clone();
        self.fed_by(&from).and_then(|text| Input::new(&text))
    }

    /// Globs for the names that a loop over `read` gets, a record each; none if nobody knows.
    pub(super) fn names_for(&mut self, command: &Command) -> Vec<Arg> {
        if !self.source(command.span).contains("read") {
            return Vec::new();
        }
        let redirects = self.script.redirects.get(command.redirects.range()).unwrap_or_default();
        let input = redirects.iter().rev().find(|redirect| {
            !matches!(redirect.op, RedirectOp::Write | RedirectOp::Append | RedirectOp::Clobber | RedirectOp::DupOut)
        });
        let Some(input) = input else { return self.names_piped() };
        let pieces = self.pieces(&input.target);
        match (input.op, &*pieces) {
            (RedirectOp::Read, [piece]) => match piece.kind {
                PieceKind::Process { list, output: false } => self.names_of(list),
                _ => Vec::new(),
            },
            (RedirectOp::HereString, [piece]) => match piece.kind {
                PieceKind::Substitution { list } => self.names_of(list),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// Takes what `read` part `n` reads off its input.
    fn take(&mut self, n: u32, end: Option<char>) -> Option<String> {
        let part = self.out.parts.get(n as usize)?;
        let own = own_input(self, part);
        match own {
            Some(text) => {
                let mut input = Input::new(&text?)?;
                match end {
                    Some(end) => Some(input.record(end).unwrap_or_default()),
                    None => Some(input.text.as_ref().to_owned()),
                }
            }
            None => {
                let input = self.out.input.as_mut()?;
                match end {
                    Some(end) => input.record(end),
                    None => {
                        let rest = input.text.get(input.at..).map(str::to_owned);
                        input.at = input.text.len();
                        rest
                    }
                }
            }
        }
    }

    /// `read`
    pub(super) fn reads(&mut self, n: u32, words: &[Arg]) {
        let mut names: Vec<String> = Vec::new();
        let (mut raw, mut array, mut end, mut plain) = (false, None, '\n', true);
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let Some(text) = word.certain() else {
                self.out.state.vars.lose();
                return;
            };
            let Some(flags) = text.strip_prefix('-').filter(|_| names.is_empty()) else {
                names.push(text.to_owned());
                continue;
            };
            for (at, flag) in flags.char_indices() {
                match flag {
                    'r' => raw = true,
                    's' | 'e' | 'E' => {}
                    'a' | 'd' | 'n' | 'N' | 'p' | 't' | 'u' | 'i' => {
                        let rest = flags.get(at + 1..).filter(|rest| !rest.is_empty()).map(str::to_owned);
                        let value = rest.or_else(|| words.next().map(|word| word.text.to_string())).unwrap_or_default();
                        match flag {
                            'a' => array = Some(value),
                            'd' => end = value.chars().next().unwrap_or('\0'),
                            'p' | 't' | 'i' => {}
                            _ => plain = false,
                        }
                        break;
                    }
                    _ => plain = false,
                }
            }
        }
        // Without a name the line is kept as it is.
        let reply = names.is_empty() && array.is_none();
        if reply {
            names.push("REPLY".to_owned());
        }
        let record = if plain { self.take(n, Some(end)) } else { None };
        let record = record.filter(|record| raw || !record.contains('\\'));
        // What has an input of its own does not read the loop's.
        let own = self.out.parts.get(n as usize).and_then(|part| own_input(self, part)).is_some();
        let handed = if own { None } else { self.out.handed.clone() };
        let separators = self.out.state.vars.separators().map(str::to_owned);
        let vars = &mut self.out.state.vars;
        let (Some(record), Some(separators)) = (record, separators) else {
            // A record that is one of several names; a part of it is nothing.
            let handed = if plain && array.is_none() { handed } else { None };
            for (number, name) in names.iter().chain(&array).filter(|name| unwrap::is_name(name)).enumerate() {
                vars.assign(name, handed.clone().filter(|_| number == 0 && names.len() == 1));
            }
            return;
        };
        if let Some(name) = array {
            let list = split(&record, &separators, usize::MAX).into_iter().map(Arg::literal).collect();
            vars.set(&name, Known::List(Rc::new(list)));
            return;
        }
        let mut fields = match reply {
            true => vec![record],
            false => split(&record, &separators, names.len()),
        }
        .into_iter();
        for name in &names {
            vars.assign(name, Some(Arg::literal(fields.next().unwrap_or_default())));
        }
    }

    /// `mapfile`, `readarray`
    pub(super) fn reads_all(&mut self, n: u32, words: &[Arg]) {
        let name = words.last().filter(|word| !word.text.starts_with('-')).map_or("MAPFILE", |word| &word.text);
        let plain = matches!(words, [flag, ..] if flag.text == "-t") && words.len() <= 2;
        let text = if plain { self.take(n, None) } else { None };
        let lines = text.map(|text| text.lines().map(Arg::literal).collect());
        let lines = lines.or_else(|| Some(self.names_substituted(n)).filter(|names| !names.is_empty()));
        let list = lines.map(|lines| Known::List(Rc::new(lines)));
        if unwrap::is_name(name) {
            self.out.state.vars.set(name, list.unwrap_or(Known::Not));
        } else {
            self.out.state.vars.lose();
        }
    }
}

/// The input that a part's own redirects give: `None` if there are none, `Some(None)` if unknown.
fn own_input(walk: &Walk<'_, '_>, part: &Part) -> Option<Option<Arg>> {
    if let Some(text) = feed::here(&part.redirs) {
        return Some(Some(text.into_owned()));
    }
    let read = part.input_redirect()?;
    if !read.target.dynamic.contains(&Dynamic::Proc) {
        return Some(None);
    }
    let from = walk.processes(part.n);
    Some(walk.fed_by(&from))
}

/// Splits a record as `read` does: at most `most` fields, the last one takes the rest.
fn split(record: &str, separators: &str, most: usize) -> Vec<String> {
    let blank = |letter: char| matches!(letter, ' ' | '\t' | '\n') && separators.contains(letter);
    let mut rest = record.trim_start_matches(blank);
    let mut fields = Vec::new();
    while !rest.is_empty() {
        if fields.len() + 1 == most {
            let last = rest.trim_end_matches(blank);
            // A single separator at the very end goes too.
            let bare = last.strip_suffix(|letter| separators.contains(letter)).unwrap_or(last);
            fields.push(if bare.contains(|letter| separators.contains(letter)) { last } else { bare }.to_owned());
            break;
        }
        let Some((at, letter)) = rest.char_indices().find(|(_, letter)| separators.contains(*letter)) else {
            fields.push(rest.to_owned());
            break;
        };
        fields.push(rest.get(..at).unwrap_or_default().to_owned());
        rest = rest.get(at + letter.len_utf8()..).unwrap_or_default().trim_start_matches(blank);
        if blank(letter)
            && let Some(hard) = rest.chars().next().filter(|next| separators.contains(*next))
        {
            rest = rest.get(hard.len_utf8()..).unwrap_or_default().trim_start_matches(blank);
        }
    }
    fields
}
