//! Globs, tildes and the groups of regular expressions.

use super::class::{self, NAME, NAME_START, PLAIN, Table, is};
use super::{Parser, Step};
use crate::shell::ast::{PieceKind, Span};

/// Which places in a word, besides its start, a home folder can stand at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Homes {
    /// None: an element of an array, the text of a here-string, the word in `${x:-word}`.
    Start,
    /// After the first `=` and each `:`, if the word looks like an assignment.
    Argument,
    /// After the `=` and each `:` of an assignment.
    Value,
}

/// How long the `NAME=`, `NAME+=` or `NAME[…]=` that `text` begins with is, perhaps with line
/// continuations in the name.
pub(super) fn target_length(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    if !is(*text.first()?, NAME_START) {
        return None;
    }
    loop {
        match text.get(at..)? {
            [b'\\', b'\n', ..] => at += 2,
            [byte, ..] if is(*byte, NAME) => at += 1,
            _ => break,
        }
    }
    if text.get(at) == Some(&b'[') {
        let mut depth = 0;
        loop {
            match text.get(at)? {
                b'[' => depth += 1,
                b']' => depth -= 1,
                &byte if class::breaks(byte) => return None,
                _ => {}
            }
            at += 1;
            if depth == 0 {
                break;
            }
        }
    }
    match text.get(at..)? {
        [b'=', ..] => Some(at + 1),
        [b'+', b'=', ..] => Some(at + 2),
        _ => None,
    }
}

impl Parser<'_> {
    /// Whether a `~` at `at` behind unquoted text from `run` can be a home folder: at the start
    /// of a word, or after `=` or `:` of an assignment whose value begins at `value`.
    pub(super) fn tilde_may_stand(&self, run: usize, at: usize, value: Option<usize>) -> bool {
        match value {
            Some(value) => at == value || at > run && at > value && self.src.get(at - 1) == Some(&b':'),
            None => false,
        }
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

    /// Makes one piece of what stands above `before` and the tilde that ends at `run`, if one does.
    pub(super) fn join_tildes(&mut self, before: usize, run: usize) {
        let pieces = &mut self.script.scratch.pieces;
        let last = before.checked_sub(1).and_then(|last| pieces.get_mut(last));
        if let Some(last) = last.filter(|last| matches!(last.kind, PieceKind::Tilde) && last.span.end as usize == run) {
            last.span = Span::new(last.span.start as usize, self.pos);
            pieces.truncate(before);
        }
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
