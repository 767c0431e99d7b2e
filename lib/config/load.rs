//! Loading: finds the layers, reads them through the world, and says what was refused.

use super::keys::{KEYS, Key};
use super::layer::{self, Entry, Problem};
use super::{Config, Failure, Layer, Origin, merge};
use crate::envelope::Fault;
use crate::rules::{self, Own};
use crate::world::World;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// A config file beyond this is not read.
pub const MAX_BYTES: u64 = 1 << 20;

/// A file brings at most this many faults.
const MAX_FAULTS: usize = 20;

/// What the command line says about config.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Read instead of the user's file.
    pub file: Option<PathBuf>,
    /// `--set KEY=VALUE`, in order.
    pub set: Vec<String>,
}

/// The user's config file: `$XDG_CONFIG_HOME/kz/config.toml`, by default below `~/.config`.
///
/// A repo's host settings can set `XDG_CONFIG_HOME` and `HOME`, so what lies inside the root counts
/// only if it is the account's own home (people do keep their home in git). Judged by the spelling:
/// a repo does not know where it lies, except by way of `/proc/self/cwd`.
pub fn user_file(world: &dyn World, root: Option<&Path>) -> Option<PathBuf> {
    let outside = |folder: &PathBuf| {
        !root.is_some_and(|root| folder.starts_with(root))
            && !["/proc", "/dev"].iter().any(|odd| folder.starts_with(odd))
            && !folder.components().any(|part| part == Component::ParentDir)
    };
    let moved = world.env("XDG_CONFIG_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    // A moved folder is rare, so its links are followed; the usual one is judged by its spelling.
    let folder = moved
        .filter(|folder| outside(folder) && outside(&world.resolve(folder)))
        .or_else(|| world.home().map(|home| home.join(".config")).filter(outside))
        .or_else(|| world.passwd_home().map(|home| home.join(".config")))?;
    Some(folder.join("kz").join("config.toml"))
}

/// Reads all layers. Total: what cannot be read or may not be set is left out and named in `faults`.
pub fn load(world: &dyn World, root: Option<&Path>, options: &Options) -> Config {
    load_with(world, root, options, &Own::load(world, root))
}

/// As [`load()`], where the rules of the user and the repo are read already: `[guard.rules]` may name them.
pub fn load_with(world: &dyn World, root: Option<&Path>, options: &Options, own: &Own) -> Config {
    let mut config = Config::default();
    let mut problems: Vec<String> = Vec::new();

    let user = options.file.clone().or_else(|| user_file(world, root));
    if let Some(path) = user {
        let shown = tilde(&path, world);
        let found = file(world, &mut config, Layer::User, &path, &shown, &|_| false, &mut problems);
        if !found && options.file.is_some() {
            problems.push(said(
                &shown,
                &Problem { at: None, text: "no such file".to_owned(), hint: "see `--config`".to_owned() },
                "",
            ));
        }
    }
    if let Some(root) = root {
        let folder = root.join(".kibitzer");
        for (layer, name) in [(Layer::Project, "config.toml"), (Layer::Local, "local.toml")] {
            let own: Vec<String> = config
                .modes
                .iter()
                .filter(|(_, mode)| {
                    [&mode.writable.origin, &mode.strategy.origin, &mode.message.origin]
                        .iter()
                        .all(|origin| origin.layer <= Layer::User)
                })
                .map(|(name, _)| name.clone())
                .collect();
            let own = |mode: &str| own.iter().any(|name| name == mode);
            let shown = format!(".kibitzer/{name}");
            file(world, &mut config, layer, &folder.join(name), &shown, &own, &mut problems);
        }
    }
    check_default_mode(&mut config, world, root, &mut problems);
    environment(world, &mut config, &mut problems);
    flags(&mut config, &options.set, &mut problems);
    check_rules(&mut config, own, world, root, &mut problems);

    let closed = config.failure.config.value == Failure::Closed;
    config.faults = problems
        .into_iter()
        .map(|text| Fault { by: "config".into(), kind: "config".into(), text, closed, ..Fault::default() })
        .collect();
    config
}

/// Reads one file on top of the config; false if it is not there.
fn file(
    world: &dyn World,
    config: &mut Config,
    layer: Layer,
    path: &Path,
    shown: &str,
    own: &dyn Fn(&str) -> bool,
    problems: &mut Vec<String>,
) -> bool {
    let bytes = match world.read(path, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return false,
        Err(error) => {
            let text = match error.kind() {
                ErrorKind::InvalidInput | ErrorKind::IsADirectory => "not a regular file, so it is not read".to_owned(),
                ErrorKind::FileTooLarge => "larger than 1 MiB, so it is not read".to_owned(),
                kind => format!("cannot be read: {kind}"),
            };
            let hint = "nothing in it is used; see `kz doctor`".to_owned();
            problems.push(said(shown, &Problem { at: None, text, hint }, ""));
            return true;
        }
    };
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        Err(error) => {
            let good = String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned();
            let hint = "nothing in it is used; save it as UTF-8".to_owned();
            problems.push(said(shown, &Problem { at: Some(good.len()), text: "not UTF-8".to_owned(), hint }, &good));
            return true;
        }
    };
    let (entries, mut refused) = layer::read(text, layer);
    let lines = Lines::of(text);
    let origin = |entry: &Entry| Origin { layer, place: Some(path.to_path_buf()), line: lines.line(entry.at) };
    refused.extend(merge::apply(config, layer, entries, own, &origin));
    refused.sort_by_key(|problem| problem.at);
    let more = refused.len().saturating_sub(MAX_FAULTS);
    problems.extend(refused.iter().take(MAX_FAULTS).map(|problem| said(shown, problem, text)));
    if more > 0 {
        problems.push(format!("{shown}: {more} more problems in this file\n  hint: see `kz help config`"));
    }
    config.files.push((layer, path.to_path_buf()));
    true
}

/// The default mode must be there once all files are read; else it is the built-in one.
fn check_default_mode(config: &mut Config, world: &dyn World, root: Option<&Path>, problems: &mut Vec<String>) {
    let setting = &config.mode.default;
    if config.modes.contains_key(&setting.value) {
        return;
    }
    let problem = merge::no_mode(config, &setting.value);
    problems.push(format!("{}: {}\n  hint: {}", place_of(&setting.origin, world, root), problem.text, problem.hint));
    config.mode.default = Config::default().mode.default;
}

/// Who set something, as people write it.
fn place_of(origin: &Origin, world: &dyn World, root: Option<&Path>) -> String {
    let place = match (&origin.place, root) {
        (Some(path), Some(root)) if path.starts_with(root) && origin.layer > Layer::User => {
            path.strip_prefix(root).unwrap_or(path).display().to_string()
        }
        (Some(path), _) => tilde(path, world),
        (None, _) => "built-in defaults".to_owned(),
    };
    if origin.line > 0 { format!("{place}:{}", origin.line) } else { place }
}

/// `[guard.rules]` may name kz's rules, the user's and the repo's; any other name is a slip.
fn check_rules(config: &mut Config, own: &Own, world: &dyn World, root: Option<&Path>, problems: &mut Vec<String>) {
    let known = |id: &str| rules::is_known(id) || own.find(id).is_some();
    let unknown: Vec<String> = config.guard.rules.keys().filter(|id| !known(id)).cloned().collect();
    for id in unknown {
        let Some(setting) = config.guard.rules.remove(&id) else { continue };
        let ids = rules::packs().iter().flat_map(|pack| pack.rules).chain(own.rules().map(|(_, rule)| rule));
        let near = crate::text::nearest(&id, ids.map(|rule| rule.id));
        let place = place_of(&setting.origin, world, root);
        problems.push(format!(
            "{place}: there is no rule `{id}`\n  hint: did you mean `{near}`? `kz rules list` names them all"
        ));
    }
}

fn environment(world: &dyn World, config: &mut Config, problems: &mut Vec<String>) {
    for key in KEYS {
        let Some((variable, text)) = key.variable.and_then(|name| Some((name, world.env(name)?))) else { continue };
        one(config, Layer::Environment, key, "", &text, variable, problems);
    }
}

fn flags(config: &mut Config, set: &[String], problems: &mut Vec<String>) {
    for text in set {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let place = format!("--set {name}");
        let path = segments(name);
        match Key::find(&path) {
            Some((key, wild)) => one(config, Layer::Flag, key, wild, value, &place, problems),
            None => problems.push(said(&place, &layer::unknown(&path, Layer::Flag), "")),
        }
    }
}

/// One value of a variable or an option.
fn one(
    config: &mut Config,
    layer: Layer,
    key: &'static Key,
    wild: &str,
    text: &str,
    place: &str,
    problems: &mut Vec<String>,
) {
    let refused = match layer::check_name(key, wild).and_then(|()| layer::read_value(key, wild, text)) {
        Ok(value) => {
            let origin = |_: &Entry| Origin { layer, place: Some(place.into()), line: 0 };
            merge::apply(config, layer, vec![Entry { key, wild: wild.to_owned(), value, at: 0 }], &|_| false, &origin)
        }
        Err(problem) => vec![problem],
    };
    problems.extend(refused.into_iter().map(|problem| said(place, &Problem { at: None, ..problem }, "")));
}

/// Splits a dotted name; a name that the person chose may have dots of its own only in quotes.
fn segments(name: &str) -> Vec<&str> {
    let mut path = Vec::new();
    let mut rest = name.trim();
    while !rest.is_empty() {
        let (segment, more) = match rest.strip_prefix('"').and_then(|inner| inner.split_once('"')) {
            Some((segment, more)) => (segment, more.strip_prefix('.').unwrap_or(more)),
            None => rest.split_once('.').unwrap_or((rest, "")),
        };
        path.push(segment);
        rest = more;
    }
    path
}

/// A problem as it is told: place, what, and the way on.
fn said(place: &str, problem: &Problem, text: &str) -> String {
    let mut place = place.to_owned();
    if let Some(at) = problem.at {
        let (line, column) = Lines::of(text).position(at, text);
        place = format!("{place}:{line}:{column}");
    }
    format!("{place}: {}\n  hint: {}", problem.text, problem.hint)
}

/// A path with the home folder spelled `~`.
fn tilde(path: &Path, world: &dyn World) -> String {
    match world.home().and_then(|home| path.strip_prefix(home).ok().map(Path::to_path_buf)) {
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}

/// Where the lines of a text begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1).collect())
    }

    fn line(&self, at: usize) -> u32 {
        u32::try_from(self.0.partition_point(|start| *start <= at)).unwrap_or(u32::MAX).saturating_add(1)
    }

    fn position(&self, at: usize, text: &str) -> (u32, usize) {
        let line = self.0.partition_point(|start| *start <= at);
        let start = line.checked_sub(1).and_then(|before| self.0.get(before)).copied().unwrap_or(0);
        (self.line(at), text.get(start..at).map_or(1, |before| before.chars().count() + 1))
    }
}
