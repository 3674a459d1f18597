//! The newer wire log: every change of the context, every call and every approval as a record.

use std::borrow::Cow;

use super::{Chat, Entry};
use crate::assembly::{self, RecordLocation};
use crate::blocks::identity;
use crate::chat::{self, Manner};
use crate::gaps::Gaps;
use crate::json::{Counts, Nested, Raw, elements, filled, is, is_true, object, parse, raw_text, record, text};
use agent_strace_model::attribution::note_each;
use agent_strace_model::evidence::Subagent;
use agent_strace_model::{Arguments, EventKind, RawText, Status, ToolCall, ToolResult, Usage, is_refusal};

record! {
    struct Event {
        kind = "type",
        uuid = "uuid",
        call_id = "toolCallId",
        name = "name",
        args = "args",
        display: Nested<Display<'a>> = "display",
        result: Nested<Outcome<'a>> = "result",
        part = "part",
        usage = "usage",
        message_id = "messageId",
    }
}

record! {
    struct Display { cwd = "cwd", command = "command" }
}

record! {
    struct Outcome { output = "output", is_error = "isError", duration = "durationMs" }
}

record! {
    struct Approval { decision = "decision" }
}

record! {
    struct Part { kind = "type", text = "text", think = "think" }
}

record! {
    struct Started { kind = "subagent_type" }
}

pub(super) fn record<'a>(
    chat: &mut Chat<'a>,
    kind: &str,
    location: &RecordLocation<'a>,
    record: &Entry<'a>,
    json: &'a str,
    gaps: &mut Gaps,
) {
    match kind {
        "context.append_loop_event" => match object::<Event<'a>>(record.event) {
            Some(event) => add(chat, location, &event, gaps),
            None => gaps.malformed(location.line, "an event that is not an object"),
        },
        "context.append_message" => appended(chat, location, json, gaps),
        "permission.record_approval_result" => approval(chat, location, record),
        "context.apply_compaction" => chat.compacted(location.clone()),
        "usage.record" => spent(chat, record.usage),
        "permission.set_mode" => {
            note_each(&mut chat.assembly.session.attribution.permission_modes, filled(record.mode));
            chat.assembly.push(location.clone(), EventKind::Other);
        }
        "plan_mode.enter" => {
            note_each(&mut chat.assembly.session.attribution.permission_modes, Some(Cow::Borrowed("plan")));
            chat.assembly.push(location.clone(), EventKind::Other);
        }
        "context.undo" | "context.rewind" | "context.revert" => {
            let rewinds = &mut chat.assembly.session.evidence.rewinds;
            *rewinds = rewinds.saturating_add(1);
            chat.assembly.push(location.clone(), EventKind::Other);
        }
        "agent.message.appended" => copied(chat, location, json),
        "task.started" => process(chat, location, json, gaps),
        "metadata" => chat.assembly.push(location.clone(), EventKind::Start),
        known if is_known(known) => chat.assembly.push(location.clone(), EventKind::Other),
        _ => {
            chat.assembly.unknown(location.clone());
            // Whatever its type says, an event may be a call.
            if let Some(event) = object::<Event<'a>>(record.event) {
                add(chat, location, &event, gaps);
            }
        }
    }
}

/// A message that joins the context, in the API's own form.
fn appended<'a>(chat: &mut Chat<'a>, location: &RecordLocation<'a>, json: &'a str, gaps: &mut Gaps) {
    let appended = object::<Appended<'a>>(Some(Raw::new(json))).unwrap_or_default();
    match object::<chat::Message<'a>>(appended.message) {
        // The host puts reminders and notifications among the user's messages.
        Some(message) if is_of_the_host(appended.message) => {
            for text in chat::texts(&message) {
                chat.assembly.push(location.clone(), EventKind::Instruction(RawText::Json(text.get())));
            }
        }
        Some(message) => chat::add(&mut chat.assembly, location, &message, &Manner::default(), gaps),
        None => gaps.malformed(location.line, "a message that is not an object"),
    }
}

record! {
    struct Appended { message = "message" }
}

record! {
    struct Sent { role = "role", origin: Nested<Origin<'a>> = "origin" }
}

record! {
    struct Origin { kind = "kind" }
}

fn is_of_the_host(message: Option<Raw<'_>>) -> bool {
    let Some(sent) = object::<Sent<'_>>(message) else { return false };
    let origin = sent.origin.object().and_then(|origin| filled(origin.kind));
    is(sent.role, "user")
        && origin.is_some_and(|kind| matches!(&*kind, "injection" | "task" | "hook" | "system" | "system_trigger"))
}

fn add<'a>(chat: &mut Chat<'a>, location: &RecordLocation<'a>, event: &Event<'a>, gaps: &mut Gaps) {
    if let Some(key) = event.duplicate {
        gaps.twice(location.line, key, "an event");
    }
    let location = RecordLocation { id: filled(event.uuid), ..location.clone() };
    match filled(event.kind).as_deref() {
        Some("tool.result") => result(chat, location, event),
        Some("content.part") => part(chat, location, event),
        Some("step.end") => {
            if let (Some(usage), Some(message)) =
                (event.usage, filled(event.message_id).or_else(|| location.id.clone()))
            {
                chat.assembly.usage(Some(message.clone()), tokens(usage));
                // The request was recorded just before.
                if chat.spent.take_if(|spent| *spent == usage.get()).is_none() {
                    chat.step = Some((usage.get(), message));
                }
            }
            chat.assembly.push(location, EventKind::Other);
        }
        Some("step.begin") => chat.assembly.push(location, EventKind::Other),
        Some("tool.call") => call(chat, location, event, gaps),
        _ if event.name.is_some() && event.args.is_some() => call(chat, location, event, gaps),
        _ => chat.assembly.unknown(location),
    }
}

const OTHER_COMMAND: &str = "the host tells of another command than the call asked for";

record! {
    struct Command { command = "command" }
}

/// Returns whether a call asks for another command than this one.
fn asks_other(arguments: &Arguments<'_>, told: Raw<'_>) -> bool {
    let (Arguments::Json(json) | Arguments::Text(json)) = arguments else { return false };
    let asked = parse::<Command<'_>>(json).and_then(|asked| text(asked.command));
    asked.is_some_and(|asked| text(Some(told)).is_none_or(|told| asked.trim() != told.trim()))
}

fn call<'a>(chat: &mut Chat<'a>, location: RecordLocation<'a>, event: &Event<'a>, gaps: &mut Gaps) {
    let id = identity(event.call_id);
    let tool = filled(event.name).unwrap_or_default();
    let arguments = assembly::arguments(event.args);
    if chat.assembly.repeats(id.as_deref(), &tool, &arguments) {
        return;
    }
    let shown = event.display.object().and_then(|display| display.command);
    if shown.is_some_and(|shown| asks_other(&arguments, shown)) {
        gaps.contradiction(location.line, OTHER_COMMAND);
    }
    let cwd = event.display.object().and_then(|display| filled(display.cwd));
    chat.assembly.root(cwd.clone());
    let starts = matches!(&*tool, "Agent" | "AgentSwarm" | "Task");
    chat.gives_reasons |= tool == STOP;
    let call = ToolCall {
        call_id: id.clone(),
        tool,
        arguments,
        cwd,
        status: Status::Missing,
        subagent: chat.subagent.clone(),
    };
    chat.assembly.call(location, call, id.clone());
    if starts {
        let event_number = chat.assembly.session.events.last().map_or(0, |event| event.number);
        let kind = object::<Started<'a>>(event.args).and_then(|started| filled(started.kind));
        let subagent = Subagent { event: event_number, id: None, call_id: id.clone(), kind, calls: None };
        chat.assembly.session.evidence.subagents.push(subagent);
    }
    if let Some(id) = id {
        chat.settle_refused(&id);
    }
}

fn result<'a>(chat: &mut Chat<'a>, location: RecordLocation<'a>, event: &Event<'a>) {
    let id = identity(event.call_id);
    let outcome = event.result.object().cloned().unwrap_or_default();
    let is_error = is_true(outcome.is_error);
    let status = match is_error {
        true if is_of_the_gate(chat, id.as_deref(), &outcome) => Status::Denied,
        true => Status::Error,
        false => Status::Ok,
    };
    name_subagent(chat, id.as_deref(), outcome.output);
    let result = ToolResult { call_id: id.clone(), text: raw_text(outcome.output), is_error };
    chat.assembly.result(location, result, status, id.clone());
    if let Some(id) = id {
        chat.settle_refused(&id);
    }
}

/// Tools of the host, whose errors begin with the host's own words or, after what a command wrote, have them in a line of
/// their own. A server could answer with any words.
const OWN: [&str; 7] = ["Bash", "Read", "Write", "Edit", "Glob", "Grep", "ReadMediaFile"];

/// Ends a command, and gives a reason, which becomes the answer of a command that wrote nothing.
const STOP: &str = "TaskStop";

/// Returns whether an error is the gate's refusal, and nothing but the gate can have given it. Older hosts, which give no
/// duration, have the words of a command and their own in two fields.
fn is_of_the_gate(chat: &Chat<'_>, id: Option<&str>, outcome: &Outcome<'_>) -> bool {
    let is_own = id.and_then(|id| chat.assembly.call_of(id)).is_some_and(|call| OWN.contains(&&*call.tool));
    is_own
        && !chat.gives_reasons
        && outcome.duration.is_some()
        && text(outcome.output).is_some_and(|text| is_refusal(&text))
}

/// The result of a call that started an agent begins with the agent's id.
fn name_subagent<'a>(chat: &mut Chat<'a>, id: Option<&str>, output: Option<Raw<'a>>) {
    let started = &mut chat.assembly.session.evidence.subagents;
    let Some(subagent) = started.iter_mut().find(|subagent| id.is_some() && subagent.call_id.as_deref() == id) else {
        return;
    };
    let output = text(output).unwrap_or_default();
    let named = output.lines().next().and_then(|line| line.strip_prefix("agent_id: "));
    subagent.id = named.map(|name| Cow::Owned(name.trim().to_owned()));
}

fn part<'a>(chat: &mut Chat<'a>, location: RecordLocation<'a>, event: &Event<'a>) {
    chat.assembly.push(location, spoken(event.part));
}

/// What a part of an answer says.
pub(super) fn spoken(part: Option<Raw<'_>>) -> EventKind<'_> {
    let part = object::<Part<'_>>(part).unwrap_or_default();
    match (part.think.filter(|_| is(part.kind, "think")), part.text) {
        (Some(thought), _) => EventKind::Reasoning(RawText::Json(thought.get())),
        (None, Some(text)) => EventKind::Message(RawText::Json(text.get())),
        _ => EventKind::Other,
    }
}

fn approval<'a>(chat: &mut Chat<'a>, location: &RecordLocation<'a>, record: &Entry<'a>) {
    let approval = object::<Approval<'a>>(record.result).unwrap_or_default();
    if let Some(id) = identity(record.call_id)
        && (is(approval.decision, "rejected") || is(approval.decision, "reject") || is(approval.decision, "denied"))
    {
        chat.refuse(location.clone(), id, filled(record.tool));
    }
    chat.assembly.push(location.clone(), EventKind::Other);
}

record! {
    struct Tokens {
        input = "inputOther",
        output = "output",
        cache_read = "inputCacheRead",
        cache_write = "inputCacheCreation",
    }
}

fn tokens(usage: Raw<'_>) -> Usage {
    let Some(tokens) = object::<Tokens<'_>>(Some(usage)) else {
        return Usage { partial: true, ..Usage::default() };
    };
    let mut counts = Counts::default();
    Usage {
        input: counts.of(tokens.input),
        output: counts.of(tokens.output),
        cache_read: counts.of(tokens.cache_read),
        cache_write: counts.of(tokens.cache_write),
        partial: counts.is_partial,
        ..Usage::default()
    }
}

/// What a request cost: that of the step before once more, that of the step that ends next, or one outside the steps.
fn spent<'a>(chat: &mut Chat<'a>, usage: Option<Raw<'a>>) {
    let Some(usage) = usage else { return };
    if let Some((_, message)) = chat.step.take_if(|(json, _)| *json == usage.get()) {
        return chat.assembly.usage(Some(message), tokens(usage));
    }
    spend_rest(chat);
    chat.spent = Some(usage.get());
}

/// No step told of the last request.
pub(super) fn spend_rest(chat: &mut Chat<'_>) {
    if let Some(usage) = chat.spent.take() {
        chat.assembly.usage(None, tokens(Raw::new(usage)));
    }
}

record! {
    struct Copied { message = "message" }
}

record! {
    struct Copy { message = "message" }
}

record! {
    struct Answer { calls = "toolCalls" }
}

record! {
    struct Asked { id = "id", name = "name", arguments = "arguments" }
}

/// A second copy of a message. Its calls were recorded as they were made.
fn copied<'a>(chat: &mut Chat<'a>, location: &RecordLocation<'a>, json: &'a str) {
    chat.assembly.push(location.clone(), EventKind::Other);
    let copy = object::<Copied<'a>>(Some(Raw::new(json))).and_then(|copied| object::<Copy<'a>>(copied.message));
    let answer = copy.and_then(|copy| object::<Answer<'a>>(copy.message)).unwrap_or_default();
    for asked in elements(answer.calls).into_iter().filter_map(|raw| object::<Asked<'a>>(Some(raw))) {
        let (id, tool) = (identity(asked.id), filled(asked.name).unwrap_or_default());
        let known = id.as_deref().and_then(|id| chat.assembly.call_of(id)).is_some_and(|known| known.tool == tool);
        if !known {
            let arguments = assembly::arguments(asked.arguments);
            let (status, subagent) = (Status::Missing, chat.subagent.clone());
            let call = ToolCall { call_id: id.clone(), tool, arguments, cwd: None, status, subagent };
            chat.assembly.call(location.clone(), call, id);
        }
    }
}

record! {
    struct Begun { info = "info" }
}

record! {
    struct Process { command = "command", call_id = "parentToolCallId" }
}

/// A process in the background. The call that started it was recorded; without one, this is all that tells of it.
fn process<'a>(chat: &mut Chat<'a>, location: &RecordLocation<'a>, json: &'a str, gaps: &mut Gaps) {
    chat.assembly.push(location.clone(), EventKind::Other);
    let begun = object::<Begun<'a>>(Some(Raw::new(json))).unwrap_or_default();
    let Some(process) = object::<Process<'a>>(begun.info) else { return };
    let (id, Some(command)) = (identity(process.call_id), process.command) else { return };
    let known = id.as_deref().and_then(|id| chat.assembly.call_of(id)).map(|call| &call.arguments);
    let (is_known, is_other) = (known.is_some(), known.is_some_and(|asked| asks_other(asked, command)));
    if is_other {
        gaps.contradiction(location.line, OTHER_COMMAND);
    } else if is_known {
        return chat.assembly.pass(Some(command));
    }
    let id = id.filter(|_| !is_known);
    let call = ToolCall {
        call_id: id.clone(),
        tool: Cow::Borrowed("Bash"),
        arguments: Arguments::Json(Cow::Owned(format!("{{\"command\":{}}}", command.get()))),
        cwd: None,
        status: Status::Missing,
        subagent: chat.subagent.clone(),
    };
    chat.assembly.call(location.clone(), call, id);
}

/// Types of records that do nothing by themselves.
fn is_known(kind: &str) -> bool {
    let groups = [
        "config.",
        "tools.",
        "turn.",
        "llm.",
        "full_compaction.",
        "plan_mode.",
        "permission.",
        "goal.",
        "agent.turn.",
        "runtime.",
        "profile.",
        "token_counting.",
        "plugin.",
        "file_history.",
        "task.",
        "subagent.",
        "prompt.",
    ];
    groups.iter().any(|group| kind.starts_with(group))
}
