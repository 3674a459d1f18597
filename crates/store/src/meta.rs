//! `meta.json`: what a session adds up to, in the keys that every reader of the store knows and no others.

use super::Secrets;
use super::events::Lines;
use super::{Imported, name};
use agent_strace_model::{Session, Status};
use agent_strace_secrets::redact;

/// The text of `meta.json`. Keys that would say nothing are left out.
pub(super) fn text(imported: &Imported<'_>, directory: &str, lines: &Lines) -> String {
    let session = imported.session;
    let mut meta = serde_json::Map::new();
    let mut put = |key: &str, value: serde_json::Value| {
        let empty = value.is_null() || value.as_str() == Some("") || value.as_u64() == Some(0);
        if !empty {
            meta.insert(key.to_owned(), value);
        }
    };
    let shown = |text: &str| match imported.secrets {
        Secrets::Keep => text.to_owned(),
        Secrets::Redact => redact(text).as_str().to_owned(),
    };
    put("session_id", directory.into());
    put("started_at", lines.first.into());
    put("ended_at", lines.last.into());
    put("agent_name", shown(&session.agent).into());
    put("command", shown(&format!("imported from {}", imported.source.name)).into());
    put("tool_calls", session.calls().count().into());
    put("llm_requests", session.usage.requests.into());
    let failed = |status| matches!(status, Status::Error | Status::Denied);
    put("errors", session.calls().filter(|(_, call)| failed(call.status)).count().into());
    put("total_tokens", tokens(session).into());
    let duration = lines.first.zip(lines.last).map(|(first, last)| ((last - first) * 1e6).round() / 1e3);
    put("total_duration_ms", duration.into());
    put("parent_session_id", session.parent.as_deref().map(name::directory).into());
    put("depth", u64::from(session.parent.is_some()).into());
    let attribution = attribution(session).into_iter().map(|(key, value)| (key.to_owned(), shown(&value).into()));
    put("attribution", serde_json::Value::Object(attribution.collect()));
    let mut text = serde_json::to_string_pretty(&meta).unwrap_or_default();
    text.push('\n');
    text
}

fn tokens(session: &Session<'_>) -> u64 {
    let usage = session.usage;
    [usage.input, usage.output, usage.cache_read, usage.cache_write].into_iter().fold(0, u64::saturating_add)
}

fn attribution(session: &Session<'_>) -> Vec<(&'static str, String)> {
    let known = &session.attribution;
    let facts = [
        ("os_user", known.user.as_deref()),
        ("hostname", known.host.as_deref()),
        ("agent_provider", Some(&*session.agent)),
        ("agent_version", known.version.as_deref()),
        ("git_repo", known.repository.as_deref()),
        ("git_branch", known.branches.first().map(AsRef::as_ref)),
        ("git_commit", known.commit.as_deref()),
        ("git_top", session.top.as_deref()),
        ("working_dir", session.root.as_deref()),
    ];
    let said =
        |(key, value): (&'static str, Option<&str>)| Some((key, value.filter(|text| !text.is_empty())?.to_owned()));
    facts.into_iter().filter_map(said).collect()
}
