//! One layer: the text of a file, a variable or an option, read into checked entries.
//!
//! A text that is no TOML is refused whole. Beyond that every entry stands for itself: an
//! unknown key, a wrong type or a value out of range is refused alone, with its place.

use super::keys::{Key, Kind, Place, Value, choice, dotted};
use super::near::nearest;
use super::table::PLACEHOLDERS;
use super::{Failure, Layer, Switch, lock, rows};
use crate::envelope::Verdict;
use crate::rules::pattern;
use crate::shell::Runners;
use crate::stage::guard::writable_glob;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value that a layer wants set.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its row.
    pub key: &'static Key,
    /// What stands for the `*` of the row's name.
    pub wild: String,
    /// The value, checked.
    pub value: Value,
    /// Byte of the text where the key begins.
    pub at: usize,
}

/// Something that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Byte of the text that it is about, if there is a text.
    pub at: Option<usize>,
    /// What is wrong.
    pub text: String,
    /// The way on.
    pub hint: String,
    /// The key that was to be set, what stands for its `*`, and the value, as far as they are known.
    pub tried: Option<(&'static Key, String, String)>,
}

impl Problem {
    /// A problem that has no place yet.
    pub fn new(text: String, hint: impl Into<String>) -> Self {
        Self { at: None, text, hint: hint.into(), tried: None }
    }
}

/// How many unknown keys of a file are compared with the known ones.
const MAX_NEAREST: usize = 64;

/// Reads a TOML text; entries and problems in the order of the text.
pub fn read(text: &str, layer: Layer) -> (Vec<Entry>, Vec<Problem>) {
    let mut walk = Walk { layer, entries: Vec::new(), problems: Vec::new() };
    match DeTable::parse(text) {
        Ok(table) => walk.table(Place::top(), &mut Vec::new(), table.get_ref()),
        Err(error) => {
            // Whoever wants calls stopped when config fails means this file too: that one key counts
            // as far as it can be made out, and nothing else does.
            let mut rest = Walk { layer, entries: Vec::new(), problems: Vec::new() };
            rest.table(Place::top(), &mut Vec::new(), DeTable::parse_recoverable(text).0.get_ref());
            walk.entries.extend(rest.entries.into_iter().filter(|entry| entry.key.name == "failure.config"));
            let at = error.span().map_or(0, |span| span.start);
            let what = format!("not readable as TOML: {}{}", sentence(error.message()), snippet(text, at));
            let hint = "nothing in this file is used until it reads; see `kz help config`";
            walk.problems.push(Problem { at: Some(at), ..Problem::new(what, hint) });
        }
    }
    walk.entries.sort_by_key(|entry| entry.at);
    walk.problems.sort_by_key(|problem| problem.at);
    (walk.entries, walk.problems)
}

/// Reads the text of a variable or an option for a key. Texts need no quotes.
///
/// # Errors
/// What is wrong with it.
pub fn read_value(key: &'static Key, wild: &str, text: &str) -> Result<Value, Problem> {
    let textual = !matches!(
        key.kind,
        Kind::Flag
            | Kind::Number(..)
            | Kind::List
            | Kind::Globs
            | Kind::Locks
            | Kind::Packs
            | Kind::Runners
            | Kind::Exemptions
            | Kind::Rows
    );
    let quoted = text.starts_with(['"', '\'']);
    match DeValue::parse(text) {
        Ok(value) if !textual || quoted => {
            let mut problems = Vec::new();
            let value = check(key, wild, value.get_ref(), &mut problems);
            problems.into_iter().next().map_or(value, Err)
        }
        _ if textual => check(key, wild, &DeValue::String(text.into()), &mut Vec::new()),
        _ => Err(wrong(key, wild, &format!("not `{}`", shown(text)))),
    }
}

struct Walk {
    layer: Layer,
    entries: Vec<Entry>,
    problems: Vec<Problem>,
}

impl Walk {
    fn table<'t>(&mut self, place: Place<'t>, path: &mut Vec<&'t str>, table: &'t DeTable<'_>) {
        for (name, value) in table.iter() {
            let given: &'t str = name.get_ref();
            path.push(given);
            let at = name.span().start;
            match place.down(given) {
                Some(place) => match place.key() {
                    Some((key, wild)) => self.key(key, wild, at, value),
                    None => self.inner(place, path, at, value),
                },
                // `[[test]]` is for `kz test`, which reads it on its own.
                None if path.as_slice() == ["test"] && value.get_ref().is_array() => {}
                None => {
                    let near = self.problems.len() < MAX_NEAREST;
                    let problem = unknown(path, self.layer, near.then(|| value.get_ref().is_table()));
                    self.problems.push(Problem { at: Some(at), ..problem });
                }
            }
            path.pop();
        }
    }

    fn key(&mut self, key: &'static Key, wild: &str, at: usize, value: &Spanned<DeValue<'_>>) {
        let before = self.problems.len();
        match check_name(key, wild).and_then(|()| check(key, wild, value.get_ref(), &mut self.problems)) {
            Ok(value) => self.entries.push(Entry { key, wild: wild.to_owned(), value, at }),
            Err(problem) => self.problems.push(problem),
        }
        for problem in self.problems.iter_mut().skip(before) {
            problem.at = problem.at.or(Some(at));
            problem.tried = Some((key, wild.to_owned(), String::new()));
        }
    }

    fn inner<'t>(&mut self, place: Place<'t>, path: &mut Vec<&'t str>, at: usize, value: &'t Spanned<DeValue<'_>>) {
        let inner = match value.get_ref() {
            DeValue::Table(inner) => inner,
            other => {
                let name = shown(&dotted(path));
                let text = format!("`{name}` wants a table, not {}", described(other));
                let hint = format!("write `[{name}]` and its keys below; see `kz help config`");
                self.problems.push(Problem { at: Some(at), ..Problem::new(text, hint) });
                return;
            }
        };
        self.table(place, path, inner);
        // A mode may say nothing at all: nothing is writable in it.
        if let (["modes", mode], true) = (path.as_slice(), inner.is_empty())
            && let Some((key, _)) = Key::find(&["modes", mode, "writable"])
        {
            match check_name(key, mode) {
                Ok(()) => {
                    let value = Value::List(Vec::new());
                    self.entries.push(Entry { key, wild: (*mode).to_owned(), value, at });
                }
                Err(problem) => self.problems.push(Problem { at: Some(at), ..problem }),
            }
        }
    }
}

/// The problem of a key that is not in the table. `table` says whether its value is one; `None` looks for no
/// known key that is near.
pub(super) fn unknown(path: &[&str], layer: Layer, table: Option<bool>) -> Problem {
    let text = format!("unknown key `{}` in the {} layer", shown(&dotted(path)), layer.word());
    let near = table.map(|table| nearest(path, table)).unwrap_or_default();
    if near.is_empty() {
        return Problem::new(text, "see `kz help config`");
    }
    let near: Vec<String> = near.iter().map(|name| shown(name)).collect();
    let near = choice(&near.iter().map(String::as_str).collect::<Vec<_>>());
    Problem::new(text, format!("did you mean {near}? see `kz help config`"))
}

/// Whether the name that the person chose will do.
pub(super) fn check_name(key: &Key, wild: &str) -> Result<(), Problem> {
    let plain = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    if key.name.starts_with("modes.") && !(plain(wild) && wild.len() <= 64) {
        let text = format!("`{}` is no name for a mode", shown(wild));
        return Err(Problem::new(text, "up to 64 letters, digits, `-` and `_`"));
    }
    if key.name.starts_with("guard.rules.")
        && !wild.split_once('/').is_some_and(|(pack, rule)| plain(pack) && plain(rule))
    {
        let text = format!("`{}` is no rule id", shown(wild));
        return Err(Problem::new(text, "an id looks like `git/force-push`; `kz rules list` names them"));
    }
    Ok(())
}

/// Checks a value against what the key wants. Items of lists that stand for themselves are refused alone, into
/// `problems`.
fn check(key: &'static Key, wild: &str, value: &DeValue<'_>, problems: &mut Vec<Problem>) -> Result<Value, Problem> {
    let no = || wrong(key, wild, &format!("not {}", described(value)));
    let text = || value.as_str().ok_or_else(no);
    let other = |word: &str| wrong(key, wild, &format!("not `{}`", shown(word)));
    match key.kind {
        Kind::Flag => value.as_bool().map(Value::Flag).ok_or_else(no),
        Kind::Number(from, to) => {
            let integer = value.as_integer().ok_or_else(no)?;
            let number = i64::from_str_radix(integer.as_str(), integer.radix()).ok();
            number
                .and_then(|number| u32::try_from(number).ok())
                .filter(|number| (from..=to).contains(number))
                .map(Value::Number)
                .ok_or_else(|| wrong(key, wild, &format!("not {}", shown(integer.as_str()))))
        }
        Kind::Text => Ok(Value::Text(text()?.to_owned())),
        Kind::Line => match text()? {
            lines if lines.contains(['\n', '\r']) => Err(wrong(key, wild, "not several lines")),
            line => Ok(Value::Text(line.to_owned())),
        },
        Kind::Note => check_note(key, wild, text()?),
        Kind::ModeName => match text()? {
            "" => Err(wrong(key, wild, "not an empty text")),
            mode => Ok(Value::Text(mode.to_owned())),
        },
        Kind::Rows => rows::check(key, value.as_array().ok_or_else(no)?),
        Kind::List | Kind::Globs | Kind::Locks | Kind::Packs | Kind::Runners | Kind::Exemptions => {
            check_list(key, wild, value.as_array().ok_or_else(no)?, problems)
        }
        Kind::Word(words) => match text()? {
            word if words.contains(&word) => Ok(Value::Text(word.to_owned())),
            word => Err(other(word)),
        },
        Kind::Verdict(allowed) => {
            let word = text()?;
            let verdict = match word {
                "abstain" | "none" => Some(Verdict::None),
                "ask" => Some(Verdict::Ask),
                "deny" => Some(Verdict::Deny),
                _ => None,
            };
            verdict.filter(|verdict| allowed.contains(verdict)).map(Value::Verdict).ok_or_else(|| other(word))
        }
        Kind::Failure => match text()? {
            "open" => Ok(Value::Failure(Failure::Open)),
            "closed" => Ok(Value::Failure(Failure::Closed)),
            word => Err(other(word)),
        },
        Kind::Switch => match text()? {
            "off" => Ok(Value::Switch(Switch::Off)),
            "ask" => Ok(Value::Switch(Switch::Ask)),
            "deny" => Ok(Value::Switch(Switch::Deny)),
            word => Err(other(word)),
        },
    }
}

fn check_list(
    key: &'static Key,
    wild: &str,
    items: &[Spanned<DeValue<'_>>],
    problems: &mut Vec<Problem>,
) -> Result<Value, Problem> {
    let mut list = Vec::with_capacity(items.len());
    for item in items {
        let text = match item.get_ref() {
            DeValue::String(text) if text.is_empty() => return Err(wrong(key, wild, "without empty ones")),
            DeValue::String(text) => text,
            other => return Err(wrong(key, wild, &format!("not one with {}", described(other)))),
        };
        let problem = match key.kind {
            Kind::Runners => {
                if let Some(fault) = Runners::fault(text) {
                    return Err(wrong(key, wild, &format!("and of `{}` {fault}", shown(text))));
                }
                None
            }
            Kind::Globs => writable_glob(text).and_then(Result::err).map(|error| {
                let text = format!("`{}` has `{}`, which is no glob: {}", key.dotted(wild), shown(text), error.kind());
                Problem::new(text, "it is left out; write `[[]`, `[{]` or `[*]` for the characters themselves")
            }),
            Kind::Locks => lock::check(text).err(),
            Kind::Exemptions => {
                if let Some(fault) = text.strip_prefix("re:").and_then(pattern::fault) {
                    return Err(wrong(key, wild, &format!("and `{}` is no regular expression: {fault}", shown(text))));
                }
                None
            }
            _ => None,
        };
        match problem {
            Some(problem) => problems.push(Problem { at: Some(item.span().start), ..problem }),
            None => list.push(text.clone().into_owned()),
        }
    }
    Ok(Value::List(list))
}

fn check_note(key: &'static Key, wild: &str, note: &str) -> Result<Value, Problem> {
    if note.trim().is_empty() {
        return Err(wrong(key, wild, "not an empty one"));
    }
    let mut rest = note;
    while let Some((before, after)) = rest.split_once("${") {
        rest = after;
        if before.ends_with('$') {
            continue;
        }
        let word = rest.split_once('}').map(|(word, _)| word);
        if !word.is_some_and(|word| PLACEHOLDERS.contains(&word)) {
            let word = word.unwrap_or(rest);
            let names: Vec<_> = PLACEHOLDERS.iter().map(|name| format!("${{{name}}}")).collect();
            let text = format!("`{}` has the unknown placeholder `${{{}}}`", key.dotted(wild), shown(word));
            let hint = format!("there are {}; write `$${{` for the characters themselves", names.join(" "));
            return Err(Problem::new(text, hint));
        }
    }
    Ok(Value::Text(note.to_owned()))
}

pub(super) fn wrong(key: &Key, wild: &str, but: &str) -> Problem {
    let name = shown(&key.dotted(wild));
    let text = format!("`{name}` wants {}, {but}", key.kind.wanted());
    Problem::new(text, format!("the value before it stays; see `kz config explain {name}`"))
}

pub(super) fn described(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the text \"{}\"", shown(text)),
        DeValue::Integer(number) => format!("the number {}", shown(number.as_str())),
        DeValue::Float(number) => format!("the number {}", shown(number.as_str())),
        DeValue::Boolean(flag) => format!("`{flag}`"),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// The line of a byte with a caret below it, as lines of their own; nothing where the caret would be far out.
fn snippet(text: &str, at: usize) -> String {
    let Some((before, after)) = text.split_at_checked(at) else { return String::new() };
    let start = before.rsplit('\n').next().unwrap_or_default();
    let line = start.to_owned() + after.lines().next().unwrap_or_default();
    let column = start.chars().count();
    if column > 70 {
        return String::new();
    }
    let number = (before.matches('\n').count() + 1).to_string();
    let plain = line.chars().map(|letter| if letter == '\t' { ' ' } else { letter }).collect::<String>();
    let plain = shown(plain.trim_end());
    format!("\n  {number} | {plain}\n  {:>width$} | {:>column$}^", "", "", width = number.len())
}

/// Text of the person's in a message: one line, cut at 80 characters.
pub(super) fn shown(text: &str) -> String {
    let mut out = crate::text::visible(&text.chars().take(80).collect::<String>()).replace(['\n', '\t'], "?");
    if text.chars().nth(80).is_some() {
        out.push('…');
    }
    out
}

/// Another program's message as part of a sentence of ours.
fn sentence(message: &str) -> String {
    message.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(", ")
}
