//! Loading: finds the layers, reads them through the world, and says what was refused.

use super::history::{Step, Traced};
use super::keys::{Key, segments};
use super::layer::{self, Entry, Problem};
use super::merge::{self, Terms};
use super::table::KEYS;
use super::{Config, Failure, Layer, Origin, lock};
use crate::envelope::Fault;
use crate::rules::{self, Own};
use crate::state::{Store, trust};
use crate::world::World;
use std::cell::OnceCell;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

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
    let mut loader = Loader::new(world, root, own, None);
    loader.layers(options);
    loader.finish().config
}

/// The same for a person who asks how each value came about; all problems are told.
pub fn trace(world: &dyn World, root: Option<&Path>, options: &Options) -> Traced {
    trace_with(world, root, options, &Own::load(world, root))
}

/// As [`trace()`], where the rules of the user and the repo are read already.
pub fn trace_with(world: &dyn World, root: Option<&Path>, options: &Options, own: &Own) -> Traced {
    let mut loader = Loader::new(world, root, own, Some(Vec::new()));
    loader.layers(options);
    loader.finish()
}

/// Reads one file as the layer that it is to be: what counts of it, and what is wrong. A repo's file is
/// judged on top of the user's.
pub fn check(world: &dyn World, root: Option<&Path>, path: &Path, layer: Layer) -> Traced {
    let rules = Own::load(world, root);
    let mut loader = Loader::new(world, root, &rules, Some(Vec::new()));
    if layer > Layer::User
        && let Some(user) = user_file(world, root)
    {
        loader.file(Layer::User, &user, &tilde(&user, world));
        // What is wrong with the user's own file is not asked.
        loader.problems.clear();
        loader.steps = Some(Vec::new());
    }
    let shown = tilde(path, world);
    if !loader.file(layer, path, &shown) {
        loader.problems.push(format!("{shown}: no such file\n  hint: `kz config check` alone looks at all layers"));
    }
    if layer <= Layer::User {
        loader.check_default_mode();
    }
    loader.check_rules();
    loader.finish()
}

/// How a repo's file stands to what the person trusted.
fn standing_of(world: &dyn World, root: Option<&Path>, path: &Path, content: &[u8]) -> trust::Standing {
    let of = |root: &Path| {
        let name = path.strip_prefix(root).ok()?.to_str()?;
        let (store, _) = Store::open(world, Some(root));
        Some(trust::standing(store.folder()?, &world.resolve(root), name, content, world))
    };
    root.and_then(of).unwrap_or(trust::Standing::Unknown)
}

struct Loader<'a> {
    world: &'a dyn World,
    root: Option<&'a Path>,
    rules: &'a Own,
    config: Config,
    problems: Vec<String>,
    steps: Option<Vec<Step>>,
    /// Names of the modes that kz and the user have defined; set before a layer above the user's counts.
    own: Option<Vec<String>>,
    /// Where the user's file names a default mode that it does not define.
    default_at: Option<String>,
}

impl<'a> Loader<'a> {
    fn new(world: &'a dyn World, root: Option<&'a Path>, rules: &'a Own, steps: Option<Vec<Step>>) -> Self {
        let config = Config::default();
        Self { world, root, rules, config, problems: Vec::new(), steps, own: None, default_at: None }
    }

    fn layers(&mut self, options: &Options) {
        match &options.file {
            Some(path) => self.given(Layer::User, path),
            None => {
                if let Some(path) = user_file(self.world, self.root) {
                    self.file(Layer::User, &path, &tilde(&path, self.world));
                }
            }
        }
        if let Some(root) = self.root {
            let folder = root.join(".kibitzer");
            self.file(Layer::Project, &folder.join("config.toml"), ".kibitzer/config.toml");
            self.file(Layer::Local, &folder.join("local.toml"), ".kibitzer/local.toml");
        }
        self.check_default_mode();
        self.environment();
        self.flags(&options.set);
        self.check_rules();
    }

    fn finish(mut self) -> Traced {
        let closed = self.config.failure.config.value == Failure::Closed;
        self.config.faults = self
            .problems
            .into_iter()
            .map(|text| Fault { by: "config".into(), kind: "config".into(), text, closed, ..Fault::default() })
            .collect();
        Traced { config: self.config, steps: self.steps.unwrap_or_default() }
    }

    /// Reads the file that an option names.
    fn given(&mut self, layer: Layer, path: &Path) {
        let shown = tilde(path, self.world);
        if !self.file(layer, path, &shown) {
            self.problems.push(said(&shown, &Problem::new("no such file".to_owned(), "see `--config`"), ""));
        }
    }

    /// Reads one file on top of the config; false if it is not there.
    fn file(&mut self, layer: Layer, path: &Path, shown: &str) -> bool {
        let bytes = match self.world.read(path, MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return false,
            Err(error) => {
                let text = match error.kind() {
                    ErrorKind::InvalidInput | ErrorKind::IsADirectory => {
                        "not a regular file, so it is not read".to_owned()
                    }
                    ErrorKind::FileTooLarge => "larger than 1 MiB, so it is not read".to_owned(),
                    kind => format!("cannot be read: {kind}"),
                };
                self.problems.push(said(shown, &Problem::new(text, "nothing in it is used; see `kz doctor`"), ""));
                return true;
            }
        };
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => text,
            Err(error) => {
                let good = String::from_utf8_lossy(bytes.get(..error.valid_up_to()).unwrap_or_default()).into_owned();
                let problem = Problem::new("not UTF-8".to_owned(), "nothing in it is used; save it as UTF-8");
                self.problems.push(said(shown, &Problem { at: Some(good.len()), ..problem }, &good));
                return true;
            }
        };
        let (entries, refused) = layer::read(text, layer);
        let default_at = entries.iter().find(|entry| entry.key.name == "mode.default").map(|entry| entry.at);
        let lines = Lines::of(text);
        let place: Arc<Path> = path.into();
        let origin = |at: usize| Origin { layer, place: Some(place.clone()), line: lines.line(at) };
        let (world, root) = (self.world, self.root);
        let standing = OnceCell::new();
        let trusted = || *standing.get_or_init(|| standing_of(world, root, path, &bytes)) == trust::Standing::Trusted;
        let refused = self.merge(layer, entries, refused, &origin, &trusted);
        if standing.get() == Some(&trust::Standing::Changed) {
            let text = "not as you trusted it, so it may say no more than any repo".to_owned();
            self.problems.push(said(shown, &Problem::new(text, "`kz trust` shows what changed"), ""));
        }
        let most = if self.steps.is_some() { usize::MAX } else { MAX_FAULTS };
        let more = refused.len().saturating_sub(most);
        self.problems.extend(refused.iter().take(most).map(|problem| said(shown, problem, text)));
        if more > 0 {
            self.problems.push(format!("{shown}: {more} more problems in this file\n  hint: see `kz config check`"));
        }
        if layer <= Layer::User
            && let Some(at) = default_at
            && !self.config.modes.contains_key(&self.config.mode.default.value)
        {
            let (line, column) = lines.position(at, text);
            self.default_at = Some(format!("{shown}:{line}:{column}"));
        }
        self.config.files.push((layer, path.to_path_buf()));
        true
    }

    /// Merges entries; the answer is what was refused before and now, in the order of the text.
    fn merge(
        &mut self,
        layer: Layer,
        entries: Vec<Entry>,
        mut refused: Vec<Problem>,
        origin: &dyn Fn(usize) -> Origin,
        trusted: &dyn Fn() -> bool,
    ) -> Vec<Problem> {
        if layer > Layer::User && self.own.is_none() {
            self.own = Some(self.config.modes.keys().cloned().collect());
        }
        let show = |origin: &Origin| placed(origin, self.world, self.root);
        let own = self.own.as_deref().unwrap_or_default();
        let terms = Terms { layer, own, rules: self.rules, origin, trusted, show: &show };
        merge::apply(&mut self.config, entries, &terms, &mut refused, self.steps.as_mut());
        refused.sort_by_key(|problem| problem.at);
        if let Some(steps) = &mut self.steps {
            for problem in &refused {
                let Some((key, wild, text)) = problem.tried.clone() else { continue };
                let refused = Some(problem.text.clone());
                let origin = origin(problem.at.unwrap_or(0));
                steps.push(Step { key, wild, value: None, text, origin, refused });
            }
        }
        refused
    }

    /// The default mode must be there once all files are read; else it is the built-in one.
    fn check_default_mode(&mut self) {
        let config = &mut self.config;
        if config.modes.contains_key(&config.mode.default.value) {
            return;
        }
        let problem = merge::no_mode(config, &config.mode.default.value);
        let place =
            self.default_at.take().unwrap_or_else(|| placed(&config.mode.default.origin, self.world, self.root));
        if let Some(steps) = &mut self.steps {
            let of = steps.iter_mut().filter(|step| step.key.name == "mode.default");
            of.for_each(|step| step.refused = Some(problem.text.clone()));
        }
        self.problems.push(said(&place, &problem, ""));
        config.mode.default = Config::default().mode.default;
    }

    /// Names of packs that there are not, once all layers are read.
    fn check_packs(&mut self) {
        let own = self.rules;
        let known = || rules::packs().iter().map(|pack| pack.name).chain(own.rules().map(|(_, rule)| rule.pack()));
        let place = placed(&self.config.guard.packs.origin, self.world, self.root);
        let problems = &mut self.problems;
        self.config.guard.packs.value.retain(|given| {
            let name = given.strip_prefix('!').unwrap_or(given);
            let good = name == "all" || known().any(|known| known == name);
            if !good {
                let near = crate::text::nearest(name, known());
                let hint = format!("did you mean `{near}`? `kz rules list` names them all");
                problems.push(said(&place, &Problem::new(format!("there is no rule pack `{name}`"), hint), ""));
            }
            good
        });
    }

    /// Switches of rules that there are not, once all layers are read.
    fn check_rules(&mut self) {
        let own = self.rules;
        self.check_packs();
        let known = |id: &str| rules::is_known(id) || own.find(id).is_some();
        let missing = |id: &str| {
            let ids = rules::packs().iter().flat_map(|pack| pack.rules).chain(own.rules().map(|(_, rule)| rule));
            let near = crate::text::nearest(id, ids.map(|rule| rule.id));
            let hint = format!("did you mean `{near}`? `kz rules list` names them all");
            Problem::new(format!("there is no rule `{id}`"), hint)
        };
        let place = placed(&self.config.lock.origin, self.world, self.root);
        let problems = &mut self.problems;
        self.config.lock.value.retain(|name| match lock::rule(name).filter(|id| !known(id)) {
            None => true,
            Some(id) => {
                problems.push(said(&place, &missing(id), ""));
                false
            }
        });
        let unknown: Vec<String> = self.config.guard.rules.keys().filter(|id| !known(id)).cloned().collect();
        for id in unknown {
            let Some(setting) = self.config.guard.rules.remove(&id) else { continue };
            let problem = missing(&id);
            if let Some(steps) = &mut self.steps {
                let of = steps.iter_mut().filter(|step| step.key.name == "guard.rules.*" && step.wild == id);
                of.for_each(|step| step.refused = Some(problem.text.clone()));
            }
            let place = placed(&setting.origin, self.world, self.root);
            self.problems.push(said(&place, &problem, ""));
        }
    }

    /// Each variable alone: they are no set that somebody wrote together.
    fn environment(&mut self) {
        for key in KEYS {
            if let Some((variable, text)) = key.variable.and_then(|name| Some((name, self.world.env(name)?))) {
                self.words(Layer::Environment, &[Word { place: variable.to_owned(), name: key.name, text: &text }]);
            }
        }
    }

    /// All options together, so that two that hang on each other may stand in any order.
    fn flags(&mut self, set: &[String]) {
        let split = set.iter().map(|text| text.split_once('=').unwrap_or((text, "")));
        let words: Vec<Word<'_>> =
            split.map(|(name, text)| Word { place: format!("--set {name}"), name, text }).collect();
        self.words(Layer::Flag, &words);
    }

    /// Values of variables or options, as one layer.
    fn words(&mut self, layer: Layer, words: &[Word<'_>]) {
        let (mut entries, mut refused) = (Vec::new(), Vec::new());
        for (at, word) in words.iter().enumerate() {
            let path = segments(word.name);
            let Some((key, wild)) = Key::find(&path) else {
                refused.push(Problem { at: Some(at), ..layer::unknown(&path, layer, Some(false)) });
                continue;
            };
            match layer::check_name(key, wild).and_then(|()| layer::read_value(key, wild, word.text)) {
                Ok(value) => entries.push(Entry { key, wild: wild.to_owned(), value, at }),
                Err(problem) => {
                    let tried = Some((key, wild.to_owned(), layer::shown(word.text)));
                    refused.push(Problem { at: Some(at), tried, ..problem });
                }
            }
        }
        let place = |at: usize| words.get(at).map_or("", |word| &word.place);
        let origin = |at: usize| Origin { layer, place: Some(Path::new(place(at)).into()), line: 0 };
        for problem in self.merge(layer, entries, refused, &origin, &|| false) {
            let place = place(problem.at.unwrap_or(0));
            self.problems.push(said(place, &Problem { at: None, ..problem }, ""));
        }
    }
}

/// A value of a variable or an option.
struct Word<'a> {
    /// The variable or the option, as it is told.
    place: String,
    /// Dotted name of the key.
    name: &'a str,
    text: &'a str,
}

/// Where something was set, as people read it: a path from the root or the home folder, and the line.
pub fn placed(origin: &Origin, world: &dyn World, root: Option<&Path>) -> String {
    let Some(path) = &origin.place else { return String::new() };
    let inside = root.filter(|_| matches!(origin.layer, Layer::Project | Layer::Local));
    let place = match inside.and_then(|root| path.strip_prefix(root).ok()) {
        Some(rest) => rest.display().to_string(),
        None => tilde(path, world),
    };
    if origin.line > 0 { format!("{place}:{}", origin.line) } else { place }
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
