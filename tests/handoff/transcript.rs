//! What a transcript measures, however damaged it is.

use super::*;

#[test]
fn damaged_transcripts_give_what_their_last_whole_row_says() {
    let side = row(180).replace("\"isSidechain\":false", "\"isSidechain\":true");
    let synthetic = row(190).replace("claude-opus-4-5", "<synthetic>");
    let bare = r#"{"type":"assistant","message":{"model":"claude-opus-4-5","usage":{}}}"#;
    let uncached = r#"{"type":"assistant","message":{"model":"claude-opus-4-5","usage":{"input_tokens":60000}}}"#;
    let nested = format!(r#"{{"type":"progress","data":{{"message":{}}}}}"#, row(170));
    let summary = r#"{"type":"system","subtype":"compact_boundary"}"#;
    let long = format!("{{\"type\":\"user\",\"text\":\"{}\"}}", "x".repeat(300_000));
    let cases: Vec<(&str, Vec<u8>, Option<f64>)> = vec![
        ("plain", format!("{}\n", row(60)).into(), Some(30.0)),
        ("no newline at the end", row(60).into(), Some(30.0)),
        ("sidechain last", format!("{}\n{side}\n", row(60)).into(), Some(30.0)),
        ("synthetic last", format!("{}\n{synthetic}\n", row(60)).into(), Some(30.0)),
        ("usage without numbers", format!("{}\n{bare}\n", row(60)).into(), Some(30.0)),
        ("no cache fields", format!("{uncached}\n").into(), Some(30.0)),
        ("half-written last row", format!("{}\n{}", row(60), &row(90)[..50]).into(), Some(30.0)),
        (
            "half-written, then a row on the same line",
            format!("{}{}\n", &row(90)[..50], row(60).replacen('{', "{\"parentUuid\":null,", 1)).into(),
            Some(30.0),
        ),
        ("two on a line", format!("{{\"type\":\"user\"}}{}\n", row(60)).into(), Some(30.0)),
        ("two measurements on a line", format!("{}{}\n", row(80), row(60)).into(), Some(30.0)),
        ("garbage between", format!("{}\n{{bad\n\u{1}\u{2}\n]]\n", row(60)).into(), Some(30.0)),
        ("bytes that are no text", [row(60).as_bytes(), b"\n\xff\xfe{\"assistant\"\"usage\"\n"].concat(), Some(30.0)),
        ("a subagent's row in a progress row", format!("{}\n{nested}\n", row(60)).into(), Some(30.0)),
        ("behind long rows", format!("{}\n{long}\n{long}\n", row(60)).into(), Some(30.0)),
        ("a compaction", format!("{}\n{summary}\n", row(160)).into(), None),
        ("a row after the compaction", format!("{}\n{summary}\n{}\n", row(160), row(60)).into(), Some(30.0)),
        ("beyond a mebibyte", format!("{}\n{}\n{long}\n{long}\n", row(60), "x".repeat(600_000)).into(), None),
        ("no assistant yet", b"{\"type\":\"user\"}\n".to_vec(), None),
        ("empty", Vec::new(), None),
        ("UTF-16, little end first", utf16(&format!("{}\r\n", row(60)), u16::to_le_bytes), Some(30.0)),
        ("UTF-16, big end first", utf16(&format!("{}\n{side}\n", row(60)), u16::to_be_bytes), Some(30.0)),
        ("a disk that lost the end", [row(60).as_bytes(), b"\n", &[0; 4096]].concat(), Some(30.0)),
        ("a whole JSON file of another program", b"{\n  \"info\": {},\n  \"messages\": []\n}\n".to_vec(), None),
    ];
    for (name, bytes, want) in cases {
        let fleet = Fleet::new();
        fleet.transcript(&bytes);
        let output = fleet.fire("Stop", json!({}));
        assert_eq!(fleet.record()["context_pct"].as_f64(), want, "{name}");
        let source = if want.is_some() { "transcript" } else { "none" };
        assert_eq!(fleet.record()["context_source"], source, "{name}");
        assert!(output.stderr.is_empty() && output.stdout.is_empty(), "{name}: {output:?}");
    }
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect()
}

#[test]
fn the_window_comes_from_the_longest_name_or_from_the_agent() {
    let fleet = Fleet::new();
    let usage = |model: &str| row(100).replace("claude-opus-4-5", model) + "\n";
    for (model, want) in
        [("claude-sonnet-4-5-20250929", Some(50.0)), ("claude-opus-4-8", Some(10.0)), ("claude-next-9", None)]
    {
        fleet.transcript(usage(model).as_bytes());
        let output = fleet.fire("Stop", json!({"stop_hook_active": true}));
        assert_eq!(fleet.record()["context_pct"].as_f64(), want, "{model}");
        let hint = text(&output.stdout).contains("handoff.limits");
        assert_eq!(hint, want.is_none(), "{model}");
    }
    // The hint comes once a session.
    assert!(fleet.fire("Stop", json!({})).stdout.is_empty());
    fleet
        .place
        .write(".config/kz/config.toml", "[handoff.limits]\n\"claude-sonnet-4\" = 400000\n\"claude-next\" = 1000000\n");
    for (model, want) in [("claude-sonnet-4-5", 25.0), ("claude-next-9", 10.0)] {
        fleet.transcript(usage(model).as_bytes());
        fleet.fire("Stop", json!({}));
        assert_eq!(fleet.record()["context_pct"].as_f64(), Some(want), "{model}");
    }
    let mut command = fleet.command("kz-run", &["fleet"]);
    command.env("FLEET_CONTEXT_LIMIT", "500000");
    feed(command, &fleet.payload("Stop", json!({})));
    assert_eq!(fleet.record()["context_pct"].as_f64(), Some(20.0));
}

#[test]
fn an_old_transcript_of_another_session_says_nothing() {
    let fleet = Fleet::new();
    let with = |session: &str, at: &str| {
        let mut value = json(row(150).as_bytes());
        value["sessionId"] = session.into();
        value["timestamp"] = at.into();
        fleet.transcript(format!("{value}\n").as_bytes());
        fleet.fire("Stop", json!({}));
        fleet.record()["context_pct"].as_f64()
    };
    let own = "5b1f0c1e-0000-4000-8000-000000000001";
    assert_eq!(with("other", "2025-11-30T13:30:00Z"), None);
    assert!(fleet.names("queue").is_empty());
    assert_eq!(with("other", "2025-11-30T14:18:00Z"), Some(75.0));
    assert_eq!(with(own, "2025-11-30T13:30:00Z"), Some(75.0));
}

#[test]
fn a_transcript_that_cannot_be_read_is_told_once_in_one_line() {
    let fleet = Fleet::new();
    fleet.transcript(&utf16("{\r\n  \"type\": \"user\"\r\n}\r\n", u16::to_le_bytes));
    let told = text(&fleet.fire("Stop", json!({})).stdout);
    assert!(told.contains("saved as UTF-16") && told.lines().count() == 1, "{told}");
    assert!(fleet.fire("Stop", json!({})).stdout.is_empty());
    assert_eq!(fleet.record()["context_pct"], Value::Null);
}
