//! What the stage knows of the fleet, gathered once through the world: never more than the event needs.

use super::record::Record;
use super::{HandoffConfig, Kind, journal, place, plan, usage};
use crate::call::{Call, EventKind};
use crate::state::Session;
use crate::text::{key_hash, show};
use crate::world::World;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

/// Largest record or message that is read.
const MAX_FILE: u64 = 1 << 20;
/// What is read of the agent's journal.
const JOURNAL: u64 = 64 << 10;
/// How long the pane may take.
const PANE_LIMIT: Duration = Duration::from_millis(500);
/// What is read of a pane.
const PANE: usize = 1 << 20;

/// What is known. Travels as `facts.session.handoff`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Id of the agent.
    pub agent: String,
    /// Folder of the fleet, absolute.
    pub home: String,
    /// Why there is no record; empty if there is one.
    pub no_record: String,
    /// What the record says.
    pub record: Seen,
    /// The message that waits.
    pub letter: Option<Letter>,
    /// Why the message could not be read; empty if it could, or if there is none.
    pub no_letter: String,
    /// Whether the agent's queue file is there.
    pub queued: bool,
    /// The strongest kind of document that was written since the agent was spawned, by our own journal.
    pub written: Option<Kind>,
    /// Bytes of that journal.
    pub journal: u64,
    /// Whether another hook makes the request that is due right now.
    pub asked: bool,
    /// Whether this session was told that the model is not known.
    pub told: bool,
    /// Percent of the context window, not rounded.
    pub pct: Option<f64>,
    /// The model that was measured, if its window is not known.
    pub unknown_model: String,
    /// Why the transcript could not be read; empty if it could.
    pub no_transcript: String,
    /// What is on the pane, if that was asked.
    pub pane: Option<String>,
    /// Id for the agent that comes after.
    pub successor: String,
    /// Name of the document, if one is written.
    pub document: String,
}

/// What the stage uses of a record.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Seen {
    /// `mode`
    pub mode: String,
    /// `task_id`
    pub task: String,
    /// `project`
    pub project: String,
    /// `tmux_session`
    pub tmux: String,
    /// `last_handoff_path`
    pub previous: String,
    /// `handoff_number`
    pub number: i64,
    /// `context_pct`
    pub pct: Option<f64>,
    /// `handoff_type`, if it was set since the agent was spawned.
    pub kind: Option<Kind>,
    /// `handoff_type_at`, as it stands there.
    pub kind_at: String,
    /// `spawned_at`, as it stands there.
    pub spawned_at: String,
}

/// A message of the operator.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Letter {
    /// Its text.
    pub text: String,
    /// What it is known by.
    pub hash: String,
    /// Whether this session has had it, by our own journal.
    pub delivered: bool,
    /// Whether another hook delivers it right now.
    pub on_its_way: bool,
}

impl Letter {
    /// Whether it is to be said.
    pub fn is_new(&self) -> bool {
        !self.delivered && !self.on_its_way
    }

    /// Its `once` key, if it is said now.
    pub fn key(&self, now: i64) -> String {
        super::saying(&format!("inbox/{}", self.hash), now)
    }
}

impl Seen {
    fn of(record: &Record) -> Self {
        Self {
            mode: record.text("mode"),
            task: record.text("task_id"),
            project: record.text("project"),
            tmux: record.text("tmux_session"),
            previous: record.text("last_handoff_path"),
            // The first one, where a record of an older version does not count.
            #[expect(clippy::cast_possible_truncation, reason = "a count of handoffs is small")]
            number: record.number("handoff_number").map_or(1, |number| number as i64).max(1),
            pct: record.number("context_pct"),
            kind: record.kind(),
            kind_at: record.text("handoff_type_at"),
            spawned_at: record.text("spawned_at"),
        }
    }
}

/// Gathers. `Ok(None)` if no fleet looks after this process.
///
/// # Errors
/// Why nothing can be gathered.
pub fn gather(
    call: &Call,
    now: i64,
    session: &Session,
    config: &HandoffConfig,
    world: &dyn World,
) -> Result<Option<Facts>, String> {
    let Some(agent) = place::agent(world) else { return Ok(None) };
    let home = place::home(world)?;
    let mut facts = Facts { agent, home: show(&home).into_owned(), ..Facts::default() };
    if call.event == EventKind::Prompt {
        return Ok(Some(facts));
    }
    facts.record(&home, world);
    let lines = facts.journal(&home, world);
    facts.letter(&home, world);
    if let Some(letter) = &mut facts.letter {
        letter.delivered = journal::delivered(&lines, &call.session, &letter.hash);
        letter.on_its_way = super::is_said(session, &format!("inbox/{}", letter.hash), now);
    }
    if call.event == EventKind::SessionStart {
        return Ok(Some(facts));
    }
    facts.queued = world.stat(&place::queue_file(&home, &facts.agent)).is_some();
    facts.measure(call, now, config, world);
    facts.asked = super::is_said(session, &plan::ask_key(&facts), now);
    facts.told = session.keys.contains(&super::unknown_key(&facts.unknown_model));
    facts.names(call, now, &home, world);
    if plan::wants_pane(call, now, &facts, config) {
        // No tmux, no session of that name, no answer in time: the document says that it is to be filled in.
        let shown = world.run(&["tmux", "capture-pane", "-t", &facts.record.tmux, "-p"], PANE_LIMIT, PANE);
        facts.pane = shown.ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    }
    Ok(Some(facts))
}

impl Facts {
    fn record(&mut self, home: &Path, world: &dyn World) {
        let path = place::record_file(home, &self.agent);
        let read = world.read(&path, MAX_FILE).map_err(|error| match error.kind() {
            ErrorKind::NotFound => "it is not there".to_owned(),
            _ => error.to_string().to_lowercase(),
        });
        match read.and_then(|bytes| Record::read(&bytes, &self.agent)) {
            Ok(record) => self.record = Seen::of(&record),
            Err(why) => self.no_record = format!("the health record `{}` is not used: {why}", show(&path)),
        }
    }

    fn letter(&mut self, home: &Path, world: &dyn World) {
        let path = place::inbox_file(home, &self.agent);
        let bytes = match world.read(&path, MAX_FILE) {
            Ok(bytes) => bytes,
            Err(error) => {
                if error.kind() != ErrorKind::NotFound {
                    let why = error.to_string().to_lowercase();
                    self.no_letter = format!("the operator's message `{}` cannot be read: {why}", show(&path));
                }
                return;
            }
        };
        let text = String::from_utf8_lossy(&bytes).trim().to_owned();
        if text.is_empty() {
            return;
        }
        let hash = super::letter_hash(&bytes);
        self.letter = Some(Letter { text, hash, ..Letter::default() });
    }

    fn journal(&mut self, home: &Path, world: &dyn World) -> Vec<u8> {
        let read = world.read_end(&place::journal_file(home, &self.agent), 0, JOURNAL);
        let (start, bytes) = read.unwrap_or_default();
        self.journal = start + bytes.len() as u64;
        self.written = journal::written(&bytes, &self.record.spawned_at);
        bytes
    }

    fn measure(&mut self, call: &Call, now: i64, config: &HandoffConfig, world: &dyn World) {
        let Some(path) = world.path_of(&call.transcript) else { return };
        let usage = match usage::last(&path, &call.session, now, world) {
            Ok(Some(usage)) => usage,
            Ok(None) => return,
            Err(error) if error.kind() == ErrorKind::NotFound => return,
            Err(error) => {
                self.no_transcript = format!("the transcript `{}` cannot be read: {error}", show(&path));
                return;
            }
        };
        let own = world.env("FLEET_CONTEXT_LIMIT").and_then(|text| text.trim().parse().ok());
        match own.filter(|limit| *limit > 0).or_else(|| config.limit(&usage.model)) {
            Some(limit) => self.pct = Some(usage.used / f64::from(limit) * 100.0),
            None => self.unknown_model = usage.model,
        }
    }

    /// Names for what may be written. From what is known, not by chance: piped and fused they are the same.
    fn names(&mut self, call: &Call, now: i64, home: &Path, world: &dyn World) {
        let seed = format!("{}\n{}\n{}\n{}\n{now}", self.home, self.agent, call.session, self.journal);
        let id = |n: u32| format!("{:08x}", key_hash(&format!("{seed}\n{n}")) >> 32);
        let free = |id: &String| *id != self.agent && world.stat(&place::record_file(home, id)).is_none();
        self.successor = (1..64).map(id).find(free).unwrap_or_else(|| id(0));
        self.document = format!("{}-{}-{}.md", self.agent, super::quote::stamp(now), id(0));
    }
}
