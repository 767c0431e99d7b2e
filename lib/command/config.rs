//! `kz config`: what counts, who set it, whether a file is right, and what there is to set.

use super::{Desk, Exit};
use crate::config::history::{Now, Step, Traced};
use crate::config::keys::{Key, choice, dotted, segments};
use crate::config::{self, Config, Layer, Options, Origin};
use crate::stage::source;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};
use std::io;
use std::path::PathBuf;

/// `kz config`
#[derive(Args, Debug)]
pub struct Configs {
    /// What to do.
    #[command(subcommand)]
    pub what: What,
}

/// What is laid over the files.
#[derive(Args, Debug)]
pub struct Over {
    /// Read this file in place of the user's config.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Set a config key for this run.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// The verbs of config.
#[derive(Debug, Subcommand)]
pub enum What {
    /// Every key with its value and who set it.
    List {
        /// Also what was overridden, and what was refused and why.
        #[arg(long)]
        all: bool,
        /// As JSON.
        #[arg(long)]
        json: bool,
        /// What is laid over the files.
        #[command(flatten)]
        over: Over,
    },
    /// One value, or those of a table.
    Get {
        /// Dotted name of a key or a table.
        key: String,
        /// As JSON.
        #[arg(long)]
        json: bool,
        /// What is laid over the files.
        #[command(flatten)]
        over: Over,
    },
    /// What a key is for, who may set it, and who did.
    Explain {
        /// Dotted name of a key.
        key: String,
        /// What is laid over the files.
        #[command(flatten)]
        over: Over,
    },
    /// Check a file, or all layers; exit 1 if something is wrong.
    Check {
        /// The file; none for all layers.
        #[arg(conflicts_with_all = ["config", "set"])]
        file: Option<PathBuf>,
        /// As what the file is judged; by default as what its name says.
        #[arg(long = "as", value_name = "LAYER", requires = "file")]
        layer: Option<As>,
        /// What is laid over the files.
        #[command(flatten)]
        over: Over,
    },
    /// The JSON Schema of a config file.
    Schema,
    /// A commented file of the defaults, to copy from.
    Defaults,
}

/// The layers that are files.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum As {
    /// The user's.
    User,
    /// A repo's `.kibitzer/config.toml`.
    Project,
    /// A repo's `.kibitzer/local.toml`.
    Local,
}

/// Runs the verb.
///
/// # Errors
/// If the answer cannot be written.
pub fn run(args: &Configs, desk: &mut Desk) -> io::Result<Exit> {
    let root = root(desk);
    let traced = |desk: &Desk, over: &Over| {
        let options = Options { file: over.config.clone(), set: over.set.clone() };
        config::trace(desk.world, root.as_deref(), &options)
    };
    match &args.what {
        What::List { all, json, over } => {
            let traced = traced(desk, over);
            if *json {
                let rows: Vec<Value> = traced.list().iter().map(|row| to_json(row, &traced, *all)).collect();
                writeln!(desk.out, "{}", serde_json::to_string_pretty(&rows)?)?;
            } else {
                list(&traced, *all, desk)?;
            }
            tell_faults(&traced, desk)
        }
        What::Get { key, json, over } => get(key, *json, &traced(desk, over), desk),
        What::Explain { key, over } => explain(key, &traced(desk, over), desk),
        What::Check { file: None, over, .. } => report(&traced(desk, over), None, desk),
        What::Check { file: Some(file), layer, .. } => {
            let layer = match layer {
                Some(As::User) => Layer::User,
                Some(As::Project) => Layer::Project,
                Some(As::Local) => Layer::Local,
                None if file.ends_with(".kibitzer/config.toml") => Layer::Project,
                None if file.ends_with(".kibitzer/local.toml") => Layer::Local,
                None => Layer::User,
            };
            report(&config::check(desk.world, root.as_deref(), file, layer), Some(layer), desk)
        }
        What::Schema => {
            writeln!(desk.out, "{}", serde_json::to_string_pretty(&config::schema())?)?;
            Ok(Exit::Done)
        }
        What::Defaults => {
            write!(desk.out, "{}", config::DEFAULTS)?;
            Ok(Exit::Done)
        }
    }
}

/// The root of a session that would begin here, as `kz explain` finds it.
fn root(desk: &Desk) -> Option<PathBuf> {
    let begin = source::project(desk.world).or_else(|| desk.world.current_dir())?;
    Some(source::Root::of(&begin, desk.world).top)
}

/// Where a value comes from: layer, and file and line if it is in one.
pub(super) fn from(origin: &Origin, desk: &Desk) -> String {
    let place = config::placed(origin, desk.world, root(desk).as_deref());
    if place.is_empty() { origin.layer.word().to_owned() } else { format!("{} {place}", origin.layer.word()) }
}

fn list(traced: &Traced, all: bool, desk: &mut Desk) -> io::Result<()> {
    for row in traced.list() {
        let idle = if row.key.acts() { "" } else { "; no stage of this version acts on it" };
        let set = format!("{} = {}", row.name(), row.value.toml());
        writeln!(desk.out, "{set:<44}  # {}{idle}", from(&row.origin, desk))?;
        if all {
            for (step, fate) in fates(&row, traced) {
                writeln!(desk.out, "#   {}: {}, {fate}", from(&step.origin, desk), tried(step))?;
            }
        }
    }
    if all {
        // A key that is only refused has no row above.
        let known: Vec<String> = traced.list().iter().map(Now::name).collect();
        for step in traced.steps.iter().filter(|step| !known.contains(&step.key.dotted(&step.wild))) {
            let why = step.refused.clone().unwrap_or_default();
            writeln!(desk.out, "# {}: {} refused: {why}", from(&step.origin, desk), step.key.dotted(&step.wild))?;
        }
    }
    Ok(())
}

fn tried(step: &Step) -> String {
    if step.text.is_empty() { "a value that does not read".to_owned() } else { step.text.clone() }
}

/// The layers that set or tried to set a key without having the last word, and what became of that.
fn fates<'t>(row: &Now, traced: &'t Traced) -> Vec<(&'t Step, String)> {
    let mut out = Vec::new();
    for step in traced.of(row.key, &row.wild) {
        match &step.refused {
            Some(why) => out.push((step, format!("refused: {why}"))),
            None if step.origin == row.origin => {}
            None if row.key.merge == config::keys::Merge::Extend => out.push((step, "added".to_owned())),
            None => out.push((step, "overridden".to_owned())),
        }
    }
    out
}

/// Problems are for `kz config check`; here they are only counted.
fn tell_faults(traced: &Traced, desk: &mut Desk) -> io::Result<Exit> {
    match traced.config.faults.len() {
        0 => {}
        1 => writeln!(desk.err, "kz: 1 problem in config\n  hint: `kz config check` tells it")?,
        n => writeln!(desk.err, "kz: {n} problems in config\n  hint: `kz config check` tells them")?,
    }
    Ok(Exit::Done)
}

fn to_json(row: &Now, traced: &Traced, all: bool) -> Value {
    let place = |origin: &Origin| origin.place.as_ref().map(|place| place.display().to_string());
    let mut out = json!({
        "name": row.name(), "value": row.value.json(), "layer": row.origin.layer.word(), "acts": row.key.acts(),
        "locked": config::lock_on(&traced.config, row.key, &row.wild).is_some(),
    });
    if let Some(map) = out.as_object_mut() {
        if let Some(place) = place(&row.origin) {
            map.insert("place".into(), place.into());
        }
        if row.origin.line > 0 {
            map.insert("line".into(), row.origin.line.into());
        }
        if all {
            let steps = traced.of(row.key, &row.wild).map(|step| {
                json!({
                    "layer": step.origin.layer.word(), "place": place(&step.origin), "line": step.origin.line,
                    "value": step.value.as_ref().map(config::keys::Value::json), "text": step.text,
                    "refused": step.refused,
                })
            });
            map.insert("steps".into(), steps.collect());
        }
    }
    out
}

fn get(name: &str, as_json: bool, traced: &Traced, desk: &mut Desk) -> io::Result<Exit> {
    let path = segments(name);
    if let Some((key, wild)) = Key::find(&path) {
        let Some(row) = traced.get(key, wild) else {
            let way = format!("`kz config explain {}` says what there is to set", key.name);
            return desk.fail(&format!("`{}` is not set", key.dotted(wild)), &way);
        };
        if as_json {
            writeln!(desk.out, "{}", serde_json::to_string_pretty(&to_json(&row, traced, false))?)?;
        } else {
            writeln!(desk.out, "{}", row.value.plain())?;
        }
        return tell_faults(traced, desk);
    }
    let below = dotted(&path) + ".";
    let rows: Vec<Now> = traced.list().into_iter().filter(|row| row.name().starts_with(&below)).collect();
    if path.is_empty() || rows.is_empty() && !Key::is_table(&path) {
        return unknown(&path, desk);
    }
    if as_json {
        let rows: Vec<Value> = rows.iter().map(|row| to_json(row, traced, false)).collect();
        writeln!(desk.out, "{}", serde_json::to_string_pretty(&rows)?)?;
    } else {
        for row in rows {
            writeln!(desk.out, "{} = {}", row.name(), row.value.toml())?;
        }
    }
    tell_faults(traced, desk)
}

fn unknown(path: &[&str], desk: &mut Desk) -> io::Result<Exit> {
    let near = config::nearest(path, false);
    let near = choice(&near.iter().map(String::as_str).collect::<Vec<_>>());
    let hint =
        if near.is_empty() { "`kz help config` lists the keys".to_owned() } else { format!("did you mean {near}?") };
    desk.fail(&format!("there is no key `{}`", dotted(path)), &hint)
}

fn explain(name: &str, traced: &Traced, desk: &mut Desk) -> io::Result<Exit> {
    let path = segments(name);
    let Some((key, wild)) = Key::find(&path) else { return unknown(&path, desk) };
    writeln!(desk.out, "{}\n  {}", key.dotted(wild), key.about)?;
    if !key.acts() {
        writeln!(desk.out, "  No stage of this version acts on it.")?;
    }
    writeln!(desk.out, "\nwants    {}", key.kind.wanted())?;
    let default = key.get(&mut Config::default(), wild).map(|(value, _)| value.toml());
    let rule = crate::rules::find(wild).filter(|_| key.name == "guard.rules.*");
    let default = match (default, rule) {
        (Some(value), _) => value,
        (None, Some(rule)) => format!("the rule's own verdict, \"{}\"", rule.verdict.word()),
        (None, None) => "none".to_owned(),
    };
    writeln!(desk.out, "default  {default}")?;
    writeln!(desk.out, "merge    {}", config::may_set(key))?;
    let lock = match config::lock_on(&traced.config, key, wild) {
        Some((lock, name)) => format!("`{name}`, {}: only your own file sets it", from(&lock.origin, desk)),
        None => "none".to_owned(),
    };
    writeln!(desk.out, "lock     {lock}")?;
    let now = traced.get(key, wild);
    match &now {
        Some(row) => writeln!(desk.out, "now      {}, {}", row.value.toml(), from(&row.origin, desk))?,
        None => writeln!(desk.out, "now      not set")?,
    }
    let steps: Vec<&Step> = traced.of(key, wild).collect();
    if !steps.is_empty() {
        writeln!(desk.out, "\nlayers")?;
    }
    for step in steps {
        let fate = match (&step.refused, &now) {
            (Some(why), _) => format!("  refused: {why}"),
            (None, Some(row)) if row.origin == step.origin => String::new(),
            (None, _) if key.merge == config::keys::Merge::Extend => "  added".to_owned(),
            (None, _) => "  overridden".to_owned(),
        };
        writeln!(desk.out, "  {}: {}{fate}", from(&step.origin, desk), tried(step))?;
    }
    tell_faults(traced, desk)
}

/// What is wrong, or how many keys are right. With a layer only what that layer set is counted.
fn report(traced: &Traced, layer: Option<Layer>, desk: &mut Desk) -> io::Result<Exit> {
    for fault in &traced.config.faults {
        writeln!(desk.out, "{}", fault.text)?;
    }
    for step in traced.idle().into_iter().filter(|step| layer.is_none_or(|layer| step.origin.layer == layer)) {
        let place = config::placed(&step.origin, desk.world, root(desk).as_deref());
        let name = step.key.dotted(&step.wild);
        writeln!(desk.out, "{place}: note: `{name}` is known, but no stage of this version acts on it")?;
    }
    match (traced.config.faults.len(), traced.count()) {
        (0, 1) => writeln!(desk.out, "1 key, no problems")?,
        (0, keys) => writeln!(desk.out, "{keys} keys, no problems")?,
        (1, _) => writeln!(desk.out, "1 problem")?,
        (problems, _) => writeln!(desk.out, "{problems} problems")?,
    }
    Ok(if traced.config.faults.is_empty() { Exit::Done } else { Exit::Failed })
}

/// Rows for `kz doctor`: what is refused, locked, set by the repo, and set in vain.
pub(super) fn summary(traced: &Traced, desk: &Desk) -> Vec<(&'static str, String)> {
    let names = |steps: Vec<&Step>| {
        let mut names: Vec<String> = steps.iter().map(|step| step.key.dotted(&step.wild)).collect();
        names.dedup();
        let more = names.len().saturating_sub(MAX_NAMES);
        names.truncate(MAX_NAMES);
        if more > 0 { format!("{} and {more} more", names.join(", ")) } else { names.join(", ") }
    };
    let mut rows = Vec::new();
    let lock = &traced.config.lock;
    if !lock.is_empty() {
        rows.push(("lock", format!("{} locked by {}", lock.join(", "), from(&lock.origin, desk))));
    }
    for layer in [Layer::Project, Layer::Local] {
        let set: Vec<&Step> =
            traced.steps.iter().filter(|step| step.origin.layer == layer && step.refused.is_none()).collect();
        if !set.is_empty() {
            rows.push(("config", format!("the {} layer sets {}", layer.word(), names(set))));
        }
    }
    let refused: Vec<&Step> = traced.steps.iter().filter(|step| step.refused.is_some()).collect();
    if !refused.is_empty() {
        rows.push(("config", format!("refused: {}", names(refused))));
    }
    let idle = traced.idle();
    if !idle.is_empty() {
        rows.push(("config", format!("no stage of this version acts on {}", names(idle))));
    }
    rows
}

/// Names in one line of `kz doctor`.
const MAX_NAMES: usize = 12;
