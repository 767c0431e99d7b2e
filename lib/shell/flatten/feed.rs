//! What `echo`, `printf` and `cat` with a here-document print, where that is certain: text that is
//! piped into a shell, or put in for a substitution.

use std::borrow::Cow;

use super::super::ast::{Command, CommandKind, Joint, Pipeline, Redirect, RedirectOp, Run};
use super::super::dynamic::Dynamic;
use super::super::part::{Arg, Part, Redir, RedirFd};
use super::Walk;
use super::change::glob_arg;
use super::filter;
use super::print::{echo, printf};
use super::simple::Words;

/// How deep substitutions whose output is known may nest.
const MOST_DEEP: usize = 8;
/// How far back a chain of `cat` is followed.
const CHAIN: usize = 8;

impl Walk<'_, '_> {
    /// What a substitution prints, without the newlines at its end, if that is certain.
    pub(super) fn output_of(&mut self, list: Run<Pipeline>) -> Option<Arg> {
        let mut text = self.output_of_list(list)?;
        text.text.truncate(text.text.trim_end_matches('\n').len());
        Some(text)
    }

    /// What a list of commands prints, if that is certain.
    pub(super) fn output_of_list(&mut self, list: Run<Pipeline>) -> Option<Arg> {
        let pipelines = self.script.pipelines.get(list.range())?;
        if let [first, second] = pipelines {
            return self.folder_of(first, second);
        }
        let [pipeline] = pipelines else {
            return None;
        };
        let stages = self.script.commands.get(pipeline.stages.range())?;
        if pipeline.negated || self.out.deep > MOST_DEEP || stages.len() > CHAIN {
            return None;
        }
        let mut text = None;
        for stage in stages {
            self.out.deep += 1;
            let next = self.stage(stage, text.as_ref());
            self.out.deep -= 1;
            text = Some(next?);
        }
        text
    }

    /// `cd folder && pwd`
    fn folder_of(&mut self, first: &Pipeline, second: &Pipeline) -> Option<Arg> {
        let one = |walk: &Self, pipeline: &Pipeline| match walk.script.commands.get(pipeline.stages.range())? {
            [Command { kind: CommandKind::Simple { assigns, words }, .. }] if assigns.is_empty() => {
                walk.script.words.get(words.range())
            }
            _ => None,
        };
        let ([cd, rest @ ..], [pwd, ..]) = (one(self, first)?, one(self, second)?) else { return None };
        let rest = match rest {
            [flag, rest @ ..] if matches!(self.source(flag.span), "--" | "-P" | "-L") => rest,
            rest => rest,
        };
        let [folder] = rest else { return None };
        if self.source(cd.span) != "cd" || self.source(pwd.span) != "pwd" || matches!(second.joint, Joint::Or) {
            return None;
        }
        let folder = self.value(folder);
        self.out.state.place.enter(&folder).value()
    }

    /// What one stage of a pipe prints, given what it reads.
    fn stage(&mut self, command: &Command, input: Option<&Arg>) -> Option<Arg> {
        let CommandKind::Simple { assigns, words } = command.kind else {
            return None;
        };
        if !assigns.is_empty() {
            return None;
        }
        let words = self.script.words.get(words.range())?;
        let head = self.literal(self.pieces(words.first()?).first()?)?;
        if head == "pwd" && words.iter().skip(1).all(|word| matches!(self.source(word.span), "-L" | "-P")) {
            return self.out.state.place.value();
        }
        if matches!(head, "true" | ":" | "false") {
            return Some(Arg::default());
        }
        let prints = matches!(
            head,
            "mktemp" | "echo" | "printf" | "cat" | "basename" | "dirname" | "command" | "which" | "type" | "seq"
        );
        if !(prints || input.is_some() && filter::known(head)) {
            return None;
        }
        let mut made = Words::default();
        for word in words {
            self.add_word(word, &mut made);
        }
        let mut argv = made.known.map_or(made.argv, |(known, _)| known);
        // What stands for an input that is put in later is known only if it is one glob.
        if let Some(mark) = self.out.replace.as_deref() {
            for arg in argv.iter_mut().filter(|arg| arg.text.contains(mark)) {
                match self.out.among.as_slice() {
                    [one] if arg.text == mark && one.dynamic == [Dynamic::Glob] => *arg = one.clone(),
                    _ => return None,
                }
            }
        }
        let names = matches!(head, "basename" | "dirname");
        let sure = |arg: &Arg| super::super::options::sure(arg) || names && arg.dynamic == [Dynamic::Glob];
        if !argv.iter().all(sure) {
            return None;
        }
        let redirs = self.script.redirects.get(command.redirects.range()).unwrap_or_default();
        let redirs = redirs.iter().filter(|redirect| !quiet(self.source(redirect.span)));
        let redirs: Option<Vec<Redir>> =
            redirs.collect::<Vec<_>>().into_iter().map(|redirect| self.stdin(redirect)).collect();
        let redirs = redirs?;
        if let (Some(input), true) = (input, redirs.is_empty()) {
            return filter::filtered(&argv, input).filter(|text| text.dynamic.is_empty());
        }
        let text = printed(&argv, &redirs)?;
        (text.dynamic.is_empty()
            || names
            || text.dynamic == [Dynamic::Tilde] && !text.text.trim_end().contains([' ', '\n']))
        .then_some(text)
    }

    fn stdin(&mut self, redirect: &Redirect) -> Option<Redir> {
        let op = match redirect.op {
            RedirectOp::Heredoc | RedirectOp::HeredocTabs => "<<",
            RedirectOp::HereString => "<<<",
            _ => return None,
        };
        let target = self.value(&redirect.target);
        Some(Redir { fd: RedirFd::Number(0), op: op.into(), target, known: None })
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
                    all.mark_all(text.dynamic);
                }
            }
        }
        all
    }

    /// What these parts print, also of files that the line wrote: `cat x | sh`.
    pub(super) fn fed_with(&mut self, from: &[u32]) -> Option<Arg> {
        if let Some(text) = self.fed_by(from) {
            return Some(text);
        }
        let [from] = from else { return None };
        let part = self.out.parts.get(*from as usize)?;
        let reads = part.redirs.iter().any(|redir| redir.op.starts_with('<'));
        let here = part.cwd == self.out.state.place.path && part.cwd_unknown == self.out.state.place.unknown;
        if part.head != "cat" || reads || !here || part.words().iter().skip(1).any(|word| word.text.starts_with('-')) {
            return None;
        }
        let files: Vec<Arg> = part.words().get(1..)?.to_vec();
        let mut all = Arg::default();
        for file in &files {
            let text = self.written(*from, file)?;
            all.text.push_str(&text.text);
            all.mark_all(text.dynamic);
        }
        (!files.is_empty()).then_some(all)
    }

    /// What a part prints, if that can be seen.
    pub(super) fn prints_now(&self, part: &Part) -> Option<Arg> {
        self.prints(part, CHAIN)
    }

    fn prints(&self, part: &Part, chain: usize) -> Option<Arg> {
        let words = part.words();
        if let Some(text) = printed(words, &part.redirs) {
            return Some(text);
        }
        let passes = match part.head.as_str() {
            "cat" => words.len() == 1 || words.get(1..).is_some_and(|rest| rest.iter().all(|word| word.text == "-")),
            "tee" => true,
            name => filter::known(name),
        };
        let reads = part.redirs.iter().any(|redir| redir.op.starts_with('<'));
        match part.from.as_slice() {
            [from] if passes && !reads && chain > 0 => {
                let text = self.prints(self.out.parts.get(*from as usize)?, chain - 1)?;
                if matches!(part.head.as_str(), "cat" | "tee") { Some(text) } else { filter::filtered(words, &text) }
            }
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
    match last.op.as_ref() {
        "<<" | "<<-" => Some(Cow::Borrowed(last.target())),
        "<<<" => {
            let mut text = last.target().clone();
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
        "type" => match rest {
            [flag, name] if matches!(flag.text.as_str(), "-P" | "-p") => Some(Arg::literal(name.certain()?)),
            _ => None,
        },
        "which" => match rest {
            [name] if !name.text.starts_with('-') => Some(Arg::literal(name.certain()?)),
            _ => None,
        },
        "seq" => filter::seq(rest),
        "mktemp" => filter::mktemp(rest),
        "basename" if rest.first().is_some_and(|path| path.dynamic == [Dynamic::Glob]) => {
            let name = rest.first()?.text.rsplit('/').next()?;
            match rest {
                [_] => Some(glob_arg(name)),
                [_, suffix] => name.strip_suffix(suffix.certain()?).map(glob_arg),
                _ => None,
            }
        }
        "dirname" if rest.first().is_some_and(|path| path.dynamic == [Dynamic::Glob]) => match rest {
            [path] => path.text.rsplit_once('/').map(|(folder, _)| glob_arg(folder)),
            _ => None,
        },
        "basename" => {
            let (path, suffix) = match rest {
                [path] if path.dynamic == [Dynamic::Tilde] && path.text.contains('/') => (path.text.as_str(), ""),
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
            if path.dynamic == [Dynamic::Tilde] {
                let (folder, name) = path.text.rsplit_once('/')?;
                return (!name.is_empty()).then(|| Arg { text: folder.into(), dynamic: path.dynamic });
            }
            let path = path.certain()?.trim_end_matches('/');
            let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder.trim_end_matches('/'));
            (!path.is_empty() && !folder.is_empty() && !path.starts_with('-')).then(|| Arg::literal(folder))
        }
        "cat" | "tee" if rest.iter().all(|word| word.text == "-") => here(redirs).map(Cow::into_owned),
        _ => None,
    }
}

/// A redirect that leaves standard output alone: `2>/dev/null`, `2>&1`.
fn quiet(source: &str) -> bool {
    source.starts_with("2>")
}
