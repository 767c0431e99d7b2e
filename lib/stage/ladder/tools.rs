//! Which tools a session has: a note names only those.
//!
//! The first that answers counts: `tools` in the payload, the person's catalogue (`ladder.tools`,
//! read when a session or prompt begins, never around a tool call), the host's own tools.

use super::super::Context;
use crate::call::{Call, EventKind, Tool, canonical_tool, tools};
use crate::config::LadderConfig;
use crate::config::rows::{CLASSES, TOOLS};
use crate::text::stable_hash;
use crate::world::World;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A catalogue beyond this is not read.
const MAX_BYTES: u64 = 1 << 20;

/// What is known of a session beside the chains of its agents.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Known {
    /// The tools, if somebody told them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    /// Whether a catalogue was to be read and could not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// Whether the switched-off line was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disabled_told: bool,
}

/// What the catalogue says now that config names; `None` if it names none.
pub fn told_tools(config: &LadderConfig, world: &dyn World) -> Option<Result<Vec<Tool>, String>> {
    if config.tools.is_empty() || !*config.enabled || !*config.fetch_live {
        return None;
    }
    Some(read(&config.tools, *config.tools_ms, world))
}

/// The same at a hook; `None` also where this is not the moment for it.
pub fn fetch(call: &Call, cx: &Context, world: &dyn World) -> Option<Result<Vec<Tool>, String>> {
    let config = &cx.config.ladder;
    let moment = matches!(call.event, EventKind::SessionStart | EventKind::Prompt | EventKind::ToolsChange)
        || call.host_event == "PostModelSwitch";
    if moment { told_tools(config, world) } else { None }
}

fn read(named: &str, limit: u32, world: &dyn World) -> Result<Vec<Tool>, String> {
    let json = match named.strip_prefix('!') {
        Some(command) => {
            world.run(&["/bin/sh", "-c", command], Duration::from_millis(limit.into()), MAX_BYTES as usize)
        }
        None => match world.path_of(named) {
            Some(path) => world.read(&path, MAX_BYTES),
            None => Err(std::io::ErrorKind::NotFound.into()),
        },
    };
    let json = json.map_err(|error| format!("`ladder.tools` cannot be read: {error}"))?;
    let found = tools::read(&String::from_utf8_lossy(&json));
    let found = found.map_err(|why| format!("`ladder.tools` holds no catalogue: {why}"))?;
    if found.is_empty() { Err("`ladder.tools` names no tool".to_owned()) } else { Ok(found) }
}

/// Tools to speak of, and where they are from.
#[derive(Debug)]
pub struct Catalogue<'a> {
    tools: Option<&'a [Tool]>,
    /// Whether a catalogue was to be read, could not, and the host's own tools stand in for it.
    pub failed: bool,
}

/// What the host's own tools do, by canonical key; also what is said where nothing else is known.
static STATIC: [(&str, &str, &str, &str); 6] = [
    ("edit", "Edit", "file_path", "give it `file_path`, `old_string` and `new_string`."),
    ("write", "Write", "file_path", "give it `file_path` and `content`."),
    ("read", "Read", "file_path", "give it `file_path`, and `offset` and `limit` for a part of a long file."),
    ("grep", "Grep", "pattern", "give it `pattern`, and `path` or `glob` to narrow it."),
    ("glob", "Glob", "pattern", "give it `pattern`, such as `src/**/*.rs`."),
    ("task", "Agent", "prompt", "give it `description` and `prompt`."),
];

/// A tool as a note speaks of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The host's name.
    pub name: String,
    /// Its key parameter; may be empty.
    pub key: String,
    /// What it does, or what to give it.
    pub about: String,
}

impl<'a> Catalogue<'a> {
    /// What is to be spoken of at this call.
    pub fn at(call: &'a Call, known: &'a Known, live: bool) -> Self {
        if !live {
            return Self { tools: None, failed: false };
        }
        let told = [&call.tools, &known.tools].into_iter().find(|tools| !tools.is_empty());
        Self { tools: told.map(Vec::as_slice), failed: told.is_none() && known.failed }
    }

    /// A word that differs where the set of tools does; empty for the host's own.
    pub fn mark(&self) -> String {
        let Some(tools) = self.tools else { return String::new() };
        let mut all = String::new();
        for text in tools.iter().flat_map(|tool| [&tool.name, &tool.about, &tool.key]) {
            all.push_str(text);
            all.push('\0');
        }
        format!("{:016x}", stable_hash(&all))
    }

    /// The tool of a canonical key, if the session has one.
    pub fn tool(&self, key: &str) -> Option<Line> {
        let fallback = STATIC.iter().find(|(known, ..)| *known == key);
        match self.tools {
            None => fallback.map(|(_, name, key, about)| line(name, key, about)),
            Some(tools) => tools.iter().find(|tool| canonical_tool(&tool.name) == key).map(|tool| Line {
                about: if tool.about.is_empty() && tool.key.is_empty() {
                    fallback.map(|(.., about)| (*about).to_owned()).unwrap_or_default()
                } else {
                    said(tool)
                },
                ..line(&tool.name, &tool.key, "")
            }),
        }
    }

    /// At most `most` tools for the section: those of the classes first, the strictest class first,
    /// then the others by name. What the terminal itself does is not among them.
    pub fn rows(&self, most: u32, judged: &[String]) -> Vec<Line> {
        let mut rows: Vec<Line> = TOOLS.iter().filter_map(|key| self.tool(key)).collect();
        let others = self.tools.unwrap_or_default().iter();
        let mut others: Vec<Line> = others
            .filter(|tool| !judged.iter().any(|name| *name == canonical_tool(&tool.name)))
            .filter(|tool| !rows.iter().any(|row| row.name == tool.name))
            .map(|tool| line(&tool.name, &tool.key, &tool.about))
            .collect();
        others.sort_by(|a, b| a.name.cmp(&b.name));
        rows.append(&mut others);
        rows.truncate(most as usize);
        rows
    }
}

fn line(name: &str, key: &str, about: &str) -> Line {
    Line { name: name.to_owned(), key: key.to_owned(), about: about.to_owned() }
}

/// Description and key parameter in a sentence or two.
fn said(tool: &Tool) -> String {
    let stop = if tool.about.is_empty() || tool.about.ends_with(['.', '!', '?', '…']) { "" } else { "." };
    let key = if tool.key.is_empty() { String::new() } else { format!("Its key parameter is `{}`.", tool.key) };
    let about = format!("{}{stop}", tool.about);
    [about, key].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Place of a class in the order of strictness.
pub fn rank(class: &str) -> Option<usize> {
    CLASSES.iter().position(|known| *known == class)
}
