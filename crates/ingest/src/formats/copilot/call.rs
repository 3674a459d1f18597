//! Calls: asked for by the model, started and completed by the host.

use std::borrow::Cow;

use super::{Envelope, Events};
use crate::assembly::{RecordLocation, arguments};
use crate::gaps::Gaps;
use crate::json::{Raw, elements, fields, filled, is, is_object, is_true, object, raw_text, record, text};
use crate::named::Named;
use agent_strace_model::{Access, Arguments, EventKind, FileEvent, GapKind, Status, ToolCall, ToolResult, exit_code};

record! {
    /// A request of the model, and the start of a call.
    pub(super) struct Data {
        id = "toolCallId",
        tool = "toolName",
        name = "name",
        arguments = "arguments",
        server = "mcpServerName",
        server_tool = "mcpToolName",
        parent = "parentToolCallId",
        cwd = "workingDirectory",
    }
}

impl Request<'_> {
    /// Returns whether a hook is asked about this request: it gets the tool and its arguments.
    pub(super) fn is_of(&self, (tool, given): (Option<Raw<'_>>, Option<Raw<'_>>)) -> bool {
        let is_named =
            filled(tool).is_some_and(|tool| [self.data.tool, self.data.name].iter().any(|it| is(*it, &tool)));
        is_named && arguments(self.data.arguments) == arguments(given)
    }
}

impl Data<'_> {
    fn asks_the_same(&self, other: &Self) -> bool {
        name(self) == name(other) && text_of(self.arguments) == text_of(other.arguments)
    }
}

fn text_of(value: Option<Raw<'_>>) -> Option<&str> {
    value.map(Raw::get)
}

/// What the model asked for.
#[derive(Debug, Clone)]
pub(super) struct Request<'a> {
    pub(super) location: RecordLocation<'a>,
    pub(super) data: Data<'a>,
}

record! {
    struct Complete {
        id = "toolCallId",
        success = "success",
        result = "result",
        error = "error",
        parent = "parentToolCallId",
        shell = "shellExecution",
        edits = "fileEdits",
        telemetry = "toolTelemetry",
    }
}

record! {
    struct Shell { code = "exitCode" }
}

record! {
    struct Edit { path = "path", kind = "kind" }
}

record! {
    struct Outcome {
        code = "code",
        message = "message",
        content = "content",
        kind = "result_type",
        words = "text_result_for_llm",
    }
}

record! {
    struct AppCall { server = "serverName", tool = "toolName", arguments = "arguments", success = "success", result = "result" }
}

const OTHER_FILE: &str = "the host reports that a call changed another file than the call names";

impl<'a> Events<'a> {
    /// The calls that a message of the model asks for.
    pub(super) fn requests(&mut self, location: &RecordLocation<'a>, list: Option<Raw<'a>>, gaps: &mut Gaps) {
        if list.is_some_and(|list| !list.get().starts_with('[')) {
            gaps.malformed(location.line, "the tool requests of a message are not a list");
        }
        for raw in elements(list) {
            let Some(data) = object::<Data<'a>>(Some(raw)) else {
                gaps.malformed(location.line, "a tool request that is not an object");
                continue;
            };
            if let Some(id) = filled(data.id) {
                // It becomes a call once it runs, unless another request takes its place.
                if self.requests.get(&id).is_none_or(|known| known.data.asks_the_same(&data)) {
                    self.assembly.pass(Some(raw));
                }
                self.asked.push(id.clone());
                self.requests.insert(id, Request { location: location.clone(), data });
            }
        }
    }

    /// The log ends before the host says what became of these requests.
    pub(super) fn unanswered(&mut self) {
        for id in std::mem::take(&mut self.asked) {
            if self.assembly.call_of(&id).is_none()
                && let Some(request) = self.requests.get(&id).cloned()
            {
                self.call(request.location, &request.data, None);
            }
        }
    }

    pub(super) fn started(&mut self, location: RecordLocation<'a>, envelope: &Envelope<'a>, gaps: &mut Gaps) {
        let Some(data) = object::<Data<'a>>(envelope.data) else {
            return gaps.malformed(location.line, "a call that is not readable");
        };
        if let Some(key) = data.duplicate {
            gaps.twice(location.line, key, "a call");
        }
        self.call(location, &data, envelope.agent);
    }

    /// Every call that was asked for and has not run as far as the log shows.
    pub(super) fn run_all_requests(&mut self) {
        let mut requests: Vec<_> = std::mem::take(&mut self.requests).into_iter().collect();
        requests
            .sort_by(|(one, first), (other, second)| (first.location.line, one).cmp(&(second.location.line, other)));
        for (id, request) in requests {
            if self.assembly.call_of(&id).is_none() {
                self.call(request.location, &request.data, None);
            }
        }
    }

    fn call(&mut self, location: RecordLocation<'a>, data: &Data<'a>, agent: Option<Raw<'a>>) {
        let id = filled(data.id);
        let tool = name(data);
        let arguments = arguments(data.arguments);
        if self.assembly.repeats(id.as_deref(), &tool, &arguments) {
            return self.assembly.push(location, EventKind::Other);
        }
        let call = ToolCall {
            call_id: id.clone(),
            tool,
            arguments,
            cwd: filled(data.cwd).or_else(|| self.cwd.clone()),
            status: Status::Missing,
            subagent: self.subagent(data.parent, agent),
        };
        self.open.extend(id.clone());
        self.assembly.call(location, call, id);
    }

    /// The user stopped whatever was running.
    pub(super) fn abort(&mut self, location: RecordLocation<'a>) {
        self.asked.clear();
        for id in std::mem::take(&mut self.open) {
            if self.assembly.call_of(&id).is_some_and(|call| call.status == Status::Missing) {
                self.assembly.settle(Status::Interrupted, Some(id));
            }
        }
        self.assembly.push(location, EventKind::Other);
    }

    /// The sub-agent that a record belongs to: the call that started it, where that is known.
    fn subagent(&self, parent: Option<Raw<'a>>, agent: Option<Raw<'a>>) -> Option<Cow<'a, str>> {
        filled(parent).or_else(|| {
            let agent = filled(agent)?;
            Some(self.agents.get(&agent).cloned().unwrap_or(agent))
        })
    }

    pub(super) fn completed(&mut self, location: RecordLocation<'a>, envelope: &Envelope<'a>, gaps: &mut Gaps) {
        let Some(done) = object::<Complete<'a>>(envelope.data) else {
            return gaps.malformed(location.line, "the end of a call is not readable");
        };
        if let Some(key) = done.duplicate {
            gaps.twice(location.line, key, "the end of a call");
        }
        let id = filled(done.id);
        // A call that ended has run, also where its start was not recorded.
        if let Some(id) = &id
            && self.assembly.call_of(id).is_none()
            && let Some(request) = self.requests.get(id).cloned()
        {
            self.call(request.location, &request.data, envelope.agent);
        }
        let tool = id.as_deref().and_then(|id| self.assembly.call_of(id)).map(|call| call.tool.clone());
        let status = status(&done, tool.as_deref().unwrap_or(""));
        if done.edits.is_some() {
            self.edited(&location, id.as_deref(), done.edits, gaps);
        }
        self.assembly.pass(done.result);
        self.assembly.pass(done.telemetry);
        let said = done.result.or(done.error);
        let outcome = object::<Outcome<'a>>(said).unwrap_or_default();
        let words = outcome.content.or(outcome.words).or(outcome.message).or(said);
        let is_error = matches!(status, Status::Error | Status::Denied);
        let result = ToolResult { call_id: id.clone(), text: raw_text(words), is_error };
        self.assembly.result(location, result, status, id);
    }

    /// The files that the host says a call changed: one that the call does not name is judged, too.
    fn edited(&mut self, location: &RecordLocation<'a>, id: Option<&str>, edits: Option<Raw<'a>>, gaps: &mut Gaps) {
        let Some(call) = id.and_then(|id| self.assembly.call_of(id)) else { return };
        let texts = texts_of(call);
        let mut named = Named::new(call.cwd.as_deref(), texts.iter().flat_map(|text| files_of(text)));
        let edits = elements(edits).into_iter().filter_map(|raw| object::<Edit<'a>>(Some(raw)));
        let edits = edits.filter_map(|edit| Some((filled(edit.path)?, edit.kind)));
        let others: Vec<_> = edits.filter(|(path, _)| !named.holds(path)).collect();
        for (path, kind) in others {
            gaps.push(Some(location.line), GapKind::Contradiction(OTHER_FILE.into()));
            let access = if is(kind, "delete") { Access::Delete } else { Access::Write };
            self.assembly.push(location.clone(), EventKind::File(FileEvent { access, target: path }));
        }
    }

    /// A call that an MCP server's own window made: one record for start and end.
    pub(super) fn by_window(&mut self, location: RecordLocation<'a>, data: Option<Raw<'a>>) {
        let call = object::<AppCall<'a>>(data).unwrap_or_default();
        let tool = match (text(call.server), text(call.tool)) {
            (Some(server), Some(tool)) => Cow::Owned(format!("mcp__{server}__{tool}")),
            (_, tool) => tool.unwrap_or_default(),
        };
        self.assembly.pass(call.result);
        let status = if is_true(call.success) { Status::Ok } else { Status::Error };
        let arguments = arguments(call.arguments);
        let call = ToolCall { call_id: None, tool, arguments, cwd: self.cwd.clone(), status, subagent: None };
        self.assembly.call(location, call, None);
    }
}

record! {
    struct Hosted { calls = "items" }
}

record! {
    struct HostedCall { kind = "type", id = "id", name = "name", action = "action", input = "input", arguments = "arguments" }
}

impl<'a> Events<'a> {
    /// Calls that ran at the provider, as it recorded them.
    pub(super) fn hosted(&mut self, location: &RecordLocation<'a>, tools: Option<Raw<'a>>) {
        for raw in elements(object::<Hosted<'a>>(tools).unwrap_or_default().calls) {
            let call = object::<HostedCall<'a>>(Some(raw)).unwrap_or_default();
            let Some(kind) = text(call.kind).filter(|kind| kind.ends_with("_call") || kind.ends_with("tool_use"))
            else {
                continue;
            };
            let id = filled(call.id);
            let arguments = arguments(call.action.or(call.input).or(call.arguments));
            let tool = filled(call.name).unwrap_or(kind);
            if !self.assembly.repeats(id.as_deref(), &tool, &arguments) {
                let call =
                    ToolCall { call_id: id.clone(), tool, arguments, cwd: None, status: Status::Ok, subagent: None };
                self.assembly.call(location.clone(), call, id);
            }
        }
    }
}

/// The texts that a call is given.
fn texts_of<'s>(call: &'s ToolCall<'_>) -> Vec<Cow<'s, str>> {
    match &call.arguments {
        Arguments::Json(json) => {
            fields(json).unwrap_or_default().into_values().filter_map(|value| text(Some(value))).collect()
        }
        // It is a patch, whatever its length.
        Arguments::Text(text) => vec![Cow::Owned(format!("{text}\n"))],
        Arguments::Missing => Vec::new(),
    }
}

/// The files that a text may name: it is a name, or a patch names them in the heads of its parts.
fn files_of(text: &str) -> Vec<&str> {
    if !text.contains('\n') {
        return vec![text];
    }
    let heads = text.lines().filter_map(|line| line.trim_start().strip_prefix("*** ")?.split_once(": "));
    heads.map(|(_, named)| named.trim()).collect()
}

/// The name of a tool; a server's tool is named by its server, which the recorded name only begins with.
fn name<'a>(data: &Data<'a>) -> Cow<'a, str> {
    match (filled(data.server), filled(data.server_tool)) {
        (Some(server), Some(tool)) => Cow::Owned(format!("mcp__{server}__{tool}")),
        _ => filled(data.tool).or_else(|| filled(data.name)).unwrap_or(Cow::Borrowed("")),
    }
}

fn status(done: &Complete<'_>, tool: &str) -> Status {
    let error = object::<Outcome<'_>>(done.error).unwrap_or_default();
    // The host's own codes: what a tool prints stands in the message.
    match text(error.code).as_deref() {
        Some("rejected" | "denied") => return Status::Denied,
        Some("aborted" | "cancelled" | "interrupted") => return Status::Interrupted,
        _ => {}
    }
    let result = object::<Outcome<'_>>(done.result).unwrap_or_default();
    match text(result.kind).as_deref() {
        Some("rejected" | "denied") => return Status::Denied,
        Some("failure" | "error" | "timeout") => return Status::Error,
        _ => {}
    }
    let failed = done.success.is_some_and(|value| value.get() == "false") || is_object(done.error);
    let code = object::<Shell<'_>>(done.shell).and_then(|shell| shell.code);
    if failed || code.is_some_and(|code| code.get() != "0") || code.is_none() && failing_exit(tool, result.content) {
        Status::Error
    } else if done.success.is_none() && done.result.is_none() {
        Status::Missing
    } else {
        Status::Ok
    }
}

/// The host closes what a command printed with its exit code; a command that failed still counts as a success.
fn failing_exit(tool: &str, content: Option<Raw<'_>>) -> bool {
    if !matches!(tool, "bash" | "powershell" | "shell") {
        return false;
    }
    content.and_then(|raw| exit_code::in_closing_mark(&text(Some(raw))?)).is_some_and(|code| code != 0)
}

record! {
    struct Permission { id = "toolCallId", result = "result" }
}

record! {
    struct Decision { kind = "kind" }
}

impl<'a> Events<'a> {
    /// What a person, a rule or a hook decided about a call that is waiting.
    pub(super) fn permission(&mut self, location: RecordLocation<'a>, data: Option<Raw<'a>>) {
        let permission = object::<Permission<'a>>(data).unwrap_or_default();
        let decision = object::<Decision<'a>>(permission.result).unwrap_or_default();
        let refused = text(decision.kind).is_some_and(|kind| kind.starts_with("denied"));
        if refused
            && let Some(id) = filled(permission.id)
            && !self.assembly.deny(&id)
            && let Some(request) = self.requests.get(&id).cloned()
        {
            self.call(request.location, &request.data, None);
            self.assembly.deny(&id);
        }
        if is(decision.kind, "cancelled")
            && let Some(id) = permission.id
        {
            self.assembly.settle(Status::Interrupted, filled(Some(id)));
        }
        self.assembly.push(location, EventKind::Other);
    }
}
