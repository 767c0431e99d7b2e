//! Config through the programs: `kz config`, options of hooks, locks, `kz doctor`.

use crate::support::{PIPE, Place, json, text};

const USER: &str =
    "lock = [\"modes\"]\n\n[ladder]\nthreshold = 5\n\n[guard]\nopaque = \"ask\"\n\n[coach]\nfrequency = 7\n";
const PROJECT: &str = "guard.opaque = \"deny\"\nmodes.web.writable = []\nladder.threshold = 6\n";

fn scene() -> Place {
    let place = Place::new();
    place.write(".config/kz/config.toml", USER);
    place.write("project/.kibitzer/config.toml", PROJECT);
    place
}

/// Exit code, standard output and standard error of `kz config …`.
fn config(place: &Place, args: &[&str]) -> (i32, String, String) {
    let output = place.run("kz", &[&["config"], args].concat(), b"");
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn list_is_toml_and_says_who_set_what() {
    let place = scene();
    let (code, out, err) = config(&place, &["list"]);
    assert_eq!(code, 0);
    assert_eq!(err, "kz: 2 problems in config\n  hint: `kz config check` tells them\n");
    let table: toml::Table = out.parse().unwrap();
    assert_eq!(table["guard"]["opaque"].as_str(), Some("deny"));
    let line =
        |name: &str| out.lines().find(|line| line.starts_with(&format!("{name} = "))).unwrap_or_default().to_owned();
    assert!(line("ladder.threshold").ends_with("# user ~/.config/kz/config.toml:4"), "{out}");
    assert!(line("guard.opaque").ends_with("# project .kibitzer/config.toml:1"), "{out}");
    assert!(line("ladder.window").ends_with("# default"), "{out}");
    assert!(line("coach.frequency").ends_with("config.toml:10; no stage of this version acts on it"), "{out}");
    let (_, all, _) = config(&place, &["list", "--all"]);
    for want in [
        "#   user ~/.config/kz/config.toml:7: \"ask\", overridden",
        "#   project .kibitzer/config.toml:3: 6, refused: `ladder.threshold` may not be set in the project layer",
        "# project .kibitzer/config.toml:2: modes.web.writable refused: `modes.web.writable` is locked",
    ] {
        assert!(all.contains(want), "{want}\n{all}");
    }
    assert_eq!(all.parse::<toml::Table>().unwrap(), table);
}

#[test]
fn get_prints_a_value_a_table_or_the_nearest_name() {
    let place = scene();
    let get = |args: &[&str]| config(&place, &[&["get"], args].concat());
    assert_eq!(get(&["guard.opaque"]).1, "deny\n");
    assert_eq!(get(&["ladder.judge_tools"]).1, "[\"bash\", \"pwsh\"]\n");
    assert_eq!(get(&["coach.frequency"]).1, "7\n");
    assert_eq!(get(&["ladder.threshold", "--set", "ladder.threshold=6"]).1, "6\n");
    assert!(get(&["modes.docs"]).1.starts_with("modes.docs.writable = [\"docs/\", \"*.md\"]\n"));
    let (code, out, err) = get(&["threshold"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert_eq!(err, "kz: there is no key `threshold`\n  hint: did you mean `ladder.threshold`?\n");
    assert_eq!(get(&["guard.rules.rm/home"]).0, 1);
    let row = json(get(&["guard.opaque", "--json"]).1.as_bytes());
    assert_eq!(
        (row["value"].as_str(), row["layer"].as_str(), row["line"].as_u64()),
        (Some("deny"), Some("project"), Some(1))
    );
    let rows = json(config(&place, &["list", "--json", "--all"]).1.as_bytes());
    let row = rows.as_array().unwrap().iter().find(|row| row["name"] == "ladder.threshold").unwrap();
    assert_eq!((row["value"].as_u64(), row["steps"][1]["layer"].as_str()), (Some(5), Some("project")));
}

#[test]
fn explain_tells_all_about_a_key() {
    let place = scene();
    let (code, out, _) = config(&place, &["explain", "guard.opaque"]);
    assert_eq!(code, 0);
    assert_eq!(
        out,
        "guard.opaque\n  What a part of a command that cannot be read brings.\n\n\
         wants    `abstain`, `ask` or `deny`\ndefault  \"abstain\"\n\
         merge    Yours; a repo's files may only raise it (abstain < ask < deny). KZ_GUARD_OPAQUE may tighten it.\n\
         lock     none\nnow      \"deny\", project .kibitzer/config.toml:1\n\n\
         layers\n  user ~/.config/kz/config.toml:7: \"ask\"  overridden\n  project .kibitzer/config.toml:1: \"deny\"\n"
    );
    let (_, out, _) = config(&place, &["explain", "modes.web.writable"]);
    assert!(out.contains("lock     `modes`, user ~/.config/kz/config.toml:1: only your own file sets it"), "{out}");
    assert!(out.contains("now      not set") && out.contains("refused: `modes.web.writable` is locked"), "{out}");
    let (_, out, _) = config(&place, &["explain", "guard.rules.git/force-push"]);
    assert!(out.contains("default  the rule's own verdict, \"deny\""), "{out}");
    assert_eq!(config(&place, &["explain", "ladder.treshold"]).0, 1);
}

#[test]
fn check_says_what_where_and_exits_accordingly() {
    let place = scene();
    let (code, out, _) = config(&place, &["check"]);
    assert_eq!(code, 1);
    assert!(out.starts_with(".kibitzer/config.toml:2:11: `modes.web.writable` is locked"), "{out}");
    assert!(
        out.contains("config.toml:10: note: `coach.frequency` is known, but no stage of this version acts on it"),
        "{out}"
    );
    assert!(out.ends_with("\n2 problems\n"), "{out}");
    let user = place.home.path().join(".config/kz/config.toml").display().to_string();
    let (code, out, _) = config(&place, &["check", &user]);
    assert_eq!(code, 0);
    assert!(out.ends_with("\n4 keys, no problems\n"), "{out}");
    let (code, out, _) = config(&place, &["check", ".kibitzer/config.toml"]);
    assert_eq!((code, out.ends_with("\n2 problems\n")), (1, true), "{out}");
    let (code, out, _) = config(&place, &["check", "--as", "user", ".kibitzer/config.toml"]);
    assert_eq!((code, out.as_str()), (0, "3 keys, no problems\n"));
    place.write("project/bad.toml", "[ladder]\nthreshold == 3\n");
    let (code, out, _) = config(&place, &["check", "bad.toml"]);
    assert_eq!(code, 1);
    assert!(out.starts_with("bad.toml:2:12: not readable as TOML: "), "{out}");
    assert!(out.contains("\n  2 | threshold == 3\n    |            ^\n  hint: "), "{out}");
    assert_eq!(config(&place, &["check", "no-such.toml"]).0, 1);
    // Without any file there is nothing wrong.
    assert_eq!(config(&Place::new(), &["check"]).1, "0 keys, no problems\n");
}

#[test]
fn the_defaults_and_the_schema_are_printed_and_fit_each_other() {
    let place = Place::new();
    let (_, defaults, _) = config(&place, &["defaults"]);
    place.write("project/copy.toml", &defaults);
    let (code, out, _) = config(&place, &["check", "copy.toml"]);
    assert_eq!(code, 0, "{out}");
    let schema = json(config(&place, &["schema"]).1.as_bytes());
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    let (_, help, _) = {
        let output = place.run("kz", &["help", "config"], b"");
        (0, text(&output.stdout), ())
    };
    assert!(help.contains("ladder.threshold = 3\n") && help.contains("may only raise it (ask < deny)"), "{help}");
}

#[test]
fn options_say_what_they_like_but_not_past_a_lock_and_the_pipe_says_the_same() {
    let place = Place::new();
    let force = place.bash("PreToolUse", "t1", "git push --force");
    let off = ["--set", "guard.rules.git/force-push=off", "--set", "guard.rules.git/x=off"];
    let fused = text(&place.run("kz-run", &[&off[..], &["--dry"]].concat(), &force).stdout);
    assert!(!fused.contains("[kz git/force-push]") && fused.contains("there is no rule `git/x`"), "{fused}");
    place.write(".config/kz/config.toml", "lock = [\"guard\"]\n");
    let locked = text(&place.run("kz-run", &["--dry", off[0], off[1]], &force).stdout);
    assert!(
        locked.contains("is locked, so the flag layer may not set it") && locked.contains("[kz git/force-push]"),
        "{locked}"
    );
    let mut bytes = force.clone();
    for name in PIPE {
        let more = if name == "kz-decide" { &["--dry"][..] } else { &[] };
        bytes = place.run(name, &[&off[..2], more].concat(), &bytes).stdout;
    }
    assert_eq!(text(&bytes), locked);
    // Another file in place of the user's takes its locks with it: who writes the command can also leave kz out.
    place.write("other.toml", "[guard.rules]\n\"git/force-push\" = \"off\"\n");
    let other = place.home.path().join("other.toml").display().to_string();
    assert_eq!(text(&place.run("kz-run", &["--config", &other], &force).stdout), "");
}

#[test]
fn doctor_shows_layers_locks_and_what_was_refused() {
    let out = text(&scene().run("kz", &["doctor"], b"").stdout);
    for want in [
        "config: user layer: ~/.config/kz/config.toml",
        "config: project layer: ",
        "lock: modes locked by user ~/.config/kz/config.toml:1",
        "config: the project layer sets guard.opaque",
        "config: refused: modes.web.writable, ladder.threshold",
        "config: no stage of this version acts on coach.frequency",
    ] {
        assert!(out.contains(want), "{want}\n{out}");
    }
}
