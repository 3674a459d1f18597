//! Arguments as recorded: JSON that keeps order and every duplicate key, because agents disagree on which one counts.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Nesting beyond this is no tool call.
const DEPTH: u32 = 64;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Bool(bool),
    /// Whole, or cut to a whole one: nothing asks for fractions.
    Number(i64),
    Text(String),
    List(Vec<Value>),
    Object(Object),
}

pub(super) type Object = Vec<(String, Value)>;

/// The arguments object; also one that was recorded as the JSON string of an object.
pub(super) fn object(json: &str) -> Option<Object> {
    match parse(json)? {
        Value::Object(object) => Some(object),
        Value::Text(text) => match parse(&text)? {
            Value::Object(object) => Some(object),
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn parse(json: &str) -> Option<Value> {
    strict(json).or_else(|| strict(&without_lone_surrogates(json)?))
}

fn strict(json: &str) -> Option<Value> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let value = Seed { depth: 0 }.deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    Some(value)
}

/// Half of a character cut in two is no reason to lose a call. `None` when there is none.
fn without_lone_surrogates(json: &str) -> Option<String> {
    let mut fixed = String::with_capacity(json.len());
    let mut rest = json;
    let mut found = false;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at_checked(at)?;
        fixed.push_str(before);
        let length = match (surrogate(escape), escape.get(6..).and_then(surrogate)) {
            (Some(true), Some(false)) => 12,
            (Some(_), _) => {
                fixed.push_str("\\ufffd");
                found = true;
                rest = escape.get(6..)?;
                continue;
            }
            (None, _) => 1 + escape.chars().nth(1).map_or(0, char::len_utf8),
        };
        let (escape, after) = escape.split_at_checked(length)?;
        fixed.push_str(escape);
        rest = after;
    }
    fixed.push_str(rest);
    found.then_some(fixed)
}

/// Whether a text starts with the escape of a high (`true`) or low (`false`) surrogate.
fn surrogate(text: &str) -> Option<bool> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    match u32::from_str_radix(digits, 16).ok()? {
        0xd800..=0xdbff => Some(true),
        0xdc00..=0xdfff => Some(false),
        _ => None,
    }
}

#[derive(Clone, Copy)]
struct Seed {
    depth: u32,
}

impl Seed {
    fn deeper<E: Error>(self) -> Result<Self, E> {
        if self.depth >= DEPTH {
            return Err(E::custom("nested too deeply"));
        }
        Ok(Self { depth: self.depth + 1 })
    }
}

impl<'de> DeserializeSeed<'de> for Seed {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed {
    type Value = Value;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Number(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Number(i64::try_from(number).unwrap_or(i64::MAX)))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
        Ok(Value::Number(i64::MAX))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let seed = self.deeper()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(seed)? {
            list.push(item);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let seed = self.deeper()?;
        let mut object = Vec::new();
        while let Some(key) = entries.next_key::<String>()? {
            object.push((key, entries.next_value_seed(seed)?));
        }
        Ok(Value::Object(object))
    }
}
