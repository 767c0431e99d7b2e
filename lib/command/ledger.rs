//! `kz ledger`: what was counted, noted, asked and denied, over all sessions.
//!
//! Reads `ledger.jsonl` of the state folder and the older files beside it, the oldest first; with
//! `--lines` the ladder's own lines instead (seed 001, section 6).

use super::switch::milliseconds;
use super::{Desk, Exit};
use crate::config::{self, Options};
use crate::state::{KEPT, Store, coach_file};
use crate::text::{rfc3339, visible};
use crate::world::older;
use clap::{Args, ValueEnum};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// `kz ledger`
#[derive(Args, Debug, Default)]
pub struct Ledger {
    /// Only what has this text in it.
    pub text: Option<String>,
    /// How many of the last rows; 0 for all.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub last: usize,
    /// Only rows of this kind: offense, note, denied, escalated, heed, deny, ask, allow_once.
    #[arg(long)]
    pub kind: Option<String>,
    /// Only rows of this tool.
    #[arg(long)]
    pub tool: Option<String>,
    /// Only rows of this class.
    #[arg(long)]
    pub class: Option<String>,
    /// Only rows of this rule, or of a whole pack (`git/`).
    #[arg(long)]
    pub rule: Option<String>,
    /// Only rows of this session.
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Only rows of the last `30m`, `2h`, `1d`.
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Count the rows by a field instead.
    #[arg(long, value_name = "FIELD", value_enum, conflicts_with = "lines")]
    pub count: Option<Field>,
    /// Print the rows as they are stored.
    #[arg(long, conflicts_with_all = ["count", "lines"])]
    pub json: bool,
    /// Print the ladder's own lines instead of rows.
    #[arg(long, conflicts_with_all = ["kind", "tool", "class", "rule", "session", "since"])]
    pub lines: bool,
}

/// A field by which rows are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Field {
    /// What happened.
    Kind,
    /// The tool of the call.
    Tool,
    /// The class of the offense.
    Class,
    /// The rule.
    Rule,
    /// The tool that was offered.
    Offer,
    /// The session.
    Session,
    /// Whether the offered tool was used (rows of the kind `heed`).
    Used,
}

/// What is read of one file.
const READ: u64 = 64 << 20;

/// Runs the verb.
///
/// # Errors
/// If the answer cannot be written.
pub fn run(args: &Ledger, desk: &mut Desk) -> io::Result<Exit> {
    let since = match args.since.as_deref().map(milliseconds) {
        None => i64::MIN,
        Some(Some(span)) => desk.world.now().saturating_sub(span),
        Some(None) => {
            let span = args.since.as_deref().unwrap_or_default();
            return desk.fail(&format!("`{span}` is no time"), "write `--since 30m`, `2h` or `1d`, up to 30 days");
        }
    };
    let root = desk.root();
    let (store, faults) = Store::open(desk.world, root.as_deref());
    let Some(folder) = store.folder() else {
        let why = faults.into_iter().next().map_or("there is no state folder".into(), |fault| fault.text);
        return desk.fail(&why, "");
    };
    let path = if args.lines {
        let config = config::load(desk.world, root.as_deref(), &Options::default());
        match coach_file(&config, Some(folder), desk.world) {
            Ok(path) => path.unwrap_or_else(|| folder.join("tool-coach.log")),
            Err(fault) => return desk.fail(&fault.text, ""),
        }
    } else {
        folder.join("ledger.jsonl")
    };
    let all = match lines(&path, desk) {
        Ok(all) => all,
        Err(error) => return desk.fail(&format!("cannot read {}: {error}", desk.show(&path)), ""),
    };
    let has = |line: &&str| args.text.as_deref().is_none_or(|text| line.contains(text));
    let kept = all.lines().filter(|line| !line.is_empty()).filter(has);
    if args.lines {
        let kept: Vec<&str> = kept.collect();
        for line in tail(&kept, args.last) {
            writeln!(desk.out, "{}", visible(line))?;
        }
        return Ok(Exit::Done);
    }
    let mut broken = 0_usize;
    let mut rows = Vec::new();
    for line in kept {
        match serde_json::from_str::<Value>(line) {
            Ok(row) if args.wants(&row, since) => rows.push((line, row)),
            Ok(_) => {}
            Err(_) => broken += 1,
        }
    }
    if broken > 0 {
        writeln!(desk.err, "kz: {broken} lines of {} are no rows and were left out", desk.show(&path))?;
    }
    match args.count {
        Some(field) => count(field, &rows, desk)?,
        None => {
            for (line, row) in tail(&rows, args.last) {
                let text = if args.json { (*line).to_owned() } else { shown(row) };
                writeln!(desk.out, "{}", visible(&text))?;
            }
        }
    }
    Ok(Exit::Done)
}

/// The text of all files of a log, the oldest first.
fn lines(path: &Path, desk: &Desk) -> io::Result<String> {
    let mut all = String::new();
    let files = (1..=KEPT).rev().map(|number| older(path, number)).chain([path.to_owned()]);
    for file in files {
        match desk.world.read_end(&file, 0, READ) {
            Ok((start, bytes)) => {
                let text = String::from_utf8_lossy(&bytes);
                // What was cut off is no line.
                let whole = if start > 0 { text.split_once('\n').map_or("", |(_, rest)| rest) } else { &text };
                all.push_str(whole);
                if !all.is_empty() && !all.ends_with('\n') {
                    all.push('\n');
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}

fn tail<T>(rows: &[T], last: usize) -> &[T] {
    let from = if last == 0 { 0 } else { rows.len().saturating_sub(last) };
    rows.get(from..).unwrap_or_default()
}

fn text<'r>(row: &'r Value, key: &str) -> &'r str {
    row.get(key).and_then(Value::as_str).unwrap_or_default()
}

impl Ledger {
    fn wants(&self, row: &Value, since: i64) -> bool {
        let is = |key: &str, wanted: &Option<String>| wanted.as_deref().is_none_or(|wanted| text(row, key) == wanted);
        let rule = self.rule.as_deref().is_none_or(|wanted| {
            let rule = text(row, "rule");
            rule == wanted || wanted.ends_with('/') && rule.starts_with(wanted)
        });
        let tool = self.tool.as_deref().is_none_or(|wanted| {
            let canonical = crate::call::canonical_tool;
            canonical(text(row, "tool")) == canonical(wanted)
        });
        let at = row.get("at").and_then(Value::as_i64).unwrap_or_default();
        is("kind", &self.kind)
            && is("class", &self.class)
            && is("session", &self.session)
            && rule
            && tool
            && at >= since
    }
}

/// A row for people.
fn shown(row: &Value) -> String {
    let at = row.get("at").and_then(Value::as_i64).unwrap_or_default();
    let mut out = format!("{}  {:<10}", rfc3339(at), text(row, "kind"));
    for key in ["tool", "class", "rule"] {
        if !text(row, key).is_empty() {
            out.push_str(&format!(" {}", text(row, key)));
        }
    }
    if !text(row, "offer").is_empty() {
        out.push_str(&format!(" -> {}", text(row, "offer")));
    }
    if let Some(used) = row.get("used").and_then(Value::as_bool) {
        let calls = row.get("calls").and_then(Value::as_u64).unwrap_or_default();
        let word = if used { "used" } else { "not used" };
        out.push_str(&format!(" {word} within {calls} {}", if calls == 1 { "call" } else { "calls" }));
    }
    out
}

fn count(field: Field, rows: &[(&str, Value)], desk: &mut Desk) -> io::Result<()> {
    let key = match field {
        Field::Kind => "kind",
        Field::Tool => "tool",
        Field::Class => "class",
        Field::Rule => "rule",
        Field::Offer => "offer",
        Field::Session => "session",
        Field::Used => "used",
    };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, row) in rows {
        let name = match row.get(key) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Bool(used)) => if *used { "used" } else { "not used" }.to_owned(),
            _ => continue,
        };
        *counts.entry(name).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (name, count) in &counts {
        writeln!(desk.out, "{count:>7}  {}", visible(name))?;
    }
    let total: usize = counts.iter().map(|(_, count)| count).sum();
    writeln!(desk.out, "{total:>7}  in all")
}
