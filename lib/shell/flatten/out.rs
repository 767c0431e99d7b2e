//! The result in the making, where the walk stands, and what any text is granted.

use std::sync::Arc;

use ecow::{EcoString, EcoVec};
use thin_vec::ThinVec;

use super::super::ast::Bound;
use super::super::dynamic::Dynamics;
use super::super::part::{Arg, Part};
use super::super::unwrap::Runners;
use super::calls::{Alias, Frame, Function};
use super::input::Input;
use super::state::State;
use super::{copies, inner, turns};

/// Most parts that are looked through for what files hold.
const MOST_LOOKS: usize = 2_000;
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
pub(super) const MOST_NESTING: usize = 300;
/// Most words of commands in several wrappers and bytes of folders that any text is granted; a longer one is
/// granted a share of its length more.
const LEAST_WORDS: usize = 512;
const LEAST_FOLDERS: usize = 32 * 1024;
/// The same for bytes of texts in texts.
const LEAST_TEXTS: usize = 64 * 1024;
/// The same for bytes of texts that stand in each other and so are held at the same time.
const LEAST_READING: usize = 12 * 1024;
/// Most feeding parts that are listed.
pub(super) const MOST_FROM: usize = 64;
/// Most doubts that are told apart.
pub(super) const MOST_DOUBTS: usize = 32;

/// Counts a part that is looked at for what it does to a file; whether it may be.
pub(super) fn may_look(looks: &mut usize) -> bool {
    *looks += 1;
    *looks <= MOST_LOOKS
}

/// Most parts of a call of `size` bytes.
pub(super) fn most_parts(size: usize) -> usize {
    MOST_PARTS.min(LEAST_PARTS + size / BYTES_OF_PART)
}

/// What a command leaves behind, for `&&` and `||`.
#[derive(Default)]
pub(super) enum Flow {
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
pub(super) struct Out {
    pub(super) parts: Vec<Part>,
    pub(super) opaque: bool,
    pub(super) why: Vec<String>,
    pub(super) state: State,
    pub(super) flow: Flow,
    pub(super) ctx: EcoVec<EcoString>,
    pub(super) by: &'static str,
    pub(super) inside: Option<u32>,
    pub(super) from: ThinVec<u32>,
    /// The span of everything in a text that is read again.
    pub(super) span: Option<[u32; 2]>,
    /// What marks in a text that is read again stand for.
    pub(super) marks: Dynamics,
    pub(super) appends: bool,
    pub(super) replace: Option<Arc<str>>,
    /// What unknown input is among.
    pub(super) among: ThinVec<Arg>,
    pub(super) elsewhere: bool,
    /// How many endless loops there are around.
    pub(super) loops: usize,
    pub(super) behind: Behind,
    /// Whether `$HOME` is another machine's.
    pub(super) foreign: bool,
    pub(super) known_bytes: usize,
    /// Bytes of the text.
    pub(super) size: usize,
    /// Words of commands in more than one wrapper, which each copies.
    pub(super) wrapped: usize,
    /// Bytes of the texts in texts.
    pub(super) reread: usize,
    /// Bytes of those that are being read now.
    pub(super) reading: usize,
    /// Bytes of the folders of parts.
    pub(super) folders: usize,
    pub(super) brace_words: usize,
    /// Parts that further turns of loops made.
    pub(super) turned: usize,
    pub(super) brace_bytes: usize,
    /// Depth of substitutions whose output is computed.
    pub(super) deep: usize,
    pub(super) nesting: usize,
    pub(super) shells: usize,
    pub(super) wrappers: usize,
    pub(super) full: bool,
    /// Whether any command changed the folder.
    pub(super) moved: bool,
    pub(super) runners: Runners,
    /// Functions of this call.
    pub(super) functions: Vec<Function>,
    /// Calls that are being walked, outermost first.
    pub(super) frames: Vec<Frame>,
    /// How many calls were walked.
    pub(super) called: usize,
    /// Whether what is walked will be walked again with more certainty.
    pub(super) tentative: usize,
    pub(super) aliases: Vec<Alias>,
    /// Whether aliases are expanded.
    pub(super) expands: bool,
    /// Aliases that are being expanded.
    pub(super) expanding: Vec<String>,
    /// What the commands here read, if that is certain.
    pub(super) input: Option<Input>,
    /// The globs that the names which a loop reads are among.
    pub(super) names: Vec<Arg>,
    /// The one of them that the next record is among.
    pub(super) handed: Option<Arg>,
    /// Files whose text is being read.
    pub(super) running: Vec<EcoString>,
    /// How many texts were read.
    pub(super) texts: u32,
    /// How many parts were looked through for the text of a file.
    pub(super) looks: usize,
    /// Parts that may give files other names.
    pub(super) movers: Vec<u32>,
    /// Parts of texts that run later, from where the shell is then, and how deep they stand.
    pub(super) later: Vec<(std::ops::Range<usize>, usize)>,
}

impl Out {
    pub(super) fn doubt(&mut self, why: impl Into<String>) {
        self.opaque = true;
        let why = why.into();
        // A bound or an error of syntax is never lost behind many other doubts: others ask for them by name.
        let kept = |kind: &str| why.starts_with(kind) && !self.why.iter().any(|known| known.starts_with(kind));
        if self.why.len() < MOST_DOUBTS && !self.why.contains(&why) || kept("bound") || kept("syntax") {
            self.why.push(why);
        }
    }

    pub(super) fn bound(&mut self, bound: Bound) {
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
    pub(super) fn push(&mut self, mut part: Part) -> Option<u32> {
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
        if copies::makes(&part) && self.movers.len() < copies::MOST_MOVERS {
            self.movers.push(n);
        }
        if self.parts.len() == self.parts.capacity() {
            // A part is large: doubling would take as much again for nothing.
            self.parts.reserve_exact((self.parts.len() / 4).max(8));
        }
        self.parts.push(part);
        Some(n)
    }

    /// Whether further turns may make so many parts more.
    pub(super) fn may_turn(&self, more: usize) -> bool {
        let most = MOST_TURNED.min(LEAST_TURNED + self.size / BYTES_OF_PART);
        self.turned.saturating_add(more) <= most
    }

    /// Whether a wrapper may copy so many words more. The first around a command always may, unless nearly all
    /// words are of one letter.
    pub(super) fn may_wrap(&mut self, words: usize) -> bool {
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
    pub(super) fn may_read(&mut self, text: &Arg) -> bool {
        self.reread += text.text.len();
        self.reread <= LEAST_TEXTS + 4 * self.size && self.reading + text.text.len() <= LEAST_READING + self.size
    }

    /// The shell is in another folder now: what runs later runs there.
    pub(super) fn moves(&mut self) {
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

    pub(super) fn by_to(&mut self, part: &mut Part) {
        part.by = std::mem::take(&mut self.by).into();
    }
}

/// What starts a command in the background.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Behind {
    pub(super) endless: bool,
    pub(super) function: bool,
}
