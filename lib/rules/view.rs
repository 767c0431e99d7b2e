//! A part as rules look at it: options by name, subcommand words, operands.

use super::{At, Kinds, Place, code, net};
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
    /// Its command word as rules name it.
    head: Cow<'a, str>,
    /// Its words, certain values put in.
    argv: &'a [Arg],
    /// Its options, subcommand and operands.
    read: Options<'a>,
    /// Where it runs, if that is seen otherwise than the call's own folder.
    place: OnceCell<Place>,
    /// The kinds of all its words together.
    kinds: OnceCell<Kinds>,
    /// Its paths; several rules ask for them.
    paths: OnceCell<Vec<Operand>>,
}

/// Options whose value is program text, in the interpreters and clients that have them.
const CODE_OPTIONS: &[&str] =
    &["-c", "-e", "-E", "-r", "-p", "--eval", "--execute", "--print", "--command", "--query", "-Q", "-q"];

/// Options whose value is SQL, in the clients that have them.
const SQL_OPTIONS: &[&str] = &[
    "-c",
    "--command",
    "-e",
    "--execute",
    "-cmd",
    "--query",
    "-q",
    "-Q",
    "-s",
    "--sql",
    "--statement",
    "--init-command",
];

/// Programs that make a folder or an empty file, or change whose a file is, and nothing that it holds.
const ABOUT: &[&str] = &["chmod", "chown", "chgrp", "gchmod", "gchown", "setfacl", "chattr", "mkdir", "touch"];

/// Most wrappers around a command that are followed to its standard input and its assignments.
const MOST_WRAPPERS: usize = 10;
/// Most words of a wrapper that are looked through for assignments.
const MOST_ASSIGNS: usize = 64;

impl<'a> View<'a> {
    /// Reads a part; `head` is its command word in lower case.
    pub fn of(part: &'a Part, head: Cow<'a, str>) -> Self {
        let argv = part.words();
        let cmdlet = powershell::is_cmdlet(part);
        let read = if cmdlet { powershell::options(part) } else { options::read(&head, argv) };
        let (place, kinds, paths) = Default::default();
        Self { part, head, argv, read, place, kinds, paths }
    }

    /// Where it runs.
    pub fn place<'p>(&'p self, call: &'p Place) -> &'p Place {
        if call.is_of(self.part) {
            return call;
        }
        self.place.get_or_init(|| call.moved(self.part))
    }

    /// Whether the program table has a row for it.
    pub fn is_known(&self) -> bool {
        self.read.program.is_some() || powershell::is_cmdlet(self.part)
    }

    /// Its words as the program sees them, joined by blanks.
    pub fn text(&self) -> String {
        self.argv.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// The kinds of all its words together.
    pub fn kinds(&self, place: &Place) -> Kinds {
        let words = || self.argv.iter().skip(1);
        *self.kinds.get_or_init(|| words().fold(Kinds::NONE, |all, word| all.and(place.kinds(word))))
    }

    /// Whether an option is there. Of a program without a row nobody knows whether `-abc` is three
    /// options or one with a long name, so it is both.
    pub fn has(&self, name: &str) -> bool {
        let whole = || {
            self.words_of_options()
                .any(|word| word.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('=')))
        };
        self.read.options.iter().any(|option| option.name == name)
            || self.read.program.is_none() && name.len() > 2 && !name.starts_with("--") && whole()
    }

    /// The words that hold options.
    fn words_of_options(&self) -> impl Iterator<Item = &str> {
        self.read.options.iter().filter_map(|option| Some(self.argv.get(option.at)?.text.as_str()))
    }

    /// Whether the subcommand words begin so; operands stand in where the program has no known subcommands.
    pub fn begins(&self, args: &[&[&str]]) -> bool {
        let operands = self.read.operands.iter().filter_map(|at| Some(self.argv.get(*at)?.text.as_str()));
        let mut words = self.read.words.iter().copied().chain(operands);
        args.iter().all(|alternatives| {
            words.next().is_some_and(|word| alternatives.iter().any(|name| name.eq_ignore_ascii_case(word)))
        })
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
            At::Assign => self.assigned(shell).map(Cow::Borrowed).collect(),
            At::Redirect => self.part.redirs.iter().map(|redir| Cow::Borrowed(&redir.target)).collect(),
            At::Reads => self.paths(&[Op::Read]),
            At::Writes => self.paths(&[Op::Write, Op::Delete]),
            At::Written => self.written(),
            At::Deleted => self.deleted(),
            At::Net => net::addresses(self.part, &self.head, argv, &self.read.operands),
            At::Fed => self.fed(),
            At::Option => self.values(names).into_iter().map(Cow::Owned).collect(),
            At::Key => operands().filter_map(|arg| after_key(&arg, names)).map(Cow::Owned).collect(),
            At::Input => self.input(shell).into_iter().map(|text| Cow::Owned(Arg::literal(text))).collect(),
            At::Code => self.code(shell).into_iter().map(|text| Cow::Owned(Arg::literal(text))).collect(),
            At::Statement => self.statements(shell).into_iter().map(|text| Cow::Owned(Arg::literal(text))).collect(),
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

    /// Assignments before it, and before it in the words of the wrappers around it: `env A=1 git push`.
    fn assigned(&self, shell: &'a Shell) -> impl Iterator<Item = &'a Arg> {
        let mut inner = self.part;
        let outer = std::iter::from_fn(move || {
            let outer = shell.parts.get(inner.inside? as usize)?;
            let before = outer.words().strip_suffix(inner.words())?.get(1..)?;
            inner = outer;
            Some(outer.assign.iter().chain(before.iter().take(MOST_ASSIGNS)))
        });
        let is_assignment = |arg: &&Arg| crate::shell::is_assignment(&arg.text);
        let before = outer.take(MOST_WRAPPERS).flatten();
        self.part.assign.iter().chain(before.filter(is_assignment))
    }

    /// Paths by what happens to them.
    fn paths(&self, ops: &[Op]) -> Vec<Cow<'_, Arg>> {
        if self.read.program.is_none() && !powershell::is_cmdlet(self.part) {
            return self.read.operands.iter().filter_map(|at| self.argv.get(*at)).map(Cow::Borrowed).collect();
        }
        self.touched().filter(|path| ops.contains(&path.op)).map(|path| Cow::Borrowed(&path.raw)).collect()
    }

    /// Paths whose content it certainly writes, whatever program it is.
    fn written(&self) -> Vec<Cow<'_, Arg>> {
        let contents = !ABOUT.contains(&self.part.head.as_str());
        self.touched().filter(|_| contents).filter(|path| path.op == Op::Write && path.sure).map(whole).collect()
    }

    /// Paths that it certainly deletes, whatever program it is.
    fn deleted(&self) -> Vec<Cow<'_, Arg>> {
        self.touched().filter(|path| path.op == Op::Delete && path.sure).map(whole).collect()
    }

    fn touched(&self) -> impl Iterator<Item = &crate::shell::Operand> {
        self.paths.get_or_init(|| crate::shell::paths(self.part)).iter()
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
    fn values(&self, names: &[&str]) -> Vec<Arg> {
        let mut found: Vec<Arg> = Vec::new();
        for option in self.read.options.iter().filter(|option| names.contains(&&*option.name)) {
            let word = |at: usize| self.argv.get(at);
            match &option.value {
                Some(value) => {
                    let dynamic = word(option.value_at).map_or(Dynamics::NONE, |word| word.dynamic);
                    found.push(Arg { text: value.as_ref().into(), dynamic });
                }
                // Which options of a program take values is not known where the table has no row:
                // the letters behind `-o` may be its value, and if it is the last, the next word.
                None if self.read.program.is_none() => {
                    let Some(held) = word(option.at) else { continue };
                    match held.text.strip_prefix(&*option.name).filter(|rest| !rest.is_empty()) {
                        Some(rest) => {
                            let text = rest.strip_prefix('=').unwrap_or(rest).to_owned();
                            found.push(Arg { text: text.into(), dynamic: held.dynamic });
                        }
                        None if held.text.ends_with(option.name.trim_start_matches('-')) => {
                            found.extend(word(option.at + 1).cloned());
                        }
                        None => {}
                    }
                }
                None => {}
            }
        }
        if self.read.program.is_none() {
            // `-name=value` and `-name value` of programs whose options have long names and one dash.
            let mut last = 0;
            for option in self.read.options.iter().filter(|option| option.value.is_none()) {
                let Some(held) = self.argv.get(option.at).filter(|_| option.at != last) else { continue };
                last = option.at;
                for name in names.iter().filter(|name| name.len() > 2 && !name.starts_with("--")) {
                    match held.text.strip_prefix(name) {
                        Some("") => found.extend(self.argv.get(option.at + 1).cloned()),
                        Some(rest) => {
                            let value = rest.strip_prefix('=');
                            found.extend(value.map(|value| Arg { text: value.into(), dynamic: held.dynamic }));
                        }
                        None => {}
                    }
                }
            }
        }
        found
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
    pub fn code(&self, shell: &'a Shell) -> Vec<String> {
        let mut texts: Vec<String> = self.values(CODE_OPTIONS).into_iter().map(|value| value.text.into()).collect();
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

    /// Statements of SQL. An operand of one word names a database, a file or a subcommand.
    fn statements(&self, shell: &'a Shell) -> Vec<String> {
        let values = self.values(SQL_OPTIONS).into_iter().map(|value| value.text);
        let operands = self.read.operands.iter().filter_map(|at| Some(self.argv.get(*at)?.text.clone()));
        let texts = values
            .chain(operands)
            .filter(|text| text.contains(char::is_whitespace))
            .map(String::from)
            .chain(self.input(shell));
        texts.flat_map(|text| crate::shell::code::statements(&text)).collect()
    }

    /// The part whose standard input it reads: a wrapper hands its own on.
    fn reader(&self, shell: &'a Shell) -> &'a Part {
        let mut part = self.part;
        for _ in 0..MOST_WRAPPERS {
            let own = !part.from.is_empty() || part.input_redirect().is_some();
            let wrapper = part.inside.and_then(|at| shell.parts.get(at as usize));
            let same = wrapper
                .filter(|wrapper| !own && !part.ctx.iter().skip(wrapper.ctx.len()).any(|word| word.ends_with("sub")));
            let Some(wrapper) = same else { break };
            part = wrapper;
        }
        part
    }

    /// Text that reaches standard input, as far as it stands in the line.
    fn input(&self, shell: &'a Shell) -> Vec<String> {
        let part = self.reader(shell);
        let mut texts: Vec<String> = part
            .redirs
            .iter()
            .filter(|redir| redir.op.starts_with("<<"))
            .map(|redir| redir.target.text.to_string())
            .collect();
        for from in &part.from {
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

/// A path behind the folders that its program changes to before (`git -C`).
fn whole(path: &crate::shell::Operand) -> Cow<'_, Arg> {
    let raw = &path.raw;
    match path.under.first() {
        Some(first) if !raw.text.starts_with(['/', '~', '$']) => {
            let words = path.under.iter().chain([raw]).map(|word| word.text.as_str());
            let text = words.collect::<Vec<_>>().join("/");
            Cow::Owned(Arg { text: text.into(), dynamic: first.dynamic.with(raw.dynamic) })
        }
        _ => Cow::Borrowed(raw),
    }
}

/// The value of `key=value` for one of the keys.
fn after_key(arg: &Arg, names: &[&str]) -> Option<Arg> {
    let (key, value) = arg.text.split_once('=')?;
    names.contains(&key).then(|| Arg { text: value.into(), dynamic: arg.dynamic })
}
