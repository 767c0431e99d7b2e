//! Compares the shell reader with brush-parser: which texts each accepts, and the command words of
//! those that both do. Bash says who is right about what is accepted.
//! `cargo run --release --manifest-path fuzz/Cargo.toml --features brush --example brush -- FILE.jsonl…`

use std::process::{Command, ExitCode, Stdio};

use brush_parser::ast;
use brush_parser::{Parser, ParserOptions};
use kibitzer::shell::ast::{CommandKind, Pipeline, Run, Script};
use kibitzer::shell::parse::parse;

/// Most disagreements of a kind that are shown.
const SHOWN: usize = 20;
/// Its reader descends with the text, so it needs room.
const STACK: usize = 256 * 1024 * 1024;

#[derive(Default)]
struct Tally {
    texts: usize,
    both: usize,
    neither: usize,
    /// Where one accepts alone: how many, and how often bash agrees with us.
    ours: [usize; 2],
    theirs: [usize; 2],
    panics: usize,
    words: usize,
    differ: Vec<String>,
    alone: Vec<String>,
}

fn main() -> ExitCode {
    let work = std::thread::Builder::new().stack_size(STACK).spawn(all);
    match work.map(std::thread::JoinHandle::join) {
        Ok(Ok(Ok(()))) => ExitCode::SUCCESS,
        Ok(Ok(Err(message))) => {
            eprintln!("brush: {message}");
            ExitCode::FAILURE
        }
        _ => ExitCode::FAILURE,
    }
}

fn all() -> Result<(), String> {
    std::panic::set_hook(Box::new(|_| {}));
    let mut tally = Tally::default();
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file).map_err(|e| format!("cannot read `{file}`: {e}"))?;
        for (number, line) in text.lines().enumerate() {
            let Ok(row) = serde_json::from_str::<serde_json::Value>(line) else { continue };
            let command = ["/command", "/cmd", "/input/tool_input/command"].iter().find_map(|key| row.pointer(key)?.as_str());
            if let Some(command) = command.filter(|command| !command.contains('\0')) {
                compare(command, &format!("{file}:{}", number + 1), &mut tally)?;
            }
        }
    }
    let Tally { texts, both, neither, ours, theirs, panics, words, differ, alone } = &tally;
    println!("texts {texts}: both accept {both}, neither {neither}");
    println!("  only ours accepts  {}, of which bash accepts {}", ours[0], ours[1]);
    println!("  only brush accepts {}, of which bash accepts {}", theirs[0], theirs[1]);
    println!("  brush panicked on  {panics}");
    println!("command words of {both} texts: {words} equal, {} texts differ", differ.len());
    alone.iter().chain(differ.iter().take(SHOWN)).for_each(|line| println!("{line}"));
    Ok(())
}

fn compare(text: &str, place: &str, tally: &mut Tally) -> Result<(), String> {
    tally.texts += 1;
    let script = parse(text);
    let options = ParserOptions::default();
    let read = std::panic::catch_unwind(|| Parser::new(text.as_bytes(), &options).parse_program());
    let Ok(read) = read else {
        tally.panics += 1;
        return Ok(());
    };
    match (script.error.is_none(), read) {
        (true, Ok(program)) => {
            tally.both += 1;
            let mut ours = Vec::new();
            list(text, &script, script.body, &mut ours);
            let mut theirs = Vec::new();
            program.complete_commands.iter().for_each(|list| their_list(list, &mut theirs));
            let same = ours.iter().zip(&theirs).take_while(|(ours, theirs)| ours == theirs).count();
            tally.words += same;
            if ours != theirs {
                let at = |words: &[String]| words.get(same).cloned();
                tally.differ.push(format!("  words {place}: {text:?}\n    ours {:?}, brush {:?}", at(&ours), at(&theirs)));
            }
        }
        (false, Err(_)) => tally.neither += 1,
        (us, _) => {
            let mut bash = Command::new("bash");
            bash.args(["-O", "extglob", "-n", "-c", "--", text]).stdin(Stdio::null()).stderr(Stdio::null());
            let output = bash.status().map_err(|e| format!("cannot run bash: {e}"))?;
            let kind = if us { &mut tally.ours } else { &mut tally.theirs };
            kind[0] += 1;
            kind[1] += usize::from(output.success());
            if output.success() != us && tally.alone.len() < SHOWN {
                tally.alone.push(format!("  bash is with brush {place}: {text:?}"));
            }
        }
    }
    Ok(())
}

/// The command words in a list, without those in substitutions.
fn list(text: &str, script: &Script, run: Run<Pipeline>, found: &mut Vec<String>) {
    for pipeline in script.pipelines.get(run.range()).unwrap_or_default() {
        for command in script.commands.get(pipeline.stages.range()).unwrap_or_default() {
            match command.kind {
                CommandKind::Simple { words, .. } => {
                    let first = script.words.get(words.range()).and_then(<[_]>::first);
                    found.extend(first.map(|word| plain(word.span.text(text))));
                }
                CommandKind::Compound { blocks, .. } => {
                    for block in script.blocks.get(blocks.range()).unwrap_or_default() {
                        list(text, script, block.list, found);
                    }
                }
            }
        }
    }
}

fn plain(word: &str) -> String {
    word.replace("\\\n", "")
}

fn their_list(list: &ast::CompoundList, found: &mut Vec<String>) {
    for ast::CompoundListItem(chain, _) in &list.0 {
        let more = chain.additional.iter().map(|next| match next {
            ast::AndOr::And(pipeline) | ast::AndOr::Or(pipeline) => pipeline,
        });
        for pipeline in std::iter::once(&chain.first).chain(more) {
            pipeline.seq.iter().for_each(|command| their_command(command, found));
        }
    }
}

fn their_command(command: &ast::Command, found: &mut Vec<String>) {
    match command {
        ast::Command::Simple(simple) => found.extend(simple.word_or_name.as_ref().map(|word| plain(&word.value))),
        ast::Command::Compound(compound, _) => their_compound(compound, found),
        ast::Command::Function(function) => their_compound(&function.body.0, found),
        ast::Command::ExtendedTest(..) => {}
    }
}

fn their_compound(compound: &ast::CompoundCommand, found: &mut Vec<String>) {
    use ast::CompoundCommand as Kind;
    match compound {
        Kind::Arithmetic(_) => {}
        Kind::ArithmeticForClause(body) => their_list(&body.body.list, found),
        Kind::BraceGroup(group) => their_list(&group.list, found),
        Kind::Subshell(group) => their_list(&group.list, found),
        Kind::ForClause(body) => their_list(&body.body.list, found),
        Kind::CaseClause(case) => {
            case.cases.iter().filter_map(|item| item.cmd.as_ref()).for_each(|list| their_list(list, found));
        }
        Kind::IfClause(branch) => {
            their_list(&branch.condition, found);
            their_list(&branch.then, found);
            for other in branch.elses.iter().flatten() {
                other.condition.iter().for_each(|list| their_list(list, found));
                their_list(&other.body, found);
            }
        }
        Kind::WhileClause(repeat) | Kind::UntilClause(repeat) => {
            their_list(&repeat.0, found);
            their_list(&repeat.1.list, found);
        }
        Kind::Coprocess(process) => their_command(&process.body, found),
    }
}
