//! Small matters of text: names that survive as file names, secrets that must not, typos.

pub mod id;
pub mod mask;

/// The known name that is nearest to what was typed; the first if none is near.
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
