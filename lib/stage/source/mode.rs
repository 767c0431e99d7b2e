//! The mode of a call: what `kz mode` set for the session, else what config says. Config has judged `KZ_MODE` already: it counts only where it does not loosen.

use crate::config::{Config, Layer};
use crate::envelope::ModeFact;
use crate::state::Session;

/// The mode and what set it: the session's own if it has set one that there is, else config's.
pub fn mode(config: &Config, session: &Session) -> ModeFact {
    if config.modes.contains_key(&session.mode) {
        return ModeFact { name: session.mode.clone(), from: "session".into(), ..ModeFact::default() };
    }
    let default = &config.mode.default;
    let from = match default.origin.layer {
        Layer::Environment => "environment",
        Layer::Flag => "option",
        Layer::Default | Layer::User | Layer::Project | Layer::Local => "config",
    };
    ModeFact { name: default.value.clone(), from: from.into(), ..ModeFact::default() }
}
