//! The Bash reader: text in, syntax tree out.
//!
//! One pass of recursive descent over the bytes. Words are taken apart while they are read, and
//! a substitution is read where it stands, so nothing is scanned twice. Where bash looks for a
//! closing bracket first and reads what is inside only when it runs (arithmetic, backticks,
//! here-documents), so does this; an error in there is [`Script::late`].
//! It knows nothing of programs, and expands neither aliases nor braces.

mod ansi;
mod assignment;
mod class;
mod compound;
mod condition;
mod cursor;
mod dollar;
mod glob;
mod heredoc;
mod pair;
mod parameter;
mod redirect;
mod reread;
mod scan;
mod simple;
mod stack;
mod word;

#[cfg(test)]
mod tests;

use super::ast::{Bound, Command, Joint, Pipeline, Run, Scratch, Script, Span, Stop, SyntaxError};
use cursor::Reserved;
use stack::Row;

/// How deep constructs may stand in each other.
const NESTING: u32 = 120;

/// Commands that any text may have; a longer one may have one more for so many of its bytes. What a person or
/// an agent types has one for thirty bytes, a text that only wants to be large has one for two.
const LEAST_COMMANDS: usize = 256;
const BYTES_OF_COMMAND: usize = 16;

/// Nodes of a large arena.
const LARGE: usize = 256;

/// How long a text may be: so long that a byte of it has a number of 31 bits.
const LENGTH: usize = 1 << 31;

/// Reading stopped; why is in the script.
struct Fail;

type Step<T = ()> = Result<T, Fail>;

/// Reads a whole text.
pub fn parse(text: &str) -> Script {
    let mut script = Script::default();
    parse_into(text, &mut script);
    script.trim();
    script
}

/// Reads a whole text into a script whose memory is used again.
pub fn parse_into(text: &str, script: &mut Script) {
    script.clear();
    if text.len() >= LENGTH {
        script.error = Some(SyntaxError {
            stop: Stop::Bound(Bound::Length),
            at: Span::default(),
            message: "the text is too long",
        });
        return;
    }
    script.scratch.most_commands = LEAST_COMMANDS + text.len() / BYTES_OF_COMMAND;
    let mut parser = Parser::new(text.as_bytes(), script);
    let body = parser.lines();
    script.body = body;
    if script.commands.len() > script.scratch.most_commands {
        script.error = Some(too_many(text.len()));
    }
}

fn too_many(at: usize) -> SyntaxError {
    let message = "there are too many commands";
    SyntaxError { stop: Stop::Bound(Bound::Parts), at: Span::new(at, at), message }
}

struct Parser<'a> {
    /// The text up to where reading may go.
    src: &'a [u8],
    pos: usize,
    depth: u32,
    script: &'a mut Script,
    /// Here-documents before this one wait for a line outside the present substitution.
    pending_from: usize,
    /// Whether a `)` may cut off a here-document, as it may in `$(…)`.
    paren_ends: bool,
    /// Whether a `}` ends the list whatever follows it, as it does in `${ …; }`.
    brace_ends: bool,
    /// Whether the last token was a word, after which no reserved word is one.
    after_word: bool,
    /// There is no `]` between here and the end of the word.
    no_bracket: usize,
    /// There is a `]` in the word here.
    bracket: usize,
    /// No `${ list; }` begins before here: one was tried and failed at this place.
    no_inline_until: usize,
}

/// Heights of the stacks.
#[derive(Clone, Copy)]
struct Mark {
    pipelines: usize,
    commands: usize,
    blocks: usize,
    redirects: usize,
    words: usize,
    pieces: usize,
    pending: usize,
}

impl Script {
    /// Empties it and keeps its memory.
    pub fn clear(&mut self) {
        self.body = Run::default();
        self.error = None;
        self.late = None;
        self.pipelines.clear();
        self.commands.clear();
        self.blocks.clear();
        self.redirects.clear();
        self.words.clear();
        self.pieces.clear();
        self.variables.clear();
        self.decoded.clear();
        let s = &mut self.scratch;
        s.pipelines.clear();
        s.commands.clear();
        s.blocks.clear();
        s.redirects.clear();
        s.words.clear();
        s.pieces.clear();
        s.pending.clear();
    }
}

impl Script {
    /// Gives back the memory that nothing more will be put in: all stacks, and what is free of large arenas.
    fn trim(&mut self) {
        self.scratch = Scratch::default();
        trim(&mut self.pipelines);
        trim(&mut self.commands);
        trim(&mut self.redirects);
        trim(&mut self.words);
        trim(&mut self.pieces);
        trim(&mut self.variables);
    }
}

/// Gives back what is free of a large arena; a small one is not worth the call.
fn trim<T>(arena: &mut Vec<T>) {
    if arena.capacity() > LARGE {
        arena.shrink_to_fit();
    }
}

/// Moves what stands on a stack above `from` to the end of an arena.
#[inline]
fn drain<T: Copy>(stack: &mut Vec<T>, from: usize, arena: &mut Vec<T>) -> Run<T> {
    let start = arena.len() as u32;
    match stack.get(from..) {
        Some([only]) => arena.push(*only),
        Some(top) => arena.extend_from_slice(top),
        None => {}
    }
    stack.truncate(from);
    Run::new(start, arena.len() as u32)
}

impl<'a> Parser<'a> {
    fn new(src: &'a [u8], script: &'a mut Script) -> Self {
        Self {
            src,
            pos: 0,
            depth: 0,
            pending_from: script.scratch.pending.len(),
            script,
            paren_ends: false,
            brace_ends: false,
            after_word: false,
            no_bracket: 0,
            bracket: 0,
            no_inline_until: 0,
        }
    }

    /// Reads line by line as bash does, and keeps the lines before an error.
    fn lines(&mut self) -> Run<Pipeline> {
        let mut row = self.row();
        loop {
            if self.newlines().is_err() {
                break;
            }
            if self.pos >= self.src.len() {
                break;
            }
            let mark = self.mark();
            let known = row.height(&self.script.scratch.pipelines);
            let joint = if known.is_empty() { Joint::First } else { Joint::Newline };
            let read = self.list(&mut row, joint, false).and_then(|()| match self.peek() {
                None | Some(b'\n') => Ok(()),
                Some(_) => self.unexpected(),
            });
            if read.is_err() {
                // What was not on the stack before still stands in the arena.
                self.back_to(mark);
                row.fall(known);
                break;
            }
        }
        self.abandon();
        self.take_row(row)
    }

    /// Reads pipelines up to something that cannot go on a list. `multi`: newlines separate.
    fn list(&mut self, row: &mut Row, joint: Joint, multi: bool) -> Step {
        let mut joint = joint;
        loop {
            let mut reserved = self.reserved();
            if reserved.closes() || !self.command_may_begin() {
                return Ok(());
            }
            let first = row.len(&self.script.scratch.pipelines);
            loop {
                self.pipeline(row, reserved, joint)?;
                joint = match (self.peek(), self.peek_second()) {
                    (Some(b'&'), Some(b'&')) => Joint::And,
                    (Some(b'|'), Some(b'|')) => Joint::Or,
                    _ => break,
                };
                self.skip_two();
                self.newlines()?;
                reserved = self.reserved();
            }
            match self.peek() {
                Some(b'&') => {
                    self.pos += 1;
                    joint = Joint::Background;
                    let s = &mut *self.script;
                    for pipeline in row.since(first, &mut s.pipelines, &mut s.scratch.pipelines) {
                        pipeline.background = true;
                    }
                }
                Some(b';') if !matches!(self.peek_second(), Some(b';' | b'&')) => {
                    self.pos += 1;
                    joint = Joint::Semicolon;
                }
                Some(b'\n') if multi => joint = Joint::Newline,
                _ => return Ok(()),
            }
            self.after_word = false;
            if multi {
                self.newlines()?;
            } else {
                self.blanks();
            }
        }
    }

    /// There are too many commands: the text counts as if it ended here, so that those before are kept.
    #[cold]
    #[inline(never)]
    fn cut(&mut self) {
        self.script.error.get_or_insert(too_many(self.pos));
        self.src = self.src.get(..self.pos).unwrap_or_default();
    }

    /// Whether a list may go on here, as far as one byte tells.
    fn command_may_begin(&self) -> bool {
        match self.peek() {
            None | Some(b')' | b';' | b'\n' | b'|') => false,
            Some(b'&') => self.peek_second() == Some(b'>'),
            Some(_) => true,
        }
    }

    fn pipeline(&mut self, row: &mut Row, reserved: Reserved, joint: Joint) -> Step {
        let mut reserved = reserved;
        let start = self.pos;
        let (mut negated, mut timed) = (false, false);
        let mut commands = Row::new(&self.script.commands, &self.script.scratch.commands);
        let mut end = start;
        loop {
            match reserved {
                Reserved::Bang => {
                    negated = !negated;
                    end = self.skip_reserved();
                }
                Reserved::Time => {
                    timed = true;
                    end = self.skip_reserved();
                    if let Some(past) = self.option_at(b"-p") {
                        self.pos = past;
                        end = past;
                        self.blanks();
                    }
                    if let Some(past) = self.option_at(b"--") {
                        self.pos = past;
                        end = past;
                        self.blanks();
                    }
                }
                _ => break,
            }
            reserved = self.reserved();
        }
        if end > start && self.list_terminator() {
            let s = &mut *self.script;
            commands.add(&mut s.commands, &mut s.scratch.commands, || Command::empty(Span::new(end, end)));
        } else {
            loop {
                self.command(reserved)?;
                if self.script.commands.len() > self.script.scratch.most_commands {
                    self.cut();
                }
                self.blanks();
                let pipe = self.peek() == Some(b'|') && self.peek_second() != Some(b'|');
                let both = pipe && self.peek_second() == Some(b'&');
                let s = &mut *self.script;
                if let Some(command) = s.commands.last_mut() {
                    end = command.span.end as usize;
                    command.pipes_both |= both;
                }
                commands.add_last(&s.commands, &mut s.scratch.commands);
                if !pipe {
                    break;
                }
                if both {
                    self.skip_two();
                } else {
                    self.pos += 1;
                }
                self.newlines()?;
                reserved = match self.reserved() {
                    Reserved::Bang => return self.unexpected(),
                    Reserved::Time => Reserved::None,
                    other => other,
                };
            }
        }
        let s = &mut *self.script;
        let stages = commands.take(&mut s.commands, &mut s.scratch.commands);
        let span = Span::new(start, end);
        row.add(&mut s.pipelines, &mut s.scratch.pipelines, || Pipeline {
            joint,
            negated,
            timed,
            background: false,
            stages,
            span,
        });
        Ok(())
    }

    /// After `!` or `time` nothing more need come.
    fn list_terminator(&self) -> bool {
        match self.peek() {
            None | Some(b'\n') => true,
            Some(b';') => !matches!(self.peek_second(), Some(b';' | b'&')),
            Some(_) => false,
        }
    }

    /// Past the word `option` if it stands here.
    fn option_at(&self, option: &[u8]) -> Option<usize> {
        let past = self.pos + option.len();
        let here = self.src.get(self.pos..past)? == option;
        let ends = self.src.get(past).is_none_or(|&b| class::breaks(b));
        (here && ends).then_some(past)
    }
}
