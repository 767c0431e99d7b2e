//! Matching: which rules recognise which parts of a call.

use super::view::View;
use super::{At, Class, Clause, Kind, Kinds, Operand, Pack, Place, RedirectOp, Rule, Source, code, for_head, for_tool};
use crate::call::{Call, Op, canonical_tool};
use crate::envelope::Facts;
use crate::shell::{Arg, Dynamic, Part, Shell};
use std::borrow::Cow;
use std::cell::OnceCell;

/// A rule that recognised something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The rule.
    pub rule: &'static Rule,
    /// The part it was found in; `None` for a tool that is no shell.
    pub part: Option<u32>,
}

impl Eq for Rule {}

/// Interpreters whose program text may run shell lines.
pub(super) const INTERPRETERS: &[&str] =
    &["python", "python2", "python3", "node", "ruby", "perl", "php", "deno", "bun", "awk", "gawk", "mawk", "nawk"];

/// How deep a chain of wrappers, pipes or shell lines in program texts is followed.
const DEPTH: usize = 10;

/// Everything that the rules recognise in a call, in order of parts, pack files and lines.
pub fn hits(call: &Call, facts: &Facts) -> Vec<Hit> {
    let mut found = all(call, facts);
    found.retain(|hit| hit.rule.class.is_finding());
    found
}

/// As [`hits`], with the hits that only serve other rules and the stages.
pub(crate) fn all(call: &Call, facts: &Facts) -> Vec<Hit> {
    let place = Place {
        cwd: call.cwd.clone(),
        root: if call.root.is_empty() { call.cwd.clone() } else { call.root.clone() },
        home: facts.home.clone(),
    };
    let mut found = Vec::new();
    match &call.shell {
        Some(shell) => Reader::of(shell, &place).read(&mut found, 0),
        None => tool(call, &place, &mut found),
    }
    found
}

/// Rules for tools that are no shell. They are chosen by what happens to each path, so that any
/// tool that reads or writes is seen, and by the tool's own name.
fn tool(call: &Call, place: &Place, found: &mut Vec<Hit>) {
    let name = canonical_tool(&call.tool);
    let own = if matches!(name, "read" | "write" | "edit" | "notebook_edit") { "" } else { name };
    let all: &[Op] = &[Op::Read, Op::Write, Op::Delete, Op::List];
    for (key, ops) in [("read", &[Op::Read][..]), ("write", &[Op::Write, Op::Delete]), (own, all)] {
        let paths = call.paths.iter().filter(|path| ops.contains(&path.op));
        let words: Vec<Arg> =
            paths.map(|path| Arg::literal(if path.path.is_empty() { &path.raw } else { &path.path })).collect();
        for (_, rule) in for_tool(key) {
            let fits = rule.base.operands.iter().all(|matcher| matched(matcher, &words, |arg| place.of(&arg.text)));
            let hit = Hit { rule, part: None };
            if fits && !words.is_empty() && !found.contains(&hit) {
                found.push(hit);
            }
        }
    }
}

/// Most turns of one part that are judged each by itself; beyond, the part speaks for all.
const MOST_TURNS: usize = 64;

/// The parts of one shell text, each looked at once at most.
struct Reader<'a> {
    shell: &'a Shell,
    place: &'a Place,
    views: Vec<OnceCell<View<'a>>>,
    /// For each part, the parts that stand directly inside of it.
    inner: Vec<Vec<usize>>,
    /// For each [`Source`], which parts are fed by it; found out when first asked.
    fed: [OnceCell<Vec<bool>>; 3],
}

impl<'a> Reader<'a> {
    fn of(shell: &'a Shell, place: &'a Place) -> Self {
        let mut inner: Vec<Vec<usize>> = vec![Vec::new(); shell.parts.len()];
        for (at, part) in shell.parts.iter().enumerate() {
            if let Some(list) = part.inside.and_then(|outer| inner.get_mut(outer as usize)) {
                list.push(at);
            }
        }
        Self {
            shell,
            place,
            views: shell.parts.iter().map(|_| OnceCell::new()).collect(),
            inner,
            fed: Default::default(),
        }
    }

    fn read(&self, found: &mut Vec<Hit>, depth: usize) {
        for (at, part) in self.shell.parts.iter().enumerate() {
            let n = u32::try_from(at).ok();
            // The turns of a loop or of calls are what runs; the part itself is what they have in common.
            let turns = Some(&part.turns).filter(|turns| !turns.is_empty() && turns.len() <= MOST_TURNS);
            match turns {
                None => {
                    let seen = rules(part).filter(|(pack, rule)| self.recognises(pack, rule, at));
                    found.extend(seen.map(|(_, rule)| Hit { rule, part: n }));
                }
                Some(turns) => self.turns(turns, n, found),
            }
            if depth < 2 && INTERPRETERS.contains(&head(part).as_str()) {
                self.program_text(at, found, depth);
            }
        }
    }

    /// What is recognised in any of the turns of part `n`.
    fn turns(&self, turns: &'a [Part], n: Option<u32>, found: &mut Vec<Hit>) {
        let first = found.len();
        for turn in turns {
            let view = View::of(turn, &head(turn));
            for (pack, rule) in rules(turn) {
                let hit = Hit { rule, part: n };
                let known = found.get(first..).is_some_and(|found| found.contains(&hit));
                if !known && self.is_seen(pack, rule, &view) {
                    found.push(hit);
                }
            }
        }
    }

    /// Danger in the shell lines of a program text; it counts for the part that runs the text.
    fn program_text(&self, at: usize, found: &mut Vec<Hit>, depth: usize) {
        let Some(view) = self.view(at) else { return };
        // What the shell reader has read of a program, it has as parts: its literals are no commands.
        let lines = |text: &String| match view.code_is_read() {
            true => code::misplaced(text).then(|| text.clone()).into_iter().collect(),
            false => code::shell_lines(text),
        };
        for line in view.code(self.shell).iter().flat_map(lines) {
            let shell = crate::shell::read(&line);
            let mut inner = Vec::new();
            Reader::of(&shell, self.place).read(&mut inner, depth + 1);
            for hit in inner.into_iter().filter(|hit| hit.rule.class == Class::Danger) {
                let hit = Hit { part: u32::try_from(at).ok(), ..hit };
                if !found.contains(&hit) {
                    found.push(hit);
                }
            }
        }
    }

    fn view(&self, at: usize) -> Option<&View<'a>> {
        let part = self.shell.parts.get(at)?;
        Some(self.views.get(at)?.get_or_init(|| View::of(part, &head(part))))
    }

    fn recognises(&self, pack: &Pack, rule: &Rule, at: usize) -> bool {
        self.view(at).is_some_and(|view| self.is_seen(pack, rule, view))
    }

    fn is_seen(&self, pack: &Pack, rule: &Rule, view: &View<'_>) -> bool {
        view.begins(rule.args)
            && !pack.harmless.iter().any(|option| view.has(option))
            && self.holds(&rule.base, view, rule.args.len())
            && (rule.when.is_empty() || rule.when.iter().any(|way| self.holds(way, view, rule.args.len())))
    }

    fn holds(&self, clause: &Clause, view: &View<'_>, args: usize) -> bool {
        (clause.any.is_empty() || clause.any.iter().any(|name| view.has(name)))
            && clause.all.iter().all(|names| names.iter().any(|name| view.has(name)))
            && !clause.none.iter().any(|name| view.has(name))
            && (clause.inside.is_empty() || within(view.part, clause.inside))
            && !within(view.part, clause.not_inside)
            && clause.operands.iter().all(|matcher| self.fits(matcher, view, args))
            && clause.redirect.as_ref().is_none_or(|wanted| self.redirected(wanted, view.part))
            && clause.stdin_from.is_none_or(|source| self.fed(view.part, source))
            && clause.runs_code_from.is_none_or(|source| self.holds_code(view.part, source))
            && (clause.outer.is_empty() || self.outer(clause.outer, view.part))
    }

    fn fits(&self, matcher: &Operand, view: &View<'_>, args: usize) -> bool {
        let place = self.place_of(view.part);
        // Most rules ask for kinds that no word of the part has; that is found out once for all of them.
        let of_argv = matches!(matcher.at, At::Any | At::First | At::Last | At::Rest | At::Dashed | At::Words);
        if of_argv && !matcher.kinds.is_none() && !view.kinds(&place).meets(matcher.kinds) {
            return false;
        }
        let words = view.select(matcher.at, matcher.names, args, self.shell);
        matched(matcher, &words, |arg| match &view.part.replace {
            // What stands for unknown input is judged by where it comes from (`inside`, `outer`).
            Some(mark) if arg.text.contains(&**mark) => Kinds::NONE,
            _ => place.kinds(arg),
        })
    }

    /// The place a part runs in.
    fn place_of(&self, part: &Part) -> Cow<'_, Place> {
        if part.cwd.is_none() && !part.cwd_unknown {
            return Cow::Borrowed(self.place);
        }
        let mut place = self.place.clone();
        match &part.cwd {
            _ if part.cwd_unknown => place.cwd.clear(),
            Some(folder) if folder.starts_with('/') => place.cwd = collapse(folder),
            Some(folder) if folder.starts_with('~') => place.cwd = collapse(&folder.replacen('~', &place.home, 1)),
            Some(folder) => place.cwd = collapse(&format!("{}/{folder}", place.cwd)),
            None => {}
        }
        Cow::Owned(place)
    }

    fn redirected(&self, wanted: &super::Redirect, part: &Part) -> bool {
        let place = self.place_of(part);
        part.redirs.iter().any(|redir| {
            let op = redir.op.as_ref();
            let direction = match op {
                "<<" | "<<-" | "<<<" => RedirectOp::Heredoc,
                "<" => RedirectOp::Read,
                ">&" | "<&" if descriptor(&redir.target) => return false,
                "<&" => RedirectOp::Read,
                _ => RedirectOp::Write,
            };
            if direction != wanted.op {
                return false;
            }
            if redir.target.dynamic.contains(&Dynamic::Proc) || direction == RedirectOp::Heredoc {
                return wanted.kinds.is_none();
            }
            let kinds = place.kinds(&redir.target);
            (wanted.kinds.is_none() || kinds.meets(wanted.kinds)) && !kinds.meets(wanted.not_kinds)
        })
    }

    /// Whether what reaches standard input comes from such a source, through any filters.
    fn fed(&self, part: &Part, source: Source) -> bool {
        let cell = &self.fed[source as usize];
        if cell.get().is_none() {
            // A rule for sources that asks for its own input would come by here again; the first to
            // get through fills the cell.
            let _ = cell.set(self.fed_parts(source));
        }
        cell.get().and_then(|fed| fed.get(part.n as usize)).copied().unwrap_or(false)
    }

    /// For each part, whether it is fed. Feeders and wrappers stand before what they feed, so one
    /// pass does it, however the pipes are branched.
    fn fed_parts(&self, source: Source) -> Vec<bool> {
        let parts = &self.shell.parts;
        let is: Vec<bool> = (0..parts.len()).map(|at| self.is_source(at, source)).collect();
        let mut fed: Vec<bool> = Vec::with_capacity(parts.len());
        for part in parts {
            let redirected = part.redirs.iter().any(|redir| {
                (redir.op == "<" && redir.target.dynamic.contains(&Dynamic::Proc) || redir.op.starts_with("<<"))
                    && self.holds_code(part, source)
                    || source == Source::Download
                        && redir.op.starts_with('<')
                        && redir.target.text.starts_with("/dev/tcp/")
            });
            let known = |list: &[bool], at: u32| list.get(at as usize).copied().unwrap_or(false);
            let piped = part.from.iter().any(|from| known(&is, *from) || known(&fed, *from));
            // A wrapper hands its own input on to the command that it runs.
            let handed =
                part.from.is_empty() && !substituted(part) && part.inside.is_some_and(|wrapper| known(&fed, wrapper));
            fed.push(redirected || piped || handed);
        }
        fed
    }

    /// Whether a substitution that stands in the part's words runs such a source.
    fn holds_code(&self, part: &Part, source: Source) -> bool {
        self.runs(part.n as usize, part.ctx.len(), source, 0)
    }

    fn runs(&self, at: usize, depth: usize, source: Source, level: usize) -> bool {
        let inner = self.inner.get(at).map_or(&[][..], Vec::as_slice);
        level < DEPTH
            && inner.iter().any(|at| {
                let ctx = self.shell.parts.get(*at).map_or(&[][..], |part| part.ctx.as_slice());
                let substituted = ctx.iter().skip(depth).any(|word| matches!(word.as_ref(), "cmdsub" | "procsub"));
                substituted && self.is_source(*at, source) || self.runs(*at, depth, source, level + 1)
            })
    }

    /// Whether a part is itself a download or a decoder.
    fn is_source(&self, at: usize, source: Source) -> bool {
        let class = match source {
            Source::Download => Class::Download,
            Source::Decoder => Class::Decoder,
            Source::Any => return true,
        };
        let Some(part) = self.shell.parts.get(at) else { return false };
        rules(part).any(|(pack, rule)| rule.class == class && self.recognises(pack, rule, at))
    }

    fn outer(&self, matchers: &[Operand], part: &Part) -> bool {
        let mut at = part.inside;
        for _ in 0..DEPTH {
            let Some(view) = at.and_then(|at| self.view(at as usize)) else { return false };
            if matchers.iter().all(|matcher| self.fits(matcher, view, 0)) {
                return true;
            }
            at = view.part.inside;
        }
        false
    }
}

/// The rules that may recognise a part.
fn rules(part: &Part) -> impl Iterator<Item = (&'static Pack, &'static Rule)> + use<> {
    let head = head(part);
    // Assignments and redirects alone run nothing: only rules for any part look at them.
    let head = if part.argv.is_empty() { "*".to_owned() } else { head };
    let any = if head == "*" { None } else { Some("*") };
    for_head(&head).chain(any.into_iter().flat_map(for_head))
}

fn head(part: &Part) -> String {
    let head = part.head.to_ascii_lowercase();
    let head = head.rsplit('\\').next().unwrap_or_default();
    let head = head.strip_suffix(".exe").unwrap_or(head);
    // `python3.12` is python3, `mkfs.ext4` is mkfs: the variants share their rules.
    let family = head.starts_with("python") || head.starts_with("mkfs.") || head.starts_with("pip3.");
    let short = if family { head.split('.').next().unwrap_or(head) } else { head };
    short.to_owned()
}

/// Whether a part stands in one of these contexts; `func self` is the function of the part's own name.
fn within(part: &Part, contexts: &[&str]) -> bool {
    part.ctx.iter().any(|word| {
        contexts.iter().any(|wanted| match *wanted {
            "func self" => word.strip_prefix("func ") == Some(part.head.as_str()),
            _ => word.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')),
        })
    })
}

/// Whether a part stands in a substitution of the part it is inside of.
fn substituted(part: &Part) -> bool {
    part.ctx.iter().any(|word| matches!(word.as_ref(), "cmdsub" | "procsub"))
}

fn descriptor(target: &Arg) -> bool {
    target.text == "-"
        || !target.text.is_empty() && target.text.trim_end_matches('-').bytes().all(|b| b.is_ascii_digit())
}

fn matched<A: std::borrow::Borrow<Arg>>(matcher: &Operand, words: &[A], kinds: impl Fn(&Arg) -> Kinds) -> bool {
    let count = u16::try_from(words.len()).unwrap_or(u16::MAX);
    if count < matcher.min || count > matcher.max {
        return false;
    }
    let unconditional = matcher.kinds.is_none()
        && matcher.not_kinds.is_none()
        && matcher.text.is_empty()
        && matcher.not_text.is_empty();
    if unconditional {
        return true;
    }
    let fits = |arg: &A| {
        let arg: &Arg = arg.borrow();
        let text = arg.text.as_str();
        if !matcher.text.is_empty() && !matcher.text.iter().any(|glob| wild(glob, text))
            || matcher.not_text.iter().any(|glob| wild(glob, text))
        {
            return false;
        }
        if matcher.kinds.is_none() && matcher.not_kinds.is_none() {
            return true;
        }
        let found = kinds(arg);
        (matcher.kinds.is_none() || found.meets(matcher.kinds)) && !found.meets(matcher.not_kinds)
    };
    if matcher.every { !words.is_empty() && words.iter().all(fits) } else { words.iter().any(fits) }
}

/// Whether a text matches a glob of `*` and `?`; letters in any case if the glob begins with `(?i)`.
pub(super) fn wild(glob: &str, text: &str) -> bool {
    if let Some(glob) = glob.strip_prefix("(?i)") {
        return wild(&glob.to_lowercase(), &text.to_lowercase());
    }
    let (glob, text) = (glob.as_bytes(), text.as_bytes());
    let (mut g, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        match glob.get(g) {
            Some(b'*') => {
                star = Some((g, t));
                g += 1;
            }
            Some(b'?') => {
                g += 1;
                t += 1;
            }
            Some(byte) if *byte == text[t] => {
                g += 1;
                t += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    g = at + 1;
                    t = from + 1;
                }
                None => return false,
            },
        }
    }
    glob[g..].iter().all(|byte| *byte == b'*')
}

/// An absolute path without `.` and `..`.
fn collapse(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    format!("/{}", parts.join("/"))
}

/// Kinds of path at which a write is nobody's loss.
pub(crate) fn is_scratch(kinds: Kinds) -> bool {
    kinds.meets(Kinds::from(Kind::Temp).with(Kind::TempRoot).with(Kind::Null))
}
