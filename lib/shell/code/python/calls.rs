//! What calls of Python's functions and libraries do.

pub mod special;

use std::rc::Rc;

use ecow::EcoString;

use super::super::program::value::{Args, Value, glob};
use super::super::program::walk::Walk;
use super::tables::{CALLS, NET, OPEN, Row};
use crate::call::Op;
use crate::shell::dynamic::Dynamic;
use crate::shell::part::Arg;

/// The value of a name that the program has not set.
pub fn global<'a>(name: &str) -> Value<'a> {
    match name {
        "open" | "print" | "exec" | "eval" | "compile" | "__import__" | "range" | "str" | "list" | "tuple" | "set"
        | "sorted" | "reversed" | "enumerate" | "zip" | "map" | "filter" | "dict" | "next" | "iter" | "exit"
        | "quit" | "execfile" | "file" | "bytes" | "repr" | "int" | "True" | "False" | "None" | "input" | "getattr"
        | "globals" | "FileExistsError" | "os" => Value::thing(if name == "quit" { "exit" } else { name }),
        "__name__" => Value::text("__main__"),
        _ => Value::Unknown,
    }
}

/// `value.name`
pub fn attr<'a>(value: &Value<'a>, name: &str) -> Value<'a> {
    match value {
        Value::Thing(thing) => match (thing.as_str(), name) {
            ("os", "sep") => Value::text("/"),
            ("sys", "executable") => Value::text("python3"),
            ("os", "linesep") => Value::text("\n"),
            ("file" | "True" | "False" | "None", _) => Value::Unknown,
            ("tempfile.NamedTemporaryFile()", "name") => Value::Text(glob("/tmp/*".to_owned())),
            _ => Value::Thing(dotted(thing, name)),
        },
        Value::Path(path) => super::methods::path_attr(path, name),
        Value::Either(_) => value.map(&mut |value| match value {
            Value::Either(_) => Value::Unknown,
            value => attr(value, name),
        }),
        Value::Unknown if name == "name" => Value::Unknown,
        _ => Value::Unknown,
    }
}

/// `value[index]` of something of a library.
pub fn index<'a>(walk: &Walk<'a>, value: &Value<'a>, index: &Value<'a>) -> Value<'a> {
    let Value::Thing(name) = value else {
        return Value::Unknown;
    };
    match (name.as_str(), index) {
        ("os.environ", _) => environment(walk, index.certain()),
        ("sys.argv", Value::Number(number)) => {
            let at = usize::try_from(*number).ok().and_then(|at| at.checked_sub(1));
            at.and_then(|at| walk.args.get(at)).map_or(Value::Unknown, |arg| Value::Text(Rc::new(arg.clone())))
        }
        ("sys.argv", _) => Value::Each(Rc::new(Value::Unknown)),
        _ => Value::Unknown,
    }
}

/// `module.name`
pub(super) fn dotted(module: &str, name: &str) -> EcoString {
    let mut whole = EcoString::with_capacity(module.len() + 1 + name.len());
    whole.push_str(module);
    whole.push('.');
    whole.push_str(name);
    whole
}

/// The value of a variable of the environment.
fn environment<'a>(walk: &Walk<'a>, name: Option<&str>) -> Value<'a> {
    if let Some(value) = name.and_then(|name| walk.variable(name)) {
        return value;
    }
    match name {
        Some("HOME" | "USERPROFILE") => Value::Text(Value::home()),
        Some("PWD") => Value::text("."),
        Some("TMPDIR") => Value::text("/tmp"),
        _ => Value::Unknown,
    }
}

/// The arguments of the program.
pub fn arguments<'a>(args: &[Arg]) -> Value<'a> {
    let all = args.iter().map(|arg| Value::Text(Rc::new(arg.clone())));
    Value::List(Rc::new(std::iter::once(Value::Unknown).chain(all).collect()))
}

/// `'a%s' % b`
pub fn percent<'a>(format: &Value<'a>, right: &Value<'a>) -> Value<'a> {
    let Some(text) = format.certain() else {
        return Value::Unknown;
    };
    let items = match right {
        Value::List(items) => items.to_vec(),
        other => vec![other.clone()],
    };
    let mut items = items.into_iter();
    let mut sum = Value::text("");
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        sum = sum.plus(&Value::text(before));
        let (piece, behind) = match after.chars().next() {
            Some('%') => (Value::text("%"), after.get(1..)),
            Some('s' | 'd') => (items.next().unwrap_or(Value::Unknown), after.get(1..)),
            _ => {
                let end = after.find(|letter: char| letter.is_ascii_alphabetic() && letter != 'l');
                items.next();
                (Value::Unknown, end.and_then(|end| after.get(end + 1..)))
            }
        };
        sum = sum.plus(&piece.map(&mut |piece| Value::Text(piece.word())));
        rest = behind.unwrap_or_default();
        if matches!(sum, Value::Unknown) {
            return sum;
        }
    }
    sum.plus(&Value::text(rest))
}

/// A row of a table that is sorted by name.
pub fn row(table: &'static [Row], name: &str) -> Option<&'static Row> {
    table.binary_search_by(|row| row.0.cmp(name)).ok().and_then(|at| table.get(at))
}

/// What a row says of the arguments.
pub fn apply<'a>(walk: &mut Walk<'a>, row: &Row, args: &Args<'a>) -> Value<'a> {
    for (at, name, op) in row.1 {
        if let Some(value) = args.get(*at, name) {
            // Text and addresses are given where a path may stand.
            if value.certain().is_none_or(|text| text != ":memory:" && !text.contains("://") && !text.contains('\n')) {
                each_path(walk, value, *op);
            } else if value.certain().is_some_and(|text| text.contains("://")) {
                walk.net(Some(value));
            }
        }
    }
    if row.2.is_empty() { Value::Unknown } else { Value::thing(row.2) }
}

/// A path, or all of a list of paths.
pub(super) fn each_path<'a>(walk: &mut Walk<'a>, value: &Value<'a>, op: Op) {
    match value {
        Value::List(_) | Value::Each(_) => {
            for item in value.items().0 {
                walk.touch(&item, op);
            }
        }
        value => walk.touch(value, op),
    }
}

/// `open(path, mode)`
pub fn open_file<'a>(walk: &mut Walk<'a>, path: &Value<'a>, mode: Option<&Value<'a>>) -> Value<'a> {
    if matches!(path, Value::Number(_)) {
        return Value::thing("file");
    }
    let (reads, writes) = match mode {
        None => (true, false),
        Some(mode) => match mode.certain() {
            Some(mode) => {
                let writes = mode.contains(['w', 'a', 'x', '+']);
                (!writes || (mode.contains('r') && mode.contains('+')), writes)
            }
            None => (true, true),
        },
    };
    if reads {
        walk.touch(path, Op::Read);
    }
    if writes {
        walk.touch(path, Op::Write);
    }
    Value::thing("file")
}

/// Calls a function by its full name.
pub fn call<'a>(walk: &mut Walk<'a>, name: &str, args: &Args<'a>) -> Value<'a> {
    let name = match name {
        // No row has it, and it is called most.
        "print" => return Value::Unknown,
        "io.open" | "codecs.open" | "gzip.open" | "bz2.open" | "lzma.open" | "builtins.open" | "file"
        | "aiofiles.open" | "gzip.GzipFile" | "bz2.BZ2File" => "open",
        other => other.strip_prefix("builtins.").unwrap_or(other),
    };
    if let Some(row) = row(CALLS, name) {
        walk.callbacks(args);
        return apply(walk, row, args);
    }
    if let Ok(at) = NET.binary_search_by(|row| row.0.cmp(name)) {
        let (_, at, key) = NET.get(at).copied().unwrap_or_default();
        walk.net(args.get(at, key));
        if name.ends_with("urlretrieve")
            && let Some(path) = args.get(1, "filename")
        {
            walk.touch(path, Op::Write);
        }
        return Value::Unknown;
    }
    if OPEN.binary_search(&name).is_ok() {
        walk.open("runs code that is not read");
        return Value::Unknown;
    }
    special::special(walk, name, args)
}

/// A pattern as a path.
pub fn globbed<'a>(pattern: &Value<'a>) -> Value<'a> {
    pattern.map(&mut |value| match value {
        Value::Text(text) | Value::Path(text) => {
            let mut word = (**text).clone();
            if word.text.contains(['*', '?', '[']) {
                word.mark(Dynamic::Glob);
            }
            Value::Text(Rc::new(word))
        }
        _ => Value::Unknown,
    })
}

/// `~/x`
pub fn expand(path: &Arg) -> Rc<Arg> {
    let mut path = path.clone();
    if path.text.starts_with('~') {
        path.mark(Dynamic::Tilde);
    }
    Rc::new(path)
}
