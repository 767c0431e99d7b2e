//! Calls of functions that stand on the line, and aliases.
//!
//! The body of a function is walked once where it stands, with nothing certain. Each call walks it
//! again with its arguments, and what differs is kept with the parts of the first walk as turns.

use super::super::ast::{Block, Run, Script, Span, Word};
use super::super::dynamic::Dynamic;
use super::super::part::Arg;
use super::super::unwrap::Around;
use super::out::MOST_DOUBTS;
use super::state::{Place, State};
use super::vars::{Value, Var};
use super::{Flow, Walk, both, turns};
use ecow::{EcoString, EcoVec};

/// Deepest calls in calls.
const DEEPEST: usize = 12;
/// Most calls that are walked.
const MOST_CALLS: usize = 256;
/// Most functions that can be called.
const MOST_FUNCTIONS: usize = 256;
/// Where an alias stands that was made before `shopt -s expand_aliases`.
const WAITING: usize = usize::MAX;
/// Most aliases.
const MOST_ALIASES: usize = 32;

/// A text whose functions can be called.
#[derive(Clone, Copy)]
pub(super) struct Source<'t> {
    pub(super) text: &'t str,
    pub(super) script: &'t Script,
    /// The text that this one was read in, if its functions can be called here.
    pub(super) outer: Option<&'t Source<'t>>,
    /// Which of all texts it is.
    pub(super) number: u32,
    /// The first text of this shell.
    pub(super) root: u32,
}

/// A function of this call.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) source: u32,
    blocks: Run<Block>,
    /// Its parts: the first, and how many.
    pub(super) first: usize,
    count: usize,
    /// Whether it changes the folder.
    moves: bool,
    /// Whether a call was walked.
    called: bool,
    /// Whether a call was not walked.
    pub(super) unclear: bool,
    /// What could not be understood in it without its arguments.
    doubts: Vec<String>,
    /// The text of its body.
    pub(super) span: Span,
    /// Where its parts stand.
    ctx: EcoVec<EcoString>,
}

/// A call that is being walked.
#[derive(Debug, Default)]
pub(super) struct Frame {
    /// Local variables, and what they hid.
    pub(super) locals: Vec<(String, Option<Var>)>,
    /// What is certain where it returned early.
    pub(super) returned: Option<State>,
}

/// The source of a name that `hash -p` set: it holds from the next command on.
const HASHED: u32 = u32::MAX;

/// An alias: its name, its text, and where it was set.
#[derive(Clone, Debug)]
pub(super) struct Alias {
    name: String,
    text: String,
    source: u32,
    at: usize,
}

impl Walk<'_, '_> {
    /// A body that runs later, from anywhere, with anything.
    pub(super) fn function(&mut self, name: &str, span: Span, run: Run<Block>, blocks: &[Block]) {
        let saved = self.out.state.clone();
        self.out.state.lose();
        let from = std::mem::take(&mut self.out.from);
        let input = self.out.input.take();
        let first = self.out.parts.len();
        self.out.frames.push(Frame::default());
        // Calls in it are walked when it is called itself.
        self.out.tentative += 1;
        let doubts = self.out.doubts();
        self.blocks(blocks);
        let doubts = self.out.set_aside(doubts);
        self.out.tentative -= 1;
        self.out.frames.pop();
        self.out.from = from;
        self.out.input = input;
        let moves = self.out.state.place != saved.place;
        self.out.state = saved;
        self.out.flow = Flow::Sure;
        let count = self.out.parts.len() - first;
        if self.out.functions.len() >= MOST_FUNCTIONS {
            self.out.put_back(doubts);
            return;
        }
        let ctx = self.out.ctx.clone();
        let source = self.here.number;
        self.out.functions.push(Function {
            name: name.to_owned(),
            source,
            blocks: run,
            first,
            count,
            moves,
            called: false,
            unclear: false,
            doubts,
            span,
            ctx,
        });
    }

    /// Whether part `n` is a call of a function or an alias; it is walked then.
    pub(super) fn calls(&mut self, n: u32, words: &[Word], spans: &[[u32; 2]]) -> bool {
        if self.out.functions.is_empty() && self.out.aliases.is_empty() {
            return false;
        }
        let Some(part) = self.out.parts.get(n as usize) else { return false };
        let Some(head) = part.words().first().and_then(Arg::certain).map(str::to_owned) else { return false };
        let at = self.out.functions.iter().rposition(|function| function.name == head);
        if self.expand_alias(n, head, words, spans) {
            return true;
        }
        let Some(at) = at else { return false };
        self.call(n, at)
    }

    fn call(&mut self, n: u32, at: usize) -> bool {
        let (Some(function), Some(part)) = (self.out.functions.get(at).cloned(), self.out.parts.get_mut(n as usize))
        else {
            return false;
        };
        let mut source = Some(self.here);
        while let Some(here) = source.filter(|here| here.number != function.source) {
            source = here.outer.copied();
        }
        if source.is_none() && function.source < self.here.root {
            // Another shell does not know it.
            return false;
        }
        part.calls = true;
        let args: Vec<Arg> = part.words().get(1..).unwrap_or_default().to_vec();
        let fits = self.out.may_turn(function.count.max(1));
        self.out.turned += function.count.max(1);
        self.out.called += 1;
        let bounded = source.is_none()
            || !fits
            || self.out.called > MOST_CALLS
            || self.out.frames.len() >= DEEPEST
            || self.out.full;
        if bounded {
            if let Some(function) = self.out.functions.get_mut(at) {
                function.unclear = true;
            }
            self.out.state.lose();
            if function.moves {
                self.out.state.place = Place::unknown();
                self.out.moves();
            }
            return true;
        }
        let Some(source) = source else { return true };
        let params = self.out.state.params.take();
        let refers = self.out.state.vars.refers;
        self.out.state.set_params(&args);
        let ctx = std::mem::replace(&mut self.out.ctx, function.ctx.clone());
        let inside = self.out.inside.replace(n);
        let by = std::mem::take(&mut self.out.by);
        let start = self.out.parts.len();
        self.out.frames.push(Frame::default());
        let mut body = Walk { here: source, text: source.text, script: source.script, at: 0, out: &mut *self.out };
        let blocks = source.script.blocks.get(function.blocks.range()).unwrap_or_default();
        body.blocks(blocks);
        let frame = self.out.frames.pop().unwrap_or_default();
        let ended = (!matches!(self.out.flow, Flow::Gone)).then(|| std::mem::take(&mut self.out.state));
        match both(ended, frame.returned) {
            Some(state) => {
                self.out.state = state;
                self.out.flow = Flow::Open;
            }
            None => self.out.flow = Flow::Gone,
        }
        self.out.state.vars.refers = refers;
        for (name, noted) in frame.locals.into_iter().rev() {
            self.out.state.vars.restore(&name, noted);
        }
        self.out.state.params = params;
        self.out.by = by;
        self.out.inside = inside;
        self.out.ctx = ctx;
        if self.out.tentative > 0 {
            // The loop or function around it is walked again with its values.
            self.out.parts.truncate(start);
            return true;
        }
        if !function.called {
            // What loops in it did without its arguments is said again with them.
            let range = function.first..function.first.saturating_add(function.count);
            for part in self.out.parts.get_mut(range).unwrap_or_default() {
                part.turns.clear();
            }
        }
        self.keep(function.first, function.count, start);
        if let Some(function) = self.out.functions.get_mut(at) {
            function.called = true;
        }
        true
    }

    fn expand_alias(&mut self, n: u32, name: String, words: &[Word], spans: &[[u32; 2]]) -> bool {
        if self.out.aliases.is_empty() || self.out.expanding.contains(&name) {
            return false;
        }
        let Some(first) = words.first().filter(|word| self.source(word.span) == name) else { return false };
        let Some(alias) = self.out.aliases.iter().rev().find(|alias| alias.name == name) else { return false };
        if alias.source != HASHED && !self.out.expands {
            return false;
        }
        // A new `PATH` makes the shell forget what it has hashed.
        if alias.source == HASHED && self.out.state.vars.value("PATH") != Value::Untouched {
            return false;
        }
        if alias.at == WAITING {
            return false;
        }
        // A line is read as a whole before any of it runs.
        let between = self.text.get(alias.at..first.span.start as usize);
        if alias.source == self.here.number && !between.is_some_and(|text| text.contains('\n')) {
            return false;
        }
        let end = words.last().map_or(first.span.end, |word| word.span.end);
        let mut rest = self.text.get(first.span.end as usize..end as usize).unwrap_or_default();
        let mut text = alias.text.clone();
        // Behind a blank at its end the next word is looked up too.
        let mut next = words.get(1..).unwrap_or_default().iter();
        while text.ends_with([' ', '\t'])
            && let Some(word) = next.next()
            && let Some(alias) = self.out.aliases.iter().rev().find(|alias| alias.name == self.source(word.span))
            && text.len() < 4096
        {
            text.push_str(&alias.text);
            rest = self.text.get(word.span.end as usize..end as usize).unwrap_or_default();
        }
        let text = Arg::literal(format!("{text}{rest}"));
        let Some(part) = self.out.parts.get_mut(n as usize) else { return false };
        part.calls = true;
        let span = spans.first().copied().unwrap_or(part.span);
        self.out.expanding.push(name);
        self.reread(n, &text, span, Around { label: "alias".into(), ..Around::default() }, true);
        self.out.expanding.pop();
        true
    }

    /// `alias`, `unalias`, and `shopt` that lets them work.
    pub(super) fn aliases(&mut self, n: u32, command: &str, words: &[Arg]) {
        let at = self.out.parts.get(n as usize).map_or(0, |part| part.span[1] as usize);
        match command {
            "shopt" if words.iter().any(|word| word.text == "expand_aliases") => {
                self.out.expands = words.iter().any(|word| word.text == "-s");
                let here = self.here.number;
                let waiting = self.out.aliases.iter_mut().filter(|alias| alias.at == WAITING);
                waiting.filter(|_| self.out.expands).for_each(|alias| (alias.source, alias.at) = (here, at));
            }
            "alias" => {
                let at = if self.out.expands { at } else { WAITING };
                for word in words {
                    if let Some((name, text)) = word.certain().and_then(|text| text.split_once('='))
                        && self.out.aliases.len() < MOST_ALIASES
                    {
                        let (name, text) = (name.to_owned(), text.to_owned());
                        self.out.aliases.push(Alias { name, text, source: self.here.number, at });
                    }
                }
            }
            "hash" if words.iter().any(|word| word.text == "-r") => {
                self.out.aliases.retain(|alias| alias.source != HASHED);
            }
            // `hash -p /bin/rm wipe`: a name for a program, from the next command on.
            "hash" if self.out.aliases.len() < MOST_ALIASES => {
                if let [flag, path, name] = words
                    && flag.text == "-p"
                    && let (Some(path), Some(name)) = (path.certain(), name.certain())
                {
                    let (name, text) = (name.to_owned(), path.to_owned());
                    self.out.aliases.push(Alias { name, text, source: HASHED, at: 0 });
                }
            }
            "unalias" => {
                let all = words.iter().any(|word| word.text == "-a" || !word.dynamic.is_empty());
                self.out.aliases.retain(|alias| !all && !words.iter().any(|word| word.text == alias.name));
            }
            _ => {}
        }
    }
}

impl super::Out {
    /// `unset -f`: the name is a program's again. Whether it ran may not be certain, so what the
    /// function does is still told.
    pub(super) fn forget_functions(&mut self, words: &[Arg]) {
        for function in &mut self.functions {
            if words.iter().any(|word| word.text == function.name) {
                function.name.clear();
                function.unclear = true;
            }
        }
    }

    /// How many doubts there are, and whether there are any.
    pub(super) fn doubts(&self) -> (usize, bool) {
        (self.why.len(), self.opaque)
    }

    /// Takes out the doubts that came after `before`, as what was walked is walked again.
    pub(super) fn set_aside(&mut self, before: (usize, bool)) -> Vec<String> {
        // Past the most that are listed, what came is not known.
        if self.why.len() >= MOST_DOUBTS || self.full || self.why.len() <= before.0 {
            return Vec::new();
        }
        self.opaque = before.1;
        self.why.split_off(before.0)
    }

    /// Puts them back.
    pub(super) fn put_back(&mut self, doubts: Vec<String>) {
        for doubt in doubts {
            self.doubt(doubt);
        }
    }

    /// Says of the parts of functions what no call has said.
    pub(super) fn settle(&mut self) {
        let functions = std::mem::take(&mut self.functions);
        for function in functions {
            if !function.called || function.unclear {
                self.put_back(function.doubts);
            }
            let range = function.first..function.first.saturating_add(function.count);
            let Some(parts) = self.parts.get_mut(range) else { continue };
            for part in parts {
                if function.called && !function.unclear {
                    continue;
                }
                if self.moved {
                    // It runs where its caller is.
                    turns::unplace_here(part);
                }
                if function.called {
                    let mut other = part.clone();
                    other.turns.clear();
                    part.turns.push(other);
                }
            }
        }
        self.parts.iter_mut().filter(|part| !part.turns.is_empty()).for_each(turns::drop_same);
    }
}

/// Whether a word is certain, or a glob, the home folder or below some temp folder.
pub(super) fn listed(word: &Arg) -> bool {
    word.dynamic.is_empty()
        || word.dynamic == [Dynamic::Tilde]
        || word.dynamic == [Dynamic::Glob]
        || super::expand::in_temp(word)
}
