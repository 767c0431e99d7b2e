//! Any bytes are taken as what a client sends.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kibitzer_fuzz::payload(data));
