//! Merge rules, locks and options, as tables.

use super::{Scene, differing, told};
use crate::config::keys::Merge;
use crate::config::table::KEYS;
use crate::config::{Layer, Options, trace};

const USER: &str =
    "[guard]\nopaque = \"ask\"\n[guard.rules]\n\"git/force-push\" = \"ask\"\n[modes.mine]\nwritable = [\"a/\"]\n";

/// What a repo writes, and what of it counts; the rest must be a fault.
const REPO: &[(&str, &[&str])] = &[
    ("guard.opaque = \"deny\"", &["guard.opaque = \"deny\""]),
    ("guard.opaque = \"ask\"", &["guard.opaque = \"ask\""]),
    ("guard.opaque = \"abstain\"", &[]),
    ("guard.bounds = \"deny\"", &["guard.bounds = \"deny\""]),
    ("mode.opaque = \"ask\"", &["mode.opaque = \"ask\""]),
    ("guard.ask_when_unattended = \"abstain\"", &[]),
    ("failure.config = \"closed\"", &["failure.config = \"closed\""]),
    // Against the user's switch, or else the rule's own verdict.
    ("guard.rules.\"git/force-push\" = \"deny\"", &["guard.rules.\"git/force-push\" = \"deny\""]),
    ("guard.rules.\"git/force-push\" = \"ask\"", &["guard.rules.\"git/force-push\" = \"ask\""]),
    ("guard.rules.\"git/force-push\" = \"off\"", &[]),
    ("guard.rules.\"rm/home\" = \"ask\"", &[]),
    ("guard.rules.\"rm/home\" = \"off\"", &[]),
    ("guard.rules.\"rm/home\" = \"deny\"", &["guard.rules.\"rm/home\" = \"deny\""]),
    ("guard.rules.\"shell/opaque\" = \"ask\"", &[]),
    ("guard.rules.\"shell/bound\" = \"deny\"", &["guard.rules.\"shell/bound\" = \"deny\""]),
    ("guard.rules.\"mode/mine\" = \"off\"", &[]),
    // A pack that nobody named votes nothing yet, so any vote raises it.
    ("guard.rules.\"aws/delete\" = \"ask\"", &["guard.rules.\"aws/delete\" = \"ask\""]),
    ("guard.packs = [\"aws\"]", &["guard.packs = [\"aws\"]"]),
    ("guard.packs = [\"aws\", \"!git\"]", &[]),
    // Modes: narrower, or new.
    ("modes.mine.writable = []", &["modes.mine.writable = []"]),
    ("modes.mine.writable = [\"a/b/\"]", &["modes.mine.writable = [\"a/b/\"]"]),
    ("modes.mine.writable = [\"./a/x.rs\", \"a/*.md\"]", &["modes.mine.writable = [\"./a/x.rs\", \"a/*.md\"]"]),
    ("modes.mine.writable = [\"a/../b\"]", &[]),
    ("modes.mine.writable = [\"ab/\"]", &[]),
    ("modes.mine.writable = [\"*.md\"]", &[]),
    ("modes.mine.writable = [\"/a/x\"]", &[]),
    ("modes.mine.writable = [\"~/a/x\"]", &[]),
    ("modes.mine.writable = [\"*\"]", &[]),
    ("modes.free.writable = [\"src/\"]", &["modes.free.writable = [\"src/\"]"]),
    ("modes.docs.writable = [\"x.md\"]", &[]),
    ("modes.mine.strategy = \"x\"", &[]),
    ("modes.implement.message = \"x\"", &[]),
    ("modes.web.writable = [\"*\"]", &["modes.web.writable = [\"*\"]"]),
    ("modes.web.strategy = \"x\"", &["modes.web.strategy = \"x\""]),
    // Lists add up, notes are written, the rest is the user's.
    ("shell.runners = [\"bd run --\"]", &["shell.runners = [\"bd run --\"]"]),
    ("ladder.notes.first = \"hm\"", &["ladder.notes.first = \"hm\""]),
    ("ladder.notes.persistent = \"hm\"", &["ladder.notes.persistent = \"hm\""]),
    ("ladder.notes.denied = \"hm\"", &["ladder.notes.denied = \"hm\""]),
    ("ladder.enforce = \"write\"", &["ladder.enforce = \"write\""]),
    ("ladder.enforce = \"all\"", &["ladder.enforce = \"all\""]),
    ("ladder.exempt_patterns = [\"cat\"]", &[]),
    ("ladder.pattern_table = []", &[]),
    ("ladder.tools = \"!id\"", &[]),
    ("ladder.threshold = 6", &[]),
    ("ladder.log_file = \"x\"", &[]),
    ("ladder.enabled = false", &[]),
    ("mode.default = \"review\"", &[]),
    ("lock = [\"modes\"]", &[]),
    ("coach.frequency = 9", &[]),
];

#[test]
fn a_repo_adds_tightens_and_describes_itself() {
    let before = Scene::new().write(Layer::User, USER).load(&Options::default());
    for layer in [Layer::Project, Layer::Local] {
        for (text, want) in REPO {
            let config = Scene::new().write(Layer::User, USER).write(layer, text).load(&Options::default());
            let set: Vec<String> = differing(&config)
                .lines()
                .filter(|line| line.contains(&format!("# {} ", layer.word())))
                .map(|line| line.split("  # ").next().unwrap().to_owned())
                .collect();
            assert_eq!(set, *want, "{text}");
            assert_eq!(config.faults.len(), usize::from(want.is_empty()), "{text}: {}", told(&config));
            if want.is_empty() {
                assert_eq!(differing(&config), differing(&before), "{text}");
            }
        }
    }
}

#[test]
fn the_table_of_what_a_repo_may_do_has_every_key() {
    for key in KEYS {
        let stem = key.name.split('*').next().unwrap();
        let there = REPO.iter().any(|(text, _)| text.starts_with(stem));
        assert!(there || key.merge == Merge::UserOnly, "{} has no row", key.name);
    }
}

#[test]
fn what_the_project_narrows_the_local_file_does_not_widen() {
    let config = Scene::new()
        .write(
            Layer::Project,
            "modes.implement.writable = [\"src/\"]\nguard.bounds = \"deny\"\nmodes.web.writable = [\"w/\"]\n",
        )
        .write(
            Layer::Local,
            "modes.implement.writable = [\"src/\", \"lib/\"]\nguard.bounds = \"ask\"\nmodes.web.writable = [\"v/\"]\n",
        )
        .load(&Options::default());
    assert_eq!(config.modes["implement"].writable.value, ["src/"]);
    assert_eq!(config.modes["web"].writable.value, ["v/"], "its own it may change");
    assert_eq!(config.faults.len(), 2, "{}", told(&config));
}

#[test]
fn lists_add_up_over_all_layers() {
    let options = Options { set: vec!["shell.runners=[\"c\"]".into()], ..Options::default() };
    let config = Scene::new()
        .write(Layer::User, "shell.runners = [\"a\"]")
        .write(Layer::Project, "shell.runners = [\"b\"]")
        .load(&options);
    assert_eq!(config.shell.runners.value, ["a", "b", "c"]);
}

#[test]
fn a_lock_holds_against_everything_above_the_users_file() {
    let user = "lock = [\"modes\", \"guard.bounds\", \"guard.rules.rm/home\", \"ladder.threshold\", \"mode.default\", \"modes.*.message\"]\n\
                ladder.threshold = 4\nmodes.mine.writable = [\"a/\"]\n";
    let scene = || Scene::new().write(Layer::User, user);
    let repo = "modes.web.writable = []\nguard.bounds = \"deny\"\nguard.rules.\"rm/home\" = \"deny\"\n";
    let config = scene().write(Layer::Project, repo).load(&Options::default());
    assert!(!config.modes.contains_key("web"));
    assert_eq!(
        told(&config),
        "kz: .kibitzer/config.toml:1:11: `modes.web.writable` is locked, so the project layer may not set it\n  \
         hint: `modes` is locked at ~/.config/kz/config.toml:1\n\
         kz: .kibitzer/config.toml:2:7: `guard.bounds` is locked, so the project layer may not set it\n  \
         hint: `guard.bounds` is locked at ~/.config/kz/config.toml:1\n\
         kz: .kibitzer/config.toml:3:13: `guard.rules.\"rm/home\"` is locked, so the project layer may not set it\n  \
         hint: `guard.rules.rm/home` is locked at ~/.config/kz/config.toml:1\n"
    );
    let config = scene().env("KZ_MODE", "review").load(&Options::default());
    assert_eq!((config.mode.default.value.as_str(), config.faults.len()), ("free", 1), "{}", told(&config));
    for set in ["ladder.threshold=7", "modes.mine.writable=[]", "lock=[]"] {
        let config = scene().load(&Options { set: vec![set.into()], ..Options::default() });
        assert_eq!(config.ladder.threshold.value, 4);
        assert_eq!(config.lock.len(), 6);
        assert_eq!(config.faults.len(), 1, "{set}: {}", told(&config));
    }
    // What is not named is as before.
    let config = scene().write(Layer::Project, "guard.opaque = \"deny\"").load(&Options::default());
    assert_eq!(told(&config), "");
}

#[test]
fn a_wrong_name_in_a_lock_is_told_and_the_others_hold() {
    let user =
        "lock = [\n  \"ladder.treshold\",\n  \"modes\",\n  \"threshold\",\n  \"guard.rules.rm/hoem\",\n  \" \",\n]\n";
    let config = Scene::new()
        .write(Layer::User, user)
        .write(Layer::Project, "modes.web.writable = []")
        .load(&Options::default());
    assert_eq!(config.lock.value, ["modes"]);
    let told = told(&config);
    for want in [
        "config.toml:2:3: `lock` names `ladder.treshold`, and there is no such key or table\n  hint: did you mean `ladder.threshold`?",
        "config.toml:4:3: `lock` names `threshold`, and there is no such key or table\n  hint: did you mean `ladder.threshold`?",
        ": there is no rule `rm/hoem`\n  hint: did you mean `rm/home`?",
        "config.toml:6:3: `lock` names ` `",
        "`modes` is locked at ~/.config/kz/config.toml:1",
    ] {
        assert!(told.contains(want), "{want}\n{told}");
    }
}

#[test]
fn tests_in_config_are_passed_over() {
    let text =
        "[[test]]\ngiven = \"git push --force\"\nexpect = \"deny\"\n[[test]]\nanything = { at = [1, \"all\"] }\n";
    for layer in [Layer::User, Layer::Project] {
        assert_eq!(told(&Scene::new().write(layer, text).load(&Options::default())), "");
    }
    let config = Scene::new().write(Layer::User, "test = 3\n").load(&Options::default());
    assert_eq!(config.faults.len(), 1);
}

#[test]
fn a_bad_glob_is_told_and_left_out() {
    let config = Scene::new()
        .write(Layer::User, "[modes.web]\nwritable = [\"web/\", \"src/[a\", \"*.{css,js}\", \"x{\"]\n")
        .load(&Options::default());
    assert_eq!(config.modes["web"].writable.value, ["web/", "*.{css,js}"]);
    let told = told(&config);
    assert!(told.contains("config.toml:2:21: `modes.web.writable` has `src/[a`, which is no glob: unclosed"), "{told}");
    assert_eq!(config.faults.len(), 2);
}

#[test]
fn history_says_who_was_overridden_added_and_refused() {
    let scene = Scene::new()
        .write(Layer::User, "ladder.threshold = 4\nladder.window = 2\nguard.opaque = \"ask\"\nladder.cooldown = 0\n")
        .write(Layer::Project, "guard.opaque = \"deny\"\nladder.log = false\n");
    let traced = trace(&scene.disk, Some(&scene.folder.path().join("repo")), &Options::default());
    let steps: Vec<String> = traced
        .steps
        .iter()
        .map(|step| {
            let fate = if step.refused.is_some() { "refused" } else { "set" };
            format!("{} {} {} {fate}", step.origin.layer.word(), step.key.name, step.text)
        })
        .collect();
    assert_eq!(
        steps,
        [
            "user ladder.threshold 4 refused",
            "user ladder.window 2 refused",
            "user guard.opaque \"ask\" set",
            "user ladder.cooldown  refused",
            "project guard.opaque \"deny\" set",
            "project ladder.log false refused",
        ]
    );
    assert_eq!(told(&traced.config), told(&scene.load(&Options::default())), "the same words as on the way of a hook");
}
