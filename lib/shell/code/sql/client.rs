//! Commands of the clients: the dot of sqlite3, the backslash of psql, the words of mysql.

use super::super::value::glob;
use super::Sql;
use super::words::words;
use crate::call::Op;

impl Sql {
    /// A dot command of sqlite3 or duckdb.
    pub(super) fn dot(&mut self, line: &str) {
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
            // `--skip 1`: its value is no file.
            let skip = words.iter().position(|word| matches!(word.as_str(), "-skip" | "--skip"));
            let skipped = skip.and_then(|at| words.get(at + 1)).map(String::as_str);
            let one = operands.iter().copied().find(|word| Some(*word) != skipped);
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
    pub(super) fn backslash(&mut self, line: &str) {
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
    pub(super) fn copy(&mut self, words: &[String], client: bool) {
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
    pub(super) fn mysql(&mut self, line: &str) {
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
}
