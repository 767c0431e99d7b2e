//! Turns the data files of the library into static tables, so that nothing is parsed at run time.

use std::path::Path;

#[path = "rules/packs_build.rs"]
mod packs;
#[path = "shell/programs_build.rs"]
mod programs;

/// The reader of packs is the library's own; here are the places where it looks for the rest.
#[expect(dead_code, reason = "the library uses more of it than the generators do")]
mod rules {
    pub mod keys;
    pub mod read;
    pub mod rule;
    pub mod scan;
    pub mod words;

    /// Expressions are checked by the library's tests: the build does without the engine.
    pub mod pattern {
        pub fn fault(_: &str) -> Option<String> {
            None
        }
    }
}

mod text {
    #[path = "nearest.rs"]
    mod nearest;
    #[path = "prefix.rs"]
    mod prefix;
    pub use nearest::nearest;
    pub use prefix::{letter, prefix, slot};
}

mod envelope {
    /// The library's verdicts, by name.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Verdict {
        None,
        Ask,
        Deny,
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = std::env::var("CARGO_MANIFEST_DIR")?;
    let out = std::env::var("OUT_DIR")?;
    for source in [
        "lib/build.rs",
        "lib/rules/keys.rs",
        "lib/rules/packs",
        "lib/rules/packs_build.rs",
        "lib/rules/read",
        "lib/rules/read.rs",
        "lib/rules/rule.rs",
        "lib/rules/scan.rs",
        "lib/rules/words.rs",
        "lib/shell/programs.toml",
        "lib/shell/programs_build.rs",
        "lib/text/nearest.rs",
        "lib/text/prefix.rs",
    ] {
        println!("cargo:rerun-if-changed={source}");
    }
    programs::generate(Path::new(&root), Path::new(&out))?;
    packs::generate(Path::new(&root), Path::new(&out))
}
