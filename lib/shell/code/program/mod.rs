//! What the readers of Python and JavaScript share: tokens, a tree, values, and the walk through it.

pub mod cursor;
pub mod eval;
pub mod lex;
#[cfg(test)]
pub mod tests;
pub mod tree;
pub mod value;
pub mod walk;
