//! Settings files of all shapes: what is not ours keeps its bytes.
#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use proptest::prelude::*;

fn wanted() -> Vec<Wanted> {
    Wanted::all("/opt/kz bin/kz-run".replace(' ', "-").as_str(), false)
}

/// Adds, checks that adding again changes nothing, and that removing gives the text back.
fn round(text: &str) -> String {
    let new = add(text, &wanted()).unwrap();
    assert_eq!(add(&new, &wanted()).unwrap(), new, "twice is once");
    let root = scan(&new).unwrap();
    assert_eq!(
        ours(&root).iter().map(|row| row.event.as_str()).collect::<std::collections::BTreeSet<_>>().len(),
        EVENTS.len()
    );
    assert_eq!(remove(&new, None).unwrap(), text);
    new
}

#[test]
fn shapes_survive() {
    let two = "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [\n          {\"type\": \"command\", \"command\": \"./mine.sh\", \"timeout\": 5}\n        ]\n      }\n    ],\n    \"Stop\": [{ \"hooks\": [ {\"type\":\"command\",\"command\":\"say done\"} ] }]\n  },\n  \"env\": {\"A\": \"\\u00e9\", \"N\": 1.0}\n}\n";
    for text in [
        two.to_owned(),
        two.replace("  ", "    "),
        two.replace("  ", "\t"),
        two.replace('\n', "\r\n"),
        two.trim_end().to_owned(),
        serde_json::to_string(&serde_json::from_str::<Value>(two).unwrap()).unwrap(),
        "{\"model\": \"x\", \"a\": [1, 2]}".to_owned(),
        "{ \"model\" : \"x\" }\n\n".to_owned(),
    ] {
        let new = round(&text);
        assert_eq!(new.contains("\r\n"), text.contains("\r\n"));
        assert!(!text.contains("\r\n") || new.matches('\n').count() == new.matches("\r\n").count());
        assert_eq!(new.contains('\n'), text.contains('\n'), "one line stays one line");
        assert!(!text.contains('\t') || !new.contains("\n  "), "tabs stay tabs");
    }
}

#[test]
fn a_new_file_reads_well() {
    let text = add("", &wanted()[2..4]).unwrap();
    assert_eq!(
        text,
        "{\n  \"hooks\": {\n    \"PostToolUseFailure\": [\n      {\n        \"matcher\": \"\",\n        \"hooks\": [\n          {\n            \
         \"type\": \"command\",\n            \"command\": \"/opt/kz-bin/kz-run\"\n          }\n        ]\n      }\n    ],\n    \
         \"UserPromptSubmit\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \
         \"command\": \"/opt/kz-bin/kz-run\"\n          }\n        ]\n      }\n    ]\n  }\n}\n"
    );
    assert_eq!(add("\n", &wanted()).unwrap(), add("", &wanted()).unwrap());
    assert_eq!(add("{}", &wanted()).unwrap() + "\n", add("", &wanted()).unwrap());
    assert_eq!(remove(&text, None).unwrap(), "{}\n");
}

#[test]
fn empty_containers_are_filled_and_stay_if_they_were_there() {
    for text in ["{\"hooks\": {}}", "{\n  \"hooks\": {\n    \"PreToolUse\": []\n  }\n}\n", "{\n\t\"hooks\": { }\n}"] {
        let new = add(text, &wanted()).unwrap();
        assert_eq!(add(&new, &wanted()).unwrap(), new);
        let back: Value = serde_json::from_str(&remove(&new, Some(text)).unwrap()).unwrap();
        assert_eq!(back, serde_json::from_str::<Value>(text).unwrap());
        assert!(!remove(&new, None).unwrap().contains("hooks"));
    }
}

#[test]
fn what_the_host_would_drop_is_refused_with_its_place() {
    let hooks = |inner: &str| format!("{{\n  \"hooks\": {{\"PreToolUse\": [{inner}]}}\n}}");
    for (text, place, word) in [
        ("{\n  // mine\n}".to_owned(), (2, 3), "comment"),
        ("{\"a\": 1, /* x */ \"b\": 2}".to_owned(), (1, 10), "comment"),
        ("{\n  \"a\": [1,\n  ]\n}".to_owned(), (3, 3), "comma"),
        ("{\"a\": 1,}".to_owned(), (1, 9), "comma"),
        ("[]".to_owned(), (1, 1), "not an object"),
        ("{\"hooks\": [] }".to_owned(), (1, 11), "`hooks` is not an object"),
        ("{\"hooks\": {\"enabled\": true}}".to_owned(), (1, 23), "`hooks.enabled` is not a list"),
        ("{\"hooks\": {\"Stop\": [], \"Stop\": []}}".to_owned(), (1, 24), "twice"),
        ("{\"hooks\": {}, \"hooks\": {}}".to_owned(), (1, 15), "twice"),
        ("\u{feff}{}".to_owned(), (1, 1), "byte order mark"),
        ("{} {}".to_owned(), (1, 4), "behind the end"),
        ("{\"a\": \"x".to_owned(), (1, 7), "does not end"),
        ("{\"permissions\": {\"allow\": \"Bash\"}}".to_owned(), (1, 27), "permissions.allow"),
        (hooks("{\"command\": \"x\"}"), (2, 28), "no `hooks` list"),
        (hooks("\"x\""), (2, 28), "is not an object"),
        (hooks("{\"matcher\": 3, \"hooks\": []}"), (2, 28), "matcher"),
        (hooks("{\"hooks\": [{\"command\": \"x\"}]}"), (2, 39), "without `type`"),
        (hooks("{\"hooks\": [{\"type\": \"command\"}]}"), (2, 39), "without `command`"),
        (hooks("{\"hooks\": [{\"type\": \"shell\", \"command\": \"x\"}]}"), (2, 39), "does not know"),
        (hooks("{\"hooks\": [{\"type\": \"command\", \"command\": \"x\", \"timeout\": \"5\"}]}"), (2, 39), "timeout"),
        (hooks("{\"hooks\": [{\"type\": \"command\", \"command\": \"x\", \"timeout\": 0}]}"), (2, 39), "timeout"),
        (
            hooks("{\"hooks\": [{\"type\": \"command\", \"command\": \"x\", \"onFailure\": \"die\"}]}"),
            (2, 39),
            "onFailure",
        ),
    ] {
        let problem = add(&text, &wanted()).unwrap_err();
        assert_eq!(problem.place(&text), place, "{text}: {problem:?}");
        assert!(problem.text.contains(word), "{text}: {problem:?}");
    }
    assert!(add(&"[".repeat(100_000), &wanted()).unwrap_err().text.contains("deep"));
}

#[test]
fn ours_is_found_by_the_program_that_is_started() {
    for (command, word) in [
        ("kz-run", Some("kz-run")),
        ("/old/place/kz-run --style auto", Some("/old/place/kz-run")),
        ("'/my place/kz-run'", Some("'/my place/kz-run'")),
        ("KZ_MODE=review  A='b c' kz-run|cat", Some("kz-run")),
        ("echo kz-run", None),
        ("kz-runner", None),
        ("A=kz-run", None),
        ("'open", None),
        ("", None),
        ("naïve=1 kz-run", None),
    ] {
        assert_eq!(program_of(command).and_then(|range| command.get(range)), word, "{command}");
    }
}

#[test]
fn an_older_place_is_updated_and_nothing_else() {
    let old = add("{\n  \"model\": \"x\"\n}", &Wanted::all("/old/kz-run", false)).unwrap();
    let own = old.replacen("\"/old/kz-run\"", "\"KZ_TRACE=1 /old/kz-run --style auto\"", 1);
    let new = add(&own, &Wanted::all("'/new place/kz-run'", true)).unwrap();
    assert!(!new.contains("/old/kz-run"));
    assert!(
        new.contains("\"KZ_TRACE=1 '/new place/kz-run' --style auto\",\n            \"onFailure\": \"block\""),
        "{new}"
    );
    assert_eq!(new.matches("onFailure").count(), 1);
    assert_eq!(add("{\n  \"model\": \"x\"\n}", &Wanted::all("/old/kz-run", false)).unwrap(), old);
}

#[test]
fn a_pipeline_is_named_behind_the_program_and_brings_its_events() {
    let world = crate::world::Memory::new();
    let named = |name: &str| {
        let (pipeline, _) = Pipeline::find(name, &world).unwrap();
        Wanted::for_pipeline("kz-run", false, &pipeline)
    };
    let commands = |text: &str| {
        let root = scan(text).unwrap();
        ours(&root).into_iter().map(|row| (row.event, row.command)).collect::<Vec<_>>()
    };
    let old = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "A=1 /x/kz-run || true"}]}]}}"#;
    let fleet = add(old, &named("fleet")).unwrap();
    let rows = commands(&fleet);
    assert_eq!(rows[0], ("PreToolUse".to_owned(), "A=1 kz-run fleet || true".to_owned()));
    assert_eq!(rows.iter().map(|(event, _)| event.as_str()).collect::<Vec<_>>()[5..], ["Stop", "PreCompact"]);
    assert!(rows[1..].iter().all(|(_, command)| command == "kz-run fleet"), "{rows:?}");
    assert_eq!(add(&fleet, &named("fleet")).unwrap(), fleet, "twice is once");
    // Without a name, the one that stands there stays; with another, it goes.
    assert_eq!(add(&fleet, &Wanted::all("kz-run", false)).unwrap(), fleet);
    assert_eq!(needed(&ours(&scan(&fleet).unwrap()), &world)[5..], ["Stop", "PreCompact"]);
    let other = commands(&add(&fleet, &named("default")).unwrap());
    assert_eq!(other[0].1, "A=1 kz-run default || true");
    assert_eq!(named("default").len(), EVENTS.len(), "no event that no stage needs");
}

#[test]
fn a_shared_group_keeps_the_foreign_half() {
    let text = "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"\", \"hooks\": [{\"type\": \"command\", \"command\": \"kz-run\"}, {\"type\": \"command\", \"command\": \"other\"}]}]}}";
    assert_eq!(
        remove(text, None).unwrap(),
        "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"\", \"hooks\": [{\"type\": \"command\", \"command\": \"other\"}]}]}}"
    );
    let between = "[1, 2, 3, 4, 5]";
    let root = scan(between).unwrap();
    for (gone, left) in [
        ([true, false, true, true, false], "[2, 5]"),
        ([true, true, true, true, true], "[]"),
        ([false, false, false, true, true], "[1, 2, 3]"),
        ([true, true, false, true, false], "[3, 5]"),
    ] {
        assert_eq!(edit::cut_for_test(between, &root, &gone), left);
    }
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
        Just(Value::Null)
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z\" \\\\]{1,6}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Groups that are not ours.
fn groups() -> impl Strategy<Value = Value> {
    let handler =
        ("[a-z ]{1,8}", prop::option::of(1_u32..9), prop::option::of(json())).prop_map(|(command, timeout, extra)| {
            let mut handler = json!({ "type": "command", "command": command });
            if let Some(timeout) = timeout {
                handler["timeout"] = timeout.into();
            }
            if let Some(extra) = extra {
                handler["x"] = extra;
            }
            handler
        });
    let group =
        (prop::option::of("[A-Z|*]{0,6}"), prop::collection::vec(handler, 0..3)).prop_map(|(matcher, hooks)| {
            match matcher {
                Some(matcher) => json!({ "matcher": matcher, "hooks": hooks }),
                None => json!({ "hooks": hooks }),
            }
        });
    prop::collection::vec(group, 1..3).prop_map(Value::from)
}

fn settings() -> impl Strategy<Value = Value> {
    let events = prop::collection::btree_map(
        prop_oneof![Just("PreToolUse"), Just("PostToolUse"), Just("SessionStart"), Just("Stop"), Just("Later")],
        groups(),
        1..4,
    );
    let hooks = prop::option::of(
        events.prop_map(|map| Value::Object(map.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())),
    );
    (prop::collection::btree_map("[a-z]{1,7}", json(), 1..5), hooks, any::<bool>()).prop_map(|(rest, hooks, first)| {
        let mut map = Map::new();
        if let (Some(hooks), true) = (&hooks, first) {
            map.insert("hooks".into(), hooks.clone());
        }
        map.extend(rest.into_iter().filter(|(key, _)| !["env", "hooks"].contains(&key.as_str())));
        map.insert("model".into(), "x".into());
        if let (Some(hooks), false) = (hooks, first) {
            map.insert("hooks".into(), hooks);
        }
        Value::Object(map)
    })
}

/// The value as text, laid out one way or another.
fn laid_out(value: &Value, indent: usize, crlf: bool, end: bool) -> String {
    let text = match indent {
        0 => serde_json::to_string(value).unwrap(),
        _ => {
            let unit = if indent == 9 { "\t".to_owned() } else { " ".repeat(indent) };
            let mut out = Vec::new();
            let layout = serde_json::ser::PrettyFormatter::with_indent(unit.as_bytes());
            serde::Serialize::serialize(value, &mut serde_json::Serializer::with_formatter(&mut out, layout)).unwrap();
            String::from_utf8(out).unwrap()
        }
    };
    let text = if crlf { text.replace('\n', "\r\n") } else { text };
    if end { text + "\n" } else { text }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn in_and_out_again_is_nothing(value in settings(), indent in prop_oneof![Just(0), Just(1), Just(2), Just(4), Just(9)], crlf: bool, end: bool) {
        let text = laid_out(&value, indent, crlf, end);
        let new = add(&text, &wanted()).unwrap();
        prop_assert_eq!(add(&new, &wanted()).unwrap(), new.clone());
        prop_assert_eq!(remove(&new, None).unwrap(), text);
        // Laid out by the same rules, the new file is what a rewrite would have given.
        if indent > 0 {
            let parsed: Value = serde_json::from_str(&new).unwrap();
            prop_assert_eq!(laid_out(&parsed, indent, crlf, end), new);
        }
    }

    #[test]
    fn any_text_is_edited_or_refused(text in "[\\[\\]{},:\"a1 \n/\\\\]{0,24}|\\PC{0,12}") {
        let ours = add(&text, &wanted());
        prop_assert_eq!(ours.is_ok(), text.trim().is_empty() || serde_json::from_str::<Map<String, Value>>(&text).is_ok());
    }
}
