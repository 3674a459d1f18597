//! Spans: tools that ran, models that were asked.

use std::borrow::Cow;

use super::attributes::Attributes;
use super::{SessionRecords, Sessions, asked, sums};
use crate::assembly::RecordLocation;
use crate::gaps::Gaps;
use crate::json::{Counts, Nested, filled, parse, record, scalar, text};
use agent_strace_model::attribution::{note, note_each, without_credentials};
use agent_strace_model::{EventKind, RawText, Status, ToolCall, ToolResult, Usage};

record! {
    struct Span {
        trace = "traceId",
        id = "spanId",
        parent = "parentSpanId",
        name = "name",
        start = "startTimeUnixNano",
        end = "endTimeUnixNano",
        duration = "duration",
        attributes = "attributes",
        status: Nested<Outcome<'a>> = "status",
    }
}

record! {
    struct Outcome { code = "code" }
}

const NAMES: &[&str] = &["gen_ai.tool.name", "tool.name", "tool_name", "ai.toolCall.name"];

const ARGUMENTS: &[&str] = &[
    "gen_ai.tool.call.arguments",
    "tool_arguments",
    "ai.toolCall.args",
    "input.value",
    "tool.parameters",
    "traceloop.entity.input",
];

const RESULTS: &[&str] =
    &["gen_ai.tool.call.result", "tool_response", "ai.toolCall.result", "output.value", "traceloop.entity.output"];

/// The model that answered, before the one that was asked for.
const ANSWERED: &[&str] = &["gen_ai.response.model", "llm.model_name", "gen_ai.request.model", "ai.model.id"];

/// What a span or its resource may call the session it belongs to.
pub(super) const SESSIONS: &[&str] = &["gen_ai.conversation.id", "session.id", "conversation.id", "session_id"];

pub(super) fn read<'a>(
    sessions: &mut Sessions<'a, '_>,
    json: &'a str,
    line: u32,
    resource: &Attributes<'a>,
    gaps: &mut Gaps,
) {
    let span = parse::<Span<'a>>(json).unwrap_or_default();
    if let Some(key) = span.duplicate {
        gaps.twice(line, key, "a span");
    }
    let given = Attributes::read(span.attributes, line, gaps);
    let named = given.first(SESSIONS).or_else(|| resource.first(SESSIONS));
    let SessionRecords { assembly, asked, sums } = sessions.told(&[named.clone(), filled(span.trace)]);
    assembly.id(named);
    about(&mut assembly.session, &given, resource);
    let location = RecordLocation { line, id: filled(span.id), time: seconds(scalar(span.start)) };
    sums.span(filled(span.id), filled(span.parent));
    let usage = usage(&given);
    if usage != Usage::default() && sums::is_sum(&given) {
        sums.note(filled(span.id), given.first(ANSWERED), usage);
    } else if usage != Usage::default() {
        assembly.model(given.first(ANSWERED));
        assembly.usage(filled(span.id), usage);
    }
    let Some(tool) = tool(&span, &given) else {
        asked.extend(asked::read(&given, &location, gaps));
        return assembly.push(location, EventKind::Other);
    };
    let call_id = given.first(&["gen_ai.tool.call.id", "tool_call.id", "ai.toolCall.id"]);
    let ended = span.end.is_some() || span.duration.is_some();
    let failed = span.status.object().is_some_and(|status| {
        status.code.is_some_and(|code| matches!(code.get(), "2" | "\"STATUS_CODE_ERROR\"" | "\"ERROR\""))
    });
    // What our own export says of it: a span has no word for calls that were refused, or whose end nobody recorded.
    let told = match given.get("agent_strace.tool.status").as_deref() {
        Some("denied") => Some(Status::Denied),
        Some("interrupted") => Some(Status::Interrupted),
        Some("missing") => Some(Status::Missing),
        _ => None,
    };
    let status = told.unwrap_or(match (failed || given.has("error.type"), ended) {
        (true, _) => Status::Error,
        (false, true) => Status::Ok,
        (false, false) => Status::Missing,
    });
    let call = ToolCall {
        call_id: call_id.clone(),
        tool,
        arguments: given.arguments(ARGUMENTS),
        cwd: None,
        status,
        subagent: None,
    };
    // A span that is exported again says the same.
    let link = filled(span.id);
    if assembly.repeats(link.as_deref(), &call.tool, &call.arguments) {
        return;
    }
    assembly.call(location.clone(), call, link);
    if let Some(result) = given.first(RESULTS) {
        let is_error = status == Status::Error;
        let text = Some(RawText::Plain(result));
        assembly.push(location, EventKind::Result(ToolResult { call_id, text, is_error }));
    }
}

/// The tool a span is about, if it is about one.
fn tool<'a>(span: &Span<'a>, given: &Attributes<'a>) -> Option<Cow<'a, str>> {
    let operation = given.get("gen_ai.operation.name");
    let is_tool = operation.as_deref() == Some("execute_tool")
        || given.is("openinference.span.kind", "TOOL")
        || given.is("traceloop.span.kind", "tool");
    let named = given.first(NAMES);
    if !is_tool && (named.is_none() || operation.is_some()) {
        return None;
    }
    let own = || given.first(&["operation.name", "traceloop.entity.name"]);
    let name = || match text(span.name)? {
        Cow::Borrowed(name) => Some(Cow::Borrowed(name.strip_prefix("execute_tool ").unwrap_or(name))),
        Cow::Owned(name) => Some(Cow::Owned(name)),
    };
    named.or_else(own).or_else(name)
}

pub(super) fn about<'a>(
    session: &mut agent_strace_model::Session<'a>,
    given: &Attributes<'a>,
    resource: &Attributes<'a>,
) {
    if session.agent == session.dialect.agent
        && let Some(name) = resource.get("service.name")
    {
        session.agent = name;
    }
    let attribution = &mut session.attribution;
    let models = ["gen_ai.request.model", "gen_ai.response.model", "llm.model_name", "model", "ai.model.id"];
    for model in models {
        note_each(&mut attribution.models, given.get(model));
    }
    note(&mut attribution.version, given.get("app.version").or_else(|| resource.get("service.version")));
    note(&mut attribution.host, resource.get("host.name"));
    let users = ["user.email", "user.id", "user.account_uuid", "enduser.id"];
    note(&mut attribution.user, given.first(&users).or_else(|| resource.first(&users)));
    note(&mut attribution.entrypoint, given.first(&["originator", "terminal.type"]));
    note_each(&mut attribution.permission_modes, given.first(&["approval_policy", "approval_mode"]));
    note_each(&mut attribution.sandboxes, given.first(&["sandbox_policy"]));
    let commits = ["vcs.ref.head.revision", "vcs.repository.ref.revision"];
    note(&mut attribution.commit, resource.first(&commits));
    note_each(&mut attribution.branches, resource.first(&["vcs.ref.head.name", "vcs.repository.ref.name"]));
    note(&mut attribution.repository, resource.get("vcs.repository.url.full").map(without_credentials));
}

/// The conventions count what a cache gave back and took in as input, too. A writer that tells more of it than of the input
/// counts it apart.
fn usage(given: &Attributes<'_>) -> Usage {
    let mut counts = Counts::default();
    let mut count = |keys: &[&str]| given.count(&mut counts, keys);
    let cache_read = count(&["gen_ai.usage.cache_read.input_tokens", "llm.token_count.prompt_details.cache_read"]);
    let cache_write =
        count(&["gen_ai.usage.cache_creation.input_tokens", "llm.token_count.prompt_details.cache_write"]);
    let input = count(&["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"]);
    Usage {
        input: input.checked_sub(cache_read.saturating_add(cache_write)).unwrap_or(input),
        output: count(&["gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion"]),
        cache_read,
        cache_write,
        partial: counts.is_partial,
        ..Usage::default()
    }
}

/// Nanoseconds since the epoch as seconds.
pub(super) fn seconds(nanoseconds: Option<Cow<'_, str>>) -> Option<Cow<'_, str>> {
    let digits = nanoseconds?;
    let cut = digits.len().checked_sub(9)?;
    let (whole, rest) = digits.split_at_checked(cut)?;
    Some(Cow::Owned(format!("{}.{rest}", if whole.is_empty() { "0" } else { whole })))
}
