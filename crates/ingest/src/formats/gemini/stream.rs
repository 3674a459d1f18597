//! What `gemini --output-format stream-json` prints: calls and results as records of their own.

use std::borrow::Cow;

use super::{STARTERS, STREAM, outcome};
use crate::assembly::{self, Assembly, RecordLocation};
use crate::formats::Input;
use crate::gaps::Gaps;
use crate::json::{Counts, filled, is, object, raw_text, record, scalar, text, whole};
use crate::reader::Item;
use agent_strace_model::evidence::{Counted, Subagent};
use agent_strace_model::{Ending, EventKind, Session, Status, ToolCall, ToolResult, Usage};

record! {
    struct Entry {
        kind = "type",
        timestamp = "timestamp",
        session = "session_id",
        model = "model",
        role = "role",
        content = "content",
        tool = "tool_name",
        id = "tool_id",
        parameters = "parameters",
        status = "status",
        output = "output",
        error = "error",
        message = "message",
        stats = "stats",
    }
}

record! {
    struct Fault { kind = "type", message = "message" }
}

record! {
    struct Stats { input = "input_tokens", output = "output_tokens", cached = "cached", calls = "tool_calls" }
}

record! {
    struct Started { name = "agent_name" }
}

/// Reads one run.
pub(super) fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut assembly = input.session(&STREAM.dialect);
    input.records("a record", gaps, |item: &Item<'a, Entry<'a>>, gaps| add(&mut assembly, item, gaps));
    vec![assembly.finish()]
}

fn add<'a>(assembly: &mut Assembly<'a>, item: &Item<'a, Entry<'a>>, gaps: &mut Gaps) {
    let Item { line, record, .. } = item;
    let location = RecordLocation { line: *line, id: None, time: scalar(record.timestamp) };
    assembly.id(filled(record.session));
    match &*filled(record.kind).unwrap_or_default() {
        "init" => {
            assembly.model(filled(record.model));
            assembly.push(location, EventKind::Start);
        }
        "message" => {
            let kind = if is(record.role, "user") { EventKind::Prompt } else { EventKind::Message };
            assembly.push(location, raw_text(record.content).map_or(EventKind::Other, kind));
        }
        "tool_use" => call(assembly, location, record),
        "tool_result" => result(assembly, location, record),
        "error" => {
            let said = raw_text(record.message);
            assembly.push(location, said.map_or(EventKind::Other, EventKind::Failure));
        }
        "result" => end(assembly, location, record),
        _ if record.tool.is_some() || record.parameters.is_some() || record.id.is_some() => {
            gaps.unknown_record(*line, "a record of an unknown kind that looks like a call");
        }
        _ => assembly.unknown(location),
    }
}

fn call<'a>(assembly: &mut Assembly<'a>, location: RecordLocation<'a>, record: &Entry<'a>) {
    let (id, tool) = (filled(record.id), filled(record.tool).unwrap_or_default());
    let arguments = assembly::arguments(record.parameters);
    if assembly.repeats(id.as_deref(), &tool, &arguments) {
        return;
    }
    let starts = STARTERS.contains(&&*tool);
    let kind = object::<Started<'a>>(record.parameters).and_then(|started| filled(started.name));
    let call = ToolCall { call_id: id.clone(), tool, arguments, cwd: None, status: Status::Missing, subagent: None };
    assembly.call(location, call, id.clone());
    if starts {
        let event = assembly.session.events.last().map_or(0, |event| event.number);
        assembly.session.evidence.subagents.push(Subagent { event, id: None, call_id: id, kind, calls: None });
    }
}

fn result<'a>(assembly: &mut Assembly<'a>, location: RecordLocation<'a>, record: &Entry<'a>) {
    let id = filled(record.id);
    let tool = id.as_deref().and_then(|id| assembly.call_of(id)).map(|call| call.tool.clone()).unwrap_or_default();
    let status = status(&tool, record);
    let is_error = matches!(status, Status::Error | Status::Denied);
    let fault = || object::<Fault<'a>>(record.error).and_then(|fault| fault.message);
    let result = ToolResult { call_id: id.clone(), text: raw_text(record.output.or_else(fault)), is_error };
    assembly.result(location, result, status, id);
}

fn status(tool: &str, record: &Entry<'_>) -> Status {
    if !is(record.status, "success") {
        let fault = object::<Fault<'_>>(record.error).unwrap_or_default();
        // What answered ran.
        let answered = filled(record.output).is_some_and(|output| !outcome::refuses(&output));
        let by_kind = !answered && ["policy_violation", "execution_denied"].iter().any(|kind| is(fault.kind, kind));
        let by_words = !answered && text(fault.message).is_some_and(|message| outcome::refuses(&message));
        return match (by_kind || by_words, is(record.status, "error")) {
            (true, _) => Status::Denied,
            (false, true) => Status::Error,
            (false, false) => Status::Missing,
        };
    }
    // Unlike the log, the stream shows what a user would see: an exit code is in it only where nothing was printed.
    let code = || {
        let output: Cow<'_, str> = text(record.output)?;
        let shown = output.strip_prefix("Command exited with code: ").and_then(|code| code.trim().parse().ok());
        shown.or_else(|| outcome::exit_code(&output))
    };
    match (tool, code()) {
        ("run_shell_command", Some(0)) => Status::Ok,
        ("run_shell_command", Some(_)) => Status::Error,
        ("run_shell_command", None) => Status::Missing,
        _ => Status::Ok,
    }
}

fn end<'a>(assembly: &mut Assembly<'a>, location: RecordLocation<'a>, record: &Entry<'a>) {
    if let Some(stats) = object::<Stats<'a>>(record.stats) {
        assembly.together(None, usage(&stats));
        let calls = assembly.session.calls().count();
        // A sub-agent's calls are counted, but not printed.
        if assembly.session.evidence.subagents.is_empty() {
            assembly.stated(Counted::ToolCalls, whole(stats.calls), calls, true);
        }
    }
    let ending = Ending { status: filled(record.status), is_error: is(record.status, "error"), ..Ending::default() };
    assembly.push(location, EventKind::End(ending));
}

fn usage(stats: &Stats<'_>) -> Usage {
    let mut counts = Counts::default();
    let cache_read = counts.of(stats.cached);
    Usage {
        input: counts.needed(stats.input).saturating_sub(cache_read),
        output: counts.needed(stats.output),
        cache_read,
        partial: counts.is_partial,
        ..Usage::default()
    }
}
