//! What comes of braces.
#![expect(clippy::panic, reason = "a test may stop at what it did not expect")]

use super::*;
use crate::shell::ast::CommandKind;
use crate::shell::parse::parse;

/// What comes of the words of a command, joined by `|`.
fn all(source: &str) -> String {
    let script = parse(source);
    let CommandKind::Simple { words, .. } = script.commands[0].kind else {
        panic!("not a simple command: {source}");
    };
    let mut out = Vec::new();
    for &word in &script.words[words.range()] {
        let words = match expand(source, &script, word) {
            Ok(words) => words,
            Err(bound) => return format!("{bound:?}"),
        };
        for units in words {
            let text = units.iter().map(|unit| match unit {
                Unit::Made(text) => text.clone(),
                Unit::Piece(piece) => match piece.kind {
                    PieceKind::Text => piece.span.text(source).to_owned(),
                    PieceKind::Decoded(span) => span.text(&script.decoded).to_owned(),
                    PieceKind::Tilde => "HOME".to_owned(),
                    _ => "«»".to_owned(),
                },
            });
            out.push(text.collect::<String>());
        }
    }
    out.join("|")
}

#[test]
fn expands_as_bash_does() {
    for (source, expected) in [
        ("{a,b}", "a|b"),
        ("x{a,b}y{c,d}", "xayc|xayd|xbyc|xbyd"),
        ("{a,{b,c}d}e", "ae|bde|cde"),
        ("{1..10..2}", "1|3|5|7|9"),
        ("{10..1..3}", "10|7|4|1"),
        ("{a..e..2}", "a|c|e"),
        ("{01..3}", "01|02|03"),
        ("{-01..1}", "-01|000|001"),
        ("{a} {} {a,b", "{a}|{}|{a,b"),
        ("x{}y{c,d}", "x{}yc|x{}yd"),
        ("{a}b,c}", "a}b|c"),
        ("${x}{a,b}", "«»a|«»b"),
        ("{a\\..b} {a'..'b}", "{a..b}|{a..b}"),
        ("{X,,Y}", "X|Y"),
        ("{X,'',Y}", "X||Y"),
        ("{a\\,b} {'a,b'}", "{a,b}|{a,b}"),
        ("{a,b}\\{c,d}", "a{c,d}|b{c,d}"),
        ("{1..a} {1..2..x} {1..2..}", "{1..a}|{1..2..x}|{1..2..}"),
        ("{~,b}/c", "HOME/c|b/c"),
        ("{{a,b}", "{a|{b"),
        ("{a,b}}", "a}|b}"),
        ("{1..2}{a..b}", "1a|1b|2a|2b"),
        ("{1..x}{a,b}", "{1..x}a|{1..x}b"),
    ] {
        assert_eq!(all(source), expected, "{source}");
    }
}

#[test]
fn too_many_results_are_reported() {
    assert_eq!(all("{1..1000}").split('|').count(), 1000);
    assert_eq!(all("{1..1001}"), "Braces");
    assert_eq!(all(&"{a,b}".repeat(30)), "Braces");
    assert_eq!(all(&"{".repeat(100_000)), "Braces");
    assert_eq!(all("{0..9223372036854775807}"), "Braces");
    let deep = format!("{}a,b{}", "{".repeat(200), ",c}".repeat(200));
    assert_eq!(all(&deep), "Braces");
}
