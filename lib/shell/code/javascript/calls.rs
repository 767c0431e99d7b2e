//! What calls of JavaScript's functions and libraries do.

use std::rc::Rc;

use super::super::Run;
use super::super::program::value::{Args, Value, glob, join, unknown};
use super::super::program::walk::Walk;
use super::super::python::calls::{arguments as argument_list, globbed};
use super::tables::{BUILTIN, CALLS, PACKAGES};
use crate::call::Op;
use crate::shell::part::Arg;

/// The value of a name that the program has not set.
pub fn global<'a>(name: &str) -> Value<'a> {
    match name {
        "require" | "process" | "Bun" | "Deno" | "fetch" | "import" | "Object" | "Array" | "Promise" | "eval"
        | "Function" | "String" | "URL" | "WebSocket" | "EventSource" | "globalThis" => Value::thing(name),
        "true" => Value::thing("True"),
        "false" | "null" | "undefined" => Value::thing("False"),
        "__dirname" => Value::text("."),
        // `node -e` has the modules of Node as names.
        _ if BUILTIN.contains(&name) => Value::thing(name),
        _ => Value::Unknown,
    }
}

/// Loads a module.
pub fn module<'a>(walk: &mut Walk<'a>, name: &str) -> Value<'a> {
    let name = name.strip_prefix("node:").unwrap_or(name);
    let name =
        name.split_once(':').filter(|(scheme, _)| matches!(*scheme, "npm" | "jsr")).map_or(name, |(_, name)| name);
    match name {
        "fs" | "fs/promises" | "fs-extra" | "graceful-fs" => return Value::thing("fs"),
        "path/posix" | "path/win32" => return Value::thing("path"),
        "cross-spawn" => return Value::thing("child_process.spawn"),
        _ => {}
    }
    if name.starts_with(['.', '/', '~']) {
        if name.rsplit('/').next().is_some_and(|last| last.trim_start_matches('.').contains('.')) {
            walk.touch_word(&Arg::literal(name), Op::Read);
        }
        if name.ends_with(".json") || name.ends_with(".txt") {
            return Value::Unknown;
        }
        walk.open("loads the project's code");
        return Value::Foreign;
    }
    let top = name.split('/').next().unwrap_or_default();
    if BUILTIN.contains(&top) || PACKAGES.contains(&name) || PACKAGES.contains(&top) {
        return Value::thing(name);
    }
    walk.open("imports a package");
    Value::Foreign
}

/// `value.name`
pub fn attr<'a>(walk: &mut Walk<'a>, value: &Value<'a>, name: &str) -> Value<'a> {
    match value {
        Value::Thing(thing) => match (thing.as_str(), name) {
            (_, "default") => value.clone(),
            ("fs", "promises") => value.clone(),
            ("globalThis", _) => global(name),
            ("process" | "Bun", "argv") => match argument_list(walk.args) {
                // The name of the script stands behind that of the program.
                Value::List(list) if walk.setting.named => {
                    Value::List(Rc::new(std::iter::once(Value::Unknown).chain(list.iter().cloned()).collect()))
                }
                list => list,
            },
            ("Deno", "args") => {
                Value::List(Rc::new(walk.args.iter().map(|arg| Value::Text(Rc::new(arg.clone()))).collect()))
            }
            ("process.env", _) if walk.variable(name).is_some() => walk.variable(name).unwrap_or(Value::Unknown),
            ("process", "execPath") => Value::text("node"),
            ("process.env", "HOME") => Value::Text(Value::home()),
            ("process.env", "PWD") => Value::text("."),
            ("process.env", "TMPDIR") => Value::text("/tmp"),
            ("process.env", _) | ("file" | "True" | "False", _) => Value::Unknown,
            ("path", "sep") => Value::text("/"),
            ("path", "posix" | "win32") => value.clone(),
            ("os", "EOL") => Value::text("\n"),
            ("import.meta", "dirname" | "dir") => Value::text("."),
            ("import.meta", _) => Value::Unknown,
            _ => Value::thing(&format!("{thing}.{name}")),
        },
        // The entries of a folder, with their names.
        Value::Text(text) if name == "name" && !text.dynamic.is_empty() => value.clone(),
        Value::Text(_) if matches!(name, "parentPath" | "path") => Value::Unknown,
        Value::Either(_) => value.map(&mut |value| match value {
            Value::Either(_) => Value::Unknown,
            value => attr(walk, value, name),
        }),
        _ => Value::Unknown,
    }
}

/// `value[index]` of something of a library.
pub fn index<'a>(walk: &mut Walk<'a>, value: &Value<'a>, index: &Value<'a>) -> Value<'a> {
    match index.certain() {
        Some(name) => {
            let name = name.to_owned();
            attr(walk, value, &name)
        }
        None => {
            if matches!(value, Value::Thing(name) if matches!(name.as_str(), "fs" | "child_process")) {
                walk.open("calls a computed function");
            }
            Value::Unknown
        }
    }
}

/// Calls a function by its full name.
pub fn call<'a>(walk: &mut Walk<'a>, full: &str, args: &Args<'a>) -> Value<'a> {
    let name = full.strip_suffix("Sync").unwrap_or(full);
    if let Ok(at) = CALLS.binary_search_by(|row| row.0.cmp(name)) {
        for (at, op) in CALLS.get(at).map_or(&[][..], |row| row.1) {
            if let Some(value) = args.at(*at)
                && !matches!(value, Value::Number(_))
            {
                walk.touch(value, *op);
            }
        }
        walk.callbacks(args);
        return Value::Unknown;
    }
    let first = args.at(0).cloned().unwrap_or(Value::Unknown);
    match name {
        "require" | "import" => {
            return match first {
                Value::Text(text) if text.dynamic.is_empty() => module(walk, &text.text),
                Value::Text(text) if text.text.ends_with(".json") => {
                    walk.touch_word(&text, Op::Read);
                    Value::Unknown
                }
                _ => {
                    walk.open("loads the project's code");
                    Value::Foreign
                }
            };
        }
        "require.resolve" => {}
        "eval" | "vm.runInThisContext" | "vm.runInNewContext" | "vm.runInContext" => walk.nested(args.at(0)),
        "Function" => {
            let last = args.items.last().map(|(_, value)| value.clone());
            walk.nested(last.as_ref());
        }
        "process.exit" | "Deno.exit" => return Value::thing("exit"),
        "process.cwd" | "Deno.cwd" => return Value::text("."),
        "process.chdir" | "Deno.chdir" | "shelljs.cd" => {
            let to = first.word();
            walk.folder = Some(match walk.folder.clone() {
                Some(at) => join(&at, &to).map_or_else(unknown, Rc::new),
                None => to,
            });
        }
        "os.homedir" => return Value::Text(Value::home()),
        "os.tmpdir" => return Value::text("/tmp"),
        "process.env.get" | "Deno.env.get" => {
            let key = first.certain().unwrap_or_default().to_owned();
            return attr(walk, &Value::thing("process.env"), &key);
        }
        "path.join" | "path.resolve" => {
            let mut items = args.items.iter().map(|(_, value)| value);
            let start = items.next().cloned().unwrap_or_else(|| Value::text("."));
            return items.fold(start, |sum, value| {
                // `join` keeps the first part even in front of a slash.
                let value = value.map(&mut |value| match value {
                    Value::Text(text) if name == "path.join" && text.text.starts_with('/') => {
                        let text = text.text.trim_start_matches('/').to_owned();
                        Value::text(text)
                    }
                    value => value.clone(),
                });
                sum.below(&value, false)
            });
        }
        "path.basename" | "path.dirname" | "path.extname" => {
            let part = match name {
                "path.basename" => "name",
                "path.dirname" => "parent",
                _ => "suffix",
            };
            let end = args.at(1).and_then(Value::certain).unwrap_or_default().to_owned();
            return first.map(&mut |value| match value {
                Value::Text(path) => match super::super::python::methods::path_attr(path, part) {
                    Value::Text(path) | Value::Path(path) => {
                        let text = path.text.strip_suffix(&end).unwrap_or(&path.text).to_owned();
                        Value::Text(Rc::new(Arg { text: text.into(), dynamic: path.dynamic }))
                    }
                    other => other,
                },
                _ => Value::Unknown,
            });
        }
        "path.normalize" | "String" | "url.fileURLToPath" | "Bun.fileURLToPath" | "url.pathToFileURL" => {
            return first.map(&mut |value| match value {
                Value::Text(_) | Value::Path(_) | Value::Number(_) => Value::Text(value.word()),
                _ => Value::Unknown,
            });
        }
        "URL" => return Value::Text(first.word()),
        "fs.readdir" | "Deno.readDir" => {
            let inner = if args.option("recursive").is_some() { "**" } else { "*" };
            walk.touch(&first, Op::List);
            let names = Value::Each(Rc::new(Value::Text(glob(inner.to_owned()))));
            for (_, value) in &args.items {
                if let Value::Function(function) = value {
                    walk.call_function(function, &Args { items: vec![(None, Value::Unknown), (None, names.clone())] });
                }
            }
            return names;
        }
        "fs.glob" | "glob.glob" | "glob" | "glob.globSync" | "fast-glob" | "globby" | "globby.globby"
        | "fast-glob.glob" => {
            return Value::Each(Rc::new(globbed(&first)));
        }
        "fs.mkdtemp" => return first.plus(&Value::Text(glob("*".to_owned()))),
        "fs.open" | "Deno.open" => {
            let flags = args.at(1).cloned();
            match flags {
                Some(Value::Dict(_)) => {
                    let writes = ["write", "append", "create", "truncate"].iter().any(|key| args.option(key).is_some());
                    walk.touch(&first, if writes { Op::Write } else { Op::Read });
                }
                flags => {
                    let flags = flags.filter(|flags| !matches!(flags, Value::Function(_)));
                    super::super::python::calls::open_file(walk, &first, flags.as_ref());
                }
            }
            walk.callbacks(args);
            return Value::thing("file");
        }
        "Bun.file" => return Value::Path(first.word()),
        "rimraf" | "rimraf.rimraf" | "del" | "del.deleteSync" | "shelljs.rm" => {
            let path = if name == "shelljs.rm" { args.items.last().map(|(_, v)| v.clone()) } else { Some(first) };
            for item in path
                .map(|path| match path {
                    Value::List(_) => path.items().0,
                    path => vec![path],
                })
                .unwrap_or_default()
            {
                walk.touch(&globbed(&item), Op::Delete);
            }
        }
        "child_process.exec" | "execa.execaCommand" | "shelljs.exec" | "zx.$" | "bun.$" | "Bun.$" | "execa.$" => {
            for word in first.words() {
                walk.run(Run::Text((*word).clone()), args.option("cwd"));
            }
            walk.callbacks(args);
            // What comes of it can be changed before it runs: `.cwd('x')`, `.quiet()`.
        }
        "child_process.execFile"
        | "child_process.spawn"
        | "execa.execa"
        | "execa"
        | "child_process.fork"
        | "Deno.Command" => spawn(walk, name, &first, args),
        "Bun.spawn" | "Deno.run" => {
            let command = match &first {
                Value::Dict(_) => args.option("cmd").cloned().unwrap_or(Value::Unknown),
                other => other.clone(),
            };
            let argv = walk.argv(&command);
            walk.run(Run::Argv(argv), args.option("cwd"));
        }
        "util.promisify" => return first,
        "os.userInfo" => {
            return Value::Dict(Rc::new(vec![(Rc::from("homedir"), Value::Text(Value::home()))]));
        }
        "fetch" | "axios" | "axios.get" | "axios.post" | "axios.put" | "axios.delete" | "axios.patch"
        | "axios.head" | "axios.request" | "http.get" | "http.request" | "https.get" | "https.request" | "got"
        | "got.get" | "got.post" | "node-fetch" | "undici.fetch" | "undici.request" | "WebSocket" | "ws"
        | "EventSource" | "dns.lookup" => {
            let url = args.option("url").or(args.option("hostname")).or(args.option("host"));
            let url = if matches!(first, Value::Dict(_)) { url } else { Some(&first) };
            let url = url.cloned();
            walk.net(url.as_ref());
            walk.callbacks(args);
        }
        "net.connect" | "net.createConnection" | "tls.connect" => {
            let host = args.option("host").or(args.at(1)).cloned();
            walk.net(host.as_ref());
            walk.callbacks(args);
        }
        "Object.keys" | "Object.values" | "Object.entries" | "Object.fromEntries" | "Object.assign" => {
            let Value::Dict(pairs) = &first else {
                return Value::Unknown;
            };
            let item = |(key, value): &(Rc<str>, Value<'a>)| match name {
                "Object.keys" => Value::text(&**key),
                "Object.values" => value.clone(),
                _ => Value::List(Rc::new(vec![Value::text(&**key), value.clone()])),
            };
            return Value::List(Rc::new(pairs.iter().map(item).collect()));
        }
        "Array.from" | "Promise.all" | "Promise.allSettled" | "Promise.resolve" | "Array.fromAsync" => {
            walk.callbacks(args);
            return first;
        }
        "bun:sqlite.Database" | "sqlite.Database" => {
            walk.touch(&first, Op::Read);
            walk.touch(&first, Op::Write);
        }
        "sqlite.DatabaseSync" => {
            walk.touch(&first, Op::Read);
            walk.touch(&first, Op::Write);
        }
        _ if name.starts_with("playwright") || name.starts_with("puppeteer") => walk.open("drives a browser"),
        _ => walk.callbacks(args),
    }
    Value::Unknown
}

/// `spawn('git', ['status'], {shell: true})`
fn spawn<'a>(walk: &mut Walk<'a>, name: &str, first: &Value<'a>, args: &Args<'a>) {
    let listed = match args.at(1) {
        Some(Value::Dict(_) | Value::Function(_)) | None => args.option("args").cloned(),
        Some(list) => Some(list.clone()),
    };
    let more = listed.map(|list| walk.argv(&list)).unwrap_or_default();
    let folder = args.option("cwd");
    let shell = args.option("shell").is_some_and(|shell| shell.truth() != Some(false));
    for word in first.words() {
        if shell {
            let mut text = (*word).clone();
            for word in &more {
                let (space, word) = (Arg::literal(" "), word.clone());
                let next = super::super::program::value::concat(&text, &space);
                text = next
                    .and_then(|text| super::super::program::value::concat(&text, &word))
                    .unwrap_or_else(|| (*unknown()).clone());
            }
            walk.run(Run::Text(text), folder);
            continue;
        }
        let mut argv = Vec::new();
        if name == "child_process.fork" {
            argv.push(Arg::literal("node"));
        }
        argv.push((*word).clone());
        argv.extend(more.iter().cloned());
        walk.run(Run::Argv(argv), folder);
    }
    walk.callbacks(args);
}
