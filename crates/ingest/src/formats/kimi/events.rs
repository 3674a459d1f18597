//! The newer wire log: every change of the context, every call and every approval as a record.

use std::borrow::Cow;

use super::{Chat, Entry};
use crate::assembly::{self, RecordLocation};
use crate::blocks::identity;
use crate::chat::{self, Manner};
use crate::gaps::Gaps;
use crate::json::{Counts, Nested, Raw, filled, is, is_true, object, raw_text, record, text};
use agent_strace_model::attribution::note_each;
use agent_strace_model::evidence::Subagent;
use agent_strace_model::{EventKind, RawText, Status, ToolCall, ToolResult, Usage};

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
    struct Display { cwd = "cwd" }
}

record! {
    struct Outcome { output = "output", is_error = "isError" }
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
        Some(message) => chat::add(&mut chat.assembly, location, &message, &Manner::default(), gaps),
        None => gaps.malformed(location.line, "a message that is not an object"),
    }
}

record! {
    struct Appended { message = "message" }
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
                chat.step = Some((usage.get(), message));
            }
            chat.assembly.push(location, EventKind::Other);
        }
        Some("step.begin") => chat.assembly.push(location, EventKind::Other),
        Some("tool.call") => call(chat, location, event),
        _ if event.name.is_some() && event.args.is_some() => call(chat, location, event),
        _ => chat.assembly.unknown(location),
    }
}

fn call<'a>(chat: &mut Chat<'a>, location: RecordLocation<'a>, event: &Event<'a>) {
    let id = identity(event.call_id);
    let tool = filled(event.name).unwrap_or_default();
    let arguments = assembly::arguments(event.args);
    if chat.assembly.repeats(id.as_deref(), &tool, &arguments) {
        return;
    }
    let cwd = event.display.object().and_then(|display| filled(display.cwd));
    chat.assembly.root(cwd.clone());
    let starts = matches!(&*tool, "Agent" | "AgentSwarm" | "Task");
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
    let status = if is_error { Status::Error } else { Status::Ok };
    name_subagent(chat, id.as_deref(), outcome.output);
    let result = ToolResult { call_id: id.clone(), text: raw_text(outcome.output), is_error };
    chat.assembly.result(location, result, status, id.clone());
    if let Some(id) = id {
        chat.settle_refused(&id);
    }
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

/// What a request cost: that of the step before once more, or one outside the steps.
fn spent<'a>(chat: &mut Chat<'a>, usage: Option<Raw<'a>>) {
    let Some(usage) = usage else { return };
    let step = chat.step.take().filter(|(json, _)| *json == usage.get());
    chat.assembly.usage(step.map(|(_, message)| message), tokens(usage));
}

/// Types of records that do nothing by themselves.
fn is_known(kind: &str) -> bool {
    let groups = ["config.", "tools.", "turn.", "llm.", "full_compaction.", "plan_mode.", "permission.", "goal."];
    groups.iter().any(|group| kind.starts_with(group))
}
