//! How lists of large nodes grow.

/// Adds to a list that mostly stays short: a list that doubles has room for four at once, and a node is large.
pub(super) fn add<T>(list: &mut Vec<T>, node: T) {
    if list.len() == list.capacity() {
        list.reserve_exact((list.len() / 2).max(1));
    }
    list.push(node);
}
