//! kibitzer: a staged pipeline of composable filters over the tool calls of coding agents.
//!
//! Read first: [`envelope`] (what travels), [`stage`] (what happens to it), [`world`] (the only
//! door to disk, clock and environment). Then follow one call: [`wire`] reads the payload,
//! [`shell`] reads its command, [`state`] and [`config`] bring the past and the person's wishes,
//! `pipeline` runs the stages, and the verdict leaves through [`wire`] again.

pub mod call;
pub mod config;
pub mod envelope;
pub mod rules;
pub mod shell;
pub mod stage;
pub mod state;
pub mod wire;
pub mod world;
