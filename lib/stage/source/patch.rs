//! Patches: which files one names that the command does not spell out.

use crate::call::Op;
use crate::shell::{Arg, Operand, Part, Redir, RedirFd, collapse, locate, paths};
use crate::world::World;
use std::path::Path;

/// Most bytes of a patch file that are read.
const LONGEST: u64 = 1 << 20;

/// `git diff -- a > p` and then `git apply p`: the files that the patch can name, as a part that
/// writes them.
pub(super) fn made(parts: &[Part], at: usize) -> Option<Part> {
    let apply = parts.get(at).filter(|part| part.head == "git")?;
    let [_, word, file] = apply.words() else { return None };
    let patch = file.certain().filter(|_| word.text == "apply")?;
    let into = |part: &&Part| part.redirs.iter().any(|redir| redir.op.starts_with('>') && redir.target().text == patch);
    let diff = parts.get(..at)?.iter().rev().find(into)?;
    let [redir] = diff.redirs.as_slice() else { return None };
    let words = diff.words();
    let named = words.iter().position(|word| word.text == "--").and_then(|dashes| words.get(dashes + 1..))?;
    // Those of a patch are seen from the top of the repository.
    let plain = |word: &Arg| {
        word.certain().is_some_and(|text| !text.starts_with([':', '/']) && !text.contains(['*', '?', '[']))
    };
    let whole = diff.head == "git" && words.get(1).is_some_and(|word| word.text == "diff") && redir.op == ">";
    let same = diff.cwd == apply.cwd && !diff.cwd_unknown && !apply.cwd_unknown;
    if !whole || !same || named.is_empty() || !named.iter().all(plain) {
        return None;
    }
    let argv = std::iter::once(Arg::literal("touch")).chain(named.iter().cloned()).collect();
    Some(Part { head: "touch".into(), argv, known: None, redirs: Vec::new().into(), ..apply.clone() })
}

/// `git apply p`, `patch -p1 < p`: the same part with the text of the file as a here-document, if the
/// one file that it reads is there and no part before it may have written it.
pub(super) fn on_disk(
    parts: &[Part],
    at: usize,
    reads: &[Operand],
    base: Option<&Path>,
    home: Option<&Path>,
    world: &dyn World,
) -> Option<Part> {
    let part = parts.get(at).filter(|part| !part.elsewhere && !part.cwd_unknown)?;
    if !matches!(part.head.as_str(), "git" | "patch" | "gpatch") {
        return None;
    }
    let mut named = reads.iter().filter(|operand| operand.op == Op::Read);
    let (file, None) = (named.next().filter(|operand| operand.sure)?, named.next()) else { return None };
    let name = file.raw.certain()?;
    let place = locate(part, file, base?, home)?;
    let (base, home) = (base?, home);
    let touches = |part: &Part, path: &Operand| {
        let apart = path.sure && path.raw.dynamic.is_empty() && path.link.is_none();
        let at = locate(part, path, base, home).filter(|_| apart).map(|at| collapse(&at));
        at.is_none_or(|at| collapse(&place).starts_with(at))
    };
    let changes = |part: &Part| {
        let turned = !part.turns.is_empty() || part.cwd_unknown;
        let writes = |path: &&Operand| path.op != Op::Read && path.op != Op::List;
        !part.open.is_empty() || paths(part).iter().filter(writes).any(|path| turned || touches(part, path))
    };
    if parts.get(..at)?.iter().any(changes) {
        return None;
    }
    let text = String::from_utf8(world.read(&world.resolve(&place), LONGEST).ok()?).ok()?;
    let mut argv = part.words().to_vec();
    if let Some(at) = argv.iter().position(|word| word.text == name) {
        argv.remove(at);
        if at
            .checked_sub(1)
            .and_then(|at| argv.get(at))
            .is_some_and(|word| matches!(word.text.as_str(), "-i" | "--input"))
        {
            argv.remove(at - 1);
        }
    }
    let here = Redir { fd: RedirFd::Number(0), op: "<<".into(), target: Arg::literal(text), known: None };
    let mut redirs: Vec<Redir> = part.redirs.iter().filter(|redir| !redir.op.starts_with('<')).cloned().collect();
    redirs.push(here);
    Some(Part { argv: argv.into(), known: None, redirs: redirs.into(), ..part.clone() })
}
