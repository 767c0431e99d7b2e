//! The one test program; a module per area.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests may fail, and their names say what they are for"
)]

mod cli;
mod coordinator;
mod fused;
mod pipeline;
mod readme;
mod shell;
mod support;
mod tree;
