//! What the walk finds: paths, hosts and commands.

use std::rc::Rc;

use super::super::super::super::part::{Arg, CodePath};
use super::super::super::Run;
use super::super::value::{Value, join, unknown};
use super::{MOST_PATHS, MOST_RUNS, Walk};
use crate::call::Op;

impl<'a> Walk<'a> {
    /// A path is touched.
    pub fn touch(&mut self, value: &Value<'a>, op: Op) {
        for word in value.words() {
            self.touch_word(&word, op);
        }
    }

    /// A path is touched.
    pub fn touch_word(&mut self, word: &Arg, op: Op) {
        let path = match &self.folder {
            Some(folder) => join(folder, word).unwrap_or_else(|| (*unknown()).clone()),
            None => word.clone(),
        };
        if path.text.is_empty() || self.seen.contains(&(path.text.clone(), op as u8)) {
            return;
        }
        if self.seen.len() >= MOST_PATHS {
            self.open("too many paths");
            return;
        }
        self.seen.insert((path.text.clone(), op as u8));
        self.found.paths.push(CodePath { path, op });
    }

    /// A host is spoken to.
    pub fn net(&mut self, value: Option<&Value<'a>>) {
        let word = value.map_or_else(unknown, Value::word);
        if self.found.net.len() < MOST_RUNS && !self.found.net.iter().any(|net| *net == word.text) {
            self.found.net.push(word.text.to_string());
        }
    }

    /// A command runs, in a folder of its own if there is one.
    pub fn run(&mut self, run: Run, folder: Option<&Value<'a>>) {
        if self.found.runs.len() >= MOST_RUNS {
            self.open("too many commands");
            return;
        }
        let folder = match (folder, &self.folder) {
            (Some(Value::Thing(_)) | None, None) => None,
            (Some(Value::Thing(_)) | None, Some(at)) => Some(Rc::clone(at)),
            (Some(to), None) => Some(to.word()),
            (Some(to), Some(at)) => join(at, &to.word()).map(Rc::new),
        };
        let run = match (run, folder) {
            (run, None) => run,
            (Run::Argv(argv), Some(folder)) => {
                let mut all = vec![Arg::literal("env"), Arg::literal("-C"), (*folder).clone()];
                all.extend(argv);
                Run::Argv(all)
            }
            (Run::Text(text), Some(folder)) => match super::super::value::concat(&quoted(&folder), &text) {
                Some(text) => Run::Text(text),
                None => {
                    self.open("runs a command in another folder");
                    return;
                }
            },
        };
        if !self.found.runs.contains(&run) {
            self.found.runs.push(run);
        }
    }
}

/// `cd 'folder' && `
fn quoted(folder: &Arg) -> Arg {
    let text = if folder.dynamic.is_empty() {
        format!("cd '{}' && ", folder.text.as_str().replace('\'', "'\\''"))
    } else {
        format!("cd {} && ", folder.text)
    };
    Arg { text: text.into(), dynamic: folder.dynamic }
}
