//! The mode of a call as config and environment say it.
//!
//! A mode that the session set itself is found by the `mode` stage. The variable can come from
//! a repo's own host settings, so it counts only where it does not loosen.

use crate::config::{Config, Mode};
use crate::envelope::{Fault, ModeFact};
use crate::world::World;

/// The mode, and what was refused.
pub fn mode(config: &Config, world: &dyn World) -> (ModeFact, Option<Fault>) {
    let default = config.mode.default.value.as_str();
    let fact =
        |name: &str, from: &str| ModeFact { name: name.to_owned(), from: from.to_owned(), ..ModeFact::default() };
    let refuse = |text: String| {
        let fault = Fault { by: "source".into(), kind: "config".into(), text, ..Fault::default() };
        (fact(default, "config"), Some(fault))
    };
    let Some(wanted) = world.env("KZ_MODE") else { return (fact(default, "config"), None) };
    let Some(mode) = config.modes.get(&wanted) else {
        let known: Vec<&str> = config.modes.keys().map(String::as_str).collect();
        return refuse(format!(
            "`KZ_MODE` names no mode: `{wanted}`; the mode stays `{default}`\n  hint: one of {}",
            known.join(", ")
        ));
    };
    if wanted != default && loosens(mode, config.modes.get(default)) {
        return refuse(format!(
            "`KZ_MODE` may not allow more than the configured mode; `{wanted}` would, so the mode stays `{default}`\n  hint: set `mode.default` in your own config"
        ));
    }
    (fact(&wanted, "environment"), None)
}

/// Whether a mode allows something that the default mode does not.
fn loosens(mode: &Mode, default: Option<&Mode>) -> bool {
    let allowed = default.map_or(&[][..], |default| &default.writable.value);
    !allowed.iter().any(|entry| entry == "*") && !mode.writable.iter().all(|entry| allowed.contains(entry))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Memory;

    #[test]
    fn the_variable_may_only_tighten() {
        for (default, variable, name, from, fault) in [
            ("free", None, "free", "config", false),
            ("free", Some("implement"), "implement", "environment", false),
            ("free", Some("free"), "free", "environment", false),
            ("implement", Some("implement"), "implement", "environment", false),
            ("implement", Some("review"), "review", "environment", false),
            ("implement", Some("docs"), "implement", "config", true),
            ("implement", Some("free"), "implement", "config", true),
            ("review", Some("debug"), "debug", "environment", false),
            ("free", Some("nonsense"), "free", "config", true),
        ] {
            let world = Memory::new();
            if let Some(variable) = variable {
                world.set_env("KZ_MODE", variable);
            }
            let mut config = Config::default();
            config.mode.default = default.to_owned().into();
            let (fact, refused) = mode(&config, &world);
            assert_eq!(
                (fact.name.as_str(), fact.from.as_str(), refused.is_some()),
                (name, from, fault),
                "{variable:?}"
            );
        }
    }
}
