//! The config of the sketch that kz grew from loads as it stands.

use super::{Scene, told};
use crate::config::{Layer, Options, trace};

const SEED: &str = r#"# kibitzer/config.toml

[modes.debug]
writable = []
strategy = "Identify all failures before proposing fixes."

[modes.implement]
writable = ["src/"]
strategy = ""

[modes.test_dev]
writable = ["tests/"]
strategy = "Write tests for the expected behavior, not the current behavior."

[modes.review]
writable = []
strategy = "Read everything before forming an opinion."

[controller]
max_failures_before_debug = 3
max_turns_in_debug = 20
auto_review_on_tests_passing = true

[coach]
frequency = 5           # suggest every N tool calls
max_suggestion_length = 2  # lines
model_config.haiku = "aggressive"    # every 3 calls
model_config.sonnet = "standard"     # every 5 calls
model_config.opus = "minimal"        # every 10, action-oriented only

[quartermaster]
default_mode = "implement"
haiku_kit = "navigate"
sonnet_kit = "diagnose"
opus_kit = "diagnose"
"#;

#[test]
fn it_loads_without_a_fault_and_says_what_no_stage_acts_on() {
    let scene = Scene::new().write(Layer::User, SEED);
    let config = scene.load(&Options::default());
    assert_eq!(told(&config), "");
    assert_eq!(config.modes["implement"].writable.value, ["src/"]);
    let traced = trace(&scene.disk, None, &Options::default());
    let idle: Vec<String> = traced.idle().iter().map(|step| step.key.dotted(&step.wild)).collect();
    assert_eq!(idle.len(), 12, "{idle:?}");
    assert!(idle.contains(&"coach.model_config.haiku".to_owned()));
    assert!(traced.list().iter().any(|row| row.name() == "coach.frequency" && row.value.toml() == "5"));
}

#[test]
fn its_values_are_checked_all_the_same() {
    let config = Scene::new()
        .write(Layer::User, "[coach]\nfrequency = 0\nmodel_config.opus = \"loud\"\n[quartermaster]\nhaiku_kit = 3\n")
        .load(&Options::default());
    assert_eq!(config.faults.len(), 3, "{}", told(&config));
    assert!(
        told(&config).contains("`coach.model_config.opus` wants `aggressive`, `standard` or `minimal`, not `loud`")
    );
}
