//! Pipelines, plans, traces; and a state or config folder that is not as it should be.

use crate::support::{Place, feed, json, text};
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::{Duration, Instant};

const SESSION: &str = "sessions/5b1f0c1e-0000-4000-8000-000000000001";

fn deny(place: &Place) -> Vec<u8> {
    place.bash("PreToolUse", "t1", "git push --force")
}

#[test]
fn the_plan_names_every_stage_and_where_it_was_named() {
    let place = Place::new();
    let plan = text(&place.run("kz-run", &["--plan"], b"").stdout);
    for want in ["kz-normalize", "kz-classify", "kz-guard", "kz-ladder", "kz-decide", "pipelines/default.toml:5"] {
        assert!(plan.contains(want), "{plan}");
    }
    let line = text(&place.run("kz-run", &["--plan", "--format", "shell"], b"").stdout);
    assert_eq!(line, "kz-normalize | kz-classify | kz-guard | kz-ladder | kz-decide\n");
}

#[test]
fn the_shell_line_of_the_plan_does_what_kz_run_does() {
    let (piped, fused) = (Place::new(), Place::new());
    let line = text(&piped.run("kz-run", &["--plan", "--format", "shell"], b"").stdout);
    let mut shell = Command::new("sh");
    let like = piped.command("kz", &[]);
    shell.args(["-c", line.trim()]).env_clear().current_dir(piped.project());
    for (key, value) in like.get_envs() {
        let path = format!("{}:/usr/bin:/bin", value.unwrap_or_default().to_string_lossy());
        shell.env(key, if key == "PATH" { path.as_str().into() } else { value.unwrap_or_default().to_owned() });
    }
    let through_shell = feed(shell, &deny(&piped));
    assert_eq!(through_shell.stdout, fused.run("kz-run", &[], &deny(&fused)).stdout);
}

#[test]
fn a_users_pipeline_is_found_and_a_broken_one_leaves_the_built_in() {
    let place = Place::new();
    place.write(
        ".config/kz/pipelines/quiet.toml",
        "version = 1\nabout = \"only look\"\n[[stage]]\nuse = \"classify\"\n",
    );
    let output = place.run("kz-run", &["quiet"], &deny(&place));
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    let plan = text(&place.run("kz-run", &["quiet", "--plan", "--format", "shell"], b"").stdout);
    assert_eq!(plan, "kz-normalize --for classify | kz-classify | kz-decide\n");

    place.write(".config/kz/pipelines/default.toml", "version = 1\n[[stage]]\nuse = \"gaurd\"\n");
    let output = place.run("kz-run", &[], &deny(&place));
    let said = json(&output.stdout);
    assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "deny");
    let message = said["systemMessage"].as_str().unwrap();
    assert!(message.contains("default.toml:3") && message.contains("did you mean `guard`"), "{message}");
}

#[test]
fn an_unknown_pipeline_is_said_and_blocks_nothing() {
    let place = Place::new();
    let output = place.run("kz-run", &["defualt"], &deny(&place));
    assert_eq!(output.status.code(), Some(0));
    assert!(json(&output.stdout)["systemMessage"].as_str().unwrap().contains("there is no pipeline `defualt`"));
}

#[test]
fn trace_prints_a_json_line_per_stage() {
    let place = Place::new();
    let mut command = place.command("kz-run", &[]);
    command.env("KZ_TRACE", "1");
    let output = feed(command, &deny(&place));
    let stages: Vec<_> = text(&output.stderr).lines().map(|line| json(line.as_bytes())["stage"].to_string()).collect();
    assert_eq!(stages, ["\"classify\"", "\"guard\"", "\"ladder\""]);
}

#[test]
fn dry_commits_nothing() {
    let place = Place::new();
    let output = place.run("kz-run", &["--dry"], &deny(&place));
    assert_eq!(json(&output.stdout)["hookSpecificOutput"]["permissionDecision"], "deny");
    assert!(place.files().is_empty(), "{:?}", place.files());
}

#[test]
fn a_call_with_nothing_to_say_prints_and_writes_nothing() {
    let place = Place::new();
    let output = place.run("kz-run", &[], &place.bash("PreToolUse", "t1", "git status"));
    assert_eq!((output.stdout.len(), output.stderr.len()), (0, 0));
    assert!(!place.state().exists());
}

/// The same in a session that nobody has seen: where the scratch state is refused, the account's own is read.
fn deny_anew(place: &Place) -> Vec<u8> {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let session = format!("t-{}-{}", std::process::id(), since.as_nanos());
    text(&deny(place)).replace("5b1f0c1e-0000-4000-8000-000000000001", &session).into_bytes()
}

/// The call is judged, the user hears of it, nothing hangs.
fn still_judged(place: &Place, what: &str, wants_message: bool) {
    judged_with(place, &[], what, wants_message);
}

fn judged_with(place: &Place, args: &[&str], what: &str, wants_message: bool) {
    let start = Instant::now();
    let payload = if args.contains(&"--dry") { deny_anew(place) } else { deny(place) };
    let output = place.run("kz-run", args, &payload);
    assert!(start.elapsed() < Duration::from_secs(5), "{what}: waited");
    assert_eq!(output.status.code(), Some(0), "{what}");
    let said = json(&output.stdout);
    assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "deny", "{what}: {said}");
    if wants_message {
        assert!(said["systemMessage"].as_str().is_some_and(|text| text.starts_with("kz: ")), "{what}: {said}");
    }
}

#[test]
fn fifos_where_files_should_be_block_nothing() {
    let fifo = |place: &Place, path: &str| {
        let path = place.home.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    };
    let log = format!(".local/state/kz/{SESSION}/events.jsonl");
    for path in [".config/kz/config.toml", "project/.kibitzer/config.toml", &log, ".local/state/kz/off.json"] {
        let place = Place::new();
        fifo(&place, path);
        // The folder that the FIFO brought is not private yet.
        if place.state().exists() {
            fs::set_permissions(place.state(), fs::Permissions::from_mode(0o700)).unwrap();
        }
        still_judged(&place, path, true);
    }
}

#[test]
fn a_huge_config_is_refused_and_a_huge_log_is_read_from_its_end() {
    let place = Place::new();
    place.write(".config/kz/config.toml", &"# filler\n".repeat(200_000));
    still_judged(&place, "huge config", true);

    let place = Place::new();
    place.run("kz-run", &[], &deny(&place));
    let log = place.state().join(SESSION).join("events.jsonl");
    fs::write(&log, "{\"at\":1,\"by\":\"x\",\"kind\":\"y\"}\n".repeat(500_000)).unwrap();
    still_judged(&place, "huge log", false);
}

#[test]
fn a_folder_or_a_file_in_the_way_of_the_state_is_said() {
    let place = Place::new();
    place.write(".local/state/kz", "a file");
    // Dry: the next folder in line is that of the account that runs the tests.
    judged_with(&place, &["--dry"], "file for folder", true);

    let place = Place::new();
    fs::create_dir_all(place.state().join(SESSION).join("events.jsonl")).unwrap();
    fs::set_permissions(place.state(), fs::Permissions::from_mode(0o700)).unwrap();
    still_judged(&place, "folder for file", true);
}

#[test]
fn a_state_folder_inside_the_project_is_refused() {
    let place = Place::new();
    // Dry: the next folder in line is that of the account that runs the tests.
    let mut command = place.command("kz-run", &["--dry"]);
    command.env("KZ_STATE", place.project().join("state"));
    let output = feed(command, &deny_anew(&place));
    let said = json(&output.stdout);
    assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "deny");
    assert!(said["systemMessage"].is_string(), "{said}");
    assert!(!place.project().join("state").exists());
}

#[test]
fn a_log_locked_for_seconds_by_another_process_is_written_all_the_same() {
    let place = Place::new();
    place.run("kz-run", &[], &deny(&place));
    let log = place.state().join(SESSION).join("events.jsonl");
    let before = fs::read_to_string(&log).unwrap().lines().count();
    let file = File::open(&log).unwrap();
    file.lock().unwrap();
    let start = Instant::now();
    let output = place.run("kz-run", &[], &place.bash("PreToolUse", "t2", "git push --force"));
    assert!(start.elapsed() < Duration::from_secs(3));
    assert_eq!(json(&output.stdout)["hookSpecificOutput"]["permissionDecision"], "deny");
    file.unlock().unwrap();
    assert!(fs::read_to_string(&log).unwrap().lines().count() > before);
}

#[test]
fn a_config_that_does_not_read_names_file_and_line_and_the_rest_works() {
    let place = Place::new();
    place.write(
        ".config/kz/config.toml",
        "[ladder]\nthreshold = 1\nenforc = \"all\"\n[guard.rules]\n\"git/force-push\" = \"ask\"\n",
    );
    let output = place.run("kz-run", &[], &deny(&place));
    let said = json(&output.stdout);
    assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "ask");
    let message = said["systemMessage"].as_str().unwrap();
    assert!(message.contains("config.toml:3") && message.contains("enforc"), "{message}");
}

#[test]
fn the_user_hears_of_a_fault_once_a_session() {
    let place = Place::new();
    place.write(".config/kz/config.toml", "nonsense = 1\n");
    let first = place.run("kz-run", &[], &place.bash("PreToolUse", "t1", "ls"));
    assert!(json(&first.stdout)["systemMessage"].is_string());
    let second = place.run("kz-run", &[], &place.bash("PreToolUse", "t2", "ls"));
    assert!(second.stdout.is_empty(), "{}", text(&second.stdout));
}

#[test]
fn a_mode_protects_what_it_does_not_let_write() {
    let place = Place::new();
    place.write(".config/kz/config.toml", "[mode]\ndefault = \"implement\"\n");
    for (command, denied) in [
        ("echo x > src/new.rs", false),
        ("echo x > tests/new.rs", true),
        ("cd tests && sed -i s/a/b/ a.rs", true),
        ("cat tests/a.rs", false),
    ] {
        let output = place.run("kz-run", &["--dry"], &place.bash("PreToolUse", "t", command));
        assert_eq!(text(&output.stdout).contains("[kz mode/implement]"), denied, "{command}: {}", text(&output.stdout));
    }
}

#[test]
fn kz_mode_changes_the_mode_of_a_session() {
    let place = Place::new();
    place.write(".config/kz/config.toml", "[mode]\ndefault = \"implement\"\n");
    let write = |id: &str| place.run("kz-run", &[], &place.bash("PreToolUse", id, "echo x > tests/a.rs")).stdout;
    let denied = text(&write("t1"));
    assert!(denied.contains("To edit tests: `kz mode test_dev`"), "{denied}");
    let mut inside = place.command("kz", &["mode", "test_dev"]);
    inside.env("CLAUDE_CODE_SESSION_ID", "5b1f0c1e-0000-4000-8000-000000000001");
    let switched = feed(inside, b"");
    assert!(text(&switched.stdout).starts_with("mode test_dev: tests/, test/, spec/ may be written"), "{switched:?}");
    assert_eq!(text(&write("t2")), "");
    let unknown = place.run("kz", &["mode", "test_def", "--session", "x"], b"");
    assert_eq!(unknown.status.code(), Some(1));
    assert!(text(&unknown.stderr).contains("did you mean `kz mode test_dev`?"));
    let nowhere = place.run("kz", &["mode", "review"], b"");
    assert!(text(&nowhere.stderr).contains("which session?"), "{nowhere:?}");
}

#[test]
fn moved_folders_of_kz_are_shielded() {
    let place = Place::new();
    let moved = place.home.path().join("elsewhere");
    for (variable, target) in [
        ("KZ_STATE", "elsewhere/off.json"),
        ("XDG_STATE_HOME", "elsewhere/kz/off.json"),
        ("XDG_CONFIG_HOME", "elsewhere/kz/config.toml"),
    ] {
        let target = place.home.path().join(target);
        for command in [
            format!("echo x > {}", target.display()),
            format!("sed -i s/a/b/ {}", target.display()),
            format!("rm -rf {}", target.parent().unwrap().display()),
        ] {
            let mut run = place.command("kz-run", &["--dry", "--style", "envelope"]);
            run.env(variable, &moved);
            let envelope = json(&feed(run, &place.bash("PreToolUse", "t", &command)).stdout);
            let rules: Vec<_> = envelope["votes"].as_array().unwrap().iter().map(|vote| &vote["rule"]).collect();
            assert!(rules.iter().any(|rule| *rule == "self/change"), "{variable} {command}: {rules:?}");
        }
    }
}

#[test]
fn test_rows_of_config_and_pipelines_run_and_their_faults_are_named() {
    let place = Place::new();
    let row =
        |say: &str| format!("[[test]]\ngiven = {{ command = 'git push --force' }}\nexpect = {{ say = '{say}' }}\n");
    let said = |args: &[&str]| {
        let ran = place.run("kz", args, b"");
        (ran.status.code(), text(&ran.stdout), text(&ran.stderr))
    };
    let (code, out, _) = said(&["test"]);
    assert_eq!((code, out.lines().count()), (Some(0), 1), "{out}");
    assert!(out.starts_with("no `[[test]]` rows"), "{out}");

    let stages = "version = 1\n[[stage]]\nuse = 'classify'\n";
    place.write(".config/kz/pipelines/look.toml", &format!("{stages}{}", row("none")));
    assert_eq!(said(&["test"]), (Some(0), "1 test, all as expected\n".into(), String::new()));
    assert_eq!(said(&["test", "look", "-v"]).1, "ok    test 1\n1 test, all as expected\n");
    // The same row where the guard stands fails, and the exit code says so.
    place.write("project/rows.toml", &row("none"));
    let (code, out, _) = said(&["test", "rows.toml"]);
    assert!(
        code == Some(1) && out.contains("WRONG test 1 (rows.toml:1)") && out.contains("got deny by git/force-push"),
        "{out}"
    );
    assert_eq!(said(&["test", "rows.toml", "--pipeline", "look"]).0, Some(0));

    for (args, want) in [
        (&["test", "nothing.toml"][..], "kz: cannot read `nothing.toml`"),
        (&["test", "nobody"], "there is no pipeline `nobody`"),
    ] {
        let (code, out, err) = said(args);
        assert!(code == Some(1) && out.is_empty() && err.contains(want), "{out}{err}");
    }
    place.write("project/rows.toml", "[[test]]\ngiven = { comand = 'ls' }\nexpect = { say = 'none' }\n");
    let (code, out, _) = said(&["test", "rows.toml"]);
    assert_eq!(code, Some(1));
    assert!(out.starts_with("rows.toml:2:11: `given` has no key `comand`\n  hint: did you mean `command`?"), "{out}");
    assert!(out.ends_with("1 test, 0 not as expected, 1 not understood\n"), "{out}");
}

#[test]
fn what_a_person_allows_once_passes_once() {
    let place = Place::new();
    let said = |id: &str| text(&place.run("kz-run", &[], &place.bash("PreToolUse", id, "git push --force")).stdout);
    assert!(said("t1").contains("[kz git/force-push]"));
    let list = text(&place.run("kz", &["allow-once"], b"").stdout);
    let id = list.split_whitespace().next().unwrap().to_owned();
    assert!(list.ends_with("Bash git push --force\n") && list.contains("git/force-push") && id.len() == 8, "{list}");
    assert!(text(&place.run("kz", &["explain", "--last"], b"").stdout).contains(&format!("`kz allow-once {id}`")));

    // No terminal, no permission; and an agent gets none at all.
    let alone = place.run("kz", &["allow-once", &id], b"y\n");
    assert_eq!(alone.status.code(), Some(1));
    let mut inside = place.command("kz", &["allow-once", &id]);
    inside.env("CLAUDECODE", "1");
    assert!(text(&feed(inside, b"y\n").stderr).contains("is for a person"));
    let unknown = text(&place.run("kz", &["allow-once", "00000000"], b"").stderr);
    assert!(unknown.contains("`00000000` is none of the last calls that were stopped"), "{unknown}");
    assert!(said("t2").contains("[kz git/force-push]"));

    // As the verb writes it behind a yes on the terminal.
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    let written = format!("[{{\"id\":\"{id}\",\"since\":{since},\"until\":{}}}]", since + 600_000);
    place.write(".local/state/kz/allowed.json", &written);
    let other = place.bash("PreToolUse", "t3", "git push --force origin main");
    assert!(text(&place.run("kz-run", &[], &other).stdout).contains("[kz git/force-push]"), "another call");
    let allowed = json(said("t4").as_bytes());
    assert_eq!(allowed["systemMessage"], "kz: allowed this once, as you said: git/force-push would have stopped it");
    assert!(allowed["hookSpecificOutput"]["permissionDecision"].is_null(), "{allowed}");
    assert!(said("t5").contains("[kz git/force-push]"), "once is once");
    assert!(!place.state().join("allowed.json").exists());
    // Nor does it help to bring the file back.
    place.write(".local/state/kz/allowed.json", &written);
    assert!(said("t6").contains("[kz git/force-push]"));
    let ledger = fs::read_to_string(place.state().join("ledger.jsonl")).unwrap();
    assert_eq!(ledger.matches("allow_once").count(), 1, "{ledger}");
}

#[test]
fn of_many_hooks_at_once_one_is_allowed() {
    let place = Place::new();
    let run = |id: &str| place.run("kz-run", &[], &place.bash("PreToolUse", id, "git push --force"));
    run("t0");
    let list = text(&place.run("kz", &["allow-once"], b"").stdout);
    let id = list.split_whitespace().next().unwrap().to_owned();
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    let written = format!("[{{\"id\":\"{id}\",\"since\":{since},\"until\":{}}}]", since + 600_000);
    place.write(".local/state/kz/allowed.json", &written);
    let passed: usize = std::thread::scope(|scope| {
        let all: Vec<_> =
            (1..=16).map(|n| (n, &run)).map(|(n, run)| scope.spawn(move || run(&format!("t{n}")))).collect();
        all.into_iter().map(|one| usize::from(text(&one.join().unwrap().stdout).contains("allowed this once"))).sum()
    });
    assert_eq!(passed, 1);
}
