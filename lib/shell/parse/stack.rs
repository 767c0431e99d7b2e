//! The stacks of unfinished nodes, and errors.

use super::{Fail, Mark, NESTING, Parser, Reserved, Step, drain};
use crate::shell::ast::{Block, Bound, Piece, Pipeline, Redirect, Run, Span, Stop, SyntaxError, Word};

impl Parser<'_> {
    pub(super) fn mark(&self) -> Mark {
        let s = &self.script.scratch;
        Mark {
            pipelines: s.pipelines.len(),
            commands: s.commands.len(),
            blocks: s.blocks.len(),
            redirects: s.redirects.len(),
            words: s.words.len(),
            pieces: s.pieces.len(),
            pending: s.pending.len(),
        }
    }

    pub(super) fn back_to(&mut self, mark: Mark) {
        let s = &mut self.script.scratch;
        s.pipelines.truncate(mark.pipelines);
        s.commands.truncate(mark.commands);
        s.blocks.truncate(mark.blocks);
        s.redirects.truncate(mark.redirects);
        s.words.truncate(mark.words);
        s.pieces.truncate(mark.pieces);
        s.pending.truncate(mark.pending);
    }

    pub(super) fn take_pipelines(&mut self, from: usize) -> Run<Pipeline> {
        drain(&mut self.script.scratch.pipelines, from, &mut self.script.pipelines)
    }

    #[inline]
    pub(super) fn take_words(&mut self, from: usize) -> Run<Word> {
        drain(&mut self.script.scratch.words, from, &mut self.script.words)
    }

    #[inline]
    pub(super) fn take_pieces(&mut self, from: usize) -> Run<Piece> {
        drain(&mut self.script.scratch.pieces, from, &mut self.script.pieces)
    }

    pub(super) fn take_blocks(&mut self, from: usize) -> Run<Block> {
        drain(&mut self.script.scratch.blocks, from, &mut self.script.blocks)
    }

    /// Moves redirects to their arena and notes which of them wait for a body.
    pub(super) fn take_redirects(&mut self, from: usize) -> Run<Redirect> {
        if self.script.scratch.redirects.len() == from {
            return Run::default();
        }
        let run = drain(&mut self.script.scratch.redirects, from, &mut self.script.redirects);
        for (at, redirect) in (run.start..).zip(self.script.redirects.iter().skip(run.start as usize)) {
            if redirect.op.has_body() {
                self.script.scratch.pending.push(at);
            }
        }
        run
    }

    /// Goes one level down.
    pub(super) fn enter(&mut self) -> Step {
        self.depth += 1;
        if self.depth > NESTING {
            return self.stop(Stop::Bound(Bound::Nesting), self.pos, "constructs are nested too deep");
        }
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    #[cold]
    pub(super) fn stop<T>(&mut self, stop: Stop, at: usize, message: &'static str) -> Step<T> {
        let end = (at + 1).min(self.src.len()).max(at);
        self.script.error.get_or_insert(SyntaxError { stop, at: Span::new(at, end), message });
        Err(Fail)
    }

    #[cold]
    pub(super) fn fail<T>(&mut self, at: usize, message: &'static str) -> Step<T> {
        self.stop(Stop::Syntax, at, message)
    }

    /// Complains of what stands here.
    #[cold]
    pub(super) fn unexpected<T>(&mut self) -> Step<T> {
        let message = match self.peek() {
            None => "unexpected end of the text",
            Some(b'\n') => "unexpected newline",
            Some(b'(') => "unexpected `(`",
            Some(b')') => "unexpected `)`",
            Some(b';') => "unexpected `;`",
            Some(b'&') => "unexpected `&`",
            Some(b'|') => "unexpected `|`",
            Some(b'<') => "unexpected `<`",
            Some(b'>') => "unexpected `>`",
            Some(b'}') => "unexpected `}`",
            Some(_) => match self.reserved() {
                Reserved::Then => "unexpected `then`",
                Reserved::Elif => "unexpected `elif`",
                Reserved::Else => "unexpected `else`",
                Reserved::Fi => "unexpected `fi`",
                Reserved::Do => "unexpected `do`",
                Reserved::Done => "unexpected `done`",
                Reserved::Esac => "unexpected `esac`",
                Reserved::In => "unexpected `in`",
                Reserved::Bang => "unexpected `!`",
                _ => "unexpected word",
            },
        };
        self.fail(self.pos, message)
    }

    /// Turns an error in a text that bash reads later into a late one. A bound stays an error.
    #[cold]
    pub(super) fn late(&mut self, mark: Mark) -> Step {
        match self.script.error {
            Some(SyntaxError { stop: Stop::Syntax, .. }) => {
                let error = self.script.error.take();
                self.script.late = self.script.late.or(error);
                self.back_to(mark);
                Ok(())
            }
            _ => Err(Fail),
        }
    }
}
