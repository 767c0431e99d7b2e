//! Here-documents: they wait in a queue and are read at the next newline.

use std::borrow::Cow;

use super::{Parser, Run, Step, ansi, class};
use crate::shell::ast::{PieceKind, RedirectOp, Span, Word};

/// Where a body ends.
struct Extent {
    end: usize,
    /// Where reading goes on.
    next: usize,
    /// Whether tabs have to be taken from the front of lines.
    tabs: bool,
}

impl Parser<'_> {
    /// Whether a delimiter has quotes, so that nothing in the body is expanded.
    pub(super) fn delimiter_quoted(&self, span: Span) -> bool {
        let raw = self.src.get(span.range()).unwrap_or_default();
        raw.iter().enumerate().any(|(at, &byte)| match byte {
            b'\'' | b'"' => true,
            b'\\' => raw.get(at + 1) != Some(&b'\n'),
            _ => false,
        })
    }

    /// Reads the bodies of all waiting here-documents; the first begins here.
    #[cold]
    pub(super) fn bodies(&mut self) -> Step {
        let mut at = self.pending_from;
        while let Some(&index) = self.script.scratch.pending.get(at) {
            at += 1;
            self.body(index as usize)?;
        }
        self.script.scratch.pending.truncate(self.pending_from);
        // A line ended before the bodies; what was read in them is no word before the next.
        self.after_word = false;
        Ok(())
    }

    /// Gives the waiting here-documents that no line came for an empty body.
    pub(super) fn abandon(&mut self) {
        while self.script.scratch.pending.len() > self.pending_from {
            let Some(index) = self.script.scratch.pending.pop() else {
                return;
            };
            self.set_body(index as usize, Word::of(Run::default(), Span::new(self.pos, self.pos), false));
        }
    }

    fn set_body(&mut self, index: usize, body: Word) {
        if let Some(redirect) = self.script.redirects.get_mut(index) {
            redirect.target = body;
        }
    }

    #[inline(never)]
    fn body(&mut self, index: usize) -> Step {
        let Some(&redirect) = self.script.redirects.get(index) else {
            return Ok(());
        };
        let start = self.pos;
        let src = self.src;
        let raw = src.get(redirect.target.span.range()).unwrap_or_default();
        let delimiter = if raw.iter().any(|b| matches!(b, b'\'' | b'"' | b'\\')) {
            let mut text = Vec::with_capacity(raw.len());
            ansi::unquote(raw, &mut text);
            Cow::Owned(text)
        } else {
            Cow::Borrowed(raw)
        };
        let strips = redirect.op == RedirectOp::HeredocTabs;
        let extent = self.extent(&delimiter, strips, redirect.literal);
        let from = self.script.scratch.pieces.len();
        if redirect.literal {
            self.literal_body(start, &extent);
        } else if extent.tabs {
            let (text, joints) = self.without_tabs(start, extent.end);
            self.reread(start, extent.end, &text, &joints, |p| p.quoted(&class::HERE))?;
        } else {
            self.within(extent.end, |p| p.quoted(&class::HERE))?;
        }
        self.pos = extent.end;
        let word = self.word_of(from, start, false);
        self.set_body(index, word);
        self.pos = extent.next;
        Ok(())
    }

    fn literal_body(&mut self, start: usize, extent: &Extent) {
        if !extent.tabs {
            if start < extent.end {
                self.push(PieceKind::Text, true, start, extent.end);
            }
            return;
        }
        let (text, _) = self.without_tabs(start, extent.end);
        let from = self.script.decoded.len();
        self.script.decoded.push_str(&String::from_utf8_lossy(&text));
        let value = Span::new(from, self.script.decoded.len());
        self.push(PieceKind::Decoded(value), true, start, extent.end);
    }

    /// The lines from `start` to `end` without the tabs before them, and where each comes from.
    fn without_tabs(&self, start: usize, end: usize) -> (Vec<u8>, Vec<(u32, u32)>) {
        let body = self.src.get(start..end).unwrap_or_default();
        let mut text = Vec::with_capacity(body.len());
        let mut joints = Vec::new();
        let mut at = start;
        for line in body.split_inclusive(|&b| b == b'\n') {
            let tabs = line.iter().take_while(|&&b| b == b'\t').count();
            joints.push((text.len() as u32, (at + tabs) as u32));
            text.extend_from_slice(line.get(tabs..).unwrap_or_default());
            at += line.len();
        }
        (text, joints)
    }

    /// Finds the line that ends a body in which nothing joins lines, by the first letter of the
    /// delimiter; there are fewer of these than lines.
    fn extent_by_letter(&self, letter: u8, delimiter: &[u8]) -> Extent {
        let src = self.src;
        let mut at = self.pos;
        while let Some(found) = memchr::memchr(letter, src.get(at..).unwrap_or_default()) {
            let line = at + found;
            at = line + 1;
            if line > self.pos && src.get(line - 1) != Some(&b'\n') {
                continue;
            }
            let Some(after) = src.get(line..).and_then(|rest| rest.strip_prefix(delimiter)) else {
                continue;
            };
            let past = line + delimiter.len();
            match after.first() {
                None => return Extent { end: line, next: past, tabs: false },
                Some(b'\n') => return Extent { end: line, next: past + 1, tabs: false },
                Some(_) if self.paren_ends => {
                    let length = memchr::memchr2(b'\n', b')', after).unwrap_or(after.len());
                    if after.get(length) == Some(&b')') {
                        return Extent { end: line, next: past, tabs: false };
                    }
                }
                Some(_) => {}
            }
        }
        Extent { end: src.len(), next: src.len(), tabs: false }
    }

    /// Finds the line that ends a body.
    fn extent(&self, delimiter: &[u8], strips: bool, literal: bool) -> Extent {
        if let Some(letter @ b'A'..=b'Z') = delimiter.first()
            && literal
            && !strips
            && memchr::memchr(b'\n', delimiter).is_none()
        {
            return self.extent_by_letter(*letter, delimiter);
        }
        let src = self.src;
        let mut line = self.pos;
        let mut tabs = false;
        let mut continued = false;
        while line < src.len() {
            let rest = src.get(line..).unwrap_or_default();
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let end = line + length;
            let next = (end + 1).min(src.len());
            let whole = rest.get(..length).unwrap_or_default();
            let indent = if strips && !continued { whole.iter().take_while(|&&b| b == b'\t').count() } else { 0 };
            let text = whole.get(indent..).unwrap_or_default();
            if !continued {
                if text == delimiter {
                    return Extent { end: line, next, tabs };
                }
                if self.paren_ends
                    && let Some(after) = text.strip_prefix(delimiter)
                    && memchr::memchr(b')', after).is_some()
                {
                    return Extent { end: line, next: line + indent + delimiter.len(), tabs };
                }
            }
            let goes_on =
                !literal && end < src.len() && text.iter().rev().take_while(|&&b| b == b'\\').count() % 2 == 1;
            if goes_on
                && !continued
                && let Some(past) = self.split_delimiter(line + indent, delimiter)
            {
                return Extent { end: line, next: past, tabs };
            }
            tabs |= indent > 0;
            continued = goes_on;
            line = next;
        }
        Extent { end: src.len(), next: src.len(), tabs }
    }

    /// Past the delimiter at `start` if it stands there with line continuations in it.
    fn split_delimiter(&self, start: usize, delimiter: &[u8]) -> Option<usize> {
        let mut at = start;
        for &byte in delimiter {
            at = self.joined(at);
            if self.src.get(at) != Some(&byte) {
                return None;
            }
            at += 1;
        }
        at = self.joined(at);
        match self.src.get(at) {
            None => Some(at),
            Some(b'\n') => Some(at + 1),
            Some(_) => None,
        }
    }
}
