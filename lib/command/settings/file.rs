//! The file itself: read whole, written through links by an atomic replace, backed up once.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A settings file beyond this is not edited.
const MAX_BYTES: u64 = 4 << 20;

/// A settings file as it was read.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its name.
    pub path: PathBuf,
    /// Where its bytes are: behind the links.
    real: PathBuf,
    /// Its text; `None` if it is not there.
    pub text: Option<String>,
}

impl Target {
    /// Reads the file.
    ///
    /// # Errors
    /// One sentence why it cannot be edited.
    pub fn read(path: &Path) -> Result<Self, String> {
        let real = match fs::canonicalize(path) {
            Ok(real) => real,
            Err(error) if error.kind() == ErrorKind::NotFound && fs::symlink_metadata(path).is_err() => {
                return Ok(Self { path: path.to_path_buf(), real: path.to_path_buf(), text: None });
            }
            Err(error) if error.kind() == ErrorKind::NotFound => return Err("a link that leads nowhere".to_owned()),
            Err(error) => return Err(format!("cannot be read: {}", error.kind())),
        };
        // Looked at before it is opened: opening a FIFO would wait.
        let meta = fs::metadata(&real).map_err(|error| format!("cannot be read: {}", error.kind()))?;
        if !meta.is_file() {
            return Err("not a regular file".to_owned());
        }
        if meta.len() > MAX_BYTES {
            return Err("larger than 4 MiB".to_owned());
        }
        let bytes = fs::read(&real).map_err(|error| format!("cannot be read: {}", error.kind()))?;
        let text = String::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned())?;
        Ok(Self { path: path.to_path_buf(), real, text: Some(text) })
    }

    /// Where the first version before us is kept.
    pub fn backup(&self) -> PathBuf {
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(".kz-backup");
        self.path.with_file_name(name)
    }

    /// The text of the backup, if there is one that is free of our hooks.
    pub fn before(&self) -> Option<String> {
        let text = fs::read_to_string(self.backup()).ok()?;
        (!super::has_ours(&text)).then_some(text)
    }

    /// Keeps the text as a backup, unless one is there already; says whether it did.
    ///
    /// # Errors
    /// As they come from the system.
    pub fn keep(&self) -> io::Result<bool> {
        let Some(text) = self.text.as_deref().filter(|text| !super::has_ours(text)) else { return Ok(false) };
        let mut file = match OpenOptions::new().write(true).create_new(true).open(self.backup()) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
            Err(error) => return Err(error),
        };
        // Settings may hold secrets: no more readable than the file itself.
        file.set_permissions(fs::metadata(&self.real)?.permissions())?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        Ok(true)
    }

    /// Replaces the file, if it still is as it was read.
    ///
    /// # Errors
    /// As they come from the system; `ResourceBusy` if another program changed it meanwhile.
    pub fn write(&self, text: &str) -> io::Result<()> {
        if let Some(folder) = self.real.parent() {
            DirBuilder::new().recursive(true).create(folder)?;
        }
        let mut name = self.real.file_name().unwrap_or_default().to_owned();
        name.push(format!(".kz-{}", std::process::id()));
        let aside = self.real.with_file_name(name);
        let written = (|| {
            let mut file = OpenOptions::new().write(true).create_new(true).open(&aside)?;
            if self.text.is_some() {
                file.set_permissions(fs::metadata(&self.real)?.permissions())?;
            }
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            self.check_unchanged()?;
            fs::rename(&aside, &self.real)
        })();
        if written.is_err() {
            let _ = fs::remove_file(&aside);
        }
        written
    }

    /// Removes the file, if it still is as it was read.
    ///
    /// # Errors
    /// As [`Target::write`].
    pub fn delete(&self) -> io::Result<()> {
        self.check_unchanged()?;
        fs::remove_file(&self.real)
    }

    fn check_unchanged(&self) -> io::Result<()> {
        let now = match fs::read(&self.real) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if now.as_deref() == self.text.as_deref().map(str::as_bytes) {
            Ok(())
        } else {
            Err(io::Error::new(ErrorKind::ResourceBusy, "another program changed it meanwhile; run it again"))
        }
    }
}
