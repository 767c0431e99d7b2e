//! SQL, with the dot commands of sqlite3, the backslash commands of psql and the commands of the
//! mysql client: which files beside the database they read and write, and whether they change it.

use super::super::part::{Arg, Dynamic};
use super::value::{Out, blank, glob, literal};
use super::{Found, Host};
use crate::call::Op;

/// Most bytes of a name in brackets.
const MOST_NAME: usize = 256;

/// Whose SQL it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Client {
    Sqlite,
    Duck,
    Postgres,
    MySql,
}

/// Statements that change a database.
const CHANGES: &[&str] = &[
    "insert",
    "update",
    "delete",
    "create",
    "drop",
    "alter",
    "replace",
    "vacuum",
    "reindex",
    "analyze",
    "truncate",
    "merge",
    "import",
    "install",
    "checkpoint",
    "upsert",
];
/// Pragmas that change a database file when they are set.
const PRAGMAS: &[&str] = &[
    "journal_mode",
    "user_version",
    "application_id",
    "auto_vacuum",
    "page_size",
    "encoding",
    "schema_version",
    "writable_schema",
];

/// Reads SQL.
pub(super) fn read(text: &Arg, args: &[Arg], host: &Host) -> Found {
    let client = match host.head {
        "psql" => Client::Postgres,
        "mysql" | "mariadb" => Client::MySql,
        "duckdb" => Client::Duck,
        _ => Client::Sqlite,
    };
    let mut sql = Sql { client, marks: &text.dynamic, out: Out::default(), changes: false, attached: Vec::new() };
    if host.has(&["-f", "--file", "-init"]) {
        sql.out.open("runs a script");
    }
    for option in host.options.iter().filter(|option| option.name == "-cmd") {
        if let Some(value) = &option.value {
            sql.marks = &value.dynamic;
            sql.lines(&value.text);
        }
    }
    sql.marks = &text.dynamic;
    if blank(text) {
        sql.changes = true;
        sql.out.open("code from a variable");
    }
    sql.lines(&text.text);
    if matches!(client, Client::Sqlite | Client::Duck) {
        for more in args {
            sql.marks = &more.dynamic;
            sql.lines(&more.text);
        }
    }
    let op = if sql.changes && !host.has(&["-readonly"]) { Op::Write } else { Op::Read };
    for file in std::mem::take(&mut sql.attached) {
        sql.out.touch(&[file], op);
    }
    // duckdb makes the file even if it only reads it.
    sql.out.found.writes_base = !host.has(&["-readonly"]) && (sql.changes || client == Client::Duck);
    sql.out.found
}

/// One word of SQL.
enum Word<'t> {
    /// A name or keyword.
    Name(&'t str),
    /// A string in single quotes.
    Text(String),
    /// A name in other quotes.
    Quoted(String),
    /// Anything else.
    Sign(u8),
}

struct Sql<'t> {
    client: Client,
    marks: &'t [Dynamic],
    out: Out,
    changes: bool,
    attached: Vec<Arg>,
}

impl Sql<'_> {
    fn lines(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            rest = rest.trim_start_matches([' ', '\t', '\n', '\r', ';']);
            let command = match self.client {
                Client::Sqlite | Client::Duck => rest.starts_with('.') || rest.starts_with('#'),
                Client::Postgres => rest.starts_with('\\'),
                Client::MySql => {
                    rest.starts_with("\\!")
                        || rest.starts_with("\\.")
                        || rest.starts_with("\\T")
                        || ["source", "system", "tee", "pager"].contains(&first(rest).to_ascii_lowercase().as_str())
                }
            };
            if command {
                let line = rest.split('\n').next().unwrap_or_default();
                rest = rest.get(line.len()..).unwrap_or_default();
                match self.client {
                    Client::Sqlite | Client::Duck => self.dot(line),
                    Client::Postgres => self.backslash(line),
                    Client::MySql => self.mysql(line),
                }
            } else {
                rest = self.statement(rest);
            }
        }
    }

    fn literal(&self, text: &str) -> Arg {
        literal(text.to_owned(), self.marks)
    }

    fn touch(&mut self, text: &str, op: Op) {
        let path = self.literal(text);
        self.out.touch(&[path], op);
    }

    fn run(&mut self, text: &str) {
        let line = self.literal(text.trim());
        self.out.text(&[line]);
    }

    /// A file, or a command after `|`.
    fn sink(&mut self, target: Option<&str>, rest: &str, op: Op) {
        match target {
            Some(target) if target.starts_with('|') => {
                let rest = rest.trim().trim_matches(['\'', '"']);
                self.run(rest.trim_start_matches('|'));
            }
            Some("stdout" | "off" | "stderr" | "on") | None => {}
            Some(target) => self.touch(target, op),
        }
    }

    /// A dot command of sqlite3 or duckdb.
    fn dot(&mut self, line: &str) {
        let words = words(line);
        let Some(name) = words.first() else { return };
        let rest = line.get(name.len()..).unwrap_or_default();
        let operands: Vec<&str> = words.iter().skip(1).map(String::as_str).filter(|w| !w.starts_with('-')).collect();
        let (one, last) = (operands.first().copied(), operands.last().copied());
        let bare = name.trim_start_matches('.');
        // Names can be cut short as long as they are clear.
        let is = |full: &str, least: usize| bare.len() >= least && full.starts_with(bare);
        if is("output", 1) || is("once", 3) {
            self.sink(one, rest, Op::Write);
        } else if is("read", 3) {
            if let Some(file) = one.filter(|file| !file.starts_with('|')) {
                self.touch(file, Op::Read);
                self.changes = true;
                self.out.open("runs a script");
            } else {
                self.changes = true;
                self.out.open("code from a command");
                self.sink(one, rest, Op::Read);
            }
        } else if is("import", 3) {
            self.changes = true;
            match one {
                Some(one) if one.starts_with('|') => self.run(one.trim_start_matches('|')),
                Some(one) => self.touch(one, Op::Read),
                None => {}
            }
        } else if is("backup", 2) || is("save", 3) || is("clone", 3) || is("log", 3) || is("trace", 3) {
            self.sink(last, rest, Op::Write);
        } else if is("restore", 3) {
            self.changes = true;
            self.sink(last, rest, Op::Read);
        } else if is("open", 2) {
            if let Some(file) = one {
                let file = self.literal(file);
                self.attached.push(file);
            }
        } else if is("shell", 2) || is("system", 2) {
            self.run(rest);
        } else if is("cd", 2) {
            if let Some(folder) = one {
                let folder = self.literal(folder);
                self.out.enter(folder);
            }
        } else if is("load", 2) {
            self.sink(one, rest, Op::Read);
            self.out.open("loads an extension");
        } else if is("excel", 1) && bare != "e" || is("www", 1) {
            self.out.open("opens another program");
        } else if bare == "archive" || bare == "ar" {
            self.changes = true;
            self.out.open("packs or unpacks an archive");
        }
    }

    /// A backslash command of psql.
    fn backslash(&mut self, line: &str) {
        let words = words(line);
        let Some(name) = words.first() else { return };
        let rest = line.get(name.len()..).unwrap_or_default();
        let one = words.get(1).map(String::as_str);
        match name.trim_start_matches('\\') {
            "!" => self.run(rest),
            name if name.starts_with('!') => {
                let command = line.trim_start_matches('\\').trim_start_matches('!');
                self.run(command);
            }
            "o" | "out" | "g" | "gx" | "w" | "write" | "s" => self.sink(one, rest, Op::Write),
            "i" | "ir" | "include" | "include_relative" => {
                self.sink(one, rest, Op::Read);
                self.out.open("runs a script");
            }
            "copy" => self.copy(&words, true),
            "cd" => {
                if let Some(folder) = one {
                    let folder = self.literal(folder);
                    self.out.enter(folder);
                }
            }
            "e" | "edit" | "ef" | "ev" => self.out.open("opens an editor"),
            "gexec" => self.out.open("runs its own results"),
            _ => {}
        }
    }

    /// `copy t from 'f'`, `copy (query) to program 'cmd'`; of the client, or on the server.
    fn copy(&mut self, words: &[String], client: bool) {
        let mut op = None;
        for (number, word) in words.iter().enumerate().rev() {
            let lower = word.to_ascii_lowercase();
            op = match lower.as_str() {
                "from" => Some(Op::Read),
                "to" => Some(Op::Write),
                _ => continue,
            };
            let next = words.get(number + 1).map_or("", String::as_str);
            if next.eq_ignore_ascii_case("program") {
                let command = words.get(number + 2).map_or("", String::as_str);
                if client {
                    self.run(command);
                } else {
                    self.out.open("runs a command on the server");
                }
            } else if !matches!(next.to_ascii_lowercase().as_str(), "stdin" | "stdout" | "pstdin" | "pstdout") && client
            {
                let path = glob(self.literal(next));
                self.out.touch(&[path], op.unwrap_or(Op::Read));
            } else if !client && !next.to_ascii_lowercase().starts_with("std") {
                self.out.open("touches a file on the server");
            }
            break;
        }
        if op == Some(Op::Read) {
            self.changes = true;
        }
    }

    /// A command of the mysql client.
    fn mysql(&mut self, line: &str) {
        let words = words(line.trim_end_matches(';'));
        let Some(name) = words.first() else { return };
        let rest = line.get(name.len()..).unwrap_or_default();
        let rest = rest.trim().trim_end_matches(';');
        let one = words.get(1).map(String::as_str);
        match name.to_ascii_lowercase().as_str() {
            "source" | "\\." => {
                self.sink(one, rest, Op::Read);
                self.out.open("runs a script");
            }
            "tee" => self.sink(one, rest, Op::Write),
            "\\t" if name == "\\T" => self.sink(one, rest, Op::Write),
            "system" | "\\!" | "pager" => self.run(rest),
            _ if name.starts_with("\\!") => self.run(line.trim_start_matches("\\!")),
            _ => {}
        }
    }

    /// One statement; returns what follows.
    fn statement<'s>(&mut self, text: &'s str) -> &'s str {
        let mut rest = text;
        let mut kept: Vec<Word<'s>> = Vec::new();
        let mut first = String::new();
        let mut depth = 0_usize;
        let mut program = false;
        while let Some(word) = next(&mut rest) {
            match &word {
                // The body of a trigger has statements of its own.
                Word::Sign(b';') if !program => break,
                Word::Sign(b';') => {}
                Word::Sign(b'(') => depth += 1,
                Word::Sign(b')') => depth = depth.saturating_sub(1),
                // psql: `select 1 \g file`
                Word::Sign(b'\\') if self.client == Client::Postgres => {
                    let line = rest.split('\n').next().unwrap_or_default();
                    rest = rest.get(line.len()..).unwrap_or_default();
                    self.backslash(&format!("\\{line}"));
                    break;
                }
                Word::Name(name) if depth == 0 => {
                    if first.is_empty() {
                        first = name.to_ascii_lowercase();
                    } else if first == "create" && name.eq_ignore_ascii_case("trigger") {
                        program = true;
                    } else if program && name.eq_ignore_ascii_case("end") {
                        program = false;
                    }
                    // `replace(…)` is a function.
                    let call = rest.starts_with('(');
                    if first == "with" && !call && CHANGES.iter().any(|change| name.eq_ignore_ascii_case(change)) {
                        self.changes = true;
                    }
                }
                _ => {}
            }
            kept.push(word);
        }
        self.does(&first, &kept);
        rest
    }

    fn does(&mut self, first: &str, words: &[Word<'_>]) {
        let name = |at: usize| match words.get(at) {
            Some(Word::Name(name)) => name.to_ascii_lowercase(),
            _ => String::new(),
        };
        let string = |at: usize| match words.get(at) {
            Some(Word::Text(text) | Word::Quoted(text)) => Some(text.clone()),
            Some(Word::Name(text)) => Some((*text).to_owned()),
            _ => None,
        };
        let local = matches!(self.client, Client::Sqlite | Client::Duck);
        let set = words.iter().any(|word| matches!(word, Word::Sign(b'=')));
        match first {
            "vacuum" if words.iter().any(|word| matches!(word, Word::Name(name) if name.eq_ignore_ascii_case("into"))) => {
                let into = words.iter().position(|word| matches!(word, Word::Name(n) if n.eq_ignore_ascii_case("into")));
                if let Some(file) = into.and_then(|at| string(at + 1)).filter(|_| local) {
                    self.touch(&file, Op::Write);
                }
            }
            "attach" if local => {
                let at = if name(1) == "database" { 2 } else { 1 };
                let at = if name(at) == "if" { at + 3 } else { at };
                if let Some(file) = string(at).filter(|file| file != ":memory:") {
                    let file = self.literal(&file);
                    self.attached.push(file);
                }
            }
            "copy" => {
                let words: Vec<String> = words
                    .iter()
                    .map(|word| match word {
                        Word::Name(name) => (*name).to_owned(),
                        Word::Text(text) | Word::Quoted(text) => text.clone(),
                        Word::Sign(sign) => char::from(*sign).to_string(),
                    })
                    .collect();
                self.copy(&words, self.client == Client::Duck);
            }
            "export" | "import" if self.client == Client::Duck => {
                let op = if first == "export" { Op::Write } else { Op::Read };
                self.changes |= first == "import";
                if let Some(folder) = string(2) {
                    self.touch(&folder, op);
                }
            }
            "load" if self.client == Client::Duck => self.out.open("loads an extension"),
            "load" if self.client == Client::MySql && words.iter().any(|w| matches!(w, Word::Name(n) if n.eq_ignore_ascii_case("local"))) => {
                let file = words.iter().position(|word| matches!(word, Word::Name(n) if n.eq_ignore_ascii_case("infile")));
                if let Some(file) = file.and_then(|at| string(at + 1)) {
                    self.touch(&file, Op::Read);
                }
            }
            "pragma" => self.changes |= set && PRAGMAS.contains(&name(1).as_str()) || name(1) == "wal_checkpoint",
            "select"
                if self.client == Client::MySql
                    && words.iter().any(|word| {
                        matches!(word, Word::Name(name) if ["outfile", "dumpfile"].iter().any(|key| name.eq_ignore_ascii_case(key)))
                    }) =>
            {
                self.out.open("touches a file on the server");
            }
            _ => self.changes |= CHANGES.contains(&first),
        }
        self.functions(words);
    }

    /// Functions and table names that are files.
    fn functions(&mut self, words: &[Word<'_>]) {
        for (at, word) in words.iter().enumerate() {
            let Word::Name(name) = word else { continue };
            let (call, text) = match (words.get(at + 1), words.get(at + 2)) {
                (Some(Word::Sign(b'(')), Some(Word::Text(text))) => (true, Some(text)),
                (Some(Word::Sign(b'(')), _) => (true, None),
                (Some(Word::Text(text)), _) => (false, Some(text)),
                _ => continue,
            };
            let lower = name.to_ascii_lowercase();
            let op = match (self.client, lower.as_str(), call) {
                (Client::Sqlite, "writefile", true) => Op::Write,
                (Client::Sqlite, "readfile" | "zipfile", true) => Op::Read,
                (Client::Sqlite, "fsdir" | "lsdir", true) => Op::List,
                (Client::Sqlite, "edit", true) => {
                    self.out.open("opens an editor");
                    continue;
                }
                (Client::Sqlite, "load_extension", true) => {
                    self.out.open("loads an extension");
                    Op::Read
                }
                (Client::Duck, name, true) if name.starts_with("read_") || name.ends_with("_scan") => Op::Read,
                (Client::Duck, "glob", true) => Op::List,
                (Client::Duck, "from" | "join", false) => Op::Read,
                (Client::Postgres, "lo_export" | "pg_read_file", true) => continue,
                _ => continue,
            };
            let path = match text {
                Some(text) => glob(self.literal(text)),
                None => super::value::unknown(),
            };
            self.out.touch(&[path], op);
        }
    }
}

fn first(line: &str) -> &str {
    line.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default()
}

/// The words of a command line of a client; quotes are taken off.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut chars = line.trim().chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\r' => {}
            '\'' | '"' => {
                let mut word = String::new();
                while let Some(inner) = chars.next() {
                    if inner == c && chars.next_if_eq(&c).is_none() {
                        break;
                    }
                    word.push(inner);
                }
                words.push(word);
            }
            _ => {
                let mut word = String::from(c);
                while let Some(more) = chars.next_if(|c| !matches!(c, ' ' | '\t' | '\r' | ';')) {
                    word.push(more);
                }
                words.push(word);
            }
        }
    }
    words
}

/// The next word; comments are skipped.
fn next<'t>(rest: &mut &'t str) -> Option<Word<'t>> {
    loop {
        *rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix("--") {
            *rest = after.split_once('\n').map_or("", |(_, after)| after);
        } else if let Some(after) = rest.strip_prefix("/*") {
            *rest = after.split_once("*/").map_or("", |(_, after)| after);
        } else {
            break;
        }
    }
    let text = *rest;
    let byte = text.bytes().next()?;
    let end = match byte {
        b'\'' => return Some(Word::Text(quoted(rest, '\''))),
        b'"' => return Some(Word::Quoted(quoted(rest, '"'))),
        b'`' => return Some(Word::Quoted(quoted(rest, '`'))),
        b'[' => match text.bytes().take(MOST_NAME).position(|byte| byte == b']') {
            Some(end) => {
                *rest = text.get(end + 1..).unwrap_or_default();
                return Some(Word::Quoted(text.get(1..end).unwrap_or_default().to_owned()));
            }
            None => 1,
        },
        b'$' => match text.get(1..).and_then(|inner| inner.split_once('$')) {
            // `$tag$ … $tag$`
            Some((tag, body)) if tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') => {
                let end = format!("${tag}$");
                let (inner, after) = body.split_once(end.as_str()).unwrap_or((body, ""));
                *rest = after;
                return Some(Word::Text(inner.to_owned()));
            }
            _ => 1,
        },
        _ => {
            let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '«' | '»');
            text.find(|c| !word(c)).unwrap_or(text.len())
        }
    };
    if end > 0 && !matches!(byte, b'[' | b'$') {
        *rest = text.get(end..).unwrap_or_default();
        return Some(Word::Name(text.get(..end).unwrap_or_default()));
    }
    let width = text.chars().next().map_or(1, char::len_utf8);
    *rest = text.get(width..).unwrap_or_default();
    Some(Word::Sign(byte))
}

/// A text in quotes, a doubled quote standing for one.
fn quoted(rest: &mut &str, quote: char) -> String {
    let text = rest.get(1..).unwrap_or_default();
    let mut found = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == quote && chars.next_if(|(_, next)| *next == quote).is_none() {
            *rest = text.get(at + 1..).unwrap_or_default();
            return found;
        }
        found.push(c);
    }
    *rest = "";
    found
}
