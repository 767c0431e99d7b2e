//! The path guard: what a mode lets write.
//!
//! Judged are the certain write and delete targets of a call, whatever tool makes them. A path
//! is compared per segment with the mode's entries: relative ones are anchored at the root,
//! absolute ones and `~` outside of it. Temp folders and streams are not protected: a mode
//! steers what happens to the project, and scratch files are how one looks at it.

use super::cast;
use crate::call::{CallPath, Op};
use crate::config::Mode;
use crate::envelope::{Envelope, Verdict, Vote};
use crate::rules::{Place, hit::is_scratch};
use crate::shell::PATCH;
use crate::stage::Context;

/// Votes against the first write outside of what the mode lets write.
pub(super) fn vote(envelope: &mut Envelope, cx: &Context) {
    let found = envelope.findings.iter().rev().find_map(|finding| finding.rule.strip_prefix("mode/"));
    let fact = envelope.facts.mode.as_ref().map(|mode| mode.name.as_str());
    let name = found.or(fact).unwrap_or(&cx.config.mode.default.value);
    let Some(mode) = cx.config.modes.get(name) else { return };
    if mode.writable.iter().any(|entry| entry == "*") {
        return;
    }
    let place = Place::of_call(&envelope.call, &envelope.facts.home);
    let changes = || envelope.call.paths.iter().filter(|path| matches!(path.op, Op::Write | Op::Delete));
    let outside = changes().find(|path| path.sure && !path.path.is_empty() && !writable(path, mode, &place));
    let unsure = changes().find(|path| !path.sure || path.path.is_empty());
    let unknown = unsure.map(|path| (path.part, path.raw.as_str())).or_else(|| {
        let parts = envelope.call.shell.iter().flat_map(|shell| &shell.parts);
        parts.into_iter().find(|part| part.open == PATCH).map(|part| (Some(part.n), "a patch"))
    });
    let (say, part, reason, instead) = match (outside, unknown) {
        (Some(path), _) => (Verdict::Deny, path.part, denial(path, name, mode), way_out(path, name, cx, &place)),
        (None, Some((part, tried))) => (
            *cx.config.mode.opaque,
            part,
            format!("what is written cannot be known in {name} mode (tried {tried})"),
            "Write the path out".to_owned(),
        ),
        (None, None) => return,
    };
    let vote =
        Vote { rule: format!("mode/{name}"), say, reason: format!("{reason}. {instead}"), part, ..Vote::default() };
    cast(envelope, cx, vote);
}

fn shown(path: &CallPath) -> &str {
    path.rel.as_deref().filter(|rel| !rel.is_empty()).unwrap_or(&path.path)
}

/// What is read-only, in which mode, and what was tried.
fn denial(path: &CallPath, name: &str, mode: &Mode) -> String {
    let tried = shown(path);
    if !mode.message.is_empty() {
        return format!("{} (tried {tried})", mode.message.trim_end_matches('.'));
    }
    if mode.writable.is_empty() {
        return format!("everything is read-only in {name} mode (tried {tried})");
    }
    let what = match (path.rel.as_deref(), tried.split_once('/')) {
        (Some(_), Some((folder, _))) => format!("{folder}/"),
        (Some(_), None) => tried.to_owned(),
        (None, _) => "everything outside the repository".to_owned(),
    };
    format!("{what} is read-only in {name} mode (tried {tried})")
}

/// The command that changes to a mode in which the path may be written.
fn way_out(path: &CallPath, now: &str, cx: &Context, place: &Place) -> String {
    let fits = |mode: &Mode| !mode.writable.iter().any(|entry| entry == "*") && writable(path, mode, place);
    let named = cx.config.modes.iter().find(|(name, mode)| name.as_str() != now && fits(mode));
    match (named, path.rel.as_deref().and_then(|rel| rel.split_once('/'))) {
        (Some((name, _)), Some((folder, _)))
            if cx.config.modes.get(now).is_some_and(|mode| !mode.writable.is_empty()) =>
        {
            format!("To edit {folder}: `kz mode {name}`.")
        }
        (Some((name, _)), _) => format!("To edit it: `kz mode {name}`."),
        (None, _) => "To edit it: `kz mode free`.".to_owned(),
    }
}

/// Whether a mode lets write a path, and where a link of the call leads it.
fn writable(path: &CallPath, mode: &Mode, place: &Place) -> bool {
    let led = place.led(path).map(|led| {
        let below = led.strip_prefix(&place.root).and_then(|rel| rel.strip_prefix('/')).map(str::to_owned);
        CallPath { path: led, rel: below, part: None, ..path.clone() }
    });
    if led.is_some_and(|led| !writable(&led, mode, place)) {
        return false;
    }
    let inside = path.rel.is_some();
    if !inside && is_scratch(place.of(&path.path)) {
        return true;
    }
    mode.writable.iter().any(|entry| covers(entry, path, place))
}

fn covers(entry: &str, path: &CallPath, place: &Place) -> bool {
    if entry == "*" {
        return true;
    }
    let (entry, subject) = if let Some(below) = entry.strip_prefix("~/") {
        (format!("{}/{below}", place.home), path.path.as_str())
    } else if entry.starts_with('/') {
        (entry.to_owned(), path.path.as_str())
    } else {
        let Some(rel) = path.rel.as_deref() else { return false };
        (entry.trim_start_matches("./").to_owned(), rel)
    };
    if let Some(glob) = writable_glob(&entry) {
        return glob.is_ok_and(|glob| glob.compile_matcher().is_match(subject));
    }
    let mut wanted = segments(&entry);
    let mut there = segments(subject);
    wanted.all(|segment| there.next() == Some(segment))
}

/// The glob of an entry, if it is one: `*` stays within a segment, and an entry without a slash fits in any
/// folder, as in `.gitignore`. An entry that is no good glob lets nothing be written.
pub fn writable_glob(entry: &str) -> Option<Result<globset::Glob, globset::Error>> {
    if entry == "*" || !entry.contains(['*', '?', '[', '{']) {
        return None;
    }
    let whole = match (entry.contains('/'), entry.strip_suffix('/')) {
        (false, _) => format!("**/{entry}"),
        (true, Some(folder)) => format!("{folder}/**"),
        (true, None) => entry.to_owned(),
    };
    Some(globset::GlobBuilder::new(&whole).literal_separator(true).build())
}

fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|segment| !segment.is_empty())
}
