//! The older layout: turns of parts, as the API takes them.

use std::borrow::Cow;

use crate::assembly::{Assembly, RecordLocation};
use crate::gaps::Gaps;
use crate::json::{Raw, elements, filled, is, object, raw_text, record};
use crate::reader::{LineCounter, Reader};
use agent_strace_model::{Arguments, EventKind, RawText, Status, ToolCall, ToolResult};

record! {
    struct Turn { role = "role", parts = "parts" }
}

record! {
    struct Part { text = "text", call = "functionCall", response = "functionResponse" }
}

record! {
    struct Function { id = "id", name = "name", args = "args", response = "response" }
}

record! {
    struct Response { error = "error" }
}

pub(super) fn read<'a>(assembly: &mut Assembly<'a>, json: &'a str, line: u32, list: Raw<'a>, gaps: &mut Gaps) {
    let start = LineCounter::new(json, line).line_of(list.get());
    let mut reader = Reader::nested(list.get(), start);
    while let Some(item) = reader.next::<Turn<'a>>(gaps) {
        let location = RecordLocation { line: item.line, id: None, time: None };
        for raw in elements(item.record.parts) {
            match object::<Part<'a>>(Some(raw)) {
                Some(part) => add(assembly, &location, &part, is(item.record.role, "user")),
                None => gaps.malformed(item.line, "a part of a turn that is not an object"),
            }
        }
    }
}

fn add<'a>(assembly: &mut Assembly<'a>, location: &RecordLocation<'a>, part: &Part<'a>, user: bool) {
    if let Some(text) = part.text {
        let words = RawText::Json(text.get());
        assembly.push(location.clone(), if user { EventKind::Prompt(words) } else { EventKind::Message(words) });
    }
    if let Some(function) = object::<Function<'a>>(part.call) {
        let link = link(&function);
        let call = ToolCall {
            call_id: link.clone(),
            tool: filled(function.name).unwrap_or(Cow::Borrowed("")),
            arguments: function.args.map_or(Arguments::Missing, |args| Arguments::Json(Cow::Borrowed(args.get()))),
            cwd: None,
            status: Status::Missing,
            subagent: None,
        };
        assembly.call(location.clone(), call, link);
    }
    if let Some(function) = object::<Function<'a>>(part.response) {
        let is_error = object::<Response<'_>>(function.response).is_some_and(|response| response.error.is_some());
        let status = if is_error { Status::Error } else { Status::Ok };
        let link = link(&function);
        let result = ToolResult { call_id: link.clone(), text: raw_text(function.response), is_error };
        assembly.result(location.clone(), result, status, link);
    }
}

/// Without ids, a response belongs to the latest call of its function.
fn link<'a>(function: &Function<'a>) -> Option<Cow<'a, str>> {
    filled(function.id).or_else(|| filled(function.name))
}
