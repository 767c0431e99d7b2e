//! The source: the left end of the pipeline, the only place where the world comes in.
//!
//! It turns what [`Frames`](crate::wire::framing::Frames) found into an envelope: the call as
//! its dialect reads it, root and resolved paths, the parts of a command, and the facts that the
//! stages ask for. What it cannot read becomes a fault; there is an envelope in any case.

mod mode;
mod patch;
mod place;
mod published;
mod root;
#[cfg(test)]
mod tests;

pub use mode::mode as mode_of;
pub use root::{Root, project};

use self::place::{Spot, elsewhere, named, operands};
use super::{Context, Contexts, Stage, decide, find};
use crate::call::{Call, CallPath, Does, EventKind, canonical_tool};
use crate::config::Failure;
use crate::envelope::{Envelope, Event, Facts, Fault};
use crate::rules::own::as_faults;
use crate::shell::{self, Runners, Shell};
use crate::state::{Session, Store};
use crate::wire::framing::{Item, LIMIT};
use crate::wire::{Payload, matrix, recognise};
use crate::world::World;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// The name in faults and events.
const NAME: &str = "source";

/// Paths of one call whose links are followed; each costs a look at the disk per component.
const FOLLOWED: usize = 512;

/// The left end of a pipeline in one process.
pub struct Source<'a> {
    world: &'a dyn World,
    gathers: Vec<&'static dyn Stage>,
    store: Store,
    /// Folders of ours that a variable has moved.
    shield: Vec<String>,
    /// Faults of the process, carried by every envelope.
    faults: Vec<Fault>,
    /// The root of the project folder that the host named.
    project: Option<Root>,
    /// The past of each session, read once, so that a stream sees one past.
    sessions: HashMap<String, Session>,
}

impl<'a> Source<'a> {
    /// A source for the stages that gather.
    pub fn new(world: &'a dyn World, stages: &[&str]) -> Self {
        let mut faults = Vec::new();
        let mut gathers = Vec::new();
        for name in stages {
            match find(name) {
                Some(stage) => gathers.push(stage),
                None => faults.push(fault("usage", format!("there is no stage `{name}` to gather for"))),
            }
        }
        let project = project(world).map(|folder| Root::of(&folder, world));
        let (store, more) = open_store(world, project.as_ref());
        faults.extend(more);
        let shield = moved(world, &store);
        Self { world, gathers, store, shield, faults, project, sessions: HashMap::new() }
    }

    /// The store of the session logs, for the sink of the same process.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The envelope of an item; none for an empty input.
    pub fn envelope(&mut self, item: Item, contexts: &mut Contexts) -> Option<Envelope> {
        let mut envelope = Envelope { faults: self.faults.clone(), ..Envelope::default() };
        let payload = match item {
            Item::Empty => return None,
            Item::Value { text, payload, replaced } => {
                envelope.hook = one_line(text);
                if replaced > 0 {
                    let text =
                        format!("the payload held bytes that are no UTF-8; they were replaced in {replaced} places");
                    envelope.faults.push(fault("payload", text));
                }
                payload
            }
            Item::Garbage { shown, bytes, payload } => {
                envelope.hook = quoted(&shown);
                let text = format!("the input is no JSON object and {bytes} bytes of it were passed over: `{shown}`");
                envelope.faults.push(fault("payload", text));
                payload
            }
            Item::Unterminated { text, payload } => {
                envelope.hook = quoted(&text);
                let text =
                    format!("the payload breaks off after {} bytes; only what stands before was checked", text.len());
                envelope.faults.push(fault("payload", text));
                payload
            }
            Item::TooLarge { payload } => {
                let text = format!("the payload passes {LIMIT} bytes; only what stands before was checked");
                envelope.faults.push(fault("bound", text));
                payload
            }
        };
        self.fill(&mut envelope, &payload, contexts);
        Some(envelope)
    }

    fn fill(&mut self, envelope: &mut Envelope, payload: &Payload, contexts: &mut Contexts) {
        envelope.faults.extend(payload.complaints.iter().map(|text| fault("payload", text.clone())));
        envelope.call = recognise(payload).call(payload);
        let missing = missing(&envelope.call, envelope.faults.is_empty());
        envelope.faults.extend(missing.into_iter().map(|text| fault("payload", text)));
        let now = self.world.now();
        self.recall(envelope);
        let root = self.place(envelope);
        let cx = contexts.of(&envelope.call.root);
        self.read_command(envelope, cx);
        self.resolve_paths(envelope, &root);
        envelope.faults.extend(cx.config.faults.iter().cloned());
        // Where nothing waits for the answer, all rules are looked at; else those that a call comes upon.
        if envelope.call.event == EventKind::SessionStart {
            let closed = cx.config.failure.config.value == Failure::Closed;
            envelope.faults.extend(as_faults(cx.rules.all_faults(), closed));
        }
        self.facts(envelope, cx, now);
    }

    /// Reads the session's past, once per process.
    fn recall(&mut self, envelope: &mut Envelope) {
        let id = &envelope.call.session;
        if id.is_empty() || self.sessions.contains_key(id) {
            return;
        }
        let (session, faults) = self.store.session(id, self.world);
        envelope.faults.extend(faults);
        self.sessions.insert(id.clone(), session);
    }

    /// Current folder and root.
    fn place(&mut self, envelope: &mut Envelope) -> Root {
        let call = &mut envelope.call;
        if !Path::new(&call.cwd).is_absolute() {
            if !call.cwd.is_empty() {
                let text = format!("`cwd` of the payload is no absolute path: `{}`", call.cwd);
                envelope.faults.push(fault("payload", text));
            }
            call.cwd = self.world.current_dir().map(|folder| text_of(&folder)).unwrap_or_default();
        }
        let begin = match (&self.project, self.sessions.get_mut(&call.session)) {
            (Some(project), _) => {
                call.root = text_of(&project.top);
                return project.clone();
            }
            (None, Some(session)) => {
                if session.first_cwd.is_empty() && !call.cwd.is_empty() {
                    session.first_cwd.clone_from(&call.cwd);
                    let mut event =
                        Event { by: NAME.into(), kind: "cwd".into(), once: "cwd/1".into(), ..Event::default() };
                    event.extra.set("cwd", &call.cwd);
                    envelope.events.push(event);
                }
                PathBuf::from(&session.first_cwd)
            }
            (None, None) => PathBuf::from(&call.cwd),
        };
        if !begin.is_absolute() {
            return Root::default();
        }
        let root = Root::of(&begin, self.world);
        call.root = text_of(&root.top);
        root
    }

    fn read_command(&self, envelope: &mut Envelope, cx: &Context) {
        let call = &mut envelope.call;
        if call.does != Does::Shell || call.command.is_empty() {
            return;
        }
        let command = call.command.as_str();
        let runners = Runners::new(cx.config.shell.runners.iter().map(String::as_str));
        let power = canonical_tool(&call.tool) == "pwsh";
        let read = || if power { shell::read_powershell(command) } else { shell::read_with(command, &runners) };
        match caught("reading the command", read) {
            Ok(shell) => call.shell = Some(shell),
            Err(fault) => {
                call.shell = Some(Shell { opaque: true, why: vec!["panic".into()], ..Shell::default() });
                envelope.faults.push(fault);
            }
        }
    }

    /// Makes paths absolute, follows links, and says which are inside the root.
    fn resolve_paths(&self, envelope: &mut Envelope, root: &Root) {
        let Envelope { call, faults, .. } = envelope;
        let home = self.world.home();
        let base = PathBuf::from(&call.cwd);
        let base = Some(base.as_path()).filter(|folder| folder.is_absolute());
        let mut rows: Vec<(CallPath, Option<Spot>)> = std::mem::take(&mut call.paths)
            .into_iter()
            .map(|path| {
                let spot = named(&path, base, home.as_deref());
                (path, spot)
            })
            .collect();
        if let Some(shell) = &mut call.shell {
            match caught("reading the command's paths", || operands(shell, base, home.as_deref(), self.world)) {
                Ok(more) => rows.extend(more),
                Err(fault) => faults.push(fault),
            }
        }
        if rows.len() > FOLLOWED {
            let text = format!("links were followed for the first {FOLLOWED} of {} paths only", rows.len());
            faults.push(fault("bound", text));
        }
        let own: Vec<&Path> =
            [base, Some(root.top.as_path())].into_iter().flatten().filter(|own| own.parent().is_some()).collect();
        let mut changed = Vec::new();
        call.paths = rows
            .into_iter()
            .enumerate()
            .map(|(at, (mut path, spot))| {
                let spot = spot.filter(|spot| !elsewhere(&path.raw, spot.at(), &own, self.world));
                let Some(spot) = spot else {
                    path.sure = false;
                    return path;
                };
                let change = Some(&spot).filter(|_| path.sure && path.glob.is_none() && at < FOLLOWED);
                let change = change.and_then(|spot| spot.changes(path.op, &changed, self.world));
                let place = if at < FOLLOWED { spot.found(&changed, self.world) } else { spot.blind() };
                changed.extend(change);
                path.rel = root.relative(&place, self.world).filter(|_| root.top.is_absolute());
                path.path = text_of(&place);
                path
            })
            .collect();
    }

    fn facts(&mut self, envelope: &mut Envelope, cx: &Context, now: i64) {
        let Envelope { call, faults, .. } = envelope;
        let none = Session::default();
        let known = self.sessions.get(&call.session);
        let session = known.unwrap_or(&none);
        let off = self.store.off(&call.session, self.world.clock(), self.world).unwrap_or_else(|fault| {
            faults.push(fault);
            None
        });
        let allowed = self.store.allowed(call, self.world).unwrap_or_else(|fault| {
            faults.push(fault);
            None
        });
        let allowed = allowed.filter(|key| !session.keys.contains(key)).unwrap_or_default();
        let (mode, wrong) = mode::mode(&cx.config, session, &call.root, self.world);
        faults.extend(wrong);
        let mut facts = Facts {
            at: now,
            home: self.world.home().map(|home| text_of(&home)).unwrap_or_default(),
            mode: Some(mode),
            through: known.map(|session| session.through),
            repeated: false,
            used: decide::KEYS.iter().filter(|key| session.keys.contains(key)).map(|key| (*key).to_owned()).collect(),
            off: off.unwrap_or_default(),
            allowed,
            ..Facts::default()
        };
        facts.shield.clone_from(&self.shield);
        facts.published = published::published(call, self.world);
        let decided = decide::decided_key(call);
        if session.keys.contains(&decided) {
            facts.used.push(decided);
        }
        if !call.id.is_empty() {
            let key = format!("judged/{}/{}", call.event.word(), call.id);
            facts.repeated = session.keys.contains(&key);
        }
        for stage in &self.gathers {
            let spec = stage.spec();
            if !spec.events.contains(&call.event) {
                continue;
            }
            match caught(spec.name, || stage.gather(call, &facts, session, cx, self.world)) {
                Ok(Ok(Some(raw))) => facts.session.set(spec.name, &raw),
                Ok(Ok(None)) => {}
                Ok(Err(fault)) | Err(fault) => faults.push(fault),
            }
        }
        envelope.facts = facts;
    }
}

/// The store of this process: never inside the project that the host named, or that it stands in.
/// Both ends of a shell pipe are started in the same place and so find the same one.
fn open_store(world: &dyn World, project: Option<&Root>) -> (Store, Vec<Fault>) {
    let here = || world.current_dir().map(|folder| Root::of(&folder, world));
    let root = project.cloned().or_else(here).filter(|root| root.top.parent().is_some());
    let (store, mut faults) = Store::open(world, root.as_ref().map(|root| root.top.as_path()));
    let variable = ["KZ_STATE", "XDG_STATE_HOME"].into_iter().find(|key| world.env(key).is_some());
    if let (Some(variable), Some(root), Some(folder)) = (variable, &root, store.folder())
        && root.relative(&world.resolve(folder), world).is_some()
    {
        let shown = folder.display();
        faults.push(fault(
            "state",
            format!("state folder `{shown}` is in a worktree of the project, where the agent can write, so nothing is remembered\n  hint: unset `{variable}`"),
        ));
        return (Store::none(), faults);
    }
    (store, faults)
}

/// Folders of state and config that are not where everybody knows them.
fn moved(world: &dyn World, store: &Store) -> Vec<String> {
    let mut out = Vec::new();
    if (world.env("KZ_STATE").is_some() || world.env("XDG_STATE_HOME").is_some())
        && let Some(folder) = store.folder()
    {
        out.push(text_of(&world.resolve(folder)));
    }
    if let Some(folder) = world.env("XDG_CONFIG_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute()) {
        out.push(text_of(&world.resolve(&folder.join("kz"))));
    }
    out
}

/// The store for a sink without a source in its process. Its faults are the source's too, and
/// stand in the envelopes.
pub fn store(world: &dyn World) -> Store {
    open_store(world, project(world).map(|folder| Root::of(&folder, world)).as_ref()).0
}

/// What a call of its kind must say and does not, so that nobody takes silence for a check.
/// `clean` is false where a fault already says what is wrong with the payload.
fn missing(call: &Call, clean: bool) -> Vec<String> {
    let around_a_tool = matches!(call.event, EventKind::PreTool | EventKind::Permission | EventKind::PostTool);
    let mut out = Vec::new();
    if clean && call.event == EventKind::Other && call.host_event.is_empty() {
        out.push("the payload names no event and no tool, so nothing was checked".to_owned());
    } else if clean && call.event == EventKind::Other && matrix::row(&call.host_event).is_none() {
        out.push(format!("the event `{}` is not known to this kz, so nothing was checked", call.host_event));
    } else if clean && call.session.is_empty() && !call.host_event.is_empty() {
        out.push("the payload has no `session_id`, so nothing is remembered".to_owned());
    }
    if around_a_tool && call.tool.is_empty() {
        out.push("the payload has no `tool_name`, so the call was not checked".to_owned());
    } else if around_a_tool && call.does == Does::Shell && call.command.is_empty() {
        out.push("the call has no `command`, so there was nothing to check".to_owned());
    } else if around_a_tool && matches!(call.does, Does::Read | Does::Write | Does::Edit) && call.paths.is_empty() {
        out.push(format!("the {} call names no file, so there was nothing to check", call.tool));
    }
    out
}

/// A payload as it stands in a line: a newline between its tokens becomes a space.
fn one_line(text: String) -> String {
    if memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_none() {
        return text;
    }
    text.replace(['\n', '\r'], " ")
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn fault(kind: &str, text: String) -> Fault {
    Fault { by: NAME.into(), kind: kind.into(), text, ..Fault::default() }
}

/// Runs a piece of work; a panic becomes a fault, as at every stage boundary.
fn caught<T>(what: &str, work: impl FnOnce() -> T) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let said = crate::text::panic_message(&*panic);
        fault("panic", format!("{what} panicked: {said}\n  hint: please report it; the call went on without it"))
    })
}
