//! The first eight bytes of a word as a number that sorts like the word. Shared with the build
//! script: tables that are searched hold it beside each word, so that a search touches the text
//! of the words only where the number is the same. A cold page costs more than the search.

/// The first eight bytes, big-endian, filled up with zeros.
pub fn prefix(word: &str) -> u64 {
    let mut bytes = [0; 8];
    for (slot, byte) in bytes.iter_mut().zip(word.bytes()) {
        *slot = byte;
    }
    u64::from_be_bytes(bytes)
}
