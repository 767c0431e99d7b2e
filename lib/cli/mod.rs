//! The programs: arguments, standard streams, exit codes. Nothing else in the library prints.

pub mod filter;
pub mod kz;
pub mod run;
mod say;
