//! Brace expansion by the rules of bash: `{a,b}` and `{1..9..2}`.
//!
//! It works on a word that is read already, so that quoted text and expansions are single things
//! without braces in them. The product of many braces is cut off with [`Bound::Braces`].

use super::ast::{Bound, Piece, PieceKind, Script, Span, Word};

/// How many words may come of one.
const RESULTS: usize = 1_000;
/// How many units all results may have together.
const UNITS: usize = 100_000;
/// How many steps the search for brackets may take.
const STEPS: usize = 400_000;
/// How deep braces may stand in each other.
const NESTING: u32 = 120;

/// A stretch of an expanded word.
#[derive(Clone, Debug)]
pub enum Unit {
    /// A piece of the word or a part of one.
    Piece(Piece),
    /// Unquoted text of a sequence, which stands nowhere in the source.
    Made(String),
}

/// The words that come of `word`, each as its units. An empty one that is not quoted is left out,
/// so there may be none.
pub fn expand(source: &str, script: &Script, word: Word) -> Result<Vec<Vec<Unit>>, Bound> {
    let pieces = script.pieces_of(&word);
    if !word.braces() {
        return Ok(vec![pieces.iter().map(|&piece| Unit::Piece(piece)).collect()]);
    }
    let mut symbols = Vec::with_capacity(pieces.len());
    for &piece in pieces.iter() {
        match piece.kind {
            PieceKind::Text if !piece.quoted => {
                cut(piece, piece.span, piece.span.text(source), &mut symbols);
            }
            PieceKind::Decoded(span) if !piece.quoted => {
                cut(piece, span, span.text(&script.decoded), &mut symbols);
            }
            _ => symbols.push(Symbol { sign: OPAQUE, piece }),
        }
    }
    let mut work = Work { source, script, steps: STEPS };
    let mut words = work.text(&symbols, 0)?;
    words.retain(|units| !units.is_empty());
    for units in &mut words {
        find_tilde(source, units);
    }
    Ok(words)
}

const OPAQUE: u8 = 0;
const TEXT: u8 = 1;

/// A sign that may matter, or a stretch without any.
#[derive(Clone, Copy)]
struct Symbol {
    /// `{`, `}`, `,`, `.`, or one of the constants.
    sign: u8,
    piece: Piece,
}

/// Takes unquoted text apart at the signs.
fn cut(piece: Piece, span: Span, text: &str, symbols: &mut Vec<Symbol>) {
    let part = |from: usize, to: usize| {
        let part = Span { start: span.start + from as u32, end: span.start + to as u32 };
        match piece.kind {
            PieceKind::Decoded(_) => Piece { kind: PieceKind::Decoded(part), ..piece },
            _ => Piece { span: part, ..piece },
        }
    };
    let mut run = 0;
    for (at, &sign) in text.as_bytes().iter().enumerate() {
        if matches!(sign, b'{' | b'}' | b',' | b'.') {
            if run < at {
                symbols.push(Symbol { sign: TEXT, piece: part(run, at) });
            }
            symbols.push(Symbol { sign, piece: part(at, at + 1) });
            run = at + 1;
        }
    }
    if run < text.len() {
        symbols.push(Symbol { sign: TEXT, piece: part(run, text.len()) });
    }
}

type Words = Vec<Vec<Unit>>;

struct Work<'a> {
    source: &'a str,
    script: &'a Script,
    steps: usize,
}

impl Work<'_> {
    /// All words that come of `symbols`.
    fn text(&mut self, symbols: &[Symbol], depth: u32) -> Result<Words, Bound> {
        if depth > NESTING {
            return Err(Bound::Braces);
        }
        let mut words: Words = vec![Vec::new()];
        let mut rest = symbols;
        while !rest.is_empty() {
            let Some((open, close)) = self.braces(rest)? else {
                product(&mut words, vec![plain(rest)])?;
                break;
            };
            let (before, amble, after) = split(rest, open, close);
            product(&mut words, vec![plain(before)])?;
            let ways = if self.separated(amble) {
                self.amble(amble, depth)?
            } else if let Some(sequence) = self.sequence(amble)? {
                sequence
            } else {
                // No sequence after all: the braces are text, what follows may still expand.
                vec![plain(rest.get(open..=close).unwrap_or_default())]
            };
            product(&mut words, ways)?;
            rest = after;
        }
        Ok(words)
    }

    /// The first pair of braces that is an expansion.
    fn braces(&mut self, symbols: &[Symbol]) -> Result<Option<(usize, usize)>, Bound> {
        let mut from = 0;
        while let Some(open) = self.open(symbols, from)? {
            if let Some(close) = self.find(symbols, open + 1, b'}')? {
                return Ok(Some((open, close)));
            }
            from = open + 1;
        }
        Ok(None)
    }

    fn open(&mut self, symbols: &[Symbol], from: usize) -> Result<Option<usize>, Bound> {
        let mut at = from;
        while let Some(symbol) = symbols.get(at) {
            self.step()?;
            let empty = at == 0 && symbols.get(1).is_some_and(|s| s.sign == b'}');
            if symbol.sign == b'{' && !empty {
                return Ok(Some(at));
            }
            at += 1;
        }
        Ok(None)
    }

    /// The next `sign` outside braces; of a `}` one that has a separator before it.
    fn find(&mut self, symbols: &[Symbol], from: usize, sign: u8) -> Result<Option<usize>, Bound> {
        let mut level = 0usize;
        let mut separators = usize::from(sign != b'}');
        let mut at = from;
        while let Some(symbol) = symbols.get(at) {
            self.step()?;
            if symbol.sign == sign && level == 0 && separators > 0 {
                return Ok(Some(at));
            }
            match symbol.sign {
                b'{' => level += 1,
                b'}' => level = level.saturating_sub(1),
                b',' if level == 0 => separators += 1,
                b'.' if level == 0
                    && symbols.get(at + 1).is_some_and(|s| s.sign == b'.')
                    && symbols.get(at + 2).is_none_or(|s| s.sign != b'}') =>
                {
                    separators += 1;
                }
                _ => {}
            }
            at += 1;
        }
        Ok(None)
    }

    fn step(&mut self) -> Result<(), Bound> {
        self.steps = self.steps.checked_sub(1).ok_or(Bound::Braces)?;
        Ok(())
    }

    /// Whether bash sees a comma here. It looks at the text as written, quotes or not.
    fn separated(&self, amble: &[Symbol]) -> bool {
        amble.iter().any(|symbol| match symbol.sign {
            b',' => true,
            OPAQUE => {
                let start = symbol.piece.span.start as usize;
                let escaped = start > 0 && self.source.as_bytes().get(start - 1) == Some(&b'\\');
                !escaped && symbol.piece.span.text(self.source).contains(',')
            }
            _ => false,
        })
    }

    /// The alternatives between two braces.
    fn amble(&mut self, amble: &[Symbol], depth: u32) -> Result<Words, Bound> {
        let mut ways = Vec::new();
        let mut from = 0;
        loop {
            let comma = self.find(amble, from, b',')?;
            let part = amble.get(from..comma.unwrap_or(amble.len())).unwrap_or_default();
            ways.append(&mut self.text(part, depth + 1)?);
            if ways.len() > RESULTS {
                return Err(Bound::Braces);
            }
            match comma {
                Some(comma) => from = comma + 1,
                None => return Ok(ways),
            }
        }
    }

    /// `1..9..2` or `a..e`.
    fn sequence(&self, amble: &[Symbol]) -> Result<Option<Words>, Bound> {
        let mut text = String::new();
        for symbol in amble {
            match symbol.piece.kind {
                _ if symbol.sign == OPAQUE => return Ok(None),
                PieceKind::Decoded(span) => text.push_str(span.text(&self.script.decoded)),
                _ => text.push_str(symbol.piece.span.text(self.source)),
            }
        }
        let Some(range) = Sequence::of(&text) else {
            return Ok(None);
        };
        Ok(Some(range.values()?.into_iter().map(|value| vec![Unit::Made(value)]).collect()))
    }
}

fn split(symbols: &[Symbol], open: usize, close: usize) -> (&[Symbol], &[Symbol], &[Symbol]) {
    (
        symbols.get(..open).unwrap_or_default(),
        symbols.get(open + 1..close).unwrap_or_default(),
        symbols.get(close + 1..).unwrap_or_default(),
    )
}

/// The symbols as they are, stretches that were cut joined again.
fn plain(symbols: &[Symbol]) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    for symbol in symbols {
        if symbol.sign != OPAQUE
            && let Some(Unit::Piece(last)) = units.last_mut()
            && !last.quoted
            && joins(last, symbol.piece)
        {
            continue;
        }
        units.push(Unit::Piece(symbol.piece));
    }
    units
}

/// Makes `last` longer by `next` if they are neighbours in one piece.
fn joins(last: &mut Piece, next: Piece) -> bool {
    match (&mut last.kind, next.kind) {
        (PieceKind::Text, PieceKind::Text) if last.span.end == next.span.start => {
            last.span.end = next.span.end;
            true
        }
        (PieceKind::Decoded(a), PieceKind::Decoded(b)) if a.end == b.start => {
            a.end = b.end;
            true
        }
        _ => false,
    }
}

/// Each of `words` with each of `ways` behind it.
fn product(words: &mut Words, mut ways: Words) -> Result<(), Bound> {
    if ways.len() == 1 {
        let way = ways.pop().unwrap_or_default();
        check(words.len(), words.len() * way.len())?;
        for word in words {
            word.extend_from_slice(&way);
        }
        return Ok(());
    }
    let units = |words: &Words| words.iter().map(Vec::len).sum::<usize>();
    let total = units(words).saturating_mul(ways.len()).saturating_add(units(&ways).saturating_mul(words.len()));
    check(words.len().saturating_mul(ways.len()), total)?;
    let mut all = Vec::with_capacity(words.len() * ways.len());
    for word in words.iter() {
        for way in &ways {
            let mut long = Vec::with_capacity(word.len() + way.len());
            long.extend_from_slice(word);
            long.extend_from_slice(way);
            all.push(long);
        }
    }
    *words = all;
    Ok(())
}

fn check(results: usize, units: usize) -> Result<(), Bound> {
    if results > RESULTS || results > 1 && units > UNITS {
        return Err(Bound::Braces);
    }
    Ok(())
}

struct Sequence {
    from: i64,
    to: i64,
    by: i64,
    letters: bool,
    /// Digits to fill up with zeros, sign included.
    width: usize,
}

impl Sequence {
    fn of(text: &str) -> Option<Self> {
        let (left, right) = text.split_once("..")?;
        let (right, by) = match right.split_once("..") {
            Some((right, by)) => (right, by.parse::<i64>().ok()?),
            None => (right, 1),
        };
        if let (Some(from), Some(to)) = (letter(left), letter(right)) {
            return Some(Self { from, to, by, letters: true, width: 0 });
        }
        let (from, to) = (number(left)?, number(right)?);
        let zeros = |side: &str| {
            let digits = side.strip_prefix('-').unwrap_or(side);
            digits.len() > 1 && digits.starts_with('0')
        };
        let width = if zeros(left) || zeros(right) { left.len().max(right.len()) } else { 0 };
        Some(Self { from, to, by, letters: false, width })
    }

    fn values(&self) -> Result<Vec<String>, Bound> {
        let step = self.by.unsigned_abs().max(1);
        let count = self.from.abs_diff(self.to) / step;
        if count >= RESULTS as u64 {
            return Err(Bound::Braces);
        }
        let mut values = Vec::with_capacity(count as usize + 1);
        for n in 0..=count {
            let away = i128::from(n) * i128::from(step);
            let value = if self.to >= self.from { i128::from(self.from) + away } else { i128::from(self.from) - away };
            values.push(if self.letters {
                match u8::try_from(value).unwrap_or_default() {
                    // Bash reads the sequence as source text, so this one quotes nothing.
                    b'\\' => String::new(),
                    byte => char::from(byte).to_string(),
                }
            } else if value < 0 {
                format!("-{:0>width$}", -value, width = self.width.saturating_sub(1))
            } else {
                format!("{value:0>width$}", width = self.width)
            });
        }
        Ok(values)
    }
}

fn letter(text: &str) -> Option<i64> {
    match text.as_bytes() {
        [byte] if byte.is_ascii_alphabetic() => Some(i64::from(*byte)),
        _ => None,
    }
}

fn number(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// A tilde that an expansion brought to the front is a home folder.
fn find_tilde(source: &str, units: &mut Vec<Unit>) {
    let Some(Unit::Piece(piece)) = units.first() else {
        return;
    };
    let piece = *piece;
    let text = piece.span.text(source);
    if !matches!(piece.kind, PieceKind::Text) || piece.quoted || !text.starts_with('~') {
        return;
    }
    let length = text.find('/').unwrap_or(text.len());
    let slash = |unit: Option<&Unit>| match unit {
        None => true,
        Some(Unit::Piece(next)) => !next.quoted && next.span.text(source).starts_with('/'),
        Some(Unit::Made(_)) => false,
    };
    if length == text.len() && !slash(units.get(1)) {
        return;
    }
    let end = piece.span.start + length as u32;
    let tilde = Piece { kind: PieceKind::Tilde, span: Span { start: piece.span.start, end }, ..piece };
    let rest = Piece { span: Span { start: end, end: piece.span.end }, ..piece };
    units.splice(0..1, [Unit::Piece(tilde)].into_iter().chain((end < piece.span.end).then_some(Unit::Piece(rest))));
}

#[cfg(test)]
mod tests;
