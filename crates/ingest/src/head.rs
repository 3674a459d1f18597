//! The first-level fields of a record, for telling formats apart.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::json::{self, Raw, Record};
use super::scan::Scanner;

/// A record's fields by name. `null` is as good as absent.
#[derive(Debug, Default)]
pub(super) struct Head<'a> {
    fields: BTreeMap<String, Raw<'a>>,
    /// The record is an element of a list, which is the whole log.
    pub(super) listed: bool,
}

impl<'a> Record<'a> for Head<'a> {
    fn field(&mut self, key: &str, scanner: &mut Scanner<'a>) -> Option<()> {
        let value = scanner.raw()?;
        if value.get() == "null" {
            self.fields.remove(key);
        } else {
            self.fields.insert(key.to_owned(), value);
        }
        Some(())
    }
}

impl<'a> Head<'a> {
    pub(super) fn get(&self, key: &str) -> Option<Raw<'a>> {
        self.fields.get(key).copied()
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.fields.contains_key(key)
    }

    pub(super) fn has_all(&self, keys: &[&str]) -> bool {
        keys.iter().all(|key| self.has(key))
    }

    /// All its keys are among these.
    pub(super) fn has_only(&self, keys: &[&str]) -> bool {
        self.fields.keys().all(|key| keys.contains(&key.as_str()))
    }

    pub(super) fn text(&self, key: &str) -> Option<Cow<'a, str>> {
        json::text(self.get(key))
    }

    /// Whether the field is this string.
    pub(super) fn is(&self, key: &str, expected: &str) -> bool {
        json::is(self.get(key), expected)
    }

    pub(super) fn is_string(&self, key: &str) -> bool {
        json::is_string(self.get(key))
    }

    pub(super) fn is_object(&self, key: &str) -> bool {
        json::is_object(self.get(key))
    }

    pub(super) fn is_array(&self, key: &str) -> bool {
        json::is_array(self.get(key))
    }

    /// The fields of an object.
    pub(super) fn object(&self, key: &str) -> Option<Head<'a>> {
        json::object(self.get(key))
    }

    /// Returns whether a field is a list of objects, or of lists of them.
    pub(super) fn holds_records(&self) -> bool {
        let first = |value: &Raw<'a>| json::first(Some(*value));
        self.fields
            .values()
            .filter_map(first)
            .any(|element| json::is_object(Some(element)) || json::is_object(json::first(Some(element))))
    }

    /// The fields of the first element of a list, where that is an object.
    pub(super) fn first(&self, key: &str) -> Option<Head<'a>> {
        json::object(json::elements(self.get(key)).first().copied())
    }
}
