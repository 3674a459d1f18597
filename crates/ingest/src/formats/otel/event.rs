//! Log events of agents that tell of their tools: Claude Code, Codex, Gemini CLI and its kin.

use std::borrow::Cow;

use super::Sessions;
use super::attributes::Attributes;
use super::span::{SESSIONS, about, seconds};
use crate::assembly::{Assembly, RecordLocation};
use crate::gaps::Gaps;
use crate::json::{Counts, Nested, Raw, filled, object, parse, record, scalar, text};
use agent_strace_model::{Arguments, EventKind, RawText, Status, ToolCall, Usage};

record! {
    struct Record {
        time = "timeUnixNano",
        name = "eventName",
        body = "body",
        attributes = "attributes",
        span: Nested<Body<'a>> = "spanContext",
    }
}

record! {
    struct Body { text = "stringValue" }
}

record! {
    struct Parameters { command = "full_command", short = "bash_command", server = "mcp_server_name", tool = "mcp_tool_name" }
}

/// Prefixes of the agents' names of events.
const AGENTS: &[&str] = &["claude_code.", "codex.", "gemini_cli.", "qwen-code."];

/// `false`: not an event of a known agent.
pub(super) fn read<'a>(
    sessions: &mut Sessions<'a, '_>,
    json: &'a str,
    line: u32,
    resource: &Attributes<'a>,
    gaps: &mut Gaps,
) -> bool {
    let record = parse::<Record<'a>>(json).unwrap_or_default();
    let body = object::<Body<'a>>(record.body).map_or(record.body, |body| body.text);
    let known = |name: &Cow<'a, str>| AGENTS.iter().any(|agent| name.starts_with(agent));
    // Attributes are read once for all: most records have no name outside them.
    let given = Attributes::read(record.attributes, line, gaps);
    let names = [given.get("event.name"), filled(record.name), text(body)];
    let Some(name) = names.into_iter().flatten().find(known) else { return false };
    if let Some(key) = record.duplicate {
        gaps.twice(line, key, "a log record");
    }
    let named = given.first(SESSIONS).or_else(|| resource.first(SESSIONS));
    let assembly = &mut sessions.told(std::slice::from_ref(&named)).assembly;
    assembly.id(named);
    about(&mut assembly.session, &given, resource);
    let time = given.get("event.timestamp").or_else(|| seconds(scalar(record.time)));
    let location = RecordLocation { line, id: None, time };
    match name.split_once('.').map_or("", |(_, event)| event) {
        "tool_result" | "tool_call" => call(assembly, location, &given),
        "tool_decision" => decision(assembly, location, &given),
        "user_prompt" => match given.get("prompt") {
            Some(words) => assembly.push(location, EventKind::Prompt(RawText::Plain(words))),
            None => assembly.push(location, EventKind::Other),
        },
        "api_request" | "api_response" | "sse_event" => {
            let usage = usage(&given);
            if usage != Usage::default() {
                assembly.model(given.get("model"));
                assembly.usage(None, usage);
            }
            assembly.push(location, EventKind::Other);
        }
        _ => assembly.push(location, EventKind::Other),
    }
    true
}

fn call<'a>(assembly: &mut Assembly<'a>, location: RecordLocation<'a>, given: &Attributes<'a>) {
    let mut tool = given.first(&["tool_name", "function_name"]).unwrap_or(Cow::Borrowed(""));
    let mut arguments = given.arguments(&["tool_input", "arguments", "function_args"]);
    let parameters = given.get("tool_parameters");
    if let Some(parameters) = parameters.as_deref().and_then(parse::<Parameters<'_>>) {
        if let (Some(server), Some(name)) = (filled(parameters.server), filled(parameters.tool)) {
            tool = Cow::Owned(format!("mcp__{server}__{name}"));
        }
        if arguments == Arguments::Missing {
            // A command that was cut short proves nothing about the rest of it.
            arguments = command(parameters.command);
        }
    } else if let Some(server) = given.first(&["mcp_server_name", "mcp_server"])
        && !tool.contains("__")
    {
        tool = Cow::Owned(format!("mcp__{server}__{tool}"));
    }
    let refused = given.first(&["decision", "decision_type"]).is_some_and(|decision| is_refusal(&decision));
    let status = match given.get("success").as_deref() {
        _ if refused => Status::Denied,
        Some("true") => Status::Ok,
        Some(_) => Status::Error,
        None => Status::Missing,
    };
    let call_id = given.first(&["call_id", "tool_use_id"]);
    if assembly.repeats(call_id.as_deref(), &tool, &arguments) {
        assembly.settle(status, call_id);
        return;
    }
    let call = ToolCall { call_id: call_id.clone(), tool, arguments, cwd: None, status, subagent: None };
    assembly.call(location, call, call_id);
}

fn command(command: Option<Raw<'_>>) -> Arguments<'static> {
    match command {
        Some(command) => Arguments::Json(Cow::Owned(format!("{{\"command\":{}}}", command.get()))),
        None => Arguments::Missing,
    }
}

/// A call that was refused never has a result: the decision is all there is of it.
fn decision<'a>(assembly: &mut Assembly<'a>, location: RecordLocation<'a>, given: &Attributes<'a>) {
    if !given.get("decision").is_some_and(|decision| is_refusal(&decision)) {
        return assembly.push(location, EventKind::Other);
    }
    let call_id = given.first(&["call_id", "tool_use_id"]);
    if call_id.as_deref().is_some_and(|id| assembly.deny(id)) {
        return assembly.push(location, EventKind::Other);
    }
    let call = ToolCall {
        call_id: call_id.clone(),
        tool: given.first(&["tool_name", "function_name"]).unwrap_or(Cow::Borrowed("")),
        arguments: given.arguments(&["tool_input", "arguments"]),
        cwd: None,
        status: Status::Denied,
        subagent: None,
    };
    assembly.call(location, call, call_id);
}

fn is_refusal(decision: &str) -> bool {
    matches!(decision, "reject" | "denied" | "deny" | "abort" | "rejected")
}

fn usage(given: &Attributes<'_>) -> Usage {
    // Claude Code tells what came from the cache apart; the others count it as input, too.
    let mut counts = Counts::default();
    let mut count = |keys: &[&str]| given.count(&mut counts, keys);
    let apart = count(&["cache_read_tokens"]);
    let included = count(&["cached_token_count", "cached_content_token_count"]);
    Usage {
        input: count(&["input_tokens", "input_token_count"]).saturating_sub(included),
        output: count(&["output_tokens", "output_token_count"]),
        cache_read: apart.max(included),
        cache_write: count(&["cache_creation_tokens"]),
        reasoning: count(&["reasoning_token_count", "thoughts_token_count"]),
        partial: counts.is_partial,
        ..Usage::default()
    }
}
