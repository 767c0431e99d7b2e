//! Effects: lines for files outside the session's log, one write a file.

use super::log::one_line;
use super::place::fault;
use super::store::trouble;
use crate::config::Config;
use crate::envelope::{Effect, Envelope, Extra, Fault};
use crate::text::{rfc3339, show};
use crate::world::World;
use std::path::{Path, PathBuf};

/// Older files of each log that are kept.
pub const KEPT: u32 = 3;

/// Performs what the stages asked for. `folder` is the state folder.
pub fn perform(
    envelope: &Envelope,
    folder: Option<&Path>,
    config: &Config,
    world: &dyn World,
    faults: &mut Vec<Fault>,
) {
    let (mut coach, mut ledger) = (Vec::new(), Vec::new());
    for effect in &envelope.effects {
        match effect.action.as_str() {
            "tool_coach_line" if *config.ladder.log => coach_line(&mut coach, effect, envelope.facts.at),
            "tool_coach_line" => {}
            "ledger" => ledger_row(&mut ledger, effect, envelope),
            // Those of the fleet's folder wait until the answer is out.
            _ if super::fleet::is_ours(effect) => {}
            other => faults.push(fault(format!("`{}` asks for the effect `{other}`, which is unknown\n  hint: known are `tool_coach_line` and `ledger`", effect.by))),
        }
    }
    let limit = u64::from(*config.ladder.log_max_kb) << 10;
    if !coach.is_empty() {
        match coach_file(config, folder, world) {
            Ok(Some(path)) => append(&path, "write the ladder's log", &coach, limit, world, faults),
            Ok(None) => {}
            Err(why) => faults.push(why),
        }
    }
    if !ledger.is_empty()
        && let Some(folder) = folder
    {
        append(&folder.join("ledger.jsonl"), "write the ledger", &ledger, limit, world, faults);
    }
}

/// Writes rows of the ledger that say what failed.
pub fn tell(folder: &Path, envelope: &Envelope, texts: &[String], world: &dyn World) -> Result<(), Fault> {
    let mut lines = Vec::new();
    for text in texts {
        let mut effect = Effect::default();
        effect.extra.set("row", &serde_json::json!({"kind": "fault", "text": text}));
        ledger_row(&mut lines, &effect, envelope);
    }
    let mut faults = Vec::new();
    append(&folder.join("ledger.jsonl"), "write the ledger", &lines, u64::MAX, world, &mut faults);
    faults.into_iter().next().map_or(Ok(()), Err)
}

fn append(path: &Path, doing: &str, lines: &[u8], limit: u64, world: &dyn World, faults: &mut Vec<Fault>) {
    // Lines of many processes, each whole in itself: that the lock was not had does not matter.
    let done = world.append(path, u64::MAX, &mut |_| lines.to_vec());
    let done = done
        .and_then(|appended| if appended.end >= limit { world.rotate(path, limit, KEPT).map(|_| ()) } else { Ok(()) });
    if let Err(error) = done {
        faults.push(trouble(doing, path, &error));
    }
}

fn coach_line(out: &mut Vec<u8>, effect: &Effect, at: i64) {
    let Some(line) = effect.extra.get::<String>("line") else { return };
    let line = line.replace(['\n', '\r'], " ");
    out.extend_from_slice(format!("[{}] {line}\n", rfc3339(at)).as_bytes());
}

fn ledger_row(out: &mut Vec<u8>, effect: &Effect, envelope: &Envelope) {
    let Some(row) = effect.extra.get::<Extra>("row") else { return };
    let mut line = Extra::default();
    line.set("at", &envelope.facts.at);
    line.set("session", &envelope.call.session);
    line.0.extend(row.0.into_iter().filter(|(key, _)| key != "at" && key != "session"));
    let Ok(mut json) = serde_json::to_vec(&line) else { return };
    one_line(&mut json);
    out.append(&mut json);
    out.push(b'\n');
}

/// The ladder's durable log.
pub fn coach_file(config: &Config, folder: Option<&Path>, world: &dyn World) -> Result<Option<PathBuf>, Fault> {
    let file: &str = &config.ladder.log_file;
    if file.is_empty() {
        return Ok(folder.map(|folder| folder.join("tool-coach.log")));
    }
    match world.path_of(file) {
        Some(path) => Ok(Some(path)),
        None => Err(fault(format!(
            "`ladder.log_file` is `{}`, which is not an absolute path\n  hint: write `~/…` or `/…` in your config; see `kz help config`",
            show(Path::new(file))
        ))),
    }
}
