//! The syntax tree of a shell text, as flat arenas.
//!
//! Children of a node are a [`Run`]: a range in the arena of their type. Nothing
//! here is boxed, so a tree of any depth is freed without recursion, and a
//! [`Script`] can be cleared and filled again without allocating.
//! `parse` fills it, `flatten` reads it; nobody else needs it.

/// A byte range in the source text: `start..end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A range of nodes in the arena of their type.
#[derive(Debug, PartialEq, Eq)]
pub struct Run<T> {
    /// Index of the first node.
    pub start: u32,
    /// One past the index of the last node.
    pub end: u32,
    pub(crate) of: std::marker::PhantomData<fn() -> T>,
}

impl<T> Clone for Run<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Run<T> {}
impl<T> Default for Run<T> {
    fn default() -> Self {
        Self::new(0, 0)
    }
}
impl Span {
    /// The bytes `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }
    /// The same range for slicing.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end.max(self.start) as usize
    }
    /// Its text in `source`; empty if it lies outside.
    pub fn text(self, source: &str) -> &str {
        source.get(self.range()).unwrap_or_default()
    }
}

impl<T> Run<T> {
    /// The nodes `start..end`.
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end, of: std::marker::PhantomData }
    }
    /// Whether there are no nodes.
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }
    /// How many nodes.
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }
    /// The same range for slicing.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end.max(self.start) as usize
    }
}

/// How a pipeline is joined to the one before it in its list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Joint {
    /// First of its list.
    #[default]
    First,
    /// After `;`.
    Semicolon,
    /// After a newline.
    Newline,
    /// After `&&`.
    And,
    /// After `||`.
    Or,
    /// After `&`: the list before runs in the background.
    Background,
}

/// One pipeline of a list: `! time a | b |& c`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pipeline {
    /// How it hangs on its predecessor.
    pub joint: Joint,
    /// Whether `!` stands before it.
    pub negated: bool,
    /// Whether `time` stands before it.
    pub timed: bool,
    /// Whether the and-or list it belongs to ends with `&`.
    pub background: bool,
    /// Its commands, at least one.
    pub stages: Run<Command>,
    /// From the first to the last byte.
    pub span: Span,
}

/// One command with its redirects.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// What it is.
    pub kind: CommandKind,
    /// Redirects in source order (of a simple command: anywhere in it).
    pub redirects: Run<Redirect>,
    /// Whether it is followed by `|&` (its standard error goes into the pipe too).
    pub pipes_both: bool,
    /// From the first to the last byte, redirects included, here-document bodies not.
    pub span: Span,
}

/// The kinds of command.
#[derive(Clone, Copy, Debug)]
pub enum CommandKind {
    /// `A=1 prog word …`; an assignment is a word whose text begins `NAME=`, `NAME+=` or `NAME[…]=`.
    Simple {
        /// Leading assignments.
        assigns: Run<Word>,
        /// Command word and arguments; arguments that look like array assignments
        /// (`declare -a c=(x)`) hold a [`PieceKind::Array`].
        words: Run<Word>,
    },
    /// Anything that holds lists of commands.
    Compound {
        /// Which construct.
        what: Compound,
        /// Words of its head: the list of `for`/`select` (empty also if absent), the subject of
        /// `case` followed by all its patterns, the words of `[[ … ]]`, the expressions of
        /// `(( … ))` and `for (( … ))` (one word per expression).
        words: Run<Word>,
        /// Its lists, in source order (conditions and bodies alike).
        blocks: Run<Block>,
        /// Variable of `for`/`select`, name of a function or coprocess; empty span if none.
        name: Span,
    },
}

/// The compound constructs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compound {
    /// `{ …; }`
    Group,
    /// `( … )`
    Subshell,
    /// `if …; then …; elif …; else …; fi`
    If,
    /// `while …; do …; done`
    While,
    /// `until …; do …; done`
    Until,
    /// `for x in …; do …; done`
    For,
    /// `for ((a; b; c)); do …; done`
    ArithFor,
    /// `select x in …; do …; done`
    Select,
    /// `case w in p) …;; esac`
    Case,
    /// `[[ … ]]`
    Test,
    /// `(( … ))`
    Arith,
    /// `f() …` or `function f …`; one block whose list is the body command.
    Function,
    /// `coproc [NAME] …`; one block.
    Coproc,
}

/// One list inside a compound command.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// What the list is for.
    pub role: Role,
    /// Its pipelines.
    pub list: Run<Pipeline>,
}

/// What a list inside a compound command is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A condition of `if`, `elif`, `while`, `until`.
    Condition,
    /// Anything else that may run.
    Body,
}

/// A redirect.
#[derive(Clone, Copy, Debug)]
pub struct Redirect {
    /// Its descriptor if one is written.
    pub fd: Fd,
    /// Its operator.
    pub op: RedirectOp,
    /// File, descriptor (`1`, `-`, `3-`), here-string; of a here-document: its decoded body.
    pub target: Word,
    /// Of a here-document: whether the delimiter was quoted (the body expands nothing).
    pub literal: bool,
    /// Descriptor, operator and target (of a here-document: delimiter).
    pub span: Span,
}

/// The descriptor before a redirect operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fd {
    /// None written: 0 for input operators, 1 for output.
    Default,
    /// `2>`
    Number(u32),
    /// `{name}>`; the span covers the braces.
    Named(Span),
}

/// The redirect operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectOp {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>>`
    Append,
    /// `>|`
    Clobber,
    /// `<>`
    ReadWrite,
    /// `<&`
    DupIn,
    /// `>&`
    DupOut,
    /// `&>`
    Both,
    /// `&>>`
    BothAppend,
    /// `<<`
    Heredoc,
    /// `<<-`
    HeredocTabs,
    /// `<<<`
    HereString,
}

/// A word: one or more pieces that stand together. [`Script::pieces_of`] gives them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Word {
    /// The bytes of the word as written.
    pub span: Span,
    /// Index of its first piece, or [`Word::WHOLE`].
    first: u32,
    /// One past the index of the last, with [`Word::BRACES`]; of a whole text, whether it is quoted.
    last: u32,
}

impl Word {
    /// A word that is a single text has no piece in the arena.
    const WHOLE: u32 = u32::MAX;
    const BRACES: u32 = 1 << 31;

    /// A word that is one unquoted text.
    #[inline(always)]
    pub(crate) fn plain(span: Span) -> Self {
        Self { span, first: Self::WHOLE, last: 0 }
    }
    /// A word that is one text between two quotes.
    #[inline(always)]
    pub(crate) fn quoted(span: Span) -> Self {
        Self { span, first: Self::WHOLE, last: 1 }
    }
    /// A word of these pieces.
    #[inline(always)]
    pub(crate) fn of(pieces: Run<Piece>, span: Span, braces: bool) -> Self {
        Self { span, first: pieces.start, last: pieces.end | if braces { Self::BRACES } else { 0 } }
    }
    /// Whether an unquoted `{` occurs: brace expansion may apply.
    pub fn braces(self) -> bool {
        self.first != Self::WHOLE && self.last & Self::BRACES != 0
    }
    /// Its only piece, if that is not in the arena.
    pub(crate) fn whole(self) -> Option<Piece> {
        if self.first != Self::WHOLE {
            return None;
        }
        let edge = self.last;
        let span = Span { start: self.span.start + edge, end: self.span.end - edge };
        Some(Piece { kind: PieceKind::Text, quoted: edge == 1, span })
    }
}

/// The pieces of a word; none for an empty here-document, one empty text for `''`.
#[derive(Clone, Copy, Debug)]
pub enum Pieces<'s> {
    /// The only one.
    Whole([Piece; 1]),
    /// Those in the arena.
    Stored(&'s [Piece]),
}

impl std::ops::Deref for Pieces<'_> {
    type Target = [Piece];
    fn deref(&self) -> &[Piece] {
        match self {
            Self::Whole(piece) => piece,
            Self::Stored(pieces) => pieces,
        }
    }
}

/// A stretch of a word with one meaning.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// What it is.
    pub kind: PieceKind,
    /// Whether it stands in quotes (or is escaped) and so is neither split nor globbed.
    pub quoted: bool,
    /// The bytes as written, quotes not included where they belong to the word.
    pub span: Span,
}

/// What a piece of a word is.
#[derive(Clone, Copy, Debug)]
pub enum PieceKind {
    /// Text that stands in the source as it is: its value is the piece's span.
    Text,
    /// Text that had to be decoded: a range of [`Script::decoded`].
    Decoded(Span),
    /// `*`, `?`, `[…]` or an extended glob, unquoted; its text is the span.
    Glob,
    /// `~` or `~user` at the start of a word (or after `=` or `:` in an assignment).
    Tilde,
    /// `$IFS` or `${IFS}` unquoted: a blank.
    Ifs,
    /// `$x`, `${x…}`, `$1`, `$@`: its number in [`Script::variables`].
    Variable(u32),
    /// `$(…)`, `` `…` ``, `${ …; }`.
    Substitution {
        /// What runs.
        list: Run<Pipeline>,
    },
    /// `<(…)` or `>(…)`.
    Process {
        /// What runs.
        list: Run<Pipeline>,
        /// True for `>(…)`.
        output: bool,
    },
    /// `$((…))`, `$[…]`; its words hold the substitutions and variables inside.
    Arithmetic {
        /// One word with the pieces of the expression.
        words: Run<Word>,
    },
    /// `(a b c)` of an array assignment.
    Array {
        /// Its elements.
        words: Run<Word>,
    },
}

/// An expansion of a variable: its name, and the words after the operator with their operator text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Variable {
    /// The name (`x`, `1`, `@`; of `${!x}` and `${#x}` with that character).
    pub name: Span,
    /// The operator as written (`:-`, `%`, `/`, `[`), empty if none.
    pub op: Span,
    /// Operands: subscript, default, pattern, replacement.
    pub words: Run<Word>,
}

/// Why a text was not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Bash would report a syntax error here.
    Syntax,
    /// One of our bounds was reached; which one.
    Bound(Bound),
}

/// The bounds of the reader. Past one the text counts as not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Nesting of constructs.
    Nesting,
    /// Length of the text.
    Length,
    /// Number of parts.
    Parts,
    /// Results of brace expansion.
    Braces,
    /// Nesting of wrappers and of shells in shells.
    Wrappers,
}

/// An error with its place and a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// What kind of end it was.
    pub stop: Stop,
    /// Where.
    pub at: Span,
    /// Lower case, no final stop: "unexpected `)`".
    pub message: &'static str,
}

/// A parsed text.
#[derive(Debug, Default)]
pub struct Script {
    /// The pipelines of all lines that bash would run before an error.
    pub body: Run<Pipeline>,
    /// The error, if the text was not read to its end.
    pub error: Option<SyntaxError>,
    /// The first error in a text that bash reads only when it runs it: backticks, arithmetic,
    /// a here-document body. What stands around it is still in the tree.
    pub late: Option<SyntaxError>,
    /// Arena of pipelines.
    pub pipelines: Vec<Pipeline>,
    /// Arena of commands.
    pub commands: Vec<Command>,
    /// Arena of blocks.
    pub blocks: Vec<Block>,
    /// Arena of redirects.
    pub redirects: Vec<Redirect>,
    /// Arena of words.
    pub words: Vec<Word>,
    /// Arena of pieces.
    pub pieces: Vec<Piece>,
    /// Arena of variables.
    pub variables: Vec<Variable>,
    /// Text of [`PieceKind::Decoded`] pieces.
    pub decoded: String,
    pub(crate) scratch: Scratch,
}

impl Script {
    /// The pieces of a word of this script.
    pub fn pieces_of(&self, word: &Word) -> Pieces<'_> {
        if let Some(piece) = word.whole() {
            return Pieces::Whole([piece]);
        }
        let range = word.first as usize..(word.last & !Word::BRACES) as usize;
        Pieces::Stored(self.pieces.get(range).unwrap_or_default())
    }

    /// The variable of a [`PieceKind::Variable`].
    pub fn variable(&self, number: u32) -> Variable {
        self.variables.get(number as usize).copied().unwrap_or_default()
    }
}

/// Stacks of unfinished nodes. Kept in the script so that their memory is used again.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) pipelines: Vec<Pipeline>,
    pub(crate) commands: Vec<Command>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) redirects: Vec<Redirect>,
    pub(crate) words: Vec<Word>,
    pub(crate) pieces: Vec<Piece>,
    /// Here-documents whose bodies are still to come, as indices of redirects.
    pub(crate) pending: Vec<u32>,
    /// How many commands the text may have.
    pub(crate) most_commands: usize,
}
