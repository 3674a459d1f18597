//! Texts of records.

use super::json::Object;
use agent_strace_model::RawText;

/// What a reader that knows only text sees of anything else.
const PREVIEW: usize = 2_000;

/// Puts a text under `key`. What is no text (a list of blocks) goes whole into `recorded`, and a preview under `key`.
pub(super) fn put(data: &mut Object, recorded: &mut Object, key: &str, text: &RawText<'_>) {
    match text {
        RawText::Plain(text) => data.text(key, text),
        RawText::Json(json) if json.trim_start().starts_with('"') => data.json(key, json),
        RawText::Json(json) => {
            data.text(key, &preview(json));
            recorded.json("json", json);
        }
    }
}

/// The beginning of a text.
pub(super) fn short(text: &RawText<'_>) -> String {
    const SHOWN: usize = 200;
    let text = match text {
        RawText::Json(json) if !json.trim_start().starts_with('"') => preview(json).into(),
        text => text.decode(),
    };
    text.chars().take(SHOWN).collect()
}

/// The texts of blocks, or the JSON itself, shortened.
fn preview(json: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(json).unwrap_or_default();
    let texts: Vec<_> = match &value {
        serde_json::Value::Array(blocks) => blocks.iter().filter_map(block).collect(),
        other => block(other).into_iter().collect(),
    };
    let text = if texts.is_empty() { super::json::compact(json, super::Secrets::Keep) } else { texts.join("\n") };
    text.chars().take(PREVIEW).collect()
}

fn block(value: &serde_json::Value) -> Option<&str> {
    value.get("text").or_else(|| value.get("content"))?.as_str()
}
