//! Which commands are valid.

use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use kibitzer::shell::ast::Stop;
use kibitzer::shell::parse::parse;

use super::Row;

/// What bash says to a command.
#[derive(Clone, Copy, PartialEq)]
enum Verdict {
    Accepts,
    /// It complains, or gives up without a word, and still ends with 0.
    Complains,
    Rejects,
}

struct Miss {
    row: usize,
    rejected: bool,
    why: String,
}

/// Whether bash accepts exactly the commands that we accept.
pub fn run(rows: &[Row]) -> Result<bool, String> {
    Ok(misses(rows, true)? == 0)
}

/// On how many commands bash does not agree; prints them. `bounds`: one that meets a bound counts.
pub fn misses(rows: &[Row], bounds: bool) -> Result<usize, String> {
    ask("true", false)?;
    let next = AtomicUsize::new(0);
    let misses = Mutex::new(Vec::new());
    let invalid = AtomicUsize::new(0);
    let failure = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(row) = rows.get(at) else { return };
                    match judge(at, &row.command, bounds, &invalid) {
                        Ok(None) => {}
                        Ok(Some(miss)) => {
                            if let Ok(mut misses) = misses.lock() {
                                misses.push(miss);
                            }
                        }
                        Err(message) => {
                            if let Ok(mut failure) = failure.lock() {
                                *failure = Some(message);
                            }
                            return;
                        }
                    }
                }
            });
        }
    });
    if let Some(message) = failure.into_inner().unwrap_or_default() {
        return Err(message);
    }
    let mut misses = misses.into_inner().unwrap_or_default();
    misses.sort_by_key(|miss| miss.row);
    let rejected = misses.iter().filter(|miss| miss.rejected).count();
    println!(
        "acceptance: {} commands ({} invalid), {rejected} false rejections, {} false acceptances",
        rows.len(),
        invalid.into_inner(),
        misses.len() - rejected
    );
    for kind in [true, false] {
        for miss in misses.iter().filter(|miss| miss.rejected == kind).take(20) {
            let Some(row) = rows.get(miss.row) else {
                continue;
            };
            let what = if kind { "rejected" } else { "accepted" };
            println!("  {what} {}: {:?}\n    {}", row.place, row.command, miss.why);
        }
    }
    Ok(misses.len())
}

fn judge(row: usize, command: &str, bounds: bool, invalid: &AtomicUsize) -> Result<Option<Miss>, String> {
    let (verdict, complaint) = ask(command, false)?;
    if verdict == Verdict::Rejects {
        invalid.fetch_add(1, Ordering::Relaxed);
    }
    let script = parse(command);
    if let Some(error) = script.error {
        let bound = matches!(error.stop, Stop::Bound(_));
        let accepts = verdict == Verdict::Accepts && !gives_up(command)?;
        let wrong = if bound { bounds } else { accepts };
        let why = format!("{} at {}..{}", error.message, error.at.start, error.at.end);
        return Ok(wrong.then_some(Miss { row, rejected: true, why }));
    }
    let wrong = verdict == Verdict::Rejects && ask(command, true)?.0 == Verdict::Rejects;
    Ok(wrong.then_some(Miss { row, rejected: false, why: complaint }))
}

/// Whether bash stops in the middle and says nothing, as it does in `[[ a && ]]`: then it does not
/// mind a bracket on the next line either.
fn gives_up(command: &str) -> Result<bool, String> {
    Ok(ask(&format!("{command}\n)"), false)?.0 == Verdict::Accepts)
}

fn ask(command: &str, extglob: bool) -> Result<(Verdict, String), String> {
    let mut bash = Command::new("bash");
    bash.env_remove("BASH_ENV").env("LC_ALL", "C.UTF-8");
    if extglob {
        bash.args(["-O", "extglob"]);
    }
    // A command may begin with a dash.
    bash.args(["-n", "-c", "--", command]);
    let output = bash
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(|e| format!("cannot run `bash`: {e}"))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let verdict = if !output.status.success() {
        Verdict::Rejects
    } else if text.lines().any(|line| !line.contains("warning:")) && !text.is_empty() {
        Verdict::Complains
    } else {
        Verdict::Accepts
    };
    Ok((verdict, text.lines().take(2).collect::<Vec<_>>().join(" / ")))
}
