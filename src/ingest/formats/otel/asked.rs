//! Calls that a model asked for in its answer. Mostly a span of the tool follows and says more; where none does, the call
//! may have run all the same.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::attributes::Attributes;
use crate::ingest::assembly::{Assembly, Place};
use crate::ingest::gaps::Gaps;
use crate::ingest::scan::is_json;
use crate::model::{Arguments, Status, ToolCall};

/// Attributes that hold answers as JSON: messages with parts, or calls.
const LISTS: &[&str] = &["gen_ai.output.messages", "ai.response.toolCalls"];

/// Attributes that hold an answer in pieces: `….tool_calls.0.….name`, `.arguments`, `.id`.
const PIECES: &[&str] = &["llm.output_messages.", "gen_ai.completion."];

/// A call as the model asked for it.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    place: Place<'a>,
    id: Option<String>,
    tool: String,
    arguments: Option<String>,
}

/// The calls that a span's answer asks for.
pub(super) fn read<'a>(given: &Attributes<'a>, place: &Place<'a>, gaps: &mut Gaps) -> Vec<Asked<'a>> {
    let mut asked = Vec::new();
    for text in LISTS.iter().filter_map(|key| given.get(key)) {
        match serde_json::from_str::<Value>(&text) {
            Ok(list) => messages(&list, place, &mut asked),
            Err(_) => gaps.push(Some(place.line), "the answer in a span can't be read: what it asks for is not known"),
        }
    }
    for (key, name) in PIECES.iter().flat_map(|prefix| given.below(prefix)) {
        let stem = key.strip_suffix(".name").filter(|stem| stem.contains(".tool_calls."));
        let Some(stem) = stem else { continue };
        let call = stem.strip_suffix(".function").unwrap_or(stem);
        asked.push(Asked {
            place: place.clone(),
            id: given.get(&format!("{call}.id")).map(Cow::into_owned),
            tool: name.to_owned(),
            arguments: given.get(&format!("{stem}.arguments")).map(Cow::into_owned),
        });
    }
    asked
}

fn messages<'a>(list: &Value, place: &Place<'a>, asked: &mut Vec<Asked<'a>>) {
    for message in list.as_array().into_iter().flatten() {
        match message.get("parts").and_then(Value::as_array) {
            Some(parts) => {
                let calls = parts.iter().filter(|part| part.get("type").and_then(Value::as_str) == Some("tool_call"));
                asked.extend(calls.map(|call| one(call, place)));
            }
            None if message.get("toolName").is_some() => asked.push(one(message, place)),
            None => {}
        }
    }
}

fn one<'a>(call: &Value, place: &Place<'a>) -> Asked<'a> {
    let first = |keys: &[&str]| keys.iter().find_map(|key| call.get(key)).filter(|value| !value.is_null());
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Asked {
        place: place.clone(),
        id: first(&["id", "toolCallId"]).map(text),
        tool: first(&["name", "toolName"]).map(text).unwrap_or_default(),
        arguments: first(&["arguments", "args", "input"]).map(text),
    }
}

/// Adds the calls that no span of a tool tells of. A span without the call's id tells of one call of its tool.
pub(super) fn add_untold<'a>(assembly: &mut Assembly<'a>, asked: Vec<Asked<'a>>) {
    let mut ids = HashSet::new();
    let mut unnamed: HashMap<String, usize> = HashMap::new();
    for (_, call) in assembly.session.calls() {
        match &call.call_id {
            Some(id) => _ = ids.insert(id.clone().into_owned()),
            None => *unnamed.entry(call.tool.clone().into_owned()).or_default() += 1,
        }
    }
    for Asked { place, id, tool, arguments } in asked {
        if id.as_ref().is_some_and(|id| !ids.insert(id.clone())) {
            continue;
        }
        if let Some(left) = unnamed.get_mut(&tool).filter(|left| **left > 0) {
            *left -= 1;
            continue;
        }
        let arguments = match arguments {
            Some(json) if is_json(&json) => Arguments::Json(Cow::Owned(json)),
            Some(text) => Arguments::Text(Cow::Owned(text)),
            None => Arguments::Missing,
        };
        let call_id = id.map(Cow::Owned);
        let tool = Cow::Owned(tool);
        let call = ToolCall { call_id, tool, arguments, cwd: None, status: Status::Missing, subagent: None };
        assembly.call(place, call, None);
    }
}
