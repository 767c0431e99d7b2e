//! What a byte means where: one table for each place where text is read.

/// A class for each byte.
pub(super) type Table = [u8; 256];

pub(super) const PLAIN: u8 = 0;
pub(super) const END: u8 = 1;
pub(super) const SINGLE: u8 = 2;
pub(super) const DOUBLE: u8 = 3;
pub(super) const BACKSLASH: u8 = 4;
pub(super) const DOLLAR: u8 = 5;
pub(super) const TICK: u8 = 6;
pub(super) const GLOB: u8 = 7;
pub(super) const BRACKET: u8 = 8;
pub(super) const BRACE: u8 = 9;
pub(super) const TILDE: u8 = 10;
pub(super) const PAREN: u8 = 11;
/// `<` or `>` that ends a word unless it opens a process substitution.
pub(super) const ANGLE: u8 = 12;
/// `<` or `>` that is text unless it opens a process substitution.
pub(super) const ANGLE_TEXT: u8 = 13;

const fn table(base: &Table, changes: &[(&[u8], u8)]) -> Table {
    let mut table = *base;
    let mut i = 0;
    while i < changes.len() {
        let (bytes, class) = changes[i];
        let mut j = 0;
        while j < bytes.len() {
            table[bytes[j] as usize] = class;
            j += 1;
        }
        i += 1;
    }
    table
}

/// Inside anything where only expansions and escapes count.
pub(super) static HERE: Table = HERE_CLASSES;
const HERE_CLASSES: Table = table(&[PLAIN; 256], &[(b"\\", BACKSLASH), (b"$", DOLLAR), (b"`", TICK)]);

/// Between double quotes.
pub(super) static QUOTED: Table = table(&HERE_CLASSES, &[(b"\"", END)]);

/// The operand of a double-quoted `${…}`.
pub(super) static QUOTED_OPERAND: Table =
    table(&HERE_CLASSES, &[(b"\"", DOUBLE), (b"'", SINGLE), (b"}", END), (b"<>", ANGLE_TEXT)]);
/// The same where a value or a default is meant, in which `<(…)` is read and yet stays text.
pub(super) static QUOTED_DEFAULT: Table = table(&QUOTED_OPERAND, &[]);
/// The same as [`QUOTED_OPERAND`] up to a `:`.
pub(super) static QUOTED_OPERAND_COLON: Table = table(&QUOTED_OPERAND, &[(b":", END)]);

/// A stretch whose end is already known; quotes count, blanks and operators do not.
pub(super) static RAW: Table = RAW_CLASSES;
const RAW_CLASSES: Table = table(&HERE_CLASSES, &[(b"\"", DOUBLE), (b"'", SINGLE)]);

/// The operand of an unquoted `${…}`.
pub(super) static OPERAND: Table =
    table(&RAW_CLASSES, &[(b"}", END), (b"*?", GLOB), (b"[", BRACKET), (b"~", TILDE), (b"<>", ANGLE_TEXT)]);
/// The same up to a `/`.
pub(super) static OPERAND_SLASH: Table = table(&OPERAND, &[(b"/", END)]);
/// The same up to a `:`.
pub(super) static OPERAND_COLON: Table = table(&OPERAND, &[(b":", END)]);

const WORD_CLASSES: Table = table(
    &RAW_CLASSES,
    &[(b" \t\n;|&)", END), (b"<>", ANGLE), (b"(", PAREN), (b"*?", GLOB), (b"[", BRACKET), (b"{", BRACE), (b"~", TILDE)],
);

/// A word of a command.
pub(super) static WORD: Table = WORD_CLASSES;

/// The right side of `=~`.
pub(super) static REGEX: Table = table(&RAW, &[(b" \t\n;&)", END), (b"<>", ANGLE), (b"(", PAREN)]);

/// May stand in a name.
pub(super) const NAME: u8 = 1;
/// May begin a name.
pub(super) const NAME_START: u8 = 2;
/// A blank, or what may begin a comment or join lines.
pub(super) const SKIPPED: u8 = 4;
/// May stand in a reserved word.
pub(super) const RESERVED_PART: u8 = 8;
/// Of `$` and this, an expansion is made.
pub(super) const EXPANDS: u8 = 16;
/// A digit.
pub(super) const DIGIT: u8 = 32;
/// May only be text of a word where a word begins.
pub(super) const COMMON: u8 = 64;

static FLAGS: [u8; 256] = {
    let mut flags = [0u8; 256];
    let mut b = 0;
    while b < 256 {
        let byte = b as u8;
        let mut f = 0;
        if byte.is_ascii_alphabetic() || byte == b'_' {
            f |= NAME | NAME_START | EXPANDS;
        }
        if byte.is_ascii_digit() {
            f |= NAME | EXPANDS | DIGIT;
        }
        if byte.is_ascii_lowercase() {
            f |= RESERVED_PART;
        }
        if matches!(byte, b'{' | b'}' | b'!' | b'[' | b']') {
            f |= RESERVED_PART;
        }
        if matches!(byte, b' ' | b'\t' | b'\\' | b'#') {
            f |= SKIPPED;
        }
        if matches!(byte, b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-' | b'(' | b'{' | b'[' | b'\'' | b'"') {
            f |= EXPANDS;
        }
        if WORD_CLASSES[b] == PLAIN && !byte.is_ascii_digit() && byte != b'#' {
            f |= COMMON;
        }
        flags[b] = f;
        b += 1;
    }
    flags
};

/// The second letters of the reserved words that begin with a byte, a bit for each by its low five
/// bits; of a sign any second byte will do, and of all a backslash, which may join lines.
static SECOND: [u32; 256] = {
    let mut seconds = pairs(&[
        b"if", b"in", b"th", b"ti", b"el", b"es", b"fi", b"fo", b"fu", b"wh", b"un", b"se", b"do", b"ca", b"co", b"[[",
    ]);
    seconds[b'{' as usize] = u32::MAX;
    seconds[b'}' as usize] = u32::MAX;
    seconds[b'!' as usize] = u32::MAX;
    seconds[b']' as usize] = u32::MAX;
    seconds
};

/// The same of the commands whose arguments may be assignments.
static SECOND_DECLARES: [u32; 256] = pairs(&[b"de", b"lo", b"ex", b"re", b"ty", b"al", b"ev", b"le"]);

const fn pairs(words: &[&[u8; 2]]) -> [u32; 256] {
    let mut seconds = [0u32; 256];
    let mut i = 0;
    while i < words.len() {
        let &[first, second] = words[i];
        seconds[first as usize] |= 1 << (second & 31) | 1 << (b'\\' & 31);
        i += 1;
    }
    seconds
}

/// Whether the name of a command whose arguments may be assignments begins with these bytes.
#[inline]
pub(super) fn may_declare(first: u8, second: u8) -> bool {
    SECOND_DECLARES[first as usize] >> (second & 31) & 1 != 0
}

/// Whether a reserved word may begin with these bytes.
#[inline]
pub(super) fn may_be_reserved(first: u8, second: u8) -> bool {
    SECOND[first as usize] >> (second & 31) & 1 != 0
}

/// Whether a reserved word of letters may go on so; `cat`, `find` and `sed` do not.
#[inline]
pub(super) fn may_go_on_reserved(second: u8, third: u8) -> bool {
    !third.is_ascii_lowercase() || THIRD[second as usize] >> (third & 31) & 1 != 0
}

/// The third letters of the reserved words by their second.
static THIRD: [u32; 256] = {
    let mut thirds = [0u32; 256];
    let words: [&[u8; 3]; 13] =
        [b"the", b"eli", b"els", b"whi", b"unt", b"for", b"sel", b"don", b"cas", b"esa", b"fun", b"cop", b"tim"];
    let mut i = 0;
    while i < words.len() {
        let &[_, second, third] = words[i];
        thirds[second as usize] |= 1 << (third & 31);
        i += 1;
    }
    thirds
};

/// Whether `byte` has the property.
#[inline]
pub(super) fn is(byte: u8, property: u8) -> bool {
    FLAGS[byte as usize] & property != 0
}

/// Whether `byte` ends an unquoted word.
#[inline]
pub(super) fn breaks(byte: u8) -> bool {
    matches!(WORD[byte as usize], END | ANGLE | PAREN)
}
