//! Files that are more than files: credentials, the guard's own, the host's hooks.

use super::matcher::wild;
use super::{Kind, Kinds};

/// Folders of which nearly every file is a credential.
const SECRET_FOLDERS: &[&str] =
    &[".aws", ".azure", ".gnupg", ".kube", ".oci", ".password-store", ".ssh", "Keychains", "keyrings"];

/// Files that are credentials wherever they lie.
const SECRET_FILES: &[&str] = &[
    ".boto",
    ".databrickscfg",
    ".dockercfg",
    ".git-credentials",
    ".my.cnf",
    ".netrc",
    ".pgpass",
    ".pypirc",
    ".s3cfg",
    ".vault-token",
    ".vault_pass",
    ".vault_pass.txt",
    "Login Data",
    "_netrc",
    "application_default_credentials.json",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_rsa",
    "key4.db",
    "logins.json",
    "terraform.tfstate",
    "terraform.tfstate.backup",
];

/// Files that are credentials in this folder only.
const SECRET_PATHS: &[&[&str]] = &[
    &[".cargo", "credentials"],
    &[".cargo", "credentials.toml"],
    &[".claude", ".credentials.json"],
    &[".codex", "auth.json"],
    &[".config", "doctl", "config.yaml"],
    &[".config", "gh", "hosts.yml"],
    &[".config", "github-copilot", "apps.json"],
    &[".config", "github-copilot", "hosts.json"],
    &[".config", "glab-cli", "config.yml"],
    &[".config", "hub"],
    &[".config", "rclone", "rclone.conf"],
    &[".config", "sops", "age", "keys.txt"],
    &[".docker", "config.json"],
    &[".fly", "config.yml"],
    &[".gem", "credentials"],
    &[".gemini", "oauth_creds.json"],
    &[".huggingface", "token"],
    &[".kaggle", "kaggle.json"],
    &[".local", "share", "opencode", "auth.json"],
    &[".terraform.d", "credentials.tfrc.json"],
    &["etc", "gshadow"],
    &["etc", "shadow"],
    &["etc", "sudoers"],
    &["huggingface", "token"],
];

/// Words in the names of example files, which hold no values.
const EXAMPLES: &[&str] = &["example", "sample", "template", "dist", "defaults", "schema"];

/// Endings that make `.env.x` a file about variables rather than one of values.
const ABOUT: &[&str] = &["js", "ts", "mjs", "cjs", "py", "rb", "go", "rs", "md", "vault", "test", "sh"];

/// Folders that hold credentials by their name.
const NAMED_FOLDERS: &[&str] = &["certs", "credentials", "private-keys", "secrets", "ssl-keys"];

/// What a path in components is of credentials; public halves, examples and certificates are none.
pub(super) fn secret(path: &[&str], home: &[&str]) -> Kinds {
    let Some(name) = path.last() else { return Kinds::NONE };
    let mut found = Kinds::NONE;
    let folder = NAMED_FOLDERS.contains(name) || SECRET_FOLDERS.contains(name);
    let every =
        *name == "*" && path.len() > 1 && path.iter().rev().nth(1).is_some_and(|folder| NAMED_FOLDERS.contains(folder));
    // `~/.config/gh` holds `hosts.yml`.
    let holds = SECRET_PATHS
        .iter()
        .filter_map(|known| known.split_last())
        .any(|(_, folder)| folder.len() > 1 && path.ends_with(folder));
    if folder || every || holds {
        found = found.with(Kind::SecretFolder);
    }
    if is_public(path, name) {
        return found;
    }
    let above = path.len().saturating_sub(1);
    let in_folder = path.iter().any(|part| SECRET_FOLDERS.contains(part))
        || path.iter().take(above).any(|part| is_folder_glob(part));
    let exact = |known: &&&[&str]| {
        let from = path.len().checked_sub(known.len()).and_then(|from| path.get(from..));
        from.is_some_and(|tail| tail == **known)
    };
    let at_home = path.split_last().is_some_and(|(_, folder)| folder == home);
    let named = SECRET_FILES.contains(name)
        || *name == ".npmrc" && (at_home || home.is_empty())
        || *name == "Cookies"
            && path.iter().any(|part| matches!(*part, "Google" | "google-chrome" | "Chromium" | "Default"))
        || *name == "cookies.sqlite";
    let of_tool =
        path.windows(2).any(|pair| pair == [".config", "gcloud"]) || SECRET_PATHS.iter().any(|known| exact(&known));
    let secret = in_folder || is_env(name) || named || of_tool || is_key(name);
    if secret { found.with(Kind::Secret) } else { found }
}

/// What of those folders and names gives nothing away.
fn is_public(path: &[&str], name: &str) -> bool {
    let text = [".md", ".txt", ".pub"].iter().any(|ending| name.ends_with(ending)) || name.contains(".pub.");
    let described =
        matches!(name, "known_hosts" | "known_hosts.old" | "config" | "config.d" | "allowed_signers" | "environment");
    let ssh = path.contains(&".ssh");
    described && !path.contains(&".kube")
        || ssh && (text || path.contains(&"config.d"))
        || name.ends_with(".pub")
        || path.contains(&".docker") && name != "config.json"
        || path.contains(&".aws") && path.contains(&"cli")
}

/// `.env`, `.env.local`, `prod.env`, and globs that mean them.
fn is_env(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is = name == ".env"
        || name.starts_with(".env.")
        || name.strip_prefix(".env").is_some_and(|rest| rest.starts_with(['*', '?', '[']))
        || name.contains(['?', '[']) && glob_fits(name, ".env")
        || name.ends_with(".env") && name.len() > 4;
    is && !EXAMPLES.iter().any(|word| name.contains(word)) && !(name.starts_with(".env.") && ABOUT.contains(&ending))
}

/// Globs that mean a folder of credentials: `.aw?`, `.a*`; `.*` means them all and so none.
fn is_folder_glob(part: &str) -> bool {
    let (stem, many) = part.strip_suffix('*').map_or((part, false), |stem| (stem, true));
    if stem.len() < 2 || !part.contains(['?', '[', '*']) {
        return false;
    }
    SECRET_FOLDERS.iter().any(|folder| {
        let fits = |head: &str| glob_fits(stem, head);
        if many { (2..=folder.len()).filter_map(|end| folder.get(..end)).any(fits) } else { fits(folder) }
    })
}

/// Whether a glob of `?` and bracket lists that begins with a written dot fits a name.
fn glob_fits(glob: &str, name: &str) -> bool {
    let Some(mut glob) = glob.strip_prefix('.') else { return false };
    let mut letters = name.strip_prefix('.').unwrap_or(name).chars();
    loop {
        let (sign, letter) = match (glob.chars().next(), letters.next()) {
            (Some(sign), Some(letter)) => (sign, letter),
            (None, Some(_)) => return false,
            (_, None) => return glob.trim_matches('*').is_empty(),
        };
        let rest = glob.get(sign.len_utf8()..).unwrap_or_default();
        glob = match (sign, rest.split_once(']')) {
            ('[', Some((list, rest))) if list.contains(letter) || list.contains(['!', '^', '-', ':']) => rest,
            ('?', _) => rest,
            _ if sign == letter => rest,
            _ => return false,
        };
    }
}

/// Endings of program texts and pages.
const CODE: [&str; 18] =
    ["c", "cc", "cpp", "cs", "css", "go", "h", "html", "java", "js", "kt", "md", "php", "py", "rb", "rs", "sh", "ts"];

/// Private keys and stores of them by their ending.
fn is_key(name: &str) -> bool {
    let open = ["cert", "chain", "public", "pub", "bundle"].iter().any(|word| name.contains(word))
        || ["ca.", "ca-", "cacert"].iter().any(|start| name.starts_with(start));
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or("", |(_, ending)| ending);
    match ending {
        "p12" | "pfx" | "kdbx" | "keystore" => true,
        "key" => !["public", "pub."].iter().any(|word| name.contains(word)),
        "pem" => !open,
        // `id_rsa_parser.py` is a program about keys.
        _ if CODE.contains(&ending) => false,
        _ => name.starts_with("id_rsa") || wild("id_?*", name) && name.contains(['*', '?']),
    }
}

/// Folders of hosts, each with its files of settings and hooks; `*` for all that lies in it.
const HOST_FILES: &[(&[&str], &[&str])] = &[
    (&[".kibitzer"], &["*"]),
    // Where the user wants that, it chooses the mode.
    (&[".jetsam"], &["state.json"]),
    (&[".claude"], &["settings.json", "settings.local.json", "coordinator-overlay.json"]),
    (&[".claude", "hooks"], &["*"]),
    (&[".codex"], &["hooks.json", "config.toml", "requirements.toml"]),
    (&[".codex", "rules"], &["*"]),
    (&[".gemini"], &["settings.json", "trustedFolders.json"]),
    (&[".gemini", "hooks"], &["*"]),
    (&[".gemini", "policies"], &["*"]),
    (&[".qwen"], &["settings.json"]),
    (&[".cursor"], &["hooks.json", "cli.json", "cli-config.json", "permissions.json"]),
    (&[".cursor", "hooks"], &["*"]),
    (&[".copilot"], &["config.json"]),
    (&[".copilot", "hooks"], &["*"]),
    (&[".github", "hooks"], &["*"]),
    (&[".opencode", "plugin"], &["*"]),
    (&[".opencode", "plugins"], &["*"]),
    (&[".config", "opencode"], &["opencode.json", "opencode.jsonc"]),
    (&[".config", "opencode", "plugin"], &["*"]),
    (&[".config", "opencode", "plugins"], &["*"]),
    (&[".factory"], &["hooks.json", "settings.json"]),
    (&[".kimi-code"], &["config.toml"]),
    (&[".codeium", "windsurf"], &["hooks.json"]),
    (&[".windsurf"], &["hooks.json"]),
    (&[".clinerules", "hooks"], &["*"]),
    (&[".augment"], &["settings.json"]),
    (&[".kiro", "hooks"], &["*"]),
];

/// Folders below the home that are kz's own.
const OWN: &[&[&str]] = &[&[".config", "kz"], &[".local", "state", "kz"], &[".local", "share", "kz"]];

/// Folders below the home that programs are installed in.
const PROGRAMS: &[&[&str]] = &[&[".local", "bin"], &[".cargo", "bin"], &["bin"]];

/// Where hosts keep the settings of a whole machine.
const MANAGED: &[&[&str]] = &[
    &["etc", "claude-code"],
    &["etc", "codex"],
    &["etc", "gemini-cli"],
    &["Library", "Application Support", "ClaudeCode"],
];

/// Whether it is a file of the guard itself or of the host's hooks.
pub(super) fn guard(path: &[&str], root: &[&str], home: &[&str]) -> bool {
    let host = |below: &[&str]| {
        HOST_FILES.iter().any(|(folder, files)| match below.strip_prefix(*folder) {
            // The folder itself stands for what is in it, if all of it is meant.
            Some([]) => *files == ["*"],
            Some([file, ..]) if *files == ["*"] => !file.is_empty(),
            Some([file]) => files.contains(file),
            _ => false,
        }) || below == ["opencode.json"]
    };
    let own = |below: &[&str]| {
        OWN.iter().any(|folder| below.starts_with(folder))
            || PROGRAMS.iter().any(|folder| below.strip_prefix(*folder).is_some_and(is_program))
    };
    MANAGED.iter().any(|folder| path.starts_with(folder))
        || path.split_last().is_some_and(|(file, folder)| {
            is_program(&[*file]) && (folder.ends_with(&["usr", "bin"]) || folder == ["usr", "local", "bin"])
        })
        || path.strip_prefix(root).is_some_and(host)
        || path.strip_prefix(home).is_some_and(|below| host(below) || own(below))
}

/// `kz` and the programs of its stages.
fn is_program(file: &[&str]) -> bool {
    matches!(file, [name] if matches!(*name, "kz" | "kz-run" | "kz-normalize" | "kz-classify" | "kz-guard" | "kz-ladder" | "kz-decide"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(path: &str) -> Vec<&str> {
        path.split('/').filter(|part| !part.is_empty()).collect()
    }

    fn is_secret(path: &str) -> bool {
        secret(&parts(path), &["home", "u"]).has(Kind::Secret)
    }

    #[test]
    fn credentials_and_what_only_looks_like_them() {
        for path in [
            "/home/u/.ssh/id_ed25519",
            "/home/u/.ssh/authorized_keys",
            "/home/u/.aws/credentials",
            "/home/u/.kube/config",
            "/home/u/.npmrc",
            "/home/u/.boto",
            "/home/u/.gem/credentials",
            "/home/u/.config/glab-cli/config.yml",
            "/home/u/.config/gcloud/access_tokens.db",
            "/home/u/Library/Keychains/login.keychain-db",
            "/home/u/.codex/auth.json",
            "/w/.env",
            "/w/.env.production",
            "/w/.env?",
            "/w/.e?v",
            "/w/.en[uv]",
            "/home/u/.aw?/cred*",
            "/home/u/.a*/credentials",
            "/home/u/.[s]sh/deploy",
            "/w/deploy/prod.env",
            "/w/tls/server.key",
            "/w/tls/private.pem",
            "/w/terraform.tfstate",
            "/etc/shadow",
        ] {
            assert!(is_secret(path), "{path}");
        }
        for path in [
            "/home/u/.ssh/id_ed25519.pub",
            "/home/u/.ssh/id_ed25519.pub.old",
            "/home/u/.ssh/config",
            "/home/u/.ssh/hosts.txt",
            "/home/u/.docker/daemon.json",
            "/w/.npmrc",
            "/w/.env.example",
            "/w/.env.test",
            "/w/.e?",
            "/home/u/.*/notes",
            "/home/u/.ba*/notes",
            "/w/src/a*/b",
            "/w/.gi[t]",
            "/w/?env",
            "/w/.env.d.ts",
            "/w/.environment",
            "/w/tls/ca.pem",
            "/w/tls/server-cert.pem",
            "/w/tls/public.key",
            "/w/src/credentials.rs",
            "/w/certs",
        ] {
            assert!(!is_secret(path), "{path}");
        }
        for path in ["/w/certs", "/w/certs/*", "/home/u/.ssh", "/srv/secrets", "/home/u/.config/gh"] {
            assert!(secret(&parts(path), &["home", "u"]).has(Kind::SecretFolder), "{path}");
        }
    }

    #[test]
    fn what_switches_a_guard_off_is_the_guards() {
        let is = |path: &str| guard(&parts(path), &["w"], &["home", "u"]);
        for path in [
            "/w/.kibitzer",
            "/w/.kibitzer/rules/x.toml",
            "/w/.claude/settings.local.json",
            "/w/.claude/hooks",
            "/w/.github/hooks/x.json",
            "/home/u/.cursor/hooks.json",
            "/home/u/.config/opencode/plugin/kz.js",
            "/home/u/.config/kz/config.toml",
            "/home/u/.local/bin/kz-run",
            "/usr/local/bin/kz",
            "/etc/claude-code/managed-settings.json",
        ] {
            assert!(is(path), "{path}");
        }
        for path in [
            "/w/.claude/agents/x.md",
            "/w/.github/workflows/x.yml",
            "/home/u/.local/bin/jq",
            "/w/bin/kz",
            "/x/.kibitzer",
        ] {
            assert!(!is(path), "{path}");
        }
    }
}
