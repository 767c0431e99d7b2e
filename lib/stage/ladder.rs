//! Stub, being written.
use super::*;
use crate::state::{Fold, Past};
use serde::{Deserialize, Serialize};
/// The ladder.
#[derive(Debug)]
pub struct Ladder;
/// State of all chains of a session.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct State {}
impl Fold for State {
    fn fold(&mut self, _past: &Past) {}
}
impl Stage for Ladder {
    fn spec(&self) -> &'static Spec {
        &Spec { name: "ladder", about: "", events: &[], reads: &[], writes: &[], config: &[] }
    }
    fn run(&self, _: &mut Envelope, _: &Context, _: &mut Memory) -> Result<(), Fault> {
        Ok(())
    }
}
