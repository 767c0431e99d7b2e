//! Words: from pieces to the text that a program would see, with marks where it is unknown.

use super::super::ast::{Piece, PieceKind, Pieces, Run, Span, Variable, Word};
use super::super::braces::Unit;
use super::super::part::{Arg, Dynamic};
use super::Walk;
use super::state::Value;

/// What is put in for variables in one call, in bytes, so that doubling them stays bounded.
const MOST_KNOWN: usize = 256 * 1024;

/// The mark of an unknown.
pub fn mark(kind: Dynamic) -> &'static str {
    match kind {
        Dynamic::Arith => "«arith»",
        Dynamic::Ifs => "«ifs»",
        Dynamic::Proc => "«proc»",
        Dynamic::Sub => "«sub»",
        Dynamic::Var => "«var»",
        Dynamic::Array | Dynamic::Glob | Dynamic::Tilde => "",
    }
}

/// The kinds that have a mark.
pub const MARKED: [Dynamic; 5] = [Dynamic::Arith, Dynamic::Ifs, Dynamic::Proc, Dynamic::Sub, Dynamic::Var];

/// Adds a kind, keeping the list sorted and without doubles.
pub fn add(dynamic: &mut Vec<Dynamic>, kind: Dynamic) {
    if let Err(at) = dynamic.binary_search(&kind) {
        dynamic.insert(at, kind);
    }
}

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
        for unit in units {
            match unit {
                Unit::Piece(piece) => self.show(piece, &mut arg),
                Unit::Made(text) => arg.text.push_str(text),
            }
        }
        arg
    }

    /// As [`Walk::fields`], of one result of brace expansion.
    pub(super) fn fields_of(&mut self, units: &[Unit], into: &mut Vec<Arg>) -> bool {
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
            if arg.text.is_empty() {
                arg.text.reserve_exact(text.len());
            }
            arg.text.push_str(text);
            match piece.kind {
                PieceKind::Glob => add(&mut arg.dynamic, Dynamic::Glob),
                PieceKind::Tilde => add(&mut arg.dynamic, Dynamic::Tilde),
                _ => {}
            }
            if !self.out.marks.is_empty() && text.contains('«') {
                for kind in &self.out.marks {
                    if text.contains(mark(*kind)) {
                        add(&mut arg.dynamic, *kind);
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
                add(&mut arg.dynamic, Dynamic::Array);
                for (number, word) in self.script.words.get(words.range()).unwrap_or_default().iter().enumerate() {
                    if number > 0 {
                        arg.text.push(' ');
                    }
                    let inner = self.arg(word);
                    arg.text.push_str(&inner.text);
                    for kind in inner.dynamic {
                        add(&mut arg.dynamic, kind);
                    }
                }
                arg.text.push(')');
                return;
            }
            _ => Dynamic::Var,
        };
        arg.text.push_str(mark(kind));
        add(&mut arg.dynamic, kind);
    }

    /// Whether something in a word may be known although it is not literal.
    pub(super) fn may_be_known(&self, word: &Word) -> bool {
        let pieces = self.pieces(word);
        pieces
            .iter()
            .any(|piece| matches!(piece.kind, PieceKind::Variable(_) | PieceKind::Ifs | PieceKind::Substitution { .. }))
    }

    /// The value of a word in an assignment or a here-string: no splitting, no globs.
    pub(super) fn value(&mut self, word: &Word) -> Arg {
        let mut fields = Fields { whole: true, ..Fields::default() };
        for piece in self.pieces(word).iter() {
            self.put(piece, &mut fields);
        }
        let mut arg = fields.now;
        arg.dynamic.retain(|kind| *kind != Dynamic::Glob);
        arg
    }

    /// The value of `NAME=value`.
    pub(super) fn assigned_value(&mut self, word: &Word) -> Arg {
        let mut fields = Fields { whole: true, ..Fields::default() };
        for (number, piece) in self.pieces(word).iter().enumerate() {
            self.put(piece, &mut fields);
            if number == 0 {
                let begin = fields.now.text.find('=').map_or(0, |at| at + 1);
                fields.now.text.drain(..begin);
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
        let value = match piece.kind {
            PieceKind::Variable(number) => {
                let Variable { name, op, words } = self.script.variable(number);
                if op.start >= op.end && words.is_empty() {
                    self.variable(self.source(name), piece.quoted || fields.whole, fields.now.text.is_empty())
                } else {
                    self.derived(name, op, words)
                }
            }
            PieceKind::Ifs if self.out.state.splits_at_blanks() => {
                if fields.whole {
                    None
                } else {
                    fields.changed = true;
                    fields.flush();
                    return;
                }
            }
            PieceKind::Substitution { list } => self.output_of(list),
            _ => None,
        };
        match value {
            Some(value) => {
                self.out.known_bytes += value.text.len();
                fields.changed = true;
                fields.insert(&value, piece.quoted);
            }
            None => {
                fields.open |= piece.quoted || !matches!(piece.kind, PieceKind::Ifs);
                self.show(piece, &mut fields.now);
            }
        }
    }

    /// `${x%y}` and the like of a certain value, for the patterns that need no matcher.
    fn derived(&self, name: Span, op: Span, words: Run<Word>) -> Option<Arg> {
        let Value::Certain(value) = self.out.state.value(self.source(name)) else {
            return None;
        };
        let value = value.certain()?;
        let op = self.source(op);
        let [word] = self.script.words.get(words.range())? else {
            return None;
        };
        if matches!(op, ":-" | "-") {
            return (op == "-" || !value.is_empty()).then(|| Arg::literal(value));
        }
        let pattern = self.arg(word);
        if pattern.dynamic.iter().any(|kind| *kind != Dynamic::Glob) || value.len() > 4096 {
            return None;
        }
        let text = pattern.text.as_str();
        let special = |text: &str| !pattern.dynamic.is_empty() && text.contains(['*', '?', '[', '(']);
        let any = !pattern.dynamic.is_empty();
        let rest = match op {
            "%" | "%%" if any && text.ends_with('*') => {
                let fixed = text.strip_suffix('*').filter(|fixed| !special(fixed))?;
                let at = if op == "%" { value.rfind(fixed) } else { value.find(fixed) };
                at.map_or(Some(value), |at| value.get(..at))?
            }
            "#" | "##" if any && text.starts_with('*') => {
                let fixed = text.strip_prefix('*').filter(|fixed| !special(fixed))?;
                let at = if op == "#" { value.find(fixed) } else { value.rfind(fixed) };
                at.map_or(Some(value), |at| value.get(at + fixed.len()..))?
            }
            _ if special(text) => return None,
            "%" | "%%" => value.strip_suffix(text).unwrap_or(value),
            "#" | "##" => value.strip_prefix(text).unwrap_or(value),
            _ => return None,
        };
        Some(Arg::literal(rest))
    }

    /// The value of a variable where it is certain.
    fn variable(&self, name: &str, whole: bool, first: bool) -> Option<Arg> {
        if self.out.known_bytes > MOST_KNOWN {
            return None;
        }
        match self.out.state.value(name) {
            Value::Certain(value) => {
                let home = value.dynamic == [Dynamic::Tilde];
                if home && !first {
                    return None;
                }
                // Another IFS would split it elsewhere.
                let plain = whole || self.out.state.splits_at_blanks();
                plain.then(|| value.clone())
            }
            Value::Untouched if first && name == "HOME" && !self.out.foreign => {
                Some(Arg { text: "$HOME".to_owned(), dynamic: vec![Dynamic::Tilde] })
            }
            Value::Untouched if first && name == "PWD" => self.out.state.place.value(),
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

    fn insert(&mut self, value: &Arg, quoted: bool) {
        for kind in &value.dynamic {
            add(&mut self.now.dynamic, *kind);
        }
        if quoted || self.whole || value.dynamic == [Dynamic::Tilde] {
            self.open |= quoted || self.whole;
            self.now.text.push_str(&value.text);
            return;
        }
        let mut blank = false;
        for piece in value.text.split_inclusive([' ', '\t', '\n']) {
            if blank {
                self.flush();
            }
            let text = piece.trim_end_matches([' ', '\t', '\n']);
            blank = text.len() < piece.len();
            self.now.text.push_str(text);
            if text.contains(['*', '?', '[']) {
                add(&mut self.now.dynamic, Dynamic::Glob);
            }
        }
        if blank {
            self.flush();
        }
    }
}
