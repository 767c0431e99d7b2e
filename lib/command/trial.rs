//! `kz test`: runs the `[[test]]` rows of config and pipeline files against the whole pipeline.

use super::{Desk, Exit};
use crate::config::{Options, user_file};
use crate::pipeline::Pipeline;
use crate::pipeline::trial::{self, Outcome, Row};
use crate::stage::Contexts;
use clap::Args;
use std::io;
use std::path::{Path, PathBuf};

/// `kz test`
#[derive(Args, Debug, Default)]
pub struct Test {
    /// A pipeline's name, or a TOML file with `[[test]]` rows; every config and pipeline file of
    /// yours and of this repo if left out.
    pub what: Option<String>,
    /// The pipeline that rows outside of a pipeline file go through.
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub pipeline: String,
    /// Name every test, not only those that fail.
    #[arg(short, long)]
    pub verbose: bool,
    /// Read this file in place of the user's config.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Set a config key for this run.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// Largest file that is read.
const MAX_FILE: u64 = 1 << 20;
/// Most pipeline files of a folder that are looked at.
const MAX_FILES: usize = 256;

/// A text with rows, and the pipeline that they go through.
struct Subject {
    shown: String,
    text: String,
    pipeline: Pipeline,
}

/// What was counted.
#[derive(Default)]
struct Score {
    ran: usize,
    failed: usize,
    unread: usize,
}

/// Runs the verb.
///
/// # Errors
/// If the answer cannot be written.
pub fn run(args: &Test, desk: &mut Desk) -> io::Result<Exit> {
    let here = desk.root().unwrap_or_default();
    let options = Options { file: args.config.clone(), set: args.set.clone() };
    let mut contexts = Contexts::new(desk.world, options);
    let subjects = match subjects(args, &here, &mut contexts, desk) {
        Ok(subjects) => subjects,
        Err((text, hint)) => return desk.fail(&text, &hint),
    };
    let mut score = Score::default();
    for subject in &subjects {
        let (rows, problems) = trial::read(&subject.text);
        for problem in &problems {
            let place = format!("{}:{}:{}", subject.shown, problem.line, problem.column);
            writeln!(desk.out, "{place}: {}\n  hint: {}", problem.text, problem.hint)?;
        }
        score.unread += problems.len();
        for row in &rows {
            score.ran += 1;
            let outcome = trial::run(row, score.ran, &subject.pipeline, &mut contexts, &here, desk.world);
            score.failed += usize::from(!outcome.wrong.is_empty());
            tell(args, subject, row, &outcome, desk)?;
        }
    }
    // What config could not use may be why a test failed.
    let root = here.to_string_lossy();
    for fault in &contexts.of(&root).config.faults {
        writeln!(desk.err, "kz: {}", fault.text)?;
    }
    sum(&score, &subjects, desk)
}

fn sum(score: &Score, subjects: &[Subject], desk: &mut Desk) -> io::Result<Exit> {
    if score.ran + score.unread == 0 {
        let files: Vec<&str> = subjects.iter().map(|subject| subject.shown.as_str()).collect();
        let files = if files.is_empty() { "no file of config or pipelines".to_owned() } else { files.join(", ") };
        writeln!(desk.out, "no `[[test]]` rows (looked at {files}); see `kz help tests`")?;
        return Ok(Exit::Done);
    }
    let tests = |count: usize| if count == 1 { "1 test".to_owned() } else { format!("{count} tests") };
    if score.failed + score.unread == 0 {
        writeln!(desk.out, "{}, all as expected", tests(score.ran))?;
        return Ok(Exit::Done);
    }
    let unread = if score.unread == 0 { String::new() } else { format!(", {} not understood", score.unread) };
    writeln!(desk.out, "{}, {} not as expected{unread}", tests(score.ran + score.unread), score.failed)?;
    Ok(Exit::Failed)
}

fn tell(args: &Test, subject: &Subject, row: &Row, outcome: &Outcome, desk: &mut Desk) -> io::Result<()> {
    if outcome.wrong.is_empty() {
        if args.verbose {
            writeln!(desk.out, "ok    {}", row.name)?;
        }
        return Ok(());
    }
    writeln!(desk.out, "WRONG {} ({}:{})", row.name, subject.shown, row.line)?;
    for wrong in &outcome.wrong {
        writeln!(desk.out, "      {wrong}")?;
    }
    if !outcome.command.is_empty() {
        writeln!(desk.out, "      see `kz explain {}`", shell_words::quote(&outcome.command))?;
    }
    Ok(())
}

type Refused = (String, String);

/// The texts that the arguments mean.
fn subjects(args: &Test, here: &Path, contexts: &mut Contexts, desk: &Desk) -> Result<Vec<Subject>, Refused> {
    let named = |name: &str| -> Result<Pipeline, Refused> {
        let (pipeline, faults) = Pipeline::find(name, desk.world).map_err(|fault| (fault.text, String::new()))?;
        match faults.into_iter().next() {
            Some(fault) => Err((fault.text, "mend the file, or name another pipeline".to_owned())),
            None => Ok(pipeline),
        }
    };
    match &args.what {
        Some(file) if file.contains('/') || Path::new(file).extension().is_some_and(|end| end == "toml") => {
            Ok(vec![one(Path::new(file), desk.show(Path::new(file)), args, &named, desk)?])
        }
        Some(name) => {
            let pipeline = named(name)?;
            let (shown, text) = match pipeline.steps.first().and_then(|step| step.file.clone()) {
                Some(file) => (desk.show(&file), text(&file, desk)?),
                None => (format!("pipelines/{name}.toml"), Pipeline::source(name).unwrap_or_default().to_owned()),
            };
            Ok(vec![Subject { shown, text, pipeline }])
        }
        None => {
            let config = &contexts.of(&here.to_string_lossy()).config;
            let mut files: Vec<PathBuf> = config.files.iter().map(|(_, path)| path.clone()).collect();
            files.extend(pipelines(here, desk));
            files.iter().map(|file| one(file, desk.show(file), args, &named, desk)).collect()
        }
    }
}

/// One file: a pipeline with its rows, or rows alone.
fn one(
    file: &Path,
    shown: String,
    args: &Test,
    named: &dyn Fn(&str) -> Result<Pipeline, Refused>,
    desk: &Desk,
) -> Result<Subject, Refused> {
    let text = text(file, desk)?;
    let pipeline = if trial::is_pipeline(&text) {
        let name = file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Pipeline::from_text(&name, file, &text).map_err(|text| (text, String::new()))?
    } else {
        named(&args.pipeline)?
    };
    Ok(Subject { shown, text, pipeline })
}

fn text(file: &Path, desk: &Desk) -> Result<String, Refused> {
    let shown = desk.show(file);
    let bytes =
        desk.world.read(file, MAX_FILE).map_err(|error| (format!("cannot read `{shown}`: {error}"), String::new()))?;
    String::from_utf8(bytes).map_err(|_| (format!("`{shown}` is not UTF-8"), "save it as UTF-8".to_owned()))
}

/// The user's pipeline files, by name.
fn pipelines(here: &Path, desk: &Desk) -> Vec<PathBuf> {
    let Some(folder) = user_file(desk.world, Some(here)).and_then(|file| Some(file.parent()?.join("pipelines"))) else {
        return Vec::new();
    };
    let mut names = desk.world.list(&folder, MAX_FILES).unwrap_or_default();
    names.sort();
    let files = names.into_iter().map(|name| folder.join(name));
    files.filter(|file| file.extension().is_some_and(|end| end == "toml")).collect()
}
