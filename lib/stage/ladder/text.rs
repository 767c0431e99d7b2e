//! What the ladder says, and how its templates are filled.

use crate::call::{Call, canonical_tool};
use crate::config::LadderConfig;
use crate::envelope::Finding;

/// Placeholders that a note text may hold, written `${name}`.
pub const PLACEHOLDERS: &[&str] = &["strikes", "window", "terminal", "class", "pattern", "tool", "hint"];

const FIRST: &str = "${strikes} of your latest ${terminal} calls were a plain ${class} that a dedicated tool does \
better (now: ${pattern}). Use ${tool} for it: ${hint}";

/// The text of a tier-1 note.
pub fn first(call: &Call, found: &Finding, strikes: u32, config: &LadderConfig) -> String {
    let template = if config.note_first.is_empty() { FIRST } else { &config.note_first };
    let (tool, hint) = dedicated(&found.offer);
    fill(template, &|name| {
        Some(match name {
            "strikes" => strikes.to_string(),
            "window" => (*config.window).to_string(),
            "terminal" => canonical_tool(&call.tool).to_owned(),
            "class" => found.class.clone(),
            "pattern" => found.rule.clone(),
            "tool" => tool.to_owned(),
            "hint" => hint.to_owned(),
            _ => return None,
        })
    })
}

/// Claude Code's name of a dedicated tool, and what to give it.
fn dedicated(offer: &str) -> (&str, &str) {
    match offer {
        "read" => ("Read", "give it `file_path`, and `offset` and `limit` for a part of a long file."),
        "edit" => ("Edit", "give it `file_path`, `old_string` and `new_string`."),
        "write" => ("Write", "give it `file_path` and `content`."),
        "grep" => ("Grep", "give it `pattern`, and `path` or `glob` to narrow it."),
        "glob" => ("Glob", "give it `pattern`, such as `src/**/*.rs`."),
        "task" => ("Agent", "give it `description` and `prompt`."),
        other => (other, "see its description."),
    }
}

/// Fills `${name}` in one pass: what is filled in is never looked at again, and a `${` in it is
/// written `$${`, so no composed text holds an unfilled placeholder. An unknown name vanishes;
/// a `$${` of the template stays as it is.
fn fill(template: &str, value: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(template.len() + 64);
    let mut rest = template;
    while let Some(start) = rest.find("${") {
        let (before, tail) = rest.split_at(start);
        out.push_str(before);
        if before.ends_with('$') {
            out.push_str("${");
            rest = &tail[2..];
            continue;
        }
        let Some(end) = tail.find('}') else {
            out.push_str(&tail.replace("${", "$${"));
            return out;
        };
        if let Some(text) = value(&tail[2..end]) {
            out.push_str(&text.replace("${", "$${"));
        }
        rest = &tail[end + 1..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn filling_is_one_pass_and_leaves_no_placeholder() {
        let value = |name: &str| (name == "a").then(|| "x ${b} y".to_owned());
        assert_eq!(fill("1 ${a} 2 ${nope}3", &value), "1 x $${b} y 2 3");
        assert_eq!(fill("open ${a", &value), "open $${a");
        assert_eq!(fill("no dollars }", &value), "no dollars }");
        assert_eq!(fill("$${a} ${a}", &value), "$${a} x $${b} y");
    }
}
