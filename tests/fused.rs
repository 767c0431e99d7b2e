//! The law: piped = fused, byte for byte; and hooks of one session at the same time.

use crate::support::{PIPE, Place, fixtures, json, text};
use std::collections::BTreeSet;

#[test]
fn piped_is_fused_for_every_fixture_answers_and_envelopes() {
    for (name, payload) in fixtures() {
        let (piped, fused) = (Place::new(), Place::new());
        // The two homes differ in their path: what is compared must not hold it.
        let clean = |place: &Place, bytes: &[u8]| text(bytes).replace(&place.home.path().display().to_string(), "HOME");
        for last in [&["--style", "envelope"][..], &[]] {
            let a = piped.pipe(last, &payload);
            let b = fused.run("kz-run", last, &payload);
            assert_eq!(clean(&piped, &a.stdout), clean(&fused, &b.stdout), "{name} {last:?}");
            assert_eq!(a.status.code(), Some(0), "{name}");
            assert_eq!(b.status.code(), Some(0), "{name}");
        }
        let relative = |place: &Place| {
            let root = place.home.path().to_owned();
            place.files().iter().map(|path| path.strip_prefix(&root).unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(relative(&piped), relative(&fused), "{name}");
        for file in relative(&piped) {
            let read = |place: &Place| clean(place, &std::fs::read(place.home.path().join(&file)).unwrap());
            assert_eq!(read(&piped), read(&fused), "{name} {}", file.display());
        }
    }
}

#[test]
fn a_stream_of_payloads_is_decided_as_the_live_hooks_would() {
    let calls: Vec<Vec<u8>> =
        (0..14).map(|n| Place::new().bash("PostToolUse", &format!("toolu_{n}"), "cat src/a.rs")).collect();
    let live = Place::new();
    let mut one_by_one = Vec::new();
    let fix = |place: &Place, n: usize| {
        let mut payload = json(&calls[n]);
        payload["cwd"] = place.project().display().to_string().into();
        payload["transcript_path"] = "none".into();
        format!("{payload}\n").into_bytes()
    };
    for n in 0..calls.len() {
        one_by_one.extend(live.run("kz-run", &["--style", "envelope"], &fix(&live, n)).stdout);
    }
    let streamed = Place::new();
    let input: Vec<u8> = (0..calls.len()).flat_map(|n| fix(&streamed, n)).collect();
    let at_once = streamed.pipe(&["--style", "envelope"], &input);
    let pick = |bytes: &[u8], key: &str| {
        text(bytes).lines().map(|line| json(line.as_bytes())[key].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(text(&at_once.stdout).lines().count(), calls.len());
    for key in ["findings", "votes", "notes", "effects", "decision"] {
        assert_eq!(pick(&one_by_one, key), pick(&at_once.stdout, key), "{key}");
    }
    let log = |place: &Place| std::fs::read_to_string(place.state().join("tool-coach.log")).unwrap();
    assert_eq!(log(&live), log(&streamed));
    assert!(log(&live).contains("strike 8/3 bash read -> note read"), "{}", log(&live));
}

#[test]
fn sixty_four_hooks_at_once_lose_nothing_and_bring_one_note() {
    let place = Place::new();
    // However they fall, no second note can be due among 64 calls.
    place.write(".config/kz/config.toml", "[ladder]\ncooldown = 100\n");
    let outputs: Vec<_> = std::thread::scope(|scope| {
        let hooks: Vec<_> = (0..64)
            .map(|n| {
                let payload = place.bash("PostToolUse", &format!("toolu_{n:02}"), "cat src/a.rs");
                let place = &place;
                scope.spawn(move || place.run("kz-run", &[], &payload))
            })
            .collect();
        hooks.into_iter().map(|hook| hook.join().unwrap()).collect()
    });
    let log = place.state().join("sessions/5b1f0c1e-0000-4000-8000-000000000001/events.jsonl");
    let lines: Vec<_> = std::fs::read_to_string(log).unwrap().lines().map(|line| json(line.as_bytes())).collect();
    let judged: BTreeSet<_> =
        lines.iter().filter(|line| line["kind"] == "judged").map(|line| line["once"].to_string()).collect();
    assert_eq!(judged.len(), 64);
    let notes = lines.iter().filter(|line| line["kind"] == "note").count();
    let said = outputs.iter().filter(|output| text(&output.stdout).contains("Use Read for it")).count();
    assert_eq!((notes, said), (1, 1));
}

#[test]
fn the_same_hook_started_64_times_counts_once() {
    let place = Place::new();
    let payload = place.bash("PostToolUse", "toolu_same", "cat src/a.rs");
    std::thread::scope(|scope| {
        for _ in 0..64 {
            scope.spawn(|| place.run("kz-run", &[], &payload));
        }
    });
    let log = std::fs::read_to_string(place.state().join("tool-coach.log")).unwrap();
    assert_eq!(log.lines().count(), 1, "{log}");
}

#[test]
fn a_denial_is_remembered_once_however_often_its_hook_runs() {
    let place = Place::new();
    let payload = place.bash("PreToolUse", "toolu_same", "git push --force");
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| place.run("kz-run", &[], &payload));
        }
    });
    place.run("kz-run", &[], &payload);
    let rows = std::fs::read_to_string(place.state().join("ledger.jsonl")).unwrap();
    assert_eq!(rows.lines().count(), 1, "{rows}");
    let session = place.state().join("sessions/5b1f0c1e-0000-4000-8000-000000000001/events.jsonl");
    let decided = std::fs::read_to_string(session).unwrap().matches("\"decided\"").count();
    assert_eq!(decided, 1);
}

#[test]
fn every_part_of_one_input_reaches_the_agent() {
    let place = Place::new();
    let mut input: Vec<u8> = (0..4).flat_map(|n| place.bash("PostToolUse", &format!("t{n}"), "cat src/a.rs")).collect();
    input.extend(place.bash("PreToolUse", "t9", "git push --force"));
    let said = text(&place.run("kz-run", &[], &input).stdout);
    assert!(said.contains("[kz git/force-push]") && said.contains("Use Read for it"), "{said}");
}

#[test]
fn options_and_faults_are_the_same_piped_and_fused() {
    let options = ["--set", "ladder.threshold=1", "--set", "ladder.treshold=1"];
    let (piped, fused) = (Place::new(), Place::new());
    let clean = |place: &Place, bytes: &[u8]| text(bytes).replace(&place.home.path().display().to_string(), "HOME");
    for (event, id) in [("PostToolUse", "t1"), ("PostToolUse", "t2"), ("PreToolUse", "t3")] {
        for place in [&piped, &fused] {
            place.write(".config/kz/config.toml", "nonsense = 1\n[guard.rules]\n\"git/force-push\" = \"ask\"\n");
        }
        let mut bytes = piped.bash(event, id, "cat a.rs && git push --force");
        for name in &PIPE[..4] {
            bytes = piped.run(name, &options, &bytes).stdout;
        }
        let last = [&options[..], &["--style", "envelope"]].concat();
        let a = piped.run(PIPE[4], &last, &bytes).stdout;
        let b = fused.run("kz-run", &last, &fused.bash(event, id, "cat a.rs && git push --force")).stdout;
        assert_eq!(clean(&piped, &a), clean(&fused, &b), "{id}");
        assert!(clean(&fused, &b).contains("ladder.treshold"));
    }
}
