//! The parts of one hook, in microseconds, and whole programs as a ratio to `/bin/true`.
//!
//! `cargo bench --bench hook`. The parts run in this process over a scratch home with a session
//! of 300 earlier calls; the ratios start real programs in turn, since a machine is never quiet.

#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use kibitzer::config::Options;
use kibitzer::envelope::encode;
use kibitzer::pipeline::{Pipeline, Sink, Style, Trace, run_stage};
use kibitzer::rules::own::{File, Origin};
use kibitzer::rules::{Class, Own, check, hits};
use kibitzer::shell;
use kibitzer::stage::source::Source;
use kibitzer::stage::{Contexts, Memory, find};
use kibitzer::state::Store;
use kibitzer::wire::framing::Frames;
use kibitzer::world::Real;
use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 400;
const COMMAND: &str = "cd web && npm test 2>&1 | tail -40 && git status";

fn main() -> Result<(), Box<dyn Error>> {
    let home = std::env::temp_dir().join(format!("kz-bench-{}", std::process::id()));
    let project = home.join("project");
    std::fs::create_dir_all(project.join("src"))?;
    std::fs::create_dir_all(project.join(".git"))?;
    let result = bench(&home, &project);
    std::fs::remove_dir_all(&home)?;
    result
}

fn payload(project: &Path, event: &str, id: &str, command: &str) -> Vec<u8> {
    let response = serde_json::json!({"stdout": "x", "stderr": "", "interrupted": false, "isImage": false});
    serde_json::json!({
        "session_id": "5b1f0c1e-0000-4000-8000-000000000001", "transcript_path": "/none", "cwd": project,
        "permission_mode": "default", "hook_event_name": event, "tool_name": "Bash",
        "tool_input": {"command": command, "description": "x"}, "tool_use_id": id, "tool_response": response,
    })
    .to_string()
    .into_bytes()
}

/// A pack of a user with 50 rules, 5 of them for git.
fn fifty_rules() -> String {
    let rule = |n: usize| {
        let head = if n.is_multiple_of(10) { "git".to_owned() } else { format!("tool{n}") };
        format!(
            r#"[[rule]]
id = "bench/rule-{n}"
class = "danger"
heads = ["{head}", "other-{head}"]
args = ["deploy", ["prod", "production"]]
flags = {{ any = ["-f", "--force"], none = ["-n", "--dry-run"] }}
operands = [{{ at = "last", kinds = ["home", "system"], not_text = ["*.log"] }}]
verdict = "ask"
reason = "does something to production that nobody wants in the middle of the day"
instead = "Do it in staging first: `{head} deploy staging`"
match = ["{head} deploy prod -f /etc", "{head} deploy production --force ~"]
not_match = ["{head} deploy staging", "echo {head} deploy prod"]

"#
        )
    };
    (0..50).map(rule).collect()
}

/// A large file that an agent writes.
fn write(project: &Path) -> Vec<u8> {
    serde_json::json!({
        "session_id": "5b1f0c1e-0000-4000-8000-000000000001", "cwd": project, "hook_event_name": "PreToolUse",
        "tool_name": "Write", "tool_use_id": "toolu_large",
        "tool_input": {"file_path": project.join("src/b.rs"), "content": "let x = 1;\n".repeat(18_000)},
    })
    .to_string()
    .into_bytes()
}

/// A user's file of 60 keys: modes, switches of rules, the ladder.
fn sixty_keys() -> String {
    let mut text =
        String::from("mode.default = \"web\"\n[guard]\nopaque = \"ask\"\nbounds = \"deny\"\n[guard.rules]\n");
    let danger = kibitzer::rules::packs().iter().flat_map(|pack| pack.rules).filter(|rule| rule.class == Class::Danger);
    danger.take(26).for_each(|rule| text.push_str(&format!("\"{}\" = \"deny\"\n", rule.id)));
    text.push_str("[ladder]\nthreshold = 4\nwindow = 9\ncooldown = 12\nlog = false\n");
    for mode in ["web", "api", "docs", "free", "ops", "data", "review", "debug", "implement"] {
        let writable = "[\"src/\", \"lib/\", \"web/app/\"]";
        text.push_str(&format!(
            "[modes.{mode}]\nwritable = {writable}\nstrategy = \"Look first.\"\nmessage = \"Not here\"\n"
        ));
    }
    text
}

fn bench(home: &Path, project: &Path) -> Result<(), Box<dyn Error>> {
    // Child processes and this one look at the same scratch home.
    let folder = Path::new(env!("CARGO_BIN_EXE_kz-run")).parent().ok_or("the programs have no folder")?;
    let environment = [
        ("HOME", home.display().to_string()),
        ("PATH", format!("{}:/usr/bin:/bin", folder.display())),
        ("CLAUDE_PROJECT_DIR", project.display().to_string()),
    ];
    let start = |program: &str, args: &[&str], input: &[u8]| -> Result<Duration, Box<dyn Error>> {
        let begun = Instant::now();
        let mut command = Command::new(program);
        command.args(args).env_clear().current_dir(project).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = command.envs(environment.iter().cloned()).spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that does not read (`true`) closes the pipe, and that is fine.
            drop(stdin.write_all(input));
        }
        child.wait()?;
        Ok(begun.elapsed())
    };
    let run = env!("CARGO_BIN_EXE_kz-run");
    for n in 0..300 {
        let event = if n % 2 == 0 { "PreToolUse" } else { "PostToolUse" };
        start(run, &[], &payload(project, event, &format!("toolu_past_{n}"), "cat src/a.rs"))?;
    }

    println!("parts of one hook (microseconds: median, least of {ROUNDS})");
    let pre = payload(project, "PreToolUse", "toolu_now", COMMAND);
    let post = payload(project, "PostToolUse", "toolu_now", "cat src/a.rs");
    let world = Real::new();
    let state = home.join(".local/state/kz");
    let names = Pipeline::default_names();
    part("read: payload to call", || Frames::new(pre.clone()).count());
    let large = write(project);
    part("read: a 200 KB write to call", || Frames::new(large.clone()).count());
    part("copying 200 KB (part of the line above)", || large.clone());
    part("config: three files that are not there", || {
        kibitzer::config::load(
            &world,
            Some(project),
            &Options { file: Some(home.join("none.toml")), ..Options::default() },
        )
    });
    let sixty = home.join("sixty.toml");
    std::fs::write(&sixty, sixty_keys())?;
    part("config: one file of 60 keys", || {
        kibitzer::config::load(&world, Some(project), &Options { file: Some(sixty.clone()), ..Options::default() })
    });
    let text = sixty_keys();
    part("reading it as TOML (part of the line above)", || toml::de::DeTable::parse(&text));
    let store = Store::at(&state);
    part("state: snapshot and tail of 300 calls", || store.session("5b1f0c1e-0000-4000-8000-000000000001", &world));
    part("parse: command to parts", || shell::read(COMMAND));
    let mut contexts = Contexts::new(&world, Options { file: Some(home.join("none.toml")), ..Options::default() });
    let envelope = |input: &[u8], contexts: &mut Contexts| {
        Source::new(&world, &names).envelope(Frames::new(input.to_vec()).next()?, contexts)
    };
    part("source: all of the above and the facts", || envelope(&pre, &mut contexts));
    part("source: the same for a 200 KB write", || envelope(&large, &mut contexts));
    let normalized = envelope(&pre, &mut contexts).ok_or("no envelope")?;
    let cx = contexts.of(&normalized.call.root);
    let mut trace = Trace::default();
    part("rules: classify and guard", || {
        let mut copy = normalized.clone();
        for name in ["classify", "guard"] {
            if let Some(stage) = find(name) {
                run_stage(stage, &mut copy, cx, &mut Memory::default(), &mut trace, false);
            }
        }
        copy
    });
    part("copying an envelope (part of the line above)", || normalized.clone());
    let text: &'static str = fifty_rules().leak();
    let none = check::call("cd web && npm test 2>&1 | tail -40", "");
    let some = check::call(COMMAND, "");
    let own = || Own::of(vec![File::new(Origin::User, "bench.toml", text)]);
    part("own rules: 50 read and cut, none parsed", own);
    part("own rules: the same, and a call without their heads", || hits(&none, &check::facts(), &own()).len());
    part("own rules: the same, and a call with 5 of them", || hits(&some, &check::facts(), &own()).len());
    part("own rules: that call without any", || hits(&some, &check::facts(), &Own::default()).len());
    part("wire: envelope to line", || encode(&normalized));
    let (pipeline, _) = Pipeline::find("default", &world).map_err(|fault| fault.text)?;
    let mut n = 0;
    let mut contexts = Contexts::new(&world, Options { file: Some(home.join("none.toml")), ..Options::default() });
    let after = envelope(&post, &mut contexts).ok_or("no envelope")?;
    let cx = contexts.of(&after.call.root);
    part("commit: one judged call, ledger line included", || {
        n += 1;
        let mut copy = after.clone();
        copy.call.id = format!("toolu_bench_{n}");
        pipeline.run(&mut copy, cx, &mut Memory::default(), &mut trace);
        let mut sink = Sink::new(Style::Auto, false, Some(store.clone()), &world);
        sink.take(copy, &cx.config);
        sink.finish()
    });

    println!("\nwhole programs (milliseconds: median; ratio to /bin/true), {ROUNDS} starts each, in turn");
    let deny = payload(project, "PreToolUse", "toolu_deny", "cd web && git push --force");
    let pipe = "kz-normalize | kz-classify | kz-guard | kz-ladder | kz-decide";
    let mine = home.join("mine");
    std::fs::create_dir_all(mine.join("kz/rules"))?;
    std::fs::copy(&sixty, mine.join("kz/config.toml"))?;
    std::fs::write(mine.join("kz/rules/bench.toml"), fifty_rules())?;
    let with = format!("XDG_CONFIG_HOME={}", mine.display());
    let with_mine = ["env", &with, run];
    let cases: [(&str, &str, &[&str], &[u8]); 10] = [
        ("/bin/true", "/bin/true", &[], b""),
        ("kz-run --version (start)", run, &["--version"], b""),
        ("kz-run, a call that passes", run, &[], &pre),
        ("kz-run, a call that is denied", run, &[], &deny),
        ("env kz-run, a call that passes", "/usr/bin/env", &[run], &pre),
        ("the same, 60 keys and 50 rules", "/usr/bin/env", with_mine.get(1..).unwrap_or_default(), &pre),
        ("kz-run, after a call", run, &[], &post),
        ("kz-run, a 200 KB write", run, &[], &large),
        ("sh: five cats", "sh", &["-c", "cat | cat | cat | cat | cat"], &pre),
        ("sh: five stages", "sh", &["-c", pipe], &pre),
    ];
    let mut times = vec![Vec::with_capacity(ROUNDS); cases.len()];
    for _ in 0..ROUNDS {
        for (slot, (_, program, args, input)) in times.iter_mut().zip(&cases) {
            slot.push(start(program, args, input)?);
        }
    }
    let median = |slot: &mut Vec<Duration>| {
        slot.sort_unstable();
        slot[slot.len() / 2].as_secs_f64() * 1e3
    };
    let base = median(&mut times[0]);
    for (slot, (name, ..)) in times.iter_mut().zip(&cases) {
        let time = median(slot);
        println!("{name:<32} {time:>7.3} {:>6.2}", time / base);
    }
    Ok(())
}

fn part<T>(name: &str, mut work: impl FnMut() -> T) {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let begun = Instant::now();
            std::hint::black_box(work());
            begun.elapsed()
        })
        .collect();
    times.sort_unstable();
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    println!("{name:<48} {:>8.1} {:>8.1}", micros(times[times.len() / 2]), micros(times[0]));
}
