//! Matching: which rules recognise which parts of a call.

use super::flow::Flow;
use super::matcher::matched;
use super::own::Own;
use super::rule::Words;
use super::tools::{is_host, linked, tool};
use super::view::View;
use super::{At, Class, Clause, Kind, Kinds, Operand, Place, RedirectOp, Rule, code, for_head, pattern, stands};
use crate::call::Call;
use crate::envelope::Facts;
use crate::shell::{Arg, Dynamic, Part, Shell};
use ecow::EcoString;
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

/// Interpreters whose program text may run shell lines.
pub(super) const INTERPRETERS: &[&str] =
    &["python", "python2", "python3", "node", "ruby", "perl", "php", "deno", "bun", "awk", "gawk", "mawk", "nawk"];

/// How deep a chain of wrappers or shell lines in program texts is followed.
const DEPTH: usize = 10;

/// Everything that the rules recognise in a call, in order of parts, pack files and lines: kz's
/// own packs, then the user's, then the repo's.
pub fn hits(call: &Call, facts: &Facts, own: &Own) -> Vec<Hit> {
    let mut found = all(call, facts, own);
    found.retain(|hit| hit.rule.class.is_finding());
    found
}

/// As [`hits`], with the hits that only serve the stages.
pub(crate) fn all(call: &Call, facts: &Facts, own: &Own) -> Vec<Hit> {
    read(call, facts, own, false)
}

/// As [`hits`], with the hits that only serve the stages and other rules.
pub(super) fn every(call: &Call, facts: &Facts, own: &Own) -> Vec<Hit> {
    read(call, facts, own, true)
}

fn read(call: &Call, facts: &Facts, own: &Own, ends: bool) -> Vec<Hit> {
    let place = Place::of_call(call, &facts.home);
    let mut found = Vec::new();
    match &call.shell {
        Some(shell) => {
            let published = facts.published == Some(true);
            let reader = Reader { ends, published, ..Reader::of(shell, &call.command, &place, own, &call.agent.kind) };
            reader.read(&mut found, 0);
            linked(call, shell, &place, own, &mut found);
        }
        None => tool(call, &place, own, &mut found),
    }
    found
}

/// Most turns of one part that are judged each by itself; beyond, the part speaks for all.
const MOST_TURNS: usize = 64;

/// The parts of one shell text, each looked at once at most.
pub(super) struct Reader<'a> {
    pub(super) shell: &'a Shell,
    /// What the parts' spans are places of.
    pub(super) text: &'a str,
    pub(super) place: &'a Place,
    own: &'a Own,
    host: &'a str,
    /// Whether the ends of pipes are told too, which only other rules ask for.
    ends: bool,
    /// Whether the branch is already on its remote as it stands.
    pub(super) published: bool,
    views: Vec<OnceCell<View<'a>>>,
    /// For each part, the parts that stand directly inside of it.
    pub(super) inner: Vec<Vec<usize>>,
    pub(super) flow: Flow,
}

impl<'a> Reader<'a> {
    fn of(shell: &'a Shell, text: &'a str, place: &'a Place, own: &'a Own, host: &'a str) -> Self {
        let mut inner: Vec<Vec<usize>> = vec![Vec::new(); shell.parts.len()];
        for (at, part) in shell.parts.iter().enumerate() {
            if let Some(list) = part.inside.and_then(|outer| inner.get_mut(outer as usize)) {
                list.push(at);
            }
        }
        Self {
            shell,
            text,
            place,
            own,
            host,
            ends: false,
            published: false,
            views: shell.parts.iter().map(|_| OnceCell::new()).collect(),
            inner,
            flow: Flow::default(),
        }
    }

    fn read(&self, found: &mut Vec<Hit>, depth: usize) {
        for (at, part) in self.shell.parts.iter().enumerate() {
            let n = u32::try_from(at).ok();
            // The turns of a loop or of calls are what runs; the part itself is what they have in common.
            let turns = Some(&part.turns).filter(|turns| !turns.is_empty() && turns.len() <= MOST_TURNS);
            match turns {
                None => {
                    let Some(view) = self.view(at) else { continue };
                    let told = self.rules(view).filter(|(_, rule)| self.ends || !rule.class.is_end());
                    let seen = told.filter(|(harmless, rule)| self.is_seen(harmless, rule, view));
                    found.extend(seen.map(|(_, rule)| Hit { rule, part: n }));
                }
                Some(turns) => self.turns(turns, n, found),
            }
            if depth < 2 && INTERPRETERS.contains(&&*head(part)) {
                self.program_text(at, found, depth);
            }
        }
    }

    /// What is recognised in any of the turns of part `n`.
    fn turns(&self, turns: &'a [Part], n: Option<u32>, found: &mut Vec<Hit>) {
        let first = found.len();
        for turn in turns {
            let view = View::of(turn, head(turn));
            for (harmless, rule) in self.rules(&view) {
                let hit = Hit { rule, part: n };
                let known = found.get(first..).is_some_and(|found| found.contains(&hit));
                if !known && !rule.class.is_end() && self.is_seen(harmless, rule, &view) {
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
            Reader::of(&shell, &line, self.place, self.own, self.host).read(&mut inner, depth + 1);
            for hit in inner.into_iter().filter(|hit| hit.rule.class == Class::Danger) {
                let hit = Hit { part: u32::try_from(at).ok(), ..hit };
                if !found.contains(&hit) {
                    found.push(hit);
                }
            }
        }
    }

    pub(super) fn view(&self, at: usize) -> Option<&View<'a>> {
        let part = self.shell.parts.get(at)?;
        Some(self.views.get(at)?.get_or_init(|| View::of(part, head(part))))
    }

    /// The rules that may recognise a part, each with the options with which it does not.
    fn rules<'r>(&'r self, view: &'r View<'r>) -> impl Iterator<Item = (Words, &'static Rule)> + use<'r, 'a> {
        // Assignments and redirects alone run nothing: only rules for any part look at them.
        let head = if view.part.argv.is_empty() { Cow::Borrowed("*") } else { head(view.part) };
        let any = if head == "*" { None } else { Some("*") };
        let built_in = for_head(&head).chain(any.into_iter().flat_map(for_head));
        let own = |head: &str| self.own.for_head(head, |words: &[&str]| view.begins(&[words]));
        let own = own(&head).chain(any.into_iter().flat_map(own));
        built_in.map(|(pack, rule)| (pack.harmless, rule)).chain(own)
    }

    /// Whether a rule of a class recognises a part.
    pub(super) fn is_of(&self, at: usize, class: Class) -> bool {
        let Some(view) = self.view(at) else { return false };
        self.rules(view).any(|(harmless, rule)| rule.class == class && self.is_seen(harmless, rule, view))
    }

    fn is_seen(&self, harmless: Words, rule: &Rule, view: &View<'_>) -> bool {
        let args = rule.args.len();
        view.begins(rule.args)
            && is_host(rule, self.host)
            && !harmless.iter().any(|option| view.has(option))
            && self.holds(&rule.base, view, args)
            && match rule.when {
                [] => self.says(&rule.base, view, args),
                ways => ways.iter().any(|way| {
                    self.holds(way, view, args) && self.says(&rule.base, view, args) && self.says(way, view, args)
                }),
            }
    }

    /// Whether all but the regular expressions of a clause hold.
    fn holds(&self, clause: &Clause, view: &View<'_>, args: usize) -> bool {
        let plain = |matcher: &&Operand| matcher.regex.is_empty();
        (clause.any.is_empty() || clause.any.iter().any(|name| view.has(name)))
            && clause.all.iter().all(|names| names.iter().any(|name| view.has(name)))
            && !clause.none.iter().any(|name| view.has(name))
            && (clause.inside.is_empty() || self.within(view.part, clause.inside))
            && !self.within(view.part, clause.not_inside)
            && clause.operands.iter().filter(plain).all(|matcher| self.fits(matcher, view, args))
            && clause.redirect.as_ref().is_none_or(|wanted| self.redirected(wanted, view))
            && clause.stdin_from.is_none_or(|source| self.fed(view.part, source))
            && clause.stdout_to.is_none_or(|sink| self.goes(view.part, sink))
            && clause
                .runs_code_from
                .is_none_or(|source| self.holds_code(view.part, source) || self.runs_variable(view.part, source))
            && clause.reads_file_from.is_none_or(|source| self.reads_file(view.part, source))
            && clause.runs_file_from.is_none_or(|source| self.runs_file(view.part, source))
            && (clause.outer.is_empty() || self.outer(clause.outer, view.part))
    }

    /// Whether the regular expressions of a clause fit, which are tried when all else holds.
    fn says(&self, clause: &Clause, view: &View<'_>, args: usize) -> bool {
        let with_regex = |matcher: &&Operand| !matcher.regex.is_empty();
        clause.operands.iter().filter(with_regex).all(|matcher| self.fits(matcher, view, args))
            && (clause.regex.is_empty() || pattern::fits(clause.regex, &view.text()))
    }

    fn fits(&self, matcher: &Operand, view: &View<'_>, args: usize) -> bool {
        let place = view.place(self.place);
        // Most rules ask for kinds that no word of the part has; that is found out once for all of them.
        let of_argv = matches!(matcher.at, At::Any | At::First | At::Last | At::Rest | At::Dashed | At::Words);
        if of_argv && !matcher.kinds.is_none() && !view.kinds(place).meets(matcher.kinds) {
            return false;
        }
        let words = view.select(matcher.at, matcher.names, args, self.shell);
        matched(matcher, &words, |arg| match &view.part.replace {
            // What stands for unknown input is judged by where it comes from (`inside`, `outer`).
            Some(mark) if arg.text.contains(&**mark) => Kinds::NONE,
            _ => place.kinds(arg),
        })
    }

    /// Whether a part stands in one of these contexts: words of its `ctx`, or one of [`stands`].
    fn within(&self, part: &Part, contexts: &[&str]) -> bool {
        contexts.iter().any(|wanted| {
            let named = |word: &EcoString| {
                word.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            };
            part.ctx.iter().any(named) || stands::is(wanted, part, self)
        })
    }

    /// The place a part runs in.
    pub(super) fn place_of(&self, part: &Part) -> Cow<'_, Place> {
        if self.place.is_of(part) {
            return Cow::Borrowed(self.place);
        }
        Cow::Owned(self.place.moved(part))
    }

    fn redirected(&self, wanted: &super::Redirect, view: &View<'_>) -> bool {
        let place = view.place(self.place);
        view.part.redirs.iter().any(|redir| {
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
            let kinds = match direction {
                // The text is no path.
                RedirectOp::Heredoc if redir.target.dynamic.contains(&Dynamic::Credential) => Kind::Credential.into(),
                RedirectOp::Heredoc => Kinds::NONE,
                _ if redir.target.dynamic.contains(&Dynamic::Proc) => Kinds::NONE,
                _ => place.kinds(redir.target()),
            };
            (wanted.kinds.is_none() || kinds.meets(wanted.kinds)) && !kinds.meets(wanted.not_kinds)
        })
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

/// The command word of a part as rules name it.
pub(super) fn head(part: &Part) -> Cow<'_, str> {
    let lower = !part.head.bytes().any(|byte| byte.is_ascii_uppercase());
    let head =
        if lower { Cow::Borrowed(part.head.as_str()) } else { Cow::Owned(part.head.as_str().to_ascii_lowercase()) };
    let short = {
        let head = head.rsplit('\\').next().unwrap_or_default();
        let head = head.strip_suffix(".exe").unwrap_or(head);
        // `python3.12` is python3, `mkfs.ext4` is mkfs: the variants share their rules.
        let family = head.starts_with("python") || head.starts_with("mkfs.") || head.starts_with("pip3.");
        let short = if family { head.split('.').next().unwrap_or(head) } else { head };
        // `npx prisma@5` runs prisma.
        short.split_once('@').map_or(short, |(name, _)| if name.is_empty() { short } else { name })
    };
    if short.len() == head.len() {
        return head;
    }
    Cow::Owned(short.to_owned())
}

fn descriptor(target: &Arg) -> bool {
    target.text == "-"
        || !target.text.is_empty() && target.text.trim_end_matches('-').bytes().all(|b| b.is_ascii_digit())
}

/// Kinds of path at which a write is nobody's loss.
pub(crate) fn is_scratch(kinds: Kinds) -> bool {
    kinds.meets(Kinds::from(Kind::Temp).with(Kind::TempRoot).with(Kind::Null))
}
