//! What methods of Python's values do.

use std::rc::Rc;

use super::super::program::value::{Args, Value, glob};
use super::super::program::walk::Walk;
use super::calls::{apply, globbed, open_file, row};
use super::tables::{METHODS, PATH_METHODS};
use crate::call::Op;
use crate::shell::dynamic::{Dynamic, Dynamics};
use crate::shell::part::Arg;

/// Methods that only paths have, so that a value of which nothing is known must be one.
const ONLY_PATHS: &[&str] =
    &["iterdir", "read_bytes", "read_text", "rmdir", "symlink_to", "touch", "unlink", "write_bytes", "write_text"];

/// `path.name`
pub fn path_attr<'a>(path: &Rc<Arg>, name: &str) -> Value<'a> {
    let text = path.text.trim_end_matches('/');
    let (folder, last) = text.rsplit_once('/').unwrap_or((".", text));
    let part = |text: &str| Arg { text: text.into(), dynamic: path.dynamic };
    match name {
        "parent" if matches!(text, "." | "~") => Value::Path(Rc::new(part(&format!("{text}/..")))),
        "parent" => Value::Path(Rc::new(part(if folder.is_empty() { "/" } else { folder }))),
        "name" => Value::Text(Rc::new(part(last))),
        "stem" | "suffix" => {
            let at = last.rfind('.').filter(|at| *at > 0).unwrap_or(last.len());
            let (stem, suffix) = last.split_at(at);
            Value::Text(Rc::new(part(if name == "stem" { stem } else { suffix })))
        }
        "path" => Value::Text(Rc::clone(path)),
        _ => Value::Unknown,
    }
}

/// Calls a method.
pub fn method<'a>(walk: &mut Walk<'a>, value: &Value<'a>, name: &str, args: &Args<'a>) -> Value<'a> {
    match value {
        Value::Path(path) => path_method(walk, path, name, args),
        Value::Text(text) => text_method(walk, text, name, args),
        Value::Dict(_) if matches!(name, "items" | "values" | "get" | "keys") => dict_method(value, name, args),
        _ => {
            if let Some(row) = row(METHODS, name) {
                return apply(walk, row, args);
            }
            if matches!(value, Value::Unknown) {
                let path = super::super::program::value::unknown();
                if ONLY_PATHS.contains(&name) {
                    return path_method(walk, &path, name, args);
                }
                if name == "open"
                    && args.at(0).and_then(Value::certain).is_some_and(|mode| mode.contains(['w', 'a', 'x']))
                {
                    return open_file(walk, &Value::Path(path), args.at(0));
                }
                // A pool of workers.
                if matches!(args.at(0), Some(Value::Function(_))) {
                    match name {
                        "map" | "imap" | "imap_unordered" => return super::calls::special::map(walk, "map", args),
                        "submit" => {
                            let items = args.items.iter().skip(1).cloned().collect();
                            return walk.call(&args.at(0).cloned().unwrap_or(Value::Unknown), &Args { items });
                        }
                        _ => {}
                    }
                }
                if name == "save" && args.at(0).is_some_and(|value| matches!(value, Value::Text(_) | Value::Path(_))) {
                    walk.touch(args.at(0).unwrap_or(&Value::Unknown), Op::Write);
                }
            }
            walk.callbacks(args);
            Value::Unknown
        }
    }
}

fn dict_method<'a>(value: &Value<'a>, name: &str, args: &Args<'a>) -> Value<'a> {
    let Value::Dict(pairs) = value else {
        return Value::Unknown;
    };
    let list = |all: Vec<Value<'a>>| Value::List(Rc::new(all));
    match name {
        "items" => list(pairs.iter().map(|(key, value)| list(vec![Value::text(&**key), value.clone()])).collect()),
        "values" => list(pairs.iter().map(|(_, value)| value.clone()).collect()),
        "keys" => list(pairs.iter().map(|(key, _)| Value::text(&**key)).collect()),
        _ => {
            let key = args.at(0).and_then(Value::certain);
            let found = pairs.iter().rev().find(|(name, _)| Some(&**name) == key);
            found.map_or(Value::Unknown, |(_, value)| value.clone())
        }
    }
}

fn path_method<'a>(walk: &mut Walk<'a>, path: &Rc<Arg>, name: &str, args: &Args<'a>) -> Value<'a> {
    let this = Value::Path(Rc::clone(path));
    if let Ok(at) = PATH_METHODS.binary_search_by(|row| row.0.cmp(name)) {
        let (_, own, first) = PATH_METHODS.get(at).copied().unwrap_or_default();
        if let Some(op) = own {
            walk.touch(&this, op);
        }
        if let (Some(op), Some(to)) = (first, args.at(0)) {
            walk.touch(to, op);
        }
        return match name {
            "rename" | "replace" => args.at(0).cloned().unwrap_or(Value::Unknown),
            "iterdir" => Value::Each(Rc::new(this.below(&Value::Text(glob("*".to_owned())), true))),
            _ => Value::Unknown,
        };
    }
    match name {
        "open" => open_file(walk, &this, args.get(0, "mode")),
        "glob" | "rglob" => {
            let pattern = args.get(0, "pattern").map_or(Value::Unknown, globbed);
            let pattern = match (name, &pattern) {
                ("rglob", Value::Text(text)) => {
                    let mut word = (**text).clone();
                    word.text = format!("**/{}", word.text).into();
                    if word.dynamic.is_empty() {
                        word.dynamic.insert(Dynamic::Glob);
                    }
                    Value::Text(Rc::new(word))
                }
                _ => pattern,
            };
            walk.touch(&this, Op::List);
            Value::Each(Rc::new(this.below(&pattern, true)))
        }
        "joinpath" => args.items.iter().fold(this, |sum, (_, value)| sum.below(value, true)),
        "expanduser" => Value::Path(super::calls::expand(path)),
        "resolve" | "absolute" => this,
        "as_posix" | "__str__" | "__fspath__" => Value::Text(Rc::clone(path)),
        "with_suffix" | "with_name" | "with_stem" => {
            let folder = path_attr(path, "parent");
            let stem = path_attr(path, "stem");
            let given = args.at(0).cloned().unwrap_or(Value::Unknown);
            let last = match name {
                "with_suffix" => stem.plus(&given),
                "with_stem" => given.plus(&path_attr(path, "suffix")),
                _ => given,
            };
            folder.below(&last, true)
        }
        "relative_to" => Value::Path(super::super::program::value::unknown()),
        _ => Value::Unknown,
    }
}

fn text_method<'a>(walk: &mut Walk<'a>, text: &Rc<Arg>, name: &str, args: &Args<'a>) -> Value<'a> {
    let same = |text: &str, dynamic: Dynamics| Value::Text(Rc::new(Arg { text: text.into(), dynamic }));
    if !walk.step(text.text.len() / 32) {
        return Value::Unknown;
    }
    match name {
        "format" => format(text, args),
        "join" => {
            let list = args.at(0).cloned().unwrap_or(Value::Unknown);
            walk.joined(text, &list)
        }
        "strip" | "rstrip" | "lstrip" if args.items.is_empty() => same(text.text.trim(), text.dynamic),
        "encode" | "decode" => Value::Text(Rc::clone(text)),
        "lower" => same(&text.text.to_lowercase(), text.dynamic),
        "upper" if text.dynamic.is_empty() => same(&text.text.to_uppercase(), text.dynamic),
        "split" | "splitlines" if text.text.len() < 4096 && text.dynamic.is_empty() => {
            let pieces: Vec<Value<'a>> = match (name, args.at(0).and_then(Value::certain)) {
                ("splitlines", _) => text.text.lines().map(Value::text).collect(),
                (_, Some(by)) if !by.is_empty() && args.items.len() == 1 => {
                    text.text.split(by).map(Value::text).collect()
                }
                _ if args.items.is_empty() => text.text.split_whitespace().map(Value::text).collect(),
                _ => return Value::Unknown,
            };
            Value::List(Rc::new(pieces))
        }
        "split" | "splitlines" => Value::Each(Rc::new(Value::Unknown)),
        "replace" => match (args.at(0).and_then(Value::certain), args.at(1).and_then(Value::certain)) {
            (Some(from), Some(to)) if !from.is_empty() && text.text.len() < 4096 && to.len() < 256 => {
                let plain = text.dynamic.is_empty() || (text.dynamic == [Dynamic::Glob] && text.text.contains(from));
                if plain { same(&text.text.replace(from, to), text.dynamic) } else { Value::Unknown }
            }
            _ => Value::Unknown,
        },
        _ => {
            walk.callbacks(args);
            Value::Unknown
        }
    }
}

/// `'a{}{name}'.format(…)`
fn format<'a>(text: &Rc<Arg>, args: &Args<'a>) -> Value<'a> {
    let mut sum = Value::text("");
    let mut rest = text.text.as_str();
    let mut next = 0;
    let literal =
        |text: &str| Value::Text(Rc::new(Arg { text: text.replace("}}", "}").into(), dynamic: text_marks(text) }));
    while let Some((before, after)) = rest.split_once('{') {
        sum = sum.plus(&literal(before));
        if let Some(behind) = after.strip_prefix('{') {
            sum = sum.plus(&Value::text("{"));
            rest = behind;
            continue;
        }
        let (field, behind) = after.split_once('}').unwrap_or((after, ""));
        let value = match field.parse::<usize>() {
            Ok(at) => args.at(at),
            Err(_) if field.is_empty() => {
                next += 1;
                args.at(next - 1)
            }
            Err(_) => args.named(field),
        };
        let value = value.cloned().unwrap_or(Value::Unknown);
        sum = sum.plus(&value.map(&mut |value| Value::Text(value.word())));
        if matches!(sum, Value::Unknown) {
            return sum;
        }
        rest = behind;
    }
    sum.plus(&literal(rest))
}

fn text_marks(text: &str) -> Dynamics {
    if text.contains('«') { Dynamic::Var.into() } else { Dynamics::NONE }
}
