//! kibitzer: a staged pipeline of composable filters over the tool calls of coding agents.

pub mod shell;
