//! Where standard input comes from and where output goes, through any filters.

use super::carry::{Trace, descriptor};
use super::hit::Reader;
use super::{At, Class, Kind, Kinds, Sink, Source};
use crate::call::Op;
use crate::shell::{Arg, Dynamic, Part, Redir, RedirFd};
use std::cell::OnceCell;

/// How deep a chain of wrappers or substitutions is followed.
const DEPTH: usize = 10;

/// Programs that put what they read into the files that they name.
const SAVERS: &[&str] = &["tee", "sponge", "dd", "tee-object", "out-file", "set-content", "add-content"];

/// Where bash opens a connection.
const NETWORK: &[&str] = &["/dev/tcp/", "/dev/udp/"];

/// Most open connections of a line that are told apart.
const MOST_SOCKETS: usize = 64;

/// What is found out once for a shell text, when a rule first asks.
#[derive(Default)]
pub(super) struct Flow {
    /// For each [`Source`], which parts it reaches and how.
    traces: [OnceCell<Trace>; 4],
    /// For each [`Sink`], which parts' output ends up in it.
    goes: [OnceCell<Vec<bool>>; 5],
}

impl Reader<'_> {
    /// Whether what reaches standard input comes from such a source, through any filters.
    pub(super) fn fed(&self, part: &Part, source: Source) -> bool {
        self.reached(part, source, |trace| &trace.fed)
    }

    /// Whether a part reads a file that such a source wrote earlier in the line.
    pub(super) fn reads_file(&self, part: &Part, source: Source) -> bool {
        self.shell.parts.len() > 1 && self.reached(part, source, |trace| &trace.reads)
    }

    /// Whether a part runs a file that such a source wrote earlier in the line.
    pub(super) fn runs_file(&self, part: &Part, source: Source) -> bool {
        self.shell.parts.len() > 1 && self.reached(part, source, |trace| &trace.runs)
    }

    /// Whether such a source reaches a part in this way.
    pub(super) fn reached(&self, part: &Part, source: Source, way: impl Fn(&Trace) -> &Vec<bool>) -> bool {
        let Some(cell) = self.flow.traces.get(source as usize) else { return false };
        if cell.get().is_none() {
            // A rule for sources that asks for its own input would come by here again; the first to
            // get through fills the cell.
            let _ = cell.set(self.trace(source));
        }
        cell.get().and_then(|trace| way(trace).get(part.n as usize)).copied().unwrap_or(false)
    }

    /// Whether what a part prints ends up in such a place, through any filters.
    pub(super) fn goes(&self, part: &Part, sink: Sink) -> bool {
        let Some(cell) = self.flow.goes.get(sink as usize) else { return false };
        if cell.get().is_none() {
            let _ = cell.set(self.going_parts(sink));
        }
        cell.get().and_then(|goes| goes.get(part.n as usize)).copied().unwrap_or(false)
    }

    /// For each part, whether its output goes there: from what takes it back to who feeds that.
    fn going_parts(&self, sink: Sink) -> Vec<bool> {
        let parts = &self.shell.parts;
        let mut sockets: Vec<String> = Vec::new();
        let sent = parts.iter().map(|part| {
            let mut open = sockets.clone();
            open_sockets(part, &mut open);
            let sent = sink == Sink::Network && writes_to(part, &open);
            if part.head == "exec" || part.argv.is_empty() {
                sockets = open;
            }
            sent || self.is_sent(part, sink)
        });
        let mut goes: Vec<bool> = sent.collect();
        let takes = |at: &usize| goes.get(*at).copied().unwrap_or(false) || self.is_sink(*at, sink);
        let mut todo: Vec<usize> = (0..parts.len()).filter(takes).collect();
        // Each part is put in once for itself and once when it is first seen to go there.
        while let Some(taker) = todo.pop() {
            let Some(part) = parts.get(taker) else { continue };
            let words = matches!(sink, Sink::Network | Sink::Any);
            let inner = self.inner.get(taker).filter(|_| words).map_or(&[][..], Vec::as_slice);
            // What stands in a substitution of its words feeds it, except `>(…)`, which it feeds.
            let within = inner.iter().copied().filter(|at| {
                parts.get(*at).is_some_and(|inner| {
                    inner.ctx.iter().skip(part.ctx.len()).any(|word| is_substitution(word))
                        && !inner.from.contains(&part.n)
                })
            });
            let feeders: Vec<usize> = part.from.iter().map(|from| *from as usize).chain(within).collect();
            for at in feeders {
                if let (Some(slot @ false), Some(feeder)) = (goes.get_mut(at), parts.get(at))
                    && !feeder.redirs.iter().any(diverts)
                {
                    *slot = true;
                    todo.push(at);
                }
            }
        }
        goes
    }

    /// Whether a redirect of the part's own sends its output there.
    fn is_sent(&self, part: &Part, sink: Sink) -> bool {
        part.redirs.iter().any(|redir| {
            if !diverts(redir) {
                return false;
            }
            let net = NETWORK.iter().any(|folder| redir.target.text.starts_with(folder));
            let null = || self.place_of(part).kinds(redir.target()).has(Kind::Null);
            match sink {
                Sink::Network => net,
                Sink::File => !net && !null(),
                Sink::Any => net || !null(),
                Sink::Shell | Sink::Interpreter => false,
            }
        })
    }

    /// Whether a part that is fed is such a place.
    fn is_sink(&self, at: usize, sink: Sink) -> bool {
        let of = |classes: &[Class]| classes.iter().any(|class| self.is_of(at, *class));
        match sink {
            Sink::Network => of(&[Class::Upload]),
            Sink::Shell => of(&[Class::Shell]),
            Sink::Interpreter => of(&[Class::Shell, Class::Interpreter]),
            Sink::Any => true,
            Sink::File => self.shell.parts.get(at).is_some_and(|part| {
                SAVERS.contains(&part.head.as_str())
                    && crate::shell::paths(part).iter().any(|path| path.op == Op::Write)
            }),
        }
    }

    /// Whether a substitution that stands in the part's words runs such a source.
    pub(super) fn holds_code(&self, part: &Part, source: Source) -> bool {
        self.runs(part.n as usize, part.ctx.len(), source, 0)
    }

    fn runs(&self, at: usize, depth: usize, source: Source, level: usize) -> bool {
        let inner = self.inner.get(at).map_or(&[][..], Vec::as_slice);
        level < DEPTH
            && inner.iter().any(|at| {
                let ctx = self.shell.parts.get(*at).map_or(&[][..], |part| part.ctx.as_slice());
                let substituted = ctx.iter().skip(depth).any(|word| is_substitution(word));
                substituted && self.is_source(*at, source) || self.runs(*at, depth, source, level + 1)
            })
    }

    /// Whether a part is itself such a source.
    pub(super) fn is_source(&self, at: usize, source: Source) -> bool {
        match source {
            Source::Download => self.is_of(at, Class::Download),
            Source::Decoder => self.is_of(at, Class::Decoder),
            Source::Secret => self.view(at).is_some_and(|view| {
                let place = view.place(self.place);
                let words = view.select(At::Reads, &[], 0, self.shell);
                let flat = view.has("--no-recursion");
                let secret = |kinds: Kinds| {
                    kinds.has(Kind::Secret) || kinds.has(Kind::SecretFolder) && (!flat || kinds.has(Kind::Glob))
                };
                view.is_known() && words.iter().any(|arg| secret(place.kinds(arg)))
            }),
            Source::Any => true,
        }
    }
}

/// Whether a redirect takes what the command prints out of its pipe.
fn diverts(redir: &Redir) -> bool {
    let output = redir.fd == RedirFd::Number(1) && redir.op.starts_with('>') && redir.op != ">&";
    (output || redir.op.starts_with("&>")) && !redir.target.dynamic.contains(&Dynamic::Proc)
}

/// Notes the descriptors that a part opens to the network or closes, by number or name, and their copies.
fn open_sockets(part: &Part, found: &mut Vec<String>) {
    for redir in &part.redirs {
        let target = redir.target();
        let fd = descriptor(&redir.fd);
        let opened = NETWORK.iter().any(|folder| target.text.starts_with(folder));
        let copied = redir.op == ">&" && !found.is_empty() && is_open(target, found);
        if redir.op == ">&" && target.text == "-" {
            found.retain(|known| *known != fd);
        } else if (opened || copied) && !found.contains(&fd) && fd != "1" && found.len() < MOST_SOCKETS {
            found.push(fd);
        }
    }
}

/// Whether a target is one of these descriptors; of one in a variable nobody knows.
fn is_open(target: &Arg, sockets: &[String]) -> bool {
    target.text.starts_with('«')
        || sockets.iter().any(|fd| {
            let name = target.text.trim_end_matches('-');
            fd == name || is_allocated(fd, name)
        })
}

/// Whether a number may be that of a named descriptor: bash allocates from 10 on.
fn is_allocated(fd: &str, number: &str) -> bool {
    fd.starts_with(|c: char| !c.is_ascii_digit()) && number.parse::<u32>().is_ok_and(|number| number >= 10)
}

/// Whether a part writes to such a descriptor, by redirect or by `/dev/fd`.
fn writes_to(part: &Part, sockets: &[String]) -> bool {
    let by_name = |arg: &Arg| {
        let name = ["/dev/fd/", "/proc/self/fd/"].iter().find_map(|folder| arg.text.strip_prefix(folder));
        name.is_some_and(|name| name.starts_with('«') || sockets.iter().any(|fd| fd == name || is_allocated(fd, name)))
    };
    !sockets.is_empty()
        && part.head != "exec"
        && (part.redirs.iter().any(|redir| redir.op == ">&" && is_open(redir.target(), sockets))
            || part.words().iter().skip(1).any(by_name))
}

fn is_substitution(word: &str) -> bool {
    word == "cmdsub" || word == "procsub"
}

/// Whether a part stands in a substitution of the part it is inside of.
pub(super) fn substituted(part: &Part) -> bool {
    part.ctx.iter().any(|word| is_substitution(word))
}
