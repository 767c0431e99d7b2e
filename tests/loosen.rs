//! What a cloned repo tries in order to loosen, run or redirect something, a row an attempt: through
//! its config, its rules, its mode files, the environment and options that its host settings can
//! set, links, and names. After each, the call must get what the user's own config says.
//!
//! `cargo test loosen -- --nocapture` prints the table.

use crate::support::{Place, feed, text};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

/// What the user says.
const USER: &str = "mode.default = 'implement'\nguard.opaque = 'deny'\nguard.rules.'git/stash-drop' = 'deny'\n";
/// What a repo would rather have.
const LAX: &str = "[mode]\ndefault = 'free'\n[guard]\nopaque = 'abstain'\n[guard.rules]\n'git/force-push' = 'off'\n";

const PUSH: &str = "git push --force";
const OPAQUE: &str = "eval \"$X\"";
const DOCS: &str = "@docs/a.md";

struct Attempt {
    name: &'static str,
    /// Files of the project, and their content.
    files: &'static [(&'static str, &'static str)],
    /// Whatever else it takes.
    setup: fn(&Place),
    /// The environment; `{project}` and `{home}` are put in.
    env: &'static [(&'static str, &'static str)],
    args: &'static [&'static str],
    /// More of the user's config.
    user: &'static str,
    /// A command, or `@path` for a Write.
    call: &'static str,
    /// What decides, and how.
    want: (&'static str, &'static str),
    /// What the user is told; nothing if there is nothing to tell.
    told: &'static str,
}

const PLAIN: Attempt = Attempt {
    name: "",
    files: &[],
    setup: |_| {},
    env: &[],
    args: &[],
    user: "",
    call: PUSH,
    want: ("deny", "git/force-push"),
    told: "",
};

const CONFIG: &str = ".kibitzer/config.toml";
const RULES: &str = ".kibitzer/rules/ours.toml";

static ATTEMPTS: &[Attempt] = &[
    Attempt {
        name: "config: a rule switched off",
        files: &[(CONFIG, "[guard.rules]\n'git/force-push' = 'off'\n")],
        told: ".kibitzer/config.toml:2",
        ..PLAIN
    },
    Attempt {
        name: "config: a rule that the user raised, lowered",
        files: &[(CONFIG, "[guard.rules]\n'git/stash-drop' = 'ask'\n")],
        call: "git stash drop",
        want: ("deny", "git/stash-drop"),
        told: ".kibitzer/config.toml:2",
        ..PLAIN
    },
    Attempt {
        name: "config: opaque commands let through",
        files: &[(CONFIG, "[guard]\nopaque = 'abstain'\n")],
        call: OPAQUE,
        want: ("deny", "shell/opaque"),
        told: ".kibitzer/config.toml:2",
        ..PLAIN
    },
    Attempt {
        name: "config: another default mode",
        files: &[(CONFIG, "[mode]\ndefault = 'free'\n")],
        call: DOCS,
        want: ("deny", "mode/implement"),
        told: ".kibitzer/config.toml:2",
        ..PLAIN
    },
    Attempt {
        name: "config: a known mode widened",
        files: &[(CONFIG, "[modes.implement]\nwritable = ['*']\n")],
        call: DOCS,
        want: ("deny", "mode/implement"),
        told: ".kibitzer/config.toml:2",
        ..PLAIN
    },
    Attempt {
        name: "config: a mode whose name only looks like a known one",
        files: &[(CONFIG, "[modes.\"implement\u{200b}\"]\nwritable = ['*']\n")],
        call: DOCS,
        want: ("deny", "mode/implement"),
        told: "is no name for a mode",
        ..PLAIN
    },
    Attempt {
        name: "config: a mode of its own, where the user locked the modes",
        files: &[(CONFIG, "[modes.mine]\nwritable = ['*']\n")],
        user: "lock = ['modes']\n",
        call: DOCS,
        want: ("deny", "mode/implement"),
        told: "lock",
        ..PLAIN
    },
    Attempt {
        name: "config: the user's locks taken away",
        files: &[(CONFIG, "lock = []\n[modes.mine]\nwritable = ['*']\n")],
        user: "lock = ['modes']\n",
        call: DOCS,
        want: ("deny", "mode/implement"),
        told: ".kibitzer/config.toml:1",
        ..PLAIN
    },
    Attempt {
        name: "config: failures that let calls through",
        files: &[(CONFIG, "[failure]\nconfig = 'open'\n")],
        user: "failure.config = 'closed'\n",
        call: "ls",
        want: ("deny", "fault/config"),
        told: ".kibitzer/config.toml:2",
        ..PLAIN
    },
    Attempt {
        name: "config: the ladder's log sent to a file of the user's",
        files: &[(CONFIG, "[ladder]\nlog_file = '~/.bashrc'\n")],
        told: ".kibitzer/config.toml:2",
        ..PLAIN
    },
    Attempt {
        name: "config: nothing is judged any more",
        files: &[(CONFIG, "[ladder]\nenabled = false\njudge_tools = []\n")],
        told: ".kibitzer/config.toml:2",
        ..PLAIN
    },
    Attempt {
        name: "config: git is a runner, so that the push is another program's",
        files: &[(CONFIG, "[shell]\nrunners = ['git', 'git push']\n")],
        ..PLAIN
    },
    Attempt {
        name: "config: no TOML at all, behind a line that loosens",
        files: &[(CONFIG, "[guard.rules]\n'git/force-push' = 'off'\n[[[")],
        told: "not readable as TOML",
        ..PLAIN
    },
    Attempt {
        name: "config: nested ten thousand deep",
        setup: |place| place.write("project/.kibitzer/config.toml", &format!("a = {}", "[".repeat(10_000))),
        told: ".kibitzer/config.toml:1",
        ..PLAIN
    },
    Attempt {
        name: "config: three MiB",
        setup: |place| place.write("project/.kibitzer/config.toml", &"# x\n".repeat(800_000)),
        told: "larger than 1 MiB",
        ..PLAIN
    },
    Attempt {
        name: "config: a pipe on which nobody writes",
        setup: |place| fifo(place, "project/.kibitzer/config.toml"),
        told: "not a regular file",
        ..PLAIN
    },
    Attempt {
        name: "config: a link to /dev/zero",
        setup: |place| link(place, "/dev/zero", "project/.kibitzer/config.toml"),
        told: "not a regular file",
        ..PLAIN
    },
    Attempt {
        name: "config: the local file instead",
        files: &[(".kibitzer/local.toml", LAX)],
        told: ".kibitzer/local.toml:2",
        ..PLAIN
    },
    Attempt {
        name: "names: a config of a folder below, and a `cd` into it",
        files: &[("sub/.kibitzer/config.toml", LAX)],
        call: "cd sub && git push --force",
        ..PLAIN
    },
    Attempt {
        name: "names: a pipeline of its own without a guard",
        files: &[
            (".kibitzer/pipelines/default.toml", "version = 1\n[[stage]]\nuse = 'classify'\n"),
            (".kibitzer/pipeline.toml", "version = 1\n[[stage]]\nuse = 'classify'\n"),
        ],
        ..PLAIN
    },
    Attempt {
        name: "rules: the id of a built-in rule",
        files: &[(
            RULES,
            "[pack]\nname = 'git'\nabout = 'x'\nheads = ['git']\n[[rule]]\nid = 'git/force-push'\nclass = 'vcs'\nargs = ['push']\nreason = 'x'\nmatch = ['git push', 'git push a']\nnot_match = ['git pull', 'ls']\n",
        )],
        told: ".kibitzer/rules/ours.toml:6",
        ..PLAIN
    },
    Attempt {
        name: "rules: a class that exempts",
        files: &[(
            RULES,
            "[pack]\nname = 'ours'\nabout = 'x'\nheads = ['git']\n[[rule]]\nid = 'ours/glue'\nclass = 'glue'\nargs = ['push']\nreason = 'x'\nmatch = ['git push', 'git push a']\nnot_match = ['git pull', 'ls']\n",
        )],
        told: ".kibitzer/rules/ours.toml:6",
        ..PLAIN
    },
    Attempt {
        name: "rules: options with which no rule of git matches",
        files: &[(
            RULES,
            "[pack]\nname = 'git'\nabout = 'x'\nheads = ['git']\nharmless = ['--force']\n[[rule]]\nid = 'git/mine'\nclass = 'danger'\nargs = ['frob']\nreason = 'x'\nmatch = ['git frob', 'git frob a']\nnot_match = ['git pull', 'ls']\n",
        )],
        ..PLAIN
    },
    Attempt {
        name: "rules: a verdict that lets through",
        files: &[(
            RULES,
            "[pack]\nname = 'ours'\nabout = 'x'\nheads = ['git']\n[[rule]]\nid = 'ours/fine'\nclass = 'danger'\nverdict = 'approve'\nargs = ['push']\nreason = 'x'\nmatch = ['git push', 'git push a']\nnot_match = ['git pull', 'ls']\n",
        )],
        told: ".kibitzer/rules/ours.toml:8",
        ..PLAIN
    },
    Attempt {
        name: "rules: an expression that takes all memory",
        files: &[(
            RULES,
            "[pack]\nname = 'ours'\nabout = 'x'\nheads = ['git']\n[[rule]]\nid = 'ours/slow'\nclass = 'danger'\nregex = '((((a{100}){100}){100}){100})'\nreason = 'x'\nmatch = ['git push', 'git push a']\nnot_match = ['git pull', 'ls']\n",
        )],
        told: ".kibitzer/rules/ours.toml:8",
        ..PLAIN
    },
    Attempt {
        name: "rules: a pipe on which nobody writes",
        setup: |place| fifo(place, "project/.kibitzer/rules/ours.toml"),
        told: ".kibitzer/rules/ours.toml",
        ..PLAIN
    },
    Attempt {
        name: "modes: the mode file of the repo",
        files: &[(".kibitzer/mode", "free\n")],
        call: DOCS,
        want: ("deny", "mode/implement"),
        ..PLAIN
    },
    Attempt {
        name: "modes: the mode in jetsam's state",
        files: &[(".jetsam/state.json", "{\"mode\": \"free\"}")],
        call: DOCS,
        want: ("deny", "mode/implement"),
        ..PLAIN
    },
    Attempt {
        name: "modes: mode files that the user asked for, naming one that does not exist",
        files: &[(".kibitzer/mode", "anything\n"), (".jetsam/state.json", "[[[")],
        user: "mode.from_repo = true\n",
        call: DOCS,
        want: ("deny", "mode/implement"),
        told: "there is no mode `anything`",
        ..PLAIN
    },
    Attempt {
        name: "modes: a mode file, and a config that has it count",
        files: &[(CONFIG, "[mode]\nfrom_repo = true\n"), (".kibitzer/mode", "free\n")],
        call: DOCS,
        want: ("deny", "mode/implement"),
        told: ".kibitzer/config.toml:2",
        ..PLAIN
    },
    Attempt {
        name: "modes: the agent writes the mode file itself",
        call: "@.kibitzer/mode",
        want: ("deny", "self/tool-writes"),
        ..PLAIN
    },
    Attempt {
        name: "environment: KZ_MODE",
        env: &[("KZ_MODE", "free")],
        call: DOCS,
        want: ("deny", "mode/implement"),
        told: "KZ_MODE",
        ..PLAIN
    },
    Attempt {
        name: "environment: KZ_GUARD_OPAQUE",
        env: &[("KZ_GUARD_OPAQUE", "abstain")],
        call: OPAQUE,
        want: ("deny", "shell/opaque"),
        told: "KZ_GUARD_OPAQUE",
        ..PLAIN
    },
    Attempt {
        name: "environment: the user's config taken from the project",
        files: &[("x/kz/config.toml", LAX)],
        env: &[("XDG_CONFIG_HOME", "{project}/x")],
        ..PLAIN
    },
    Attempt {
        name: "environment: the same by way of /proc",
        files: &[("x/kz/config.toml", LAX)],
        env: &[("XDG_CONFIG_HOME", "/proc/self/cwd/x")],
        ..PLAIN
    },
    Attempt {
        name: "environment: the project is the home folder",
        files: &[(".config/kz/config.toml", LAX)],
        env: &[("HOME", "{project}")],
        told: "inside the project",
        ..PLAIN
    },
    Attempt {
        name: "environment: the state kept in the project",
        files: &[("state/off.json", "[{\"since\": 0}]")],
        env: &[("KZ_STATE", "{project}/state")],
        told: "inside the project",
        ..PLAIN
    },
    Attempt {
        name: "environment: the same by way of XDG_STATE_HOME",
        files: &[("state/kz/off.json", "[{\"since\": 0}]")],
        env: &[("XDG_STATE_HOME", "{project}/state")],
        told: "inside the project",
        ..PLAIN
    },
    Attempt {
        name: "environment: a clock at which an old rest still lasts",
        setup: |place| {
            place.write(".local/state/kz/off.json", "[{\"since\": 0, \"until\": 1000}]");
            keep_private(place);
        },
        env: &[("KZ_NOW", "500")],
        ..PLAIN
    },
    Attempt {
        name: "links: a folder that leads out of what may be written",
        setup: |place| {
            fs::create_dir_all(place.project().join("docs")).unwrap();
            link(place, "../docs", "project/src/out");
        },
        call: "@src/out/a.rs",
        want: ("deny", "mode/implement"),
        ..PLAIN
    },
    Attempt {
        name: "links: the state folder under another name",
        setup: |place| {
            fs::create_dir_all(place.state()).unwrap();
            keep_private(place);
            link(place, "../../.local/state/kz", "project/src/log");
        },
        call: "@src/log/off.json",
        want: ("deny", "self/tool-writes"),
        ..PLAIN
    },
];

/// As kz makes its folder.
fn keep_private(place: &Place) {
    fs::set_permissions(place.state(), fs::Permissions::from_mode(0o700)).unwrap();
}

fn fifo(place: &Place, path: &str) {
    let path = place.home.path().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn link(place: &Place, to: &str, path: &str) {
    let path = place.home.path().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink(to, path).unwrap();
}

/// What decides and how, and what the user is told.
fn judged(attempt: &Attempt, place: &Place) -> ((String, String), String) {
    let payload = match attempt.call.strip_prefix('@') {
        Some(path) => {
            let path = place.project().join(path);
            let input = serde_json::json!({"file_path": path, "content": "x"});
            serde_json::json!({
                "session_id": "loosen", "cwd": place.project(), "permission_mode": "default",
                "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": input, "tool_use_id": "t1",
            })
            .to_string()
            .into_bytes()
        }
        None => place.bash("PreToolUse", "t1", attempt.call),
    };
    // Dry: where a row moves the state, the next folder in line is that of the account that runs the tests.
    let mut args = vec!["--dry", "--style", "envelope"];
    args.extend(attempt.args);
    let mut command = place.command("kz-run", &args);
    for (key, value) in attempt.env {
        let value = value.replace("{project}", place.project().to_str().unwrap());
        command.env(key, value.replace("{home}", place.home.path().to_str().unwrap()));
    }
    let output = feed(command, &payload);
    assert_eq!(output.status.code(), Some(0), "{}: {}", attempt.name, text(&output.stderr));
    let envelope: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let word = |key: &str| envelope["decision"][key].as_str().unwrap_or_default().to_owned();
    let faults = envelope["faults"].as_array().into_iter().flatten();
    let told: Vec<&str> = faults.filter_map(|fault| fault["text"].as_str()).collect();
    ((word("say"), word("rule")), told.join("\n"))
}

#[test]
#[expect(clippy::print_stdout, reason = "the table is for people, and shown with `--nocapture` only")]
fn a_cloned_repo_loosens_nothing() {
    let mut wrong = Vec::new();
    for attempt in ATTEMPTS {
        let place = Place::new();
        place.write(".config/kz/config.toml", &format!("{}{USER}", attempt.user));
        for (path, content) in attempt.files {
            place.write(&format!("project/{path}"), content);
        }
        (attempt.setup)(&place);
        let ((say, rule), told) = judged(attempt, &place);
        let first = told.lines().next().unwrap_or("nothing to tell");
        println!("{:62} {say} {rule}: {first}", attempt.name);
        let as_wanted = say == attempt.want.0 && rule == attempt.want.1;
        let silent_or_told = if attempt.told.is_empty() { told.is_empty() } else { told.contains(attempt.told) };
        if !as_wanted || !silent_or_told {
            wrong.push(format!("{}: {say} {rule}, wanted {:?}; told: {told}", attempt.name, attempt.want));
        }
    }
    assert!(ATTEMPTS.len() >= 30);
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), ATTEMPTS.len(), wrong.join("\n"));
}

/// The same things said by the user do count, so that a row above cannot hold by chance.
#[test]
fn the_user_may_do_what_the_repo_may_not() {
    let place = Place::new();
    place.write(".config/kz/config.toml", &format!("mode.from_repo = true\n{USER}"));
    place.write("project/.kibitzer/mode", "docs\n");
    assert_eq!(judged(&Attempt { call: DOCS, ..PLAIN }, &place).0.0, "none");
    place.write("project/.jetsam/state.json", "{\"pid\": 1, \"mode\": \"review\"}");
    assert_eq!(judged(&Attempt { call: DOCS, ..PLAIN }, &place).0.1, "mode/review");
    for (call, want) in [(PUSH, "none"), (OPAQUE, "none"), (DOCS, "none")] {
        let place = Place::new();
        place.write(".config/kz/config.toml", LAX);
        let ((say, _), told) = judged(&Attempt { call, ..PLAIN }, &place);
        assert_eq!((say.as_str(), told.as_str()), (want, ""), "{call}");
    }
}
