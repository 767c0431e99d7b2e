//! Config as a person meets it: sample files with golden messages, layers, and the one key table.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod defaults;
pub(crate) mod disk;
mod merging;
mod near;
mod schema;
mod seed;

use super::history::list;
use super::keys::{Key, Kind, Merge};
use super::table::KEYS;
use super::*;
use disk::Disk;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// A root, a home and the layers' files in a scratch folder.
struct Scene {
    folder: tempfile::TempDir,
    disk: Disk,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::new(&folder.path().join("home"));
        fs::create_dir_all(folder.path().join("repo/.kibitzer")).unwrap();
        fs::create_dir_all(folder.path().join("home/.config/kz")).unwrap();
        Self { folder, disk }
    }

    fn path(&self, layer: Layer) -> PathBuf {
        self.folder.path().join(match layer {
            Layer::Project => "repo/.kibitzer/config.toml",
            Layer::Local => "repo/.kibitzer/local.toml",
            _ => "home/.config/kz/config.toml",
        })
    }

    fn write(self, layer: Layer, text: &str) -> Self {
        fs::write(self.path(layer), text).unwrap();
        self
    }

    fn env(mut self, name: &str, value: &str) -> Self {
        self.disk.set(name, value);
        self
    }

    fn load(&self, options: &Options) -> Config {
        load(&self.disk, Some(&self.folder.path().join("repo")), options)
    }
}

fn told(config: &Config) -> String {
    config.faults.iter().map(|fault| format!("kz: {}\n", fault.text)).collect()
}

/// What differs from the defaults, and who set it.
fn differing(config: &Config) -> String {
    let defaults = list(&Config::default());
    let mut out = String::new();
    for row in list(config) {
        if !defaults.contains(&row) {
            writeln!(out, "{} = {}  # {} {}", row.name(), row.value.toml(), row.origin.layer.word(), row.origin.line)
                .unwrap();
        }
    }
    out
}

/// Runs a sample folder; the first line may be `# layer: project`.
fn samples(folder: &str, judge: impl Fn(&str, &Config)) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/config").join(folder);
    let mut seen = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        seen += 1;
        let text = fs::read_to_string(&path).unwrap();
        let layer = match text.lines().next().and_then(|line| line.strip_prefix("# layer: ")) {
            Some("project") => Layer::Project,
            Some("local") => Layer::Local,
            _ => Layer::User,
        };
        let config = Scene::new().write(layer, &text).load(&Options::default());
        let got = told(&config) + &differing(&config);
        let golden = path.with_extension("txt");
        if std::env::var_os("KZ_BLESS").is_some() {
            fs::write(&golden, &got).unwrap();
        }
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert_eq!(got, fs::read_to_string(&golden).unwrap_or_default(), "sample {name}; KZ_BLESS=1 rewrites");
        judge(&name, &config);
    }
    assert!(seen > 0);
}

#[test]
fn valid_samples_load_without_a_word() {
    samples("valid", |name, config| assert_eq!(told(config), "", "{name}"));
}

#[test]
fn invalid_samples_say_what_where_and_the_way_on() {
    samples("invalid", |name, config| assert!(!config.faults.is_empty(), "{name}"));
}

/// A file of the repo that is written by the key table.
fn generated(path: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("KZ_BLESS").is_some() {
        fs::write(&path, text).unwrap();
    }
    assert!(fs::read_to_string(&path).unwrap() == text, "{} is out of date; KZ_BLESS=1 rewrites", path.display());
}

#[test]
fn the_commented_file_is_the_defaults() {
    generated("lib/config/defaults.toml", &defaults::text());
    let (entries, problems) = layer::read(&defaults::text(), Layer::User);
    assert_eq!(problems, []);
    let mut from_nothing = Config::default();
    from_nothing.modes.clear();
    let terms = merge::Terms {
        layer: Layer::Default,
        own: &[],
        origin: &|_| Origin::default(),
        rules: &crate::rules::Own::default(),
        trusted: &|| false,
        show: &|_| String::new(),
    };
    let mut refused = Vec::new();
    merge::apply(&mut from_nothing, entries, &terms, &mut refused, None);
    assert_eq!(refused, []);
    assert_eq!(list(&from_nothing), list(&Config::default()));
}

#[test]
fn every_commented_sample_of_the_defaults_reads_and_every_key_is_there() {
    // With the samples uncommented every key is set, and nothing is wrong.
    let sample = |line: &str| {
        let bare = line.strip_prefix("# ").unwrap_or(line);
        let key = bare.split([' ', '=']).next().unwrap_or_default();
        let known = KEYS.iter().any(|known| known.name.rsplit('.').next() == Some(key))
            || key.contains('/')
            || key == "haiku"
            || key.starts_with("claude-");
        let is =
            bare.starts_with('[') && bare.ends_with(']') && !bare.contains("NAME") || known && bare.contains(" = ");
        if is { bare.to_owned() } else { String::new() }
    };
    let mut seen = Vec::new();
    let mut text = String::new();
    let mut table = String::new();
    for line in defaults::text().lines().map(sample).filter(|line| !line.is_empty()) {
        if line.starts_with('[') {
            table = line.clone();
        }
        let name = format!("{table}{}", line.split(" = ").next().unwrap());
        if !seen.contains(&name) {
            seen.push(name);
            text.push_str(&(line + "\n"));
        }
    }
    let (entries, problems) = layer::read(&text, Layer::User);
    assert_eq!(problems, [], "{text}");
    for key in KEYS.iter().filter(|key| key.name != "shell.runners") {
        assert!(entries.iter().any(|entry| entry.key == key), "{} is not in defaults.toml", key.name);
    }
}

#[test]
fn every_field_has_a_row_and_every_row_its_slot() {
    // The default config prints as many settings as the table lists: a field without a row shows.
    let config = Config::default();
    let printed = format!("{config:?}").matches("Setting {").count();
    assert_eq!(printed, list(&config).len());
    for key in KEYS {
        let text = match key.kind {
            Kind::Flag => "true",
            Kind::Number(from, _) => {
                if from > 7 {
                    "16"
                } else {
                    "7"
                }
            }
            Kind::Text | Kind::Line | Kind::Note => "words",
            Kind::ModeName => "review",
            Kind::List | Kind::Globs | Kind::Runners | Kind::Packs => "[\"a\"]",
            Kind::Locks => "[\"modes\"]",
            Kind::Exemptions => "[\"cat * | mlr\", \"re:^x\"]",
            Kind::Rows => "[{ pattern = \"^x \", class = \"read\", tool = \"read\" }]",
            Kind::Word(words) => words[0],
            Kind::Verdict(_) | Kind::Switch => "deny",
            Kind::Failure => "closed",
        };
        let value = layer::read_value(key, "a/b", text).unwrap_or_else(|problem| panic!("{}: {problem:?}", key.name));
        let set = key.slot.is_none_or(|slot| slot(&mut Config::default(), "x").set(value, Origin::default()));
        assert!(set, "{}", key.name);
        assert!(key.about.ends_with('.'), "{}", key.name);
        assert!(key.variable.is_none() || key.merge == Merge::Tighten || key.name == "mode.default", "{}", key.name);
    }
}

#[test]
fn what_names_a_file_is_the_users_alone() {
    for key in KEYS
        .iter()
        .filter(|key| ["file", "folder", "path", "command", "url"].iter().any(|word| key.name.contains(word)))
    {
        assert_eq!(key.merge, Merge::UserOnly, "{}", key.name);
    }
}

#[test]
fn layers_stack_and_keep_who_set_what() {
    let scene = Scene::new()
        .write(Layer::User, "[ladder]\nthreshold = 4\n\n[modes.mine]\nwritable = [\"a/\"]\n")
        .write(Layer::Project, "[modes.web]\nwritable = [\"web/\"]\n[ladder.notes]\nfirst = \"${tool}, really?\"\n")
        .write(Layer::Local, "[ladder.notes]\nfirst = \"mine\"\n");
    let config = scene.load(&Options { set: vec!["ladder.threshold=5".into()], ..Options::default() });
    assert_eq!(told(&config), "");
    assert_eq!(config.ladder.threshold.value, 5);
    assert_eq!(config.ladder.threshold.origin.layer, Layer::Flag);
    assert_eq!(config.modes["web"].writable.value, ["web/"]);
    assert_eq!(config.modes["web"].writable.origin.place.as_deref(), Some(scene.path(Layer::Project).as_path()));
    assert_eq!((config.ladder.note_first.value.as_str(), config.ladder.note_first.origin.line), ("mine", 2));
    assert_eq!(
        config.files.iter().map(|(layer, _)| *layer).collect::<Vec<_>>(),
        [Layer::User, Layer::Project, Layer::Local]
    );
}

#[test]
fn a_repo_may_not_touch_what_is_the_users() {
    let scene = Scene::new()
        .write(Layer::User, "[modes.mine]\nwritable = [\"a/\"]\n[guard.rules]\n\"git/force-push\" = \"deny\"\n")
        .write(
            Layer::Project,
            "[mode]\ndefault = \"web\"\n[modes.mine]\nwritable = [\"*\"]\n[modes.implement]\nwritable = [\"*\"]\n\
             [modes.web]\n[guard.rules]\n\"git/force-push\" = \"off\"\n[failure]\nconfig = \"open\"\n[ladder]\nlog_file = \"x\"\n",
        );
    let config = scene.load(&Options::default());
    assert_eq!(config.faults.len(), 5, "{}", told(&config));
    assert_eq!(config.mode.default.value, "free");
    assert_eq!(config.modes["mine"].writable.value, ["a/"]);
    assert_eq!(config.modes["implement"].writable.value, ["src/", "lib/"]);
    assert_eq!(config.guard.rules["git/force-push"].value, Switch::Deny);
    assert!(config.modes["web"].writable.is_empty());
}

#[test]
fn a_variable_may_tighten_and_not_loosen() {
    let user = "[mode]\ndefault = \"implement\"\n[guard]\nopaque = \"ask\"\n";
    let config =
        |name: &str, value: &str| Scene::new().write(Layer::User, user).env(name, value).load(&Options::default());
    assert_eq!(config("KZ_MODE", "review").mode.default.value, "review");
    assert_eq!(config("KZ_MODE", "review").mode.default.origin.layer, Layer::Environment);
    for (name, value) in
        [("KZ_MODE", "free"), ("KZ_MODE", "test_dev"), ("KZ_MODE", "nothing"), ("KZ_GUARD_OPAQUE", "abstain")]
    {
        let config = config(name, value);
        assert_eq!(config.mode.default.value, "implement", "{name}={value}");
        assert_eq!(config.guard.opaque.value, crate::envelope::Verdict::Ask);
        assert_eq!(config.faults.len(), 1);
    }
    assert_eq!(config("KZ_GUARD_OPAQUE", "deny").guard.opaque.value, crate::envelope::Verdict::Deny);
    assert!(config("KZ_FAILURE_CONFIG", "closed").failure.config.value == Failure::Closed);
}

#[test]
fn options_say_anything_and_are_checked() {
    let set = [
        "guard.rules.git/force-push=off",
        "mode.default=nope",
        "ladder.cooldwn=3",
        "ladder.window=1",
        "modes.x.writable=[\"y\"]",
    ];
    let config = Scene::new().load(&Options { set: set.map(str::to_owned).to_vec(), ..Options::default() });
    assert_eq!(config.guard.rules["git/force-push"].value, Switch::Off);
    assert_eq!(config.modes["x"].writable.value, ["y"]);
    assert_eq!(
        told(&config),
        "kz: --set mode.default: there is no mode `nope`\n  hint: modes are `debug`, `docs`, `free`, `implement`, `review`, `test_dev`\n\
         kz: --set ladder.cooldwn: unknown key `ladder.cooldwn` in the flag layer\n  hint: did you mean `ladder.cooldown`? see `kz help config`\n\
         kz: --set ladder.window: `ladder.window` (1) is below `ladder.threshold` (3), so no note could come\n  \
         hint: none of the ladder's numbers in this layer counts; make it at least 3\n"
    );
}

#[test]
fn options_count_together() {
    let set = ["ladder.threshold=20", "ladder.window=40", "ladder.escalate_threshold=20"];
    for set in [set, [set[2], set[1], set[0]]] {
        let config = Scene::new().load(&Options { set: set.map(str::to_owned).to_vec(), ..Options::default() });
        assert_eq!((told(&config).as_str(), config.ladder.threshold.value), ("", 20));
    }
}

#[test]
fn a_config_that_is_no_file_is_a_fault_and_the_rest_works() {
    let scene = Scene::new().write(Layer::User, "[ladder]\nthreshold = 4\n");
    let project = scene.path(Layer::Project);
    let load = |scene: &Scene| {
        let config = scene.load(&Options::default());
        assert_eq!(config.ladder.threshold.value, 4);
        told(&config)
    };
    fs::create_dir(&project).unwrap();
    assert_eq!(
        load(&scene),
        "kz: .kibitzer/config.toml: not a regular file, so it is not read\n  hint: nothing in it is used; see `kz doctor`\n"
    );
    fs::remove_dir(&project).unwrap();
    let status = std::process::Command::new("mkfifo").arg(&project).status();
    if status.is_ok_and(|status| status.success()) {
        assert!(load(&scene).contains("not a regular file"));
        fs::remove_file(&project).unwrap();
    }
    fs::write(&project, vec![b'#'; 2 << 20]).unwrap();
    assert!(load(&scene).contains("larger than 1 MiB"));
    fs::write(&project, b"# ok\n# \xff\n").unwrap();
    assert_eq!(
        load(&scene),
        "kz: .kibitzer/config.toml:2:3: not UTF-8\n  hint: nothing in it is used; save it as UTF-8\n"
    );
    fs::write(&project, b"").unwrap();
    assert_eq!(load(&scene), "");
    fs::remove_file(&project).unwrap();
    fs::remove_dir(project.parent().unwrap()).unwrap();
    fs::write(project.parent().unwrap(), b"a file where the folder should be").unwrap();
    assert_eq!(load(&scene), "");
}

#[test]
fn nothing_there_is_fine() {
    let scene = Scene::new();
    let mut disk = Disk::new(Path::new("/nonexistent"));
    disk.home = None;
    for config in [load(&disk, None, &Options::default()), scene.load(&Options::default())] {
        assert_eq!((told(&config), differing(&config)), (String::new(), String::new()));
    }
    let missing = scene.load(&Options { file: Some("/nonexistent/kz.toml".into()), ..Options::default() });
    assert_eq!(told(&missing), "kz: /nonexistent/kz.toml: no such file\n  hint: see `--config`\n");
}

#[test]
fn a_config_home_inside_the_root_is_not_the_users() {
    let scene = Scene::new().write(Layer::User, "[ladder]\nthreshold = 4\n");
    let inside = scene.folder.path().join("repo/evil");
    fs::create_dir_all(inside.join("kz")).unwrap();
    fs::write(inside.join("kz/config.toml"), "[guard.rules]\n\"git/force-push\" = \"off\"\n").unwrap();
    let mut scene = scene;
    for place in [inside.as_path(), Path::new("/proc/self/cwd/evil"), &scene.folder.path().join("x/../repo/evil")] {
        scene.disk.set("XDG_CONFIG_HOME", place.to_str().unwrap());
        let config = scene.load(&Options::default());
        assert!(config.guard.rules.is_empty());
        assert_eq!(config.ladder.threshold.value, 4);
    }
}

#[test]
fn a_large_bad_file_is_read_in_time_and_told_in_short() {
    let text: String = (0..40_000).map(|n| format!("key_{n} = {n}\n")).collect();
    let config = Scene::new().write(Layer::Project, &text).load(&Options::default());
    assert_eq!(config.faults.len(), 21);
    assert!(config.faults[20].text.contains("39980 more problems"));
}

#[test]
fn closed_faults_when_the_user_says_so() {
    let config = Scene::new()
        .write(Layer::User, "[failure]\nconfig = \"closed\"\n")
        .write(Layer::Project, "nonsense")
        .load(&Options::default());
    assert!(config.faults.len() == 1 && config.faults.iter().all(|fault| fault.closed));
}

#[test]
fn dotted_names_find_their_row() {
    assert_eq!(
        Key::find(&["guard", "rules", "git/x"]).map(|(key, wild)| (key.name, wild)),
        Some(("guard.rules.*", "git/x"))
    );
    for path in
        [&["guard", "rules"][..], &["guard", "rules", "a", "b"], &["mode.default"], &["guard.rules", "*"], &[""], &[]]
    {
        assert!(Key::find(path).is_none(), "{path:?}");
    }
    for key in KEYS {
        // Rows of one table stand together, so each is found from the top.
        assert_eq!(Key::find(&key.path("x").collect::<Vec<_>>()).map(|(key, _)| key.name), Some(key.name));
        assert_eq!(Key::find(&key.path("x").collect::<Vec<_>>()).map(|(_, wild)| wild == "x"), Some(key.is_wild()));
    }
    assert!(Key::is_table(&["ladder"]) && Key::is_table(&["modes", "x"]) && !Key::is_table(&["ladder", "log"]));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
    #[test]
    fn any_text_loads(text in "(\\[[a-z.]{0,12}\\]\n|[a-z_.\"]{1,9} = [-0-9a-z\"'\\[\\]{},]{0,9}\n|\\PC{0,9}\n){0,8}") {
        for layer in [Layer::User, Layer::Project] {
            let config = Scene::new().write(layer, &text).load(&Options::default());
            proptest::prop_assert!(config.ladder.window.value >= config.ladder.threshold.value);
            proptest::prop_assert!(config.modes.contains_key(&config.mode.default.value));
        }
    }
}
