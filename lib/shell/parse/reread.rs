//! Texts that are not in the source as they are read: backticks with escapes, and here-documents
//! whose tabs are taken away. They are read from a copy and the places are put right afterwards.

use super::{Parser, Run, Step, pair};
use crate::shell::ast::{CommandKind, Fd, Piece, PieceKind, Span, Word};

/// Translates places in a copy to places in the source.
struct Places<'a> {
    text: &'a [u8],
    /// From here on in the copy, text comes from there on in the source.
    joints: &'a [(u32, u32)],
    /// All of the source text.
    whole: Span,
}

impl Places<'_> {
    fn place(&self, at: u32) -> u32 {
        let after = self.joints.partition_point(|&(inner, _)| inner <= at);
        match after.checked_sub(1).and_then(|i| self.joints.get(i)) {
            Some(&(inner, outer)) => (outer + (at - inner)).min(self.whole.end),
            None => self.whole.start,
        }
    }

    /// Where a span comes from, and whether it stands there as it is.
    fn span(&self, span: Span) -> (Span, bool) {
        let start = self.place(span.start);
        let end = match span.end.checked_sub(1) {
            Some(last) if span.end > span.start => self.place(last) + 1,
            _ => start,
        };
        (Span { start, end }, end.wrapping_sub(start) == span.end.wrapping_sub(span.start))
    }

    fn moved(&self, span: &mut Span) {
        *span = self.span(*span).0;
    }

    fn piece(&self, piece: &mut Piece, decoded: &mut String) {
        let (span, same) = self.span(piece.span);
        match &mut piece.kind {
            PieceKind::Text if !same => {
                let text = self.text.get(piece.span.range()).unwrap_or_default();
                let start = decoded.len();
                decoded.push_str(&String::from_utf8_lossy(text));
                piece.kind = PieceKind::Decoded(Span::new(start, decoded.len()));
            }
            _ => {}
        }
        piece.span = span;
    }
}

impl Parser<'_> {
    /// `` `…` `` that begins here. `quoted`: between double quotes, where `\"` is an escape too.
    #[inline(never)]
    pub(super) fn backticks(&mut self, quoted: bool, escapes_quote: bool) -> Step {
        let start = self.pos;
        let Some(end) = pair::tick_end(self.src, start + 1) else {
            return self.fail(start, "no closing backtick for this one");
        };
        self.enter()?;
        let src = self.src;
        let inner = src.get(start + 1..end - 1).unwrap_or_default();
        let escape = |next: u8| matches!(next, b'$' | b'`' | b'\\') || escapes_quote && next == b'"';
        let mut list = Run::default();
        if memchr::memchr(b'\\', inner).is_none() {
            self.pos = start + 1;
            self.within(end - 1, |p| {
                list = p.lines();
                p.settle();
                Ok(())
            })?;
        } else {
            let (text, joints) = unescaped(inner, start + 1, escape);
            self.reread(start + 1, end - 1, &text, &joints, |p| {
                list = p.lines();
                p.settle();
                Ok(())
            })?;
        }
        self.pos = end;
        self.push(PieceKind::Substitution { list }, quoted, start, end);
        self.leave();
        Ok(())
    }

    /// Reads `text`, a copy of what stands from `start` to `end`, as a text of its own.
    #[inline(never)]
    pub(super) fn reread(
        &mut self,
        start: usize,
        end: usize,
        text: &[u8],
        joints: &[(u32, u32)],
        read: impl FnOnce(&mut Parser<'_>) -> Step,
    ) -> Step {
        let mark = self.mark();
        let s = &self.script;
        let (pipelines, commands, redirects) = (s.pipelines.len(), s.commands.len(), s.redirects.len());
        let (words, pieces, variables) = (s.words.len(), s.pieces.len(), s.variables.len());
        let known = self.script.late;
        let mut inner = Parser::new(text, self.script);
        inner.depth = self.depth;
        let result = read(&mut inner);
        inner.abandon();

        let whole = Span::new(start, end);
        let places = Places { text, joints, whole };
        let s = &mut *self.script;
        let targets = s.redirects.iter_mut().skip(redirects).map(|redirect| &mut redirect.target);
        for word in s.words.iter_mut().skip(words).chain(targets) {
            apart(word, &mut s.pieces);
        }
        for variable in s.variables.iter_mut().skip(variables) {
            places.moved(&mut variable.name);
            places.moved(&mut variable.op);
        }
        for pipeline in s.pipelines.iter_mut().skip(pipelines) {
            places.moved(&mut pipeline.span);
        }
        for command in s.commands.iter_mut().skip(commands) {
            places.moved(&mut command.span);
            if let CommandKind::Compound { name, .. } = &mut command.kind {
                places.moved(name);
            }
        }
        for redirect in s.redirects.iter_mut().skip(redirects) {
            places.moved(&mut redirect.span);
            places.moved(&mut redirect.target.span);
            if let Fd::Named(name) = &mut redirect.fd {
                places.moved(name);
            }
        }
        for word in s.words.iter_mut().skip(words) {
            places.moved(&mut word.span);
        }
        for piece in s.pieces.iter_mut().skip(pieces) {
            places.piece(piece, &mut s.decoded);
        }
        for piece in s.scratch.pieces.iter_mut().skip(mark.pieces) {
            places.piece(piece, &mut s.decoded);
        }
        if known.is_none()
            && let Some(late) = &mut s.late
        {
            late.at = whole;
        }
        if let Some(error) = &mut s.error {
            error.at = whole;
        }
        self.pos = end;
        match result {
            Ok(()) => Ok(()),
            Err(_) => self.late(mark),
        }
    }
}

/// Gives a word that is a single text its piece, as that may come from elsewhere than the word tells.
fn apart(word: &mut Word, pieces: &mut Vec<Piece>) {
    if let Some(piece) = word.whole() {
        let index = pieces.len() as u32;
        pieces.push(piece);
        *word = Word::of(Run::new(index, index + 1), word.span, false);
    }
}

/// `inner` without the backslashes that `escape` says are taken away, and where each part comes
/// from; it begins at `start` in the source.
fn unescaped(inner: &[u8], start: usize, escape: impl Fn(u8) -> bool) -> (Vec<u8>, Vec<(u32, u32)>) {
    let mut text = Vec::with_capacity(inner.len());
    let mut joints = vec![(0, start as u32)];
    let mut at = 0;
    while let Some(&byte) = inner.get(at) {
        match inner.get(at + 1) {
            Some(&next) if byte == b'\\' => {
                if escape(next) {
                    joints.push((text.len() as u32, (start + at + 1) as u32));
                } else {
                    text.push(byte);
                }
                text.push(next);
                at += 2;
            }
            _ => {
                text.push(byte);
                at += 1;
            }
        }
    }
    (text, joints)
}
