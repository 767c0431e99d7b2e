//! The store: reads a session before the stages run, writes what they asked for afterwards.

use super::place::{self, fault, session_name};
use super::{Session, allow, effects, last, log, off, prune, snapshot};
use crate::call::{Call, EventKind};
use crate::config::Config;
use crate::envelope::{Envelope, Fault};
use crate::text::show;
use crate::world::World;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The state folder, or none: then calls are judged as ever, but nothing is remembered.
#[derive(Clone, Debug, Default)]
pub struct Store {
    folder: Option<PathBuf>,
}

/// Files of one session.
pub(super) struct Files {
    pub folder: PathBuf,
    pub events: PathBuf,
    pub snapshot: PathBuf,
    pub last: PathBuf,
}

impl Store {
    /// Finds the state folder. Nothing is made until something is written.
    ///
    /// `root` is the session root as the source resolved it, if there is one.
    pub fn open(world: &dyn World, root: Option<&Path>) -> (Self, Vec<Fault>) {
        let (folder, faults) = place::find(world, root);
        (Self { folder }, faults)
    }

    /// A store in this folder, whoever owns it: for benchmarks and tests.
    pub fn at(folder: &Path) -> Self {
        Self { folder: Some(folder.to_owned()) }
    }

    /// A store that remembers nothing.
    pub fn none() -> Self {
        Self::default()
    }

    /// The state folder.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// What the session's log adds up to.
    pub fn session(&self, id: &str, world: &dyn World) -> (Session, Vec<Fault>) {
        let Some(files) = self.files(id) else { return (Session::default(), Vec::new()) };
        if let Some(mut session) = snapshot::read(&files.snapshot, world)
            && matches!(log::fold_tail(&files.events, &mut session, world), Ok(true))
        {
            return (session, Vec::new());
        }
        let mut session = Session::default();
        match log::fold_tail(&files.events, &mut session, world) {
            Ok(_) => (session, Vec::new()),
            Err(error) => (Session::default(), vec![trouble("read the session's log", &files.events, &error)]),
        }
    }

    /// Writes what a call left behind, once, at the right end of the pipeline.
    ///
    /// Under the log's lock it drops what another hook of the session did meanwhile (same `once`
    /// key), has `settle` compute the decision from what is left, and appends all events in one
    /// write. Then it performs effects and keeps the envelope for `kz explain --last`. `settle` is
    /// called exactly once, whatever fails: the call's votes and notes go out in any case.
    pub fn commit(
        &self,
        envelope: &mut Envelope,
        config: &Config,
        world: &dyn World,
        settle: &mut dyn FnMut(&mut Envelope),
    ) -> Vec<Fault> {
        let Some(files) = self.files(&envelope.call.session) else {
            settle(envelope);
            stamp(envelope);
            return Vec::new();
        };
        let mut faults = Vec::new();
        let appended = append_events(envelope, &files.events, world, settle, &mut faults);
        effects::perform(envelope, self.folder(), config, world, &mut faults);
        last::keep(envelope, &files.last, world, &mut faults);
        if let Some((before, end)) = appended
            && snapshot::due(before, end)
        {
            let (session, _) = self.session(&envelope.call.session, world);
            // The log holds everything; should this fail, reading is slower and no more.
            let _ = snapshot::write(&files.snapshot, &session, world);
        }
        if envelope.call.event == EventKind::SessionStart
            && let Some(folder) = self.folder()
        {
            prune::old_sessions(folder, &files, envelope.facts.at, world);
        }
        faults
    }

    /// Writes rows of the ledger for what failed behind a call's answer.
    ///
    /// # Errors
    /// A fault if the ledger cannot be written.
    pub fn tell_ledger(&self, envelope: &Envelope, texts: &[String], world: &dyn World) -> Result<(), Fault> {
        let Some(folder) = self.folder().filter(|_| !texts.is_empty()) else { return Ok(()) };
        effects::tell(folder, envelope, texts, world)
    }

    /// The last envelopes with a vote, note or fault, oldest first; of the session that wrote last if none is named.
    ///
    /// # Errors
    /// A fault that says what cannot be read.
    pub fn last(&self, session: Option<&str>, world: &dyn World) -> Result<Vec<String>, Fault> {
        let Some(folder) = self.folder() else { return Ok(Vec::new()) };
        let files = match session {
            Some(id) => self.files(id),
            None => last::newest(folder, world).map(|name| named(folder, &name)),
        };
        files.map_or(Ok(Vec::new()), |files| {
            last::read(&files.last, world).map_err(|error| trouble("read the last calls", &files.last, &error))
        })
    }

    /// Why kz is switched off for this session (`session`, `until <time>`, `until kz on`); `None` if it is on.
    ///
    /// # Errors
    /// A fault if the switch is there and does not read.
    pub fn off(&self, session: &str, now: i64, world: &dyn World) -> Result<Option<String>, Fault> {
        let Some(folder) = self.folder() else { return Ok(None) };
        off::reason(folder, session, now, world).map_err(fault)
    }

    /// The key of the permission by which a person allows this call once.
    ///
    /// # Errors
    /// A fault if the permissions are there and do not read.
    pub fn allowed(&self, call: &Call, world: &dyn World) -> Result<Option<String>, Fault> {
        let before = matches!(call.event, EventKind::PreTool | EventKind::Permission);
        let Some(folder) = self.folder().filter(|_| before) else { return Ok(None) };
        allow::key(folder, call, world.clock(), world).map_err(fault)
    }

    /// Allows the call of this id once, within ten minutes.
    ///
    /// # Errors
    /// A fault that says why it could not be written.
    pub fn allow_once(&self, id: &str, world: &dyn World) -> Result<(), Fault> {
        let Some(folder) = self.folder() else { return Err(fault("there is no state folder".into())) };
        allow::allow(folder, id, world).map_err(|error| trouble("write what is allowed in", folder, &error))
    }

    /// Takes away a permission that was used.
    ///
    /// # Errors
    /// A fault that says why it could not be written; the session's log knows all the same that it is used.
    pub fn permission_used(&self, key: &str, world: &dyn World) -> Result<(), Fault> {
        let Some(folder) = self.folder() else { return Ok(()) };
        allow::used(folder, key, world).map_err(|error| trouble("take back what was allowed in", folder, &error))
    }

    /// Switches kz off, for one session or for all, until a moment or until [`Store::set_on`].
    ///
    /// # Errors
    /// A fault that says why it could not be written.
    pub fn set_off(&self, session: Option<&str>, until: Option<i64>, world: &dyn World) -> Result<(), Fault> {
        let Some(folder) = self.folder() else {
            return Err(fault("there is no state folder to write the switch to\n  hint: `kz doctor` says why".into()));
        };
        off::write(folder, session, until, world).map_err(|error| trouble("switch kz off", &off::path(folder), &error))
    }

    /// Switches kz on again, for all sessions.
    ///
    /// # Errors
    /// A fault that says why the switch could not be removed.
    pub fn set_on(&self, world: &dyn World) -> Result<(), Fault> {
        let Some(folder) = self.folder() else { return Ok(()) };
        let path = off::path(folder);
        world.remove(&path).map_err(|error| trouble("switch kz on", &path, &error))
    }

    fn files(&self, session: &str) -> Option<Files> {
        let folder = self.folder().filter(|_| !session.is_empty())?;
        Some(named(folder, &session_name(session)))
    }
}

fn named(folder: &Path, name: &str) -> Files {
    let folder = folder.join("sessions").join(name);
    Files {
        events: folder.join("events.jsonl"),
        snapshot: folder.join("snapshot.json"),
        last: folder.join("last.jsonl"),
        folder,
    }
}

/// Fills in time and agent of the events that stages added. What is dry does this without a store.
pub fn stamp(envelope: &mut Envelope) {
    for event in &mut envelope.events {
        if event.at == 0 {
            event.at = envelope.facts.at;
        }
        if event.agent.is_empty() {
            event.agent.clone_from(&envelope.call.agent.id);
        }
    }
}

/// Length of the log before and after, if something was appended.
fn append_events(
    envelope: &mut Envelope,
    log_file: &Path,
    world: &dyn World,
    settle: &mut dyn FnMut(&mut Envelope),
    faults: &mut Vec<Fault>,
) -> Option<(u64, u64)> {
    let mut settled = false;
    if !names_once(envelope) && envelope.votes.is_empty() {
        // Nothing another hook can have done already, so nothing to hold the lock for.
        settle(envelope);
        stamp(envelope);
        settled = true;
        if envelope.events.is_empty() {
            return None;
        }
    }
    let mut written = 0;
    let mut left_out = 0;
    let since = envelope.facts.through.unwrap_or(0);
    let done = world.append(log_file, since, &mut |region| {
        if !settled {
            let used = log::used(region);
            drop_used(envelope, &used);
            settle(envelope);
            // What was remembered of the decision may be there already as well.
            drop_used(envelope, &used);
            stamp(envelope);
            settled = true;
        }
        let (lines, long) = log::lines(&envelope.events);
        written = lines.len() as u64;
        left_out = long;
        lines
    });
    if !settled {
        settle(envelope);
        stamp(envelope);
    }
    if left_out > 0 {
        faults.push(fault(format!("{left_out} events of this call are too long to be remembered (over 64 KiB)")));
    }
    match done {
        Ok(appended) => {
            if !appended.locked {
                faults.push(fault(format!(
                    "the session's log `{0}` is locked by another process, so this call was written without the lock and may count twice\n  hint: `fuser {0}` names the process",
                    show(log_file)
                )));
            }
            (written > 0).then(|| (appended.end.saturating_sub(written), appended.end))
        }
        Err(error) => {
            faults.push(trouble("remember this call in the session's log", log_file, &error));
            None
        }
    }
}

fn names_once(envelope: &Envelope) -> bool {
    envelope.events.iter().any(|event| !event.once.is_empty())
        || envelope.votes.iter().any(|vote| !vote.once.is_empty())
        || envelope.notes.iter().any(|note| !note.once.is_empty())
        || envelope.effects.iter().any(|effect| !effect.once.is_empty())
}

/// Drops what names a key that is used up.
fn drop_used(envelope: &mut Envelope, used: &[String]) {
    if used.is_empty() {
        return;
    }
    envelope.events.retain(|event| !used.contains(&event.once));
    envelope.votes.retain(|vote| !used.contains(&vote.once));
    envelope.notes.retain(|note| !used.contains(&note.once));
    envelope.effects.retain(|effect| !used.contains(&effect.once));
}

/// What failed, where, and what to do about it.
pub(super) fn trouble(doing: &str, path: &Path, error: &io::Error) -> Fault {
    let shown = show(path);
    let (why, hint) = match error.kind() {
        ErrorKind::InvalidInput => {
            ("it is not a regular file".to_owned(), format!("move it away: `mv {shown} {shown}.old`"))
        }
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
            ("a file stands where its folder should be".to_owned(), "move that file away".to_owned())
        }
        ErrorKind::PermissionDenied => ("no permission".to_owned(), format!("`ls -ld {shown}` shows whose it is")),
        ErrorKind::ReadOnlyFilesystem => {
            ("its file system is read-only".to_owned(), "set `KZ_STATE` to a folder that can be written".to_owned())
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            ("the disk is full".to_owned(), format!("make room: `df -h {shown}`"))
        }
        ErrorKind::FileTooLarge => ("it is too large".to_owned(), format!("move it away: `mv {shown} {shown}.old`")),
        _ => (error.to_string().to_lowercase(), "`kz doctor` checks the state folder".to_owned()),
    };
    fault(format!("cannot {doing}, `{shown}`: {why}\n  hint: {hint}"))
}
