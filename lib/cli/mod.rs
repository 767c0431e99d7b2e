//! The programs: arguments, standard streams, exit codes. Nothing else in the library prints.

pub mod filter;
pub mod kz;
pub mod run;
mod say;

use crate::config::{Config, Options};
use crate::stage::Context;
use crate::world::World;
use std::collections::HashMap;
use std::path::Path;

/// Largest input of one program run.
pub(crate) const MAX_INPUT: u64 = 64 << 20;

/// Contexts by session root: project layers differ by root, everything else is shared.
pub(crate) struct Contexts<'w> {
    world: &'w dyn World,
    options: Options,
    by_root: HashMap<String, Context>,
}

impl<'w> Contexts<'w> {
    pub(crate) fn new(world: &'w dyn World, options: Options) -> Self {
        Self { world, options, by_root: HashMap::new() }
    }

    pub(crate) fn of(&mut self, root: &str) -> &Context {
        let (world, options) = (self.world, &self.options);
        self.by_root.entry(root.to_owned()).or_insert_with(|| {
            let root = (!root.is_empty()).then(|| Path::new(root));
            Context { config: Config::load(world, root, options) }
        })
    }
}
