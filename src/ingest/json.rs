//! Records as borrowed, undecoded fields: one pass over the bytes, nothing decoded that nobody asks for.
//!
//! Every field is an optional raw value, so a field of an unexpected type never fails its record; whoever needs it
//! decides what the wrong type means. serde skips raw values without recursion, so nesting depth is harmless.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use memchr::memchr;
use serde::de::value::MapAccessDeserializer;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::model::{RawText, decode_json};

/// A JSON value that is not decoded yet.
pub(super) type Raw<'a> = &'a RawValue;

/// Declares a record type: the fields a dialect reads, by the key they have in the log.
///
/// A key that occurs twice keeps its last value, as most readers do, and is named in `duplicate`, because readers
/// that keep the first one would see another record. `others` counts the keys that are not declared.
macro_rules! record {
    ($(#[$meta:meta])* $visibility:vis struct $name:ident { $($field:ident $(: $kind:ty)? = $key:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Default, Clone, Copy)]
        $visibility struct $name<'a> {
            $(pub(super) $field: $crate::ingest::json::field_type!('a $($kind)?),)*
            #[allow(dead_code, reason = "only some dialects ask")]
            pub(super) others: u32,
            pub(super) duplicate: Option<&'static str>,
        }

        impl<'de> serde::Deserialize<'de> for $name<'de> {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #[expect(non_camel_case_types, reason = "variants are named after the fields they stand for")]
                enum Key { $($field,)* Other }

                impl<'de> serde::Deserialize<'de> for Key {
                    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                        struct Name;
                        impl serde::de::Visitor<'_> for Name {
                            type Value = Key;
                            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                                formatter.write_str("a key")
                            }
                            fn visit_str<E>(self, text: &str) -> Result<Key, E> {
                                Ok(match text { $($key => Key::$field,)* _ => Key::Other })
                            }
                        }
                        deserializer.deserialize_identifier(Name)
                    }
                }

                struct Fields;
                impl<'de> serde::de::Visitor<'de> for Fields {
                    type Value = $name<'de>;
                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        formatter.write_str("an object")
                    }
                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$name<'de>, A::Error> {
                        let mut record = $name::default();
                        while let Some(key) = map.next_key::<Key>()? {
                            match key {
                                $(Key::$field => {
                                    if $crate::ingest::json::Field::is_set(&record.$field) {
                                        record.duplicate = Some($key);
                                    }
                                    record.$field = $crate::ingest::json::Field::read(&mut map)?;
                                })*
                                Key::Other => {
                                    map.next_value::<serde::de::IgnoredAny>()?;
                                    record.others = record.others.saturating_add(1);
                                }
                            }
                        }
                        Ok(record)
                    }
                }
                deserializer.deserialize_map(Fields)
            }
        }
    };
}
pub(super) use record;

macro_rules! field_type {
    ($life:lifetime) => { Option<$crate::ingest::json::Raw<$life>> };
    ($life:lifetime $kind:ty) => { $kind };
}
pub(super) use field_type;

/// What a record's field may be. `null` says as much as an absent key.
pub(super) trait Field<'de>: Default {
    fn read<A: MapAccess<'de>>(map: &mut A) -> Result<Self, A::Error>;
    fn is_set(&self) -> bool;
}

impl<'de> Field<'de> for Option<Raw<'de>> {
    fn read<A: MapAccess<'de>>(map: &mut A) -> Result<Self, A::Error> {
        let value: Raw<'de> = map.next_value()?;
        Ok((value.get() != "null").then_some(value))
    }

    fn is_set(&self) -> bool {
        self.is_some()
    }
}

/// A field that should hold an object, read in the same pass as the record around it.
#[derive(Debug, Default, Clone, Copy)]
pub(super) enum Nested<T> {
    #[default]
    Absent,
    Object(T),
    /// Something else.
    Other,
}

impl<T> Nested<T> {
    pub(super) fn object(&self) -> Option<&T> {
        match self {
            Self::Object(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn is_object(&self) -> bool {
        self.object().is_some()
    }

    pub(super) fn is_other(&self) -> bool {
        matches!(self, Self::Other)
    }
}

impl<'de, T: Deserialize<'de>> Field<'de> for Nested<T> {
    fn read<A: MapAccess<'de>>(map: &mut A) -> Result<Self, A::Error> {
        map.next_value()
    }

    fn is_set(&self) -> bool {
        !matches!(self, Self::Absent)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Nested<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Value<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Value<T> {
            type Value = Nested<T>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a value")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Nested<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Nested::Object)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Nested<T>, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Nested::Other)
            }
            fn visit_unit<E>(self) -> Result<Nested<T>, E> {
                Ok(Nested::Absent)
            }
            fn visit_str<E>(self, _: &str) -> Result<Nested<T>, E> {
                Ok(Nested::Other)
            }
            fn visit_bool<E>(self, _: bool) -> Result<Nested<T>, E> {
                Ok(Nested::Other)
            }
            fn visit_i64<E>(self, _: i64) -> Result<Nested<T>, E> {
                Ok(Nested::Other)
            }
            fn visit_u64<E>(self, _: u64) -> Result<Nested<T>, E> {
                Ok(Nested::Other)
            }
            fn visit_f64<E>(self, _: f64) -> Result<Nested<T>, E> {
                Ok(Nested::Other)
            }
        }
        deserializer.deserialize_any(Value(PhantomData))
    }
}

/// The text of a JSON string; `None` for any other value.
pub(super) fn text(value: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    let json = value?.get();
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    Some(if memchr(b'\\', inner.as_bytes()).is_none() {
        Cow::Borrowed(inner)
    } else {
        Cow::Owned(decode_json(json).into_owned())
    })
}

/// The text of a JSON string that is not empty.
pub(super) fn filled(value: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    text(value).filter(|text| !text.is_empty())
}

/// A string's text, or a number as it was written: what identifiers and times of records look like.
pub(super) fn scalar(value: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    let raw = value?;
    match raw.get().as_bytes().first()? {
        b'"' => filled(value),
        b'-' | b'0'..=b'9' => Some(Cow::Borrowed(raw.get())),
        _ => None,
    }
}

/// Whether the value is this string.
pub(super) fn is(value: Option<Raw<'_>>, expected: &str) -> bool {
    text(value).is_some_and(|text| text == expected)
}

/// Whether the value is `true`.
pub(super) fn is_true(value: Option<Raw<'_>>) -> bool {
    value.is_some_and(|raw| raw.get() == "true")
}

pub(super) fn is_object(value: Option<Raw<'_>>) -> bool {
    value.is_some_and(|raw| raw.get().starts_with('{'))
}

pub(super) fn is_array(value: Option<Raw<'_>>) -> bool {
    value.is_some_and(|raw| raw.get().starts_with('['))
}

pub(super) fn is_string(value: Option<Raw<'_>>) -> bool {
    value.is_some_and(|raw| raw.get().starts_with('"'))
}

/// A count; negative ones, which old writers used for "unknown", and fractions count as zero.
pub(super) fn count(value: Option<Raw<'_>>) -> u64 {
    value.and_then(|raw| raw.get().parse().ok()).unwrap_or(0)
}

/// Reads an object's fields; `None` when the value is no object or not readable as one.
pub(super) fn object<'a, T: Deserialize<'a>>(value: Option<Raw<'a>>) -> Option<T> {
    let json = value?.get();
    if json.starts_with('{') { serde_json::from_str(json).ok() } else { None }
}

/// The elements of an array; empty for any other value.
pub(super) fn elements(value: Option<Raw<'_>>) -> Vec<Raw<'_>> {
    value
        .filter(|raw| raw.get().starts_with('['))
        .and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default()
}

/// The value as text that is decoded when somebody looks.
pub(super) fn raw_text(value: Option<Raw<'_>>) -> Option<RawText<'_>> {
    value.map(|raw| RawText::Json(raw.get()))
}
