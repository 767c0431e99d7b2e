//! Any text is read to its parts and paths.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kibitzer_fuzz::shell_read(data));
