//! `record!`: structs that keep what they do not know.
//!
//! Serde's derived flattening buffers unknown keys as values and so changes the spelling of
//! numbers and cannot hold raw text. A record keeps each unknown key with its raw text, in
//! order, and writes it back behind the known ones. Blank fields are not written.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Keys of an object that its type does not know, with their raw text, in the order met.
#[derive(Clone, Debug, Default)]
pub struct Extra(pub Vec<(String, Box<RawValue>)>);

impl Extra {
    /// The raw text of a key.
    pub fn raw(&self, key: &str) -> Option<&RawValue> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, raw)| &**raw)
    }

    /// A key's value, if it is there and has this type.
    pub fn get<'a, T: Deserialize<'a>>(&'a self, key: &str) -> Option<T> {
        self.raw(key).and_then(|raw| serde_json::from_str(raw.get()).ok())
    }

    /// Sets a key. A value that has no JSON form (a map with odd keys) is left out.
    pub fn set<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) {
        let Ok(raw) = serde_json::value::to_raw_value(value) else { return };
        match self.0.iter_mut().find(|(known, _)| known == key) {
            Some(slot) => slot.1 = raw,
            None => self.0.push((key.to_owned(), raw)),
        }
    }
}

impl PartialEq for Extra {
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(a, b)| a.0 == b.0 && a.1.get() == b.1.get())
    }
}

/// A field that need not be written.
pub trait Blank {
    /// Whether leaving it out says the same.
    fn is_blank(&self) -> bool {
        false
    }
}

impl Blank for String {
    fn is_blank(&self) -> bool {
        self.is_empty()
    }
}
impl<T> Blank for Option<T> {
    fn is_blank(&self) -> bool {
        self.is_none()
    }
}
impl<T> Blank for Vec<T> {
    fn is_blank(&self) -> bool {
        self.is_empty()
    }
}
impl Blank for bool {}
impl Blank for Extra {
    fn is_blank(&self) -> bool {
        self.0.is_empty()
    }
}
impl Blank for i64 {}
impl Blank for u64 {}
impl Blank for u32 {}

impl Serialize for Extra {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = to.serialize_map(Some(self.0.len()))?;
        for (key, raw) in &self.0 {
            map.serialize_entry(key, raw)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Extra {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> serde::de::Visitor<'de> for Visit {
            type Value = Extra;
            fn expecting(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
                out.write_str("an object")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Extra, A::Error> {
                let mut rows = Vec::new();
                while let Some(row) = map.next_entry::<String, Box<RawValue>>()? {
                    rows.push(row);
                }
                Ok(Extra(rows))
            }
        }
        from.deserialize_map(Visit)
    }
}

/// Declares a record: `field: Type` or `field as "wire": Type`. Every record has `extra`.
#[macro_export]
macro_rules! record {
    ($(#[$meta:meta])* pub struct $name:ident { $( $(#[$doc:meta])* $field:ident $(as $wire:literal)? : $type:ty ),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $( $(#[$doc])* pub $field: $type, )*
            /// Keys that this version does not know.
            pub extra: $crate::envelope::Extra,
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap;
                #[allow(unused_imports, clippy::allow_attributes, reason = "records without blank fields do not use it")]
                use $crate::envelope::Blank;
                let mut map = to.serialize_map(None)?;
                $( if !self.$field.is_blank() {
                    map.serialize_entry($crate::record!(@wire $field $($wire)?), &self.$field)?;
                } )*
                for (key, raw) in &self.extra.0 {
                    map.serialize_entry(key, raw)?;
                }
                map.end()
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                struct Visit;
                impl<'de> serde::de::Visitor<'de> for Visit {
                    type Value = $name;
                    fn expecting(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
                        out.write_str(concat!("an object (", stringify!($name), ")"))
                    }
                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                        let mut out = $name::default();
                        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
                            $( if key == $crate::record!(@wire $field $($wire)?) {
                                out.$field = map.next_value()?;
                                continue;
                            } )*
                            out.extra.0.push((key.into_owned(), map.next_value()?));
                        }
                        Ok(out)
                    }
                }
                from.deserialize_map(Visit)
            }
        }
    };
    (@wire $field:ident) => { stringify!($field) };
    (@wire $field:ident $wire:literal) => { $wire };
}
