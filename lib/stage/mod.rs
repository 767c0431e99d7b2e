//! Stages: pure functions over the envelope, and the registry of all of them.
//!
//! A stage reads the envelope and the context and appends. What it needs from the world it
//! asks for in `gather`, which runs once, in the source. `decide` is no stage: it is the sink.

pub mod classify;
pub mod decide;
pub mod guard;
pub mod handoff;
pub mod ladder;
pub mod source;

use crate::call::{Call, EventKind};
use crate::config::{self, Config, Options};
use crate::envelope::{Envelope, Facts, Fault};
use crate::rules::Own;
use crate::state::Session;
use crate::world::World;
use serde_json::value::RawValue;
use std::any::Any;
use std::collections::HashMap;
use std::path::Path;

/// What a stage is, for help, plans and the README's table.
#[derive(Debug)]
pub struct Spec {
    /// Name: the program is `kz-<name>`.
    pub name: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// Events it handles; on others it returns at once.
    pub events: &'static [EventKind],
    /// What it reads of the envelope.
    pub reads: &'static [&'static str],
    /// What it appends to.
    pub writes: &'static [&'static str],
    /// Config keys and tables it uses.
    pub config: &'static [&'static str],
}

/// What every stage of a process shares, read once at the start.
#[derive(Debug, Default)]
pub struct Context {
    /// The resolved config.
    pub config: Config,
    /// The rules of the user and the repo; kz's own are [`packs`](crate::rules::packs).
    pub rules: Own,
}

/// Contexts by session root: project layers differ by root, everything else is shared.
pub struct Contexts<'w> {
    world: &'w dyn World,
    options: Options,
    by_root: HashMap<String, Context>,
}

impl<'w> Contexts<'w> {
    /// Contexts that are read when first asked for.
    pub fn new(world: &'w dyn World, options: Options) -> Self {
        Self { world, options, by_root: HashMap::new() }
    }

    /// Contexts of the same world with more settings, as `--set` takes them.
    pub fn with(&self, set: &[String]) -> Self {
        let mut options = self.options.clone();
        options.set.extend_from_slice(set);
        Self::new(self.world, options)
    }

    /// The context of a session root; of no root if it is empty.
    pub fn of(&mut self, root: &str) -> &Context {
        let (world, options) = (self.world, &self.options);
        self.by_root.entry(root.to_owned()).or_insert_with(|| {
            let root = (!root.is_empty()).then(|| Path::new(root));
            let rules = Own::load(world, root);
            Context { config: config::load_with(world, root, options, &rules), rules }
        })
    }
}

/// What a process remembers between the lines of a stream, per stage and session.
///
/// The first line of a session brings its past in `facts.session`; from then on a stateful
/// stage folds its own events here, so a stream decides exactly as the live hooks would.
#[derive(Default)]
pub struct Memory {
    slots: HashMap<(&'static str, String), Box<dyn Any>>,
}

impl Memory {
    /// The slot of a stage and session; `first` fills it on the first line.
    pub fn slot<T: Any>(&mut self, stage: &'static str, session: &str, first: impl FnOnce() -> T) -> &mut T {
        let slot = self.slots.entry((stage, session.to_owned())).or_insert_with(|| Box::new(()));
        if !slot.is::<T>() {
            *slot = Box::new(first());
        }
        // INVARIANT: the line above made it a T.
        #[expect(clippy::expect_used, reason = "set to a T on the line above")]
        slot.downcast_mut().expect("a slot holds its stage's type")
    }
}

/// A stage.
pub trait Stage: Sync {
    /// What it is.
    fn spec(&self) -> &'static Spec;

    /// The voices that a pipeline can ask for alone.
    fn voices(&self) -> &'static [&'static str] {
        &[]
    }

    /// This stage with one of its voices alone; `None` if it has no such voice.
    fn only(&self, _voice: &str) -> Option<&'static dyn Stage> {
        None
    }

    /// The only door for facts: runs once per call, in the source, after the session is folded.
    /// May read; never writes. The answer becomes `facts.session.<name>`.
    ///
    /// # Errors
    /// A fault to be carried by the envelope.
    fn gather(
        &self,
        _call: &Call,
        _so_far: &Facts,
        _session: &Session,
        _cx: &Context,
        _world: &dyn World,
    ) -> Result<Option<Box<RawValue>>, Fault> {
        Ok(None)
    }

    /// Pure: the same envelopes in the same order and the same context give the same result.
    ///
    /// # Errors
    /// A fault to be carried by the envelope.
    fn run(&self, envelope: &mut Envelope, cx: &Context, memory: &mut Memory) -> Result<(), Fault>;
}

/// All stages in the order in which they may stand; state flows left to right only.
pub static ALL: &[&dyn Stage] = &[&classify::Classify, &guard::Guard, &ladder::Ladder, &handoff::Handoff];

/// A stage by name.
pub fn find(name: &str) -> Option<&'static dyn Stage> {
    ALL.iter().copied().find(|stage| stage.spec().name == name)
}
