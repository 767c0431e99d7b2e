//! Renders `packs/*.toml` as static tables. Used by the build script, and by the test that
//! compares the tables with the files.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// A pack file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Its head.
    pub pack: PackToml,
    /// Its rules.
    pub rule: Vec<RuleToml>,
}

/// Table `[pack]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackToml {
    /// Name: the part of a rule id before the slash.
    pub name: String,
    /// One sentence.
    pub about: String,
    /// Command words that any of its rules needs; `*` if a rule has no head of its own.
    pub heads: Vec<String>,
    /// Options with which none of its rules matches: the program then only says something.
    #[serde(default)]
    pub harmless: Vec<String>,
}

/// Table `[[rule]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleToml {
    /// `<pack>/<pattern>`.
    pub id: String,
    /// What kind of thing it recognises.
    pub class: String,
    /// Command words; the pack's if left out; `*` for any.
    #[serde(default)]
    pub heads: Vec<String>,
    /// Canonical keys of tools other than a shell.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Subcommand words in order; a nested list means alternatives.
    #[serde(default)]
    pub args: Vec<OneOrMany>,
    /// Options.
    #[serde(default)]
    pub flags: FlagsToml,
    /// Operands: every matcher needs one that fits.
    #[serde(default)]
    pub operands: Vec<OperandToml>,
    /// A redirect.
    pub redirect: Option<RedirectToml>,
    /// What feeds its standard input: download, decoder, any.
    pub stdin_from: Option<String>,
    /// What a substitution inside it runs: download, decoder.
    pub runs_code_from: Option<String>,
    /// Contexts, one of which it must stand in: `xargs`, `find -exec`.
    #[serde(default)]
    pub inside: Vec<String>,
    /// Contexts, none of which it may stand in.
    #[serde(default)]
    pub not_inside: Vec<String>,
    /// Matchers over the operands of the part it stands in.
    #[serde(default)]
    pub outer: Vec<OperandToml>,
    /// Ways to match; one is enough.
    #[serde(default)]
    pub when: Vec<ClauseToml>,
    /// Why, one sentence for the agent.
    pub reason: String,
    /// The way on.
    #[serde(default)]
    pub instead: String,
    /// Canonical key of the dedicated tool.
    #[serde(default)]
    pub offer: String,
    /// deny, ask, none.
    pub verdict: Option<String>,
    /// low, medium, high, critical.
    pub severity: Option<String>,
    /// Plugin it belongs to.
    #[serde(default)]
    pub plugin: String,
    /// Levels before and after.
    pub grade: Option<GradeToml>,
    /// Commands it must match.
    #[serde(rename = "match")]
    pub matches: Vec<String>,
    /// Commands it must not match.
    pub not_match: Vec<String>,
}

/// Grades of a plugin rule.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GradeToml {
    /// Level of the shell command.
    pub before: u8,
    /// Level of the alternative.
    pub after: u8,
}

/// A word or alternatives.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    /// One.
    One(String),
    /// Any of these.
    Many(Vec<String>),
}

impl OneOrMany {
    fn list(&self) -> Vec<&str> {
        match self {
            Self::One(word) => vec![word],
            Self::Many(words) => words.iter().map(String::as_str).collect(),
        }
    }
}

/// Options of a rule.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FlagsToml {
    /// One of these.
    pub any: Vec<String>,
    /// One of each.
    pub all: Vec<OneOrMany>,
    /// None of these.
    pub none: Vec<String>,
}

/// A matcher over operands.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OperandToml {
    /// any, first, last, rest, dashed, start, words, assign, redirect, reads, writes, fed, code, literal, input, statement.
    pub at: Option<String>,
    /// Options whose values are looked at.
    pub option: Vec<String>,
    /// `key=value` operands that are looked at.
    pub key: Vec<String>,
    /// Kinds of path, one of which it must be.
    pub kinds: Vec<String>,
    /// Kinds of path it must not be.
    pub not_kinds: Vec<String>,
    /// Globs over the text.
    pub text: Vec<String>,
    /// Globs that must not match.
    pub not_text: Vec<String>,
    /// Whether all looked at must fit, not one.
    pub every: bool,
    /// Least number looked at.
    pub min: u16,
    /// Largest number looked at.
    pub max: Option<u16>,
}

/// A matcher over redirects.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RedirectToml {
    /// read, write or heredoc.
    pub op: String,
    /// Kinds of path of the target.
    pub kinds: Vec<String>,
    /// Kinds it must not be.
    pub not_kinds: Vec<String>,
}

/// One way to match.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClauseToml {
    /// Options.
    pub flags: FlagsToml,
    /// Operands.
    pub operands: Vec<OperandToml>,
    /// A redirect.
    pub redirect: Option<RedirectToml>,
    /// What feeds its standard input.
    pub stdin_from: Option<String>,
    /// What a substitution inside it runs.
    pub runs_code_from: Option<String>,
    /// Contexts it must stand in.
    pub inside: Vec<String>,
    /// Contexts it may not stand in.
    pub not_inside: Vec<String>,
    /// Matchers over the operands of the part it stands in.
    pub outer: Vec<OperandToml>,
}

type Failure = Box<dyn std::error::Error>;

/// Reads a pack.
pub fn read(text: &str) -> Result<File, toml::de::Error> {
    toml::from_str(text)
}

/// The pack files in order of name.
pub fn files(root: &Path) -> Result<Vec<(String, String)>, Failure> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(root.join("lib/rules/packs"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ext| ext == "toml") {
            let name = path.file_name().and_then(|name| name.to_str()).ok_or("a pack's name is not text")?.to_owned();
            files.push((name, std::fs::read_to_string(&path)?));
        }
    }
    files.sort();
    Ok(files)
}

/// Writes `packs.rs` into `out`.
pub fn generate(root: &Path, out: &Path) -> Result<(), Failure> {
    std::fs::write(out.join("packs.rs"), render(root)?)?;
    Ok(())
}

/// The Rust text of the tables.
pub fn render(root: &Path) -> Result<String, Failure> {
    let mut text = String::from("static PACKS: &[Pack] = &[\n");
    let mut heads: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
    let mut tools: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
    for (at, (name, source)) in files(root)?.iter().enumerate() {
        let file = read(source).map_err(|error| format!("lib/rules/packs/{name}: {error}"))?;
        pack(&mut text, name, source, &file).map_err(|error| format!("lib/rules/packs/{name}: {error}"))?;
        for (row, rule) in file.rule.iter().enumerate() {
            for head in if rule.heads.is_empty() { &file.pack.heads } else { &rule.heads } {
                if rule.tools.is_empty() || !rule.heads.is_empty() {
                    heads.entry(head.clone()).or_default().push((at, row));
                }
            }
            for tool in &rule.tools {
                tools.entry(tool.clone()).or_default().push((at, row));
            }
        }
    }
    writeln!(text, "];")?;
    for (name, index) in [("HEADS", heads), ("TOOLS", tools)] {
        writeln!(text, "static {name}: Index = &[")?;
        for (word, places) in index {
            writeln!(text, "({}, {word:?}, &{places:?}),", crate::text::prefix(&word))?;
        }
        writeln!(text, "];")?;
    }
    Ok(text)
}

fn pack(text: &mut String, name: &str, source: &str, file: &File) -> Result<(), Failure> {
    let pack = &file.pack;
    writeln!(
        text,
        "Pack {{ name: {:?}, about: {:?}, file: \"rules/packs/{name}\", heads: &{:?}, harmless: &{:?}, rules: &[",
        pack.name, pack.about, pack.heads, pack.harmless
    )?;
    for rule in &file.rule {
        let line = line(source, &rule.id);
        one(text, &pack.heads, line, rule).map_err(|error| format!("line {line}: `{}`: {error}", rule.id))?;
    }
    writeln!(text, "]}},")?;
    Ok(())
}

/// The line of a rule's id, from 1.
pub fn line(source: &str, id: &str) -> usize {
    let quoted = format!("\"{id}\"");
    source.lines().position(|line| line.starts_with("id") && line.contains(&quoted)).map_or(0, |at| at + 1)
}

fn one(text: &mut String, heads: &[String], line: usize, rule: &RuleToml) -> Result<(), Failure> {
    let args: Vec<Vec<&str>> = rule.args.iter().map(OneOrMany::list).collect();
    let own = if !rule.heads.is_empty() {
        &rule.heads[..]
    } else if rule.tools.is_empty() {
        heads
    } else {
        &[]
    };
    write!(
        text,
        "Rule {{ id: {:?}, line: {line}, class: Class::{}, heads: &{own:?}, tools: &{:?}, args: &{}, base: ",
        rule.id,
        name(&rule.class, CLASSES)?,
        rule.tools,
        lists(&args),
    )?;
    clause(
        text,
        &rule.flags,
        &rule.operands,
        rule.redirect.as_ref(),
        [&rule.stdin_from, &rule.runs_code_from],
        [&rule.inside, &rule.not_inside],
        &rule.outer,
    )?;
    write!(text, ", when: &[")?;
    for way in &rule.when {
        clause(
            text,
            &way.flags,
            &way.operands,
            way.redirect.as_ref(),
            [&way.stdin_from, &way.runs_code_from],
            [&way.inside, &way.not_inside],
            &way.outer,
        )?;
        write!(text, ", ")?;
    }
    let verdict = match (rule.class.as_str(), rule.verdict.as_deref()) {
        ("danger", None) => "Deny",
        (_, None | Some("none")) => "None",
        (_, Some(word)) => name(word, &[("ask", "Ask"), ("deny", "Deny")])?,
    };
    let severity = rule.severity.as_deref().unwrap_or("high");
    let severity = name(severity, &[("low", "Low"), ("medium", "Medium"), ("high", "High"), ("critical", "Critical")])?;
    let grade = rule.grade.as_ref().map(|grade| (grade.before, grade.after));
    writeln!(
        text,
        "], reason: {:?}, instead: {:?}, offer: {:?}, verdict: Verdict::{verdict}, severity: Severity::{severity}, \
         plugin: {:?}, grade: {grade:?}, matches: &{:?}, not_matches: &{:?} }},",
        rule.reason, rule.instead, rule.offer, rule.plugin, rule.matches, rule.not_match
    )?;
    Ok(())
}

fn clause(
    text: &mut String,
    flags: &FlagsToml,
    operands: &[OperandToml],
    redirect: Option<&RedirectToml>,
    sources: [&Option<String>; 2],
    inside: [&Vec<String>; 2],
    outer: &[OperandToml],
) -> Result<(), Failure> {
    let all: Vec<Vec<&str>> = flags.all.iter().map(OneOrMany::list).collect();
    write!(text, "Clause {{ any: &{:?}, all: &{}, none: &{:?}, operands: &[", flags.any, lists(&all), flags.none)?;
    for matcher in operands {
        operand(text, matcher)?;
    }
    write!(text, "], redirect: ")?;
    match redirect {
        None => write!(text, "None")?,
        Some(redirect) => write!(
            text,
            "Some(Redirect {{ op: RedirectOp::{}, kinds: {}, not_kinds: {} }})",
            name(&redirect.op, &[("read", "Read"), ("write", "Write"), ("heredoc", "Heredoc")])?,
            kinds(&redirect.kinds)?,
            kinds(&redirect.not_kinds)?
        )?,
    }
    for (field, source) in ["stdin_from", "runs_code_from"].into_iter().zip(sources) {
        match source {
            None => write!(text, ", {field}: None")?,
            Some(word) => write!(
                text,
                ", {field}: Some(Source::{})",
                name(word, &[("download", "Download"), ("decoder", "Decoder"), ("any", "Any")])?
            )?,
        }
    }
    write!(text, ", inside: &{:?}, not_inside: &{:?}, outer: &[", inside[0], inside[1])?;
    for matcher in outer {
        operand(text, matcher)?;
    }
    write!(text, "] }}")?;
    Ok(())
}

fn operand(text: &mut String, operand: &OperandToml) -> Result<(), Failure> {
    let at = match (&operand.at, operand.option.is_empty(), operand.key.is_empty()) {
        (None, true, true) => "Any",
        (None, false, true) => "Option",
        (None, true, false) => "Key",
        (Some(word), true, true) => name(word, PLACES)?,
        _ => return Err("`at`, `option` and `key` exclude each other".into()),
    };
    write!(
        text,
        "Operand {{ at: At::{at}, names: &{:?}, kinds: {}, not_kinds: {}, text: &{:?}, not_text: &{:?}, every: {}, min: {}, max: {} }}, ",
        if operand.option.is_empty() { &operand.key } else { &operand.option },
        kinds(&operand.kinds)?,
        kinds(&operand.not_kinds)?,
        operand.text,
        operand.not_text,
        operand.every,
        operand.min,
        operand.max.map_or("u16::MAX".to_owned(), |max| max.to_string()),
    )?;
    Ok(())
}

const CLASSES: &[(&str, &str)] = &[
    ("write", "Write"),
    ("read", "Read"),
    ("search", "Search"),
    ("discovery", "Discovery"),
    ("control", "Control"),
    ("build", "Build"),
    ("vcs", "Vcs"),
    ("danger", "Danger"),
    ("download", "Download"),
    ("decoder", "Decoder"),
    ("glue", "Glue"),
    ("filter", "Filter"),
];

const PLACES: &[(&str, &str)] = &[
    ("any", "Any"),
    ("first", "First"),
    ("last", "Last"),
    ("rest", "Rest"),
    ("dashed", "Dashed"),
    ("start", "Start"),
    ("words", "Words"),
    ("assign", "Assign"),
    ("redirect", "Redirect"),
    ("reads", "Reads"),
    ("writes", "Writes"),
    ("fed", "Fed"),
    ("code", "Code"),
    ("literal", "Literal"),
    ("input", "Input"),
    ("statement", "Statement"),
];

fn kinds(words: &[String]) -> Result<String, Failure> {
    let mut list = Vec::new();
    for word in words {
        list.push(format!(".with(Kind::{})", name(word, KINDS)?));
    }
    Ok(format!("Kinds::NONE{}", list.concat()))
}

/// The words for kinds of path.
pub const KINDS: &[(&str, &str)] = &[
    ("root", "Root"),
    ("home", "Home"),
    ("system", "System"),
    ("repo", "Repo"),
    ("parent", "Parent"),
    ("git", "Git"),
    ("temp", "Temp"),
    ("temp_root", "TempRoot"),
    ("build", "Build"),
    ("inside", "Inside"),
    ("outside", "Outside"),
    ("device", "Device"),
    ("null", "Null"),
    ("unknown", "Unknown"),
    ("unknown_below", "UnknownBelow"),
    ("secret", "Secret"),
    ("guard", "Guard"),
    ("glob", "Glob"),
];

fn name<'a>(word: &str, table: &[(&str, &'a str)]) -> Result<&'a str, Failure> {
    table.iter().find(|(known, _)| *known == word).map(|(_, name)| *name).ok_or_else(|| {
        let known: Vec<&str> = table.iter().map(|(known, _)| *known).collect();
        format!("unknown word `{word}` (known: {})", known.join(", ")).into()
    })
}

fn lists(lists: &[Vec<&str>]) -> String {
    let parts: Vec<String> = lists.iter().map(|list| format!("&{list:?}")).collect();
    format!("[{}]", parts.join(", "))
}
