//! Stub.
/// Stub.
#[derive(Debug)]
pub struct Real;
