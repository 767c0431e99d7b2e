//! The shell reader: what a command line runs, without running it.
//!
//! `parse` turns text into a syntax tree ([`ast`]) and is total: any text in, a tree and
//! perhaps an error out, in linear time. `flatten` turns the tree into the simple commands
//! ([`Part`]) that bash would run, seen through wrappers. `programs` knows which options of a
//! program take values and which operands it reads or writes. `powershell` reads the language of
//! that name.

pub mod ast;
pub mod braces;
pub mod code;
mod dynamic;
mod flatten;
mod growth;
pub mod options;
pub mod parse;
mod part;
mod paths;
pub mod pipelines;
pub mod powershell;
pub mod programs;
mod recipes;
mod reference;
mod unwrap;

pub use dynamic::{Dynamic, Dynamics};
pub use flatten::{flatten, read, read_powershell, read_with};
pub use part::{Arg, Code, CodePath, Part, Redir, RedirFd, Shell};
pub use paths::{Operand, PATCH, Touched, collapse, locate, paths, touched};
pub use pipelines::{Pipeline, pipelines};
pub use reference::reference;
pub use unwrap::{Runners, is_assignment};
