//! `kz help rules`: the reference of the rule language, printed from the key table.

use super::keys::{Key, TABLES, Table, Wants, WordList};
use std::fmt::Write as _;

/// A whole pack that shows the language; `kz rules test` finds nothing wrong with it.
pub const EXAMPLE: &str = include_str!("../help/rules.toml");

const ABOUT: &str = "\
A rule says what a command is; what follows is decided by the stages and your config. Yours are
TOML files in ~/.config/kz/rules/, a repo's are in .kibitzer/rules/. They stand beside kz's own,
which nothing overrides: a verdict is changed in `[guard.rules]` of the config, by id.

A repo's rules may only add: they are of class danger, which asks or denies, or write, read,
search, discovery or control, and they take no id that kz or you have.

A wrong rule is left out and told, with file, line and column; the others count.
`kz rules test` checks the form of your rules and runs their examples, `kz rules list` shows
which rules there are, `kz rules show ID` what one of them says.
";

/// The text.
pub fn reference() -> String {
    let mut out = String::from(ABOUT);
    for table in TABLES {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "\n{}\n  {}\n", table.name, table.about);
        for key in table.keys {
            entry(&mut out, key);
        }
    }
    for (table, key, words) in lists() {
        let _ = writeln!(
            out,
            "\nWords of `{key}`{}\n",
            if table == "[[rule]]" { String::new() } else { format!(" in {table}") }
        );
        for (word, about) in words {
            let _ = writeln!(out, "  {word:<14} {about}");
        }
    }
    let _ = write!(out, "\nA whole file\n\n{EXAMPLE}");
    out
}

fn entry(out: &mut String, key: &Key) {
    let needed = if key.needed { ", needed" } else { "" };
    let _ = writeln!(out, "  {:<14} {}{needed}", key.name, key.wants.said());
    let _ = writeln!(out, "  {:<14} {}", "", key.about);
    let _ = writeln!(out, "  {:<14} {}", "", key.example);
}

/// Lists of words, each once, under the first key that wants it.
fn lists() -> Vec<(&'static str, &'static str, WordList)> {
    let mut found: Vec<(&str, &str, WordList)> = Vec::new();
    let all = TABLES.iter().flat_map(|table: &&Table| table.keys.iter().map(|key| (table.name, key)));
    for (table, key) in all {
        if let Wants::One(words) | Wants::Some(words) = key.wants
            && !found.iter().any(|(.., known)| *known == words)
        {
            found.push((table, key.name, words));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::own::{File, Origin};
    use crate::rules::{Own, check, read};

    #[test]
    fn it_covers_every_key_and_word() {
        let text = reference();
        for table in TABLES {
            assert!(text.contains(table.name) && text.contains(table.about), "{}", table.name);
            for key in table.keys {
                for part in [key.about, key.example, key.wants.said()] {
                    assert!(text.contains(part) && !part.is_empty(), "{}: {part}", key.name);
                }
                if let Wants::One(words) | Wants::Some(words) = key.wants {
                    assert!(
                        words.iter().all(|(word, about)| text.contains(&format!("  {word:<14} {about}\n"))),
                        "{}",
                        key.name
                    );
                }
            }
        }
    }

    #[test]
    fn the_example_of_every_key_reads() {
        for table in TABLES {
            for key in table.keys {
                let mut lines = vec![
                    "id = \"deploy/x\"",
                    "class = \"danger\"",
                    "heads = [\"shipit\"]",
                    "reason = \"x\"",
                    "match = [\"shipit a\", \"shipit b\"]",
                    "not_match = [\"a\", \"b\"]",
                ];
                let name = key.example.split(' ').next().unwrap_or_default();
                lines.retain(|line| {
                    line.split(' ').next() != Some(name) && !(name == "tools" && line.starts_with("heads"))
                });
                let (pack, rule) =
                    if table.name == "[pack]" { (key.example, "") } else { ("name = \"deploy\"", key.example) };
                let text = format!("[pack]\n{pack}\n[[rule]]\n{}\n{rule}\n", lines.join("\n"));
                let (pack, problems) = read::pack(text.clone().leak(), "deploy.toml");
                assert!(problems.is_empty() && pack.rules.len() == 1, "{text}{problems:?}");
            }
        }
    }

    #[test]
    fn the_whole_file_has_no_problems() {
        let own = Own::of(vec![File::new(Origin::User, "deploy.toml", EXAMPLE)]);
        assert_eq!(own.all_faults(), [] as [String; 0]);
        assert_eq!(own.rules().count(), 4);
        for (_, rule) in own.rules() {
            assert_eq!(check::examples(rule, &own), [] as [String; 0]);
            assert_eq!(check::offers(rule, &own), [] as [String; 0]);
        }
    }
}
