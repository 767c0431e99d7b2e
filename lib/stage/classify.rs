//! kz-classify: says what a call is, by the rules, and where a dedicated tool would do.
//!
//! A finding of the classes write, read, search, discovery and control carries an `offer` only
//! if it is an offense: if the call as a whole could have been the tool's. The other findings
//! are what they are, for whoever asks.

use super::{Context, Memory, Spec, Stage};
use crate::call::EventKind;
use crate::envelope::{Envelope, Fault, Finding};
use crate::rules::{self, Class, Hit};
use crate::shell::{Part, Shell};

/// Recognises parts by the rules.
#[derive(Debug)]
pub struct Classify;

static SPEC: Spec = Spec {
    name: "classify",
    about: "Say what a call is, by the rules, and where a dedicated tool would do.",
    events: &[EventKind::PreTool, EventKind::Permission, EventKind::PostTool],
    reads: &["call.shell", "call.paths", "call.tool", "facts.home"],
    writes: &["findings"],
    config: &[],
};

/// Command words that make a part that cannot be read a matter for a person.
const DANGEROUS: &[&str] = &[
    "rm", "shred", "dd", "mkfs", "wipefs", "fdisk", "parted", "sudo", "doas", "chmod", "chown", "kill", "shutdown",
    "reboot", "curl", "wget", "nc", "ncat", "socat", "base64", "git",
];

/// Most edits in place that one call may make before it is a bulk edit, which no tool does.
const BULK: usize = 4;

impl Stage for Classify {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn run(&self, envelope: &mut Envelope, _cx: &Context, _memory: &mut Memory) -> Result<(), Fault> {
        if !SPEC.events.contains(&envelope.call.event) {
            return Ok(());
        }
        let hits = rules::hit::all(&envelope.call, &envelope.facts);
        let reading = envelope.call.shell.as_ref().map(|shell| Reading::of(shell, &hits));
        for hit in hits.iter().filter(|hit| hit.rule.class.is_finding()) {
            let filter = reading.as_ref().is_some_and(|reading| reading.filters(hit));
            if filter || crowded(hit, &hits) {
                continue;
            }
            let offense = reading.as_ref().is_some_and(|reading| reading.offense(hit));
            envelope.findings.push(Finding {
                by: SPEC.name.into(),
                rule: hit.rule.id.into(),
                class: hit.rule.class.word().into(),
                part: hit.part,
                offer: if offense { hit.rule.offer.into() } else { String::new() },
                why: hit.rule.reason.into(),
                ..Finding::default()
            });
        }
        if let Some(shell) = &envelope.call.shell {
            let doubts = doubts(shell, &envelope.call.command);
            envelope.findings.extend(doubts);
        }
        Ok(())
    }
}

/// Whether a more telling write of the same part is there: `echo x > a` is one write, not two.
fn crowded(hit: &Hit, hits: &[Hit]) -> bool {
    hit.rule.id == "write/output"
        && hits
            .iter()
            .any(|other| other.part == hit.part && other.rule.class == Class::Write && other.rule.id != hit.rule.id)
}

/// Findings for what could not be read.
fn doubts(shell: &Shell, command: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut add = |rule: &str, class: &str, why: &str| {
        found.push(Finding {
            by: SPEC.name.into(),
            rule: rule.into(),
            class: class.into(),
            why: why.into(),
            ..Finding::default()
        });
    };
    if let Some(why) = shell.why.iter().find(|why| why.starts_with("bound")) {
        add("shell/bound", "bound", why);
    }
    if let Some(why) = shell.why.iter().find(|why| !why.starts_with("bound")) {
        // What stands behind a syntax error was not read, so its words are all there is.
        let unread = shell.why.iter().any(|why| why.starts_with("syntax"));
        let word = |word: &str| DANGEROUS.contains(&word);
        let dangerous = shell.parts.iter().any(|part| word(&part.head) && part.head != "git")
            || unread && command.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').any(word);
        add(if dangerous { "shell/opaque-danger" } else { "shell/opaque" }, "opaque", why);
    }
    found
}

/// What a part is for the question whether a tool could have done the call.
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

/// Programs behind a pipe that only show less of what comes in.
const FILTERS: &[&str] = &[
    "head", "tail", "cat", "sort", "less", "more", "nl", "grep", "egrep", "fgrep", "rg", "ag", "sed", "tac", "bat",
    "column",
];

/// The call as a whole.
struct Reading<'a> {
    shell: &'a Shell,
    roles: Vec<Role>,
    /// Whether a look can be an offense: no program, no loop.
    looks: bool,
    /// Whether edits in place are one edit over many files.
    bulk: bool,
}

impl<'a> Reading<'a> {
    fn of(shell: &'a Shell, hits: &[Hit]) -> Self {
        let mut roles: Vec<Role> = shell.parts.iter().map(|part| role(shell, part, hits)).collect();
        for (at, role) in roles.iter_mut().enumerate() {
            if *role == Role::Look && projected(shell, at, 0) {
                *role = Role::Program;
            }
        }
        let looks = !roles.contains(&Role::Program) && !shell.parts.iter().any(looped);
        let edits = hits.iter().filter(|hit| hit.rule.class == Class::Write && hit.rule.offer == "edit");
        let bulk = edits.filter_map(|hit| shell.parts.get(hit.part? as usize)).any(many_files);
        Self { shell, roles, looks, bulk }
    }

    /// Whether what looks like a look only filters what a pipe brings.
    fn filters(&self, hit: &Hit) -> bool {
        let filter = hit.part.and_then(|at| self.roles.get(at as usize)) == Some(&Role::Filter);
        filter && matches!(hit.rule.class, Class::Read | Class::Search | Class::Discovery)
    }

    /// Whether a dedicated tool would have done what this finding is about.
    fn offense(&self, hit: &Hit) -> bool {
        let Some((part, role)) =
            hit.part.and_then(|at| Some((self.shell.parts.get(at as usize)?, self.roles.get(at as usize)?)))
        else {
            return false;
        };
        if part.elsewhere || hit.rule.offer.is_empty() {
            return false;
        }
        match hit.rule.class {
            Class::Write => {
                let edit = hit.rule.offer == "edit";
                !looped(part) && !within_substitution(part) && !(edit && (self.bulk || !edits_repository(part)))
            }
            Class::Read | Class::Search | Class::Discovery => *role == Role::Look && self.looks,
            Class::Control => !looped(part) && !self.roles.contains(&Role::Program),
            _ => false,
        }
    }
}

fn role(shell: &Shell, part: &Part, hits: &[Hit]) -> Role {
    let wrapper = shell.parts.iter().skip(part.n as usize + 1).any(|inner| {
        inner.inside == Some(part.n)
            && inner.ctx.get(part.ctx.len()).is_none_or(|word| word != "cmdsub" && word != "procsub")
    });
    if wrapper || part.argv.is_empty() || within_substitution(part) {
        return Role::Nothing;
    }
    if part.elsewhere {
        return Role::Program;
    }
    let classes =
        |wanted: &[Class]| hits.iter().any(|hit| hit.part == Some(part.n) && wanted.contains(&hit.rule.class));
    let fed = !part.from.is_empty() && !part.ctx.iter().any(|word| word.starts_with("xargs"));
    if fed && FILTERS.contains(&part.head.as_str()) {
        return Role::Filter;
    }
    if classes(&[Class::Write]) {
        return Role::Write;
    }
    let offered = hits.iter().any(|hit| hit.part == Some(part.n) && !hit.rule.offer.is_empty());
    if classes(&[Class::Read, Class::Search, Class::Discovery]) {
        return if offered { Role::Look } else { Role::Program };
    }
    if classes(&[Class::Glue]) || classes(&[Class::Control]) {
        return Role::Nothing;
    }
    // A heredoc that is only shown.
    if part.head == "cat" {
        return Role::Nothing;
    }
    Role::Program
}

/// Whether what a part prints is counted, cut or handed on to a program.
fn projected(shell: &Shell, at: usize, depth: usize) -> bool {
    let consumers =
        shell.parts.iter().enumerate().filter(|(_, part)| part.from.iter().any(|from| *from as usize == at));
    depth < 16
        && consumers.into_iter().any(|(next, part)| {
            let inner = part.head == "xargs" || part.ctx.iter().any(|word| word.starts_with("xargs"));
            if inner {
                return false;
            }
            let words = || part.argv.iter().skip(1).map(|arg| arg.text.as_str());
            let shows = part.head != "sed" || words().any(|word| word == "-n");
            let counts = words().any(|word| matches!(word, "-c" | "--count" | "-q" | "-o"));
            let filter = FILTERS.contains(&part.head.as_str()) && shows && !counts;
            !filter || projected(shell, next, depth + 1)
        })
}

fn looped(part: &Part) -> bool {
    part.ctx.iter().any(|word| {
        let first = word.split(' ').next().unwrap_or_default();
        matches!(first, "for" | "while" | "until" | "select" | "func")
    })
}

fn within_substitution(part: &Part) -> bool {
    part.ctx.iter().any(|word| word == "cmdsub" || word == "procsub")
}

/// Whether one edit in place goes over many files.
fn many_files(part: &Part) -> bool {
    let written = crate::shell::paths(part).into_iter().filter(|path| path.op == crate::shell::Op::Write);
    let files: Vec<_> = written.collect();
    part.appends
        || part.replace.is_some()
        || files.len() > BULK
        || files.iter().any(|path| path.raw.dynamic.contains(&crate::shell::Dynamic::Glob))
}

/// Whether an edit in place touches anything but temp files.
fn edits_repository(part: &Part) -> bool {
    let temp = |text: &str| {
        ["/tmp/", "/private/tmp/", "/var/tmp/", "/var/folders/", "/dev/"].iter().any(|folder| text.starts_with(folder))
    };
    let files: Vec<_> =
        crate::shell::paths(part).into_iter().filter(|path| path.op == crate::shell::Op::Write).collect();
    let there = part.cwd.as_deref().is_some_and(temp);
    files.is_empty()
        || files.iter().any(|path| !temp(&path.raw.text) && (!there || path.raw.text.starts_with(['/', '~'])))
}
