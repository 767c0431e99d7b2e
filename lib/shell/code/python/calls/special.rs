//! Calls that no row of the tables can describe.

use std::rc::Rc;

use super::super::super::Run;
use super::super::super::program::value::{Args, Value, glob, join, unknown};
use super::super::super::program::walk::Walk;
use super::super::arguments as declared;
use super::super::run::{copy, exec, file_input, subprocess};
use super::super::{imports, methods};
use super::{arguments, environment, expand, globbed, open_file};
use crate::call::Op;
use crate::shell::part::Arg;

pub(super) fn special<'a>(walk: &mut Walk<'a>, name: &str, args: &Args<'a>) -> Value<'a> {
    let first = args.at(0).cloned().unwrap_or(Value::Unknown);
    match name {
        "open" => {
            let path = args.get(0, "file").or(args.named("filename")).cloned().unwrap_or(Value::Unknown);
            return open_file(walk, &path, args.get(1, "mode"));
        }
        "exec" | "eval" | "execfile" | "compile" => {
            // A mode says that it is only compiled, which runs nothing.
            if name != "compile" {
                walk.nested(args.at(0));
            }
        }
        "exit" | "sys.exit" | "os._exit" => return Value::thing("exit"),
        "__import__" | "importlib.import_module" => match first.certain() {
            Some(module) if imports::known(module) => return Value::thing(module),
            _ => {
                walk.open("imports project code");
                return Value::Foreign;
            }
        },
        "getattr" => {
            return match args.at(1).and_then(Value::certain) {
                Some(name) => {
                    let name = name.to_owned();
                    walk.attr(&first, &name)
                }
                None => {
                    if matches!(first, Value::Thing(_)) {
                        walk.open("calls a computed function");
                    }
                    Value::Unknown
                }
            };
        }
        "print" => {}
        "range" => return range(args),
        "str" | "os.fspath" | "os.fsdecode" | "repr" | "os.path.normpath" | "os.path.abspath" | "os.path.realpath" => {
            return first.map(&mut |value| match value {
                Value::Unknown | Value::Foreign => Value::Unknown,
                value => Value::Text(value.word()),
            });
        }
        "list" | "tuple" | "sorted" | "reversed" | "set" | "iter" | "tqdm.tqdm" => {
            return match first {
                Value::List(items) if name == "sorted" || name == "set" => Value::List(items),
                Value::List(_) | Value::Each(_) => first,
                Value::Thing(name) if name == "sys.argv" => arguments(walk.args),
                other => Value::Each(Rc::new(other.any_item())),
            };
        }
        "next" => return first.any_item(),
        "enumerate" => return enumerate(&first),
        "zip" => return zip(args),
        "map" | "filter" => return map(walk, name, args),
        "threading.Thread" | "multiprocessing.Process" => {
            // Its arguments stand in a list of their own.
            if let Some(target) = args.named("target") {
                let items = args.named("args").map_or_else(Vec::new, |list| match list.items() {
                    (items, true) => items.into_iter().map(|item| (None, item)).collect(),
                    _ => Vec::new(),
                });
                walk.call(&target.clone(), &Args { items });
            }
        }
        "os.system"
        | "os.popen"
        | "subprocess.getoutput"
        | "subprocess.getstatusoutput"
        | "commands.getoutput"
        | "asyncio.create_subprocess_shell" => {
            for word in first.words() {
                walk.run(Run::Text((*word).clone()), args.named("cwd"));
            }
            if name == "os.popen" {
                return Value::thing("file");
            }
        }
        "subprocess.run"
        | "subprocess.call"
        | "subprocess.check_call"
        | "subprocess.check_output"
        | "subprocess.Popen" => subprocess(walk, args),
        "asyncio.create_subprocess_exec" => {
            let argv = args.items.iter().filter(|(name, _)| name.is_none()).map(|(_, v)| (*v.word()).clone()).collect();
            walk.run(Run::Argv(argv), args.named("cwd"));
        }
        "pty.spawn" => {
            let argv = match &first {
                Value::List(_) => walk.argv(&first),
                other => vec![(*other.word()).clone()],
            };
            walk.run(Run::Argv(argv), None);
        }
        _ if name.starts_with("os.exec") || name.starts_with("os.spawn") || name.starts_with("os.posix_spawn") => {
            exec(walk, name, args);
        }
        "os.environ.get" | "os.getenv" | "os.environ.setdefault" => {
            let known = environment(walk, args.at(0).and_then(Value::certain));
            return match (known, args.at(1)) {
                (Value::Unknown, Some(default)) => Value::Unknown.either(default.clone()),
                (known, _) => known,
            };
        }
        "os.path.join" | "posixpath.join" => {
            let mut items = args.items.iter().map(|(_, value)| value);
            let start = items.next().cloned().unwrap_or(Value::Unknown);
            return items.fold(start, |sum, value| sum.below(value, false));
        }
        "os.path.expanduser" => return first.map(&mut |value| Value::Text(expand(&value.word()))),
        "os.path.expandvars" => return Value::Unknown,
        "os.path.basename" | "os.path.dirname" => {
            let part = name.strip_prefix("os.path.").unwrap_or_default();
            return first.map(&mut |value| match value {
                Value::Text(path) | Value::Path(path) => {
                    let part = if part == "basename" { "name" } else { "parent" };
                    match methods::path_attr(path, part) {
                        Value::Path(path) => Value::Text(path),
                        other => other,
                    }
                }
                _ => Value::Unknown,
            });
        }
        "os.path.splitext" => {
            return first.map(&mut |value| match value {
                Value::Text(path) => {
                    let at = path.text.rfind('.').filter(|at| !path.text.get(*at..).unwrap_or("/").contains('/'));
                    let (stem, end) = path.text.split_at(at.unwrap_or(path.text.len()));
                    let stem = Arg { text: stem.into(), dynamic: path.dynamic };
                    Value::List(Rc::new(vec![Value::Text(Rc::new(stem)), Value::text(end)]))
                }
                _ => Value::Unknown,
            });
        }
        "os.getcwd" | "os.getcwdb" | "pathlib.Path.cwd" => {
            // A folder that was entered is put before every path anyway.
            return Value::Path(Rc::new(Arg::literal(".")));
        }
        "os.chdir" | "contextlib.chdir" => {
            let to = first.word();
            walk.folder = Some(match walk.folder.clone() {
                Some(at) => join(&at, &to).map_or_else(unknown, Rc::new),
                None => to,
            });
        }
        "os.listdir" => {
            let at = if args.items.is_empty() { Value::text(".") } else { first };
            walk.touch(&at, Op::List);
            return Value::Each(Rc::new(Value::Text(glob("*".to_owned()))));
        }
        "os.scandir" => {
            let at = if args.items.is_empty() { Value::text(".") } else { first };
            walk.touch(&at, Op::List);
            let item = at.below(&Value::Text(glob("*".to_owned())), true);
            return Value::Each(Rc::new(item));
        }
        "os.walk" => {
            walk.touch(&first, Op::List);
            let all = Value::Each(Rc::new(Value::Text(glob("*".to_owned()))));
            let at = Value::Text(first.below(&Value::Text(glob("**".to_owned())), false).word());
            return Value::Each(Rc::new(Value::List(Rc::new(vec![at, all.clone(), all]))));
        }
        "glob.glob" | "glob.iglob" => {
            return Value::Each(Rc::new(globbed(&first)));
        }
        "os.open" => {
            let flags = args.at(1).is_some_and(|flags| !matches!(flags, Value::Thing(name) if name == "os.O_RDONLY"));
            walk.touch(&first, Op::Read);
            if flags {
                walk.touch(&first, Op::Write);
            }
            return Value::thing("file");
        }
        "fileinput.input" => return file_input(walk, args),
        "shutil.copy" | "shutil.copy2" | "shutil.copyfile" | "shutil.move" => copy(walk, name, args),
        "shutil.make_archive" => {
            let format = args.get(1, "format").and_then(Value::certain).map(|format| match format {
                "gztar" => ".tar.gz",
                "bztar" => ".tar.bz2",
                "xztar" => ".tar.xz",
                "tar" => ".tar",
                _ => ".zip",
            });
            let base = args.get(0, "base_name").cloned().unwrap_or(Value::Unknown);
            let path = Value::Text(base.word()).plus(&format.map_or(Value::Unknown, Value::text));
            walk.touch(&path, Op::Write);
            if let Some(root) = args.get(2, "root_dir") {
                walk.touch(root, Op::Read);
            }
        }
        "zipfile.ZipFile" | "zipfile.PyZipFile" | "tarfile.open" | "tarfile.TarFile" => {
            let key = if name.starts_with("zip") { "file" } else { "name" };
            if let Some(path) = args.get(0, key) {
                let path = path.clone();
                open_file(walk, &path, args.get(1, "mode"));
            }
            return Value::thing("archive");
        }
        "archive.extractall" | "archive.extract" => {
            let at = usize::from(name.ends_with("extract"));
            let to = args.get(at, "path").cloned().unwrap_or_else(|| Value::text("."));
            walk.touch(&to, Op::Write);
        }
        "archive.write" | "archive.add" => walk.touch(&first, Op::Read),
        "archive.open" => return Value::thing("file"),
        "pathlib.Path" | "pathlib.PosixPath" | "pathlib.PurePath" | "pathlib.PurePosixPath" => {
            let mut items = args.items.iter().map(|(_, value)| value);
            let start = items.next().map_or_else(
                || Value::text("."),
                |value| {
                    value.map(&mut |value| match value {
                        Value::Unknown => Value::Path(unknown()),
                        value => Value::Path(value.word()),
                    })
                },
            );
            return items.fold(start, |sum, value| sum.below(value, true));
        }
        "pathlib.Path.home" => return Value::Path(Value::home()),
        "tempfile.gettempdir" => return Value::text("/tmp"),
        "tempfile.mkdtemp" | "tempfile.mktemp" | "tempfile.TemporaryDirectory" => return temporary(args),
        "tempfile.mkstemp" => return Value::List(Rc::new(vec![Value::thing("file"), temporary(args)])),
        "tempfile.NamedTemporaryFile" | "tempfile.TemporaryFile" => {
            return Value::thing("tempfile.NamedTemporaryFile()");
        }
        "requests.Session" | "requests.session" | "httpx.Client" | "httpx.AsyncClient" => {
            return Value::thing("requests");
        }
        "socket.socket" => return Value::thing("socket.socket()"),
        "socket.socket().connect" => walk.net(Some(&match &first {
            Value::List(items) => items.first().cloned().unwrap_or(Value::Unknown),
            other => other.clone(),
        })),
        "runpy.run_path" => walk.open("runs code that is not read"),
        "argparse.ArgumentParser" => return Value::thing("argparse.ArgumentParser()"),
        "argparse.ArgumentParser().add_argument" => declared::declare(walk, args),
        "argparse.ArgumentParser().parse_args" if args.items.is_empty() => return declared::parse(walk),
        "argparse.ArgumentParser().parse_known_args" if args.items.is_empty() => {
            return Value::List(Rc::new(vec![declared::parse(walk), Value::Unknown]));
        }
        "dict" => {
            return Value::Dict(Rc::new(
                args.items.iter().filter_map(|(n, v)| Some((n.clone()?, v.clone()))).collect(),
            ));
        }
        _ => walk.callbacks(args),
    }
    Value::Unknown
}

fn temporary<'a>(args: &Args<'a>) -> Value<'a> {
    let at = args.named("dir").cloned().unwrap_or_else(|| Value::text("/tmp"));
    Value::Text(at.below(&Value::Text(glob("*".to_owned())), false).word())
}

fn range<'a>(args: &Args<'a>) -> Value<'a> {
    let number = |at: usize| match args.at(at) {
        Some(Value::Number(number)) => Some(*number),
        _ => None,
    };
    let (start, end) = match args.items.len() {
        1 => (Some(0), number(0)),
        2 => (number(0), number(1)),
        _ => (None, None),
    };
    match (start, end) {
        (Some(start), Some(end)) if end.saturating_sub(start) <= 200 => {
            Value::List(Rc::new((start..end).map(Value::Number).collect()))
        }
        _ => Value::Each(Rc::new(Value::Unknown)),
    }
}

fn enumerate<'a>(value: &Value<'a>) -> Value<'a> {
    let (items, all) = value.items();
    let pair = |at: Value<'a>, item: Value<'a>| Value::List(Rc::new(vec![at, item]));
    if all {
        let number = |at: usize| i64::try_from(at).map_or(Value::Unknown, Value::Number);
        return Value::List(Rc::new(items.into_iter().enumerate().map(|(at, item)| pair(number(at), item)).collect()));
    }
    Value::Each(Rc::new(pair(Value::Unknown, items.into_iter().next().unwrap_or(Value::Unknown))))
}

fn zip<'a>(args: &Args<'a>) -> Value<'a> {
    let lists: Vec<_> = args.items.iter().map(|(_, value)| value.items()).collect();
    if lists.iter().all(|(_, all)| *all) {
        let length = lists.iter().map(|(items, _)| items.len()).min().unwrap_or(0);
        let row = |at| Value::List(Rc::new(lists.iter().filter_map(|(items, _)| items.get(at).cloned()).collect()));
        return Value::List(Rc::new((0..length).map(row).collect()));
    }
    let any = args.items.iter().map(|(_, value)| value.any_item()).collect();
    Value::Each(Rc::new(Value::List(Rc::new(any))))
}

/// `map(f, list)`, `pool.map(f, list)`
pub fn map<'a>(walk: &mut Walk<'a>, name: &str, args: &Args<'a>) -> Value<'a> {
    let (Some(function), Some(list)) = (args.at(0), args.at(1)) else {
        return Value::Unknown;
    };
    let (items, all) = list.items();
    let mut out = Vec::new();
    for item in items.into_iter().take(200) {
        let result = walk.call(function, &Args { items: vec![(None, item.clone())] });
        out.push(if name == "map" { result } else { item });
    }
    let list = Value::List(Rc::new(out));
    if all && name == "map" { list } else { Value::Each(Rc::new(list.any_item())) }
}
