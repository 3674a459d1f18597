//! `CodeBuddy` and `WorkBuddy`: items in the manner of the Responses API, in camel case.

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, RecordLocation, arguments};
use crate::blocks::{self, Around, NewCall, identity};
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::{elements, filled, is, is_array, is_string, object, raw_text, record, scalar};
use crate::reader::Item;
use agent_strace_model::{Dialect, Session, Status, ToolResult};

record! {
    struct Entry {
        kind = "type",
        id = "id",
        time = "timestamp",
        session = "sessionId",
        cwd = "cwd",
        role = "role",
        content = "content",
        name = "name",
        call_id = "callId",
        arguments = "arguments",
        output = "output",
        status = "status",
    }
}

record! {
    struct Part { text = "text" }
}

/// Sessions of `CodeBuddy` (`~/.codebuddy/projects/**`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("codebuddy", "codebuddy"),
    detect: Detect::Record(is_item),
    read,
    homes: &[Home { variables: &[], base: Base::Home, folder: ".codebuddy", logs: "projects/**/*.jsonl" }],
};

fn is_item(head: &Head<'_>) -> bool {
    match head.text("type").as_deref() {
        Some("function_call") => head.is_string("callId") && head.is_string("name"),
        Some("function_call_result") => head.is_string("callId"),
        _ => false,
    }
}

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut assembly = input.session(&FORMAT.dialect);
    input.records("a record", gaps, |item: &Item<'a, Entry<'a>>, gaps| add(&mut assembly, item, gaps));
    vec![assembly.finish()]
}

fn add<'a>(assembly: &mut Assembly<'a>, item: &Item<'a, Entry<'a>>, gaps: &mut Gaps) {
    let Item { line, record, .. } = item;
    let location = RecordLocation { line: *line, id: filled(record.id), time: scalar(record.time) };
    assembly.id(filled(record.session));
    assembly.root(filled(record.cwd));
    let around = Around::of(record.role);
    match &*filled(record.kind).unwrap_or_default() {
        "message" if is_string(record.content) => {
            if let Some(words) = record.content {
                blocks::words(assembly, &location, words, &around);
            }
        }
        "message" if is_array(record.content) => {
            for raw in elements(record.content) {
                match object::<Part<'a>>(Some(raw)) {
                    Some(Part { text: Some(words), .. }) => blocks::words(assembly, &location, words, &around),
                    Some(_) => assembly.unknown(location.clone()),
                    None => gaps.malformed(*line, "a part of a message that is not an object"),
                }
            }
        }
        "message" => gaps.malformed(*line, "a message without content"),
        "function_call" => {
            let tool = filled(record.name).unwrap_or_default();
            let call = NewCall { id: identity(record.call_id), tool, arguments: arguments(record.arguments) };
            blocks::add_call(assembly, &location, call, &Around::of(None));
        }
        "function_call_result" => {
            let id = identity(record.call_id);
            let is_error = record.status.is_some() && !is(record.status, "completed") && !is(record.status, "success");
            let status = if is_error { Status::Error } else { Status::Ok };
            let text = raw_text(record.output.or(record.content));
            let result = ToolResult { call_id: id.clone(), text, is_error };
            assembly.result(location, result, status, id);
        }
        _ => assembly.unknown(location),
    }
}
