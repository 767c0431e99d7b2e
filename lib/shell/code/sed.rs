//! sed scripts: the files that `r`, `R`, `w`, `W` and the flag `w` name, and what `e` runs.

use super::super::dynamic::Dynamics;
use super::super::part::Arg;
use super::value::{Out, literal};
use super::{Found, Host};
use crate::call::Op;

/// Reads a sed script.
pub(super) fn read(text: &Arg, host: &Host) -> Found {
    // Its reads, writes and commands are errors then.
    if host.has(&["--sandbox"]) {
        return Found::default();
    }
    let mut script = Script { text: &text.text, at: 0, marks: text.dynamic, out: Out::default() };
    let files = host.options.iter().filter(|option| matches!(option.name.as_str(), "-f" | "--file")).count();
    if files > usize::from(host.setting.named) {
        script.out.open("runs a script");
    }
    if super::value::blank(text) {
        script.out.open("code from a variable");
    }
    script.commands();
    script.out.found
}

struct Script<'t> {
    text: &'t str,
    at: usize,
    marks: Dynamics,
    out: Out,
}

impl Script<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip(&mut self, these: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&these) {
            self.at += 1;
        }
    }

    /// The rest of the line.
    fn line(&mut self) -> String {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        self.at += line.len();
        line.to_owned()
    }

    fn file(&mut self, op: Op) {
        self.skip(|byte| matches!(byte, b' ' | b'\t'));
        let name = self.line();
        if !name.starts_with("/dev/std") {
            let name = literal(name, self.marks);
            self.out.touch(&[name], op);
        }
    }

    /// A text up to an unescaped `end`; in brackets it does not end.
    fn until(&mut self, end: char, pattern: bool) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let mut chars = rest.char_indices().peekable();
        let mut class = 0_usize;
        let mut closes = true;
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => {
                    chars.next();
                }
                _ if c == end && class == 0 => {
                    self.at += at + c.len_utf8();
                    return true;
                }
                '\n' if pattern => return self.unended(),
                '[' if pattern && closes && class == 0 && end != '[' => {
                    // `[]a]`, `[^]a]`: the first is an ordinary character. Without an end it is no class.
                    let inner = rest.get(at + 1..).unwrap_or_default();
                    let inner = inner.strip_prefix('^').unwrap_or(inner);
                    let from = usize::from(inner.starts_with(']'));
                    let line = inner.get(from..).unwrap_or_default();
                    let close = line.find([']', '\n']);
                    closes = close.is_some_and(|at| line.as_bytes().get(at) == Some(&b']'));
                    class = usize::from(closes);
                    chars.next_if(|(_, c)| *c == '^');
                    chars.next_if(|(_, c)| *c == ']');
                }
                '[' if class == 1 => {
                    chars.next_if(|(_, c)| *c == ':');
                }
                ']' => class = 0,
                _ => {}
            }
        }
        self.unended()
    }

    /// sed refuses the whole script then, and does nothing.
    fn unended(&mut self) -> bool {
        self.at = self.text.len();
        false
    }

    fn address(&mut self) {
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            match self.peek() {
                Some(b'0'..=b'9' | b'$' | b'~' | b'+' | b',' | b' ' | b'\t') => self.at += 1,
                Some(b'/') => {
                    self.at += 1;
                    self.until('/', true);
                    self.skip(|byte| matches!(byte, b'I' | b'M'));
                }
                Some(b'\\') => {
                    let Some(end) = rest.chars().nth(1) else { return self.at += 1 };
                    self.at += 1 + end.len_utf8();
                    self.until(end, true);
                    self.skip(|byte| matches!(byte, b'I' | b'M'));
                }
                _ if rest.starts_with('«') => match rest.find('»') {
                    Some(end) => self.at += end + '»'.len_utf8(),
                    None => return,
                },
                _ => return,
            }
        }
    }

    fn commands(&mut self) {
        loop {
            self.skip(|byte| byte.is_ascii_whitespace() || matches!(byte, b';' | b'{' | b'}'));
            self.address();
            self.skip(|byte| matches!(byte, b' ' | b'\t' | b'!'));
            let Some(command) = self.text.get(self.at..).and_then(|rest| rest.chars().next()) else {
                return;
            };
            self.at += command.len_utf8();
            match command {
                's' => self.substitute(),
                'y' => {
                    if let Some(end) = self.delimiter() {
                        let _ = self.until(end, false) && self.until(end, false);
                    }
                }
                'w' | 'W' => self.file(Op::Write),
                'r' | 'R' => self.file(Op::Read),
                'e' => {
                    self.skip(|byte| matches!(byte, b' ' | b'\t'));
                    let line = self.line();
                    if line.is_empty() {
                        self.out.open("runs its input");
                    }
                    let line = literal(line, self.marks);
                    self.out.text(&[line]);
                }
                'a' | 'i' | 'c' => self.lines(),
                '#' => {
                    self.line();
                }
                ':' => {
                    self.skip(|byte| byte != b'\n' && byte != b';');
                }
                'b' | 't' | 'T' | 'v' => self.skip(|byte| !matches!(byte, b'\n' | b';' | b'}')),
                _ => {}
            }
        }
    }

    fn delimiter(&mut self) -> Option<char> {
        let end = self.text.get(self.at..)?.chars().next().filter(|c| *c != '\n' && *c != '\\')?;
        self.at += end.len_utf8();
        Some(end)
    }

    fn substitute(&mut self) {
        let Some(end) = self.delimiter() else { return };
        if !(self.until(end, true) && self.until(end, false)) {
            return;
        }
        while let Some(flag) = self.peek() {
            match flag {
                b'w' => {
                    self.at += 1;
                    return self.file(Op::Write);
                }
                b'e' => self.out.open("runs its input"),
                b'g' | b'p' | b'i' | b'I' | b'm' | b'M' | b'0'..=b'9' => {}
                _ => return,
            }
            self.at += 1;
        }
    }

    /// The text of `a`, `i`, `c`: to the end of the line, further as long as lines end in `\`.
    fn lines(&mut self) {
        loop {
            let line = self.line();
            if self.peek().is_none() || !line.ends_with('\\') {
                return;
            }
            self.at += 1;
        }
    }
}
