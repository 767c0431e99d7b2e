//! The packs themselves: examples, ids, heads, and that the tables say what the files say.
#![expect(clippy::panic, clippy::unwrap_used, reason = "tests")]

use super::*;
use std::collections::BTreeSet;
use std::path::Path;

#[path = "packs_build.rs"]
#[expect(dead_code, reason = "the tests only read")]
mod packs_build;

#[test]
fn every_expression_compiles() {
    for (_, rule) in rules() {
        for clause in std::iter::once(&rule.base).chain(rule.when) {
            for regex in clause.operands.iter().chain(clause.outer).map(|matcher| matcher.regex).chain([clause.regex]) {
                assert_eq!(pattern::fault(regex), None, "{}: {regex}", rule.id);
            }
        }
    }
}

fn rules() -> impl Iterator<Item = (&'static Pack, &'static Rule)> {
    packs().iter().flat_map(|pack| pack.rules.iter().map(move |rule| (pack, rule)))
}

#[test]
fn every_example_holds() {
    let mut wrong = Vec::new();
    for (_, rule) in rules() {
        assert!(rule.matches.len() >= 2 && rule.not_matches.len() >= 2, "{} needs two examples of each sort", rule.id);
        wrong.extend(check::examples(rule, &Own::default()));
    }
    assert!(wrong.is_empty(), "{} wrong examples\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn ids_are_unique_and_named_for_their_pack() {
    let mut seen = BTreeSet::new();
    for (pack, rule) in rules() {
        assert!(seen.insert(rule.id), "{} twice", rule.id);
        assert_eq!(rule.id.split_once('/').map(|(pack, _)| pack), Some(pack.name), "{}", rule.id);
        assert!(rule.line > 0, "{} has no line", rule.id);
        assert!(std::ptr::eq(find(rule.id).unwrap(), rule));
        assert!(rule.place().starts_with("rules/packs/"));
    }
}

#[test]
fn heads_of_a_pack_cover_its_rules() {
    for (pack, rule) in rules() {
        for head in rule.heads {
            assert!(pack.heads.contains(head), "{}: head `{head}` is not in the pack's", rule.id);
        }
        assert!(!rule.heads.is_empty() || !rule.tools.is_empty(), "{} has neither heads nor tools", rule.id);
    }
    for pack in packs() {
        for head in pack.heads {
            assert!(
                pack.rules.iter().any(|rule| rule.heads.contains(head)),
                "{}: no rule has head `{head}`",
                pack.name
            );
        }
    }
}

#[test]
fn there_are_enough_danger_rules_and_each_says_why() {
    let danger: Vec<_> = rules().filter(|(_, rule)| rule.class == Class::Danger).collect();
    assert!(danger.len() >= 25, "{}", danger.len());
    for (_, rule) in danger {
        assert!(rule.verdict >= Verdict::Ask, "{} has no verdict", rule.id);
        assert!(!rule.reason.is_empty() && !rule.reason.ends_with('.'), "{}: reason", rule.id);
    }
    for (_, rule) in rules().filter(|(_, rule)| rule.class != Class::Danger) {
        assert_eq!(rule.verdict, Verdict::None, "{}: only danger votes", rule.id);
    }
}

#[test]
fn what_a_rule_offers_instead_passes() {
    let wrong: Vec<String> = rules().flat_map(|(_, rule)| check::offers(rule, &Own::default())).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn tables_say_what_the_files_say() {
    let files = packs_build::packs(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap_or_else(|error| panic!("{error}"));
    let text = packs_build::render(&files).unwrap();
    assert!(text == include_str!(concat!(env!("OUT_DIR"), "/packs.rs")), "the tables are older than the files");
    assert_eq!(files.len(), packs().len());
    for (file, built) in files.iter().zip(packs()) {
        assert_eq!(file, built);
        let source =
            std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("lib").join(file.file)).unwrap();
        for rule in built.rules {
            let line = source.lines().nth(rule.line as usize - 1).unwrap_or_default();
            assert!(line.starts_with("id") && line.contains(rule.id), "{}: line {}", rule.id, rule.line);
        }
    }
}

#[test]
fn globs_over_text() {
    for (glob, text) in
        [("*", ""), ("+*", "+main"), ("a*c", "abbc"), ("?b", "ab"), ("*x*", "axb"), ("(?i)drop *", "DROP x")]
    {
        assert!(matcher::wild(glob, text), "{glob} {text}");
    }
    for (glob, text) in [("+*", "main"), ("a*c", "abcd"), ("?", ""), ("drop", "DROP")] {
        assert!(!matcher::wild(glob, text), "{glob} {text}");
    }
}
