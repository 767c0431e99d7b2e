//! Globs, tildes and the groups of regular expressions.

use super::class::{self, NAME, NAME_START, PLAIN, Table, is};
use super::{Parser, Step};
use crate::shell::ast::PieceKind;

/// Whether there is nothing but a name, perhaps with line continuations in it.
fn named(text: &[u8]) -> bool {
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = match after {
            [b'\n', after @ ..] if byte == b'\\' => after,
            _ if is(byte, NAME) => after,
            _ => return false,
        };
    }
    true
}

/// Where in a word a `~` can be a home folder.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    /// A word of a command: at its start, and as if it were an assignment if it looks like one.
    Word,
    /// The value of an assignment.
    Assigned,
    /// An element of an array, or a value in `${x:-…}`: at its start.
    Element,
}

impl Parser<'_> {
    /// Whether a `~` at `at` can be a home folder: at the start of a word, and where the word is the value of an
    /// assignment or looks like one, after its `=` and after each `:` of the value.
    pub(super) fn tilde_may_stand(&self, start: usize, at: usize, home: Home) -> bool {
        if at == start && home != Home::Assigned {
            return true;
        }
        let before = self.src.get(at.wrapping_sub(1));
        match home {
            Home::Element => false,
            Home::Assigned if before == Some(&b':') => true,
            _ => match before {
                Some(b'=') => self.value_of(start) == Some(at),
                Some(b':') => self.value_of(start).is_some_and(|value| value < at),
                _ => false,
            },
        }
    }

    /// Where the value begins of a word that looks like an assignment: `NAME=`, `NAME+=`, `NAME[…]=`.
    fn value_of(&self, start: usize) -> Option<usize> {
        let rest = self.src.get(start..)?;
        let name = rest.iter().position(|&byte| matches!(byte, b'=' | b'+' | b'['))?;
        let (before, after) = rest.split_at(name);
        let subscript = match after.first() {
            Some(b'[') => after.iter().position(|&byte| byte == b']')? + 1,
            _ => 0,
        };
        let sign = match after.get(subscript..)? {
            [b'=', ..] => 1,
            [b'+', b'=', ..] => 2,
            _ => return None,
        };
        (before.first().is_some_and(|&byte| is(byte, NAME_START)) && named(before))
            .then_some(start + name + subscript + sign)
    }

    /// Pushes the tilde prefix at `at` if it is one.
    pub(super) fn tilde(&mut self, at: usize) -> bool {
        let mut end = at + 1;
        while let Some(&byte) = self.src.get(end) {
            match byte {
                b'/' | b'}' | b':' => break,
                b'{' | b'*' | b'?' | b'[' => return false,
                _ => {}
            }
            match class::WORD[byte as usize] {
                PLAIN => end += 1,
                class::END | class::ANGLE | class::PAREN => break,
                class::BACKSLASH if self.joined(end) > end => break,
                _ => return false,
            }
        }
        self.push(PieceKind::Tilde, false, at, end);
        self.pos = end;
        true
    }

    /// The end of the bracket expression at `at`; the place after the `[` if there are quotes in
    /// it; `at` if it is none.
    pub(super) fn bracket_end(&mut self, table: &Table, at: usize) -> usize {
        if at < self.no_bracket {
            return at;
        }
        if at < self.bracket {
            return at + 1;
        }
        let mut end = at + 1;
        if matches!(self.src.get(end), Some(b'!' | b'^')) {
            end += 1;
        }
        if self.src.get(end) == Some(&b']') {
            end += 1;
        }
        let mut mixed = false;
        while let Some(&byte) = self.src.get(end) {
            match table[byte as usize] {
                _ if byte == b']' => {
                    if mixed {
                        self.bracket = end;
                        return at + 1;
                    }
                    return end + 1;
                }
                class::END | class::ANGLE | class::PAREN | class::TICK => break,
                class::BACKSLASH => {
                    mixed = true;
                    end += 2;
                }
                class::SINGLE | class::DOUBLE => {
                    mixed = true;
                    let rest = self.src.get(end + 1..).unwrap_or_default();
                    end += 2 + memchr::memchr(byte, rest).unwrap_or(rest.len());
                }
                class::DOLLAR => {
                    mixed = true;
                    end += 1;
                }
                _ => end += 1,
            }
        }
        self.no_bracket = end;
        at
    }

    /// Whether the `(` at `at` may open an extended glob; `()` is left to functions.
    pub(super) fn extended(&self, at: usize) -> bool {
        let mut next = at + 1;
        while matches!(self.src.get(next), Some(b' ' | b'\t')) {
            next += 1;
        }
        self.src.get(next) != Some(&b')')
    }

    /// `@(…)` and its like; the operator stands at `at`.
    #[inline(never)]
    pub(super) fn extended_glob(&mut self, at: usize) -> Step {
        let end = self.pair(at + 2, b'(', b')')?;
        let inner = self.src.get(at + 2..end - 1).unwrap_or_default();
        if !inner.iter().any(|&b| class::RAW[b as usize] != PLAIN) {
            self.push(PieceKind::Glob, false, at, end);
            self.pos = end;
            return Ok(());
        }
        self.enter()?;
        self.push(PieceKind::Glob, false, at, at + 2);
        self.pos = at + 2;
        self.within(end - 1, |p| p.pieces_from(&class::RAW, p.pos).map(drop))?;
        self.push(PieceKind::Glob, false, end - 1, end);
        self.pos = end;
        self.leave();
        Ok(())
    }

    /// `(…)` in a regular expression.
    #[inline(never)]
    pub(super) fn regex_group(&mut self, at: usize) -> Step {
        let end = self.pair(at + 1, b'(', b')')?;
        self.enter()?;
        self.pos = at;
        self.within(end, |p| p.pieces_from(&class::RAW, p.pos).map(drop))?;
        self.leave();
        Ok(())
    }
}
