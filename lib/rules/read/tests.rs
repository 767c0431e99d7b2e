//! What is wrong with a pack file is told with its place and the way on, and costs one rule.

use super::*;

const GOOD: &str = "[[rule]]\nid = \"x/good\"\nclass = \"vcs\"\nheads = [\"g\"]\nreason = \"r\"\nmatch = [\"g\", \"g a\"]\nnot_match = [\"a\", \"b\"]\n";

/// The problems of a text, and how many rules are left.
fn told(text: &str) -> (Vec<String>, usize) {
    let text: &'static str = text.to_owned().leak();
    let (pack, problems) = pack(text, "x.toml");
    (problems.iter().map(|problem| said(problem, text, "x.toml")).collect(), pack.rules.len())
}

/// A rule that is right but for some of its lines.
fn with(lines: &str) -> String {
    let key = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    let replaced: Vec<String> = lines.lines().map(key).collect();
    let kept: Vec<&str> = GOOD.lines().filter(|line| !replaced.contains(&key(line))).collect();
    format!("{}\n{lines}\n", kept.join("\n").replace("x/good", "x/wrong"))
}

#[test]
fn every_slip_names_its_place_and_the_way_on() {
    for (lines, expected) in [
        ("match_not = []", "unknown key `match_not` in `[[rule]]`\n  hint: did you mean `match`? see `kz help rules`"),
        (
            "not_matches = []",
            "unknown key `not_matches` in `[[rule]]`\n  hint: did you mean `not_match`? see `kz help rules`",
        ),
        (
            "flags = { anny = [\"-f\"] }",
            "unknown key `anny` in `flags`\n  hint: did you mean `any`? see `kz help rules`",
        ),
        (
            "args = \"push\"",
            "`args` wants a list of texts, or of lists of alternatives, not a text\n  hint: for example `args = [\"deploy\", [\"prod\", \"production\"]]`",
        ),
        ("class = \"dangerous\"", "`class` has no word `dangerous`\n  hint: did you mean `danger`? words are"),
        ("verdict = \"block\"\nclass = \"danger\"", "`verdict` has no word `block`\n  hint: did you mean `"),
        ("severity = \"hi\"\nclass = \"danger\"", "`severity` has no word `hi`\n  hint: did you mean `high`?"),
        ("verdict = \"ask\"", "only rules of class danger have a `verdict`\n  hint: make it `class = \"danger\"`"),
        ("operands = [{ kinds = [\"homes\"] }]", "`kinds` has no word `homes`\n  hint: did you mean `home`?"),
        ("operands = [{ at = \"frist\" }]", "`at` has no word `frist`\n  hint: did you mean `first`?"),
        (
            "operands = [{ at = \"option\" }]",
            "`at = \"option\"` does not say which\n  hint: write `option = [\"…\"]` in place of `at`",
        ),
        ("operands = [{ at = \"first\", key = [\"of\"] }]", "`at`, `option` and `key` exclude each other"),
        ("operands = [{ min = 70000 }]", "`min` wants a whole number from 0 to 65535"),
        ("operands = [{ every = \"yes\" }]", "`every` wants `true` or `false`, not a text"),
        ("operands = [{ regex = \"a(\" }]", "`regex` is no regular expression: unclosed group"),
        ("regex = '\\p{Greek}'", "`regex` is no regular expression:"),
        ("when = { flags = { any = [\"-f\"] } }", "`when` wants a list of tables `[{ … }]`, not a table"),
        ("redirect = { kinds = [\"home\"] }", "`redirect` lacks the key `op`"),
        ("stdout_to = \"net\"", "`stdout_to` has no word `net`\n  hint: did you mean `network`?"),
        ("hosts = [\"cloude\"]", "`hosts` has no word `cloude`\n  hint: did you mean `claude`?"),
        ("heads = []", "`heads` is empty"),
        (
            "heads = [\"Git\"]",
            "`Git` is no head\n  hint: a head is one program in lower case and without folder: `git`",
        ),
        ("heads = [\"git push\"]", "`git push` is no head"),
        ("heads = [\"/usr/bin/git\"]", "`/usr/bin/git` is no head"),
        ("tools = [\"Bash\"]", "`Bash` is the shell"),
        ("match = [\"g\"]", "`match` wants at least two commands\n  hint: add a command that it matches"),
        ("not_match = [\"g\"]", "`not_match` wants at least two commands"),
        ("reason = \" \"", "`reason` is empty"),
        ("id = \"y/wrong\"", "`y/wrong` is no id of this pack\n  hint: it begins with the pack's name: `x/wrong`"),
        ("id = \"no id\"", "`no id` is no id of this pack\n  hint: it begins with the pack's name: `x/no-id`"),
        ("reason = \"never closed", "not readable as TOML:"),
    ] {
        let (problems, rules) = told(&format!("{}{GOOD}", with(lines)));
        let first = problems.first().and_then(|problem| problem.split_once(": ")).unwrap_or_default();
        assert!(first.1.starts_with(expected), "{lines}\n{problems:#?}\nexpected {expected}");
        assert_eq!(rules, 1, "the other rule stays: {lines}\n{problems:?}");
    }
}

#[test]
fn places_are_lines_and_columns_of_the_file() {
    let text = format!(
        "# a comment with ä\n\n[pack]\nname = \"x\"\n\n{GOOD}\n{}",
        with("operands = [{ text = [\"ä\"], kind = [\"home\"] }]")
    );
    let line = text.lines().position(|line| line.starts_with("operands")).map_or(0, |at| at + 1);
    assert_eq!(
        told(&text).0,
        [format!(
            "x.toml:{line}:29: unknown key `kind` in `operands, outer`\n  hint: did you mean `kinds`? see `kz help rules`"
        )]
    );
}

#[test]
fn what_is_missing_is_named() {
    for key in ["id", "class", "reason", "match", "not_match"] {
        let lines: Vec<&str> = GOOD.lines().filter(|line| line.split(' ').next() != Some(key)).collect();
        let (problems, rules) = told(&format!("{}\n{}", lines.join("\n"), GOOD.replace("good", "other")));
        assert_eq!(rules, 1, "{key}");
        assert!(problems[0].contains(&format!("`[[rule]]` lacks the key `{key}`")), "{problems:?}");
    }
    let (problems, _) = told(&GOOD.replace("heads = [\"g\"]\n", ""));
    assert!(problems[0].starts_with("x.toml:2:1: the rule has no `heads`"), "{problems:?}");
}

#[test]
fn tools_have_no_options_and_files_no_other_tables() {
    let (problems, _) = told(&with("tools = [\"read\"]\nflags = { any = [\"-f\"] }\nheads = [\"g\"]"));
    assert_eq!(problems, [] as [String; 0], "with heads there are options");
    let text = with("tools = [\"read\"]\nflags = { any = [\"-f\"] }").replace("heads = [\"g\"]\n", "");
    let (problems, rules) = told(&text);
    assert!(problems[0].contains("`flags` says nothing of a tool") && rules == 0, "{problems:?}");
    for (text, expected) in [
        (format!("[pak]\nname = \"x\"\n{GOOD}"), "x.toml:1:1: unknown table `pak`\n  hint: did you mean `[pack]`?"),
        (
            format!("{GOOD}[[rules]]\nid = \"x/y\"\n"),
            "x.toml:8:1: unknown table `rules`\n  hint: did you mean `[[rule]]`?",
        ),
        (
            format!("id = \"x/y\"\n{GOOD}"),
            "x.toml:1:1: `id` stands in no table\n  hint: the keys of a rule stand below a line `[[rule]]`",
        ),
        (
            format!("[pack]\nnam = \"x\"\n{GOOD}"),
            "x.toml:2:1: unknown key `nam` in `[pack]`\n  hint: did you mean `name`?",
        ),
        (format!("[pack]\nname = \"x y\"\n{GOOD}"), "x.toml:2:1: `x y` is no name for a pack"),
        (format!("{GOOD}{GOOD}"), "x.toml:9:1: there is a rule `x/good` already, in x.toml:2"),
    ] {
        let (problems, rules) = told(&text);
        assert!(problems[0].starts_with(expected), "{text}\n{problems:?}");
        assert_eq!(rules, 1, "{text}");
    }
}
