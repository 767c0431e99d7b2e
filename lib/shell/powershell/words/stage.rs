//! One stage of a pipeline: a command, an expression or a control statement.

use super::super::super::dynamic::Dynamic;
use super::super::super::growth::add;
use super::super::super::part::Arg;
use super::{DEEPEST, Group, MOST_VALUES, Method, Reader, Redirect, Stage, What, Word, counts, is_name};

impl Reader<'_> {
    /// The bare word that comes next, in lower case.
    pub(super) fn bare(&self) -> String {
        let word = self.rest().bytes().take(24).take_while(|byte| is_name(*byte));
        word.map(|byte| char::from(byte.to_ascii_lowercase())).collect()
    }

    fn keyword(&self) -> Option<(usize, &'static str, &'static str)> {
        let word = self.bare();
        let (name, label) = KEYWORDS.iter().find(|(name, _)| *name == word)?;
        // `foreach` is an alias too; the statement has its bracket.
        let next = self.rest().get(word.len()..)?.trim_start();
        let fits = match *name {
            "else" | "do" | "try" | "finally" | "begin" | "process" | "end" => next.starts_with(['{', 'i']),
            "catch" | "trap" => next.starts_with(['{', '[']),
            "function" | "filter" => true,
            "switch" => next.starts_with(['(', '-']),
            _ => next.starts_with('('),
        };
        fits.then_some((word.len(), *name, *label))
    }

    pub(super) fn stage(&mut self) -> Stage {
        if !counts(&mut self.stages) {
            self.cut();
        }
        let outer = std::mem::take(&mut self.groups);
        let calls = std::mem::take(&mut self.calls);
        let from = self.at;
        let mut stage = match self.bare().as_str() {
            // What they give back is read like any statement.
            word @ ("return" | "throw" | "exit")
                if !self.rest().get(word.len()..).is_some_and(|next| next.starts_with('-')) =>
            {
                self.at += word.len();
                self.blanks(false);
                self.simple()
            }
            _ if self.keyword().is_some() => self.control(),
            _ => self.simple(),
        };
        stage.groups = std::mem::replace(&mut self.groups, outer);
        stage.calls.append(&mut self.calls);
        self.calls = calls;
        stage.span = [from, self.at];
        stage
    }

    pub(super) fn control(&mut self) -> Stage {
        let mut label = String::new();
        // What a loop runs over counts in its block.
        let mut over = usize::MAX;
        while let Some((length, name, word)) = self.keyword() {
            self.at += length;
            if label.is_empty() {
                label = word.to_owned();
            }
            self.blanks(true);
            if word == "func" {
                let end = self.rest().find([' ', '\t', '\r', '\n', '(', '{']).unwrap_or(self.rest().len());
                label = format!("func {}", self.rest().get(..end).unwrap_or_default());
                self.at += end;
                self.blanks(true);
            }
            loop {
                match self.byte() {
                    Some(b'(') => {
                        self.at += 1;
                        let element = if name == "foreach" { self.element() } else { None };
                        let list = self.group(b')', false, false);
                        if let Some(element) = element {
                            over = self.lists.len();
                            self.over(element, list);
                        }
                        self.blanks(true);
                        if self.byte() != Some(b'{') {
                            break;
                        }
                    }
                    Some(b'{') => {
                        self.at += 1;
                        self.group(b'}', true, false);
                        self.lists.truncate(over);
                        self.blanks(false);
                        break;
                    }
                    Some(b'[' | b'-') => {
                        let end = self.rest().find([' ', '\t', '\n', '{', '(']).unwrap_or(self.rest().len());
                        self.at += end.max(1);
                        self.blanks(true);
                    }
                    _ => break,
                }
            }
        }
        Stage { what: What::Control(label), ..Stage::default() }
    }

    /// Puts down what the variable of a loop holds in turn, if that is a written list.
    fn over(&mut self, name: String, list: usize) {
        if let Some(values) = self.groups.get(list).and_then(Group::written).filter(|list| list.len() <= MOST_VALUES) {
            let values = values.to_vec();
            self.lists.push((name, values));
        }
    }

    /// `$x in` of a loop.
    fn element(&mut self) -> Option<String> {
        self.blanks(true);
        let from = self.at;
        if self.eat("$") {
            let name = self.bare();
            self.at += name.len();
            self.blanks(true);
            if self.bare() == "in" {
                self.at += 2;
                self.variables.retain(|(known, _)| *known != name);
                return Some(name);
            }
        }
        self.at = from;
        None
    }

    /// What stands up to `close`, the opening bracket being passed; gives its number.
    pub(super) fn group(&mut self, close: u8, block: bool, table: bool) -> usize {
        if self.depth >= DEEPEST {
            self.broken = Some("bound: nesting");
            self.at = self.text.len();
            return self.groups.len();
        }
        self.depth += 1;
        let outer = std::mem::take(&mut self.groups);
        let body = self.list(Some(close), table);
        self.groups = outer;
        self.depth -= 1;
        add(&mut self.groups, Group { block, body });
        self.groups.len() - 1
    }

    fn simple(&mut self) -> Stage {
        let mut stage = Stage::default();
        if self.byte() == Some(b'&') || (self.byte() == Some(b'.') && matches!(self.ahead(1), Some(b' ' | b'\t'))) {
            self.at += 1;
            self.blanks(false);
            self.arguments(&mut stage);
            return stage;
        }
        let letters = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let command = match self.byte() {
            Some(b'0'..=b'9') => self.ahead(letters).is_some_and(|byte| byte.is_ascii_alphabetic()),
            Some(b'.' | b'\\' | b'/' | b'~' | b'%' | b'?' | b'_' | b'`' | b'*') => true,
            Some(byte) => byte.is_ascii_alphabetic() || byte >= 0x80,
            None => false,
        };
        if command {
            self.arguments(&mut stage);
        } else {
            stage.what = What::Expression;
            stage.plain = true;
            self.expression(&mut stage);
        }
        stage
    }

    /// Whether a statement ends here.
    pub(super) fn ends(&self) -> bool {
        matches!(self.byte(), None | Some(b'\n' | b';' | b'|' | b')' | b'}' | b'&'))
    }

    fn redirect(&mut self, stage: &mut Stage) -> bool {
        let (stream, skip) = match (self.byte(), self.ahead(1)) {
            (Some(b'>'), _) => (1, 0),
            (Some(digit @ b'1'..=b'6'), Some(b'>')) => (u32::from(digit - b'0'), 1),
            (Some(b'*'), Some(b'>')) => (0, 1),
            _ => return false,
        };
        self.at += skip + 1;
        let appends = self.eat(">");
        if self.eat("&") {
            self.at += 1;
            return true;
        }
        self.blanks(false);
        let target = self.word();
        let op = match (stream, appends) {
            (0, false) => "&>",
            (0, true) => "&>>",
            (_, false) => ">",
            (_, true) => ">>",
        };
        add(&mut stage.redirects, Redirect { op, stream: stream.max(1), target });
        true
    }

    pub(super) fn arguments(&mut self, stage: &mut Stage) {
        loop {
            self.blanks(false);
            if self.ends() {
                return;
            }
            if self.redirect(stage) {
                continue;
            }
            if !stage.words.is_empty() && self.eat("--%") {
                // Everything up to the end of the line or a pipe stands for itself.
                let end = self.rest().find(['\n', '|']).unwrap_or(self.rest().len());
                for word in self.rest().get(..end).unwrap_or_default().split_ascii_whitespace() {
                    let items = vec![Arg::literal(word.trim_matches('"'))];
                    stage.words.push(Word { items, quoted: true, span: [self.at, self.at + end], ..Word::default() });
                }
                self.at += end;
                continue;
            }
            let from = self.at;
            let word = self.list_word();
            if self.at == from {
                self.at += 1;
                while !self.text.is_char_boundary(self.at) {
                    self.at += 1;
                }
                continue;
            }
            add(&mut stage.words, word);
        }
    }

    /// `a, b`
    fn list_word(&mut self) -> Word {
        let mut word = self.word();
        loop {
            let end = self.at;
            self.blanks(false);
            if self.byte() != Some(b',') {
                self.at = end;
                return word;
            }
            self.at += 1;
            self.blanks(true);
            let next = self.word();
            next.items.into_iter().for_each(|item| add(&mut word.items, item));
            word.groups.extend(next.groups);
            word.item &= next.item;
            word.span[1] = self.at;
        }
    }

    /// Everything of a value up to the end of its statement.
    pub(super) fn expression(&mut self, stage: &mut Stage) {
        let mut member = String::new();
        loop {
            let before = self.at;
            self.blanks(false);
            if self.at > before {
                member.clear();
            }
            if self.ends() {
                return;
            }
            if self.byte() == Some(b'>') && self.redirect(stage) {
                continue;
            }
            match self.byte() {
                Some(b'(') if member.contains('.') || member.contains("::") => {
                    self.at += 1;
                    stage.plain = false;
                    let args = self.method_arguments();
                    stage.calls.push(Method { name: std::mem::take(&mut member).to_ascii_lowercase(), args });
                    continue;
                }
                Some(b'[') => {
                    let end = self.rest().find(']').map_or(self.rest().len(), |end| end + 1);
                    member = self.rest().get(..end).unwrap_or_default().to_owned();
                    self.at += end;
                    stage.plain = false;
                    continue;
                }
                Some(b':') if self.starts("::") => {
                    self.at += 2;
                    let name = self.bare();
                    self.at += name.len();
                    member = format!("{member}::{name}");
                    continue;
                }
                Some(b'.') if self.ahead(1).is_some_and(|byte| byte.is_ascii_alphabetic()) => {
                    self.at += 1;
                    let name = self.bare();
                    self.at += name.len();
                    member = format!(".{name}");
                    stage.plain = false;
                    continue;
                }
                _ => {}
            }
            let from = self.at;
            let first = self.byte();
            let word = self.list_word();
            if self.at == from {
                self.at += 1;
                while !self.text.is_char_boundary(self.at) {
                    self.at += 1;
                }
                stage.plain = false;
                continue;
            }
            stage.plain &= matches!(first, Some(b'\'' | b'"' | b'$' | b'@')) && stage.words.is_empty();
            add(&mut stage.words, word);
        }
    }

    pub(super) fn method_arguments(&mut self) -> Vec<Arg> {
        let mut args: Vec<Arg> = Vec::new();
        if self.depth >= DEEPEST {
            self.broken = Some("bound: nesting");
            self.at = self.text.len();
            return args;
        }
        self.depth += 1;
        self.listed_arguments(&mut args);
        self.depth -= 1;
        args
    }

    fn listed_arguments(&mut self, args: &mut Vec<Arg>) {
        let mut fresh = true;
        loop {
            self.blanks(true);
            match self.byte() {
                None => return,
                Some(b')') => {
                    self.at += 1;
                    return;
                }
                Some(b',') => {
                    self.at += 1;
                    fresh = true;
                    continue;
                }
                _ => {}
            }
            if self.byte() == Some(b'[') && fresh {
                // A method of a class: what it gives is unknown, what it does is not.
                let mut value = Stage::default();
                self.expression(&mut value);
                value.calls.into_iter().for_each(|call| add(&mut self.calls, call));
                add(args, Arg { text: "«sub»".into(), dynamic: Dynamic::Sub.into() });
                let further = value.words.into_iter().flat_map(|word| word.items).skip(1);
                further.for_each(|arg| add(args, arg));
                fresh = false;
                continue;
            }
            let from = self.at;
            let word = self.word();
            if self.at == from {
                self.at += 1;
                while !self.text.is_char_boundary(self.at) {
                    self.at += 1;
                }
            }
            match args.last_mut() {
                Some(last) if !fresh => *last = Arg { text: "«sub»".into(), dynamic: Dynamic::Sub.into() },
                _ if word.each => add(args, Arg { text: "«var»".into(), dynamic: Dynamic::Var.into() }),
                _ => add(args, word.items.into_iter().next().unwrap_or_default()),
            }
            fresh = false;
        }
    }
}

const KEYWORDS: &[(&str, &str)] = &[
    ("if", "if"),
    ("elseif", "if"),
    ("else", "if"),
    ("foreach", "for"),
    ("for", "for"),
    ("while", "while"),
    ("do", "while"),
    ("until", "while"),
    ("switch", "case"),
    ("try", "try"),
    ("catch", "try"),
    ("finally", "try"),
    ("trap", "try"),
    ("function", "func"),
    ("filter", "func"),
    ("param", "param"),
    ("begin", ""),
    ("process", ""),
    ("end", ""),
];
