//! `kz uninstall`: the settings file as it was before `kz install`.

use super::install::{At, diff};
use super::settings::{self, Target, Wanted};
use super::{Desk, Exit};
use std::io;

/// Take kz out of the coding agent's settings.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Uninstall {
    /// Whose settings.
    #[command(flatten)]
    pub at: At,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// What is left.
enum Left {
    /// Nothing: the file was ours.
    Nothing,
    /// This text; whether it is the backup's.
    Text(String, bool),
}

/// Runs it.
///
/// # Errors
/// If the answer cannot be written.
pub fn run(args: &Uninstall, desk: &mut Desk) -> io::Result<Exit> {
    let Some(path) = args.at.scope().file(desk.world) else {
        return desk.fail("there is no home folder, so no settings file", "set `HOME`, or use `--project`");
    };
    let shown = desk.show(&path);
    let target = match Target::read(&path) {
        Ok(target) => target,
        Err(why) => return desk.fail(&format!("{shown}: {why}"), "nothing was written"),
    };
    let Some(old) = target.text.clone() else {
        writeln!(desk.out, "not installed: there is no {shown}")?;
        return Ok(Exit::Done);
    };
    let left = match left(&target, &old) {
        Ok(left) => left,
        Err(problem) => {
            let (line, column) = problem.place(&old);
            return desk.fail(
                &format!("{shown}:{line}:{column}: {}", problem.text),
                "nothing was written; put this right first",
            );
        }
    };
    if matches!(&left, Left::Text(new, _) if *new == old) {
        writeln!(desk.out, "not installed in {shown}")?;
        return Ok(Exit::Done);
    }
    if args.dry_run {
        let new = match &left {
            Left::Nothing => "",
            Left::Text(new, _) => new,
        };
        diff(desk, &shown, &old, new)?;
        return Ok(Exit::Done);
    }
    if !desk.person_wants("uninstall", &format!("Take kz out of {shown}, so that it guards nothing there?"))? {
        return Ok(Exit::Failed);
    }
    let done = match &left {
        Left::Nothing => target.delete(),
        Left::Text(new, _) => target.write(new),
    };
    if let Err(error) = done {
        return desk.fail(&format!("{shown}: cannot be written: {error}"), "nothing was changed in it");
    }
    match left {
        Left::Nothing => writeln!(desk.out, "removed {shown}, which held nothing else")?,
        Left::Text(_, true) => {
            // It says nothing more that the file itself does not say.
            let _ = std::fs::remove_file(target.backup());
            writeln!(desk.out, "{shown} is as it was before")?;
        }
        Left::Text(_, false) => {
            writeln!(desk.out, "kz is out of {shown}")?;
            if target.backup().exists() {
                writeln!(desk.out, "it changed since; the file before kz is still in {}", desk.show(&target.backup()))?;
            }
        }
    }
    Ok(Exit::Done)
}

fn left(target: &Target, old: &str) -> Result<Left, settings::Problem> {
    let before = target.before();
    let hooks = settings::ours(&settings::scan(old)?);
    if hooks.is_empty() {
        return Ok(Left::Text(old.to_owned(), false));
    }
    // If installing into the old text gives this one, nobody else wrote since.
    let command = hooks.first().map(|hook| hook.command.clone()).unwrap_or_default();
    let closed = hooks.iter().any(|hook| hook.fail_closed);
    let unchanged = |text: &str| settings::add(text, &Wanted::all(&command, closed)).is_ok_and(|new| new == old);
    if let Some(before) = before.as_deref().filter(|before| unchanged(before)) {
        return Ok(Left::Text(before.to_owned(), true));
    }
    let new = settings::remove(old, before.as_deref())?;
    let nothing = settings::scan(&new)?.members().is_some_and(<[settings::Member]>::is_empty);
    Ok(if nothing && !target.backup().exists() { Left::Nothing } else { Left::Text(new, false) })
}
