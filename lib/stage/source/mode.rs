//! The mode of a call as config says it; a mode that the session set itself is found by the
//! `mode` stage. Config has judged `KZ_MODE` already: it counts only where it does not loosen.

use crate::config::{Config, Layer};
use crate::envelope::ModeFact;

/// The mode and what set it.
pub fn mode(config: &Config) -> ModeFact {
    let default = &config.mode.default;
    let from = match default.origin.layer {
        Layer::Environment => "environment",
        Layer::Flag => "option",
        Layer::Default | Layer::User | Layer::Project | Layer::Local => "config",
    };
    ModeFact { name: default.value.clone(), from: from.into(), ..ModeFact::default() }
}
