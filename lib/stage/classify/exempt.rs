//! Exemptions and rows of a person's own: patterns over the text of a pipeline.

use crate::config::LadderConfig;
use crate::envelope::Finding;
use crate::rules::pattern;
use crate::shell::Shell;
use crate::shell::pipelines::{Pipeline, fits, pipelines};

/// Pipelines that look like an offense and are none: what a data program makes of a file, counts,
/// and what a program prints that no tool prints. `*` stands for anything.
pub const DEFAULT_EXEMPTS: &[&str] = &[
    "cat * | jq",
    "cat * | yq",
    "cat * | python -m json.tool",
    "cat * | python3 -m json.tool",
    "cat * | wc",
    "grep * | wc",
    "find * | wc",
    "ls* | wc",
    "git",
    "gh",
    "cargo",
    "rustc",
    "go",
    "make",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "npx",
    "node",
    "python",
    "python3",
    "pip",
    "uv",
    "pytest",
    "docker",
    "kubectl",
    "terraform",
];

/// The pipelines of a call, read when first asked for.
pub struct Pipelines<'a> {
    shell: &'a Shell,
    config: &'a LadderConfig,
    read: std::cell::OnceCell<Vec<Pipeline>>,
}

impl<'a> Pipelines<'a> {
    /// Of a call.
    pub fn of(shell: &'a Shell, config: &'a LadderConfig) -> Self {
        Self { shell, config, read: std::cell::OnceCell::new() }
    }

    fn all(&self) -> &[Pipeline] {
        self.read.get_or_init(|| pipelines(self.shell))
    }

    /// The exemption of the pipeline that a part stands in.
    pub fn exemption(&self, part: u32) -> Option<&'a str> {
        let pipeline = self.all().iter().find(|pipeline| pipeline.parts.contains(&part))?;
        self.exempts(&pipeline.text)
    }

    fn exempts(&self, text: &str) -> Option<&'a str> {
        let own = self.config.exempt_patterns.value.iter().map(String::as_str);
        own.chain(DEFAULT_EXEMPTS.iter().copied()).find(|pattern| match pattern.strip_prefix("re:") {
            Some(regex) => pattern::fits_text(&anchored(regex), text),
            None => fits(pattern, text),
        })
    }

    /// Findings of the rows of `ladder.pattern_table`.
    pub fn own_rows(&self, by: &str) -> Vec<Finding> {
        let mut found = Vec::new();
        if self.config.pattern_table.is_empty() {
            return found;
        }
        for pipeline in self.all() {
            let Some(part) = pipeline.parts.first().and_then(|at| self.shell.parts.get(*at as usize)) else { continue };
            if part.elsewhere {
                continue;
            }
            for row in self.config.pattern_table.iter().filter(|row| pattern::fits_text(&row.pattern, &pipeline.text)) {
                let exempt = self.exempts(&pipeline.text).unwrap_or_default();
                found.push(Finding {
                    by: by.into(),
                    rule: row.id.clone(),
                    class: row.class.clone(),
                    part: Some(part.n),
                    offer: if exempt.is_empty() { row.tool.clone() } else { String::new() },
                    exempt: exempt.into(),
                    why: "fits a row of your `ladder.pattern_table`".into(),
                    ..Finding::default()
                });
            }
        }
        found
    }
}

/// An exemption begins at the head.
fn anchored(regex: &str) -> String {
    format!("^(?:{regex})")
}
