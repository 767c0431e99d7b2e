//! The hard deny: what no overlay opens. Judged on every part of a command, however it is reached, by
//! the rules where they know it, by the words of the part, and by the policy's own patterns.

use super::{Case, pattern, place};
use crate::call::{CallPath, Does, Op};
use crate::envelope::{Finding, Verdict};
use crate::rules::{self, Kind, matcher::wild};
use crate::shell::Part;
use crate::shell::options::options;

/// Rules that are part of it: ids, and packs whose rules that deny are.
pub(super) const RULES: &[&str] = &[
    "code/",
    "rm/",
    "disk/",
    "remote/",
    "secrets/",
    "self/",
    "git/alias-in-line",
    "git/branch-delete",
    "git/clean",
    "git/delete-remote-branch",
    "git/force-push",
    "git/hooks-off-by-variable",
    "git/hooks-path",
    "git/push-prune",
    "git/reset-hard",
    "git/skip-hooks",
    "hosting/",
    "system/as-root",
];

/// Names of credential files and folders that a glob may stand for.
const CREDENTIALS: &[&str] = &[".ssh", ".aws", ".vault", "secrets.enc.json", ".env"];

/// Verbs of `gh` and `glab` that take something away.
const TAKES: &[&str] = &[
    "delete",
    "delete-asset",
    "archive",
    "transfer",
    "remove",
    "item-delete",
    "field-delete",
    "item-archive",
    "unlink",
    "delete-branch",
    "purge",
];

/// Most parts that are judged one by one. With more than one the chain guard stops the call anyway.
const PARTS: usize = 64;

/// What is hard-denied about a call: what it is, and in which part.
pub(super) fn found(case: &Case) -> Option<(String, Option<u32>)> {
    by_rule(case).or_else(|| by_part(case)).or_else(|| by_path(case))
}

fn by_rule(case: &Case) -> Option<(String, Option<u32>)> {
    let counts = |finding: &&Finding| {
        let rule = rules::find(&finding.rule);
        let denies = rule.is_some_and(|rule| rule.verdict == Verdict::Deny);
        finding.class == "danger"
            && RULES.iter().any(|known| match known.strip_suffix('/') {
                Some(_) => denies && finding.rule.starts_with(known),
                None => finding.rule == *known,
            })
    };
    let finding = case.findings.iter().find(counts)?;
    let what = if finding.why.is_empty() { "a danger rule" } else { &finding.why };
    Some((format!("{what} ({})", finding.rule), finding.part))
}

fn by_part(case: &Case) -> Option<(String, Option<u32>)> {
    let shell = case.call.shell.as_ref()?;
    shell.parts.iter().take(PARTS).find_map(|part| {
        let own = of_part(part).map(str::to_owned);
        let text = || place::plain(part);
        let patterns = case.policy.hard_deny().map_or(&[][..], |deny| &deny.bash_patterns);
        let listed = || {
            pattern::first(patterns, &case.seen.me, &text())
                .map(|_| format!("`{}` is on the hard-deny list", shortened(&text())))
        };
        own.or_else(listed).map(|what| (what, Some(part.n)))
    })
}

/// What the words of a part say.
fn of_part(part: &Part) -> Option<&'static str> {
    let read = options(part);
    let words = || part.words().iter().skip(1).map(|word| word.text.as_str());
    match part.head.to_ascii_lowercase().as_str() {
        "rm" | "srm" if read.has(&["-r", "-R", "--recursive"]) && read.has(&["-f", "--force"]) => {
            Some("it deletes recursively and by force")
        }
        "remove-item" if read.has(&["-recurse"]) && read.has(&["-force"]) => {
            Some("it deletes recursively and by force")
        }
        "sudo" | "doas" | "pkexec" | "su" | "run0" => Some("it runs with other rights"),
        "dd" | "dcfldd" if words().any(|word| word.starts_with("if=")) => Some("it copies raw data with `dd if=`"),
        "mke2fs" | "mkswap" | "newfs" => Some("it makes a file system"),
        head if head.starts_with("mkfs") => Some("it makes a file system"),
        "git" => git(part),
        "gh" | "glab" => host(part),
        _ => None,
    }
}

fn git(part: &Part) -> Option<&'static str> {
    let read = options(part);
    let values: Vec<usize> =
        read.options.iter().filter(|option| option.value_at != option.at).map(|option| option.value_at).collect();
    let flag = |beginnings: &[&str]| {
        part.words()
            .iter()
            .enumerate()
            .skip(1)
            .any(|(at, word)| !values.contains(&at) && beginnings.iter().any(|begin| word.text.starts_with(begin)))
    };
    // Git takes any unique beginning of a long option.
    if flag(&["--no-veri"]) {
        return Some("it goes around the repository's hooks");
    }
    let setting = |key: &str| matches!(&*key.to_ascii_lowercase(), "commit.gpgsign" | "tag.gpgsign" | "push.gpgsign");
    let off = |value: &str| matches!(&*value.to_ascii_lowercase(), "false" | "0" | "no" | "off" | "");
    let unsigned = |text: &str| text.split_once('=').is_some_and(|(key, value)| setting(key) && off(value));
    let config = read.words.first() == Some(&"config");
    let pair =
        part.words().windows(2).any(|pair| matches!(pair, [key, value] if setting(&key.text) && off(&value.text)));
    let variable = part.assign.iter().any(|word| word.text.split_once('=').is_some_and(|(_, key)| setting(key)));
    let by_config =
        read.options.iter().filter(|option| option.name == "-c").filter_map(|option| option.value.as_deref());
    let signs = flag(&["--no-gp", "--no-sign"]) || by_config.into_iter().any(unsigned) || config && pair || variable;
    signs.then_some("it goes around signing")
}

/// `gh` and `glab`: a verb that takes something away, in either of the first places, or over the API.
fn host(part: &Part) -> Option<&'static str> {
    const WHY: Option<&str> = Some("it takes something away on the code host");
    let words: Vec<&str> = part.words().iter().skip(1).map(|word| word.text.as_str()).collect();
    let text = |at: usize| {
        at.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|word| place::TEXTS.contains(word))
    };
    let plain = words.iter().enumerate().filter(|(at, word)| !word.starts_with('-') && !text(*at));
    let mut verbs = plain.map(|(_, word)| word).take(3);
    if let [auth, verb, ..] = words.as_slice()
        && *auth == "auth"
        && (*verb == "token" || words.iter().any(|word| matches!(*word, "-t" | "--show-token")))
    {
        return Some("it shows a credential");
    }
    if verbs.clone().next() != Some(&"api") {
        // A value of a global option (`-R o/r`) may stand before them.
        let found = verbs.any(|word| TAKES.contains(word));
        let search = words.first() == Some(&"search");
        return WHY.filter(|_| found && !search);
    }
    let method = |at: usize, word: &str| match word {
        "-X" | "--method" => words.get(at + 1).map(|next| (*next).to_owned()),
        _ => word
            .strip_prefix("--method=")
            .or_else(|| word.strip_prefix("-X"))
            .map(|value| value.trim_start_matches('=').to_owned()),
    };
    let delete = words
        .iter()
        .enumerate()
        .any(|(at, word)| method(at, word).is_some_and(|method| method.eq_ignore_ascii_case("delete")));
    let mutation = words.iter().any(|word| {
        let word = word.to_ascii_lowercase();
        word.contains("mutation") && ["delete", "archive", "remove", "transfer"].iter().any(|verb| word.contains(verb))
    });
    WHY.filter(|_| delete || mutation)
}

/// Credentials, and the coordinator's own files.
fn by_path(case: &Case) -> Option<(String, Option<u32>)> {
    let shell = case.call.does == Does::Shell;
    // To look at names alone gives nothing away.
    let counts = |path: &&CallPath| !(shell && path.op == Op::List);
    let touched = case.call.paths.iter().filter(counts).find_map(|path| {
        let what = own_file(case, path).or_else(|| credential(case, path))?;
        Some((what, path.part))
    });
    touched.or_else(|| {
        let parts = case.call.shell.iter().flat_map(|shell| &shell.parts).take(PARTS);
        let mut words = parts.flat_map(|part| place::words(part).map(move |word| (part, word)));
        words.find_map(|(part, word)| {
            let plain = place::absolute(&word, &case.call.cwd, case.home)?;
            let found = case.seen.links.get(&word).map_or(plain.as_str(), String::as_str);
            let bare = !word.contains('/') && found == plain && quoted(part, &word, &case.call.command);
            let hit = !bare
                && (secret(case, &plain)
                    || secret(case, found)
                    || glob_secret(&word) && word.contains(['*', '?', '[']));
            hit.then(|| (format!("`{}` is credential material", shortened(&word)), Some(part.n)))
        })
    })
}

/// Whether a word stands in quotes: then it is a text about a file rather than the file.
fn quoted(part: &Part, word: &str, command: &str) -> bool {
    let text = command.get(part.span[0] as usize..part.span[1] as usize).unwrap_or(command);
    ['\'', '"'].iter().any(|quote| text.contains(&format!("{quote}{word}{quote}")))
}

fn own_file(case: &Case, path: &CallPath) -> Option<String> {
    let writes = matches!(path.op, Op::Write | Op::Delete) && !path.path.is_empty();
    let guard = || case.place.of(&path.path).has(Kind::Guard) || path.path == case.seen.policy_file;
    (writes && guard()).then(|| format!("`{}` is a file of the guard itself", shortened(shown(path))))
}

fn credential(case: &Case, path: &CallPath) -> Option<String> {
    let plain = place::absolute(&path.raw, &case.call.cwd, case.home);
    let certain = [Some(&path.path), path.rel.as_ref(), plain.as_ref()];
    let hit = certain.into_iter().flatten().any(|text| secret(case, text))
        || path.path.is_empty() && secret(case, &path.raw)
        || path.glob == Some(true) && glob_secret(&path.raw);
    hit.then(|| format!("`{}` is credential material", shortened(shown(path))))
}

fn secret(case: &Case, path: &str) -> bool {
    let patterns = case.policy.hard_deny().map_or(&[][..], |deny| &deny.path_patterns);
    let below = place::below(path, &case.place.root);
    std::iter::once(path).chain(below.as_deref()).any(|path| pattern::first(patterns, &case.seen.me, path).is_some())
}

/// Whether a glob may stand for a file of credentials, name by name. A leading star matches no dot, and
/// `*.json` is taken for a wish for all of them.
fn glob_secret(glob: &str) -> bool {
    glob.split('/').filter(|name| name.contains(['*', '?', '['])).any(|name| {
        let loose = classes(name);
        CREDENTIALS.iter().any(|known| wild(&loose, known) && (!name.starts_with('*') || name.contains("enc")))
    })
}

/// A glob with each class in brackets as one unknown letter.
fn classes(name: &str) -> String {
    let mut out = String::new();
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        let end = after.char_indices().skip(1).find(|(_, letter)| *letter == ']');
        let Some((end, _)) = end else { return out + "[" + after };
        out.push('?');
        rest = after.get(end + 1..).unwrap_or_default();
    }
    out + rest
}

fn shown(path: &CallPath) -> &str {
    path.rel.as_deref().unwrap_or(if path.path.is_empty() { &path.raw } else { &path.path })
}

/// Text of a call in a message: one line, cut at 120 characters.
pub(super) fn shortened(text: &str) -> String {
    let mut out: String = text.chars().take(120).map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    if text.chars().nth(120).is_some() {
        out.push('…');
    }
    out
}
