//! Runs each target on its seeds and on damaged copies of them, with a stable compiler:
//! `cargo run --manifest-path fuzz/Cargo.toml --example seeds [-- COPIES [FOLDER]]`; FOLDER stands
//! for the folder of all seeds.

use std::path::{Path, PathBuf};

type Target = (&'static str, fn(&[u8]));

const TARGETS: &[Target] = &[("shell_read", kibitzer_fuzz::shell_read), ("payload", kibitzer_fuzz::payload)];

fn main() -> std::io::Result<()> {
    let copies: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(200);
    let folder = std::env::args().nth(2).map_or(Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"), PathBuf::from);
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut below = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound.max(1) as u64) as usize
    };
    for (name, target) in TARGETS {
        let mut seeds = Vec::new();
        for entry in std::fs::read_dir(folder.join(name))? {
            seeds.push(std::fs::read(entry?.path())?);
        }
        seeds.iter().for_each(|seed| target(seed));
        for _ in 0..copies {
            for seed in &seeds {
                let mut bytes = seed.clone();
                for _ in 0..=below(4) {
                    let at = below(bytes.len() + 1);
                    let other = &seeds[below(seeds.len())];
                    let from = below(other.len() + 1);
                    let to = (from + below(16)).min(other.len());
                    match below(3) {
                        0 => drop(bytes.drain(at..(at + below(8)).min(bytes.len()))),
                        1 => drop(bytes.splice(at..at, other[from..to].iter().copied())),
                        _ => bytes.insert(at, below(256) as u8),
                    }
                }
                target(&bytes);
            }
        }
        println!("{name}: {} seeds and {} damaged copies", seeds.len(), copies as usize * seeds.len());
    }
    Ok(())
}
