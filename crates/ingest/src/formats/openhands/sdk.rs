//! The SDK: events that say what they are by `kind`.

use std::borrow::Cow;

use super::Run;
use crate::assembly::{RecordLocation, arguments};
use crate::chat::{self, Manner, Message};
use crate::gaps::Gaps;
use crate::json::{Nested, Raw, filled, is, is_true, raw_text, record, scalar, text};
use agent_strace_model::{Arguments, EventKind, RawText, Status, ToolCall, ToolResult};

record! {
    pub(super) struct Event {
        kind = "kind",
        id = "id",
        timestamp = "timestamp",
        tool = "tool_name",
        call_id = "tool_call_id",
        action = "action",
        action_id = "action_id",
        asked = "tool_call",
        observation: Nested<Observation<'a>> = "observation",
        error = "error",
        message: Nested<Message<'a>> = "llm_message",
        reasoning = "reasoning_content",
        command = "hook_command",
        title = "title",
        status = "status",
        input = "raw_input",
        output = "raw_output",
        is_error = "is_error",
    }
}

record! {
    pub(super) struct Observation {
        content = "content",
        is_error = "is_error",
        exit_code = "exit_code",
        timeout = "timeout",
        metadata: Nested<Outcome<'a>> = "metadata",
    }
}

record! {
    pub(super) struct Outcome { exit_code = "exit_code", cwd = "working_dir" }
}

record! {
    struct Action { kind = "kind", data = "data" }
}

pub(super) fn add<'a>(run: &mut Run<'a>, line: u32, event: &Event<'a>, gaps: &mut Gaps) {
    let location = RecordLocation { line, id: filled(event.id), time: scalar(event.timestamp) };
    let kind = text(event.kind).unwrap_or_default();
    match &*kind {
        "ActionEvent" => act(run, &location, event),
        "ACPToolCallEvent" => foreign(run, &location, event),
        "ObservationEvent" => {
            ran_unread(run, event, line, gaps);
            observe(run, &location, event);
        }
        "UserRejectObservation" => {
            let links = filled(event.action_id).into_iter().chain(filled(event.call_id));
            run.assembly.settle(Status::Denied, links);
            run.assembly.push(location, EventKind::Other);
        }
        "AgentErrorEvent" => {
            let result = ToolResult { call_id: filled(event.call_id), text: raw_text(event.error), is_error: true };
            run.assembly.result(location, result, Status::Error, filled(event.call_id));
        }
        "MessageEvent" => match event.message.object() {
            Some(message) => chat::add(&mut run.assembly, &location, message, &Manner::default(), gaps),
            None => run.assembly.push(location, EventKind::Other),
        },
        "HookExecutionEvent" => match filled(event.command) {
            Some(command) => run.assembly.push(location, EventKind::Hook { command }),
            None => gaps.malformed(line, "a hook without a command"),
        },
        "Condensation" => {
            let evidence = &mut run.assembly.session.evidence;
            evidence.compactions = evidence.compactions.saturating_add(1);
            run.assembly.push(location, EventKind::Other);
        }
        "SystemPromptEvent"
        | "PauseEvent"
        | "InterruptEvent"
        | "CondensationRequest"
        | "CondensationSummaryEvent"
        | "ConversationStateUpdateEvent"
        | "ConversationErrorEvent"
        | "LLMCompletionLogEvent"
        | "TokenEvent"
        | "StreamingDeltaEvent" => run.assembly.push(location, EventKind::Other),
        _ if event.action.is_some() && event.tool.is_some() => act(run, &location, event),
        _ => run.assembly.unknown(location),
    }
}

record! {
    struct Asked { arguments = "arguments", function: Nested<Function<'a>> = "function" }
}

record! {
    struct Function { arguments = "arguments" }
}

/// Calls of the model of which the agent made no action.
#[derive(Debug, Clone)]
pub(super) struct Unread<'a> {
    location: RecordLocation<'a>,
    tool: Option<Cow<'a, str>>,
    asked: Option<Raw<'a>>,
}

const RAN: &str = "something came of a call that became no action: it is judged as it was asked for";

/// An action the agent could not read has none, and is answered with an error. Where anything else came of it, it ran.
fn ran_unread<'a>(run: &mut Run<'a>, event: &Event<'a>, line: u32, gaps: &mut Gaps) {
    let links = || [event.action_id, event.call_id].into_iter().filter_map(filled);
    if links().any(|link| run.assembly.call_of(&link).is_some()) {
        return;
    }
    let Some(Unread { location, tool, asked }) = links().find_map(|link| run.unread.get(&link)).cloned() else {
        return;
    };
    gaps.contradiction(line, RAN);
    let asked = crate::json::object::<Asked<'a>>(asked).unwrap_or_default();
    let given = asked.arguments.or_else(|| asked.function.object().and_then(|function| function.arguments));
    call(run, &location, tool, arguments(given), event);
}

/// An action the agent could not read has none, and did not run.
fn act<'a>(run: &mut Run<'a>, location: &RecordLocation<'a>, event: &Event<'a>) {
    if let Some(thought) = event.reasoning.filter(|thought| thought.get() != "\"\"") {
        run.assembly.push(location.clone(), EventKind::Reasoning(RawText::Json(thought.get())));
    }
    // The call of the model became the action, or nothing.
    run.assembly.pass(event.asked);
    let Some(action) = event.action else {
        run.assembly.unreadable(filled(event.call_id));
        let unread = Unread { location: location.clone(), tool: filled(event.tool), asked: event.asked };
        for link in [event.call_id, event.id].into_iter().filter_map(filled) {
            run.unread.insert(link, unread.clone());
        }
        return run.assembly.push(location.clone(), EventKind::Other);
    };
    run.assembly.pass(event.action);
    let inner = crate::json::object::<Action<'a>>(Some(action)).unwrap_or_default();
    // What a server's tool gets is one level further down.
    let given = inner.data.filter(|_| is(inner.kind, "MCPToolAction")).unwrap_or(action);
    call(run, location, filled(event.tool), arguments(Some(given)), event);
}

/// A call of an agent that `OpenHands` only talks to, reported again whenever it changes.
fn foreign<'a>(run: &mut Run<'a>, location: &RecordLocation<'a>, event: &Event<'a>) {
    call(run, location, filled(event.title), arguments(event.input), event);
    let status = match text(event.status).as_deref() {
        _ if is_true(event.is_error) => Status::Error,
        Some("completed") => Status::Ok,
        Some("failed") => Status::Error,
        _ => return,
    };
    run.assembly.settle(status, filled(event.call_id));
}

fn call<'a>(
    run: &mut Run<'a>,
    location: &RecordLocation<'a>,
    tool: Option<Cow<'a, str>>,
    arguments: Arguments<'a>,
    event: &Event<'a>,
) {
    let call_id = filled(event.call_id);
    let tool = tool.unwrap_or(Cow::Borrowed(""));
    if run.assembly.repeats(call_id.as_deref(), &tool, &arguments) {
        return;
    }
    let own = run.link(location.id.clone());
    let links = [Some(own), call_id.clone()].into_iter().flatten();
    let call = ToolCall {
        call_id: call_id.clone(),
        tool,
        arguments,
        cwd: run.cwd.clone(),
        status: Status::Missing,
        subagent: None,
    };
    run.assembly.call(location.clone(), call, links);
}

fn observe<'a>(run: &mut Run<'a>, location: &RecordLocation<'a>, event: &Event<'a>) {
    let Some(observation) = event.observation.object() else {
        return run.assembly.push(location.clone(), EventKind::Other);
    };
    let outcome = observation.metadata.object();
    let code = observation.exit_code.or_else(|| outcome.and_then(|outcome| outcome.exit_code));
    let status = match code.map(crate::json::Raw::get) {
        _ if is_true(observation.timeout) => Status::Interrupted,
        _ if is_true(observation.is_error) => Status::Error,
        None | Some("0") => Status::Ok,
        Some("-1") => Status::Interrupted,
        Some(_) => Status::Error,
    };
    if let Some(outcome) = outcome {
        run.assembly.root(filled(outcome.cwd));
        run.cwd = filled(outcome.cwd).or_else(|| run.cwd.clone());
    }
    let links = filled(event.action_id).into_iter().chain(filled(event.call_id));
    let text = raw_text(observation.content);
    let result = ToolResult { call_id: filled(event.call_id), text, is_error: status == Status::Error };
    run.assembly.result(location.clone(), result, status, links);
}
