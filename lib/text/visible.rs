//! Text of others on a person's terminal.

/// A text with everything written out that a terminal would act on instead of showing it: what a person
/// agrees to must be what they see. Line breaks and tabs stay.
pub fn visible(text: &str) -> String {
    let hidden = |letter: char| {
        letter.is_control() && !matches!(letter, '\n' | '\t')
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    let mut out = String::new();
    for letter in text.chars() {
        match hidden(letter) {
            true => out.push_str(&format!("<U+{:04X}>", u32::from(letter))),
            false => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn nothing_hides_from_the_person() {
        assert_eq!(visible("a\u{1b}[2K\r\tb\u{202e}\n"), "a<U+001B>[2K<U+000D>\tb<U+202E>\n");
        assert_eq!(visible("café"), "café");
    }
}
