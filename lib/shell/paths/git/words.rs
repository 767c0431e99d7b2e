//! What a word of a git command can be, by its shape.

use super::super::super::dynamic::Dynamic;
use super::super::super::part::Arg;

/// The path of a pathspec; `None` for one that only leaves paths out.
pub(super) fn pathspec(word: &Arg) -> Option<Arg> {
    let mut path = word.clone();
    if let Some(rest) = word.text.strip_prefix(':') {
        if rest.starts_with(['!', '^']) {
            return None;
        }
        let (magic, rest) = match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            Some((magic, rest)) => (magic, rest),
            None => ("top", rest.trim_start_matches('/')),
        };
        if magic.split(',').any(|magic| magic == "exclude") {
            return None;
        }
        // Where the top of the repository lies is not known here.
        if magic.split(',').any(|magic| magic == "top") && !rest.is_empty() {
            path.dynamic.insert(Dynamic::Var);
        }
        path.text = if rest.is_empty() { ".".into() } else { rest.into() };
    }
    if path.text.contains(['*', '?', '[']) {
        path.mark(Dynamic::Glob);
    }
    Some(path)
}

/// Whether a word can hardly be a branch: `./a`, `src/`, `a.rs`, `*.md`, `Makefile`; not
/// `topic/a`, `v1.2`, `HEAD~1`.
pub(super) fn looks_like_path(word: &Arg) -> bool {
    let text = word.text.as_str();
    if word.dynamic.contains(&Dynamic::Glob) || word.dynamic.contains(&Dynamic::Tilde) {
        return true;
    }
    let climbs = text == ".." || text.starts_with("../");
    if climbs || (text.starts_with(['/', '.']) && !text.starts_with("..")) || text.ends_with('/') {
        return true;
    }
    if text.contains(['*', '?']) || text.starts_with(":/") || text.starts_with(":(") {
        return true;
    }
    if text.contains(['~', '^', ':']) || text.contains("..") || text.contains("@{") {
        return false;
    }
    let name = text.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.') {
        Some((stem, end)) => {
            let word = !end.is_empty() && end.len() <= 10 && end.bytes().all(|byte| byte.is_ascii_alphanumeric());
            // `1.2.x`, `v1.0.rc1`
            let version = stem.trim_start_matches('v').bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            word && !end.bytes().all(|byte| byte.is_ascii_digit()) && !version && !stem.is_empty()
        }
        None => KNOWN.contains(&name),
    }
}

/// Names of files that have no ending.
const KNOWN: &[&str] = &[
    "Brewfile",
    "CHANGELOG",
    "CODEOWNERS",
    "Containerfile",
    "Dockerfile",
    "Gemfile",
    "Jenkinsfile",
    "Justfile",
    "LICENSE",
    "Makefile",
    "NOTICE",
    "Procfile",
    "README",
    "Rakefile",
    "Vagrantfile",
    "gradlew",
    "justfile",
    "makefile",
    "mvnw",
];

pub(super) fn looks_like_revision(text: &str) -> bool {
    let hash = text.len() >= 7 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    hash || matches!(text, "main" | "master" | "develop" | "FETCH_HEAD" | "ORIG_HEAD" | "MERGE_HEAD")
        || text.starts_with("HEAD")
        || text.starts_with("origin/")
        || text.contains(['~', '^', ':', '@'])
        || text.contains("..")
}

/// The folder that git makes of an address: `host:a/b.git` is `b`.
pub(super) fn base_name(address: &str) -> &str {
    let address = address.trim_end_matches('/');
    let address = address.strip_suffix("/.git").unwrap_or(address);
    let name = address.rsplit(['/', ':']).next().unwrap_or_default();
    name.strip_suffix(".git").or_else(|| name.strip_suffix(".bundle")).unwrap_or(name)
}
