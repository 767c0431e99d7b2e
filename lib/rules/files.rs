//! Files that are more than files: credentials, the guard's own, the host's hooks.

use super::{Kind, Kinds};

const SECRET_FOLDERS: &[&str] = &[".aws", ".azure", ".gnupg", ".kube", ".password-store", ".ssh"];
const SECRET_FILES: &[&str] = &[
    ".dockercfg",
    ".git-credentials",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
    ".vault-token",
    ".my.cnf",
    "application_default_credentials.json",
    "credentials.toml",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_rsa",
    "hosts.yml",
    "Login Data",
    "Cookies",
    "logins.json",
    "key4.db",
];

/// Whether a path in components is a file of credentials; public halves, examples and certificates are not.
pub(super) fn secret(path: &[&str], home: &[&str]) -> Kinds {
    let Some(name) = path.last() else { return Kinds::NONE };
    let public = name.ends_with(".pub")
        || matches!(*name, "known_hosts" | "config" | "allowed_signers") && !path.contains(&".kube")
        || path.contains(&".docker") && *name != "config.json";
    let in_folder = path.iter().any(|part| SECRET_FOLDERS.contains(part));
    let env = (*name == ".env" || name.starts_with(".env.") || name.ends_with(".env") && name.len() > 4)
        && !["example", "sample", "template", "dist", "defaults", "schema"].iter().any(|word| name.contains(word));
    let of_tool = path.ends_with(&[".docker", "config.json"])
        || path.ends_with(&["gh", "hosts.yml"])
        || path.contains(&"gcloud") && path.contains(&".config")
        || path.ends_with(&[".cargo", "credentials.toml"])
        || path.ends_with(&[".cargo", "credentials"])
        || path.ends_with(&["etc", "shadow"])
        || path.ends_with(&["etc", "gshadow"])
        || path.ends_with(&["etc", "sudoers"]);
    let named = SECRET_FILES.contains(name)
        && (!matches!(*name, ".npmrc" | "hosts.yml" | "credentials.toml" | "Cookies")
            || path[..path.len() - 1] == *home)
        || matches!(*name, ".npmrc") && home.is_empty();
    let open = ["cert", "ca", "chain", "public", "pub"].iter().any(|word| name.contains(word));
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or("", |(_, ending)| ending);
    let pem = matches!(ending, "key" | "p12" | "pfx" | "kdbx" | "keystore")
        || ending == "pem" && !open
        || name.starts_with("id_rsa");
    if !public && (in_folder || env || of_tool || named || pem) { Kind::Secret.into() } else { Kinds::NONE }
}

/// Whether it is a file of the guard itself or of the host's hooks.
pub(super) fn guard(path: &[&str], root: &[&str], home: &[&str]) -> bool {
    let host = |below: &[&str]| match below {
        [".kibitzer", ..] => true,
        // Where the user wants that, it chooses the mode.
        [".jetsam", file] => *file == "state.json",
        [".claude", file] => matches!(*file, "settings.json" | "settings.local.json" | "coordinator-overlay.json"),
        [".claude", "hooks", ..] => true,
        [".codex", file] => matches!(*file, "hooks.json" | "config.toml" | "requirements.toml"),
        [".gemini", file] => *file == "settings.json",
        _ => false,
    };
    let own = |below: &[&str]| matches!(below, [".config", "kz", ..] | [".local", "state", "kz", ..]);
    path.strip_prefix(root).is_some_and(host) || path.strip_prefix(home).is_some_and(|below| host(below) || own(below))
}
