//! The verbs on a machine in memory.
#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::command::person::Here;
use crate::rules::reference::EXAMPLE;
use crate::world::Memory;
use std::path::{Path, PathBuf};

fn world() -> Memory {
    let world = Memory::new();
    world.set_env("HOME", "/home/u");
    world.set_current_dir("/repo");
    world.put_folder("/repo/.git");
    world
}

fn on(world: &Memory, verb: impl FnOnce(&mut Desk) -> io::Result<Exit>) -> (Exit, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut desk = Desk { world, person: &mut Here, programs: Path::new("/bin"), out: &mut out, err: &mut err };
    let exit = verb(&mut desk).unwrap();
    (exit, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

fn list(world: &Memory, pack: &str, class: &str) -> (Exit, String, String) {
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    on(world, |desk| list::run(&list::List { pack: some(pack), class: some(class), json: false }, desk))
}

fn test(world: &Memory, path: &str, command: &str) -> (Exit, String, String) {
    let path = Some(PathBuf::from(path)).filter(|path| path.is_absolute());
    let command = Some(command.to_owned()).filter(|text| !text.is_empty());
    on(world, |desk| try_out::run(&try_out::Test { path, command }, desk))
}

#[test]
fn list_says_which_verdict_holds_and_who_set_it() {
    let world = world();
    world.put("/home/u/.config/kz/rules/deploy.toml", EXAMPLE);
    world.put(
        "/home/u/.config/kz/config.toml",
        "[guard.rules]\n\"deploy/to-production\" = \"deny\"\n\"deploy/old\" = \"off\"\n",
    );
    let (exit, out, err) = list(&world, "deploy", "");
    assert_eq!(exit, Exit::Done);
    assert_eq!(
        out,
        "deploy (your file, ~/.config/kz/rules/deploy.toml)\n  \
         deploy/to-production  danger      deny   set by the user's config, /home/u/.config/kz/config.toml:2\n  \
         deploy/log-sent-away  danger      deny\n  deploy/old-release    danger      ask\n  \
         deploy/release-notes  danger      ask\n"
    );
    assert_eq!(
        err,
        "kz: ~/.config/kz/config.toml:3: there is no rule `deploy/old`\n  \
         hint: did you mean `deploy/old-release`? `kz rules list` names them all\n"
    );
    let (_, all, _) = list(&world, "", "");
    assert!(all.starts_with("aws (built in, rules/packs/aws.toml)\n"), "{all}");
    let (_, some, _) = list(&world, "", "discovery");
    assert!(some.lines().filter(|line| line.starts_with("  ")).all(|line| line.contains(" discovery")), "{some}");
    let (exit, _, err) = list(&world, "deplyo", "");
    assert_eq!((exit, err.as_str()), (Exit::Failed, "kz: there is no pack `deplyo`\n  hint: did you mean `deploy`?\n"));
    let (exit, _, err) = list(&world, "", "dangr");
    assert_eq!(exit, Exit::Failed);
    assert!(err.contains("did you mean `danger`?"), "{err}");
    let (_, json, _) =
        on(&world, |desk| list::run(&list::List { pack: Some("deploy".into()), class: None, json: true }, desk));
    let rows: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (rows.len(), rows[0]["origin"].as_str(), rows[0]["place"].as_str()),
        (4, Some("your file"), Some("~/.config/kz/rules/deploy.toml:11"))
    );
}

#[test]
fn show_prints_the_source_and_what_it_means() {
    let world = world();
    world.put("/home/u/.config/kz/rules/deploy.toml", EXAMPLE);
    let show = |id: &str| on(&world, |desk| show::run(&show::Show { id: id.into() }, desk));
    let (exit, out, _) = show("deploy/to-production");
    assert_eq!(exit, Exit::Done);
    assert!(
        out.starts_with("deploy/to-production  (your file, ~/.config/kz/rules/deploy.toml:11)\n\n  [[rule]]\n  id ="),
        "{out}"
    );
    assert!(
        out.ends_with(
            "\nin words\n  a command of `shipit` with the subcommand `deploy`\n  \
             without the option `-n` or `--dry-run`\n  and one of:\n    - with an operand like `prod` or `production`\n    \
             - with a value of `-t` or `--target` like `prod*`\n\nverdict ask, severity critical, set by your file\n"
        ),
        "{out}"
    );
    assert!(!out.contains("# What goes through a pipe"), "the comment of the next rule is not its: {out}");
    for pack in crate::rules::packs() {
        for rule in pack.rules {
            let (_, out, _) = show(rule.id);
            assert!(out.contains(&format!("  id = \"{}\"\n", rule.id)) && out.contains("  not_match = "), "{out}");
        }
    }
    let (exit, _, err) = show("git/force-psh");
    assert_eq!(exit, Exit::Failed);
    assert!(err.contains("did you mean `kz rules show git/force-push`?"), "{err}");
}

#[test]
fn test_runs_form_examples_and_offers() {
    let world = world();
    assert_eq!(test(&world, "", "").1.lines().next(), Some("0 rules, 0 examples, no problems"));
    world.put("/home/u/.config/kz/rules/deploy.toml", EXAMPLE);
    assert_eq!(test(&world, "", ""), (Exit::Done, "4 rules, 19 examples, no problems\n".into(), String::new()));
    let wrong = EXAMPLE
        .replace("\"shipit deploy staging\", \"shipit deploy -n", "\"shipit deploy production\", \"shipit deploy -n")
        .replace("`shipit deploy staging`", "`git push --force`")
        .replace("not_match = [\"shipit logs |", "match_not = [\"shipit logs |");
    world.put("/tmp/w.toml", wrong);
    let (exit, out, err) = test(&world, "/tmp/w.toml", "");
    assert_eq!((exit, err.as_str()), (Exit::Failed, ""));
    assert_eq!(
        out,
        "/tmp/w.toml:27:1: `[[rule]]` lacks the key `not_match`\n  \
         hint: at least two commands that it does not match: `not_match = [\"shipit deploy staging\", \"echo shipit deploy prod\"]`\n\
         /tmp/w.toml:34:1: unknown key `match_not` in `[[rule]]`\n  hint: did you mean `match`? see `kz help rules`\n\
         /tmp/w.toml:11: `deploy/to-production` matches `shipit deploy production`\n\
         /tmp/w.toml:11: `deploy/to-production` offers `git push --force`, which is git/force-push\n\
         3 rules, 15 examples, 4 problems\n"
    );
    world.put("/packs/a.toml", EXAMPLE);
    assert_eq!(test(&world, "/packs", "").0, Exit::Done);
    assert!(test(&world, "/none.toml", "").2.starts_with("kz: /none.toml: no such file"));
    world.put("/repo/.kibitzer/rules/r.toml", EXAMPLE.replace("class = \"danger\"", "class = \"glue\""));
    assert!(test(&world, "/repo/.kibitzer/rules/r.toml", "").1.contains("a repo may not have the rule"));
}

#[test]
fn a_command_can_be_tried() {
    let world = world();
    world.put("/tmp/d.toml", EXAMPLE);
    let (exit, out, _) = test(&world, "/tmp/d.toml", "cd x && shipit deploy prod");
    assert_eq!(exit, Exit::Done);
    assert_eq!(out, "deploy/to-production (danger, ask) [/tmp/d.toml:11]: shipit deploy prod\n");
    assert_eq!(test(&world, "/tmp/d.toml", "shipit").1, "no rule recognises it\n");
}

#[test]
fn a_vote_without_a_rule_is_explained_all_the_same() {
    let world = world();
    let show = |id: &str| on(&world, |desk| show::run(&show::Show { id: id.into() }, desk));
    for (id, word) in [
        ("ladder/read", "ladder.enforce"),
        ("mode/implement", "kz mode"),
        ("shell/opaque", "guard.opaque"),
        ("payload/bound", "guard.bounds"),
        ("fault/config", "kz doctor"),
    ] {
        let (exit, out, _) = show(id);
        assert_eq!(exit, Exit::Done, "{id}");
        assert!(out.starts_with(id) && out.contains(word), "{out}");
    }
    assert_eq!(show("ladder/control").0, Exit::Failed);
}
