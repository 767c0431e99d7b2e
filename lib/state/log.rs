//! The session's log: its tail folded, the keys somebody else used meanwhile, new lines.

use super::{Fold, Past, Session};
use crate::envelope::Event;
use crate::world::World;
use memchr::{memchr, memchr_iter, memrchr};
use std::io::{self, ErrorKind};
use std::path::Path;

/// What is read of a log: its end.
pub const READ: u64 = 1 << 20;
/// What one event may take; a longer line would push others out of what is read.
const LINE: usize = 64 << 10;

/// Folds what stands behind `session.through`. `false` if that is no line boundary of this log,
/// so what is in `session` does not belong to it.
pub fn fold_tail(path: &Path, session: &mut Session, world: &dyn World) -> io::Result<bool> {
    // The byte before tells whether it is a boundary.
    let want = session.through.saturating_sub(1);
    let (start, bytes) = match world.read_end(path, want, READ) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(session.through == 0),
        read => read?,
    };
    let skip = if start > want || (start == want && session.through > 0) {
        match memchr(b'\n', &bytes) {
            Some(end) if start > want || end == 0 => end + 1,
            // A last line longer than all that is read: nothing to fold, and no boundary known.
            None if start > want => return Ok(true),
            _ => return Ok(false),
        }
    } else if session.through > 0 {
        return Ok(false);
    } else {
        0
    };
    let Some(end) = memrchr(b'\n', &bytes).map(|end| end + 1).filter(|end| *end > skip) else {
        session.through = session.through.max(start + skip as u64);
        return Ok(true);
    };
    each(&bytes[skip..end], |past| session.fold(past));
    session.through = start + end as u64;
    Ok(true)
}

/// Hands out the events of whole lines. Lines that are none are skipped: a torn one that was
/// repaired, or one of a later version.
pub fn each(lines: &[u8], mut take: impl FnMut(&Past)) {
    let mut past = Past::default();
    let mut begin = 0;
    for end in memchr_iter(b'\n', lines) {
        if let Ok(line) = std::str::from_utf8(&lines[begin..end])
            && past.read(line)
        {
            take(&past);
        }
        begin = end + 1;
    }
}

/// The `once` keys in what was appended meanwhile.
pub fn used(region: &[u8]) -> Vec<String> {
    let mut keys = Vec::new();
    each(region, |past| {
        if !past.once.is_empty() {
            keys.push(past.once.to_string());
        }
    });
    keys
}

/// The lines of events; the second answer counts those that were too long to keep.
pub fn lines(events: &[Event]) -> (Vec<u8>, usize) {
    let mut out = Vec::with_capacity(events.len() * 160);
    let mut left_out = 0;
    for event in events {
        let begin = out.len();
        if serde_json::to_writer(&mut out, event).is_err() || out.len() - begin > LINE {
            out.truncate(begin);
            left_out += 1;
            continue;
        }
        one_line(&mut out[begin..]);
        out.push(b'\n');
    }
    (out, left_out)
}

/// Raw JSON may hold line ends between its tokens, and only there.
pub fn one_line(json: &mut [u8]) {
    for byte in json.iter_mut().filter(|byte| matches!(**byte, b'\n' | b'\r')) {
        *byte = b' ';
    }
}
