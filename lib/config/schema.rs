//! The key table as JSON Schema (draft 2020-12), for editors and other programs.
//!
//! The schema is no stricter than the reader. What it cannot say (placeholders of notes, whether a rule or a mode
//! is there, globs, two keys that must fit) is for `kz config check`.

use super::keys::{Key, Kind};
use super::reference::may_set;
use super::table::KEYS;
use super::{Config, keys::Value as Setting};
use serde_json::{Map, Value, json};

/// Names that a person chooses, by table: as a pattern.
const NAMES: &[(&str, &str)] = &[
    ("modes", "^[A-Za-z0-9_-]{1,64}$"),
    ("guard.rules", "^[A-Za-z0-9_-]+/[A-Za-z0-9_-]+$"),
    ("coach.model_config", "^.*$"),
];

/// The schema of a config file.
pub fn schema() -> Value {
    let mut root = table("");
    let mut out = Map::new();
    out.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
    out.insert("title".into(), "kz config".into());
    out.insert("description".into(), "Config of kz: your own file, or a repo's .kibitzer/config.toml.".into());
    if let Some(properties) = root.get_mut("properties").and_then(Value::as_object_mut) {
        let about = "Rows of `kz test`; config takes nothing from them.";
        properties.insert("test".into(), json!({"description": about, "type": "array", "items": {"type": "object"}}));
    }
    out.extend(root);
    Value::Object(out)
}

/// The schema of a table: the keys and tables right in it.
fn table(prefix: &str) -> Map<String, Value> {
    let (mut properties, mut patterns) = (Map::new(), Map::new());
    for key in KEYS {
        let rest = if prefix.is_empty() {
            Some(key.name)
        } else {
            key.name.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('.'))
        };
        let Some(rest) = rest else { continue };
        let (name, inner) = rest.split_once('.').map_or((rest, false), |(name, _)| (name, true));
        let known = if name == "*" { patterns.len() } else { usize::from(properties.contains_key(name)) };
        if known > 0 {
            continue;
        }
        let below = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
        let schema = if inner { Value::Object(table(&below)) } else { of(key) };
        if name == "*" {
            let pattern = NAMES.iter().find(|(table, _)| *table == prefix).map_or("^.*$", |(_, pattern)| *pattern);
            patterns.insert(pattern.into(), schema);
        } else {
            properties.insert(name.into(), schema);
        }
    }
    let mut out = Map::new();
    out.insert("type".into(), "object".into());
    if !properties.is_empty() {
        out.insert("properties".into(), properties.into());
    }
    if !patterns.is_empty() {
        out.insert("patternProperties".into(), patterns.into());
    }
    out.insert("additionalProperties".into(), false.into());
    out
}

/// The schema of one key.
fn of(key: &Key) -> Value {
    let mut about = format!("{} {}", key.about, may_set(key));
    if !key.acts() {
        about.push_str(" No stage of this version acts on it.");
    }
    let mut out = Map::new();
    out.insert("description".into(), about.into());
    let more = match key.kind {
        Kind::Flag => json!({"type": "boolean"}),
        Kind::Number(from, to) => json!({"type": "integer", "minimum": from, "maximum": to}),
        Kind::Text => json!({"type": "string"}),
        Kind::Line => json!({"type": "string", "pattern": "^[^\\r\\n]*$"}),
        Kind::Note => json!({"type": "string", "pattern": "\\S"}),
        Kind::ModeName => json!({"type": "string", "minLength": 1}),
        Kind::Rows => json!({"type": "array", "items": super::rows::schema()}),
        Kind::List | Kind::Globs | Kind::Locks | Kind::Packs | Kind::Runners | Kind::Exemptions => {
            json!({"type": "array", "items": {"type": "string", "minLength": 1}})
        }
        Kind::Word(_) | Kind::Failure | Kind::Switch => json!({"enum": key.kind.words()}),
        Kind::Verdict(_) => {
            // `none` is the older word for `abstain` and still read.
            let mut words = key.kind.words();
            if words.contains(&"abstain") {
                words.push("none");
            }
            json!({"enum": words})
        }
    };
    if let Value::Object(more) = more {
        out.extend(more);
    }
    let default = key.get(&mut Config::default(), "").filter(|_| !key.is_wild()).map(|(value, _)| value);
    // An empty text stands for the built-in note, and is none that may be written.
    // No table of one's own is not an empty one, which switches all rows off.
    let default = default.filter(|_| key.kind != Kind::Rows);
    if let Some(default) = default.filter(|value| key.kind != Kind::Note || *value != Setting::Text(String::new())) {
        out.insert("default".into(), default.json());
    }
    Value::Object(out)
}
