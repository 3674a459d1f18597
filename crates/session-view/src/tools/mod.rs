//! What a tool was asked to do, as one document for all agents: known arguments first, in a fixed order.
//!
//! This is how a call is shown, by the rules of agtrace's mappers: it takes a command for a search by its first word.
//! What a call does is worked out from its real arguments, elsewhere.

mod intent;
mod patch;
mod shape;

use serde_json::{Map, Value, json};

use super::document::Arguments;
use super::timeline::RecordStyle;
use intent::Intent;
use shape::Shape;

/// The names of a tool.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToolName<'s> {
    /// The name in the record.
    pub(super) name: &'s str,
    /// The name that users see.
    pub(super) shown: Option<&'s str>,
}

/// The arguments as they are shown; those that are not as the tool's should be stay as recorded.
pub(super) fn arguments(style: RecordStyle, tool: ToolName<'_>, value: Value) -> Arguments {
    let known = match (style, &value) {
        (RecordStyle::Plain, _) => None,
        (_, Value::Object(object)) => known(style, tool, object),
        _ => None,
    };
    known.map_or(Arguments::Value(value), Arguments::Fields)
}

type Fields = Vec<(String, Value)>;

fn known(style: RecordStyle, tool: ToolName<'_>, object: &Map<String, Value>) -> Option<Fields> {
    let name = tool.name;
    match style {
        RecordStyle::Codex => match name {
            "apply_patch" => patch::fields(object),
            "shell" => argv(object),
            "shell_command" => shape::EXECUTE.read(object).map(by_intent),
            "read_mcp_resource" => resource(object),
            _ => server_of_name(name, object),
        },
        RecordStyle::Gemini => match Shape::of_gemini(name) {
            Some(shape) => shape.read(object),
            None => server_of_shown(tool, object),
        },
        RecordStyle::Claude => match Shape::of_claude(name) {
            Some(shape) => shape.read(object),
            None => server_of_name(name, object),
        },
        RecordStyle::Plain => None,
    }
}

/// A command as a list of words.
fn argv(object: &Map<String, Value>) -> Option<Fields> {
    let words: Option<Vec<&str>> = object.get("command")?.as_array()?.iter().map(Value::as_str).collect();
    let mut fields = vec![("command".to_owned(), Value::from(words?.join(" ")))];
    match object.get("timeout_ms") {
        None | Some(Value::Null) => {}
        Some(timeout) => fields.push(("timeout".to_owned(), timeout.as_u64()?.into())),
    }
    match object.get("workdir") {
        None | Some(Value::Null) => {}
        Some(workdir) => fields.push(("workdir".to_owned(), workdir.as_str()?.into())),
    }
    Some(by_intent(fields))
}

/// A command that only looks is shown as what it looks at.
fn by_intent(fields: Fields) -> Fields {
    let command = fields.iter().find(|(name, _)| name == "command").and_then(|(_, value)| value.as_str());
    let Some(command) = command else { return fields };
    let (field, found) = match intent::of(command) {
        Intent::Search => ("pattern", intent::pattern(command)),
        Intent::Read => ("file_path", intent::file(command)),
        Intent::Run => return fields,
    };
    let found = found.map(|found| (field.to_owned(), Value::from(found)));
    found.into_iter().chain([("command".to_owned(), Value::from(command))]).collect()
}

fn resource(object: &Map<String, Value>) -> Option<Fields> {
    let [server, uri] = ["server", "uri"].map(|name| object.get(name).and_then(Value::as_str));
    Some(vec![("file_path".to_owned(), uri?.into()), ("server".to_owned(), server?.into())])
}

/// `mcp__server__tool`.
fn server_of_name(name: &str, object: &Map<String, Value>) -> Option<Fields> {
    served(name.strip_prefix("mcp__")?.split_once("__"), object)
}

/// `tool (server MCP Server)`.
fn server_of_shown(tool: ToolName<'_>, object: &Map<String, Value>) -> Option<Fields> {
    let shown = tool.shown.filter(|shown| shown.contains("MCP Server"))?;
    let server = shown.split_once('(').and_then(|(_, rest)| Some(rest.split_once(" MCP Server)")?.0.trim()));
    let mut fields = served(None, object)?;
    let named = server.map(|server| ("server".to_owned(), json!(server)));
    let names = named.into_iter().chain([("tool".to_owned(), json!(tool.name))]);
    fields.splice(0..0, names);
    Some(fields)
}

fn served(names: Option<(&str, &str)>, object: &Map<String, Value>) -> Option<Fields> {
    let is_name = |name| object.get(name).is_none_or(|value| value.is_string() || value.is_null());
    if !(is_name("server") && is_name("tool")) {
        return None;
    }
    let names = names.into_iter().flat_map(|(server, tool)| [("server", server), ("tool", tool)]);
    let names = names.map(|(field, value)| (field.to_owned(), Value::from(value)));
    let rest = object.iter().filter(|(name, _)| !matches!(name.as_str(), "server" | "tool"));
    Some(names.chain(rest.map(|(name, value)| (name.clone(), value.clone()))).collect())
}
