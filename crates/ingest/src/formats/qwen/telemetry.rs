//! Telemetry of calls. It repeats the session's own calls, and is the only record of what other agents called.

use super::{Chat, Entry};
use crate::assembly::{RecordLocation, arguments};
use crate::gaps::Gaps;
use crate::json::{Counts, Raw, filled, is, is_true, object, record};
use agent_strace_model::{EventKind, Status, ToolCall, Usage};

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
        call_id = "call_id",
        execution = "execution_status",
        response = "response_id",
        input = "input_token_count",
        output = "output_token_count",
        cached = "cached_content_token_count",
        thoughts = "thoughts_token_count",
        total = "total_token_count",
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
    let content = (filled(event.tool).unwrap_or_default(), event.args.map_or("", Raw::get));
    // A log that was written twice repeats its records. A record of another call is none of them.
    if location.id.as_ref().is_some_and(|id| !chat.telemetry.insert(format!("{id} {content:?}"))) {
        return chat.assembly.push(location.clone(), EventKind::Other);
    }
    let Some(tool) = filled(event.tool) else {
        spent(chat, &event);
        return chat.assembly.push(location.clone(), EventKind::Other);
    };
    // Hosts that name the call have a log of its own for each agent.
    chat.has_own_files |= event.call_id.is_some();
    if is(event.execution, "not_started") {
        chat.refused.extend(filled(event.call_id).map(|id| (id, tool.clone())));
    }
    if let Some(pending) = chat.pending.get_mut(&content).filter(|pending| **pending > 0) {
        *pending -= 1;
        return chat.assembly.push(location.clone(), EventKind::Other);
    }
    let is_refused = is(event.decision, "reject") || is(event.error_type, "execution_denied");
    let status = if is_refused || is(event.execution, "not_started") {
        Status::Denied
    } else if is(event.status, "cancelled") {
        Status::Interrupted
    } else if is(event.status, "success") || is_true(event.success) {
        Status::Ok
    } else {
        Status::Error
    };
    // It is an attempt in the log of its own agent.
    if status == Status::Denied && event.call_id.is_some() && subagent(&event).is_some() {
        return chat.assembly.push(location.clone(), EventKind::Other);
    }
    let call = ToolCall {
        call_id: filled(event.call_id),
        tool,
        arguments: arguments(event.args),
        cwd: filled(record.cwd),
        status,
        subagent: subagent(&event),
    };
    chat.assembly.call(location.clone(), call, None);
}

/// What a request of another agent used. Those of the session's own are told by its messages.
fn spent<'a>(chat: &mut Chat<'a>, event: &Event<'a>) {
    if !filled(event.name).is_some_and(|name| name.ends_with(".api_response")) || subagent(event).is_none() {
        return;
    }
    let mut counts = Counts::default();
    let [input, output, cached, thoughts, total] =
        [event.input, event.output, event.cached, event.thoughts, event.total].map(|value| counts.of(value));
    // Providers differ in whether the output holds the thoughts: the total tells.
    let rest = total.saturating_sub(input);
    let usage = Usage {
        input: input.saturating_sub(cached),
        output: if rest > 0 { rest } else { output },
        cache_read: cached,
        reasoning: thoughts,
        partial: counts.is_partial,
        ..Usage::default()
    };
    chat.asked.push((filled(event.response), usage));
}

/// The prompts of other agents are named `<session>#<agent>-<id>#<turn>`, those of the session have no name there.
fn subagent<'a>(event: &Event<'a>) -> Option<std::borrow::Cow<'a, str>> {
    let prompt = filled(event.prompt)?;
    let name =
        prompt.split('#').nth(1).filter(|name| !name.is_empty() && !name.bytes().all(|byte| byte.is_ascii_digit()));
    name.map(|name| name.to_owned().into())
}
