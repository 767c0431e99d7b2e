//! Whether a dedicated tool would have done what a command does.
//!
//! The question is about the call as a whole: a look beside a real program run, in a loop, or
//! counted at the end of its pipe has no tool of its own. Wrappers are looked through and never
//! excuse anything.

use crate::call::Op;
use crate::rules::{Class, Hit};
use crate::shell::{self, Dynamic, Part, Shell};

/// Most files that edits in place of one command may name before it is a bulk edit, which no tool does.
const BULK: usize = 4;

/// How many parts behind `xargs` can be what it runs, seen through wrappers.
const DEEP: usize = 8;

/// The rule of redirects that no other rule knows; a seed's `<catch-all>`.
pub const CATCH_ALL: &str = "write/redirect";

/// Programs behind a pipe that only show less of what comes in.
const FILTERS: &[&str] = &[
    "head",
    "tail",
    "cat",
    "sort",
    "less",
    "more",
    "nl",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "sed",
    "tac",
    "bat",
    "column",
    "select-string",
    "select-object",
    "sort-object",
    "where-object",
    "out-string",
    "out-host",
    "format-table",
    "format-list",
];

/// What a part is for the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Nothing by itself: cd, echo, tests, wrappers, what stands in a substitution.
    Nothing,
    /// Reads, searches or lists.
    Look,
    /// Takes from a pipe and passes on: head, grep, sort.
    Filter,
    /// Writes a file.
    Write,
    /// Anything else.
    Program,
}

/// The call as a whole.
pub(super) struct Reading<'a> {
    shell: &'a Shell,
    roles: Vec<Role>,
    /// Whether a look can be an offense: no program, no loop.
    looks: bool,
    /// Whether edits in place are one edit over many files.
    bulk: bool,
    /// Whether something real runs.
    program: bool,
}

impl<'a> Reading<'a> {
    /// Reads a call; the hits are in order of parts.
    pub fn of(shell: &'a Shell, hits: &[Hit]) -> Self {
        let count = shell.parts.len();
        let mut wraps = vec![false; count];
        let mut consumers: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut own: Vec<Vec<&Hit>> = vec![Vec::new(); count];
        for (at, part) in shell.parts.iter().enumerate() {
            let outer = part.inside.and_then(|outer| Some((outer as usize, shell.parts.get(outer as usize)?)));
            if let Some((outer, around)) = outer
                && part.ctx.get(around.ctx.len()).is_none_or(|word| !substitution(word))
                && let Some(slot) = wraps.get_mut(outer)
            {
                *slot = true;
            }
            for from in &part.from {
                if let Some(list) = consumers.get_mut(*from as usize) {
                    list.push(at);
                }
            }
        }
        for hit in hits {
            if let Some(list) = hit.part.and_then(|at| own.get_mut(at as usize)) {
                list.push(hit);
            }
        }
        let each = shell.parts.iter().zip(wraps).zip(&own);
        let first: Vec<Role> = each.map(|((part, wraps), own)| role(part, wraps, own)).collect();
        let pipes = Pipes { shell, consumers, roles: &first };
        let second = first.iter().zip(pipes.projected()).map(|(role, projected)| match role {
            Role::Look if projected => Role::Program,
            other => *other,
        });
        let roles: Vec<Role> = second.collect();
        let program = roles.contains(&Role::Program);
        let edits = hits.iter().filter(|hit| hit.rule.class == Class::Write && hit.rule.offer == "edit");
        Self {
            shell,
            looks: !program && !shell.parts.iter().any(looped),
            bulk: edits.filter_map(|hit| shell.parts.get(hit.part? as usize)).any(many_files),
            program,
            roles,
        }
    }

    /// Whether what looks like a look only filters what a pipe brings.
    pub fn filters(&self, hit: &Hit) -> bool {
        let filter = hit.part.and_then(|at| self.roles.get(at as usize)) == Some(&Role::Filter);
        filter && matches!(hit.rule.class, Class::Read | Class::Search | Class::Discovery)
    }

    /// Whether a dedicated tool would have done what this finding is about.
    pub fn offense(&self, hit: &Hit) -> bool {
        let at = hit.part.map(|at| at as usize);
        let Some((part, role)) = at.and_then(|at| Some((self.shell.parts.get(at)?, self.roles.get(at)?))) else {
            return false;
        };
        if part.elsewhere || hit.rule.offer.is_empty() {
            return false;
        }
        match hit.rule.class {
            Class::Write => {
                let edit = hit.rule.offer == "edit";
                // What a program beside it runs for may want the file made in just this way.
                if hit.rule.id == CATCH_ALL && self.program {
                    return false;
                }
                !looped(part) && !substituted(part) && !(edit && (self.bulk || !edits_repository(part)))
            }
            Class::Read | Class::Search | Class::Discovery => *role == Role::Look && self.looks,
            Class::Control => !looped(part) && !self.program,
            _ => false,
        }
    }
}

fn role(part: &Part, wraps: bool, own: &[&Hit]) -> Role {
    if wraps || part.argv.is_empty() || substituted(part) {
        return Role::Nothing;
    }
    if part.elsewhere {
        return Role::Program;
    }
    if !part.from.is_empty() && !by_xargs(part) && FILTERS.contains(&part.head.as_str()) {
        return Role::Filter;
    }
    let of = |classes: &[Class]| own.iter().any(|hit| classes.contains(&hit.rule.class));
    if of(&[Class::Write]) {
        return Role::Write;
    }
    if of(&[Class::Read, Class::Search, Class::Discovery]) {
        let offered = own.iter().any(|hit| !hit.rule.offer.is_empty());
        return if offered { Role::Look } else { Role::Program };
    }
    // A `cat` without files shows a here-document.
    if of(&[Class::Glue, Class::Control]) || part.head == "cat" {
        return Role::Nothing;
    }
    Role::Program
}

/// Who takes what a part prints.
struct Pipes<'a> {
    shell: &'a Shell,
    consumers: Vec<Vec<usize>>,
    roles: &'a [Role],
}

impl Pipes<'_> {
    /// For each part, whether what it prints is counted, cut or handed on to a program. Who takes
    /// something stands behind who prints it, so one pass from the end does it.
    fn projected(&self) -> Vec<bool> {
        let shows: Vec<bool> = (0..self.consumers.len()).map(|at| self.shows(at)).collect();
        let mut projected = vec![false; self.consumers.len()];
        for at in (0..self.consumers.len()).rev() {
            let cut = self.consumers[at]
                .iter()
                .any(|to| !shows.get(*to).copied().unwrap_or(true) || projected.get(*to).copied().unwrap_or(false));
            projected[at] = cut;
        }
        projected
    }

    /// Whether a part shows what comes in, or looks at the files whose names come in.
    fn shows(&self, at: usize) -> bool {
        let Some(part) = self.shell.parts.get(at) else { return true };
        let looks = |at: usize| self.roles.get(at) == Some(&Role::Look);
        if part.head == "xargs" {
            let inner = self.shell.parts.iter().enumerate().skip(at + 1);
            return inner.take(DEEP).any(|(at, inner)| by_xargs(inner) && looks(at));
        }
        if by_xargs(part) {
            return looks(at);
        }
        let words = || part.argv.iter().skip(1).map(|arg| arg.text.as_str());
        let lines = part.head != "sed" || words().any(|word| word == "-n");
        let counts = words().any(|word| matches!(word, "-c" | "--count" | "-q" | "-o"));
        FILTERS.contains(&part.head.as_str()) && lines && !counts
    }
}

fn by_xargs(part: &Part) -> bool {
    part.ctx.iter().any(|word| word.starts_with("xargs"))
}

fn looped(part: &Part) -> bool {
    part.ctx.iter().any(|word| {
        let first = word.split(' ').next().unwrap_or_default();
        matches!(first, "for" | "while" | "until" | "select" | "func")
    })
}

fn substitution(word: &str) -> bool {
    word == "cmdsub" || word == "procsub"
}

fn substituted(part: &Part) -> bool {
    part.ctx.iter().any(|word| substitution(word))
}

fn written(part: &Part) -> Vec<shell::Operand> {
    shell::paths(part).into_iter().filter(|path| path.op == Op::Write).collect()
}

/// Whether one edit in place goes over many files.
fn many_files(part: &Part) -> bool {
    let files = written(part);
    let glob = files.iter().any(|path| path.raw.dynamic.contains(&Dynamic::Glob));
    part.appends || part.replace.is_some() || files.len() > BULK || glob
}

/// Whether an edit in place touches anything but temp files.
fn edits_repository(part: &Part) -> bool {
    let folders = ["/tmp/", "/private/tmp/", "/var/tmp/", "/var/folders/", "/private/var/folders/", "/dev/"];
    let temp = |text: &str| folders.iter().any(|folder| text.starts_with(folder));
    let there = part.cwd.as_deref().is_some_and(|cwd| temp(&format!("{cwd}/")));
    let files = written(part);
    let elsewhere = |text: &str| !temp(text) && (!there || text.starts_with(['/', '~']));
    files.is_empty() || files.iter().any(|path| elsewhere(&path.raw.text))
}
