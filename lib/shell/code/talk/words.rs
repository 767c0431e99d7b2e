//! The words of Perl, Ruby and PHP: strings with their interpolation, quote operators,
//! here-documents, regular expressions, comments.

mod pieces;
mod quotes;

use super::super::super::dynamic::Dynamics;
use super::super::super::growth::add;
use super::super::super::part::Arg;

/// Most program texts inside each other: interpolation, `s///e`.
const MOST_DEPTH: usize = 5;

/// A language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Perl,
    Ruby,
    Php,
}

/// A piece of a string.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    /// It stands there.
    Text(Arg),
    /// The value of a variable.
    Name(String),
    /// The value of the program text of this number.
    Code(usize),
    /// Not known.
    Unknown,
}

/// A word.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tok {
    /// A name or keyword, with `::` inside.
    Name(String),
    /// A variable with its sigil.
    Var(String),
    /// A string.
    Text(Vec<Piece>),
    /// A command in backticks.
    Run(Vec<Piece>),
    /// A pattern for names of files.
    Glob(Vec<Piece>),
    /// A list of words.
    List(Vec<Arg>),
    /// A regular expression and the like.
    Other,
    /// A whole number.
    Number(usize),
    /// An unknown place of the program text.
    Mark,
    /// An operator.
    Sign(&'static str),
    /// The end of a line, in Ruby only.
    Line,
}

/// One program text.
#[derive(Debug, Default)]
pub(super) struct Text {
    /// Its words.
    pub toks: Vec<Tok>,
    /// For an opening bracket, where it closes.
    pub close: Vec<usize>,
}

/// A program text and those inside of it.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// All texts, the whole one last.
    pub texts: Vec<Text>,
    /// Whether something was too deep.
    pub deep: bool,
}

const SIGNS: &[&str] = &[
    "<=>", "||=", "&&=", "//=", "??=", "...", "===", "!==", "**=", "->", "=>", "==", "=~", "!~", "!=", "<=", ">=",
    "<<", ">>", "&&", "||", "??", "::", "..", ".=", "+=", "-=", "*=", "&.", "++", "--", "**", "(", ")", "[", "]", "{",
    "}", ";", ",", ".", "=", "+", "-", "*", "/", "%", "<", ">", "?", ":", "|", "&", "!", "~", "^", "\\", "@", "$",
];

/// Reads a program text.
pub(super) fn script(text: &Arg, kind: Kind) -> Script {
    let mut script = Script::default();
    let root = lex(&text.text, kind, text.dynamic, &mut script, 0);
    script.texts.push(root);
    script
}

fn lex(text: &str, kind: Kind, marks: Dynamics, script: &mut Script, depth: usize) -> Text {
    let mut lexer = Lexer { text, at: 0, kind, marks, toks: Vec::new(), heres: Vec::new(), script, depth };
    if kind == Kind::Php && depth == 0 && text.contains("<?") {
        lexer.html();
    }
    if depth == 0 {
        lexer.manual();
    }
    while lexer.step() {}
    let toks = lexer.toks;
    let mut close = vec![toks.len(); toks.len()];
    let mut stack = Vec::new();
    for (at, tok) in toks.iter().enumerate() {
        match tok {
            Tok::Sign("(" | "[" | "{") => stack.push(at),
            Tok::Sign(")" | "]" | "}") => {
                if let Some(slot) = stack.pop().and_then(|open| close.get_mut(open)) {
                    *slot = at;
                }
            }
            _ => {}
        }
    }
    Text { toks, close }
}

/// A here-document whose body comes after the line.
struct Here {
    tok: usize,
    end: String,
    plain: bool,
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    kind: Kind,
    marks: Dynamics,
    toks: Vec<Tok>,
    heres: Vec<Here>,
    script: &'t mut Script,
    depth: usize,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self, bytes: usize) -> &'t str {
        let taken = self.rest().get(..bytes).unwrap_or_default();
        self.at = (self.at + bytes).min(self.text.len());
        taken
    }

    fn line(&mut self) {
        let end = self.rest().find('\n').unwrap_or(self.rest().len());
        self.at += end;
    }

    /// PHP: what stands outside of its tags.
    fn html(&mut self) {
        match self.rest().find("<?") {
            Some(at) => {
                self.at += at + 2;
                if self.rest().starts_with("php") {
                    self.at += 3;
                } else if self.rest().starts_with('=') {
                    self.at += 1;
                }
            }
            None => self.at = self.text.len(),
        }
    }

    /// Whether the last word is a value, so that an operator must follow.
    fn valued(&self) -> bool {
        match self.toks.last() {
            None | Some(Tok::Line) => false,
            Some(Tok::Sign(sign)) => matches!(*sign, ")" | "]" | "}" | "++" | "--"),
            Some(Tok::Name(name)) => !matches!(
                name.as_str(),
                "split"
                    | "grep"
                    | "map"
                    | "if"
                    | "elsif"
                    | "unless"
                    | "and"
                    | "or"
                    | "not"
                    | "return"
                    | "when"
                    | "while"
                    | "until"
                    | "puts"
                    | "print"
                    | "push"
                    | "x"
                    | "in"
                    | "do"
                    | "then"
                    | "unlink"
                    | "for"
                    | "foreach"
                    | "join"
                    | "echo"
                    | "sort"
                    | "reverse"
                    | "system"
                    | "exec"
                    | "p"
                    | "say"
                    | "rescue"
            ),
            Some(_) => true,
        }
    }

    /// Reads one word; says whether there is more.
    fn step(&mut self) -> bool {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else { return false };
        if c == '\n' {
            self.newline();
            return true;
        }
        if c.is_whitespace() {
            self.at += c.len_utf8();
            return true;
        }
        if c == '«' {
            self.at += rest.find('»').map_or(rest.len(), |end| end + '»'.len_utf8());
            add(&mut self.toks, Tok::Mark);
            return true;
        }
        let tok = match c {
            '#' => {
                self.line();
                return true;
            }
            '/' if self.kind == Kind::Php && rest.starts_with("//") => {
                let line = rest.split('\n').next().unwrap_or_default();
                self.at += line.find("?>").unwrap_or(line.len());
                return true;
            }
            '/' if self.kind == Kind::Php && rest.starts_with("/*") => {
                self.at += rest.find("*/").map_or(rest.len(), |end| end + 2);
                return true;
            }
            '?' if self.kind == Kind::Php && rest.starts_with("?>") => {
                self.at += 2;
                self.html();
                Tok::Sign(";")
            }
            '"' => Tok::Text(self.quoted(0, false)),
            '\'' => Tok::Text(self.quoted(0, true)),
            '`' => Tok::Run(self.quoted(0, false)),
            '$' | '@' => self.variable(),
            '%' => self.percent(),
            '/' if self.kind != Kind::Php && self.regex_here() => {
                let end = self.inside(1, '/');
                self.at = end;
                self.flags();
                Tok::Other
            }
            '<' => match self.angle() {
                Some(tok) => tok,
                None => self.sign(),
            },
            ':' if self.kind == Kind::Ruby && !rest.starts_with("::") && !self.valued() => {
                self.at += 1;
                match self.rest().starts_with(['"', '\'']) {
                    true => Tok::Text(self.quoted(0, false)),
                    false => {
                        self.name();
                        Tok::Other
                    }
                }
            }
            _ if c.is_ascii_digit() => {
                let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
                self.at += end;
                rest.get(..end).and_then(|digits| digits.parse().ok()).map_or(Tok::Other, Tok::Number)
            }
            _ if c.is_alphabetic() || c == '_' => return self.word(),
            _ => self.sign(),
        };
        add(&mut self.toks, tok);
        true
    }

    fn newline(&mut self) {
        self.at += 1;
        for here in std::mem::take(&mut self.heres) {
            self.body(&here);
        }
        if self.kind == Kind::Ruby && !self.rest().trim_start_matches([' ', '\t']).starts_with('.') {
            add(&mut self.toks, Tok::Line);
        }
        self.manual();
    }

    /// Documentation: `=pod` to `=cut`, `=begin` to `=end`.
    fn manual(&mut self) {
        let rest = self.rest();
        let to = match self.kind {
            Kind::Perl if rest.starts_with('=') && rest.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic) => {
                "\n=cut"
            }
            Kind::Ruby if rest.starts_with("=begin") => "\n=end",
            _ => return,
        };
        self.at += rest.find(to).map_or(rest.len(), |end| end + to.len());
        self.line();
    }

    fn sign(&mut self) -> Tok {
        let rest = self.rest();
        match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            Some(sign) => {
                self.at += sign.len();
                Tok::Sign(sign)
            }
            None => {
                self.at += rest.chars().next().map_or(1, char::len_utf8);
                Tok::Other
            }
        }
    }

    fn name(&mut self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        self.take(end)
    }

    fn word(&mut self) -> bool {
        let start = self.at;
        self.name();
        loop {
            let rest = self.rest();
            let inner = match self.kind {
                Kind::Php => rest.strip_prefix('\\'),
                Kind::Perl => rest.strip_prefix("::"),
                // `File::open` is a call.
                Kind::Ruby => rest.strip_prefix("::").filter(|rest| rest.starts_with(char::is_uppercase)),
            };
            let Some(inner) = inner.filter(|inner| inner.starts_with(|c: char| c.is_alphabetic() || c == '_')) else {
                break;
            };
            self.at = self.text.len() - inner.len();
            self.name();
        }
        if self.kind == Kind::Ruby && self.rest().starts_with(['?', '!']) && !self.rest().starts_with("!=") {
            self.at += 1;
        }
        let name = self.text.get(start..self.at).unwrap_or_default();
        if matches!(name, "__END__" | "__DATA__") && self.kind != Kind::Php {
            self.at = self.text.len();
            return true;
        }
        if self.kind == Kind::Perl
            && let Some(tok) = self.perl_quote(name)
        {
            add(&mut self.toks, tok);
            return true;
        }
        add(&mut self.toks, Tok::Name(name.to_owned()));
        true
    }
}
