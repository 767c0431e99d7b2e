//! The chain guard: a gated call is one simple command, so that an allowed beginning cannot carry
//! something else in. Judged on the syntax tree, so that quoted text never breaks it.

use crate::call::Call;
use crate::shell::ast::{CommandKind, PieceKind, Script};
use crate::shell::{Shell, parse};

/// What makes the call more than one simple command, if anything does.
pub(super) fn broken(call: &Call) -> Option<String> {
    let Some(shell) = &call.shell else { return Some("no command that can be read".to_owned()) };
    if let Some(why) = shell.why.first().filter(|_| shell.opaque) {
        return Some(format!("something that cannot be read ({why})"));
    }
    let outer = if shell.dialect.is_empty() { in_bash(&call.command) } else { in_powershell(&call.command) };
    outer.or_else(|| inside(shell)).map(str::to_owned)
}

fn in_bash(command: &str) -> Option<&'static str> {
    let script = parse::parse(command);
    if script.error.is_some() || script.late.is_some() {
        return Some("something that cannot be read");
    }
    if let Some(what) = script.pieces.iter().find_map(|piece| substitution(piece.kind)) {
        return Some(what);
    }
    let [pipeline] = script.pipelines.get(script.body.range())? else { return Some(several(&script)) };
    if pipeline.background {
        return Some("a background `&`");
    }
    if pipeline.negated || pipeline.timed {
        return Some("a `!` or `time` before the command");
    }
    let [command_node] = script.commands.get(pipeline.stages.range())? else { return Some("a pipe") };
    if !matches!(command_node.kind, CommandKind::Simple { .. }) {
        return Some("a group, a subshell or another compound command");
    }
    let rest = command.get(pipeline.span.end as usize..).unwrap_or_default();
    rest.trim_start_matches([' ', '\t']).starts_with(';').then_some("a `;`")
}

fn substitution(kind: PieceKind) -> Option<&'static str> {
    match kind {
        PieceKind::Substitution { .. } => Some("a command substitution"),
        PieceKind::Process { .. } => Some("a process substitution"),
        PieceKind::Text
        | PieceKind::Decoded(_)
        | PieceKind::Glob
        | PieceKind::Tilde
        | PieceKind::Ifs
        | PieceKind::Variable(_)
        | PieceKind::Arithmetic { .. }
        | PieceKind::Array { .. } => None,
    }
}

fn several(script: &Script) -> &'static str {
    if script.body.is_empty() { "no command" } else { "several commands" }
}

/// What a shell in the shell runs, or a program that starts others: one command too.
fn inside(shell: &Shell) -> Option<&'static str> {
    let more = |part: &crate::shell::Part| {
        !part.by.is_empty()
            || part.ctx.iter().any(|word| word.starts_with("pipe ") || word == "cmdsub" || word == "procsub")
    };
    shell.parts.iter().any(more).then_some("several commands in a shell of its own")
}

/// Its grammar is not ours, so here the characters count wherever they stand.
fn in_powershell(command: &str) -> Option<&'static str> {
    let found = command.trim().contains([';', '|', '&', '\n', '`', '(', '{', '@']);
    found.then_some("a character that can begin another command (`;`, `|`, `&`, `(`, `{`, `@` or a backtick)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::check;

    #[test]
    fn one_simple_command_and_nothing_else() {
        for command in [
            "pa search x",
            "pa search \"a|b\"",
            "pa search 'a && b; c'",
            "pa search a\\;b",
            "pa search \"$X\" ${Y:-z} $((1 + 2))",
            "  git status\n",
            "git status # ; rm x | y",
            "pa note <<'E'\na; b | c && $(d)\nE",
            "pa note <<< 'a; b'",
            "git status 2>&1 > /tmp/x",
            "A=1 pa x",
            "timeout 5 pa x",
            "bash -c 'pa x'",
            "pa x \\\n  y",
        ] {
            assert_eq!(broken(&check::call(command, "")), None, "{command}");
        }
    }

    #[test]
    fn what_breaks_it() {
        for command in [
            "pa x; ls",
            "pa x;",
            "pa x ;",
            "pa x && ls",
            "pa x || ls",
            "pa x | ls",
            "pa x |& ls",
            "pa x &",
            "pa x & ls",
            "pa x\nls",
            "pa `ls`",
            "pa $(ls)",
            "pa \"$(ls)\"",
            "pa \"a `ls` b\"",
            "pa ${X:-$(ls)}",
            "pa $(( $(ls) ))",
            "pa <(ls)",
            "pa >(ls)",
            "(pa x)",
            "{ pa x; }",
            "if pa x; then ls; fi",
            "f() { pa x; }",
            "pa <<E\n$(ls)\nE",
            "A=$(ls) pa x",
            "! pa x",
            "pa 'x",
            "eval \"$X\"",
            "bash -c 'pa x; ls'",
            "bash -c 'pa x | ls'",
            "bash -c 'pa $(ls)'",
            "",
            "# nothing",
        ] {
            assert!(broken(&check::call(command, "")).is_some(), "{command}");
        }
    }
}
