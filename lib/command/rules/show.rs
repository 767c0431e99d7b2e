//! `kz rules show ID`

use super::{Desk, Exit, Known};
use crate::rules::describe;
use crate::text::nearest;
use std::io;

/// `kz rules show`
#[derive(clap::Args, Debug, Default)]
pub struct Show {
    /// The rule: `git/force-push`.
    pub id: String,
}

/// Shows.
///
/// # Errors
/// If the answer cannot be written.
pub fn run(args: &Show, desk: &mut Desk) -> io::Result<Exit> {
    let known = Known::of(desk);
    let Some((origin, rule)) = known.rules().find(|(_, rule)| rule.id == args.id) else {
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
