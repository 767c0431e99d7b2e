//! What `echo` and `printf` print.

use super::super::part::Arg;
use ecow::{EcoString, eco_format};

/// Longest text and widest field.
const LONGEST: usize = 64 * 1024;

pub(super) fn echo(words: &[Arg]) -> Arg {
    let mut escapes = false;
    let mut newline = true;
    let mut start = 0;
    for word in words {
        let Some(flags) = word
            .text
            .strip_prefix('-')
            .filter(|flags| !flags.is_empty() && flags.bytes().all(|flag| matches!(flag, b'n' | b'e' | b'E')))
        else {
            break;
        };
        for flag in flags.bytes() {
            match flag {
                b'n' => newline = false,
                flag => escapes = flag == b'e',
            }
        }
        start += 1;
    }
    let mut arg = super::super::unwrap::join(words, start..words.len());
    if escapes {
        arg.text = unescape(&arg.text, false).into();
    }
    if newline {
        arg.text.push('\n');
    }
    arg
}

/// `printf`; a conversion of a word that is not certain, or of a kind that is not known, is not certain.
pub(super) fn printf(words: &[Arg]) -> Option<Arg> {
    let words = if words.first().is_some_and(|word| word.text == "--") { words.get(1..)? } else { words };
    let (format, rest) = words.split_first()?;
    if format.text.starts_with("-v") {
        return None;
    }
    let mut arg = Arg { text: String::new().into(), dynamic: format.dynamic };
    let pattern = unescape(&format.text, true);
    let mut rest = rest.iter();
    loop {
        let mut used = false;
        let mut letters = pattern.chars();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                arg.text.push(letter);
                continue;
            }
            let mut shape = Shape::default();
            let kind = shape.read(&mut letters)?;
            if kind == '%' {
                arg.text.push('%');
                continue;
            }
            used = true;
            let none = Arg::default();
            let word = rest.next().unwrap_or(&none);
            arg.mark_all(word.dynamic);
            shape.put(kind, word, &mut arg.text)?;
        }
        if !used || rest.len() == 0 {
            return Some(arg);
        }
        if arg.text.len() > LONGEST {
            return None;
        }
    }
}

/// Flags, width and precision of a conversion.
#[derive(Default)]
struct Shape {
    left: bool,
    zeros: bool,
    plus: bool,
    width: usize,
    precision: Option<usize>,
}

impl Shape {
    fn read(&mut self, letters: &mut std::str::Chars<'_>) -> Option<char> {
        let mut number: Option<usize> = None;
        loop {
            match letters.next()? {
                '-' => self.left = true,
                '+' => self.plus = true,
                '0' if number.is_none() && self.precision.is_none() => self.zeros = true,
                '.' => {
                    self.width = number.take().unwrap_or(0);
                    self.precision = Some(0);
                }
                digit @ '0'..='9' => {
                    let value = number.unwrap_or(0) * 10 + digit as usize - '0' as usize;
                    number = Some(value).filter(|value| *value <= LONGEST);
                    number?;
                }
                'l' | 'h' | 'j' | 'z' => {}
                kind @ ('s' | 'b' | 'd' | 'i' | 'u' | 'q' | 'x' | 'X' | 'o' | 'c' | '%') => {
                    match self.precision {
                        Some(_) => self.precision = Some(number.unwrap_or(0)),
                        None => self.width = number.unwrap_or(0),
                    }
                    return Some(kind);
                }
                _ => return None,
            }
        }
    }

    fn put(&self, kind: char, word: &Arg, into: &mut EcoString) -> Option<()> {
        let plain = self.width == 0 && self.precision.is_none();
        if !word.dynamic.is_empty() {
            // A mark has no length.
            return if plain && matches!(kind, 's' | 'b' | 'd' | 'q') {
                into.push_str(&word.text);
                Some(())
            } else {
                None
            };
        }
        let text = match kind {
            's' => word.text.clone(),
            'b' => unescape(&word.text, false).into(),
            'q' => quoted(&word.text)?.into(),
            'c' => word.text.chars().take(1).collect(),
            _ => {
                let value = if word.text.is_empty() { 0 } else { super::arith::number(word.text.trim())? };
                let text = match kind {
                    'x' => format!("{value:x}"),
                    'X' => format!("{value:X}"),
                    'o' => format!("{value:o}"),
                    'u' if value < 0 => return None,
                    _ if self.plus && value >= 0 => format!("+{value}"),
                    _ => value.to_string(),
                };
                let digits = self.precision.unwrap_or(0);
                let least = if self.zeros && !self.left && self.precision.is_none() { self.width } else { digits };
                let (sign, number) = match text.strip_prefix(['-', '+']) {
                    Some(number) => (text.get(..1)?, number),
                    None => ("", text.as_str()),
                };
                let missing = least.saturating_sub(number.len() + if digits > 0 { 0 } else { sign.len() });
                eco_format!("{sign}{}{number}", "0".repeat(missing))
            }
        };
        let text = match (kind, self.precision) {
            ('s' | 'b' | 'q', Some(most)) => text.chars().take(most).collect(),
            _ => text,
        };
        let missing = " ".repeat(self.width.saturating_sub(text.chars().count()));
        if !self.left {
            into.push_str(&missing);
        }
        into.push_str(&text);
        if self.left {
            into.push_str(&missing);
        }
        Some(())
    }
}

/// `%q`, for texts that a backslash before each special letter is enough for.
fn quoted(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("''".to_owned());
    }
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() || !letter.is_ascii() {
            return None;
        }
        if !(letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.' | '/' | '+' | '%' | ':' | '@' | '=')) {
            out.push('\\');
        }
        out.push(letter);
    }
    Some(out)
}

/// The escapes of `echo -e` and `printf`; only in a format does the backslash before a quote go.
fn unescape(text: &str, format: bool) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at + 1..).unwrap_or_default();
        let Some(letter) = rest.chars().next() else {
            out.push('\\');
            break;
        };
        let digits = |skip: usize, most: usize, radix: u32| {
            let digits = rest.get(skip..).unwrap_or_default();
            let length = digits.chars().take(most).take_while(|digit| digit.is_digit(radix)).count();
            let value = u32::from_str_radix(digits.get(..length).unwrap_or_default(), radix).ok();
            value.and_then(char::from_u32).map(|value| (value, skip + length))
        };
        let code = match letter {
            'x' => digits(1, 2, 16),
            'u' => digits(1, 4, 16),
            'U' => digits(1, 8, 16),
            '0' => digits(1, 3, 8).or(Some(('\0', 1))),
            '1'..='7' => digits(0, 3, 8),
            _ => None,
        };
        let simple = match letter {
            'a' => Some('\x07'),
            'b' => Some('\x08'),
            'e' | 'E' => Some('\x1b'),
            'f' => Some('\x0c'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'v' => Some('\x0b'),
            '\\' => Some(letter),
            '"' | '\'' if format => Some(letter),
            _ => None,
        };
        if letter == 'c' {
            return out;
        }
        let length = match (code, simple) {
            (Some((value, length)), _) => {
                out.push(value);
                length
            }
            (None, Some(value)) => {
                out.push(value);
                letter.len_utf8()
            }
            (None, None) => {
                out.push('\\');
                out.push(letter);
                letter.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::{echo, printf};
    use crate::shell::part::Arg;

    fn words(words: &[&str]) -> Vec<Arg> {
        words.iter().copied().map(Arg::literal).collect()
    }

    #[test]
    fn a_backslash_goes_before_a_quote_in_a_format_alone() {
        for (printed, expected) in [
            (printf(&words(&[r#"a\"b\'c"#])), r#"a"b'c"#),
            (printf(&words(&["%b", r#"a\"b\'c"#])), r#"a\"b\'c"#),
            (printf(&words(&["%s", r#"a\"b\tc"#])), r#"a\"b\tc"#),
            (Some(echo(&words(&["-ne", r#"a\"b\'c"#]))), r#"a\"b\'c"#),
            (Some(echo(&words(&["-n", r#"a\"b\tc"#]))), r#"a\"b\tc"#),
        ] {
            assert_eq!(printed.map(|arg| arg.text.to_string()).as_deref(), Some(expected));
        }
    }

    #[test]
    fn other_escapes_are_the_same_in_all_three() {
        for (text, expected) in [(r"a\tb", "a\tb"), (r"a\\b", r"a\b"), (r"a\qb", r"a\qb"), (r"\x41b", "Ab")] {
            let printed = [printf(&words(&[text])), printf(&words(&["%b", text])), Some(echo(&words(&["-ne", text])))];
            for printed in printed {
                assert_eq!(printed.map(|arg| arg.text.to_string()).as_deref(), Some(expected), "{text}");
            }
        }
    }
}
