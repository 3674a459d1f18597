//! Poolside: the events of a trajectory.

use super::{Base, Detect, Format, Home, Input};
use crate::assembly::{Assembly, RecordLocation, arguments};
use crate::blocks::{self, Around, NewCall, identity};
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::{Counts, Nested, elements, filled, is_true, raw_text, record, scalar, text, whole};
use crate::reader::Item;
use agent_strace_model::{Dialect, Ending, EventKind, Session, Status, ToolResult, Usage};

record! {
    struct Event {
        id = "id",
        step = "step_id",
        time = "timestamp",
        kind = "type",
        workspace = "workspace",
        directories = "working_directories",
        prompt = "prompt",
        input = "input",
        content = "content",
        message = "message",
        text = "text",
        name = "name",
        args = "args",
        tool = "tool_name",
        observation = "observation",
        is_error = "is_error",
        fault = "execution_error_kind",
        shell: Nested<Shell<'a>> = "shell_run_tool_result",
        tool_id = "tool_call_id",
        reason = "reason",
        sent = "input_tokens",
        came = "output_tokens",
        read = "cache_read_input_tokens",
        written = "cache_creation_input_tokens",
    }
}

record! {
    struct Shell { code = "exit_code" }
}

/// Trajectories of Poolside's agent (`poolside/trajectories/*.ndjson`).
pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("poolside", "poolside"),
    detect: Detect::Record(is_event),
    read,
    homes: &[
        Home { variables: &[], base: Base::Data, folder: "poolside", logs: "trajectories/*.ndjson" },
        Home { variables: &[], base: Base::Config, folder: "poolside", logs: "trajectories/*.ndjson" },
    ],
};

fn is_event(head: &Head<'_>) -> bool {
    match head.text("type").as_deref() {
        Some("tool_call.parsed") => head.is_string("name") && head.has("args"),
        Some("tool_call.result") => head.is_string("tool_name") || head.has("observation"),
        Some("session.start") => head.is_string("workspace") || head.is_array("working_directories"),
        Some("tool_call.inference.end" | "assistant_message.end" | "thought.end") => head.has_all(&["id", "timestamp"]),
        _ => false,
    }
}

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut assembly = input.session(&FORMAT.dialect);
    input.records("an event", gaps, |item: &Item<'a, Event<'a>>, gaps| add(&mut assembly, item, gaps));
    vec![assembly.finish()]
}

fn add<'a>(assembly: &mut Assembly<'a>, item: &Item<'a, Event<'a>>, gaps: &mut Gaps) {
    let Item { line, record, .. } = item;
    let location = RecordLocation { line: *line, id: filled(record.step), time: scalar(record.time) };
    let said = record.content.or(record.message).or(record.text);
    let call_id = identity(record.tool_id).or_else(|| identity(record.id));
    match &*filled(record.kind).unwrap_or_default() {
        "session.start" => {
            let first = elements(record.directories).first().copied();
            assembly.root(filled(record.workspace).or_else(|| text(first)));
            assembly.push(location.clone(), EventKind::Start);
            if filled(record.prompt).is_some() {
                assembly.push(location, raw_text(record.prompt).map_or(EventKind::Other, EventKind::Prompt));
            }
        }
        "session.input" => {
            let said = raw_text(record.input.or(record.prompt).or(said));
            assembly.push(location, said.map_or(EventKind::Other, EventKind::Prompt));
        }
        "assistant_message.end" => assembly.push(location, raw_text(said).map_or(EventKind::Other, EventKind::Message)),
        "thought.end" => assembly.push(location, raw_text(said).map_or(EventKind::Other, EventKind::Reasoning)),
        "tool_call.parsed" => {
            let tool = filled(record.name).unwrap_or_default();
            let call = NewCall { id: call_id, tool, arguments: arguments(record.args) };
            blocks::add_call(assembly, &location, call, &Around::of(None));
        }
        "tool_call.result" => {
            let code = record.shell.object().and_then(|shell| shell.code);
            let failed = is_true(record.is_error) || record.fault.is_some() || code.is_some() && whole(code) != Some(0);
            let status = if failed { Status::Error } else { Status::Ok };
            let result = ToolResult { call_id: call_id.clone(), text: raw_text(record.observation), is_error: failed };
            assembly.result(location, result, status, call_id);
        }
        "tool_call.inference.end" => spent(assembly, record),
        "session.exit" => {
            let ending = Ending { status: filled(record.reason), ..Ending::default() };
            assembly.push(location, EventKind::End(ending));
        }
        "session.error" => assembly.push(location, raw_text(said).map_or(EventKind::Other, EventKind::Failure)),
        "" => gaps.malformed(*line, "an event without its type"),
        kind if kind.starts_with("assistant_message.") || kind.starts_with("thought.") => {
            assembly.push(location, EventKind::Other);
        }
        _ => assembly.unknown(location),
    }
}

fn spent<'a>(assembly: &mut Assembly<'a>, record: &Event<'a>) {
    let mut counts = Counts::default();
    let usage = Usage {
        input: counts.needed(record.sent),
        output: counts.needed(record.came),
        cache_read: counts.of(record.read),
        cache_write: counts.of(record.written),
        partial: counts.is_partial,
        ..Usage::default()
    };
    assembly.usage(filled(record.step).or_else(|| filled(record.id)), usage);
}
