//! The verbs on a scratch home, with a stand-in for kz-run that answers like the real one.
#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::config::test::disk::Disk;
use install::{At, Install};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use uninstall::Uninstall;

const DENIES: &str = "#!/bin/sh\n[ \"$1\" = --version ] && echo kz-run 0.1.0 && exit\n[ -d \"$KZ_STATE\" ] || exit 1\ngrep -q 'git push --force' && echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"no [kz git/force-push]\"}}'\n";

struct Someone {
    mark: Option<String>,
    answer: Option<&'static str>,
}

impl Person for Someone {
    fn mark(&self) -> Option<String> {
        self.mark.clone()
    }
    fn ask(&mut self, _: &str) -> io::Result<String> {
        self.answer.map(str::to_owned).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

struct Scene {
    folder: tempfile::TempDir,
    disk: Disk,
    person: Someone,
}

impl Scene {
    fn new(kz_run: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut disk = Disk::new(&folder.path().join("home"));
        for name in ["home/.claude", "bin dir", "repo/.git"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        for name in ["kz", "kz-run", "kz-normalize", "kz-classify", "kz-guard", "kz-ladder", "kz-decide"] {
            let path = folder.path().join("bin dir").join(name);
            fs::write(&path, kz_run).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        disk.current = folder.path().join("repo");
        disk.set("PATH", folder.path().join("bin dir").to_str().unwrap());
        Self { folder, disk, person: Someone { mark: None, answer: Some("y\n") } }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn settings(&self) -> PathBuf {
        self.path("home/.claude/settings.json")
    }

    fn on(&mut self, verb: impl FnOnce(&mut Desk) -> io::Result<Exit>) -> (Exit, String, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let programs = self.folder.path().join("bin dir");
        let mut desk =
            Desk { world: &self.disk, person: &mut self.person, programs: &programs, out: &mut out, err: &mut err };
        let exit = verb(&mut desk).unwrap();
        let folder = self.folder.path().to_str().unwrap().to_owned();
        let text = |bytes| String::from_utf8(bytes).unwrap().replace(&folder, "/scene");
        (exit, text(out), text(err))
    }

    fn install(&mut self, args: &Install) -> (Exit, String, String) {
        self.on(|desk| install::run(args, desk))
    }

    fn uninstall(&mut self) -> (Exit, String, String) {
        self.on(|desk| uninstall::run(&Uninstall::default(), desk))
    }
}

#[test]
fn a_fresh_install_answers_and_leaves_no_trace_when_it_goes() {
    let mut scene = Scene::new(DENIES);
    let (exit, out, err) = scene.install(&Install::default());
    assert_eq!(err, "");
    assert_eq!(
        out,
        "hooks for 5 events are in ~/.claude/settings.json\nfired `git push --force` at it: denied: no [kz git/force-push]\n"
    );
    assert_eq!(exit, Exit::Done);
    let text = fs::read_to_string(scene.settings()).unwrap();
    assert!(text.contains("bin dir/kz-run'\""), "{text}");
    let (exit, out, _) = scene.install(&Install::default());
    assert_eq!((exit, out.lines().next()), (Exit::Done, Some("already installed in ~/.claude/settings.json")));
    assert_eq!(fs::read_to_string(scene.settings()).unwrap(), text);
    assert_eq!(scene.uninstall().1, "removed ~/.claude/settings.json, which held nothing else\n");
    assert_eq!(fs::read_dir(scene.path("home/.claude")).unwrap().count(), 0);
}

#[test]
fn the_file_comes_back_byte_for_byte_with_its_mode_and_link() {
    for text in
        ["", "\n", "{}", "{ }\n", "{\"hooks\": { }}", "{\r\n\t\"model\": \"x\",\r\n\t\"hooks\": {\"Stop\": [ ]}\r\n}"]
    {
        let mut scene = Scene::new(DENIES);
        let real = scene.path("dotfiles.json");
        fs::write(&real, text).unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, scene.settings()).unwrap();
        let (exit, _, err) = scene.install(&Install { fail_closed: true, ..Install::default() });
        assert_eq!((exit, err), (Exit::Done, String::new()));
        assert_eq!(fs::read_to_string(scene.path("home/.claude/settings.json.kz-backup")).unwrap(), text);
        assert_eq!(fs::read_to_string(&real).unwrap().matches("\"block\"").count(), 1);
        assert_eq!(scene.uninstall().0, Exit::Done);
        assert_eq!(fs::read_to_string(&real).unwrap(), text);
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(scene.settings()).unwrap().is_symlink());
        assert_eq!(fs::read_dir(scene.path("home/.claude")).unwrap().count(), 1);
    }
}

#[test]
fn what_changed_meanwhile_stays() {
    let mut scene = Scene::new(DENIES);
    fs::write(scene.settings(), "{\n  \"model\": \"x\"\n}\n").unwrap();
    scene.install(&Install::default());
    let text = fs::read_to_string(scene.settings()).unwrap().replace("\"x\"", "\"y\"");
    fs::write(scene.settings(), text).unwrap();
    let (exit, out, _) = scene.uninstall();
    assert_eq!(exit, Exit::Done);
    assert!(out.contains("settings.json.kz-backup"), "{out}");
    assert_eq!(fs::read_to_string(scene.settings()).unwrap(), "{\n  \"model\": \"y\"\n}\n");
}

#[test]
fn a_dry_run_shows_a_diff_and_writes_nothing() {
    let mut scene = Scene::new(DENIES);
    fs::write(scene.settings(), "{\n  \"model\": \"x\"\n}").unwrap();
    let (exit, out, _) = scene.install(&Install { dry_run: true, mode: Some("review".into()), ..Install::default() });
    assert_eq!(exit, Exit::Done);
    assert!(out.contains("-  \"model\": \"x\"\n+  \"model\": \"x\",\n+  \"hooks\": {"), "{out}");
    assert!(out.contains("+default = \"review\""), "{out}");
    assert_eq!(fs::read_to_string(scene.settings()).unwrap(), "{\n  \"model\": \"x\"\n}");
    assert!(!scene.path("home/.config").exists());
}

#[test]
fn a_file_that_the_host_would_drop_is_not_written_to() {
    let mut scene = Scene::new(DENIES);
    let text = "{\n  \"hooks\": {\"PreToolUse\": [{\"command\": \"x\"}]}\n}";
    fs::write(scene.settings(), text).unwrap();
    let (exit, out, err) = scene.install(&Install::default());
    assert_eq!((exit, out), (Exit::Failed, String::new()));
    assert_eq!(
        err,
        "kz: ~/.claude/settings.json:2:28: an entry of `PreToolUse` has no `hooks` list: the host drops the whole file\n  \
         hint: nothing was written; put this right and run `kz install` again\n"
    );
    assert_eq!(fs::read_to_string(scene.settings()).unwrap(), text);
    fs::remove_file(scene.settings()).unwrap();
    fs::create_dir(scene.settings()).unwrap();
    assert!(scene.install(&Install::default()).2.contains("not a regular file"));
    fs::remove_dir(scene.settings()).unwrap();
    symlink("/nowhere/at/all", scene.settings()).unwrap();
    assert!(scene.install(&Install::default()).2.contains("leads nowhere"));
}

#[test]
fn a_hook_that_does_not_deny_is_said_so() {
    for (script, seen) in
        [("#!/bin/sh\nexit 0\n", "nothing on stdout"), ("#!/bin/sh\necho oops >&2; exit 3\n", "stderr: oops")]
    {
        let mut scene = Scene::new(script);
        let (exit, _, err) = scene.install(&Install::default());
        assert_eq!(exit, Exit::Failed);
        assert!(err.contains("does not deny `git push --force`") && err.contains(seen), "{err}");
    }
}

#[test]
fn scopes_have_their_files_and_commands() {
    let mut scene = Scene::new(DENIES);
    scene.disk.current = scene.path("repo/sub");
    fs::create_dir_all(scene.path("repo/sub")).unwrap();
    // The check needs `kz-run` on the PATH of this process, which a test may not change.
    scene.install(&Install { at: At { project: true, ..At::default() }, ..Install::default() });
    let text = fs::read_to_string(scene.path("repo/.claude/settings.json")).unwrap();
    assert_eq!(text.matches("\"command\": \"kz-run\"").count(), 5);
    assert_eq!(scene.install(&Install { at: At { local: true, ..At::default() }, ..Install::default() }).0, Exit::Done);
    assert!(scene.path("repo/.claude/settings.local.json").exists());
    let moved = scene.path("elsewhere");
    scene.disk.set("CLAUDE_CONFIG_DIR", moved.to_str().unwrap());
    assert_eq!(scene.install(&Install::default()).0, Exit::Done);
    assert!(moved.join("settings.json").exists());
}

#[test]
fn a_mode_is_written_once_and_never_over_another() {
    let mut scene = Scene::new(DENIES);
    let config = scene.path("home/.config/kz/config.toml");
    let mode = |name: &str| Install { mode: Some(name.to_owned()), ..Install::default() };
    let (exit, _, err) = scene.install(&mode("implment"));
    assert_eq!((exit, err.lines().next()), (Exit::Failed, Some("kz: there is no mode `implment`")));
    assert!(!scene.settings().exists(), "refused before anything is written");
    assert_eq!(scene.install(&mode("implement")).0, Exit::Done);
    assert_eq!(fs::read_to_string(&config).unwrap(), "[mode]\ndefault = \"implement\"\n");
    assert_eq!(scene.install(&mode("implement")).0, Exit::Done);
    let (exit, _, err) = scene.install(&mode("review"));
    assert_eq!(exit, Exit::Failed);
    assert_eq!(
        err,
        "kz: ~/.config/kz/config.toml:2: sessions begin in mode \"implement\" there\n  hint: change that line to `default = \"review\"` yourself\n"
    );
    fs::write(&config, "# mine\n[mode] # here\nopaque = \"ask\"\n\n[ladder]\nlog = false").unwrap();
    assert_eq!(scene.install(&mode("review")).0, Exit::Done);
    assert_eq!(
        fs::read_to_string(&config).unwrap(),
        "# mine\n[mode] # here\ndefault = \"review\"\nopaque = \"ask\"\n\n[ladder]\nlog = false"
    );
    fs::write(&config, "mode = { opaque = \"ask\" }\n").unwrap();
    assert_eq!(scene.install(&mode("review")).0, Exit::Failed);
    assert_eq!(fs::read_to_string(&config).unwrap(), "mode = { opaque = \"ask\" }\n");
}

#[test]
fn an_agent_may_not_and_a_no_is_a_no() {
    let mut scene = Scene::new(DENIES);
    scene.install(&Install::default());
    let text = fs::read_to_string(scene.settings()).unwrap();
    let off = switch::Off { session: None, span: Some("30m".into()) };
    let refused = |scene: &mut Scene, word: &str| {
        for (exit, out, err) in [scene.uninstall(), scene.on(|desk| switch::off(&off, desk))] {
            assert_eq!(exit, Exit::Failed);
            assert!((out + &err).contains(word));
        }
        assert_eq!(fs::read_to_string(scene.settings()).unwrap(), text);
        assert!(!scene.path("home/.local/state/kz/off.json").exists());
    };
    scene.person.mark = Some("`CLAUDECODE` is set".into());
    refused(&mut scene, "for a person, and this runs inside an agent (`CLAUDECODE` is set)");
    scene.person = Someone { mark: None, answer: None };
    refused(&mut scene, "asks on the terminal, and there is none");
    scene.person.answer = Some("\n");
    refused(&mut scene, "nothing changed");
}

#[test]
fn off_and_on_again() {
    let mut scene = Scene::new(DENIES);
    let off = switch::Off { session: None, span: Some("30m".into()) };
    let (exit, out, err) = scene.on(|desk| switch::off(&off, desk));
    assert_eq!((exit, err.as_str()), (Exit::Done, ""));
    assert!(out.starts_with("kz is off for all sessions, until 2025-11-30T"), "{out}");
    assert!(scene.path("home/.local/state/kz/off.json").exists());
    scene.person.mark = Some("an agent may switch on".into());
    assert_eq!(scene.on(|desk| switch::on(&switch::On {}, desk)).1, "kz is on\n");
    assert!(!scene.path("home/.local/state/kz/off.json").exists());
}

#[test]
fn the_doctor_tells_good_from_bad() {
    let mut scene = Scene::new(DENIES);
    scene.install(&Install::default());
    let (exit, out, _) = scene.on(|desk| doctor::run(&doctor::Doctor::default(), desk));
    assert_eq!(exit, Exit::Done, "{out}");
    assert!(out.contains("ok   answer: `'/scene/bin dir/kz-run'`: denied: no [kz git/force-push]"), "{out}");
    fs::write(scene.settings(), "{\"hooks\": {\"PreToolUse\": [{\"command\": \"kz-run\"}]}}").unwrap();
    fs::create_dir_all(scene.path("repo/.kibitzer")).unwrap();
    fs::write(scene.path("repo/.kibitzer/config.toml"), "[ladder]\nlog = false\n").unwrap();
    fs::remove_file(scene.path("bin dir/kz-guard")).unwrap();
    let (exit, out, _) = scene.on(|desk| doctor::run(&doctor::Doctor { json: true }, desk));
    assert_eq!(exit, Exit::Failed);
    let rows: Vec<serde_json::Value> = serde_json::from_str(&out).unwrap();
    let has = |level: &str, text: &str| {
        rows.iter().any(|row| row["level"] == level && row["text"].as_str().unwrap().contains(text))
    };
    assert!(has("fail", "`kz-guard` is not in"), "{out}");
    assert!(has("fail", "no `hooks` list"), "{out}");
    assert!(has("fail", "no hook before a tool is registered"), "{out}");
    assert!(has("warn", "`ladder.log` may not be set in the project layer"), "{out}");
}

#[test]
fn a_trusted_repo_says_what_a_user_may_until_a_byte_changes() {
    let mut scene = Scene::new(DENIES);
    let config = "guard.rules.\"git/force-push\" = \"off\"\n";
    let trust = |scene: &mut Scene, args: &trust::Trust| scene.on(|desk| trust::run(args, desk));
    let counts = |scene: &Scene| {
        let root = scene.path("repo");
        let config = crate::config::load(&scene.disk, Some(&root), &crate::config::Options::default());
        let told: String = config.faults.iter().map(|fault| format!("{}\n", fault.text)).collect();
        (config.guard.rules.contains_key("git/force-push"), told)
    };
    let plain = trust::Trust::default();
    let (exit, _, err) = trust(&mut scene, &plain);
    assert!(exit == Exit::Failed && err.contains("/scene/repo has no .kibitzer/config.toml"), "{err}");
    fs::create_dir_all(scene.path("repo/.kibitzer/rules")).unwrap();
    fs::write(scene.path("repo/.kibitzer/config.toml"), config).unwrap();
    assert!(!counts(&scene).0);

    // No agent may, and who says no has not.
    scene.person = Someone { mark: Some("`CLAUDECODE` is set".into()), answer: Some("y\n") };
    assert_eq!(trust(&mut scene, &plain).0, Exit::Failed);
    scene.person = Someone { mark: None, answer: Some("\n") };
    let (exit, out, _) = trust(&mut scene, &plain);
    assert!(exit == Exit::Failed && out.contains("+guard.rules.\"git/force-push\" = \"off\""), "{out}");
    assert!(out.contains("without trust these do not count:\n  .kibitzer/config.toml:1:13: "), "{out}");
    assert!(!counts(&scene).0);

    scene.person = Someone { mark: None, answer: Some("y\n") };
    let (exit, out, _) = trust(&mut scene, &plain);
    assert!(exit == Exit::Done && out.contains("trusted: 1 file of /scene/repo"), "{out}");
    assert_eq!(counts(&scene), (true, String::new()));
    assert_eq!(trust(&mut scene, &trust::Trust { list: true, ..plain }).1, "/scene/repo: as accepted\n");
    let plain = trust::Trust::default();
    assert!(trust(&mut scene, &plain).1.contains("is trusted already"));

    // A later pull is any repo's again, and the person hears of it.
    fs::write(scene.path("repo/.kibitzer/config.toml"), format!("{config}# more\n")).unwrap();
    let (on, told) = counts(&scene);
    assert!(!on && told.contains("not as you trusted it"), "{told}");
    let listed = trust(&mut scene, &trust::Trust { list: true, ..plain }).1;
    assert_eq!(listed, "/scene/repo: not as accepted: .kibitzer/config.toml\n");
    assert!(trust(&mut scene, &trust::Trust::default()).1.contains("+# more"));
    assert_eq!(counts(&scene), (true, String::new()));
    let forget = trust::Trust { forget: true, ..trust::Trust::default() };
    assert_eq!(trust(&mut scene, &forget).1, "no longer trusted: /scene/repo\n");
    assert!(!counts(&scene).0);

    // A lock holds all the same.
    assert_eq!(trust(&mut scene, &trust::Trust::default()).0, Exit::Done);
    fs::create_dir_all(scene.path("home/.config/kz")).unwrap();
    fs::write(scene.path("home/.config/kz/config.toml"), "lock = [\"guard.rules\"]\n").unwrap();
    let (on, told) = counts(&scene);
    assert!(!on && told.contains("is locked"), "{told}");
}
