//! Tool invocations of a response, and the arguments that the model gave, which stand in the result of the request.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::json;

use super::replay::{Part, Request, path};
use crate::assembly;
use crate::json::{Raw, elements, fields, filled, is, is_object, is_true, object, record, text};
use agent_strace_model::{Arguments, Status};

record! {
    struct Confirmed { kind = "type" }
}

record! {
    struct Data {
        kind = "kind",
        input = "rawInput",
        line = "commandLine",
        command = "command",
        state = "terminalCommandState",
        cwd = "cwd",
        agent = "agentName",
    }
}

record! {
    struct CommandLine { original = "original", tool = "toolEdited", user = "userEdited" }
}

record! {
    struct Ended { exit = "exitCode", failed = "isError" }
}

record! {
    struct Outcome { metadata = "metadata" }
}

record! {
    struct Metadata { rounds = "toolCallRounds", results = "toolCallResults" }
}

record! {
    struct Round { calls = "toolCalls" }
}

record! {
    struct Call { name = "name", arguments = "arguments", id = "id" }
}

/// A call as the model made it.
pub(super) struct Asked<'a> {
    pub(super) line: u32,
    pub(super) id: Cow<'a, str>,
    pub(super) tool: Cow<'a, str>,
    pub(super) arguments: Arguments<'a>,
    /// The editor has a result of it.
    pub(super) answered: bool,
}

/// A call as the editor ran it.
pub(super) struct Ran<'a> {
    pub(super) line: u32,
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) tool: Cow<'a, str>,
    /// What the editor says it ran; what the user changed is not what the model asked for.
    pub(super) arguments: Arguments<'a>,
    pub(super) by_user: bool,
    pub(super) status: Status,
    pub(super) cwd: Option<Cow<'a, str>>,
    pub(super) subagent: Option<Cow<'a, str>>,
    /// The type of agent that it started.
    pub(super) starts: Option<Cow<'a, str>>,
    pub(super) details: Option<Raw<'a>>,
}

/// The calls of all results that a request ever had, each once.
pub(super) fn asked<'a>(request: &Request<'a>) -> Vec<Asked<'a>> {
    let mut asked: Vec<Asked<'a>> = Vec::new();
    let mut known: HashMap<Cow<'a, str>, usize> = HashMap::new();
    for (line, result) in &request.results {
        let outcome = object::<Outcome<'a>>(Some(*result)).unwrap_or_default();
        let metadata = object::<Metadata<'a>>(outcome.metadata).unwrap_or_default();
        let answers = metadata.results.and_then(|results| fields(results.get())).unwrap_or_default();
        let rounds = elements(metadata.rounds).into_iter().filter_map(|round| object::<Round<'a>>(Some(round)));
        for call in rounds.flat_map(|round| elements(round.calls)) {
            let call = object::<Call<'a>>(Some(call)).unwrap_or_default();
            let id = filled(call.id).unwrap_or_default();
            let tool = filled(call.name).unwrap_or_default();
            let arguments = assembly::arguments(call.arguments);
            let answered = answers.contains_key(&id);
            let same = known.get(&id).and_then(|at| asked.get_mut(*at));
            match same {
                Some(same) if !id.is_empty() && same.tool == tool && same.arguments == arguments => {
                    same.answered |= answered;
                }
                _ => {
                    known.insert(id.clone(), asked.len());
                    asked.push(Asked { line: *line, id, tool, arguments, answered });
                }
            }
        }
    }
    asked
}

/// The fields of a result that keep the model's request.
pub(super) fn rounds(result: Raw<'_>) -> Option<Raw<'_>> {
    object::<Metadata<'_>>(object::<Outcome<'_>>(Some(result))?.metadata)?.rounds
}

/// An invocation, if the part is one.
pub(super) fn ran<'a>(line: u32, part: &Part<'a>) -> Option<Ran<'a>> {
    let kind = text(part.kind)?;
    if !(kind.starts_with("toolInvocation") || part.tool.is_some() && part.call.is_some()) {
        return None;
    }
    let data = object::<Data<'a>>(part.data).unwrap_or_default();
    let (arguments, by_user) = arguments(part, &data);
    let starts = is(data.kind, "subagent").then(|| filled(data.agent).unwrap_or_default());
    Some(Ran {
        line,
        id: filled(part.call),
        tool: filled(part.tool).unwrap_or_default(),
        arguments,
        by_user,
        status: status(part, &data),
        cwd: path(data.cwd),
        subagent: filled(part.subagent),
        starts,
        details: part.details,
    })
}

/// What ran, and whether the user had changed it.
fn arguments<'a>(part: &Part<'a>, data: &Data<'a>) -> (Arguments<'a>, bool) {
    if let Some(input) = data.input {
        return (assembly::arguments(Some(input)), true);
    }
    if is(data.kind, "subagent") {
        return (assembly::arguments(part.data), false);
    }
    let line = object::<CommandLine<'a>>(data.line).unwrap_or_default();
    let edited = filled(line.user);
    let by_user = edited.is_some();
    let command =
        edited.or_else(|| filled(line.tool)).or_else(|| filled(line.original)).or_else(|| filled(data.command));
    let arguments = command
        .map_or(Arguments::Missing, |command| Arguments::Json(Cow::Owned(json!({ "command": command }).to_string())));
    (arguments, by_user)
}

/// Refused, skipped, failed or done, as the editor's own fields say.
fn status(part: &Part<'_>, data: &Data<'_>) -> Status {
    let reason = object::<Confirmed<'_>>(part.confirmed).and_then(|confirmed| confirmed.kind);
    let refused = part.confirmed.is_some_and(|confirmed| confirmed.get() == "false")
        || reason.is_some_and(|reason| matches!(reason.get(), "0" | "5"));
    // What was fetched may be refused when it is there: the request had gone out.
    let fetches = text(part.tool).is_some_and(|tool| tool.to_ascii_lowercase().contains("fetch"));
    let state = object::<Ended<'_>>(data.state).unwrap_or_default();
    let details = object::<Ended<'_>>(part.details).unwrap_or_default();
    if refused && state.exit.is_none() && part.details.is_none() {
        return if fetches { Status::Missing } else { Status::Denied };
    }
    let failed = state.exit.is_some_and(|exit| exit.get() != "0") || is_true(details.failed);
    if failed || is_object(part.error) || filled(part.error).is_some() {
        Status::Error
    } else if is_true(part.complete) || part.details.is_some() || state.exit.is_some() {
        Status::Ok
    } else {
        Status::Missing
    }
}
