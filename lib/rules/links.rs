//! Symbolic links that a call makes: what lies behind one is elsewhere for the commands that follow.

use super::kind::{Place, collapse, split};
use crate::shell::{Arg, Dynamic, Part, Shell, options};

/// Most links of a line that are followed.
const MOST: usize = 16;
/// Most links behind links.
const DEPTH: usize = 4;

/// A link that a part made.
#[derive(Clone, Debug)]
pub(super) struct Link {
    /// The part.
    part: u32,
    /// Where it lies, in components.
    path: Vec<String>,
    /// Where it leads.
    target: Vec<String>,
}

/// The links that a line makes whose place and target are certain.
pub(super) fn links(shell: &Shell, place: &Place) -> Vec<Link> {
    let parts = shell.parts.iter().filter(|part| part.head == "ln" && !part.elsewhere);
    parts.filter_map(|part| link(part, &place.moved(part))).take(MOST).collect()
}

fn link(part: &Part, place: &Place) -> Option<Link> {
    let read = options::options(part);
    if !read.has(&["-s", "--symbolic"]) || read.has(&["-t", "--target-directory"]) || place.cwd.is_empty() {
        return None;
    }
    let word = |at: usize| read.operands.get(at).and_then(|at| part.words().get(*at));
    let target = word(0)?;
    let name = target.text.trim_end_matches('/').rsplit('/').next().map(Arg::literal);
    let path = match read.operands.len() {
        1 => absolute(&name?, place, &place.cwd)?,
        // In a folder that is there it gets the target's name.
        2 if word(1)?.text.ends_with(['/', '.']) => {
            let folder = absolute(word(1)?, place, &place.cwd)?;
            absolute(&name?, place, &folder)?
        }
        2 => absolute(word(1)?, place, &place.cwd)?,
        _ => return None,
    };
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let target = absolute(target, place, folder)?;
    let parts = |path: &str| split(path).map(str::to_owned).collect();
    Some(Link { part: part.n, path: parts(&path), target: parts(&target) })
}

/// A word as an absolute path, seen from a folder; `None` if it is not certain.
fn absolute(word: &Arg, place: &Place, from: &str) -> Option<String> {
    let text = word.text.as_str();
    let home = |name: &str| text.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    match word.dynamic {
        dynamic if dynamic.is_empty() && text.starts_with('/') => Some(collapse(text)),
        dynamic if dynamic.is_empty() && !text.is_empty() => Some(collapse(&format!("{from}/{text}"))),
        dynamic if dynamic == [Dynamic::Tilde] => match (home("~").or_else(|| home("$HOME")), home("$PWD")) {
            (Some(below), _) if !place.home.is_empty() => Some(collapse(&format!("{}{below}", place.home))),
            (None, Some(below)) => Some(collapse(&format!("{}{below}", place.cwd))),
            _ => None,
        },
        _ => None,
    }
}

/// Where a path leads by the links that parts before part `n` made. `through` says that the folder which
/// the path names is entered, so that a link as its last name is followed too.
pub(super) fn led(links: &[Link], n: u32, path: &[&str], through: bool) -> Option<Vec<String>> {
    if links.is_empty() {
        return None;
    }
    let mut now: Option<Vec<String>> = None;
    for _ in 0..DEPTH {
        let here: Vec<&str> =
            now.as_ref().map_or_else(|| path.to_vec(), |now| now.iter().map(String::as_str).collect());
        let below = |link: &&Link| {
            link.part < n
                && here.len() >= link.path.len() + usize::from(!through)
                && here.iter().zip(&link.path).all(|(here, link)| here == link)
        };
        let Some(link) = links.iter().rev().find(below) else { break };
        let rest = here.get(link.path.len()..).unwrap_or_default().iter().map(|name| (*name).to_owned());
        now = Some(link.target.iter().cloned().chain(rest).collect());
    }
    now
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell;

    fn led_to(line: &str, path: &str, through: bool) -> String {
        let place = Place::new("/w".into(), "/w".into(), "/home/u".into());
        let links = links(&shell::read(line), &place);
        let path: Vec<&str> = split(path).collect();
        led(&links, u32::MAX, &path, through).map_or_else(|| "-".into(), |path| format!("/{}", path.join("/")))
    }

    #[test]
    fn links_of_the_line_are_followed() {
        for (line, path, through, expected) in [
            ("ln -s / l", "/w/l", true, "/"),
            ("ln -s / l", "/w/l", false, "-"),
            ("ln -s / l", "/w/l/etc", false, "/etc"),
            ("ln -s ~ h", "/w/h/x", false, "/home/u/x"),
            ("ln -sfn ../a sub/l", "/w/sub/l/x", false, "/w/a/x"),
            ("ln -s /data/set", "/w/set/x", false, "/data/set/x"),
            ("ln -s /data/set sub/", "/w/sub/set/x", false, "/data/set/x"),
            ("cd sub && ln -s /a l", "/w/sub/l/x", false, "/a/x"),
            ("ln -s /a l; ln -s l/b k", "/w/k/c", false, "/a/b/c"),
            ("ln -s l l", "/w/l/x", false, "/w/l/x"),
            ("ln a l", "/w/l/x", false, "-"),
            ("ln -s $X l", "/w/l/x", false, "-"),
            ("ln -s a b c", "/w/c/x", false, "-"),
        ] {
            assert_eq!(led_to(line, path, through), expected, "{line}");
        }
    }
}
