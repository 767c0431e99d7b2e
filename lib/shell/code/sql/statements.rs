//! SQL as rules look at it: a line for each statement, without comments and without what strings say.

use super::words::{Word, next};

/// Most brackets inside of each other that are followed; beyond, they are signs like any other.
const DEPTH: usize = 64;
/// Verbs of statements that may stand in brackets and change something there.
const INNER: &[&str] = &["delete", "update", "merge"];

/// The statements of a text: lower-case words with single blanks between them, `''` for a string.
///
/// `DROP TABLE Users; -- all` is `drop table users`. What stands in brackets leaves `( )`; where that
/// changes something (`with gone as (delete …)`), it is a statement of its own behind the outer one. The
/// body of a trigger or procedure is no statement, that of `do $$ … $$` is. Linear in the text.
pub fn statements(text: &str) -> Vec<String> {
    let mut reader = Reader::default();
    reader.read(text);
    reader.found
}

#[derive(Default)]
struct Reader {
    found: Vec<String>,
    /// The statement and the brackets open in it, outermost first.
    open: Vec<String>,
    /// Brackets beyond [`DEPTH`].
    deeper: usize,
    /// Whether the words are the body of a trigger or procedure.
    body: bool,
    /// Whether this is a text inside of a text.
    inner: bool,
}

impl Reader {
    fn read(&mut self, text: &str) {
        let mut rest = text;
        loop {
            rest = rest.trim_start();
            // mysql runs what stands in such a comment.
            if let Some(after) = rest.strip_prefix("/*!") {
                rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
                continue;
            }
            if let Some(line) = rest.strip_prefix('#').filter(|_| !rest.starts_with("#>") && !rest.starts_with("#-")) {
                rest = line.split_once('\n').map_or("", |(_, after)| after);
                continue;
            }
            // Commands of the clients end with the line.
            if self.is_empty() && rest.starts_with(['\\', '.']) {
                rest = rest.split_once('\n').map_or("", |(_, after)| after);
                continue;
            }
            let Some(word) = next(&mut rest) else { break };
            match word {
                Word::Sign(b';') => self.end(),
                Word::Sign(b'(') if self.open.len() < DEPTH => self.open.push(String::new()),
                Word::Sign(b'(') => self.deeper += 1,
                Word::Sign(b')') if self.deeper > 0 => self.deeper -= 1,
                Word::Sign(b')') => self.close(),
                Word::Sign(sign) => self.push(char::from(sign).encode_utf8(&mut [0; 4])),
                // Batches of sqlcmd and isql.
                Word::Name(name)
                    if name.eq_ignore_ascii_case("go") && rest.trim_start_matches([' ', '\r']).starts_with('\n') =>
                {
                    self.end();
                }
                Word::Name(name) => self.name(name),
                Word::Quoted(name) => self.push(&name.to_lowercase()),
                Word::Text(text) => self.text(&text),
            }
        }
        self.body = false;
        self.end();
    }

    fn is_empty(&self) -> bool {
        self.open.iter().all(String::is_empty)
    }

    fn push(&mut self, word: &str) {
        if self.open.is_empty() {
            self.open.push(String::new());
        }
        if let Some(last) = self.open.last_mut() {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }

    fn name(&mut self, name: &str) {
        let name = name.to_lowercase();
        let statement = self.open.first().map_or("", String::as_str);
        if name == "begin" && statement.starts_with("create ") {
            self.body = true;
        } else if self.body && name == "end" {
            self.body = false;
        } else if statement == "begin" && !matches!(name.as_str(), "transaction" | "work" | "immediate" | "exclusive") {
            // A block, not a transaction: its first statement follows.
            self.open.clear();
        }
        self.push(&name);
    }

    /// A string; that of `do` is a program.
    fn text(&mut self, text: &str) {
        let runs = self.open.first().is_some_and(|statement| statement == "do" || statement.starts_with("do language"));
        if runs && !self.inner {
            let mut inner = Self { inner: true, ..Self::default() };
            inner.read(text);
            self.found.append(&mut inner.found);
        }
        self.push("''");
    }

    fn close(&mut self) {
        if self.open.len() < 2 {
            return;
        }
        let inner = self.open.pop().unwrap_or_default();
        if INNER.iter().any(|verb| inner.split(' ').next() == Some(verb)) {
            self.found.push(inner);
        }
        self.push("( )");
    }

    fn end(&mut self) {
        if self.body {
            return;
        }
        self.deeper = 0;
        while self.open.len() > 1 {
            self.close();
        }
        self.found.extend(self.open.pop().filter(|statement| !statement.is_empty()));
    }
}

#[cfg(test)]
mod tests {
    use super::statements;

    #[test]
    fn statements_are_told_apart() {
        for (text, expected) in [
            ("DROP  TABLE\n\"Users\";", "drop table users"),
            ("select 1; truncate a.b", "select 1|truncate a . b"),
            ("select 'drop table x'; -- drop table y\n/* ; drop table z */", "select ''"),
            ("drop/**/table x", "drop table x"),
            ("/*!50000 drop table x */", "drop table x * /"),
            ("delete from t # where a\n", "delete from t"),
            ("delete from t where id in (select id from u where a = 1)", "delete from t where id in ( )"),
            ("with d as (delete from t returning *) select 1", "delete from t returning *|with d as ( ) select 1"),
            (
                "create trigger x after insert on t begin delete from u; end; select 1",
                "create trigger x after insert on t begin delete from u end|select 1",
            ),
            (
                "create function f() returns void as $$ delete from t; $$ language sql",
                "create function f ( ) returns void as '' language sql",
            ),
            ("do $$ begin drop table x; end $$", "drop table x|end|do ''"),
            ("begin; delete from t; commit", "begin|delete from t|commit"),
            ("begin transaction; drop table t", "begin transaction|drop table t"),
            ("\\c prod\n.mode csv\ndrop table x", "drop table x"),
            ("use prod\nGO\ndrop database prod", "use prod|drop database prod"),
            ("select a #>> '{b}' from t", "select a # > > '' from t"),
            ("(((", "( )"),
            ("drop table 'open", "drop table ''"),
            ("", ""),
        ] {
            assert_eq!(statements(text).join("|"), expected, "{text}");
        }
    }

    #[test]
    fn any_nesting_is_read() {
        let deep = format!("{}delete from t{}; drop table x", "(".repeat(9000), ")".repeat(9000));
        assert_eq!(statements(&deep).last().map(String::as_str), Some("drop table x"));
    }
}
