//! `make` and `just` whose file stands on the line: what they run of it.

use super::super::options;
use super::super::part::{Arg, Part};
use super::super::programs::{self, Run};
use super::super::recipes::{self, Asked};
use super::super::unwrap::Around;
use super::{Flow, Walk};

/// Options whose value is the file.
const FILES: [&str; 5] = ["-f", "--file", "--makefile", "--justfile", "-F"];
/// Options whose value is the text.
const TEXTS: [&str; 2] = ["--eval", "-E"];
/// Names of the file, where no option says it.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];
const JUSTFILES: [&str; 3] = ["justfile", "Justfile", ".justfile"];

impl Walk<'_, '_> {
    /// Runs what the recipes of part `n` say, as far as their text is known.
    pub(super) fn inner_recipes(&mut self, n: u32, run: Run) {
        let Some(part) = self.out.parts.get(n as usize) else { return };
        let span = part.span;
        let read = options::options(part);
        let given = |names: &[&str]| {
            let options = read.options.iter().filter(|option| names.contains(&option.name.as_ref()));
            options
                .filter(|option| option.sure)
                .filter_map(|option| option.value.as_deref().map(Arg::literal))
                .collect()
        };
        let (named, texts): (Vec<Arg>, Vec<Arg>) = (given(&FILES), given(&TEXTS));
        let chdir = read.get(read.row.chdir).and_then(|option| {
            let dynamic = part.words().get(option.value_at).map(|word| word.dynamic).unwrap_or_default();
            Some(Arg { text: option.value.as_deref()?.into(), dynamic })
        });
        let (asked, shell) = asked(part, &read.operands);
        let around = Around { label: format!("{} recipe", part.head).into(), ..Around::default() };
        drop(read);
        let saved = self.out.state.clone();
        if let Some(to) = &chdir {
            self.out.state.place = self.out.state.place.enter(to);
        }
        let defaults = if run == Run::Make { MAKEFILES } else { JUSTFILES };
        let mut all: Option<Arg> = None;
        let mut add = |text: Arg| {
            let all = all.get_or_insert_default();
            all.text.push_str(&text.text);
            all.text.push('\n');
            all.mark_all(text.dynamic);
        };
        texts.into_iter().for_each(&mut add);
        for file in &named {
            let text = match file.text.as_str() {
                "-" | "/dev/stdin" => self.stdin_text(n).map(|(text, _)| text),
                _ => self.written(n, file),
            };
            text.into_iter().for_each(&mut add);
        }
        if named.is_empty() {
            let text = defaults.iter().find_map(|name| self.written(n, &Arg::literal(*name)));
            text.into_iter().for_each(&mut add);
        }
        self.out.state = saved;
        if let Some(shell) = shell {
            self.recipe(n, &shell, span, around.clone(), chdir.as_ref());
        }
        let Some(text) = all.filter(|_| !self.out.running.contains(&key(&asked))) else { return };
        let steps = if run == Run::Make { recipes::make(&text, &asked) } else { recipes::just(&text, &asked) };
        self.out.running.push(key(&asked));
        for step in steps {
            match step.by.as_deref() {
                None => self.recipe(n, &step.text, span, around.clone(), chdir.as_ref()),
                Some(name) => match programs::program(name).and_then(|program| program.row.code) {
                    Some(lang) => self.inner_code(n, lang, (&step.text, true), 0..0, around.label.clone(), Some(span)),
                    None => self.out.doubt(format!("a recipe for `{name}`")),
                },
            }
        }
        self.out.running.pop();
    }

    /// Runs one line of a recipe in a shell of its own.
    fn recipe(&mut self, n: u32, text: &Arg, span: [u32; 2], around: Around, chdir: Option<&Arg>) {
        let saved = self.out.state.clone();
        let from = std::mem::take(&mut self.out.from);
        self.out.state = saved.child();
        if let Some(to) = chdir {
            self.out.state.place = self.out.state.place.enter(to);
        }
        self.reread(n, text, span, around, false);
        self.out.from = from;
        self.out.state = saved;
        self.out.flow = Flow::Open;
    }
}

/// What a part asks its recipes for, and the program that it wants to run them, if that is no plain shell.
fn asked(part: &Part, operands: &[usize]) -> (Asked, Option<Arg>) {
    let (mut asked, mut shell) = (Asked::default(), None);
    let before = part.assign.iter().filter(|word| word.text.starts_with("SHELL="));
    for word in operands.iter().filter_map(|at| part.words().get(*at)).chain(before) {
        let pair = word.text.split_once('=').map(|(name, value)| (name.trim_end_matches([':', '?', '+']), value));
        match pair {
            Some(("SHELL", value)) if part.head != "just" => {
                let name = value.rsplit('/').next().unwrap_or_default();
                let plain = programs::program(name).is_some_and(|program| program.row.run == Run::Shell);
                if !plain && !value.is_empty() {
                    shell = Some(Arg { text: value.into(), dynamic: word.dynamic });
                }
            }
            Some((name, value)) if word.dynamic.is_empty() => asked.sets.push((name.to_owned(), value.to_owned())),
            Some((name, _)) => asked.sets.push((name.to_owned(), "«var»".to_owned())),
            None if word.dynamic.is_empty() => asked.goals.push(word.text.to_string()),
            None => asked.any = true,
        }
    }
    (asked, shell)
}

/// By what a recipe is known that asks for itself.
fn key(asked: &Asked) -> ecow::EcoString {
    ecow::eco_format!("recipe {}", asked.goals.join(" "))
}
