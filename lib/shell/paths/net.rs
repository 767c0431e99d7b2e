//! `curl` and `wget`: which files a transfer makes and which it sends.

use super::super::options::Options;
use super::super::part::Arg;
use super::copy::join;
use super::{Found, Op, value};

impl Found<'_> {
    /// `curl -o a URL`, `curl -O URL`, `curl -F f=@a URL`
    pub(super) fn curl(&mut self, read: &Options<'_>) {
        let words = self.part.words();
        let folder = read.get(&["--output-dir"]).and_then(|option| value(self.part, option));
        let place = |name: Arg| match &folder {
            Some(folder) => join(folder, &name),
            None => name,
        };
        for option in &read.options {
            let Some(text) = option.value.as_deref() else { continue };
            let path = match option.name.as_ref() {
                "-o" | "--output" => {
                    if let Some(name) = value(self.part, option).filter(|name| name.text != "-") {
                        // `#1` stands for a part of the URL.
                        self.add(place(name), Op::Write);
                    }
                    continue;
                }
                "-d" | "--data" | "--data-binary" | "--data-ascii" | "--json" | "-H" | "--header" => {
                    text.strip_prefix('@')
                }
                "--data-urlencode" => {
                    text.split_once('@').filter(|(name, _)| !name.contains('=')).map(|(_, path)| path)
                }
                "-F" | "--form" => {
                    let (_, value) = text.split_once('=').unwrap_or_default();
                    value.strip_prefix(['@', '<']).and_then(|path| path.split(';').next())
                }
                "-b" | "--cookie" => Some(text).filter(|text| !text.contains('=')),
                "-K" | "--config" => {
                    self.open = Some("options in a file");
                    Some(text)
                }
                "--url" => local(text),
                _ => None,
            };
            if let Some(path) = path {
                let mut raw = Arg::literal(path);
                if let Some(word) = words.get(option.value_at) {
                    raw.mark_all(word.dynamic);
                }
                self.add(raw, Op::Read);
            }
        }
        let named = read.options.iter().filter(|option| matches!(option.name.as_ref(), "-o" | "--output")).count();
        let own = read.has(&["-O", "--remote-name", "--remote-name-all"]);
        if own && read.has(&["-J", "--remote-header-name"]) {
            self.open = Some("the server names the file");
        }
        for (number, at) in read.operands.iter().enumerate() {
            let Some(word) = words.get(*at) else { continue };
            let with = |text: &str| Arg { text: text.into(), dynamic: word.dynamic };
            if let Some(path) = local(&word.text) {
                self.add(with(path), Op::Read);
            }
            if own && (number >= named || read.has(&["--remote-name-all"])) {
                self.add(place(with(url_name(&word.text).0)), Op::Write);
            }
        }
    }

    /// `wget -O a URL`, `wget -P a URL`
    pub(super) fn wget(&mut self, read: &Options<'_>) {
        let folder = read.get(&["-P", "--directory-prefix"]).and_then(|option| value(self.part, option));
        let lists = read.has(&["-i", "--input-file"]);
        if read.has(&["--spider", "-O", "--output-document", "-V", "--version", "-h", "--help"]) {
            return;
        }
        let tree = read.has(&["-r", "--recursive", "-m", "--mirror", "-p", "--page-requisites", "-x"]);
        if lists || tree || read.has(&["--content-disposition"]) {
            if folder.is_none() {
                self.open = Some("the server names the files");
            }
            if let Some(folder) = folder {
                self.add(folder, Op::Write);
            }
            return;
        }
        for at in &read.operands {
            let Some(word) = self.part.words().get(*at) else { continue };
            let (name, query) = url_name(&word.text);
            let name = if name.is_empty() { "index.html" } else { name };
            let raw = Arg { text: format!("{name}{query}").into(), dynamic: word.dynamic };
            let raw = match &folder {
                Some(folder) => join(folder, &raw),
                None => raw,
            };
            self.add(raw, Op::Write);
        }
    }
}

/// The path of a `file:` URL.
fn local(url: &str) -> Option<&str> {
    let path = url.strip_prefix("file://")?;
    path.strip_prefix("localhost").or(Some(path)).filter(|path| path.starts_with('/') || path.starts_with('~'))
}

/// The last name of a URL, and its query.
fn url_name(url: &str) -> (&str, &str) {
    let url = url.split('#').next().unwrap_or_default();
    let (path, query) = url.split_at(url.find('?').unwrap_or(url.len()));
    let rest = path.split_once("://").map_or(path, |(_, rest)| rest);
    let name = rest.split_once('/').map_or("", |(_, below)| below.rsplit('/').next().unwrap_or_default());
    (name, query)
}
