//! The schema in the repo: written by the key table, and of one mind with the reader.

use super::{Scene, defaults, generated};
use crate::config::table::KEYS;
use crate::config::{Layer, Options, schema};
use serde_json::Value;
use std::fs;
use std::path::Path;

#[test]
fn the_file_in_the_repo_is_what_the_table_says() {
    let text = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    generated("lib/config/schema.json", &text);
}

/// The value of a key's name in the schema.
fn looked_up<'s>(schema: &'s Value, name: &str) -> Option<&'s Value> {
    name.split('.').try_fold(schema, |at, segment| match segment {
        "*" => at["patternProperties"].as_object()?.values().next(),
        _ => at["properties"].get(segment),
    })
}

#[test]
fn every_key_is_in_the_schema_with_its_sentence_and_default() {
    let schema = schema();
    for key in KEYS {
        let found = looked_up(&schema, key.name).unwrap_or_else(|| panic!("{}", key.name));
        assert!(found["description"].as_str().unwrap().starts_with(key.about), "{}", key.name);
    }
    assert_eq!(looked_up(&schema, "ladder.threshold").unwrap()["default"], 3);
    assert_eq!(looked_up(&schema, "ladder.threshold").unwrap()["maximum"], 256);
}

fn as_json(text: &str) -> Value {
    serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap()
}

#[test]
fn a_validator_takes_what_the_reader_takes() {
    let schema = schema();
    assert!(jsonschema::draft202012::meta::is_valid(&schema));
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/config/valid");
    let mut texts = vec![defaults::text(), "[[test]]\ngiven = \"ls\"\n".to_owned()];
    texts.extend(fs::read_dir(folder).unwrap().filter_map(|entry| {
        let path = entry.unwrap().path();
        path.extension().is_some_and(|extension| extension == "toml").then(|| fs::read_to_string(path).unwrap())
    }));
    for text in texts {
        let errors: Vec<String> = validator.iter_errors(&as_json(&text)).map(|error| error.to_string()).collect();
        assert_eq!(errors, [""; 0], "{text}");
    }
    for text in [
        "top = 1",
        "ladder = 1",
        "ladder.threshold = 0",
        "ladder.threshold = 257",
        "ladder.threshold = \"3\"",
        "ladder.log = \"yes\"",
        "ladder.log_file = \"a\\nb\"",
        "ladder.treshold = 3",
        "ladder.notes.first = \" \"",
        "mode.default = \"\"",
        "guard.bounds = \"abstain\"",
        "guard.opaque = \"approve\"",
        "guard.rules.\"force-push\" = \"off\"",
        "guard.rules.\"git/force-push\" = \"allow\"",
        "modes.\"a b\".writable = []",
        "modes.x.writable = \"src\"",
        "modes.x.writable = [\"\"]",
        "modes.x.writeable = []",
        "lock = \"modes\"",
        "failure.config = \"shut\"",
        "coach.model_config.opus = \"loud\"",
        "test = 3",
    ] {
        assert!(!validator.is_valid(&as_json(text)), "the schema takes {text}");
        let config = Scene::new().write(Layer::User, text).load(&Options::default());
        assert!(!config.faults.is_empty(), "the reader takes {text}");
    }
}
