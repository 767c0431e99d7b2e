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
mod expand;
mod fed;
mod feed;
mod files;
mod filter;
mod inner;
mod input;
mod later;
mod names;
mod pattern;
mod power;
mod print;
mod simple;
mod state;
#[cfg(test)]
mod tests;
mod turns;
mod vars;
mod word;

use std::sync::Arc;

use ecow::{EcoString, EcoVec, eco_format};
use thin_vec::ThinVec;

use super::ast::{Bound, Command, CommandKind, Compound, Joint, Pipeline, Run, Script, Stop, Word};
use super::dynamic::{Dynamic, Dynamics};
use super::part::{Arg, Part, Shell};
use super::unwrap::Runners;
use calls::{Alias, Frame, Function, Source};
use input::Input;
use state::State;

/// Most parts of one call.
const MOST_PARTS: usize = 10_000;
/// Parts, and parts that further turns of loops and calls of functions make, that any text is granted; a longer
/// one is granted one more for so many of its bytes. What a person or an agent types has one for thirty.
const LEAST_PARTS: usize = 128;
const LEAST_TURNED: usize = 512;
const BYTES_OF_PART: usize = 16;
/// Most parts that all turns of loops and calls of functions may make.
const MOST_TURNED: usize = 1_000;
/// Most constructs around a part, over all texts in texts.
const MOST_NESTING: usize = 300;
/// Most words of commands in several wrappers and bytes of folders that any text is granted; a longer one is
/// granted a share of its length more.
const LEAST_WORDS: usize = 512;
const LEAST_FOLDERS: usize = 32 * 1024;
/// The same for bytes of texts in texts.
const LEAST_TEXTS: usize = 64 * 1024;
/// The same for bytes of texts that stand in each other and so are held at the same time.
const LEAST_READING: usize = 12 * 1024;
/// Most feeding parts that are listed.
const MOST_FROM: usize = 64;
/// Most doubts that are told apart.
const MOST_DOUBTS: usize = 32;

/// Parses and flattens a command.
pub fn read(command: &str) -> Shell {
    read_with(command, &Runners::default())
}

/// Parses and flattens a command, and sees through the runners that the person added.
pub fn read_with(command: &str, runners: &Runners) -> Shell {
    flatten_with(command, &super::parse::parse(command), runners)
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

/// Most parts of a call of `size` bytes.
fn most_parts(size: usize) -> usize {
    MOST_PARTS.min(LEAST_PARTS + size / BYTES_OF_PART)
}

/// Whether the folder of a part does not depend on where it was entered from.
fn fixed(part: &Part) -> bool {
    part.cwd.as_deref().is_some_and(|path| path.starts_with(['/', '~']))
}

/// What a command leaves behind, for `&&` and `||`.
#[derive(Default)]
enum Flow {
    /// It may succeed or fail.
    #[default]
    Open,
    /// It succeeds.
    Sure,
    /// It changed the folder; if that failed, this is the state.
    Moved(Box<State>),
    /// Nothing runs after it.
    Gone,
}

/// The result in the making, and where the walk stands; shared by texts in texts.
#[derive(Default)]
struct Out {
    parts: Vec<Part>,
    opaque: bool,
    why: Vec<String>,
    state: State,
    flow: Flow,
    ctx: EcoVec<EcoString>,
    by: &'static str,
    inside: Option<u32>,
    from: ThinVec<u32>,
    /// The span of everything in a text that is read again.
    span: Option<[u32; 2]>,
    /// What marks in a text that is read again stand for.
    marks: Dynamics,
    appends: bool,
    replace: Option<Arc<str>>,
    /// What unknown input is among.
    among: ThinVec<Arg>,
    elsewhere: bool,
    /// How many endless loops there are around.
    loops: usize,
    behind: Behind,
    /// Whether `$HOME` is another machine's.
    foreign: bool,
    known_bytes: usize,
    /// Bytes of the text.
    size: usize,
    /// Words of commands in more than one wrapper, which each copies.
    wrapped: usize,
    /// Bytes of the texts in texts.
    reread: usize,
    /// Bytes of those that are being read now.
    reading: usize,
    /// Bytes of the folders of parts.
    folders: usize,
    brace_words: usize,
    /// Parts that further turns of loops made.
    turned: usize,
    brace_bytes: usize,
    /// Depth of substitutions whose output is computed.
    deep: usize,
    nesting: usize,
    shells: usize,
    wrappers: usize,
    full: bool,
    /// Whether any command changed the folder.
    moved: bool,
    runners: Runners,
    /// Functions of this call.
    functions: Vec<Function>,
    /// Calls that are being walked, outermost first.
    frames: Vec<Frame>,
    /// How many calls were walked.
    called: usize,
    /// Whether what is walked will be walked again with more certainty.
    tentative: usize,
    aliases: Vec<Alias>,
    /// Whether aliases are expanded.
    expands: bool,
    /// Aliases that are being expanded.
    expanding: Vec<String>,
    /// What the commands here read, if that is certain.
    input: Option<Input>,
    /// The globs that the names which a loop reads are among.
    names: Vec<Arg>,
    /// The one of them that the next record is among.
    handed: Option<Arg>,
    /// Files whose text is being read.
    running: Vec<EcoString>,
    /// How many texts were read.
    texts: u32,
    /// How many parts were looked through for the text of a file.
    looks: usize,
    /// Parts of texts that run later, from where the shell is then, and how deep they stand.
    later: Vec<(std::ops::Range<usize>, usize)>,
}

impl Out {
    fn doubt(&mut self, why: impl Into<String>) {
        self.opaque = true;
        let why = why.into();
        // A bound or an error of syntax is never lost behind many other doubts: others ask for them by name.
        let kept = |kind: &str| why.starts_with(kind) && !self.why.iter().any(|known| known.starts_with(kind));
        if self.why.len() < MOST_DOUBTS && !self.why.contains(&why) || kept("bound") || kept("syntax") {
            self.why.push(why);
        }
    }

    fn bound(&mut self, bound: Bound) {
        self.doubt(format!(
            "bound: {}",
            match bound {
                Bound::Nesting => "nesting",
                Bound::Length => "length",
                Bound::Parts => "parts",
                Bound::Braces => "braces",
                Bound::Wrappers => "wrappers",
            }
        ));
    }

    /// Adds a part where the walk stands; `None` if there are too many.
    fn push(&mut self, mut part: Part) -> Option<u32> {
        if self.parts.len() >= most_parts(self.size) {
            self.full = true;
            self.bound(Bound::Parts);
            return None;
        }
        let n = u32::try_from(self.parts.len()).ok()?;
        part.n = n;
        part.ctx.clone_from(&self.ctx);
        self.by_to(&mut part);
        part.inside = self.inside;
        part.from.clone_from(&self.from);
        self.folders += self.state.place.path.as_ref().map_or(0, |path| path.len());
        if self.folders <= LEAST_FOLDERS + 4 * self.size {
            part.cwd.clone_from(&self.state.place.path);
            part.cwd_unknown = self.state.place.unknown;
        } else {
            part.cwd_unknown = true;
        }
        part.appends |= self.appends;
        if part.replace.is_none() {
            part.replace.clone_from(&self.replace);
        }
        if part.input.is_empty() && (part.replace.is_some() || part.appends) {
            part.input.clone_from(&self.among);
        }
        part.elsewhere |= self.elsewhere;
        part.forks = self.behind.endless;
        part.behind = self.behind.function;
        if let Some(span) = self.span {
            part.span = span;
        }
        if self.parts.len() == self.parts.capacity() {
            // A part is large: doubling would take as much again for nothing.
            self.parts.reserve_exact((self.parts.len() / 4).max(8));
        }
        self.parts.push(part);
        Some(n)
    }

    /// Whether further turns may make so many parts more.
    fn may_turn(&self, more: usize) -> bool {
        let most = MOST_TURNED.min(LEAST_TURNED + self.size / BYTES_OF_PART);
        self.turned.saturating_add(more) <= most
    }

    /// Whether a wrapper may copy so many words more. The first around a command always may, unless nearly all
    /// words are of one letter.
    fn may_wrap(&mut self, words: usize) -> bool {
        if self.wrappers > 0 {
            self.wrapped += words;
        }
        let first = words <= LEAST_WORDS + self.size * 3 / 8;
        let fits = first && self.wrappers < inner::MOST_WRAPPERS && self.wrapped <= LEAST_WORDS + self.size / 4;
        if !fits {
            self.bound(Bound::Wrappers);
        }
        fits
    }

    /// Whether a text in the text may be read as well, and how much is being read then.
    fn may_read(&mut self, text: &Arg) -> bool {
        self.reread += text.text.len();
        self.reread <= LEAST_TEXTS + 4 * self.size && self.reading + text.text.len() <= LEAST_READING + self.size
    }

    /// The shell is in another folder now: what runs later runs there.
    fn moves(&mut self) {
        self.moved = true;
        let Self { later, parts, ctx, .. } = self;
        later.retain(|(range, depth)| {
            let inner = ctx.get(*depth..).unwrap_or_default();
            let apart = inner.iter().any(|ctx| ctx == "subshell" || ctx == "cmdsub" || ctx == "procsub");
            if !apart {
                let parts = parts.get_mut(range.clone()).unwrap_or_default();
                parts.iter_mut().for_each(turns::unplace);
            }
            apart
        });
    }

    fn by_to(&mut self, part: &mut Part) {
        part.by = std::mem::take(&mut self.by).into();
    }
}

/// What starts a command in the background.
#[derive(Clone, Copy, Debug, Default)]
struct Behind {
    endless: bool,
    function: bool,
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
