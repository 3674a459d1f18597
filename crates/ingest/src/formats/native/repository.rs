//! Which repository a session of the store ran in, under each of the keys that writers of the store have for it.

use std::borrow::Cow;

use crate::json::{Raw, filled, object, parse, record};
use agent_strace_model::Session;
use agent_strace_model::attribution::{note, without_credentials};

record! {
    struct Keys {
        git_repo = "git_repo",
        repository = "repository",
        repository_url = "repository_url",
        repo_url = "repo_url",
        git_remote = "git_remote",
        remote_url = "remote_url",
        repo = "repo",
        remote = "remote",
        origin = "origin",
    }
}

record! {
    struct Described { url = "url", full_name = "full_name", name = "name" }
}

/// Reads it from an object of JSON, unless it is known already.
pub(super) fn note_repository<'a>(session: &mut Session<'a>, json: &'a str) {
    if session.attribution.repository.is_none()
        && let Some(keys) = parse::<Keys<'a>>(json)
    {
        note(&mut session.attribution.repository, keys.address().map(without_credentials));
    }
}

impl<'a> Keys<'a> {
    fn address(&self) -> Option<Cow<'a, str>> {
        let names = [self.git_repo, self.repository, self.repo].into_iter().find_map(address);
        // The name of a remote, such as `origin`, is no address.
        let is_address = |text: &Cow<'a, str>| text.contains(['/', ':']);
        let addresses = [self.repository_url, self.repo_url, self.git_remote, self.remote_url];
        let addressed = || addresses.into_iter().filter_map(address).find(is_address);
        // These may also say where a session came from: `cli`, or the page of a service.
        let origins = || [self.remote, self.origin].into_iter().filter_map(address).find(|text| is_of_git(text));
        names.or_else(addressed).or_else(origins)
    }
}

/// An address that nothing but git has.
fn is_of_git(address: &str) -> bool {
    const SCHEMES: &[&str] = &["git@", "git://", "ssh://", "git+ssh://"];
    address.trim_end_matches('/').strip_suffix(".git").is_some()
        || SCHEMES.iter().any(|scheme| address.starts_with(scheme))
}

/// A text, or an object that describes a repository as forges do.
fn address(value: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    let described = || {
        let described = object::<Described<'_>>(value)?;
        filled(described.url).or_else(|| filled(described.full_name)).or_else(|| filled(described.name))
    };
    filled(value).or_else(described)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_strace_model::Session;

    #[test]
    fn a_repository_is_read_under_each_of_its_keys() {
        const ADDRESS: &str = "https://forge.example/acme/rates";
        let cases = [
            (r#"{"git_repo": "https://dana:pw@forge.example/acme/rates"}"#, Some(ADDRESS)),
            (r#"{"repository": "https://forge.example/acme/rates"}"#, Some(ADDRESS)),
            (r#"{"repository": {"url": "https://forge.example/acme/rates", "id": 7}}"#, Some(ADDRESS)),
            (r#"{"repository": {"full_name": "acme/rates"}}"#, Some("acme/rates")),
            (r#"{"repository_url": "https://forge.example/acme/rates"}"#, Some(ADDRESS)),
            (r#"{"repo_url": "https://forge.example/acme/rates"}"#, Some(ADDRESS)),
            (r#"{"remote_url": "https://forge.example/acme/rates"}"#, Some(ADDRESS)),
            (r#"{"repo": "rates"}"#, Some("rates")),
            (r#"{"remote": "git@forge.example:acme/rates.git"}"#, Some("git@forge.example:acme/rates.git")),
            (r#"{"origin": "git://forge.example/acme/rates"}"#, Some("git://forge.example/acme/rates")),
            (
                r#"{"remote": "origin", "origin": "https://forge.example/acme/rates.git"}"#,
                Some("https://forge.example/acme/rates.git"),
            ),
            (r#"{"origin": "https://forge.example/apps/agent"}"#, None),
            (r#"{"remote": "wsl://Ubuntu/home/dana"}"#, None),
            (r#"{"git_remote": "origin", "remote_url": "origin"}"#, None),
            (r#"{"origin": "cli"}"#, None),
            (r#"{"remote": true, "repo": 7, "repository": null}"#, None),
            (r#"{"git_repo": ""}"#, None),
            (r#"{"git_repo": "acme/rates", "repository": "acme/other"}"#, Some("acme/rates")),
            ("[]", None),
        ];
        for (json, expected) in cases {
            let mut session = Session::new(&super::super::FORMAT.dialect, "log");
            note_repository(&mut session, json);
            assert_eq!(session.attribution.repository.as_deref(), expected, "{json}");
        }
    }
}
