//! A hook that is killed half way, for real, and what comes after.

use super::*;
use kibitzer::world::{Appended, Real, Stat, World};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// The machine, but for one thing: the process is killed before its `left`th change of a file.
struct Dying {
    real: Real,
    left: AtomicU32,
    /// Bytes that were read.
    read: AtomicU64,
}

impl Dying {
    fn new(left: u32) -> Self {
        Self { real: Real::new(), left: AtomicU32::new(left), read: AtomicU64::new(0) }
    }

    fn count(&self, bytes: &[u8]) {
        self.read.fetch_add(bytes.len() as u64, Ordering::SeqCst);
    }

    fn change(&self) {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 0 {
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        }
    }
}

impl World for Dying {
    fn now(&self) -> i64 {
        self.real.now()
    }
    fn env(&self, key: &str) -> Option<String> {
        self.real.env(key)
    }
    fn passwd_home(&self) -> Option<PathBuf> {
        self.real.passwd_home()
    }
    fn uid(&self) -> u32 {
        self.real.uid()
    }
    fn current_dir(&self) -> Option<PathBuf> {
        self.real.current_dir()
    }
    fn stat(&self, path: &Path) -> Option<Stat> {
        self.real.stat(path)
    }
    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        self.real.read(path, max).inspect(|bytes| self.count(bytes))
    }
    fn read_end(&self, path: &Path, from: u64, max: u64) -> io::Result<(u64, Vec<u8>)> {
        self.real.read_end(path, from, max).inspect(|(_, bytes)| self.count(bytes))
    }
    fn read_at(&self, path: &Path, from: u64, max: u64) -> io::Result<Vec<u8>> {
        self.real.read_at(path, from, max).inspect(|bytes| self.count(bytes))
    }
    fn resolve(&self, path: &Path) -> PathBuf {
        self.real.resolve(path)
    }
    fn which(&self, program: &str) -> Option<PathBuf> {
        self.real.which(program)
    }
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.change();
        self.real.make_folder(path)
    }
    fn append(&self, path: &Path, since: u64, choose: &mut dyn FnMut(&[u8]) -> Vec<u8>) -> io::Result<Appended> {
        self.change();
        self.real.append(path, since, choose)
    }
    fn locked(&self, path: &Path, limit: Duration, act: &mut dyn FnMut(&[u8]) -> Vec<u8>) -> io::Result<bool> {
        self.change();
        self.real.locked(path, limit, &mut |region| {
            let lines = act(region);
            self.change();
            lines
        })
    }
    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.change();
        self.real.replace(path, bytes)
    }
    fn replace_synced(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.change();
        self.real.replace_synced(path, bytes)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.change();
        self.real.rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.change();
        self.real.remove(path)
    }
    fn list(&self, path: &Path, max: usize) -> io::Result<Vec<OsString>> {
        self.real.list(path, max)
    }
    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.change();
        self.real.remove_folder(path)
    }
}

/// The hook of a process that dies: started by the test below, does nothing in an ordinary run.
#[test]
fn hook_of_a_dying_process() {
    use kibitzer::pipeline::{Pipeline, Sink, Style, Trace};
    use kibitzer::stage::source::Source;
    use kibitzer::stage::{Contexts, Memory};
    use kibitzer::wire::framing::Frames;
    let Some(left) = std::env::var("KZ_TEST_DIES_AT").ok().and_then(|text| text.parse().ok()) else { return };
    let world = Dying::new(left);
    let payload = std::fs::read(std::env::var("KZ_TEST_PAYLOAD").unwrap()).unwrap();
    let (pipeline, _) = Pipeline::find("fleet", &world).unwrap();
    let mut contexts = Contexts::new(&world, kibitzer::config::Options::default());
    let mut source = Source::new(&world, &pipeline.names());
    let mut sink = Sink::new(Style::Auto, false, Some(source.store().clone()), &world);
    for item in Frames::new(payload) {
        let mut envelope = source.envelope(item, &mut contexts).unwrap();
        let cx = contexts.of(&envelope.call.root);
        pipeline.run(&mut envelope, cx, &mut Memory::default(), &mut Trace::default());
        sink.take(envelope, &cx.config);
    }
    let (answer, later) = sink.finish();
    std::fs::write(std::env::var("KZ_TEST_ANSWER").unwrap(), answer.out).unwrap();
    later.perform(true);
}

#[test]
fn killed_between_any_two_changes_the_next_hooks_finish_the_work() {
    use std::os::unix::process::ExitStatusExt;
    for (event, thousands) in [("Stop", 150), ("Stop", 100), ("PreCompact", 150)] {
        let mut deaths = 0;
        for left in 0..40 {
            let mut fleet = Fleet::new();
            fleet.full(thousands);
            fleet.inbox("hello");
            let answer = fleet.place.home.path().join("answer");
            fleet.place.write("payload", &text(&fleet.payload(event, json!({}))));
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", "handoff::killed::hook_of_a_dying_process", "--nocapture"]).env_clear();
            fleet.command("kz-run", &[]).get_envs().for_each(|(key, value)| {
                command.env(key, value.unwrap());
            });
            command
                .env("KZ_TEST_DIES_AT", left.to_string())
                .env("KZ_TEST_PAYLOAD", fleet.place.home.path().join("payload"))
                .env("KZ_TEST_ANSWER", &answer)
                .current_dir(fleet.place.project());
            let status = command.output().unwrap().status;
            let killed = status.signal() == Some(9);
            assert!(killed || status.success(), "{status:?}");
            deaths += usize::from(killed);
            let before = std::fs::read_to_string(&answer).unwrap_or_default();
            // What a reader may meet now: whole files only, and no queue file without its document.
            assert_eq!(fleet.record()["future"], json!({"deep": [1.0, 2e5, "é"]}), "{left}");
            for name in fleet.names("queue") {
                let queue = json(fleet.read(&format!("queue/{name}")).as_bytes());
                let new = queue["new_agent_id"].as_str().unwrap();
                assert_eq!(queue["new_session"], format!("fleet-{new}"));
                let document = std::fs::read_to_string(queue["handoff_doc"].as_str().unwrap()).unwrap();
                assert!(document.ends_with(&format!("{PLACEHOLDER}\n")));
            }
            let queue = fleet.names("queue").first().map(|name| fleet.read(&format!("queue/{name}")));
            // The next hooks of the same session.
            fleet.later(1);
            let mut heard = before.clone();
            for event in [event, "Stop"] {
                heard.push_str(&text(&fleet.fire(event, json!({})).stdout));
            }
            assert!(heard.contains("[OPERATOR] hello"), "{event} {left}: at least once");
            assert_eq!(fleet.names("inbox"), ["archive"], "{event} {left}");
            assert_eq!(fleet.names("inbox/archive").len(), 1);
            if thousands == 150 {
                assert_eq!(fleet.names("queue").len(), 1, "{event} {left}");
                let now = fleet.read("queue/spawn-fresh-a1b2c3d4.json");
                assert!(queue.is_none_or(|queue| queue == now), "a queue file is never replaced");
                let kind = if event == "Stop" { "auto-red" } else { "precompact" };
                assert_eq!(fleet.record()["handoff_type"], kind, "{left}");
            } else {
                assert_eq!(fleet.record()["handoff_type"], "auto-yellow", "{left}");
                assert!((1..=2).contains(&heard.matches("HANDOFF REQUESTED").count()), "{left}");
            }
            if !killed {
                break;
            }
        }
        assert!(deaths >= 5, "{event} {thousands}: {deaths}");
    }
}

#[test]
fn at_most_a_mebibyte_of_a_transcript_is_read() {
    use kibitzer::stage::handoff::usage::last;
    let fleet = Fleet::new();
    let user = format!("{{\"type\":\"user\",\"text\":\"{}\"}}\n", "x".repeat(3_000));
    let lines = |text: &str| user.repeat(1_000) + text + &user.repeat(1_000);
    let cases = [
        (lines(&format!("{}\n", row(60))), 1 << 20, None),
        (lines("") + &row(60), 64 << 10, Some(())),
        (lines("") + &row(60) + "\n" + &user.repeat(40), 128 << 10, Some(())),
    ];
    for (text, most, want) in cases {
        fleet.transcript(text.as_bytes());
        let world = Dying::new(u32::MAX);
        let found = last(&fleet.place.home.path().join("t.jsonl"), "s", 0, &world).unwrap();
        assert_eq!(found.map(|usage| usage.used), want.map(|()| 60_000.0));
        let read = world.read.load(Ordering::SeqCst);
        assert!(read <= most, "{read} of {most}");
    }
}
