//! Literal words: what they are after quote removal and brace expansion.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use kibitzer::shell::ast::{CommandKind, PieceKind, Script, Word};
use kibitzer::shell::braces::{self, Unit};
use kibitzer::shell::parse::{parse, parse_into};

use super::Row;

/// A word as written, what we make of it, and where it stands.
struct Case {
    ours: Vec<String>,
    place: String,
}

pub fn run(rows: &[Row]) -> Result<bool, String> {
    let mut cases = BTreeMap::new();
    let mut script = Script::default();
    for row in rows {
        parse_into(&row.command, &mut script);
        if script.error.is_none() {
            collect(row, &script, &mut cases);
        }
    }
    let answers = answers(cases.keys())?;
    if answers.len() != cases.len() {
        for ((raw, case), theirs) in cases.iter().zip(&answers) {
            if case.ours != *theirs {
                println!("  first difference {}: {raw:?}\n    ours {:?}\n    bash {theirs:?}", case.place, case.ours);
                break;
            }
        }
        return Err(format!("bash answered {} of {} words", answers.len(), cases.len()));
    }
    let mut wrong = 0;
    for ((raw, case), theirs) in cases.iter().zip(&answers) {
        if case.ours != *theirs {
            wrong += 1;
            if wrong <= 20 {
                println!("  word {}: {raw:?}\n    ours {:?}\n    bash {theirs:?}", case.place, case.ours);
            }
        }
    }
    let right = cases.len() - wrong;
    let share = right as f64 * 100.0 / (cases.len().max(1)) as f64;
    println!("words: {right} of {} as bash has them ({share:.3} %)", cases.len());
    Ok(share >= 99.9)
}

fn collect(row: &Row, script: &Script, cases: &mut BTreeMap<String, Case>) {
    for command in &script.commands {
        let CommandKind::Simple { words, .. } = command.kind else {
            continue;
        };
        for &word in script.words.get(words.range()).unwrap_or_default() {
            let raw = word.span.text(&row.command);
            let special = raw.contains(['\'', '"', '\\', '{', '}']);
            // A backslash last in the text would join it with the next line here.
            let open = raw.bytes().rev().take_while(|&b| b == b'\\').count() % 2 == 1;
            if !special || open || raw.contains('\0') || cases.contains_key(raw) || !reads_alone(raw) {
                continue;
            }
            let Some(ours) = literal(&row.command, script, word) else {
                continue;
            };
            cases.insert(raw.to_owned(), Case { ours, place: row.place.clone() });
        }
    }
}

/// Whether the word is the same outside its place; one out of backticks need not be.
fn reads_alone(raw: &str) -> bool {
    let text = format!("f {raw}");
    let script = parse(&text);
    let plain = |kind: CommandKind| match kind {
        CommandKind::Simple { words, .. } => words.len() == 2,
        CommandKind::Compound { .. } => false,
    };
    script.error.is_none()
        && matches!(script.commands.as_slice(), [only] if plain(only.kind) && only.redirects.is_empty())
}

/// The values of a word without expansions.
fn literal(source: &str, script: &Script, word: Word) -> Option<Vec<String>> {
    let pieces = script.pieces_of(&word);
    let literal = |kind: PieceKind| matches!(kind, PieceKind::Text | PieceKind::Decoded(_));
    if !pieces.iter().all(|piece| literal(piece.kind)) {
        return None;
    }
    let words = braces::expand(source, script, word).ok()?;
    let mut values = Vec::new();
    for units in words {
        let mut value = String::new();
        for unit in units {
            match unit {
                Unit::Made(text) => value.push_str(&text),
                Unit::Piece(piece) => match piece.kind {
                    PieceKind::Text => value.push_str(piece.span.text(source)),
                    PieceKind::Decoded(span) => value.push_str(span.text(&script.decoded)),
                    _ => return None,
                },
            }
        }
        values.push(value);
    }
    Some(values)
}

/// What bash makes of each word, all in one process.
fn answers<'a>(words: impl Iterator<Item = &'a String>) -> Result<Vec<Vec<String>>, String> {
    let mut text = String::from("set -f\nf() { printf '%s\\0' \"$#\" \"$@\"; }\n");
    for word in words {
        text.push_str("f ");
        text.push_str(word);
        text.push('\n');
    }
    let file = std::env::temp_dir().join(format!("shell-referee-{}", std::process::id()));
    let io = |e: std::io::Error| format!("cannot ask bash for words: {e}");
    std::fs::File::create(&file).and_then(|mut file| file.write_all(text.as_bytes())).map_err(io)?;
    let output = Command::new("bash")
        .env_remove("BASH_ENV")
        .env("LC_ALL", "C.UTF-8")
        .arg(&file)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output();
    std::fs::remove_file(&file).map_err(io)?;
    let output = output.map_err(io)?;
    let mut fields = output.stdout.split(|&b| b == 0).map(|f| String::from_utf8_lossy(f).into_owned());
    let mut answers = Vec::new();
    while let Some(count) = fields.next().and_then(|n| n.parse::<usize>().ok()) {
        if count == 0 {
            answers.push(Vec::new());
            continue;
        }
        answers.push(fields.by_ref().take(count).collect());
    }
    Ok(answers)
}
