//! Rules as data: what a command is, said in TOML packs with their own examples.
//!
//! A rule only recognises; what follows is for config and the stages. The packs in `packs/`
//! become static tables when the library is built ([`packs`]), those of the user and the repo are
//! read when one of their heads occurs ([`own`]); the reader ([`read`]) and its key table
//! ([`keys`]) are the same. [`hits`] matches rules against a call, by head first, so that a part
//! costs a binary search and its own program's rules. Options are compared by name, operands by
//! the kind of path they are ([`kind`]), and a regular expression is the last thing that is tried.

mod carry;
pub mod check;
mod code;
pub mod describe;
mod drive;
mod files;
mod flow;
pub mod hit;
pub mod keys;
pub mod kind;
mod links;
pub(crate) mod matcher;
mod net;
pub mod own;
pub mod pattern;
pub mod read;
pub mod reference;
pub mod rule;
pub mod scan;
mod stands;
#[cfg(test)]
mod tests;
mod tools;
mod view;
pub mod words;

pub use hit::{Hit, hits};
pub use kind::Place;
pub use own::Own;
pub use rule::{Clause, Operand, Pack, Redirect, Rule};
pub use words::{At, Class, Kind, Kinds, RedirectOp, Severity, Sink, Source, Way};

use crate::envelope::Verdict;
use crate::stage::guard::coordinator;
use crate::text::prefix;

/// A table that is searched by word: its first bytes, the word, and its rules as pack and place.
type Index = &'static [(u64, &'static str, &'static [(u16, u16)])];

include!(concat!(env!("OUT_DIR"), "/packs.rs"));

/// The built-in packs.
pub fn packs() -> &'static [Pack] {
    PACKS
}

/// A rule by id.
pub fn find(id: &str) -> Option<&'static Rule> {
    locate(id).map(|(_, rule)| rule)
}

/// Whether votes can carry this id: a rule of a pack, or what the guard says without one.
pub fn is_known(id: &str) -> bool {
    ["shell/bound", "shell/opaque", "shell/opaque-danger", "payload/bound"].contains(&id)
        || id.starts_with("mode/")
        || coordinator::RULES.contains(&id)
        || find(id).is_some()
}

/// A rule by id, with its pack.
pub fn locate(id: &str) -> Option<(&'static Pack, &'static Rule)> {
    let pack = id.split('/').next()?;
    PACKS
        .iter()
        .filter(|known| known.name == pack)
        .find_map(|pack| pack.rules.iter().find(|rule| rule.id == id).map(|rule| (pack, rule)))
}

/// The rules of a word in one of the index tables.
fn listed(table: Index, word: &str) -> impl Iterator<Item = (&'static Pack, &'static Rule)> + use<> {
    let first = prefix(word);
    let found = table.binary_search_by(|(known, name, _)| known.cmp(&first).then_with(|| (*name).cmp(word)));
    let places = found.ok().and_then(|at| table.get(at));
    places.map_or(&[][..], |(.., places)| places).iter().filter_map(|(pack, rule)| {
        let pack = PACKS.get(usize::from(*pack))?;
        Some((pack, pack.rules.get(usize::from(*rule))?))
    })
}

/// The rules for a command word.
fn for_head(head: &str) -> impl Iterator<Item = (&'static Pack, &'static Rule)> + use<> {
    listed(HEADS, head)
}

/// The rules for a tool that is no shell.
fn for_tool(tool: &str) -> impl Iterator<Item = (&'static Pack, &'static Rule)> + use<> {
    listed(TOOLS, tool)
}
