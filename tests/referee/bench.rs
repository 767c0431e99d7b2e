//! How fast the reader is, and that no text makes it slow.

use std::hint::black_box;
use std::time::{Duration, Instant};

use kibitzer::shell::ast::Script;
use kibitzer::shell::parse::parse_into;

use super::Row;

/// The most the reader may take of the time JSON takes.
const RATIO: f64 = 0.5;
/// The most a text of twice the size may take.
const GROWTH: f64 = 2.6;

pub fn run(files: &[String], rows: &[Row]) -> Result<bool, String> {
    let mut text = String::new();
    for file in files {
        text.push_str(&std::fs::read_to_string(file).map_err(|e| format!("cannot read `{file}`: {e}"))?);
    }
    // Both sides get their texts ready to read, and both give back what they made.
    let lines: Vec<&str> = text.lines().collect();
    let mut script = Script::default();
    let mut json = Duration::MAX;
    let mut ours = Duration::MAX;
    for _ in 0..60 {
        json = json.min(time(|| {
            for line in &lines {
                black_box(serde_json::from_str::<serde_json::Value>(black_box(line)).ok());
            }
        }));
        ours = ours.min(time(|| {
            for row in rows {
                parse_into(black_box(&row.command), &mut script);
                black_box(&script);
            }
        }));
    }
    let bytes: usize = rows.iter().map(|row| row.command.len()).sum();
    let ratio = ours.as_secs_f64() / json.as_secs_f64();
    println!(
        "speed: {} bytes of commands in {ours:?} ({:.0} MB/s), JSON of {} bytes in {json:?}: ratio {ratio:.3}",
        bytes,
        bytes as f64 / ours.as_secs_f64() / 1e6,
        text.len(),
    );
    let grows = hostile(&mut script);
    Ok(ratio <= RATIO && grows)
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// A part before, one that is repeated, and a part after.
const SHAPES: &[(&str, &str, &str)] = &[
    ("", "(", ""),
    ("", "{ ", ""),
    ("", "$((", ""),
    ("", "((", ""),
    ("", "$(", ""),
    ("", "${x:-", ""),
    ("", "`", ""),
    ("", "\\`", ""),
    ("", "\"", ""),
    ("", "'", ""),
    ("", "\"$(a) ", ""),
    ("cat ", "<<E ", "\n"),
    ("", "cat <<E\n", ""),
    ("", "cat <<E\nx\nE\n", ""),
    ("echo ", "{a,b}", ""),
    ("echo ", "{", ""),
    ("echo ", "a", ""),
    ("", "a;", ""),
    ("", "case a in (", ""),
    ("case a in ", "b) c;; ", "esac"),
    ("", "if a; then ", ""),
    ("", "a() ", ""),
    ("", "[[ ( ", ""),
    ("echo ", "[", ""),
    ("echo ", "['a'", "]"),
    ("a=", "(", ""),
    ("", "a[", ""),
    ("echo ", "@(", ""),
    ("", "${ a; ", ""),
    ("", "a\\\n", ""),
    ("echo ", "$((a) ", ""),
    ("echo \"", "${x#'", "\""),
    ("echo \"", "${x:-'", "\""),
    ("cat <<-E\n", "\t$(a)\n", "E\n"),
    ("cat <<E\n", "$(a\n", "E\n"),
    ("cat <<E\n", "E\\\n", "E\n"),
    ("echo ", "$((1)) ", ""),
    ("", "((1));", ""),
    ("", "a | ", "b"),
    ("", "! ", "b"),
    ("", "coproc ", "b"),
    ("", "a=~:", ""),
    ("[[ a =~ ", "(a)|", " ]]"),
    ("echo ", "$'\\x", "'"),
    ("echo ", "${x/", ""),
    ("echo `", "\\\\\\`", "`"),
    ("f ", "<(", ""),
    ("x", "#", ""),
];

fn hostile(script: &mut Script) -> bool {
    let mut good = true;
    let mut worst = (0.0, "");
    for &(before, repeated, after) in SHAPES {
        let time_of = |script: &mut Script, power: u32| measure(script, before, repeated, after, 1 << power);
        // Twice the size may fall out of a cache; what is not linear grows at every step.
        let (mut small, mut large) = (time_of(script, 17), time_of(script, 20));
        let growth = |small: Duration, large: Duration| (large.as_secs_f64() / small.as_secs_f64().max(1e-5)).cbrt();
        for _ in 0..3 {
            if growth(small, large) > GROWTH {
                small = small.min(time_of(script, 17));
                large = large.min(time_of(script, 20));
            }
        }
        if growth(small, large) > GROWTH {
            good = false;
            println!(
                "  grows: {repeated:?} from {small:?} at 128 KiB to {large:?} at 1 MiB, {:.2} each doubling",
                growth(small, large)
            );
        }
        if large.as_secs_f64() > worst.0 {
            worst = (large.as_secs_f64(), repeated);
        }
    }
    println!("hostile: {} shapes to 1 MiB, slowest {:?} takes {:.1} ms", SHAPES.len(), worst.1, worst.0 * 1e3);
    good
}

fn measure(script: &mut Script, before: &str, repeated: &str, after: &str, size: usize) -> Duration {
    let text = format!("{before}{}{after}", repeated.repeat(size / repeated.len()));
    (0..3).map(|_| time(|| parse_into(black_box(&text), script))).min().unwrap_or_default()
}
