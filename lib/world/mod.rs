//! The effects port: everything that touches disk, clock or environment goes through here.
//!
//! [`Real`] is the machine, [`Memory`] is for tests and replay. Nothing waits without a bound:
//! files are opened non-blocking and must be regular, locks are tried for at most 20 ms.

mod memory;
mod process;
mod real;
mod resolve;
#[cfg(test)]
mod tests;

pub use memory::Memory;
pub use real::Real;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

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
    /// When its content last changed, milliseconds since 1970, by the file system's clock.
    pub modified: i64,
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

    /// The machine's own clock, which no variable fixes: for what must not be loosened by one.
    fn clock(&self) -> i64 {
        self.now()
    }

    /// An environment variable, if set, not empty and valid UTF-8.
    fn env(&self, key: &str) -> Option<String>;

    /// Home folder in the user's row of the passwd file, whatever `HOME` says.
    fn passwd_home(&self) -> Option<PathBuf>;

    /// Home folder: `HOME` if absolute, else the user's row of the passwd file.
    fn home(&self) -> Option<PathBuf> {
        self.env("HOME").map(PathBuf::from).filter(|home| home.is_absolute()).or_else(|| self.passwd_home())
    }

    /// A path as people and hosts write it, `~/` for the home folder; `None` if it is not absolute.
    fn path_of(&self, text: &str) -> Option<PathBuf> {
        let path = match text.strip_prefix("~/") {
            Some(rest) => self.home()?.join(rest),
            None => PathBuf::from(text),
        };
        Some(path).filter(|path| path.is_absolute())
    }

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
    /// `choose` gets what stands in the file from byte `since` on (its last 1 MiB at most) and
    /// answers what to append; a torn last line is ended first. Everything goes out in one write.
    /// `since` is a line boundary that was read before; whoever did not read says `u64::MAX`.
    /// The file and its folder are made, private to the user, if they are not there.
    ///
    /// # Errors
    /// As they come from the system; `InvalidInput` if it is no regular file.
    fn append(&self, path: &Path, since: u64, choose: &mut dyn FnMut(&[u8]) -> Vec<u8>) -> io::Result<Appended>;

    /// Begins a file anew once it has `limit` bytes: it becomes `NAME.1`, what was that `NAME.2`, and
    /// so on up to `keep`. Under the file's lock, so that of several processes one does it; a writer that
    /// has the file open still writes into it. `false` if there was nothing to do.
    ///
    /// # Errors
    /// As they come from the system.
    fn rotate(&self, _path: &Path, _limit: u64, _keep: u32) -> io::Result<bool> {
        Ok(false)
    }

    /// Replaces a file: written aside in the same folder (0600 if new, else the old mode), then renamed over it.
    ///
    /// # Errors
    /// As they come from the system.
    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Bytes of a regular file from byte `from` on, `max` of them at most; fewer at its end.
    ///
    /// # Errors
    /// As [`World::read_end`].
    fn read_at(&self, path: &Path, from: u64, max: u64) -> io::Result<Vec<u8>> {
        let (_, bytes) = self.read_end(path, 0, u64::MAX)?;
        let from = usize::try_from(from).unwrap_or(usize::MAX).min(bytes.len());
        let max = usize::try_from(max).unwrap_or(usize::MAX).min(bytes.len() - from);
        Ok(bytes[from..from + max].to_vec())
    }

    /// Runs `act` while this process holds the lock of a file, which is made if it is not there. `act` gets
    /// what stands in the file (its last 1 MiB at most) and answers what to append. `false` if the lock was
    /// not had within `limit`; then nothing was done.
    ///
    /// # Errors
    /// As [`World::append`].
    fn locked(&self, path: &Path, _limit: Duration, act: &mut dyn FnMut(&[u8]) -> Vec<u8>) -> io::Result<bool> {
        if !self.append(path, u64::MAX, &mut |_| Vec::new())?.locked {
            return Ok(false);
        }
        self.append(path, 0, act).map(|appended| appended.locked)
    }

    /// Puts a file there as [`World::replace`] does, and does not come back before it is on the disk. A link
    /// that stands there is replaced, not followed.
    ///
    /// # Errors
    /// As they come from the system.
    fn replace_synced(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.replace(path, bytes)
    }

    /// Moves a file to a name in the same file system that is not taken.
    ///
    /// # Errors
    /// `AlreadyExists`; others as they come from the system.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        if self.stat(to).is_some() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let bytes = self.read(from, u64::MAX)?;
        self.replace(to, &bytes)?;
        self.remove(from)
    }

    /// Standard output of a program, at most `max` bytes, if it ends within `limit` with code 0. Whatever it
    /// started in its process group is stopped with it. The first word is looked for on `PATH`.
    ///
    /// # Errors
    /// `NotFound` if there is no such program, `TimedOut`, `Other` for another exit code.
    fn run(&self, argv: &[&str], _limit: Duration, _max: usize) -> io::Result<Vec<u8>> {
        Err(io::Error::new(io::ErrorKind::NotFound, argv.first().copied().unwrap_or_default().to_owned()))
    }

    /// Removes a file; not being there is fine.
    ///
    /// # Errors
    /// As they come from the system.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Names in a folder, at most `max`, in no order.
    ///
    /// # Errors
    /// As they come from the system.
    fn list(&self, path: &Path, max: usize) -> io::Result<Vec<OsString>>;

    /// Removes a folder (no link to one) and the files in it, but no folder below it.
    ///
    /// # Errors
    /// As they come from the system; what was removed until then stays removed.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
}

/// The name of an older file.
pub fn older(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

/// What a region handed to `choose` may have at most, in bytes.
const REGION: u64 = 1 << 20;

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}

fn too_large() -> io::Error {
    io::Error::from(io::ErrorKind::FileTooLarge)
}

/// What to write: what was chosen, behind the newline that a torn last line lacks.
fn repaired(torn: bool, mut chosen: Vec<u8>) -> Vec<u8> {
    if torn && !chosen.is_empty() {
        chosen.insert(0, b'\n');
    }
    chosen
}

/// Home folder of a user in the text of a passwd file.
fn home_in_passwd(text: &[u8], uid: u32) -> Option<PathBuf> {
    let text = String::from_utf8_lossy(text);
    let row = text.lines().find(|row| row.split(':').nth(2).and_then(|field| field.parse().ok()) == Some(uid))?;
    row.split(':').nth(5).map(PathBuf::from).filter(|home| home.is_absolute())
}
