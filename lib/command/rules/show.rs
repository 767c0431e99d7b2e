//! `kz rules show ID`

use super::{Desk, Exit, Known};
use crate::rules::describe;
use crate::stage::guard::coordinator;
use crate::text::nearest;
use std::io;

/// `kz rules show`
#[derive(clap::Args, Debug, Default)]
pub struct Show {
    /// The rule: `git/force-push`.
    pub id: String,
}

/// What stands behind the id of a vote that no rule casts.
fn without_rule(id: &str) -> Option<&'static str> {
    Some(match id {
        "shell/opaque" => "a part of the command cannot be read; `guard.opaque` says what follows",
        "shell/opaque-danger" => "a part cannot be read, and a dangerous word stands beside it; `guard.rules` sets it",
        "shell/bound" | "payload/bound" => "beyond what is read of one call; `guard.bounds` says what follows",
        id if coordinator::RULES.contains(&id) => "cast by the coordinator; see `kz help coordinator`",
        id if id.starts_with("mode/") => "the mode does not let this be written; see `kz mode`, `kz help config`",
        "ladder/write" | "ladder/read" | "ladder/search" => {
            "a habit that `ladder.enforce` denies; see `kz help ladder`"
        }
        id if id.starts_with("fault/") => "kz itself could not check the call; see `kz doctor`",
        _ => return None,
    })
}

/// Shows.
///
/// # Errors
/// If the answer cannot be written.
pub fn run(args: &Show, desk: &mut Desk) -> io::Result<Exit> {
    let known = Known::of(desk);
    let Some((origin, rule)) = known.rules().find(|(_, rule)| rule.id == args.id) else {
        if let Some(about) = without_rule(&args.id) {
            writeln!(desk.out, "{}  {about}", args.id)?;
            return Ok(Exit::Done);
        }
        known.complain(desk)?;
        let near = nearest(&args.id, known.rules().map(|(_, rule)| rule.id));
        let hint = format!("did you mean `kz rules show {near}`? `kz rules list` names them all");
        return desk.fail(&format!("there is no rule `{}`", args.id), &hint);
    };
    writeln!(desk.out, "{}  ({origin}, {})\n", rule.id, rule.place())?;
    for line in describe::source(rule, &known.own).lines() {
        writeln!(desk.out, "  {line}")?;
    }
    writeln!(desk.out, "\nin words")?;
    for line in describe::words(rule) {
        writeln!(desk.out, "  {line}")?;
    }
    match known.verdict(origin, rule) {
        ("", _) => writeln!(desk.out, "\nclass {}: it casts no vote", rule.class.word())?,
        (word, by) => writeln!(desk.out, "\nverdict {word}, severity {}, set by {by}", rule.severity.word())?,
    }
    Ok(Exit::Done)
}
