//! A hash that is the same in every program and version, for names and keys that are written down.

/// FNV-1a, 64 bits. Not against an adversary: it only keeps different names apart.
pub fn stable_hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Eight bytes at a step, for the many keys of a log; mixed at the end. Not against an adversary either.
pub fn key_hash(text: &str) -> u64 {
    let step = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let hash = words.iter().fold(text.len() as u64, |hash, word| step(hash, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let hash = step(hash, u64::from_le_bytes(last));
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::{key_hash, stable_hash};

    #[test]
    fn keys_that_differ_little_differ() {
        let keys: Vec<String> = (0..20_000).flat_map(|n| [format!("ladder/note/main/{n}"), format!("{n}")]).collect();
        let hashes: std::collections::HashSet<u64> = keys.iter().map(|key| key_hash(key)).collect();
        assert_eq!(hashes.len(), keys.len());
        assert_ne!(key_hash("a"), key_hash("a\0"));
    }

    #[test]
    fn it_never_changes() {
        assert_eq!(stable_hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(stable_hash("foobar"), 0x8594_4171_f739_67e8);
    }
}
