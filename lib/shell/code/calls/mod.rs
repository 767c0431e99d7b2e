//! Lua, R, Julia, Elixir, Tcl and AppleScript, read by their known calls only: what these open,
//! delete and run with literal arguments. Whatever else the text does is not known, and it says so.

mod phrases;
mod tables;
mod words;

use super::super::part::Arg;
use super::Found;
use super::value::{Out, blank, unknown};
use crate::call::Op;
use tables::{Does, Row};
use words::{Tok, words};

/// A language of this room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tongue {
    Lua,
    R,
    Julia,
    Elixir,
    Tcl,
    AppleScript,
}

/// Most arguments of a call that are looked at, and most words of them.
const MOST_ARGUMENTS: usize = 64;
const MOST_WORDS: usize = 512;

/// Reads a program text.
pub(super) fn read(tongue: Tongue, text: &Arg) -> Found {
    let mut out = Out::default();
    if blank(text) {
        out.open("code from a variable");
    } else {
        match tongue {
            Tongue::Tcl => phrases::tcl(text, &mut out),
            Tongue::AppleScript => phrases::apple(&words(text, tongue), &mut out),
            Tongue::Lua | Tongue::R | Tongue::Julia | Tongue::Elixir => calls(tongue, &words(text, tongue), &mut out),
        }
        out.open("does more than its known calls say");
    }
    out.found
}

/// An argument: the name it is given by, and what it may be; several for the elements of a list.
#[derive(Debug, Default)]
struct Argument<'t> {
    name: &'t str,
    values: Vec<Arg>,
}

fn calls(tongue: Tongue, toks: &[Tok], out: &mut Out) {
    let table = match tongue {
        Tongue::R => tables::R,
        Tongue::Julia => tables::JULIA,
        Tongue::Elixir => tables::ELIXIR,
        Tongue::Lua | Tongue::Tcl | Tongue::AppleScript => tables::LUA,
    };
    for (at, tok) in toks.iter().enumerate() {
        let Tok::Name(name) = tok else { continue };
        // `File.rm!` and `File.rm` differ in how they fail; `base::unlink` is `unlink`.
        let plain = name.trim_end_matches('!');
        let plain = if tongue == Tongue::R { plain.rsplit(':').next().unwrap_or(plain) } else { plain };
        let Some(row) = table.iter().find(|(known, ..)| *known == plain) else { continue };
        let arguments = match toks.get(at + 1) {
            Some(Tok::Sign('(')) => arguments(toks.get(at + 2..).unwrap_or_default()),
            // `require "x"`, `File.rm! "x"`
            Some(Tok::Text(text)) => vec![Argument { name: "", values: vec![text.clone()] }],
            _ => continue,
        };
        call(row, &arguments, out);
    }
}

/// The arguments up to the closing bracket.
fn arguments(toks: &[Tok]) -> Vec<Argument<'_>> {
    let mut found = vec![];
    let (mut depth, mut from) = (0_usize, 0);
    for (at, tok) in toks.iter().enumerate().take(MOST_WORDS) {
        match tok {
            Tok::Sign('(' | '[' | '{') => depth += 1,
            Tok::Sign(')' | ']' | '}') if depth > 0 => depth -= 1,
            Tok::Sign(')' | ',' | ';') if depth == 0 => {
                if at > from && found.len() < MOST_ARGUMENTS {
                    found.push(argument(toks.get(from..at).unwrap_or_default()));
                }
                if *tok == Tok::Sign(')') {
                    break;
                }
                from = at + 1;
            }
            _ => {}
        }
    }
    found
}

fn argument(toks: &[Tok]) -> Argument<'_> {
    let (name, toks) = match toks {
        [Tok::Name(name), Tok::Sign('='), rest @ ..] => (name.as_str(), rest),
        _ => ("", toks),
    };
    let texts = || toks.iter().filter_map(|tok| if let Tok::Text(text) = tok { Some(text.clone()) } else { None });
    let list = matches!(toks, [Tok::Sign('['), ..]) || matches!(toks, [Tok::Name(c), Tok::Sign('('), ..] if c == "c");
    let values = match toks {
        [Tok::Text(text)] => vec![text.clone()],
        _ if list => texts().collect(),
        // `"a/" .. name`
        [Tok::Text(start), ..] => vec![joined(start)],
        _ => vec![unknown()],
    };
    Argument { name, values }
}

/// A text with something unknown behind it.
fn joined(start: &Arg) -> Arg {
    let mut joined = start.clone();
    joined.text.push_str(&unknown().text);
    joined.mark_all(unknown().dynamic);
    joined
}

fn call((_, does, named): &Row, arguments: &[Argument<'_>], out: &mut Out) {
    let at = |at: usize| -> &[Arg] {
        let named = arguments.iter().find(|argument| !argument.name.is_empty() && argument.name == *named);
        let placed = || arguments.iter().filter(|argument| argument.name.is_empty()).nth(at);
        named.or_else(placed).map_or(&[], |argument| &argument.values)
    };
    let second = |at: usize| arguments.get(at).map_or(&[][..], |argument| &argument.values);
    match does {
        Does::Touch(op, place) => out.touch(at(*place), *op),
        Does::Open => {
            let mode = second(1).first().map_or("r", |mode| mode.text.as_str());
            out.touch(at(0), if mode.starts_with('r') { Op::Read } else { Op::Write });
        }
        Does::Duplicate | Does::Move => {
            out.touch(second(0), if matches!(does, Does::Duplicate) { Op::Read } else { Op::Delete });
            out.touch(second(1), Op::Write);
        }
        Does::Fetch => {
            for address in second(0) {
                out.net(&address.text);
            }
            out.touch(second(1), Op::Write);
        }
        Does::Shell => out.text(at(0)),
        Does::Words => out.argv(arguments.iter().take(2).flat_map(|argument| argument.values.clone()).collect()),
        Does::Script => {
            out.touch(at(0), Op::Read);
            out.open("runs a script");
        }
        Does::Enter => out.enter(at(0).first().cloned().unwrap_or_else(unknown)),
    }
}
