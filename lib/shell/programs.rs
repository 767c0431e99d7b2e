//! The program table: which options take values, what a program runs, which operands are paths.
//!
//! The data is `programs.toml`, made a static table when the library is built.

use super::code::Lang;
use super::part::Arg;
use crate::text::{letter, prefix, slot};

/// How a program reads its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Short bundles, long options with unique abbreviations, options anywhere before `--`.
    Gnu,
    /// As [`Style::Gnu`], but the first operand ends the options.
    Posix,
    /// One dash, whole words, values separate: `find`, `java`.
    Words,
    /// No options at all: every word is an operand.
    None,
}

/// What a program runs besides itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    /// Nothing that stands in its arguments, unless an option of [`Row::text`] or [`Row::rest`] is there.
    Nothing,
    /// Its operands are a command.
    Argv,
    /// A shell: `-c text`, a script file, or standard input.
    Shell,
    /// Its operands, joined with blanks, are shell text.
    Join,
    /// Each operand is shell text.
    Texts,
    /// As [`Run::Join`], in the calling shell.
    Eval,
    /// Its first operand is shell text if a signal follows.
    Trap,
    /// Reads a file as shell text in the calling shell.
    Source,
    /// `-exec command ;`
    Find,
    /// Joined operands before `:::`, or each one after it.
    Parallel,
    /// Standard input is shell text, if no option gives it.
    Stdin,
    /// Standard input is a table of jobs if its operand is `-` or not there.
    Cron,
    /// Its operands are keys that are typed into a shell.
    Keys,
    /// The recipes of a makefile.
    Make,
    /// The recipes of a justfile.
    Just,
}

/// What a program does with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Reads the content.
    Read,
    /// Creates or changes it.
    Write,
    /// Removes it.
    Delete,
    /// Looks at names or properties only.
    List,
    /// It is no path.
    Nothing,
}

/// How the command line of a program or a subcommand is read.
#[derive(Debug)]
pub struct Row {
    /// How options look.
    pub style: Style,
    /// The first letters of the options in the lists below, with one dash and with two, see [`letter`].
    pub letters: (u64, u64),
    /// Options that take a value.
    pub values: &'static [&'static str],
    /// Options that take a value only if it is attached.
    pub optional: &'static [&'static str],
    /// Further long options, so that abbreviations can be completed.
    pub flags: &'static [&'static str],
    /// What it runs.
    pub run: Run,
    /// How many operands stand before the command it runs.
    pub skip: u32,
    /// Whether that command stands only after `--`.
    pub after_dashes: bool,
    /// Whether assignments may stand before that command.
    pub assigns: bool,
    /// Options with which it runs nothing.
    pub stop: &'static [&'static str],
    /// Options without which it runs nothing; empty if it needs none.
    pub only: &'static [&'static str],
    /// Options whose value stands before the command.
    pub before: &'static [&'static str],
    /// Options that take two values.
    pub pairs: &'static [&'static str],
    /// Options whose value is shell text.
    pub text: &'static [&'static str],
    /// Options whose value is shell text that mostly is the mere name of a program.
    pub helpers: &'static [&'static str],
    /// `option prefix`: what follows the prefix in the option's value is shell text; no option for operands.
    pub text_after: &'static [(&'static str, &'static str)],
    /// Variables whose value is shell text if they are assigned before it.
    pub env_text: &'static [&'static str],
    /// Options after which all the rest is a command.
    pub rest: &'static [&'static str],
    /// Options whose value is the folder it changes to.
    pub chdir: &'static [&'static str],
    /// Options whose value stands for unknown input in the command.
    pub replace: &'static [&'static str],
    /// Whether it appends unknown operands to the command.
    pub appends: bool,
    /// Whether the command runs on another machine or in another root folder.
    pub elsewhere: bool,
    /// What it does with its operands.
    pub operands: Option<Does>,
    /// What it does with the first operand, if different.
    pub first: Option<Does>,
    /// Options whose presence makes the first operand an ordinary one.
    pub unless: &'static [&'static str],
    /// What it does with the last of two or more operands, if different.
    pub last: Option<Does>,
    /// Options whose value is a path.
    pub option_paths: &'static [(&'static str, Does)],
    /// `key=path` operands.
    pub keys: &'static [(&'static str, Does)],
    /// Options that make it write its operands.
    pub in_place: &'static [&'static str],
    /// Options whose value is the folder of the results; no operand is the last one then.
    pub into: &'static [&'static str],
    /// Options behind whose value no others follow: all the rest are operands (posix style only).
    pub ends: &'static [&'static str],
    /// Options with which it changes nothing: it is not open then, and only looks at its operands.
    pub dry: &'static [&'static str],
    /// Paths that it writes without being told, as seen from its folder.
    pub makes: &'static [&'static str],
    /// Why it may touch more than its paths, if it may.
    pub open: Option<&'static str>,
    /// Language of the program text that it is given.
    pub code: Option<Lang>,
    /// Options whose value is program text.
    pub code_text: &'static [&'static str],
    /// Which operand is program text, from 0.
    pub code_at: Option<u32>,
    /// Options with which no operand is program text, and none comes from standard input.
    pub code_unless: &'static [&'static str],
    /// Whether it reads program text from standard input if it is given none.
    pub code_stdin: bool,
}

/// A subcommand.
#[derive(Debug)]
pub struct Sub {
    /// The first eight bytes of its first word, see [`prefix`]; the table is sorted by it.
    key: u64,
    /// Its words: `["stash", "drop"]`.
    pub words: &'static [&'static str],
    /// How it is read.
    pub row: &'static Row,
}

/// What words look like that give a program anything to run: sets of first letters, see [`letter`].
#[derive(Debug)]
struct Hints {
    /// Of options with one dash.
    short: u64,
    /// Of options with two.
    long: u64,
    /// Of operands.
    plain: u64,
    /// Subcommands that run something.
    subs: &'static [&'static str],
}

/// A program.
#[derive(Debug)]
pub struct Program {
    /// All its names.
    pub names: &'static [&'static str],
    /// Whether it can run anything besides itself.
    pub runs: bool,
    /// Whether it runs and touches nothing, whatever its words.
    pub idle: bool,
    /// What the words look like without which it runs nothing; `None` if nobody can tell.
    hints: Option<Hints>,
    /// How its (global) options and operands are read.
    pub row: Row,
    /// Its subcommands; none if it has no such thing.
    pub subs: &'static [Sub],
}

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// The row of a program, by base name.
pub fn program(head: &str) -> Option<&'static Program> {
    let first = prefix(head);
    let mut at = slot(first, head.len(), BITS);
    // Half of the slots are free, so that a search ends soon.
    loop {
        let (known, name, row) = NAMES.get(usize::from(*SLOTS.get(at)?))?;
        if *known == first && *name == head {
            return ROWS.get(usize::from(*row));
        }
        at = (at + 1) % SLOTS.len();
    }
}

impl Row {
    /// Whether an option may be in one of the lists of those that take values, of abbreviations or of
    /// options that end the others, by its first letter.
    pub fn may_list(&self, option: &str) -> bool {
        let (short, long) = self.letters;
        match option.as_bytes() {
            [b'-', b'-', first, ..] => letter(*first) & long != 0,
            [b'-', first, ..] if *first != b'-' => letter(*first) & short != 0,
            _ => true,
        }
    }
}

impl Program {
    /// Whether it may run something, by what its words look like.
    pub fn may_run(&self, argv: &[Arg]) -> bool {
        let Some(Hints { short, long, plain, subs }) = &self.hints else { return self.runs };
        let hints = |word: &Arg| match word.text.as_bytes() {
            // `--=x` is the beginning of every name.
            [b'-', b'-', first, ..] => letter(*first) & long != 0 || *first == b'=',
            [b'-', letters @ ..] => letters.iter().any(|byte| letter(*byte) & short != 0),
            [first, ..] => letter(*first) & plain != 0 || subs.contains(&word.text.as_str()),
            [] => false,
        };
        self.runs && argv.iter().skip(1).any(hints)
    }

    /// The subcommands whose first word is this one, the shortest first.
    pub fn subs_of(&self, first: &str) -> &'static [Sub] {
        let key = prefix(first);
        let from = self.subs.partition_point(|sub| sub.key < key);
        let same = self.subs.get(from..).unwrap_or_default();
        let to = same.iter().take_while(|sub| sub.key == key).count();
        let same = same.get(..to).unwrap_or_default();
        let word = |sub: &Sub| sub.words.first().copied().unwrap_or_default();
        let from = same.partition_point(|sub| word(sub) < first);
        let to = same.partition_point(|sub| word(sub) <= first);
        same.get(from..to).unwrap_or_default()
    }
}

/// All rows.
pub fn all() -> &'static [Program] {
    ROWS
}

/// How a program without a row is read.
pub static UNKNOWN: Row = Row {
    style: Style::Gnu,
    letters: (0, 0),
    values: &[],
    optional: &[],
    flags: &[],
    run: Run::Nothing,
    skip: 0,
    after_dashes: false,
    assigns: false,
    stop: &[],
    only: &[],
    before: &[],
    pairs: &[],
    text: &[],
    helpers: &[],
    text_after: &[],
    env_text: &[],
    rest: &[],
    chdir: &[],
    replace: &[],
    appends: false,
    elsewhere: false,
    operands: None,
    first: None,
    unless: &[],
    last: None,
    option_paths: &[],
    keys: &[],
    in_place: &[],
    into: &[],
    ends: &[],
    dry: &[],
    makes: &[],
    open: Some("unknown program"),
    code: None,
    code_text: &[],
    code_at: None,
    code_unless: &[],
    code_stdin: false,
};

#[cfg(test)]
#[path = "programs_build.rs"]
#[expect(dead_code, reason = "the tests only read and render")]
mod build;

#[cfg(test)]
mod tests {
    #![expect(clippy::panic, reason = "a test may stop at what it did not expect")]

    use super::{Run, all, build, program};
    use crate::shell::{options, read};

    fn file() -> build::File {
        match build::read(include_str!("programs.toml")) {
            Ok(file) => file,
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn the_table_is_the_file() {
        let rendered = build::render(&file()).unwrap_or_default();
        assert_eq!(rendered, include_str!(concat!(env!("OUT_DIR"), "/programs.rs")));
        assert_eq!(all().len(), file().program.len());
        for row in file().program {
            for name in &row.names {
                assert!(program(name).is_some_and(|found| found.names.contains(&name.as_str())));
            }
        }
    }

    #[test]
    fn every_row_has_an_example_that_reads_well() {
        for row in file().program {
            for example in &row.examples {
                let read = read(example);
                assert!(!read.opaque, "{example}: {:?}", read.why);
                let Some(part) = read.parts.first() else { panic!("no part: {example}") };
                assert!(row.names.iter().any(|name| *name == part.head), "{example} is not of {:?}", row.names);
                let options = options::options(part);
                for option in &options.options {
                    let takes = options.row.values.contains(&option.name.as_ref());
                    assert!(!takes || option.value.is_some(), "{example}: {} has no value", option.name);
                }
                if example.contains("rm x") {
                    let last = read.parts.last().map(|part| part.head.as_str());
                    assert_eq!(last, Some("rm"), "{example} does not show what it runs");
                }
                if options.row.run == Run::Argv {
                    assert!(read.parts.len() > 1, "{example} runs nothing");
                }
            }
        }
    }
}
