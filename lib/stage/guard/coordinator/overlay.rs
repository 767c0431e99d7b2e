//! Overlays: files of exceptions that add allow patterns to the second tier, and may do nothing else.

use super::pattern;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where an overlay lies below a home or a root.
pub(super) const FILE: &str = ".claude/coordinator-overlay.json";

/// Most lines that one overlay brings.
const MOST_LINES: usize = 20;
/// Most patterns that one overlay brings.
const MOST_PATTERNS: usize = 256;

/// What an overlay adds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Overlay {
    /// Patterns of commands for Bash.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bash: Vec<String>,
    /// Patterns of paths for Read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
    /// Patterns of paths for Write.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<String>,
}

/// Reads the text of an overlay. The second list says what of it is ignored, a line each.
pub(super) fn read(text: &str, me: &str) -> (Overlay, Vec<String>) {
    let mut reader = Reader { me, overlay: Overlay::default(), ignored: Vec::new() };
    match serde_json::from_str::<Value>(text) {
        Ok(value) => reader.top(&value),
        Err(error) => reader.ignored.push(format!("is no JSON and adds nothing: {error}")),
    }
    let more = reader.ignored.len().saturating_sub(MOST_LINES);
    reader.ignored.truncate(MOST_LINES);
    if more > 0 {
        reader.ignored.push(format!("{more} more of its keys are ignored"));
    }
    (reader.overlay, reader.ignored)
}

struct Reader<'m> {
    me: &'m str,
    overlay: Overlay,
    ignored: Vec<String>,
}

impl Reader<'_> {
    fn top(&mut self, value: &Value) {
        let Some(keys) = value.as_object() else {
            return self.ignored.push("is no JSON object and adds nothing".to_owned());
        };
        for (key, value) in keys {
            match (key.as_str(), value.as_object()) {
                ("tier2", Some(tools)) => tools.iter().for_each(|(tool, value)| self.tool(tool, value)),
                ("tier2", None) => self.ignored.push("key `tier2` is ignored: it wants an object".to_owned()),
                _ => self.foreign(&shown(key)),
            }
        }
    }

    fn tool(&mut self, tool: &str, value: &Value) {
        let name = format!("tier2.{}", shown(tool));
        let allowed = match tool {
            "Bash" => "allowPatterns",
            "Read" | "Write" => "allowPathPatterns",
            _ => return self.foreign(&name),
        };
        let Some(keys) = value.as_object() else {
            return self.ignored.push(format!("key `{name}` is ignored: it wants an object"));
        };
        for (key, value) in keys {
            let name = format!("{name}.{}", shown(key));
            match value.as_array() {
                _ if key != allowed => self.foreign(&name),
                Some(patterns) => self.patterns(tool, &name, patterns),
                None => self.ignored.push(format!("key `{name}` is ignored: it wants a list of patterns")),
            }
        }
    }

    fn patterns(&mut self, tool: &str, name: &str, patterns: &[Value]) {
        for (at, pattern) in patterns.iter().enumerate() {
            let list = match tool {
                "Bash" => &mut self.overlay.bash,
                "Read" => &mut self.overlay.read,
                _ => &mut self.overlay.write,
            };
            let problem = match pattern.as_str() {
                None => Some("is no text".to_owned()),
                Some(_) if list.len() >= MOST_PATTERNS => Some(format!("is one more than {MOST_PATTERNS}")),
                Some(text) => pattern::problem(text, self.me),
            };
            match (problem, pattern.as_str()) {
                (Some(why), _) => self.ignored.push(format!("key `{name}[{at}]` is ignored: it {why}")),
                (None, text) => list.extend(text.map(str::to_owned)),
            }
        }
    }

    fn foreign(&mut self, name: &str) {
        self.ignored.push(format!(
            "key `{name}` is ignored: an overlay adds to tier2.Bash.allowPatterns, tier2.Read.allowPathPatterns and \
             tier2.Write.allowPathPatterns, and to nothing else"
        ));
    }
}

/// A key of a file in a message: one line, cut at 80 characters.
pub(super) fn shown(key: &str) -> String {
    key.chars().take(80).map(|letter| if letter.is_control() { '?' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_allow_patterns_are_taken() {
        let (overlay, ignored) = read(
            r#"{"tier2": {"Bash": {"allowPatterns": ["^npm ls\\s"]}, "Read": {"allowPathPatterns": ["^docs/"]},
                "Write": {"allowPathPatterns": ["^notes/"]}}}"#,
            "",
        );
        assert_eq!(ignored, [] as [&str; 0]);
        let want =
            Overlay { bash: vec![r"^npm ls\s".into()], read: vec!["^docs/".into()], write: vec!["^notes/".into()] };
        assert_eq!(overlay, want);
    }

    #[test]
    fn everything_else_is_ignored_and_named() {
        for (text, key) in [
            (r#"{"tier1": ["Edit"]}"#, "`tier1`"),
            (r#"{"tier3": []}"#, "`tier3`"),
            (r#"{"hardDeny": {"bashPatterns": []}}"#, "`hardDeny`"),
            (r#"{"messages": {"Bash": "yes"}}"#, "`messages`"),
            (r#"{"a\nb": 1}"#, "`a?b`"),
            (r#"{"tier2": []}"#, "`tier2`"),
            (r#"{"tier2": {"Edit": {"allowPathPatterns": [".*"]}}}"#, "`tier2.Edit`"),
            (r#"{"tier2": {"Bash": []}}"#, "`tier2.Bash`"),
            (r#"{"tier2": {"Bash": {"allowPathPatterns": [".*"]}}}"#, "`tier2.Bash.allowPathPatterns`"),
            (r#"{"tier2": {"Read": {"allowPatterns": [".*"]}}}"#, "`tier2.Read.allowPatterns`"),
            (r#"{"tier2": {"Read": {"allowAbsolutePathPatterns": ["^/"]}}}"#, "`tier2.Read.allowAbsolutePathPatterns`"),
            (r#"{"tier2": {"Read": {"blockPathPatterns": []}}}"#, "`tier2.Read.blockPathPatterns`"),
            (r#"{"tier2": {"Bash": {"allowPatterns": ".*"}}}"#, "`tier2.Bash.allowPatterns`"),
            (r#"{"tier2": {"Bash": {"allowPatterns": [7]}}}"#, "`tier2.Bash.allowPatterns[0]`"),
            (r#"{"tier2": {"Bash": {"allowPatterns": ["("]}}}"#, "`tier2.Bash.allowPatterns[0]`"),
            ("[]", "is no JSON object"),
            ("{", "is no JSON"),
            ("", "is no JSON"),
        ] {
            let (overlay, ignored) = read(text, "");
            assert_eq!(overlay, Overlay::default(), "{text}");
            assert_eq!(ignored.len(), 1, "{text}");
            assert!(ignored.iter().all(|line| line.contains(key) && !line.contains('\n')), "{text}: {ignored:?}");
        }
    }

    #[test]
    fn a_bad_key_does_not_take_a_good_one_with_it() {
        let text = r#"{"tier3": [], "tier2": {"Bash": {"allowPatterns": ["(", "^a", 1]}, "Edit": {}}}"#;
        let (overlay, ignored) = read(text, "");
        assert_eq!((overlay.bash, ignored.len()), (vec!["^a".to_owned()], 4));
        let many = format!(r#"{{"tier2": {{"Bash": {{"allowPatterns": [{}"a"]}}}}}}"#, "1,".repeat(100));
        let (overlay, ignored) = read(&many, "");
        assert_eq!((overlay.bash.len(), ignored.len()), (1, 21));
    }
}
