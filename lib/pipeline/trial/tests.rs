#![expect(clippy::unwrap_used, reason = "tests may fail")]

use super::*;
use crate::config::Options;
use crate::pipeline::Pipeline;
use crate::stage::Contexts;
use crate::world::Memory;
use std::path::Path;

const HERE: &str = "/home/u/repo";

/// What is wrong with each row of a text.
fn outcomes(text: &str) -> Vec<Vec<String>> {
    outcomes_of("default", text)
}

fn outcomes_of(pipeline: &str, text: &str) -> Vec<Vec<String>> {
    let (rows, problems) = read(text);
    assert_eq!(problems, []);
    let world = Memory::new();
    let mut contexts = Contexts::new(&world, Options::default());
    let pipeline = Pipeline::find(pipeline, &world).unwrap().0;
    let one = |(at, row): (usize, &Row)| run(row, at, &pipeline, &mut contexts, Path::new(HERE), &world).wrong;
    rows.iter().enumerate().map(one).collect()
}

#[test]
fn rows_that_hold_have_nothing_wrong() {
    let text = r#"
        [[test]]
        name = "a forced push is refused with a way out"
        given = { command = "cd api && git push --force" }
        expect = { say = "deny", rule = "git/force-push", reason = "git pull --rebase", finding = "git/force-push" }
        [[test]]
        given = { command = "git push" }
        expect = { say = "none", note = "", not_finding = ["git/force-push"] }
        [[test]]
        given = { tool = "Write", path = "src/a.rs", mode = "review" }
        expect = { say = "deny", rule = "mode/review" }
        [[test]]
        given = { tool = "Read", path = "src/a.rs", mode = "review" }
        expect = { say = "abstain" }
        [[test]]
        name = "the fourth look brings the note"
        given = [{ command = "cat a.rs", event = "post_tool", times = 3 }, { command = "cat b.rs", event = "post_tool" }]
        expect = { note = "Read" }
        [[test]]
        given = { command = "cat a.rs", event = "post_tool", times = 3 }
        expect = { note = "", finding = ["look/cat"] }
        [[test]]
        given = { command = "sudo ls", unattended = true }
        expect = { say = "deny" }
        [[test]]
        given = { payload = { hook_event_name = "PreToolUse", tool_name = "Bash", tool_input = { command = "git reset --hard" } } }
        expect = { rule = "git/reset-hard" }
    "#;
    let wrong: Vec<_> = outcomes(text).into_iter().filter(|wrong| !wrong.is_empty()).collect();
    assert_eq!(wrong, Vec::<Vec<String>>::new());
}

#[test]
fn the_rows_of_the_pipelines_that_ship_hold() {
    for name in ["default", "coordinator"] {
        let text = Pipeline::source(name).unwrap();
        let got = outcomes_of(name, text);
        assert!(got.len() > 5 && got.iter().all(Vec::is_empty), "{name} {got:?}");
        assert!(is_pipeline(text) && !is_pipeline("[[test]]"));
    }
}

#[test]
fn the_topic_names_every_key() {
    let topic = include_str!("../../help/tests.md");
    for key in read::GIVEN.iter().chain(read::EXPECT).chain(read::EVENTS.iter().map(|(name, _)| name)) {
        assert!(topic.contains(key), "{key}");
    }
}

#[test]
fn what_differs_is_named_with_what_came_instead() {
    let text = r#"
        [[test]]
        given = { command = "git push --force" }
        expect = { say = "ask", rule = "git/push", reason = "nonsense", note = "Read", finding = "a/b", not_finding = "git/force-push" }
        [[test]]
        given = { command = "ls", mode = "nowhere" }
        expect = { say = "none" }
    "#;
    let got = outcomes(text);
    assert_eq!(got[0][0], "say: expected ask, got deny by git/force-push");
    assert_eq!(got[0][1], "rule: expected git/push, got git/force-push");
    assert!(got[0][2].starts_with("reason: expected one with `nonsense`, got `a forced push"));
    assert_eq!(got[0][3], "note: expected one with `Read`, got none");
    assert!(got[0][4].starts_with("finding: expected a/b, found git/force-push"));
    assert_eq!(got[0][5], "not_finding: git/force-push was found");
    assert_eq!(got[1], ["there is no mode `nowhere`"]);
}

#[test]
fn a_row_that_is_wrong_is_named_and_the_rest_runs() {
    for (text, want) in [
        ("[[test]]\ngivn = 1", "2:1: a test has no key `givn`"),
        ("[[test]]\nname = 'x'\nexpect = { say = 'deny' }", "1:1: `x` has no `given`"),
        ("[[test]]\ngiven = { command = 'ls' }", "1:1: `test 1` has no `expect`"),
        ("[[test]]\ngiven = { comand = 'ls' }\nexpect = {}", "2:11: `given` has no key `comand`"),
        (
            "[[test]]\ngiven = { command = 'ls' }\nexpect = { say = 'no' }",
            "3:18: `say` wants `none`, `approve`, `ask` or `deny`",
        ),
        ("[[test]]\ngiven = { command = 'ls' }\nexpect = {}", "3:10: `expect` expects nothing"),
        (
            "[[test]]\ngiven = { command = 'ls', event = 'pre' }\nexpect = { say = 'none' }",
            "2:35: there is no event `pre`",
        ),
        (
            "[[test]]\ngiven = { command = 'ls', times = 0 }\nexpect = { say = 'none' }",
            "2:35: `times` wants a whole number from 1 to 256",
        ),
        ("[[test]]\ngiven = {}\nexpect = { say = 'none' }", "2:9: `given` names no call"),
        (
            "[[test]]\ngiven = { payload = {}, tool = 'x' }\nexpect = { say = 'none' }",
            "2:32: `tool` beside `payload` would be ignored",
        ),
        ("test = 1", "1:8: `test` wants rows"),
        ("[[test]", "1:8: not readable as TOML"),
    ] {
        let good = "[[test]]\ngiven = { command = 'ls' }\nexpect = { say = 'none' }\n";
        let (rows, problems) = read(text);
        let told: Vec<String> =
            problems.iter().map(|problem| format!("{}:{}: {}", problem.line, problem.column, problem.text)).collect();
        assert!(rows.is_empty() && told.len() == 1 && told[0].starts_with(want), "{text}\n{told:?}");
        if text.starts_with("[[test]]") {
            assert_eq!(read(&format!("{text}\n{good}")).0.len(), 1, "{text}");
        }
    }
}
