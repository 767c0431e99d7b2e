//! Single words: quotes, escapes, variables, and what stands in brackets in them.

use super::super::super::dynamic::{Dynamic, Dynamics};
use super::super::super::growth::add;
use super::super::super::part::Arg;
use super::{EACH, Group, Method, Pipeline, Reader, Stage, What, Word, counts, is_name};

impl Reader<'_> {
    /// One word.
    pub(super) fn word(&mut self) -> Word {
        if !counts(&mut self.words) {
            self.cut();
        }
        let from = self.at;
        let outer = self.each.take();
        let mut arg = Arg::default();
        let mut out = Word { quoted: matches!(self.byte(), Some(b'\'' | b'"')), ..Word::default() };
        if self.here_string(&mut arg, &mut out.groups) {
            out.quoted = true;
        } else {
            self.pieces(from, &mut arg, &mut out);
        }
        if !self.marks.is_empty() && arg.text.contains('«') {
            arg.mark_all(self.marks);
        }
        match self.each.take().filter(|_| arg.text.contains(EACH)) {
            // As many words more as there are values.
            Some(values) if values.len() > self.words => {
                self.words = 0;
                let kind = Dynamic::Var;
                add(
                    &mut out.items,
                    Arg { text: arg.text.replace(EACH, "«var»"), dynamic: arg.dynamic.with(kind.into()) },
                );
            }
            Some(values) => out.items.extend(values.iter().map(|value| {
                let mut item = Arg { text: arg.text.replace(EACH, &value.text), dynamic: arg.dynamic };
                item.mark_all(value.dynamic);
                item
            })),
            None => add(&mut out.items, arg),
        }
        out.each = out.items.len() > 1;
        self.words -= out.items.len().saturating_sub(1).min(self.words);
        self.each = outer;
        out.span = [from, self.at];
        out
    }

    fn pieces(&mut self, from: usize, arg: &mut Arg, out: &mut Word) {
        while let Some(byte) = self.byte() {
            let first = self.at == from;
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'|' | b')' | b'}' | b',' | b'&' => return,
                b'\'' => self.single(arg),
                b'"' => self.double(arg, &mut out.groups),
                b'(' if first => {
                    self.at += 1;
                    let number = self.group(b')', false, false);
                    match self.groups.get(number).and_then(joined) {
                        Some(path) => *arg = path,
                        None => unknown(arg, Dynamic::Sub),
                    }
                    add(&mut out.groups, number);
                    self.members(arg);
                }
                b'{' if first => {
                    self.at += 1;
                    add(&mut out.groups, self.group(b'}', true, false));
                    arg.text.push_str("{}");
                    return;
                }
                b'(' | b'{' => return,
                b'@' if first => match self.ahead(1) {
                    Some(open @ (b'(' | b'{')) => {
                        self.at += 2;
                        let close = if open == b'(' { b')' } else { b'}' };
                        let number = self.group(close, false, open == b'{');
                        match self.groups.get(number).and_then(Group::written).filter(|_| open == b'(') {
                            Some(list) => self.each = Some(list.to_vec()),
                            None => unknown(arg, Dynamic::Sub),
                        }
                        if self.each.is_some() {
                            arg.text.push_str(EACH);
                        }
                        add(&mut out.groups, number);
                        return;
                    }
                    Some(byte) if is_name(byte) => {
                        self.at += 1;
                        self.at += self.rest().bytes().take_while(|byte| is_name(*byte)).count();
                        unknown(arg, Dynamic::Var);
                        return;
                    }
                    _ => self.letter(arg),
                },
                b'$' => {
                    let alone = arg.text.is_empty();
                    let item = self.variable(arg, &mut out.groups);
                    self.members(arg);
                    out.item = item && alone && self.ends_word();
                }
                b'`' => self.escape(arg),
                b'~' if first
                    && matches!(
                        self.ahead(1),
                        None | Some(b'/' | b'\\' | b' ' | b';' | b'\n' | b'|' | b')' | b'}')
                    ) =>
                {
                    arg.dynamic.insert(Dynamic::Tilde);
                    self.letter(arg);
                }
                _ => self.letter(arg),
            }
        }
    }

    fn ends_word(&self) -> bool {
        matches!(self.byte(), None | Some(b' ' | b'\t' | b'\r' | b'\n' | b';' | b'|' | b')' | b'}' | b','))
    }

    fn letter(&mut self, arg: &mut Arg) {
        if let Some(letter) = self.rest().chars().next() {
            arg.text.push(letter);
            self.at += letter.len_utf8();
        } else {
            self.at += 1;
        }
    }

    fn escape(&mut self, arg: &mut Arg) {
        self.at += 1;
        match self.byte() {
            Some(b'n') => arg.text.push('\n'),
            Some(b't') => arg.text.push('\t'),
            Some(b'r') => arg.text.push('\r'),
            Some(b'0') => arg.text.push('\0'),
            Some(b'\n') | None => {}
            Some(_) => return self.letter(arg),
        }
        self.at += 1;
    }

    fn single(&mut self, arg: &mut Arg) {
        self.at += 1;
        loop {
            let Some(end) = self.rest().find('\'') else {
                self.broken.get_or_insert("a quote that is not closed");
                arg.text.push_str(self.rest());
                self.at = self.text.len();
                return;
            };
            arg.text.push_str(self.rest().get(..end).unwrap_or_default());
            self.at += end + 1;
            if !self.eat("'") {
                return;
            }
            arg.text.push('\'');
        }
    }

    fn double(&mut self, arg: &mut Arg, groups: &mut Vec<usize>) {
        self.at += 1;
        while let Some(byte) = self.byte() {
            match byte {
                b'"' if self.ahead(1) == Some(b'"') => {
                    arg.text.push('"');
                    self.at += 2;
                }
                b'"' => {
                    self.at += 1;
                    return;
                }
                b'$' => {
                    self.variable(arg, groups);
                }
                b'`' => self.escape(arg),
                _ => self.letter(arg),
            }
        }
        self.broken.get_or_insert("a quote that is not closed");
    }

    /// `@'` … `'@`
    fn here_string(&mut self, arg: &mut Arg, groups: &mut Vec<usize>) -> bool {
        let (quote, close) = match (self.byte(), self.ahead(1)) {
            (Some(b'@'), Some(b'\'')) => (b'\'', "\n'@"),
            (Some(b'@'), Some(b'"')) => (b'"', "\n\"@"),
            _ => return false,
        };
        let Some(line) = self.rest().find('\n') else { return false };
        if !self.rest().get(2..line).is_some_and(|after| after.trim().is_empty()) {
            return false;
        }
        self.at += line + 1;
        // An empty body begins with the closing line.
        let length = match self.rest().strip_prefix(close.trim_start()) {
            Some(_) => Some(0),
            None => self.rest().find(close),
        };
        let Some(length) = length else {
            self.broken.get_or_insert("a quote that is not closed");
            self.at = self.text.len();
            return true;
        };
        let end = self.at + length;
        while self.at < end {
            match self.byte() {
                Some(b'$') if quote == b'"' => {
                    self.variable(arg, groups);
                }
                Some(b'`') if quote == b'"' => self.escape(arg),
                _ => self.letter(arg),
            }
        }
        if length > 0 {
            self.at += 1;
        }
        self.at += 2;
        true
    }

    /// `$x`, `${x}`, `$env:X`, `$( … )`; whether it is the object of the pipeline.
    fn variable(&mut self, arg: &mut Arg, groups: &mut Vec<usize>) -> bool {
        self.at += 1;
        let name = match self.byte() {
            Some(b'(') => {
                self.at += 1;
                groups.push(self.group(b')', false, false));
                unknown(arg, Dynamic::Sub);
                return false;
            }
            Some(b'{') => {
                let end = self.rest().find('}').unwrap_or(self.rest().len());
                let name = self.rest().get(1..end).unwrap_or_default().to_owned();
                self.at = (self.at + end + 1).min(self.text.len());
                name
            }
            Some(b'$' | b'?' | b'^') => {
                self.at += 1;
                "?".to_owned()
            }
            _ => {
                let bytes = self.rest().as_bytes();
                let mut length = 0;
                while let Some(byte) = bytes.get(length) {
                    // `$a:` ends a name unless more of it follows.
                    let scope = *byte == b':' && bytes.get(length + 1).is_some_and(|next| is_name(*next));
                    if !is_name(*byte) && !scope {
                        break;
                    }
                    length += 1;
                }
                let name = self.rest().get(..length).unwrap_or_default().to_owned();
                self.at += length;
                name
            }
        };
        if name.is_empty() {
            arg.text.push('$');
            return false;
        }
        let name = name.to_ascii_lowercase();
        let name = ["global:", "script:", "local:", "private:"]
            .iter()
            .find_map(|scope| name.strip_prefix(scope))
            .unwrap_or(&name);
        let first = arg.text.is_empty();
        let known = match name {
            "true" | "false" | "null" => {
                arg.text.push('$');
                arg.text.push_str(name);
                return false;
            }
            "home" | "env:home" | "env:userprofile" if first => {
                Some(Arg { text: "$HOME".into(), dynamic: Dynamic::Tilde.into() })
            }
            // As in a shell: which folder it is, nobody knows; that what is in it may go, everybody does.
            "env:temp" | "env:tmp" | "env:tmpdir" if first => {
                Some(Arg { text: "/tmp".into(), dynamic: Dynamic::Var.into() })
            }
            "pwd" if first => Some(Arg { text: "$PWD".into(), dynamic: Dynamic::Tilde.into() }),
            _ => self.variables.iter().find(|(known, _)| known == name).and_then(|(_, value)| value.clone()),
        };
        if let Some((_, values)) = self.lists.iter().rev().find(|(known, _)| known == name)
            && self.each.is_none()
        {
            self.each = Some(values.clone());
            arg.text.push_str(EACH);
            return false;
        }
        match known {
            Some(value) if first || value.dynamic.is_empty() => {
                arg.text.push_str(&value.text);
                arg.mark_all(value.dynamic);
            }
            _ => unknown(arg, Dynamic::Var),
        }
        matches!(name, "_" | "psitem")
    }

    /// `.FullName`, `[0]`, `.Method( … )` behind a value.
    fn members(&mut self, arg: &mut Arg) {
        let mut member = String::new();
        loop {
            match (self.byte(), self.ahead(1)) {
                (Some(b'.'), Some(byte)) if byte.is_ascii_alphabetic() => {
                    // A name with a file ending is no member: `$dir.txt` is written `"$dir.txt"`.
                    self.at += 1;
                    member = format!(".{}", self.bare());
                    self.at += self.rest().bytes().take_while(|byte| is_name(*byte)).count();
                    vague(arg);
                }
                (Some(b'['), _) => {
                    let end = self.rest().find(']').map_or(self.rest().len(), |end| end + 1);
                    self.at += end;
                    vague(arg);
                }
                (Some(b'('), _) if !member.is_empty() => {
                    self.at += 1;
                    let args = self.method_arguments();
                    self.calls.push(Method { name: std::mem::take(&mut member), args });
                    vague(arg);
                }
                _ => return,
            }
        }
    }
}

/// The path that `(Join-Path a b)` gives.
fn joined(group: &Group) -> Option<Arg> {
    let [Pipeline { stages, .. }] = group.body.as_slice() else { return None };
    let [Stage { what: What::Command, words, .. }] = stages.as_slice() else { return None };
    let (command, words) = words.split_first()?;
    let [command] = command.items.as_slice() else { return None };
    if !command.text.eq_ignore_ascii_case("join-path") {
        return None;
    }
    let named = |word: &&Word| {
        let name = word.items.first().map_or("", |item| item.text.as_str());
        ["-path", "-childpath", "-additionalchildpath"].iter().any(|known| name.eq_ignore_ascii_case(known))
    };
    if words.iter().any(|word| word.each) {
        return None;
    }
    let mut path: Option<Arg> = None;
    for item in words.iter().filter(|word| !named(word)).flat_map(|word| &word.items) {
        if item.text.is_empty() || item.text.starts_with('-') {
            return None;
        }
        match &mut path {
            None => path = Some(item.clone()),
            Some(path) => {
                let folder = path.text.trim_end_matches(['/', '\\']).len();
                path.text.truncate(folder);
                path.text.push('/');
                path.text.push_str(item.text.trim_start_matches(['/', '\\']));
                path.mark_all(item.dynamic);
            }
        }
    }
    path
}

fn unknown(arg: &mut Arg, kind: Dynamic) {
    arg.text.push_str(if kind == Dynamic::Sub { "«sub»" } else { "«var»" });
    arg.mark(kind);
}

/// A member of a value is not the value.
fn vague(arg: &mut Arg) {
    if !arg.dynamic.iter().any(|kind| matches!(kind, Dynamic::Var | Dynamic::Sub)) {
        arg.text.clear();
        arg.dynamic = Dynamics::NONE;
        unknown(arg, Dynamic::Var);
    }
}
