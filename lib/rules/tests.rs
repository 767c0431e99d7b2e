//! The packs themselves: examples, ids, heads, and that the tables say what the files say.
#![expect(clippy::panic, clippy::unwrap_used, reason = "tests")]

use super::*;
use std::collections::BTreeSet;
use std::path::Path;

#[path = "packs_build.rs"]
#[expect(dead_code, reason = "the tests only read")]
mod packs_build;

fn rules() -> impl Iterator<Item = (&'static Pack, &'static Rule)> {
    packs().iter().flat_map(|pack| pack.rules.iter().map(move |rule| (pack, rule)))
}

#[test]
fn every_example_holds() {
    let mut wrong = Vec::new();
    for (_, rule) in rules() {
        assert!(rule.matches.len() >= 2 && rule.not_matches.len() >= 2, "{} needs two examples of each sort", rule.id);
        wrong.extend(check::examples(rule));
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
    for (_, rule) in rules() {
        for command in rule.instead.split('`').skip(1).step_by(2) {
            let danger: Vec<_> = hits(&check::call(command), &check::facts())
                .into_iter()
                .filter(|hit| hit.rule.class == Class::Danger)
                .map(|hit| hit.rule.id)
                .collect();
            assert!(danger.is_empty(), "{} offers `{command}`, which is {danger:?}", rule.id);
        }
    }
}

#[test]
fn tables_say_what_the_files_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = packs_build::render(root).unwrap_or_else(|error| panic!("{error}"));
    assert!(text == include_str!(concat!(env!("OUT_DIR"), "/packs.rs")), "the tables are older than the files");
    let files = packs_build::files(root).unwrap();
    assert_eq!(files.len(), packs().len());
    for ((name, source), pack) in files.iter().zip(packs()) {
        let file = packs_build::read(source).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((file.pack.name.as_str(), file.rule.len()), (pack.name, pack.rules.len()));
        for (written, built) in file.rule.iter().zip(pack.rules) {
            assert_eq!((written.id.as_str(), written.class.as_str()), (built.id, built.class.word()));
            assert_eq!((written.reason.as_str(), written.instead.as_str()), (built.reason, built.instead));
            assert_eq!(written.matches, built.matches);
            assert_eq!(written.not_match, built.not_matches);
            let line = source.lines().nth(built.line as usize - 1).unwrap_or_default();
            assert!(line.starts_with("id") && line.contains(built.id), "{}: line {}", built.id, built.line);
        }
    }
}

#[test]
fn globs_over_text() {
    for (glob, text) in
        [("*", ""), ("+*", "+main"), ("a*c", "abbc"), ("?b", "ab"), ("*x*", "axb"), ("(?i)drop *", "DROP x")]
    {
        assert!(hit::wild(glob, text), "{glob} {text}");
    }
    for (glob, text) in [("+*", "main"), ("a*c", "abcd"), ("?", ""), ("drop", "DROP")] {
        assert!(!hit::wild(glob, text), "{glob} {text}");
    }
}
