//! The verbs of `kz` for people, one file a verb.

pub mod settings;
