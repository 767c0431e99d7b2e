//! Merging: which entries of a layer count, by the merge rules of the key table.

use super::history::Step;
use super::keys::{Key, Kind, Merge, Value};
use super::layer::{Entry, Problem};
use super::table::KEYS;
use super::{Config, LadderConfig, Layer, Mode, Origin, Switch, lock_on};
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

/// Puts the entries of a layer on top of the config; what is refused joins what its reader refused, and what
/// was set is written into `steps` if somebody wants to know.
pub fn apply(
    config: &mut Config,
    entries: Vec<Entry>,
    terms: &Terms<'_>,
    refused: &mut Vec<Problem>,
    mut steps: Option<&mut Vec<Step>>,
) {
    let wrong = wrong_bound(terms.layer, refused);
    let before = entries.iter().any(|entry| is_bound(entry.key)).then(|| config.ladder.clone());
    // Where the layer first sets one of the ladder's bounds.
    let mut ladder = None;
    for entry in entries {
        if let Some(problem) = refusal(config, &entry, terms) {
            let tried = Some((entry.key, entry.wild, entry.value.toml()));
            refused.push(Problem { at: Some(entry.at), tried, ..problem });
            continue;
        }
        let origin = (terms.origin)(entry.at);
        if let Some(steps) = steps.as_deref_mut() {
            steps.push(Step::set(&entry, origin.clone()));
        }
        if is_bound(entry.key) {
            ladder = ladder.or(Some(entry.at));
        }
        set(config, entry, origin);
    }
    let misfit = ladder.and_then(|at| Some((at, misfit(&config.ladder)?)));
    let misfit = misfit.filter(|_| wrong.is_none()).map(|(at, (text, hint))| {
        let hint = format!("{}; {hint}", until(terms.layer));
        refused.push(Problem { at: Some(at), ..Problem::new(text.clone(), hint) });
        text
    });
    // A ladder of which one step is missing is none that anybody wrote: all its bounds go.
    let Some(text) = wrong.or(misfit) else { return };
    if let Some(before) = before {
        restore_bounds(config, before);
    }
    for step in steps.into_iter().flatten().filter(|step| is_bound(step.key) && step.refused.is_none()) {
        if step.origin.layer == terms.layer {
            step.refused = Some(text.clone());
        }
    }
}

/// Whether a key is one of the ladder's bounds and tables, which hang on each other.
fn is_bound(key: &Key) -> bool {
    key.name.starts_with("ladder.")
        && !matches!(key.name, "ladder.log_max_kb" | "ladder.tools_ms")
        && matches!(key.kind, Kind::Number(..) | Kind::Rows | Kind::Exemptions)
}

/// What of the ladder's bounds does not fit together.
fn misfit(ladder: &LadderConfig) -> Option<(String, String)> {
    let threshold = ladder.threshold.value;
    let of = [
        ("window", ladder.window.value, "so no note could come"),
        ("escalate_threshold", ladder.escalate_threshold.value, "so the section would come before the note"),
    ];
    let (name, value, so) = of.into_iter().find(|(_, value, _)| *value < threshold)?;
    let text = format!("`ladder.{name}` ({value}) is below `ladder.threshold` ({threshold}), {so}");
    Some((text, format!("make it at least {threshold}")))
}

/// What a ladder runs on whose bounds are wrong in a layer.
fn until(layer: Layer) -> &'static str {
    if layer <= Layer::User {
        "until then the ladder runs on its default numbers and tables"
    } else {
        "none of the ladder's numbers in this layer counts"
    }
}

/// What the reader found wrong with one of the ladder's bounds, where the layer may set them at all.
fn wrong_bound(layer: Layer, refused: &mut [Problem]) -> Option<String> {
    if matches!(layer, Layer::Project | Layer::Local | Layer::Environment) {
        return None;
    }
    let mut first = None;
    for problem in refused.iter_mut().filter(|problem| problem.tried.as_ref().is_some_and(|(key, ..)| is_bound(key))) {
        let way = problem.hint.strip_prefix("the value before it stays; ").unwrap_or(&problem.hint);
        problem.hint = format!("{}; {way}", until(layer));
        first = first.or_else(|| Some(problem.text.clone()));
    }
    first
}

/// Puts the bounds and tables back; the switches beside them stay.
fn restore_bounds(config: &mut Config, before: LadderConfig) {
    let mut old = Config { ladder: before, ..Config::default() };
    for key in KEYS.iter().filter(|key| is_bound(key)) {
        if let (Some((value, origin)), Some(slot)) = (key.get(&mut old, ""), key.slot) {
            slot(config, "").set(value, origin);
        }
    }
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
            (Some((Value::Text(old), _)), Value::Text(new)) => {
                let words = entry.key.kind.words();
                let rank = |text: &str| words.iter().position(|word| *word == text);
                rank(new) >= rank(&old)
            }
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
