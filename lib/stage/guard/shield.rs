//! The shield: changes of kz's own files and of the host's hooks, whatever program makes them.
//!
//! The rules of the `self` pack look at commands; here the paths count that a call was found to
//! write, be it by `perl -pi` or by `os.remove`. Where a variable has moved kz's folders only the
//! source can name them, in `facts.shield`.

use super::cast;
use crate::call::Op;
use crate::config::Switch;
use crate::envelope::{Envelope, Verdict, Vote};
use crate::rules::{self, Kind, Place};
use crate::stage::Context;
use std::path::Path;

/// The rule that the vote is cast by, and that a person can change the verdict of.
const RULE: &str = "self/change";

/// Votes against the first change of one of kz's own folders, or of a folder that holds one.
pub(super) fn vote(envelope: &mut Envelope, cx: &Context) {
    let say = match cx.config.guard.rules.get(RULE).map(|switch| switch.value) {
        Some(Switch::Off) => return,
        Some(Switch::Ask) => Verdict::Ask,
        Some(Switch::Deny) | None => Verdict::Deny,
    };
    let mut place = Place::of_call(&envelope.call, &envelope.facts.home);
    place.root.clone_from(&envelope.call.root);
    let shielded = |path: &Path, op: Op| {
        if path.to_str().is_some_and(|text| place.of(text).has(Kind::Guard)) {
            return true;
        }
        envelope.facts.shield.iter().any(|own| {
            let own = Path::new(own);
            path.starts_with(own) || op == Op::Delete && own.starts_with(path)
        })
    };
    let mut changes = envelope.call.paths.iter().filter(|path| matches!(path.op, Op::Write | Op::Delete));
    let found = changes.find(|path| {
        let led = || place.led(path).is_some_and(|led| shielded(Path::new(&led), path.op));
        path.sure && !path.path.is_empty() && (shielded(Path::new(&path.path), path.op) || led())
    });
    let (Some(path), Some(rule)) = (found, rules::find(RULE)) else { return };
    let vote = Vote {
        rule: RULE.into(),
        say,
        reason: rule.reason.into(),
        instead: rule.instead.into(),
        part: path.part,
        ..Vote::default()
    };
    cast(envelope, cx, vote);
}
