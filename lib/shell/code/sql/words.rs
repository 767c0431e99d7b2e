//! The words of SQL and of the commands of its clients.

/// Most bytes of a name in brackets.
const MOST_NAME: usize = 256;

/// One word of SQL.
pub(super) enum Word<'t> {
    /// A name or keyword.
    Name(&'t str),
    /// A string in single quotes.
    Text(String),
    /// A name in other quotes.
    Quoted(String),
    /// Anything else.
    Sign(u8),
}

pub(super) fn first(line: &str) -> &str {
    line.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default()
}

/// The words of a command line of a client; quotes are taken off.
pub(super) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut chars = line.trim().chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\r' => {}
            '\'' | '"' => {
                let mut word = String::new();
                while let Some(inner) = chars.next() {
                    if inner == c && chars.next_if_eq(&c).is_none() {
                        break;
                    }
                    word.push(inner);
                }
                words.push(word);
            }
            _ => {
                let mut word = String::from(c);
                while let Some(more) = chars.next_if(|c| !matches!(c, ' ' | '\t' | '\r' | ';')) {
                    word.push(more);
                }
                words.push(word);
            }
        }
    }
    words
}

/// The next word; comments are skipped.
pub(super) fn next<'t>(rest: &mut &'t str) -> Option<Word<'t>> {
    loop {
        *rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix("--") {
            *rest = after.split_once('\n').map_or("", |(_, after)| after);
        } else if let Some(after) = rest.strip_prefix("/*") {
            *rest = after.split_once("*/").map_or("", |(_, after)| after);
        } else {
            break;
        }
    }
    let text = *rest;
    let byte = text.bytes().next()?;
    let end = match byte {
        b'\'' => return Some(Word::Text(quoted(rest, '\''))),
        b'"' => return Some(Word::Quoted(quoted(rest, '"'))),
        b'`' => return Some(Word::Quoted(quoted(rest, '`'))),
        b'[' => match text.bytes().take(MOST_NAME).position(|byte| byte == b']') {
            Some(end) => {
                *rest = text.get(end + 1..).unwrap_or_default();
                return Some(Word::Quoted(text.get(1..end).unwrap_or_default().to_owned()));
            }
            None => 1,
        },
        b'$' => match text.get(1..).and_then(|inner| inner.split_once('$')) {
            // `$tag$ … $tag$`
            Some((tag, body)) if tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') => {
                let end = format!("${tag}$");
                let (inner, after) = body.split_once(end.as_str()).unwrap_or((body, ""));
                *rest = after;
                return Some(Word::Text(inner.to_owned()));
            }
            _ => 1,
        },
        _ => {
            let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '«' | '»');
            text.find(|c| !word(c)).unwrap_or(text.len())
        }
    };
    if end > 0 && !matches!(byte, b'[' | b'$') {
        *rest = text.get(end..).unwrap_or_default();
        return Some(Word::Name(text.get(..end).unwrap_or_default()));
    }
    let width = text.chars().next().map_or(1, char::len_utf8);
    *rest = text.get(width..).unwrap_or_default();
    Some(Word::Sign(byte))
}

/// A text in quotes, a doubled quote standing for one.
fn quoted(rest: &mut &str, quote: char) -> String {
    let text = rest.get(1..).unwrap_or_default();
    let mut found = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == quote && chars.next_if(|(_, next)| *next == quote).is_none() {
            *rest = text.get(at + 1..).unwrap_or_default();
            return found;
        }
        found.push(c);
    }
    *rest = "";
    found
}
