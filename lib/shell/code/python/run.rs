//! Calls of Python that run commands, and those whose paths depend on each other.

use std::rc::Rc;

use super::super::Run;
use super::super::program::value::{Args, Value, unknown};
use super::super::program::walk::Walk;
use super::calls::{arguments, each_path};
use crate::call::Op;
use crate::shell::dynamic::Dynamic;

/// `subprocess.run(…)` and its kin.
pub(super) fn subprocess<'a>(walk: &mut Walk<'a>, args: &Args<'a>) {
    let command = args.get(0, "args").cloned().unwrap_or(Value::Unknown);
    let shell = args.named("shell").map(Value::truth);
    let folder = args.named("cwd");
    match &command {
        Value::List(_) | Value::Each(_) => {
            let argv = walk.argv(&command);
            match shell {
                Some(Some(true)) => {
                    let text = argv.into_iter().next().unwrap_or_default();
                    walk.run(Run::Text(text), folder);
                }
                _ => walk.run(Run::Argv(argv), folder),
            }
        }
        command => {
            for word in command.words() {
                match shell {
                    Some(Some(true) | None) => walk.run(Run::Text((*word).clone()), folder),
                    // Without a shell, a text is the name of the program.
                    _ if word.dynamic.contains(&Dynamic::Var) && word.text == "«var»" => {
                        walk.open("runs a computed command")
                    }
                    _ => walk.run(Run::Argv(vec![(*word).clone()]), folder),
                }
            }
        }
    }
}

/// `os.execvp(file, args)`, `os.spawnl(mode, file, arg0, …)`
pub(super) fn exec<'a>(walk: &mut Walk<'a>, name: &str, args: &Args<'a>) {
    let name = name.strip_prefix("os.").unwrap_or_default();
    let skip = usize::from(name.starts_with("spawn"));
    let program = args.at(skip).map_or_else(unknown, Value::word);
    let listed = name.contains("execv") || name.contains("spawnv") || name.starts_with("posix");
    let mut argv = match args.at(skip + 1) {
        Some(list) if listed => walk.argv(list),
        _ => args.items.iter().skip(skip + 1).map(|(_, value)| (*value.word()).clone()).collect(),
    };
    match argv.first_mut() {
        Some(first) => *first = (*program).clone(),
        None => argv.push((*program).clone()),
    }
    walk.run(Run::Argv(argv), None);
}

/// `fileinput.input(…)`
pub(super) fn file_input<'a>(walk: &mut Walk<'a>, args: &Args<'a>) -> Value<'a> {
    let files = match args.get(0, "files") {
        Some(files) => files.clone(),
        None => super::super::program::eval::slice(&arguments(walk.args), Some((1, None))),
    };
    let writes = args.named("inplace").is_some_and(|inplace| inplace.truth() != Some(false));
    // What is rewritten in place is read as well, which goes without saying.
    let op = if writes { Op::Write } else { Op::Read };
    each_path(walk, &files, op);
    if writes && let Some(suffix) = args.named("backup") {
        for file in files.items().0.iter().chain(std::iter::once(&files)).filter(|f| f.certain().is_some()) {
            let backup = file.plus(suffix);
            walk.touch(&backup, op);
        }
    }
    Value::Each(Rc::new(Value::Unknown))
}

/// `shutil.copy(…)`, `shutil.move(…)`
pub(super) fn copy<'a>(walk: &mut Walk<'a>, name: &str, args: &Args<'a>) {
    let from = args.get(0, "src").cloned().unwrap_or(Value::Unknown);
    let to = args.get(1, "dst").cloned().unwrap_or(Value::Unknown);
    walk.touch(&from, if name == "shutil.move" { Op::Delete } else { Op::Read });
    // A folder, by its slash: the copy has the name of the source.
    let folder = to.certain().is_some_and(|to| to.ends_with('/') || matches!(to, "." | ".."));
    let to = match (folder, &from) {
        (true, Value::Text(path) | Value::Path(path)) => to.below(&super::methods::path_attr(path, "name"), false),
        _ => to,
    };
    walk.touch(&to, Op::Write);
}
