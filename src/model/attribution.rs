//! Who ran a session, where and how, as the log says. Nothing here is looked up or guessed.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// What a log says about who ran it. Lists hold every value that occurred, once, in order of first occurrence.
///
/// Its fields are keys of imported sessions in the store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Attribution<'a> {
    pub(crate) user: Option<Cow<'a, str>>,
    pub(crate) host: Option<Cow<'a, str>>,
    /// Of the agent.
    pub(crate) version: Option<Cow<'a, str>>,
    /// How it was started (`cli`, `sdk-cli`, `codex_exec`, …).
    pub(crate) entrypoint: Option<Cow<'a, str>>,
    pub(crate) models: Vec<Cow<'a, str>>,
    /// What the agent may do without asking, in its own words (`bypassPermissions`, `never`).
    pub(crate) permission_modes: Vec<Cow<'a, str>>,
    /// In its own words (`workspace-write`, `danger-full-access`).
    pub(crate) sandboxes: Vec<Cow<'a, str>>,
    pub(crate) repository: Option<Cow<'a, str>>,
    pub(crate) branches: Vec<Cow<'a, str>>,
    pub(crate) commit: Option<Cow<'a, str>>,
}

/// Keeps the first value of a fact.
pub(crate) fn note<'a>(fact: &mut Option<Cow<'a, str>>, value: Option<Cow<'a, str>>) {
    if fact.is_none() {
        *fact = value;
    }
}

/// Keeps every value of a fact once.
pub(crate) fn note_each<'a>(facts: &mut Vec<Cow<'a, str>>, value: Option<Cow<'a, str>>) {
    // The last one is nearly always the same again.
    if let Some(value) = value
        && facts.last() != Some(&value)
        && !facts.contains(&value)
    {
        facts.push(value);
    }
}

/// The address of a repository without the user and password it may hold. `git@host:path` names a user that everybody
/// knows and stays.
pub(crate) fn without_credentials(address: Cow<'_, str>) -> Cow<'_, str> {
    let Some((scheme, rest)) = address.split_once("://") else { return address };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let Some((_, host)) = authority.rsplit_once('@') else { return address };
    Cow::Owned(format!("{scheme}://{host}{path}"))
}

impl Attribution<'_> {
    /// Without the log it was read from.
    pub(crate) fn into_owned(self) -> Attribution<'static> {
        let one = |fact: Option<Cow<'_, str>>| fact.map(|fact| Cow::Owned(fact.into_owned()));
        let all = |facts: Vec<Cow<'_, str>>| facts.into_iter().map(|fact| Cow::Owned(fact.into_owned())).collect();
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
