//! The mode of a call: what `kz mode` set for the session, else what the repo's mode files say where
//! the user wants that, else what config says. Config has judged `KZ_MODE` already: it counts only
//! where it does not loosen, and stands above the repo's files.

use super::fault;
use crate::config::{Config, Layer};
use crate::envelope::{Fault, ModeFact};
use crate::state::Session;
use crate::world::World;
use serde::Deserialize;
use std::io::ErrorKind;
use std::path::Path;

/// Largest mode file that is read, in bytes.
const MAX_FILE: u64 = 256 << 10;

/// A mode file of a repo: its name below the root, and what of it names the mode.
type File = (&'static str, fn(&[u8]) -> Option<String>);

/// The mode files of a repo, the first that names a mode counts.
const FILES: &[File] = &[(".jetsam/state.json", in_json), (".kibitzer/mode", in_text)];

/// The mode and what set it, and what is wrong with a file that should have.
pub fn mode(config: &Config, session: &Session, root: &str, world: &dyn World) -> (ModeFact, Vec<Fault>) {
    let fact = |name: &str, from: &str| ModeFact { name: name.into(), from: from.into(), ..ModeFact::default() };
    if config.modes.contains_key(&session.mode) {
        return (fact(&session.mode, "session"), Vec::new());
    }
    let default = &config.mode.default;
    let mut faults = Vec::new();
    let from = match default.origin.layer {
        Layer::Environment => "environment",
        Layer::Flag => "option",
        Layer::Default | Layer::User | Layer::Project | Layer::Local => {
            if *config.mode.from_repo && !root.is_empty() {
                let (named, wrong) = of_repo(config, Path::new(root), world);
                faults = wrong;
                if let Some((name, file)) = named {
                    return (fact(&name, file), faults);
                }
            }
            "config"
        }
    };
    (fact(&default.value, from), faults)
}

/// The mode that a file of the repo names, and the file.
fn of_repo(config: &Config, root: &Path, world: &dyn World) -> (Option<(String, &'static str)>, Vec<Fault>) {
    let mut faults = Vec::new();
    let mut wrong = |file: &str, what: &str| {
        let text = format!("{file}: {what}, so it chooses no mode\n  hint: `kz mode` lists the modes");
        faults.push(fault("config", text));
    };
    for (file, read) in FILES {
        let bytes = match world.read(&root.join(file), MAX_FILE) {
            Ok(bytes) => bytes,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => continue,
            Err(error) => {
                wrong(file, &format!("cannot be read ({error})"));
                continue;
            }
        };
        match read(&bytes) {
            Some(name) if config.modes.contains_key(&name) => return (Some((name, file)), faults),
            Some(name) => wrong(file, &format!("there is no mode `{}`", name.escape_debug())),
            None => wrong(file, "names no mode"),
        }
    }
    (None, faults)
}

fn in_json(bytes: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct State {
        mode: String,
    }
    serde_json::from_slice::<State>(bytes).ok().map(|state| state.mode)
}

fn in_text(bytes: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(bytes).ok()?.trim();
    (!name.is_empty() && name.len() <= 64).then(|| name.to_owned())
}
