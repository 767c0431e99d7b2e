//! What is known of a shell call, for people: `kz help shell`.

use super::code::Lang;
use super::programs;

/// Width of the lists.
const WIDTH: usize = 112;

/// How a call is read, and what is known: rendered from the tables that the reader uses.
pub fn reference() -> String {
    let mut text = include_str!("../help/shell.md").to_owned();
    let (runs, others): (Vec<_>, Vec<_>) = programs::all().iter().partition(|program| program.runs);
    let names = |rows: &[&'static programs::Program]| {
        // `-m venv` is how a module of Python is looked up.
        let named = rows.iter().flat_map(|row| row.names).filter(|name| !name.starts_with('-'));
        let mut names: Vec<&str> = named.copied().collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    list(&mut text, "Languages whose text is read where a program is given it:", &Lang::ALL.map(Lang::word));
    list(&mut text, "Programs that are seen through to what else they run:", &names(&runs));
    list(
        &mut text,
        "Other programs whose options and paths are known (any other may touch more than is listed):",
        &names(&others),
    );
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn list(text: &mut String, title: &str, names: &[&str]) {
    text.push_str(title);
    let mut width = WIDTH;
    for name in names {
        width += 1 + name.len();
        if width > WIDTH {
            text.push_str("\n ");
            width = 2 + name.len();
        }
        text.push(' ');
        text.push_str(name);
    }
    text.push_str("\n\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::Dynamic;
    use crate::shell::part::{Arg, Code, CodePath, Part, Redir, RedirFd, Shell};
    use std::collections::BTreeSet;
    use thin_vec::thin_vec;

    fn keys(value: &serde_json::Value, found: &mut BTreeSet<String>) {
        match value {
            serde_json::Value::Object(map) => map.iter().for_each(|(key, value)| {
                found.insert(key.clone());
                keys(value, found);
            }),
            serde_json::Value::Array(list) => list.iter().for_each(|value| keys(value, found)),
            _ => {}
        }
    }

    #[test]
    fn every_key_and_kind_of_the_envelope_is_told() {
        let word = Arg { text: "«var»".into(), dynamic: Dynamic::Var.into() };
        let code = Code {
            lang: "awk".into(),
            paths: vec![CodePath { path: word.clone(), op: crate::call::Op::Read }],
            net: vec!["x".into()],
            open: "x".into(),
            writes_base: true,
        };
        let part = Part {
            argv: thin_vec![word.clone()],
            assign: thin_vec![word.clone()],
            redirs: thin_vec![Redir {
                fd: RedirFd::Number(1),
                op: ">".into(),
                target: word.clone(),
                known: Some(word.clone())
            }],
            ctx: ["for".into()].into_iter().collect(),
            by: ";".into(),
            inside: Some(0),
            from: thin_vec![0],
            cwd: Some("x".into()),
            cwd_unknown: true,
            known: Some(thin_vec![word.clone()]),
            turns: thin_vec![Part::default()],
            appends: true,
            replace: Some("{}".into()),
            input: thin_vec![word],
            elsewhere: true,
            forks: true,
            behind: true,
            calls: true,
            code: Some(Box::new(code)),
            open: "x".into(),
            ..Part::default()
        };
        let shell = Shell { dialect: "powershell".into(), opaque: true, why: vec!["x".into()], parts: vec![part] };
        let mut found = BTreeSet::new();
        keys(&serde_json::to_value(&shell).unwrap_or_default(), &mut found);
        let path = r#"{"raw":"a","path":"/a","rel":"a","op":"read","sure":true,"part":0,"glob":true}"#;
        let path: crate::call::CallPath = serde_json::from_str(path).unwrap_or_default();
        keys(&serde_json::to_value(&path).unwrap_or_default(), &mut found);
        let kinds = ["arith", "array", "credential", "glob", "ifs", "proc", "sub", "tilde", "var"];
        let unread = |kind: &&str| serde_json::from_str::<Dynamic>(&format!("\"{kind}\"")).is_err();
        assert_eq!(kinds.into_iter().find(unread), None);
        found.extend(kinds.map(String::from));
        let text = reference();
        let told = |key: &String| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == key);
        let missing: Vec<&String> = found.iter().filter(|key| !told(key)).collect();
        assert!(missing.is_empty(), "kz help shell says nothing of {missing:?}");
        assert!(found.len() > 35, "{found:?}");
    }

    #[test]
    fn lists_are_wrapped_and_hold_every_program() {
        let text = reference();
        assert!(text.lines().all(|line| line.chars().count() <= 118));
        assert!(
            programs::all().iter().flat_map(|row| row.names).all(|name| name.starts_with('-') || text.contains(name))
        );
    }
}
