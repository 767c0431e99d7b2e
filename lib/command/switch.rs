//! `kz off` and `kz on`: the person's kill switch.

use super::{Desk, Exit};
use crate::state::Store;
use crate::text::rfc3339;
use std::io;

/// Switch kz off; every prompt says so until it is on again.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Off {
    /// For one session only.
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// For a time: `30m`, `2h`, `1d`.
    #[arg(long = "for", value_name = "TIME")]
    pub span: Option<String>,
}

/// Switch kz on again.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct On {}

/// Runs `kz off`.
///
/// # Errors
/// If the answer cannot be written.
pub fn off(args: &Off, desk: &mut Desk) -> io::Result<Exit> {
    let until = match args.span.as_deref().map(milliseconds) {
        None => None,
        Some(Some(span)) => Some(desk.world.clock().saturating_add(span)),
        Some(None) => {
            let span = args.span.as_deref().unwrap_or_default();
            return desk.fail(&format!("`{span}` is no time"), "write `--for 30m`, `2h` or `1d`, up to 30 days");
        }
    };
    let root = desk.root();
    let (store, faults) = Store::open(desk.world, root.as_deref());
    for fault in &faults {
        writeln!(desk.err, "kz: {}", fault.text)?;
    }
    let whom = match &args.session {
        Some(id) => format!("session {id}"),
        None => "all sessions".to_owned(),
    };
    let until_when = until.map_or_else(|| "until `kz on`".to_owned(), |until| format!("until {}", rfc3339(until)));
    if !desk.person_wants("off", &format!("Switch kz off for {whom}, {until_when}?"))? {
        return Ok(Exit::Failed);
    }
    if let Some(folder) = store.folder() {
        // Refused at the write below if it cannot be made.
        let _ = desk.world.make_folder(folder);
    }
    match store.set_off(args.session.as_deref(), until, desk.world) {
        Ok(()) => {
            writeln!(desk.out, "kz is off for {whom}, {until_when}")?;
            Ok(Exit::Done)
        }
        Err(fault) => desk.fail(&fault.text, ""),
    }
}

/// Runs `kz on`. Anyone may: it only tightens.
///
/// # Errors
/// If the answer cannot be written.
pub fn on(_: &On, desk: &mut Desk) -> io::Result<Exit> {
    let root = desk.root();
    let (store, _) = Store::open(desk.world, root.as_deref());
    match store.set_on(desk.world) {
        Ok(()) => {
            writeln!(desk.out, "kz is on")?;
            Ok(Exit::Done)
        }
        Err(fault) => desk.fail(&fault.text, ""),
    }
}

/// A span of time such as `30m`, in milliseconds; at most 30 days.
pub(super) fn milliseconds(span: &str) -> Option<i64> {
    let unit = span.chars().last()?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 60 * 60,
        'd' => 24 * 60 * 60,
        _ => return None,
    };
    let number: i64 = span.strip_suffix(unit)?.parse().ok()?;
    let span = number.checked_mul(seconds)?.checked_mul(1000)?;
    (1..=30 * 24 * 60 * 60 * 1000).contains(&span).then_some(span)
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn spans_of_time() {
        assert_eq!(milliseconds("30m"), Some(1_800_000));
        assert_eq!(milliseconds("2h"), Some(7_200_000));
        for span in ["", "m", "0m", "-1h", "31d", "9999999999999999d", "30", "1é", "1 h"] {
            assert_eq!(milliseconds(span), None, "{span}");
        }
    }
}
