//! Who ran a session, where and how, as the log says. Nothing here is looked up or guessed.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

/// What a log says about who ran it. Lists hold every value that occurred, once, in order of first occurrence.
///
/// Its fields are keys of imported sessions in the store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attribution<'a> {
    pub user: Option<Cow<'a, str>>,
    pub host: Option<Cow<'a, str>>,
    /// Of the agent.
    pub version: Option<Cow<'a, str>>,
    /// How it was started (`cli`, `sdk-cli`, `codex_exec`, …).
    pub entrypoint: Option<Cow<'a, str>>,
    pub models: Each<'a>,
    /// What the agent may do without asking, in its own words (`bypassPermissions`, `never`).
    pub permission_modes: Each<'a>,
    /// In its own words (`workspace-write`, `danger-full-access`).
    pub sandboxes: Each<'a>,
    pub repository: Option<Cow<'a, str>>,
    pub branches: Each<'a>,
    pub commit: Option<Cow<'a, str>>,
}

/// Every value of a fact, once, in order of first occurrence.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Cow<'a, str>>", into = "Vec<Cow<'a, str>>")]
pub struct Each<'a> {
    values: Vec<Cow<'a, str>>,
    known: BTreeSet<Cow<'a, str>>,
}

impl<'a> Deref for Each<'a> {
    type Target = [Cow<'a, str>];

    fn deref(&self) -> &Self::Target {
        &self.values
    }
}

impl fmt::Debug for Each<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values.fmt(f)
    }
}

impl<'a> FromIterator<Cow<'a, str>> for Each<'a> {
    fn from_iter<I: IntoIterator<Item = Cow<'a, str>>>(values: I) -> Self {
        let mut each = Self::default();
        values.into_iter().for_each(|value| note_each(&mut each, Some(value)));
        each
    }
}

impl<'a> From<Vec<Cow<'a, str>>> for Each<'a> {
    fn from(values: Vec<Cow<'a, str>>) -> Self {
        values.into_iter().collect()
    }
}

impl<'a> From<Each<'a>> for Vec<Cow<'a, str>> {
    fn from(each: Each<'a>) -> Self {
        each.values
    }
}

/// Keeps the first value of a fact.
pub fn note<'a>(fact: &mut Option<Cow<'a, str>>, value: Option<Cow<'a, str>>) {
    if fact.is_none() {
        *fact = value;
    }
}

/// Keeps every value of a fact once.
pub fn note_each<'a>(facts: &mut Each<'a>, value: Option<Cow<'a, str>>) {
    // The last one is nearly always the same again.
    if let Some(value) = value
        && facts.values.last() != Some(&value)
        && facts.known.insert(value.clone())
    {
        facts.values.push(value);
    }
}

/// The address of a repository without the user and password it may hold. `git@host:path` names a user that everybody
/// knows and stays.
pub fn without_credentials(address: Cow<'_, str>) -> Cow<'_, str> {
    let Some((scheme, rest)) = address.split_once("://") else { return address };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let Some((_, host)) = authority.rsplit_once('@') else { return address };
    Cow::Owned(format!("{scheme}://{host}{path}"))
}

impl Attribution<'_> {
    /// Without the log it was read from.
    pub fn into_owned(self) -> Attribution<'static> {
        let one = |fact: Option<Cow<'_, str>>| fact.map(|fact| Cow::Owned(fact.into_owned()));
        let all = |facts: Each<'_>| facts.values.into_iter().map(|fact| Cow::Owned(fact.into_owned())).collect();
        Attribution {
            user: one(self.user),
            host: one(self.host),
            version: one(self.version),
            entrypoint: one(self.entrypoint),
            models: all(self.models),
            permission_modes: all(self.permission_modes),
            sandboxes: all(self.sandboxes),
            repository: one(self.repository),
            branches: all(self.branches),
            commit: one(self.commit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_kept_once_in_order_of_first_occurrence() {
        let mut each = Each::default();
        for value in ["b", "a", "b", "a", "a", "c", "b"] {
            note_each(&mut each, Some(Cow::Borrowed(value)));
        }
        note_each(&mut each, None);
        let text = serde_json::to_string(&each).unwrap();
        assert_eq!(text, r#"["b","a","c"]"#);
        assert_eq!(serde_json::from_str::<Each<'_>>(r#"["b","a","b","c"]"#).unwrap(), each);
    }

    #[test]
    fn addresses_lose_their_credentials() {
        let cases = [
            ("https://ann:s3cret@git.example.com/a/b.git", "https://git.example.com/a/b.git"),
            ("https://token@git.example.com:8443/a@b", "https://git.example.com:8443/a@b"),
            ("https://a:b@c@git.example.com", "https://git.example.com"),
            ("ssh://git@git.example.com/a", "ssh://git.example.com/a"),
            ("https://git.example.com/a@b", "https://git.example.com/a@b"),
            ("git@git.example.com:a/b.git", "git@git.example.com:a/b.git"),
            ("/srv/git/a", "/srv/git/a"),
        ];
        for (address, expected) in cases {
            assert_eq!(without_credentials(Cow::Borrowed(address)), expected);
        }
    }
}
