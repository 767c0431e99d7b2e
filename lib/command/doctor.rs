//! `kz doctor`: is what is installed what should run, and does it answer.

use super::install::{Level, is_program, verdict};
use super::settings::{self, Scope, Target};
use super::{Desk, Exit};
use crate::config::{self, Options};
use crate::rules::own::folder;
use crate::rules::{Own, check};
use crate::stage::ladder;
use crate::state::Store;
use crate::text::visible;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Check the installation.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Doctor {
    /// Print the rows as JSON.
    #[arg(long)]
    pub json: bool,
}

/// A check and how it went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// How it went.
    pub level: Level,
    /// What was looked at.
    pub check: &'static str,
    /// What was seen.
    pub text: String,
    /// The way on; empty if there is none to go.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hint: String,
}

/// The programs that a pipeline needs.
const PROGRAMS: &[&str] = &["kz", "kz-run", "kz-normalize", "kz-classify", "kz-guard", "kz-ladder", "kz-decide"];

/// Runs it.
///
/// # Errors
/// If the answer cannot be written.
pub fn run(args: &Doctor, desk: &mut Desk) -> io::Result<Exit> {
    let mut rows = Vec::new();
    programs(desk, &mut rows);
    hooks(desk, &mut rows);
    configs(desk, &mut rows);
    state(desk, &mut rows);
    if args.json {
        writeln!(desk.out, "{}", serde_json::to_string_pretty(&rows)?)?;
    } else {
        for row in &rows {
            let level = match row.level {
                Level::Ok => "ok  ",
                Level::Warn => "warn",
                Level::Fail => "fail",
            };
            writeln!(desk.out, "{level} {}: {}", row.check, row.text)?;
            if !row.hint.is_empty() {
                writeln!(desk.out, "       hint: {}", row.hint)?;
            }
        }
    }
    Ok(if rows.iter().any(|row| row.level == Level::Fail) { Exit::Failed } else { Exit::Done })
}

fn row(level: Level, check: &'static str, text: impl Into<String>, hint: impl Into<String>) -> Row {
    Row { level, check, text: text.into(), hint: hint.into() }
}

fn programs(desk: &Desk, rows: &mut Vec<Row>) {
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in PROGRAMS {
        let beside = desk.programs.join(name);
        if !is_program(&beside) {
            let hint = "install kz again, with all its programs in one folder";
            rows.push(row(Level::Fail, "program", format!("`{name}` is not in {}", desk.show(desk.programs)), hint));
            continue;
        }
        match version(&beside) {
            Some(version) => versions.entry(version).or_default().push((*name).to_owned()),
            None => rows.push(row(
                Level::Fail,
                "program",
                format!("{} does not tell its version", desk.show(&beside)),
                "install kz again",
            )),
        }
        if let Some(found) = desk.world.which(name)
            && desk.world.resolve(&found) != desk.world.resolve(&beside)
        {
            let text =
                format!("`{name}` on PATH is {}, not the one in {}", desk.show(&found), desk.show(desk.programs));
            rows.push(row(Level::Warn, "program", text, "remove the older one, or put its folder later in PATH"));
        }
    }
    if versions.len() > 1 {
        let seen: Vec<_> =
            versions.iter().map(|(version, names)| format!("{version} ({})", names.join(", "))).collect();
        rows.push(row(Level::Fail, "program", format!("versions differ: {}", seen.join("; ")), "install kz again"));
    } else if let Some(version) = versions.keys().next() {
        rows.push(row(Level::Ok, "program", format!("version {version} in {}", desk.show(desk.programs)), ""));
    }
    if desk.world.which("kz-run").is_none() {
        let hint = "add the folder to PATH; settings of a project name `kz-run` only";
        rows.push(row(Level::Warn, "program", "`kz-run` is not on PATH", hint));
    }
}

/// The last word of the first line of `--version`.
fn version(program: &Path) -> Option<String> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let word = text.lines().next()?.split_ascii_whitespace().last()?;
    output.status.success().then(|| word.to_owned())
}

fn hooks(desk: &Desk, rows: &mut Vec<Row>) {
    let mut commands: Vec<String> = Vec::new();
    for scope in Scope::ALL {
        let Some(path) = scope.file(desk.world) else { continue };
        let shown = desk.show(&path);
        let text = match Target::read(&path) {
            Ok(target) => target.text,
            Err(why) => {
                rows.push(row(Level::Fail, "hooks", format!("{shown}: {why}"), "the host cannot use it either"));
                continue;
            }
        };
        let Some(text) = text else { continue };
        let root = match settings::scan(&text).and_then(|root| settings::check(&root).map(|()| root)) {
            Ok(root) => root,
            Err(problem) => {
                let (line, column) = problem.place(&text);
                let level =
                    if settings::has_ours(&text) || text.contains("kz-run") { Level::Fail } else { Level::Warn };
                let text = format!("{shown}:{line}:{column}: {}", problem.text);
                rows.push(row(level, "hooks", text, "put this right: until then the host may use nothing of the file"));
                continue;
            }
        };
        if root.get("disableAllHooks").is_some_and(|node| node.kind == settings::Kind::Flag(true)) {
            rows.push(row(Level::Fail, "hooks", format!("{shown} has `disableAllHooks` on"), "take it out"));
        }
        let ours = settings::ours(&root);
        if ours.is_empty() {
            continue;
        }
        let needed = settings::needed(&ours, desk.world);
        let missing: Vec<_> =
            needed.iter().copied().filter(|event| !ours.iter().any(|hook| hook.event == *event)).collect();
        let narrow = ours.iter().find(|hook| !matches!(hook.matcher.as_str(), "" | "*"));
        let again = format!("`kz install --{}`", scope.word());
        if !missing.is_empty() {
            rows.push(row(Level::Warn, "hooks", format!("{shown} lacks {}", missing.join(", ")), again));
        } else if let Some(hook) = narrow {
            let text = format!("{shown}: {} is for `{}` only", hook.event, hook.matcher);
            rows.push(row(Level::Warn, "hooks", text, "make its `matcher` empty"));
        } else {
            rows.push(row(Level::Ok, "hooks", format!("{} events in {shown}", needed.len()), ""));
        }
        for hook in ours {
            if hook.event == "PreToolUse" && !commands.contains(&hook.command) {
                commands.push(hook.command);
            }
        }
    }
    if commands.is_empty() {
        rows.push(row(Level::Fail, "hooks", "no hook before a tool is registered", "`kz install`"));
    }
    if commands.len() > 1 {
        let text =
            format!("different commands are registered, so every call is judged twice: {}", commands.join(" and "));
        rows.push(row(Level::Warn, "hooks", text, "`kz uninstall` one of them"));
    }
    for command in commands {
        let (level, told) = verdict(desk, &command);
        let hint =
            if level == Level::Ok { "" } else { "run the command by hand with a payload on its input to see why" };
        rows.push(row(level, "answer", format!("`{command}`: {told}"), hint));
    }
}

fn configs(desk: &Desk, rows: &mut Vec<Row>) {
    let root = desk.root();
    let own = Own::load(desk.world, root.as_deref());
    let traced = config::trace_with(desk.world, root.as_deref(), &Options::default(), &own);
    let config = &traced.config;
    for (layer, path) in &config.files {
        rows.push(row(Level::Ok, "config", format!("{} layer: {}", layer.word(), desk.show(path)), ""));
    }
    if config.files.is_empty() {
        rows.push(row(Level::Ok, "config", "no file, so the defaults", ""));
    }
    for fault in config.faults.iter().take(MAX_FAULTS) {
        let (text, hint) = fault.text.split_once("\n  hint: ").unwrap_or((&fault.text, ""));
        rows.push(row(Level::Warn, "config", text, hint));
    }
    if config.faults.len() > MAX_FAULTS {
        let text = format!("{} more problems", config.faults.len() - MAX_FAULTS);
        rows.push(row(Level::Warn, "config", text, "`kz config check`"));
    }
    for (check, text) in super::config::summary(&traced, desk) {
        rows.push(row(Level::Ok, check, text, ""));
    }
    let ladder = &config.ladder;
    match ladder::told_tools(ladder, desk.world) {
        None => {}
        Some(Ok(tools)) => {
            let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).take(12).collect();
            let text = format!("`ladder.tools` names {} tools: {}", tools.len(), visible(&names.join(", ")));
            rows.push(row(Level::Ok, "ladder", text, ""));
        }
        Some(Err(why)) => {
            let hint = "until then notes describe tools as kz knows them; see `kz help ladder`";
            rows.push(row(Level::Warn, "ladder", why, hint));
        }
    }
    rules(desk, &own, rows);
}

fn rules(desk: &Desk, own: &Own, rows: &mut Vec<Row>) {
    let told = own.all_faults();
    for fault in &told {
        let (text, hint) = fault.split_once("\n  hint: ").unwrap_or((fault, ""));
        rows.push(row(Level::Warn, "rules", text, hint));
    }
    let wrong: usize = own.rules().map(|(_, rule)| check::examples(rule, own).len()).sum();
    if wrong > 0 {
        let text = format!("{wrong} examples of your rules do not hold");
        rows.push(row(Level::Warn, "rules", text, "`kz rules test` shows them"));
    }
    for file in own.files() {
        let count = own.rules().filter(|(_, rule)| rule.file == file.shown).count();
        rows.push(row(Level::Ok, "rules", format!("{} ({}): {count} rules", file.shown, file.origin.word()), ""));
    }
    if told.is_empty() && own.files().is_empty() {
        let place =
            folder(desk.world, desk.root().as_deref()).map_or_else(|| "your rules".into(), |path| desk.show(&path));
        rows.push(row(Level::Ok, "rules", format!("kz's own only; yours would be in {place}"), ""));
    }
}

/// Problems of config that are told one by one.
const MAX_FAULTS: usize = 20;

fn state(desk: &Desk, rows: &mut Vec<Row>) {
    let root = desk.root();
    let (store, faults) = Store::open(desk.world, root.as_deref());
    for fault in faults {
        let (text, hint) = fault.text.split_once("\n  hint: ").unwrap_or((&fault.text, ""));
        rows.push(row(Level::Warn, "state", text, hint));
    }
    let Some(folder) = store.folder() else {
        rows.push(row(Level::Fail, "state", "no folder, so nothing is remembered between calls", "set `KZ_STATE`"));
        return;
    };
    let shown = desk.show(folder);
    let Some(stat) = desk.world.stat(folder) else {
        rows.push(row(Level::Ok, "state", format!("{shown} is made at the first call"), ""));
        return;
    };
    let probe = folder.join(format!("doctor-{}", std::process::id()));
    let written = desk.world.replace(&probe, b"");
    let _ = desk.world.remove(&probe);
    let (bytes, files) = size(folder);
    let text = format!("{shown}, user {}, mode {:o}, {files} files, {} KiB", stat.uid, stat.mode & 0o777, bytes / 1024);
    match written {
        Ok(()) => rows.push(row(Level::Ok, "state", text, "")),
        Err(error) => {
            rows.push(row(
                Level::Fail,
                "state",
                format!("{text}: cannot be written: {}", error.kind()),
                format!("`chmod 700 {shown}`"),
            ));
        }
    }
    match store.off("", desk.world.clock(), desk.world) {
        Err(fault) => rows.push(row(Level::Warn, "switch", fault.text, "`kz on`")),
        Ok(Some(why)) => rows.push(row(Level::Warn, "switch", format!("kz is off {why}"), "`kz on`")),
        Ok(None) => rows.push(row(Level::Ok, "switch", "kz is on", "")),
    }
}

/// Bytes and number of files below a folder; bounded.
fn size(folder: &Path) -> (u64, usize) {
    let mut bytes = 0;
    let mut files = 0;
    let mut todo: Vec<PathBuf> = vec![folder.to_path_buf()];
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            if meta.is_dir() {
                todo.push(entry.path());
            } else {
                bytes += meta.len();
                files += 1;
            }
            if files > 100_000 {
                return (bytes, files);
            }
        }
    }
    (bytes, files)
}
