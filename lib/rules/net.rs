//! URLs and hosts in the words of a command: where it sends to or fetches from.

use crate::shell::{Arg, Part};
use std::borrow::Cow;

/// What of a program's words are addresses.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// Every operand, and every word with a scheme.
    All,
    /// The first operand, and every word with a scheme.
    First,
    /// `host:path` words, and every word with a scheme.
    Colon,
    /// Only words with a scheme, or like `git@host:path`.
    Urls,
}

/// Programs that talk to the network. Of others no word is an address: `echo https://x` sends nothing.
const PROGRAMS: &[(Form, &[&str])] = &[
    (
        Form::All,
        &[
            "curl",
            "wget",
            "fetch",
            "xh",
            "http",
            "https",
            "aria2c",
            "lynx",
            "w3m",
            "links",
            "axel",
            "iwr",
            "irm",
            "invoke-webrequest",
            "invoke-restmethod",
        ],
    ),
    (
        Form::First,
        &[
            "ssh", "sftp", "mosh", "telnet", "nc", "ncat", "netcat", "ftp", "lftp", "ping", "dig", "nslookup", "host",
            "whois",
        ],
    ),
    (Form::Colon, &["scp", "rsync", "socat", "rclone"]),
    (
        Form::Urls,
        &[
            "git",
            "gh",
            "glab",
            "hg",
            "svn",
            "npm",
            "pnpm",
            "yarn",
            "bun",
            "npx",
            "pip",
            "pip3",
            "uv",
            "uvx",
            "pipx",
            "poetry",
            "cargo",
            "go",
            "gem",
            "brew",
            "docker",
            "podman",
            "helm",
            "kubectl",
            "aws",
            "gsutil",
            "gcloud",
            "az",
            "psql",
            "mysql",
            "mongosh",
            "redis-cli",
            "ansible",
            "terraform",
            "claude",
            "codex",
            "openssl",
            "deno",
            "composer",
            "apt-add-repository",
        ],
    ),
];

/// The addresses among the words of a part. `head` is its program, `operands` the places of its operands.
pub(super) fn addresses<'a>(part: &'a Part, head: &str, argv: &'a [Arg], operands: &[usize]) -> Vec<Cow<'a, Arg>> {
    let mut found: Vec<Cow<'a, Arg>> = Vec::new();
    if let Some((form, _)) = PROGRAMS.iter().find(|(_, heads)| heads.contains(&head)) {
        for (at, arg) in argv.iter().enumerate().skip(1) {
            let text = arg.text.as_str();
            let operand = operands.contains(&at);
            let is = match form {
                Form::All => operand,
                Form::First => operands.first() == Some(&at),
                Form::Colon => operand && is_remote(text),
                Form::Urls => operand && is_remote(text) && text.contains('@'),
            };
            // `--url=https://…` is an address too, and so is `-Hhttps://…` for all that anybody knows.
            if is && !text.starts_with("file:") {
                found.push(Cow::Borrowed(arg));
            } else if let Some(url) = url(text) {
                found.push(Cow::Owned(Arg { text: url.into(), dynamic: arg.dynamic }));
            }
        }
    }
    let code = part.code.iter().flat_map(|code| &code.net);
    found.extend(code.map(|host| Cow::Owned(Arg::literal(host.clone()))));
    for redir in &part.redirs {
        let target = redir.target();
        let rest = ["/dev/tcp/", "/dev/udp/"].iter().find_map(|folder| target.text.strip_prefix(folder));
        found.extend(
            rest.map(|rest| Cow::Owned(Arg { text: rest.replacen('/', ":", 1).into(), dynamic: target.dynamic })),
        );
    }
    found
}

/// `host:path` of scp and git: a colon before any slash.
fn is_remote(text: &str) -> bool {
    text.split_once(':').is_some_and(|(host, _)| host.len() > 1 && !host.contains('/'))
}

/// From the scheme of a URL on; not of a file.
fn url(text: &str) -> Option<&str> {
    let at = text.find("://")?;
    let before = text.get(..at)?;
    let scheme = before
        .bytes()
        .rev()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-'))
        .count();
    let url = text.get(at - scheme..)?;
    (scheme > 0 && !url.starts_with("file:")).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_by_program() {
        for (command, expected) in [
            ("curl -s https://a.test/x -o out b.test", "https://a.test/x b.test"),
            ("curl --url=https://a.test", "https://a.test"),
            ("wget -qO- https://a.test/i.sh", "https://a.test/i.sh"),
            ("ssh -p 22 u@a.test cat x", "u@a.test"),
            ("scp x u@a.test:/tmp/y ./b", "u@a.test:/tmp/y"),
            ("git clone git@a.test:o/r.git", "git@a.test:o/r.git"),
            ("git push https://a.test/o/r main:main", "https://a.test/o/r"),
            ("pip install git+https://a.test/x", "git+https://a.test/x"),
            ("npm i --registry=http://a.test", "http://a.test"),
            ("echo x > /dev/tcp/a.test/80", "a.test:80"),
            ("python3 -c \"import requests; requests.get('https://a.test')\"", "https://a.test"),
            ("echo https://a.test", ""),
            ("grep -r https://a.test src", ""),
            ("curl file:///etc/passwd", ""),
            ("git log main:x", ""),
        ] {
            let shell = crate::shell::read(command);
            let part = &shell.parts[0];
            let read = crate::shell::options::read(&part.head, part.words());
            let found = addresses(part, &part.head, part.words(), &read.operands);
            let texts: Vec<&str> = found.iter().map(|arg| arg.text.as_str()).collect();
            assert_eq!(texts.join(" "), expected, "{command}");
        }
    }
}
