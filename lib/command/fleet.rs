//! `kz fleet`: what the agents of a fleet are at, and a message to one.

use super::{Desk, Exit};
use crate::config::{self, Options};
use crate::stage::handoff::percent;
use crate::stage::handoff::place::{home, inbox_file, is_id, journal_file, queue_file, record_file};
use crate::stage::handoff::record::Record;
use crate::state::fleet::post;
use clap::{Args, Subcommand};
use std::io;
use std::path::Path;
use std::time::Duration;

/// Agents that are looked at.
const AGENTS: usize = 4_096;
/// Largest record that is read.
const MAX_FILE: u64 = 1 << 20;
/// How long an agent's lock is waited for.
const LIMIT: Duration = Duration::from_secs(5);

/// `kz fleet`
#[derive(Args, Debug)]
pub struct Fleet {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Every agent: how full its context is, its mode, and what waits.
    Status,
    /// Leave a message; the agent gets it at the end of its turn or when a session starts.
    Inbox {
        /// The agent's id, 8 hex digits.
        id: String,
        /// The message.
        #[arg(required = true, allow_hyphen_values = true, trailing_var_arg = true)]
        text: Vec<String>,
    },
}

/// Runs the verb.
///
/// # Errors
/// If the answer cannot be written.
pub fn run(args: &Fleet, desk: &mut Desk) -> io::Result<Exit> {
    let home = match home(desk.world) {
        Ok(home) => home,
        Err(why) => return desk.fail(&why, ""),
    };
    match &args.what {
        What::Status => status(&home, desk),
        What::Inbox { id, text } => inbox(&home, id, &text.join(" "), desk),
    }
}

fn status(home: &Path, desk: &mut Desk) -> io::Result<Exit> {
    let agents = home.join("agents");
    let names = match desk.world.list(&agents, AGENTS) {
        Ok(names) => names,
        Err(error) => {
            let shown = desk.show(&agents);
            return desk.fail(
                &format!("{shown}: {}", error.to_string().to_lowercase()),
                "set `FLEET_HOME` to the fleet's folder",
            );
        }
    };
    let mut ids: Vec<String> = names
        .into_iter()
        .filter_map(|name| name.to_str()?.strip_suffix(".json").filter(|id| is_id(id)).map(str::to_owned))
        .collect();
    ids.sort();
    let root = desk.root();
    let config = config::load(desk.world, root.as_deref(), &Options::default()).handoff;
    if ids.is_empty() {
        writeln!(desk.out, "no agents in {}", desk.show(&agents))?;
    }
    for id in ids {
        let read = desk.world.read(&record_file(home, &id), MAX_FILE).map_err(|error| error.to_string().to_lowercase());
        let record = match read.and_then(|bytes| Record::read(&bytes, &id)) {
            Ok(record) => record,
            Err(why) => {
                writeln!(desk.out, "{id}  the record is not used: {why}")?;
                continue;
            }
        };
        let pct = record.number("context_pct");
        let level = match pct {
            None => "unknown",
            Some(pct) if pct >= f64::from(*config.red) => "red",
            Some(pct) if pct >= f64::from(*config.yellow) => "yellow",
            Some(_) => "green",
        };
        let pct = pct.map_or("-".to_owned(), |pct| format!("{} %", percent(pct)));
        let kind = record.text("handoff_type");
        let there = |path: &Path| desk.world.stat(path).is_some();
        let mut waits = Vec::new();
        if there(&queue_file(home, &id)) {
            waits.push(format!("a handoff ({kind}) is queued"));
        } else if !kind.is_empty() {
            waits.push(format!("handoff {kind} since {}", record.text("handoff_type_at")));
        }
        if there(&inbox_file(home, &id)) {
            waits.push("a message waits".to_owned());
        }
        if record.flag("needs_input") {
            waits.push("needs input".to_owned());
        }
        let (mode, task, seen) = (record.text("mode"), record.text("task_id"), record.text("last_activity_ts"));
        let task = crate::text::visible(&task);
        writeln!(desk.out, "{id}  {pct:>7}  {level:<7}  {mode:<8}  {seen:<20}  {task}")?;
        if !waits.is_empty() {
            writeln!(desk.out, "          {}", waits.join("; "))?;
        }
    }
    Ok(Exit::Done)
}

fn inbox(home: &Path, id: &str, text: &str, desk: &mut Desk) -> io::Result<Exit> {
    if !is_id(id) {
        return desk
            .fail(&format!("`{id}` is no id of an agent"), "an id has 8 hex digits; `kz fleet status` lists them");
    }
    if text.trim().is_empty() {
        return desk.fail("the message is empty", "write it behind the id");
    }
    if desk.world.stat(&record_file(home, id)).is_none() {
        return desk.fail(&format!("there is no agent `{id}` in {}", desk.show(home)), "`kz fleet status` lists them");
    }
    let mut posted = Ok(());
    let locked = desk.world.locked(&journal_file(home, id), LIMIT, &mut |_| {
        posted = post(home, id, text, desk.world);
        Vec::new()
    });
    match (locked, posted) {
        (Ok(true), Ok(())) => {
            writeln!(desk.out, "{} has it at the end of its turn, or when its session starts", id)?;
            Ok(Exit::Done)
        }
        (Ok(false), _) => desk.fail(&format!("another process holds the lock of `{id}`"), "try again"),
        (Err(error), _) | (_, Err((_, error))) => {
            let shown = desk.show(&inbox_file(home, id));
            desk.fail(
                &format!("{shown}: cannot be written: {}", error.to_string().to_lowercase()),
                "nothing was left for it",
            )
        }
    }
}
