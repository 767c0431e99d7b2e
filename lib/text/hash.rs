//! A hash that is the same in every program and version, for names and keys that are written down.

/// FNV-1a, 64 bits. Not against an adversary: it only keeps different names apart.
pub fn stable_hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::stable_hash;

    #[test]
    fn it_never_changes() {
        assert_eq!(stable_hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(stable_hash("foobar"), 0x8594_4171_f739_67e8);
    }
}
