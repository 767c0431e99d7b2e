//! Stub.
/// Stub.
#[derive(Debug)]
pub struct Memory;
