//! Renders `packs/*.toml` as static tables. Used by the build script, and by the test that
//! compares the tables with the files.

use crate::rules::read::{self, Problem};
use crate::rules::rule::{Clause, Operand, Pack, Rule, Words};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

type Failure = Box<dyn std::error::Error>;

/// The built-in packs as their files say, in order of name.
pub fn packs(root: &Path) -> Result<Vec<Pack>, Failure> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(root.join("lib/rules/packs"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ext| ext == "toml") {
            let name = path.file_name().and_then(|name| name.to_str()).ok_or("a pack's name is not text")?.to_owned();
            files.push((name, std::fs::read_to_string(&path)?));
        }
    }
    files.sort();
    let mut packs = Vec::new();
    let mut wrong = Vec::new();
    for (name, text) in files {
        let text: &'static str = text.leak();
        let (pack, problems) = read::pack(text, format!("rules/packs/{name}").leak());
        let said = |problem: &Problem| read::said(problem, text, &format!("lib/rules/packs/{name}"));
        wrong.extend(problems.iter().map(said));
        packs.push(pack);
    }
    if wrong.is_empty() { Ok(packs) } else { Err(wrong.join("\n").into()) }
}

/// Writes `packs.rs` into `out`, and `sources.rs` for those who show a rule as it is written.
pub fn generate(root: &Path, out: &Path) -> Result<(), Failure> {
    let packs = packs(root)?;
    std::fs::write(out.join("packs.rs"), render(&packs)?)?;
    let mut text = String::from("static SOURCES: &[(&str, &str)] = &[\n");
    for pack in &packs {
        let path = root.join("lib").join(pack.file);
        writeln!(text, "({:?}, include_str!({:?})),", pack.file, path.to_str().ok_or("a folder's name is not text")?)?;
    }
    writeln!(text, "];")?;
    std::fs::write(out.join("sources.rs"), text)?;
    Ok(())
}

/// The Rust text of the tables.
pub fn render(packs: &[Pack]) -> Result<String, Failure> {
    let mut text = String::from("static PACKS: &[Pack] = &[\n");
    let mut heads: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
    let mut tools: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
    for (at, pack) in packs.iter().enumerate() {
        writeln!(
            text,
            "Pack {{ name: {:?}, about: {:?}, file: {:?}, heads: &{:?}, harmless: &{:?}, rules: &[",
            pack.name, pack.about, pack.file, pack.heads, pack.harmless
        )?;
        for (row, rule) in pack.rules.iter().enumerate() {
            one(&mut text, rule)?;
            for head in rule.heads {
                heads.entry(head).or_default().push((at, row));
            }
            for tool in rule.tools {
                tools.entry(if tool.contains('*') { "*" } else { tool }).or_default().push((at, row));
            }
        }
        writeln!(text, "]}},")?;
    }
    writeln!(text, "];")?;
    for (name, index) in [("HEADS", heads), ("TOOLS", tools)] {
        writeln!(text, "static {name}: Index = &[")?;
        for (word, places) in index {
            writeln!(text, "({}, {word:?}, &{places:?}),", crate::text::prefix(word))?;
        }
        writeln!(text, "];")?;
    }
    Ok(text)
}

fn one(text: &mut String, rule: &Rule) -> Result<(), Failure> {
    write!(
        text,
        "Rule {{ id: {:?}, file: {:?}, line: {}, class: Class::{:?}, heads: &{:?}, tools: &{:?}, hosts: &{:?}, args: {}, base: ",
        rule.id,
        rule.file,
        rule.line,
        rule.class,
        rule.heads,
        rule.tools,
        rule.hosts,
        lists(rule.args)
    )?;
    clause(text, &rule.base)?;
    write!(text, ", when: &[")?;
    for way in rule.when {
        clause(text, way)?;
        write!(text, ", ")?;
    }
    writeln!(
        text,
        "], reason: {:?}, instead: {:?}, way: Way::{:?}, offer: {:?}, verdict: Verdict::{:?}, severity: Severity::{:?}, by_name: {}, \
         plugin: {:?}, grade: {:?}, matches: &{:?}, not_matches: &{:?} }},",
        rule.reason,
        rule.instead,
        rule.way,
        rule.offer,
        rule.verdict,
        rule.severity,
        rule.by_name,
        rule.plugin,
        rule.grade,
        rule.matches,
        rule.not_matches
    )?;
    Ok(())
}

fn clause(text: &mut String, clause: &Clause) -> Result<(), Failure> {
    write!(
        text,
        "Clause {{ any: &{:?}, all: {}, none: &{:?}, operands: &[",
        clause.any,
        lists(clause.all),
        clause.none
    )?;
    clause.operands.iter().try_for_each(|matcher| operand(text, matcher))?;
    write!(text, "], redirect: ")?;
    match &clause.redirect {
        None => write!(text, "None")?,
        Some(redirect) => write!(
            text,
            "Some(Redirect {{ op: RedirectOp::{:?}, kinds: Kinds::of_bits({}), not_kinds: Kinds::of_bits({}) }})",
            redirect.op,
            redirect.kinds.bits(),
            redirect.not_kinds.bits()
        )?,
    }
    let source = |source| match source {
        None => "None".to_owned(),
        Some(source) => format!("Some(Source::{source:?})"),
    };
    let sink = clause.stdout_to.map_or("None".to_owned(), |sink| format!("Some(Sink::{sink:?})"));
    write!(
        text,
        ", stdin_from: {}, stdout_to: {sink}, runs_code_from: {}, reads_file_from: {}, runs_file_from: {}, \
         inside: &{:?}, not_inside: &{:?}, outer: &[",
        source(clause.stdin_from),
        source(clause.runs_code_from),
        source(clause.reads_file_from),
        source(clause.runs_file_from),
        clause.inside,
        clause.not_inside
    )?;
    clause.outer.iter().try_for_each(|matcher| operand(text, matcher))?;
    write!(text, "], regex: {:?} }}", clause.regex)?;
    Ok(())
}

fn operand(text: &mut String, operand: &Operand) -> Result<(), Failure> {
    write!(
        text,
        "Operand {{ at: At::{:?}, names: &{:?}, kinds: Kinds::of_bits({}), not_kinds: Kinds::of_bits({}), text: &{:?}, \
         not_text: &{:?}, regex: {:?}, every: {}, min: {}, max: {} }}, ",
        operand.at,
        operand.names,
        operand.kinds.bits(),
        operand.not_kinds.bits(),
        operand.text,
        operand.not_text,
        operand.regex,
        operand.every,
        operand.min,
        operand.max,
    )?;
    Ok(())
}

fn lists(lists: &[Words]) -> String {
    let parts: Vec<String> = lists.iter().map(|list| format!("&{list:?}")).collect();
    format!("&[{}]", parts.join(", "))
}
