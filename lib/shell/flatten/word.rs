//! Words: from pieces to the text that a program would see, with marks where it is unknown.

use super::super::ast::{Piece, PieceKind, Pieces, Span, Word};
use super::super::braces::Unit;
use super::super::dynamic::Dynamic;
use super::super::part::Arg;
use super::Walk;
use super::arith;
use super::expand::Got;
use super::vars::Value;

/// What is put in for variables in one call, in bytes, so that doubling them stays bounded.
pub(super) const MOST_KNOWN: usize = 256 * 1024;

/// The mark of an unknown.
pub fn mark(kind: Dynamic) -> &'static str {
    match kind {
        Dynamic::Arith => "«arith»",
        Dynamic::Ifs => "«ifs»",
        Dynamic::Proc => "«proc»",
        Dynamic::Sub => "«sub»",
        Dynamic::Var | Dynamic::Credential => "«var»",
        Dynamic::Array | Dynamic::Glob | Dynamic::Tilde => "",
    }
}

/// Variables whose value is a number that the shell chooses.
const CHOSEN: [&str; 6] = ["$", "BASHPID", "EPOCHSECONDS", "PPID", "RANDOM", "SECONDS"];

/// Endings of the names of variables that hold a credential.
const CREDENTIALS: [&str; 14] = [
    "ACCESS_KEY",
    "ACCESS_TOKEN",
    "APIKEY",
    "API_KEY",
    "AUTH_TOKEN",
    "PASSPHRASE",
    "PASSWD",
    "PASSWORD",
    "PRIVATE_KEY",
    "SECRET",
    "SECRET_KEY",
    "TOKEN",
    "_PASS",
    "_PAT",
];
/// Names of that kind which are no credentials: of pages, forms and lexers.
const NO_CREDENTIALS: [&str; 6] =
    ["CONTINUATION_TOKEN", "CSRF_TOKEN", "CURSOR_TOKEN", "NEXT_TOKEN", "PAGE_TOKEN", "SYNC_TOKEN"];

/// Whether a variable of the environment is named like a credential.
fn is_credential(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && CREDENTIALS.iter().any(|ending| name.ends_with(ending))
        && !NO_CREDENTIALS.iter().any(|ending| name.ends_with(ending))
}

/// The kinds that have a mark.
pub const MARKED: [Dynamic; 6] =
    [Dynamic::Arith, Dynamic::Credential, Dynamic::Ifs, Dynamic::Proc, Dynamic::Sub, Dynamic::Var];

impl<'t> Walk<'t, '_> {
    /// The source text of a span.
    pub(super) fn source(&self, span: Span) -> &'t str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The pieces of a word.
    pub(super) fn pieces(&self, word: &Word) -> Pieces<'t> {
        self.script.pieces_of(word)
    }

    /// The literal text of a piece, if it has one.
    pub(super) fn literal(&self, piece: &Piece) -> Option<&'t str> {
        match piece.kind {
            PieceKind::Text | PieceKind::Glob | PieceKind::Tilde => Some(self.source(piece.span)),
            PieceKind::Decoded(span) => self.script.decoded.get(span.start as usize..span.end as usize),
            _ => None,
        }
    }

    /// A word as it is shown.
    pub(super) fn arg(&self, word: &Word) -> Arg {
        let mut arg = Arg::default();
        for piece in self.pieces(word).iter() {
            self.show(piece, &mut arg);
        }
        arg
    }

    /// One result of brace expansion as it is shown.
    pub(super) fn arg_of(&self, units: &[Unit]) -> Arg {
        let mut arg = Arg::default();
        let mut longer = false;
        for (number, unit) in units.iter().enumerate() {
            let pair = number.checked_sub(1).and_then(|before| units.get(before..=number));
            longer |= pair.is_some_and(|pair| self.longer(pair));
            let text = match unit {
                Unit::Made(text) => text.as_str(),
                Unit::Piece(piece) if longer && self.bare(piece) => self.source(piece.span),
                Unit::Piece(piece) => {
                    longer = false;
                    self.show(piece, &mut arg);
                    continue;
                }
            };
            // These letters are of the name before them.
            let name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            let rest = if longer { text.trim_start_matches(name) } else { text };
            longer &= rest.is_empty();
            arg.text.push_str(rest);
        }
        arg
    }

    /// Whether braces put letters behind a name: `$a{1,2}` is `$a1` and `$a2`.
    fn longer(&self, pair: &[Unit]) -> bool {
        let [Unit::Piece(piece), next] = pair else { return false };
        let name = matches!(piece.kind, PieceKind::Variable(_)) && !piece.quoted;
        if !name || self.source(piece.span).starts_with("${") {
            return false;
        }
        let text = match next {
            Unit::Piece(next) if next.span.start != piece.span.end && self.bare(next) => self.source(next.span),
            Unit::Piece(_) => return false,
            Unit::Made(text) => text,
        };
        text.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_')
    }

    /// Whether a piece is text without quotes.
    fn bare(&self, piece: &Piece) -> bool {
        let before = piece.span.start.checked_sub(1).and_then(|at| self.text.as_bytes().get(at as usize));
        matches!(piece.kind, PieceKind::Text) && !piece.quoted && !matches!(before, Some(b'"' | b'\'' | b'\\'))
    }

    /// As [`Walk::fields`], of one result of brace expansion.
    pub(super) fn fields_of(&mut self, units: &[Unit], into: &mut Vec<Arg>) -> bool {
        if units.windows(2).any(|pair| self.longer(pair)) {
            return false;
        }
        let mut fields = Fields::default();
        for unit in units {
            match unit {
                Unit::Piece(piece) => self.put(piece, &mut fields),
                Unit::Made(text) => fields.now.text.push_str(text),
            }
        }
        fields.end(into)
    }

    fn show(&self, piece: &Piece, arg: &mut Arg) {
        if let Some(text) = self.literal(piece) {
            match arg.text.is_empty() {
                true => arg.text = text.into(),
                false => arg.text.push_str(text),
            }
            match piece.kind {
                PieceKind::Glob => arg.mark(Dynamic::Glob),
                PieceKind::Tilde => arg.mark(Dynamic::Tilde),
                _ => {}
            }
            if !self.out.marks.is_empty() && text.contains('«') {
                for kind in self.out.marks.iter() {
                    if text.contains(mark(*kind)) {
                        arg.mark(*kind);
                    }
                }
            }
            return;
        }
        let kind = match piece.kind {
            PieceKind::Ifs => Dynamic::Ifs,
            PieceKind::Substitution { .. } => Dynamic::Sub,
            PieceKind::Process { .. } => Dynamic::Proc,
            PieceKind::Arithmetic { .. } => Dynamic::Arith,
            PieceKind::Array { words } => {
                arg.text.push('(');
                arg.mark(Dynamic::Array);
                for (number, word) in self.script.words.get(words.range()).unwrap_or_default().iter().enumerate() {
                    if number > 0 {
                        arg.text.push(' ');
                    }
                    let inner = self.arg(word);
                    arg.text.push_str(&inner.text);
                    arg.mark_all(inner.dynamic);
                }
                arg.text.push(')');
                return;
            }
            _ => Dynamic::Var,
        };
        arg.text.push_str(mark(kind));
        arg.mark(kind);
        if let PieceKind::Variable(number) = piece.kind {
            let name = self.source(self.script.variable(number).name);
            let vars = &self.out.state.vars;
            if is_credential(name) && vars.value(name) == Value::Untouched || vars.is_credential(name) {
                arg.mark(Dynamic::Credential);
            }
        }
    }

    /// Whether something in a word may be known although it is not literal.
    pub(super) fn may_be_known(&self, word: &Word) -> bool {
        let pieces = self.pieces(word);
        pieces.iter().any(|piece| match piece.kind {
            PieceKind::Variable(_) | PieceKind::Ifs | PieceKind::Substitution { .. } | PieceKind::Arithmetic { .. } => {
                true
            }
            PieceKind::Tilde => self.out.state.vars.any() || piece.span.end - piece.span.start > 1,
            _ => false,
        })
    }

    /// The value of a word in an assignment or a here-string: no splitting, no globs.
    pub(super) fn value(&mut self, word: &Word) -> Arg {
        let mut fields = Fields { whole: true, ..Fields::default() };
        for piece in self.pieces(word).iter() {
            self.put(piece, &mut fields);
        }
        let mut arg = fields.now;
        // A glob that stands here is text; one in a value stands for its results.
        if arg.dynamic.contains(&Dynamic::Glob) && self.globs(word) {
            arg.dynamic.remove(Dynamic::Glob);
        }
        arg
    }

    /// Whether a glob stands in a word.
    pub(super) fn globs(&self, word: &Word) -> bool {
        self.pieces(word).iter().any(|piece| matches!(piece.kind, PieceKind::Glob))
    }

    /// The value of `NAME=value`.
    pub(super) fn assigned_value(&mut self, word: &Word) -> Arg {
        let mut fields = Fields { whole: true, ..Fields::default() };
        for (number, piece) in self.pieces(word).iter().enumerate() {
            self.put(piece, &mut fields);
            if number == 0 {
                let begin = fields.now.text.find('=').map_or(0, |at| at + 1);
                fields.now.text = fields.now.text.get(begin..).unwrap_or_default().into();
            }
        }
        fields.now
    }

    /// The fields of a word after certain values are put in and split; false if nothing was put in.
    pub(super) fn fields(&mut self, word: &Word, into: &mut Vec<Arg>) -> bool {
        let mut fields = Fields::default();
        for piece in self.pieces(word).iter() {
            self.put(piece, &mut fields);
        }
        fields.end(into)
    }

    fn put(&mut self, piece: &Piece, fields: &mut Fields) {
        let first = fields.now.text.is_empty();
        let value = match piece.kind {
            PieceKind::Variable(number) => {
                let variable = self.script.variable(number);
                let got = self.parameter(variable, piece.quoted || fields.whole, first);
                if matches!(self.source(variable.op), "=" | ":=") {
                    self.defaulted(variable);
                }
                match got {
                    Some(Got::Many(list)) => {
                        self.put_all(&list, piece.quoted, fields);
                        return;
                    }
                    Some(Got::One(value)) => Some(value),
                    // A name that holds a number which the shell chooses: it stands as written, as
                    // a template of `mktemp` does. `T=/tmp/x-$$; rm -rf "$T"` stays below `/tmp`.
                    None if fields.whole && fields.now.text.contains('/') => {
                        let name = self.source(variable.name);
                        let chosen = CHOSEN.contains(&name)
                            && variable.op.start == variable.op.end
                            && self.out.state.vars.value(name) == Value::Untouched;
                        chosen.then(|| Arg::literal(format!("${name}")))
                    }
                    None => None,
                }
            }
            PieceKind::Ifs => match self.out.state.vars.separators() {
                Some(blanks) if fields.whole => Some(Arg::literal(blanks)),
                Some(blanks) if blanks.trim_matches([' ', '\t', '\n']).is_empty() => {
                    fields.changed = true;
                    if !blanks.is_empty() {
                        fields.flush();
                    }
                    return;
                }
                _ => None,
            },
            PieceKind::Substitution { list } => match self.output_of(list) {
                None => {
                    let mut names = self.names_of(list);
                    if !piece.quoted && !fields.whole && !names.is_empty() {
                        self.put_all(&names, false, fields);
                        return;
                    }
                    names.pop().filter(|_| names.is_empty())
                }
                text => text,
            },
            PieceKind::Arithmetic { words } => {
                let value = self.computed(words);
                if value.is_none() && arith::changes(self.source(piece.span)) {
                    // What stands behind it sees another value.
                    let text = self.source(piece.span);
                    self.out.state.vars.doubt(text);
                }
                value
            }
            PieceKind::Tilde => self.tilde(self.source(piece.span)),
            _ => None,
        };
        match value {
            Some(value) if self.out.known_bytes <= MOST_KNOWN => {
                self.out.known_bytes += value.text.len();
                fields.changed = true;
                let whole = piece.quoted || matches!(piece.kind, PieceKind::Tilde);
                fields.insert(&value, whole, self.out.state.vars.separators());
            }
            _ => {
                fields.open |= piece.quoted || !matches!(piece.kind, PieceKind::Ifs);
                self.show(piece, &mut fields.now);
            }
        }
    }

    /// Puts in `"$@"` and the like.
    fn put_all(&mut self, list: &[Arg], quoted: bool, fields: &mut Fields) {
        fields.changed = true;
        for (number, value) in list.iter().enumerate() {
            // An empty word costs something too.
            self.out.known_bytes += value.text.len() + 16;
            if number > 0 && fields.whole {
                fields.now.text.push(' ');
            } else if number > 0 {
                fields.flush();
            }
            if value.dynamic.is_empty() || value.dynamic == [Dynamic::Tilde] {
                fields.insert(value, quoted, self.out.state.vars.separators());
                continue;
            }
            fields.open = true;
            fields.now.text.push_str(&value.text);
            fields.now.mark_all(value.dynamic);
        }
    }

    /// What a tilde prefix stands for, where that is not the home folder.
    fn tilde(&self, text: &str) -> Option<Arg> {
        match text {
            "~+" => self.out.state.place.value(),
            "~-" => self.out.state.previous.as_ref()?.value(),
            "~" if self.out.state.vars.any() => match self.out.state.vars.value("HOME") {
                Value::Certain(value) => Some(value.clone()),
                Value::Unset | Value::Untouched => None,
                // Another home folder, and nobody knows which.
                _ => Some(Arg { text: mark(Dynamic::Var).into(), dynamic: Dynamic::Var.into() }),
            },
            _ => None,
        }
    }
}

/// Words in the making.
#[derive(Default)]
struct Fields {
    done: Vec<Arg>,
    now: Arg,
    /// Whether `now` is a word even if it is empty.
    open: bool,
    /// Whether values are put in whole.
    whole: bool,
    changed: bool,
}

impl Fields {
    /// Hands the words over; false if nothing was put in.
    fn end(mut self, into: &mut Vec<Arg>) -> bool {
        if self.changed {
            self.flush();
            into.append(&mut self.done);
        }
        self.changed
    }

    fn flush(&mut self) {
        if self.open || !self.now.text.is_empty() {
            self.done.push(std::mem::take(&mut self.now));
        }
        self.open = false;
    }

    /// Puts a value in; `separators` are the letters that split it, `None` if they are unknown.
    fn insert(&mut self, value: &Arg, quoted: bool, separators: Option<&str>) {
        self.now.mark_all(value.dynamic);
        let whole = quoted || self.whole;
        let Some(separators) = separators.filter(|_| !whole && value.dynamic != [Dynamic::Tilde]) else {
            self.open |= whole;
            self.now.text.push_str(&value.text);
            let splits =
                || separators.is_some_and(|separators| value.text.contains(|letter| separators.contains(letter)));
            if !whole && (value.dynamic.is_empty() || splits()) {
                // Split where nobody knows.
                self.now.mark(Dynamic::Ifs);
            }
            return;
        };
        // What is not certain of the value is not of any of its words; a glob is where its letters are.
        let mut doubts = value.dynamic;
        doubts.remove(Dynamic::Glob);
        let mut blank = false;
        for letter in value.text.chars() {
            if !separators.contains(letter) {
                if blank {
                    self.flush();
                    self.now.mark_all(doubts);
                    blank = false;
                }
                if matches!(letter, '*' | '?' | '[') {
                    self.now.mark(Dynamic::Glob);
                }
                self.now.text.push(letter);
            } else if matches!(letter, ' ' | '\t' | '\n') {
                blank = true;
            } else {
                // Such a letter ends a word even if that is empty.
                self.open = true;
                self.flush();
                self.now.mark_all(doubts);
                blank = false;
            }
        }
        if blank {
            self.flush();
        }
    }
}
