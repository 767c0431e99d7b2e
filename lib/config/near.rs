//! "Did you mean": the known key or table that is nearest to what was written.

use super::keys::dotted;
use super::table::KEYS;
use crate::rules;
use std::collections::BTreeSet;

/// Likeness of a name that the person chooses: neither for nor against.
const CHOSEN: f64 = 0.8;

/// Below this a segment is another word.
const SEGMENT: f64 = 0.4;

/// Below this a name is another name.
const NAME: f64 = 0.6;

/// The nearest known names, best first; several only if they are about as near. `table` says whether a
/// table is looked for rather than a key.
pub fn nearest(path: &[&str], table: bool) -> Vec<String> {
    let id = path.last().filter(|id| !table && rules::is_known(id));
    if let Some(id) = id {
        return vec![dotted(&["guard", "rules", id])];
    }
    let first = among(path, table);
    if first.is_empty() { among(path, !table) } else { first }
}

fn among(path: &[&str], table: bool) -> Vec<String> {
    let mut names: BTreeSet<Vec<&'static str>> = BTreeSet::new();
    for key in KEYS {
        let segments: Vec<_> = key.name.split('.').collect();
        if table {
            names.extend((1..segments.len()).filter_map(|end| segments.get(..end).map(<[_]>::to_vec)));
        } else {
            names.insert(segments);
        }
    }
    let mut found: Vec<(f64, String)> = names
        .iter()
        .map(|known| (same_place(path, known).max(elsewhere(path, known)), spelled(path, known)))
        .filter(|(score, _)| *score >= NAME)
        .collect();
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    let best = found.first().map_or(0.0, |(score, _)| *score);
    found.into_iter().take_while(|(score, _)| *score > best - 0.03).take(3).map(|(_, name)| name).collect()
}

/// A slip in one of the segments.
fn same_place(path: &[&str], known: &[&str]) -> f64 {
    if path.len() != known.len() || known.last() == Some(&"*") && path.len() == 1 {
        return 0.0;
    }
    let mut sum = 0.0;
    for (given, known) in path.iter().zip(known) {
        let score = if *known == "*" { CHOSEN } else { alike(given, known) };
        if score < SEGMENT {
            return 0.0;
        }
        sum += score;
    }
    // INVARIANT: a name has few segments.
    sum / f64::from(u8::try_from(known.len()).unwrap_or(u8::MAX))
}

/// The right key in the wrong table.
fn elsewhere(path: &[&str], known: &[&str]) -> f64 {
    let (Some(given), Some(last)) = (path.last(), known.last().filter(|last| **last != "*")) else { return 0.0 };
    let score = alike(given, last);
    if score < 0.75 || known.len() == 1 && path.len() == 1 { 0.0 } else { 0.9 * score }
}

fn alike(given: &str, known: &str) -> f64 {
    strsim::normalized_damerau_levenshtein(&given.to_lowercase().replace('-', "_"), known)
}

/// The known name with what the person chose filled in, as far as it is given.
fn spelled(path: &[&str], known: &[&str]) -> String {
    let chosen = match path {
        _ if path.len() == known.len() => known.iter().position(|segment| *segment == "*").and_then(|at| path.get(at)),
        [.., before, _] => Some(before),
        _ => None,
    };
    let chosen = chosen.copied().unwrap_or("NAME");
    dotted(&known.iter().map(|segment| if *segment == "*" { chosen } else { segment }).collect::<Vec<_>>())
}
