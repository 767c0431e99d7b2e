//! Pipelines: which stages run, in which order, and where that was said.
//!
//! Both ends are implied: every pipeline begins with the source and ends with the decision.

mod run;
mod sink;
pub mod trial;

pub use run::{Trace, run_stage};
pub use sink::{Answer, Sink, Style};

use crate::config::user_file;
use crate::envelope::{Envelope, Fault};
use crate::stage::{self, Context, Memory, Stage};
use crate::world::World;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// Largest pipeline file that is read.
const MAX_FILE: u64 = 1 << 20;

/// A stage of a pipeline and who put it there.
#[derive(Clone, Debug)]
pub struct Step {
    /// The stage.
    pub stage: &'static dyn Stage,
    /// The one voice of it that is heard; empty for all.
    pub only: String,
    /// File it was named in; `None` for a built-in pipeline.
    pub file: Option<PathBuf>,
    /// Line in the file (of a built-in pipeline: in `pipelines/<name>.toml`), from 1.
    pub line: u32,
}

impl std::fmt::Debug for dyn Stage {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.spec().name)
    }
}

/// A pipeline, checked.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// Its name.
    pub name: String,
    /// One sentence.
    pub about: String,
    /// Its stages between source and decision.
    pub steps: Vec<Step>,
}

/// A pipeline that ships, compiled in; a test compares it with its file.
struct BuiltIn {
    name: &'static str,
    about: &'static str,
    /// Stage names, the voice that is heard alone, and their lines in `pipelines/<name>.toml`.
    steps: &'static [(&'static str, &'static str, u32)],
    /// The file itself.
    source: &'static str,
}

static BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        name: "default",
        about: "Guard and teach; never stops a call for a fault of its own.",
        steps: &[("classify", "", 5), ("guard", "", 8), ("ladder", "", 11)],
        source: include_str!("../../pipelines/default.toml"),
    },
    BuiltIn {
        name: "coordinator",
        about: "The coordinator's policy and nothing else; passes every call unless it is switched on.",
        steps: &[("classify", "", 6), ("guard", "coordinator", 9)],
        source: include_str!("../../pipelines/coordinator.toml"),
    },
    BuiltIn {
        name: "fleet",
        about: "The default pipeline for an agent of a fleet: its health record, its operator's messages, its handoff.",
        steps: &[("classify", "", 6), ("guard", "", 9), ("ladder", "", 12), ("handoff", "", 15)],
        source: include_str!("../../pipelines/fleet.toml"),
    },
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    #[serde(default)]
    about: String,
    #[serde(default)]
    stage: Vec<FileStep>,
    /// Rows for `kz test`, which reads them itself.
    #[serde(default, rename = "test")]
    _test: serde::de::IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileStep {
    #[serde(rename = "use")]
    name: toml::Spanned<String>,
    only: Option<toml::Spanned<String>>,
}

impl Pipeline {
    /// The pipeline of that name: the user's `pipelines/NAME.toml` beside the config, then built in.
    /// A file of the user's that does not read is a fault, and the built-in pipeline runs.
    ///
    /// # Errors
    /// A fault if there is no such pipeline.
    pub fn find(name: &str, world: &dyn World) -> Result<(Self, Vec<Fault>), Fault> {
        let built_in = BUILT_IN.iter().find(|pipeline| pipeline.name == name).map(Self::from_built_in);
        let mut faults = Vec::new();
        if is_plain(name)
            && let Some(folder) =
                user_file(world, root(world).as_deref()).and_then(|file| file.parent().map(Path::to_owned))
        {
            let path = folder.join("pipelines").join(format!("{name}.toml"));
            match world.read(&path, MAX_FILE) {
                Ok(bytes) => match Self::from_file(name, &path, &bytes) {
                    Ok(pipeline) => return Ok((pipeline, faults)),
                    Err(text) => faults.push(fault(text)),
                },
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => faults.push(fault(format!("{}: cannot be read: {error}", path.display()))),
            }
        }
        if let Some(pipeline) = built_in {
            return Ok((pipeline, faults));
        }
        if let Some(first) = faults.into_iter().next() {
            return Err(first);
        }
        let known: Vec<&str> = BUILT_IN.iter().map(|pipeline| pipeline.name).collect();
        Err(fault(format!("there is no pipeline `{name}`; built in: {}", known.join(", "))))
    }

    fn from_built_in(row: &BuiltIn) -> Self {
        let steps = row.steps.iter().filter_map(|(name, only, line)| {
            let stage = stage::find(name)?;
            let stage = if only.is_empty() { stage } else { stage.only(only)? };
            Some(Step { stage, only: (*only).to_owned(), file: None, line: *line })
        });
        Self { name: row.name.into(), about: row.about.into(), steps: steps.collect() }
    }

    fn from_file(name: &str, path: &Path, bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| format!("{}: is not UTF-8 text", path.display()))?;
        Self::from_text(name, path, text)
    }

    /// The pipeline that a file's text describes.
    ///
    /// # Errors
    /// File, line, what is wrong, and what it should be.
    pub fn from_text(name: &str, path: &Path, text: &str) -> Result<Self, String> {
        let shown = path.display();
        let line_of =
            |at: usize| 1 + text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count();
        let file: File = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| line_of(span.start));
            format!("{shown}:{line}: {}", error.message())
        })?;
        if file.version != 1 {
            return Err(format!("{shown}: version is {}, this kz reads version 1", file.version));
        }
        let mut steps = Vec::new();
        for step in file.stage {
            let line = line_of(step.name.span().start);
            let wanted = step.name.into_inner();
            let Some(found) = stage::find(&wanted) else {
                let names = stage::ALL.iter().map(|stage| stage.spec().name);
                return Err(format!(
                    "{shown}:{line}: there is no stage `{wanted}`; did you mean `{}`?",
                    crate::text::nearest(&wanted, names)
                ));
            };
            let place = |name: &str| stage::ALL.iter().position(|stage| stage.spec().name == name);
            let last = steps.last().map(|step: &Step| step.stage.spec().name);
            if let Some(before) = last
                && place(before) >= place(found.spec().name)
            {
                return Err(format!(
                    "{shown}:{line}: `{wanted}` cannot stand behind `{before}`; each stage stands once, in the order of `kz-run --plan`"
                ));
            }
            let only = step.only.map_or_else(String::new, |only| only.into_inner());
            let voice = if only.is_empty() { Some(found) } else { found.only(&only) };
            let Some(voice) = voice else {
                let voices = match found.voices() {
                    [] => "it has none that can be heard alone".to_owned(),
                    voices => format!("voices: {}", voices.join(", ")),
                };
                return Err(format!("{shown}:{line}: `{wanted}` has no voice `{only}`; {voices}"));
            };
            steps.push(Step {
                stage: voice,
                only,
                file: Some(path.to_owned()),
                line: u32::try_from(line).unwrap_or(0),
            });
        }
        if steps.is_empty() {
            return Err(format!("{shown}: names no `[[stage]]`, so it would check nothing"));
        }
        Ok(Self { name: name.into(), about: file.about, steps })
    }

    /// The file of a built-in pipeline.
    pub fn source(name: &str) -> Option<&'static str> {
        BUILT_IN.iter().find(|pipeline| pipeline.name == name).map(|pipeline| pipeline.source)
    }

    /// Stages of the default pipeline: those that gather facts where nothing else is said.
    pub fn default_names() -> Vec<&'static str> {
        BUILT_IN[0].steps.iter().map(|(name, ..)| *name).collect()
    }

    /// Runs the stages over one envelope.
    pub fn run(&self, envelope: &mut Envelope, cx: &Context, memory: &mut Memory, trace: &mut Trace) {
        for step in &self.steps {
            run_stage(step.stage, envelope, cx, memory, trace, false);
        }
    }

    /// Names of its stages, in order.
    pub fn names(&self) -> Vec<&'static str> {
        self.steps.iter().map(|step| step.stage.spec().name).collect()
    }

    /// The plan for people: every stage with where it was named.
    pub fn plan(&self) -> String {
        let mut out = format!("pipeline {}: {}\n", self.name, self.about);
        let source = ("normalize", "reads the payload, gathers the facts", "always first".to_owned());
        let rows = self.steps.iter().map(|step| {
            let origin = match &step.file {
                Some(file) => format!("{}:{}", file.display(), step.line),
                None => format!("built in, pipelines/{}.toml:{}", self.name, step.line),
            };
            let origin = if step.only.is_empty() { origin } else { format!("only {}, {origin}", step.only) };
            (step.stage.spec().name, step.stage.spec().about, origin)
        });
        let sink = ("decide", "the strictest vote is said, events are committed", "always last".to_owned());
        for (name, about, origin) in std::iter::once(source).chain(rows).chain([sink]) {
            out.push_str(&format!("  kz-{name:<12} {about}  ({origin})\n"));
        }
        out
    }

    /// The equivalent shell line; `each` are options of every program, `last` those of the decision.
    pub fn shell_line(&self, each: &str, last: &str) -> String {
        let mut line = format!("kz-normalize{each}");
        if self.names() != Self::default_names() {
            line.push_str(&format!(" --for {}", self.names().join(",")));
        }
        for step in &self.steps {
            let only = if step.only.is_empty() { String::new() } else { format!(" --only {}", step.only) };
            line.push_str(&format!(" | kz-{}{each}{only}", step.stage.spec().name));
        }
        line.push_str(&format!(" | kz-decide{each}{last}"));
        line
    }
}

/// The project's folder, in which the user's folder must not be. Its top is only looked for where a
/// variable moved the user's folder.
fn root(world: &dyn World) -> Option<PathBuf> {
    let begin = stage::source::project(world).or_else(|| world.current_dir())?;
    if world.env("XDG_CONFIG_HOME").is_none() {
        return Some(begin);
    }
    Some(stage::source::Root::of(&begin, world).top)
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

fn fault(text: String) -> Fault {
    Fault { by: "pipeline".into(), kind: "config".into(), text, ..Fault::default() }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::expect_used, reason = "tests may fail")]
    use super::*;

    #[test]
    fn built_in_pipelines_are_their_files() {
        for row in BUILT_IN {
            let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("pipelines/{}.toml", row.name));
            let bytes = std::fs::read(&path).expect("a file per built-in pipeline");
            let file = Pipeline::from_file(row.name, &path, &bytes).expect("the file reads");
            let built_in = Pipeline::from_built_in(row);
            assert_eq!(file.names(), built_in.names());
            assert_eq!(file.about, built_in.about);
            let lines = |pipeline: &Pipeline| pipeline.steps.iter().map(|step| step.line).collect::<Vec<_>>();
            assert_eq!(lines(&file), lines(&built_in));
            let voices = |pipeline: &Pipeline| pipeline.steps.iter().map(|step| step.only.clone()).collect::<Vec<_>>();
            assert_eq!(voices(&file), voices(&built_in));
        }
    }

    #[test]
    fn a_wrong_pipeline_file_says_where_and_what() {
        let read = |text: &str| Pipeline::from_file("mine", Path::new("mine.toml"), text.as_bytes());
        let error = read("version = 1\n[[stage]]\nuse = \"gard\"\n").expect_err("no such stage");
        assert_eq!(error, "mine.toml:3: there is no stage `gard`; did you mean `guard`?");
        let error = read("version = 1\n[[stage]]\nrun = \"x\"\n").expect_err("unknown key");
        assert!(error.starts_with("mine.toml:"), "{error}");
        let error =
            read("version = 1\n[[stage]]\nuse = \"guard\"\n[[stage]]\nuse = \"classify\"\n").expect_err("order");
        assert!(error.starts_with("mine.toml:5: `classify` cannot stand behind `guard`"), "{error}");
        let error =
            read("version = 1\n[[stage]]\nuse = \"guard\"\nonly = \"coordinato\"\n").expect_err("no such voice");
        assert_eq!(error, "mine.toml:3: `guard` has no voice `coordinato`; voices: coordinator");
        let error = read("version = 1\n[[stage]]\nuse = \"ladder\"\nonly = \"x\"\n").expect_err("no voices");
        assert_eq!(error, "mine.toml:3: `ladder` has no voice `x`; it has none that can be heard alone");
        let error = read("version = 2\n").expect_err("a later version");
        assert!(error.contains("version is 2"), "{error}");
    }
}
