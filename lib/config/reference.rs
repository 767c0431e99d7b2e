//! The key table for people: `kz help config`.

use super::Config;
use super::keys::{Key, Kind, Merge};
use super::table::KEYS;

const HEAD: &str = "\
Config keys. Your own file is ~/.config/kz/config.toml and may say anything. A repo's are .kibitzer/config.toml
and .kibitzer/local.toml, which may do what is said below each key, and no more. Variables (KZ_*) only tighten.

  kz config list [--all]   what counts now, and who set it; with --all what was overridden or refused
  kz config get KEY        one value
  kz config explain KEY    all about one key
  kz config check [FILE]   is it right
  kz config schema         JSON Schema, for editors
  kz config defaults       a commented file to copy from

Options of every program, for one run: --config FILE reads FILE in place of your own file, --set KEY=VALUE sets a
key. No layer above your own file changes what your `lock` names.
";

/// All keys: name, default, sentence, what is wanted, and who may set it.
pub fn reference() -> String {
    let mut out = HEAD.to_owned();
    for key in KEYS {
        let default = default_of(key).map(|default| format!(" = {default}")).unwrap_or_default();
        out.push_str(&format!(
            "\n{}{default}\n    {} Wants {}.\n    {}\n",
            key.name,
            key.about,
            key.kind.wanted(),
            may_set(key)
        ));
        if !key.acts() {
            out.push_str("    No stage of this version acts on it.\n");
        }
    }
    out
}

/// The default as TOML; `None` where the person chooses the name or no stage acts.
pub(super) fn default_of(key: &Key) -> Option<String> {
    if key.is_wild() {
        return None;
    }
    key.get(&mut Config::default(), "").map(|(value, _)| value.toml())
}

/// How layers merge, in a sentence that says who may set the key.
pub fn may_set(key: &Key) -> String {
    let rule = match (key.merge, key.kind) {
        (Merge::Replace, _) => "The later layer wins; a repo's files may set it.".to_owned(),
        (Merge::NewName, _) => "The later layer wins; a repo's files may set it for a mode of their own.".to_owned(),
        (Merge::Extend, _) => "The lists of all layers add up; a repo's files may add.".to_owned(),
        (Merge::Tighten, Kind::Globs) => {
            "Yours; a repo's files may narrow it, and set it for a mode of their own.".to_owned()
        }
        (Merge::Tighten, Kind::Switch) => {
            "Yours; a repo's files may only raise it (ask < deny), above the rule's own verdict.".to_owned()
        }
        (Merge::Tighten, kind) => {
            format!("Yours; a repo's files may only raise it ({}).", kind.words().join(" < "))
        }
        (Merge::UserOnly, _) => "Yours alone; a repo's files may not set it.".to_owned(),
    };
    match key.variable {
        Some(variable) => format!("{rule} {variable} may tighten it."),
        None => rule,
    }
}
