//! The syntax tree that the readers of Python and JavaScript share: only what matters for values.

use std::rc::Rc;

use super::super::super::part::Arg;

/// An expression. Chains of operators and of `.name`, `[…]`, `(…)` are flat, so that a long one is
/// not a deep tree.
#[derive(Debug)]
pub enum Expr<'t> {
    /// A value that is not looked at.
    Unknown,
    /// A string.
    Text(Rc<Arg>),
    /// Strings and expressions in a row: `f"a{b}"`.
    Format(Vec<Expr<'t>>),
    /// A whole number.
    Number(i64),
    /// A name.
    Name(&'t str),
    /// Something with `.name`, `[…]`, `(…)` behind it.
    Chain(Box<Expr<'t>>, Vec<Post<'t>>),
    /// Operands of one precedence.
    Binary(Box<Expr<'t>>, Vec<(&'t str, Expr<'t>)>),
    /// A list, tuple or set.
    List(Vec<Expr<'t>>),
    /// Keys and values, as an argument list: a key that is a name or a certain string is a keyword.
    Dict(Vec<Argument<'t>>),
    /// One of several: `a if c else b`; the conditions stand in `All` before.
    Either(Vec<Expr<'t>>),
    /// All are evaluated, the value is unknown.
    All(Vec<Expr<'t>>),
    /// `[body for target in iter if test]`
    Each(Box<Each<'t>>),
    /// A function.
    Function(Box<Function<'t>>),
    /// `target = value` as an expression.
    Assign(Box<Expr<'t>>, Box<Expr<'t>>),
}

/// The parts of a comprehension.
#[derive(Debug)]
pub struct Each<'t> {
    /// Targets, and what they go over.
    pub loops: Vec<(Expr<'t>, Expr<'t>)>,
    /// The value.
    pub body: Expr<'t>,
    /// Conditions.
    pub tests: Vec<Expr<'t>>,
}

/// What stands behind a value.
#[derive(Debug)]
pub enum Post<'t> {
    /// `.name`
    Attr(&'t str),
    /// `[expr]`
    Index(Expr<'t>),
    /// `[n:]`, `[n:m]`, `.slice(n)`; `None` for any other part of a list
    Slice(Option<(i64, Option<i64>)>),
    /// `(arguments)`
    Call(Vec<Argument<'t>>),
}

/// An argument or a pair of a dictionary.
#[derive(Debug)]
pub struct Argument<'t> {
    /// Its keyword.
    pub name: Option<Rc<str>>,
    /// Whether it stands for several (`*args`, `...list`).
    pub spread: bool,
    /// Its value.
    pub value: Expr<'t>,
}

/// A function.
#[derive(Debug)]
pub struct Function<'t> {
    /// Targets of its parameters, with defaults.
    pub params: Vec<(Expr<'t>, Option<Expr<'t>>)>,
    /// What it does; an expression body is a `Return`.
    pub body: Vec<Stmt<'t>>,
    /// Names that it assigns outside of itself.
    pub outer: Vec<&'t str>,
}

/// A statement.
#[derive(Debug)]
pub enum Stmt<'t> {
    /// An expression.
    Expr(Expr<'t>),
    /// `a = b = value`
    Assign(Vec<Expr<'t>>, Expr<'t>),
    /// `target op= value`
    Change(Box<(Expr<'t>, &'t str, Expr<'t>)>),
    /// Ways of which one is taken, and whether there is no way around them all.
    Ways(Vec<Vec<Stmt<'t>>>, bool),
    /// A loop over values.
    For(Box<(Expr<'t>, Expr<'t>)>, Box<Loop<'t>>),
    /// A loop of unknown length.
    While(Expr<'t>, Box<Loop<'t>>),
    /// A function with a name.
    Function(&'t str, Box<Function<'t>>),
    /// A class: its methods.
    Class(&'t str, Vec<Stmt<'t>>),
    /// `import a.b as c`: the module, and the name it is bound to.
    Import(Rc<str>, Option<&'t str>),
    /// `from a import b as c`: the module, and names with what they are bound to.
    From(Rc<str>, Vec<(&'t str, &'t str)>),
    /// `return`, `break`, `continue`, `raise`: what follows is not reached.
    Leave(Option<Expr<'t>>, bool),
    /// Statements that stay in the scope.
    Block(Vec<Stmt<'t>>),
    /// Code that is not known.
    Hole,
}

/// The body of a loop.
#[derive(Debug)]
pub struct Loop<'t> {
    /// Names that it assigns.
    pub changes: Vec<&'t str>,
    /// What it does.
    pub body: Vec<Stmt<'t>>,
}

/// A program.
#[derive(Debug, Default)]
pub struct Tree<'t> {
    /// Its statements.
    pub body: Vec<Stmt<'t>>,
    /// Whether some of it could not be followed.
    pub broken: bool,
}
