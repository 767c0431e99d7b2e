//! Reading `[[test]]` rows, with the place of everything that is wrong.

use super::{Expect, Given, Row};
use crate::call::canonical_tool;
use crate::envelope::Verdict;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

/// What is wrong with the rows of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub text: String,
    /// The way on.
    pub hint: String,
}

/// How often a call may be repeated.
const MOST_TIMES: u32 = 256;
/// How deep a given table may be nested.
const DEPTH: usize = 32;

const ROW: &[&str] = &["name", "given", "expect", "set"];
pub(super) const GIVEN: &[&str] = &[
    "tool",
    "command",
    "path",
    "input",
    "event",
    "cwd",
    "mode",
    "unattended",
    "ok",
    "output",
    "prompt",
    "agent",
    "times",
    "payload",
];
pub(super) const EXPECT: &[&str] = &["say", "rule", "reason", "note", "finding", "not_finding"];

/// The events that a call can be given as, and their names on the wire.
pub(super) const EVENTS: &[(&str, &str)] = &[
    ("pre_tool", "PreToolUse"),
    ("post_tool", "PostToolUse"),
    ("permission", "PermissionRequest"),
    ("prompt", "UserPromptSubmit"),
    ("session_start", "SessionStart"),
    ("session_end", "SessionEnd"),
    ("stop", "Stop"),
    ("subagent_start", "SubagentStart"),
    ("subagent_stop", "SubagentStop"),
    ("pre_compact", "PreCompact"),
];

type Found<'t, 'i> = (&'t str, &'t Spanned<DeValue<'i>>);

/// The `[[test]]` rows of a TOML text, and what is wrong with others of them. A text that is no TOML
/// has one problem and no rows.
pub fn read(text: &str) -> (Vec<Row>, Vec<Problem>) {
    let reader = Reader { text };
    let table = match DeTable::parse(text) {
        Ok(table) => table,
        Err(error) => {
            let message: Vec<&str> = error.message().lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            let at = error.span().map_or(0, |span| span.start);
            let said = format!("not readable as TOML: {}", message.join(", "));
            return (Vec::new(), vec![reader.problem(at, said, "mend the file; none of its tests ran")]);
        }
    };
    let Some(tests) = table.get_ref().get("test") else { return (Vec::new(), Vec::new()) };
    let DeValue::Array(array) = tests.get_ref() else {
        let problem = reader.problem(tests.span().start, "`test` wants rows".into(), "write `[[test]]` above each");
        return (Vec::new(), vec![problem]);
    };
    let (mut rows, mut problems) = (Vec::new(), Vec::new());
    for (at, item) in array.iter().enumerate() {
        match reader.row(at + 1, item) {
            Ok(row) => rows.push(row),
            Err(problem) => problems.push(problem),
        }
    }
    (rows, problems)
}

/// Whether a TOML text is a pipeline file: it names stages.
pub fn is_pipeline(text: &str) -> bool {
    DeTable::parse(text).is_ok_and(|table| table.get_ref().contains_key("stage"))
}

struct Reader<'t> {
    text: &'t str,
}

impl Reader<'_> {
    fn problem(&self, at: usize, text: String, hint: &str) -> Problem {
        let before = self.text.get(..at).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        Problem {
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
            text,
            hint: hint.to_owned(),
        }
    }

    fn row(&self, number: usize, item: &Spanned<DeValue>) -> Result<Row, Problem> {
        let at = item.span().start;
        let fields = self.fields(item, "a test", ROW)?;
        let name = match find(&fields, "name") {
            Some(value) => self.text_of("name", value)?.to_owned(),
            None => format!("test {number}"),
        };
        let line = self.problem(at, String::new(), "").line;
        let given = match find(&fields, "given") {
            None => {
                return Err(self.problem(
                    at,
                    format!("`{name}` has no `given`"),
                    "say what is called: `given = { command = \"git push --force\" }`",
                ));
            }
            Some(value) => match value.get_ref() {
                DeValue::Array(calls) if !calls.is_empty() => {
                    calls.iter().map(|call| self.given(call)).collect::<Result<Vec<_>, _>>()?
                }
                _ => vec![self.given(value)?],
            },
        };
        let Some(expect) = find(&fields, "expect") else {
            return Err(self.problem(
                at,
                format!("`{name}` has no `expect`"),
                "say what must come out: `expect = { say = \"deny\" }`",
            ));
        };
        Ok(Row { name, line, given, expect: self.expect(expect)?, set: self.list(&fields, "set")? })
    }

    fn given(&self, value: &Spanned<DeValue>) -> Result<Given, Problem> {
        let fields = self.fields(value, "`given`", GIVEN)?;
        let mode = self.optional(&fields, "mode")?;
        let times = match find(&fields, "times") {
            None => 1,
            Some(value) => {
                let number = value
                    .get_ref()
                    .as_integer()
                    .and_then(|number| u32::from_str_radix(number.as_str(), number.radix()).ok());
                number
                    .filter(|times| (1..=MOST_TIMES).contains(times))
                    .ok_or_else(|| self.wrong("times", value, &format!("a whole number from 1 to {MOST_TIMES}")))?
            }
        };
        if let Some(value) = find(&fields, "payload") {
            let beside = fields.iter().find(|(key, _)| !matches!(*key, "payload" | "mode" | "times"));
            if let Some((key, value)) = beside {
                let text = format!("`{key}` beside `payload` would be ignored");
                return Err(self.problem(value.span().start, text, "put it into the payload"));
            }
            let Value::Object(payload) = self.json(value, 0)? else {
                return Err(self.wrong("payload", value, "a table"));
            };
            return Ok(Given { payload, mode, times });
        }
        Ok(Given { payload: self.payload(value, &fields)?, mode, times })
    }

    /// The payload of a call in the form of Claude Code.
    fn payload(&self, value: &Spanned<DeValue>, fields: &[Found]) -> Result<Map<String, Value>, Problem> {
        let command = self.optional(fields, "command")?;
        let path = self.optional(fields, "path")?;
        let prompt = self.optional(fields, "prompt")?;
        let event = match find(fields, "event") {
            None if prompt.is_some() => "prompt",
            None => "pre_tool",
            Some(value) => self.text_of("event", value)?,
        };
        let Some((_, host_event)) = EVENTS.iter().find(|(name, _)| *name == event) else {
            let near = crate::text::nearest(event, EVENTS.iter().map(|(name, _)| *name));
            let at = find(fields, "event").map_or(0, |value| value.span().start);
            return Err(self.problem(at, format!("there is no event `{event}`"), &format!("did you mean `{near}`?")));
        };
        let about_tool = matches!(event, "pre_tool" | "post_tool" | "permission");
        let tool = match (self.optional(fields, "tool")?, &command) {
            (Some(tool), _) => tool,
            (None, Some(_)) => "Bash".to_owned(),
            (None, None) if !about_tool => String::new(),
            (None, None) => {
                return Err(self.problem(
                    value.span().start,
                    "`given` names no call".into(),
                    "give it a `command`, or a `tool` with a `path` or an `input`",
                ));
            }
        };
        let mut input = match find(fields, "input") {
            None => Map::new(),
            Some(value) => match self.json(value, 0)? {
                Value::Object(input) => input,
                _ => return Err(self.wrong("input", value, "a table")),
            },
        };
        input.extend(command.map(|command| ("command".to_owned(), Value::String(command))));
        input.extend(path.map(|path| (path_key(&tool).to_owned(), Value::String(path))));
        let ok = self.flag(fields, "ok")?.unwrap_or(true);
        let output = self.optional(fields, "output")?.unwrap_or_default();
        let mut payload = Map::new();
        let mut put = |key: &str, value: Value| payload.insert(key.to_owned(), value);
        put("hook_event_name", json!(if event == "post_tool" && !ok { "PostToolUseFailure" } else { host_event }));
        if about_tool {
            put("tool_name", json!(tool));
            put("tool_input", Value::Object(input));
        }
        match (event, ok) {
            ("post_tool", true) => {
                put("tool_response", json!({"stdout": output, "stderr": "", "interrupted": false, "isImage": false}))
            }
            ("post_tool", false) => put("error", json!(output)),
            ("prompt", _) => put("prompt", json!(prompt.unwrap_or_default())),
            ("session_start", _) => put("source", json!("startup")),
            _ => None,
        };
        if self.flag(fields, "unattended")?.unwrap_or(false) {
            put("permission_mode", json!("bypassPermissions"));
        }
        for (key, wire) in [("cwd", "cwd"), ("agent", "agent_id")] {
            if let Some(text) = self.optional(fields, key)? {
                put(wire, json!(text));
            }
        }
        Ok(payload)
    }

    fn expect(&self, value: &Spanned<DeValue>) -> Result<Expect, Problem> {
        let fields = self.fields(value, "`expect`", EXPECT)?;
        if fields.is_empty() {
            return Err(self.problem(
                value.span().start,
                "`expect` expects nothing".into(),
                "name at least one of say, rule, reason, note, finding, not_finding",
            ));
        }
        let say = match find(&fields, "say") {
            None => None,
            Some(value) => Some(match self.text_of("say", value)? {
                "none" | "abstain" => Verdict::None,
                "approve" => Verdict::Approve,
                "ask" => Verdict::Ask,
                "deny" => Verdict::Deny,
                _ => return Err(self.wrong("say", value, "`none`, `approve`, `ask` or `deny`")),
            }),
        };
        Ok(Expect {
            say,
            rule: self.optional(&fields, "rule")?,
            reason: self.optional(&fields, "reason")?,
            note: self.optional(&fields, "note")?,
            finding: self.list(&fields, "finding")?,
            not_finding: self.list(&fields, "not_finding")?,
        })
    }

    /// The fields of a table, all of them known.
    fn fields<'v, 'i>(
        &self,
        value: &'v Spanned<DeValue<'i>>,
        what: &str,
        known: &[&str],
    ) -> Result<Vec<Found<'v, 'i>>, Problem> {
        let DeValue::Table(table) = value.get_ref() else {
            return Err(self.problem(
                value.span().start,
                format!("{what} wants a table"),
                "write `{ key = \"value\" }`",
            ));
        };
        for (key, _) in table.iter() {
            if !known.contains(&key.get_ref().as_ref()) {
                let near = crate::text::nearest(key.get_ref(), known.iter().copied());
                let text = format!("{what} has no key `{}`", key.get_ref());
                return Err(self.problem(
                    key.span().start,
                    text,
                    &format!("did you mean `{near}`? (known: {})", known.join(", ")),
                ));
            }
        }
        Ok(table.iter().map(|(key, value)| (key.get_ref().as_ref(), value)).collect())
    }

    fn optional(&self, fields: &[Found], key: &str) -> Result<Option<String>, Problem> {
        find(fields, key).map(|value| self.text_of(key, value).map(str::to_owned)).transpose()
    }

    fn flag(&self, fields: &[Found], key: &str) -> Result<Option<bool>, Problem> {
        let flag = |value: &Spanned<DeValue>| {
            value.get_ref().as_bool().ok_or_else(|| self.wrong(key, value, "`true` or `false`"))
        };
        find(fields, key).map(flag).transpose()
    }

    /// A text or a list of texts.
    fn list(&self, fields: &[Found], key: &str) -> Result<Vec<String>, Problem> {
        match find(fields, key) {
            None => Ok(Vec::new()),
            Some(value) => match value.get_ref() {
                DeValue::Array(items) => items.iter().map(|item| self.text_of(key, item).map(str::to_owned)).collect(),
                _ => Ok(vec![self.text_of(key, value)?.to_owned()]),
            },
        }
    }

    fn text_of<'v>(&self, key: &str, value: &'v Spanned<DeValue>) -> Result<&'v str, Problem> {
        value.get_ref().as_str().ok_or_else(|| self.wrong(key, value, "a text in quotes"))
    }

    fn wrong(&self, key: &str, value: &Spanned<DeValue>, wanted: &str) -> Problem {
        self.problem(value.span().start, format!("`{key}` wants {wanted}"), "see `kz help tests`")
    }

    /// A TOML value as JSON.
    fn json(&self, value: &Spanned<DeValue>, depth: usize) -> Result<Value, Problem> {
        let no = |what: &str| {
            self.problem(value.span().start, format!("{what} cannot stand in a payload"), "see `kz help tests`")
        };
        if depth > DEPTH {
            return Err(no("a value nested so deep"));
        }
        Ok(match value.get_ref() {
            DeValue::String(text) => Value::String(Cow::clone(text).into_owned()),
            DeValue::Boolean(flag) => Value::Bool(*flag),
            DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => json!(number),
                Err(_) => return Err(no("so large a number")),
            },
            DeValue::Float(number) => match number.as_str().parse::<f64>() {
                Ok(number) if number.is_finite() => json!(number),
                _ => return Err(no("that number")),
            },
            DeValue::Datetime(_) => return Err(no("a date")),
            DeValue::Array(items) => self.items(items, depth)?,
            DeValue::Table(table) => {
                let rows =
                    table.iter().map(|(key, value)| Ok((key.get_ref().to_string(), self.json(value, depth + 1)?)));
                Value::Object(rows.collect::<Result<_, Problem>>()?)
            }
        })
    }

    fn items(&self, items: &DeArray, depth: usize) -> Result<Value, Problem> {
        items.iter().map(|item| self.json(item, depth + 1)).collect::<Result<_, _>>().map(Value::Array)
    }
}

fn find<'v, 'i>(fields: &[Found<'v, 'i>], key: &str) -> Option<&'v Spanned<DeValue<'i>>> {
    fields.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
}

/// The key under which a tool takes its path.
fn path_key(tool: &str) -> &'static str {
    match canonical_tool(tool) {
        "grep" | "glob" | "ls" => "path",
        "notebook_edit" => "notebook_path",
        _ => "file_path",
    }
}
