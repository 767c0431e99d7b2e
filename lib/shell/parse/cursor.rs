//! The cursor: blanks, newlines and reserved words.

use super::class::{self, is};
use super::{Parser, Step};

/// The reserved words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reserved {
    None,
    If,
    Then,
    Elif,
    Else,
    Fi,
    While,
    Until,
    For,
    Select,
    Do,
    Done,
    Case,
    Esac,
    In,
    Function,
    Coproc,
    Time,
    Bang,
    Open,
    Close,
    Test,
    TestEnd,
}

impl Reserved {
    /// Whether it can only end a list or a part of a compound command.
    pub(super) fn closes(self) -> bool {
        use Reserved::{Close, Do, Done, Elif, Else, Esac, Fi, TestEnd, Then};
        matches!(self, Then | Elif | Else | Fi | Do | Done | Esac | Close | TestEnd)
    }

    pub(super) fn of(text: &[u8]) -> Self {
        match text {
            b"if" => Self::If,
            b"then" => Self::Then,
            b"elif" => Self::Elif,
            b"else" => Self::Else,
            b"fi" => Self::Fi,
            b"while" => Self::While,
            b"until" => Self::Until,
            b"for" => Self::For,
            b"select" => Self::Select,
            b"do" => Self::Do,
            b"done" => Self::Done,
            b"case" => Self::Case,
            b"esac" => Self::Esac,
            b"in" => Self::In,
            b"function" => Self::Function,
            b"coproc" => Self::Coproc,
            b"time" => Self::Time,
            b"!" => Self::Bang,
            b"{" => Self::Open,
            b"}" => Self::Close,
            b"[[" => Self::Test,
            b"]]" => Self::TestEnd,
            _ => Self::None,
        }
    }
}

impl Parser<'_> {
    /// The byte here.
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.src.get(self.pos).copied()
    }

    /// The byte after this one, line continuations hidden.
    #[inline]
    pub(super) fn peek_second(&self) -> Option<u8> {
        match self.src.get(self.pos + 1) {
            Some(b'\\') => self.after_joined(self.pos + 1),
            other => other.copied(),
        }
    }

    #[cold]
    #[inline(never)]
    fn after_joined(&self, at: usize) -> Option<u8> {
        self.src.get(self.joined(at)).copied()
    }

    /// Skips an operator of two bytes.
    #[inline]
    pub(super) fn skip_two(&mut self) {
        self.pos = self.joined(self.pos + 1) + 1;
    }

    /// `at`, past any line continuations there.
    #[inline]
    pub(super) fn joined(&self, at: usize) -> usize {
        if self.src.get(at) == Some(&b'\\') { self.joined_lines(at) } else { at }
    }

    #[cold]
    #[inline(never)]
    fn joined_lines(&self, at: usize) -> usize {
        let mut at = at;
        while self.src.get(at) == Some(&b'\\') && self.src.get(at + 1) == Some(&b'\n') {
            at += 2;
        }
        at
    }

    /// Skips blanks, line continuations and a comment.
    #[inline]
    pub(super) fn blanks(&mut self) {
        while let Some(&byte) = self.src.get(self.pos)
            && is(byte, class::SKIPPED)
        {
            match self.src.get(self.pos) {
                Some(b' ' | b'\t') => self.pos += 1,
                Some(b'\\') if self.src.get(self.pos + 1) == Some(&b'\n') => self.pos += 2,
                Some(b'#') => {
                    let rest = self.src.get(self.pos..).unwrap_or_default();
                    self.pos += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// Skips blanks, comments and newlines, and the here-documents that begin after one.
    pub(super) fn newlines(&mut self) -> Step {
        loop {
            self.blanks();
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            self.pos += 1;
            self.after_word = false;
            if self.script.scratch.pending.len() > self.pending_from {
                self.bodies()?;
            }
        }
    }

    /// The reserved word here, if one stands here.
    #[inline]
    pub(super) fn reserved(&self) -> Reserved {
        let Some(&first) = self.src.get(self.pos) else {
            return Reserved::None;
        };
        // A sign may stand alone at the end.
        let second = self.src.get(self.pos + 1).copied().unwrap_or(b'\\');
        if !class::may_be_reserved(first, second) {
            return Reserved::None;
        }
        let third = self.src.get(self.pos + 2).copied().unwrap_or_default();
        if second.is_ascii_lowercase() && first.is_ascii_lowercase() && !class::may_go_on_reserved(second, third) {
            return Reserved::None;
        }
        self.reserved_here().0
    }

    /// The reserved word here and the place after it.
    #[inline(never)]
    pub(super) fn reserved_here(&self) -> (Reserved, usize) {
        let mut end = self.pos;
        if self.brace_ends && self.peek() == Some(b'}') {
            return (Reserved::Close, end + 1);
        }
        while let Some(&b) = self.src.get(end)
            && is(b, class::RESERVED_PART)
        {
            end += 1;
        }
        match self.src.get(end) {
            Some(b'\\') if self.joined(end) > end => self.reserved_joined(),
            Some(&b) if !class::breaks(b) => (Reserved::None, end),
            _ => (Reserved::of(self.src.get(self.pos..end).unwrap_or_default()), end),
        }
    }

    #[cold]
    pub(super) fn reserved_joined(&self) -> (Reserved, usize) {
        let mut text = [0u8; 8];
        let mut len = 0;
        let mut at = self.pos;
        loop {
            at = self.joined(at);
            match self.src.get(at) {
                Some(&b) if is(b, class::RESERVED_PART) => {
                    let Some(slot) = text.get_mut(len) else {
                        return (Reserved::None, at);
                    };
                    *slot = b;
                    len += 1;
                    at += 1;
                }
                Some(&b) if !class::breaks(b) => return (Reserved::None, at),
                _ => return (Reserved::of(text.get(..len).unwrap_or_default()), at),
            }
        }
    }

    /// Skips the reserved word here and the blanks after it; its end.
    pub(super) fn skip_reserved(&mut self) -> usize {
        let end = self.reserved_here().1;
        self.pos = end;
        self.after_word = false;
        self.blanks();
        end
    }
}
