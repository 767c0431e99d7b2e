//! The real disk with an environment of its own, for tests that run side by side.

use crate::world::{Appended, Kind, Stat, World};
use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::{fs, process};

/// A world whose environment is given.
pub(crate) struct Disk {
    pub(crate) home: Option<PathBuf>,
    pub(crate) current: PathBuf,
    env: BTreeMap<String, String>,
}

impl Disk {
    pub(crate) fn new(home: &Path) -> Self {
        Self { home: Some(home.to_path_buf()), current: home.to_path_buf(), env: BTreeMap::new() }
    }

    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.env.insert(name.to_owned(), value.to_owned());
    }
}

impl World for Disk {
    fn now(&self) -> i64 {
        1_764_512_345_123
    }
    fn env(&self, key: &str) -> Option<String> {
        self.env.get(key).cloned()
    }
    fn home(&self) -> Option<PathBuf> {
        self.home.clone()
    }
    fn uid(&self) -> u32 {
        fs::metadata("/proc/self").map_or(0, |meta| meta.uid())
    }
    fn current_dir(&self) -> Option<PathBuf> {
        Some(self.current.clone())
    }
    fn stat(&self, path: &Path) -> Option<Stat> {
        let meta = fs::metadata(path).ok()?;
        let kind = if meta.is_file() {
            Kind::File
        } else if meta.is_dir() {
            Kind::Folder
        } else {
            Kind::Other
        };
        Some(Stat { kind, len: meta.len(), uid: meta.uid(), mode: meta.mode() & 0o7777 })
    }
    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        // 0o4000 is O_NONBLOCK on Linux: a FIFO must not be waited for.
        let file = fs::OpenOptions::new().read(true).custom_flags(0o4000).open(path)?;
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(ErrorKind::InvalidInput.into());
        }
        let mut bytes = Vec::new();
        file.take(max + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > max { Err(ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
    }
    fn read_end(&self, path: &Path, from: u64, _max: u64) -> io::Result<(u64, Vec<u8>)> {
        Ok((from, self.read(path, u64::MAX - 1)?))
    }
    fn resolve(&self, path: &Path) -> PathBuf {
        path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
    }
    fn which(&self, program: &str) -> Option<PathBuf> {
        let folders = self.env("PATH")?;
        folders.split(':').map(|folder| Path::new(folder).join(program)).find(|path| path.is_file())
    }
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }
    fn append(&self, _: &Path, _: u64, _: &mut dyn FnMut(&[u8]) -> Vec<u8>) -> io::Result<Appended> {
        Err(ErrorKind::Unsupported.into())
    }
    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let aside = path.with_extension(format!("{}.tmp", process::id()));
        fs::write(&aside, bytes)?;
        fs::rename(aside, path)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }
}
