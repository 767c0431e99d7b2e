//! What a command runs besides itself: commands in its words, shell text in its words, a file,
//! or its standard input. All knowledge of single programs is in the program table.

pub mod find;
mod parallel;
mod runners;
#[cfg(test)]
mod tests;
mod texts;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use ecow::EcoString;
use thin_vec::ThinVec;

pub use runners::Runners;

use super::code::Lang;
use super::dynamic::{Dynamic, Dynamics};
use super::options::{self, Opt, Options};
use super::part::Arg;
use super::programs::{Program, Run};

/// How a shell text relates to the shell that meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The same shell, now.
    Same,
    /// The same shell, some time.
    Later,
    /// A new shell.
    Child,
}

/// What the inner command sees of its surroundings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Around {
    /// Name of the context.
    pub label: EcoString,
    /// Whether unknown operands are appended.
    pub appends: bool,
    /// The text that stands for unknown input.
    pub replace: Option<Arc<str>>,
    /// The folder it changes to first.
    pub chdir: Option<Arg>,
    /// Whether it runs on another machine or in another root folder.
    pub elsewhere: bool,
    /// Paths that the unknown input is among.
    pub input: ThinVec<Arg>,
    /// Whether `input` is the one value that it is given this time.
    pub handed: bool,
}

/// One thing that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inner {
    /// These words are a command.
    Command(Range<usize>, Around),
    /// These words are a command as it is written; these it becomes.
    Words(Range<usize>, ThinVec<Arg>, Around),
    /// This runs once for each of several values: first with all unknown, then with each.
    Turns(Box<Inner>, Vec<Inner>),
    /// This is shell text; it stands in the word `at`, its parameters are the words `args`.
    Text {
        /// The text, with marks.
        text: Arg,
        /// The word it begins in.
        at: usize,
        /// Which shell reads it.
        scope: Scope,
        /// The words that are `$0`, `$1`, …
        args: Range<usize>,
        /// Its surroundings.
        around: Around,
    },
    /// Shell text is read from this file.
    File(usize, Scope, Around),
    /// Shell text is read from standard input.
    Stdin(Around),
    /// Program text of another language: where it stands, and the words behind it.
    Code {
        /// Its language.
        lang: Lang,
        /// The text, with marks; `None` for standard input.
        text: Option<Arg>,
        /// The word it begins in.
        at: usize,
        /// The words that are its arguments.
        args: Range<usize>,
        /// Name of the context.
        label: EcoString,
    },
    /// Recipes for what it is asked to make.
    Recipes(Run),
    /// Code that cannot be seen, and why.
    Unknown(&'static str),
}

/// What a command runs, by the words of the one that holds it.
pub struct Outer<'p> {
    /// Base name of its program.
    pub head: &'p str,
    /// Its row, if the table has it.
    pub program: Option<&'static Program>,
    /// Its words.
    pub argv: &'p [Arg],
    /// Assignments before it.
    pub assign: &'p [Arg],
    /// Whether unknown operands will be appended to it.
    pub appends: bool,
}

/// Lists what a command runs.
pub fn unwrap(outer: &Outer<'_>, runners: &Runners) -> Vec<Inner> {
    let Outer { head, program, argv, assign, appends } = *outer;
    let ours = |found: Vec<Inner>| match found.is_empty() {
        true if !runners.is_empty() => runners.command(head, argv).into_iter().collect(),
        _ => found,
    };
    let Some(program) = program else {
        if let Some(inner) = misnamed(argv) {
            return vec![inner];
        }
        return ours(Vec::new());
    };
    let assigns = !assign.is_empty() && program.runs;
    if !assigns && !program.may_run(argv) {
        return ours(Vec::new());
    }
    let options = options::read_as(Some(program), argv);
    let mut found = Vec::new();
    if !assign.is_empty() {
        texts::assigned(&program.row, assign, &mut found);
    }
    if !options.has(options.row.stop) && (options.row.only.is_empty() || options.has(options.row.only)) {
        collect(head, argv, &options, &mut found);
    } else {
        texts::given(head, argv, &options, argv.len(), &mut found);
    }
    // `xargs sh -c`, `xargs sudo`: what is appended is the command.
    if appends && found.is_empty() && runs_first_operand(options.row.run) && !options.has(options.row.stop) {
        found.push(Inner::Unknown("code from input"));
    }
    ours(found)
}

/// `1A=2 git push`: the first word is no assignment although it looks like one. Bash finds no such
/// command; what stands behind it was meant all the same.
fn misnamed(argv: &[Arg]) -> Option<Inner> {
    let (name, _) = argv.first()?.certain()?.split_once('=')?;
    let like = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let around = Around { label: "no assignment".into(), ..Around::default() };
    (like && argv.len() > 1).then(|| Inner::Command(1..argv.len(), around))
}

fn runs_first_operand(run: Run) -> bool {
    matches!(run, Run::Argv | Run::Join | Run::Texts | Run::Eval)
}

/// Name of the context, and what the command sees of its surroundings.
fn around(head: &str, argv: &[Arg], options: &Options<'_>) -> Around {
    let row = options.row;
    let mut label = head.to_owned();
    for word in options.words.iter() {
        label.push(' ');
        label.push_str(word);
    }
    let replace = replace(options);
    Around {
        label: label.into(),
        appends: row.appends && replace.is_none(),
        replace,
        chdir: options.get(row.chdir).and_then(|option| value(argv, option)),
        elsewhere: row.elsewhere,
        input: ThinVec::new(),
        handed: false,
    }
}

/// The value of an option as a word.
fn value(argv: &[Arg], option: &Opt<'_>) -> Option<Arg> {
    let text = option.value.as_deref()?.to_owned();
    let dynamic = argv.get(option.value_at).map(|word| word.dynamic);
    Some(Arg { text: text.into(), dynamic: dynamic.unwrap_or_default() })
}

fn collect(head: &str, argv: &[Arg], options: &Options<'_>, found: &mut Vec<Inner>) {
    let row = options.row;
    let end = argv.len();
    if row.run == Run::Nothing && row.code.is_none() && options.rest.is_none() {
        texts::given(head, argv, options, end, found);
        return;
    }
    let base = around(head, argv, options);
    let label = base.label.clone();
    let around = |label: EcoString| Around { label, ..base.clone() };
    let operand = options.operands.get(row.skip as usize).copied();
    // Behind the command's first word an option is the command's.
    let own = if row.run == Run::Argv && !row.after_dashes { operand.unwrap_or(end) } else { end };
    texts::given(head, argv, options, own, found);
    if let Some(at) = options.rest {
        let stop = end_of(argv, at, |word| word == ";");
        if at < stop {
            let option = options.options.last().map_or("", |option| option.name.as_ref());
            let mut around = around(format!("{label} {option}").into());
            if row.appends {
                let whole = argv.get(at..stop).unwrap_or_default();
                around.replace = Some("{}".into());
                around.appends = !whole.iter().any(|word| word.text.contains('{'));
            }
            found.push(Inner::Command(at..stop, around));
        }
        return;
    }
    if let Some(lang) = row.code {
        found.extend(code(lang, argv, options, label.clone()));
    }
    match row.run {
        Run::Nothing => {}
        Run::Argv => argv_command(head, argv, options, found, &around(label)),
        Run::Parallel => parallel::collect(argv, options, found, around(label)),
        Run::Join | Run::Texts => {
            let dashes = |at: &usize| row.run == Run::Join && argv.get(*at).is_some_and(|word| word.text == "--");
            let Some(at) = operand.map(|at| if dashes(&at) { at + 1 } else { at }).filter(|at| *at < end) else {
                // `ssh host <<E`: the shell over there reads standard input.
                if row.elsewhere && !options.operands.is_empty() {
                    found.push(Inner::Stdin(around(label)));
                }
                return;
            };
            let around = around(label);
            if row.run == Run::Texts {
                for at in at..end {
                    found.extend(argv.get(at).map(|text| one(text.clone(), at, Scope::Child, around.clone())));
                }
                return;
            }
            let text = if row.elsewhere { join(argv, at..end) } else { meant(argv, at..end) };
            found.push(one(text, at, Scope::Child, around));
        }
        Run::Keys => texts::keys(argv, options, found, around(label)),
        Run::Eval => {
            let at = if argv.get(1).is_some_and(|word| word.text == "--") { 2 } else { 1 };
            if at < end {
                found.push(one(join(argv, at..end), at, Scope::Same, around(label)));
            }
        }
        Run::Trap => {
            if let (Some(at), true) = (operand, options.operands.len() > 1)
                && let Some(text) = argv.get(at).filter(|word| !matches!(word.text.as_str(), "" | "-"))
            {
                found.push(one(text.clone(), at, Scope::Later, around(label)));
            }
        }
        Run::Source => {
            if let Some(at) = operand {
                found.push(Inner::File(at, Scope::Same, around("source".into())));
            }
        }
        Run::Find => find::collect(argv, found),
        Run::Stdin if found.is_empty() => found.push(Inner::Stdin(around(format!("{label} stdin").into()))),
        Run::Stdin => {}
        Run::Cron => {
            if operand.is_none_or(|at| argv.get(at).is_some_and(|word| word.text == "-")) {
                let home = Arg { text: "~".into(), dynamic: Dynamic::Tilde.into() };
                found.push(Inner::Stdin(Around { chdir: Some(home), ..around("crontab".into()) }));
            }
        }
        Run::Shell => shell(head, argv, options, found),
        Run::Make | Run::Just => found.push(Inner::Recipes(row.run)),
    }
}

fn argv_command(head: &str, argv: &[Arg], options: &Options<'_>, found: &mut Vec<Inner>, around: &Around) {
    let row = options.row;
    let end = argv.len();
    if head == "env"
        && let Some(option) = options.get(&["-S", "--split-string"])
        && let Some(value) = &option.value
    {
        let first = options.operands.first().copied().unwrap_or(end);
        let dynamic = argv.get(option.value_at).map(|word| word.dynamic).unwrap_or_default();
        let Some(mut words) = texts::split(value, dynamic) else { return };
        words.extend(argv.get(first..end).unwrap_or_default().iter().cloned());
        let own = |word: &Arg| word.text.starts_with('-') || is_assignment(&word.text);
        if words.first().is_some_and(own) {
            // They are read as if they stood there.
            words.insert(0, Arg::literal(head));
        }
        if !words.is_empty() {
            found.push(Inner::Words(first..first, words, around.clone()));
        }
        return;
    }
    let mut at = match (row.after_dashes, options.dashes) {
        (true, Some(dashes)) => dashes + 1,
        (true, None) => {
            let inner = options.operands.iter().copied().find(|at| argv.get(*at).is_some_and(|word| word.text == "--"));
            match inner.or_else(|| options.operands.first().copied()) {
                Some(at) => at + 1,
                None => return,
            }
        }
        (false, _) => match options.operands.get(row.skip as usize) {
            Some(at) => *at,
            None if !options.has(row.before) => return,
            None => end,
        },
    };
    while let Some(word) = argv.get(at) {
        if (row.assigns && (is_assignment(&word.text) || word.text == "-")) || word.text == "--" {
            at += 1;
        } else {
            break;
        }
    }
    // `docker run --entrypoint sh image -c text`
    if let Some(first) = options.get(row.before).and_then(|option| value(argv, option)) {
        let words = std::iter::once(first).chain(argv.get(at..).unwrap_or_default().iter().cloned()).collect();
        found.push(Inner::Words(at.min(end)..end, words, around.clone()));
        return;
    }
    let Some(word) = argv.get(at) else { return };
    if row.text.contains(&word.text.as_str()) {
        if let Some(text) = argv.get(at + 1) {
            let mut around = around.clone();
            around.label = format!("{} {}", around.label, word.text).into();
            found.push(one(text.clone(), at + 1, Scope::Child, around));
        }
        return;
    }
    found.push(Inner::Command(at..end, around.clone()));
}

fn one(text: Arg, at: usize, scope: Scope, around: Around) -> Inner {
    Inner::Text { text, at, scope, args: 0..0, around }
}

/// What stands for unknown input, by `-I{}` and the like.
fn replace(options: &Options<'_>) -> Option<Arc<str>> {
    let option = options.get(options.row.replace)?;
    Some(option.value.as_deref().unwrap_or("{}").into())
}

/// `A=1`
pub fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| is_name(name))
}

/// Whether a text can be the name of a variable.
pub fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn end_of(argv: &[Arg], at: usize, ends: impl Fn(&str) -> bool) -> usize {
    let words = argv.get(at..).unwrap_or_default();
    words.iter().position(|word| ends(&word.text)).map_or(argv.len(), |found| at + found)
}

/// Words joined with blanks.
pub fn join(argv: &[Arg], range: Range<usize>) -> Arg {
    let mut line = Arg::default();
    for (number, word) in argv.get(range).unwrap_or_default().iter().enumerate() {
        if number > 0 {
            line.text.push(' ');
        }
        line.text.push_str(&word.text);
        line.mark_all(word.dynamic);
    }
    line
}

/// Words joined with blanks for a shell, as they were meant: of `watch sh -c 'a b'` that shell runs
/// `a` alone, and nobody means that, so `a b` is read as one word.
fn meant(argv: &[Arg], range: Range<usize>) -> Arg {
    let words = argv.get(range.clone()).unwrap_or_default();
    let [shell, option, text, ..] = words else { return join(argv, range) };
    let name = shell.text.rsplit('/').next().unwrap_or_default();
    let code = option.text.starts_with('-') && !option.text.starts_with("--") && option.text.ends_with('c');
    let split = text.text.contains([' ', '\t', '\n', ';', '$']);
    if !code || !split || !matches!(name, "sh" | "bash" | "zsh" | "dash" | "ksh") {
        return join(argv, range);
    }
    let mut words = words.to_vec();
    if let Some(text) = words.get_mut(2) {
        text.text = format!("'{}'", text.text.replace("'", "'\\''")).into();
    }
    let count = words.len();
    join(&words, 0..count)
}

fn shell(head: &str, argv: &[Arg], options: &Options<'_>, found: &mut Vec<Inner>) {
    let around = |what: &str| Around { label: format!("{head} {what}").into(), ..Around::default() };
    let flag = |name: &str| options.options.iter().any(|option| option.name == name);
    // It only checks the syntax.
    if flag("-n") && !flag("+n") {
        return;
    }
    let first = options.operands.first().copied();
    let end = argv.len();
    if flag("-c") || (head == "fish" && flag("--command")) {
        match first.and_then(|at| Some((at, argv.get(at)?))) {
            Some((at, text)) => found.push(Inner::Text {
                text: text.clone(),
                at,
                scope: Scope::Child,
                args: at + 1..end,
                around: around("-c"),
            }),
            None => found.push(Inner::Unknown("code from input")),
        }
        return;
    }
    match first {
        Some(at) if !flag("-s") && argv.get(at).is_some_and(|word| word.text != "-") => {
            found.push(Inner::File(at, Scope::Child, around("file")));
        }
        _ if flag("--version") || flag("--help") => {}
        _ => found.push(Inner::Stdin(around("stdin"))),
    }
}

/// The program text of an interpreter: in options, in an operand, or on standard input.
fn code(lang: Lang, argv: &[Arg], options: &Options<'_>, label: EcoString) -> Option<Inner> {
    let row = options.row;
    let end = argv.len();
    let mut given = options.options.iter().filter(|option| row.code_text.contains(&option.name.as_ref())).peekable();
    if let Some(first) = given.peek() {
        let (at, label) = (first.value_at, format!("{label} {}", first.name));
        let mut text = Arg::default();
        for option in given {
            if !text.text.is_empty() {
                text.text.push('\n');
            }
            text.text.push_str(option.value.as_deref().unwrap_or_default());
            text.mark_all(argv.get(option.value_at).map_or(Dynamics::NONE, |word| word.dynamic));
        }
        let args = options.operands.first().copied().unwrap_or(end)..end;
        return Some(Inner::Code { lang, text: Some(text), at, args, label: label.into() });
    }
    let mut elsewhere =
        options.options.iter().filter(|option| row.code_unless.contains(&option.name.as_ref())).peekable();
    if elsewhere.peek().is_some() {
        // `awk -f - a`
        let fed = elsewhere.all(|option| matches!(option.value.as_deref(), Some("-" | "/dev/stdin")));
        let args = options.operands.first().copied().unwrap_or(end)..end;
        return fed.then(|| Inner::Code { lang, text: None, at: 0, args, label: format!("{label} stdin").into() });
    }
    if let Some(at) = row.code_at.and_then(|at| options.operands.get(at as usize).copied()) {
        let text = argv.get(at).cloned();
        return Some(Inner::Code { lang, text, at, args: at + 1..end, label });
    }
    let none = match row.code_at {
        Some(at) => options.operands.len() <= at as usize,
        // Operands of a client name a database.
        None if lang == Lang::Sql => true,
        None => options.operands.first().is_none_or(|at| argv.get(*at).is_some_and(|word| word.text == "-")),
    };
    let args = options.operands.get(1).copied().unwrap_or(end)..end;
    (row.code_stdin && none).then(|| Inner::Code {
        lang,
        text: None,
        at: 0,
        args,
        label: format!("{label} stdin").into(),
    })
}

/// The text of a word that is not certain, as a reason: what the code comes from.
pub fn source_of(word: &Arg) -> Cow<'static, str> {
    for (kind, name) in [
        (Dynamic::Sub, "a substitution"),
        (Dynamic::Var, "a variable"),
        (Dynamic::Proc, "a process substitution"),
        (Dynamic::Arith, "arithmetic"),
        (Dynamic::Glob, "a glob"),
        (Dynamic::Ifs, "`$IFS`"),
    ] {
        if word.dynamic.contains(&kind) {
            return Cow::Borrowed(name);
        }
    }
    Cow::Borrowed("an array")
}
