//! From the syntax tree to the parts: every simple command that the text would run, in reading
//! order, with where it stands and how it was reached.
//!
//! The walk follows what is certain about folder and variables ([`state`]), looks through wrappers
//! and reads shell text in shell text again ([`inner`], `unwrap`). Whatever cannot be seen makes
//! the result opaque, with a line that says why.

mod arith;
mod builtins;
mod calls;
mod change;
mod compound;
mod copies;
mod expand;
mod fed;
mod feed;
mod files;
mod filter;
mod inner;
mod input;
mod later;
mod names;
mod origin;
mod out;
mod pattern;
mod power;
mod print;
mod recipes;
mod simple;
mod state;
#[cfg(test)]
mod tests;
mod text;
mod turns;
mod vars;
mod word;

use ecow::{EcoString, eco_format};
use thin_vec::ThinVec;

use super::ast::{Bound, Command, CommandKind, Compound, Joint, Pipeline, Run, Script, Stop, Word};
use super::dynamic::{Dynamic, Dynamics};
use super::part::{Arg, Part, Shell};
use super::unwrap::Runners;
use calls::Source;
use out::{Behind, Flow, MOST_FROM, MOST_NESTING, Out, most_parts};
use state::State;

/// Parses and flattens a command.
pub fn read(command: &str) -> Shell {
    read_with(command, &Runners::default())
}

/// Parses and flattens a command, and sees through the runners that the person added.
///
/// A text of which bash would run nothing, and which PowerShell reads, is read as PowerShell: on Windows
/// some hosts have one tool for either.
pub fn read_with(command: &str, runners: &Runners) -> Shell {
    let script = super::parse::parse(command);
    if script.error.is_some() && power::is_meant(command, &script) {
        return read_powershell(command);
    }
    flatten_with(command, &script, runners)
}

/// Reads a PowerShell text.
pub fn read_powershell(command: &str) -> Shell {
    let mut out = Out { size: command.len(), ..Out::default() };
    let script = Script::default();
    let here = Source { text: command, script: &script, outer: None, number: 0, root: 0 };
    Walk { here, text: command, script: &script, at: 0, out: &mut out }.power_text(command, Dynamics::NONE);
    let dialect = super::powershell::NAME.to_owned();
    Shell { dialect, opaque: out.opaque, why: out.why, parts: out.parts }
}

/// Flattens a parsed command.
pub fn flatten(text: &str, script: &Script) -> Shell {
    flatten_with(text, script, &Runners::default())
}

fn flatten_with(text: &str, script: &Script, runners: &Runners) -> Shell {
    let parts = Vec::with_capacity(script.commands.len().min(most_parts(text.len())));
    let mut out = Out { parts, runners: runners.clone(), size: text.len(), ..Out::default() };
    let here = Source { text, script, outer: None, number: 0, root: 0 };
    Walk { here, text, script, at: 0, out: &mut out }.body();
    out.settle();
    Shell { opaque: out.opaque, why: out.why, parts: out.parts, ..Shell::default() }
}

/// Whether the folder of a part does not depend on where it was entered from.
fn fixed(part: &Part) -> bool {
    part.cwd.as_deref().is_some_and(|path| path.starts_with(['/', '~']))
}

/// The name of a stage of a pipe.
fn stage_of(number: usize, count: usize) -> EcoString {
    match (number, count) {
        (0, 2) => "pipe 1/2".into(),
        (1, 2) => "pipe 2/2".into(),
        (0, 3) => "pipe 1/3".into(),
        (1, 3) => "pipe 2/3".into(),
        (2, 3) => "pipe 3/3".into(),
        _ => eco_format!("pipe {}/{count}", number + 1),
    }
}

/// The walk over one text.
struct Walk<'t, 'o> {
    here: Source<'t>,
    text: &'t str,
    script: &'t Script,
    /// Where in the text the command ends that is being walked.
    at: u32,
    out: &'o mut Out,
}

impl<'t> Walk<'t, '_> {
    fn body(&mut self) {
        // Of a late error bash learns only when it runs that text, and it may run it another way.
        for error in [self.script.error, self.script.late].into_iter().flatten() {
            match error.stop {
                Stop::Syntax => self.out.doubt(format!("syntax: {}", error.message)),
                Stop::Bound(bound) => self.out.bound(bound),
            }
        }
        self.list(self.script.body);
    }

    fn words(&self, run: Run<Word>) -> &'t [Word] {
        self.script.words.get(run.range()).unwrap_or_default()
    }

    /// A list of pipelines.
    fn list(&mut self, run: Run<Pipeline>) {
        self.out.nesting += 1;
        if self.out.nesting > MOST_NESTING {
            self.out.bound(Bound::Nesting);
        } else {
            let mut rest = self.script.pipelines.get(run.range()).unwrap_or_default();
            let mut gone = false;
            while let Some(first) = rest.first() {
                let chain = rest
                    .iter()
                    .skip(1)
                    .position(|next| !matches!(next.joint, Joint::And | Joint::Or))
                    .map_or(rest.len(), |at| at + 1);
                let (chained, after) = rest.split_at(chain);
                rest = after;
                if self.out.full {
                    break;
                }
                let saved = first.background.then(|| self.out.state.clone());
                let behind = self.out.behind;
                if first.background {
                    self.out.behind = Behind {
                        endless: behind.endless || self.out.loops > 0,
                        function: behind.function || self.out.ctx.iter().any(|ctx| ctx.starts_with("func ")),
                    };
                }
                match chained {
                    [only] => self.pipeline(only),
                    _ => self.chain(chained),
                }
                self.out.behind = behind;
                if let Some(saved) = saved {
                    self.out.state = saved;
                    self.out.flow = Flow::Open;
                }
                gone |= matches!(self.out.flow, Flow::Gone);
            }
            if gone {
                self.out.flow = Flow::Gone;
            }
        }
        self.out.nesting -= 1;
    }

    /// `a && b || c`: what is certain after it is what all its ways have in common. A `cd` is
    /// taken to succeed, except right before `||`.
    fn chain(&mut self, chain: &'t [Pipeline]) {
        let mut yes: Option<State> = None;
        let mut no: Option<State> = None;
        let mut lost: Option<State> = None;
        for (number, pipeline) in chain.iter().enumerate() {
            let either = number > 0 && pipeline.joint == Joint::Or;
            let enter = match (number, either) {
                (0, _) => Some(std::mem::take(&mut self.out.state)),
                (_, false) => yes.take(),
                (_, true) => both(no.take(), lost.take()),
            };
            let reached = enter.is_some();
            self.out.state = enter.unwrap_or_else(|| {
                // Not reached as far as can be seen; read it without any certainty.
                let mut state = yes.clone().or(no.clone()).or(lost.clone()).unwrap_or_default();
                state.lose();
                state
            });
            self.pipeline(pipeline);
            let after = std::mem::take(&mut self.out.state);
            let (won, failed, stayed) = match std::mem::take(&mut self.out.flow) {
                Flow::Open => (Some(after.clone()), Some(after), None),
                Flow::Sure => (Some(after), None, None),
                Flow::Moved(before) => (Some(after), None, Some(*before)),
                Flow::Gone => (None, None, None),
            };
            if !reached {
                continue;
            }
            if either {
                yes = both(yes, won);
                no = failed;
                lost = stayed;
            } else {
                yes = won;
                no = both(no, failed);
                lost = both(lost, stayed);
            }
        }
        match both(yes, no).or(lost) {
            Some(state) => {
                self.out.state = state;
                self.out.flow = Flow::Open;
            }
            None => self.out.flow = Flow::Gone,
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        match pipeline.joint {
            Joint::First => {}
            Joint::Semicolon | Joint::Newline => self.out.by = ";",
            Joint::And => self.out.by = "&&",
            Joint::Or => self.out.by = "||",
            Joint::Background => self.out.by = "&",
        }
        self.out.flow = Flow::Open;
        let stages = self.script.commands.get(pipeline.stages.range()).unwrap_or_default();
        if let [only] = stages {
            self.command(only);
            if pipeline.negated && !matches!(self.out.flow, Flow::Gone) {
                self.out.flow = Flow::Open;
            }
            return;
        }
        let outer = self.out.from.clone();
        let mut start = self.out.parts.len();
        let mut both = false;
        for (number, stage) in stages.iter().enumerate() {
            if number > 0 {
                self.out.by = if both { "|&" } else { "|" };
                self.out.from = self.feeding(start);
                start = self.out.parts.len();
            }
            both = stage.pipes_both;
            self.out.ctx.push(stage_of(number, stages.len()));
            let saved = self.out.state.clone();
            self.command(stage);
            self.out.state = saved;
            self.out.ctx.pop();
        }
        self.out.from = outer;
        self.out.flow = Flow::Open;
    }

    /// The parts from `start` on that write to the standard output of the stage just walked.
    fn feeding(&self, start: usize) -> ThinVec<u32> {
        let depth = self.out.ctx.len() + 1;
        let parts = self.out.parts.get(start..).unwrap_or_default();
        let mut from: ThinVec<u32> = parts
            .iter()
            .filter(|part| !part.argv.is_empty())
            .filter(|part| {
                let inner = part.ctx.get(depth..).unwrap_or_default();
                !inner.iter().any(|ctx| ctx == "cmdsub" || ctx == "procsub")
            })
            .map(|part| part.n)
            .rev()
            .take(MOST_FROM)
            .collect();
        from.reverse();
        from
    }

    fn command(&mut self, command: &Command) {
        if self.out.full {
            return;
        }
        match command.kind {
            CommandKind::Simple { assigns, words } => self.simple(command, assigns, words),
            CommandKind::Compound { what, words, blocks, name } => {
                let label: Option<EcoString> = match what {
                    Compound::Group | Compound::Test | Compound::Arith => None,
                    Compound::Subshell => Some("subshell".into()),
                    Compound::If => Some("if".into()),
                    Compound::While => Some("while".into()),
                    Compound::Until => Some("until".into()),
                    Compound::For | Compound::ArithFor => Some("for".into()),
                    Compound::Select => Some("select".into()),
                    Compound::Case => Some("case".into()),
                    Compound::Coproc => Some("coproc".into()),
                    Compound::Function => Some(eco_format!("func {}", self.source(name))),
                };
                let depth = self.out.ctx.len();
                self.out.ctx.extend(label);
                let endless = usize::from(self.endless(what, words, blocks));
                self.out.loops += endless;
                // Redirects are opened before anything in the command runs.
                let before = (!command.redirects.is_empty()).then(|| self.out.state.clone());
                let runs = !matches!(what, Compound::Test | Compound::Arith | Compound::Function);
                let handed = !command.redirects.is_empty() || !self.out.from.is_empty();
                if runs && handed {
                    let input = self.input_of(command);
                    let loops = matches!(what, Compound::While | Compound::Until);
                    let names = if loops && input.is_none() { self.names_for(command) } else { Vec::new() };
                    let outer = std::mem::replace(&mut self.out.input, input);
                    let outer_names = std::mem::replace(&mut self.out.names, names);
                    let handed = self.out.handed.take();
                    self.compound(what, command.span, name, words, blocks);
                    self.out.input = outer;
                    self.out.names = outer_names;
                    self.out.handed = handed;
                } else {
                    self.compound(what, command.span, name, words, blocks);
                }
                if let Some(before) = before {
                    let after = std::mem::replace(&mut self.out.state, before);
                    self.redirected(command);
                    self.out.state = after;
                }
                self.out.loops -= endless;
                self.out.ctx.truncate(depth);
            }
        }
    }

    /// The part of a compound command's redirects.
    fn redirected(&mut self, command: &Command) {
        let redirects = self.script.redirects.get(command.redirects.range()).unwrap_or_default();
        if redirects.is_empty() {
            return;
        }
        let redirs = redirects.iter().map(|redirect| self.redirect(redirect)).collect();
        let span = [command.span.start, command.span.end];
        let Some(n) = self.out.push(Part { redirs, span, ..Part::default() }) else {
            return;
        };
        for redirect in redirects {
            self.nested(&redirect.target, Some(n));
        }
    }

    /// Runs `walk` on a text inside this one, and comes back as if nothing had happened.
    fn aside(&mut self, label: &'static str, inside: Option<u32>, walk: impl FnOnce(&mut Self)) {
        let state = self.out.state.clone();
        let inside = std::mem::replace(&mut self.out.inside, inside);
        let by = std::mem::take(&mut self.out.by);
        let flow = std::mem::take(&mut self.out.flow);
        self.out.ctx.push(label.into());
        walk(self);
        self.out.ctx.pop();
        self.out.flow = flow;
        self.out.by = by;
        self.out.inside = inside;
        self.out.state = state;
    }
}

fn both(one: Option<State>, other: Option<State>) -> Option<State> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.merge(&other)),
        (one, other) => one.or(other),
    }
}

/// The base name of a command word, if it is known.
fn head(word: Option<&Arg>) -> &str {
    let Some(word) = word else { return "" };
    let name = word.text.rsplit('/').next().unwrap_or_default();
    if word.dynamic.is_empty() {
        return name;
    }
    let open = name.len() == word.text.len();
    let known = word.dynamic.iter().all(|kind| match kind {
        Dynamic::Tilde => !open,
        Dynamic::Glob => !name.contains(['*', '?', '[']),
        Dynamic::Array => false,
        kind => !name.contains(word::mark(*kind)),
    });
    if known { name } else { "" }
}
