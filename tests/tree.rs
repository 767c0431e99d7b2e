//! The tree says what there is: every stage has its program and its row in the README.

use crate::support::program;
use kibitzer::stage;
use std::path::Path;

#[test]
fn every_stage_has_a_program_and_a_readme_row() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    for stage in stage::ALL {
        let spec = stage.spec();
        assert!(program(&format!("kz-{}", spec.name)).exists(), "{}", spec.name);
        let row = format!("| `kz-{}` | {} |", spec.name, spec.about);
        assert!(readme.contains(&row), "the README lacks the row: {row}");
        assert!(!spec.events.is_empty() && !spec.writes.is_empty(), "{}: an empty spec", spec.name);
    }
}

#[test]
fn every_test_module_is_reached() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let main = std::fs::read_to_string(folder.join("main.rs")).unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { continue };
        if path.extension().is_some_and(|ext| ext == "rs") && name != "main" {
            assert!(main.contains(&format!("mod {name};")), "tests/{name}.rs is in no test program");
        }
    }
}
