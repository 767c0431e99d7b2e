//! Renders `programs.toml` as a Rust table. Used by the build script, and by the test that
//! compares the table with the file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Its rows.
    pub program: Vec<ProgramToml>,
}

/// One program, under all its names.
#[derive(Debug, Deserialize)]
pub struct ProgramToml {
    /// Base names.
    pub names: Vec<String>,
    /// Commands that a test reads; each must begin with one of the names.
    pub examples: Vec<String>,
    /// Its subcommands.
    #[serde(default)]
    pub sub: Vec<SubToml>,
    /// Everything that a subcommand can have too.
    #[serde(flatten)]
    pub row: RowToml,
}

/// One subcommand, or several that are read alike.
#[derive(Debug, Deserialize)]
pub struct SubToml {
    /// Spellings, each one or more words.
    pub words: Vec<String>,
    /// How it is read.
    #[serde(flatten)]
    pub row: RowToml,
}

/// How a command line is read. `programs.toml` explains the keys.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct RowToml {
    /// Style of options.
    pub style: Option<String>,
    /// Options with a value.
    pub values: Vec<String>,
    /// Options whose value can only be attached.
    pub optional: Vec<String>,
    /// Further long options.
    pub flags: Vec<String>,
    /// What it runs.
    pub run: Option<String>,
    /// Operands before the command.
    pub skip: u32,
    /// Whether the command stands only after `--`.
    pub after_dashes: bool,
    /// Whether `A=1` words may stand before the command.
    pub assigns: bool,
    /// Options with which it runs nothing.
    pub stop: Vec<String>,
    /// Options without which it runs nothing.
    pub only: Vec<String>,
    /// Options whose value stands before the command.
    pub before: Vec<String>,
    /// Options that take two values.
    pub pairs: Vec<String>,
    /// Options whose value is shell text.
    pub text: Vec<String>,
    /// Options whose value is shell text, mostly the mere name of a program.
    pub helpers: Vec<String>,
    /// `option prefix`: what follows is shell text.
    pub text_after: Vec<String>,
    /// Variables whose value is shell text.
    pub env_text: Vec<String>,
    /// Options after which the rest is the command.
    pub rest: Vec<String>,
    /// Options whose value is the folder it changes to.
    pub chdir: Vec<String>,
    /// Options whose value stands for unknown input in the command.
    pub replace: Vec<String>,
    /// Whether unknown operands are appended to the command.
    pub appends: bool,
    /// Whether the command runs on another machine or root folder.
    pub elsewhere: bool,
    /// What it does with its operands.
    pub operands: Option<String>,
    /// What it does with the first.
    pub first: Option<String>,
    /// Options that take the place of the first operand.
    pub unless: Vec<String>,
    /// What it does with the last of several.
    pub last: Option<String>,
    /// What it does with the value of an option.
    pub option_paths: BTreeMap<String, String>,
    /// What it does with `key=value` operands.
    pub keys: BTreeMap<String, String>,
    /// Options that make it write its operands.
    pub in_place: Vec<String>,
    /// Options that name the folder of the results.
    pub into: Vec<String>,
    /// Options behind whose value no others follow.
    pub ends: Vec<String>,
    /// Options with which it changes nothing.
    pub dry: Vec<String>,
    /// Paths that it writes without being told.
    pub makes: Vec<String>,
    /// Why it may touch more than its paths, if it may.
    pub open: Option<String>,
    /// Language of the program text that it is given.
    pub code: Option<String>,
    /// Options whose value is program text.
    pub code_text: Vec<String>,
    /// Which operand is program text, from 0.
    pub code_at: Option<u32>,
    /// Options with which no operand is program text, and none comes from standard input.
    pub code_unless: Vec<String>,
    /// Whether it reads program text from standard input if it is given none.
    pub code_stdin: bool,
}

/// Reads the file.
///
/// # Errors
/// What is wrong with it, in a sentence.
pub fn read(text: &str) -> Result<File, Box<dyn std::error::Error>> {
    // A flattened struct cannot refuse unknown keys, so they are looked for here.
    let table: toml::Table = toml::from_str(text)?;
    for program in table.get("program").and_then(toml::Value::as_array).into_iter().flatten() {
        let subs = program.get("sub").and_then(toml::Value::as_array);
        for row in subs.into_iter().flatten().chain(std::iter::once(program)) {
            for key in row.as_table().into_iter().flat_map(toml::Table::keys) {
                if !KEYS.contains(&key.as_str()) {
                    return Err(format!("programs.toml: unknown key `{key}` in {program:?}").into());
                }
            }
        }
    }
    Ok(toml::from_str(text)?)
}

const KEYS: &[&str] = &[
    "names",
    "examples",
    "sub",
    "words",
    "style",
    "values",
    "optional",
    "flags",
    "run",
    "skip",
    "after_dashes",
    "assigns",
    "stop",
    "only",
    "before",
    "pairs",
    "text",
    "helpers",
    "text_after",
    "env_text",
    "rest",
    "chdir",
    "replace",
    "appends",
    "elsewhere",
    "operands",
    "first",
    "unless",
    "last",
    "option_paths",
    "keys",
    "in_place",
    "into",
    "ends",
    "dry",
    "makes",
    "open",
    "code",
    "code_text",
    "code_at",
    "code_unless",
    "code_stdin",
];

/// Writes `programs.rs` into `out`.
///
/// # Errors
/// What is wrong with the file, in a sentence.
pub fn generate(root: &Path, out: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let source = root.join("lib/shell/programs.toml");
    let file = read(&std::fs::read_to_string(&source)?).map_err(|error| format!("{}: {error}", source.display()))?;
    std::fs::write(out.join("programs.rs"), render(&file)?)?;
    Ok(())
}

/// The Rust text of the table.
///
/// # Errors
/// A word that is not in the vocabulary, or a name with two rows.
pub fn render(file: &File) -> Result<String, Box<dyn std::error::Error>> {
    let mut text = String::new();
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    // Rows of subcommands stand once, whatever the number of their spellings.
    let (mut shared, mut shares) = (String::new(), 0);
    writeln!(text, "static ROWS: &[Program] = &[")?;
    for (at, program) in file.program.iter().enumerate() {
        if program.examples.is_empty() {
            return Err(format!("programs.toml: `{:?}` has no example", program.names).into());
        }
        for name in &program.names {
            if names.insert(name, at).is_some() {
                return Err(format!("programs.toml: `{name}` has two rows").into());
            }
        }
        let runs = runs(&program.row) || program.sub.iter().any(|sub| runs(&sub.row));
        let hints = hints(program);
        let idle = idle(program);
        write!(text, "Program {{ names: &{:?}, runs: {runs}, idle: {idle}, hints: {hints}, row: ", program.names)?;
        row(&mut text, &program.row)?;
        write!(text, ", subs: &[")?;
        let mut subs: Vec<(Vec<&str>, usize)> = Vec::new();
        for sub in &program.sub {
            write!(shared, "static SUB_{shares}: Row = ")?;
            row(&mut shared, &sub.row)?;
            writeln!(shared, ";")?;
            subs.extend(sub.words.iter().map(|words| (words.split(' ').collect(), shares)));
            shares += 1;
        }
        subs.sort();
        for (words, share) in subs {
            let key = words.first().map_or(0, |word| crate::text::prefix(word));
            writeln!(text, "Sub {{ key: {key}, words: &{words:?}, row: &SUB_{share} }},")?;
        }
        writeln!(text, "]}},")?;
    }
    writeln!(text, "];\nstatic NAMES: &[(u64, &str, u16)] = &[")?;
    let mut slots = vec![u16::MAX; (names.len() * 2).next_power_of_two()];
    let bits = slots.len().ilog2();
    for (number, (name, at)) in names.into_iter().enumerate() {
        let prefix = crate::text::prefix(name);
        writeln!(text, "({prefix}, {name:?}, {at}),")?;
        let mut slot = crate::text::slot(prefix, name.len(), bits);
        while slots.get(slot).is_some_and(|taken| *taken != u16::MAX) {
            slot = (slot + 1) % slots.len();
        }
        if let Some(free) = slots.get_mut(slot) {
            *free = u16::try_from(number)?;
        }
    }
    writeln!(text, "];\nconst BITS: u32 = {bits};\nstatic SLOTS: [u16; 1 << BITS] = {slots:?};")?;
    Ok(shared + &text)
}

/// What the words look like that give anything to run, as Rust text; `None` if its own row runs
/// what no word shows.
fn hints(program: &ProgramToml) -> String {
    let row = &program.row;
    if row.run.is_some() || row.code.is_some() {
        return "None".to_owned();
    }
    let (mut short, mut long, mut plain) = (0, 0, 0);
    let mut subs: Vec<&str> = Vec::new();
    for (row, words) in std::iter::once((row, None)).chain(program.sub.iter().map(|sub| (&sub.row, Some(&sub.words)))) {
        if row.run.is_some() || row.code.is_some() {
            subs.extend(words.into_iter().flatten().filter_map(|words| words.split(' ').next()));
        }
        let after = row.text_after.iter().map(|text| text.split_once(' ').unwrap_or((text, "")));
        let names = [&row.text, &row.rest, &row.helpers].into_iter().flatten().map(|name| (name.as_str(), ""));
        for (name, prefix) in names.chain(after) {
            let (letters, text) = match (name, name.strip_prefix("--")) {
                ("", _) => (&mut plain, prefix),
                (_, Some(name)) => (&mut long, name),
                _ => (&mut short, name.get(1..).unwrap_or_default()),
            };
            for letter in text.bytes().take(1) {
                *letters |= crate::text::letter(letter.to_ascii_lowercase());
                *letters |= crate::text::letter(letter.to_ascii_uppercase());
            }
        }
    }
    subs.sort_unstable();
    subs.dedup();
    format!("Some(Hints {{ short: {short}, long: {long}, plain: {plain}, subs: &{subs:?} }})")
}

/// Whether a program runs and touches nothing, whatever its words.
fn idle(program: &ProgramToml) -> bool {
    let row = &program.row;
    let lists = [&row.chdir, &row.makes, &row.in_place, &row.into, &row.dry];
    let does = [&row.first, &row.last, &row.open];
    row.style.as_deref() == Some("posix")
        && row.operands.as_deref() == Some("none")
        && !runs(row)
        && program.sub.is_empty()
        && lists.iter().all(|list| list.is_empty())
        && does.iter().all(|does| does.is_none())
        && row.option_paths.is_empty()
        && row.keys.is_empty()
}

/// The first letters of the options of some lists, with one dash and with two.
fn letters(lists: &[&Vec<String>]) -> (u64, u64) {
    let (mut short, mut long) = (0, 0);
    for name in lists.iter().copied().flatten() {
        match name.as_bytes() {
            [b'-', b'-', letter, ..] => long |= crate::text::letter(*letter),
            [b'-', letter, ..] => short |= crate::text::letter(*letter),
            _ => (short, long) = (u64::MAX, u64::MAX),
        }
    }
    (short, long)
}

/// Whether a row says of anything that it runs.
fn runs(row: &RowToml) -> bool {
    let lists = [&row.text, &row.rest, &row.helpers, &row.text_after, &row.env_text];
    row.run.is_some() || row.code.is_some() || lists.iter().any(|list| !list.is_empty())
}

fn row(text: &mut String, row: &RowToml) -> Result<(), Box<dyn std::error::Error>> {
    let style = match row.style.as_deref() {
        None | Some("gnu") => "Gnu",
        Some("posix") => "Posix",
        Some("words") => "Words",
        Some("none") => "None",
        Some(other) => return Err(format!("programs.toml: unknown style `{other}`").into()),
    };
    let run = match row.run.as_deref() {
        None => "Nothing",
        Some("argv") => "Argv",
        Some("shell") => "Shell",
        Some("join") => "Join",
        Some("texts") => "Texts",
        Some("eval") => "Eval",
        Some("trap") => "Trap",
        Some("source") => "Source",
        Some("find") => "Find",
        Some("parallel") => "Parallel",
        Some("stdin") => "Stdin",
        Some("cron") => "Cron",
        Some("keys") => "Keys",
        Some("make") => "Make",
        Some("just") => "Just",
        Some(other) => return Err(format!("programs.toml: unknown run `{other}`").into()),
    };
    let letters = letters(&[&row.values, &row.optional, &row.flags, &row.rest, &row.pairs]);
    write!(text, "Row {{ style: Style::{style}, run: Run::{run}, skip: {}, letters: {letters:?}, ", row.skip)?;
    for (name, value) in [
        ("after_dashes", row.after_dashes),
        ("assigns", row.assigns),
        ("appends", row.appends),
        ("elsewhere", row.elsewhere),
        ("code_stdin", row.code_stdin),
    ] {
        write!(text, "{name}: {value}, ")?;
    }
    for (name, list) in [
        ("values", &row.values),
        ("optional", &row.optional),
        ("flags", &row.flags),
        ("stop", &row.stop),
        ("only", &row.only),
        ("before", &row.before),
        ("pairs", &row.pairs),
        ("text", &row.text),
        ("helpers", &row.helpers),
        ("env_text", &row.env_text),
        ("rest", &row.rest),
        ("chdir", &row.chdir),
        ("replace", &row.replace),
        ("unless", &row.unless),
        ("in_place", &row.in_place),
        ("into", &row.into),
        ("ends", &row.ends),
        ("dry", &row.dry),
        ("makes", &row.makes),
        ("code_text", &row.code_text),
        ("code_unless", &row.code_unless),
    ] {
        write!(text, "{name}: &{list:?}, ")?;
    }
    for (name, value) in [("operands", &row.operands), ("first", &row.first), ("last", &row.last)] {
        match value {
            Some(value) => write!(text, "{name}: Some({}), ", op(value)?)?,
            None => write!(text, "{name}: None, ")?,
        }
    }
    write!(text, "open: {:?}, code_at: {:?}, ", row.open, row.code_at)?;
    match row.code.as_deref().map(language).transpose()? {
        Some(lang) => write!(text, "code: Some(Lang::{lang}), ")?,
        None => write!(text, "code: None, ")?,
    }
    write!(text, "text_after: &[")?;
    for entry in &row.text_after {
        let (option, prefix) = entry.split_once(' ').ok_or(format!("programs.toml: no blank in `{entry}`"))?;
        write!(text, "({option:?}, {prefix:?}), ")?;
    }
    write!(text, "], ")?;
    for (name, map) in [("option_paths", &row.option_paths), ("keys", &row.keys)] {
        write!(text, "{name}: &[")?;
        for (key, value) in map {
            write!(text, "({key:?}, {}), ", op(value)?)?;
        }
        write!(text, "], ")?;
    }
    write!(text, "}}")?;
    Ok(())
}

fn language(name: &str) -> Result<&'static str, Box<dyn std::error::Error>> {
    Ok(match name {
        "python" => "Python",
        "javascript" => "JavaScript",
        "ruby" => "Ruby",
        "perl" => "Perl",
        "php" => "Php",
        "awk" => "Awk",
        "sed" => "Sed",
        "sql" => "Sql",
        "lua" => "Lua",
        "r" => "R",
        "julia" => "Julia",
        "elixir" => "Elixir",
        "tcl" => "Tcl",
        "applescript" => "AppleScript",
        other => return Err(format!("programs.toml: unknown language `{other}`").into()),
    })
}

fn op(name: &str) -> Result<&'static str, Box<dyn std::error::Error>> {
    Ok(match name {
        "read" => "Does::Read",
        "write" => "Does::Write",
        "delete" => "Does::Delete",
        "list" => "Does::List",
        "none" => "Does::Nothing",
        other => return Err(format!("programs.toml: unknown use of a path `{other}`").into()),
    })
}
