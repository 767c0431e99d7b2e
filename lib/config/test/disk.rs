//! The machine with a home and an environment of its own, for tests that run side by side.

use crate::world::{Appended, Real, Stat, World};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// A world whose environment is given.
pub(crate) struct Disk {
    pub(crate) home: Option<PathBuf>,
    pub(crate) current: PathBuf,
    env: BTreeMap<String, String>,
    real: Real,
}

impl Disk {
    pub(crate) fn new(home: &Path) -> Self {
        let home = home.to_path_buf();
        Self { home: Some(home.clone()), current: home, env: BTreeMap::new(), real: Real::new() }
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
    fn passwd_home(&self) -> Option<PathBuf> {
        self.home.clone()
    }
    fn uid(&self) -> u32 {
        self.real.uid()
    }
    fn current_dir(&self) -> Option<PathBuf> {
        Some(self.current.clone())
    }
    fn rotate(&self, path: &Path, limit: u64, keep: u32) -> io::Result<bool> {
        self.real.rotate(path, limit, keep)
    }
    fn stat(&self, path: &Path) -> Option<Stat> {
        self.real.stat(path)
    }
    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        self.real.read(path, max)
    }
    fn read_end(&self, path: &Path, from: u64, max: u64) -> io::Result<(u64, Vec<u8>)> {
        self.real.read_end(path, from, max)
    }
    fn resolve(&self, path: &Path) -> PathBuf {
        self.real.resolve(path)
    }
    fn which(&self, program: &str) -> Option<PathBuf> {
        let folders = self.env("PATH")?;
        folders.split(':').map(|folder| Path::new(folder).join(program)).find(|path| path.is_file())
    }
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.real.make_folder(path)
    }
    fn append(&self, path: &Path, since: u64, choose: &mut dyn FnMut(&[u8]) -> Vec<u8>) -> io::Result<Appended> {
        self.real.append(path, since, choose)
    }
    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.real.replace(path, bytes)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.real.remove(path)
    }
    fn list(&self, path: &Path, max: usize) -> io::Result<Vec<std::ffi::OsString>> {
        self.real.list(path, max)
    }
    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.real.remove_folder(path)
    }
}
