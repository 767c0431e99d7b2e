//! Tools that a session has, as a host or a person's catalogue tells them.

use crate::envelope::Blank;
use crate::record;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::HashSet;

/// Longest description that is kept, in characters (seed 001, section 4).
const LONGEST: usize = 120;
/// Most tools that are kept.
const MOST: usize = 256;

record! {
    /// A tool.

    pub struct Tool {
        /// The host's name of it.
        name: String,
        /// First sentence of its description, at most 120 characters.
        about: String,
        /// Its key parameter: the first property of its schema.
        key: String,
    }
}
impl Blank for Tool {}

/// Reads a catalogue: a list of tools, or an object that holds one as `tools`. A tool is its name,
/// or an object with `name`, `description` and a schema (`input_schema`, `inputSchema`, `parameters`).
///
/// # Errors
/// In one line, why it is none.
pub fn read(json: &str) -> Result<Vec<Tool>, String> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Shape {
        List(Vec<Given>),
        Object { tools: Vec<Given> },
    }
    let (Shape::List(given) | Shape::Object { tools: given }) = serde_json::from_str(json)
        .map_err(|error| if error.is_data() { "it is no list of tools".to_owned() } else { error.to_string() })?;
    let mut seen = HashSet::new();
    let tools = given.into_iter().map(Given::tool).filter(|tool| !tool.name.is_empty());
    Ok(tools.filter(|tool| seen.insert(tool.name.clone())).take(MOST).collect())
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Given {
    Name(String),
    Tool {
        name: String,
        #[serde(default)]
        description: String,
        #[serde(default, alias = "inputSchema", alias = "parameters")]
        input_schema: Schema,
    },
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Schema {
    #[serde(deserialize_with = "first_key")]
    properties: String,
}

impl Given {
    fn tool(self) -> Tool {
        match self {
            Self::Name(name) => Tool { name, ..Tool::default() },
            Self::Tool { name, description, input_schema } => {
                Tool { name, about: sentence(&description), key: input_schema.properties, ..Tool::default() }
            }
        }
    }
}

/// The first key of an object, as it stands in the text.
fn first_key<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    struct Keys;
    impl<'de> Visitor<'de> for Keys {
        type Value = String;
        fn expecting(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
            out.write_str("an object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<String, A::Error> {
            let first = map.next_key()?.unwrap_or_default();
            map.next_value::<IgnoredAny>().ok();
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(first)
        }
    }
    from.deserialize_map(Keys)
}

/// The first sentence of a description. What stands in parentheses ends none, nor does an
/// abbreviation; a longer one is cut at a word.
pub fn sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (mut depth, mut end) = (0_usize, text.len());
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '.' | '!' | '?' if depth == 0 && ends(&text, at) => {
                end = at + 1;
                break;
            }
            _ => {}
        }
    }
    let first = text.get(..end).unwrap_or(&text);
    if first.chars().count() <= LONGEST {
        return first.to_owned();
    }
    let cut: String = first.chars().take(LONGEST - 1).collect();
    let whole = cut.rsplit_once(' ').map_or(cut.as_str(), |(before, _)| before);
    format!("{}…", whole.trim_end_matches([',', ';', ':']))
}

/// Words before a full stop that end no sentence.
const SHORT: [&str; 8] = ["e.g", "i.e", "etc", "vs", "cf", "incl", "approx", "resp"];

fn ends(text: &str, at: usize) -> bool {
    let after = text.get(at + 1..).unwrap_or_default();
    let word = text.get(..at).unwrap_or_default();
    let word = word.rsplit([' ', '(', ',']).next().unwrap_or_default().to_lowercase();
    (after.is_empty() || after.starts_with(' ')) && !SHORT.contains(&word.as_str()) && word.chars().count() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_catalogue_is_read_in_every_shape() {
        let expected = |name: &str, about: &str, key: &str| Tool {
            name: name.into(),
            about: about.into(),
            key: key.into(),
            ..Tool::default()
        };
        let json = r#"{"tools": ["Bash", {"name": "Read", "description": "Reads a file. More.", "input_schema":
            {"type": "object", "properties": {"file_path": {"type": "string"}, "a": {}}}}, {"name": "Bash"}, ""]}"#;
        assert_eq!(read(json), Ok(vec![expected("Bash", "", ""), expected("Read", "Reads a file.", "file_path")]));
        let json = r#"[{"name": "grep", "parameters": {"properties": {"q": 1}}}, {"name": "x", "inputSchema": {}}]"#;
        assert_eq!(read(json), Ok(vec![expected("grep", "", "q"), expected("x", "", "")]));
        assert_eq!(read("[1]"), Err("it is no list of tools".to_owned()));
        assert!(read("[").is_err() && read("{}").is_err() && read("null").is_err());
    }

    #[test]
    fn the_first_sentence_is_short_and_whole() {
        for (text, expected) in [
            ("Reads a file from disk. It may be large.", "Reads a file from disk."),
            ("Runs it (see v1.2. for more) at once. Then", "Runs it (see v1.2. for more) at once."),
            ("Takes a glob, e.g. `*.rs`, and lists. More", "Takes a glob, e.g. `*.rs`, and lists."),
            ("Reads file.txt only", "Reads file.txt only"),
            ("Fast?\nVery.", "Fast?"),
            ("", ""),
        ] {
            assert_eq!(sentence(text), expected);
        }
        let long = sentence(&"many words ".repeat(20));
        assert!(long.chars().count() <= 120 && long.ends_with('…'), "{long}");
        assert!(sentence(&"é".repeat(300)).chars().count() <= 120);
    }
}
