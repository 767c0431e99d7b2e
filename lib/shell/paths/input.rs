//! What `find` and `xargs` put into the commands that they run, as globs, where that is known.

use super::super::part::{Arg, Part};

/// Most runs of one command that are told apart.
const MOST_RUNS: usize = 16;

/// The part with what `find` or `xargs` puts into it, once for each run; none if nothing is, or it
/// is unknown.
pub(super) fn filled(part: &Part) -> Option<Vec<Part>> {
    if (!part.appends && part.replace.is_none()) || part.input.is_empty() {
        return None;
    }
    let names = &part.input;
    let runs = match part.replace.as_deref().filter(|mark| !mark.is_empty()) {
        Some(mark) if names.len() <= MOST_RUNS => names.iter().map(|name| with(part, mark, name)).collect(),
        Some(_) => return None,
        None => {
            let mut filled = part.clone();
            let words = names.iter().flat_map(|name| match name.certain() {
                Some(text) => text.split_ascii_whitespace().map(Arg::literal).collect(),
                None => vec![name.clone()],
            });
            filled.known = Some(part.words().iter().cloned().chain(words).collect());
            vec![filled]
        }
    };
    let settled = |mut run: Part| {
        run.appends = false;
        run.replace = None;
        run
    };
    Some(runs.into_iter().map(settled).collect())
}

/// The part with a name where the mark stands.
fn with(part: &Part, mark: &str, name: &Arg) -> Part {
    let put = |word: &Arg| {
        if !word.text.contains(mark) {
            return word.clone();
        }
        let mut filled = name.clone();
        filled.text = word.text.replacen(mark, &name.text, 4);
        filled.mark_all(word.dynamic);
        filled
    };
    let mut run = part.clone();
    run.known = Some(part.words().iter().map(put).collect());
    for redir in &mut run.redirs {
        redir.known = Some(put(redir.target()));
    }
    run
}
