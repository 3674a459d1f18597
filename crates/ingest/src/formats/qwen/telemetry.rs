//! Telemetry of calls. It repeats the session's own calls, and is the only record of what other agents called.

use super::{Chat, Entry};
use crate::assembly::{RecordLocation, arguments};
use crate::gaps::Gaps;
use crate::json::{Raw, filled, is, is_true, object, record};
use agent_strace_model::{EventKind, Status, ToolCall};

record! {
    struct Event {
        name = "event.name",
        tool = "function_name",
        args = "function_args",
        status = "status",
        success = "success",
        decision = "decision",
        error_type = "error_type",
        prompt = "prompt_id",
    }
}

pub(super) fn add<'a>(
    chat: &mut Chat<'a>,
    location: &RecordLocation<'a>,
    record: &Entry<'a>,
    event: Option<Raw<'a>>,
    gaps: &mut Gaps,
) {
    let Some(event) = object::<Event<'a>>(event) else {
        // Older versions wrote nothing but the kind of record.
        if event.is_some() {
            gaps.malformed(location.line, "telemetry that is not an object");
        }
        return chat.assembly.push(location.clone(), EventKind::Other);
    };
    let Some(tool) = filled(event.tool) else { return chat.assembly.push(location.clone(), EventKind::Other) };
    let content = (tool.clone(), event.args.map_or("", Raw::get));
    if let Some(pending) = chat.pending.get_mut(&content).filter(|pending| **pending > 0) {
        *pending -= 1;
        return chat.assembly.push(location.clone(), EventKind::Other);
    }
    let status = if is(event.decision, "reject") || is(event.error_type, "execution_denied") {
        Status::Denied
    } else if is(event.status, "cancelled") {
        Status::Interrupted
    } else if is(event.status, "success") || is_true(event.success) {
        Status::Ok
    } else {
        Status::Error
    };
    let call = ToolCall {
        call_id: None,
        tool,
        arguments: arguments(event.args),
        cwd: filled(record.cwd),
        status,
        subagent: subagent(&event),
    };
    chat.assembly.call(location.clone(), call, None);
}

/// The prompts of other agents are named `<session>#<agent>-<id>#<turn>`, those of the session have no name there.
fn subagent<'a>(event: &Event<'a>) -> Option<std::borrow::Cow<'a, str>> {
    let prompt = filled(event.prompt)?;
    let name =
        prompt.split('#').nth(1).filter(|name| !name.is_empty() && !name.bytes().all(|byte| byte.is_ascii_digit()));
    name.map(|name| name.to_owned().into())
}
