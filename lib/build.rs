//! Turns the data files of the library into static tables, so that nothing is parsed at run time.

use std::path::Path;

#[path = "rules/packs_build.rs"]
mod packs;
#[path = "text/prefix.rs"]
mod prefix;
#[path = "shell/programs_build.rs"]
mod programs;

/// The generators are compiled into the tests of the library too, where this is its place.
mod text {
    pub use super::prefix::{letter, prefix, slot};
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = std::env::var("CARGO_MANIFEST_DIR")?;
    let out = std::env::var("OUT_DIR")?;
    for source in [
        "lib/build.rs",
        "lib/rules/packs",
        "lib/rules/packs_build.rs",
        "lib/shell/programs.toml",
        "lib/shell/programs_build.rs",
        "lib/text/prefix.rs",
    ] {
        println!("cargo:rerun-if-changed={source}");
    }
    programs::generate(Path::new(&root), Path::new(&out))?;
    packs::generate(Path::new(&root), Path::new(&out))
}
