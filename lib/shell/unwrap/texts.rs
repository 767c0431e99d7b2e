//! Shell text that stands in the value of an option, behind a prefix, in an assignment or in keys
//! that are sent to a terminal.

use ecow::EcoString;
use thin_vec::ThinVec;

use super::{Around, Inner, Scope, around, one, value};
use crate::shell::dynamic::{Dynamic, Dynamics};
use crate::shell::options::Options;
use crate::shell::part::Arg;
use crate::shell::programs::{self, Program, Row, Run};

/// Lists the texts that options and prefixed operands before word `end` give.
pub fn given(head: &str, argv: &[Arg], options: &Options<'_>, end: usize, found: &mut Vec<Inner>) {
    let row = options.row;
    let program = options.program.map(|program| &program.row);
    let rows = || std::iter::once(row).chain(program.filter(|program| !std::ptr::eq(*program, row)));
    if rows().all(|row| row.text.is_empty() && row.helpers.is_empty() && row.text_after.is_empty()) {
        return;
    }
    let base = around(head, argv, options);
    let named = |name: &str| Around { label: format!("{} {name}", base.label).trim_end().into(), ..base.clone() };
    for option in options.options.iter().filter(|option| option.at < end) {
        let Some(text) = value(argv, option) else { continue };
        let name = option.name.as_ref();
        let at = option.value_at;
        let takes = rows().any(|row| row.text.contains(&name));
        if takes || (rows().any(|row| row.helpers.contains(&name)) && !bare(&text)) {
            found.push(one(text, at, Scope::Child, named(name)));
            continue;
        }
        if let Some(text) = rows().find_map(|row| after(row, name, &text)) {
            found.push(one(text, at, Scope::Child, named(name)));
        } else if head == "git" && name == "-c" {
            // `git -c alias.x='!text' x`
            let alias = text.text.strip_prefix("alias.").and_then(|alias| alias.split_once("=!"));
            if let Some((_, alias)) = alias {
                let text = Arg { text: alias.into(), dynamic: text.dynamic };
                found.push(one(text, at, Scope::Child, Around { label: "git alias".into(), ..base.clone() }));
            }
        }
    }
    if rows().any(|row| row.text_after.iter().any(|(option, _)| option.is_empty())) {
        for at in options.operands.iter().copied().filter(|at| *at < end) {
            let Some(word) = argv.get(at) else { continue };
            if let Some(text) = rows().find_map(|row| after(row, "", word)) {
                found.push(one(text, at, Scope::Child, named("")));
            }
        }
    }
}

/// The text behind the prefix that the row knows for an option.
fn after(row: &Row, name: &str, word: &Arg) -> Option<Arg> {
    row.text_after.iter().filter(|(option, _)| *option == name).find_map(|(_, prefix)| {
        let rest = behind(prefix, &word.text)?;
        let text = Arg { text: rest.into(), dynamic: word.dynamic };
        (!bare(&text)).then_some(text)
    })
}

/// What follows a prefix in any case of letters; a `*` in it stands for any text before the first `=`:
/// `filter.*.clean=`.
fn behind<'t>(prefix: &str, text: &'t str) -> Option<&'t str> {
    let same = |start: &str, wanted: &str| start.eq_ignore_ascii_case(wanted);
    let Some((head, tail)) = prefix.split_once('*') else {
        return text.split_at_checked(prefix.len()).filter(|(start, _)| same(start, prefix)).map(|(_, rest)| rest);
    };
    let (key, rest) = text.split_at_checked(text.find('=')? + 1)?;
    let (_, key) = key.split_at_checked(head.len()).filter(|(start, _)| same(start, head))?;
    let at = key.len().checked_sub(tail.len())?;
    key.get(at..).is_some_and(|end| same(end, tail)).then_some(rest)
}

/// Whether it is nothing but the name of a program that runs no other: a pager, `true`, an editor.
fn bare(text: &Arg) -> bool {
    let name = text.text.as_str();
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    let runs = |program: &Program| !matches!(program.row.run, Run::Nothing);
    text.dynamic.is_empty() && plain && !programs::program(name).is_some_and(runs)
}

/// Shell text in the assignments before a program: `GIT_EDITOR='…' git commit`.
pub fn assigned(row: &Row, assign: &[Arg], found: &mut Vec<Inner>) {
    for word in assign {
        let Some((name, value)) = word.text.split_once('=') else { continue };
        // `LESSOPEN='|lesspipe %s'`: the bar says that its output is shown.
        let value = value.trim_start_matches('|').trim_start_matches('-');
        let text = Arg { text: value.into(), dynamic: word.dynamic };
        if row.env_text.contains(&name) && !bare(&text) {
            let around = Around { label: name.into(), ..Around::default() };
            found.push(one(text, 0, Scope::Child, around));
        }
    }
}

/// The words that `env -S` makes of a text; `None` if it refuses it.
pub fn split(text: &str, dynamic: Dynamics) -> Option<ThinVec<Arg>> {
    let mut words = ThinVec::new();
    let mut now: Option<Arg> = None;
    let mut quote = None;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let blank = matches!(letter, ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r');
        match letter {
            _ if quote.is_none() && blank => words.extend(now.take()),
            '#' if now.is_none() && quote.is_none() => return Some(words),
            '\'' | '"' if quote.is_none_or(|open| open == letter) => {
                quote = if quote.is_none() { Some(letter) } else { None };
                now.get_or_insert_with(|| Arg { text: EcoString::new(), dynamic });
            }
            '$' if quote != Some('\'') => {
                letters.next_if_eq(&'{')?;
                let name: String = letters.by_ref().take_while(|letter| *letter != '}').collect();
                if name.is_empty() {
                    return None;
                }
                let word = now.get_or_insert_with(|| Arg { text: EcoString::new(), dynamic });
                word.text.push_str("«var»");
                word.mark(Dynamic::Var);
            }
            '\\' if quote != Some('\'') || letters.peek().is_some_and(|next| matches!(next, '\'' | '\\')) => {
                let put = match letters.next()? {
                    'c' if quote.is_none() => {
                        words.extend(now.take());
                        return Some(words);
                    }
                    '_' if quote.is_none() => {
                        words.extend(now.take());
                        continue;
                    }
                    '_' => ' ',
                    'f' => '\x0c',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'v' => '\x0b',
                    other @ ('#' | '$' | '"' | '\'' | '\\') => other,
                    _ => return None,
                };
                now.get_or_insert_with(|| Arg { text: EcoString::new(), dynamic }).text.push(put);
            }
            other => now.get_or_insert_with(|| Arg { text: EcoString::new(), dynamic }).text.push(other),
        }
    }
    words.extend(now);
    quote.is_none().then_some(words)
}

/// Keys for the shell in a terminal: `tmux send-keys -t x 'make' Enter`. Nobody knows its folder.
pub fn keys(argv: &[Arg], options: &Options<'_>, found: &mut Vec<Inner>, mut around: Around) {
    let Some(at) = options.operands.get(options.row.skip as usize).copied() else {
        return;
    };
    let mut text = Arg::default();
    for word in options.operands.iter().skip(options.row.skip as usize).filter_map(|at| argv.get(*at)) {
        match word.text.as_str() {
            "Enter" | "C-m" | "C-j" | "KPEnter" => text.text.push('\n'),
            "Space" => text.text.push(' '),
            key if is_key(key) => {}
            typed => {
                text.text.push_str(typed);
                text.mark_all(word.dynamic);
            }
        }
    }
    if !text.text.trim().is_empty() {
        around.chdir = Some(Arg { text: "«var»".into(), dynamic: Dynamic::Var.into() });
        found.push(one(text, at, Scope::Child, around));
    }
}

fn is_key(word: &str) -> bool {
    let named =
        ["Escape", "Tab", "BTab", "BSpace", "Up", "Down", "Left", "Right", "Home", "End", "PPage", "NPage", "DC"];
    let chord = word.get(1..2) == Some("-") && word.starts_with(['C', 'M', 'S']) && word.len() <= 4;
    let function = word.strip_prefix('F').is_some_and(|number| number.parse::<u8>().is_ok());
    named.contains(&word) || chord || function
}
