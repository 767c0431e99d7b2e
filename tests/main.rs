//! The one test program; a module per area.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests may fail, and their names say what they are for"
)]

mod cli;
mod config;
mod coordinator;
mod fused;
mod handoff;
mod ladder;
mod loosen;
mod pipeline;
mod readme;
mod rules;
mod shell;
mod support;
mod tree;
