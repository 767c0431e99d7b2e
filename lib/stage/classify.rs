//! Stub, being written.
use super::*;
/// Stub.
#[derive(Debug)]
pub struct Classify;
impl Stage for Classify {
    fn spec(&self) -> &'static Spec {
        &Spec { name: "classify", about: "", events: &[], reads: &[], writes: &[], config: &[] }
    }
    fn run(&self, _: &mut Envelope, _: &Context, _: &mut Memory) -> Result<(), Fault> {
        Ok(())
    }
}
