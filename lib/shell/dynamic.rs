//! What makes the value of a word uncertain.

use std::num::NonZeroU16;

use serde::{Deserialize, Serialize};

/// What makes the value of a word uncertain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dynamic {
    /// An arithmetic expansion, shown as `«arith»`.
    Arith,
    /// An array value, shown as `(a b)`.
    Array,
    /// Beside `Var`: the variable is the environment's and named like a credential.
    Credential,
    /// An unquoted glob, shown as written.
    Glob,
    /// An unquoted `$IFS`, shown as `«ifs»`.
    Ifs,
    /// A process substitution, shown as `«proc»`.
    Proc,
    /// A command substitution, shown as `«sub»`.
    Sub,
    /// A tilde prefix, shown as written.
    Tilde,
    /// A variable, shown as `«var»`.
    Var,
}

/// All kinds in their order.
static ALL: [Dynamic; 9] = [
    Dynamic::Arith,
    Dynamic::Array,
    Dynamic::Credential,
    Dynamic::Glob,
    Dynamic::Ifs,
    Dynamic::Proc,
    Dynamic::Sub,
    Dynamic::Tilde,
    Dynamic::Var,
];

/// The kinds of a word: a set that costs two bytes. On the wire a sorted list without doubles.
///
/// One bit that says nothing is always set, so that an optional word is no larger than a word.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dynamics(NonZeroU16);

impl Dynamics {
    /// No kind: the word is certain.
    pub const NONE: Self = Self(NonZeroU16::MIN.saturating_add(0x7fff));

    fn bit(kind: Dynamic) -> u16 {
        1 << (kind as u16)
    }

    /// Whether the word is certain.
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Whether `kind` is among them.
    pub fn contains(self, kind: &Dynamic) -> bool {
        self.0.get() & Self::bit(*kind) != 0
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.iter().count()
    }

    /// Adds a kind.
    pub fn insert(&mut self, kind: Dynamic) {
        self.0 |= Self::bit(kind);
    }

    /// Takes a kind out.
    pub fn remove(&mut self, kind: Dynamic) {
        self.0 = NonZeroU16::new(self.0.get() & !Self::bit(kind)).unwrap_or(Self::NONE.0);
    }

    /// These and those.
    pub fn with(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// The kinds in order.
    pub fn iter(self) -> impl Iterator<Item = &'static Dynamic> {
        let mut left = self.0.get() & !Self::NONE.0.get();
        std::iter::from_fn(move || {
            let kind = ALL.get(left.trailing_zeros() as usize);
            left &= left.wrapping_sub(1);
            kind
        })
    }
}

impl Default for Dynamics {
    fn default() -> Self {
        Self::NONE
    }
}

impl std::fmt::Debug for Dynamics {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.debug_list().entries(self.iter()).finish()
    }
}

impl FromIterator<Dynamic> for Dynamics {
    fn from_iter<I: IntoIterator<Item = Dynamic>>(kinds: I) -> Self {
        let mut set = Self::NONE;
        kinds.into_iter().for_each(|kind| set.insert(kind));
        set
    }
}

impl From<Dynamic> for Dynamics {
    fn from(kind: Dynamic) -> Self {
        Self::from([kind])
    }
}

impl From<&Self> for Dynamics {
    fn from(kinds: &Self) -> Self {
        *kinds
    }
}

impl<const N: usize> From<[Dynamic; N]> for Dynamics {
    fn from(kinds: [Dynamic; N]) -> Self {
        kinds.into_iter().collect()
    }
}

impl<const N: usize> PartialEq<[Dynamic; N]> for Dynamics {
    fn eq(&self, kinds: &[Dynamic; N]) -> bool {
        *self == Self::from(*kinds)
    }
}

impl Serialize for Dynamics {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Dynamics {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Vec::<Dynamic>::deserialize(from)?.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{ALL, Dynamic, Dynamics};

    #[test]
    fn a_set_is_sorted_and_has_no_doubles() {
        let mut set = Dynamics::from([Dynamic::Var, Dynamic::Glob, Dynamic::Var]);
        assert_eq!(serde_json::to_string(&set).ok().as_deref(), Some(r#"["glob","var"]"#));
        assert_eq!(serde_json::from_str::<Dynamics>(r#"["var","glob"]"#).ok(), Some(set));
        assert_eq!((set.len(), set.contains(&Dynamic::Tilde)), (2, false));
        set.remove(Dynamic::Glob);
        assert!(set == [Dynamic::Var] && !set.is_empty());
        set.remove(Dynamic::Var);
        assert!(set.is_empty() && set == Dynamics::default());
    }

    #[test]
    fn all_kinds_are_told_apart() {
        assert!(ALL.is_sorted());
        for kind in ALL {
            assert_eq!(Dynamics::from(kind).iter().copied().collect::<Vec<_>>(), [kind]);
        }
        assert_eq!(size_of::<Option<Dynamics>>(), 2);
    }
}
