//! Archives and packed files: what they are made of, and what comes out of them.

use super::super::dynamic::Dynamic;
use super::super::options::Options;
use super::super::part::Arg;
use super::copy::{join, name};
use super::{Found, MOST_FOLDERS, Op, somewhere, value};

/// A program that packs single files.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packer {
    /// What it adds to the name.
    suffix: &'static str,
    /// Whether it leaves the file that it packs.
    keeps: bool,
    /// Whether it unpacks.
    unpacks: bool,
}

/// How a packer of that name works.
pub(super) fn packer(head: &str) -> Option<Packer> {
    let (suffix, keeps) = match head {
        "gzip" | "gunzip" | "pigz" | "unpigz" | "zopfli" => (".gz", head == "zopfli"),
        "bzip2" | "bunzip2" | "pbzip2" | "lbzip2" => (".bz2", false),
        "xz" | "unxz" | "pxz" => (".xz", false),
        "lzma" | "unlzma" => (".lzma", false),
        "zstd" | "unzstd" | "zstdmt" | "pzstd" => (".zst", true),
        "lz4" | "unlz4" => (".lz4", true),
        "brotli" => (".br", true),
        "compress" | "uncompress" => (".Z", false),
        "lzip" => (".lz", false),
        "lzop" => (".lzo", true),
        _ => return None,
    };
    let unpacks = head.starts_with("un") || head.contains("bunzip") || head == "gunzip";
    Some(Packer { suffix, keeps, unpacks })
}

/// The name of an unpacked file.
fn unpacked(text: &str, suffix: &str) -> Option<String> {
    if let Some(stem) = text.strip_suffix(suffix) {
        return Some(stem.to_owned());
    }
    let (stem, _) = [".tgz", ".taz", ".tbz2", ".tbz", ".txz", ".tzst", ".tlz"]
        .iter()
        .find_map(|short| text.strip_suffix(short).map(|stem| (stem, short)))?;
    Some(format!("{stem}.tar"))
}

impl Found<'_> {
    /// `gzip`, `xz -d`, `zstd -o`
    pub(super) fn pack(&mut self, read: &Options<'_>) {
        let Some(packer) = packer(&self.part.head) else { return };
        let own = read.get(&["-S", "--suffix"]).and_then(|option| option.value.as_deref());
        let suffix = match own.filter(|_| packer.suffix != ".br") {
            Some(own) if own.starts_with('.') || packer.suffix == ".xz" => own.to_owned(),
            Some(own) => format!(".{own}"),
            None => packer.suffix.to_owned(),
        };
        let unpacks = packer.unpacks || read.has(&["-d", "--decompress", "--uncompress"]);
        let looks = read.has(&["-c", "--stdout", "--to-stdout", "-t", "--test", "-l", "--list", "-b"]);
        let keeps = if packer.keeps { !read.has(&["--rm", "-j"]) } else { read.has(&["-k", "--keep"]) };
        let out = read.get(&["-o", "--output"]).and_then(|option| value(self.part, option));
        let lz4 = self.part.head.ends_with("lz4") && !read.has(&["-m", "--multiple"]);
        if looks || out.is_some() || (lz4 && read.operands.len() > 1) {
            for (number, at) in read.operands.iter().enumerate() {
                let op = if lz4 && number > 0 && !looks { Op::Write } else { Op::Read };
                self.word(*at, Some(op));
            }
            if let Some(out) = out.filter(|_| !looks) {
                self.add(out, Op::Write);
            }
            return;
        }
        let source = if keeps { Op::Read } else { Op::Delete };
        for at in &read.operands {
            let Some(word) = self.part.words().get(*at).cloned() else { continue };
            if read.has(&["-r", "--recursive"]) {
                self.add(word, Op::Write);
                continue;
            }
            let with = |text: String| Arg { text: text.into(), dynamic: word.dynamic };
            let packed = format!("{}{suffix}", word.text);
            let (from, to) = match (unpacks, unpacked(&word.text, &suffix)) {
                (true, Some(stem)) => (word.clone(), with(stem)),
                (true, None) => (with(packed), word.clone()),
                (false, _) if word.text.ends_with(&suffix) => {
                    self.add(word, Op::Read);
                    continue;
                }
                (false, _) => (word.clone(), with(packed)),
            };
            self.add(from, source);
            self.entry(to, Op::Write);
        }
        if self.part.appends {
            self.appended(Some(Op::Write));
        }
    }

    /// `tar -xzf a`, `tar xzf a`
    pub(super) fn tar(&mut self, read: &Options<'_>) {
        let words = self.part.words();
        let mut operands = read.operands.clone();
        let mut letters = String::new();
        let mut file = read.get(&["-f", "--file"]).and_then(|option| value(self.part, option));
        let mut folders: Vec<(usize, Arg)> = Vec::new();
        // The old spelling: letters without a dash, their values follow in order.
        if let Some(bundle) = words.get(1).filter(|word| !word.text.starts_with('-') && word.dynamic.is_empty()) {
            letters.push_str(&bundle.text);
            let mut at = 2;
            for letter in bundle.text.chars().filter(|letter| "fCbTXIgKLNVF".contains(*letter)) {
                match (letter, words.get(at)) {
                    ('f', Some(word)) => file = Some(word.clone()),
                    ('C', Some(word)) => folders.push((at, word.clone())),
                    ('T', Some(word)) => self.add(word.clone(), Op::Read),
                    _ => {}
                }
                at += 1;
            }
            operands.retain(|operand| *operand >= at);
        }
        for option in read.options.iter().filter(|option| matches!(option.name.as_ref(), "-C" | "--directory" | "--cd"))
        {
            folders.extend(value(self.part, option).map(|folder| (option.at, folder)));
        }
        if folders.len() > MOST_FOLDERS {
            folders = vec![(0, somewhere())];
        }
        let has = |letter: char, names: &[&str]| letters.contains(letter) || read.has(names);
        let writes = has('c', &["-c", "--create"]) || has('r', &["-r", "--append"]) || has('u', &["-u", "--update"]);
        let joins = has('A', &["-A", "--catenate", "--concatenate"]);
        let extracts = has('x', &["-x", "--extract", "--get"]);
        let compares = has('d', &["-d", "--diff", "--compare"]);
        if let Some(file) = file.clone().filter(|file| !file.text.contains(':') || read.has(&["--force-local"])) {
            self.add(file, if writes || joins || read.has(&["--delete"]) { Op::Write } else { Op::Read });
        }
        if read.has(&["--checkpoint-action", "-F", "--info-script", "--new-volume-script"]) {
            self.open = Some("runs a command");
        }
        if extracts {
            if !has('O', &["-O", "--to-stdout"]) && !read.has(&["--to-command"]) {
                self.extract(read, &operands, folders, file.as_ref());
            }
        } else if writes || joins || compares {
            let op = if read.has(&["--remove-files"]) { Op::Delete } else { Op::Read };
            for at in operands {
                self.under =
                    folders.iter().filter(|(before, _)| *before < at).map(|(_, folder)| folder.clone()).collect();
                self.word(at, Some(op));
            }
            self.under.clear();
            if has('T', &["-T", "--files-from"]) {
                self.fed(op);
            }
        }
    }

    fn extract(&mut self, read: &Options<'_>, operands: &[usize], folders: Vec<(usize, Arg)>, file: Option<&Arg>) {
        let top = read.get(&["--one-top-level"]).map(|option| {
            let named = value(self.part, option).filter(|folder| !folder.text.is_empty());
            named.or_else(|| file.and_then(name).map(stem)).unwrap_or_else(|| Arg::literal("."))
        });
        self.under = folders.into_iter().map(|(_, folder)| folder).collect();
        let moved = read.has(&["--strip-components", "--strip", "--transform", "--xform", "-P", "--absolute-names"]);
        if operands.is_empty() || moved || self.part.appends {
            let folder = top.or_else(|| self.under.pop()).unwrap_or_else(|| Arg::literal("."));
            self.add(folder, Op::Write);
        } else {
            for at in operands {
                let Some(mut member) = self.part.words().get(*at).cloned() else { continue };
                if read.has(&["--wildcards"]) {
                    member.mark(Dynamic::Glob);
                }
                let path = top.as_ref().map_or_else(|| member.clone(), |top| join(top, &member));
                self.entry(path, Op::Write);
            }
        }
        self.under.clear();
    }

    /// `zip -r a.zip b`
    pub(super) fn zip(&mut self, read: &Options<'_>) {
        let Some((first, members)) = read.operands.split_first() else { return };
        let Some(mut archive) = self.part.words().get(*first).cloned() else { return };
        if archive.text != "-" && name(&archive).is_some_and(|name| !name.text.contains('.')) {
            archive.text.push_str(".zip");
        }
        let looks = read.has(&["-T", "-sf", "--show-files"]) && members.is_empty();
        let out = read.get(&["-O", "--out", "--output-file"]).and_then(|option| value(self.part, option));
        let op = if looks || out.is_some() { Op::Read } else { Op::Write };
        self.add(archive, op);
        if let Some(out) = out {
            self.add(out, Op::Write);
        }
        if read.has(&["-d", "--delete"]) {
            return;
        }
        let op = if read.has(&["-m", "--move"]) { Op::Delete } else { Op::Read };
        if read.has(&["-@", "--names-stdin"]) {
            self.fed(op);
        }
        // `-x a b` names more than one.
        let list = read.get(&["-x", "-i"]).filter(|option| option.at > *first).map_or(usize::MAX, |option| option.at);
        let next = read.options.iter().map(|option| option.at).find(|at| *at > list).unwrap_or(usize::MAX);
        for at in members.iter().filter(|at| **at < list || **at > next) {
            self.word(*at, Some(op));
        }
    }

    /// `unzip a.zip b -d c`
    pub(super) fn unzip(&mut self, read: &Options<'_>) {
        let Some((first, members)) = read.operands.split_first() else { return };
        if let Some(mut archive) = self.part.words().get(*first).cloned() {
            if name(&archive).is_some_and(|name| !name.text.contains('.') && name.dynamic.is_empty()) {
                archive.text.push_str(".zip");
            }
            self.add(archive, Op::Read);
        }
        if read.has(&["-l", "-p", "-t", "-Z", "-v", "-z", "-c"]) {
            return;
        }
        let folder = read.get(&["-d"]).and_then(|option| value(self.part, option));
        let excluded = read.get(&["-x"]).map_or(usize::MAX, |option| option.at);
        let members: Vec<usize> = members.iter().copied().filter(|at| *at < excluded).collect();
        self.unpacked(folder, &members, read.has(&["-j"]));
    }

    /// What comes out of an archive: the members that are named, else anything in the folder.
    fn unpacked(&mut self, folder: Option<Arg>, members: &[usize], flat: bool) {
        let folder = folder.unwrap_or_else(|| Arg::literal("."));
        let plain = members.iter().all(|at| !self.text(*at).contains(['*', '?', '[']));
        if members.is_empty() || !plain {
            self.add(folder, Op::Write);
            return;
        }
        for at in members {
            let Some(member) = self.part.words().get(*at) else { continue };
            let member = if flat { name(member) } else { Some(member.clone()) };
            if let Some(member) = member {
                self.entry(join(&folder, &member), Op::Write);
            }
        }
    }

    /// `7z x a.7z -oout`
    pub(super) fn seven(&mut self, read: &Options<'_>) {
        let [command, archive, members @ ..] = read.operands.as_slice() else { return };
        let folder = read.get(&["-o"]).and_then(|option| value(self.part, option));
        match self.text(*command) {
            "a" | "u" | "d" | "rn" => {
                let adds = matches!(self.text(*command), "a" | "u");
                let op = if read.has(&["-sdel"]) { Op::Delete } else { Op::Read };
                self.word(*archive, Some(Op::Write));
                for at in members.iter().filter(|_| adds) {
                    self.word(*at, Some(op));
                }
            }
            "x" | "e" => {
                let flat = self.text(*command) == "e";
                self.word(*archive, Some(Op::Read));
                if !read.has(&["-so"]) {
                    self.unpacked(folder, members, flat);
                }
            }
            _ => self.word(*archive, Some(Op::Read)),
        }
    }

    /// `ar rcs lib.a x.o`
    pub(super) fn ar(&mut self, read: &Options<'_>) {
        let words = self.part.words();
        let letters = words.get(1).map_or("", |word| word.text.trim_start_matches('-'));
        let rest: Vec<usize> = (2..words.len()).filter(|at| !self.text(*at).starts_with("--")).collect();
        let skip = usize::from(letters.contains(['a', 'b', 'i']) && letters.contains(['r', 'm']));
        let Some((archive, members)) = rest.get(skip..).and_then(<[usize]>::split_first) else { return };
        let _ = read;
        if letters.contains(['t', 'p']) {
            self.word(*archive, Some(Op::Read));
        } else if letters.contains('x') {
            self.word(*archive, Some(Op::Read));
            self.unpacked(None, members, true);
        } else {
            self.word(*archive, Some(Op::Write));
            for at in members.iter().filter(|_| letters.contains(['r', 'q'])) {
                self.word(*at, Some(Op::Read));
            }
        }
    }

    /// The names that come from a pipe.
    fn fed(&mut self, op: Op) {
        for name in &self.part.input {
            self.add(name.clone(), op);
        }
    }

    /// `cpio -o < names`, `cpio -i`, `cpio -p folder`
    pub(super) fn cpio(&mut self, read: &Options<'_>) {
        let makes = read.has(&["-o", "--create"]);
        let file = read.get(&["-F", "--file", "-O", "-I"]).and_then(|option| value(self.part, option));
        if let Some(file) = file {
            self.add(file, if makes { Op::Write } else { Op::Read });
        }
        if makes || read.has(&["-p", "--pass-through"]) {
            self.fed(Op::Read);
        }
        if read.has(&["-p", "--pass-through"]) {
            for at in &read.operands {
                self.word(*at, Some(Op::Write));
            }
        } else if read.has(&["-i", "--extract"]) && !read.has(&["-t", "--list", "--to-stdout"]) {
            let folder = read.get(&["-D", "--directory"]).and_then(|option| value(self.part, option));
            self.add(folder.unwrap_or_else(|| Arg::literal(".")), Op::Write);
        }
    }
}

/// An archive's name without what says its kind.
fn stem(mut archive: Arg) -> Arg {
    if let Some((stem, _)) = archive.text.split_once(".t") {
        archive.text = stem.into();
    }
    archive
}
