//! The verbs of `kz` for people, one file a verb.
//!
//! A verb is arguments (clap) and `run(&args, &mut desk)`. The [`Desk`] is all it has: the world,
//! the person, the programs beside it, and two writers. Nothing here prints or exits on its own.

pub mod allow;
pub mod config;
pub mod doctor;
pub mod explain;
pub mod fire;
pub mod fleet;
pub mod help;
pub mod install;
pub mod ledger;
pub mod mode;
pub mod person;
pub mod rules;
pub mod settings;
pub mod switch;
#[cfg(test)]
mod test;
pub mod trial;
pub mod trust;
pub mod uninstall;

use crate::world::World;
use person::Person;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What a verb works with.
pub struct Desk<'a> {
    /// The machine.
    pub world: &'a dyn World,
    /// The person at the terminal.
    pub person: &'a mut dyn Person,
    /// Folder of the running program: `kz-run` and its siblings are beside it.
    pub programs: &'a Path,
    /// Standard output.
    pub out: &'a mut dyn Write,
    /// Standard error.
    pub err: &'a mut dyn Write,
}

/// How a verb ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// As asked.
    Done,
    /// Not, and the reason was told.
    Failed,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Done => Self::SUCCESS,
            Exit::Failed => Self::FAILURE,
        }
    }
}

impl Desk<'_> {
    /// Tells an error in the house form and ends the verb.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn fail(&mut self, text: &str, hint: &str) -> io::Result<Exit> {
        writeln!(self.err, "kz: {text}")?;
        if !hint.is_empty() {
            writeln!(self.err, "  hint: {hint}")?;
        }
        Ok(Exit::Failed)
    }

    /// A path as people write it.
    pub fn show(&self, path: &Path) -> String {
        match self.world.home().and_then(|home| path.strip_prefix(home).ok().map(Path::to_path_buf)) {
            Some(rest) => format!("~/{}", rest.display()),
            None => path.display().to_string(),
        }
    }

    /// Where `kz-run` is: the name on `PATH` if it is the one beside us (an upgrade may move the
    /// file behind that name), else the one beside us.
    pub fn kz_run(&self) -> PathBuf {
        let beside = self.programs.join("kz-run");
        match self.world.which("kz-run") {
            Some(found) if found.is_absolute() && self.world.resolve(&found) == self.world.resolve(&beside) => found,
            _ => beside,
        }
    }

    /// The git top of the current folder, or the current folder: where the repo's config is read.
    pub fn root(&self) -> Option<PathBuf> {
        let current = self.world.current_dir()?;
        let top = current.ancestors().find(|folder| self.world.stat(&folder.join(".git")).is_some());
        Some(top.unwrap_or(&current).to_path_buf())
    }
}
