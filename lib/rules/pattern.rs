//! Regular expressions: the escape hatch of the rule language.
//!
//! Compiled when a rule's other conditions have held for the first time, never before, and then
//! kept. Bytes instead of Unicode, and bounded in size: a Unicode table costs more than a hook.

use regex::bytes::{Regex, RegexBuilder};
use std::sync::{Mutex, PoisonError};

/// Most bytes that a compiled expression may take.
const SIZE: usize = 1 << 18;

/// Expressions that were compiled. There are as many as rules have, and few are ever needed.
static KNOWN: Mutex<Vec<(&'static str, Option<&'static Regex>)>> = Mutex::new(Vec::new());

/// What is wrong with an expression, in one line.
pub fn fault(pattern: &str) -> Option<String> {
    let error = build(pattern).err()?;
    Some(match error {
        regex::Error::CompiledTooBig(_) => "it is too large when compiled".into(),
        error => error.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned(),
    })
}

/// Whether an expression fits somewhere in a text. One that is wrong fits nowhere; the reader
/// lets none of them through.
pub(super) fn fits(pattern: &'static str, text: &str) -> bool {
    compiled(pattern).is_some_and(|regex| regex.is_match(text.as_bytes()))
}

fn compiled(pattern: &'static str) -> Option<&'static Regex> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, regex)) = known.iter().find(|(text, _)| *text == pattern) {
        return *regex;
    }
    let regex = build(pattern).ok().map(|regex| &*Box::leak(Box::new(regex)));
    known.push((pattern, regex));
    regex
}

/// The same for an expression from config, which the reader of config has looked at.
pub fn fits_text(pattern: &str, text: &str) -> bool {
    let known = {
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|(known, _)| *known == pattern).map(|(known, _)| *known)
    };
    // Kept for the life of the process, as all that are compiled are.
    fits(known.unwrap_or_else(|| Box::leak(pattern.to_owned().into_boxed_str())), text)
}

fn build(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).unicode(false).size_limit(SIZE).dfa_size_limit(SIZE).build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_of_bytes_and_bounded() {
        assert!(fits(r"^git\s+push\b", "git  push"));
        assert!(fits("(?i)PROD", "to prod"));
        assert!(!fits(r"\d", "٣"), "only ASCII digits");
        assert!(fits("straße", "Hauptstraße"));
        assert_eq!(fault("a+"), None);
        assert_eq!(fault("a(").as_deref(), Some("unclosed group"));
        assert_eq!(fault(r"(\w{100}){500}").as_deref(), Some("it is too large when compiled"));
        assert!(!fits("a(", "a("), "a wrong one fits nowhere");
    }
}
