//! Long steps over text in which nothing is special.
//!
//! Sixteen bytes are looked at in one go, as the digits of two numbers, without a branch for each.
//! In the results the top bit of a byte says whether it is a hit.

use super::class;

const STEP: usize = 8;
const ONES: u64 = 0x0101_0101_0101_0101;
const TOPS: u64 = 0x80 * ONES;

/// Where the first byte from `from` on stands that `hits` finds, or the end.
#[inline(always)]
fn first(src: &[u8], from: usize, hits: impl Fn(u64) -> u64) -> usize {
    let mut at = from;
    while let Some(chunk) = src.get(at..).and_then(<[u8]>::first_chunk::<STEP>) {
        let hits = hits(u64::from_le_bytes(*chunk)) & TOPS;
        if hits != 0 {
            return at + hits.trailing_zeros() as usize / 8;
        }
        at += STEP;
    }
    if at >= src.len() {
        return src.len();
    }
    // What is left of the last eight bytes; zeros come in behind them.
    let last = match src.last_chunk::<STEP>() {
        Some(chunk) => u64::from_le_bytes(*chunk) >> ((at + STEP - src.len()) * 8),
        None => short(src.get(at..).unwrap_or_default()),
    };
    let hits = hits(last) & TOPS;
    (at + hits.trailing_zeros() as usize / 8).min(src.len())
}

/// Less than eight bytes as a number.
#[inline(never)]
fn short(rest: &[u8]) -> u64 {
    rest.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Which bytes are `byte`; above the first it may err.
#[inline(always)]
fn equal(chunk: u64, byte: u8) -> u64 {
    let rest = chunk ^ (u64::from(byte) * ONES);
    rest.wrapping_sub(ONES) & !rest
}

/// Which bytes, of those below 0x80, are not `byte`.
#[inline(always)]
fn differ(low: u64, byte: u8) -> u64 {
    (low ^ (u64::from(byte) * ONES)) + !TOPS
}

/// Which bytes, of those below 0x80, are not less than `byte`.
#[inline(always)]
fn from(low: u64, byte: u8) -> u64 {
    low + u64::from(0x80 - byte) * ONES
}

/// Where the plain text of a word ends that begins at `from`, and the class of what stands there.
/// With `NAMED` an `=` ends it too, which is of the class of plain text.
#[inline(always)]
pub(super) fn plain<const NAMED: bool>(src: &[u8], from: usize) -> (usize, u8) {
    stop::<NAMED>(src, first(src, from, special::<NAMED>))
}

/// The next sign from `from` on that may be special in a word, or the end.
#[inline(always)]
pub(super) fn sign(src: &[u8], from: usize) -> usize {
    first(src, from, special::<false>)
}

/// As [`plain`], from a sign on.
#[inline(always)]
pub(super) fn plain_after(src: &[u8], sign: usize) -> (usize, u8) {
    stop::<false>(src, sign)
}

#[inline(always)]
fn stop<const NAMED: bool>(src: &[u8], sign: usize) -> (usize, u8) {
    let mut at = sign;
    loop {
        let class = src.get(at).map_or(class::END, |&byte| class::WORD[byte as usize]);
        if class != class::PLAIN || NAMED && src.get(at) == Some(&b'=') {
            return (at, class);
        }
        at = first(src, at + 1, special::<NAMED>);
    }
}

/// What is special in [`class::WORD`], and a few signs more, so that it takes few steps.
#[inline(always)]
fn special<const NAMED: bool>(chunk: u64) -> u64 {
    let low = chunk & !TOPS;
    // `;<=>?`, `[\]^_` and `{|}~` become one range.
    let mut signs = from(low | (0x60 * ONES), b'{') & differ(low, b'_');
    if !NAMED {
        signs &= differ(low, b'=');
    }
    (signs | !(from(low, b'*' + 1) & differ(low, b'`'))) & !chunk
}

/// The next `close`, `$`, backslash or backtick, or the end.
#[inline(always)]
pub(super) fn quoted(src: &[u8], from: usize, close: u8) -> usize {
    let hits = |chunk: u64| {
        let low = chunk & !TOPS;
        !(differ(low, close) & differ(low, b'$') & differ(low, b'\\') & differ(low, b'`')) & !chunk
    };
    // Most texts are short, and for a long one it pays to ask.
    let near = src.get(..from + 4 * STEP).unwrap_or(src);
    let at = first(near, from, hits);
    if at < near.len() || at >= src.len() { at } else { quoted_far(src, at, close) }
}

/// The next `'`, or the end.
#[inline(always)]
pub(super) fn single(src: &[u8], from: usize) -> usize {
    let near = src.get(..from + 2 * STEP).unwrap_or(src);
    let at = first(near, from, |chunk| equal(chunk, b'\''));
    if at < near.len() || at >= src.len() {
        return at;
    }
    let rest = src.get(at..).unwrap_or_default();
    at + memchr::memchr(b'\'', rest).unwrap_or(rest.len())
}

/// The same in windows, so that a far end is not looked for from each backtick again.
#[inline(never)]
fn quoted_far(src: &[u8], from: usize, close: u8) -> usize {
    let mut at = from;
    loop {
        let end = (at + 512).min(src.len());
        let window = src.get(at..end).unwrap_or_default();
        let stop = memchr::memchr3(close, b'\\', b'$', window);
        let before = window.get(..stop.unwrap_or(window.len())).unwrap_or_default();
        if let Some(found) = memchr::memchr(b'`', before).or(stop) {
            return at + found;
        }
        if end == src.len() {
            return end;
        }
        at = end;
    }
}
