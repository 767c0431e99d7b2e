//! `kz mode [NAME]`: shows or changes the mode of a session, by an event in its log.

use super::{Desk, Exit};
use crate::config::{self, Mode, Options};
use crate::envelope::{Envelope, Event};
use crate::stage::source::mode_of;
use crate::state::{Session, Store};
use clap::Args;
use std::io;

/// `kz mode`
#[derive(Args, Debug)]
pub struct SetMode {
    /// The mode to change to; none to see the modes.
    pub name: Option<String>,
    /// The session; inside an agent it is known.
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
}

/// Runs the verb.
///
/// # Errors
/// If the answer cannot be written.
pub fn run(args: &SetMode, desk: &mut Desk) -> io::Result<Exit> {
    let root = desk.root();
    let config = config::load(desk.world, root.as_deref(), &Options::default());
    let session = args.session.clone().or_else(|| desk.world.env("CLAUDE_CODE_SESSION_ID"));
    let (store, faults) = Store::open(desk.world, root.as_deref());
    let now = session.as_deref().map(|id| store.session(id, desk.world).0.mode).unwrap_or_default();
    let session_now = Session { mode: now, ..Session::default() };
    let shown_root = root.as_deref().map(|root| root.to_string_lossy().into_owned()).unwrap_or_default();
    let current = &mode_of(&config, &session_now, &shown_root, desk.world).0.name;
    let Some(name) = &args.name else {
        for (name, mode) in &config.modes {
            let mark = if name == current { '*' } else { ' ' };
            writeln!(desk.out, "{mark} {name:<12} {}", may(mode))?;
        }
        return Ok(Exit::Done);
    };
    let Some(mode) = config.modes.get(name) else {
        let near = crate::text::nearest(name, config.modes.keys().map(String::as_str));
        return desk.fail(&format!("there is no mode `{name}`"), &format!("did you mean `kz mode {near}`?"));
    };
    let Some(session) = session else {
        return desk.fail(
            "which session? outside an agent it is not known",
            "`--session ID`, or `[mode] default` in your config for all sessions",
        );
    };
    if store.folder().is_none() {
        let why = faults.into_iter().next().map_or("there is no state folder".into(), |fault| fault.text);
        return desk.fail(&why, "");
    }
    let mut envelope = Envelope::default();
    envelope.call.session = session;
    envelope.facts.at = desk.world.now();
    let mut event = Event { by: "mode".into(), kind: "mode".into(), agent: "main".into(), ..Event::default() };
    event.extra.set("to", name);
    envelope.events.push(event);
    if let Some(fault) = store.commit(&mut envelope, &config, desk.world, &mut |_| {}).into_iter().next() {
        return desk.fail(&fault.text, "");
    }
    writeln!(desk.out, "mode {name}: {}", may(mode))?;
    if !mode.strategy.is_empty() {
        writeln!(desk.out, "{}", *mode.strategy)?;
    }
    Ok(Exit::Done)
}

/// What a mode lets write, in words.
fn may(mode: &Mode) -> String {
    match mode.writable.as_slice() {
        [] => "nothing may be written".into(),
        entries if entries.iter().any(|entry| entry == "*") => "everything may be written".into(),
        entries => format!("{} may be written", entries.join(", ")),
    }
}
