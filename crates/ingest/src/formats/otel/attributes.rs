//! Attributes, as the protocol has them (a list of keys and typed values) or as a plain object.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Bound;

use serde_json::Value;

use crate::gaps::Gaps;
use crate::json::{Counts, Raw, elements, fields, filled, is_array, is_object, object, record, text};
use crate::scan::is_json;
use agent_strace_model::{Arguments, GapKind};

record! {
    struct Attribute { key = "key", value = "value" }
}

record! {
    struct Any {
        string = "stringValue",
        int = "intValue",
        double = "doubleValue",
        boolean = "boolValue",
        list = "arrayValue",
        map = "kvlistValue",
    }
}

/// Values by key: texts as they are, everything else as its JSON.
#[derive(Debug, Default)]
pub(super) struct Attributes<'a>(BTreeMap<Cow<'a, str>, Cow<'a, str>>);

impl<'a> Attributes<'a> {
    pub(super) fn read(value: Option<Raw<'a>>, line: u32, gaps: &mut Gaps) -> Self {
        let mut all = BTreeMap::new();
        if let Some(raw) = value.filter(|raw| is_object(Some(*raw))) {
            for (key, value) in fields(raw.get()).unwrap_or_default() {
                all.insert(key, text(Some(value)).unwrap_or(Cow::Borrowed(value.get())));
            }
        } else if value.is_some() && !is_array(value) {
            gaps.malformed(line, "attributes that are neither a list nor an object");
        }
        for raw in elements(value.filter(|raw| is_array(Some(*raw)))) {
            let attribute = object::<Attribute<'a>>(Some(raw)).unwrap_or_default();
            let Some(key) = filled(attribute.key) else {
                gaps.malformed(line, "an attribute without a key");
                continue;
            };
            let Some(value) = typed(attribute.value) else { continue };
            if all.insert(key, value).is_some() {
                gaps.push(
                    Some(line),
                    GapKind::Contradiction("an attribute occurs twice: readers disagree which one counts".into()),
                );
            }
        }
        Self(all)
    }

    pub(super) fn get(&self, key: &str) -> Option<Cow<'a, str>> {
        self.0.get(key).filter(|value| !value.is_empty()).cloned()
    }

    /// The value of the first of these keys that is there.
    pub(super) fn first(&self, keys: &[&str]) -> Option<Cow<'a, str>> {
        keys.iter().find_map(|key| self.get(key))
    }

    /// The texts whose keys begin so, in the order of the keys.
    pub(super) fn below<'s>(&'s self, prefix: &'s str) -> impl Iterator<Item = (&'s str, &'s str)> {
        let from = self.0.range::<str, _>((Bound::Included(prefix), Bound::Unbounded));
        let all = from.map(|(key, value)| (key.as_ref(), value.as_ref()));
        all.take_while(move |(key, _)| key.starts_with(prefix))
    }

    pub(super) fn is(&self, key: &str, expected: &str) -> bool {
        self.0.get(key).is_some_and(|value| value.eq_ignore_ascii_case(expected))
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// The count under the first of these keys that is there; none is none.
    pub(super) fn count(&self, counts: &mut Counts, keys: &[&str]) -> u64 {
        self.first(keys).map_or(0, |value| counts.number(&value))
    }

    /// The arguments of a call under the first of these keys.
    pub(super) fn arguments(&self, keys: &[&str]) -> Arguments<'a> {
        arguments_of(self.first(keys))
    }
}

/// Arguments that are mostly JSON in a text.
pub(super) fn arguments_of(given: Option<Cow<'_, str>>) -> Arguments<'_> {
    match given {
        Some(given) if is_json(&given) => Arguments::Json(given),
        Some(given) => Arguments::Text(given),
        None => Arguments::Missing,
    }
}

fn typed(value: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    let any = object::<Any<'_>>(value)?;
    if any.string.is_some() {
        return text(any.string);
    }
    if let Some(raw) = any.int.or(any.double).or(any.boolean) {
        return Some(text(Some(raw)).unwrap_or(Cow::Borrowed(raw.get())));
    }
    // Lists and maps are rare. What is nested too deep for the parser stays as it was written.
    any.list.or(any.map)?;
    let raw = value?.get();
    let plain = serde_json::from_str::<Value>(raw).ok().map(|value| plain(&value).to_string());
    Some(plain.map_or(Cow::Borrowed(raw), Cow::Owned))
}

/// A typed value of the protocol as the JSON it stands for. The parser bounds the depth.
fn plain(value: &Value) -> Value {
    let one = |key: &str| value.get(key);
    if let Some(inner) = one("stringValue").or_else(|| one("boolValue")).or_else(|| one("doubleValue")) {
        return inner.clone();
    }
    if let Some(number) = one("intValue") {
        let parsed = number.as_str().and_then(|text| text.parse::<i64>().ok());
        return parsed.map_or_else(|| number.clone(), Value::from);
    }
    if let Some(list) = one("arrayValue").and_then(|list| list.get("values")).and_then(Value::as_array) {
        return Value::Array(list.iter().map(plain).collect());
    }
    if let Some(list) = one("kvlistValue").and_then(|list| list.get("values")).and_then(Value::as_array) {
        let entry = |entry: &Value| Some((entry.get("key")?.as_str()?.to_owned(), plain(entry.get("value")?)));
        return Value::Object(list.iter().filter_map(entry).collect());
    }
    Value::Null
}
