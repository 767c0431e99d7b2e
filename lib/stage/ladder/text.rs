//! What the ladder says: notes, the standing section, reasons of denials, and how templates are filled.

use super::rewrite;
use super::tools::{Catalogue, Line};
use crate::call::{Call, canonical_tool};
use crate::config::LadderConfig;
use crate::envelope::Finding;

/// Placeholders that a note text may hold, written `${name}`.
pub const PLACEHOLDERS: &[&str] =
    &["strikes", "window", "terminal", "class", "pattern", "tool", "key", "about", "call", "hint"];

const FIRST: &str = "${strikes} of your latest ${terminal} calls were a plain ${class} that a dedicated tool does \
better (now: ${pattern}). Use ${tool} for it: ${hint}";

const DENIED: &str = "This ${terminal} call was not run: it is a plain ${class} (${pattern}), after ${strikes} like \
it. Use ${tool} for it: ${hint}";

const PERSISTENT: &str = "Plain ${terminal} calls have become a habit in this session where a dedicated tool does \
better. Use these tools instead:";

/// What a note or denial is about.
#[derive(Debug)]
pub struct About<'a> {
    /// The call.
    pub call: &'a Call,
    /// Its offense.
    pub found: &'a Finding,
    /// Strikes of the class.
    pub strikes: u32,
    /// The tool that does it better.
    pub tool: Line,
}

/// The text of a tier-1 note.
pub fn first(about: &About, config: &LadderConfig) -> String {
    about.fill(if config.note_first.is_empty() { FIRST } else { &config.note_first }, config)
}

/// The reason of a tier-3 denial.
pub fn denied(about: &About, config: &LadderConfig) -> String {
    about.fill(if config.note_denied.is_empty() { DENIED } else { &config.note_denied }, config)
}

impl About<'_> {
    fn fill(&self, template: &str, config: &LadderConfig) -> String {
        let rewritten = rewrite::rewritten(self.call, self.found, &self.tool.name).unwrap_or_default();
        fill(template, &|name| {
            Some(match name {
                "strikes" => self.strikes.to_string(),
                "window" => config.window.to_string(),
                "terminal" => canonical_tool(&self.call.tool).to_owned(),
                "class" => self.found.class.clone(),
                "pattern" => super::pattern(self.found).to_owned(),
                "tool" => self.tool.name.clone(),
                "key" => self.tool.key.clone(),
                "about" => self.tool.about.clone(),
                "call" => rewritten.clone(),
                "hint" if rewritten.is_empty() => self.tool.about.clone(),
                "hint" => format!("{} Here: `{rewritten}`.", self.tool.about),
                _ => return None,
            })
        })
    }
}

/// The text of the standing section: its first lines, and a table of tools.
pub fn section(call: &Call, catalogue: &Catalogue, strikes: u32, config: &LadderConfig) -> String {
    let template = if config.note_persistent.is_empty() { PERSISTENT } else { &config.note_persistent };
    let mut out = fill(template, &|name| {
        Some(match name {
            "strikes" => strikes.to_string(),
            "window" => config.window.to_string(),
            "terminal" => canonical_tool(&call.tool).to_owned(),
            _ => return None,
        })
    });
    out.push_str("\n\n| tool | key parameter | what it does |\n| --- | --- | --- |\n");
    for row in catalogue.rows(*config.max_section_tools, &config.judge_tools) {
        let key = if row.key.is_empty() { String::new() } else { format!("`{}`", row.key) };
        out.push_str(&format!("| {} | {} | {} |\n", cell(&row.name), cell(&key), cell(&row.about)));
    }
    out.truncate(out.trim_end().len());
    out
}

/// A text as it may stand in a table and in a composed text.
fn cell(text: &str) -> String {
    text.replace("${", "$${").replace('|', "\\|").replace(['\n', '\r'], " ")
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
