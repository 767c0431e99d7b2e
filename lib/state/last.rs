//! The last envelopes of a session that said something, for `kz explain --last`.

use super::store::trouble;
use crate::envelope::{Envelope, Fault, encode};
use crate::text::mask_json;
use crate::world::World;
use memchr::{memrchr, memrchr_iter};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Envelopes kept.
const KEPT: usize = 20;
/// Size at which the file is cut down to them.
const FULL: u64 = 512 << 10;
/// Size from which an envelope's big parts are left out.
const LARGE: usize = 64 << 10;
/// What is left of a long command or prompt.
const HEAD: usize = 2_000;
/// What is read: the file may be a little over [`FULL`].
const READ: u64 = 2 << 20;
/// Sessions looked at for the newest.
const SESSIONS: usize = 4_096;

/// Keeps an envelope that has a vote, note or fault (`faults`, those of the commit, among them).
pub fn keep(envelope: &mut Envelope, path: &Path, world: &dyn World, faults: &mut Vec<Fault>) {
    if envelope.votes.is_empty() && envelope.notes.is_empty() && envelope.faults.is_empty() && faults.is_empty() {
        return;
    }
    let mut line = mask_json(&without_hook(envelope, faults)).into_owned().into_bytes();
    line.push(b'\n');
    match world.append(path, u64::MAX, &mut |_| line.clone()) {
        Ok(appended) if appended.end > FULL => {
            // One more line that another hook writes right now may be lost; it is no log.
            let cut = read(path, world).and_then(|lines| {
                world.replace(path, lines.iter().flat_map(|line| [line, "\n"]).collect::<String>().as_bytes())
            });
            if let Err(error) = cut {
                faults.push(trouble("cut down the last calls", path, &error));
            }
        }
        Ok(_) => {}
        // Where the log could not be written either, one fault is enough.
        Err(error) if faults.is_empty() => faults.push(trouble("keep this call for `kz explain --last`", path, &error)),
        Err(_) => {}
    }
}

/// The last 20 lines, oldest first.
pub fn read(path: &Path, world: &dyn World) -> io::Result<Vec<String>> {
    let bytes = match world.read_end(path, 0, READ) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        read => read?.1,
    };
    // A torn last line is none.
    let whole = &bytes[..memrchr(b'\n', &bytes).map_or(0, |end| end + 1)];
    let begin = memrchr_iter(b'\n', whole).nth(KEPT).map_or(0, |end| end + 1);
    let lines = whole[begin..].split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    Ok(lines.map(|line| String::from_utf8_lossy(line).into_owned()).collect())
}

/// Name of the session that wrote last.
pub fn newest(folder: &Path, world: &dyn World) -> Option<String> {
    let sessions = folder.join("sessions");
    let names = world.list(&sessions, SESSIONS).ok()?;
    let dated = names.into_iter().filter_map(|name| {
        let found = world.stat(&sessions.join(&name).join("last.jsonl"))?;
        Some((found.modified, name.into_string().ok()?))
    });
    dated.max().map(|(_, name)| name)
}

/// The line without the payload, and without what makes it large.
fn without_hook(envelope: &mut Envelope, faults: &[Fault]) -> String {
    let hook = std::mem::take(&mut envelope.hook);
    let own = envelope.faults.len();
    envelope.faults.extend_from_slice(faults);
    let mut line = encode(envelope);
    if line.len() > LARGE {
        let mut small = envelope.clone();
        small.call.shell = None;
        small.call.paths.truncate(KEPT);
        for text in [&mut small.call.command, &mut small.call.prompt] {
            text.truncate(text.floor_char_boundary(HEAD));
        }
        line = encode(&small);
    }
    envelope.faults.truncate(own);
    envelope.hook = hook;
    line
}
