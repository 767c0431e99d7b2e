//! The policy: three tiers, what is always denied, and what is told. JSON of one shape, built in and
//! replaceable by the user, key by key.

use super::overlay::shown;
use super::pattern;
use crate::call::canonical_tool;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The policy that ships, as JSON.
pub const BUILT_IN: &str = include_str!("policy.json");

/// Most patterns of one file.
const MOST: usize = 512;
/// Most keys that are told to be unknown.
const MOST_KEYS: usize = 20;

/// What a tool of the second tier may do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Gate {
    /// Patterns of commands.
    pub allow_patterns: Vec<String>,
    /// Patterns of paths below the root.
    pub allow_path_patterns: Vec<String>,
    /// Patterns of absolute paths outside of it.
    pub allow_absolute_path_patterns: Vec<String>,
    /// Patterns of paths below the root that no allow pattern opens.
    pub block_path_patterns: Vec<String>,
}

/// What nothing opens.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct HardDeny {
    /// Patterns of commands.
    pub bash_patterns: Vec<String>,
    /// Patterns of paths, below the root and absolute.
    pub path_patterns: Vec<String>,
}

/// A policy. A key that a user's file lacks is the built-in one's.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Policy {
    /// Tools that are always allowed; for people, because what is in no tier is allowed too.
    tier1: Option<Vec<String>>,
    tier2: Option<BTreeMap<String, Gate>>,
    tier3: Option<Vec<String>>,
    hard_deny: Option<HardDeny>,
    messages: BTreeMap<String, String>,
}

impl Policy {
    /// The built-in policy, read once in a process.
    pub fn built_in() -> &'static Self {
        static READ: OnceLock<Policy> = OnceLock::new();
        // A test sees to it that it reads.
        READ.get_or_init(|| serde_json::from_str(BUILT_IN).unwrap_or_default())
    }

    /// The policy of a user's file, on top of the built-in one.
    ///
    /// # Errors
    /// What is wrong with it, in one sentence on one line.
    pub fn read(text: &str, me: &str) -> Result<Self, String> {
        let own: Self = serde_json::from_str(text).map_err(|error| format!("is no policy: {error}"))?;
        if let Some(problem) = own.bad_pattern(me) {
            return Err(problem);
        }
        Ok(own.over(Self::built_in().clone()))
    }

    /// Keys of a policy's text that are not known, a line each; names that begin with `$` or `_` are for
    /// people.
    pub fn strange(text: &str) -> Vec<String> {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        let mut out = Vec::new();
        let mut look = |at: &str, value: Option<&Value>, known: &[&str]| {
            let keys = value.and_then(Value::as_object).into_iter().flatten().map(|(key, _)| key.as_str());
            let odd = keys.filter(|key| !known.contains(key) && !key.starts_with(['$', '_']));
            out.extend(odd.take(MOST_KEYS).map(|key| format!("key `{at}{}` is not known and ignored", shown(key))));
        };
        look("", Some(&value), &["tier1", "tier2", "tier3", "hardDeny", "messages", "version", "description"]);
        look("hardDeny.", value.get("hardDeny"), &["bashPatterns", "pathPatterns"]);
        for (tool, gate) in value.get("tier2").and_then(Value::as_object).into_iter().flatten().take(MOST_KEYS) {
            let known = ["allowPatterns", "allowPathPatterns", "allowAbsolutePathPatterns", "blockPathPatterns"];
            look(&format!("tier2.{}.", shown(tool)), Some(gate), &known);
        }
        out.truncate(MOST_KEYS);
        out
    }

    /// This policy with what it lacks taken from another.
    pub fn over(self, below: Self) -> Self {
        let mut messages = below.messages;
        messages.extend(self.messages);
        Self {
            tier1: self.tier1.or(below.tier1),
            tier2: self.tier2.or(below.tier2),
            tier3: self.tier3.or(below.tier3),
            hard_deny: self.hard_deny.or(below.hard_deny),
            messages,
        }
    }

    /// Every pattern with the key it stands under.
    fn patterns(&self) -> impl Iterator<Item = (String, &str)> {
        let gates = self.tier2.iter().flatten().flat_map(|(tool, gate)| {
            [
                ("allowPatterns", &gate.allow_patterns),
                ("allowPathPatterns", &gate.allow_path_patterns),
                ("allowAbsolutePathPatterns", &gate.allow_absolute_path_patterns),
                ("blockPathPatterns", &gate.block_path_patterns),
            ]
            .map(|(key, list)| (format!("tier2.{tool}.{key}"), list))
        });
        let deny = self.hard_deny.iter().flat_map(|deny| {
            [("bashPatterns", &deny.bash_patterns), ("pathPatterns", &deny.path_patterns)]
                .map(|(key, list)| (format!("hardDeny.{key}"), list))
        });
        gates.chain(deny).flat_map(|(key, list)| {
            list.iter().enumerate().map(move |(at, pattern)| (format!("{key}[{at}]"), pattern.as_str()))
        })
    }

    fn bad_pattern(&self, me: &str) -> Option<String> {
        if self.patterns().nth(MOST).is_some() {
            return Some(format!("has more than {MOST} patterns"));
        }
        self.patterns().find_map(|(key, text)| pattern::problem(text, me).map(|why| format!("`{key}` {why}")))
    }

    /// The gate of a tool, if it is in the second tier.
    pub fn gate(&self, tool: &str) -> Option<&Gate> {
        let same = |name: &str| canonical_tool(name) == canonical_tool(tool);
        self.tier2.iter().flatten().find(|(name, _)| same(name)).map(|(_, gate)| gate)
    }

    /// Whether a tool is in the third tier.
    pub fn bars(&self, tool: &str) -> bool {
        self.tier3.iter().flatten().any(|name| canonical_tool(name) == canonical_tool(tool))
    }

    /// What nothing opens.
    pub fn hard_deny(&self) -> Option<&HardDeny> {
        self.hard_deny.as_ref()
    }

    /// What is told about a tool: the way on.
    pub fn message(&self, tool: &str) -> &str {
        let own = self.messages.get(tool);
        let like = || self.messages.iter().find(|(name, _)| canonical_tool(name) == canonical_tool(tool));
        own.or_else(|| like().map(|(_, text)| text))
            .map_or("Dispatch an agent for it with the Agent tool.", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_policy_reads_and_each_of_its_patterns_compiles() {
        let read: Result<Policy, _> = serde_json::from_str(BUILT_IN);
        assert!(read.is_ok(), "{read:?}");
        let policy = Policy::built_in();
        assert_eq!(policy.bad_pattern("mira"), None);
        assert!(policy.patterns().count() > 30);
        for tool in ["Bash", "Read", "Write"] {
            assert!(policy.gate(tool).is_some(), "{tool}");
        }
        for tool in ["Edit", "NotebookEdit", "Grep", "Glob", "WebFetch", "WebSearch"] {
            assert!(policy.bars(tool) && policy.messages.contains_key(tool), "{tool}");
        }
        for tool in policy.tier1.iter().flatten() {
            assert!(policy.gate(tool).is_none() && !policy.bars(tool), "{tool}");
        }
    }

    #[test]
    fn a_file_replaces_key_by_key() {
        let read = Policy::read(r#"{"tier3": ["Skill"], "messages": {"Skill": "no"}}"#, "");
        let policy = read.unwrap_or_default();
        assert!(policy.bars("Skill") && !policy.bars("Grep"));
        assert_eq!((policy.message("Skill"), policy.message("Grep")), ("no", "Dispatch Explore for search."));
        assert!(policy.gate("Bash").is_some() && policy.hard_deny().is_some());
    }

    #[test]
    fn a_key_that_is_not_known_is_named() {
        let text = r#"{"$comment": "x", "hardDenny": {}, "hardDeny": {"bash": []},
            "tier2": {"Read": {"allowPatern": [], "allowPathPatterns": []}}}"#;
        let want = ["`hardDenny`", "`hardDeny.bash`", "`tier2.Read.allowPatern`"];
        let told = Policy::strange(text);
        assert_eq!(told, want.map(|key| format!("key {key} is not known and ignored")));
        assert_eq!(Policy::strange(BUILT_IN), [] as [&str; 0]);
    }

    #[test]
    fn a_bad_file_says_what_is_wrong() {
        for (text, want) in [
            ("", "is no policy: EOF"),
            ("[]x", "is no policy: "),
            (r#"{"tier3": "Grep"}"#, "is no policy: invalid type"),
            (
                r#"{"tier2": {"Bash": {"allowPatterns": ["^a", "("]}}}"#,
                "`tier2.Bash.allowPatterns[1]` does not compile",
            ),
            (r#"{"hardDeny": {"pathPatterns": ["["]}}"#, "`hardDeny.pathPatterns[0]` does not compile"),
        ] {
            let told = Policy::read(text, "").err().unwrap_or_default();
            assert!(told.starts_with(want) && !told.contains('\n'), "{told}");
        }
    }
}
