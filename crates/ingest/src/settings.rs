//! Settings of an agent that its log carries along: whether there are credentials among them.
//!
//! Only settings are looked through, not what the agent read or wrote, and only where a value stands is noted.

use std::borrow::Cow;

use super::json::{Raw, elements, fields, text};
use super::scan::is_json;
use agent_strace_model::Evidence;

/// Settings in settings.
const DEEPEST: usize = 8;
/// Credentials of one log beyond these are not listed.
const MOST: usize = 20;
/// Keys that lead to a credential are shown up to this length.
const LONGEST: usize = 120;

/// Ends of keys whose values are credentials, in lower case and without what separates words.
const KEYS: &[&str] = &[
    "apikey",
    "authorization",
    "accesstoken",
    "authtoken",
    "bearertoken",
    "refreshtoken",
    "secretkey",
    "secretaccesskey",
    "clientsecret",
    "password",
];

/// What people write where a key is asked for and none is needed.
const NONE: &[&str] = &[
    "none",
    "null",
    "empty",
    "dummy",
    "unused",
    "test",
    "local",
    "local-token",
    "ollama",
    "lm-studio",
    "not-needed",
    "no-key",
    "no-key-required",
    "sk-no-key-required",
    "n/a",
    "na",
    "placeholder",
    "changeme",
    "your-api-key",
];

/// Notes the credentials in one part of a log that holds settings. `name`: its key.
pub(super) fn look_through(evidence: &mut Evidence<'_>, name: &str, settings: Option<Raw<'_>>) {
    let Some(settings) = settings else { return };
    match text(Some(settings)) {
        // Some keep their settings as a text that holds JSON.
        Some(json) => {
            if is_json(&json) {
                look(evidence, name, &json, 0);
            }
        }
        None => look(evidence, name, settings.get(), 0),
    }
}

fn look(evidence: &mut Evidence<'_>, path: &str, json: &str, depth: usize) {
    if depth >= DEEPEST || evidence.credentials.len() >= MOST {
        return;
    }
    if json.starts_with('[') {
        for element in elements(Some(Raw::new(json))) {
            look(evidence, path, element.get(), depth + 1);
        }
        return;
    }
    let Some(members) = fields(json) else { return };
    for (key, value) in members {
        let path = format!("{path}.{key}");
        match text(Some(value)) {
            Some(value) if names_credential(&key) && is_credential(&value) => note(evidence, &path),
            Some(_) => {}
            None => look(evidence, &path, value.get(), depth + 1),
        }
    }
}

fn note(evidence: &mut Evidence<'_>, path: &str) {
    if evidence.credentials.len() < MOST {
        let key: String = path.chars().take(LONGEST).collect();
        evidence.credentials.push(Cow::Owned(key));
    }
}

fn names_credential(key: &str) -> bool {
    let plain: String = key.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    KEYS.iter().any(|end| plain.ends_with(end))
}

/// Whether a value is one, and not a word for none, the name of a variable, or what is left of one that was hidden.
fn is_credential(value: &str) -> bool {
    let value = value.trim();
    let value = value.strip_prefix("Bearer ").or_else(|| value.strip_prefix("Basic ")).unwrap_or(value).trim();
    let elsewhere = ["$", "{{", "<", "env:", "env/", "os.environ"].iter().any(|start| value.starts_with(start));
    let hidden = value.contains("***") || value.contains('…') || value.to_ascii_lowercase().contains("redacted");
    let is_none = NONE.iter().any(|none| value.eq_ignore_ascii_case(none));
    !value.is_empty()
        && !elsewhere
        && !hidden
        && !is_none
        && value.chars().any(|part| !matches!(part, 'x' | 'X' | '.' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(json: &str) -> Vec<String> {
        let mut evidence = Evidence::default();
        look_through(&mut evidence, "config", Some(Raw::new(json)));
        evidence.credentials.into_iter().map(Cow::into_owned).collect()
    }

    #[test]
    fn credentials_are_found_by_the_end_of_their_key() {
        let cases: &[(&str, &[&str])] = &[
            (r#"{"api_key":"sk-1"}"#, &["config.api_key"]),
            (r#"{"apiKey":"sk-1","OPENAI_API_KEY":"sk-2"}"#, &["config.OPENAI_API_KEY", "config.apiKey"]),
            (r#"{"a":{"headers":[{"Authorization":"Bearer abc"}]}}"#, &["config.a.headers.Authorization"]),
            (r#""{\"agent\":{\"api_key\":\"sk-1\"}}""#, &["config.agent.api_key"]),
            (r#"{"api_key":""}"#, &[]),
            (r#"{"api_key":null,"password":7}"#, &[]),
            (r#"{"api_key":"$OPENAI_API_KEY","apiKey":"${KEY}","auth_token":"env:KEY"}"#, &[]),
            (r#"{"api_key":"local-token"}"#, &[]),
            (r#"{"api_key":"sk-***abc","authorization":"Bearer [REDACTED]","x-api-key":"xxxx"}"#, &[]),
            (r#"{"apiKeySource":"env","api_key_env":"KEY","max_tokens":"5"}"#, &[]),
            ("[]", &[]),
            ("7", &[]),
            (r#""no json""#, &[]),
        ];
        for (json, wanted) in cases {
            assert_eq!(keys(json), *wanted, "{json}");
        }
    }

    #[test]
    fn settings_are_looked_through_within_bounds() {
        let deep = format!("{}{{\"api_key\":\"sk-1\"}}{}", "{\"a\":".repeat(50), "}".repeat(50));
        assert!(keys(&deep).is_empty());
        let many: Vec<String> = (0..100).map(|n| format!("\"{n}_api_key\":\"sk-1\"")).collect();
        assert_eq!(keys(&format!("{{{}}}", many.join(","))).len(), MOST);
        let long = format!("{{\"{}_api_key\":\"sk-1\"}}", "é".repeat(500));
        assert_eq!(keys(&long).first().map(|key| key.chars().count()), Some(LONGEST));
    }
}
