//! The Bash reader: text in, syntax tree out.
//!
//! One pass of recursive descent over the bytes. Words are taken apart while they are read, and
//! a substitution is read where it stands, so nothing is scanned twice. Where bash looks for a
//! closing bracket first and reads what is inside only when it runs (arithmetic, backticks,
//! here-documents), so does this; an error in there is [`Script::late`].
//! It knows nothing of programs, and expands neither aliases nor braces.

mod ansi;
mod class;
mod compound;
mod condition;
mod dollar;
mod heredoc;
mod pair;
mod parameter;
mod reread;
mod simple;
mod word;

#[cfg(test)]
mod tests;

use super::ast::{
    Block, Bound, Command, Joint, Piece, Pipeline, Redirect, Run, Script, Span, Stop, SyntaxError,
    Word,
};
use class::is;

/// How deep constructs may stand in each other.
const NESTING: u32 = 120;

/// Reading stopped; why is in the script.
struct Fail;

type Step<T = ()> = Result<T, Fail>;

/// Reads a whole text.
pub fn parse(text: &str) -> Script {
    let mut script = Script::default();
    parse_into(text, &mut script);
    script
}

/// Reads a whole text into a script whose memory is used again.
pub fn parse_into(text: &str, script: &mut Script) {
    script.clear();
    if text.len() >= u32::MAX as usize {
        script.error = Some(SyntaxError {
            stop: Stop::Bound(Bound::Length),
            at: Span::default(),
            message: "the text is too long",
        });
        return;
    }
    let mut parser = Parser::new(text.as_bytes(), script);
    let body = parser.lines();
    script.body = body;
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
            after_word: false,
            no_bracket: 0,
            bracket: 0,
            no_inline_until: 0,
        }
    }

    /// Reads line by line as bash does, and keeps the lines before an error.
    fn lines(&mut self) -> Run<Pipeline> {
        let from = self.script.scratch.pipelines.len();
        loop {
            if self.newlines().is_err() {
                break;
            }
            if self.pos >= self.src.len() {
                break;
            }
            let mark = self.mark();
            let first = mark.pipelines == from;
            let joint = if first { Joint::First } else { Joint::Newline };
            let read = self.list(joint, false).and_then(|()| match self.peek() {
                None | Some(b'\n') => Ok(()),
                Some(_) => self.unexpected(),
            });
            if read.is_err() {
                self.back_to(mark);
                break;
            }
        }
        self.abandon();
        self.take_pipelines(from)
    }

    /// Reads pipelines up to something that cannot go on a list. `multi`: newlines separate.
    fn list(&mut self, joint: Joint, multi: bool) -> Step {
        let mut joint = joint;
        loop {
            let mut reserved = self.reserved();
            if reserved.closes() || !self.command_may_begin() {
                return Ok(());
            }
            let first = self.script.scratch.pipelines.len();
            loop {
                self.pipeline(reserved, joint)?;
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
                    for pipeline in self.script.scratch.pipelines.iter_mut().skip(first) {
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

    /// Whether a list may go on here, as far as one byte tells.
    fn command_may_begin(&self) -> bool {
        !matches!(self.peek(), None | Some(b')' | b';' | b'\n' | b'|'))
            && !(self.peek() == Some(b'&') && self.peek_second() != Some(b'>'))
    }

    fn pipeline(&mut self, reserved: Reserved, joint: Joint) -> Step {
        let mut reserved = reserved;
        let start = self.pos;
        let mut pipeline = Pipeline {
            joint,
            ..Pipeline::default()
        };
        let from = self.script.scratch.commands.len();
        let mut end = start;
        loop {
            match reserved {
                Reserved::Bang => {
                    pipeline.negated = !pipeline.negated;
                    end = self.skip_reserved();
                }
                Reserved::Time => {
                    pipeline.timed = true;
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
            self.script
                .scratch
                .commands
                .push(Command::empty(Span::new(end, end)));
        } else {
            loop {
                let mut command = self.command(reserved)?;
                end = command.span.end as usize;
                self.blanks();
                let pipe = self.peek() == Some(b'|') && self.peek_second() != Some(b'|');
                command.pipes_both = pipe && self.peek_second() == Some(b'&');
                let both = command.pipes_both;
                self.script.scratch.commands.push(command);
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
        pipeline.span = Span::new(start, end);
        pipeline.stages = drain(
            &mut self.script.scratch.commands,
            from,
            &mut self.script.commands,
        );
        self.script.scratch.pipelines.push(pipeline);
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

/// The reserved words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reserved {
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
    fn closes(self) -> bool {
        use Reserved::{Close, Do, Done, Elif, Else, Esac, Fi, TestEnd, Then};
        matches!(
            self,
            Then | Elif | Else | Fi | Do | Done | Esac | Close | TestEnd
        )
    }

    fn of(text: &[u8]) -> Self {
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

/// The cursor.
impl Parser<'_> {
    /// The byte here.
    #[inline]
    fn peek(&self) -> Option<u8> {
        self.src.get(self.pos).copied()
    }

    /// The byte after this one, line continuations hidden.
    #[inline]
    fn peek_second(&self) -> Option<u8> {
        match self.src.get(self.pos + 1) {
            Some(b'\\') => self.src.get(self.joined(self.pos + 1)).copied(),
            other => other.copied(),
        }
    }

    /// Skips an operator of two bytes.
    fn skip_two(&mut self) {
        self.pos = self.joined(self.pos + 1) + 1;
    }

    /// `at`, past any line continuations there.
    #[inline]
    fn joined(&self, at: usize) -> usize {
        let mut at = at;
        while self.src.get(at) == Some(&b'\\') && self.src.get(at + 1) == Some(&b'\n') {
            at += 2;
        }
        at
    }

    /// Skips blanks, line continuations and a comment.
    #[inline]
    fn blanks(&mut self) {
        loop {
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
    fn newlines(&mut self) -> Step {
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
    fn reserved(&self) -> Reserved {
        match self.src.get(self.pos) {
            Some(&b) if is(b, class::RESERVED) => self.reserved_here().0,
            _ => Reserved::None,
        }
    }

    /// The reserved word here and the place after it.
    fn reserved_here(&self) -> (Reserved, usize) {
        let mut end = self.pos;
        while let Some(&b) = self.src.get(end)
            && is(b, class::RESERVED_PART)
        {
            end += 1;
        }
        match self.src.get(end) {
            Some(b'\\') if self.joined(end) > end => self.reserved_joined(),
            Some(&b) if !class::breaks(b) => (Reserved::None, end),
            _ => (
                Reserved::of(self.src.get(self.pos..end).unwrap_or_default()),
                end,
            ),
        }
    }

    #[cold]
    fn reserved_joined(&self) -> (Reserved, usize) {
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
    fn skip_reserved(&mut self) -> usize {
        let end = self.reserved_here().1;
        self.pos = end;
        self.after_word = false;
        self.blanks();
        end
    }
}

/// Stacks and errors.
impl Parser<'_> {
    fn mark(&self) -> Mark {
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

    fn back_to(&mut self, mark: Mark) {
        let s = &mut self.script.scratch;
        s.pipelines.truncate(mark.pipelines);
        s.commands.truncate(mark.commands);
        s.blocks.truncate(mark.blocks);
        s.redirects.truncate(mark.redirects);
        s.words.truncate(mark.words);
        s.pieces.truncate(mark.pieces);
        s.pending.truncate(mark.pending);
    }

    fn take_pipelines(&mut self, from: usize) -> Run<Pipeline> {
        drain(
            &mut self.script.scratch.pipelines,
            from,
            &mut self.script.pipelines,
        )
    }

    #[inline]
    fn take_words(&mut self, from: usize) -> Run<Word> {
        drain(&mut self.script.scratch.words, from, &mut self.script.words)
    }

    #[inline]
    fn take_pieces(&mut self, from: usize) -> Run<Piece> {
        drain(
            &mut self.script.scratch.pieces,
            from,
            &mut self.script.pieces,
        )
    }

    fn take_blocks(&mut self, from: usize) -> Run<Block> {
        drain(
            &mut self.script.scratch.blocks,
            from,
            &mut self.script.blocks,
        )
    }

    /// Moves redirects to their arena and notes which of them wait for a body.
    fn take_redirects(&mut self, from: usize) -> Run<Redirect> {
        if self.script.scratch.redirects.len() == from {
            return Run::default();
        }
        let run = drain(
            &mut self.script.scratch.redirects,
            from,
            &mut self.script.redirects,
        );
        for (at, redirect) in
            (run.start..).zip(self.script.redirects.iter().skip(run.start as usize))
        {
            if redirect.op.has_body() {
                self.script.scratch.pending.push(at);
            }
        }
        run
    }

    /// Goes one level down.
    fn enter(&mut self) -> Step {
        self.depth += 1;
        if self.depth > NESTING {
            return self.stop(
                Stop::Bound(Bound::Nesting),
                self.pos,
                "constructs are nested too deep",
            );
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    #[cold]
    fn stop<T>(&mut self, stop: Stop, at: usize, message: &'static str) -> Step<T> {
        let end = (at + 1).min(self.src.len()).max(at);
        self.script.error.get_or_insert(SyntaxError {
            stop,
            at: Span::new(at, end),
            message,
        });
        Err(Fail)
    }

    #[cold]
    fn fail<T>(&mut self, at: usize, message: &'static str) -> Step<T> {
        self.stop(Stop::Syntax, at, message)
    }

    /// Complains of what stands here.
    #[cold]
    fn unexpected<T>(&mut self) -> Step<T> {
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
    fn late(&mut self, mark: Mark) -> Step {
        match self.script.error {
            Some(SyntaxError {
                stop: Stop::Syntax, ..
            }) => {
                let error = self.script.error.take();
                self.script.late = self.script.late.or(error);
                self.back_to(mark);
                Ok(())
            }
            _ => Err(Fail),
        }
    }
}
