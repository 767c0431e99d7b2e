//! What git does with its operands. Git tells revisions from paths by looking at both; here only
//! the shape of the words and their place say which is which, and what is left is open.

#[cfg(test)]
mod tests;
mod words;

use crate::call::patch::{self, Touch};

use super::super::dynamic::Dynamic;
use super::super::options::Options;
use super::super::part::Arg;
use super::{Found, Op, PATCH, value};
use words::{base_name, looks_like_path, looks_like_revision, pathspec};

/// Why a command is open that moves to another commit or brings in other changes.
const WORKTREE: &str = "changes the worktree";

/// Operands that are revisions, then operands that are paths.
struct Split {
    revs: Vec<usize>,
    paths: Vec<usize>,
}

impl Found<'_> {
    /// The paths of a git command, and whether it may touch more.
    pub(super) fn git(&mut self, read: &Options<'_>) {
        let [command, rest @ ..] = read.words.as_slice() else {
            self.open = None;
            return;
        };
        let second = rest.first().copied().unwrap_or_default();
        if self.part.appends {
            self.appended_specs(command, read);
        }
        match *command {
            "add" | "stage" => self.specs(&read.operands, if self.dry { Op::List } else { Op::Read }),
            "commit" => self.specs(&read.operands, Op::Read),
            "rm" => self.specs(&read.operands, if read.has(&["--cached"]) { Op::List } else { Op::Delete }),
            "mv" => self.copies(read),
            "checkout" => self.checkout(read),
            "switch" => self.switch(read),
            "restore" => self.restore(read),
            "reset" if read.has(&["--hard", "--merge", "--keep"]) => self.open = Some(WORKTREE),
            "clean" => self.clean(read),
            "stash" => self.stash(read, second),
            "merge" | "rebase" | "cherry-pick" | "revert" | "pull" | "am" => {
                self.words_do(&read.operands, Op::Read, *command == "am");
                let looks = ["--quit", "--show-current-patch", "--edit-todo"];
                self.open = (!read.has(&looks)).then_some(WORKTREE);
            }
            "bisect" => {
                let moves = match second {
                    "good" | "bad" | "new" | "old" | "skip" | "reset" | "run" | "replay" => true,
                    "start" => self.divide(read, usize::MAX).revs.len() > 1,
                    _ => false,
                };
                self.open = moves.then_some(WORKTREE);
            }
            "apply" => self.apply(read),
            "clone" => self.cloned(read),
            "init" => self.words_do(&read.operands, Op::Write, true),
            "submodule" => self.submodule(read, second),
            "worktree" => self.worktree(read, second),
            "config" => self.config(read, second),
            "bundle" => {
                let op = if second == "create" { Op::Write } else { Op::Read };
                self.words_do(read.operands.get(..1).unwrap_or_default(), op, true);
            }
            "format-patch" if !read.has(&["-o", "--output-directory", "--stdout", "--output"]) => {
                let text = "[0-9][0-9][0-9][0-9]-*.patch".to_owned();
                self.add(Arg { text: text.into(), dynamic: Dynamic::Glob.into() }, Op::Write);
            }
            "diff" if read.has(&["--no-index"]) => self.words_do(&read.operands, Op::Read, true),
            "grep" => self.searched(read),
            "blame" | "annotate" => {
                if let Split { revs, paths } = self.divide(read, 1)
                    && (revs.is_empty() || paths.is_empty())
                {
                    self.specs(&revs, Op::Read);
                    self.specs(&paths, Op::Read);
                }
            }
            "hash-object" | "send-email" | "mailsplit" => self.words_do(&read.operands, Op::Read, true),
            "mailinfo" => self.words_do(&read.operands, Op::Write, true),
            "interpret-trailers" => {
                let op = if read.has(&["--in-place"]) { Op::Write } else { Op::Read };
                self.words_do(&read.operands, op, true);
            }
            "update-index" => {
                let names = ["--chmod", "--assume-unchanged", "--skip-worktree", "--force-remove", "--cacheinfo"];
                let hidden = ["--no-assume-unchanged", "--no-skip-worktree"];
                let looks = read.has(&names) || read.has(&hidden);
                self.words_do(&read.operands, if looks { Op::List } else { Op::Read }, true);
            }
            "merge-file" => {
                let (first, others) = read.operands.split_at_checked(1).unwrap_or_default();
                let op = if read.has(&["-p", "--stdout"]) { Op::Read } else { Op::Write };
                self.words_do(first, op, true);
                self.words_do(others, Op::Read, true);
            }
            "checkout-index" if !read.has(&["--prefix"]) => {
                self.words_do(&read.operands, Op::Write, true);
                if read.has(&["-a", "--all"]) || read.has(&["--stdin"]) {
                    self.open = Some(WORKTREE);
                }
            }
            "read-tree" if read.has(&["-u", "--reset"]) => self.open = Some(WORKTREE),
            "lfs" => match second {
                "track" | "untrack" => self.add(Arg::literal(".gitattributes"), Op::Write),
                "pull" | "checkout" | "migrate" => self.open = Some(WORKTREE),
                _ => {}
            },
            "sparse-checkout" if !matches!(second, "" | "list" | "check-rules") => self.open = Some(WORKTREE),
            _ if self.aliased(read, command) => self.open = None,
            _ => {}
        }
    }

    /// Unknown paths that `xargs` appends.
    fn appended_specs(&mut self, command: &str, read: &Options<'_>) {
        let op = match command {
            "rm" if read.has(&["--cached"]) => Op::List,
            "rm" | "clean" => Op::Delete,
            "checkout" | "restore" | "stash" | "mv" => Op::Write,
            "add" | "grep" | "hash-object" | "blame" => Op::Read,
            _ => return,
        };
        self.add(Arg { text: "«var»".into(), dynamic: Dynamic::Var.into() }, op);
    }

    /// `git -c alias.x='!text' x`: what it runs is a part of its own.
    fn aliased(&self, read: &Options<'_>, command: &str) -> bool {
        let settings = read.options.iter().filter(|option| option.at < read.sub && option.name == "-c");
        settings.filter_map(|option| option.value.as_deref()).any(|value| {
            let alias = value.strip_prefix("alias.").and_then(|value| value.strip_prefix(command));
            alias.is_some_and(|text| text.starts_with("=!"))
        })
    }

    /// Tells revisions from paths: at most `most` of the words before the first path are revisions.
    fn divide(&self, read: &Options<'_>, most: usize) -> Split {
        let mut split = Split { revs: Vec::new(), paths: Vec::new() };
        for at in &read.operands {
            let Some(word) = self.part.words().get(*at) else { continue };
            let after = read.dashes.is_some_and(|dashes| *at > dashes);
            if after || !split.paths.is_empty() || split.revs.len() >= most || looks_like_path(word) {
                split.paths.push(*at);
            } else {
                split.revs.push(*at);
            }
        }
        split
    }

    /// Operands that are pathspecs.
    fn specs(&mut self, operands: &[usize], op: Op) {
        for at in operands {
            let Some(word) = self.part.words().get(*at) else { continue };
            let Some(path) = pathspec(word) else { continue };
            // Of a whole folder git reads what changed only.
            let whole = matches!(path.text.as_str(), "." | "./" | "*");
            self.add(path, if whole && op == Op::Read { Op::List } else { op });
        }
    }

    /// Operands that are plain paths.
    fn words_do(&mut self, operands: &[usize], op: Op, are_paths: bool) {
        for at in operands.iter().filter(|_| are_paths) {
            self.word(*at, Some(op));
        }
    }

    fn moved(&mut self, operands: &[usize]) {
        if let Some((last, others)) = operands.split_last()
            && !others.is_empty()
        {
            self.words_do(others, Op::Delete, true);
            // What a dry run would write need not be there yet.
            self.word(*last, Some(if self.dry { Op::List } else { Op::Write }));
        }
    }

    fn checkout(&mut self, read: &Options<'_>) {
        let split = self.divide(read, 1);
        if read.has(&["--pathspec-from-file"]) {
            self.open = Some(WORKTREE);
        } else if read.has(&["-b", "-B", "--orphan"]) {
            self.open = self.starts(&read.operands);
        } else if split.paths.is_empty() {
            let force = ["-f", "--force", "-p", "--patch", "-m", "--merge"];
            self.open = if read.has(&force) { Some(WORKTREE) } else { self.starts(&split.revs) };
        } else {
            self.specs(&split.paths, Op::Write);
        }
    }

    /// A branch that starts elsewhere than here brings other files.
    fn starts(&self, operands: &[usize]) -> Option<&'static str> {
        let here =
            |at: &usize| self.part.words().get(*at).is_some_and(|word| matches!(word.text.as_str(), "HEAD" | "@"));
        operands.first().filter(|at| !here(at)).map(|_| WORKTREE)
    }

    fn switch(&mut self, read: &Options<'_>) {
        let force = ["-f", "--force", "--discard-changes", "--orphan"];
        self.open = if read.has(&force) { Some(WORKTREE) } else { self.starts(&read.operands) };
    }

    fn restore(&mut self, read: &Options<'_>) {
        let index = read.has(&["--staged", "-S"]) && !read.has(&["--worktree", "-W"]);
        self.specs(&read.operands, if index { Op::List } else { Op::Write });
        let unnamed = read.has(&["--pathspec-from-file"]) || (read.operands.is_empty() && read.has(&["-p", "--patch"]));
        if unnamed && !index {
            self.open = Some(WORKTREE);
        }
    }

    fn clean(&mut self, read: &Options<'_>) {
        // Without these git refuses.
        if !read.has(&["-f", "--force", "-i", "--interactive"]) || self.dry {
            return;
        }
        self.specs(&read.operands, Op::Delete);
        if read.operands.is_empty() {
            self.add(Arg::literal("."), Op::Delete);
            self.open = Some("deletes files that git does not know");
        }
    }

    fn stash(&mut self, read: &Options<'_>, second: &str) {
        match second {
            "" | "push" => {
                let after = |at: &&usize| second == "push" || read.dashes.is_some_and(|dashes| **at > dashes);
                let paths: Vec<usize> = read.operands.iter().filter(after).copied().collect();
                self.specs(&paths, Op::Write);
                self.open = paths.is_empty().then_some(WORKTREE);
            }
            "save" | "pop" | "apply" | "branch" => self.open = Some(WORKTREE),
            _ => {}
        }
    }

    fn apply(&mut self, read: &Options<'_>) {
        self.words_do(&read.operands, Op::Read, true);
        let looks = ["--check", "--stat", "--numstat", "--summary", "--cached"];
        if read.has(&looks) && !read.has(&["--apply"]) {
            return;
        }
        let number = read.get(&["-p"]).and_then(|option| option.value.as_deref()).unwrap_or("1");
        let reverse = read.has(&["-R", "--reverse"]);
        let folder = read.get(&["--directory"]).and_then(|option| value(self.part, option));
        let stdin = read.operands.iter().all(|at| self.part.words().get(*at).is_some_and(|word| word.text == "-"));
        let known = stdin && self.here_patch(number.parse().unwrap_or(1), reverse, folder.as_ref());
        self.open = (!known).then_some(PATCH);
    }

    /// The files of a patch in a here-document; whether that is all.
    fn here_patch(&mut self, strip: usize, reverse: bool, folder: Option<&Arg>) -> bool {
        let Some(redir) = self.part.input_redirect().filter(|redir| redir.op.starts_with("<<")) else {
            return false;
        };
        let text = redir.target();
        let files = patch::unified(&text.text, strip, reverse);
        let known = !files.is_empty() && text.dynamic.is_empty();
        for Touch { path, op } in files {
            let raw = match folder {
                Some(folder) => {
                    let text = format!("{}/{path}", folder.text.trim_end_matches('/'));
                    Arg { text: text.into(), dynamic: folder.dynamic }
                }
                None => Arg { text: path.into(), dynamic: text.dynamic },
            };
            self.add(raw, op);
        }
        known
    }

    fn cloned(&mut self, read: &Options<'_>) {
        let words = self.part.words();
        if let Some(at) = read.operands.get(1) {
            self.word(*at, Some(Op::Write));
        } else if let Some(word) = read.operands.first().and_then(|at| words.get(*at)) {
            let suffix = if read.has(&["--bare", "--mirror"]) { ".git" } else { "" };
            let text = format!("{}{suffix}", base_name(&word.text));
            self.add(Arg { text: text.into(), dynamic: word.dynamic }, Op::Write);
        }
    }

    fn submodule(&mut self, read: &Options<'_>, second: &str) {
        match second {
            "add" => {
                self.cloned(read);
                self.add(Arg::literal(".gitmodules"), Op::Write);
            }
            "set-url" | "set-branch" => self.add(Arg::literal(".gitmodules"), Op::Write),
            "update" | "deinit" => self.open = Some(WORKTREE),
            _ => {}
        }
    }

    fn worktree(&mut self, read: &Options<'_>, second: &str) {
        let first = read.operands.get(..1).unwrap_or_default();
        match second {
            "add" => self.words_do(first, Op::Write, true),
            "remove" => self.words_do(first, Op::Delete, true),
            "move" => self.moved(&read.operands),
            _ => {}
        }
    }

    fn config(&mut self, read: &Options<'_>, second: &str) {
        let changes = [
            "--unset",
            "--unset-all",
            "--add",
            "--replace-all",
            "--rename-section",
            "--remove-section",
            "-e",
            "--edit",
        ];
        let asks = ["--get", "--get-all", "--get-regexp", "--get-urlmatch", "-l", "--list", "--get-color"];
        let sets = match second {
            "" => read.has(&changes) || (read.operands.len() > 1 && !read.has(&asks)),
            other => !matches!(other, "get" | "list"),
        };
        let op = if sets { Op::Write } else { Op::Read };
        if let Some(file) = read.get(&["-f", "--file"]).and_then(|option| value(self.part, option)) {
            self.add(file, op);
        } else if sets && read.has(&["--global"]) {
            self.add(Arg { text: "~/.gitconfig".into(), dynamic: Dynamic::Tilde.into() }, op);
        } else if sets && read.has(&["--system"]) {
            self.add(Arg::literal("/etc/gitconfig"), op);
        }
    }

    /// `git grep pattern paths`: what is searched, if it is the worktree.
    fn searched(&mut self, read: &Options<'_>) {
        let pattern = usize::from(!read.has(&["-e", "-f"]));
        let mut paths = Vec::new();
        for at in read.operands.iter().skip(pattern) {
            let Some(word) = self.part.words().get(*at) else { continue };
            let after = read.dashes.is_some_and(|dashes| *at > dashes);
            if !after && !looks_like_path(word) && looks_like_revision(&word.text) {
                return;
            }
            paths.push(*at);
        }
        if !read.has(&["--cached"]) {
            self.specs(&paths, Op::Read);
        }
    }
}
