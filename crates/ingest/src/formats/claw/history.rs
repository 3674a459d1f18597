//! The agent's own list of what its tools did: calls that are only there lost their message.

use std::borrow::Cow;

use crate::assembly::{Assembly, RecordLocation};
use crate::gaps::Gaps;
use crate::json::{Raw, filled, is_array, is_true, record, scalar};
use crate::reader::Reader;
use agent_strace_model::{Arguments, Status, ToolCall};

record! {
    struct Entry {
        timestamp = "timestamp",
        id = "tool_call_id",
        tool = "tool_name",
        ok = "ok",
    }
}

/// Adds the calls whose messages are gone. An entry names what was touched as the arguments of its call would.
pub(super) fn add_missing<'a>(assembly: &mut Assembly<'a>, json: &'a str, line: u32, list: Raw<'a>, gaps: &mut Gaps) {
    if !is_array(Some(list)) {
        return gaps.malformed(line, "the history of files is not a list");
    }
    let mut reader = Reader::of_field(json, line, list);
    while let Some(item) = reader.next::<Entry<'a>>(gaps) {
        let entry = &item.record;
        let id = filled(entry.id);
        if id.as_deref().is_some_and(|id| assembly.call_of(id).is_some()) {
            continue;
        }
        let evidence = &mut assembly.session.evidence;
        evidence.removed = evidence.removed.saturating_add(1);
        let location = RecordLocation { line: item.line, id: None, time: scalar(entry.timestamp) };
        let call = ToolCall {
            call_id: id.clone(),
            tool: filled(entry.tool).unwrap_or(Cow::Borrowed("")),
            arguments: Arguments::Json(Cow::Borrowed(item.json)),
            cwd: None,
            status: if is_true(entry.ok) { Status::Ok } else { Status::Error },
            subagent: None,
        };
        assembly.call(location, call, id);
    }
}
