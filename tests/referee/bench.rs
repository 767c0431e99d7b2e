//! How fast the reader is, and that no text makes it slow.

use std::hint::black_box;
use std::time::{Duration, Instant};

use kibitzer::shell;
use kibitzer::shell::ast::Script;
use kibitzer::shell::parse::parse_into;

use super::Row;
use super::shapes::{SHAPES, shape};

/// The most that parsing may take of the time JSON takes.
const PARSE_RATIO: f64 = 0.5;
/// The most that the whole reading may take of it.
const RATIO: f64 = 1.0;
/// The most a text of twice the size may take.
const GROWTH: f64 = 2.6;
const ROUNDS: usize = 61;
const STACK: usize = 256 * 1024;
/// The sizes of hostile texts, as powers of two: four doublings up to 1 MiB.
const SIZES: std::ops::RangeInclusive<u32> = 16..=20;

/// Everything that is read of a command: tree, parts and paths.
pub fn read(text: &str, script: &mut Script) {
    parse_into(black_box(text), script);
    for part in &shell::flatten(text, script).parts {
        black_box(shell::touched(part));
    }
}

pub fn run(files: &[String], rows: &[Row]) -> Result<bool, String> {
    let mut text = String::new();
    for file in files {
        text.push_str(&std::fs::read_to_string(file).map_err(|e| format!("cannot read `{file}`: {e}"))?);
    }
    // All get their texts ready to read, and all give back what they made.
    let lines: Vec<&str> = text.lines().collect();
    let mut script = Script::default();
    let (mut parsed, mut whole, mut json) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let values = time(|| {
            for line in &lines {
                black_box(serde_json::from_str::<serde_json::Value>(black_box(line)).ok());
            }
        });
        let tree = time(|| {
            for row in rows {
                parse_into(black_box(&row.command), &mut script);
                black_box(&script);
            }
        });
        let all = time(|| rows.iter().for_each(|row| read(&row.command, &mut script)));
        json.push(values.as_secs_f64());
        parsed.push(tree.as_secs_f64() / values.as_secs_f64());
        whole.push(all.as_secs_f64() / values.as_secs_f64());
    }
    let bytes: usize = rows.iter().map(|row| row.command.len()).sum();
    let (parsed, whole, json) = (median(&mut parsed), median(&mut whole), median(&mut json));
    println!("speed: {bytes} bytes of commands, JSON of {} bytes in {:.2} ms", text.len(), json * 1e3);
    println!("  parse alone    {parsed:.3} of the time of JSON, at most {PARSE_RATIO}");
    println!("  whole reading  {whole:.3} of the time of JSON, at most {RATIO}");
    let grows = hostile()?;
    Ok(parsed <= PARSE_RATIO && whole <= RATIO && grows)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Reads all shapes on a small stack; whether none of them grows faster than its text.
pub fn hostile() -> Result<bool, String> {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(grows);
    thread.map_err(|e| format!("cannot start a thread: {e}"))?.join().map_err(|_| "reading a shape panicked".to_owned())
}

fn grows() -> bool {
    let mut script = Script::default();
    let mut good = true;
    println!(
        "hostile: {} shapes to 1 MiB in {} KiB of stack; ms, and growth with each doubling",
        SHAPES.len(),
        STACK / 1024
    );
    for sizes in SHAPES {
        let texts: Vec<String> = SIZES.map(|power| shape(sizes, 1 << power)).collect();
        let mut times: Vec<Duration> = texts.iter().map(|text| measure(text, &mut script)).collect();
        // What is not linear grows at every step, so one that fell out of a cache may.
        for _ in 0..8 {
            if growth(&times) <= GROWTH {
                break;
            }
            for (time, text) in times.iter_mut().zip(&texts) {
                *time = (*time).min(measure(text, &mut script));
            }
        }
        let steps: Vec<String> = times.windows(2).map(|pair| format!("{:4.1}", ratio(pair))).collect();
        let last = times.last().copied().unwrap_or_default().as_secs_f64() * 1e3;
        let mark = if growth(&times) > GROWTH { "  GROWS" } else { "" };
        good &= mark.is_empty();
        let name: String = format!("{:?}", sizes.0.to_owned() + sizes.1).chars().take(34).collect();
        println!("  {name:34} {last:8.2}  {}{mark}", steps.join(" "));
    }
    good
}

fn ratio(pair: &[Duration]) -> f64 {
    match pair {
        [small, large] => large.as_secs_f64() / small.as_secs_f64().max(1e-5),
        _ => 1.0,
    }
}

/// The mean growth of one doubling.
fn growth(times: &[Duration]) -> f64 {
    match times {
        [first, .., last] => ratio(&[*first, *last]).powf(1.0 / (times.len() - 1) as f64),
        _ => 1.0,
    }
}

fn measure(text: &str, script: &mut Script) -> Duration {
    (0..3).map(|_| time(|| read(text, script))).min().unwrap_or_default()
}
