//! Reads JavaScript and TypeScript: what it opens, deletes, runs and sends, with values that are certain.

pub mod calls;
mod expr;
pub mod methods;
mod parse;
mod tables;
#[cfg(test)]
mod tests;

use super::super::part::Arg;
use super::program::lex::Style;
use super::program::walk::Walk;
use super::{Found, Setting};

/// Reads a program text. `args` are the words behind it.
pub fn read(text: &Arg, args: &[Arg], setting: Setting<'_>) -> Found {
    read_nested(text, args, setting, 0)
}

/// Reads a program text that stands in `nested` others.
pub fn read_nested(text: &Arg, args: &[Arg], setting: Setting<'_>, nested: u32) -> Found {
    let tree = parse::parse(&text.text, text.dynamic);
    Walk::new(Style::JavaScript, (args, setting), text.text.len(), nested).program(&tree.body, tree.broken)
}
