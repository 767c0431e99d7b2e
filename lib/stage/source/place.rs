//! Where the paths of a call lie, as far as that can be said without looking at the disk.

use crate::call::CallPath;
use crate::shell::{self, Shell};
use crate::world::World;
use std::path::{Path, PathBuf};

/// Paths in the parts of a command, and where they lie if that is certain.
///
/// Writes into the parts why they may touch more.
pub fn operands(shell: &mut Shell, base: Option<&Path>, home: Option<&Path>) -> Vec<(CallPath, Option<PathBuf>)> {
    let mut rows = Vec::new();
    for part in &mut shell.parts {
        let touched = shell::touched(part);
        if let Some(open) = touched.open {
            part.open = open.into_owned();
        }
        for operand in touched.operands {
            let place = base.and_then(|base| shell::locate(part, &operand, base, home));
            let (raw, op, sure, part) = (operand.raw.text, operand.op, operand.sure, Some(operand.part));
            rows.push((CallPath { raw, op, sure, part, ..CallPath::default() }, place));
        }
    }
    rows
}

/// A path of a tool's input, made absolute. None if that takes knowledge that we do not have.
pub fn absolute(raw: &str, base: Option<&Path>, home: Option<&Path>) -> Option<PathBuf> {
    if raw == "~" {
        return home.map(Path::to_owned);
    }
    if let Some(rest) = raw.strip_prefix("~/") {
        return home.map(|home| home.join(rest));
    }
    let path = Path::new(raw);
    if path.is_absolute() {
        return Some(path.to_owned());
    }
    base.map(|base| base.join(path))
}

/// Whether a path is written for Windows and the machine has no such place: `C:\\x`, `\\\\wsl$\\x`, and
/// `/c/x` where no folder has that name.
pub fn elsewhere(raw: &str, place: &Path, world: &dyn World) -> bool {
    let absent = |path: &Path| world.stat(path).is_none();
    match raw.as_bytes() {
        [b'/', letter, b'/', ..] if letter.is_ascii_alphabetic() => {
            raw.get(..2).is_some_and(|top| absent(Path::new(top)))
        }
        [b'\\', b'\\', ..] => absent(place),
        [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic() => absent(place),
        _ => false,
    }
}
