//! Packs of the user and the repo, through the programs.

use crate::support::{Place, json, text};

/// A rule; `lines` are its class, heads and conditions.
fn rule(id: &str, lines: &str) -> String {
    format!(
        "[[rule]]\nid = \"{id}\"\nreason = \"not here\"\n{lines}\nmatch = [\"a\", \"b\"]\nnot_match = [\"c\", \"d\"]\n"
    )
}

fn danger(id: &str, head: &str) -> String {
    rule(id, &format!("class = \"danger\"\nheads = [\"{head}\"]"))
}

fn decision(place: &Place, command: &str) -> (String, String) {
    let out = place.run("kz-run", &["--style", "envelope", "--dry"], &place.bash("PreToolUse", "t1", command));
    let decision = &json(&out.stdout)["decision"];
    let field = |name: &str| decision[name].as_str().unwrap_or_default().to_owned();
    (field("say"), field("rule"))
}

#[test]
fn piped_is_fused_with_packs_good_and_bad() {
    let wrong = danger("deploy/wrong", "other").replace("not_match", "match_not");
    let place = || {
        let place = Place::new();
        place.write(".config/kz/rules/deploy.toml", &format!("{}{wrong}", danger("deploy/ship", "shipit")));
        place.write(".config/kz/config.toml", "[guard.rules]\n\"deploy/ship\" = \"ask\"\n\"repo/x\" = \"off\"\n");
        place.write(
            "project/.kibitzer/rules/repo.toml",
            &format!("{}{}", danger("repo/x", "rx"), danger("repo/y", "ry")),
        );
        place
    };
    for command in ["shipit now", "other x; cat a.rs", "rx && ry", "ls", "git push --force; shipit"] {
        for event in ["PreToolUse", "SessionStart"] {
            let (piped, fused) = (place(), place());
            let clean =
                |place: &Place, bytes: &[u8]| text(bytes).replace(&place.home.path().display().to_string(), "HOME");
            let last = &["--style", "envelope"];
            let a = piped.pipe(last, &piped.bash(event, "t1", command));
            let b = fused.run("kz-run", last, &fused.bash(event, "t1", command));
            assert_eq!(clean(&piped, &a.stdout), clean(&fused, &b.stdout), "{event} {command}");
        }
    }
    let place = place();
    for (command, expected) in [
        ("shipit now", ("ask", "deploy/ship")),
        ("bash -c 'env CI=1 shipit now'", ("ask", "deploy/ship")),
        ("rx", ("none", "")),
        ("ry", ("deny", "repo/y")),
        ("other x", ("none", "")),
        ("echo shipit", ("none", "")),
    ] {
        let (say, rule) = decision(&place, command);
        assert_eq!((say.as_str(), rule.as_str()), expected, "{command}");
    }
}

#[test]
fn a_wrong_rule_is_told_once_a_session_and_the_others_count() {
    let place = Place::new();
    let wrong = danger("deploy/wrong", "shipit").replace("not_match", "match_not");
    place.write(".config/kz/rules/deploy.toml", &format!("{wrong}{}", danger("deploy/ship", "shipit")));
    let say = |id: &str, command: &str| {
        let out = place.run("kz-run", &[], &place.bash("PreToolUse", id, command));
        text(&out.stdout)
    };
    assert_eq!(say("t1", "ls"), "", "nobody came upon the rule");
    let told = say("t2", "shipit");
    assert!(told.contains("unknown key `match_not`") || told.contains("lacks the key `not_match`"), "{told}");
    assert!(told.contains("deploy.toml:1:1") && told.contains("[kz deploy/ship]"), "{told}");
    let again = say("t3", "shipit");
    assert!(!again.contains("match_not") && again.contains("[kz deploy/ship]"), "{again}");
    // At the start of a session all rules are looked at.
    let fresh = Place::new();
    fresh.write(".config/kz/rules/deploy.toml", &wrong);
    let start = fresh.run("kz-run", &[], &fresh.bash("SessionStart", "", ""));
    assert!(text(&start.stdout).contains("deploy.toml"), "{}", text(&start.stdout));
    let doctor = place.run("kz", &["doctor"], b"");
    assert!(text(&doctor.stdout).contains("warn rules: ~/.config/kz/rules/deploy.toml"), "{}", text(&doctor.stdout));
}

#[test]
fn a_repo_cannot_loosen_with_its_rules() {
    let glue = |class: &str, head: &str| rule("repo/x", &format!("class = \"{class}\"\nheads = [\"{head}\"]"));
    let offered = |command: &str, pack: &str| {
        let place = Place::new();
        if !pack.is_empty() {
            place.write("project/.kibitzer/rules/repo.toml", pack);
        }
        let out = place.run("kz-run", &["--style", "envelope", "--dry"], &place.bash("PostToolUse", "t1", command));
        let findings = json(&out.stdout)["findings"].clone();
        let offers: Vec<String> = findings
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|finding| Some(format!("{}={}", finding["rule"].as_str()?, finding["offer"].as_str()?)))
            .collect();
        offers.join(" ")
    };
    for command in ["cat src/a.rs", "cat a | head -3", "grep -rn x src", "sed -i s/a/b/ a.rs", "ls src"] {
        let before = offered(command, "");
        assert!(before.contains('='), "{command} is an offense");
        for class in
            ["glue", "filter", "build", "vcs", "download", "upload", "read", "write", "search", "discovery", "control"]
        {
            for head in ["cat", "grep", "sed", "ls", "head", "*"] {
                assert_eq!(offered(command, &glue(class, head)), before, "{command}: {class} {head}");
            }
        }
    }
    for (pack, rule) in [
        (danger("git/force-push", "git").replace("reason", "verdict = \"ask\"\nreason"), "git/force-push"),
        (rule("git/force-push", "class = \"danger\"\nheads = [\"git\"]\nverdict = \"none\""), "git/force-push"),
        ("[pack]\nname = \"git\"\nharmless = [\"--force\"]\n".to_owned(), "git/force-push"),
        ("[[rule]]\n".repeat(3000), "git/force-push"),
        ("\u{0}[[rule".to_owned(), "git/force-push"),
    ] {
        let place = Place::new();
        place.write("project/.kibitzer/rules/git.toml", &pack);
        assert_eq!(decision(&place, "git push --force"), ("deny".to_owned(), rule.to_owned()), "{pack:.200}");
    }
    // The user's folder counts only outside of the project.
    let place = Place::new();
    place.write("project/conf/kz/rules/u.toml", &danger("u/x", "shipit"));
    let mut command = place.command("kz", &["rules", "list", "--pack", "u"]);
    command.env("XDG_CONFIG_HOME", place.project().join("conf"));
    let out = command.output().unwrap();
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stdout));
}
