//! What the shell reader must say of commands, row by row, and laws that hold for any text.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::rows;

#[path = "referee/signs.rs"]
mod signs;

/// Reads all rows of `tests/cases/shell` and compares.
#[test]
fn rows_are_read_as_written() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/shell");
    let mut wrong = String::new();
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let file = entry.unwrap().path();
        let text = std::fs::read_to_string(&file).unwrap();
        for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
            let place = format!("{}:{}", file.file_name().unwrap().to_string_lossy(), n + 1);
            let wanted: Value = serde_json::from_str(line).expect(&place);
            let command = wanted["command"].as_str().expect(&place);
            count += 1;
            if let Some(how) = differs(&wanted, &rows::row(command)) {
                writeln!(wrong, "{place}: {command:?}: {how}").unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count >= 150, "only {count} rows");
}

/// How `found` differs in what the row says; nothing if it does not.
fn differs(wanted: &Value, found: &Value) -> Option<String> {
    let list = |row: &Value| row["parts"].as_array().cloned().unwrap_or_default();
    let (parts, others) = (list(wanted), list(found));
    if parts.len() != others.len() {
        return Some(format!("{} parts, found {}", parts.len(), found["parts"]));
    }
    let pairs = [(wanted, found)].into_iter().chain(parts.iter().zip(&others));
    for (wanted, found) in pairs {
        for (key, value) in wanted.as_object().into_iter().flatten() {
            if !matches!(key.as_str(), "command" | "run" | "parts") && found[key] != *value {
                return Some(format!("{key}\n  wanted {value}\n  found  {}", found[key]));
            }
        }
    }
    None
}

mod laws {
    use kibitzer::shell::ast::{CommandKind, PieceKind, Script, Span};
    use kibitzer::shell::{self, Part, parse::parse};
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::signs::SIGNS;

    fn hostile() -> impl Strategy<Value = String> {
        let sign = prop_oneof![
            8 => (0..SIGNS.len()).prop_map(|n| SIGNS.get(n).copied().unwrap_or_default().to_owned()),
            1 => any::<String>(),
            2 => "[a-z.]{1,4}",
        ];
        vec(sign, 0..24).prop_map(|signs| signs.concat())
    }

    /// Simple lines that leave nothing open.
    fn line() -> impl Strategy<Value = String> {
        let words = &[
            "touch a",
            "cp 'a b' c",
            "x=1 make",
            "ls | wc -l",
            "(rm a; rm b)",
            "for i in 1 2; do rm $i; done",
            "cat <<E\nx\nE",
            "f() { ls; }",
            "if a; then b; fi # c",
            "echo $(date) >o",
            "a && b || c",
            "sudo rm -r d",
            "bash -c 'mv a b'",
            "a &",
            "case x in y) z;; esac",
            "[[ -f a ]]",
            "((1))",
            "cd d",
            "{ a; } 2>e",
            "echo \"$x\"",
            "a=(1 2)",
            ": <(b)",
            "y=$x",
        ];
        (0..words.len()).prop_map(move |n| words.get(n).copied().unwrap_or_default().to_owned())
    }

    fn spans(script: &Script) -> Vec<Span> {
        let mut spans = Vec::new();
        spans.extend(script.pipelines.iter().map(|pipeline| pipeline.span));
        for command in &script.commands {
            spans.push(command.span);
            if let CommandKind::Compound { name, .. } = command.kind {
                spans.push(name);
            }
        }
        spans.extend(script.redirects.iter().flat_map(|redirect| [redirect.span, redirect.target.span]));
        for word in &script.words {
            spans.push(word.span);
            spans.extend(script.pieces_of(word).iter().map(|piece| piece.span));
        }
        spans.extend(script.pieces.iter().map(|piece| piece.span));
        spans.extend(script.variables.iter().flat_map(|variable| [variable.name, variable.op]));
        spans.extend(script.error.iter().chain(&script.late).map(|error| error.at));
        spans
    }

    fn decoded(script: &Script) -> impl Iterator<Item = Span> {
        script.pieces.iter().filter_map(|piece| match piece.kind {
            PieceKind::Decoded(span) => Some(span),
            _ => None,
        })
    }

    fn words(parts: &[Part]) -> Vec<(Vec<String>, Vec<String>)> {
        let texts = |part: &Part| part.argv.iter().map(|word| word.text.to_string()).collect();
        parts.iter().map(|part| (part.ctx.iter().map(ToString::to_string).collect(), texts(part))).collect()
    }

    /// One of four spellings of `text`.
    fn quote(text: &str, style: u8) -> String {
        match style % 4 {
            0 => format!("'{}'", text.replace('\'', "'\\''")),
            1 => {
                let escaped: String = text
                    .chars()
                    .flat_map(|c| matches!(c, '"' | '\\' | '$' | '`').then_some('\\').into_iter().chain([c]))
                    .collect();
                format!("\"{escaped}\"")
            }
            2 => {
                let escaped: String = text
                    .chars()
                    .flat_map(|c| matches!(c, '\'' | '\\').then_some('\\').into_iter().chain([c]))
                    .collect();
                format!("$'{escaped}'")
            }
            // A backslash does not quote a newline.
            _ if text.is_empty() || text.contains('\n') => quote(text, 0),
            _ => text.chars().flat_map(|c| ['\\', c]).collect(),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

        /// Any text is read, the same each time, and what is said of it lies in it.
        #[test]
        fn any_text_is_read(text in hostile()) {
            let script = parse(&text);
            for span in spans(&script) {
                prop_assert!(text.get(span.range()).is_some(), "{span:?} of {text:?}");
            }
            for span in decoded(&script) {
                prop_assert!(script.decoded.get(span.range()).is_some(), "{span:?} of {text:?}");
            }
            let flat = shell::flatten(&text, &script);
            let read = shell::read(&text);
            for part in flat.parts.iter().chain(&read.parts) {
                let [start, end] = part.span;
                prop_assert!(text.get(start as usize..end as usize).is_some(), "{:?} of {text:?}", part.span);
                shell::touched(part);
            }
            if script.error.is_none() {
                prop_assert_eq!(&read, &flat);
            }
            prop_assert_eq!(&read, &shell::read(&text));
        }

        /// A mark for what is unknown never passes for text.
        #[test]
        fn marks_are_never_certain(text in hostile()) {
            if !text.contains(['«', '»']) && !text.contains("\\x") {
                for part in shell::read(&text).parts {
                    let all = part.argv.iter().chain(part.words()).chain(part.redirs.iter().map(|redir| redir.target()));
                    for word in all {
                        let marked = word.certain().is_some_and(|value| value.contains('«'));
                        prop_assert!(!marked, "{word:?} of {text:?}");
                    }
                }
            }
        }

        /// Lines one after the other are what they are alone.
        #[test]
        fn lines_add_up(first in vec(line(), 1..4), second in vec(line(), 1..4)) {
            let (first, second) = (first.join("\n"), second.join("\n"));
            let both = shell::read(&format!("{first}\n{second}"));
            prop_assert!(!both.opaque || both.why.iter().all(|why| !why.starts_with("syntax")), "{:?}", both.why);
            let mut apart = words(&shell::read(&first).parts);
            apart.extend(words(&shell::read(&second).parts));
            prop_assert_eq!(words(&both.parts), apart);
        }

        /// What is quoted comes back as it was.
        #[test]
        fn quoted_words_come_back(texts in vec((any::<String>(), any::<u8>()), 0..6)) {
            let texts: Vec<(String, u8)> = texts.into_iter().map(|(text, style)| (text.replace('\0', ""), style)).collect();
            let mut command = String::from("program");
            for (text, style) in &texts {
                command.push(' ');
                command.push_str(&quote(text, *style));
            }
            let read = shell::read(&command);
            prop_assert!(!read.why.iter().any(|why| why.starts_with("syntax")), "{:?} of {command:?}", read.why);
            let [part] = read.parts.as_slice() else { return Err(TestCaseError::fail(format!("{command:?}"))) };
            let found: Vec<Option<&str>> = part.words().iter().skip(1).map(|word| word.certain()).collect();
            let wanted: Vec<Option<&str>> = texts.iter().map(|(text, _)| Some(text.as_str())).collect();
            prop_assert_eq!(found, wanted, "{}", command);
        }
    }
}
