//! The smoke battery of tool-coach (seed 001, section 7), each test through the library, the shell
//! pipe and `kz-run`; and what the ladder promises beyond it.

use crate::support::{PIPE, Place, json, text};
use kibitzer::pipeline::{Pipeline, Sink, Style, Trace};
use kibitzer::stage::source::Source;
use kibitzer::stage::{Contexts, Memory};
use kibitzer::wire::framing::Frames;
use kibitzer::world::{self, World};
use serde_json::{Value, json};

/// How a hook is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route {
    Library,
    Pipe,
    Run,
}

const ROUTES: [Route; 3] = [Route::Library, Route::Pipe, Route::Run];

/// A session whose hooks run one by one, each as a process of its own would.
struct Bench {
    route: Route,
    place: Place,
    disk: world::Memory,
    calls: u32,
    agent: String,
    trace: bool,
}

const CONFIG: &str = ".config/kz/config.toml";

impl Bench {
    fn new(route: Route, config: &str) -> Self {
        let (place, disk) = (Place::new(), world::Memory::new());
        disk.set_now(place.now);
        disk.set_env("HOME", "/home/u");
        disk.set_env("CLAUDE_PROJECT_DIR", "/home/u/project");
        disk.put_folder("/home/u/project/.git");
        disk.put_folder("/home/u/project/src");
        disk.set_current_dir("/home/u/project");
        let bench = Self { route, place, disk, calls: 0, agent: String::new(), trace: false };
        bench.write(CONFIG, config);
        bench
    }

    fn write(&self, path: &str, text: &str) {
        self.place.write(path, text);
        self.disk.put(format!("/home/u/{path}"), text);
    }

    /// One hook; the answer of the host's form, or null.
    fn hook(&mut self, payload: Value) -> Value {
        let out = self.answer(payload, &[]);
        if out.trim().is_empty() { Value::Null } else { json(out.as_bytes()) }
    }

    fn answer(&mut self, mut payload: Value, style: &[&str]) -> String {
        let cwd = match self.route {
            Route::Library => "/home/u/project".into(),
            _ => self.place.project().display().to_string(),
        };
        let given = payload.as_object_mut().unwrap();
        given.insert("session_id".into(), "s-1".into());
        given.insert("cwd".into(), cwd.into());
        given.insert("permission_mode".into(), "default".into());
        given.insert("transcript_path".into(), "/none".into());
        if !self.agent.is_empty() {
            given.insert("agent_id".into(), self.agent.clone().into());
        }
        let line = format!("{payload}\n").into_bytes();
        match self.route {
            Route::Pipe if !self.trace => text(&self.place.pipe(style, &line).stdout),
            Route::Library => self.in_process(line, style),
            _ => {
                let mut command = self.place.command("kz-run", style);
                if self.trace {
                    command.env("KZ_TRACE", "1");
                }
                text(&crate::support::feed(command, &line).stdout)
            }
        }
    }

    fn in_process(&self, line: Vec<u8>, style: &[&str]) -> String {
        let world: &dyn World = &self.disk;
        let (pipeline, faults) = Pipeline::find("default", world).unwrap();
        assert!(faults.is_empty());
        let (mut contexts, mut memory) = (Contexts::new(world, Default::default()), Memory::default());
        let mut source = Source::new(world, &pipeline.names());
        let style = style.last().map_or(Style::Auto, |name| Style::named(name).unwrap());
        let mut sink = Sink::new(style, false, Some(source.store().clone()), world);
        for item in Frames::new(line) {
            let mut envelope = source.envelope(item, &mut contexts).unwrap();
            let cx = contexts.of(&envelope.call.root);
            pipeline.run(&mut envelope, cx, &mut memory, &mut Trace::default());
            sink.take(envelope, &cx.config);
        }
        sink.finish().0.out
    }

    /// A Bash call of which only the hook after it runs.
    fn bash(&mut self, command: &str) -> Value {
        let payload = self.payload("PostToolUse", "Bash", json!({"command": command}));
        self.hook(payload)
    }

    fn payload(&mut self, event: &str, tool: &str, input: Value) -> Value {
        self.calls += 1;
        let mut payload = json!({"hook_event_name": event, "tool_name": tool, "tool_input": input,
            "tool_use_id": format!("toolu_{}{}", self.agent, self.calls)});
        if event == "PostToolUse" {
            payload["tool_response"] = json!({"stdout": "x", "stderr": "", "interrupted": false, "isImage": false});
        }
        payload
    }

    /// A Bash call with the hooks before and after it; the answer before it, and the one after it if it ran.
    fn both(&mut self, command: &str) -> (Value, Value) {
        let mut payload = self.payload("PreToolUse", "Bash", json!({"command": command}));
        let before = self.hook(payload.clone());
        if before["hookSpecificOutput"]["permissionDecision"] == "deny" {
            return (before, Value::Null);
        }
        payload["hook_event_name"] = "PostToolUse".into();
        payload["tool_response"] = json!({"stdout": "x", "stderr": "", "interrupted": false, "isImage": false});
        (before, self.hook(payload))
    }

    fn prompt(&mut self, prompt: &str) -> Value {
        self.hook(json!({"hook_event_name": "UserPromptSubmit", "prompt": prompt}))
    }

    fn start(&mut self) -> Value {
        self.hook(json!({"hook_event_name": "SessionStart", "source": "startup"}))
    }

    /// The durable ledger's lines without time and prefix.
    fn log(&self) -> Vec<String> {
        let bytes = match self.route {
            Route::Library => self.disk.read("/home/u/.local/state/kz/tool-coach.log".as_ref(), 1 << 20).ok(),
            _ => std::fs::read(self.place.state().join("tool-coach.log")).ok(),
        };
        let log = text(&bytes.unwrap_or_default());
        let plain = |line: &str| line.split_once("] hook-dsh-tool-coach: ").unwrap().1.to_owned();
        log.lines().map(plain).collect()
    }

    /// The lines that a step adds.
    fn lines(&mut self, step: impl FnOnce(&mut Self)) -> Vec<String> {
        let before = self.log().len();
        step(self);
        self.log().split_off(before)
    }
}

/// What a hook hands to the agent.
fn context(answer: &Value) -> &str {
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default()
}

fn reason(answer: &Value) -> &str {
    let out = &answer["hookSpecificOutput"];
    assert_eq!(out["permissionDecision"], "deny", "{answer}");
    out["permissionDecisionReason"].as_str().unwrap()
}

/// A catalogue as a session's harness would tell it.
const TOOLS: &str = r#"{"tools": [
  {"name": "Zeta", "description": "Last of all.", "input_schema": {"properties": {"z": {}}}},
  {"name": "Read", "description": "Reads a file from disk (text, e.g. code). Lines are numbered.",
   "input_schema": {"properties": {"file_path": {}, "offset": {}}}},
  {"name": "Edit", "description": "Replaces text in a file.", "input_schema": {"properties": {"file_path": {}}}},
  {"name": "Write", "description": "Writes ${a} file.", "input_schema": {"properties": {"file_path": {}}}},
  {"name": "Grep", "description": "Searches contents", "input_schema": {"properties": {"pattern": {}}}},
  {"name": "Glob", "description": "Lists files.", "input_schema": {"properties": {"pattern": {}}}},
  {"name": "Agent", "description": "Starts an agent.", "input_schema": {"properties": {"prompt": {}}}},
  {"name": "Bash", "description": "Runs a command.", "input_schema": {"properties": {"command": {}}}},
  {"name": "Alpha", "description": "First | of all."}
]}"#;

const LIVE: &str = "[ladder]\ntools = \"~/tools.json\"\n";

fn live(route: Route, more: &str) -> Bench {
    let mut bench = Bench::new(route, &format!("{LIVE}{more}"));
    bench.write("tools.json", TOOLS);
    assert_eq!(bench.start(), Value::Null);
    bench
}

#[test]
fn r1_legitimate_calls_leave_no_line() {
    for route in ROUTES {
        let mut bench = Bench::new(route, "");
        for command in [
            "cargo test 2>&1 | tail -40",
            "git status --short",
            "npm run build",
            "git grep needle",
            "make -j4 > /dev/null 2>&1",
            "python3 - <<'E'\nprint(1)\nE",
            "for f in *.rs; do sed -i s/a/b/ \"$f\"; done",
            "wc -l src/a.rs",
            "test -f a && echo yes",
            "curl -s https://x.test/status",
        ] {
            assert_eq!(bench.bash(command), Value::Null, "{route:?} {command}");
        }
        assert_eq!(bench.log(), [] as [&str; 0], "{route:?}");
    }
}

#[test]
fn r2_the_fourth_offense_of_a_class_brings_the_note() {
    for route in ROUTES {
        let mut bench = live(route, "");
        for _ in 0..3 {
            let lines = bench.lines(|bench| assert_eq!(bench.bash("cat src/a.rs"), Value::Null));
            assert_eq!(lines, ["offense bash read look/cat"], "{route:?}");
        }
        let payload = bench.payload("PostToolUse", "Bash", json!({"command": "sed -n 10,40p src/a.rs"}));
        let envelope = json(bench.answer(payload, &["--style", "envelope"]).as_bytes());
        let note = &envelope["notes"][0];
        assert_eq!(
            note["text"],
            "4 of your latest bash calls were a plain read that a dedicated tool does better (now: look/sed-print). \
             Use Read for it: Reads a file from disk (text, e.g. code). Its key parameter is `file_path`. \
             Here: `Read src/a.rs offset 10 limit 31`."
        );
        assert_eq!(note["source"], json!({"kind": "tool-coach", "form": "notice", "summary": "bash read × 4"}));
        assert_eq!(bench.log().last().unwrap(), "strike 4/3 bash read -> note read");
    }
}

#[test]
fn r3_the_cooldown_holds_and_the_second_note_comes_at_its_end() {
    let expected: Vec<String> = (1..=14)
        .flat_map(|call| {
            let mut lines = vec!["offense bash read look/cat".to_owned()];
            match call {
                4 => lines.push("strike 4/3 bash read -> note read".into()),
                8..=13 => lines.push(format!("cooldown suppressed {} bash read", (call - 4).min(8))),
                14 => lines.push("strike 8/3 bash read -> note read".into()),
                _ => {}
            }
            if call == 10 {
                lines.push("escalated persistent section (6 strikes)".into());
            }
            lines
        })
        .collect();
    for route in ROUTES {
        let mut bench = Bench::new(route, "");
        let noted: Vec<u32> = (1..=14)
            .filter(|_| context(&bench.bash("cat src/a.rs")).contains("plain read that a dedicated tool does better"))
            .collect();
        assert_eq!(noted, [4, 14], "{route:?}");
        assert_eq!(bench.log(), expected, "{route:?}");
    }
}

#[test]
fn r4_the_section_stands_until_the_clean_window_is_over() {
    for route in ROUTES {
        let mut bench = live(route, "");
        let mut said = Vec::new();
        for _ in 1..=10 {
            said.push(context(&bench.bash("cat src/a.rs")).to_owned());
        }
        assert_eq!(bench.log().last().unwrap(), "escalated persistent section (6 strikes)");
        let section = "Plain bash calls have become a habit in this session where a dedicated tool does better. \
            Use these tools instead:\n\n| tool | key parameter | what it does |\n| --- | --- | --- |\n\
            | Edit | `file_path` | Replaces text in a file. Its key parameter is `file_path`. |\n\
            | Write | `file_path` | Writes $${a} file. Its key parameter is `file_path`. |\n\
            | Read | `file_path` | Reads a file from disk (text, e.g. code). Its key parameter is `file_path`. |\n\
            | Grep | `pattern` | Searches contents. Its key parameter is `pattern`. |\n\
            | Glob | `pattern` | Lists files. Its key parameter is `pattern`. |";
        assert_eq!(said[9], section, "{route:?}");
        // Exactly one section with each prompt, and nothing else.
        assert_eq!(context(&bench.prompt("go on")), section);
        assert_eq!(context(&bench.start()), section);
        for _ in 0..11 {
            assert_eq!(bench.bash("cargo build"), Value::Null);
        }
        assert_eq!(context(&bench.prompt("go on")), section);
        let lines = bench.lines(|bench| assert_eq!(bench.bash("cargo build"), Value::Null));
        assert_eq!(lines, ["persistent section cleared (12 clean calls)"], "{route:?}");
        assert_eq!(bench.prompt("go on"), Value::Null);
        assert_eq!(bench.start(), Value::Null);
    }
}

#[test]
fn r5_what_is_enforced_is_denied_once_it_is_a_habit() {
    let enforced = |level: &str| format!("[ladder]\nenforce = \"{level}\"\nenforce_threshold = 3\n");
    for route in ROUTES {
        let mut bench = Bench::new(route, &enforced("all"));
        for _ in 0..3 {
            assert_eq!(bench.both("cat src/a.rs"), (Value::Null, Value::Null), "{route:?}");
        }
        let mut denied = Value::Null;
        let lines = bench.lines(|bench| denied = bench.both("cat src/a.rs").0);
        assert_eq!(
            reason(&denied),
            "This bash call was not run: it is a plain read (look/cat), after 3 like it. Use Read for it: give it \
             `file_path`, and `offset` and `limit` for a part of a long file. Here: `Read src/a.rs`. [kz ladder/read]"
        );
        assert_eq!(lines, ["denied bash read look/cat -> use read", "offense bash read look/cat"]);
        // The denied call counts, and two more come before the next denial.
        for _ in 0..2 {
            assert_eq!(bench.both("cat src/a.rs").0, Value::Null);
        }
        reason(&bench.both("cat src/a.rs").0);

        let mut bench = Bench::new(route, &enforced("write"));
        for _ in 0..6 {
            assert_eq!(bench.both("cat src/a.rs").0, Value::Null, "read under write");
        }
        for _ in 0..3 {
            assert_eq!(bench.both("echo x > src/a.rs").0, Value::Null);
        }
        assert!(reason(&bench.both("echo x > src/a.rs").0).contains("Use Write for it"));

        for (level, command) in [("off", "echo x > a.rs"), ("all", "ls src"), ("all", "kill 4242")] {
            let mut bench = Bench::new(route, &enforced(level));
            for _ in 0..6 {
                assert_eq!(bench.both(command).0, Value::Null, "{level} {command}");
            }
        }
    }
}

#[test]
fn r6_exempt_disabled_and_an_empty_table() {
    for route in ROUTES {
        let mut bench = Bench::new(route, "");
        for _ in 0..3 {
            bench.bash("cat a.json | jq .x");
            bench.bash("git diff | tee src/a.diff");
        }
        assert_eq!(bench.log(), ["exempt bash cat * | jq", "exempt bash git"], "{route:?}: once per pattern");
        bench.agent = "sub".into();
        assert_eq!(bench.lines(|bench| drop(bench.bash("cat a.json | jq .x"))), ["exempt bash cat * | jq"]);

        let mut bench = Bench::new(route, "[ladder]\nenabled = false\n");
        for _ in 0..6 {
            assert_eq!(bench.bash("cat src/a.rs"), Value::Null);
        }
        bench.agent = "sub".into();
        bench.bash("cat src/a.rs");
        assert_eq!(bench.log(), ["disabled (enabled=false)"], "{route:?}: once per session");

        let mut bench = Bench::new(route, "[ladder]\npattern_table = []\n");
        for _ in 0..6 {
            assert_eq!(bench.bash("cat src/a.rs"), Value::Null);
        }
        bench.bash("cat a.json | jq .x");
        assert_eq!(bench.log(), [] as [&str; 0], "{route:?}");
    }
}

#[test]
fn d1_no_composed_note_holds_a_placeholder() {
    for route in ROUTES {
        let texts = "notes.first = \"${tool} ${key}: ${about} ${pattern}\"\nnotes.denied = \"${about} ${call}\"\n";
        let mut bench = live(route, &format!("{texts}enforce = \"write\"\nenforce_threshold = 5\ncooldown = 1\n"));
        let mut said = Vec::new();
        for _ in 0..4 {
            said.push(context(&bench.both("echo x > 'src/${x}.rs'").1).to_owned());
        }
        assert_eq!(
            said.last().unwrap(),
            "Write file_path: Writes $${a} file. Its key parameter is `file_path`. write/echo"
        );
        for _ in 0..5 {
            bench.both("echo x > 'src/${x}.rs'");
        }
        let mut bench = live(route, &format!("{texts}enforce = \"write\"\nenforce_threshold = 1\n"));
        bench.both("echo x > 'src/${x}.rs'");
        let denied = bench.both("echo x > 'src/${x}.rs'").0;
        assert_eq!(
            reason(&denied),
            "Writes $${a} file. Its key parameter is `file_path`. Write src/$${x}.rs. [kz ladder/write]"
        );
    }
}

#[test]
fn d2_a_catalogue_that_cannot_be_read_is_said_with_each_note() {
    for route in ROUTES {
        for broken in ["", "[", "{\"tools\": []}"] {
            let mut bench = Bench::new(route, LIVE);
            if !broken.is_empty() {
                bench.write("tools.json", broken);
            }
            assert_eq!(bench.start(), Value::Null);
            let mut note = Value::Null;
            for _ in 0..4 {
                note = bench.bash("cat src/a.rs");
            }
            assert!(context(&note).contains("Use Read for it: give it `file_path`"), "{route:?} {note}");
            assert_eq!(
                bench.log().split_off(4),
                ["strike 4/3 bash read -> note read", "schema fetch failed -> static fallback"],
            );
        }
    }
}

#[test]
fn d3_the_section_has_the_mapped_tools_first_and_others_by_name() {
    let names = |most: u32, route| {
        let mut bench = live(route, &format!("threshold = 1\nescalate_threshold = 1\nmax_section_tools = {most}\n"));
        let said = bench.bash("cat src/a.rs");
        let rows = context(&said).lines().filter(|line| line.starts_with("| ")).skip(2);
        rows.map(|row| row.split(" | ").next().unwrap()[2..].to_owned()).collect::<Vec<_>>()
    };
    for route in ROUTES {
        assert_eq!(names(3, route), ["Edit", "Write", "Read"], "{route:?}");
        let all = ["Edit", "Write", "Read", "Grep", "Glob", "Agent", "Alpha", "Zeta"];
        assert_eq!(names(24, route), all, "{route:?}: Bash teaches nothing");
    }
}

#[test]
fn d4_the_section_is_written_anew_when_its_time_is_over_or_the_tools_are_others() {
    for route in ROUTES {
        let mut bench = live(route, "escalate_threshold = 3\nsection_ttl = 5\nclean_window = 50\n");
        for _ in 0..3 {
            bench.bash("ls src");
        }
        assert_eq!(bench.log().last().unwrap(), "escalated persistent section (3 strikes)");
        for _ in 0..4 {
            assert_eq!(bench.bash("cargo build"), Value::Null);
        }
        let mut said = Value::Null;
        let lines = bench.lines(|bench| said = bench.bash("cargo build"));
        assert_eq!(lines, ["section rebuilt (ttl 5)"], "{route:?}");
        assert!(context(&said).starts_with("Plain bash calls"), "no prompt said it for five calls");

        bench.write("tools.json", &TOOLS.replace("Replaces text in a file.", "Changes a file."));
        let lines = bench.lines(|bench| said = bench.prompt("go on"));
        assert_eq!(lines, ["section rebuilt (tools/change)"], "{route:?}");
        assert!(context(&said).contains("| Changes a file."), "{said}");
        assert_eq!(bench.lines(|bench| drop(bench.prompt("go on"))), [] as [&str; 0]);
    }
}

#[test]
fn d5_static_only_and_changes_land_on_the_next_call() {
    for route in ROUTES {
        let mut bench = live(route, "fetch_live = false\n");
        let mut note = Value::Null;
        for _ in 0..4 {
            note = bench.bash("cat src/a.rs");
        }
        assert!(context(&note).contains("Use Read for it: give it `file_path`"), "{note}");
        assert!(!bench.log().iter().any(|line| line.contains("schema fetch failed")));

        bench.write(CONFIG, "[ladder]\nthreshold = 1\ncooldown = 1\n");
        bench.bash("cat src/a.rs");
        assert!(!context(&bench.bash("cat src/a.rs")).is_empty(), "{route:?}: two are over one");
        bench.write(CONFIG, "[ladder]\nenabled = false\n");
        assert_eq!(bench.lines(|bench| drop(bench.bash("cat src/a.rs"))), ["disabled (enabled=false)"]);
        bench.write(CONFIG, "");
        assert_eq!(bench.lines(|bench| drop(bench.bash("cat src/a.rs"))), ["offense bash read look/cat"]);
    }
}

#[test]
fn dedicated_tools_are_never_judged() {
    for route in ROUTES {
        let mut bench = Bench::new(route, "");
        for tool in ["Read", "Edit", "Grep", "mcp__x__run", "Task"] {
            for _ in 0..5 {
                let payload = bench.payload("PostToolUse", tool, json!({"command": "cat a", "file_path": "/x/a"}));
                assert_eq!(bench.hook(payload), Value::Null, "{tool}");
            }
        }
        assert_eq!(bench.log(), [] as [&str; 0]);
    }
}

#[test]
fn a_wrong_bound_is_told_once_and_the_ladder_runs_on_its_defaults() {
    for (config, said) in [
        ("threshold = 0", "`ladder.threshold` wants a whole number from 1 to 256, not 0"),
        ("window = 2", "`ladder.window` (2) is below `ladder.threshold` (3), so no note could come"),
        ("cooldown = 0", "`ladder.cooldown` wants a whole number from 1 to 256, not 0"),
        ("escalate_threshold = 2", "`ladder.escalate_threshold` (2) is below `ladder.threshold` (3)"),
        ("clean_window = 0", "`ladder.clean_window` wants a whole number from 1 to 256, not 0"),
        ("enforce_threshold = 0", "`ladder.enforce_threshold` wants a whole number from 1 to 256, not 0"),
        ("max_section_tools = 25", "`ladder.max_section_tools` wants a whole number from 1 to 24, not 25"),
        ("max_section_tools = 0", "`ladder.max_section_tools` wants a whole number from 1 to 24, not 0"),
        ("section_ttl = 0", "`ladder.section_ttl` wants a whole number from 1 to 256, not 0"),
        ("notes.first = \" \"", "`ladder.notes.first` wants a text in quotes that is not empty"),
        ("notes.denied = \"${x}\"", "`ladder.notes.denied` has the unknown placeholder `${x}`"),
        ("exempt_patterns = [\"re:(\"]", "`re:(` is no regular expression"),
        ("pattern_table = [{ pattern = \"(\", class = \"read\", tool = \"read\" }]", "`(` is no regular expression"),
        ("pattern_table = [{ pattern = \"^x\", class = \"read\", tool = \"\" }]", "not one with an empty `tool`"),
        ("pattern_table = [{ pattern = \"^x\", class = \"read\" }]", "`tool` of `^x` is one of"),
        (
            "pattern_table = [{ id = \"look/cat\", pattern = \"^x\", class = \"read\", tool = \"read\" }]",
            "`look/cat` is a rule of kz already",
        ),
        (
            "pattern_table = [{ pattern = \"x\", class = \"read\", tool = \"read\" }, { pattern = \"x\", class = \"write\", tool = \"edit\" }]",
            "`x` stands there twice",
        ),
    ] {
        let mut bench = Bench::new(Route::Run, &format!("[ladder]\n\n{config}\n"));
        let first = bench.bash("cat src/a.rs");
        let told = first["systemMessage"].as_str().unwrap_or_default();
        assert!(told.contains(said) && told.contains("config.toml:3:"), "{config}: {first}");
        assert_eq!(bench.bash("cat src/a.rs"), Value::Null, "told once");
        for _ in 0..2 {
            bench.bash("cat src/a.rs");
        }
        assert_eq!(bench.log().last().unwrap(), "strike 4/3 bash read -> note read", "{config}");
    }
}

#[test]
fn a_row_of_ones_own_and_an_exemption_count_like_those_of_kz() {
    for route in ROUTES {
        let mut bench = Bench::new(
            route,
            "[ladder]\nthreshold = 1\nexempt_patterns = [\"cat * | mlr\", \"re:show .*--raw\"]\n\
             pattern_table = [{ id = \"mine/show\", pattern = \"^show \", class = \"read\", tool = \"read\" },\n\
             { pattern = \"^fix «var»\", class = \"write\", tool = \"edit\" }]\n",
        );
        bench.bash("show a");
        bench.bash("cat a.csv | mlr --icsv cat");
        bench.bash("sudo show a --raw");
        bench.bash("show a --raw");
        let note = bench.bash("FILE=$1; /opt/bin/show \"$FILE\" | head");
        bench.bash("fix $X");
        bench.bash("bash -c 'show b'");
        assert!(context(&note).contains("(now: mine/show)"), "{note}");
        assert_eq!(
            bench.log(),
            [
                "offense bash read mine/show",
                "exempt bash cat * | mlr",
                "exempt bash re:show .*--raw",
                "offense bash read mine/show",
                "strike 2/1 bash read -> note read",
                "offense bash write ^fix «var»",
                "offense bash read mine/show",
            ],
            "{route:?}"
        );
    }
}

#[test]
fn a_note_names_only_tools_that_the_session_has() {
    for route in ROUTES {
        let mut bench = Bench::new(route, "");
        for _ in 0..6 {
            let mut payload = bench.payload("PostToolUse", "Bash", json!({"command": "grep -rn foo src"}));
            payload["tools"] = json!(["Bash", "Read"]);
            assert_eq!(bench.hook(payload), Value::Null, "{route:?}");
        }
        assert_eq!(bench.log(), [] as [&str; 0], "without Grep a search is none");
        let mut note = Value::Null;
        for _ in 0..4 {
            let mut payload = bench.payload("PostToolUse", "Bash", json!({"command": "cat src/a.rs"}));
            payload["tools"] = json!(["Bash", "read_file"]);
            note = bench.hook(payload);
        }
        assert!(context(&note).contains("Use read_file for it"), "{note}");
    }
}

#[test]
fn a_command_tells_the_tools() {
    let mut bench = Bench::new(Route::Run, "[ladder]\ntools = \"!/bin/cat ~/tools.json\"\n");
    bench.write("tools.json", TOOLS);
    bench.start();
    let mut note = Value::Null;
    for _ in 0..4 {
        note = bench.bash("cat src/a.rs");
    }
    assert!(context(&note).contains("Reads a file from disk"), "{note}");
    let doctor = |bench: &Bench| text(&bench.place.run("kz", &["doctor"], b"").stdout);
    assert!(doctor(&bench).contains("ok   ladder: `ladder.tools` names 9 tools: Zeta, Read"), "{}", doctor(&bench));
    // One that hangs is left alone.
    let mut bench = Bench::new(Route::Run, "[ladder]\ntools = \"!/bin/sleep 60\"\ntools_ms = 50\n");
    bench.start();
    for _ in 0..4 {
        note = bench.bash("cat src/a.rs");
    }
    assert!(context(&note).contains("Use Read for it: give it"), "{note}");
    assert_eq!(bench.log().last().unwrap(), "schema fetch failed -> static fallback");
    assert!(doctor(&bench).contains("warn ladder: `ladder.tools` cannot be read: timed out"), "{}", doctor(&bench));
}

#[test]
fn agents_have_chains_of_their_own() {
    for route in ROUTES {
        let mut bench = Bench::new(route, "");
        for round in 1..=4 {
            for agent in ["", "a1", "a2"] {
                bench.agent = agent.into();
                let said = bench.bash("cat src/a.rs");
                assert_eq!(context(&said).is_empty(), round < 4, "{route:?} {agent} {round}");
            }
        }
        let strikes = bench.log().into_iter().filter(|line| line.starts_with("strike")).count();
        assert_eq!(strikes, 3);
    }
}

#[test]
fn a_call_that_the_guard_denies_counts_and_its_note_goes_along() {
    for route in ROUTES {
        let mut bench = Bench::new(route, "");
        for _ in 0..3 {
            bench.bash("cat src/a.rs");
        }
        let (before, _) = bench.both("cat src/a.rs && git push --force");
        assert!(reason(&before).contains("[kz git/force-push]"), "{before}");
        assert_eq!(bench.log().len(), 3, "a push beside it makes it none");
        let (before, _) = bench.both("cat src/a.rs ~/.ssh/id_rsa");
        assert!(reason(&before).contains("[kz secrets/"), "{before}");
        assert!(format!("{before}").contains("Use Read for it"), "{before}");
        assert_eq!(bench.log().last().unwrap(), "strike 4/3 bash read -> note read");
    }
}

#[test]
fn whether_a_note_was_heeded_is_in_the_ledger() {
    for route in [Route::Pipe, Route::Run] {
        let mut bench = Bench::new(route, "[ladder]\ncooldown = 1\n");
        let rows = |bench: &Bench| {
            let rows = std::fs::read_to_string(bench.place.state().join("ledger.jsonl")).unwrap();
            let rows = rows.lines().map(|line| json(line.as_bytes())).filter(|row| row["kind"] == "heed");
            rows.map(|row| (row["offer"].to_string(), row["used"] == true, row["calls"].as_u64().unwrap()))
                .collect::<Vec<_>>()
        };
        for _ in 0..4 {
            bench.bash("cat src/a.rs");
        }
        for tool in ["Grep", "Read", "Read"] {
            let payload = bench.payload("PostToolUse", tool, json!({"file_path": "src/a.rs", "pattern": "x"}));
            bench.hook(payload);
        }
        assert_eq!(rows(&bench), [("\"read\"".to_owned(), true, 2)], "{route:?}");
        for _ in 0..4 {
            bench.bash("grep -rn x src");
        }
        for _ in 0..10 {
            bench.bash("cargo build");
        }
        assert_eq!(rows(&bench)[1..], [("\"grep\"".to_owned(), false, 10)], "{route:?}");
    }
}

#[test]
fn tracing_changes_neither_answer_nor_ledger() {
    let run = |trace: bool| {
        let mut bench = Bench::new(Route::Run, "[ladder]\nenforce = \"all\"\nenforce_threshold = 5\n");
        bench.trace = trace;
        let said: Vec<Value> = (0..14).map(|_| bench.both("cat src/a.rs")).map(|(a, b)| json!([a, b])).collect();
        (said, bench.log(), bench.place.home.path().display().to_string())
    };
    let (plain, traced) = (run(false), run(true));
    assert_eq!((plain.0, plain.1), (traced.0, traced.1));
}

#[test]
fn what_breaks_off_or_is_no_command_leaves_the_call_alone() {
    for route in ROUTES {
        let mut bench = Bench::new(route, "");
        for input in [json!({}), json!({"command": 7}), json!({"command": "cat 'a"}), json!([1])] {
            let payload = bench.payload("PostToolUse", "Bash", input);
            assert!(context(&bench.hook(payload)).is_empty());
        }
        assert_eq!(bench.log().len(), 0, "{:?}", bench.log());
    }
    assert_eq!(PIPE[3], "kz-ladder");
}

#[test]
fn sixty_four_hooks_at_once_keep_exact_totals() {
    let place = Place::new();
    place.write(CONFIG, "[ladder]\ncooldown = 200\nwindow = 100\nescalate_threshold = 100\nthreshold = 90\n");
    for round in 0..2 {
        std::thread::scope(|scope| {
            for n in 0..64 {
                let payload = place.bash("PostToolUse", &format!("toolu_{round}_{n:02}"), "cat src/a.rs");
                let place = &place;
                scope.spawn(move || place.run("kz-run", &[], &payload));
            }
        });
    }
    let last = place.run("kz-run", &[], &place.bash("PostToolUse", "toolu_last", "cat src/a.rs"));
    // 129 offenses: all of the window is strikes, and the section came.
    let log = std::fs::read_to_string(place.state().join("tool-coach.log")).unwrap();
    assert_eq!(log.lines().filter(|line| line.ends_with("offense bash read look/cat")).count(), 129);
    let notes = log.lines().filter(|line| line.contains("strike ")).count();
    assert_eq!(
        (notes, log.lines().filter(|line| line.contains("escalated")).count()),
        (1, usize::from(log.contains("escalated")))
    );
    assert!(log.lines().all(|line| line.starts_with("[20")), "{log}");
    assert!(last.status.success());
}

#[test]
fn the_ledger_is_shown_filtered_and_counted() {
    let mut bench = Bench::new(Route::Run, "");
    for _ in 0..4 {
        bench.bash("cat src/a.rs");
    }
    bench.bash("ls src");
    bench.both("git push --force");
    let payload = bench.payload("PostToolUse", "Read", json!({"file_path": "src/a.rs"}));
    bench.hook(payload);
    let kz = |words: &str| {
        let words: Vec<&str> = [&["ledger"], &words.split_whitespace().collect::<Vec<_>>()[..]].concat();
        let output = bench.place.run("kz", &words, b"");
        assert!(output.status.success(), "{words:?} {}", text(&output.stderr));
        text(&output.stdout)
    };
    let at = "2025-11-30T14:19:05.123Z";
    assert_eq!(
        kz("-n 4"),
        format!(
            "{at}  note       bash read look/cat -> read\n{at}  offense    bash discovery look/ls\n\
             {at}  deny       Bash git/force-push\n{at}  heed       read -> read used within 2 calls\n"
        )
    );
    assert_eq!(kz("--count kind"), "      5  offense\n      1  deny\n      1  heed\n      1  note\n      8  in all\n");
    assert_eq!(kz("--count used"), "      1  used\n      1  in all\n");
    assert_eq!(kz("--class read --kind offense -n 0").lines().count(), 4);
    assert_eq!(kz("--tool Bash --rule git/").lines().count(), 1);
    assert_eq!(kz("--session nobody"), "");
    assert_eq!(kz("--since 1h discovery").lines().count(), 1);
    assert_eq!(json(kz("--json -n 1").as_bytes())["kind"], "heed");
    assert_eq!(kz("--lines strike"), format!("[{at}] hook-dsh-tool-coach: strike 4/3 bash read -> note read\n"));
    let wrong = bench.place.run("kz", &["ledger", "--since", "soon"], b"");
    assert_eq!(wrong.status.code(), Some(1));
    assert!(text(&wrong.stderr).contains("`soon` is no time"), "{}", text(&wrong.stderr));
    let empty = Place::new().run("kz", &["ledger", "--count", "rule"], b"");
    assert_eq!((text(&empty.stdout).as_str(), empty.status.code()), ("      0  in all\n", Some(0)));
}

#[test]
fn logs_are_begun_anew_by_size_and_no_line_of_a_concurrent_hook_is_lost() {
    let place = Place::new();
    place.write(CONFIG, "[ladder]\nlog_max_kb = 16\n");
    let folder = place.state();
    // All but full, so that the hooks cross the bound while others write.
    place.run("kz-run", &[], &place.bash("PostToolUse", "toolu_first", "cargo build"));
    std::fs::write(folder.join("tool-coach.log"), "x\n".repeat(8100)).unwrap();
    std::thread::scope(|scope| {
        for n in 0..48 {
            let payload = place.bash("PostToolUse", &format!("toolu_{n:02}"), "cat src/a.rs");
            let place = &place;
            scope.spawn(move || assert!(place.run("kz-run", &[], &payload).status.success()));
        }
    });
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
    let all = format!("{}{}", read("tool-coach.log.1"), read("tool-coach.log"));
    assert_eq!(all.lines().filter(|line| *line == "x").count(), 8100);
    assert_eq!(all.lines().filter(|line| line.contains("offense")).count(), 48);
    assert!(all.lines().all(|line| line == "x" || line.starts_with("[20")), "no torn line");
    assert!(!folder.join("tool-coach.log.2").exists());
    let shown = place.run("kz", &["ledger", "--lines", "-n", "0", "offense"], b"");
    assert_eq!(text(&shown.stdout).lines().count(), 48);
}

#[test]
fn a_stream_of_the_same_hooks_leaves_the_same_log() {
    let config = "[ladder]\nenforce = \"write\"\nenforce_threshold = 1\nsection_ttl = 6\nclean_window = 4\n";
    let walk = |bench: &mut Bench, sent: &mut Vec<Value>| {
        let commands = ["cat src/a.rs", "cat src/a.rs", "grep -rn x src", "echo x > src/b.rs", "cargo build"];
        for round in 0..50 {
            let command = match round {
                0..14 => "cat src/a.rs",
                14..20 => "cargo build",
                _ => commands[(round * 7 + round / 5) % 5],
            };
            bench.agent = if round > 20 && round % 3 == 0 { "sub".into() } else { String::new() };
            let mut payload = bench.payload("PreToolUse", "Bash", json!({"command": command}));
            let said = bench.hook(payload.clone());
            sent.push(payload.clone());
            if said["hookSpecificOutput"]["permissionDecision"] != "deny" {
                payload["hook_event_name"] = "PostToolUse".into();
                payload["tool_response"] = json!({"stdout": "x", "stderr": "", "interrupted": false});
                bench.hook(payload.clone());
                sent.push(payload);
            }
            for later in sent.iter_mut().rev().take(2) {
                if !bench.agent.is_empty() && later["tool_use_id"].as_str().unwrap().contains("sub") {
                    later["agent_id"] = "sub".into();
                }
            }
            if round > 20 && round % 11 == 10 {
                bench.agent.clear();
                let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "go on"});
                bench.hook(prompt.clone());
                sent.push(prompt);
            }
        }
    };
    let mut logs = Vec::new();
    let mut sent = Vec::new();
    for route in ROUTES {
        let mut bench = Bench::new(route, config);
        sent.clear();
        walk(&mut bench, &mut sent);
        logs.push(bench.log());
    }
    for route in [Route::Pipe, Route::Run] {
        let bench = Bench::new(route, config);
        let project = bench.place.project().display().to_string();
        let mut stream = String::new();
        for mut payload in sent.clone() {
            for (key, value) in [("session_id", "s-1"), ("cwd", &project), ("permission_mode", "default")] {
                payload[key] = value.into();
            }
            payload["transcript_path"] = "/none".into();
            stream.push_str(&format!("{payload}\n"));
        }
        let output = match route {
            Route::Pipe => bench.place.pipe(&["--style", "envelope"], stream.as_bytes()),
            _ => bench.place.run("kz-run", &["--style", "envelope"], stream.as_bytes()),
        };
        assert!(output.status.success());
        logs.push(bench.log());
    }
    for kind in ["offense", "strike", "denied", "escalated", "cleared", "rebuilt", "suppressed"] {
        assert!(logs[0].iter().any(|line| line.contains(kind)), "{kind}: {:?}", logs[0]);
    }
    for other in &logs[1..] {
        assert_eq!(&logs[0], other);
    }
}
