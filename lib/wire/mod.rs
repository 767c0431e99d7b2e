//! The wire: what a host sends becomes a [`Call`], what was decided becomes its answer.
//!
//! [`framing`] splits standard input, [`payload`] reads an object, a [`Dialect`] knows one
//! host. [`matrix`] is the one table of what can be said on which event. Nothing here looks at
//! the machine: the root, resolved paths and the command's parts are the source's work.

mod claude;
pub mod framing;
mod json;
pub mod matrix;
mod paths;
pub mod payload;
#[cfg(test)]
mod tests;

pub use claude::{Claude, Unknown};
pub use payload::Payload;

use crate::call::Call;
use crate::envelope::Decision;

/// One host's form of payload and answer.
pub trait Dialect: Sync {
    /// The word in `call.agent.kind`.
    fn kind(&self) -> &'static str;

    /// Whether a payload is this host's.
    fn recognises(&self, payload: &Payload) -> bool;

    /// The reading of a payload.
    fn call(&self, payload: &Payload) -> Call;

    /// What to print: one JSON object, or nothing.
    fn answer(&self, call: &Call, decision: &Decision) -> Option<String>;
}

/// All dialects; the first that recognises a payload reads it, and the last recognises all.
pub static DIALECTS: &[&dyn Dialect] = &[&Claude, &Unknown];

/// The dialect of a payload.
pub fn recognise(payload: &Payload) -> &'static dyn Dialect {
    DIALECTS.iter().copied().find(|dialect| dialect.recognises(payload)).unwrap_or(&Unknown)
}

/// The dialect that a call was read by.
pub fn dialect(kind: &str) -> &'static dyn Dialect {
    DIALECTS.iter().copied().find(|dialect| dialect.kind() == kind).unwrap_or(&Unknown)
}
