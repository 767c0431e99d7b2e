//! Standard input that nobody should send.

use super::*;
use proptest::prelude::*;

#[test]
fn bad_input() {
    let shown = |bytes: &[u8]| -> Vec<String> {
        items(bytes)
            .into_iter()
            .map(|item| match item {
                Item::Value { text, replaced: 0, .. } => format!("value {text}"),
                Item::Value { text, replaced, .. } => format!("value, {replaced} replaced {text}"),
                Item::Garbage { shown, bytes, .. } => format!("garbage of {bytes}: {shown}"),
                Item::Unterminated { text, payload } => {
                    format!("unterminated {text} {:?} {:?}", payload.event, payload.tool)
                }
                Item::TooLarge { .. } => "too large".into(),
                Item::Empty => "empty".into(),
            })
            .collect()
    };
    for (input, want) in [
        (&b""[..], &["empty"][..]),
        (b" \r\n\t ", &["empty"]),
        ("\u{feff}".as_bytes(), &["empty"]),
        (b"{}", &["value {}"]),
        (b"{}\n", &["value {}"]),
        (b"\n\n {} \n", &["value {}"]),
        ("\u{feff}{}\n".as_bytes(), &["value {}"]),
        (b"{}\n{\"a\":1}\n", &["value {}", "value {\"a\":1}"]),
        (b"{}{}  {}", &["value {}", "value {}", "value {}"]),
        (b"{\n \"a\": [\n  1\n ]\n}\n", &["value {\n \"a\": [\n  1\n ]\n}"]),
        (b"hello {}\n{}\n", &["garbage of 8: hello {}", "value {}"]),
        (b"{} x {}\n{}\n", &["value {}", "garbage of 4: x {}", "value {}"]),
        (b"[1,\n{}\n]\n{}", &["garbage of 8: [1,\n{}\n]", "value {}"]),
        (b"\"text\" {}", &["garbage of 6: \"text\"", "value {}"]),
        (b"7\n{}", &["garbage of 1: 7", "value {}"]),
        (b"null", &["garbage of 4: null"]),
        (b"{\"a\":tru}\nx\n\n{}", &["garbage of 11: {\"a\":tru}\nx", "value {}"]),
        (b"{\"a\":\"x\n{\"b\":1}\n", &["garbage of 7: {\"a\":\"x", "value {\"b\":1}"]),
        (b"{\"a\":\n{\"b\":1}\n{\"c\":1}", &["garbage of 13: {\"a\":\n{\"b\":1}", "value {\"c\":1}"]),
        (b"{\"a\":\"\0\"}", &["garbage of 9: {\"a\":\"\0\"}"]),
        (b"\0\0", &["garbage of 2: \0\0"]),
        (b"{\"a\":\"\xff\xfe\"}", &["value, 2 replaced {\"a\":\"\u{fffd}\u{fffd}\"}"]),
        (b"{\"a\":1}\n{\"b\":\"\xff\"}", &["value {\"a\":1}", "value, 1 replaced {\"b\":\"\u{fffd}\"}"]),
        (
            b"{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"rm -r",
            &[
                "unterminated {\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"rm -r Some(\"PreToolUse\") Some(\"Bash\")",
            ],
        ),
        (b"{\"a\":1e999,\"a\":-0.0,\"b\":\"\\ud83d\"}", &["value {\"a\":1e999,\"a\":-0.0,\"b\":\"\\ud83d\"}"]),
    ] {
        assert_eq!(shown(input), want, "{}", String::from_utf8_lossy(input));
    }
    assert_eq!(shown("é".repeat(100).as_bytes()), [format!("garbage of 200: {}", "é".repeat(80))]);
    let deep = format!("{{\"x\":{}{},\"cwd\":\"/a\"}}", "[".repeat(200), "]".repeat(200));
    assert_eq!(payload(deep.as_bytes()).cwd.as_deref(), Some("/a"));
}

#[test]
fn input_beyond_the_limit_keeps_what_its_head_says() {
    let mut bytes = br#"{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"content":""#.to_vec();
    bytes.resize(201, b'a');
    let mut frames = Frames::bounded(bytes, 200);
    let Some(Item::TooLarge { payload }) = frames.next() else { panic!("not too large") };
    assert_eq!((payload.event.as_deref(), payload.tool.as_deref()), (Some("PreToolUse"), Some("Write")));
    assert_eq!(frames.next(), None);

    let mut bytes = b"{}".to_vec();
    bytes.resize(201, b' ');
    let all: Vec<Item> = Frames::bounded(bytes, 200).collect();
    assert!(matches!(all.as_slice(), [Item::Value { .. }, Item::TooLarge { .. }]), "{all:?}");
}

#[test]
fn a_broken_object_keeps_what_stands_before_the_break() {
    let all = items(b"{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"rm x\"},\"cwd\":\"a\tb\"}\n");
    let [Item::Garbage { payload, .. }] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!(payload.tool.as_deref(), Some("Bash"));
    assert_eq!(payload.input.as_ref().unwrap().command.as_deref(), Some("rm x"));
    assert_eq!(payload.cwd, None);
}

proptest! {
    #[test]
    fn any_bytes_are_split(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(!items(&bytes).is_empty());
    }

    #[test]
    fn pieces_are_split(picks in proptest::collection::vec(0..14usize, 0..30)) {
        const PIECES: [&[u8]; 14] = [
            b"{", b"}", b"[", b"]", b"\"", b":", b",", b"\n", b" ", b"\\", b"\xff", b"null", b"\"tool_input\":", b"\"a\":1",
        ];
        let bytes: Vec<u8> = picks.iter().flat_map(|pick| PIECES[*pick]).copied().collect();
        for item in items(&bytes) {
            if let Item::Value { text, .. } = item {
                let referee: Result<&serde_json::value::RawValue, _> = serde_json::from_str(&text);
                prop_assert!(referee.is_ok(), "{}", text);
            }
        }
    }

    #[test]
    fn objects_come_back_byte_for_byte(
        texts in proptest::collection::vec((".{0,20}", ".{0,20}", 0..4usize), 1..5),
        pretty in any::<bool>(),
        between in "[ \n\r\t]{0,3}",
    ) {
        let objects: Vec<String> = texts
            .into_iter()
            .map(|(key, text, depth)| {
                let value = (0..depth).fold(json!({ key.clone(): text }), |inner, _| json!({ key.clone(): [inner, 1.5] }));
                if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() }
            })
            .collect();
        let back: Vec<String> = items(objects.join(&between).as_bytes())
            .into_iter()
            .map(|item| match item {
                Item::Value { text, replaced: 0, .. } => text,
                other => panic!("{other:?}"),
            })
            .collect();
        prop_assert_eq!(back, objects);
    }
}
