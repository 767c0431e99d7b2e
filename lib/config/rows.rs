//! Rows of `ladder.pattern_table`: what a person adds to the offenses that kz knows.

use super::Row;
use super::keys::{Key, Value, choice, quoted};
use super::layer::{Problem, described, shown, wrong};
use crate::rules::{self, pattern};
use serde_json::{Value as Json, json};
use toml::Spanned;
use toml::de::DeValue;

/// Classes of offenses, strictest first.
pub const CLASSES: [&str; 5] = ["write", "read", "search", "discovery", "control"];

/// Tools that do something better than a terminal, by their canonical keys.
pub const TOOLS: [&str; 6] = ["edit", "write", "read", "grep", "glob", "task"];

const KEYS: [&str; 4] = ["id", "pattern", "class", "tool"];

impl Row {
    /// The row as an inline table.
    pub fn toml(&self) -> String {
        let pairs = [("id", &self.id), ("pattern", &self.pattern), ("class", &self.class), ("tool", &self.tool)];
        let pairs: Vec<_> = pairs.iter().map(|(key, text)| format!("{key} = {}", quoted(text))).collect();
        format!("{{ {} }}", pairs.join(", "))
    }

    /// The row as JSON.
    pub fn json(&self) -> Json {
        json!({"id": self.id, "pattern": self.pattern, "class": self.class, "tool": self.tool})
    }
}

/// What a row looks like, for the schema.
pub(super) fn schema() -> Json {
    let text = json!({"type": "string", "minLength": 1});
    json!({
        "type": "object",
        "properties": {"id": text, "pattern": text, "class": {"enum": CLASSES}, "tool": {"enum": TOOLS}},
        "required": ["pattern", "class", "tool"],
        "additionalProperties": false,
    })
}

/// Checks all rows. One that is wrong makes the whole table wrong: half a table is not what was written.
pub(super) fn check(key: &'static Key, items: &[Spanned<DeValue<'_>>]) -> Result<Value, Problem> {
    let mut rows: Vec<Row> = Vec::with_capacity(items.len());
    for item in items {
        let row = row(key, item.get_ref()).and_then(|row| match twin(&row, &rows) {
            Some(fault) => Err(wrong(key, "", &fault)),
            None => Ok(row),
        });
        rows.push(row.map_err(|problem| Problem { at: problem.at.or(Some(item.span().start)), ..problem })?);
    }
    Ok(Value::Rows(rows))
}

fn row(key: &'static Key, value: &DeValue<'_>) -> Result<Row, Problem> {
    let DeValue::Table(table) = value else {
        return Err(wrong(key, "", &format!("not one with {}", described(value))));
    };
    let mut row = Row::default();
    for (name, value) in table {
        let given: &str = name.get_ref();
        let at = |problem| Problem { at: Some(name.span().start), ..problem };
        let slot = match given {
            "id" => &mut row.id,
            "pattern" => &mut row.pattern,
            "class" => &mut row.class,
            "tool" => &mut row.tool,
            _ => {
                let text = format!("`{}` has no `{}` in a row", key.name, shown(given));
                return Err(at(Problem::new(text, format!("there are {}", choice(&KEYS)))));
            }
        };
        match value.get_ref() {
            DeValue::String(text) if !text.is_empty() => (*slot).clone_from(&text.clone().into_owned()),
            DeValue::String(_) => return Err(at(wrong(key, "", &format!("not one with an empty `{given}`")))),
            other => return Err(at(wrong(key, "", &format!("not one whose `{given}` is {}", described(other))))),
        }
    }
    fault(&row).map_or(Ok(()), |fault| Err(wrong(key, "", &fault)))?;
    if row.id.is_empty() {
        row.id.clone_from(&row.pattern);
    }
    Ok(row)
}

fn fault(row: &Row) -> Option<String> {
    if row.pattern.is_empty() {
        return Some("not one without a `pattern`".to_owned());
    }
    if let Some(fault) = pattern::fault(&row.pattern) {
        return Some(format!("and `{}` is no regular expression: {fault}", shown(&row.pattern)));
    }
    if !CLASSES.contains(&row.class.as_str()) {
        return Some(format!("and `class` of `{}` is one of {}", shown(&row.pattern), choice(&CLASSES)));
    }
    if !TOOLS.contains(&row.tool.as_str()) {
        return Some(format!("and `tool` of `{}` is one of {}", shown(&row.pattern), choice(&TOOLS)));
    }
    None
}

/// What the row says a second time.
fn twin(row: &Row, before: &[Row]) -> Option<String> {
    if rules::find(&row.id).is_some() {
        return Some(format!("and `{}` is a rule of kz already", shown(&row.id)));
    }
    let same = before.iter().any(|other| other.pattern == row.pattern || other.id == row.id);
    same.then(|| format!("and `{}` stands there twice", shown(&row.id)))
}
