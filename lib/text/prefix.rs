//! The first eight bytes of a word as a number that sorts like the word. Shared with the build
//! script: tables that are searched hold it beside each word, so that a search touches the text
//! of the words only where the number is the same. A cold page costs more than the search.

/// The first eight bytes, big-endian, filled up with zeros.
pub fn prefix(word: &str) -> u64 {
    if let Some(bytes) = word.as_bytes().first_chunk() {
        return u64::from_be_bytes(*bytes);
    }
    let mut bytes = [0; 8];
    if let Some(start) = bytes.get_mut(..word.len()) {
        start.copy_from_slice(word.as_bytes());
    }
    u64::from_be_bytes(bytes)
}

/// The bit of a letter in a set of letters; some letters share one.
pub fn letter(byte: u8) -> u64 {
    1 << (byte & 63)
}

/// The slot in a table of `1 << bits` slots where a search for a word begins, by its [`prefix`] and
/// its length.
pub fn slot(prefix: u64, length: usize, bits: u32) -> usize {
    let mixed = (prefix ^ (length as u64).rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (64 - bits)) as usize
}
