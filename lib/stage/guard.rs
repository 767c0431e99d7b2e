//! Stub, being written.
use super::*;
/// Stub.
#[derive(Debug)]
pub struct Guard;
impl Stage for Guard {
    fn spec(&self) -> &'static Spec {
        &Spec { name: "guard", about: "", events: &[], reads: &[], writes: &[], config: &[] }
    }
    fn run(&self, _: &mut Envelope, _: &Context, _: &mut Memory) -> Result<(), Fault> {
        Ok(())
    }
}
