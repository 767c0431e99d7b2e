//! Scores the rules on files of commands with an expected outcome.
//!
//! `cargo run --release --example rules-score -- FILE.jsonl…`
//!
//! Rows with `command` and `expected` (deny, ask, allow, …) say how many commands are stopped and
//! how many are stopped that should not be; rows with `class`, `offense` and `agreed` say how often
//! classify agrees. With `--coach` the expected outcome is about teaching: an offense or none, and rows
//! without one are counted by the class of their offense. `--class=96 --offense=94` makes it fail below these
//! shares. `--all` lists every disagreement instead of the first thirty.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people")]

use kibitzer::call::{Call, Does, EventKind};
use kibitzer::config::rows::CLASSES;
use kibitzer::envelope::{Envelope, Facts, Verdict};
use kibitzer::stage::{Context, Memory, Stage, classify::Classify, guard::Guard};
use serde::Deserialize;
use std::process::ExitCode;

#[derive(Deserialize)]
struct Row {
    command: String,
    expected: Option<String>,
    class: Option<String>,
    offense: Option<bool>,
    #[serde(default)]
    agreed: Vec<String>,
}

/// What kz makes of a command.
struct Verdicts {
    say: Verdict,
    rules: String,
    class: String,
    offense: bool,
}

fn judge(command: &str) -> Result<Verdicts, String> {
    let mut envelope = Envelope {
        call: Call {
            event: EventKind::PreTool,
            tool: "Bash".into(),
            does: Does::Shell,
            cwd: "/workspace/project".into(),
            root: "/workspace/project".into(),
            command: command.into(),
            shell: Some(kibitzer::shell::read(command)),
            ..Call::default()
        },
        facts: Facts { home: "/home/user".into(), ..Facts::default() },
        ..Envelope::default()
    };
    let cx = Context::default();
    let stages: [&dyn Stage; 2] = [&Classify, &Guard];
    for stage in stages {
        stage.run(&mut envelope, &cx, &mut Memory::default()).map_err(|fault| fault.text)?;
    }
    let classes: Vec<_> =
        envelope.findings.iter().filter(|finding| CLASSES.contains(&finding.class.as_str())).collect();
    let rank = |class: &str| CLASSES.iter().position(|known| *known == class);
    let offenses = classes.iter().filter(|finding| !finding.offer.is_empty());
    let class = offenses.clone().chain(&classes).min_by_key(|finding| (finding.offer.is_empty(), rank(&finding.class)));
    Ok(Verdicts {
        say: envelope.votes.iter().map(|vote| vote.say).max().unwrap_or_default(),
        rules: envelope.votes.iter().map(|vote| vote.rule.as_str()).collect::<Vec<_>>().join(" "),
        class: class.map_or("none", |finding| finding.class.as_str()).to_owned(),
        offense: offenses.count() > 0,
    })
}

fn short(command: &str) -> String {
    command.chars().take(160).collect::<String>().replace('\n', "\\n")
}

/// Agreement with coaches, and offenses by class.
fn coach(file: &str, most: usize) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let (mut rows, mut told, mut right, mut listed) = (0_usize, 0_usize, 0_usize, Vec::new());
    let mut by_class = [0_usize; 5];
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let row: Row = serde_json::from_str(line).map_err(|error| format!("{file}:{}: {error}", at + 1))?;
        let found = judge(&row.command)?;
        rows += 1;
        if let Some(class) = CLASSES.iter().position(|class| found.offense && *class == found.class) {
            by_class[class] += 1;
        }
        let Some(expected) = row.expected.as_deref() else { continue };
        let expected = matches!(expected, "note" | "deny" | "ask" | "block");
        told += 1;
        right += usize::from(expected == found.offense);
        if expected != found.offense {
            listed.push(format!("{} here {}: {}", expected, found.offense, short(&row.command)));
        }
    }
    println!("== {file}");
    let per = |count: usize| 1000.0 * count as f64 / rows.max(1) as f64;
    let classes = CLASSES.iter().zip(by_class).map(|(class, count)| format!("{class} {:.1}", per(count)));
    let all: usize = by_class.iter().sum();
    println!("offenses per 1,000 of {rows}: {:.1} ({})", per(all), classes.collect::<Vec<_>>().join(", "));
    if told > 0 {
        println!("agreement {right}/{told} ({:.1} %)", 100.0 * right as f64 / told as f64);
    }
    listed.iter().take(most).for_each(|line| println!("  {line}"));
    Ok(())
}

fn score(file: &str, most: usize, least: &dyn Fn(&str) -> f64) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let (mut stop, mut stopped, mut denied, mut pass, mut wrong, mut wrongly_denied) = (0, 0, 0, 0, 0, 0);
    let (mut classes, mut class_right, mut offenses, mut offense_right) = (0_u32, 0_u32, 0_u32, 0_u32);
    let mut listed: Vec<String> = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let row: Row = serde_json::from_str(line).map_err(|error| format!("{file}:{}: {error}", at + 1))?;
        if row.expected.is_none() && row.class.is_none() {
            return Err(format!("{file}:{}: a row needs `expected` or `class`", at + 1));
        }
        let found = judge(&row.command)?;
        match row.expected.as_deref() {
            Some("deny" | "ask" | "block") => {
                stop += 1;
                stopped += usize::from(found.say >= Verdict::Ask);
                denied += usize::from(found.say == Verdict::Deny);
                if found.say < Verdict::Ask {
                    listed.push(format!("passed   {}", short(&row.command)));
                }
            }
            Some(_) => {
                pass += 1;
                wrong += usize::from(found.say >= Verdict::Ask);
                wrongly_denied += usize::from(found.say == Verdict::Deny);
                if found.say >= Verdict::Ask {
                    listed.push(format!("{:8} {} [{}]", found.say.word(), short(&row.command), found.rules));
                }
            }
            None => {}
        }
        let agreed = |field: &str| row.agreed.iter().any(|known| known == field);
        if let Some(class) = row.class.as_deref().filter(|_| agreed("class")) {
            classes += 1;
            class_right += u32::from(class == found.class);
            if class != found.class {
                listed.push(format!("class    {class} here {}: {}", found.class, short(&row.command)));
            }
        }
        if let Some(offense) = row.offense.filter(|_| agreed("offense")) {
            offenses += 1;
            offense_right += u32::from(offense == found.offense);
            if offense != found.offense {
                listed.push(format!("offense  {offense} here {}: {}", found.offense, short(&row.command)));
            }
        }
    }
    println!("== {file}");
    let share = |part: usize, of: usize| format!("{part}/{of} ({:.1} %)", 100.0 * part as f64 / of.max(1) as f64);
    if stop > 0 {
        println!("to stop: stopped {}, denied {}", share(stopped, stop), share(denied, stop));
    }
    if pass > 0 {
        println!("to pass: wrongly stopped {}, denied {}", share(wrong, pass), share(wrongly_denied, pass));
    }
    if classes + offenses > 0 {
        println!(
            "class {}, offense {}",
            share(class_right as usize, classes as usize),
            share(offense_right as usize, offenses as usize)
        );
        for (name, right, of) in [("class", class_right, classes), ("offense", offense_right, offenses)] {
            if 100.0 * f64::from(right) < least(name) * f64::from(of) {
                return Err(format!("{file}: `{name}` is below {} %", least(name)));
            }
        }
    }
    for kind in ["passed", "deny", "ask", "class", "offense"] {
        for line in listed.iter().filter(|line| line.split(' ').next() == Some(kind)).take(most) {
            println!("  {line}");
        }
    }
    Ok(())
}

fn known(option: &str) -> bool {
    matches!(option, "--all" | "--coach") || option.starts_with("--class=") || option.starts_with("--offense=")
}

fn main() -> ExitCode {
    let (options, files): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|arg| arg.starts_with("--"));
    if files.is_empty() || options.iter().any(|option| !known(option)) {
        eprintln!("usage: rules-score [--all] [--coach] FILE.jsonl…");
        return ExitCode::FAILURE;
    }
    let least = |name: &str| {
        let of = |option: &&String| option.starts_with(&format!("--{name}="));
        options.iter().find(of).and_then(|option| option.split_once('=')?.1.parse().ok()).unwrap_or(0.0)
    };
    let has = |name: &str| options.iter().any(|option| option == name);
    let most = if has("--all") { usize::MAX } else { 30 };
    for file in &files {
        if let Err(error) = if has("--coach") { coach(file, most) } else { score(file, most, &least) } {
            eprintln!("rules-score: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
