//! One layer: the text of a file, a variable or an option, read into checked entries.
//!
//! A text that is no TOML is refused whole. Beyond that every entry stands for itself: an
//! unknown key, a wrong type or a value out of range is refused alone, with its place.

use super::keys::{Key, Kind, PLACEHOLDERS, Value, dotted, nearest};
use super::{Failure, Layer, Switch};
use crate::envelope::Verdict;
use crate::rules;
use crate::shell::Runners;
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
}

/// Reads a TOML text; entries and problems in the order of the text.
pub fn read(text: &str, layer: Layer) -> (Vec<Entry>, Vec<Problem>) {
    let mut walk = Walk { layer, entries: Vec::new(), problems: Vec::new() };
    match DeTable::parse(text) {
        Ok(table) => walk.table(&mut Vec::new(), table.get_ref()),
        Err(error) => {
            // Whoever wants calls stopped when config fails means this file too: that one key counts
            // as far as it can be made out, and nothing else does.
            let mut rest = Walk { layer, entries: Vec::new(), problems: Vec::new() };
            rest.table(&mut Vec::new(), DeTable::parse_recoverable(text).0.get_ref());
            walk.entries.extend(rest.entries.into_iter().filter(|entry| entry.key.name == "failure.config"));
            walk.problems.push(Problem {
                at: Some(error.span().map_or(0, |span| span.start)),
                text: format!("not readable as TOML: {}", sentence(error.message())),
                hint: "nothing in this file is used until it reads; see `kz help config`".to_owned(),
            });
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
    let textual = !matches!(key.kind, Kind::Flag | Kind::Number(..) | Kind::List | Kind::Runners);
    let quoted = text.starts_with(['"', '\'']);
    let name = key.dotted(wild);
    match DeValue::parse(text) {
        Ok(value) if !textual || quoted => check(key.kind, &name, value.get_ref()),
        _ if textual => check(key.kind, &name, &DeValue::String(text.into())),
        _ => Err(wrong(key.kind, &name, &format!("not `{}`", shown(text)))),
    }
}

struct Walk {
    layer: Layer,
    entries: Vec<Entry>,
    problems: Vec<Problem>,
}

impl Walk {
    fn table<'t>(&mut self, path: &mut Vec<&'t str>, table: &'t DeTable<'_>) {
        for (name, value) in table.iter() {
            path.push(name.get_ref());
            self.member(path, name.span().start, value);
            path.pop();
        }
    }

    fn member<'t>(&mut self, path: &mut Vec<&'t str>, at: usize, value: &'t Spanned<DeValue<'_>>) {
        if let Some((key, wild)) = Key::find(path) {
            let name = key.dotted(wild);
            match check_name(key, wild).and_then(|()| check(key.kind, &name, value.get_ref())) {
                Ok(value) => self.entries.push(Entry { key, wild: wild.to_owned(), value, at }),
                Err(problem) => self.problems.push(Problem { at: Some(at), ..problem }),
            }
            return;
        }
        let is_table = super::keys::KEYS.iter().any(|key| {
            let mut segments = key.name.split('.');
            path.iter().all(|given| segments.next().is_some_and(|known| known == "*" || known == *given))
        });
        match value.get_ref() {
            DeValue::Table(inner) if is_table => {
                self.table(path, inner);
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
            other if is_table => self.problems.push(Problem {
                at: Some(at),
                text: format!("`{}` wants a table, not {}", shown(&dotted(path)), described(other)),
                hint: format!("write `[{}]` and its keys below; see `kz help config`", shown(&dotted(path))),
            }),
            _ => self.problems.push(Problem { at: Some(at), ..unknown(path, self.layer) }),
        }
    }
}

/// The problem of a key that is not in the table.
pub(super) fn unknown(path: &[&str], layer: Layer) -> Problem {
    Problem {
        at: None,
        text: format!("unknown key `{}` in the {} layer", shown(&dotted(path)), layer.word()),
        hint: match nearest(path) {
            Some(name) => format!("did you mean `{}`? see `kz help config`", shown(&name)),
            None => "see `kz help config`".to_owned(),
        },
    }
}

/// Whether the name that the person chose will do.
pub(super) fn check_name(key: &Key, wild: &str) -> Result<(), Problem> {
    let plain = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    if key.name.starts_with("modes.") && !(plain(wild) && wild.len() <= 64) {
        return Err(Problem {
            at: None,
            text: format!("`{}` is no name for a mode", shown(wild)),
            hint: "up to 64 letters, digits, `-` and `_`".to_owned(),
        });
    }
    if key.name.starts_with("guard.rules.")
        && !wild.split_once('/').is_some_and(|(pack, rule)| plain(pack) && plain(rule))
    {
        return Err(Problem {
            at: None,
            text: format!("`{}` is no rule id", shown(wild)),
            hint: "an id looks like `git/force-push`; `kz explain COMMAND` names them".to_owned(),
        });
    }
    if key.name.starts_with("guard.rules.") && !rules::is_known(wild) {
        let ids = rules::packs().iter().flat_map(|pack| pack.rules).map(|rule| rule.id);
        let near = crate::text::nearest(wild, ids.chain(crate::stage::guard::coordinator::RULES.iter().copied()));
        return Err(Problem {
            at: None,
            text: format!("there is no rule `{}`", shown(wild)),
            hint: format!("did you mean `{near}`? `kz explain COMMAND` names the rule that decides"),
        });
    }
    Ok(())
}

/// Checks a value against what the key wants.
fn check(kind: Kind, name: &str, value: &DeValue<'_>) -> Result<Value, Problem> {
    let no = || wrong(kind, name, &format!("not {}", described(value)));
    let text = || value.as_str().ok_or_else(no);
    match kind {
        Kind::Flag => value.as_bool().map(Value::Flag).ok_or_else(no),
        Kind::Number(from, to) => {
            let integer = value.as_integer().ok_or_else(no)?;
            let number = i64::from_str_radix(integer.as_str(), integer.radix()).ok();
            number
                .and_then(|number| u32::try_from(number).ok())
                .filter(|number| (from..=to).contains(number))
                .map(Value::Number)
                .ok_or_else(|| wrong(kind, name, &format!("not {}", shown(integer.as_str()))))
        }
        Kind::Text => Ok(Value::Text(text()?.to_owned())),
        Kind::Line => {
            let line = text()?;
            if line.contains(['\n', '\r']) {
                Err(wrong(kind, name, "not several lines"))
            } else {
                Ok(Value::Text(line.to_owned()))
            }
        }
        Kind::Note => check_note(name, text()?),
        Kind::ModeName => match text()? {
            "" => Err(wrong(kind, name, "not an empty text")),
            mode => Ok(Value::Text(mode.to_owned())),
        },
        Kind::List | Kind::Runners => {
            let items = value.as_array().ok_or_else(no)?;
            let mut list = Vec::with_capacity(items.len());
            for item in items {
                match item.get_ref() {
                    DeValue::String(text) if kind == Kind::Runners && Runners::fault(text).is_some() => {
                        let fault = Runners::fault(text).unwrap_or_default();
                        return Err(wrong(kind, name, &format!("and of `{}` {fault}", shown(text))));
                    }
                    DeValue::String(text) if !text.is_empty() => list.push(text.clone().into_owned()),
                    DeValue::String(_) => return Err(wrong(kind, name, "without empty ones")),
                    other => return Err(wrong(kind, name, &format!("not one with {}", described(other)))),
                }
            }
            Ok(Value::List(list))
        }
        Kind::Verdict(allowed) => {
            let word = text()?;
            let verdict = match word {
                "abstain" | "none" => Some(Verdict::None),
                "ask" => Some(Verdict::Ask),
                "deny" => Some(Verdict::Deny),
                _ => None,
            };
            verdict
                .filter(|verdict| allowed.contains(verdict))
                .map(Value::Verdict)
                .ok_or_else(|| wrong(kind, name, &format!("not `{}`", shown(word))))
        }
        Kind::Failure => match text()? {
            "open" => Ok(Value::Failure(Failure::Open)),
            "closed" => Ok(Value::Failure(Failure::Closed)),
            word => Err(wrong(kind, name, &format!("not `{}`", shown(word)))),
        },
        Kind::Switch => match text()? {
            "off" => Ok(Value::Switch(Switch::Off)),
            "ask" => Ok(Value::Switch(Switch::Ask)),
            "deny" => Ok(Value::Switch(Switch::Deny)),
            word => Err(wrong(kind, name, &format!("not `{}`", shown(word)))),
        },
    }
}

fn check_note(name: &str, note: &str) -> Result<Value, Problem> {
    if note.trim().is_empty() {
        return Err(wrong(Kind::Note, name, "not an empty one"));
    }
    let mut rest = note;
    while let Some(at) = rest.find("${") {
        let escaped = rest[..at].ends_with('$');
        rest = &rest[at + 2..];
        if escaped {
            continue;
        }
        let word = rest.split_once('}').map(|(word, _)| word);
        if !word.is_some_and(|word| PLACEHOLDERS.contains(&word)) {
            let word = word.unwrap_or(rest);
            let names: Vec<_> = PLACEHOLDERS.iter().map(|name| format!("${{{name}}}")).collect();
            return Err(Problem {
                at: None,
                text: format!("`{name}` has the unknown placeholder `${{{}}}`", shown(word)),
                hint: format!("there are {}; write `$${{` for the characters themselves", names.join(" ")),
            });
        }
    }
    Ok(Value::Text(note.to_owned()))
}

fn wrong(kind: Kind, name: &str, but: &str) -> Problem {
    Problem {
        at: None,
        text: format!("`{}` wants {}, {but}", shown(name), kind.wanted()),
        hint: "the value before it stays; see `kz help config`".to_owned(),
    }
}

fn described(value: &DeValue<'_>) -> String {
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

/// Text of the person's in a message: one line, cut at 80 characters.
fn shown(text: &str) -> String {
    let mut out: String = text.chars().take(80).map(|letter| if letter.is_control() { '?' } else { letter }).collect();
    if text.chars().nth(80).is_some() {
        out.push('…');
    }
    out
}

/// Another program's message as part of a sentence of ours.
fn sentence(message: &str) -> String {
    message.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(", ")
}
