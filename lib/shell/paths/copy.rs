//! Copies, moves and links: which names they make, and where.

use super::super::dynamic::Dynamic;
use super::super::options::Options;
use super::super::part::Arg;
use super::{Found, LEAST_OPERANDS, Op, plain, value};

/// Most sources of one copy whose names are told apart; for more the folder stands.
const MOST_NAMES: usize = 64;

/// How the results of a copy are named.
#[derive(Clone, Debug, Default)]
struct Target {
    /// Where they go.
    to: Arg,
    /// Whether that is a folder in any case.
    folder: bool,
    /// Whether that is the name of the result in any case.
    exact: bool,
    /// Whether a link of that name is replaced.
    entry: bool,
    /// Whether the folders of the source are made too.
    parents: bool,
    /// What is added to the name of the file that was there before.
    backup: Option<Arg>,
}

impl Found<'_> {
    /// `cp`, `mv`, `ln`, `install`, `git mv`.
    pub(super) fn copies(&mut self, read: &Options<'_>) {
        let full = self.part.head.as_str();
        let head = full.strip_prefix('g').filter(|short| *short != "it").unwrap_or(full);
        let (links, moves) = (head == "ln", matches!(head, "mv" | "git"));
        if (head == "git" && read.has(&["-n", "--dry-run"])) || (head == "install" && read.has(&["-d", "--directory"]))
        {
            let op = if head == "git" { Op::List } else { Op::Write };
            for at in &read.operands {
                self.word(*at, Some(op));
            }
            return;
        }
        let by_name = read.has(&["-l", "--link", "-s", "--symbolic-link", "--attributes-only"]);
        let op = match head {
            "ln" => None,
            "cp" if by_name => Some(Op::List),
            _ if moves => Some(Op::Delete),
            _ => Some(Op::Read),
        };
        let into = read.get(read.row.into).and_then(|option| value(self.part, option));
        let part = self.part;
        let mut all: Vec<&Arg> = read.operands.iter().filter_map(|at| part.words().get(*at)).collect();
        let to = match into {
            Some(to) => Some((to, true)),
            None if self.part.appends => None,
            None if links && all.len() == 1 => Some((Arg::literal("."), true)),
            None if all.len() < 2 => None,
            None => all.pop().map(|to| (to.clone(), false)),
        };
        let paths = if op.is_some() { 2 * all.len() } else { all.len() };
        self.operands.reserve_exact(paths.min(LEAST_OPERANDS));
        for source in &all {
            if let Some(op) = op {
                self.add((*source).clone(), op);
            }
        }
        if self.part.appends {
            self.appended(op);
        }
        let Some((to, folder)) = to else {
            if self.part.appends {
                self.appended(Some(Op::Write));
            }
            return;
        };
        let target = Target {
            to,
            folder,
            exact: read.has(&["-T", "--no-target-directory"])
                || (links && all.len() == 1 && read.has(&["-n", "--no-dereference"])),
            entry: moves || head != "cp" || read.has(&["--remove-destination"]) || by_name,
            parents: head == "cp" && read.has(&["--parents"]),
            backup: backup(read),
        };
        self.targets(&all, target);
        let symbolic = links && read.has(&["-s", "--symbolic"]);
        let relative = read.has(&["-r", "--relative"]);
        if let ([to], true, Some(last)) = (all.as_slice(), links, self.operands.last_mut()) {
            // What is written through a hard link is the old file too. Its name is not seen from
            // the link's folder, but from where the command runs.
            last.link =
                if symbolic && !relative { Some((*to).clone()) } else { from_folder(to, &last.raw) }.map(Box::new);
        }
    }

    fn targets(&mut self, sources: &[&Arg], target: Target) {
        let text = target.to.text.as_str();
        let dots = matches!(text.rsplit('/').next(), Some("" | "." | ".."));
        let folder = target.folder || sources.len() > 1 || dots;
        if target.exact || sources.is_empty() || sources.len() > MOST_NAMES {
            self.result(target.to.clone(), None, &target);
            return;
        }
        let mut whole = false;
        for source in sources {
            let name = if target.parents { Some((*source).clone()) } else { name(source) };
            let name = name.filter(|name| plain(name) && !name.dynamic.contains(&Dynamic::Tilde));
            match name {
                Some(name) if folder => self.result(join(&target.to, &name), None, &target),
                name if !whole => {
                    whole = true;
                    self.result(target.to.clone(), name, &target);
                }
                _ => {}
            }
        }
    }

    fn result(&mut self, raw: Arg, into: Option<Arg>, target: &Target) {
        if let Some(suffix) = &target.backup {
            let mut old = raw.clone();
            old.text.push_str(&suffix.text);
            old.mark_all(suffix.dynamic);
            self.entry(old, Op::Write);
        }
        self.put(raw, Op::Write, target.entry, into);
    }

    /// `rsync`, `scp`.
    pub(super) fn sends(&mut self, read: &Options<'_>) {
        let rsync = self.part.head == "rsync";
        let mut all: Vec<Arg> = read.operands.iter().filter_map(|at| self.part.words().get(*at)).cloned().collect();
        let to = if all.len() > 1 { all.pop() } else { None };
        let op = match &to {
            None => Op::List,
            Some(_) if rsync && read.has(&["-n", "--dry-run", "--list-only"]) => Op::List,
            Some(_) if rsync && read.has(&["--remove-source-files"]) => Op::Delete,
            Some(_) => Op::Read,
        };
        for source in all.iter().filter(|source| !remote(&source.text)) {
            self.add(source.clone(), op);
        }
        let Some(to) = to.filter(|to| op != Op::List && !remote(&to.text)) else { return };
        if rsync && read.options.iter().any(|option| option.name.starts_with("--delete")) {
            self.add(to.clone(), Op::Write);
            return;
        }
        if let Some(dir) = read.get(&["--backup-dir"]).and_then(|option| value(self.part, option)).filter(|_| rsync) {
            // It is seen from the folder of the results.
            let anchored = dir.text.starts_with('/') || dir.dynamic.contains(&Dynamic::Tilde);
            let parent = to.text.rsplit_once('/').map_or(".", |(parent, _)| parent);
            let file = all.len() == 1 && to.text.rsplit('/').next().is_some_and(|name| name.contains('.'));
            let folder = if file { Arg { text: parent.into(), dynamic: to.dynamic } } else { to.clone() };
            self.add(if anchored { dir } else { join(&folder, &dir) }, Op::Write);
        }
        let entry = rsync && !read.has(&["--inplace", "--append", "-K", "--keep-dirlinks"]);
        let parents = rsync && read.has(&["-R", "--relative"]);
        let kept = rsync && read.has(&["-b", "--backup"]) && !read.has(&["--backup-dir"]);
        let backup = if kept { backup(read) } else { None };
        let target = Target { to, entry, parents, backup, ..Target::default() };
        // The content of `a/` goes into the folder itself.
        if rsync && all.iter().any(|source| source.text.ends_with('/')) {
            self.result(target.to.clone(), None, &target);
            return;
        }
        for source in &mut all {
            if remote(&source.text)
                && let Some((_, path)) = source.text.split_once(':')
            {
                source.text = path.into();
            }
        }
        self.targets(&all.iter().collect::<Vec<_>>(), target);
    }
}

/// `host:path`, `rsync://host/path`
fn remote(text: &str) -> bool {
    text.find(':').is_some_and(|at| !text.get(..at).unwrap_or_default().contains('/'))
}

/// What `-b` and its kin add to the name of the file that was there before.
fn backup(read: &Options<'_>) -> Option<Arg> {
    let suffix = read.get(&["-S", "--suffix"]).and_then(|option| option.value.as_deref());
    let option = read.get(&["-b", "--backup"]);
    let kind = option.and_then(|option| option.value.as_deref()).unwrap_or_default();
    if (option.is_none() && suffix.is_none()) || matches!(kind, "none" | "off") {
        return None;
    }
    if matches!(kind, "numbered" | "t") {
        return Some(Arg { text: ".~*~".into(), dynamic: Dynamic::Glob.into() });
    }
    Some(Arg::literal(suffix.unwrap_or("~")))
}

/// The path `to` as it is seen from the folder that `link` lies in, both being seen from one place.
fn from_folder(to: &Arg, link: &Arg) -> Option<Arg> {
    let anchored = |path: &Arg| path.text.starts_with('/') || path.dynamic.contains(&Dynamic::Tilde);
    if anchored(to) || !link.text.contains('/') {
        return Some(to.clone());
    }
    let folder = link.text.rsplit_once('/').map_or("", |(folder, _)| folder);
    let names = || folder.split('/').filter(|name| !matches!(*name, "" | "."));
    if anchored(link) || !plain(link) || names().any(|name| name == "..") {
        return None;
    }
    let mut seen = to.clone();
    seen.text = format!("{}{}", "../".repeat(names().count()), to.text).into();
    Some(seen)
}

/// The last name of a path; none if it has no name of its own, as `.`.
pub(super) fn name(path: &Arg) -> Option<Arg> {
    let text = path.text.trim_end_matches('/');
    let name = text.rsplit('/').next()?;
    if matches!(name, "" | "." | "..") {
        return None;
    }
    let stays = |kind: &Dynamic| match kind {
        Dynamic::Tilde => name.len() == text.len(),
        Dynamic::Glob => name.contains(['*', '?', '[', '(']),
        _ => name.contains('«'),
    };
    let dynamic = path.dynamic.iter().copied().filter(stays).collect();
    Some(Arg { text: name.into(), dynamic })
}

/// The path `name` in the folder `folder`.
pub(super) fn join(folder: &Arg, name: &Arg) -> Arg {
    let name_text = name.text.trim_start_matches('/');
    let text = match folder.text.as_str() {
        "." | "./" => name_text.to_owned(),
        text if text.ends_with('/') => format!("{text}{name_text}"),
        text => format!("{text}/{name_text}"),
    };
    let mut path = Arg { text: text.into(), dynamic: folder.dynamic };
    path.mark_all(name.dynamic);
    path
}
