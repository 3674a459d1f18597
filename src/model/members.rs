//! The members of a JSON object, each undecoded until somebody asks: arguments hold whole files.

use std::borrow::{Borrow, Cow};
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Arguments, decode_json};

/// By name, sorted; of a name that occurs twice, the last one.
#[derive(Debug)]
pub(crate) struct Members<'a>(BTreeMap<Name<'a>, &'a RawValue>);

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
    pub(crate) fn of(json: &'a str) -> Option<Self> {
        serde_json::from_str(json).ok().map(Self)
    }

    /// The JSON of a member.
    pub(crate) fn json(&self, name: &str) -> Option<&'a str> {
        self.0.get(name).map(|value| value.get())
    }

    /// The text of a member that is a string.
    pub(crate) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        self.json(name).filter(|json| json.starts_with('"')).map(decode_json)
    }

    /// What the elements of a member that is a list hold; those that are no objects are left out.
    pub(crate) fn objects(&self, name: &str) -> Vec<Self> {
        let elements = self.json(name).and_then(|json| serde_json::from_str::<Vec<&RawValue>>(json).ok());
        elements.into_iter().flatten().filter_map(|element| Self::of(element.get())).collect()
    }

    /// Each member with its JSON.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(name, value)| (&*name.0, value.get()))
    }
}

impl Arguments<'_> {
    /// `None`: they are no JSON object.
    pub(crate) fn members(&self) -> Option<Members<'_>> {
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
}
