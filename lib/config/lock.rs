//! `lock`: keys and whole tables that nothing above the user's own file may change.

use super::keys::{Key, choice, segments};
use super::layer::{Problem, check_name, shown};
use super::near::nearest;
use super::table::KEYS;
use super::{Config, Setting};

/// Whether a name in `lock` is one of a key or a table.
///
/// # Errors
/// What is wrong with it.
pub(super) fn check(name: &str) -> Result<(), Problem> {
    let path = segments(name);
    let key = KEYS.iter().find(|key| !path.is_empty() && begins(key, &path, None));
    let Some(key) = key else {
        let near = choice(&nearest(&path, false).iter().map(String::as_str).collect::<Vec<_>>());
        let text = format!("`lock` names `{}`, and there is no such key or table", shown(name));
        return Err(Problem::new(
            text,
            if near.is_empty() { "see `kz help config`".to_owned() } else { format!("did you mean {near}?") },
        ));
    };
    let wild = key.name.split('.').position(|segment| segment == "*").and_then(|at| path.get(at));
    wild.filter(|wild| **wild != "*").map_or(Ok(()), |wild| check_name(key, wild))
}

/// The rule that a name in `lock` means, if it means one.
pub(super) fn rule(name: &str) -> Option<&str> {
    match segments(name).as_slice() {
        ["guard", "rules", id] if *id != "*" => Some(*id),
        _ => None,
    }
}

/// The lock that lies on a key: the name that the user wrote.
pub fn lock_on<'a>(config: &'a Config, key: &Key, wild: &str) -> Option<(&'a Setting<Vec<String>>, &'a str)> {
    let name = config.lock.iter().find(|name| begins(key, &segments(name), Some(wild)))?;
    Some((&config.lock, name))
}

/// Whether the key's name begins with the path; without a name for its `*`, any will do.
fn begins(key: &Key, path: &[&str], wild: Option<&str>) -> bool {
    let mut known = key.name.split('.');
    path.iter().all(|given| {
        known.next().is_some_and(|known| match known {
            "*" => *given == "*" || wild.is_none_or(|wild| wild == *given),
            _ => known == *given,
        })
    })
}
