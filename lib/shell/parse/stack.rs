//! The stacks of unfinished nodes, and errors.

use super::{Fail, Mark, NESTING, Parser, Reserved, Step, drain};
use crate::shell::ast::{Block, Bound, Piece, Pipeline, Redirect, Run, Span, Stop, SyntaxError, Word};

/// Nodes in the making. They stand at the end of their arena until something nested puts its own
/// nodes behind them, and from then on on a stack. A node is made where it stays: reading it back
/// in larger parts than it was written in would make the processor wait.
#[derive(Clone, Copy)]
pub(super) struct Row {
    start: usize,
    /// Where the next node belongs; nowhere once they are on the stack.
    next: usize,
    /// Height of the stack before.
    stack: usize,
}

const ON_STACK: usize = usize::MAX;

/// What a row was at a time.
#[derive(Clone, Copy)]
pub(super) struct Height {
    nodes: usize,
    /// Whether they stood in the arena.
    seated: bool,
}

impl Height {
    pub(super) fn is_empty(self) -> bool {
        self.nodes == 0
    }
}

impl Row {
    #[inline]
    pub(super) fn new<T>(arena: &[T], stack: &[T]) -> Self {
        Self { start: arena.len(), next: arena.len(), stack: stack.len() }
    }

    /// Adds a node, made only where it stays.
    #[inline(always)]
    pub(super) fn add<T: Copy>(&mut self, arena: &mut Vec<T>, stack: &mut Vec<T>, node: impl Fn() -> T) {
        if arena.len() == self.next {
            self.next += 1;
            arena.push(node());
        } else {
            self.add_apart(arena, stack, node());
        }
    }

    #[cold]
    #[inline(never)]
    fn add_apart<T: Copy>(&mut self, arena: &mut Vec<T>, stack: &mut Vec<T>, node: T) {
        if self.next == self.start {
            self.start = arena.len();
            self.next = arena.len() + 1;
            arena.push(node);
            return;
        }
        self.unseat(arena, stack);
        stack.push(node);
    }

    fn unseat<T: Copy>(&mut self, arena: &[T], stack: &mut Vec<T>) {
        if self.next != ON_STACK {
            stack.extend_from_slice(arena.get(self.start..self.next).unwrap_or_default());
            self.next = ON_STACK;
        }
    }

    /// Adds the last node of the arena.
    #[inline]
    pub(super) fn add_last<T: Copy>(&mut self, arena: &[T], stack: &mut Vec<T>) {
        if arena.len().wrapping_sub(1) == self.next {
            self.next += 1;
        } else if self.next == self.start {
            self.start = arena.len().saturating_sub(1);
            self.next = arena.len();
        } else {
            self.unseat(arena, stack);
            stack.extend(arena.last().copied());
        }
    }

    /// How many nodes there are.
    pub(super) fn len<T>(&self, stack: &[T]) -> usize {
        if self.next == ON_STACK { stack.len() - self.stack } else { self.next - self.start }
    }

    /// How many nodes there are and where.
    pub(super) fn height<T>(&self, stack: &[T]) -> Height {
        Height { nodes: self.len(stack), seated: self.next != ON_STACK }
    }

    /// Goes back to what it was before nodes were added; the stack has been cut already.
    pub(super) fn fall(&mut self, before: Height) {
        if before.seated {
            self.next = self.start + before.nodes;
        }
    }

    /// The nodes from number `from` on.
    pub(super) fn since<'t, T>(&self, from: usize, arena: &'t mut [T], stack: &'t mut [T]) -> &'t mut [T] {
        let nodes = if self.next == ON_STACK {
            stack.get_mut(self.stack + from..)
        } else {
            arena.get_mut(self.start + from..self.next)
        };
        nodes.unwrap_or_default()
    }

    /// The finished nodes.
    #[inline]
    pub(super) fn take<T: Copy>(self, arena: &mut Vec<T>, stack: &mut Vec<T>) -> Run<T> {
        if self.next == ON_STACK {
            return drain(stack, self.stack, arena);
        }
        Run::new(self.start as u32, self.next as u32)
    }
}

impl Parser<'_> {
    /// A row for pipelines.
    #[inline]
    pub(super) fn row(&self) -> Row {
        Row::new(&self.script.pipelines, &self.script.scratch.pipelines)
    }

    #[inline]
    pub(super) fn take_row(&mut self, row: Row) -> Run<Pipeline> {
        row.take(&mut self.script.pipelines, &mut self.script.scratch.pipelines)
    }

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

    /// The finished redirects; notes which of them wait for a body.
    #[inline]
    pub(super) fn take_redirects(&mut self, row: Row) -> Run<Redirect> {
        if row.next == row.start {
            return Run::default();
        }
        self.take_some_redirects(row)
    }

    #[inline(never)]
    fn take_some_redirects(&mut self, row: Row) -> Run<Redirect> {
        let s = &mut *self.script;
        let run = row.take(&mut s.redirects, &mut s.scratch.redirects);
        for (at, redirect) in (run.start..).zip(s.redirects.get(run.range()).unwrap_or_default()) {
            if redirect.op.has_body() {
                s.scratch.pending.push(at);
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
        let mut end = (at + 1).min(self.src.len()).max(at);
        // To the end of the character.
        while self.src.get(end).is_some_and(|byte| (0x80..0xC0).contains(byte)) {
            end += 1;
        }
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
