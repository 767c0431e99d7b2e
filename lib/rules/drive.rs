//! Paths of Windows, as Windows writes them and as other systems show them.

use super::words::{Kind, Kinds};

/// Kinds of a path of Windows; bash may have eaten its backslashes.
pub(super) fn drive(text: &str) -> Option<Kinds> {
    let bytes = text.as_bytes();
    if matches!(bytes, [b'\\'] | [b'\\', b'\\']) {
        return Some(Kind::Root.into());
    }
    let text = text.strip_prefix(r"\\?\").or_else(|| text.strip_prefix("//?/")).unwrap_or(text);
    let below = match text.as_bytes() {
        [letter, b':', ..] if letter.is_ascii_alphabetic() => text.get(2..)?,
        _ => return None,
    };
    if !below.contains(['/', '\\']) && !below.is_empty() {
        return Some(eaten(&below.to_ascii_lowercase()).into());
    }
    let mut names: Vec<String> = Vec::new();
    for name in below.split(['/', '\\']).filter(|name| !matches!(*name, "" | "." | "*" | "*.*")) {
        match name {
            ".." => drop(names.pop()),
            name => names.push(name.to_ascii_lowercase()),
        }
    }
    Some(of_windows(&names.iter().map(String::as_str).collect::<Vec<_>>()).into())
}

/// The kind of a path of Windows by its names below the drive, in lower case.
fn of_windows(names: &[&str]) -> Kind {
    match names {
        [] => Kind::Root,
        ["users"] | ["users", _] | ["documents and settings", ..] => Kind::Home,
        ["windows", "temp"] | ["users", _, "appdata", "local", "temp"] | ["temp" | "tmp"] => Kind::TempRoot,
        ["windows", "temp", ..] | ["users", _, "appdata", "local", "temp", ..] | ["temp" | "tmp", ..] => Kind::Temp,
        ["windows" | "program files" | "program files (x86)" | "programdata" | "recovery" | "boot", ..] => Kind::System,
        _ => Kind::Outside,
    }
}

/// The same of a path whose backslashes are gone: `usersmeappdatalocaltempx`.
fn eaten(below: &str) -> Kind {
    match below.split_once("appdatalocaltemp") {
        Some((before, "")) if before.starts_with("users") => Kind::TempRoot,
        Some((before, after)) if before.starts_with("users") && !after.contains("..") => Kind::Temp,
        _ if below.starts_with("windows") || below.starts_with("program") => Kind::System,
        _ if below == "users" => Kind::Home,
        _ => Kind::Outside,
    }
}

/// The kind of a drive of Windows as other systems show it: `/c/Users`, `/mnt/c/Users`.
pub(super) fn mounted(path: &[&str]) -> Option<Kind> {
    let (letter, below) = match path {
        ["mnt" | "cygdrive", letter, below @ ..] => (letter, below),
        [letter, below @ ..] => (letter, below),
        [] => return None,
    };
    if letter.len() != 1 || !letter.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    let names: Vec<String> = below.iter().map(|name| name.to_ascii_lowercase()).collect();
    Some(of_windows(&names.iter().map(String::as_str).collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_windows_by_their_spellings() {
        let table: &[(Kind, &[&str])] = &[
            (Kind::Root, &["C:", "c:/", r"C:\", r"\\?\C:\", r"C:\*", r"C:\x\..", r"\"]),
            (Kind::Home, &["C:/Users", r"C:\Users\me", "C:users"]),
            (Kind::System, &[r"C:\Windows\System32", "C:/Program Files/x", "C:WindowsSystem32"]),
            (Kind::TempRoot, &["C:/Users/me/AppData/Local/Temp", "C:UsersmeAppDataLocalTemp", r"C:\Temp"]),
            (Kind::Temp, &["c:/users/ME/appdata/local/temp/x", "C:UsersmeAppDataLocalTempx", "D:/tmp/y"]),
            (Kind::Outside, &["C:/data", r"C:\Users\me\x", "C:data", "C:/Users/me/AppData/Local/Temp/../x"]),
            (Kind::Outside, &["C:UsersmeAppDataLocalTemp..x"]),
        ];
        for (kind, texts) in table {
            for text in *texts {
                assert_eq!(drive(text), Some(Kinds::from(*kind)), "{text}");
            }
        }
        for text in ["", "a:b:c/", "/c/x", "src", "ab:c"] {
            assert!(drive(text).is_none() || text.starts_with("a:"), "{text}");
        }
    }

    #[test]
    fn drives_as_other_systems_show_them() {
        for (path, kind) in [
            ("c", Some(Kind::Root)),
            ("mnt/c/Users/me", Some(Kind::Home)),
            ("cygdrive/d/x", Some(Kind::Outside)),
            ("C/Users/me/AppData/Local/Temp/x", Some(Kind::Temp)),
            ("mnt/data/x", None),
            ("usr/c", None),
        ] {
            assert_eq!(mounted(&path.split('/').collect::<Vec<_>>()), kind, "{path}");
        }
    }
}
