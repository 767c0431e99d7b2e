//! GNU parallel: a command for each argument, read once more with each where all are written out.

use super::{Around, Inner, Scope, end_of, meant, one};
use crate::shell::options::Options;
use crate::shell::part::Arg;

/// Most arguments whose commands are read one by one.
const MOST: usize = 32;

/// The command before `:::`, or each text after it.
pub fn collect(argv: &[Arg], options: &Options<'_>, found: &mut Vec<Inner>, mut around: Around) {
    let from = options.operands.first().copied().unwrap_or(argv.len());
    let dashes = end_of(argv, from, |word| matches!(word, "--" | ":::" | ":::+" | "::::" | "::::+"));
    if argv.get(dashes).is_some_and(|word| word.text == "--") {
        plain(argv, from, dashes, options, found, around);
        return;
    }
    let lists = end_of(argv, 1, |word| matches!(word, ":::" | ":::+" | "::::" | "::::+"));
    let inputs = argv.get(lists..).unwrap_or_default();
    let at = options.operands.first().copied().filter(|at| *at < lists);
    let Some(at) = at else {
        // Each input is a command.
        if inputs.iter().any(|word| word.text.starts_with("::::")) {
            found.push(Inner::Unknown("code from input"));
            return;
        }
        for (number, text) in inputs.iter().enumerate().filter(|(_, word)| !word.text.starts_with(":::")) {
            found.push(one(text.clone(), lists + number, Scope::Child, around.clone()));
        }
        if inputs.is_empty() {
            found.push(Inner::Stdin(around));
        }
        return;
    };
    let command = meant(argv, at..lists);
    if options.has(&["--pipe", "--pipepart"]) {
        around.appends = false;
        around.replace = None;
        found.push(one(command, at, Scope::Child, around));
        return;
    }
    let marked = around.replace.clone().unwrap_or_else(|| "{}".into());
    around.replace = Some(marked.clone());
    let all = rows(inputs).filter(|_| !command.text.contains('{'));
    let base = match all {
        // Of values that are appended all stand in the first reading, which the rules look at.
        Some(rows) => {
            let values: Vec<&str> = rows.iter().flatten().copied().collect();
            let text = filled(&command.text, &marked, &values);
            let around = Around { replace: None, appends: false, ..around.clone() };
            one(Arg { text: text.into(), dynamic: command.dynamic }, at, Scope::Child, around)
        }
        None => one(command.clone(), at, Scope::Child, around.clone()),
    };
    let turns: Option<Vec<Inner>> = rows(inputs).map(|rows| {
        let turn = |row: &Vec<&str>| {
            let text = Arg { text: filled(&command.text, &marked, row).into(), dynamic: command.dynamic };
            let around = Around { replace: None, appends: false, ..around.clone() };
            one(text, at, Scope::Child, around)
        };
        rows.iter().map(turn).collect()
    });
    match turns {
        Some(turns) if !turns.is_empty() => found.push(Inner::Turns(Box::new(base), turns)),
        _ => found.push(base),
    }
}

/// The `parallel` of moreutils: `parallel [-i] command -- values`; no shell reads the words again.
fn plain(argv: &[Arg], from: usize, dashes: usize, options: &Options<'_>, found: &mut Vec<Inner>, around: Around) {
    let words = argv.get(from..dashes).unwrap_or_default();
    let values = argv.get(dashes + 1..).unwrap_or_default();
    let marked = options.has(&["-i"]);
    let most = options.get(&["-n"]).and_then(|option| option.value.as_deref()?.parse().ok()).unwrap_or(1).max(1);
    let around = Around { appends: false, replace: None, ..around };
    let turn = |chunk: &[Arg]| {
        let fill = |word: &Arg| match chunk {
            [value] if marked && word.text.contains("{}") => {
                let mut word = word.clone();
                word.text = word.text.replace("{}", &value.text);
                word.mark_all(value.dynamic);
                word
            }
            _ => word.clone(),
        };
        let appended = if marked { &[][..] } else { chunk };
        let all = words.iter().map(fill).chain(appended.iter().cloned()).collect();
        Inner::Words(from..dashes, all, around.clone())
    };
    if values.is_empty() || values.len() > MOST || words.is_empty() {
        let around = Around { appends: !marked, replace: marked.then(|| "{}".into()), ..around };
        found.push(Inner::Command(from..dashes, around));
        return;
    }
    let mut turns: Vec<Inner> = values.chunks(if marked { 1 } else { most }).map(turn).collect();
    match turns.len() {
        1 => found.append(&mut turns),
        _ => found.push(Inner::Turns(Box::new(turn(values)), turns)),
    }
}

/// All combinations of the written inputs; none if one is a file or unknown, or if they are too many.
fn rows(inputs: &[Arg]) -> Option<Vec<Vec<&str>>> {
    let mut all: Vec<Vec<&str>> = vec![Vec::new()];
    let mut rest = inputs;
    let mut lists = 0;
    while let Some((source, after)) = rest.split_first() {
        let count = after.iter().take_while(|word| !word.text.starts_with(":::")).count();
        let (values, more) = after.split_at_checked(count)?;
        rest = more;
        lists += 1;
        if lists > MOST {
            return None;
        }
        let values: Vec<&str> = values.iter().map(Arg::certain).collect::<Option<_>>()?;
        let linked = match source.text.as_str() {
            ":::" => false,
            ":::+" => true,
            _ => return None,
        };
        if linked && values.len() == all.len() {
            all.iter_mut().zip(values).for_each(|(row, value)| row.push(value));
            continue;
        }
        if linked || all.len() * values.len() > MOST {
            return None;
        }
        let mut next = Vec::new();
        for row in &all {
            for value in &values {
                let mut row = row.clone();
                row.push(value);
                next.push(row);
            }
        }
        all = next;
    }
    (!inputs.is_empty()).then_some(all)
}

/// The command with the values of one row put in; appended if it names none.
fn filled(command: &str, marked: &str, row: &[&str]) -> String {
    let whole = row.join(" ");
    let mut text = command.to_owned();
    let mut used = text.contains(marked);
    if used {
        text = text.replace(marked, &quoted(&whole));
    }
    let mut fill = |mark: String, value: String| {
        if text.contains(&mark) {
            text = text.replace(&mark, &quoted(&value));
            used = true;
        }
    };
    for (form, shape) in FORMS {
        fill(format!("{{{form}}}"), shape(&whole));
        for (number, value) in row.iter().enumerate() {
            fill(format!("{{{}{form}}}", number + 1), shape(value));
        }
    }
    for (number, value) in row.iter().enumerate() {
        fill(format!("{{{}}}", number + 1), (*value).to_owned());
    }
    if !used {
        for value in row {
            text.push(' ');
            text.push_str(&quoted(value));
        }
    }
    text
}

type Shape = fn(&str) -> String;

/// What `{.}` and its siblings make of a value.
const FORMS: &[(&str, Shape)] = &[
    (".", |value| stem(value).to_owned()),
    ("/", |value| base(value).to_owned()),
    ("//", |value| value.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned()),
    ("/.", |value| stem(base(value)).to_owned()),
];

fn base(value: &str) -> &str {
    value.rsplit('/').next().unwrap_or(value)
}

/// Without the ending of the name.
fn stem(value: &str) -> &str {
    match value.rfind('.') {
        Some(at) if !value.get(at..).is_some_and(|end| end.contains('/')) => value.get(..at).unwrap_or(value),
        _ => value,
    }
}

/// A value as one shell word; parallel quotes what it puts in.
fn quoted(value: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b':' | b',');
    match !value.is_empty() && value.bytes().all(plain) {
        true => value.to_owned(),
        false => format!("'{}'", value.replace('\'', "'\\''")),
    }
}
