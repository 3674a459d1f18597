//! YAML → the values that the policy is read as, with their locations: one way to check both.
//!
//! The library bounds depth, size and aliases, and says where the text is no YAML. Nothing is guessed from it: a value
//! is what YAML 1.2 says it is.

use std::fmt;
use std::ops::Range;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{DuplicateKeyPolicy, Spanned};

use crate::json::{Data, Key, SyntaxError, Value};

/// The value of a document; `null` for an empty one.
pub fn read(text: &str) -> Result<Value, SyntaxError> {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    let skipped = text.len() - bare.len();
    // Which of two equal keys counts differs between readers: both are kept, and told as a fault.
    let options = serde_saphyr::options! {
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        strict_booleans: true,
        with_snippet: false,
    };
    let node: Node =
        serde_saphyr::from_str_with_options(bare, options).map_err(|error| fault(&error, bare, skipped))?;
    Ok(node.value(skipped))
}

fn fault(error: &serde_saphyr::Error, text: &str, skipped: usize) -> SyntaxError {
    let location = error.location();
    let line = location.map_or(1, |location| location.line()).max(1);
    let column = location.map_or(1, |location| location.column()).max(1);
    let start = offset(text, line, column);
    let next = text.get(start..).and_then(|rest| rest.chars().next());
    let length = next.filter(|next| *next != '\n').map_or(0, char::len_utf8);
    let said = error.without_snippet().to_string();
    let message = said.lines().next().unwrap_or_default();
    // The location is told beside the message.
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let message = message
        .split_once(": ")
        .filter(|(position, _)| position.starts_with("line "))
        .map_or(message, |(_, rest)| rest);
    let message = message.rsplit_once(" at line ").map_or(message, |(said, _)| said);
    let help = match next {
        Some('@' | '`') => Some("a text that starts with `@` stands in quotes: '@name'".to_owned()),
        Some('*' | '&' | '!' | '%') => Some("a text that starts with a special character stands in quotes".to_owned()),
        Some('\t') => Some("YAML is indented with blanks".to_owned()),
        _ => None,
    };
    SyntaxError {
        span: skipped + start..skipped + start + length,
        message: format!("this is not YAML: {message}"),
        help,
    }
}

/// The byte at a 1-based line and column.
fn offset(text: &str, line: u64, column: u64) -> usize {
    let before = usize::try_from(line - 1).unwrap_or(usize::MAX);
    let start: usize = text.split_inclusive('\n').take(before).map(str::len).sum();
    let rest = text.get(start..).unwrap_or_default().lines().next().unwrap_or_default();
    let within = usize::try_from(column - 1).unwrap_or(usize::MAX);
    start + rest.char_indices().nth(within).map_or(rest.len(), |(at, _)| at)
}

/// A value with its location.
struct Node {
    span: Range<usize>,
    data: Content,
}

enum Content {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Node>),
    Object(Vec<(Spanned<String>, Node)>),
}

impl Node {
    fn value(self, skipped: usize) -> Value {
        let data = match self.data {
            Content::Null => Data::Null,
            Content::Bool(value) => Data::Bool(value),
            Content::Number(number) => Data::Number(number),
            Content::Text(text) => Data::Text(text),
            Content::List(items) => Data::List(items.into_iter().map(|item| item.value(skipped)).collect()),
            Content::Object(members) => Data::Object(
                members
                    .into_iter()
                    .map(|(key, value)| {
                        let span = moved(&span_of(&key), skipped);
                        (Key { span, name: key.value }, value.value(skipped))
                    })
                    .collect(),
            ),
        };
        Value { span: moved(&self.span, skipped), data }
    }
}

fn moved(span: &Range<usize>, by: usize) -> Range<usize> {
    span.start + by..span.end + by
}

/// Where it is used: an alias is told where it stands, not where it was defined.
fn span_of<T>(spanned: &Spanned<T>) -> Range<usize> {
    let span = spanned.referenced.span();
    let number = |value: Option<_>| value.and_then(|value| usize::try_from(value).ok()).unwrap_or(0);
    let start = number(span.byte_offset());
    start..start + number(span.byte_len())
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned: Spanned<Content> = Spanned::deserialize(deserializer)?;
        Ok(Self { span: span_of(&spanned), data: spanned.value })
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Contents)
    }
}

struct Contents;

impl<'de> Visitor<'de> for Contents {
    type Value = Content;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Content, E> {
        Ok(Content::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<Content, E> {
        Ok(Content::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Content, D::Error> {
        Content::deserialize(deserializer)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Content, E> {
        Ok(Content::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Content, E> {
        Ok(Content::Number(value.to_string()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Content, E> {
        Ok(Content::Number(value.to_string()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Content, E> {
        Ok(Content::Number(value.to_string()))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Content, E> {
        Ok(Content::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Content, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Content::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Content, A::Error> {
        let mut object = Vec::new();
        while let Some(key) = members.next_key()? {
            object.push((key, members.next_value()?));
        }
        Ok(Content::Object(object))
    }
}
