//! Merging: which entries of a layer count, by the merge rules of the key table.

use super::history::Step;
use super::keys::{Merge, Value};
use super::layer::{Entry, Problem};
use super::{Config, Layer, Mode, Origin, Switch, lock_on};
use crate::envelope::Verdict;
use crate::rules::{self, Own};
use crate::text;

/// What the merge of a layer must know beside its entries.
pub struct Terms<'a> {
    /// The layer.
    pub layer: Layer,
    /// Names of the modes that kz and the user have defined.
    pub own: &'a [String],
    /// The rules of the user and the repo.
    pub rules: &'a Own,
    /// Who set what begins at this byte.
    pub origin: &'a dyn Fn(usize) -> Origin,
    /// Whether a person trusts the repo's file as it is; asked only where something would be refused.
    pub trusted: &'a dyn Fn() -> bool,
    /// An origin as people read it.
    pub show: &'a dyn Fn(&Origin) -> String,
}

/// Puts the entries of a layer on top of the config; refused ones become problems, and what was set is written
/// into `steps` if somebody wants to know.
pub fn apply(
    config: &mut Config,
    entries: Vec<Entry>,
    terms: &Terms<'_>,
    mut steps: Option<&mut Vec<Step>>,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    let before = (config.ladder.threshold.clone(), config.ladder.window.clone());
    let mut pair = Vec::new();
    for entry in entries {
        if let Some(problem) = refusal(config, &entry, terms) {
            let tried = Some((entry.key, entry.wild, entry.value.toml()));
            problems.push(Problem { at: Some(entry.at), tried, ..problem });
            continue;
        }
        let origin = (terms.origin)(entry.at);
        if let Some(steps) = steps.as_deref_mut() {
            steps.push(Step::set(&entry, origin.clone()));
        }
        if matches!(entry.key.name, "ladder.threshold" | "ladder.window") {
            pair.push((entry.at, entry.key));
        }
        set(config, entry, origin);
    }
    // Neither value is wrong alone, so both of this layer go.
    let (threshold, window) = (config.ladder.threshold.value, config.ladder.window.value);
    if let Some((at, _)) = pair.first()
        && window < threshold
    {
        let text =
            format!("`ladder.window` ({window}) is below `ladder.threshold` ({threshold}), so no note could come");
        let hint = format!("make the window at least {threshold}; both values of this layer are left out");
        for (_, key) in &pair {
            let last = steps.as_deref_mut().and_then(|steps| steps.iter_mut().rev().find(|step| step.key == *key));
            if let Some(step) = last {
                step.refused = Some(text.clone());
            }
        }
        problems.push(Problem { at: Some(*at), ..Problem::new(text, hint) });
        (config.ladder.threshold, config.ladder.window) = before;
    }
    problems
}

/// Puts a value in its place; a key on which no stage acts has none.
fn set(config: &mut Config, entry: Entry, origin: Origin) {
    let Entry { key, wild, mut value, .. } = entry;
    let Some(slot) = key.slot else { return };
    if key.merge == Merge::Extend
        && let Some((Value::List(mut list), _)) = key.get(config, &wild)
        && let Value::List(more) = value
    {
        list.extend(more);
        value = Value::List(list);
    }
    slot(config, &wild).set(value, origin);
}

/// Why a layer may not set this, if it may not.
fn refusal(config: &mut Config, entry: &Entry, terms: &Terms<'_>) -> Option<Problem> {
    let layer = terms.layer;
    if layer <= Layer::User {
        return None;
    }
    if let Some((lock, name)) = lock_on(config, entry.key, &entry.wild) {
        let text = format!("`{}` is locked, so the {} layer may not set it", named(entry), layer.word());
        return Some(Problem::new(text, format!("`{name}` is locked at {}", (terms.show)(&lock.origin))));
    }
    let outside = layer >= Layer::Environment;
    let may = match layer {
        // A lock is of no use where an option takes it away.
        Layer::Flag => entry.key.name != "lock",
        _ if outside => repo_may(config, entry, terms) || tightens(config, terms.rules, entry),
        // `lock` means what lies above the user's file, so it is of no use in one of those.
        _ => repo_may(config, entry, terms) || entry.key.name != "lock" && (terms.trusted)(),
    };
    let missing = if outside { unknown_mode(config, entry) } else { None };
    if may { missing } else { Some(missing.unwrap_or_else(|| forbidden(config, entry, terms))) }
}

/// Whether the key is open to a repo's files, by its merge rule.
fn repo_may(config: &mut Config, entry: &Entry, terms: &Terms<'_>) -> bool {
    match entry.key.merge {
        // To rest a pack is to loosen.
        Merge::Extend if entry.key.name == "guard.packs" => {
            !matches!(&entry.value, Value::List(names) if names.iter().any(|name| name.starts_with('!')))
        }
        Merge::Replace | Merge::Extend => true,
        Merge::NewName => !terms.own.contains(&entry.wild),
        Merge::Tighten => {
            entry.key.name.starts_with("modes.") && !terms.own.contains(&entry.wild)
                || tightens(config, terms.rules, entry)
        }
        Merge::UserOnly => false,
    }
}

/// Says that a layer may not set this, and what would do.
fn forbidden(config: &mut Config, entry: &Entry, terms: &Terms<'_>) -> Problem {
    let (key, layer) = (entry.key, terms.layer);
    let name = named(entry);
    if key.name == "lock" && layer == Layer::Flag {
        let text = "`lock` may not be set by an option".to_owned();
        return Problem::new(text, "it counts in your own config only; see `kz help config`");
    }
    if key.merge == Merge::Tighten || key.name == "mode.default" && layer >= Layer::Environment {
        let (now, may) = match key.name {
            "guard.rules.*" => (base(config, terms.rules, &entry.wild), "raise"),
            "modes.*.writable" => {
                (key.get(config, &entry.wild).map(|(value, _)| value.toml()).unwrap_or_default(), "narrow")
            }
            _ => (key.get(config, &entry.wild).map(|(value, _)| value.toml()).unwrap_or_default(), "tighten"),
        };
        let text = format!("`{name}` is {now}, and {} may only {may} it", who(layer));
        return Problem::new(text, "to loosen it, edit your own config; see `kz help config`");
    }
    match key.merge {
        Merge::Extend => Problem::new(
            format!("`{name}` rests a pack, and {} may only add some", who(layer)),
            "to rest one, name it in your own config; see `kz help config`",
        ),
        Merge::NewName => Problem::new(
            format!("mode `{}` is yours, and {} may only narrow what it lets write", entry.wild, who(layer)),
            "give the repo's mode a name of its own",
        ),
        _ => Problem::new(
            format!("`{name}` may not be set in the {} layer", layer.word()),
            "it is yours to set: move it into your own config, see `kz help config`",
        ),
    }
}

fn who(layer: Layer) -> &'static str {
    match layer {
        Layer::Project | Layer::Local => "a repo's file",
        Layer::Environment => "a variable",
        Layer::Flag => "an option",
        Layer::Default | Layer::User => "your file",
    }
}

fn named(entry: &Entry) -> String {
    entry.key.dotted(&entry.wild)
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
    let near = text::nearest(name, config.modes.keys().map(String::as_str));
    let hint = if strsim::normalized_damerau_levenshtein(name, near) >= 0.6 {
        format!("did you mean `{near}`? modes are {}", names.join(", "))
    } else {
        format!("modes are {}", names.join(", "))
    };
    Problem::new(format!("there is no mode `{name}`"), hint)
}

/// Whether the entry is at least as strict as what is set.
fn tightens(config: &mut Config, rules: &Own, entry: &Entry) -> bool {
    match (entry.key.name, &entry.value) {
        ("mode.default", Value::Text(name)) => {
            let narrow = Mode::default();
            let new = config.modes.get(name).unwrap_or(&narrow);
            config.modes.get(&config.mode.default.value).is_none_or(|old| narrower(new, old))
        }
        ("modes.*.writable", Value::List(new)) => {
            config.modes.get(&entry.wild).is_none_or(|old| within(new, &old.writable))
        }
        ("guard.rules.*", Value::Switch(new)) => *new != Switch::Off && *new >= judged(config, rules, &entry.wild),
        (_, new) => match (entry.key.get(config, &entry.wild), new) {
            (Some((Value::Verdict(old), _)), Value::Verdict(new)) => *new >= old,
            (Some((Value::Failure(old), _)), Value::Failure(new)) => *new >= old,
            _ => false,
        },
    }
}

/// What a rule brings now: the switch that is set, else its own verdict. What votes without a rule of a pack
/// counts as a denial, since its verdict hangs on other keys.
fn judged(config: &Config, own: &Own, id: &str) -> Switch {
    let rule = rules::find(id).or_else(|| own.find(id).map(|(_, rule)| rule));
    match (config.guard.rules.get(id), rule) {
        (Some(switch), _) => switch.value,
        (None, Some(rule)) if !config.guard.is_on(rule.pack(), rule.by_name) => Switch::Off,
        (None, Some(rule)) => match rule.verdict {
            Verdict::None | Verdict::Approve => Switch::Off,
            Verdict::Ask => Switch::Ask,
            Verdict::Deny => Switch::Deny,
        },
        (None, None) => Switch::Deny,
    }
}

fn base(config: &Config, own: &Own, id: &str) -> String {
    Value::Switch(judged(config, own, id)).toml()
}

/// Whether a mode lets no more be written than another, judged by the entries as they are spelled.
pub(super) fn narrower(new: &Mode, old: &Mode) -> bool {
    within(&new.writable, &old.writable)
}

/// Whether each entry is one of the old ones or lies below one that is a plain folder.
fn within(new: &[String], old: &[String]) -> bool {
    old.iter().any(|entry| entry == "*")
        || new.iter().all(|entry| old.iter().any(|old| old == entry || below(entry, old)))
}

/// Whether whatever one entry names lies in the folder that the other one is.
fn below(entry: &str, folder: &str) -> bool {
    if folder.contains(['*', '?', '[', '{']) || entry == "*" {
        return false;
    }
    let (kind, entry) = anchored(entry);
    let (other, folder) = anchored(folder);
    // A glob without a slash fits in any folder.
    if kind != other || !entry.contains('/') {
        return false;
    }
    let mut there = segments(entry);
    segments(folder).all(|segment| there.next() == Some(segment)) && segments(entry).all(|segment| segment != "..")
}

fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|segment| !segment.is_empty())
}

/// Where a path begins: 0 the root of the session, 1 the home folder, 2 the file system; and the rest of it.
fn anchored(entry: &str) -> (u8, &str) {
    match entry.strip_prefix("~/") {
        Some(rest) => (1, rest),
        None if entry.starts_with('/') => (2, entry),
        None => (0, entry.trim_start_matches("./")),
    }
}
