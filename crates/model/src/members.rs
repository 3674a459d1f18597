//! The members of a JSON object, each undecoded until somebody asks: arguments hold whole files.

use std::borrow::{Borrow, Cow};
use std::collections::BTreeMap;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer as _};
use serde_json::value::RawValue;

use super::{Arguments, decode_json};

/// By name, sorted; of a name that occurs twice, the last one.
#[derive(Debug)]
pub struct Members<'a>(BTreeMap<Name<'a>, &'a RawValue>);

/// The name of a member, copied only where it is escaped.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl Borrow<str> for Name<'_> {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl<'a> Members<'a> {
    /// `None`: not a JSON object.
    pub fn of(json: &'a str) -> Option<Self> {
        serde_json::from_str(json).ok().map(Self)
    }

    /// The first member of a JSON object whose name is asked for, without a look at what stands behind it.
    pub fn first(json: &'a str, is_asked: impl Fn(&str) -> bool) -> Option<(Cow<'a, str>, &'a str)> {
        let mut first = None;
        // It ends with an error, because it ends in the middle.
        let _ = serde_json::Deserializer::from_str(json).deserialize_map(First { is_asked, first: &mut first });
        first
    }

    /// The JSON of a member.
    pub fn json(&self, name: &str) -> Option<&'a str> {
        self.0.get(name).map(|value| value.get())
    }

    /// The text of a member that is a string.
    pub fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        self.json(name).filter(|json| json.starts_with('"')).map(decode_json)
    }

    /// What the elements of a member that is a list hold; those that are no objects are left out.
    pub fn objects(&self, name: &str) -> Vec<Self> {
        let elements = self.json(name).and_then(|json| serde_json::from_str::<Vec<&RawValue>>(json).ok());
        elements.into_iter().flatten().filter_map(|element| Self::of(element.get())).collect()
    }

    /// Each member with its JSON.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(name, value)| (&*name.0, value.get()))
    }
}

struct First<'f, 'a, F> {
    is_asked: F,
    first: &'f mut Option<(Cow<'a, str>, &'a str)>,
}

impl<'a, F: Fn(&str) -> bool> Visitor<'a> for First<'_, 'a, F> {
    type Value = ();

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<M: MapAccess<'a>>(self, mut members: M) -> Result<(), M::Error> {
        while let Some(Name(name)) = members.next_key()? {
            if (self.is_asked)(&name) {
                *self.first = Some((name, members.next_value::<&RawValue>()?.get()));
                break;
            }
            members.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

impl Arguments<'_> {
    /// `None`: they are no JSON object.
    pub fn members(&self) -> Option<Members<'_>> {
        match self {
            Self::Json(json) => Members::of(json),
            Self::Text(_) | Self::Missing => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_read_as_they_stand() {
        let members = Members::of(r#"{"b": [1, {"x": "y"}], "a": "1\n2", "n": 5, "b\u0032": null, "a": "3"}"#).unwrap();
        assert_eq!(members.text("a").as_deref(), Some("3"));
        assert_eq!(members.text("n"), None);
        assert_eq!(members.json("n"), Some("5"));
        assert_eq!(members.json("absent"), None);
        assert_eq!(members.objects("b").first().and_then(|object| object.text("x")).as_deref(), Some("y"));
        assert!(members.objects("a").is_empty());
        assert_eq!(members.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["a", "b", "b2", "n"]);
        assert!(["[]", "5", "\"a\"", "", "{"].into_iter().all(|json| Members::of(json).is_none()));
    }

    #[test]
    fn the_first_member_is_found_without_the_rest() {
        let first = |json| Members::first(json, |name| name != "a").map(|(name, value)| (name.into_owned(), value));
        assert_eq!(first(r#"{"a": [1, {"b": 2}], "b\u0032": "x\n", "c": }"#), Some(("b2".to_owned(), r#""x\n""#)));
        assert_eq!(first(r#"{"b": 1}"#), Some(("b".to_owned(), "1")));
        assert!([r#"{"a": 1}"#, "{}", "[]", "5", "", "{", r#"{"b": }"#].into_iter().all(|json| first(json).is_none()));
    }
}
