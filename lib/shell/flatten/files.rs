//! Scripts that are written and then run on one line: what was written is read as the code.

use super::super::code::Lang;
use super::super::dynamic::Dynamic;
use super::super::options;
use super::super::part::{Arg, Code, Part, Redir, RedirFd};
use super::super::paths;
use super::super::programs::Program;
use super::super::unwrap::{Around, Scope};
use super::out::may_look;
use super::state::Place;
use super::{Flow, Walk, copies};
use crate::call::Op;

/// Most parts that are looked through for what opened a descriptor.
const MOST_OPEN: usize = 256;
/// Longest script in bytes.
const LONGEST: usize = 64 * 1024;

/// What a part does to a file.
enum Done {
    Nothing,
    /// It is this text now, or has it at its end.
    Writes(Arg, bool),
    /// It is what this file was.
    Copies(Arg),
    /// It is something else.
    Changes,
}

impl Walk<'_, '_> {
    /// The content of a file that parts before part `n` wrote, if that is certain.
    pub(super) fn written(&mut self, n: u32, file: &Arg) -> Option<Arg> {
        let number = file.certain().and_then(|text| {
            text.strip_prefix("/dev/fd/").or_else(|| text.strip_prefix("/proc/self/fd/"))?.parse().ok()
        });
        if let Some(number) = number {
            let mut own = self.out.parts.get(n as usize)?.redirs.iter().rev();
            let own = own.find(|redir| redir.fd == RedirFd::Number(number));
            return own.map_or_else(|| self.opened(n, number), here_text);
        }
        let file = self.out.state.place.enter(file);
        if file.unknown || n == 0 {
            return None;
        }
        let aliases = self.aliases_of(n, &file);
        let mut end: Vec<Arg> = Vec::new();
        let mut sure = true;
        let mut begin = None;
        for part in self.out.parts.get(..n as usize)?.iter().rev() {
            // What ran once, in a function, is what its one call made of it.
            let called = !part.turns.is_empty();
            let part = if let [only] = part.turns.as_slice() { only } else { part };
            if !may_look(&mut self.out.looks) {
                return None;
            }
            match self.done(part, &file) {
                // The same file may be written under another name.
                Done::Nothing => {
                    if let Some(alias) = aliases.iter().find(|alias| self.changes(part, alias)) {
                        let alias = alias.value().filter(|_| end.is_empty())?;
                        return self.written(n, &alias);
                    }
                }
                Done::Changes => return None,
                // It stands in a function that nobody called, as far as can be seen.
                Done::Writes(..) | Done::Copies(..) if !called && self.in_function(part) => sure = false,
                Done::Writes(text, true) => {
                    sure &= self.surely_ran(part);
                    end.push(text);
                }
                Done::Writes(text, false) => {
                    sure &= self.surely_ran(part);
                    begin = Some((part.n, text, false));
                    break;
                }
                Done::Copies(from) => {
                    sure &= self.surely_ran(part);
                    begin = Some((part.n, from, true));
                    break;
                }
            }
        }
        let mut all = match begin? {
            (part, from, true) => self.written(part, &from)?,
            (_, text, false) => text,
        };
        for text in end.iter().rev() {
            all.text.push_str(&text.text);
            all.mark_all(text.dynamic);
        }
        if !sure {
            self.out.doubt("code from a file that may hold something else");
        }
        (all.text.len() <= LONGEST).then_some(all)
    }

    /// The here-document that a part before part `n` opened as a descriptor of this shell.
    pub(super) fn opened(&self, n: u32, number: u32) -> Option<Arg> {
        let before = self.out.parts.get(..n as usize)?.iter().rev().take(MOST_OPEN);
        before
            .filter(|part| part.head == "exec" && part.words().len() == 1 && self.out.ctx.starts_with(&part.ctx))
            .find_map(|part| part.redirs.iter().rev().find(|redir| redir.fd == RedirFd::Number(number)))
            .and_then(here_text)
    }

    /// The constructs around a part that the walk is not in.
    fn around<'p>(&self, part: &'p Part) -> impl Iterator<Item = &'p str> {
        let common = part.ctx.iter().zip(&self.out.ctx).take_while(|(theirs, ours)| theirs == ours).count();
        part.ctx.iter().skip(common).map(AsRef::as_ref)
    }

    fn in_function(&self, part: &Part) -> bool {
        self.around(part).any(|ctx| ctx.starts_with("func "))
    }

    /// Whether a part ran, and once, if the walk came to where it stands.
    fn surely_ran(&self, part: &Part) -> bool {
        let branches = ["if", "case", "for", "select", "while", "until"];
        !self.around(part).any(|ctx| branches.contains(&ctx)) && part.by != "||" && part.turns.is_empty()
    }

    fn done(&self, part: &Part, file: &Place) -> Done {
        if leaves_content(part) {
            return Done::Nothing;
        }
        let place = Place { path: part.cwd.clone(), unknown: part.cwd_unknown };
        let same = |word: &Arg| place.enter(word) == *file;
        let output = part.redirs.iter().rev().find(|redir| redir.fd == RedirFd::Number(1));
        let hits = |redir: &&Redir| same(redir.target());
        let turn = part.turns.iter().any(|turn| turn.redirs.iter().any(|redir| hits(&redir)));
        if turn && !output.as_ref().is_some_and(hits) {
            return Done::Changes;
        }
        if let Some(redir) = output
            && same(redir.target())
        {
            return match (redir.op.as_ref(), self.prints_now(part)) {
                (">" | ">|", Some(text)) => Done::Writes(text, false),
                (">>", Some(text)) => Done::Writes(text, true),
                _ => Done::Changes,
            };
        }
        let words = part.words().get(1..).unwrap_or_default();
        if part.head == "tee"
            && words.iter().any(same)
            && let Some(text) = self.prints_now(part)
        {
            let appends = words.iter().any(|word| matches!(word.text.as_str(), "-a" | "--append"));
            return Done::Writes(text, appends);
        }
        if let Some((from, to)) = copies::copied(part)
            && same(&to)
        {
            // Its name is seen from where the walk is.
            let seen = place == self.out.state.place || from.text.starts_with('/');
            return if seen { Done::Copies(from) } else { Done::Changes };
        }
        if self.changes(part, file) { Done::Changes } else { Done::Nothing }
    }

    /// Whether a part may write or delete a file.
    pub(super) fn changes(&self, part: &Part, file: &Place) -> bool {
        let place = Place { path: part.cwd.clone(), unknown: part.cwd_unknown };
        let same = |word: &Arg| place.enter(word) == *file;
        // Whatever may change it does.
        !leaves_content(part)
            && paths::touched(part).operands.iter().any(|operand| {
                matches!(operand.op, Op::Write | Op::Delete)
                    && operand.under.is_empty()
                    && (same(&operand.raw) || operand.raw.dynamic == [Dynamic::Glob])
            })
    }

    /// Runs the shell text of a file that was written before; false if it is not known.
    pub(super) fn run_written(&mut self, n: u32, at: usize, scope: Scope, around: &Around, spans: &[[u32; 2]]) -> bool {
        let Some(word) = self.out.parts.get(n as usize).and_then(|part| part.words().get(at)).cloned() else {
            return false;
        };
        // A script that runs itself is read once.
        if self.out.running.contains(&word.text) {
            return false;
        }
        let Some(text) = self.written(n, &word) else { return false };
        let Some(part) = self.out.parts.get_mut(n as usize) else { return false };
        let span = spans.get(at).copied().unwrap_or(part.span);
        let args: Vec<Arg> = part.words().get(at + 1..).unwrap_or_default().to_vec();
        part.code = Some(Box::new(Code { lang: "shell".to_owned(), ..Code::default() }));
        let saved = self.out.state.clone();
        let same = scope == Scope::Same;
        if !same {
            self.out.state = saved.child();
            self.surround(around);
            self.out.state.vars.assign("0", Some(word.clone()));
        }
        if !same || !args.is_empty() {
            self.out.state.set_params(&args);
        }
        let from = self.out.from.clone();
        self.out.running.push(word.text);
        self.reread(n, &text, span, around.clone(), same);
        self.out.running.pop();
        self.out.from = from;
        if same {
            self.out.state.params = saved.params;
        } else {
            self.out.state = saved;
        }
        self.out.flow = Flow::Open;
        true
    }

    /// `./x.sh`, `python3 x.py`: a file that was written before and is run now.
    pub(super) fn run_file(&mut self, n: u32, program: Option<&Program>, spans: &[[u32; 2]]) {
        let Some(part) = self.out.parts.get(n as usize) else { return };
        let Some(word) = part.words().first() else { return };
        let Some(program) = program else {
            if word.text.contains('/') && !part.elsewhere {
                let word = word.clone();
                self.run_itself(n, &word, spans);
            }
            return;
        };
        if program.row.code.is_none() {
            return;
        }
        let read = options::options(part);
        // `awk -f a.awk b`, `sed -f a.sed b`
        let mut files = read.options.iter().filter(|option| read.row.code_unless.contains(&option.name.as_ref()));
        if let (Some(lang), Some(file), None) = (read.row.code, files.next(), files.next())
            && matches!(lang, Lang::Awk | Lang::Sed)
            && !read.has(read.row.code_text)
        {
            let (at, first) = (file.value_at, read.operands.first().copied().unwrap_or(part.words().len()));
            let file = file.value.as_deref().map(Arg::literal).filter(|_| file.sure);
            let label = format!("{} file", part.head);
            drop(read);
            let Some(text) = file.and_then(|file| self.written(n, &file)) else { return };
            let end = self.out.parts.get(n as usize).map_or(0, |part| part.words().len());
            self.inner_code(n, lang, (&text, true), first..end, label.into(), spans.get(at).copied());
            return;
        }
        let (Some(lang), Some(at)) = (read.row.code, read.operands.first().copied()) else { return };
        if !read.row.code_stdin || read.has(read.row.code_unless) || read.has(read.row.code_text) {
            return;
        }
        let Some(word) = part.words().get(at).filter(|word| word.text != "-").cloned() else { return };
        let label = format!("{} file", part.head);
        drop(read);
        self.read_code(n, lang, &word, at, label, spans);
    }

    fn read_code(&mut self, n: u32, lang: Lang, word: &Arg, at: usize, label: String, spans: &[[u32; 2]]) {
        let Some(text) = self.written(n, word) else { return };
        let end = self.out.parts.get(n as usize).map_or(0, |part| part.words().len());
        self.inner_code(n, lang, (&text, true), at + 1..end, label.into(), spans.get(at).copied());
    }

    fn run_itself(&mut self, n: u32, word: &Arg, spans: &[[u32; 2]]) {
        let Some(text) = self.written(n, word) else { return };
        let line = text.text.lines().next().unwrap_or_default();
        let interpreter = line.strip_prefix("#!").map(|line| {
            let mut words = line.split_ascii_whitespace().filter(|word| !word.starts_with('-'));
            let first = words.next().unwrap_or_default();
            let first = if first.ends_with("/env") { words.next().unwrap_or_default() } else { first };
            first.rsplit('/').next().unwrap_or_default()
        });
        let around = Around { label: "script".into(), ..Around::default() };
        let name = interpreter.unwrap_or("sh");
        let Some(program) = super::super::programs::program(name) else { return };
        if program.row.run == super::super::programs::Run::Shell {
            self.run_written(n, 0, Scope::Child, &around, spans);
        } else if let Some(lang) = program.row.code {
            let label = format!("{name} file");
            self.read_code(n, lang, word, 0, label, spans);
        }
    }
}

/// Whether a part changes what no file holds.
fn leaves_content(part: &Part) -> bool {
    part.head.is_empty() && part.redirs.is_empty() || matches!(part.head.as_str(), "chmod" | "cd" | "mkdir")
}

/// The text of a here-document or here-string.
fn here_text(redir: &Redir) -> Option<Arg> {
    let mut text = redir.target().clone();
    match redir.op.as_ref() {
        "<<" => {}
        "<<<" => text.text.push('\n'),
        _ => return None,
    }
    Some(text)
}
