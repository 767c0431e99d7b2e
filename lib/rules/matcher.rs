//! Whether words fit what a rule asks of them.

use super::{Kinds, Operand, pattern};
use crate::shell::Arg;

/// Whether words fit a matcher; `kinds` says what paths they are.
pub(super) fn matched<A: std::borrow::Borrow<Arg>>(
    matcher: &Operand,
    words: &[A],
    kinds: impl Fn(&Arg) -> Kinds,
) -> bool {
    let count = u16::try_from(words.len()).unwrap_or(u16::MAX);
    if count < matcher.min || count > matcher.max {
        return false;
    }
    let unconditional = matcher.kinds.is_none()
        && matcher.not_kinds.is_none()
        && matcher.text.is_empty()
        && matcher.not_text.is_empty()
        && matcher.regex.is_empty();
    if unconditional {
        return true;
    }
    let fits = |arg: &A| {
        let arg: &Arg = arg.borrow();
        let text = arg.text.as_str();
        if !matcher.text.is_empty() && !matcher.text.iter().any(|glob| wild(glob, text))
            || matcher.not_text.iter().any(|glob| wild(glob, text))
        {
            return false;
        }
        if !matcher.kinds.is_none() || !matcher.not_kinds.is_none() {
            let found = kinds(arg);
            if !matcher.kinds.is_none() && !found.meets(matcher.kinds) || found.meets(matcher.not_kinds) {
                return false;
            }
        }
        matcher.regex.is_empty() || pattern::fits(matcher.regex, text)
    };
    if matcher.every { !words.is_empty() && words.iter().all(fits) } else { words.iter().any(fits) }
}

/// Whether a text matches a glob of `*` and `?`; letters in any case if the glob begins with `(?i)`.
pub(crate) fn wild(glob: &str, text: &str) -> bool {
    if let Some(glob) = glob.strip_prefix("(?i)") {
        return wild(&glob.to_lowercase(), &text.to_lowercase());
    }
    let (glob, text) = (glob.as_bytes(), text.as_bytes());
    let (mut g, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        match glob.get(g) {
            Some(b'*') => {
                star = Some((g, t));
                g += 1;
            }
            Some(b'?') => {
                g += 1;
                t += 1;
            }
            Some(byte) if *byte == text[t] => {
                g += 1;
                t += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    g = at + 1;
                    t = from + 1;
                }
                None => return false,
            },
        }
    }
    glob[g..].iter().all(|byte| *byte == b'*')
}
