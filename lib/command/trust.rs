//! `kz trust`: accepts a repo's own files, as they are now, as if the person had written them.

use super::install::diff;
use super::{Desk, Exit};
use crate::config::{self, Options};
use crate::state::{Store, trust};
use crate::text::visible;
use clap::Args;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// `kz trust`
#[derive(Args, Debug, Default)]
pub struct Trust {
    /// Show which repos are trusted, and whether their files are still what was accepted.
    #[arg(long, conflicts_with = "forget")]
    pub list: bool,
    /// Take the trust in this repo back.
    #[arg(long)]
    pub forget: bool,
}

/// Most rule packs of a repo that are looked at.
const MAX_PACKS: usize = 256;

/// Runs the verb.
///
/// # Errors
/// If the answer cannot be written.
pub fn run(args: &Trust, desk: &mut Desk) -> io::Result<Exit> {
    let Some(root) = desk.root().map(|root| desk.world.resolve(&root)) else {
        return desk.fail("there is no current folder", "run it in the repo that you mean");
    };
    let (store, faults) = Store::open(desk.world, Some(&root));
    let Some(state) = store.folder().map(Path::to_path_buf) else {
        let why = faults.into_iter().next().map_or("there is no state folder".into(), |fault| fault.text);
        return desk.fail(&why, "");
    };
    match (args.list, args.forget) {
        (true, _) => list(&state, desk),
        (_, true) => forget(&state, &root, desk),
        _ => accept(&state, &root, desk),
    }
}

fn accept(state: &Path, root: &Path, desk: &mut Desk) -> io::Result<Exit> {
    let files = match files(root, desk) {
        Ok(files) => files,
        Err(why) => return desk.fail(&why, "nothing was trusted; put this right first"),
    };
    let shown = desk.show(root);
    if files.is_empty() {
        return desk.fail(
            &format!("{shown} has no .kibitzer/config.toml, local.toml or rules/*.toml"),
            "there is nothing to trust; the root of the repo is what counts",
        );
    }
    let news: Vec<_> = files
        .iter()
        .filter(|(name, content)| standing(state, root, name, content, desk) != trust::Standing::Trusted)
        .collect();
    let before = trust::roots(state, desk.world).unwrap_or_default().iter().any(|known| known == root);
    if news.is_empty() && before {
        writeln!(desk.out, "{shown} is trusted already: {} as accepted", count(files.len()))?;
        return Ok(Exit::Done);
    }
    for (name, content) in &news {
        let old = trust::copy(state, root, name, desk.world).unwrap_or_default();
        diff(desk, name, &visible(&String::from_utf8_lossy(&old)), &visible(&String::from_utf8_lossy(content)))?;
    }
    let config = config::load(desk.world, Some(root), &Options::default());
    let refused: Vec<&str> =
        config.faults.iter().map(|fault| fault.text.as_str()).filter(|text| text.starts_with(".kibitzer/")).collect();
    if !refused.is_empty() {
        writeln!(desk.out, "\nwithout trust these do not count:")?;
        for text in refused {
            writeln!(desk.out, "  {}", text.lines().next().unwrap_or_default())?;
        }
    }
    writeln!(desk.out)?;
    let question = format!(
        "Let {} of {shown} say anything that your own config may say, until a byte of it changes?",
        count(files.len())
    );
    if !desk.person_wants("trust", &question)? {
        return Ok(Exit::Failed);
    }
    // Accepted is what was shown; whoever changed a file meanwhile has changed it.
    match desk.world.make_folder(state).and_then(|()| trust::accept(state, root, &files, desk.world)) {
        Ok(()) => {
            writeln!(desk.out, "trusted: {} of {shown}; `kz trust --forget` takes it back", count(files.len()))?;
            Ok(Exit::Done)
        }
        Err(error) => {
            desk.fail(&format!("cannot keep the copies in `{}`: {error}", state.display()), "nothing is trusted")
        }
    }
}

fn standing(state: &Path, root: &Path, name: &str, content: &[u8], desk: &Desk) -> trust::Standing {
    trust::standing(state, root, name, content, desk.world)
}

fn forget(state: &Path, root: &Path, desk: &mut Desk) -> io::Result<Exit> {
    let shown = desk.show(root);
    match trust::forget(state, root, desk.world) {
        Ok(true) => writeln!(desk.out, "no longer trusted: {shown}")?,
        Ok(false) => writeln!(desk.out, "{shown} was not trusted")?,
        Err(error) => return desk.fail(&format!("cannot remove the copies: {error}"), ""),
    }
    Ok(Exit::Done)
}

fn list(state: &Path, desk: &mut Desk) -> io::Result<Exit> {
    let roots = match trust::roots(state, desk.world) {
        Ok(roots) => roots,
        Err(error) => return desk.fail(&format!("cannot list the copies: {error}"), ""),
    };
    if roots.is_empty() {
        writeln!(desk.out, "no repo is trusted")?;
    }
    for root in roots {
        let changed: Vec<String> = match files(&root, desk) {
            Ok(files) => files
                .into_iter()
                .filter(|(name, content)| standing(state, &root, name, content, desk) != trust::Standing::Trusted)
                .map(|(name, _)| name)
                .collect(),
            Err(why) => vec![why],
        };
        let note = if changed.is_empty() {
            "as accepted".to_owned()
        } else {
            format!("not as accepted: {}", changed.join(", "))
        };
        writeln!(desk.out, "{}: {note}", desk.show(&root))?;
    }
    Ok(Exit::Done)
}

/// The files of a repo that trust is about: name below the root, content.
fn files(root: &Path, desk: &Desk) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut names = vec![".kibitzer/config.toml".to_owned(), ".kibitzer/local.toml".to_owned()];
    let mut packs = desk.world.list(&root.join(".kibitzer/rules"), MAX_PACKS).unwrap_or_default();
    packs.sort();
    let packs = packs.iter().filter(|name| PathBuf::from(name).extension().is_some_and(|end| end == "toml"));
    names.extend(packs.map(|name| format!(".kibitzer/rules/{}", name.to_string_lossy())));
    let mut files = Vec::new();
    for name in names {
        match desk.world.read(&root.join(&name), trust::MAX_BYTES) {
            Ok(content) => files.push((name, content)),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(error) => return Err(format!("cannot read `{name}`: {error}")),
        }
    }
    Ok(files)
}

fn count(files: usize) -> String {
    if files == 1 { "1 file".to_owned() } else { format!("{files} files") }
}
