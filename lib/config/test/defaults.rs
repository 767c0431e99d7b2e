//! The commented file of the defaults, written by the key table.

use crate::config::history::list;
use crate::config::keys::{Kind, Merge, dotted, segments};
use crate::config::table::KEYS;
use crate::config::{Config, may_set};
use std::collections::BTreeMap;

const HEAD: &str = "\
# What kz does when nobody says otherwise. Copy what you want to change into your own config,
# ~/.config/kz/config.toml. About one key: `kz config explain KEY`; about a file: `kz config check FILE`.
# What is not marked otherwise is yours alone: a repo's files may not set it.

";

/// A key that has no value by default, with one to show.
const SAMPLES: &[(&str, &str)] = &[
    ("lock", "[\"modes\", \"ladder.threshold\"]"),
    ("guard.rules.*", "\"off\""),
    ("shell.runners", "[\"workmux exec\", \"bd run --\"]"),
    ("ladder.notes.first", "\"${strikes} ${class} calls with ${tool}: ${hint}\""),
    ("ladder.notes.persistent", "\"Use these instead of ${terminal}:\""),
    ("ladder.notes.denied", "\"Not run, a plain ${class}: ${hint}\""),
    ("ladder.exempt_patterns", "[\"cat * | mlr\", \"re:tail -f\"]"),
    ("ladder.pattern_table", "[{ id = \"mine/show\", pattern = \"^show \", class = \"read\", tool = \"read\" }]"),
    ("handoff.limits.*", "1000000"),
    ("controller.max_failures_before_debug", "3"),
    ("controller.max_turns_in_debug", "20"),
    ("controller.auto_review_on_tests_passing", "true"),
    ("coach.frequency", "5"),
    ("coach.max_suggestion_length", "2"),
    ("coach.model_config.*", "\"aggressive\""),
    ("quartermaster.default_mode", "\"implement\""),
    ("quartermaster.haiku_kit", "\"navigate\""),
    ("quartermaster.sonnet_kit", "\"diagnose\""),
    ("quartermaster.opus_kit", "\"diagnose\""),
];

/// The text of `defaults.toml`.
pub fn text() -> String {
    let mut out = HEAD.to_owned();
    let mut table = String::new();
    let rows = list(&Config::default());
    let mut modes: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    rows.iter()
        .filter(|row| row.key.name.starts_with("modes."))
        .for_each(|row| modes.entry(&row.wild).or_default().push(row));
    for key in KEYS {
        let (of, last) = key.name.rsplit_once('.').unwrap_or(("", key.name));
        if of != table {
            table = of.to_owned();
            out.push_str(&if of == "modes.*" {
                "\n# [modes.NAME]: one table a mode.\n".to_owned()
            } else if key.acts() {
                format!("\n[{of}]\n")
            } else {
                format!(
                    "\n# No stage of this version acts on this table; it is read so that older files load.\n# [{of}]\n"
                )
            });
        }
        let words = key.kind.words();
        let choices = match (key.kind, words.is_empty()) {
            (Kind::Number(from, to), _) => format!(" From {from} to {to}."),
            (_, true) => String::new(),
            (_, false) => format!(" One of: {}.", words.join(", ")),
        };
        let name = if key.name.starts_with("modes.") { format!("{last}: ") } else { String::new() };
        out.push_str(&format!("# {name}{}{choices}\n", key.about));
        if key.merge != Merge::UserOnly || key.variable.is_some() {
            out.push_str(&format!("# {}\n", may_set(key)));
        }
        if let Some(row) = rows.iter().find(|row| {
            row.key.name == key.name && row.wild.is_empty() && !empty_note(row.key.kind) && row.key.kind != Kind::Rows
        }) {
            out.push_str(&format!("{last} = {}\n", row.value.toml()));
        }
        if let Some((_, sample)) = SAMPLES.iter().find(|(name, _)| *name == key.name) {
            let last = match key.name {
                "guard.rules.*" => "\"git/branch-delete\"",
                "handoff.limits.*" => "claude-sonnet-4-5",
                "coach.model_config.*" => "haiku",
                _ => last,
            };
            out.push_str(&format!("# {last} = {sample}\n"));
        }
        for row in rows.iter().filter(|row| key.name == "handoff.limits.*" && row.key == key) {
            out.push_str(&format!("{} = {}\n", dotted(&[&row.wild]), row.value.toml()));
        }
        if key.name == "modes.*.message" {
            for (name, rows) in &modes {
                out.push_str(&format!("\n[{}]\n", dotted(&["modes", name])));
                for row in rows {
                    let path = row.name();
                    let last = segments(&path).pop().unwrap_or_default().to_owned();
                    out.push_str(&format!("{last} = {}\n", row.value.toml()));
                }
            }
        }
    }
    out
}

/// The built-in note is no text that could stand in the file.
fn empty_note(kind: Kind) -> bool {
    kind == Kind::Note
}
