//! The stream of `droid exec`: calls and results as records of their own.

use super::{STARTERS, STREAM};
use crate::assembly::{self, Assembly, RecordLocation};
use crate::blocks::{self, Around, NewCall, identity};
use crate::formats::Input;
use crate::gaps::Gaps;
use crate::json::{filled, is, is_true, raw_text, record, scalar};
use crate::reader::Item;
use agent_strace_model::attribution::{note, note_each};
use agent_strace_model::{Ending, EventKind, Session, Status, ToolResult};

record! {
    struct Entry {
        kind = "type",
        subtype = "subtype",
        session = "sessionId",
        session_snake = "session_id",
        timestamp = "timestamp",
        id = "id",
        cwd = "cwd",
        model = "model",
        autonomy = "autonomyLevel",
        version = "version",
        role = "role",
        text = "text",
        call_id = "toolCallId",
        tool_name = "toolName",
        tool_id = "toolId",
        parameters = "parameters",
        value = "value",
        error = "error",
        message = "message",
        is_error = "isError",
        usage = "usage",
    }
}

/// Reads one run.
pub(super) fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut assembly = input.session(&STREAM.dialect);
    input.records("a record", gaps, |item: &Item<'a, Entry<'a>>, gaps| add(&mut assembly, item, gaps));
    vec![assembly.finish()]
}

fn add<'a>(assembly: &mut Assembly<'a>, item: &Item<'a, Entry<'a>>, gaps: &mut Gaps) {
    let Item { line, record, .. } = item;
    identify(assembly, record);
    let kind = filled(record.kind).unwrap_or_default();
    let location = RecordLocation { line: *line, id: filled(record.id), time: scalar(record.timestamp) };
    let around = Around { starters: STARTERS, ..Around::of(record.role) };
    match &*kind {
        "system" if is(record.subtype, "init") => assembly.push(location, EventKind::Start),
        "system" => assembly.push(location, EventKind::Other),
        "error" => {
            let said = raw_text(record.message.or(record.error).or(record.text));
            assembly.push(location, said.map_or(EventKind::Other, EventKind::Failure));
        }
        "message" => match record.text {
            Some(text) => blocks::words(assembly, &location, text, &around),
            None => assembly.push(location, EventKind::Other),
        },
        "reasoning" => {
            assembly.push(location, raw_text(record.text).map_or(EventKind::Other, EventKind::Reasoning));
        }
        "tool_result" => result(assembly, location, record),
        "completion" => {
            if let Some(usage) = blocks::usage(record.usage) {
                assembly.together(None, usage);
            }
            assembly.push(location, EventKind::End(Ending::default()));
        }
        "tool_call" => call(assembly, &location, record, &around),
        // Whatever its type says, a tool with parameters is a call.
        _ if record.parameters.is_some() => {
            assembly.unknown(location.clone());
            call(assembly, &location, record, &around);
        }
        "" => gaps.malformed(*line, "a record without a `type`"),
        _ => assembly.unknown(location),
    }
}

fn call<'a>(assembly: &mut Assembly<'a>, location: &RecordLocation<'a>, record: &Entry<'a>, around: &Around<'a>) {
    let id = identity(record.call_id).or_else(|| identity(record.id));
    let tool = filled(record.tool_name).or_else(|| filled(record.tool_id)).unwrap_or_default();
    let arguments = assembly::arguments(record.parameters);
    blocks::add_call(assembly, location, NewCall { id, tool, arguments }, around);
}

fn identify<'a>(assembly: &mut Assembly<'a>, record: &Entry<'a>) {
    assembly.id(filled(record.session).or_else(|| filled(record.session_snake)));
    assembly.root(filled(record.cwd));
    assembly.model(filled(record.model));
    let attribution = &mut assembly.session.attribution;
    note(&mut attribution.version, filled(record.version));
    note_each(&mut attribution.permission_modes, filled(record.autonomy));
}

fn result<'a>(assembly: &mut Assembly<'a>, location: RecordLocation<'a>, record: &Entry<'a>) {
    let id = identity(record.call_id).or_else(|| identity(record.id));
    let is_error = is_true(record.is_error) || record.error.is_some();
    let status = if is_error { Status::Error } else { Status::Ok };
    let result = ToolResult { call_id: id.clone(), text: raw_text(record.value.or(record.error)), is_error };
    assembly.result(location, result, status, id);
}
