//! The words of Lua, R, Julia, Elixir and AppleScript: names, strings and signs, without comments.

use super::Tongue;
use crate::shell::code::value::literal;
use crate::shell::dynamic::{Dynamic, Dynamics};
use crate::shell::part::Arg;

/// A word of a program text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tok {
    /// A name with its dots and colons: `os.execute`.
    Name(String),
    /// A string.
    Text(Arg),
    /// Any other letter.
    Sign(char),
}

/// Splits a text into words; linear in it.
pub(super) fn words(text: &Arg, tongue: Tongue) -> Vec<Tok> {
    let mut rest = text.text.as_str();
    let mut found = Vec::new();
    while let Some(letter) = rest.chars().next() {
        if let Some(after) = comment(rest, tongue) {
            rest = after;
        } else if let Some((body, after)) = long(rest, tongue) {
            found.push(Tok::Text(literal(body.to_owned(), text.dynamic)));
            rest = after;
        } else if letter == '"' || letter == '`' && tongue == Tongue::Julia || letter == '\'' && single(tongue) {
            let (body, after) = quoted(rest, letter, text.dynamic, tongue);
            found.push(Tok::Text(body));
            rest = after;
        } else if letter.is_alphabetic() || letter == '_' || letter == ':' {
            let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '!');
            let (name, after) = rest.split_at(rest.find(|c| !part(c)).unwrap_or(rest.len()));
            found.push(Tok::Name(name.to_owned()));
            rest = after;
        } else {
            if !letter.is_whitespace() {
                found.push(Tok::Sign(letter));
            }
            rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        }
    }
    found
}

/// Whether the language has strings in single quotes.
fn single(tongue: Tongue) -> bool {
    matches!(tongue, Tongue::Lua | Tongue::R | Tongue::Elixir)
}

/// What follows a comment.
fn comment(text: &str, tongue: Tongue) -> Option<&str> {
    let block = match tongue {
        Tongue::Lua => Some(("--[[", "]]")),
        Tongue::Julia => Some(("#=", "=#")),
        Tongue::AppleScript => Some(("(*", "*)")),
        _ => None,
    };
    if let Some((start, end)) = block
        && let Some(body) = text.strip_prefix(start)
    {
        return Some(body.split_once(end).map_or("", |(_, after)| after));
    }
    let line = match tongue {
        Tongue::Lua => text.starts_with("--"),
        Tongue::AppleScript => text.starts_with("--") || text.starts_with('#'),
        _ => text.starts_with('#'),
    };
    line.then(|| text.find('\n').and_then(|at| text.get(at..)).unwrap_or_default())
}

/// A string that ends with more than one letter, and what follows it.
fn long(text: &str, tongue: Tongue) -> Option<(&str, &str)> {
    let (start, end) = match tongue {
        Tongue::Lua => ("[[", "]]"),
        Tongue::Julia | Tongue::Elixir => ("\"\"\"", "\"\"\""),
        _ => return None,
    };
    let body = text.strip_prefix(start)?;
    Some(body.split_once(end).unwrap_or((body, "")))
}

/// A string in quotes, and what follows it.
fn quoted(text: &str, quote: char, marks: Dynamics, tongue: Tongue) -> (Arg, &str) {
    let (mut body, mut computed) = (String::new(), false);
    let mut letters = text.char_indices().skip(1).peekable();
    let mut end = text.len();
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        match letter {
            _ if letter == quote => {
                end = at + 1;
                break;
            }
            '\\' => match letters.next() {
                Some((_, 'n')) => body.push('\n'),
                Some((_, 't')) => body.push('\t'),
                Some((_, 'r')) => body.push('\r'),
                Some((_, other)) => body.push(other),
                None => {}
            },
            '#' if tongue == Tongue::Elixir && next == Some('{') => {
                computed = true;
                body.push_str("«var»");
                letters.by_ref().find(|(_, letter)| *letter == '}');
            }
            '$' if tongue == Tongue::Julia => {
                computed = true;
                body.push_str("«var»");
                let bracket = next == Some('(');
                let inside =
                    |letter: char| if bracket { letter != ')' } else { letter.is_alphanumeric() || letter == '_' };
                while letters.next_if(|(_, letter)| inside(*letter)).is_some() {}
                if bracket {
                    letters.next();
                }
            }
            letter => body.push(letter),
        }
    }
    let mut body = literal(body, marks);
    if computed {
        body.mark(Dynamic::Var);
    }
    (body, text.get(end..).unwrap_or_default())
}
