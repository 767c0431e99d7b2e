//! Secrets in text that is written down.

use std::borrow::Cow;

/// The text with secrets replaced.
pub fn mask(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}
