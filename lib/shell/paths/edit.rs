//! `patch` and the line editors, which are told by a text what they change.

use std::borrow::Cow;

use crate::call::patch::{self, Head};

use super::super::options::Options;
use super::super::part::{Arg, Part};
use super::{Found, Op, PATCH, value};

/// Most files of one patch whose names are told apart.
const MOST_FILES: usize = 256;

impl Found<'_> {
    /// `patch -p1 < a`, `patch a b`, `patch << END`
    pub(super) fn patch(&mut self, read: &Options<'_>) {
        let dry = read.has(&["--dry-run", "-C", "--check"]);
        let folder = read.get(&["-d", "--directory"]).and_then(|option| value(self.part, option));
        let input = read.get(&["-i", "--input"]).and_then(|option| value(self.part, option));
        let out = read.get(&["-o", "--output"]).and_then(|option| value(self.part, option));
        let (file, patch) = match read.operands.as_slice() {
            [] => (None, None),
            [file] => (Some(*file), None),
            [file, patch, ..] => (Some(*file), Some(*patch)),
        };
        let known = file.is_some() || out.is_some() || text(self.part).is_some();
        if let Some(folder) = folder.clone().filter(|_| !known && !dry) {
            self.add(folder, Op::Write);
        }
        self.under.extend(folder);
        if let Some(patch) = input {
            self.add(patch, Op::Read);
        }
        if let Some(patch) = patch {
            self.word(patch, Some(Op::Read));
        }
        let mut files: Vec<Arg> = Vec::new();
        match (file, text(self.part)) {
            (Some(file), _) => files.extend(self.part.words().get(file).cloned()),
            (None, Some(text)) => files = patched(&text, strip(read)),
            // What is written is known if there is an output file; what is read is not.
            (None, None) if out.is_none() && !dry => self.open = Some(PATCH),
            (None, None) => {}
        }
        let op = if dry || out.is_some() { Op::Read } else { Op::Write };
        for file in files {
            if op == Op::Write && (read.has(&["-b", "--backup"]) || read.has(&["-z", "--suffix"])) {
                let suffix = read.get(&["-z", "--suffix"]).and_then(|option| option.value.as_deref());
                let mut old = file.clone();
                old.text.push_str(suffix.unwrap_or(".orig"));
                self.entry(old, Op::Write);
            }
            self.add(file, op);
        }
        if let Some(out) = out.filter(|_| !dry) {
            self.add(out, Op::Write);
        }
        let rejects = read.get(&["-r", "--reject-file"]).and_then(|option| value(self.part, option));
        if let Some(rejects) = rejects.filter(|_| !dry) {
            self.add(rejects, Op::Write);
        }
        self.under.clear();
    }

    /// `ed -s a << END`
    pub(super) fn ed(&mut self, read: &Options<'_>) {
        let file = read.operands.first().copied();
        let script = text(self.part);
        let Some(script) = script else {
            if let Some(at) = file {
                self.word(at, Some(Op::Write));
            }
            if self.part.from.is_empty() && !self.part.redirs.iter().any(|redir| redir.op.starts_with('<')) {
                return;
            }
            self.open = Some("an editor's script that is not seen");
            return;
        };
        let script = script.into_owned();
        let mut writes = false;
        let mut typing = false;
        for line in script.lines() {
            if typing {
                typing = line != ".";
                continue;
            }
            let command = line.trim().trim_start_matches(|letter: char| {
                letter.is_ascii_digit() || matches!(letter, ',' | '.' | '$' | '%' | ';' | '+' | '-')
            });
            typing = matches!(command, "a" | "i" | "c");
            writes |= self.line(command, "w");
        }
        if let Some(at) = file {
            self.word(at, Some(if writes { Op::Write } else { Op::Read }));
        }
    }

    /// `vim -es -c '%s/a/b/' -c wq a`
    pub(super) fn vim(&mut self, read: &Options<'_>) {
        let words = self.part.words();
        let mut commands: Vec<String> = Vec::new();
        let mut known = true;
        for option in read.options.iter().filter(|option| matches!(option.name.as_ref(), "-c" | "--cmd")) {
            known &= option.sure;
            commands.extend(option.value.as_deref().map(str::to_owned));
        }
        let mut files: Vec<Arg> = Vec::new();
        for word in read.operands.iter().filter_map(|at| words.get(*at)) {
            match word.text.strip_prefix('+') {
                Some(command) => {
                    known &= word.dynamic.is_empty();
                    commands.push(command.to_owned());
                }
                None => files.push(word.clone()),
            }
        }
        if let Some(script) = text(self.part) {
            commands.extend(script.lines().map(str::to_owned));
        }
        if let Some(script) = read.get(&["-S"]).and_then(|option| value(self.part, option)) {
            self.add(script, Op::Read);
            self.open = Some("an editor's script that is not seen");
            known = false;
        }
        let mut writes = false;
        for command in commands.iter().flat_map(|command| command.split('|')) {
            let command = command.trim().trim_start_matches([':', '%', ' ']);
            if command.starts_with("normal") || command.starts_with("exe") || command.starts_with("source") {
                known = false;
            }
            writes |= self.line(command, "wx");
        }
        let reads = read.has(&["-R", "-M"]) || self.part.head == "view";
        let only = (known && !commands.is_empty() && !writes) || reads;
        for file in files {
            self.add(file, if only { Op::Read } else { Op::Write });
        }
    }

    /// One command of an editor; whether it writes the file that is open.
    fn line(&mut self, command: &str, letters: &str) -> bool {
        if let Some(rest) = command.strip_prefix('!') {
            if !rest.is_empty() {
                self.open = Some("runs a command");
            }
            return false;
        }
        let (word, rest) = command.split_once(' ').unwrap_or((command, ""));
        let word = word.trim_end_matches('!');
        let name = rest.trim().trim_start_matches(">>").trim();
        match word {
            "w" | "wq" | "write" | "W" | "sav" | "saveas" if name.starts_with('!') => {
                self.open = Some("runs a command");
                false
            }
            "w" | "wq" | "write" | "W" | "sav" | "saveas" if !name.is_empty() => {
                self.add(Arg::literal(name), Op::Write);
                false
            }
            "r" | "read" | "e" | "edit" if !name.is_empty() => {
                self.add(Arg::literal(name), Op::Read);
                false
            }
            "w" | "wq" | "write" | "W" => true,
            "x" | "xa" | "xall" | "xit" | "exit" | "up" | "update" | "wa" | "wall" | "wqa" | "wqall" | "wn" => {
                letters.contains('x')
            }
            _ => false,
        }
    }
}

/// The text on standard input, if it stands in the command.
fn text(part: &Part) -> Option<Cow<'_, str>> {
    let last = part.input_redirect()?;
    matches!(last.op.as_ref(), "<<" | "<<-" | "<<<").then(|| Cow::Borrowed(last.target().text.as_str()))
}

/// How many folders `-p` takes off; none if only the last name counts.
fn strip(read: &Options<'_>) -> Option<usize> {
    read.get(&["-p", "--strip"]).and_then(|option| option.value.as_deref()).and_then(|value| value.parse().ok())
}

/// The files that a patch changes. Of the two names of a head, `patch` takes the one with fewer
/// folders, then the shorter one.
fn patched(text: &str, strip: Option<usize>) -> Vec<Arg> {
    let bare = |name| match strip {
        Some(count) => patch::stripped(name, count),
        None => patch::stripped(name, 0).and_then(|name| name.rsplit('/').next()),
    };
    let mut found: Vec<Arg> = Vec::new();
    for head in patch::heads(text) {
        let Head::Pair(old, new) = head else { continue };
        let best = [old, new]
            .into_iter()
            .filter_map(bare)
            .min_by_key(|name| (name.matches('/').count(), name.rsplit('/').next().map_or(0, str::len), name.len()));
        if let Some(best) = best.filter(|best| found.len() < MOST_FILES && found.iter().all(|one| one.text != *best)) {
            found.push(Arg::literal(best));
        }
    }
    found
}
