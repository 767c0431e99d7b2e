//! Merging: which entries of a layer count, by the merge rules of the key table.

use super::keys::{Key, Merge, Repo, Value};
use super::layer::{Entry, Problem};
use super::{Config, Layer, Mode, Origin};

/// Puts the entries of a layer on top of the config; refused ones become problems.
///
/// `origin` answers who set the entry; `own` says whether a mode's name is kz's or the user's.
pub fn apply(
    config: &mut Config,
    layer: Layer,
    entries: Vec<Entry>,
    own: &dyn Fn(&str) -> bool,
    origin: &dyn Fn(&Entry) -> Origin,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    let before = (config.ladder.threshold.clone(), config.ladder.window.clone());
    let mut pair = None;
    for entry in entries {
        if let Some(problem) = refusal(config, layer, &entry, own) {
            problems.push(Problem { at: Some(entry.at), ..problem });
            continue;
        }
        if matches!(entry.key.name, "ladder.threshold" | "ladder.window") {
            pair = pair.or(Some(entry.at));
        }
        let origin = origin(&entry);
        let Entry { key, wild, mut value, .. } = entry;
        if key.merge == Merge::Extend
            && let (Value::List(list), _) = key.slot(config, &wild).get()
            && let Value::List(more) = value
        {
            value = Value::List(list.into_iter().chain(more).collect());
        }
        key.slot(config, &wild).set(value, origin);
    }
    // Neither value is wrong alone, so both of this layer go.
    if let Some(at) = pair
        && config.ladder.window.value < config.ladder.threshold.value
    {
        problems.push(Problem {
            at: Some(at),
            text: format!(
                "`ladder.window` ({}) is below `ladder.threshold` ({}), so no note could come",
                config.ladder.window.value, config.ladder.threshold.value
            ),
            hint: format!(
                "make the window at least {}; both values of this layer are left out",
                config.ladder.threshold.value
            ),
        });
        (config.ladder.threshold, config.ladder.window) = before;
    }
    problems
}

/// Why a layer may not set this, if it may not.
fn refusal(config: &mut Config, layer: Layer, entry: &Entry, own: &dyn Fn(&str) -> bool) -> Option<Problem> {
    let name = entry.key.dotted(&entry.wild);
    match layer {
        Layer::Default | Layer::User => None,
        Layer::Project | Layer::Local => match entry.key.repo {
            Repo::Yes => None,
            Repo::NewName if !own(&entry.wild) => None,
            Repo::NewName => Some(Problem {
                at: None,
                text: format!(
                    "mode `{}` is not this repo's, so the {} layer may not change it",
                    entry.wild,
                    layer.word()
                ),
                hint: "give the repo's mode a name of its own".to_owned(),
            }),
            Repo::No => Some(Problem {
                at: None,
                text: format!("`{name}` may not be set in the {} layer", layer.word()),
                hint: "it is yours to set: move it into your own config, see `kz help config`".to_owned(),
            }),
        },
        Layer::Environment => (!tightens(config, entry)).then(|| Problem {
            at: None,
            text: format!("`{name}` is {} and a variable may only tighten it", now(config, entry.key, &entry.wild)),
            hint: "to loosen it, edit your own config; see `kz help config`".to_owned(),
        }),
        Layer::Flag => None,
    }
    .or_else(|| (layer >= Layer::Environment).then(|| unknown_mode(config, entry)).flatten())
}

/// A mode name that is not there, once all files are read.
fn unknown_mode(config: &Config, entry: &Entry) -> Option<Problem> {
    match (entry.key.name, &entry.value) {
        ("mode.default", Value::Text(name)) if !config.modes.contains_key(name) => Some(no_mode(config, name)),
        _ => None,
    }
}

pub(super) fn no_mode(config: &Config, name: &str) -> Problem {
    let names: Vec<_> = config.modes.keys().map(|name| format!("`{name}`")).collect();
    Problem { at: None, text: format!("there is no mode `{name}`"), hint: format!("modes are {}", names.join(", ")) }
}

fn now(config: &mut Config, key: &Key, wild: &str) -> String {
    key.slot(config, wild).get().0.toml()
}

/// Whether the entry is at least as strict as what is set.
fn tightens(config: &mut Config, entry: &Entry) -> bool {
    if let ("mode.default", Value::Text(name)) = (entry.key.name, &entry.value) {
        let narrow = Mode::default();
        let new = config.modes.get(name).unwrap_or(&narrow);
        return config.modes.get(&config.mode.default.value).is_none_or(|old| narrower(new, old));
    }
    match (entry.key.slot(config, &entry.wild).get().0, &entry.value) {
        (Value::Verdict(old), Value::Verdict(new)) => *new >= old,
        (Value::Failure(old), Value::Failure(new)) => *new >= old,
        (Value::Switch(old), Value::Switch(new)) => *new >= old,
        _ => false,
    }
}

/// Whether a mode lets no more be written than another, judged by the entries as they are spelled.
pub(super) fn narrower(new: &Mode, old: &Mode) -> bool {
    old.writable.iter().any(|entry| entry == "*") || new.writable.iter().all(|entry| old.writable.contains(entry))
}
