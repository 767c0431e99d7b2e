//! Text: small things about strings that several modules share.

mod hash;
mod mask;
mod nearest;
mod prefix;
mod visible;

pub use hash::{key_hash, stable_hash};
pub use mask::{mask, mask_json};
pub use nearest::nearest;
pub use prefix::{letter, prefix, slot};
pub use visible::visible;

/// A moment as RFC 3339 in UTC with milliseconds, `2026-01-31T12:00:00.000Z`.
pub fn rfc3339(at: i64) -> String {
    let at = jiff::Timestamp::from_millisecond(at).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    format!("{at:.3}")
}

/// What a caught panic said.
pub fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// A path as text for people and messages.
pub fn show(path: &std::path::Path) -> std::borrow::Cow<'_, str> {
    path.to_string_lossy()
}
