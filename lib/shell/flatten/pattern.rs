//! Shell patterns on known texts: `${x%%.*}`.

/// One step of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// This letter.
    Letter(char),
    /// `?`
    One,
    /// `*`
    Any,
    /// `[a-z]`; whether it is negated, and its ranges.
    Class(bool, Vec<(char, char)>),
}

/// Most steps times letters of one match.
const MOST: usize = 64 * 1024;

/// Adds an unquoted glob (`*`, `?`, `[a-z]`) to a pattern; `None` if it is of a kind that is not followed.
pub fn glob(text: &str, into: &mut Vec<Step>) -> Option<()> {
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '*' => into.push(Step::Any),
            '?' => into.push(Step::One),
            '[' => {
                let negated = letters.next_if(|next| matches!(next, '!' | '^')).is_some();
                let mut ranges = Vec::new();
                loop {
                    let from = letters.next()?;
                    if from == ']' && !ranges.is_empty() {
                        break;
                    }
                    if matches!(from, '[' | '\\' | '$' | '"' | '\'') {
                        return None;
                    }
                    let mut to = from;
                    let mut ahead = letters.clone();
                    if ahead.next() == Some('-') && ahead.peek().is_some_and(|last| *last != ']') {
                        letters.next();
                        to = letters.next()?;
                    }
                    ranges.push((from, to));
                }
                into.push(Step::Class(negated, ranges));
            }
            '(' => return None,
            letter => into.push(Step::Letter(letter)),
        }
    }
    Some(())
}

fn fits(step: &Step, letter: char) -> bool {
    match step {
        Step::Letter(own) => *own == letter,
        Step::One | Step::Any => true,
        Step::Class(negated, ranges) => ranges.iter().any(|(from, to)| (*from..=*to).contains(&letter)) != *negated,
    }
}

/// How many letters of `text` the pattern may take from its start: the least and the most.
///
/// `None` in the outer option if it would take too long to say.
pub fn takes(pattern: &[Step], text: &[char]) -> Option<Option<(usize, usize)>> {
    if pattern.len().saturating_mul(text.len()) > MOST {
        return None;
    }
    // `at[i]`: the first `i` steps have taken all letters so far.
    let mut at = vec![false; pattern.len() + 1];
    let mut found: Option<(usize, usize)> = None;
    if let Some(first) = at.first_mut() {
        *first = true;
    }
    for taken in 0..=text.len() {
        // `*` may take nothing.
        let mut before = false;
        for (number, now) in at.iter_mut().enumerate() {
            let skips = number.checked_sub(1).and_then(|step| pattern.get(step)) == Some(&Step::Any);
            *now |= before && skips;
            before = *now;
        }
        if at.last() == Some(&true) {
            found = Some((found.map_or(taken, |(least, _)| least), taken));
        }
        let Some(letter) = text.get(taken) else { break };
        let mut next = vec![false; at.len()];
        for (number, step) in pattern.iter().enumerate() {
            if at.get(number) != Some(&true) || !fits(step, *letter) {
                continue;
            }
            let to = if *step == Step::Any { number } else { number + 1 };
            if let Some(to) = next.get_mut(to) {
                *to = true;
            }
        }
        // A `*` that was skipped can still take.
        for (number, step) in pattern.iter().enumerate() {
            if *step == Step::Any
                && at.get(number + 1) == Some(&true)
                && at.get(number) == Some(&true)
                && let Some(to) = next.get_mut(number)
            {
                *to = true;
            }
        }
        at = next;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::{glob, takes};

    fn whole(pattern: &str, text: &str) -> Option<bool> {
        let mut steps = Vec::new();
        glob(pattern, &mut steps)?;
        let letters: Vec<char> = text.chars().collect();
        Some(takes(&steps, &letters)?.is_some_and(|(_, most)| most == letters.len()))
    }

    #[test]
    fn patterns_match_as_in_a_shell() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("a*c", "abbc", true),
            ("a*c", "abcb", false),
            ("?", "é", true),
            ("*.tar.*", "x.tar.gz", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("**a**", "bab", true),
            ("[]a]", "]", true),
        ] {
            assert_eq!(whole(pattern, text), Some(expected), "{pattern} {text}");
        }
    }
}
