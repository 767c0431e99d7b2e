//! A machine in memory, for tests and replay: the same rules, no disk, and a list of what was written.

use super::resolve::{Look, walk};
use super::{Appended, Kind, REGION, Stat, World, not_regular, older, repaired, too_large};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A machine in memory. Starts with an empty root folder, no variables, clock 0 and user 1000.
#[derive(Debug)]
pub struct Memory {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    now: i64,
    env: BTreeMap<String, String>,
    passwd_home: Option<PathBuf>,
    uid: u32,
    current_dir: PathBuf,
    nodes: BTreeMap<PathBuf, Node>,
    no_reads: BTreeMap<PathBuf, ErrorKind>,
    no_writes: BTreeMap<PathBuf, ErrorKind>,
    locked: BTreeSet<PathBuf>,
    writes: Vec<PathBuf>,
}

#[derive(Clone, Debug)]
struct Node {
    what: What,
    uid: u32,
    mode: u32,
    modified: i64,
}

#[derive(Clone, Debug)]
enum What {
    File(Vec<u8>),
    Folder,
    Link(PathBuf),
    Other,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            inner: Mutex::new(Inner {
                now: 0,
                env: BTreeMap::new(),
                passwd_home: None,
                uid: 1000,
                current_dir: PathBuf::from("/"),
                nodes: BTreeMap::from([(
                    PathBuf::from("/"),
                    Node { what: What::Folder, uid: 0, mode: 0o755, modified: 0 },
                )]),
                no_reads: BTreeMap::new(),
                no_writes: BTreeMap::new(),
                locked: BTreeSet::new(),
                writes: Vec::new(),
            }),
        }
    }
}

impl Memory {
    /// An empty machine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the clock, in milliseconds since 1970.
    pub fn set_now(&self, now: i64) {
        self.inner().now = now;
    }

    /// Sets a variable; an empty value is as good as none.
    pub fn set_env(&self, key: &str, value: &str) {
        self.inner().env.insert(key.to_owned(), value.to_owned());
    }

    /// Sets the home folder of the passwd file's row.
    pub fn set_passwd_home(&self, home: impl Into<PathBuf>) {
        self.inner().passwd_home = Some(home.into());
    }

    /// Sets the current folder.
    pub fn set_current_dir(&self, path: impl Into<PathBuf>) {
        self.inner().current_dir = path.into();
    }

    /// Puts a file there, and the folders above it.
    pub fn put(&self, path: impl AsRef<Path>, bytes: impl Into<Vec<u8>>) {
        self.node(path.as_ref(), What::File(bytes.into()), 0o600);
    }

    /// Puts a folder there, and the folders above it.
    pub fn put_folder(&self, path: impl AsRef<Path>) {
        self.node(path.as_ref(), What::Folder, 0o700);
    }

    /// Puts a link there, and the folders above it.
    pub fn put_link(&self, path: impl AsRef<Path>, target: impl Into<PathBuf>) {
        self.node(path.as_ref(), What::Link(target.into()), 0o777);
    }

    /// Puts something there that is neither file nor folder: a FIFO, a socket.
    pub fn put_other(&self, path: impl AsRef<Path>) {
        self.node(path.as_ref(), What::Other, 0o600);
    }

    /// Sets owner and mode of what stands at a path.
    pub fn set_owner(&self, path: impl AsRef<Path>, uid: u32, mode: u32) {
        if let Some(node) = self.inner().nodes.get_mut(path.as_ref()) {
            (node.uid, node.mode) = (uid, mode);
        }
    }

    /// Sets when the content of what stands at a path last changed.
    pub fn set_modified(&self, path: impl AsRef<Path>, modified: i64) {
        if let Some(node) = self.inner().nodes.get_mut(path.as_ref()) {
            node.modified = modified;
        }
    }

    /// From now on reading this path, and anything below it, fails.
    pub fn fail_reads(&self, path: impl Into<PathBuf>, kind: ErrorKind) {
        self.inner().no_reads.insert(path.into(), kind);
    }

    /// From now on writing this path, and anything below it, fails.
    pub fn fail_writes(&self, path: impl Into<PathBuf>, kind: ErrorKind) {
        self.inner().no_writes.insert(path.into(), kind);
    }

    /// From now on somebody else holds the lock of this file.
    pub fn hold_lock(&self, path: impl Into<PathBuf>) {
        self.inner().locked.insert(path.into());
    }

    /// What was written, made or removed so far, in order.
    pub fn writes(&self) -> Vec<PathBuf> {
        self.inner().writes.clone()
    }

    /// Content of a file, links followed; `None` if there is no file.
    pub fn bytes(&self, path: impl AsRef<Path>) -> Option<Vec<u8>> {
        let inner = self.inner();
        match &inner.nodes.get(&inner.real(path.as_ref()))?.what {
            What::File(bytes) => Some(bytes.clone()),
            _ => None,
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn node(&self, path: &Path, what: What, mode: u32) {
        let mut inner = self.inner();
        let (uid, modified) = (inner.uid, inner.now);
        for above in path.ancestors().skip(1) {
            let folder = Node { what: What::Folder, uid, mode: 0o700, modified };
            inner.nodes.entry(above.to_owned()).or_insert(folder);
        }
        inner.nodes.insert(path.to_owned(), Node { what, uid, mode, modified });
    }
}

impl Inner {
    fn real(&self, path: &Path) -> PathBuf {
        walk(&self.current_dir.join(path), |at| match self.nodes.get(at).map(|node| &node.what) {
            Some(What::Link(target)) => Look::Link(target.clone()),
            Some(_) => Look::Present,
            None => Look::Missing,
        })
    }

    fn may_read(&self, path: &Path) -> io::Result<()> {
        refused(&self.no_reads, path)
    }

    fn may_write(&self, path: &Path) -> io::Result<()> {
        refused(&self.no_writes, path)
    }

    fn file(&self, path: &Path) -> io::Result<&[u8]> {
        let path = self.real(path);
        self.may_read(&path)?;
        match self.nodes.get(&path).map(|node| &node.what) {
            Some(What::File(bytes)) => Ok(bytes),
            Some(_) => Err(not_regular()),
            None => Err(ErrorKind::NotFound.into()),
        }
    }

    fn make_folder(&mut self, path: &Path) -> io::Result<()> {
        let path = self.real(path);
        match self.nodes.get(&path).map(|node| &node.what) {
            Some(What::Folder) => return Ok(()),
            Some(_) => return Err(ErrorKind::NotADirectory.into()),
            None => {}
        }
        if let Some(parent) = path.parent() {
            self.make_folder(parent)?;
        }
        self.may_write(&path)?;
        self.writes.push(path.clone());
        self.nodes.insert(path, Node { what: What::Folder, uid: self.uid, mode: 0o700, modified: self.now });
        Ok(())
    }

    /// Where a file may be written, its folder made. An error if something else is there.
    fn place(&mut self, path: &Path) -> io::Result<PathBuf> {
        let path = self.real(path);
        self.may_write(&path)?;
        if let Some(parent) = path.parent() {
            self.make_folder(parent)?;
        }
        match self.nodes.get(&path).map(|node| &node.what) {
            Some(What::File(_)) | None => Ok(path),
            Some(_) => Err(not_regular()),
        }
    }

    fn write(&mut self, path: &Path, change: impl FnOnce(&mut Vec<u8>)) -> u64 {
        let (uid, modified) = (self.uid, self.now);
        let fresh = Node { what: What::File(Vec::new()), uid, mode: 0o600, modified };
        let node = self.nodes.entry(path.to_owned()).or_insert(fresh);
        node.modified = modified;
        let What::File(bytes) = &mut node.what else { return 0 };
        change(bytes);
        let len = bytes.len() as u64;
        self.writes.push(path.to_owned());
        len
    }
}

fn refused(rows: &BTreeMap<PathBuf, ErrorKind>, path: &Path) -> io::Result<()> {
    match path.ancestors().find_map(|above| rows.get(above)) {
        Some(kind) => Err((*kind).into()),
        None => Ok(()),
    }
}

/// The end of a file from `from` on, `max` bytes of it at most.
fn end(bytes: &[u8], from: u64, max: u64) -> (u64, &[u8]) {
    let len = bytes.len() as u64;
    let start = from.max(len.saturating_sub(max)).min(len);
    (start, usize::try_from(start).ok().and_then(|start| bytes.get(start..)).unwrap_or_default())
}

impl World for Memory {
    fn now(&self) -> i64 {
        self.inner().now
    }

    fn env(&self, key: &str) -> Option<String> {
        self.inner().env.get(key).filter(|value| !value.is_empty()).cloned()
    }

    fn passwd_home(&self) -> Option<PathBuf> {
        self.inner().passwd_home.clone()
    }

    fn uid(&self) -> u32 {
        self.inner().uid
    }

    fn current_dir(&self) -> Option<PathBuf> {
        Some(self.inner().current_dir.clone())
    }

    fn stat(&self, path: &Path) -> Option<Stat> {
        let inner = self.inner();
        let path = inner.real(path);
        inner.may_read(&path).ok()?;
        let node = inner.nodes.get(&path)?;
        let (kind, len) = match &node.what {
            What::File(bytes) => (Kind::File, bytes.len() as u64),
            What::Folder => (Kind::Folder, 0),
            // Only where links lead in a circle.
            What::Link(_) => return None,
            What::Other => (Kind::Other, 0),
        };
        Some(Stat { kind, len, uid: node.uid, mode: node.mode, modified: node.modified })
    }

    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        let inner = self.inner();
        let bytes = inner.file(path)?;
        if bytes.len() as u64 > max { Err(too_large()) } else { Ok(bytes.to_vec()) }
    }

    fn read_end(&self, path: &Path, from: u64, max: u64) -> io::Result<(u64, Vec<u8>)> {
        let inner = self.inner();
        let (start, bytes) = end(inner.file(path)?, from, max);
        Ok((start, bytes.to_vec()))
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        self.inner().real(path)
    }

    fn which(&self, program: &str) -> Option<PathBuf> {
        let runs = |at: &Path| self.stat(at).is_some_and(|found| found.kind == Kind::File && found.mode & 0o111 != 0);
        if program.contains('/') {
            return Some(PathBuf::from(program)).filter(|at| at.is_absolute() && runs(at));
        }
        let folders = self.env("PATH")?;
        let absolute = std::env::split_paths(OsStr::new(&folders)).filter(|folder| folder.is_absolute());
        absolute.map(|folder| folder.join(program)).find(|at| !program.is_empty() && runs(at))
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.inner().make_folder(path)
    }

    fn append(&self, path: &Path, since: u64, choose: &mut dyn FnMut(&[u8]) -> Vec<u8>) -> io::Result<Appended> {
        let (place, locked, region, torn) = {
            let mut inner = self.inner();
            let place = inner.place(path)?;
            let bytes = match inner.nodes.get(&place).map(|node| &node.what) {
                Some(What::File(bytes)) => bytes.as_slice(),
                _ => &[],
            };
            let torn = bytes.last().is_some_and(|last| *last != b'\n');
            let region = end(bytes, since, REGION).1.to_vec();
            let locked = !inner.locked.contains(&place);
            (place, locked, region, torn)
        };
        // Not while the machine is held: `choose` may ask it something.
        let chosen = repaired(torn, choose(&region));
        let mut inner = self.inner();
        if chosen.is_empty() {
            return Ok(Appended { locked, end: inner.file(&place).map_or(0, |bytes| bytes.len() as u64) });
        }
        Ok(Appended { locked, end: inner.write(&place, |bytes| bytes.extend_from_slice(&chosen)) })
    }

    fn rotate(&self, path: &Path, limit: u64, keep: u32) -> io::Result<bool> {
        let mut inner = self.inner();
        let there = inner
            .nodes
            .get(path)
            .is_some_and(|node| matches!(&node.what, What::File(bytes) if bytes.len() as u64 >= limit));
        if !there {
            return Ok(false);
        }
        for number in (0..keep).rev() {
            let from = if number == 0 { path.to_owned() } else { older(path, number) };
            if let Some(node) = inner.nodes.remove(&from) {
                inner.nodes.insert(older(path, number + 1), node);
            }
        }
        Ok(true)
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut inner = self.inner();
        let place = inner.place(path)?;
        inner.write(&place, |old| bytes.clone_into(old));
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut inner = self.inner();
        inner.may_write(path)?;
        match inner.nodes.get(path).map(|node| &node.what) {
            None => Ok(()),
            Some(What::Folder) => Err(ErrorKind::IsADirectory.into()),
            Some(_) => {
                inner.nodes.remove(path);
                inner.writes.push(path.to_owned());
                Ok(())
            }
        }
    }

    fn list(&self, path: &Path, max: usize) -> io::Result<Vec<OsString>> {
        let inner = self.inner();
        let path = inner.real(path);
        inner.may_read(&path)?;
        match inner.nodes.get(&path).map(|node| &node.what) {
            Some(What::Folder) => {}
            Some(_) => return Err(ErrorKind::NotADirectory.into()),
            None => return Err(ErrorKind::NotFound.into()),
        }
        let below = inner.nodes.keys().filter(|known| known.parent() == Some(&path));
        Ok(below.filter_map(|known| known.file_name()).map(OsStr::to_owned).take(max).collect())
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        if !matches!(self.inner().nodes.get(path).map(|node| &node.what), Some(What::Folder)) {
            return Err(ErrorKind::NotADirectory.into());
        }
        for name in self.list(path, usize::MAX)? {
            self.remove(&path.join(name))?;
        }
        let mut inner = self.inner();
        inner.may_write(path)?;
        inner.nodes.remove(path);
        inner.writes.push(path.to_owned());
        Ok(())
    }
}
