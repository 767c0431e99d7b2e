//! SQL, with the dot commands of sqlite3, the backslash commands of psql and the commands of the
//! mysql client: which files beside the database they read and write, and whether they change it.

mod client;
mod statements;
mod words;

pub(crate) use statements::statements;

use super::super::dynamic::Dynamics;
use super::super::part::Arg;
use super::value::{Out, blank, glob, literal};
use super::{Found, Host};
use crate::call::Op;
use words::{Word, first, next};

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
    let mut sql = Sql { client, marks: text.dynamic, out: Out::default(), changes: false, attached: Vec::new() };
    if host.has(&["-f", "--file", "-init"]) {
        sql.out.open("runs a script");
    }
    for option in host.options.iter().filter(|option| option.name == "-cmd") {
        if let Some(value) = &option.value {
            sql.marks = value.dynamic;
            sql.lines(&value.text);
        }
    }
    sql.marks = text.dynamic;
    if blank(text) {
        sql.changes = true;
        sql.out.open("code from a variable");
    }
    sql.lines(&text.text);
    if matches!(client, Client::Sqlite | Client::Duck) {
        for more in args {
            sql.marks = more.dynamic;
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

struct Sql {
    client: Client,
    marks: Dynamics,
    out: Out,
    changes: bool,
    attached: Vec<Arg>,
}

impl Sql {
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
