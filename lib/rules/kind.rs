//! What kind of place a path is: the root, a home, the repository, a temp or build folder, a device.
//!
//! A pure function of the word and of three folders; no disk. A word can be of several kinds:
//! a glob over the home folder, a build folder below an unknown one.

use super::drive::{drive, mounted};
use super::files;
use super::links::{Link, led, links};
use super::words::{Kind, Kinds};
use crate::call::{Call, CallPath, Op};
use crate::shell::{Arg, Dynamic, Part};
use std::sync::Arc;

/// Where a word is read.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// Current folder, absolute; empty if it cannot be known.
    pub cwd: String,
    /// Session root, absolute.
    pub root: String,
    /// Home folder, absolute.
    pub home: String,
    /// Links that the call makes.
    pub(super) links: Arc<[Link]>,
    /// The part that the words are read for: links of later ones are not there yet.
    part: u32,
}

const SYSTEM: &[&str] = &[
    "Applications",
    "Library",
    "System",
    "Volumes",
    "bin",
    "boot",
    "dev",
    "etc",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "media",
    "mnt",
    "nix",
    "opt",
    "private",
    "proc",
    "run",
    "sbin",
    "snap",
    "srv",
    "sys",
    "usr",
    "var",
];

const TEMP: &[&str] = &["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/dev/shm", "/run/shm"];
const TEMP_TREES: &[&str] = &["/var/folders", "/private/var/folders"];

/// Trees of the system that hold people's own folders.
const MOUNTS: &[&str] = &["Volumes", "media", "mnt", "opt", "srv"];

/// Folders of caches and installed packages, wherever they are.
const CACHES: &[&str] = &[
    ".hypothesis",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".next",
    ".nox",
    ".nuxt",
    ".nyc_output",
    ".parcel-cache",
    ".pytest_cache",
    ".ruff_cache",
    ".svelte-kit",
    ".tox",
    ".turbo",
    "__pycache__",
    "node_modules",
];

/// Folders that a build makes, beside the caches.
const BUILD: &[&str] = &[
    ".angular",
    ".cache",
    ".coverage",
    ".dart_tool",
    ".eggs",
    ".eslintcache",
    ".gradle",
    ".output",
    ".pnpm-store",
    ".sass-cache",
    ".stylelintcache",
    ".terraform",
    ".tmp",
    ".venv",
    ".vite",
    ".yarn",
    "DerivedData",
    "Pods",
    "_build",
    "_site",
    "bazel-bin",
    "bazel-out",
    "build",
    "cmake-build-debug",
    "cmake-build-release",
    "coverage",
    "dist",
    "htmlcov",
    "obj",
    "out",
    "playwright-report",
    "storybook-static",
    "target",
    "temp",
    "test-results",
    "tmp",
    "venv",
];

/// Whether that is the name of a folder which is made anew: a build or a cache.
fn is_build(name: &str) -> bool {
    BUILD.contains(&name) || CACHES.contains(&name)
}

impl Place {
    /// Where a part runs, as seen from here.
    pub(super) fn moved(&self, part: &Part) -> Self {
        let cwd = match &part.cwd {
            _ if part.cwd_unknown => String::new(),
            Some(folder) if folder.starts_with('/') => collapse(folder),
            Some(folder) if folder.starts_with('~') => collapse(&folder.replacen('~', &self.home, 1)),
            Some(folder) => collapse(&format!("{}/{folder}", self.cwd)),
            None => self.cwd.clone(),
        };
        Self { cwd, part: part.n, ..self.clone() }
    }

    /// Whether a part sees the same as is seen from here.
    pub(super) fn is_of(&self, part: &Part) -> bool {
        part.cwd.is_none() && !part.cwd_unknown && self.links.is_empty()
    }

    /// Seen from a folder, with nothing else known.
    pub fn new(cwd: String, root: String, home: String) -> Self {
        Self { cwd, root, home, ..Self::default() }
    }

    /// As a call sees it; without a root its folder is the root.
    pub fn of_call(call: &Call, home: &str) -> Self {
        let root = if call.root.is_empty() { &call.cwd } else { &call.root };
        let mut place = Self::new(call.cwd.clone(), root.clone(), home.to_owned());
        if let Some(shell) = call.shell.as_ref().filter(|shell| shell.parts.len() > 1) {
            place.links = links(shell, &place).into();
        }
        place
    }

    /// Where links that the call makes lead a path of one of its parts.
    pub fn led(&self, path: &CallPath) -> Option<String> {
        let names: Vec<&str> = split(&path.path).collect();
        // What is written to a link is written to what it names; what is deleted is the link.
        let through = path.op != Op::Delete || path.raw.ends_with('/');
        Some(format!("/{}", led(&self.links, path.part?, &names, through)?.join("/")))
    }

    /// The kinds of a word.
    pub fn kinds(&self, arg: &Arg) -> Kinds {
        let tilde = arg.dynamic.contains(&Dynamic::Tilde);
        let glob = arg.dynamic.contains(&Dynamic::Glob);
        let found = self.read(&arg.text, tilde, glob, !arg.dynamic.is_empty());
        if arg.dynamic.contains(&Dynamic::Credential) { found.with(Kind::Credential) } else { found }
    }

    /// The kinds of a path that is certain.
    pub fn of(&self, path: &str) -> Kinds {
        self.read(path, true, false, false)
    }

    fn read(&self, text: &str, tilde: bool, glob: bool, marks: bool) -> Kinds {
        if text.is_empty() {
            return Kind::Unknown.into();
        }
        if let Some(kinds) = drive(text) {
            return kinds;
        }
        let marked = |component: &str| marks && component.contains('«');
        let mut rest = text;
        let mut base: Vec<&str> = Vec::new();
        // Certain but for the home and the current folder: those two stand as written.
        let variable = |name: &str| {
            let after = text.strip_prefix('$')?;
            let after =
                after.strip_prefix(name).or_else(|| after.strip_prefix('{')?.strip_prefix(name)?.strip_prefix('}'))?;
            (after.is_empty() || after.starts_with('/')).then_some(after)
        };
        if tilde && let Some(after) = variable("HOME") {
            base.extend(split(&self.home));
            rest = after;
        } else if tilde && let Some(after) = variable("PWD") {
            if self.cwd.is_empty() {
                return self.relative_to_unknown(after.trim_start_matches('/'), glob);
            }
            base.extend(split(&self.cwd));
            rest = after;
        } else if tilde && let Some(after) = text.strip_prefix('~') {
            let (user, below) = after.split_once('/').unwrap_or((after, ""));
            match user {
                "" => base.extend(split(&self.home)),
                "+" => base.extend(split(&self.cwd)),
                "-" => return Kind::UnknownBelow.into(),
                "root" => base.push("root"),
                _ => base.extend(["home", user]),
            }
            rest = below;
        } else if !text.starts_with('/') {
            let first = text.split('/').next().unwrap_or_default();
            if marked(first) {
                return self.unknown(text);
            }
            if self.cwd.is_empty() {
                return self.relative_to_unknown(text, glob);
            }
            base.extend(split(&self.cwd));
        }
        let mut also = Kinds::NONE;
        for (at, component) in rest.split('/').filter(|part| !part.is_empty()).enumerate() {
            if marked(component) {
                // The unknown may be empty, and then the folder before it is meant.
                let alone = component.starts_with('«') && component.ends_with('»');
                let named = self.absolute(&[&base[..], &["unknown"]].concat());
                if alone
                    && !rest.trim_end_matches('/').split('/').filter(|part| !part.is_empty()).skip(at + 1).any(plain)
                {
                    let empty = self.absolute(&base);
                    let temp = Kinds::from(Kind::TempRoot).with(Kind::Temp);
                    return if empty.meets(temp) { Kind::Temp.into() } else { named.and(empty) };
                }
                return named;
            }
            match component {
                "." => {}
                ".." => {
                    base.pop();
                }
                _ if glob && component.contains(['*', '?', '[']) => {
                    also = Kind::Glob.into();
                    // `*/build`: some of what lies in the folders here, not all that there is.
                    let names = rest.split('/').filter(|part| !part.is_empty()).skip(at + 1);
                    let named = self.within(&base) && names.clone().all(|name| plain(name) && name != "..");
                    if whole(component) && !(named && names.count() > 0) {
                        let mut found = self.reached(&base, true);
                        // `/home/*/.ssh/id_rsa`: whoever it is, the file is a credential.
                        let names = rest.split('/').filter(|part| !part.is_empty()).skip(at);
                        let names: Vec<&str> = base.last().copied().into_iter().chain(names).collect();
                        found = found.and(files::secret(&names, &["«"]));
                        if found.has(Kind::TempRoot) {
                            found = Kind::Temp.into();
                        }
                        return found.and(also);
                    }
                    // `/b*` may be any tree of the system, `~/.s*` any folder of the home.
                    if base.is_empty() {
                        return Kinds::from(Kind::System).and(also);
                    }
                    base.push(component);
                }
                _ => base.push(component),
            }
        }
        self.reached(&base, rest.ends_with('/') || rest.ends_with("/.")).and(also)
    }

    /// Kinds of a path in components and of where links of the call lead it.
    fn reached(&self, path: &[&str], through: bool) -> Kinds {
        let found = self.absolute(path);
        let kinds = |path: Vec<String>| self.absolute(&path.iter().map(String::as_str).collect::<Vec<_>>());
        match led(&self.links, self.part, path, true).map(kinds) {
            // A link to a device is written as the device.
            Some(led) if through || led.has(Kind::Device) => found.and(led),
            _ => match led(&self.links, self.part, path, false).map(kinds) {
                Some(led) => found.and(led),
                None => found,
            },
        }
    }

    /// Whether a folder is the session root or lies in it.
    fn within(&self, path: &[&str]) -> bool {
        let root: Vec<&str> = split(&self.root).collect();
        !root.is_empty() && path.starts_with(&root)
    }

    /// Kinds of an absolute path in components.
    fn absolute(&self, path: &[&str]) -> Kinds {
        let root: Vec<&str> = split(&self.root).collect();
        let home: Vec<&str> = split(&self.home).collect();
        let text = format!("/{}", path.join("/"));
        let mut found = files::secret(path, &home);
        if files::guard(path, &root, &home) {
            found = found.with(Kind::Guard);
        }
        if path.contains(&".git") {
            found = found.with(Kind::Git);
        }
        let Some(first) = path.first() else { return found.with(Kind::Root) };
        // A session in the home folder or above it has no repository: what lies there is a person's.
        let of_person = !home.is_empty() && home.starts_with(&root);
        if !root.is_empty() && path.starts_with(&root) && !of_person {
            let below = &path[root.len()..];
            return if below.is_empty() {
                found.with(Kind::Repo)
            } else if below.iter().any(|component| is_build(component)) && !found.has(Kind::Git) {
                found.with(Kind::Build)
            } else {
                found.with(Kind::Inside)
            };
        }
        if root.starts_with(path) {
            found = found.with(Kind::Parent);
        }
        if path == home || (path.len() <= 2 && matches!(*first, "home" | "Users")) || path == ["root"] {
            return found.with(Kind::Home);
        }
        if TEMP.contains(&text.as_str()) {
            return found.with(Kind::TempRoot);
        }
        if below(&text, TEMP) || below(&text, TEMP_TREES) {
            return found.with(Kind::Temp);
        }
        if *first == "dev" && path.len() > 1 {
            return match path[1] {
                "null" | "zero" | "full" | "random" | "urandom" | "stdin" | "stdout" | "stderr" | "tty" | "fd"
                | "tcp" | "udp" | "ptmx" | "pts" => found.with(Kind::Null),
                _ => found.with(Kind::Device).with(Kind::System),
            };
        }
        if path.starts_with(&["proc", "self", "fd"]) {
            return found.with(Kind::Null);
        }
        let drive = mounted(path);
        if let Some(kind) = drive.filter(|kind| *kind != Kind::Outside) {
            return found.with(kind);
        }
        // What is made anew without anybody's doing is nobody's loss, in any project.
        let apart = !SYSTEM.contains(first) || MOUNTS.contains(first);
        if apart && path.iter().any(|component| CACHES.contains(component)) && !found.has(Kind::Git) {
            return found.with(Kind::Build);
        }
        if drive.is_some() || path.starts_with(&home) && !home.is_empty() || MOUNTS.contains(first) && path.len() > 2 {
            return found.with(Kind::Outside);
        }
        if SYSTEM.contains(first) {
            return found.with(Kind::System);
        }
        found.with(Kind::Outside)
    }

    /// A word that begins with something unknown.
    fn unknown(&self, text: &str) -> Kinds {
        let mut names = text.split('/').skip(1).filter(|name| plain(name)).peekable();
        let Some(first) = names.peek().copied() else { return Kind::Unknown.into() };
        if SYSTEM.contains(&first) {
            // If the variable is empty, this is the system's folder.
            return Kind::Unknown.into();
        }
        let names: Vec<&str> = names.collect();
        if names.contains(&"..") {
            return Kind::Unknown.into();
        }
        let mut found = files::secret(&names, &[]);
        if names.contains(&".git") {
            found = found.with(Kind::Git);
        }
        if names.iter().any(|name| is_build(name)) && !found.has(Kind::Git) {
            return found.with(Kind::Build);
        }
        found.with(Kind::UnknownBelow)
    }

    /// A relative word in a folder that is not known.
    fn relative_to_unknown(&self, text: &str, glob: bool) -> Kinds {
        let names: Vec<&str> = split(text).filter(|name| *name != ".").collect();
        let bare = names.first().is_none_or(|name| *name == ".." || (glob && whole(name)));
        if bare {
            return Kind::Unknown.into();
        }
        let mut found = files::secret(&names, &[]);
        if names.contains(&".git") {
            found = found.with(Kind::Git);
        }
        found.with(if names.iter().any(|name| is_build(name)) { Kind::Build } else { Kind::UnknownBelow })
    }
}

/// An absolute path without `.` and `..`.
pub(super) fn collapse(path: &str) -> String {
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

pub(super) fn split(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty())
}

fn plain(component: &str) -> bool {
    !component.is_empty() && component != "." && !component.contains('«') && !whole(component)
}

/// Whether a glob takes (nearly) everything of its folder.
fn whole(component: &str) -> bool {
    component.contains(['*', '?'])
        && component.chars().all(|c| matches!(c, '*' | '?' | '.' | '[' | ']' | '!' | '^' | '{' | '}' | ','))
}

fn below(text: &str, folders: &[&str]) -> bool {
    folders.iter().any(|folder| text.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place::new("/home/u/repo".into(), "/home/u/repo".into(), "/home/u".into())
    }

    fn word(text: &str) -> Arg {
        let mut word = Arg::literal(text);
        if text.contains(['*', '?']) {
            word.mark(Dynamic::Glob);
        }
        if text.starts_with('~') {
            word.mark(Dynamic::Tilde);
        }
        if text.contains('«') {
            word.mark(Dynamic::Var);
        }
        word
    }

    #[test]
    fn a_home_folder_is_no_repository() {
        for root in ["/home/u", "/home", "/"] {
            let place = Place::new("/home/u".into(), root.into(), "/home/u".into());
            let kinds = |text: &str| place.kinds(&word(text));
            for text in [".", "~", "*", "/home/u/"] {
                assert!(kinds(text).has(Kind::Home) && !kinds(text).has(Kind::Repo), "{root} {text}");
            }
            for text in ["build", "Documents/old", "~/.ssh/id_rsa", "projects/x/target"] {
                assert!(kinds(text).has(Kind::Outside) && !kinds(text).has(Kind::Inside), "{root} {text}");
                assert!(!kinds(text).has(Kind::Build), "{root} {text}");
            }
            assert!(kinds("projects/x/node_modules").has(Kind::Build), "{root}");
            assert!(kinds("/etc/x").has(Kind::System) && kinds("/tmp/x").has(Kind::Temp), "{root}");
        }
    }

    #[test]
    fn each_kind_by_its_spellings() {
        let table: &[(Kind, &[&str])] = &[
            (Kind::Root, &["/", "//", "/./", "/tmp/..", "/*", "/«var»", "../../../.."]),
            (Kind::Home, &["~", "~/", "~/*", "/home/u", "/home/v", "/root", "/home", "/Users/x", "~bob", "~/«var»"]),
            (Kind::System, &["/etc", "/usr/*", "/bin/sh", "/var/lib", "/tmp/../etc", "/b*", "/dev/sda"]),
            (Kind::Repo, &[".", "./", "*", "./*", "/home/u/repo", "src/..", "../repo", "./«var»"]),
            (Kind::Parent, &["..", "../", "/home/u/repo/.."]),
            (Kind::Git, &[".git", ".git/hooks", "sub/.git", "/x/.git", "«var»/.git"]),
            (Kind::Temp, &["/tmp/x", "/var/tmp/x/y", "/private/tmp/a", "/var/folders/ab/T/x", "/tmp/*", "/tmp/«sub»"]),
            (Kind::TempRoot, &["/tmp", "/tmp/", "/var/tmp", "/tmp/x/.."]),
            (Kind::Build, &["target", "web/node_modules", "./dist/", "build/*", "«var»/node_modules"]),
            (Kind::Inside, &["src", "src/*", "src/../lib", "*.log", ".github"]),
            (Kind::Outside, &["../other", "/data/x", "~/Downloads/*.md", "/home/v/x"]),
            (Kind::Device, &["/dev/sda", "/dev/disk/by-id/x"]),
            (Kind::Null, &["/dev/null", "/dev/stderr", "/dev/fd/3", "/dev/tty"]),
            (Kind::Unknown, &["", "«var»", "«var»/", "«var»/*", "«sub»", "«var»/usr/lib", "«var»/../x"]),
            (Kind::UnknownBelow, &["«var»/x", "«var»abc/def"]),
            (Kind::Build, &["**/__pycache__", "packages/*/dist", "*/target/*.o"]),
            (Kind::Repo, &["*/*", "**/*", "*/.", "*/..", "*/../x/.."]),
            (Kind::Inside, &["*/src", "src/*/x"]),
            (Kind::Home, &["~/*/x"]),
            (Kind::Build, &["/srv/work/web/node_modules", "~/other/__pycache__/a.pyc"]),
            (Kind::Outside, &["/srv/work/x", "/opt/app/data", "/mnt/disk/x"]),
            (Kind::System, &["/srv/work", "/opt/app", "/mnt/disk"]),
            (Kind::Secret, &["~/.ssh/id_rsa", ".env", ".env.local", "~/.netrc", "~/.aws/credentials", "/etc/shadow"]),
            (Kind::Guard, &[".kibitzer/config.toml", ".claude/settings.json", "~/.config/kz/config.toml"]),
        ];
        for (kind, texts) in table {
            for text in *texts {
                let found = place().kinds(&word(text));
                assert!(found.has(*kind), "{text}: wanted {kind:?}, found {found:?}");
            }
        }
    }

    #[test]
    fn what_looks_like_a_kind_is_not_one() {
        let table: &[(Kind, &[&str])] = &[
            (Kind::Repo, &["*/dist", "**/*.pyc", "src", "*.log", "/home/u/repo2", "src/*"]),
            (Kind::Git, &[".gitignore", ".github/x", "src/git"]),
            (Kind::Temp, &["/tmpfiles/x", "/tmp/../etc", "/tmp"]),
            (Kind::Build, &["src/build.rs", "../build", "distribution"]),
            (Kind::Secret, &[".env.example", "~/.ssh/id_rsa.pub", "~/.ssh/known_hosts", "src/env.rs", "environment"]),
            (Kind::Guard, &[".claude/CLAUDE.md", "src/.kibitzer.rs"]),
            (Kind::Home, &["/home/u/x", "~/x"]),
        ];
        for (kind, texts) in table {
            for text in *texts {
                let found = place().kinds(&word(text));
                assert!(!found.has(*kind), "{text}: found {kind:?} in {found:?}");
            }
        }
    }

    #[test]
    fn in_an_unknown_folder_a_name_stays_a_name() {
        let place = Place { cwd: String::new(), ..place() };
        assert!(place.kinds(&word("*")).has(Kind::Unknown));
        assert!(place.kinds(&word("..")).has(Kind::Unknown));
        assert!(place.kinds(&word("target")).has(Kind::Build));
        assert!(place.kinds(&word("src")).has(Kind::UnknownBelow));
        assert!(place.kinds(&word("/etc")).has(Kind::System));
    }
}
