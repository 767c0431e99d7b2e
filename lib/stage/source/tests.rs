//! The source as a whole, in a world in memory.

#![expect(clippy::unwrap_used, reason = "tests may fail")]

use super::*;
use crate::call::{EventKind, Op};
use crate::config::{Config, Options};
use crate::wire::framing::Frames;
use crate::world::Memory;
use serde_json::{Value, json};

fn world() -> Memory {
    let world = Memory::new();
    world.set_now(1_000);
    world.set_env("HOME", "/home/u");
    world.set_current_dir("/p/src");
    world.put("/p/.git/HEAD", "ref");
    world.put("/p/src/a.rs", "");
    world
}

fn bash(command: &str) -> Value {
    json!({
        "session_id": "s1", "cwd": "/p", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": command}, "tool_use_id": "t1",
    })
}

fn run(world: &Memory, input: &[u8]) -> Vec<Envelope> {
    let mut contexts = Contexts::new(world, Options::default());
    let mut source = Source::new(world, &["ladder"]);
    Frames::new(input.to_vec()).filter_map(|item| source.envelope(item, &mut contexts)).collect()
}

fn one(world: &Memory, payload: &Value) -> Envelope {
    run(world, payload.to_string().as_bytes()).remove(0)
}

fn faults(envelope: &Envelope) -> Vec<&str> {
    envelope.faults.iter().map(|fault| fault.text.as_str()).collect()
}

#[test]
fn a_shell_call() {
    let envelope = one(&world(), &bash("git status && ls"));
    assert_eq!(faults(&envelope), [""; 0]);
    let call = &envelope.call;
    assert_eq!((call.event, call.cwd.as_str(), call.root.as_str()), (EventKind::PreTool, "/p", "/p"));
    let heads: Vec<&str> = call.shell.as_ref().unwrap().parts.iter().map(|part| part.head.as_str()).collect();
    assert_eq!(heads, ["git", "ls"]);
    let facts = &envelope.facts;
    assert_eq!((facts.at, facts.home.as_str(), facts.through, facts.repeated), (1_000, "/home/u", Some(0), false));
    assert_eq!(facts.mode.as_ref().unwrap().name, "free");
    assert_eq!(envelope.hook, bash("git status && ls").to_string());
}

#[test]
fn the_first_folder_of_a_session_is_its_root() {
    let world = world();
    world.put("/q/.git/HEAD", "ref");
    let mut later = bash("ls");
    later["cwd"] = json!("/q");
    later["tool_use_id"] = json!("t2");
    let mut early = bash("ls");
    early["cwd"] = json!("/p/src");
    let both = run(&world, format!("{early}\n{later}\n").as_bytes());
    assert_eq!(both.iter().map(|envelope| envelope.call.root.as_str()).collect::<Vec<_>>(), ["/p", "/p"]);
    let events = serde_json::to_value(&both[0].events).unwrap();
    assert_eq!(events, json!([{"at": 0, "by": "source", "kind": "cwd", "once": "cwd/1", "cwd": "/p/src"}]));
    assert!(both[1].events.is_empty());

    let store = Store::open(&world, None).0;
    let mut first = both[0].clone();
    let trouble = store.commit(&mut first, &Config::default(), &world, &mut |_| {});
    assert_eq!(trouble, []);
    let again = one(&world, &later);
    assert_eq!((again.call.root.as_str(), again.events.len()), ("/p", 0));
    assert!(again.facts.through.unwrap() > 0);

    world.set_env("CLAUDE_PROJECT_DIR", "/q/sub");
    let named = one(&world, &bash("ls"));
    assert_eq!((named.call.root.as_str(), named.events.len()), ("/q", 0));
}

#[test]
fn a_call_that_comes_twice_is_repeated() {
    let world = world();
    let twice = run(&world, format!("{0}{0}", bash("ls")).as_bytes());
    // Nothing was judged yet; that a stream brings a call twice the ladder sees for itself.
    assert_eq!(twice.iter().map(|envelope| envelope.facts.repeated).collect::<Vec<_>>(), [false, false]);

    let mut first = twice[0].clone();
    first.events.push(Event { by: "decide".into(), once: "judged/pre_tool/t1".into(), ..Event::default() });
    Store::open(&world, None).0.commit(&mut first, &Config::default(), &world, &mut |_| {});
    assert!(one(&world, &bash("ls")).facts.repeated);
    let mut after = bash("ls");
    after["hook_event_name"] = json!("PostToolUse");
    assert!(!one(&world, &after).facts.repeated);
}

#[test]
fn paths_are_resolved() {
    let world = world();
    world.put_link("/p/link", "/etc");
    world.put("/etc/passwd", "");
    let tool = |name: &str, path: &str| {
        let envelope = one(
            &world,
            &json!({"session_id": "s1", "cwd": "/p/src", "hook_event_name": "PreToolUse", "tool_name": name, "tool_input": {"path": path}}),
        );
        let path = envelope.call.paths[0].clone();
        (path.path, path.rel, path.sure)
    };
    let inside = |path: &str, rel: &str| (path.to_owned(), Some(rel.to_owned()), true);
    let outside = |path: &str| (path.to_owned(), None, true);
    for (raw, want) in [
        ("a.rs", inside("/p/src/a.rs", "src/a.rs")),
        ("../x/./y", inside("/p/x/y", "x/y")),
        ("/p", inside("/p", ".")),
        ("/p/link/passwd", outside("/etc/passwd")),
        ("../../z", outside("/z")),
        ("~/f", outside("/home/u/f")),
        ("~", outside("/home/u")),
        ("C:\\x\\y.txt", (String::new(), None, false)),
        ("C:/x/y.txt", (String::new(), None, false)),
        ("/c/x/y.txt", (String::new(), None, false)),
        ("\\\\wsl$\\Debian\\x", (String::new(), None, false)),
        ("/p/x", inside("/p/x", "x")),
    ] {
        assert_eq!(tool("mcp__fs__write_file", raw), want, "{raw}");
    }
}

#[test]
fn paths_of_a_command() {
    let world = world();
    world.put_link("/p/link", "/etc");
    world.put("/etc/passwd", "");
    let command = "cd src && cat a.rs > ../out; rm ../link; rm /p/link/passwd; echo x > $F; cat ~/f; ssh h cat /g";
    let envelope = one(&world, &bash(command));
    assert_eq!(faults(&envelope), [""; 0]);
    let rows: Vec<Value> = envelope
        .call
        .paths
        .iter()
        .map(|path| json!([path.raw, path.path, path.rel, path.op, path.sure, path.part]))
        .collect();
    assert_eq!(
        rows,
        [
            json!(["src", "/p/src", "src", "list", true, 0]),
            json!(["../out", "/p/out", "out", "write", true, 1]),
            json!(["a.rs", "/p/src/a.rs", "src/a.rs", "read", true, 1]),
            json!(["../link", "/p/link", "link", "delete", true, 2]),
            json!(["/p/link/passwd", "/etc/passwd", null, "delete", true, 3]),
            json!(["«var»", "", null, "write", false, 4]),
            json!(["~/f", "/home/u/f", null, "read", true, 5]),
            json!(["/g", "", null, "read", false, 7]),
        ]
    );
}

#[test]
fn the_disk_says_what_names_mean() {
    let world = world();
    world.put("/p/docs/guide.md", "");
    world.put("/p/src/i/page.tsx", "");
    world.put("/q/real/x", "");
    world.put_link("/p/link", "docs/guide.md");
    world.put_link("/p/away", "/q/real");
    for (command, expected) in [
        ("echo > link", "docs/guide.md"),
        ("sed -i s/a/b/ link", "link"),
        ("mv src/a.rs link", "src/a.rs link"),
        ("cp src/a.rs docs", "src/a.rs docs/a.rs"),
        ("cp src/a.rs new", "src/a.rs new"),
        ("cp -T src/a.rs docs", "src/a.rs docs"),
        ("touch away/../y", "/q/y"),
        ("touch src/[id]/page.tsx", "src/[id]/page.tsx*"),
        ("touch src/[xy]/page.tsx", "src/[xy]/page.tsx"),
        ("touch 'a*'", "a*"),
        ("touch a*", "a**"),
        ("ln -sfn docs away && touch away/n", "away docs/n"),
        ("ln docs/guide.md hard && echo > hard", "hard docs/guide.md"),
        ("ln docs/guide.md src/hard && echo > src/hard", "src/hard docs/guide.md"),
        ("ln docs/guide.md src/../hard && echo > hard", "hard hard"),
        ("rm away && mkdir away && touch away/n", "away away away/n"),
    ] {
        let call = one(&world, &bash(command)).call;
        let show = |path: &CallPath| {
            let at = path.rel.clone().unwrap_or_else(|| path.path.clone());
            if path.glob.is_some() { format!("{at}*") } else { at }
        };
        let shown: Vec<String> = call.paths.iter().map(show).collect();
        assert_eq!(shown.join(" "), expected, "{command}");
    }
}

#[test]
fn a_letter_is_a_drive_only_where_no_folder_of_the_host_has_that_name() {
    let world = world();
    let first = |cwd: &str, command: &str| {
        let mut payload = bash(command);
        payload["cwd"] = json!(cwd);
        let call = one(&world, &payload).call;
        let path = call.paths.iter().rfind(|path| path.op == Op::Write).cloned().unwrap_or_default();
        (path.rel.unwrap_or_default(), path.sure)
    };
    for (cwd, command, rel, sure) in [
        ("/p", "touch /c/x/y", "", false),
        // However it is spelled.
        ("/p", "cd /c/x && touch y", "", false),
        ("/p", "touch ../c/x/y", "", false),
        // The host says that its session is there, even if nothing is there yet.
        ("/w/app", "touch /w/app/src/y", "src/y", true),
        ("/w/app", "touch src/y", "src/y", true),
        ("/w/app", "touch /w/app/../other/y", "", false),
        ("/w", "touch /w/src/y", "src/y", true),
        ("/", "touch /c/x/y", "", false),
        ("/p", "touch /p/y", "y", true),
    ] {
        assert_eq!(first(cwd, command), (rel.to_owned(), sure), "{cwd} {command}");
    }
}

#[test]
fn a_patch_on_disk_names_what_it_changes() {
    let world = world();
    let diff =
        "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-a\n+b\n--- a/docs/b.md\n+++ b/docs/b.md\n@@ -1 +1 @@\n-a\n+b\n";
    world.put("/p/fix.diff", diff);
    world.put("/p/src/up.diff", diff);
    world.put("/p/empty.diff", "nothing");
    world.put_other("/p/pipe.diff");
    for (command, expected) in [
        ("git apply fix.diff", "src/a.rs docs/b.md"),
        ("git apply -3 < fix.diff", "src/a.rs docs/b.md"),
        ("patch -p1 < fix.diff", "src/a.rs docs/b.md"),
        ("patch -p1 -i fix.diff", "src/a.rs docs/b.md"),
        ("touch new && patch -p1 < fix.diff", "new src/a.rs docs/b.md"),
        ("cd src && patch -p2 --input=up.diff", "src/a.rs src/b.md"),
        ("cd src && patch -p2 < up.diff", "src/a.rs src/b.md"),
        ("git apply --check fix.diff", ""),
        ("git apply gone.diff", "!"),
        ("git apply empty.diff", "!"),
        ("git apply pipe.diff", "!"),
        ("git apply fix.diff src/up.diff", "!"),
        ("sed -n 1p fix.diff; git apply fix.diff", "src/a.rs docs/b.md"),
        ("sed -i s/a/c/ fix.diff; git apply fix.diff", "fix.diff !"),
        ("./make-patch; git apply fix.diff", "!"),
    ] {
        let call = one(&world, &bash(command)).call;
        let written = call.paths.iter().filter(|path| path.op == Op::Write).filter_map(|path| path.rel.clone());
        let open = call.shell.iter().flat_map(|shell| &shell.parts).any(|part| !part.open.is_empty());
        let shown: Vec<String> = written.chain(open.then(|| "!".to_owned())).collect();
        assert_eq!(shown.join(" "), expected, "{command}");
    }
}

#[test]
fn a_folder_that_does_not_exist_is_not_entered() {
    let world = world();
    world.put("/p/docs/guide.md", "");
    for (command, expected) in [
        ("cd none; touch k", vec![false]),
        ("cd none; touch /p/k", vec![true]),
        ("cd none && touch k", vec![true]),
        ("cd docs; touch k", vec![true]),
        ("mkdir -p none/b; cd none; touch k", vec![true, true]),
    ] {
        let call = one(&world, &bash(command)).call;
        let writes = call.paths.iter().filter(|path| path.op == crate::call::Op::Write);
        assert_eq!(writes.map(|path| path.sure).collect::<Vec<bool>>(), expected, "{command}");
    }
}

#[test]
fn a_patch_of_named_files_changes_no_others() {
    for (command, expected) in [
        ("git diff v1 -- src/a.rs docs > /t/p && git apply /t/p", "src/a.rs docs"),
        ("git diff > /t/p; git apply /t/p", "!"),
        ("git diff -- src > /t/q; git apply /t/p", "!"),
        ("git diff -- src > /t/p; cat x > /t/p; git apply /t/p", "!"),
        ("git diff -- '*.rs' > /t/p; git apply /t/p", "!"),
        ("git diff -- src > /t/p; git apply --directory=x /t/p", "!"),
    ] {
        let call = one(&world(), &bash(command)).call;
        let last = call.shell.as_ref().and_then(|shell| shell.parts.last()).unwrap();
        let writes = call.paths.iter().filter(|path| path.op == crate::call::Op::Write && path.part == Some(last.n));
        let mut shown: Vec<&str> = writes.filter_map(|path| path.rel.as_deref()).collect();
        shown.extend((!last.open.is_empty()).then_some("!"));
        assert_eq!(shown.join(" "), expected, "{command}");
    }
}

#[test]
fn many_paths_are_bounded_but_none_is_lost() {
    let envelope = one(&world(), &bash(&format!("rm{}", " src/./x/../y".repeat(600))));
    assert_eq!(faults(&envelope), ["links were followed for the first 512 of 600 paths only"]);
    assert_eq!(envelope.call.paths.len(), 600);
    assert!(envelope.call.paths.iter().all(|path| path.rel.as_deref() == Some("src/y") && path.sure));
}

#[test]
fn what_cannot_be_read_is_a_fault_and_an_envelope() {
    let world = world();
    let input = b"nonsense\n{\"hook_event_name\":\"PreToolUse\",\"session_id\":7,\"cwd\":\"x\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"rm x\",\"d\":\"\xff";
    let all = run(&world, input);
    assert_eq!(all.len(), 2);
    assert_eq!(all[0].call.event, EventKind::Other);
    assert_eq!(all[0].hook, "\"nonsense\"");
    assert_eq!(faults(&all[0]), ["the input is no JSON object and 8 bytes of it were passed over: `nonsense`"]);
    assert_eq!((all[1].call.event, all[1].call.command.as_str()), (EventKind::PreTool, "rm x"));
    assert_eq!(
        faults(&all[1]),
        [
            "the payload breaks off after 115 bytes; only what stands before was checked",
            "`session_id` of the payload is a number, not a string, and was left out",
            "`cwd` of the payload is no absolute path: `x`",
        ]
    );
    assert_eq!((all[1].call.cwd.as_str(), all[1].call.root.as_str()), ("/p/src", "/p"));
    assert!(run(&world, b" \n").is_empty());
}

#[test]
fn a_pretty_payload_becomes_one_line() {
    let pretty = serde_json::to_string_pretty(&bash("printf 'a\\nb'")).unwrap().replace('\n', "\r\n");
    let envelope = run(&world(), pretty.as_bytes()).remove(0);
    assert!(!envelope.hook.contains(['\n', '\r']));
    assert_eq!(serde_json::from_str::<Value>(&envelope.hook).unwrap(), bash("printf 'a\\nb'"));
}

#[test]
fn faults_of_config_and_wrong_stages_travel() {
    let world = world();
    world.set_env("KZ_MODE", "nonsense");
    let mut contexts = Contexts::new(&world, Options { set: vec!["no.such=1".into()], ..Options::default() });
    let mut source = Source::new(&world, &["nothing"]);
    let item = Frames::new(bash("ls").to_string().into_bytes()).next().unwrap();
    let envelope = source.envelope(item, &mut contexts).unwrap();
    let kinds: Vec<&str> = envelope.faults.iter().map(|fault| fault.kind.as_str()).collect();
    assert_eq!(kinds, ["usage", "config", "config"]);
}

#[test]
fn off_is_told() {
    let world = world();
    Store::open(&world, None).0.set_off(Some("s1"), None, &world).unwrap();
    assert!(!one(&world, &bash("ls")).facts.off.is_empty());
}

#[test]
fn a_panic_is_a_fault() {
    #[expect(clippy::panic, reason = "that is what is tested")]
    let out: Result<(), Fault> = caught("the test", || panic!("boom"));
    assert!(out.unwrap_err().text.starts_with("the test panicked: boom\n"));
}

#[test]
fn every_envelope_is_one_line_that_reads_back() {
    use crate::envelope::{Line, decode, encode};
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let broken = "{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls \\ud83d\n";
    for input in
        ["x\ny", "{}", "[1,\n2]", "{\n\"a\"\r\n:\"\\n\"}", "{\"a\":\"\u{7f}\u{2028}\u{fffd}", broken, deep.as_str()]
    {
        for envelope in run(&world(), input.as_bytes()) {
            let line = encode(&envelope);
            assert!(!line.contains(['\n', '\r']), "{input}");
            assert!(matches!(decode(&line), Line::Envelope(back) if encode(&back) == line), "{input}");
        }
    }
}

#[test]
fn state_in_a_worktree_of_the_project_is_not_used() {
    let world = world();
    world.put("/p/.git/worktrees/one/gitdir", "/w/one/.git\n");
    world.put("/w/one/.git", "gitdir: /p/.git/worktrees/one\n");
    world.set_env("CLAUDE_PROJECT_DIR", "/p");
    world.set_env("KZ_STATE", "/w/one/state");
    let envelope = one(&world, &bash("ls"));
    assert!(faults(&envelope)[0].starts_with("state folder `/w/one/state` is in a worktree of the project"));
    world.set_env("KZ_STATE", "/w/state");
    let envelope = one(&world, &bash("ls"));
    assert_eq!(faults(&envelope), [""; 0]);
    assert_eq!(envelope.facts.shield, ["/w/state"]);
}
