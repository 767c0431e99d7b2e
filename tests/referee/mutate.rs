//! Texts that nobody would write: no panic, no hang, little stack.

use std::time::{Duration, Instant};

use kibitzer::shell::ast::Script;

use super::random::Random;
use super::signs::SIGNS;
use super::{Row, bench};

const SLOW: Duration = Duration::from_millis(50);
const STACK: usize = 256 * 1024;

pub fn run(rows: &[Row], count: u64) -> Result<bool, String> {
    let commands: Vec<&str> = rows.iter().map(|row| row.command.as_str()).collect();
    let mut found = 0;
    let mut slowest = Duration::ZERO;
    std::thread::scope(|scope| {
        let work = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || {
            let mut random = Random::new(1);
            let mut script = Script::default();
            for n in 0..count {
                let text = mutant(&mut random, &commands);
                let (panicked, mut time) = measure(&text, &mut script);
                if time > SLOW {
                    // The machine may have been busy.
                    for _ in 0..3 {
                        time = time.min(measure(&text, &mut script).1);
                    }
                }
                slowest = slowest.max(time);
                if panicked || time > SLOW {
                    found += 1;
                    let what = if panicked { "panic" } else { "slow" };
                    println!("  {what} after {time:?}, mutant {n}: {text:?}");
                }
            }
        });
        match work {
            Ok(handle) => handle.join().map_err(|_| "the thread panicked".to_owned()),
            Err(e) => Err(format!("cannot start a thread: {e}")),
        }
    })?;
    println!("mutants: {count}, {found} panicked or were slow, slowest {slowest:?}");
    Ok(found == 0)
}

fn measure(text: &str, script: &mut Script) -> (bool, Duration) {
    let start = Instant::now();
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        bench::read(text, script);
    }));
    (result.is_err(), start.elapsed())
}

/// A row with a few changes.
pub fn mutant(random: &mut Random, commands: &[&str]) -> String {
    let row = |random: &mut Random| commands.get(random.below(commands.len())).copied().unwrap_or("");
    let mut text = row(random).to_owned();
    for _ in 0..=random.below(6) {
        let (from, to) = part(random, &text);
        match random.below(8) {
            0 => text.replace_range(from..to, ""),
            1 => {
                let copy = text.get(from..to).unwrap_or_default().to_owned();
                text.insert_str(from, &copy);
            }
            2 => {
                let other = row(random);
                let (a, b) = part(random, other);
                text.insert_str(from, other.get(a..b).unwrap_or_default());
            }
            3 => text.truncate(to),
            4 => {
                let sign = SIGNS.get(random.below(SIGNS.len())).copied().unwrap_or("");
                let times = 1 << random.below(8);
                text.insert_str(from, &sign.repeat(times));
            }
            _ => {
                let sign = SIGNS.get(random.below(SIGNS.len())).copied().unwrap_or("");
                text.insert_str(from, sign);
            }
        }
    }
    text
}

/// A short stretch of `text` between characters.
fn part(random: &mut Random, text: &str) -> (usize, usize) {
    let from = boundary(text, random.below(text.len() + 1));
    let length = if random.below(4) == 0 { text.len() } else { 12 };
    let to = boundary(text, (from + random.below(length + 1)).min(text.len()));
    (from, to.max(from))
}

fn boundary(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}
