//! A part as rules look at it: options by name, subcommand words, operands.

use super::{At, Kinds, Place, code};
use crate::call::Op;
use crate::shell::options::{self, Options};
use crate::shell::{Arg, Dynamics, Operand, Part, Shell, powershell};
use std::borrow::Cow;
use std::cell::OnceCell;

/// A part as rules look at it.
#[derive(Debug)]
pub(super) struct View<'a> {
    /// The part.
    pub part: &'a Part,
    /// Its words, certain values put in.
    argv: &'a [Arg],
    /// Its options, subcommand and operands.
    read: Options<'a>,
    /// The kinds of all its words together.
    kinds: OnceCell<Kinds>,
    /// Its paths; several rules ask for them.
    paths: OnceCell<Vec<Operand>>,
}

/// Options whose value is program text, in the interpreters and clients that have them.
const CODE_OPTIONS: &[&str] =
    &["-c", "-e", "-E", "-r", "-p", "--eval", "--execute", "--print", "--command", "--query", "-Q", "-q"];

impl<'a> View<'a> {
    /// Reads a part; `head` is its command word in lower case.
    pub fn of(part: &'a Part, head: &str) -> Self {
        let argv = part.words();
        let cmdlet = powershell::is_cmdlet(part);
        let read = if cmdlet { powershell::options(part) } else { options::read(head, argv) };
        Self { part, argv, read, kinds: OnceCell::new(), paths: OnceCell::new() }
    }

    /// The kinds of all its words together.
    pub fn kinds(&self, place: &Place) -> Kinds {
        let words = || self.argv.iter().skip(1);
        *self.kinds.get_or_init(|| words().fold(Kinds::NONE, |all, word| all.and(place.kinds(word))))
    }

    /// Whether an option is there.
    pub fn has(&self, name: &str) -> bool {
        self.read.options.iter().any(|option| option.name == name)
    }

    /// Whether the subcommand words begin so; operands stand in where the program has no known subcommands.
    pub fn begins(&self, args: &[&[&str]]) -> bool {
        let operands = self.read.operands.iter().filter_map(|at| Some(self.argv.get(*at)?.text.as_str()));
        let mut words = self.read.words.iter().copied().chain(operands);
        args.iter().all(|alternatives| words.next().is_some_and(|word| alternatives.contains(&word)))
    }

    /// The words that a matcher looks at. `args` is how many subcommand words the rule named.
    pub fn select(&self, at: At, names: &[&str], args: usize, shell: &'a Shell) -> Vec<Cow<'_, Arg>> {
        let argv = self.argv;
        let skip = args.saturating_sub(self.read.words.len());
        let operands = || self.read.operands.iter().skip(skip).filter_map(|at| argv.get(*at)).map(Cow::Borrowed);
        match at {
            At::Any => operands().collect(),
            At::First => operands().take(1).collect(),
            At::Last => operands().next_back().into_iter().collect(),
            At::Rest => operands().skip(1).collect(),
            At::Dashed => self
                .read
                .dashes
                .map_or_else(Vec::new, |dashes| argv.iter().skip(dashes + 1).map(Cow::Borrowed).collect()),
            At::Start => self.start(),
            At::Words => argv.iter().skip(1).map(Cow::Borrowed).collect(),
            At::Assign => self.part.assign.iter().map(Cow::Borrowed).collect(),
            At::Redirect => self.part.redirs.iter().map(|redir| Cow::Borrowed(&redir.target)).collect(),
            At::Reads => self.paths(&[Op::Read]),
            At::Writes => self.paths(&[Op::Write, Op::Delete]),
            At::Fed => self.fed(),
            At::Option => self.values(names).map(Cow::Owned).collect(),
            At::Key => operands().filter_map(|arg| after_key(&arg, names)).map(Cow::Owned).collect(),
            At::Input => self.input(shell).into_iter().map(|text| Cow::Owned(Arg::literal(text))).collect(),
            At::Code => self.code(shell).into_iter().map(|text| Cow::Owned(Arg::literal(text))).collect(),
            At::Literal if self.code_is_read() && self.part.code.as_ref().is_some_and(|code| code.open.is_empty()) => {
                let code = self.part.code.iter();
                code.flat_map(|code| &code.paths).map(|path| Cow::Borrowed(&path.path)).collect()
            }
            At::Literal => self
                .code(shell)
                .iter()
                .flat_map(|text| code::literals(text))
                .map(|text| Cow::Owned(Arg::literal(text)))
                .collect(),
        }
    }

    /// Paths by what happens to them.
    fn paths(&self, ops: &[Op]) -> Vec<Cow<'_, Arg>> {
        if self.read.program.is_none() && !powershell::is_cmdlet(self.part) {
            return self.read.operands.iter().filter_map(|at| self.argv.get(*at)).map(Cow::Borrowed).collect();
        }
        let all = self.paths.get_or_init(|| crate::shell::paths(self.part));
        all.iter().filter(|path| ops.contains(&path.op)).map(|path| Cow::Borrowed(&path.raw)).collect()
    }

    /// Words that stand for input which nobody has seen.
    fn fed(&self) -> Vec<Cow<'_, Arg>> {
        let mark = self.part.replace.as_deref();
        let replaced = self.argv.iter().skip(1).filter(|arg| {
            mark.is_some_and(|mark| arg.text.contains(mark)) || arg.text.starts_with('«') && !arg.dynamic.is_empty()
        });
        let appended = self.part.appends.then(|| Cow::Owned(Arg::literal("«input»")));
        replaced.map(Cow::Borrowed).chain(appended).collect()
    }

    /// Values of options.
    fn values(&self, names: &[&str]) -> impl Iterator<Item = Arg> {
        self.read.options.iter().filter(|option| names.contains(&&*option.name)).filter_map(|option| {
            let word = |at: usize| self.argv.get(at);
            match &option.value {
                Some(value) => {
                    let dynamic = word(option.value_at).map_or(Dynamics::NONE, |word| word.dynamic);
                    Some(Arg { text: value.as_ref().into(), dynamic })
                }
                // Which options of a program take values is not known where the table has no row.
                None if self.read.program.is_none() => word(option.at + 1).cloned(),
                None => None,
            }
        })
    }

    /// Where `find` starts: the words before its expression, `.` if there is none.
    fn start(&self) -> Vec<Cow<'_, Arg>> {
        let mut words = self
            .argv
            .iter()
            .skip(1)
            .skip_while(|arg| matches!(arg.text.as_str(), "-H" | "-L" | "-P" | "--"))
            .peekable();
        let mut found = Vec::new();
        while let Some(arg) = words.next_if(|arg| !arg.text.starts_with(['-', '(', '!']) || !arg.dynamic.is_empty()) {
            found.push(Cow::Borrowed(arg));
        }
        if found.is_empty() {
            found.push(Cow::Owned(Arg::literal(".")));
        }
        found
    }

    /// Whether the shell reader follows programs of this language, so that what they run are parts.
    pub fn code_is_read(&self) -> bool {
        self.part.code.as_ref().is_some_and(|code| matches!(code.lang.as_str(), "python" | "javascript"))
    }

    /// Program text that stands in the line. What is read from standard input is the program only if
    /// nothing else is.
    pub fn code(&self, shell: &Shell) -> Vec<String> {
        let mut texts: Vec<String> = self.values(CODE_OPTIONS).map(|value| value.text.into()).collect();
        let first = self.read.operands.first().and_then(|at| self.argv.get(*at)).map(|arg| arg.text.as_str());
        match self.part.head.as_str() {
            "awk" | "gawk" | "mawk" | "nawk" if !self.has("-f") => texts.extend(first.map(str::to_owned)),
            "awk" | "gawk" | "mawk" | "nawk" => {}
            // Clients name a database there, interpreters a script.
            head => {
                let script = super::hit::INTERPRETERS.contains(&head) && first.is_some_and(|word| word != "-");
                if texts.is_empty() && !script && !self.has("-m") {
                    texts.extend(self.input(shell));
                }
            }
        }
        texts
    }

    /// Text that reaches standard input, as far as it stands in the line.
    fn input(&self, shell: &Shell) -> Vec<String> {
        let mut texts: Vec<String> = self
            .part
            .redirs
            .iter()
            .filter(|redir| redir.op.starts_with("<<"))
            .map(|redir| redir.target.text.to_string())
            .collect();
        for from in &self.part.from {
            let Some(source) = shell.parts.get(*from as usize) else { continue };
            match source.head.as_str() {
                "echo" | "printf" => texts.extend(source.argv.iter().skip(1).map(|arg| arg.text.to_string())),
                "cat" => texts.extend(
                    source
                        .redirs
                        .iter()
                        .filter(|redir| redir.op.starts_with("<<"))
                        .map(|redir| redir.target.text.to_string()),
                ),
                _ => {}
            }
        }
        texts
    }
}

/// The value of `key=value` for one of the keys.
fn after_key(arg: &Arg, names: &[&str]) -> Option<Arg> {
    let (key, value) = arg.text.split_once('=')?;
    names.contains(&key).then(|| Arg { text: value.into(), dynamic: arg.dynamic })
}
