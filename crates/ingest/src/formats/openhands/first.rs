//! Version 0: actions with arguments, and observations that name the action they come of.

use std::borrow::Cow;

use super::Run;
use crate::assembly::RecordLocation;
use crate::gaps::Gaps;
use crate::json::{Counts, Nested, Raw, filled, is, raw_text, record, scalar, text};
use agent_strace_model::attribution::note;
use agent_strace_model::evidence::Subagent;
use agent_strace_model::{Arguments, EventKind, RawText, Status, ToolCall, ToolResult, Usage};

record! {
    pub(super) struct Event {
        id = "id",
        timestamp = "timestamp",
        source = "source",
        cause = "cause",
        action = "action",
        args = "args",
        observation = "observation",
        content = "content",
        extras: Nested<Extras<'a>> = "extras",
        metrics: Nested<Metrics<'a>> = "llm_metrics",
    }
}

record! {
    struct Args {
        content = "content",
        thought = "thought",
        version = "openhands_version",
        confirmation = "confirmation_state",
        agent = "agent",
        cwd = "cwd",
    }
}

record! {
    pub(super) struct Extras { metadata: Nested<Outcome<'a>> = "metadata", exit_code = "exit_code" }
}

record! {
    pub(super) struct Outcome { exit_code = "exit_code", cwd = "working_dir", user = "username", host = "hostname" }
}

record! {
    pub(super) struct Metrics { tokens: Nested<Tokens<'a>> = "accumulated_token_usage" }
}

record! {
    pub(super) struct Tokens {
        model = "model",
        prompt = "prompt_tokens",
        completion = "completion_tokens",
        cache_read = "cache_read_tokens",
        cache_write = "cache_write_tokens",
    }
}

/// Actions that touch nothing outside the conversation.
const WORDS: &[&str] = &[
    "message",
    "system",
    "start",
    "think",
    "finish",
    "reject",
    "null",
    "pause",
    "resume",
    "stop",
    "change_agent_state",
    "recall",
    "condensation",
    "condensation_request",
    "task_tracking",
    "loop_recovery",
];

pub(super) fn add<'a>(run: &mut Run<'a>, line: u32, event: &Event<'a>, gaps: &mut Gaps) {
    if let Some(tokens) = event.metrics.object().and_then(|metrics| metrics.tokens.object()) {
        usage(run, tokens);
    }
    let location = RecordLocation { line, id: scalar(event.id), time: scalar(event.timestamp) };
    match text(event.action) {
        Some(action) => act(run, &location, &action, event, gaps),
        None if event.observation.is_some() => observe(run, &location, event),
        None => gaps.malformed(line, "an action that is not a name"),
    }
}

/// The counts are running totals of the whole session.
fn usage(run: &mut Run<'_>, tokens: &Tokens<'_>) {
    let mut counts = Counts::default();
    let cache_read = counts.of(tokens.cache_read);
    let usage = Usage {
        input: counts.needed(tokens.prompt).saturating_sub(cache_read),
        output: counts.needed(tokens.completion),
        cache_read,
        cache_write: counts.of(tokens.cache_write),
        partial: counts.is_partial,
        ..Usage::default()
    };
    run.assembly.together(Some(Cow::Borrowed("running total")), usage);
}

fn act<'a>(run: &mut Run<'a>, location: &RecordLocation<'a>, action: &str, event: &Event<'a>, gaps: &mut Gaps) {
    let args = crate::json::object::<Args<'a>>(event.args).unwrap_or_default();
    let attribution = &mut run.assembly.session.attribution;
    note(&mut attribution.version, filled(args.version));
    if let Some(tokens) = event.metrics.object().and_then(|metrics| metrics.tokens.object()) {
        run.assembly.model(filled(tokens.model));
    }
    if let Some(thought) = args.thought.filter(|thought| thought.get() != "\"\"" && is_text(*thought)) {
        run.assembly.push(location.clone(), EventKind::Message(RawText::Json(thought.get())));
    }
    if WORDS.contains(&action) {
        let evidence = &mut run.assembly.session.evidence;
        evidence.compactions = evidence.compactions.saturating_add(u32::from(action == "condensation"));
        let kind = match args.content.filter(|_| action == "message") {
            Some(words) if is(event.source, "user") => EventKind::Prompt(RawText::Json(words.get())),
            Some(words) => EventKind::Message(RawText::Json(words.get())),
            None => EventKind::Other,
        };
        return run.assembly.push(location.clone(), kind);
    }
    if event.args.is_none() {
        gaps.malformed(location.line, "an action without arguments");
    }
    let arguments = event.args.map_or(Arguments::Missing, |args| Arguments::Json(Cow::Borrowed(args.get())));
    if run.assembly.repeats(location.id.as_deref(), action, &arguments) {
        return;
    }
    let status = if is(args.confirmation, "rejected") { Status::Denied } else { Status::Missing };
    let call = ToolCall {
        call_id: location.id.clone(),
        tool: Cow::Owned(action.to_owned()),
        arguments,
        cwd: filled(args.cwd).or_else(|| run.cwd.clone()),
        status,
        subagent: None,
    };
    let link = run.link(location.id.clone());
    run.assembly.call(location.clone(), call, Some(link));
    if action == "delegate" {
        let event = run.assembly.session.events.last().map_or(0, |event| event.number);
        let subagent =
            Subagent { event, id: None, call_id: location.id.clone(), kind: filled(args.agent), calls: None };
        run.assembly.session.evidence.subagents.push(subagent);
    }
}

fn is_text(value: Raw<'_>) -> bool {
    value.get().starts_with('"')
}

fn observe<'a>(run: &mut Run<'a>, location: &RecordLocation<'a>, event: &Event<'a>) {
    let extras = event.extras.object();
    let outcome = extras.and_then(|extras| extras.metadata.object());
    let code = outcome.and_then(|outcome| outcome.exit_code).or_else(|| extras.and_then(|extras| extras.exit_code));
    let status = match text(event.observation).as_deref() {
        Some("user_rejected") => Status::Denied,
        Some("error") => Status::Error,
        _ => match code.map(Raw::get) {
            None | Some("0") => Status::Ok,
            // The shell had not come back.
            Some("-1") => Status::Interrupted,
            Some(_) => Status::Error,
        },
    };
    if let Some(outcome) = outcome {
        run.assembly.root(filled(outcome.cwd));
        run.cwd = filled(outcome.cwd).or_else(|| run.cwd.clone());
        note(&mut run.assembly.session.attribution.user, filled(outcome.user));
        note(&mut run.assembly.session.attribution.host, filled(outcome.host));
    }
    let cause = scalar(event.cause);
    let link = if location.id.is_none() && cause.is_none() { run.last.clone() } else { cause };
    if link.as_deref().is_none_or(|link| run.assembly.call_of(link).is_none()) {
        return run.assembly.push(location.clone(), EventKind::Other);
    }
    let result = ToolResult { call_id: None, text: raw_text(event.content), is_error: status == Status::Error };
    run.assembly.result(location.clone(), result, status, link);
}
