//! `kz rules test`: the form of rules, their examples, and what they offer.

use super::{Desk, Exit, Known};
use crate::rules::own::{File, Origin};
use crate::rules::{Own, check, hit};
use crate::world::Kind;
use std::io;
use std::path::{Path, PathBuf};

/// `kz rules test`
#[derive(clap::Args, Debug, Default)]
pub struct Test {
    /// A pack file, or a folder of them; all of yours and the repo's if left out.
    pub path: Option<PathBuf>,
    /// Show which rules recognise this command (or `@Tool PATH`), instead of running the examples.
    #[arg(long, value_name = "COMMAND")]
    pub command: Option<String>,
}

/// Largest file that is tested.
const MAX_BYTES: u64 = 1 << 20;

/// Most files of a folder.
const MAX_FILES: usize = 1024;

/// Tests.
///
/// # Errors
/// If the answer cannot be written.
pub fn run(args: &Test, desk: &mut Desk) -> io::Result<Exit> {
    let own = match &args.path {
        None => Known::of(desk).own,
        Some(path) => match read(path, desk) {
            Ok(files) => Own::of(files),
            Err(why) => return desk.fail(&format!("{}: {why}", path.display()), "see `kz rules test --help`"),
        },
    };
    let mut wrong = own.all_faults();
    if let Some(command) = &args.command {
        for line in &wrong {
            writeln!(desk.err, "kz: {line}")?;
        }
        return try_command(command, &own, desk);
    }
    let (mut rules, mut examples) = (0, 0);
    for (_, rule) in own.rules() {
        rules += 1;
        examples += rule.matches.len() + rule.not_matches.len();
        wrong.extend(check::examples(rule, &own));
        wrong.extend(check::offers(rule, &own));
    }
    for line in &wrong {
        writeln!(desk.out, "{line}")?;
    }
    let told = match wrong.len() {
        0 => "no problems".to_owned(),
        1 => "1 problem".to_owned(),
        n => format!("{n} problems"),
    };
    let plural = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    writeln!(desk.out, "{}, {}, {told}", plural(rules, "rule"), plural(examples, "example"))?;
    if own.files().is_empty() && wrong.is_empty() {
        writeln!(desk.out, "there is no pack file; yours go into ~/.config/kz/rules/, see `kz help rules`")?;
    }
    Ok(if wrong.is_empty() { Exit::Done } else { Exit::Failed })
}

/// The file, or the pack files of the folder.
fn read(path: &Path, desk: &Desk) -> Result<Vec<File>, String> {
    let paths = match desk.world.stat(path) {
        None => return Err("no such file".into()),
        Some(stat) if stat.kind == Kind::Folder => {
            let names = desk.world.list(path, MAX_FILES).map_err(|error| format!("cannot be read: {error}"))?;
            let packs = names.iter().filter(|name| Path::new(name).extension().is_some_and(|ext| ext == "toml"));
            let mut paths: Vec<PathBuf> = packs.map(|name| path.join(name)).collect();
            paths.sort();
            paths
        }
        Some(_) => vec![path.to_owned()],
    };
    if paths.is_empty() {
        return Err("there is no file `*.toml` in it".into());
    }
    let file = |path: &PathBuf| {
        let bytes =
            desk.world.read(path, MAX_BYTES).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
        let text = String::from_utf8(bytes).map_err(|_| format!("{} is not UTF-8", path.display()))?;
        let repo = desk.world.resolve(path).parent().is_some_and(|folder| folder.ends_with(".kibitzer/rules"));
        let origin = if repo { Origin::Repo } else { Origin::User };
        Ok(File::new(origin, path.display().to_string().leak(), text.leak()))
    };
    paths.iter().map(file).collect()
}

/// What recognises a command: rules of the files first.
fn try_command(command: &str, own: &Own, desk: &mut Desk) -> io::Result<Exit> {
    let call = check::call(command, "");
    let mut hits = hit::hits(&call, &check::facts(), own);
    hits.sort_by_key(|hit| own.find(hit.rule.id).is_none());
    for hit in &hits {
        let part = hit.part.and_then(|at| call.shell.as_ref()?.parts.get(at as usize));
        let words = part.map_or(String::new(), |part| {
            let words: Vec<&str> = part.words().iter().map(|arg| arg.text.as_str()).collect();
            format!(": {}", words.join(" "))
        });
        let verdict = match hit.rule.verdict {
            crate::envelope::Verdict::None => String::new(),
            say => format!(", {}", say.word()),
        };
        writeln!(desk.out, "{} ({}{verdict}) [{}]{words}", hit.rule.id, hit.rule.class.word(), hit.rule.place())?;
    }
    if hits.is_empty() {
        writeln!(desk.out, "no rule recognises it")?;
    }
    Ok(Exit::Done)
}
