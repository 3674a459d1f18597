//! Records as borrowed, undecoded fields: one pass over the bytes, nothing decoded that nobody asks for.
//!
//! Every field is an optional raw value, so a field of an unexpected type never fails its record; whoever needs it
//! decides what the wrong type means. Raw values are skipped without recursion, so nesting depth is harmless.

use std::borrow::Cow;
use std::collections::BTreeMap;

use memchr::memchr;

use super::scan::{self, Scanner};
use agent_strace_model::{RawText, decode_json};

/// A JSON value that is valid but not decoded yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Raw<'a>(&'a str);

impl<'a> Raw<'a> {
    /// `json` must have been scanned.
    pub(super) fn new(json: &'a str) -> Self {
        Self(json)
    }

    pub(super) fn get(self) -> &'a str {
        self.0
    }
}

/// What an object is read into, field by field.
pub(super) trait Record<'a>: Default {
    /// Reads the value of `key`; `None` when it is not JSON.
    fn field(&mut self, key: &str, scanner: &mut Scanner<'a>) -> Option<()>;

    /// A declared key that occurred twice.
    fn duplicate(&self) -> Option<&'static str> {
        None
    }
}

/// Declares a record type: the fields a dialect reads, by the key they have in the log.
///
/// A key that occurs twice keeps its last value, as most readers do, and is named in `duplicate`, because readers
/// that keep the first one would see another record. `others` counts the keys that are not declared.
macro_rules! record {
    ($(#[$meta:meta])* $visibility:vis struct $name:ident { $($field:ident $(: $kind:ty)? = $key:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Default, Clone)]
        #[allow(clippy::struct_field_names, reason = "fields are called what the log calls them")]
        $visibility struct $name<'a> {
            $(pub(super) $field: $crate::json::field_type!('a $($kind)?),)*
            #[allow(dead_code, reason = "only some dialects ask")]
            pub(super) others: u32,
            pub(super) duplicate: Option<&'static str>,
        }

        impl<'a> $crate::json::Record<'a> for $name<'a> {
            fn field(&mut self, key: &str, scanner: &mut $crate::scan::Scanner<'a>) -> Option<()> {
                match key {
                    $($key => {
                        if $crate::json::Field::is_set(&self.$field) {
                            self.duplicate = Some($key);
                        }
                        $crate::json::Field::read(&mut self.$field, scanner)
                    })*
                    _ => {
                        self.others = self.others.saturating_add(1);
                        scanner.skip()
                    }
                }
            }

            fn duplicate(&self) -> Option<&'static str> {
                self.duplicate
            }
        }
    };
}
pub(super) use record;

macro_rules! field_type {
    ($life:lifetime) => { Option<$crate::json::Raw<$life>> };
    ($life:lifetime $kind:ty) => { $kind };
}
pub(super) use field_type;

/// What a record's field may be. `null` says as much as an absent key.
pub(super) trait Field<'a> {
    fn read(&mut self, scanner: &mut Scanner<'a>) -> Option<()>;
    fn is_set(&self) -> bool;
}

impl<'a> Field<'a> for Option<Raw<'a>> {
    fn read(&mut self, scanner: &mut Scanner<'a>) -> Option<()> {
        let value = scanner.raw()?;
        *self = (value.get() != "null").then_some(value);
        Some(())
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

impl<'a, T: Record<'a>> Field<'a> for Nested<T> {
    fn read(&mut self, scanner: &mut Scanner<'a>) -> Option<()> {
        if scanner.peek()? == b'{' {
            *self = Self::Object(T::default());
            let Self::Object(record) = self else { return None };
            return scanner.record(record);
        }
        *self = if scanner.raw()?.get() == "null" { Self::Absent } else { Self::Other };
        Some(())
    }

    fn is_set(&self) -> bool {
        !matches!(self, Self::Absent)
    }
}

/// An object that is read in the same pass as the record around it, and can be read once more as another record.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Kept<'a, T> {
    /// Whatever the value is.
    pub(super) raw: Option<Raw<'a>>,
    pub(super) value: Nested<T>,
}

impl<'a, T: Record<'a>> Field<'a> for Kept<'a, T> {
    fn read(&mut self, scanner: &mut Scanner<'a>) -> Option<()> {
        scanner.peek()?;
        let start = scanner.position();
        self.value.read(scanner)?;
        self.raw = scanner.since(start).filter(|raw| raw.get() != "null");
        Some(())
    }

    fn is_set(&self) -> bool {
        self.raw.is_some()
    }
}

/// What a message says: a text, or a list of objects, which are read in the same pass as the message. They are long.
#[derive(Debug, Default, Clone)]
pub(super) enum Content<'a, T> {
    #[default]
    Absent,
    Text(Raw<'a>),
    Blocks(Vec<Nested<T>>),
    Other,
}

impl<'a, T: Record<'a>> Field<'a> for Content<'a, T> {
    fn read(&mut self, scanner: &mut Scanner<'a>) -> Option<()> {
        if scanner.peek()? == b'[' {
            let mut blocks = Vec::new();
            scanner.array(|scanner| {
                let mut block = Nested::Absent;
                block.read(scanner)?;
                blocks.push(block);
                Some(())
            })?;
            *self = Self::Blocks(blocks);
            return Some(());
        }
        let raw = scanner.raw()?;
        *self = match raw.get() {
            "null" => Self::Absent,
            text if text.starts_with('"') => Self::Text(raw),
            _ => Self::Other,
        };
        Some(())
    }

    fn is_set(&self) -> bool {
        !matches!(self, Self::Absent)
    }
}

/// Reads a text that is one object.
pub(super) fn parse<'a, T: Record<'a>>(json: &'a str) -> Option<T> {
    let (mut record, mut scanner) = (T::default(), Scanner::of_value(json));
    scanner.record(&mut record)?;
    scanner.is_done().then_some(record)
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

/// The first words of a JSON string's text.
#[derive(Debug)]
pub(super) struct Beginning<'a> {
    pub(super) text: Cow<'a, str>,
    /// The text goes on.
    pub(super) is_cut: bool,
}

/// What at least the first `length` bytes of a JSON string say; `None` for any other value. Texts in logs are long, and
/// a question about their first words must not decode the rest. A byte of text is at most six of JSON.
pub(super) fn beginning(value: Option<Raw<'_>>, length: usize) -> Option<Beginning<'_>> {
    let inner = value?.get().strip_prefix('"')?.strip_suffix('"')?;
    let Some(start) = start(inner, length) else { return Some(Beginning { text: text(value)?, is_cut: false }) };
    let text = if memchr(b'\\', start.as_bytes()).is_none() {
        Cow::Borrowed(start)
    } else {
        Cow::Owned(decode_json(&format!("\"{start}\"")).into_owned())
    };
    Some(Beginning { text, is_cut: true })
}

/// At least the first `length` bytes of what is between a string's quotes, without cutting an escape; `None` when that
/// is all of it.
fn start(inner: &str, length: usize) -> Option<&str> {
    let mut cut = 0;
    while cut < length {
        let rest = inner.as_bytes().get(cut..length)?;
        cut += match memchr(b'\\', rest) {
            Some(at) if inner.as_bytes().get(cut + at + 1) == Some(&b'u') => at + 6,
            Some(at) => at + 2,
            None => rest.len(),
        };
    }
    inner.get(..inner.ceil_char_boundary(cut)).filter(|start| start.len() < inner.len())
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

/// A count; what is none counts as zero.
pub(super) fn count(value: Option<Raw<'_>>) -> u64 {
    whole(value).unwrap_or(0)
}

/// Reads the counts of one record of usage, and notes whether one is there that can't be read: a text, a number below
/// zero (old writers said so that they did not know), a fraction, or more than fits.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) is_partial: bool,
}

impl Counts {
    /// A count; one that is not there is none.
    pub(super) fn of(&mut self, value: Option<Raw<'_>>) -> u64 {
        value.map_or(0, |raw| self.number(raw.get()))
    }

    /// One that every such record has.
    pub(super) fn needed(&mut self, value: Option<Raw<'_>>) -> u64 {
        self.is_partial |= value.is_none();
        self.of(value)
    }

    /// A count as it is written. Some writers have only fractional numbers: `12.0` is twelve.
    pub(super) fn number(&mut self, text: &str) -> u64 {
        let integral = || {
            let number: f64 = text.parse().ok()?;
            let is_count = number >= 0.0 && number.fract() == 0.0 && number <= MOST;
            is_count.then(|| format!("{number:.0}").parse().ok()).flatten()
        };
        text.parse().ok().or_else(integral).unwrap_or_else(|| {
            self.is_partial = true;
            0
        })
    }
}

/// Up to here every whole number is a fractional one, too.
const MOST: f64 = 9_007_199_254_740_992.0;

/// A count, where the value is one.
pub(super) fn whole(value: Option<Raw<'_>>) -> Option<u64> {
    value?.get().parse().ok()
}

/// Reads an object's fields; `None` when the value is no object or not readable as one.
pub(super) fn object<'a, T: Record<'a>>(value: Option<Raw<'a>>) -> Option<T> {
    let raw = value.filter(|raw| raw.get().starts_with('{'))?;
    let mut record = T::default();
    Scanner::of_raw(raw).record(&mut record)?;
    Some(record)
}

/// An object's fields by name, in the order of their names; of a key that occurs twice, the last one.
pub(super) fn fields(json: &str) -> Option<BTreeMap<Cow<'_, str>, Raw<'_>>> {
    let mut fields = BTreeMap::new();
    scan::fields(json, |key, value| {
        fields.insert(key, value);
    })?;
    Some(fields)
}

/// The elements of an array; empty for any other value.
pub(super) fn elements(value: Option<Raw<'_>>) -> Vec<Raw<'_>> {
    let mut elements = Vec::new();
    let Some(raw) = value.filter(|raw| raw.get().starts_with('[')) else { return elements };
    let read = Scanner::of_raw(raw).array(|scanner| {
        elements.push(scanner.raw()?);
        Some(())
    });
    debug_assert!(read.is_some(), "a raw value was scanned before");
    elements
}

/// The first element of an array.
pub(super) fn first(value: Option<Raw<'_>>) -> Option<Raw<'_>> {
    let raw = value.filter(|raw| raw.get().starts_with('['))?;
    Scanner::of_raw(raw).first()
}

/// The value as text that is decoded when somebody looks.
pub(super) fn raw_text(value: Option<Raw<'_>>) -> Option<RawText<'_>> {
    value.map(|raw| RawText::Json(raw.get()))
}
