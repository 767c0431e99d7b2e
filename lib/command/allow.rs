//! `kz allow-once`: a person lets one stopped call through, once, within ten minutes.

use super::{Desk, Exit};
use crate::envelope::{Envelope, Line, decode};
use crate::state::Store;
use crate::text::visible;
use clap::Args;
use std::io;

/// `kz allow-once`
#[derive(Args, Debug, Default)]
pub struct AllowOnce {
    /// The id of a stopped call; none to list the last ones.
    pub id: Option<String>,
    /// Calls of this session instead of the one that wrote last.
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
}

/// Longest command that is shown, in characters.
const SHOWN: usize = 100;

/// Runs the verb.
///
/// # Errors
/// If the answer cannot be written.
pub fn run(args: &AllowOnce, desk: &mut Desk) -> io::Result<Exit> {
    let root = desk.root();
    let (store, faults) = Store::open(desk.world, root.as_deref());
    if store.folder().is_none() {
        let why = faults.into_iter().next().map_or("there is no state folder".into(), |fault| fault.text);
        return desk.fail(&why, "");
    }
    let stopped = match store.last(args.session.as_deref(), desk.world) {
        Ok(lines) => lines.iter().filter_map(|line| stopped(line)).collect::<Vec<_>>(),
        Err(fault) => return desk.fail(&fault.text, ""),
    };
    let Some(id) = &args.id else {
        if stopped.is_empty() {
            writeln!(desk.out, "no call that was stopped is remembered")?;
        }
        for (id, envelope) in &stopped {
            let rule = envelope.decision.as_ref().map_or("", |decision| decision.rule.as_str());
            writeln!(desk.out, "{id}  {rule:<24} {}", shown(envelope))?;
        }
        return Ok(Exit::Done);
    };
    let Some((_, envelope)) = stopped.iter().rev().find(|(known, _)| known == id) else {
        let hint = "`kz allow-once` lists them; `--session ID` those of another session";
        return desk.fail(&format!("`{id}` is none of the last calls that were stopped"), hint);
    };
    let rule = envelope.decision.as_ref().map_or("", |decision| decision.rule.as_str());
    writeln!(desk.out, "{}\nstopped by {rule}", shown(envelope))?;
    if !desk.person_wants("allow-once", "Let this very call through once, within ten minutes?")? {
        return Ok(Exit::Failed);
    }
    match store.allow_once(id, desk.world) {
        Ok(()) => {
            writeln!(desk.out, "allowed once: the agent may try it again in the same session")?;
            Ok(Exit::Done)
        }
        Err(fault) => desk.fail(&fault.text, ""),
    }
}

/// A call that was stopped, with its id.
fn stopped(line: &str) -> Option<(String, Box<Envelope>)> {
    let Line::Envelope(envelope) = decode(line) else { return None };
    let id = envelope.decision.as_ref().map(|decision| decision.id.clone()).filter(|id| !id.is_empty())?;
    Some((id, envelope))
}

/// The call for people, on one line.
fn shown(envelope: &Envelope) -> String {
    let call = &envelope.call;
    let what = if call.command.is_empty() {
        call.paths.iter().map(|path| path.raw.as_str()).collect::<Vec<_>>().join(" ")
    } else {
        call.command.clone()
    };
    let plain = visible(&what).replace(['\n', '\t'], " ");
    let more = if plain.chars().nth(SHOWN).is_some() { "…" } else { "" };
    format!("{} {}{more}", call.tool, plain.chars().take(SHOWN).collect::<String>())
}
