//! Where the packs of the user and the repo lie, and how they are read: bounded, and never waiting.

use super::{File, Origin, Own};
use crate::config::user_file;
use crate::state::{Store, trust};
use crate::world::World;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Largest pack file.
const MAX_BYTES: u64 = 1 << 20;

/// Most bytes of one folder's packs.
const MAX_ALL: u64 = 4 << 20;

/// Most pack files of one folder.
const MAX_FILES: usize = 64;

/// Most rules of one folder.
const MAX_RULES: usize = 2000;

/// Most names of a folder that are looked at.
const MAX_NAMES: usize = 1024;

/// The folder of the user's packs: `rules` beside the config file; never inside the project.
pub fn folder(world: &dyn World, root: Option<&Path>) -> Option<PathBuf> {
    Some(user_file(world, root)?.parent()?.join("rules"))
}

impl Own {
    /// Reads the packs of the user, then those of the repo. Total: what cannot be read is left out and told.
    pub fn load(world: &dyn World, root: Option<&Path>) -> Self {
        let mut own = Self::default();
        if let Some(folder) = folder(world, root) {
            let home = world.home();
            let shown = match home.as_deref().and_then(|home| folder.strip_prefix(home).ok()) {
                Some(rest) => format!("~/{}", rest.display()),
                None => folder.display().to_string(),
            };
            own.read(world, Origin::User, &folder, &shown);
        }
        if let Some(root) = root {
            own.read(world, Origin::Repo, &root.join(".kibitzer").join("rules"), ".kibitzer/rules");
        }
        if !own.files.is_empty() {
            own.index();
        }
        own
    }

    fn read(&mut self, world: &dyn World, origin: Origin, folder: &Path, shown: &str) {
        let names = match world.list(folder, MAX_NAMES) {
            Ok(names) => names,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return,
            Err(error) => return self.fault(shown, &format!("cannot be read: {}", error.kind()), "see `kz doctor`"),
        };
        let many = names.len() >= MAX_NAMES;
        let mut packs: Vec<String> = names
            .into_iter()
            .filter_map(|name| name.into_string().ok())
            .filter(|name| name.ends_with(".toml") && !name.starts_with('.'))
            .collect();
        packs.sort_unstable();
        if many || packs.len() > MAX_FILES {
            self.fault(
                shown,
                &format!("more than {MAX_FILES} files; the others are not read"),
                "put rules of one kind into one file",
            );
        }
        let (mut bytes, mut rules) = (0, 0);
        for name in packs.iter().take(MAX_FILES) {
            let file = format!("{shown}/{name}");
            let text = match world.read(&folder.join(name), MAX_BYTES) {
                Ok(text) => text,
                Err(error) => {
                    let text = match error.kind() {
                        ErrorKind::InvalidInput | ErrorKind::IsADirectory => {
                            "not a regular file, so it is not read".to_owned()
                        }
                        ErrorKind::FileTooLarge => "larger than 1 MiB, so it is not read".to_owned(),
                        kind => format!("cannot be read: {kind}"),
                    };
                    self.fault(&file, &text, "none of its rules counts");
                    continue;
                }
            };
            bytes += text.len() as u64;
            let origin = self.standing(world, origin, folder, name, &file, &text);
            let Ok(text) = String::from_utf8(text) else {
                self.fault(&file, "not UTF-8", "none of its rules counts; save it as UTF-8");
                continue;
            };
            if bytes > MAX_ALL {
                return self.fault(
                    &file,
                    "the packs of this folder are larger than 4 MiB, so it is not read",
                    "make them smaller",
                );
            }
            let file = File::new(origin, file.leak(), text.leak());
            rules += file.rules.len();
            if rules > MAX_RULES {
                return self.fault(
                    file.shown,
                    &format!("the packs of this folder have more than {MAX_RULES} rules, so it is not read"),
                    "take rules out",
                );
            }
            self.files.push(file);
        }
    }

    /// Whether a file of the repo is one that the person trusts.
    fn standing(
        &mut self,
        world: &dyn World,
        origin: Origin,
        folder: &Path,
        name: &str,
        shown: &str,
        content: &[u8],
    ) -> Origin {
        let root = folder.parent().and_then(Path::parent).filter(|_| origin == Origin::Repo);
        let Some(root) = root else { return origin };
        let (store, _) = Store::open(world, Some(root));
        let Some(state) = store.folder() else { return origin };
        let name = format!(".kibitzer/rules/{name}");
        match trust::standing(state, &world.resolve(root), &name, content, world) {
            trust::Standing::Trusted => Origin::Trusted,
            trust::Standing::Unknown => origin,
            trust::Standing::Changed => {
                let text = "not as you trusted it, so its rules may only add and raise";
                self.fault(shown, text, "`kz trust` shows what changed");
                origin
            }
        }
    }

    fn fault(&mut self, place: &str, text: &str, hint: &str) {
        self.faults.push(format!("{place}: {text}\n  hint: {hint}"));
    }
}
