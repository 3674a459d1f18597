//! One event of the native store.

use std::borrow::Cow;

use super::arguments::{self, Call};
use super::captured::Capture;
use super::imported::{Import, Recorded};
use super::link;
use super::repository::note_repository;
use crate::assembly::{Assembly, RecordLocation};
use crate::gaps::Gaps;
use crate::json::{Counts, Nested, Raw, filled, is_true, object, parse, raw_text, record, scalar, text};
use crate::reader::Item;
use agent_strace_model::{
    Access, Ending, EventKind, FileEvent, GapKind, Offer, Offered, RawText, Status, ToolCall, ToolResult, Usage,
};

record! {
    pub(super) struct Line {
        event_type = "event_type",
        event_id = "event_id",
        session_id = "session_id",
        parent_id = "parent_id",
        timestamp = "timestamp",
        data: Nested<Data<'a>> = "data",
    }
}

record! {
    /// A line again, for the writers that put the arguments into `data` itself.
    struct RawLine { data = "data" }
}

record! {
    /// The union of what all writers put into `data`.
    pub(super) struct Data {
        tool_name = "tool_name",
        tool = "tool",
        mode = "mode",
        name = "name",
        server = "server",
        arguments = "arguments",
        tool_input = "tool_input",
        input = "input",
        args = "args",
        parameters = "parameters",
        command = "command",
        request_id = "request_id",
        tool_use_id = "tool_use_id",
        cwd = "cwd",
        agent_id = "agent_id",
        subagent_type = "subagent_type",
        uri = "uri",
        path = "path",
        file_path = "file_path",
        result = "result",
        content_preview = "content_preview",
        output = "output",
        content = "content",
        text = "text",
        prompt = "prompt",
        error = "error",
        message = "message",
        is_error = "is_error",
        exit_code = "exit_code",
        status = "status",
        reason = "reason",
        choice = "choice",
        decision = "decision",
        reasoning = "reasoning",
        model = "model",
        usage = "usage",
        input_tokens = "input_tokens",
        output_tokens = "output_tokens",
        message_id = "message_id",
        import: Nested<Import<'a>> = "import",
        capture: Nested<Capture<'a>> = "capture",
        recorded: Nested<Recorded<'a>> = "recorded",
    }
}

record! {
    struct Tokens {
        input = "input_tokens",
        output = "output_tokens",
        cache_read = "cache_read_input_tokens",
        cache_write = "cache_creation_input_tokens",
    }
}

/// Adds one event to its session.
pub(super) fn add<'a>(
    assembly: &mut Assembly<'a>,
    gaps: &mut Gaps,
    kind: &str,
    item: &Item<'a, Line<'a>>,
    data: &Data<'a>,
) {
    let (line, record) = (item.line, &item.record);
    let nothing = Recorded::default();
    let recorded = data.recorded.object().unwrap_or(&nothing);
    let id = recorded.id().or_else(|| scalar(record.event_id));
    let time = recorded.time_or(scalar(record.timestamp));
    let location = RecordLocation { line, id, time };
    if recorded.gap(line, gaps) {
        return;
    }
    if let Some(origin) = recorded.origin() {
        assembly.origin = origin;
    }
    let after = assembly.session.events.len();
    if let Some(spent) = recorded.spent(after, location.time.clone(), filled(data.message_id)) {
        if assembly.session.is_imported {
            // The sums are in its first event.
            return assembly.session.spent.push(spent);
        }
        return assembly.recorded(spent, filled(data.agent_id));
    }
    if let Some(sum) = recorded.sum() {
        return assembly.recorded_sum(filled(data.agent_id).unwrap_or_default(), sum);
    }
    assembly.session.labels.extend(recorded.labels().into_iter().map(|label| (after, label)));
    if let Some(kind) = text(recorded.kind) {
        if kind == "outcome" {
            return outcome(assembly, location, record, recorded, data);
        }
        return imported(assembly, &kind, location, recorded, data);
    }
    match kind {
        "tool_call" => call(assembly, gaps, location, item, data),
        "tool_result" => result(assembly, location, record, data, recorded.is_error().unwrap_or_else(|| failed(data))),
        "error" if recorded.is_error().is_none() && is_of_no_call(record, data) => {
            assembly.push(location, EventKind::Failure(words(data)));
        }
        "error" => result(assembly, location, record, data, recorded.is_error().unwrap_or(true)),
        "file_read" => file(assembly, gaps, location, data, Access::Read),
        "file_write" => file(assembly, gaps, location, data, Access::Write),
        "session_start" => {
            assembly.model(filled(data.model));
            if let Some(capture) = data.capture.object() {
                capture.apply(&mut assembly.session, line, gaps);
            }
            // The hook's own word outranks where the recorder happened to run.
            if let Some(cwd) = filled(data.cwd) {
                assembly.session.root = Some(cwd);
            }
            if let Some(import) = data.import.object() {
                import.apply(&mut assembly.session, line, gaps);
            }
            if let Some(data) = parse::<RawLine<'a>>(item.json).and_then(|line| line.data) {
                note_repository(&mut assembly.session, data.get());
            }
            assembly.push(location, EventKind::Start);
        }
        "session_end" => assembly.push(location, EventKind::End(ending(data))),
        "decision" => assembly.push(location, EventKind::Decision(words(data))),
        "user_prompt" => assembly.push(location, EventKind::Prompt(words(data))),
        "assistant_response" => {
            usage(assembly, data);
            assembly.push(location, EventKind::Message(words(data)));
        }
        "llm_response" => {
            if !usage(assembly, data) {
                assembly.usage(None, Usage::default());
            }
            assembly.push(location, EventKind::Other);
        }
        "llm_request" => {
            assembly.model(filled(data.model));
            assembly.push(location, EventKind::Other);
        }
        "subagent_start" | "subagent_stop" => assembly.push(location, EventKind::Other),
        // A later version may have other names for calls: what looks like one is judged as one.
        _ if looks_like_a_call(data) => {
            assembly.count_unknown();
            call(assembly, gaps, location, item, data);
        }
        _ => assembly.unknown(location),
    }
}

/// What the types of the store have no word for.
fn imported<'a>(
    assembly: &mut Assembly<'a>,
    kind: &str,
    location: RecordLocation<'a>,
    recorded: &Recorded<'a>,
    data: &Data<'a>,
) {
    let kind = match kind {
        "reasoning" => EventKind::Reasoning(words(data)),
        "command" => EventKind::Command(words(data)),
        "instruction" => EventKind::Instruction(words(data)),
        "tools" => offer(Offered::Tools, recorded, data),
        "introduction" => offer(Offered::Introduction, recorded, data),
        "notice" => EventKind::Notice,
        "hook" => EventKind::Hook { command: filled(data.command).unwrap_or_default() },
        "deletion" => {
            EventKind::File(FileEvent { access: Access::Delete, target: filled(data.path).unwrap_or_default() })
        }
        "repeat" => repeated(assembly, recorded).map_or(EventKind::Other, EventKind::Repeat),
        _ => EventKind::Other,
    };
    assembly.push(location, kind);
}

fn offer<'a>(what: Offered, recorded: &Recorded<'a>, data: &Data<'a>) -> EventKind<'a> {
    let json = recorded.json().map_or("", |json| json.get());
    let (server, own_name) = (filled(data.name).unwrap_or_default(), filled(data.server));
    EventKind::Offer(Offer { what, server, own_name, json: Cow::Borrowed(json) })
}

/// The call that a record repeats, by its index.
fn repeated(assembly: &Assembly<'_>, recorded: &Recorded<'_>) -> Option<usize> {
    let line = recorded.call()?;
    assembly.session.events.binary_search_by_key(&line, |event| event.line).ok()
}

fn looks_like_a_call(data: &Data<'_>) -> bool {
    let arguments = data.arguments.or(data.tool_input).or(data.command).or(data.parameters).or(data.args);
    (data.tool_name.is_some() || data.tool.is_some()) && arguments.is_some()
}

fn call<'a>(
    assembly: &mut Assembly<'a>,
    gaps: &mut Gaps,
    location: RecordLocation<'a>,
    item: &Item<'a, Line<'a>>,
    data: &Data<'a>,
) {
    let record = &item.record;
    let whole = || parse::<RawLine<'a>>(item.json)?.data;
    let recorded = data.recorded.object();
    let Call { arguments, cut, source } = match recorded.and_then(|recorded| recorded.arguments(data.arguments)) {
        Some(arguments) => Call { arguments, cut: false, source: None },
        None => arguments::of(whole, data),
    };
    assembly.pass(source);
    if cut {
        gaps.push(
            Some(location.line),
            GapKind::NotRecorded(
                "the recorder cut an argument of this call short: the rest of it was not recorded".into(),
            ),
        );
    }
    let links = [link(record.event_id), link(data.request_id), link(data.tool_use_id)];
    let call = ToolCall {
        // What the agent called it, where that is known.
        call_id: filled(data.tool_use_id).or_else(|| links.iter().flatten().next().cloned()),
        tool: filled(data.tool_name)
            .or_else(|| filled(data.tool))
            .or_else(|| filled(data.name))
            .unwrap_or(Cow::Borrowed("")),
        arguments,
        cwd: filled(data.cwd),
        status: recorded.and_then(Recorded::status).unwrap_or(Status::Missing),
        subagent: filled(data.agent_id).or_else(|| filled(data.subagent_type)),
    };
    assembly.call(location, call, links.into_iter().flatten());
}

fn result<'a>(
    assembly: &mut Assembly<'a>,
    location: RecordLocation<'a>,
    record: &Line<'a>,
    data: &Data<'a>,
    is_error: bool,
) {
    let links = [link(record.parent_id), link(data.tool_use_id), link(data.request_id)];
    let recorded = data.recorded.object();
    assembly.pass(data.result);
    assembly.pass(recorded.and_then(Recorded::json));
    let text = [data.result, data.content_preview, data.output, data.content, data.error, data.message, data.text];
    let result = ToolResult {
        call_id: filled(data.tool_use_id).or_else(|| links.iter().flatten().next().cloned()),
        text: raw_text(recorded.and_then(Recorded::json).or_else(|| text.into_iter().flatten().next())),
        is_error,
    };
    let told = if is_error { Status::Error } else { Status::Ok };
    let status = recorded.and_then(Recorded::status).unwrap_or(told);
    assembly.result(location, result, status, links.into_iter().flatten());
}

/// Takes over the end of a call from another log, which does not say when that was; no agent answers it.
fn outcome<'a>(
    assembly: &mut Assembly<'a>,
    location: RecordLocation<'a>,
    record: &Line<'a>,
    recorded: &Recorded<'a>,
    data: &Data<'a>,
) {
    if let Some(status) = recorded.status() {
        assembly.failures += usize::from(recorded.is_error() == Some(true));
        assembly.settle(status, [link(record.parent_id), link(data.tool_use_id)].into_iter().flatten());
    }
    assembly.push(location, EventKind::Other);
}

/// It stands for itself: nothing links it to what was called.
fn is_of_no_call(record: &Line<'_>, data: &Data<'_>) -> bool {
    link(record.parent_id).or_else(|| link(data.tool_use_id)).or_else(|| link(data.request_id)).is_none()
        && filled(data.tool_name).is_none()
}

fn ending<'a>(data: &Data<'a>) -> Ending<'a> {
    Ending {
        status: filled(data.status),
        reason: filled(data.reason).or_else(|| filled(data.error)).or_else(|| filled(data.message)),
        exit_code: data.exit_code.and_then(|code| code.get().parse().ok()),
        is_error: is_true(data.is_error),
    }
}

fn failed(data: &Data<'_>) -> bool {
    is_true(data.is_error) || data.exit_code.is_some_and(|code| code.get() != "0")
}

fn file<'a>(
    assembly: &mut Assembly<'a>,
    gaps: &mut Gaps,
    location: RecordLocation<'a>,
    data: &Data<'a>,
    access: Access,
) {
    if let Some(target) = [data.uri, data.path, data.file_path].into_iter().find_map(filled) {
        assembly.push(location, EventKind::File(FileEvent { access, target }));
    } else {
        gaps.malformed(location.line, "a file event that names no file");
        assembly.push(location, EventKind::Other);
    }
}

fn words<'a>(data: &Data<'a>) -> RawText<'a> {
    let whole = data.recorded.object().and_then(Recorded::json);
    let said =
        [data.prompt, data.choice, data.decision, data.text, data.content, data.message, data.error, data.reasoning];
    let text: Option<Raw<'a>> = whole.or_else(|| said.into_iter().flatten().next());
    raw_text(text).unwrap_or(RawText::Plain(Cow::Borrowed("")))
}

/// Whether the record tells it.
fn usage<'a>(assembly: &mut Assembly<'a>, data: &Data<'a>) -> bool {
    assembly.model(filled(data.model));
    let mut counts = Counts::default();
    let usage = if let Some(tokens) = object::<Tokens<'_>>(data.usage) {
        Usage {
            input: counts.needed(tokens.input),
            output: counts.needed(tokens.output),
            cache_read: counts.of(tokens.cache_read),
            cache_write: counts.of(tokens.cache_write),
            ..Usage::default()
        }
    } else if data.input_tokens.is_some() || data.output_tokens.is_some() {
        Usage { input: counts.needed(data.input_tokens), output: counts.needed(data.output_tokens), ..Usage::default() }
    } else {
        return false;
    };
    assembly.usage(None, Usage { partial: counts.is_partial, ..usage });
    true
}
