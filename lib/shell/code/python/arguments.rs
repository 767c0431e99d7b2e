//! `argparse`: what a program says of its arguments, and what they become.

use std::rc::Rc;

use super::super::program::value::{Args, Value};
use super::super::program::walk::Walk;
use crate::shell::dynamic::Dynamic;
use crate::shell::part::Arg;

/// Most declarations that are kept.
const MOST_DECLARED: usize = 64;

/// How many words an argument takes.
#[derive(Clone, Debug)]
enum Takes<'a> {
    /// None: it stands for this value.
    Nothing(Value<'a>),
    One,
    /// All up to the next option.
    Many,
}

/// `add_argument(…)`
#[derive(Clone, Debug)]
pub struct Declared<'a> {
    /// `-o`, `--out`; none of one that stands by its place.
    flags: Vec<String>,
    /// What it is called afterwards.
    name: Rc<str>,
    default: Value<'a>,
    takes: Takes<'a>,
    /// Whether it becomes a path object.
    path: bool,
}

/// `parser.add_argument('--out', default='x')`
pub(super) fn declare<'a>(walk: &mut Walk<'a>, args: &Args<'a>) {
    let words = args.items.iter().filter(|(name, _)| name.is_none());
    let words: Option<Vec<&str>> = words.map(|(_, value)| value.certain()).collect();
    let (Some(words), true) = (words, walk.declared.len() < MOST_DECLARED) else {
        return;
    };
    let long = words.iter().find(|word| word.starts_with("--")).or(words.first()).copied().unwrap_or_default();
    let named = args.named("dest").and_then(Value::certain);
    let name = named.map_or_else(|| long.trim_start_matches('-').replace('-', "_"), str::to_owned);
    let thing = |name: &str| Value::thing(name);
    let takes = match args.named("action").and_then(Value::certain) {
        Some("store_true") => Takes::Nothing(thing("True")),
        Some("store_false") => Takes::Nothing(thing("False")),
        Some("store_const") => Takes::Nothing(args.named("const").cloned().unwrap_or(Value::Unknown)),
        Some("count" | "version" | "help") => Takes::Nothing(Value::Unknown),
        Some("append" | "extend") => Takes::Many,
        _ => match args.named("nargs") {
            None => Takes::One,
            Some(count) if count.certain() == Some("?") => Takes::One,
            Some(_) => Takes::Many,
        },
    };
    let default = args.named("default").cloned().unwrap_or_else(|| match &takes {
        Takes::Nothing(Value::Thing(name)) if name == "True" => thing("False"),
        Takes::Nothing(_) => Value::Unknown,
        _ => thing("None"),
    });
    let path = matches!(args.named("type"), Some(Value::Thing(name)) if name == "pathlib.Path");
    let flags = words.iter().filter(|word| word.starts_with('-')).map(|word| (*word).to_owned()).collect();
    walk.declared.push(Declared { flags, name: name.into(), default, takes, path });
}

/// `parser.parse_args()`
pub(super) fn parse<'a>(walk: &mut Walk<'a>) -> Value<'a> {
    let declared = walk.declared.clone();
    if !walk.step(declared.len() * 4 + walk.args.len()) {
        return Value::Unknown;
    }
    let mut found: Vec<(Rc<str>, Value<'a>)> =
        declared.iter().map(|one| (Rc::clone(&one.name), one.default.clone())).collect();
    let mut places = declared.iter().filter(|one| one.flags.is_empty());
    let mut words = walk.args.iter().peekable();
    let option = |word: &Arg| word.text.len() > 1 && word.text.starts_with('-') && word.dynamic.is_empty();
    while let Some(word) = words.next() {
        if word.dynamic.contains(&Dynamic::Array) {
            return Value::Unknown;
        }
        let (one, value) = if option(word) {
            let (flag, value) = match word.text.split_once('=').filter(|_| word.text.starts_with("--")) {
                Some((flag, value)) => (flag, Some(Arg::literal(value))),
                None => (word.text.as_str(), None),
            };
            match declared.iter().find(|one| one.flags.iter().any(|known| known == flag)) {
                Some(one) => (one, value),
                None => return Value::Unknown,
            }
        } else {
            match places.next() {
                Some(one) => (one, Some(word.clone())),
                None => return Value::Unknown,
            }
        };
        let as_value = |word: &Arg| match one.path {
            true => Value::Path(Rc::new(word.clone())),
            false => Value::Text(Rc::new(word.clone())),
        };
        let value = match &one.takes {
            Takes::Nothing(value) => value.clone(),
            Takes::One => match value.or_else(|| words.next().cloned()) {
                Some(word) => as_value(&word),
                None => return Value::Unknown,
            },
            Takes::Many => {
                let mut all: Vec<Value<'a>> = value.iter().map(as_value).collect();
                while let Some(word) = words.next_if(|word| !option(word)) {
                    all.push(as_value(word));
                }
                // Given twice, or in front of another that stands by its place.
                let known = found.iter().any(|(name, value)| *name == one.name && matches!(value, Value::List(_)));
                if known || one.flags.is_empty() && places.clone().next().is_some() {
                    return Value::Unknown;
                }
                Value::List(Rc::new(all))
            }
        };
        found.push((Rc::clone(&one.name), value));
    }
    Value::Dict(Rc::new(found))
}
