//! Calls of an agent that another one started: the progress of the call that started it.

use super::{Run, status};
use crate::assembly::{self, Assembly, RecordLocation};
use crate::blocks::{Block, identity};
use crate::gaps::Gaps;
use crate::json::{elements, filled, is_array, object, record};
use agent_strace_model::{Status, ToolCall};

record! {
    struct Chunk { calls = "tool_uses" }
}

record! {
    struct Call {
        id = "id",
        tool = "tool_name",
        normalized = "normalized_name",
        input = "input",
        status = "status",
        error = "error",
        result = "result",
    }
}

/// Adds the calls that a result's progress lists, unless the thread holds them as messages, too.
pub(super) fn add<'a>(assembly: &mut Assembly<'a>, location: &RecordLocation<'a>, block: &Block<'a>, gaps: &mut Gaps) {
    let run = object::<Run<'a>>(block.run).unwrap_or_default();
    for chunk in elements(run.progress) {
        // Other tools' progress are words.
        let chunk = object::<Chunk<'a>>(Some(chunk)).unwrap_or_default();
        if chunk.calls.is_some() && !is_array(chunk.calls) {
            gaps.malformed(location.line, "the calls of a sub-agent are not a list");
        }
        for raw in elements(chunk.calls) {
            match object::<Call<'a>>(Some(raw)) {
                Some(call) => add_call(assembly, location, block, &call),
                None => gaps.malformed(location.line, "a call of a sub-agent that is not an object"),
            }
        }
    }
}

fn add_call<'a>(assembly: &mut Assembly<'a>, location: &RecordLocation<'a>, block: &Block<'a>, call: &Call<'a>) {
    let id = identity(call.id);
    let tool = filled(call.tool).or_else(|| filled(call.normalized)).unwrap_or_default();
    let arguments = assembly::arguments(call.input);
    let status = status(call.status).unwrap_or(match (call.error.is_some(), call.result.is_some()) {
        (true, _) => Status::Error,
        (_, true) => Status::Ok,
        _ => Status::Missing,
    });
    if assembly.repeats(id.as_deref(), &tool, &arguments) {
        assembly.settle(status, id);
        return;
    }
    let subagent = block.answers();
    let call = ToolCall { call_id: id.clone(), tool, arguments, cwd: None, status, subagent };
    assembly.call(location.clone(), call, id);
}
