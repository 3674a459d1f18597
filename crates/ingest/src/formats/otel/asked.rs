//! Calls that a model asked for in its answer. Mostly a span of the tool follows and says more; where none does, the call
//! may have run all the same.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::attributes::{Attributes, arguments_of};
use crate::assembly::{Assembly, RecordLocation};
use crate::gaps::Gaps;
use agent_strace_model::{Status, ToolCall};

/// Attributes that hold answers as JSON: messages with parts, or calls.
const LISTS: &[&str] = &["gen_ai.output.messages", "ai.response.toolCalls"];

/// Attributes that hold an answer in pieces: `….tool_calls.0.….name`, `.arguments`, `.id`.
const PIECES: &[&str] = &["llm.output_messages.", "gen_ai.completion."];

/// A call as the model asked for it.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    location: RecordLocation<'a>,
    id: Option<String>,
    tool: String,
    arguments: Option<String>,
}

/// The calls that a span's answer asks for.
pub(super) fn read<'a>(given: &Attributes<'a>, location: &RecordLocation<'a>, gaps: &mut Gaps) -> Vec<Asked<'a>> {
    let mut asked = Vec::new();
    for text in LISTS.iter().filter_map(|key| given.get(key)) {
        match serde_json::from_str::<Value>(&text) {
            Ok(Value::Array(list)) => list.iter().for_each(|message| calls(message, location, &mut asked)),
            Ok(message @ Value::Object(_)) => calls(&message, location, &mut asked),
            _ => gaps.malformed(location.line, "the answer in a span can't be read: what it asks for is not known"),
        }
    }
    for (key, name) in PIECES.iter().flat_map(|prefix| given.below(prefix)) {
        let stem = key.strip_suffix(".name").filter(|stem| stem.contains(".tool_calls."));
        let Some(stem) = stem else { continue };
        let call = stem.strip_suffix(".function").unwrap_or(stem);
        asked.push(Asked {
            location: location.clone(),
            id: given.get(&format!("{call}.id")).map(Cow::into_owned),
            tool: name.to_owned(),
            arguments: given.get(&format!("{stem}.arguments")).map(Cow::into_owned),
        });
    }
    asked
}

/// The calls of a message, in its parts or beside them; in some lists each element is a call itself.
fn calls<'a>(message: &Value, location: &RecordLocation<'a>, asked: &mut Vec<Asked<'a>>) {
    let lists = ["parts", "content", "tool_calls"].map(|key| message.get(key).and_then(Value::as_array));
    let parts = lists.into_iter().flatten().flatten().chain([message]);
    asked.extend(parts.filter_map(|part| one(part, location)));
}

/// A part that is a call: it says so, or it is a name with arguments.
fn one<'a>(part: &Value, location: &RecordLocation<'a>) -> Option<Asked<'a>> {
    let call = part.get("function").filter(|function| function.is_object()).unwrap_or(part);
    let first = |value: &Value, keys: &[&str]| {
        let found = keys.iter().find_map(|key| value.get(key)).filter(|value| !value.is_null())?;
        Some(found.as_str().map_or_else(|| found.to_string(), str::to_owned))
    };
    let tool = first(call, &["name", "toolName"]);
    let arguments = first(call, &["arguments", "args", "input"]);
    let is_call = part.get("type").and_then(Value::as_str) == Some("tool_call") || part.get("toolName").is_some();
    (is_call || tool.is_some() && arguments.is_some()).then(|| Asked {
        location: location.clone(),
        id: first(part, &["id", "toolCallId"]),
        tool: tool.unwrap_or_default(),
        arguments,
    })
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
    for Asked { location, id, tool, arguments } in asked {
        if id.as_ref().is_some_and(|id| !ids.insert(id.clone())) {
            continue;
        }
        if let Some(left) = unnamed.get_mut(&tool).filter(|left| **left > 0) {
            *left -= 1;
            continue;
        }
        let arguments = arguments_of(arguments.map(Cow::Owned));
        let call_id = id.map(Cow::Owned);
        let tool = Cow::Owned(tool);
        let call = ToolCall { call_id, tool, arguments, cwd: None, status: Status::Missing, subagent: None };
        assembly.call(location, call, None);
    }
}
