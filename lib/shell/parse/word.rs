//! Words: text, quotes, globs and tildes.

use super::class::{self, PLAIN, Table, is};
use super::glob::{Homes, target_length};
use super::{Parser, Step, scan};
use crate::shell::ast::{Piece, PieceKind, Run, Span, Word};

/// Most home folders in one word that have a piece of their own; each takes two of its bytes at least.
const MOST_TILDES: usize = 64;

impl Parser<'_> {
    /// Reads the word that begins here. Almost all words are a single text, which needs no piece.
    #[inline]
    pub(super) fn word(&mut self) -> Step<Word> {
        let start = self.pos;
        let (at, class) = scan::plain::<false>(self.src, start);
        if at == start || class != class::END {
            return self.mixed(at);
        }
        self.pos = at;
        Ok(Word::plain(Span::new(start, at)))
    }

    /// Whether a word that goes to `at` is over there, as far as one byte tells.
    #[inline]
    pub(super) fn ends(&self, at: usize) -> bool {
        self.src.get(at).is_none_or(|&byte| class::WORD[byte as usize] == class::END)
    }

    /// Reads the word that begins here and is plain up to `at`.
    #[inline(never)]
    fn mixed(&mut self, at: usize) -> Step<Word> {
        let start = self.pos;
        if self.quoted_whole(at) {
            return Ok(Word::quoted(Span::new(start, self.pos)));
        }
        let (pieces, braces) = self.mixed_pieces(at)?;
        Ok(Word::of(pieces, Span::new(start, self.pos), braces))
    }

    /// Skips the word here if all of it is one text between two quotes; it is plain up to `at`.
    #[inline(always)]
    pub(super) fn quoted_whole(&mut self, at: usize) -> bool {
        if at != self.pos {
            return false;
        }
        let inner = at + 1;
        let quote = self.peek();
        let close = match quote {
            Some(b'"') => scan::quoted(self.src, inner, b'"'),
            Some(b'\'') => scan::single(self.src, inner),
            _ => return false,
        };
        let whole = self.src.get(close).copied() == quote && self.ends(close + 1);
        if whole {
            self.pos = close + 1;
        }
        whole
    }

    /// The pieces of the word that begins here and is plain up to `at`, and whether it has braces.
    #[inline]
    pub(super) fn mixed_pieces(&mut self, at: usize) -> Step<(Run<Piece>, bool)> {
        let start = self.pos;
        self.pos = at;
        let from = self.script.scratch.pieces.len();
        let braces = self.pieces_from(&class::WORD, start)?;
        if self.pos == start {
            return self.unexpected();
        }
        Ok((self.take_pieces(from), braces))
    }

    /// The word made of the pieces above `from`.
    #[inline]
    pub(super) fn word_of(&mut self, from: usize, start: usize, braces: bool) -> Word {
        Word::of(self.take_pieces(from), Span::new(start, self.pos), braces)
    }

    /// Unquoted text, if there is any.
    #[inline]
    pub(super) fn text(&mut self, start: usize, end: usize) {
        if start < end {
            self.push(PieceKind::Text, false, start, end);
        }
    }

    #[inline]
    pub(super) fn push(&mut self, kind: PieceKind, quoted: bool, start: usize, end: usize) {
        let span = Span::new(start, end);
        self.script.scratch.pieces.push(Piece { kind, quoted, span });
    }

    /// Pieces of the value of an assignment; text from `run` on is plain.
    pub(super) fn pieces_assigned(&mut self, run: usize) -> Step<bool> {
        self.pieces(&class::WORD, run, Homes::Value)
    }

    /// Pieces up to what ends them in `table`; text from `run` to here is plain already.
    pub(super) fn pieces_from(&mut self, table: &'static Table, run: usize) -> Step<bool> {
        let homes = if std::ptr::eq(table, &class::WORD) { Homes::Argument } else { Homes::Start };
        self.pieces(table, run, homes)
    }

    pub(super) fn pieces(&mut self, table: &'static Table, run: usize, homes: Homes) -> Step<bool> {
        let src = self.src;
        let start = run;
        let mut run = run;
        let mut at = self.pos;
        let mut braces = false;
        // Where the value of the assignment begins; looked for once, at the first `~`.
        let mut target: Option<Option<usize>> = None;
        let mut tildes = 0;
        while let Some(&byte) = src.get(at) {
            match table[byte as usize] {
                PLAIN => {
                    at += 1;
                    continue;
                }
                class::END => break,
                class::SINGLE => {
                    self.text(run, at);
                    at = self.single(at)?;
                    run = at;
                }
                class::DOUBLE => {
                    self.text(run, at);
                    self.pos = at;
                    self.double()?;
                    at = self.pos;
                    run = at;
                }
                class::BACKSLASH => match src.get(at + 1) {
                    None => at += 1,
                    Some(b'\n') => {
                        self.text(run, at);
                        at += 2;
                        run = at;
                    }
                    Some(&next) => {
                        self.text(run, at);
                        let end = at + 1 + width(next);
                        self.push(PieceKind::Text, true, at + 1, end);
                        at = end;
                        run = at;
                    }
                },
                class::DOLLAR => {
                    if !self.expands(at) {
                        at += 1;
                        continue;
                    }
                    self.text(run, at);
                    run = at;
                    self.pos = at;
                    if self.dollar(false)? {
                        at = self.pos;
                        run = at;
                    } else {
                        at += 1;
                    }
                }
                class::TICK => {
                    self.text(run, at);
                    self.pos = at;
                    self.backticks(false, false)?;
                    at = self.pos;
                    run = at;
                }
                class::GLOB => {
                    if src.get(at + 1) == Some(&b'(') && self.extended(at + 1) {
                        self.text(run, at);
                        self.extended_glob(at)?;
                        at = self.pos;
                    } else {
                        self.text(run, at);
                        self.push(PieceKind::Glob, false, at, at + 1);
                        at += 1;
                    }
                    run = at;
                }
                class::BRACKET => {
                    let end = self.bracket_end(table, at);
                    if end > at {
                        self.text(run, at);
                        self.push(PieceKind::Glob, false, at, end);
                        at = end;
                        run = at;
                    } else {
                        at += 1;
                    }
                }
                class::BRACE => {
                    braces = true;
                    at += 1;
                }
                class::TILDE => {
                    let first = at == start && homes != Homes::Value;
                    let value = || target_length(src.get(start..)?).map(|length| start + length);
                    let stands = first
                        || match homes {
                            Homes::Start => false,
                            // What braces make of a word is no assignment.
                            Homes::Argument if braces => false,
                            Homes::Argument => self.tilde_may_stand(run, at, *target.get_or_insert_with(value)),
                            Homes::Value => {
                                let after =
                                    |sign: &[u8]| src.get(start..)?.starts_with(sign).then_some(start + sign.len());
                                let subscripted = || after(b"]=").or_else(|| after(b"]+=")).unwrap_or(start);
                                let value = *target.get_or_insert_with(|| value().or_else(|| Some(subscripted())));
                                self.tilde_may_stand(run, at, value)
                            }
                        };
                    if stands {
                        let before = self.script.scratch.pieces.len();
                        self.text(run, at);
                        if self.tilde(at) {
                            tildes += 1;
                            if tildes > MOST_TILDES {
                                self.join_tildes(before, run);
                            }
                            at = self.pos;
                            run = at;
                            continue;
                        }
                        self.script.scratch.pieces.truncate(before);
                    }
                    at += 1;
                }
                class::PAREN => {
                    let opens = at > run && matches!(src.get(at - 1), Some(b'@' | b'+' | b'!')) && self.extended(at);
                    let regex = std::ptr::eq(table, &class::REGEX);
                    if regex {
                        self.text(run, at);
                        self.regex_group(at)?;
                    } else if opens {
                        self.text(run, at - 1);
                        self.extended_glob(at - 1)?;
                    } else {
                        break;
                    }
                    at = self.pos;
                    run = at;
                }
                angle => {
                    if src.get(self.joined(at + 1)) == Some(&b'(') {
                        self.text(run, at);
                        self.pos = at;
                        self.process()?;
                        at = self.pos;
                        run = at;
                    } else if angle == class::ANGLE {
                        break;
                    } else {
                        at += 1;
                    }
                }
            }
        }
        self.text(run, at);
        self.pos = at;
        Ok(braces)
    }

    /// Whether something is made of the `$` at `at`.
    #[inline]
    fn expands(&self, at: usize) -> bool {
        match self.src.get(at + 1) {
            Some(b'\\') => self.joined(at + 1) > at + 1,
            Some(&next) => is(next, class::EXPANDS),
            None => false,
        }
    }

    /// `'…'` at `at`; the place after it.
    #[inline]
    pub(super) fn single(&mut self, at: usize) -> Step<usize> {
        let close = scan::single(self.src, at + 1);
        if close >= self.src.len() {
            return self.fail(at, "no closing `'` for this one");
        }
        self.push(PieceKind::Text, true, at + 1, close);
        Ok(close + 1)
    }

    /// `"…"` that begins here.
    pub(super) fn double(&mut self) -> Step {
        let open = self.pos;
        let from = self.script.scratch.pieces.len();
        self.pos += 1;
        self.quoted(&class::QUOTED)?;
        if self.pos >= self.src.len() {
            return self.fail(open, "no closing `\"` for this one");
        }
        if self.script.scratch.pieces.len() == from {
            self.push(PieceKind::Text, true, self.pos, self.pos);
        }
        self.pos += 1;
        Ok(())
    }

    /// Pieces as they stand between double quotes, up to what ends them in `table`.
    pub(super) fn quoted(&mut self, table: &'static Table) -> Step {
        let src = self.src;
        let mut run = self.pos;
        let mut at = run;
        let operand = table[b'}' as usize] == class::END;
        let long = !operand && !std::ptr::eq(table, &class::RAW);
        let close = if std::ptr::eq(table, &class::QUOTED) { b'"' } else { b'$' };
        while let Some(&byte) = src.get(at) {
            match table[byte as usize] {
                PLAIN => {
                    at = if long { scan::quoted(src, at, close) } else { at + 1 };
                    continue;
                }
                class::END => break,
                class::BACKSLASH => {
                    let escapes = match src.get(at + 1) {
                        Some(b'$' | b'`' | b'\\' | b'\n') => true,
                        Some(b'"') => !std::ptr::eq(table, &class::HERE),
                        Some(b'}') => operand,
                        _ => false,
                    };
                    if escapes {
                        self.quoted_text(run, at);
                        run = at + 1;
                        if src.get(at + 1) == Some(&b'\n') {
                            run += 1;
                        }
                        at += 2;
                    } else if operand && at + 1 < src.len() {
                        // It still keeps a quote or a separator from its meaning.
                        at += 2;
                    } else {
                        at += 1;
                    }
                }
                class::DOLLAR => {
                    if !self.expands(at) {
                        at += 1;
                        continue;
                    }
                    self.quoted_text(run, at);
                    run = at;
                    self.pos = at;
                    let expanded = match src.get(at + 1) {
                        Some(b'\'') if operand => self.dollar(false)?,
                        _ => self.dollar(true)?,
                    };
                    if expanded {
                        at = self.pos;
                        run = at;
                    } else {
                        at += 1;
                    }
                }
                class::TICK => {
                    self.quoted_text(run, at);
                    self.pos = at;
                    self.backticks(true, !std::ptr::eq(table, &class::HERE))?;
                    at = self.pos;
                    run = at;
                }
                class::SINGLE => {
                    // Bash pairs the quotes, and yet expands what is between them.
                    let rest = src.get(at + 1..).unwrap_or_default();
                    let Some(length) = memchr::memchr(b'\'', rest) else {
                        return self.fail(at, "no closing `'` for this one");
                    };
                    self.quoted_text(run, at + 1);
                    self.pos = at + 1;
                    self.within(at + 1 + length, |p| p.quoted(&class::HERE))?;
                    run = at + 1 + length;
                    at = run + 1;
                }
                class::ANGLE_TEXT => {
                    if src.get(self.joined(at + 1)) != Some(&b'(') {
                        at += 1;
                        continue;
                    }
                    if std::ptr::eq(table, &class::QUOTED_DEFAULT) {
                        at = self.process_text(at)?;
                        continue;
                    }
                    self.quoted_text(run, at);
                    self.pos = at;
                    self.process()?;
                    at = self.pos;
                    run = at;
                }
                _ => {
                    self.quoted_text(run, at);
                    self.pos = at;
                    self.enter()?;
                    self.double()?;
                    self.leave();
                    at = self.pos;
                    run = at;
                }
            }
        }
        self.quoted_text(run, at);
        self.pos = at;
        Ok(())
    }

    #[inline]
    fn quoted_text(&mut self, start: usize, end: usize) {
        if start < end {
            self.push(PieceKind::Text, true, start, end);
        }
    }

    /// Reads up to `end` as a text of its own that bash reads only when it runs; then stands there.
    pub(super) fn within(&mut self, end: usize, read: impl FnOnce(&mut Self) -> Step) -> Step {
        let whole = self.src;
        let mark = self.mark();
        let (depth, pending_from, paren_ends) = (self.depth, self.pending_from, self.paren_ends);
        let brace_ends = std::mem::replace(&mut self.brace_ends, false);
        self.pending_from = mark.pending;
        self.paren_ends = false;
        self.src = whole.get(..end).unwrap_or(whole);
        let result = read(self);
        self.src = whole;
        self.abandon();
        self.pending_from = pending_from;
        self.paren_ends = paren_ends;
        self.brace_ends = brace_ends;
        self.depth = depth;
        self.pos = end;
        match result {
            Ok(()) => Ok(()),
            Err(_) => self.late(mark),
        }
    }
}

/// How many bytes the character has that begins with `first`.
fn width(first: u8) -> usize {
    match first {
        0..=0xBF => 1,
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        _ => 4,
    }
}
