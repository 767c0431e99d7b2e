//! Pipelines as one line of text each, for patterns that people write over them (seed 001, section 3).
//!
//! Quotes are gone, here-documents too; what is unknown stands as `«var»` or `«sub»`; the command
//! word is in lower case and without its folder. Parts are joined by ` | `.

use super::part::{Part, Shell};

/// A pipeline: what stands between `;`, `&&`, `||` and `&`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// Its text.
    pub text: String,
    /// Numbers of its parts, from the head on.
    pub parts: Vec<u32>,
}

/// All pipelines of a call in reading order. What a wrapper runs and what stands in a substitution
/// are pipelines of their own.
pub fn pipelines(shell: &Shell) -> Vec<Pipeline> {
    let mut next: Vec<Option<usize>> = vec![None; shell.parts.len()];
    for (at, part) in shell.parts.iter().enumerate() {
        for from in &part.from {
            if let Some(slot) = next.get_mut(*from as usize).filter(|slot| slot.is_none())
                && (*from as usize) < at
            {
                *slot = Some(at);
            }
        }
    }
    let mut out = Vec::new();
    for (at, part) in shell.parts.iter().enumerate() {
        if part.argv.is_empty() && part.redirs.is_empty() || !part.from.is_empty() {
            continue;
        }
        let mut pipeline = Pipeline { text: String::new(), parts: Vec::new() };
        // Who takes something stands behind who gives it, so this ends.
        let mut here = Some(at);
        while let Some((at, part)) = here.and_then(|at| Some((at, shell.parts.get(at)?))) {
            if !pipeline.parts.is_empty() {
                pipeline.text.push_str(" | ");
            }
            words(part, &mut pipeline.text);
            pipeline.parts.push(part.n);
            here = next.get(at).copied().flatten();
        }
        out.push(pipeline);
    }
    out
}

fn words(part: &Part, out: &mut String) {
    let start = out.len();
    let mut add = |text: &str| {
        if out.len() > start {
            out.push(' ');
        }
        // A word may hold line breaks; the text is one line.
        out.extend(text.chars().map(|letter| if letter == '\n' || letter == '\r' { ' ' } else { letter }));
    };
    // A word that falls apart (`cat${IFS}a`) is several.
    let split = part.known.as_deref().filter(|known| known.len() > part.argv.len());
    for (at, arg) in split.unwrap_or(&part.argv).iter().enumerate() {
        let plain = at == 0 && !part.head.is_empty();
        if plain { add(&part.head.to_lowercase()) } else { add(&arg.text) }
    }
    for redir in part.redirs.iter().filter(|redir| !redir.op.starts_with("<<")) {
        let fd = match &redir.fd {
            super::RedirFd::Number(0) if redir.op.starts_with('<') => String::new(),
            super::RedirFd::Number(1) if redir.op.starts_with('>') => String::new(),
            super::RedirFd::Number(fd) if !redir.op.starts_with('&') => fd.to_string(),
            super::RedirFd::Named(name) => format!("{{{name}}}"),
            super::RedirFd::Number(_) => String::new(),
        };
        let joined = if redir.op.ends_with('&') { "" } else { " " };
        add(&format!("{fd}{}{joined}{}", redir.op, redir.target.text));
    }
}

/// Whether a pattern fits a pipeline from its head on: `*` stands for anything, and behind the
/// pattern a word ends. `cat * | jq` fits `cat a.json | jq .x`.
pub fn fits(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let pieces: Vec<&str> = pieces.collect();
    let ends = |rest: &str| rest.is_empty() || rest.starts_with(' ');
    let Some((last, between)) = pieces.split_last() else { return first.ends_with(' ') || ends(rest) };
    for piece in between {
        match rest.split_once(piece) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    let last = last.trim_end();
    last.is_empty() || rest.match_indices(last).any(|(at, _)| rest.get(at + last.len()..).is_some_and(ends))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::read;

    fn texts(command: &str) -> Vec<String> {
        pipelines(&read(command)).into_iter().map(|pipeline| pipeline.text).collect()
    }

    #[test]
    fn a_pipeline_is_one_line_without_quotes() {
        for (command, expected) in [
            ("cat 'a b' | jq .x && echo \"$HOME/y\"", vec!["cat a b | jq .x", "echo «var»/y"]),
            ("/usr/bin/CAT a", vec!["cat a"]),
            ("cat <<E > out\nbody\nE", vec!["cat > out"]),
            ("cargo test 2>&1 | tee log", vec!["cargo test 2>&1 | tee log"]),
            ("bash -c 'cat a | wc -l'", vec!["bash -c cat a | wc -l", "cat a | wc -l"]),
            ("cat $(ls) ; ls&", vec!["cat «sub»", "ls", "ls"]),
            ("cat$IFS'a'", vec!["cat a"]),
        ] {
            assert_eq!(texts(command), expected, "{command}");
        }
    }

    #[test]
    fn a_pattern_fits_from_the_head_on() {
        for (pattern, text, fit) in [
            ("cat * | jq", "cat a | jq .x", true),
            ("cat * | jq", "cat a b | sort | jq", true),
            ("cat * | jq", "cat a | jqx", false),
            ("cat * | jq", "sudo cat a | jq", false),
            ("git", "git log > x", true),
            ("git", "gitk", false),
            ("tail -f *", "tail -f log", true),
            ("ls * | wc", "ls | wc -l", false),
            ("ls* | wc", "ls | wc -l", true),
            ("", "anything", false),
        ] {
            assert_eq!(fits(pattern, text), fit, "{pattern} / {text}");
        }
    }
}
