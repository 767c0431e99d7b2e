//! Running one row: its calls through source, stages and decision, without a trace of it left.

use super::{Expect, Given, Row};
use crate::envelope::{Envelope, ModeFact, Verdict};
use crate::pipeline::{Pipeline, Trace};
use crate::stage::source::Source;
use crate::stage::{Contexts, Memory, decide};
use crate::wire::framing::Frames;
use crate::world::World;
use serde_json::json;
use std::path::Path;

/// What came of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What was not as expected, a line each; none if all was.
    pub wrong: Vec<String>,
    /// The last command that was given, or nothing; for `kz explain`.
    pub command: String,
}

/// Sends the calls of a row through a pipeline, as one session that nobody has seen before, in the
/// folder `here`. `number` tells the sessions of several rows apart.
pub fn run(
    row: &Row,
    number: usize,
    pipeline: &Pipeline,
    contexts: &mut Contexts,
    here: &Path,
    world: &dyn World,
) -> Outcome {
    let mut own = contexts.with(&row.set);
    let contexts = if row.set.is_empty() { contexts } else { &mut own };
    let mut source = Source::new(world, &pipeline.names());
    let mut memory = Memory::default();
    let mut last = None;
    let mut calls = 0;
    for given in &row.given {
        for _ in 0..given.times {
            calls += 1;
            let payload = payload(given, number, calls, here);
            for item in Frames::new(payload.into_bytes()) {
                let Some(mut envelope) = source.envelope(item, contexts) else { continue };
                if let Some(mode) = &given.mode {
                    envelope.facts.mode =
                        Some(ModeFact { name: mode.clone(), from: "test".into(), ..ModeFact::default() });
                }
                let cx = contexts.of(&envelope.call.root);
                pipeline.run(&mut envelope, cx, &mut memory, &mut Trace::default());
                decide::prepare(&mut envelope);
                decide::settle(&mut envelope, *cx.config.guard.ask_when_unattended);
                last = Some((envelope, given.mode.clone().filter(|mode| !cx.config.modes.contains_key(mode))));
            }
        }
    }
    match last {
        None => Outcome { wrong: vec!["the payload cannot be read".into()], command: String::new() },
        Some((envelope, Some(mode))) => {
            Outcome { wrong: vec![format!("there is no mode `{mode}`")], command: envelope.call.command }
        }
        Some((envelope, None)) => Outcome { wrong: compare(&row.expect, &envelope), command: envelope.call.command },
    }
}

/// The payload as a host would send it.
fn payload(given: &Given, number: usize, call: u32, here: &Path) -> String {
    let mut payload = given.payload.clone();
    let mut default = |key: &str, value: serde_json::Value| {
        payload.entry(key.to_owned()).or_insert(value);
    };
    default("session_id", json!(format!("kz-test-{number}")));
    default("permission_mode", json!("default"));
    default("tool_use_id", json!(format!("kz-test-{number}-{call}")));
    let folder = match payload.get("cwd").and_then(|cwd| cwd.as_str()) {
        Some(cwd) => here.join(cwd),
        None => here.to_path_buf(),
    };
    payload.insert("cwd".into(), json!(folder.to_string_lossy()));
    serde_json::Value::Object(payload).to_string()
}

fn compare(expect: &Expect, envelope: &Envelope) -> Vec<String> {
    let mut wrong = Vec::new();
    let (say, rule, reason) = match &envelope.decision {
        Some(decision) => (decision.say, decision.rule.as_str(), decision.reason.as_str()),
        None => (Verdict::None, "", ""),
    };
    let by = if rule.is_empty() { String::new() } else { format!(" by {rule}") };
    if expect.say.is_some_and(|wanted| wanted != say) {
        let wanted = expect.say.unwrap_or_default().word();
        wrong.push(format!("say: expected {wanted}, got {}{by}", say.word()));
    }
    if let Some(wanted) = expect.rule.as_deref().filter(|wanted| *wanted != rule) {
        let got = if rule.is_empty() { "no rule decided".to_owned() } else { format!("got {rule}") };
        wrong.push(format!("rule: expected {wanted}, {got}"));
    }
    if let Some(wanted) = expect.reason.as_deref().filter(|wanted| !reason.contains(wanted)) {
        wrong.push(format!("reason: expected one with `{wanted}`, got `{reason}`"));
    }
    let notes: Vec<&str> =
        envelope.notes.iter().filter(|note| note.to != "user").map(|note| note.text.as_str()).collect();
    match expect.note.as_deref() {
        Some("") if !notes.is_empty() => wrong.push(format!("note: expected none, got `{}`", notes.join("` and `"))),
        Some(wanted) if !wanted.is_empty() && !notes.iter().any(|note| note.contains(wanted)) => {
            let got = if notes.is_empty() { "got none".to_owned() } else { format!("got `{}`", notes.join("` and `")) };
            wrong.push(format!("note: expected one with `{wanted}`, {got}"));
        }
        _ => {}
    }
    let found: Vec<&str> = envelope.findings.iter().map(|finding| finding.rule.as_str()).collect();
    for wanted in expect.finding.iter().filter(|wanted| !found.contains(&wanted.as_str())) {
        let got = if found.is_empty() { "nothing was found".to_owned() } else { format!("found {}", found.join(", ")) };
        wrong.push(format!("finding: expected {wanted}, {got}"));
    }
    for unwanted in expect.not_finding.iter().filter(|unwanted| found.contains(&unwanted.as_str())) {
        wrong.push(format!("not_finding: {unwanted} was found"));
    }
    wrong
}
