//! The host's settings files: where they are, which entries are ours, what we want in them.

mod edit;
mod file;
mod scan;
mod shape;
#[cfg(test)]
mod test;

pub use edit::{add, has_ours, ours, remove};
pub use file::Target;
pub use scan::{Kind, Member, Node, Problem, scan};
pub use shape::check;

use crate::call::EventKind;
use crate::pipeline::Pipeline;
use crate::world::World;
use serde_json::{Map, Value, json};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Whose settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// The user's: every project.
    #[default]
    User,
    /// The project's, shared with its people.
    Project,
    /// The project's, of this user only.
    Local,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::User, Self::Project, Self::Local];

    /// Its name in messages.
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }

    /// Its settings file.
    pub fn file(self, world: &dyn World) -> Option<PathBuf> {
        match self {
            Self::User => {
                let moved = world.env("CLAUDE_CONFIG_DIR").map(PathBuf::from).filter(|folder| folder.is_absolute());
                let folder = moved.or_else(|| world.home().map(|home| home.join(".claude")))?;
                Some(folder.join("settings.json"))
            }
            Self::Project => Some(project(world)?.join(".claude").join("settings.json")),
            Self::Local => Some(project(world)?.join(".claude").join("settings.local.json")),
        }
    }
}

/// The project of the current folder: up to the git top, the nearest folder with host settings; else the top.
pub fn project(world: &dyn World) -> Option<PathBuf> {
    let current = world.current_dir()?;
    let Some(top) = current.ancestors().find(|folder| world.stat(&folder.join(".git")).is_some()) else {
        return Some(current);
    };
    let inside = current.ancestors().take_while(|folder| folder.starts_with(top));
    let settled = inside.into_iter().find(|folder| world.stat(&folder.join(".claude")).is_some());
    Some(settled.unwrap_or(top).to_path_buf())
}

/// Events we are registered for, and whether they take a matcher.
pub const EVENTS: &[(&str, bool)] = &[
    ("PreToolUse", true),
    ("PostToolUse", true),
    ("PostToolUseFailure", true),
    ("UserPromptSubmit", false),
    ("SessionStart", false),
];

/// Events that only some stages need, registered with a pipeline that has one of them.
pub const MORE_EVENTS: &[(&str, EventKind)] = &[("Stop", EventKind::Stop), ("PreCompact", EventKind::PreCompact)];

/// A hook that we want to be in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The host's event.
    pub event: &'static str,
    /// Whether the event takes a matcher.
    pub matcher: bool,
    /// The program as a word of a shell line.
    pub command: String,
    /// The pipeline, if one is named; without, what a file names stays.
    pub pipeline: Option<String>,
    /// Whether a failure of the hook blocks the call.
    pub fail_closed: bool,
}

impl Wanted {
    /// A row for every event. No timeout: a hook killed by one lets the call run.
    pub fn all(command: &str, fail_closed: bool) -> Vec<Self> {
        EVENTS.iter().map(|(event, matcher)| Self::of(event, *matcher, command, fail_closed)).collect()
    }

    /// A row for every event that the stages of a pipeline need, with its name.
    pub fn for_pipeline(command: &str, fail_closed: bool, pipeline: &Pipeline) -> Vec<Self> {
        let needed = |kind: &EventKind| pipeline.steps.iter().any(|step| step.stage.spec().events.contains(kind));
        let more = MORE_EVENTS.iter().filter(|(_, kind)| needed(kind));
        let mut rows = Self::all(command, fail_closed);
        rows.extend(more.map(|(event, _)| Self::of(event, false, command, fail_closed)));
        rows.iter_mut().for_each(|row| row.pipeline = Some(pipeline.name.clone()));
        rows
    }

    fn of(event: &'static str, matcher: bool, command: &str, fail_closed: bool) -> Self {
        let fail_closed = fail_closed && event == "PreToolUse";
        Self { event, matcher, command: command.to_owned(), pipeline: None, fail_closed }
    }

    /// The entry as the host wants it.
    pub fn group(&self) -> Value {
        let pipeline = self.pipeline.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
        let mut handler = json!({ "type": "command", "command": format!("{}{pipeline}", self.command) });
        if self.fail_closed
            && let Some(members) = handler.as_object_mut()
        {
            members.insert("onFailure".to_owned(), json!("block"));
        }
        let mut group = Map::new();
        if self.matcher {
            group.insert("matcher".to_owned(), json!(""));
        }
        group.insert("hooks".to_owned(), json!([handler]));
        Value::Object(group)
    }
}

/// One of our hooks as it stands in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    /// The host's event.
    pub event: String,
    /// Its matcher; empty for all tools.
    pub matcher: String,
    /// The whole command.
    pub command: String,
    /// Whether a failure of the hook blocks the call.
    pub fail_closed: bool,
}

/// The events that the pipelines of some hooks of ours need; one that names none runs the default pipeline.
pub fn needed(hooks: &[Registered], world: &dyn World) -> Vec<&'static str> {
    let named = hooks.iter().filter_map(|hook| {
        let end = program_of(&hook.command)?.end;
        hook.command.get(pipeline_of(&hook.command, end)?)
    });
    let pipelines: Vec<Pipeline> = named.filter_map(|name| Some(Pipeline::find(name, world).ok()?.0)).collect();
    let rows = pipelines.iter().flat_map(|pipeline| Wanted::for_pipeline("", false, pipeline));
    let mut events: Vec<&str> = EVENTS.iter().map(|(event, _)| *event).collect();
    for row in rows {
        if !events.contains(&row.event) {
            events.push(row.event);
        }
    }
    events
}

/// The word behind the program that names a pipeline, if one does.
pub fn pipeline_of(command: &str, program_end: usize) -> Option<Range<usize>> {
    let rest = command.get(program_end..).filter(|rest| rest.starts_with([' ', '\t']))?;
    let word = rest.split_ascii_whitespace().next()?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if word.starts_with('-') || !word.bytes().all(plain) {
        return None;
    }
    let at = program_end + rest.find(word)?;
    Some(at..at + word.len())
}

/// The word of a command that is `kz-run`, behind assignments, if the command starts it.
pub fn program_of(command: &str) -> Option<Range<usize>> {
    let mut at = 0;
    loop {
        at += command.get(at..)?.find(|letter: char| !letter.is_ascii_whitespace())?;
        let end = word_end(command, at);
        let raw = command.get(at..end)?;
        let words = shell_words::split(raw).ok()?;
        let word = words.first()?;
        if Path::new(word).file_name().is_some_and(|name| name == "kz-run") {
            return Some(at..end);
        }
        let (name, _) = raw.split_once('=')?;
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return None;
        }
        at = end;
    }
}

/// Where the word that begins at `at` ends.
fn word_end(command: &str, at: usize) -> usize {
    let mut quote = None;
    let mut escaped = false;
    for (offset, letter) in command[at..].char_indices() {
        if escaped {
            escaped = false;
            continue;
        }
        match (quote, letter) {
            (None | Some('"'), '\\') => escaped = true,
            (Some(open), _) if open == letter => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, ' ' | '\t' | '\n' | ';' | '|' | '&' | '<' | '>') => return at + offset,
            _ => {}
        }
    }
    command.len()
}
