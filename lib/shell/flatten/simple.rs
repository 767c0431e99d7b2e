//! Simple commands: their part, what their words hold, what they run, what they change.

use super::super::ast::{Bound, Command, Fd, Piece, PieceKind, Redirect, RedirectOp, Run, Variable, Word};
use super::super::braces::{self, Unit};
use super::super::dynamic::Dynamic;
use super::super::part::{Arg, Part, Redir, RedirFd};
use super::super::unwrap;
use super::state::Braces;
use super::vars::Value;
use super::{Walk, head};
use ecow::EcoString;
use smallvec::SmallVec;
use thin_vec::ThinVec;

/// Most words of brace expansion in one call.
const MOST_BRACES: usize = 10_000;
/// Most bytes of brace expansion in one call.
const MOST_BRACE_BYTES: usize = 1024 * 1024;

/// Where words stand; those of most commands fit in without allocating.
type Spans = SmallVec<[[u32; 2]; 8]>;

/// The words of a command in the making.
#[derive(Default)]
pub(super) struct Words {
    pub(super) argv: ThinVec<Arg>,
    spans: Spans,
    pub(super) known: Option<(ThinVec<Arg>, Spans)>,
}

impl Words {
    /// Adds a word; `fields` is what it becomes with certain values put in.
    fn add(&mut self, arg: Arg, fields: Option<Vec<Arg>>, span: [u32; 2]) {
        if fields.is_some() && self.known.is_none() {
            self.known = Some((self.argv.clone(), self.spans.clone()));
        }
        if let Some((known, spans)) = &mut self.known {
            match fields {
                Some(fields) => known.extend(fields),
                None => known.push(arg.clone()),
            }
            spans.resize(known.len(), span);
        }
        self.argv.push(arg);
        self.spans.push(span);
    }
}

impl<'t> Walk<'t, '_> {
    pub(super) fn simple(&mut self, command: &Command, assigns: Run<Word>, words: Run<Word>) {
        let assigns = self.words(assigns);
        let words = self.words(words);
        let redirects = self.script.redirects.get(command.redirects.range()).unwrap_or_default();
        if assigns.is_empty() && words.is_empty() && redirects.is_empty() {
            return;
        }
        let room = (ThinVec::with_capacity(words.len()), Spans::with_capacity(words.len()));
        let mut made = Words { argv: room.0, spans: room.1, known: None };
        let declares = self.declares(words);
        for (number, word) in words.iter().enumerate() {
            if declares && number > 0 && !word.braces() && self.assignment(word).is_some() {
                self.add_whole(word, &mut made);
            } else {
                self.add_word(word, &mut made);
            }
        }
        let (known, spans) = match made.known {
            Some((known, spans)) => (Some(known), spans),
            None => (None, made.spans),
        };
        let assign = assigns.iter().map(|word| self.arg(word)).collect();
        let redirs = redirects.iter().map(|redirect| self.redirect(redirect)).collect();
        let known = match words.first().filter(|word| self.names_a_shell(word)) {
            Some(_) => {
                let mut words = known.unwrap_or_else(|| made.argv.clone());
                if let Some(first) = words.first_mut() {
                    *first = Arg::literal("sh");
                }
                Some(words)
            }
            None => known,
        };
        let first = known.as_ref().unwrap_or(&made.argv).first();
        let head = EcoString::from(head(first));
        if head.is_empty()
            && let Some(first) = first
            && !first.dynamic.is_empty()
        {
            let from = unwrap::source_of(first);
            self.out.doubt(format!("command from {from}"));
        }
        let part = Part {
            head,
            argv: made.argv,
            assign,
            redirs,
            known,
            span: [command.span.start, command.span.end],
            ..Part::default()
        };
        let Some(n) = self.out.push(part) else { return };
        self.at = command.span.end;
        self.opens(redirects);
        for word in assigns.iter().chain(words) {
            self.nested(word, Some(n));
        }
        for redirect in redirects {
            self.nested(&redirect.target, Some(n));
        }
        if words.is_empty() {
            self.assigned(assigns);
            return;
        }
        // `D=x cmd` is seen by the command only.
        let mut noted = Vec::new();
        for word in assigns {
            let Some((name, value)) = self.temporary(word) else { continue };
            noted.push((name, self.out.state.vars.noted(name)));
            self.out.state.vars.assign(name, value);
            self.out.state.vars.export(name, true);
        }
        if !self.calls(n, words, &spans) {
            self.runs(n, &spans);
            self.leaves(n);
            if declares {
                self.arrays(words);
            }
        }
        for (name, noted) in noted.into_iter().rev() {
            self.out.state.vars.restore(name, noted);
        }
    }

    /// Adds an assignment in the arguments of `export` and the like: it is not split.
    fn add_whole(&mut self, word: &Word, made: &mut Words) {
        let arg = self.arg(word);
        let value = (!arg.dynamic.is_empty()).then(|| self.value(word)).filter(|value| *value != arg);
        made.add(arg, value.map(|value| vec![value]), [word.span.start, word.span.end]);
    }

    /// `$SHELL`, `${BASH}`: whichever it is, it reads as a shell.
    fn names_a_shell(&self, word: &Word) -> bool {
        let text = self.source(word.span).trim_matches('"');
        let name = text.strip_prefix('$').unwrap_or_default();
        let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
        matches!(name, "SHELL" | "BASH") && self.out.state.vars.value(name) == Value::Untouched
    }

    /// Adds what a word expands to.
    pub(super) fn add_word(&mut self, word: &Word, made: &mut Words) {
        let span = [word.span.start, word.span.end];
        if let (Some(piece), true) = (word.whole(), self.out.marks.is_empty()) {
            made.add(Arg::literal(self.source(piece.span)), None, span);
            return;
        }
        let open = self.may_be_known(word);
        if word.braces() && self.pieces(word).iter().any(|piece| self.ends_early(piece)) {
            let mut arg = self.arg(word);
            arg.mark(Dynamic::Var);
            made.add(arg, None, span);
            return;
        }
        if word.braces() && self.out.state.braces == Braces::Either {
            self.out.doubt("braces may be text");
        }
        if word.braces()
            && self.out.state.braces != Braces::Text
            && let Some(results) = self.braces(word)
        {
            for units in results {
                let arg = self.arg_of(&units);
                let mut fields = Vec::new();
                let known = open && self.fields_of(&units, &mut fields);
                made.add(arg, known.then_some(fields), span);
            }
            return;
        }
        let mut arg = self.arg(word);
        let mut fields = Vec::new();
        if open && self.pieces(word).iter().any(|piece| self.splits_quotes(piece)) {
            arg.mark(Dynamic::Var);
            made.add(arg, None, span);
            return;
        }
        let known = open && self.fields(word, &mut fields);
        made.add(arg, known.then_some(fields), span);
    }

    /// `${x:-{a,b}{c,d}}`: an expansion that ends at the first brace, where brace expansion, which
    /// comes first, sees another end.
    fn ends_early(&self, piece: &Piece) -> bool {
        let text = self.source(piece.span);
        matches!(piece.kind, PieceKind::Variable(_)) && text.matches('{').count() > text.matches('}').count()
    }

    /// `"${x:-"{a,b}"}"` and the same between backquotes: to brace expansion, which comes first, the quotes end inside, and there may
    /// be two words.
    fn splits_quotes(&self, piece: &Piece) -> bool {
        let inner = self.source(piece.span);
        let split = match piece.kind {
            PieceKind::Variable(_) => true,
            PieceKind::Substitution { .. } => inner.starts_with('`'),
            _ => false,
        };
        if !piece.quoted || !split {
            return false;
        }
        let inner = inner.get(2..).unwrap_or_default();
        // `"${x:-$'}'}"`: what is decoded is read again, and ends it.
        let ends = inner.contains("$'") && inner.strip_suffix('}').is_some_and(|inner| inner.contains(['}', '\\']));
        ends || inner.contains('"') && inner.contains('{') && (inner.contains(',') || inner.contains(".."))
    }

    /// The results of brace expansion, as long as all of the call stay within bounds.
    fn braces(&mut self, word: &Word) -> Option<Vec<Vec<Unit>>> {
        let most = (self.out.brace_words <= MOST_BRACES, self.out.brace_bytes <= MOST_BRACE_BYTES);
        let results = match most {
            (true, true) => braces::expand(self.text, self.script, *word),
            _ => Err(Bound::Braces),
        };
        match results {
            Ok(results) => {
                self.out.brace_words += results.len();
                let length = (word.span.end - word.span.start) as usize;
                self.out.brace_bytes += if results.len() > 1 { results.len() * length } else { 0 };
                if self.out.brace_bytes > MOST_BRACE_BYTES {
                    self.out.bound(Bound::Braces);
                    return None;
                }
                Some(results)
            }
            Err(bound) => {
                self.out.bound(bound);
                None
            }
        }
    }

    /// What a redirect does, as the part holds it.
    pub(super) fn redirect(&mut self, redirect: &Redirect) -> Redir {
        use RedirectOp::{
            Append, Both, BothAppend, Clobber, DupIn, DupOut, HereString, Heredoc, HeredocTabs, Read, ReadWrite, Write,
        };
        let (op, fd) = match redirect.op {
            Read => ("<", 0),
            Write => (">", 1),
            Append => (">>", 1),
            Clobber => (">|", 1),
            ReadWrite => ("<>", 0),
            DupIn => ("<&", 0),
            DupOut => (">&", 1),
            Both => ("&>", 1),
            BothAppend => ("&>>", 1),
            Heredoc | HeredocTabs => ("<<", 0),
            HereString => ("<<<", 0),
        };
        let fd = match redirect.fd {
            Fd::Default => RedirFd::Number(fd),
            Fd::Number(number) => RedirFd::Number(number),
            Fd::Named(span) => RedirFd::Named(self.source(span).into()),
        };
        let target = self.arg(&redirect.target);
        let known = match redirect.op {
            DupIn => None,
            _ if target.dynamic.is_empty() => None,
            Heredoc | HeredocTabs | HereString => {
                let known = self.may_be_known(&redirect.target);
                known.then(|| self.value(&redirect.target)).filter(|value| *value != target)
            }
            _ => {
                let mut fields = Vec::new();
                let found = self.fields(&redirect.target, &mut fields) && fields.len() == 1;
                found.then(|| fields.pop()).flatten()
            }
        };
        Redir { fd, op: op.into(), target, known }
    }

    /// `{fd}>a` puts a number above 9 into `fd`: which one does not matter.
    fn opens(&mut self, redirects: &[Redirect]) {
        for redirect in redirects {
            if let Fd::Named(name) = redirect.fd {
                let name = self.source(name).trim_matches(['{', '}']).to_owned();
                self.out.state.vars.assign(&name, Some(Arg::literal("10")));
            }
        }
    }

    /// Walks the programs that stand inside a word.
    pub(super) fn nested(&mut self, word: &Word, inside: Option<u32>) {
        if word.whole().is_some() {
            return;
        }
        for piece in self.pieces(word).iter() {
            self.nested_piece(piece, inside);
        }
    }

    fn nested_piece(&mut self, piece: &Piece, inside: Option<u32>) {
        match piece.kind {
            PieceKind::Substitution { list } => {
                self.aside("cmdsub", inside, |walk| walk.list(list));
            }
            PieceKind::Process { list, output } => {
                let from = if output { inside.into_iter().collect() } else { Vec::new() };
                let from = std::mem::replace(&mut self.out.from, from.into());
                self.aside("procsub", inside, |walk| walk.list(list));
                self.out.from = from;
            }
            PieceKind::Variable(number) => {
                let Variable { op, words, .. } = self.script.variable(number);
                if matches!(self.source(op), "=" | ":=") {
                    self.defaulted(self.script.variable(number));
                }
                for word in self.words(words) {
                    self.nested(word, inside);
                }
            }
            PieceKind::Arithmetic { words } => {
                self.computes(self.source(piece.span), words);
                for word in self.words(words) {
                    self.nested(word, inside);
                }
            }
            PieceKind::Array { words } => {
                for word in self.words(words) {
                    self.nested(word, inside);
                }
            }
            _ => {}
        }
    }
}
