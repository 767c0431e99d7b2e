//! The nearest of the known names. Shared with the build script.

/// The known name that is nearest to what was typed; empty if none is known.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> &'a str {
    let mut best = ("", -1.0);
    for name in known {
        let score = strsim::jaro_winkler(typed, name);
        if score > best.1 {
            best = (name, score);
        }
    }
    best.0
}
