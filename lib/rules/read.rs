//! The one reader of pack files: for the build script, for the packs of users and repos, and for
//! `kz rules test`.
//!
//! [`values`] checks a piece of a file against the key table, this module makes a rule of it.
//! What is wrong costs the rule that it is in and nothing else, and says where and what to do.

mod values;

use super::keys::{self, Table};
use super::rule::{Clause, Operand, Pack, Redirect, Rule, Words};
use super::scan::{Chunk, What, scan};
use super::words::{At, Class, Kind, Kinds, RedirectOp, Severity, Sink, Source, Vote, Way};
use crate::envelope::Verdict;
pub use values::Problem;
use values::{Fields, Reader};

/// What the rules of a file have in common.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// The pack's name.
    pub name: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// Heads of rules that name none.
    pub heads: Words,
    /// Options with which none of its rules matches.
    pub harmless: Words,
    /// Whether they only vote where config names the pack.
    pub by_name: bool,
    /// The file as people write it.
    pub file: &'static str,
}

/// Reads a whole file: the rules that are right, and what is wrong with the others.
pub fn pack(text: &'static str, file: &'static str) -> (Pack, Vec<Problem>) {
    let chunks = scan(text);
    let (header, mut problems) = header(text, file, &chunks);
    let mut rules: Vec<Rule> = Vec::new();
    for chunk in chunks.iter().filter(|chunk| chunk.what == What::Rule) {
        let (rule, wrong) = rule(text, chunk, &header);
        problems.extend(wrong);
        let double = rule.as_ref().and_then(|rule| rules.iter().find(|known| known.id == rule.id));
        problems.extend(double.map(|known| twice(chunk.id_at, known)));
        rules.extend(rule.filter(|rule| rules.iter().all(|known| known.id != rule.id)));
    }
    problems.sort_by_key(|problem| problem.at);
    let Header { name, about, heads, harmless, .. } = header;
    (Pack { name, about, file, heads, harmless, rules: rules.leak() }, problems)
}

/// The problem of an id that is another rule's already.
pub fn twice(at: usize, known: &Rule) -> Problem {
    let text = format!("there is a rule `{}` already, in {}", known.id, known.place());
    Problem {
        at,
        text,
        hint: "give this one an id of its own; a verdict is changed in `[guard.rules]` of the config".into(),
    }
}

/// Reads `[pack]`, and says which tables packs do not have.
pub fn header(text: &'static str, file: &'static str, chunks: &[Chunk]) -> (Header, Vec<Problem>) {
    let stem = file.rsplit('/').next().unwrap_or(file);
    let stem = stem.strip_suffix(".toml").unwrap_or(stem);
    let mut header = Header { name: stem, about: "", heads: &[], harmless: &[], by_name: false, file };
    let mut problems = Vec::new();
    for chunk in chunks {
        let mut reader = Reader::at(chunk.start);
        match chunk.what {
            What::Rule => continue,
            What::Stray => reader.stray(text, chunk),
            What::Head => {
                for fields in reader.chunk(text, chunk, &keys::PACK) {
                    if let Some(name) = fields.text("name") {
                        header.name = name;
                        if !is_plain(name) {
                            reader.problem(
                                fields.at("name"),
                                format!("`{name}` is no name for a pack"),
                                "letters, digits, `-` and `_`".into(),
                            );
                            header.name = stem;
                        }
                    }
                    header.about = fields.text("about").unwrap_or(header.about);
                    header.heads = fields.words("heads");
                    reader.heads(fields.at("heads"), header.heads);
                    header.harmless = fields.words("harmless");
                    header.by_name = fields.flag("by_name");
                }
            }
        }
        problems.append(&mut reader.problems);
    }
    (header, problems)
}

/// Reads one rule; none if anything in it is wrong.
pub fn rule(text: &'static str, chunk: &Chunk, header: &Header) -> (Option<Rule>, Vec<Problem>) {
    let mut reader = Reader::at(chunk.start);
    let found = reader.chunk(text, chunk, &keys::RULE).into_iter().next();
    let rule = found.and_then(|fields| {
        checks(&mut reader, &fields, header);
        build(&fields, header, line(text, chunk.id_at))
    });
    (rule.filter(|_| reader.problems.is_empty()), reader.problems)
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// What the types of the keys do not say.
fn checks(reader: &mut Reader, fields: &Fields, header: &Header) {
    let id = fields.text("id").unwrap_or_default();
    let pattern = id.strip_prefix(header.name).and_then(|rest| rest.strip_prefix('/'));
    if !id.is_empty() && !pattern.is_some_and(is_plain) {
        let pattern: String =
            id.rsplit('/').next().unwrap_or_default().replace(|c: char| c.is_whitespace() || c == '.', "-");
        let hint = format!("it begins with the pack's name: `{}/{}`", header.name, pattern.trim_matches('-'));
        reader.problem(fields.at("id"), format!("`{id}` is no id of this pack"), hint);
    }
    reader.heads(fields.at("heads"), fields.words("heads"));
    let told = !reader.problems.is_empty();
    if !told && fields.words("heads").is_empty() && fields.words("tools").is_empty() && header.heads.is_empty() {
        let hint = "say which programs it is about, `heads = [\"git\"]`, or which `tools`";
        reader.problem(fields.at("id"), "the rule has no `heads`".into(), hint.into());
    }
    for tool in fields.words("tools").iter().filter(|tool| matches!(**tool, "bash" | "Bash" | "pwsh" | "PowerShell")) {
        let hint = "commands are recognised by their program: `heads = [\"git\"]`, or `[\"*\"]` for any";
        reader.problem(fields.at("tools"), format!("`{tool}` is the shell"), hint.into());
    }
    for (key, verb) in [("match", "matches"), ("not_match", "does not match")] {
        if fields.has(key) && fields.words(key).len() < 2 {
            let hint = format!("add a command that it {verb}; `kz rules test` runs them");
            reader.problem(fields.at(key), format!("`{key}` wants at least two commands"), hint);
        }
    }
    let danger = fields.text("class") == Some(Class::Danger.word());
    for key in ["verdict", "severity"] {
        if fields.has(key) && fields.has("class") && !danger {
            let hint = "make it `class = \"danger\"`, or take the key out";
            reader.problem(fields.at(key), format!("only rules of class danger have a `{key}`"), hint.into());
        }
    }
    if !fields.words("tools").is_empty() && fields.words("heads").is_empty() {
        let of_shell = [
            "args",
            "flags",
            "redirect",
            "stdin_from",
            "stdout_to",
            "runs_code_from",
            "reads_file_from",
            "runs_file_from",
            "inside",
            "not_inside",
            "outer",
            "regex",
        ];
        for row in std::iter::once(fields).chain(fields.tables("when")) {
            for key in of_shell.into_iter().filter(|key| row.has(key)) {
                let hint = "of a tool only `operands` and `hosts` can be asked; name `heads` for a shell command";
                reader.problem(row.at(key), format!("`{key}` says nothing of a tool"), hint.into());
            }
        }
    }
    for row in std::iter::once(fields).chain(fields.tables("when")) {
        for matcher in row.tables("operands").chain(row.tables("outer")) {
            let named = ["at", "option", "key"].into_iter().filter(|key| matcher.has(key)).count();
            let at = matcher.text("at").and_then(At::of);
            if named > 1 {
                reader.problem(
                    matcher.start,
                    "`at`, `option` and `key` exclude each other".into(),
                    "write two matchers".into(),
                );
            } else if matches!(at, Some(At::Option | At::Key)) {
                let word = at.map_or("", At::word);
                let hint = format!("write `{word} = [\"…\"]` in place of `at`");
                reader.problem(matcher.at("at"), format!("`at = \"{word}\"` does not say which"), hint);
            }
        }
    }
}

fn build(fields: &Fields, header: &Header, line: u32) -> Option<Rule> {
    let class = Class::of(fields.text("class")?)?;
    let own = fields.words("heads");
    let tools = fields.words("tools");
    let vote = fields.text("verdict").and_then(Vote::of);
    Some(Rule {
        id: fields.text("id")?,
        file: header.file,
        line,
        class,
        heads: if own.is_empty() && tools.is_empty() { header.heads } else { own },
        tools,
        hosts: fields.words("hosts"),
        args: fields.lists("args"),
        base: clause(fields),
        when: fields.tables("when").map(clause).collect::<Vec<_>>().leak(),
        reason: fields.text("reason")?,
        instead: fields.text("instead").unwrap_or_default(),
        way: fields.text("way").and_then(Way::of).unwrap_or_else(|| way(fields.text("instead").unwrap_or_default())),
        offer: fields.text("offer").unwrap_or_default(),
        verdict: match vote {
            Some(Vote::None) => Verdict::None,
            Some(Vote::Ask) => Verdict::Ask,
            Some(Vote::Deny) => Verdict::Deny,
            None if class == Class::Danger => Verdict::Deny,
            None => Verdict::None,
        },
        severity: fields.text("severity").and_then(Severity::of).unwrap_or(Severity::High),
        by_name: header.by_name,
        plugin: fields.text("plugin").unwrap_or_default(),
        grade: fields.table("grade").and_then(|grade| {
            let level = |key| grade.number(key).and_then(|level| u8::try_from(level).ok());
            Some((level("before")?, level("after")?))
        }),
        matches: fields.words("match"),
        not_matches: fields.words("not_match"),
    })
}

/// What kind of thing an `instead` is, by how it is written.
fn way(instead: &str) -> Way {
    match instead.split_whitespace().next().unwrap_or_default() {
        "" => Way::Stop,
        "Ask" | "Leave" => Way::AskPerson,
        "Name" | "Say" | "Delete" | "Only" => Way::ScopeDown,
        _ => Way::UseAlternative,
    }
}

fn clause(fields: &Fields) -> Clause {
    let none = Fields::default();
    let flags = fields.table("flags").unwrap_or(&none);
    let matchers = |key| fields.tables(key).map(operand).collect::<Vec<_>>().leak();
    Clause {
        any: flags.words("any"),
        all: flags.lists("all"),
        none: flags.words("none"),
        operands: matchers("operands"),
        redirect: fields.table("redirect").map(|row| Redirect {
            op: row.text("op").and_then(RedirectOp::of).unwrap_or(RedirectOp::Write),
            kinds: kinds(row.words("kinds")),
            not_kinds: kinds(row.words("not_kinds")),
        }),
        stdin_from: fields.text("stdin_from").and_then(Source::of),
        stdout_to: fields.text("stdout_to").and_then(Sink::of),
        runs_code_from: fields.text("runs_code_from").and_then(Source::of),
        reads_file_from: fields.text("reads_file_from").and_then(Source::of),
        runs_file_from: fields.text("runs_file_from").and_then(Source::of),
        inside: fields.words("inside"),
        not_inside: fields.words("not_inside"),
        outer: matchers("outer"),
        regex: fields.text("regex").unwrap_or_default(),
    }
}

fn operand(fields: &Fields) -> Operand {
    let (option, key) = (fields.words("option"), fields.words("key"));
    let named = if option.is_empty() { (At::Key, key) } else { (At::Option, option) };
    Operand {
        at: match fields.text("at").and_then(At::of) {
            Some(at) => at,
            None if named.1.is_empty() => At::Any,
            None => named.0,
        },
        names: named.1,
        kinds: kinds(fields.words("kinds")),
        not_kinds: kinds(fields.words("not_kinds")),
        text: fields.words("text"),
        not_text: fields.words("not_text"),
        regex: fields.text("regex").unwrap_or_default(),
        every: fields.flag("every"),
        min: fields.number("min").unwrap_or(0),
        max: fields.number("max").unwrap_or(u16::MAX),
    }
}

fn kinds(words: Words) -> Kinds {
    words.iter().filter_map(|word| Kind::of(word)).fold(Kinds::NONE, Kinds::with)
}

/// A problem as it is told: place, what, and the way on.
pub fn said(problem: &Problem, text: &str, file: &str) -> String {
    let before = text.get(..problem.at).unwrap_or(text);
    let line = line(text, problem.at);
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("{file}:{line}:{column}: {}\n  hint: {}", problem.text, problem.hint)
}

/// The line of a byte, from 1.
pub fn line(text: &str, at: usize) -> u32 {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    u32::try_from(memchr::memchr_iter(b'\n', before).count()).unwrap_or(u32::MAX).saturating_add(1)
}

/// The name of a table in messages.
fn named(table: &Table) -> &'static str {
    table.name
}

#[cfg(test)]
mod tests;
