//! Effects in the fleet's folder, performed once the answer is out.
//!
//! All of one call under the agent's lock, in an order in which a process that is killed anywhere leaves what
//! the next one goes on from: document, queue file, record, reminder, archive. Names are made here, from the
//! agent's id and the fleet's folder; an effect brings no path.

use crate::envelope::{Effect, Extra};
use crate::stage::handoff::place::{self, inbox_file, journal_file, queue_file, record_file};
use crate::stage::handoff::record::{OWNED, Record};
use crate::stage::handoff::{Kind, journal, letter_hash, quote};
use crate::text::show;
use crate::world::{Kind as What, World};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

/// How long the agent's lock is waited for. The answer is out by then.
const LIMIT: Duration = Duration::from_secs(5);
/// Largest record or message that is read.
const MAX_FILE: u64 = 1 << 20;

/// Whether an effect belongs here.
pub fn is_ours(effect: &Effect) -> bool {
    effect.action.starts_with("fleet_")
}

/// Performs the effects of one call. `heard` says whether the answer was written and flushed. Answers what
/// went wrong, a sentence each.
pub fn perform(effects: &[Effect], at: i64, heard: bool, world: &dyn World) -> Vec<String> {
    let mut faults = Vec::new();
    let Some(agent) = place::agent(world).filter(|_| !effects.is_empty()) else { return faults };
    let home = match place::home(world) {
        Ok(home) => home,
        Err(why) => return vec![why],
    };
    let agents = home.join("agents");
    if !world.stat(&agents).is_some_and(|found| found.kind == What::Folder) {
        return vec![format!("there is no folder `{}`, so nothing is kept for the fleet", show(&agents))];
    }
    let mut fleet = Fleet { agent: &agent, home: &home, at, heard, world, document: None };
    let file = journal_file(&home, &agent);
    let locked = fleet.inside(&file).and_then(|()| {
        world.locked(&file, LIMIT, &mut |known| {
            let mut lines = Vec::new();
            for effect in effects.iter().filter(|effect| effect.extra.get::<String>("agent").as_ref() == Some(&agent)) {
                if let Err((doing, error)) = fleet.one(effect, known, &mut lines) {
                    faults.push(format!("cannot {doing}: {}", error.to_string().to_lowercase()));
                }
            }
            lines
        })
    });
    match locked {
        Ok(true) => {}
        Ok(false) => faults.push(format!(
            "another process holds `{}`, so nothing was done for the fleet; the next hook does it",
            show(&file)
        )),
        Err(error) => faults.push(format!("cannot lock `{}`: {}", show(&file), error.to_string().to_lowercase())),
    }
    faults
}

struct Fleet<'a> {
    agent: &'a str,
    home: &'a Path,
    at: i64,
    heard: bool,
    world: &'a dyn World,
    /// How the document went: there is none in this call, it is on the disk, it is another hook's, it failed.
    document: Option<Document>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Document {
    Written,
    Elsewhere,
    Failed,
}

type Done = Result<(), (String, io::Error)>;

/// Says what was tried.
fn trying<T>(doing: &str, path: &Path, result: io::Result<T>) -> Result<T, (String, io::Error)> {
    result.map_err(|error| (format!("{doing} `{}`", show(path)), error))
}

impl Fleet<'_> {
    fn one(&mut self, effect: &Effect, known: &[u8], lines: &mut Vec<u8>) -> Done {
        match effect.action.as_str() {
            "fleet_document" => self.document(&effect.extra, known),
            "fleet_queue" => self.queue(&effect.extra, lines),
            "fleet_record" => self.record(&effect.extra),
            "fleet_reminder" => self.reminder(&effect.extra),
            "fleet_archive" => self.archive(&effect.extra, lines),
            _ => Ok(()),
        }
    }

    fn document(&mut self, extra: &Extra, known: &[u8]) -> Done {
        // Another hook of this agent was faster: its queue file is there, or was taken away already.
        let seen = extra.get::<u64>("journal").and_then(|seen| usize::try_from(seen).ok()).unwrap_or(usize::MAX);
        let since = known.get(seen..).unwrap_or_default();
        if self.world.stat(&queue_file(self.home, self.agent)).is_some() || journal::written(since, "").is_some() {
            self.document = Some(Document::Elsewhere);
            return Ok(());
        }
        self.document = Some(Document::Failed);
        let name = extra.get::<String>("name").unwrap_or_default();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
        let ours = name.starts_with(self.agent) && name.ends_with(".md") && name.bytes().all(plain);
        let path = self.home.join("handoffs").join(&name);
        let text = extra.get::<String>("text").filter(|_| ours);
        let text = trying("write", &path, text.ok_or_else(|| io::Error::from(ErrorKind::InvalidInput)))?;
        trying("write", &path, self.put(&path, text.as_bytes()))?;
        self.document = Some(Document::Written);
        Ok(())
    }

    fn queue(&mut self, extra: &Extra, lines: &mut Vec<u8>) -> Done {
        if self.document != Some(Document::Written) {
            return Ok(());
        }
        self.document = Some(Document::Failed);
        let path = queue_file(self.home, self.agent);
        let text = extra.get::<String>("text").unwrap_or_default();
        trying("write", &path, self.put(&path, text.as_bytes()))?;
        self.document = Some(Document::Written);
        if let Some(kind) = extra.get::<Kind>("kind") {
            lines.extend_from_slice(format!("{{\"at\":{},\"written\":\"{}\"}}\n", self.at, kind.word()).as_bytes());
        }
        Ok(())
    }

    fn record(&self, extra: &Extra) -> Done {
        let path = record_file(self.home, self.agent);
        let doing = "keep the health record";
        let bytes = trying(doing, &path, self.world.read(&path, MAX_FILE))?;
        let record = Record::read(&bytes, self.agent).map_err(|why| io::Error::new(ErrorKind::InvalidData, why));
        let record = trying(doing, &path, record)?;
        let mut set = extra.get::<Extra>("set").unwrap_or_default();
        // What the record says of a document is not written before there is one.
        if self.document != Some(Document::Failed)
            && let Some(mark) = extra.get::<Extra>("mark")
        {
            // Another hook may have set a stronger one meanwhile.
            let kind = mark.get::<Kind>("handoff_type").map(Kind::weight);
            if kind >= record.kind().map(Kind::weight) {
                set.0.extend(mark.0);
            }
        }
        set.0.retain(|(name, _)| OWNED.contains(&name.as_str()));
        trying(doing, &path, self.put(&path, &record.merged(&set)))
    }

    fn reminder(&self, extra: &Extra) -> Done {
        let text = extra.get::<String>("text").unwrap_or_default();
        post(self.home, self.agent, &text, self.world)
    }

    fn archive(&self, extra: &Extra, lines: &mut Vec<u8>) -> Done {
        let session = extra.get::<String>("session");
        if session.is_some() && !self.heard {
            return Ok(());
        }
        let path = inbox_file(self.home, self.agent);
        let Some(hash) = extra.get::<String>("hash") else { return Ok(()) };
        if let Some(session) = session {
            let row = serde_json::json!({"at": self.at, "delivered": hash, "session": session});
            lines.extend_from_slice(format!("{row}\n").as_bytes());
        }
        let same = |at: &Path| self.world.read(at, MAX_FILE).is_ok_and(|bytes| letter_hash(&bytes) == hash);
        if !same(&path) {
            return Ok(());
        }
        let stamp = quote::stamp(self.at);
        let folder = self.home.join("inbox").join("archive");
        for n in 1..100 {
            let name =
                if n == 1 { format!("{}-{stamp}.md", self.agent) } else { format!("{}-{stamp}-{n}.md", self.agent) };
            let to = folder.join(name);
            trying("archive", &to, self.inside(&to))?;
            match self.world.rename(&path, &to) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                // Another process of the same agent took it.
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
                Err(error) => return trying("archive", &path, Err(error)),
                // The operator wrote a new one in between: it goes back.
                Ok(()) if !same(&to) => return trying("put back", &path, self.world.rename(&to, &path)),
                Ok(()) => return Ok(()),
            }
        }
        Ok(())
    }

    fn put(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.inside(path)?;
        self.world.replace_synced(path, bytes)
    }

    fn inside(&self, path: &Path) -> io::Result<()> {
        inside(self.home, path, self.world)
    }
}

/// Adds a text to the inbox of an agent, behind what waits there. A text that stands there already is not added.
///
/// # Errors
/// What was tried, and why it failed.
pub fn post(home: &Path, agent: &str, text: &str, world: &dyn World) -> Result<(), (String, io::Error)> {
    let path = inbox_file(home, agent);
    let old = match world.read(&path, MAX_FILE) {
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        read => trying("read", &path, read)?,
    };
    let old = String::from_utf8_lossy(&old);
    let (old, text) = (old.trim(), text.trim());
    if old == text || old.ends_with(&format!("\n\n{text}")) {
        return Ok(());
    }
    let all = if old.is_empty() { format!("{text}\n") } else { format!("{old}\n\n{text}\n") };
    let put = inside(home, &path, world).and_then(|()| world.replace_synced(&path, all.as_bytes()));
    trying("write", &path, put)
}

/// A folder in the fleet's may be a link: what is behind it must be the fleet's too.
fn inside(home: &Path, path: &Path, world: &dyn World) -> io::Result<()> {
    let folder = path.parent().map(|folder| world.resolve(folder)).unwrap_or_default();
    if folder.starts_with(world.resolve(home)) {
        return Ok(());
    }
    Err(io::Error::new(ErrorKind::PermissionDenied, "its folder leads out of the fleet's"))
}
