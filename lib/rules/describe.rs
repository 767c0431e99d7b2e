//! A rule for people: its source, and what it says in words.

use super::rule::{Clause, Operand, Rule, Words};
use super::{At, Kinds, Own, own, scan};

include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// The lines of a rule in its file.
pub fn source(rule: &Rule, own: &Own) -> &'static str {
    let built_in = SOURCES.iter().find(|(file, _)| *file == rule.file).and_then(|(_, text)| {
        let chunk = scan::scan(text).into_iter().find(|chunk| chunk.id == rule.id)?;
        text.get(chunk.start..chunk.end)
    });
    built_in.map(own::trimmed).or_else(|| own.source(rule.id)).unwrap_or_default()
}

/// What a rule recognises, in sentences; alternatives are indented.
pub fn words(rule: &Rule) -> Vec<String> {
    let mut out = Vec::new();
    if !rule.heads.is_empty() {
        let any = rule.heads.contains(&"*");
        let mut begin = if any { "any command".to_owned() } else { format!("a command of {}", or(rule.heads)) };
        if !rule.args.is_empty() {
            let words: Vec<String> = rule.args.iter().map(|words| or(words)).collect();
            begin = format!("{begin} with the subcommand {}", words.join(" then "));
        }
        out.push(begin);
    }
    if !rule.tools.is_empty() {
        let also = if rule.heads.is_empty() { "" } else { "or " };
        out.push(format!("{also}a call of the tool {}", or(rule.tools)));
    }
    if !rule.hosts.is_empty() {
        out.push(format!("from {}", or(rule.hosts)));
    }
    clause(&rule.base, &mut out);
    match rule.when {
        [] => {}
        [way] => clause(way, &mut out),
        ways => {
            out.push("and one of:".into());
            for way in ways {
                let mut lines = Vec::new();
                clause(way, &mut lines);
                out.push(format!("  - {}", lines.join("; ")));
            }
        }
    }
    out
}

fn clause(clause: &Clause, out: &mut Vec<String>) {
    if !clause.any.is_empty() {
        out.push(format!("with the option {}", or(clause.any)));
    }
    out.extend(clause.all.iter().map(|names| format!("with the option {}", or(names))));
    if !clause.none.is_empty() {
        out.push(format!("without the option {}", or(clause.none)));
    }
    out.extend(clause.operands.iter().map(operand));
    if let Some(redirect) = &clause.redirect {
        let mut line = format!("with a redirect ({})", redirect.op.word());
        kinds(&mut line, redirect.kinds, redirect.not_kinds);
        out.push(line);
    }
    if let Some(source) = clause.stdin_from {
        out.push(format!("whose standard input comes from {}", source.word()));
    }
    if let Some(sink) = clause.stdout_to {
        out.push(format!("whose output ends up in {}", sink.word()));
    }
    if let Some(source) = clause.runs_code_from {
        out.push(format!("with a substitution that runs {}", source.word()));
    }
    if let Some(source) = clause.reads_file_from {
        out.push(format!("that reads a file which {} wrote before", source.word()));
    }
    if let Some(source) = clause.runs_file_from {
        out.push(format!("that runs a file which {} wrote before", source.word()));
    }
    if !clause.inside.is_empty() {
        out.push(format!("inside {}", or(clause.inside)));
    }
    if !clause.not_inside.is_empty() {
        out.push(format!("not inside {}", or(clause.not_inside)));
    }
    out.extend(clause.outer.iter().map(|matcher| format!("in a command {}", operand(matcher))));
    if !clause.regex.is_empty() {
        out.push(format!("whose words fit /{}/", clause.regex));
    }
}

fn operand(matcher: &Operand) -> String {
    let what = match matcher.at {
        At::Any => "operand".to_owned(),
        At::Option => format!("value of {}", or(matcher.names)),
        At::Key => matcher.names.iter().map(|name| format!("`{name}=`")).collect::<Vec<_>>().join(" or "),
        other => format!("{} word", other.word()),
    };
    let which = match (matcher.every, what.starts_with(['a', 'o', 'i'])) {
        (true, _) => "where every",
        (false, true) => "with an",
        (false, false) => "with a",
    };
    let mut line = format!("{which} {what}");
    kinds(&mut line, matcher.kinds, matcher.not_kinds);
    if !matcher.text.is_empty() {
        line.push_str(&format!(" like {}", or(matcher.text)));
    }
    if !matcher.not_text.is_empty() {
        line.push_str(&format!(" not like {}", or(matcher.not_text)));
    }
    if !matcher.regex.is_empty() {
        line.push_str(&format!(" that fits /{}/", matcher.regex));
    }
    match (matcher.min, matcher.max) {
        (0, u16::MAX) => {}
        (min, u16::MAX) => line.push_str(&format!(" (at least {min} of them)")),
        (_, 0) => return line.replacen(which, "without any", 1),
        (min, max) => line.push_str(&format!(" ({min} to {max} of them)")),
    }
    line
}

fn kinds(line: &mut String, kinds: Kinds, not_kinds: Kinds) {
    let list = |kinds: Kinds| kinds.words().collect::<Vec<_>>().join(", ");
    if !kinds.is_none() {
        line.push_str(&format!(" of kind {}", list(kinds)));
    }
    if !not_kinds.is_none() {
        line.push_str(&format!(" of a kind other than {}", list(not_kinds)));
    }
}

fn or(words: Words) -> String {
    let shown: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match shown.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}
