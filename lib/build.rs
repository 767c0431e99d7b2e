//! Turns the data files of the library into static tables, so that nothing is parsed at run time.

use std::path::Path;

#[path = "rules/packs_build.rs"]
mod packs;
#[path = "shell/programs_build.rs"]
mod programs;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = std::env::var("CARGO_MANIFEST_DIR")?;
    let out = std::env::var("OUT_DIR")?;
    for source in [
        "lib/build.rs",
        "lib/rules/packs",
        "lib/rules/packs_build.rs",
        "lib/shell/programs.toml",
        "lib/shell/programs_build.rs",
    ] {
        println!("cargo:rerun-if-changed={source}");
    }
    programs::generate(Path::new(&root), Path::new(&out))?;
    packs::generate(Path::new(&root), Path::new(&out))
}
