//! Finding a closing bracket without reading what is inside, the way bash does it first.

use super::{NESTING, Parser, Step};
use crate::shell::ast::{Bound, Stop};

/// Why there is no closing bracket.
enum Missing {
    End,
    Depth,
}

impl Parser<'_> {
    /// The place after the `close` that fits an `open` just before `from`.
    pub(super) fn pair(&mut self, from: usize, open: u8, close: u8) -> Step<usize> {
        match bracket(self.src, from, open, close, self.depth) {
            Ok(end) => Ok(end),
            Err(Missing::End) => self.fail(from.saturating_sub(1), "no closing bracket for this one"),
            Err(Missing::Depth) => {
                self.stop(Stop::Bound(Bound::Nesting), from.saturating_sub(1), "constructs are nested too deep")
            }
        }
    }
}

/// The place after the bracket that closes the one before `from`.
fn bracket(src: &[u8], from: usize, open: u8, close: u8, depth: u32) -> Result<usize, Missing> {
    let mut at = from;
    let mut count = 1u32;
    let mut dollar = false;
    // Substitutions are seen in the subscript of an array only, not in `$[…]`.
    let subscript = open == b'[' && src.get(from.wrapping_sub(2)) != Some(&b'$');
    while let Some(&byte) = src.get(at) {
        at += 1;
        let after_dollar = std::mem::replace(&mut dollar, false);
        match byte {
            b'\\' => at += 1,
            b'\'' if after_dollar => at = ansi(src, at)?,
            b'\'' => at = past(src, at, b'\'')?,
            b'"' => at = double(src, at, depth + 1)?,
            b'`' => at = tick(src, at)?,
            b'$' | b'<' | b'>' if subscript && src.get(at) == Some(&b'(') => {
                if depth >= NESTING {
                    return Err(Missing::Depth);
                }
                at = bracket(src, at + 1, b'(', b')', depth + 1)?;
            }
            b'$' => dollar = true,
            _ if byte == close => {
                count -= 1;
                if count == 0 {
                    return Ok(at);
                }
            }
            _ if byte == open => count += 1,
            _ => {}
        }
    }
    Err(Missing::End)
}

fn past(src: &[u8], from: usize, byte: u8) -> Result<usize, Missing> {
    let rest = src.get(from..).unwrap_or_default();
    memchr::memchr(byte, rest).map(|n| from + n + 1).ok_or(Missing::End)
}

/// The place after the `'` that closes a `$'`.
pub(super) fn ansi_end(src: &[u8], from: usize) -> Option<usize> {
    escaped(src, from, b'\'')
}

/// The place after the next backtick that has no backslash before it.
pub(super) fn tick_end(src: &[u8], from: usize) -> Option<usize> {
    escaped(src, from, b'`')
}

fn escaped(src: &[u8], from: usize, close: u8) -> Option<usize> {
    let mut at = from;
    loop {
        let found = at + memchr::memchr2(close, b'\\', src.get(at..)?)?;
        if src.get(found) == Some(&close) {
            return Some(found + 1);
        }
        at = found + 2;
    }
}

fn ansi(src: &[u8], from: usize) -> Result<usize, Missing> {
    ansi_end(src, from).ok_or(Missing::End)
}

fn tick(src: &[u8], from: usize) -> Result<usize, Missing> {
    tick_end(src, from).ok_or(Missing::End)
}

/// The place after the `"` that closes the one before `from`.
fn double(src: &[u8], from: usize, depth: u32) -> Result<usize, Missing> {
    if depth > NESTING {
        return Err(Missing::Depth);
    }
    let mut at = from;
    while let Some(&byte) = src.get(at) {
        at += 1;
        match byte {
            b'"' => return Ok(at),
            b'\\' => at += 1,
            b'`' => at = tick(src, at)?,
            b'$' => match src.get(at) {
                Some(b'(') => at = bracket(src, at + 1, b'(', b')', depth + 1)?,
                Some(b'{') => at = bracket(src, at + 1, 0, b'}', depth + 1)?,
                _ => {}
            },
            _ => {}
        }
    }
    Err(Missing::End)
}
