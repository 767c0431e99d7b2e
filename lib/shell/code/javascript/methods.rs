//! What methods of JavaScript's values do.

use ecow::EcoString;
use std::rc::Rc;

use super::super::program::eval::slice;
use super::super::program::value::{Args, Value};
use super::super::program::walk::Walk;
use crate::call::Op;
use crate::shell::dynamic::{Dynamic, Dynamics};
use crate::shell::part::Arg;

/// Most items that a callback is followed for.
const MOST_ITEMS: usize = 200;

/// Calls a method.
pub fn method<'a>(walk: &mut Walk<'a>, value: &Value<'a>, name: &str, args: &Args<'a>) -> Value<'a> {
    match value {
        Value::List(_) | Value::Each(_) => list_method(walk, value, name, args),
        Value::Text(text) => text_method(walk, text, name, args),
        // `Bun.file(…)`
        Value::Path(_) => match name {
            "text" | "json" | "arrayBuffer" | "bytes" | "stream" | "slice" => {
                walk.touch(value, Op::Read);
                Value::Unknown
            }
            "delete" | "unlink" => {
                walk.touch(value, Op::Delete);
                Value::Unknown
            }
            "writer" | "write" => {
                walk.touch(value, Op::Write);
                Value::Unknown
            }
            _ => Value::Unknown,
        },
        _ => {
            walk.callbacks(args);
            Value::Unknown
        }
    }
}

fn list_method<'a>(walk: &mut Walk<'a>, value: &Value<'a>, name: &str, args: &Args<'a>) -> Value<'a> {
    match name {
        "slice" => {
            return match args.at(0) {
                Some(Value::Number(start)) if args.items.len() == 1 => slice(value, Some((*start, None))),
                None => value.clone(),
                _ => slice(value, None),
            };
        }
        "join" => {
            let between = args.at(0).map_or_else(|| Rc::new(Arg::literal(",")), Value::word);
            return walk.joined(&between, value);
        }
        "concat" => return args.at(0).map_or_else(|| value.clone(), |more| value.plus(more)),
        "flat" | "values" | "sort" | "reverse" | "toSorted" => return value.clone(),
        "entries" => {
            let (items, _) = value.items();
            let pair = |item: Value<'a>| Value::List(Rc::new(vec![Value::Unknown, item]));
            return Value::Each(Rc::new(pair(items.into_iter().next().unwrap_or(Value::Unknown))));
        }
        "at" | "find" if !matches!(args.at(0), Some(Value::Function(_))) => return value.any_item(),
        _ => {}
    }
    let Some(Value::Function(_)) = args.at(0) else {
        return Value::Unknown;
    };
    let (items, all) = value.items();
    let mut out = Vec::new();
    let callback = args.at(0).cloned().unwrap_or(Value::Unknown);
    for (at, item) in items.into_iter().enumerate().take(MOST_ITEMS) {
        if !walk.step(1) {
            break;
        }
        let number = i64::try_from(at).ok().filter(|_| all).map_or(Value::Unknown, Value::Number);
        let args = match name {
            "reduce" | "reduceRight" => vec![(None, Value::Unknown), (None, item)],
            _ => vec![(None, item), (None, number)],
        };
        out.push(walk.call(&callback, &Args { items: args }));
    }
    match name {
        "map" if all => Value::List(Rc::new(out)),
        "map" => Value::Each(Rc::new(out.into_iter().next().unwrap_or(Value::Unknown))),
        "filter" => Value::Each(Rc::new(value.any_item())),
        "find" => value.any_item(),
        _ => Value::Unknown,
    }
}

fn text_method<'a>(walk: &mut Walk<'a>, text: &Rc<Arg>, name: &str, args: &Args<'a>) -> Value<'a> {
    if !walk.step(text.text.len() / 32) {
        return Value::Unknown;
    }
    let same = |text: EcoString, dynamic: Dynamics| Value::Text(Rc::new(Arg { text, dynamic }));
    match name {
        "toString" | "normalize" | "valueOf" => Value::Text(Rc::clone(text)),
        "trim" | "trimEnd" | "trimStart" => same(text.text.trim().into(), text.dynamic),
        "toLowerCase" => same(text.text.to_lowercase(), text.dynamic),
        "concat" => args.items.iter().fold(Value::Text(Rc::clone(text)), |sum, (_, value)| sum.plus(value)),
        "split" if text.dynamic.is_empty() && text.text.len() < 4096 => match args.at(0).and_then(Value::certain) {
            Some(by) if !by.is_empty() => Value::List(Rc::new(text.text.split(by).map(Value::text).collect())),
            _ => Value::Each(Rc::new(Value::Unknown)),
        },
        "split" => Value::Each(Rc::new(Value::Unknown)),
        "replace" | "replaceAll" => match (args.at(0).and_then(Value::certain), args.at(1).and_then(Value::certain)) {
            (Some(from), Some(to)) if !from.is_empty() && text.text.len() < 4096 && to.len() < 256 => {
                let plain = text.dynamic.is_empty() || (text.dynamic == [Dynamic::Glob] && text.text.contains(from));
                let count = if name == "replace" { 1 } else { usize::MAX };
                if plain { same(text.text.replacen(from, to, count), text.dynamic) } else { Value::Unknown }
            }
            _ => Value::Unknown,
        },
        _ => {
            walk.callbacks(args);
            Value::Unknown
        }
    }
}
