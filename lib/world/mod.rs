//! The effects port: everything that touches disk, clock or environment goes through here.
//!
//! [`Real`] is the machine, [`Memory`] is for tests and replay. Nothing waits without a bound:
//! files are opened non-blocking and must be regular, locks are tried for at most 20 ms.

mod memory;
mod real;

pub use memory::Memory;
pub use real::Real;

use std::io;
use std::path::{Path, PathBuf};

/// What a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// Anything else: FIFO, socket, device.
    Other,
}

/// What is known of a path (links followed).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: Kind,
    /// Size in bytes.
    pub len: u64,
    /// Owner.
    pub uid: u32,
    /// Permission bits.
    pub mode: u32,
}

/// How an append went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appended {
    /// Whether the lock was held; without it a `once` key may be used twice.
    pub locked: bool,
    /// Length of the file afterwards.
    pub end: u64,
}

/// The machine as the library sees it.
pub trait World {
    /// Milliseconds since 1970; `KZ_NOW` fixes it.
    fn now(&self) -> i64;

    /// An environment variable, if set, not empty and valid UTF-8.
    fn env(&self, key: &str) -> Option<String>;

    /// Home folder: `HOME` if absolute, else the user's row of the passwd file.
    fn home(&self) -> Option<PathBuf>;

    /// User id of this process.
    fn uid(&self) -> u32;

    /// Current folder of this process.
    fn current_dir(&self) -> Option<PathBuf>;

    /// What a path is, links followed. `None` if it is not there or may not be looked at.
    fn stat(&self, path: &Path) -> Option<Stat>;

    /// Content of a regular file of at most `max` bytes. Opened non-blocking.
    ///
    /// # Errors
    /// `NotFound`; `InvalidInput` if it is no regular file; `FileTooLarge` beyond `max`; others as they come.
    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>>;

    /// Content of a regular file from byte `from`, but at most its last `max` bytes;
    /// returns the offset at which the bytes begin.
    ///
    /// # Errors
    /// As [`World::read`], except that a large file is no error.
    fn read_end(&self, path: &Path, from: u64, max: u64) -> io::Result<(u64, Vec<u8>)>;

    /// The path with links of its existing parts followed and `.`, `..` collapsed. Total.
    fn resolve(&self, path: &Path) -> PathBuf;

    /// Program of that name on `PATH`.
    fn which(&self, program: &str) -> Option<PathBuf>;

    /// Makes a folder and its parents, private to the user (0700).
    ///
    /// # Errors
    /// As they come from the system.
    fn make_folder(&self, path: &Path) -> io::Result<()>;

    /// Appends to a log under its lock (tried for at most 20 ms, then without).
    ///
    /// `choose` gets what stands in the file from byte `since` on and answers what to append;
    /// a torn last line is ended first. Everything goes out in one write.
    ///
    /// # Errors
    /// As they come from the system; `InvalidInput` if it is no regular file.
    fn append(&self, path: &Path, since: u64, choose: &mut dyn FnMut(&[u8]) -> Vec<u8>) -> io::Result<Appended>;

    /// Replaces a file: written aside in the same folder (0600 if new, else the old mode), then renamed over it.
    ///
    /// # Errors
    /// As they come from the system.
    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Removes a file; not being there is fine.
    ///
    /// # Errors
    /// As they come from the system.
    fn remove(&self, path: &Path) -> io::Result<()>;
}
