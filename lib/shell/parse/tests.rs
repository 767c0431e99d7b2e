//! Each construct and each trap of the reader.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at what it did not expect"
)]

use super::parse;
use crate::shell::ast::*;

/// A word in short: text as it is, everything else by its kind in `«»`.
fn word(source: &str, script: &Script, word: Word) -> String {
    let mut out = String::new();
    for piece in &script.pieces[word.pieces.range()] {
        match piece.kind {
            PieceKind::Text => out.push_str(piece.span.text(source)),
            PieceKind::Decoded(span) => out.push_str(span.text(&script.decoded)),
            PieceKind::Glob => {
                out.push_str(&format!("«glob {}»", piece.span.text(source)));
            }
            PieceKind::Tilde => out.push_str(&format!("«tilde {}»", piece.span.text(source))),
            PieceKind::Ifs => out.push_str("«ifs»"),
            PieceKind::Variable { name, op, words } => {
                out.push_str(&format!("«{}{}", name.text(source), op.text(source)));
                for (n, &w) in script.words[words.range()].iter().enumerate() {
                    out.push(if n == 0 { ' ' } else { '|' });
                    out.push_str(&self::word(source, script, w));
                }
                out.push('»');
            }
            PieceKind::Substitution { list } => {
                out.push_str(&format!("«sub {}»", self::list(source, script, list)));
            }
            PieceKind::Process { list, output } => {
                let sign = if output { '>' } else { '<' };
                out.push_str(&format!("«{sign} {}»", self::list(source, script, list)));
            }
            PieceKind::Arithmetic { words } => {
                let words = self::words(source, script, words);
                out.push_str(&format!("«arith {words}»"));
            }
            PieceKind::Array { words } => {
                let words = self::words(source, script, words);
                out.push_str(&format!("«array {words}»"));
            }
        }
    }
    out
}

fn words(source: &str, script: &Script, run: Run<Word>) -> String {
    let words: Vec<_> = script.words[run.range()]
        .iter()
        .map(|&w| word(source, script, w))
        .collect();
    words.join("·")
}

fn list(source: &str, script: &Script, run: Run<Pipeline>) -> String {
    let mut out = String::new();
    for pipeline in &script.pipelines[run.range()] {
        out.push_str(match pipeline.joint {
            Joint::First => "",
            Joint::Semicolon => "; ",
            Joint::Newline => "⏎ ",
            Joint::And => "&& ",
            Joint::Or => "|| ",
            Joint::Background => "& ",
        });
        if pipeline.negated {
            out.push_str("! ");
        }
        if pipeline.timed {
            out.push_str("time ");
        }
        for (n, command) in script.commands[pipeline.stages.range()].iter().enumerate() {
            if n > 0 {
                out.push_str("| ");
            }
            out.push_str(&self::command(source, script, command));
            out.push(' ');
            if command.pipes_both {
                out.push('&');
            }
        }
        if pipeline.background {
            out.push_str("(bg) ");
        }
    }
    out.trim_end().to_owned()
}

fn command(source: &str, script: &Script, command: &Command) -> String {
    let mut out = match command.kind {
        CommandKind::Simple { assigns, words } => {
            let mut out = words_of(source, script, assigns, "=");
            out.push_str(&self::words(source, script, words));
            out
        }
        CommandKind::Compound {
            what,
            words,
            blocks,
            name,
        } => {
            let mut out = format!("{what:?}");
            if name != Span::default() {
                out.push_str(&format!(" {}", name.text(source)));
            }
            if !words.is_empty() {
                out.push_str(&format!(" ({})", self::words(source, script, words)));
            }
            for block in &script.blocks[block_range(blocks)] {
                let mark = if block.role == Role::Condition {
                    "?"
                } else {
                    ""
                };
                out.push_str(&format!(" {mark}{{{}}}", list(source, script, block.list)));
            }
            out
        }
    };
    for redirect in &script.redirects[command.redirects.range()] {
        let fd = match redirect.fd {
            Fd::Default => String::new(),
            Fd::Number(n) => n.to_string(),
            Fd::Named(span) => span.text(source).to_owned(),
        };
        let target = word(source, script, redirect.target);
        let literal = if redirect.literal { "'" } else { "" };
        out.push_str(&format!(" [{fd}{:?}{literal} {target}]", redirect.op));
    }
    out.trim().to_owned()
}

fn words_of(source: &str, script: &Script, run: Run<Word>, mark: &str) -> String {
    if run.is_empty() {
        return String::new();
    }
    format!("{mark}({}) ", words(source, script, run))
}

fn block_range(run: Run<Block>) -> std::ops::Range<usize> {
    run.range()
}

/// The whole text in short, with `✗` and the message after what was read.
fn show(source: &str) -> String {
    let script = parse(source);
    let mut out = list(source, &script, script.body);
    if let Some(error) = script.error {
        out.push_str(&format!(" ✗ {}", error.message));
    }
    if let Some(late) = script.late {
        out.push_str(&format!(" ✗late {}", late.message));
    }
    out.trim().to_owned()
}

#[test]
fn shows() {
    for text in std::env::var("SHOW").unwrap_or_default().split("\\0") {
        println!("{text:?}\n   {}", show(text));
    }
}
