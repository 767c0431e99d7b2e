//! PowerShell: the tool of that name, and `pwsh -Command` in a shell line.
//!
//! [`words`] reads the text, [`cmdlets`] knows what well-known cmdlets do with paths; the walk in
//! `flatten` makes parts of both. A part of a cmdlet has the cmdlet's full name in lower case as its
//! head, its words as written in `argv`, and in `known` the same with every parameter by its full
//! name before each of its values, so that a rule can name `-recurse`.

pub mod cmdlets;
pub mod words;

use super::dynamic::Dynamic;
use super::options::{Opt, Options};
use super::part::{Arg, Code, CodePath, Part};
use super::programs::{Row, Style, UNKNOWN};
use crate::call::Op;
use cmdlets::{Bound, Cmdlet, Takes};
use std::borrow::Cow;
use thin_vec::{ThinVec, thin_vec};

/// The language in `part.code` and `shell.dialect`.
pub const NAME: &str = "powershell";

/// How the words of a cmdlet are read.
static ROW: Row = Row { style: Style::Words, open: None, ..UNKNOWN };

/// Whether a command word is a PowerShell.
pub fn is_shell(head: &str) -> bool {
    let name = head.strip_suffix(".exe").or_else(|| head.strip_suffix(".EXE")).unwrap_or(head);
    ["pwsh", "powershell", "pwsh-preview"].iter().any(|shell| name.eq_ignore_ascii_case(shell))
}

/// Whether a part is a command of PowerShell.
pub fn is_cmdlet(part: &Part) -> bool {
    part.code.as_ref().is_some_and(|code| code.lang == NAME) && !is_shell(&part.head)
}

/// The options of a part that is a cmdlet: names in lower case, the values of paths among the operands.
pub fn options(part: &Part) -> Options<'_> {
    let argv = part.words();
    let cmdlet = cmdlets::find(&part.head.to_ascii_lowercase());
    let mut out = Options::of(&ROW, None);
    let mut at = 1;
    while let Some(word) = argv.get(at) {
        let name =
            word.text.strip_prefix('-').filter(|name| name.starts_with(|first: char| first.is_ascii_alphabetic()));
        let Some(name) = name else {
            out.operands.push(at);
            at += 1;
            continue;
        };
        let known = cmdlet.and_then(|cmdlet| cmdlet.parameter(name));
        let takes = known.map_or(Takes::Nothing, |(_, takes)| takes);
        let value = argv.get(at + 1).filter(|_| takes != Takes::Nothing);
        let text = value.map(|value| Cow::Borrowed(value.text.as_str()));
        let value_at = if value.is_some() { at + 1 } else { at };
        let name =
            Cow::Owned(known.map_or_else(|| word.text.as_str().to_ascii_lowercase(), |(name, _)| format!("-{name}")));
        out.options.push(Opt { name, value: text, sure: value.is_none_or(super::options::sure), at, value_at });
        if value.is_some() && matches!(takes, Takes::Path(_)) {
            out.operands.push(value_at);
        }
        at = value_at + 1;
    }
    out
}

/// The words of a cmdlet with every parameter by its full name.
pub fn plain_words(head: &str, bound: &[Bound]) -> ThinVec<Arg> {
    let mut words = thin_vec![Arg::literal(head)];
    for parameter in bound {
        let name = || Arg::literal(format!("-{}", parameter.name));
        if parameter.name.is_empty() {
            words.extend(parameter.values.iter().cloned());
        } else if parameter.values.is_empty() {
            words.push(name());
        }
        if !parameter.name.is_empty() {
            for value in &parameter.values {
                words.extend([name(), tidy(value)]);
            }
        }
    }
    words
}

/// What a cmdlet says that it touches.
pub fn touches(cmdlet: &Cmdlet, bound: &[Bound]) -> Code {
    let has = |name: &str| bound.iter().any(|parameter| parameter.name == name);
    let nothing = has("whatif");
    let mut paths: Vec<CodePath> = Vec::new();
    let value = |name: &str| {
        bound.iter().find(|parameter| parameter.name == name).and_then(|parameter| parameter.values.first())
    };
    for parameter in bound {
        let Takes::Path(op) = parameter.takes else { continue };
        for value in &parameter.values {
            let Some(mut path) = file(value) else { continue };
            if parameter.name != "literalpath"
                && op_takes_globs(cmdlet, parameter.name)
                && path.text.contains(['*', '?', '['])
            {
                path.mark(Dynamic::Glob);
            }
            if cmdlet.name == "new-item"
                && let Some(name) =
                    bound.iter().find(|parameter| parameter.name == "name").and_then(|name| name.values.first())
            {
                path = joined(&path, name);
            }
            super::growth::add(&mut paths, CodePath { path, op: if nothing { Op::List } else { op } });
        }
    }
    let named = paths.first().map(|found| found.path.clone());
    let add = |paths: &mut Vec<CodePath>, path: Arg, op: Op| paths.push(CodePath { path, op });
    match cmdlet.name {
        "get-childitem" if paths.is_empty() => add(&mut paths, Arg::literal("."), Op::List),
        "new-item" if paths.is_empty() => {
            if let Some(name) = value("name").and_then(file) {
                add(&mut paths, name, Op::Write);
            }
        }
        "copy-item" | "move-item" if !has("destination") && !paths.is_empty() => {
            add(&mut paths, Arg::literal("."), Op::Write)
        }
        "expand-archive" if !has("destinationpath") => {
            if let Some(archive) = &named {
                let name = archive.text.rsplit('/').next().unwrap_or_default();
                let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
                add(&mut paths, Arg { text: stem.into(), dynamic: archive.dynamic }, Op::Write);
            }
        }
        "rename-item" => {
            if let (Some(old), Some(new)) = (&named, value("newname").and_then(file)) {
                let beside = match old.text.rsplit_once('/') {
                    Some((folder, _)) if !new.text.contains('/') => {
                        joined(&Arg { text: folder.into(), dynamic: old.dynamic }, &new)
                    }
                    _ => new,
                };
                add(&mut paths, beside, if nothing { Op::List } else { Op::Write });
            }
        }
        _ => {}
    }
    let net = if matches!(cmdlet.name, "invoke-webrequest" | "invoke-restmethod") {
        value("uri")
            .map(|uri| if uri.dynamic.is_empty() { uri.text.to_string() } else { "«var»".to_owned() })
            .into_iter()
            .collect()
    } else {
        Vec::new()
    };
    let open = cmdlet.open.unwrap_or_default().to_owned();
    Code { lang: NAME.to_owned(), paths, net, open, ..Code::default() }
}

/// Whether wildcards in a path parameter are looked up; a target is taken as it is written.
fn op_takes_globs(cmdlet: &Cmdlet, name: &str) -> bool {
    !matches!(name, "destination" | "destinationpath" | "outfile")
        && !matches!(cmdlet.name, "new-item" | "out-file" | "tee-object")
}

fn joined(folder: &Arg, name: &Arg) -> Arg {
    let text = format!("{}/{}", folder.text.trim_end_matches('/'), name.text);
    let mut path = Arg { text: text.into(), dynamic: folder.dynamic };
    path.mark_all(name.dynamic);
    path
}

/// A value as a path of a file, with slashes; `None` for the registry, variables and their like.
pub fn file(value: &Arg) -> Option<Arg> {
    let bare = value
        .text
        .strip_prefix("FileSystem::")
        .or_else(|| value.text.strip_prefix("Microsoft.PowerShell.Core\\FileSystem::"));
    let mut path = tidy(value);
    if let Some(bare) = bare {
        path.text = bare.into();
    }
    let drive = path.text.split_once(':').map_or("", |(drive, _)| drive);
    let provider = drive.len() > 1 && drive.bytes().all(|byte| byte.is_ascii_alphabetic());
    (!provider && !path.text.is_empty() && path.text != "$null").then_some(path)
}

/// With `/` between the names, unless it begins with a drive or the name of a machine.
fn tidy(value: &Arg) -> Arg {
    let text = value.text.as_str();
    let windows = text.starts_with("\\\\") || text.as_bytes().get(1) == Some(&b':');
    let text = if windows || !text.contains('\\') { text.to_owned() } else { text.replace('\\', "/") };
    Arg { text: text.into(), dynamic: value.dynamic }
}

/// The words of a program that is started by its path, with the path in slashes; `None` if that changes nothing.
pub fn by_path(argv: &[Arg]) -> Option<ThinVec<Arg>> {
    let first = argv.first()?;
    let path = tidy(first);
    (path != *first).then(|| std::iter::once(path).chain(argv.iter().skip(1).cloned()).collect())
}

/// The base name of a command word, without `.exe`, in lower case.
pub fn base(word: &Arg) -> String {
    if word.dynamic.iter().any(|kind| *kind != Dynamic::Tilde)
        && word.text.rsplit(['/', '\\']).next().is_some_and(|name| name.contains('«'))
    {
        return String::new();
    }
    let name = word.text.rsplit(['/', '\\']).next().unwrap_or_default();
    let lower = name.to_ascii_lowercase();
    lower.strip_suffix(".exe").map(str::to_owned).unwrap_or(lower)
}

/// What a PowerShell is asked to run.
#[derive(Debug, PartialEq, Eq)]
pub enum Program {
    /// This text, and the word it begins in.
    Text(Arg, usize),
    /// The script in this word.
    File(usize),
    /// What comes on standard input.
    Stdin,
    /// Something that cannot be read, and why.
    Unknown(&'static str),
    /// Nothing (`-Version`).
    Nothing,
}

const PARAMETERS: &[(&str, bool)] = &[
    ("command", true),
    ("file", true),
    ("encodedcommand", true),
    ("ec", true),
    ("commandwithargs", true),
    ("cwa", true),
    ("configurationname", true),
    ("configurationfile", true),
    ("custompipename", true),
    ("encodedarguments", true),
    ("executionpolicy", true),
    ("ep", true),
    ("inputformat", true),
    ("if", true),
    ("outputformat", true),
    ("of", true),
    ("psconsolefile", true),
    ("settingsfile", true),
    ("windowstyle", true),
    ("workingdirectory", true),
    ("wd", true),
    ("help", false),
    ("interactive", false),
    ("login", false),
    ("mta", false),
    ("noexit", false),
    ("nologo", false),
    ("noninteractive", false),
    ("noprofile", false),
    ("noprofileloadtime", false),
    ("sshservermode", false),
    ("sta", false),
    ("version", false),
];

/// Reads the words of a call of PowerShell.
pub fn program(head: &str, argv: &[Arg]) -> Program {
    let mut at = 1;
    while let Some(word) = argv.get(at) {
        let text = word.text.as_str();
        if text == "-" {
            return Program::Stdin;
        }
        let Some(written) = text.strip_prefix("--").or_else(|| text.strip_prefix(['-', '/'])) else {
            // The old one takes commands there, the new one a script.
            if word.text.starts_with('«') && !word.dynamic.is_empty() {
                return Program::Unknown("code from a variable");
            }
            let old =
                head.to_ascii_lowercase().starts_with("powershell") && !text.to_ascii_lowercase().ends_with(".ps1");
            return if old { text_of(argv, at) } else { Program::File(at) };
        };
        let written = written.to_ascii_lowercase();
        let exact = PARAMETERS.iter().find(|(name, _)| *name == written);
        let found =
            exact.or_else(|| PARAMETERS.iter().find(|(name, _)| !written.is_empty() && name.starts_with(&written)));
        match found {
            Some(("command" | "commandwithargs" | "cwa", _)) => {
                return match argv.get(at + 1) {
                    Some(word) if word.text == "-" => Program::Stdin,
                    Some(_) => text_of(argv, at + 1),
                    None => Program::Unknown("code from input"),
                };
            }
            Some(("file", _)) => {
                return match argv.get(at + 1) {
                    Some(word) if word.text == "-" => Program::Stdin,
                    Some(_) => Program::File(at + 1),
                    None => Program::Unknown("code from input"),
                };
            }
            Some(("encodedcommand" | "ec", _)) => {
                let text = argv.get(at + 1).and_then(|word| word.certain()).and_then(decoded);
                return text.map_or(Program::Unknown("encoded code"), |text| Program::Text(Arg::literal(text), at + 1));
            }
            Some(("version" | "help", _)) if argv.len() == at + 1 => return Program::Nothing,
            Some((_, takes)) => at += if *takes { 2 } else { 1 },
            None => at += 1,
        }
    }
    Program::Stdin
}

fn text_of(argv: &[Arg], at: usize) -> Program {
    Program::Text(super::unwrap::join(argv, at..argv.len()), at)
}

/// Most bytes of an encoded command.
const LONGEST: usize = 64 * 1024;

/// Base64 of UTF-16, little end first.
fn decoded(text: &str) -> Option<String> {
    if text.len() > LONGEST {
        return None;
    }
    let (mut bytes, mut bits, mut count) = (Vec::with_capacity(text.len()), 0_u32, 0_u32);
    for letter in text.trim_end_matches('=').bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0xFFFF;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xFF).unwrap_or_default());
        }
    }
    let pairs = bytes.chunks_exact(2);
    if bytes.is_empty() || !pairs.remainder().is_empty() {
        return None;
    }
    let units: Vec<u16> = pairs.filter_map(|pair| Some(u16::from_le_bytes([*pair.first()?, *pair.get(1)?]))).collect();
    String::from_utf16(&units).ok()
}

/// What a call of a .NET method is, in the words of a cmdlet.
#[derive(Debug, PartialEq, Eq)]
pub enum Dotnet {
    /// This cmdlet with these words.
    Cmdlet(Vec<Arg>),
    /// It may touch something.
    Open,
    /// It makes something else of a text that nobody can read.
    Decodes,
    /// It only computes or looks.
    Harmless,
}

/// Reads a call of a method.
pub fn method(name: &str, args: &[Arg]) -> Dotnet {
    let arg = |at: usize| {
        args.get(at).cloned().unwrap_or_else(|| Arg { text: "«sub»".into(), dynamic: Dynamic::Sub.into() })
    };
    let word = |text: &str| Arg::literal(text);
    let made = |words: &[Arg]| Dotnet::Cmdlet(words.to_vec());
    let Some((class, member)) = name.split_once("]::") else {
        let member = name.trim_start_matches('.');
        return match member {
            "downloadfile" => made(&[word("invoke-webrequest"), word("-uri"), arg(0), word("-outfile"), arg(1)]),
            "downloadstring" | "downloaddata" => made(&[word("invoke-webrequest"), word("-uri"), arg(0)]),
            "delete" | "moveto" | "copyto" | "save" | "writealltext" | "kill" | "invoke" | "start" | "run" | "exec"
            | "create" => Dotnet::Open,
            _ => Dotnet::Harmless,
        };
    };
    let class = class.trim_start_matches('[');
    let class = class.strip_prefix("system.").unwrap_or(class);
    // What a variable holds may be true.
    let recursive = args.get(1).is_some_and(|arg| arg.text == "$true" || !arg.dynamic.is_empty());
    match (class, member) {
        ("io.file", "delete") => made(&[word("remove-item"), word("-literalpath"), arg(0)]),
        ("io.directory", "delete") if recursive => {
            made(&[word("remove-item"), word("-literalpath"), arg(0), word("-recurse")])
        }
        ("io.directory", "delete") => made(&[word("remove-item"), word("-literalpath"), arg(0)]),
        ("io.directory", "createdirectory") => {
            made(&[word("new-item"), word("-path"), arg(0), word("-itemtype"), word("directory")])
        }
        ("io.file", "copy") => made(&[word("copy-item"), word("-literalpath"), arg(0), word("-destination"), arg(1)]),
        ("io.file" | "io.directory", "move") => {
            made(&[word("move-item"), word("-literalpath"), arg(0), word("-destination"), arg(1)])
        }
        ("io.file", member) if member.starts_with("append") => {
            made(&[word("add-content"), word("-literalpath"), arg(0)])
        }
        ("io.file", member) if member.starts_with("write") || member.starts_with("create") => {
            made(&[word("set-content"), word("-literalpath"), arg(0)])
        }
        ("io.file", member) if member.starts_with("read") || member == "openread" || member == "opentext" => {
            made(&[word("get-content"), word("-literalpath"), arg(0)])
        }
        ("io.file" | "io.directory", member)
            if member.starts_with("get") || member.starts_with("enumerate") || member == "exists" =>
        {
            made(&[word("get-childitem"), word("-literalpath"), arg(0)])
        }
        ("convert", "frombase64string" | "fromhexstring") => Dotnet::Decodes,
        ("io.file" | "io.directory" | "diagnostics.process" | "io.compression.zipfile", _) => Dotnet::Open,
        _ => Dotnet::Harmless,
    }
}
