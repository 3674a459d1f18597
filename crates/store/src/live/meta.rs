//! `meta.json` of a session that is recorded while it runs, for readers that look at nothing else.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use super::Stage;
use super::state::State;

/// What it says now. What was said when the session began stays.
pub(super) fn text(state: &State, directory: &str, stage: &Stage<'_>, path: &Path) -> String {
    let known = fs::read(path).ok().and_then(|bytes| serde_json::from_slice::<Map<String, Value>>(&bytes).ok());
    let mut meta = known.unwrap_or_default();
    if let Stage::Began(begun) = stage {
        let said = begun.attribution.iter().filter(|(_, value)| !value.is_empty());
        let attribution: Map<_, _> = said.map(|(key, value)| ((*key).to_owned(), value.clone().into())).collect();
        meta.insert("agent_name".to_owned(), begun.agent.into());
        meta.insert("command".to_owned(), begun.command.into());
        meta.insert("attribution".to_owned(), attribution.into());
        if let Some(parent) = begun.parent {
            meta.insert("parent_session_id".to_owned(), parent.into());
            meta.insert("depth".to_owned(), 1.into());
        }
    }
    meta.insert("session_id".to_owned(), directory.into());
    let ended = if *stage == Stage::Ended { state.last } else { None };
    let duration = state.started.zip(state.last).map(|(first, last)| ((last - first) * 1e6).round() / 1e3);
    let counted = [
        ("started_at", state.started.map(Value::from)),
        ("ended_at", ended.map(Value::from)),
        ("tool_calls", (state.tool_calls > 0).then(|| state.tool_calls.into())),
        ("errors", (state.errors > 0).then(|| state.errors.into())),
        ("total_duration_ms", duration.filter(|duration| *duration > 0.0).map(Value::from)),
    ];
    for (key, value) in counted {
        match value {
            Some(value) => meta.insert(key.to_owned(), value),
            None => meta.remove(key),
        };
    }
    let mut text = serde_json::to_string_pretty(&meta).unwrap_or_default();
    text.push('\n');
    text
}
