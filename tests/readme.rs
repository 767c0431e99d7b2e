//! The README's console blocks run and print what they show.
//!
//! A block ```` ```console ```` holds `$ command` lines and the output they print; `…` at the end
//! of a shown line stands for any text, a line `…` alone for any lines. A block marked
//! ```` ```console,install ```` changes the machine and is not run here.

use crate::support::{Place, program};
use std::path::Path;
use std::process::Command;

struct Step {
    line: usize,
    command: String,
    shown: Vec<String>,
}

fn steps(readme: &str) -> Vec<Vec<Step>> {
    let (mut blocks, mut open): (Vec<Vec<Step>>, bool) = (Vec::new(), false);
    for (n, line) in readme.lines().enumerate() {
        match (open, line) {
            (false, "```console") => {
                open = true;
                blocks.push(Vec::new());
            }
            (true, "```") => open = false,
            (true, _) => {
                let block = blocks.last_mut().unwrap();
                match line.strip_prefix("$ ") {
                    Some(command) => block.push(Step { line: n + 1, command: command.into(), shown: Vec::new() }),
                    None => block.last_mut().expect("a block begins with `$ `").shown.push(line.into()),
                }
            }
            (false, _) => {}
        }
    }
    blocks
}

fn matches(shown: &[String], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first == "…" => (0..=printed.len()).any(|skip| matches(rest, &printed[skip..])),
        Some((first, rest)) => printed.split_first().is_some_and(|(line, after)| {
            let same = match first.strip_suffix('…') {
                Some(start) => line.starts_with(start),
                None => line == first,
            };
            same && matches(rest, after)
        }),
    }
}

#[test]
fn console_blocks_print_what_they_show() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let blocks = steps(&readme);
    assert!(blocks.len() >= 4, "the README shows too little");
    for block in blocks {
        let place = Place::new();
        for step in block {
            let like = place.command("kz", &[]);
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("exec 2>&1; {}", step.command)]).env_clear().current_dir(root);
            for (key, value) in like.get_envs() {
                if key != "CLAUDE_PROJECT_DIR" {
                    shell.env(key, value.unwrap_or_default());
                }
            }
            let bins = program("kz").parent().unwrap().display().to_string();
            shell.env("PATH", format!("{bins}:{}", std::env::var("PATH").unwrap_or_default()));
            let output = shell.output().unwrap();
            let printed = String::from_utf8_lossy(&output.stdout).into_owned();
            let lines: Vec<&str> = printed.lines().collect();
            assert!(matches(&step.shown, &lines), "README.md:{}: `{}` printed\n{printed}", step.line, step.command);
        }
    }
}
