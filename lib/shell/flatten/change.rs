//! Operators that change the certain value of a variable: `${x%y}`, `${x/y/z}`, `${x:1:2}`, `${x^^}`.

use super::super::ast::{Piece, PieceKind, Word};
use super::super::dynamic::{Dynamic, Dynamics};
use super::super::part::Arg;
use super::Walk;
use super::expand::Got;
use super::pattern::{self, Step};

impl Walk<'_, '_> {
    /// A value with an operator applied: `${x%y}`, `${x/y/z}`, `${x:1:2}`, `${x^^}`.
    pub(super) fn changed(&mut self, value: &Arg, op: &str, words: &[Word]) -> Option<Arg> {
        let home = value.dynamic == [Dynamic::Tilde];
        if self.out.replace.as_deref().is_some_and(|mark| value.text.contains(mark)) {
            return None;
        }
        if value.dynamic == [Dynamic::Glob] {
            let steps = self.steps(words.first()?)?;
            let new = match words.get(1) {
                Some(word) => self.value(word).certain()?.to_owned(),
                None => String::new(),
            };
            return globbed(&value.text, op, &steps, &new);
        }
        if !home && !value.dynamic.is_empty() {
            return None;
        }
        let text = value.text.as_str();
        let new = match op {
            "%" | "%%" | "#" | "##" => self.trimmed(text, op, words.first())?,
            _ if home => return None,
            "/" | "//" | "/#" | "/%" => self.replaced(text, op, words)?,
            "^^" if words.is_empty() => text.to_uppercase(),
            ",," if words.is_empty() => text.to_lowercase(),
            "^" | "," if words.is_empty() => {
                let mut letters = text.chars();
                let first = letters.next().map(String::from).unwrap_or_default();
                let first = if op == "^" { first.to_uppercase() } else { first.to_lowercase() };
                first + letters.as_str()
            }
            "^^" | ",," | "^" | "," => self.cased(text, op, words.first()?)?,
            ":" => self.cut(text, words)?,
            _ => return None,
        };
        if home {
            // What is left begins as before, or is behind the home folder.
            let root = text.find('/').unwrap_or(text.len());
            if op.starts_with('%') {
                return (new.len() >= root).then(|| Arg { text: new.into(), dynamic: value.dynamic });
            }
            return (new.len() < text.len() - root).then(|| Arg::literal(new));
        }
        Some(Arg::literal(new))
    }

    /// `${x%pattern}` and the like.
    fn trimmed(&mut self, text: &str, op: &str, word: Option<&Word>) -> Option<String> {
        let Some(word) = word else { return Some(text.to_owned()) };
        let mut steps = self.steps(word)?;
        let mut letters: Vec<char> = text.chars().collect();
        let end = op.starts_with('%');
        if end {
            steps.reverse();
            letters.reverse();
        }
        let Some((least, most)) = pattern::takes(&steps, &letters)? else {
            return Some(text.to_owned());
        };
        letters.drain(..if op.len() == 2 { most } else { least });
        if end {
            letters.reverse();
        }
        Some(letters.into_iter().collect())
    }

    /// `${x/pattern/text}` and the like.
    fn replaced(&mut self, text: &str, op: &str, words: &[Word]) -> Option<String> {
        let steps = self.steps(words.first()?)?;
        let new = match words.get(1) {
            Some(word) => self.value(word).certain()?.to_owned(),
            None => String::new(),
        };
        // `&` may stand for what was found.
        if new.contains('&') {
            return None;
        }
        if text.is_empty() && !steps.is_empty() {
            // Of nothing a pattern of stars is found.
            let found = steps.iter().all(|step| *step == Step::Any);
            return Some(if found { new } else { String::new() });
        }
        if steps.is_empty() {
            return match op {
                "/#" => Some(new + text),
                "/%" => Some(format!("{text}{new}")),
                _ => None,
            };
        }
        let letters: Vec<char> = text.chars().collect();
        // Trying the pattern at each letter costs the square of the length.
        if letters.len().saturating_mul(letters.len()).saturating_mul(steps.len()) > 256 * 1024 {
            return None;
        }
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        let mut done = false;
        while let Some(letter) = letters.get(at) {
            let rest = letters.get(at..).unwrap_or_default();
            let taken = match op {
                _ if done && op != "//" => 0,
                "/#" if at > 0 => 0,
                "/%" => match pattern::takes(&steps, rest)? {
                    Some((_, most)) if most == rest.len() => most,
                    _ => 0,
                },
                _ => pattern::takes(&steps, rest)?.map_or(0, |(_, most)| most),
            };
            if taken > 0 {
                out.push_str(&new);
                done = true;
                at += taken;
            } else {
                out.push(*letter);
                at += 1;
            }
            if out.len() > 4096 {
                return None;
            }
        }
        Some(out)
    }

    /// `${x^^[a-f]}`: the letters that a pattern of one letter takes.
    fn cased(&mut self, text: &str, op: &str, word: &Word) -> Option<String> {
        let steps = self.steps(word)?;
        let mut out = String::with_capacity(text.len());
        for (number, letter) in text.chars().enumerate() {
            let fits = pattern::takes(&steps, &[letter])?.is_some_and(|(_, most)| most == 1);
            match (fits && (number == 0 || op.len() == 2), op.starts_with('^')) {
                (false, _) => out.push(letter),
                (true, true) => out.extend(letter.to_uppercase()),
                (true, false) => out.extend(letter.to_lowercase()),
            }
        }
        Some(out)
    }

    /// `${x:2:3}`
    fn cut(&mut self, text: &str, words: &[Word]) -> Option<String> {
        let letters: Vec<char> = text.chars().collect();
        let length = i64::try_from(letters.len()).ok()?;
        let start = self.number(*words.first()?)?;
        let start = if start < 0 { length.checked_add(start)? } else { start.min(length) };
        let end = match words.get(1) {
            None => length,
            Some(word) => {
                let count = self.number(*word)?;
                if count < 0 { length.checked_add(count)? } else { start.saturating_add(count).min(length) }
            }
        };
        if start < 0 {
            return Some(String::new());
        }
        let range = usize::try_from(start).ok()?..usize::try_from(end).ok()?;
        Some(letters.get(range)?.iter().collect())
    }

    /// A word as a pattern: what is quoted is taken as it is.
    pub(super) fn steps(&mut self, word: &Word) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        for piece in self.pieces(word).iter() {
            self.step(piece, &mut steps)?;
        }
        Some(steps)
    }

    fn step(&mut self, piece: &Piece, steps: &mut Vec<Step>) -> Option<()> {
        if matches!(piece.kind, PieceKind::Glob) {
            return pattern::glob(self.source(piece.span), steps);
        }
        if let Some(text) = self.literal(piece) {
            // Between double quotes the operand is one text, but still a pattern.
            let before = piece.span.start.checked_sub(1).and_then(|at| self.text.as_bytes().get(at as usize));
            let quoted = matches!(before, Some(b'"' | b'\'' | b'\\'));
            if matches!(piece.kind, PieceKind::Text) && !quoted && text.contains(['*', '?', '[']) {
                return pattern::glob(text, steps);
            }
            steps.extend(text.chars().map(Step::Letter));
            return Some(());
        }
        let PieceKind::Variable(number) = piece.kind else { return None };
        let Some(Got::One(value)) = self.parameter(self.script.variable(number), true, false) else { return None };
        let text = value.certain()?;
        if !piece.quoted && text.contains(['*', '?', '[', '\\']) {
            return None;
        }
        steps.extend(text.chars().map(Step::Letter));
        Some(())
    }
}

/// `${f%.x}`, `${f##*/}`, `${f%/*}` of all results of a glob.
fn globbed(text: &str, op: &str, steps: &[Step], put: &str) -> Option<Arg> {
    let literal: Option<String> = steps
        .iter()
        .map(|step| match step {
            Step::Letter(letter) => Some(*letter),
            _ => None,
        })
        .collect();
    let new = match (op, steps) {
        ("%" | "%%", _) if literal.is_some() => text.strip_suffix(literal?.as_str())?,
        ("#" | "##", _) if literal.is_some() => text.strip_prefix(literal?.as_str())?,
        // A glob does not match `/`.
        ("##", [Step::Any, Step::Letter('/')]) => text.rsplit('/').next()?,
        ("%", [Step::Letter('/'), Step::Any]) => text.rsplit_once('/')?.0,
        // `${f%.*}`, `${f##*.}`: the last dot is in what is written.
        ("%", [Step::Letter(letter), Step::Any]) => text.rsplit_once(*letter).filter(|(_, end)| certain(end))?.0,
        ("##", [Step::Any, Step::Letter(letter)]) => text.rsplit_once(*letter).filter(|(_, end)| certain(end))?.1,
        // `${f/src/out}`: the first place is in front of all that is not known.
        ("/", _) if literal.as_deref().is_some_and(|old| !old.is_empty()) && !put.contains('&') => {
            let old = literal?;
            let known = text.find(['*', '?', '[']).and_then(|end| text.get(..end))?;
            return known.contains(&old).then(|| glob_arg(&text.replacen(&old, put, 1)));
        }
        ("/%", _) if literal.as_deref().is_some_and(certain) && !put.contains('&') => {
            return Some(glob_arg(&format!("{}{put}", text.strip_suffix(literal?.as_str())?)));
        }
        _ => return None,
    };
    Some(glob_arg(new))
}

/// Whether a piece of a glob is only itself.
fn certain(piece: &str) -> bool {
    !piece.contains(['*', '?', '[', ']', '/'])
}

/// A text that is a glob if it has a letter of one.
pub(super) fn glob_arg(text: &str) -> Arg {
    let glob = text.contains(['*', '?', '[']);
    Arg { text: text.into(), dynamic: if glob { Dynamic::Glob.into() } else { Dynamics::NONE } }
}
