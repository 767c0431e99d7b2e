//! A piece of a pack file against the key table: unknown keys, wrong types, unknown words.

use super::super::keys::{self, Key, Table, Wants};
use super::super::rule::Words;
use super::super::scan::{Chunk, What};
use crate::rules::pattern;
use crate::text::nearest;
use std::borrow::Cow;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Something that is wrong in a pack file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Byte of the file that it is about.
    pub at: usize,
    /// What is wrong.
    pub text: String,
    /// The way on.
    pub hint: String,
}

#[derive(Debug)]
enum Value {
    Text(&'static str),
    Words(Words),
    Lists(&'static [Words]),
    Flag(bool),
    Number(u16),
    Tables(Vec<Fields>),
}

/// The checked entries of a table.
#[derive(Debug, Default)]
pub(super) struct Fields {
    /// Byte of the file where it begins.
    pub start: usize,
    entries: Vec<(&'static str, usize, Value)>,
}

impl Fields {
    fn get(&self, key: &str) -> Option<&Value> {
        self.entries.iter().find(|(name, ..)| *name == key).map(|(.., value)| value)
    }

    /// Whether a key is there.
    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Where a key stands; where the table does, if it is not there.
    pub fn at(&self, key: &str) -> usize {
        self.entries.iter().find(|(name, ..)| *name == key).map_or(self.start, |(_, at, _)| *at)
    }

    pub fn text(&self, key: &str) -> Option<&'static str> {
        match self.get(key) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    pub fn words(&self, key: &str) -> Words {
        match self.get(key) {
            Some(Value::Words(words)) => words,
            _ => &[],
        }
    }

    pub fn lists(&self, key: &str) -> &'static [Words] {
        match self.get(key) {
            Some(Value::Lists(lists)) => lists,
            _ => &[],
        }
    }

    pub fn flag(&self, key: &str) -> bool {
        matches!(self.get(key), Some(Value::Flag(true)))
    }

    pub fn number(&self, key: &str) -> Option<u16> {
        match self.get(key) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }

    pub fn table(&self, key: &str) -> Option<&Self> {
        self.tables(key).next()
    }

    pub fn tables(&self, key: &str) -> impl Iterator<Item = &Self> {
        match self.get(key) {
            Some(Value::Tables(tables)) => tables.as_slice(),
            _ => &[],
        }
        .iter()
    }
}

/// Reads pieces, and collects what is wrong.
pub(super) struct Reader {
    base: usize,
    /// What is wrong.
    pub problems: Vec<Problem>,
}

impl Reader {
    /// A reader of the piece that begins at a byte.
    pub fn at(base: usize) -> Self {
        Self { base, problems: Vec::new() }
    }

    /// Notes a problem.
    pub fn problem(&mut self, at: usize, text: String, hint: String) {
        self.problems.push(Problem { at, text, hint });
    }

    /// Says that heads which no command has are none.
    pub fn heads(&mut self, at: usize, heads: Words) {
        for head in heads {
            let plain =
                head.rsplit('/').next().unwrap_or_default().split(' ').next().unwrap_or_default().to_ascii_lowercase();
            if *head != "*" && plain != *head {
                let hint = format!(
                    "a head is one program in lower case and without folder: `{plain}`; its subcommands go into `args`"
                );
                self.problem(at, format!("`{head}` is no head"), hint);
            }
        }
    }

    /// Says that packs do not have this table.
    pub fn stray(&mut self, text: &str, chunk: &Chunk) {
        let line = text.get(chunk.start..chunk.end).and_then(|piece| piece.lines().next()).unwrap_or_default();
        let name = line.split('#').next().unwrap_or_default().trim().trim_matches(|c| matches!(c, '[' | ']' | ' '));
        let hint = match nearest(name, ["pack", "rule"]) {
            "pack" => "did you mean `[pack]`? see `kz help rules`",
            _ => "did you mean `[[rule]]`? see `kz help rules`",
        };
        self.problem(chunk.start, format!("unknown table `{}`", short(name)), hint.into());
    }

    /// The tables of a piece that are of this kind: `[pack]` of a head, `[[rule]]` of a rule.
    pub fn chunk(&mut self, text: &'static str, chunk: &Chunk, table: &'static Table) -> Vec<Fields> {
        let piece = text.get(chunk.start..chunk.end).unwrap_or_default();
        let parsed = match DeTable::parse(piece) {
            Ok(parsed) => parsed.into_inner(),
            Err(error) => {
                let at = self.base + error.span().map_or(0, |span| span.start);
                let text =
                    format!("not readable as TOML: {}", error.message().trim_end_matches('.').replace('\n', ", "));
                let what = if chunk.what == What::Rule {
                    "this rule is left out; the others count"
                } else {
                    "what stands here is left out; the rules count"
                };
                self.problem(at, text, what.into());
                return Vec::new();
            }
        };
        let own = if chunk.what == What::Rule { "rule" } else { "pack" };
        let mut found = Vec::new();
        for (name, value) in parsed {
            let at = self.base + name.span().start;
            match value.get_ref() {
                DeValue::Table(inner) if name.get_ref() == own => found.push(self.fields(table, inner, chunk.start)),
                DeValue::Array(list) if name.get_ref() == own => {
                    for item in list.iter().filter_map(|item| item.get_ref().as_table()) {
                        found.push(self.fields(table, item, chunk.start));
                    }
                }
                _ => {
                    let hint = match keys::RULE.key(name.get_ref()).filter(|_| chunk.what == What::Head) {
                        Some(_) => "the keys of a rule stand below a line `[[rule]]`".to_owned(),
                        None => {
                            "a pack file has a table `[pack]` and tables `[[rule]]`; see `kz help rules`".to_owned()
                        }
                    };
                    self.problem(at, format!("`{}` stands in no table", short(name.get_ref())), hint);
                }
            }
        }
        found
    }

    fn fields(&mut self, table: &'static Table, given: &DeTable<'static>, start: usize) -> Fields {
        let mut fields = Fields { start, entries: Vec::new() };
        let before = self.problems.len();
        for (name, value) in given.iter() {
            let at = self.base + name.span().start;
            let Some(key) = table.key(name.get_ref()) else {
                let near = nearest(name.get_ref(), table.keys.iter().map(|key| key.name));
                let text = format!("unknown key `{}` in `{}`", short(name.get_ref()), super::named(table));
                self.problem(at, text, format!("did you mean `{near}`? see `kz help rules`"));
                continue;
            };
            if let Some(value) = self.value(key, value, at) {
                fields.entries.push((key.name, at, value));
            }
        }
        for key in table.keys.iter().filter(|key| key.needed && !fields.has(key.name)) {
            // A key that is there and wrong is told already; so may be one that is misspelled.
            if !given.iter().any(|(name, _)| name.get_ref() == key.name) {
                let text = format!("`{}` lacks the key `{}`", super::named(table), key.name);
                self.problem(start, text, format!("{}: `{}`", key.about, key.example));
            }
        }
        if let Some(new) = self.problems.get_mut(before..) {
            new.sort_by_key(|problem| problem.at);
        }
        fields
    }

    fn value(&mut self, key: &'static Key, value: &Spanned<DeValue<'static>>, at: usize) -> Option<Value> {
        let given = value.get_ref();
        match key.wants {
            Wants::Text => self.some_text(key, given, at).map(Value::Text),
            Wants::Regex => {
                let text = self.some_text(key, given, at)?;
                let Some(wrong) = pattern::fault(text) else { return Some(Value::Text(text)) };
                self.problem(
                    at,
                    format!("`{}` is no regular expression: {wrong}", key.name),
                    "write it in '…', so that backslashes stay; ASCII classes only".into(),
                );
                None
            }
            Wants::One(list) => {
                let text = self.some_text(key, given, at)?;
                self.known(key, list, text, at).then_some(Value::Text(text))
            }
            Wants::Texts | Wants::Examples | Wants::Globs => self.texts(key, given, at).map(Value::Words),
            Wants::Some(list) => {
                let words = self.texts(key, given, at)?;
                let known = words.iter().filter(|word| self.known(key, list, word, at)).count();
                (known == words.len()).then_some(Value::Words(words))
            }
            Wants::Lists => self.lists(key, given, at),
            Wants::Flag => match given.as_bool() {
                Some(flag) => Some(Value::Flag(flag)),
                None => self.wrong(key, given, at),
            },
            Wants::Number(from, to) => {
                let number =
                    given.as_integer().and_then(|number| u16::from_str_radix(number.as_str(), number.radix()).ok());
                match number.filter(|number| (from..=to).contains(number)) {
                    Some(number) => Some(Value::Number(number)),
                    None if given.as_integer().is_some() => {
                        self.problem(
                            at,
                            format!("`{}` wants a whole number from {from} to {to}", key.name),
                            example(key),
                        );
                        None
                    }
                    None => self.wrong(key, given, at),
                }
            }
            Wants::Table(table) => match given.as_table() {
                Some(inner) => Some(Value::Tables(vec![self.fields(table, inner, at)])),
                None => self.wrong(key, given, at),
            },
            Wants::Tables(table) => {
                let items = match given.as_array() {
                    Some(items) => items,
                    None => return self.wrong(key, given, at),
                };
                let mut tables = Vec::new();
                for item in items.iter() {
                    match item.get_ref().as_table() {
                        Some(inner) => tables.push(self.fields(table, inner, self.base + item.span().start)),
                        None => return self.wrong(key, given, at),
                    }
                }
                Some(Value::Tables(tables))
            }
        }
    }

    fn some_text(&mut self, key: &'static Key, given: &DeValue<'static>, at: usize) -> Option<&'static str> {
        match given {
            DeValue::String(text) if text.trim().is_empty() => {
                self.problem(at, format!("`{}` is empty", key.name), example(key));
                None
            }
            DeValue::String(_) => Some(kept(given)),
            _ => self.wrong(key, given, at),
        }
    }

    /// A list of texts; it may not be empty, and of its texts only a head may.
    fn texts(&mut self, key: &'static Key, given: &DeValue<'static>, at: usize) -> Option<Words> {
        let Some(items) = given.as_array() else { return self.wrong(key, given, at) };
        let mut words: Vec<&'static str> = Vec::with_capacity(items.len());
        for item in items.iter() {
            match item.get_ref() {
                DeValue::String(text) if text.is_empty() && !matches!(key.name, "heads" | "text" | "not_text") => {
                    self.problem(at, format!("`{}` has an empty text", key.name), example(key));
                    return None;
                }
                text @ DeValue::String(_) => words.push(kept(text)),
                _ => return self.wrong(key, given, at),
            }
        }
        if words.is_empty() {
            self.problem(
                at,
                format!("`{}` is empty", key.name),
                format!("name something or take the key out; {}", example(key)),
            );
            return None;
        }
        Some(words.leak())
    }

    fn lists(&mut self, key: &'static Key, given: &DeValue<'static>, at: usize) -> Option<Value> {
        let Some(items) = given.as_array() else { return self.wrong(key, given, at) };
        let mut lists: Vec<Words> = Vec::with_capacity(items.len());
        for item in items.iter() {
            match item.get_ref() {
                word @ DeValue::String(text) if !text.is_empty() => lists.push(vec![kept(word)].leak()),
                inner @ DeValue::Array(_) => lists.push(self.texts(key, inner, at)?),
                _ => return self.wrong(key, given, at),
            }
        }
        Some(Value::Lists(lists.leak()))
    }

    fn known(&mut self, key: &'static Key, list: &[(&'static str, &str)], word: &str, at: usize) -> bool {
        if list.iter().any(|(known, _)| *known == word) {
            return true;
        }
        let near = nearest(word, list.iter().map(|(known, _)| *known));
        let text = format!("`{}` has no word `{}`", key.name, short(word));
        let words: Vec<&str> = list.iter().map(|(word, _)| *word).collect();
        self.problem(at, text, format!("did you mean `{near}`? words are {}", words.join(", ")));
        false
    }

    fn wrong<T>(&mut self, key: &'static Key, given: &DeValue<'_>, at: usize) -> Option<T> {
        let what = match given {
            DeValue::String(_) => "a text",
            DeValue::Integer(_) => "a number",
            DeValue::Float(_) => "a number with a point",
            DeValue::Boolean(_) => "a switch",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "this list",
            DeValue::Table(_) => "a table",
        };
        self.problem(at, format!("`{}` wants {}, not {what}", key.name, key.wants.said()), example(key));
        None
    }
}

fn example(key: &Key) -> String {
    format!("for example `{}`", key.example)
}

/// The text for as long as the program runs; as it stands in the file where it can be.
fn kept(text: &DeValue<'static>) -> &'static str {
    match text {
        DeValue::String(Cow::Borrowed(text)) => text,
        DeValue::String(Cow::Owned(text)) => text.clone().leak(),
        _ => "",
    }
}

/// As much of what somebody wrote as a message bears.
fn short(text: &str) -> String {
    text.chars().take(60).collect()
}
