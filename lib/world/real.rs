//! The machine.

use super::resolve::{Look, walk};
use super::{Appended, Kind, REGION, Stat, World, home_in_passwd, not_regular, older, repaired, too_large};
use rustix::fs::OFlags;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How long a lock is tried: a hook killed by its time limit lets the call run.
const LOCK_LIMIT: Duration = Duration::from_millis(20);
/// Pause between two tries.
const LOCK_PAUSE: Duration = Duration::from_micros(100);
/// Folders of `PATH` that are looked at.
const PATH_FOLDERS: usize = 64;
/// Entries removed with a folder.
const FOLDER_FILES: usize = 256;

/// The machine. Cheap to make: it reads nothing until asked.
#[derive(Debug, Default)]
pub struct Real {
    fixed_now: OnceLock<Option<i64>>,
    passwd_home: OnceLock<Option<PathBuf>>,
}

impl Real {
    /// The machine this process runs on.
    pub fn new() -> Self {
        Self::default()
    }
}

impl World for Real {
    fn now(&self) -> i64 {
        let fixed = self.fixed_now.get_or_init(|| self.env("KZ_NOW").and_then(|text| text.trim().parse().ok()));
        fixed.unwrap_or_else(|| self.clock())
    }

    fn clock(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }

    // Asked of the process each time: nothing here can change its environment, and one look-up
    // costs less than a copy of all variables.
    fn env(&self, key: &str) -> Option<String> {
        std::env::var(key).ok().filter(|value| !value.is_empty())
    }

    fn passwd_home(&self) -> Option<PathBuf> {
        self.passwd_home
            .get_or_init(|| home_in_passwd(&self.read(Path::new("/etc/passwd"), REGION).ok()?, self.uid()))
            .clone()
    }

    // The effective one: it owns what this process makes.
    fn uid(&self) -> u32 {
        rustix::process::geteuid().as_raw()
    }

    fn current_dir(&self) -> Option<PathBuf> {
        std::env::current_dir().ok()
    }

    fn stat(&self, path: &Path) -> Option<Stat> {
        let found = fs::metadata(path).ok()?;
        Some(Stat {
            kind: kind(&found),
            len: found.len(),
            uid: found.uid(),
            mode: found.mode() & 0o7777,
            modified: found.mtime().saturating_mul(1000).saturating_add(found.mtime_nsec() / 1_000_000),
        })
    }

    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        let (mut file, len) = open_regular(path)?;
        if len > max {
            return Err(too_large());
        }
        if len > 0 {
            return read_region(&file, 0, len);
        }
        // Files that the kernel makes up say that they are empty.
        let mut bytes = Vec::new();
        (&mut file).take(max.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > max { Err(too_large()) } else { Ok(bytes) }
    }

    fn read_end(&self, path: &Path, from: u64, max: u64) -> io::Result<(u64, Vec<u8>)> {
        let (file, len) = open_regular(path)?;
        let start = from.max(len.saturating_sub(max)).min(len);
        Ok((start, read_region(&file, start, len)?))
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        let joined;
        let path = if path.is_absolute() {
            path
        } else {
            joined = self.current_dir().unwrap_or_default().join(path);
            &joined
        };
        walk(path, |at| match fs::read_link(at) {
            Ok(target) => Look::Link(target),
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::INVAL.raw_os_error()) => Look::Present,
            Err(_) => Look::Missing,
        })
    }

    fn which(&self, program: &str) -> Option<PathBuf> {
        let runs = |at: &Path| fs::metadata(at).is_ok_and(|found| found.is_file() && found.mode() & 0o111 != 0);
        if program.contains('/') {
            return Some(PathBuf::from(program)).filter(|at| at.is_absolute() && runs(at));
        }
        let folders = std::env::var_os("PATH")?;
        // A relative entry would find programs of whatever folder the call happens to stand in.
        let absolute = std::env::split_paths(&folders).filter(|folder| folder.is_absolute());
        absolute.take(PATH_FOLDERS).map(|folder| folder.join(program)).find(|at| !program.is_empty() && runs(at))
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)
    }

    fn append(&self, path: &Path, since: u64, choose: &mut dyn FnMut(&[u8]) -> Vec<u8>) -> io::Result<Appended> {
        let mut file = self.open_log(path)?;
        let locked = lock(&file, LOCK_LIMIT);
        let (end, wrote) = add(&mut file, since, choose)?;
        let end = if locked || !wrote { end } else { file.metadata()?.len() };
        Ok(Appended { locked, end })
        // Closing the file lets go of the lock.
    }

    fn rotate(&self, path: &Path, limit: u64, keep: u32) -> io::Result<bool> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).custom_flags(flags());
        let file = match options.open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            file => file.map_err(unlike_a_file)?,
        };
        // Whoever cannot have the lock leaves it to the one that has it.
        if !lock(&file, LOCK_LIMIT) {
            return Ok(false);
        }
        let (held, there) = (file.metadata()?, fs::symlink_metadata(path)?);
        if held.len() < limit || (held.dev(), held.ino()) != (there.dev(), there.ino()) {
            return Ok(false);
        }
        for number in (1..keep).rev() {
            match fs::rename(older(path, number), older(path, number + 1)) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        fs::rename(path, older(path, 1))?;
        Ok(true)
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        // A link is kept and what it points to replaced: people link their settings from elsewhere.
        let (target, old) = match fs::canonicalize(path) {
            Ok(target) => {
                let found = fs::metadata(&target)?;
                if !found.is_file() {
                    return Err(not_regular());
                }
                (target, Some(found.mode() & 0o7777))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => (path.to_owned(), None),
            Err(error) => return Err(error),
        };
        let (mut file, aside) = self.open_aside(&target)?;
        let written = file
            .write_all(bytes)
            .and_then(|()| old.map_or(Ok(()), |mode| file.set_permissions(fs::Permissions::from_mode(mode))))
            .and_then(|()| fs::rename(&aside, &target));
        if written.is_err() {
            // The first error is the one to tell.
            let _ = fs::remove_file(&aside);
        }
        written
    }

    fn read_at(&self, path: &Path, from: u64, max: u64) -> io::Result<Vec<u8>> {
        let (file, len) = open_regular(path)?;
        let start = from.min(len);
        read_region(&file, start, start.saturating_add(max).min(len))
    }

    fn locked(&self, path: &Path, limit: Duration, act: &mut dyn FnMut(&[u8]) -> Vec<u8>) -> io::Result<bool> {
        let mut file = self.open_log(path)?;
        if !lock(&file, limit) {
            return Ok(false);
        }
        add(&mut file, 0, act)?;
        Ok(true)
    }

    fn replace_synced(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let old = fs::symlink_metadata(path).ok().filter(Metadata::is_file).map(|found| found.mode() & 0o7777);
        let (mut file, aside) = self.open_aside(path)?;
        let written = file
            .write_all(bytes)
            .and_then(|()| old.map_or(Ok(()), |mode| file.set_permissions(fs::Permissions::from_mode(mode))))
            .and_then(|()| file.sync_data())
            .and_then(|()| fs::rename(&aside, path));
        if written.is_err() {
            // The first error is the one to tell.
            let _ = fs::remove_file(&aside);
        }
        written
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.make_parent(to)?;
        if fs::symlink_metadata(to).is_ok() {
            return Err(ErrorKind::AlreadyExists.into());
        }
        fs::rename(from, to)
    }

    fn run(&self, argv: &[&str], limit: Duration, max: usize) -> io::Result<Vec<u8>> {
        let (name, rest) = argv.split_first().ok_or_else(|| io::Error::from(ErrorKind::NotFound))?;
        let program = self.which(name).ok_or_else(|| io::Error::new(ErrorKind::NotFound, (*name).to_owned()))?;
        super::process::output(&program, rest, limit, max)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        match fs::remove_file(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }

    fn list(&self, path: &Path, max: usize) -> io::Result<Vec<OsString>> {
        fs::read_dir(path)?.take(max).map(|entry| Ok(entry?.file_name())).collect()
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        if !fs::symlink_metadata(path)?.is_dir() {
            return Err(ErrorKind::NotADirectory.into());
        }
        for name in self.list(path, FOLDER_FILES)? {
            self.remove(&path.join(name))?;
        }
        fs::remove_dir(path)
    }
}

impl Real {
    /// A file to lock, read and append to; made if it is not there.
    fn open_log(&self, path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true).mode(0o600).custom_flags(flags());
        with_parent(path, || self.make_parent(path), || options.open(path)).map_err(unlike_a_file)
    }

    fn make_parent(&self, path: &Path) -> io::Result<()> {
        path.parent().map_or(Ok(()), |parent| self.make_folder(parent))
    }

    /// A new file beside `target`, and where it is.
    fn open_aside(&self, target: &Path) -> io::Result<(File, PathBuf)> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = target.file_name().ok_or_else(not_regular)?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let mut last = io::Error::from(ErrorKind::AlreadyExists);
        // A process that was killed may have left one behind under the same number.
        for _ in 0..16 {
            let mut aside = OsString::from(".");
            aside.push(name);
            aside.push(format!(".{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
            let aside = target.with_file_name(aside);
            match with_parent(&aside, || self.make_parent(&aside), || options.open(&aside)) {
                Ok(file) => return Ok((file, aside)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }
}

/// Opens; only if a folder is missing, makes it and tries once more.
fn with_parent(
    path: &Path,
    make: impl FnOnce() -> io::Result<()>,
    open: impl Fn() -> io::Result<File>,
) -> io::Result<File> {
    match open() {
        Err(error) if error.kind() == ErrorKind::NotFound && path.parent().is_some() => make().and_then(|()| open()),
        done => done,
    }
}

/// Never waits for the other end of a FIFO, never takes a terminal. (std adds `O_CLOEXEC`.)
fn flags() -> i32 {
    // INVARIANT: the bits of open flags fit into the int that open(2) takes.
    (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed()
}

fn open_regular(path: &Path) -> io::Result<(File, u64)> {
    let file = OpenOptions::new().read(true).custom_flags(flags()).open(path).map_err(unlike_a_file)?;
    let found = file.metadata()?;
    if found.is_file() { Ok((file, found.len())) } else { Err(not_regular()) }
}

/// A socket or a folder refuses to be opened; to the caller that is the same as a FIFO.
fn unlike_a_file(error: io::Error) -> io::Error {
    let socket = error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error());
    if socket || error.kind() == ErrorKind::IsADirectory { not_regular() } else { error }
}

/// Bytes from `start` up to `end`, fewer if the file shrank meanwhile.
fn read_region(file: &File, start: u64, end: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(end - start).map_err(|_| too_large())?];
    let mut have = 0;
    while have < bytes.len() {
        match file.read_at(&mut bytes[have..], start + have as u64) {
            Ok(0) => break,
            Ok(n) => have += n,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(have);
    Ok(bytes)
}

/// Adds to a log what `choose` makes of what stands in it from byte `since` on; where it ends then, and
/// whether anything was written. Behind the lock, so that the length is the one that counts.
fn add(file: &mut File, since: u64, choose: &mut dyn FnMut(&[u8]) -> Vec<u8>) -> io::Result<(u64, bool)> {
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(not_regular());
    }
    let len = found.len();
    let region = read_region(file, since.max(len.saturating_sub(REGION)).min(len), len)?;
    let torn = match region.last() {
        Some(last) => *last != b'\n',
        None if since == len || len == 0 => false,
        None => read_region(file, len - 1, len)?.last() != Some(&b'\n'),
    };
    let bytes = repaired(torn, choose(&region));
    if !bytes.is_empty() {
        // One write; only a full disk makes it more, and then the next writer ends the torn line.
        file.write_all(&bytes)?;
    }
    Ok((len + bytes.len() as u64, !bytes.is_empty()))
}

/// Whether the lock was had in time.
fn lock(file: &File, limit: Duration) -> bool {
    let mut begun = None;
    loop {
        match file.try_lock() {
            Ok(()) => return true,
            // A file system without locks: waiting would not help.
            Err(TryLockError::Error(error)) if error.kind() != ErrorKind::Interrupted => return false,
            Err(_) => {}
        }
        if begun.get_or_insert_with(Instant::now).elapsed() + LOCK_PAUSE >= limit {
            return false;
        }
        std::thread::sleep(LOCK_PAUSE);
    }
}

fn kind(found: &Metadata) -> Kind {
    if found.is_file() {
        Kind::File
    } else if found.is_dir() {
        Kind::Folder
    } else {
        Kind::Other
    }
}
