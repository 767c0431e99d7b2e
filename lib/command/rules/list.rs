//! `kz rules list`

use super::{Desk, Exit, Known};
use crate::rules::{Class, Rule};
use crate::text::nearest;
use serde::Serialize;
use std::io;

/// `kz rules list`
#[derive(clap::Args, Debug, Default)]
pub struct List {
    /// Only rules of this pack.
    #[arg(long, value_name = "PACK")]
    pub pack: Option<String>,
    /// Only rules of this class.
    #[arg(long, value_name = "CLASS")]
    pub class: Option<String>,
    /// Print the rows as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize)]
struct Row {
    id: &'static str,
    pack: &'static str,
    class: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    verdict: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    set_by: String,
    origin: &'static str,
    place: String,
    reason: &'static str,
}

fn pack(rule: &Rule) -> &'static str {
    rule.id.split('/').next().unwrap_or_default()
}

/// Lists.
///
/// # Errors
/// If the answer cannot be written.
pub fn run(args: &List, desk: &mut Desk) -> io::Result<Exit> {
    let known = Known::of(desk);
    if let Some(class) = args.class.as_deref().filter(|class| Class::of(class).is_none()) {
        let near = nearest(class, Class::WORDS.iter().map(|(word, _)| *word));
        return desk.fail(
            &format!("there is no class `{class}`"),
            &format!("did you mean `{near}`? `kz help rules` lists them"),
        );
    }
    if let Some(wanted) = args.pack.as_deref().filter(|wanted| !known.rules().any(|(_, rule)| pack(rule) == *wanted)) {
        let near = nearest(wanted, known.rules().map(|(_, rule)| pack(rule)));
        return desk.fail(&format!("there is no pack `{wanted}`"), &format!("did you mean `{near}`?"));
    }
    let rows: Vec<Row> = known
        .rules()
        .filter(|(_, rule)| args.pack.as_deref().is_none_or(|wanted| pack(rule) == wanted))
        .filter(|(_, rule)| args.class.as_deref().is_none_or(|wanted| rule.class.word() == wanted))
        .map(|(origin, rule)| {
            let (verdict, set_by) = known.verdict(origin, rule);
            let (id, class, reason) = (rule.id, rule.class.word(), rule.reason);
            Row { id, pack: pack(rule), class, verdict, set_by, origin, place: rule.place(), reason }
        })
        .collect();
    if args.json {
        writeln!(desk.out, "{}", serde_json::to_string_pretty(&rows)?)?;
    } else {
        lines(&rows, desk)?;
    }
    known.complain(desk)?;
    Ok(Exit::Done)
}

fn lines(rows: &[Row], desk: &mut Desk) -> io::Result<()> {
    let width = rows.iter().map(|row| row.id.len()).max().unwrap_or_default();
    let mut last = "";
    for row in rows {
        let file = row.place.rsplit_once(':').map_or("", |(file, _)| file);
        if file != last {
            let gap = if last.is_empty() { "" } else { "\n" };
            writeln!(desk.out, "{gap}{} ({}, {file})", row.pack, row.origin)?;
            last = file;
        }
        let by = if row.set_by.is_empty() || row.set_by == row.origin {
            String::new()
        } else {
            format!("  set by {}", row.set_by)
        };
        let line = format!("  {:<width$}  {:<11} {:<5}{by}", row.id, row.class, row.verdict);
        writeln!(desk.out, "{}", line.trim_end())?;
    }
    Ok(())
}
