//! Values of a program text as far as they are known, and the collector of what it does.
//!
//! A value is the list of all texts that it may be: one for a plain string, several for a list
//! or for a variable that is set in several places.

use super::super::dynamic::{Dynamic, Dynamics};
use super::super::part::{Arg, CodePath};
use super::{Found, Run};
use crate::call::Op;

/// Most texts of one value.
const MOST_VALUES: usize = 32;
/// Most bytes of one text.
const MOST_BYTES: usize = 4096;
/// Most paths and most commands of one program text.
const MOST_FOUND: usize = 256;

/// All texts that a value may be.
pub(super) type Value = Vec<Arg>;

/// A text that is not known.
pub(super) fn unknown() -> Arg {
    Arg { text: "«var»".into(), dynamic: Dynamic::Var.into() }
}

/// The home folder.
pub(super) fn home() -> Arg {
    Arg { text: "$HOME".into(), dynamic: Dynamic::Tilde.into() }
}

/// A pattern for names of files; plain if it has no special character.
pub(super) fn glob(mut pattern: Arg) -> Arg {
    if pattern.text.contains(['*', '?', '[', '{']) {
        pattern.mark(Dynamic::Glob);
    }
    if pattern.text == "~" || pattern.text.starts_with("~/") {
        pattern.mark(Dynamic::Tilde);
    }
    pattern
}

/// A string as it stands in a program text whose unknown places are of the kinds `marks`.
pub(super) fn literal(text: String, marks: Dynamics) -> Arg {
    let mut dynamic = Dynamics::NONE;
    for kind in marks.iter() {
        let mark = match kind {
            Dynamic::Arith => "«arith»",
            Dynamic::Ifs => "«ifs»",
            Dynamic::Proc => "«proc»",
            Dynamic::Sub => "«sub»",
            Dynamic::Var | Dynamic::Credential => "«var»",
            Dynamic::Array | Dynamic::Glob | Dynamic::Tilde => continue,
        };
        if text.contains(mark) {
            dynamic.insert(*kind);
        }
    }
    if marks.contains(&Dynamic::Tilde)
        && let Some(at) = text.find("$HOME").or_else(|| text.find("$PWD"))
    {
        if at > 0 {
            let text = text.replace("$HOME", "«var»").replace("$PWD", "«var»");
            return Arg { text: text.into(), dynamic: Dynamic::Var.into() };
        }
        dynamic.insert(Dynamic::Tilde);
    }
    Arg { text: text.into(), dynamic }
}

/// Whether nothing of a text is known.
pub(super) fn blank(arg: &Arg) -> bool {
    let mut rest = arg.text.as_str();
    if arg.dynamic.is_empty() {
        return false;
    }
    while let Some(after) = rest.strip_prefix('«').and_then(|rest| rest.split_once('»')) {
        rest = after.1;
    }
    rest.trim().is_empty()
}

/// One text behind another.
fn join(one: &Arg, other: &Arg) -> Arg {
    if one.text.is_empty() {
        return other.clone();
    }
    if other.text.is_empty() {
        return one.clone();
    }
    if other.text == "«var»" && one.text.ends_with("«var»") && one.dynamic.contains(&Dynamic::Var) {
        return one.clone();
    }
    let mut joined = one.clone();
    if joined.text.len() + other.text.len() > MOST_BYTES {
        return unknown();
    }
    // The home folder in the middle of a path is no path any more.
    let inner = other.dynamic.contains(&Dynamic::Tilde);
    joined.text.push_str(if inner { "«var»" } else { &other.text });
    joined.mark_all(if inner { Dynamic::Var.into() } else { other.dynamic });
    joined
}

/// All texts of one value, each before all of another.
pub(super) fn concat(one: &[Arg], other: &[Arg]) -> Value {
    if let ([one], [other]) = (one, other) {
        return vec![join(one, other)];
    }
    if one.len() * other.len() > MOST_VALUES {
        return vec![unknown()];
    }
    one.iter().flat_map(|one| other.iter().map(move |other| join(one, other))).collect()
}

/// What two values may be together.
pub(super) fn both(mut one: Value, other: Value) -> Value {
    for arg in other {
        if one.len() >= MOST_VALUES {
            return vec![unknown()];
        }
        if !one.contains(&arg) {
            one.push(arg);
        }
    }
    one
}

/// Collects what a program text does.
#[derive(Debug, Default)]
pub(super) struct Out {
    /// What was found so far.
    pub found: Found,
    /// The folder that the program changed to.
    pub folder: Option<Arg>,
}

impl Out {
    /// Says why the program may do more.
    pub fn open(&mut self, why: &'static str) {
        self.found.open.get_or_insert(why);
    }

    /// The program touches these paths, or gets these addresses.
    pub fn touch(&mut self, value: &[Arg], op: Op) {
        for path in value {
            let text = path.text.as_str();
            if ["http://", "https://", "ftp://"].iter().any(|scheme| text.starts_with(scheme)) {
                self.net(text);
                continue;
            }
            let plain = text.is_empty() || text == "-" || text.contains('\0');
            if plain {
                continue;
            }
            let mut path = path.clone();
            let rooted = text.starts_with('/') || path.dynamic.contains(&Dynamic::Tilde);
            if let Some(folder) = self.folder.as_ref().filter(|_| !rooted) {
                path = join(&join(folder, &Arg::literal("/")), &path);
            }
            let path = CodePath { path, op };
            if self.found.paths.len() >= MOST_FOUND {
                self.open("names too many paths");
            } else if !self.found.paths.contains(&path) {
                self.found.paths.push(path);
            }
        }
    }

    /// The program runs one of these lines in a shell.
    pub fn text(&mut self, value: &[Arg]) {
        for line in value {
            if blank(line) {
                self.open("runs a computed command");
            } else if !line.text.trim().is_empty() {
                self.run(Run::Text(line.clone()));
            }
        }
    }

    /// The program runs these words.
    pub fn argv(&mut self, words: Vec<Arg>) {
        match words.first() {
            None => {}
            Some(first) if blank(first) => self.open("runs a computed command"),
            Some(_) => self.run(Run::Argv(words)),
        }
    }

    fn run(&mut self, run: Run) {
        if self.folder.is_some() {
            self.open("runs a command in another folder");
        }
        if self.found.runs.len() >= MOST_FOUND {
            self.open("runs too many commands");
        } else if !self.found.runs.contains(&run) {
            self.found.runs.push(run);
        }
    }

    /// The program talks with this host or address.
    pub fn net(&mut self, to: &str) {
        if self.found.net.len() < MOST_FOUND && !self.found.net.iter().any(|known| known == to) {
            self.found.net.push(to.to_owned());
        }
    }

    /// The program changes to this folder.
    pub fn enter(&mut self, folder: Arg) {
        let rooted = folder.text.starts_with('/') || folder.dynamic.contains(&Dynamic::Tilde);
        self.folder = Some(match &self.folder {
            Some(outer) if !rooted => join(&join(outer, &Arg::literal("/")), &folder),
            _ => folder,
        });
    }
}
