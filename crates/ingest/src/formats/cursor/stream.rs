//! The output of a run of the command line: calls twice, when they start and when they end.

use std::borrow::Cow;
use std::collections::HashMap;

use super::STREAM;
use crate::assembly::{self, Assembly, Numbering, RecordLocation};
use crate::blocks::{self, Around, identity};
use crate::formats::Input;
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::{Counts, Raw, fields, filled, is, is_object, is_true, object, parse, raw_text, record, scalar, text};
use crate::paths::{self, Told};
use crate::reader::Item;
use agent_strace_model::attribution::note_each;
use agent_strace_model::evidence::Subagent;
use agent_strace_model::{
    Access, Arguments, Ending, EventKind, FileEvent, GapKind, RawText, Session, Status, ToolCall, ToolResult, Usage,
};

record! {
    struct Entry {
        kind = "type",
        subtype = "subtype",
        session = "session_id",
        cwd = "cwd",
        model = "model",
        permission = "permissionMode",
        message = "message",
        words = "text",
        call_id = "call_id",
        call = "tool_call",
        usage = "usage",
        timestamp = "timestamp_ms",
        request = "request_id",
        is_error = "is_error",
        result = "result",
    }
}

record! {
    struct Message { role = "role", content = "content" }
}

record! {
    /// One tool's call: what it was asked to do, and how it ended.
    struct Body { args = "args", result = "result", name = "name", arguments = "arguments" }
}

record! {
    struct McpArguments { provider = "providerIdentifier", tool = "toolName", name = "name", args = "args" }
}

record! {
    struct Ended { exit = "exitCode", calls = "toolCallCount", agent = "agentId" }
}

record! {
    struct Task { kind = "subagentType" }
}

record! {
    struct Tokens {
        input = "inputTokens",
        output = "outputTokens",
        read = "cacheReadTokens",
        write = "cacheWriteTokens",
    }
}

/// The end of a run and its words look like those of others, but its first record and its calls do not.
pub(super) fn claims(head: &Head<'_>) -> bool {
    let kind = head.text("type");
    match kind.as_deref() {
        Some("tool_call") => {
            (head.is("subtype", "started") || head.is("subtype", "completed")) && head.is_object("tool_call")
        }
        Some("system") => {
            head.is("subtype", "init") && head.is_string("cwd") && head.is_string("session_id") && !head.has("tools")
        }
        Some("thinking") => head.is_string("session_id") && head.is_string("subtype"),
        Some("interaction_query") => head.is_string("session_id"),
        _ => false,
    }
}

pub(super) fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let assembly = Assembly::new(&STREAM.dialect, &input.log.shown, Numbering::Ordinal);
    let mut run = Run { assembly, cwd: None, thought: String::new(), started: HashMap::new(), order: Vec::new() };
    input.records("a record", gaps, |item: &Item<'a, Entry<'a>>, gaps| {
        run.record(item.line, &item.record, gaps);
    });
    vec![run.finish()]
}

struct Run<'a> {
    assembly: Assembly<'a>,
    cwd: Option<Cow<'a, str>>,
    /// The thought that is being written, piece by piece.
    thought: String,
    /// Calls that have not ended yet.
    started: HashMap<Cow<'a, str>, (RecordLocation<'a>, Called<'a>)>,
    order: Vec<Cow<'a, str>>,
}

struct Called<'a> {
    tool: Cow<'a, str>,
    arguments: Arguments<'a>,
}

impl<'a> Run<'a> {
    fn record(&mut self, line: u32, entry: &Entry<'a>, gaps: &mut Gaps) {
        let location = RecordLocation { line, id: None, time: scalar(entry.timestamp) };
        self.assembly.id(filled(entry.session));
        match text(entry.kind).as_deref() {
            Some("system") => {
                self.assembly.model(filled(entry.model));
                let attribution = &mut self.assembly.session.attribution;
                note_each(&mut attribution.permission_modes, filled(entry.permission));
                self.cwd = filled(entry.cwd).or_else(|| self.cwd.take());
                self.assembly.root(self.cwd.clone());
                self.assembly.push(location, EventKind::Start);
            }
            Some("user" | "assistant") => {
                let message = object::<Message<'a>>(entry.message).unwrap_or_default();
                let around = Around { cwd: self.cwd.clone(), ..Around::of(message.role.or(entry.kind)) };
                blocks::add(&mut self.assembly, &location, message.content, &around, gaps);
            }
            Some("thinking") => self.think(location, entry),
            Some("tool_call") => self.call(location, entry, gaps),
            Some("result") => {
                if let Some(tokens) = object::<Tokens<'a>>(entry.usage) {
                    self.assembly.together(filled(entry.request), usage(&tokens));
                }
                let is_error = is_true(entry.is_error);
                let reason = filled(entry.result).filter(|_| is_error);
                let status = filled(entry.subtype);
                self.assembly.push(location, EventKind::End(Ending { status, reason, exit_code: None, is_error }));
            }
            Some("error") => {
                let said = raw_text(entry.words.or(entry.message));
                self.assembly.push(location, said.map_or(EventKind::Other, EventKind::Failure));
            }
            Some("retry" | "connection" | "interaction_query") => self.assembly.push(location, EventKind::Other),
            Some(_) if is_object(entry.call) => {
                self.assembly.unknown(location.clone());
                self.call(location, entry, gaps);
            }
            Some(_) => self.assembly.unknown(location),
            None => gaps.malformed(line, "a record without a `type`"),
        }
    }

    fn think(&mut self, location: RecordLocation<'a>, entry: &Entry<'a>) {
        if let Some(piece) = text(entry.words) {
            self.thought.push_str(&piece);
        }
        if is(entry.subtype, "completed") && !self.thought.is_empty() {
            let thought = Cow::Owned(std::mem::take(&mut self.thought));
            self.assembly.push(location, EventKind::Reasoning(RawText::Plain(thought)));
        }
    }

    /// The record at the end of a call has everything: the one at its start counts where there is no other.
    fn call(&mut self, location: RecordLocation<'a>, entry: &Entry<'a>, gaps: &mut Gaps) {
        let id = identity(entry.call_id);
        let Some((key, body)) = named(entry.call) else {
            return gaps.malformed(location.line, "a call that does not say of which tool");
        };
        if let Some(key) = body.duplicate {
            gaps.twice(location.line, key, "a call");
        }
        let called = called(key.clone(), &body);
        // The start of a call is compared with its end, or judged where that is missing.
        self.assembly.pass(body.args.or(body.arguments));
        for (other, body) in tools(entry.call).into_iter().filter(|(other, _)| *other != key) {
            gaps.unknown_record(location.line, "a call of several tools at once");
            self.add(location.clone(), self::called(other, &body), None, Status::Missing);
        }
        if is(entry.subtype, "started") {
            match id {
                Some(id) if !self.started.contains_key(&id) => {
                    self.order.push(id.clone());
                    self.started.insert(id, (location, called));
                }
                id => self.add(location, called, id, Status::Missing),
            }
            return;
        }
        let began = id.as_ref().and_then(|id| self.started.remove(id));
        self.assembly.pass(body.result);
        let status = status(body.result);
        if outcomes(body.result) > 1 {
            gaps.contradiction(location.line, SEVERAL);
        }
        if let Some(file) = elsewhere(&key, &body, self.cwd.as_deref()) {
            self.assembly.push(location.clone(), EventKind::File(file));
        } else if let Some(ran) = ran(&body, self.cwd.as_deref()) {
            gaps.push(Some(location.line), GapKind::Contradiction(OTHER.into()));
            self.add(location.clone(), Called { tool: called.tool.clone(), arguments: ran }, None, status);
        }
        let (at, called) = match began {
            Some((at, first))
                if first.tool == called.tool
                    && asks_other(&first.arguments, &called.arguments, self.cwd.as_deref()) =>
            {
                gaps.push(Some(location.line), GapKind::Contradiction(OTHER.into()));
                self.add(at, first, None, Status::Missing);
                (location.clone(), called)
            }
            Some((at, first)) if first.tool == called.tool && called.arguments == Arguments::Missing => (at, first),
            Some((_, first)) if first.tool == called.tool => (location.clone(), called),
            // Two tools under one id: both ran.
            Some((at, first)) => {
                self.add(at, first, id.clone(), Status::Missing);
                (location.clone(), called)
            }
            None => (location.clone(), called),
        };
        self.task(&called, &body, id.as_ref());
        self.add(at, called, id.clone(), status);
        let is_error = matches!(status, Status::Error | Status::Denied);
        let result = ToolResult { call_id: id.clone(), text: raw_text(body.result), is_error };
        self.assembly.result(location, result, status, id);
    }

    fn add(&mut self, location: RecordLocation<'a>, called: Called<'a>, id: Option<Cow<'a, str>>, status: Status) {
        let Called { tool, arguments } = called;
        if self.assembly.repeats(id.as_deref(), &tool, &arguments) {
            return;
        }
        let call = ToolCall { call_id: id.clone(), tool, arguments, cwd: self.cwd.clone(), status, subagent: None };
        self.assembly.call(location, call, id);
    }

    /// An agent that the call started, which the run's output shows nothing else of.
    fn task(&mut self, called: &Called<'a>, body: &Body<'a>, call_id: Option<&Cow<'a, str>>) {
        if called.tool != "taskToolCall" {
            return;
        }
        let kind = object::<Task<'a>>(body.args).and_then(|task| filled(task.kind));
        let ended = object::<Ended<'a>>(outcome(body.result).map(|(_, value)| value)).unwrap_or_default();
        let event = u32::try_from(self.assembly.session.events.len()).unwrap_or(u32::MAX).saturating_add(1);
        let calls = ended.calls.and_then(|calls| calls.get().parse().ok());
        let started = Subagent { event, id: filled(ended.agent), call_id: call_id.cloned(), kind, calls };
        self.assembly.session.evidence.subagents.push(started);
    }

    fn finish(mut self) -> Session<'a> {
        for id in std::mem::take(&mut self.order) {
            if let Some((location, called)) = self.started.remove(&id) {
                self.add(location, called, Some(id), Status::Missing);
            }
        }
        self.assembly.finish()
    }
}

/// The tool of a call is the key that holds it; other keys say when it ran.
fn named(call: Option<Raw<'_>>) -> Option<(Cow<'_, str>, Body<'_>)> {
    tools(call).into_iter().next()
}

fn tools(call: Option<Raw<'_>>) -> Vec<(Cow<'_, str>, Body<'_>)> {
    let fields = call.filter(|call| is_object(Some(*call))).and_then(|call| fields(call.get())).unwrap_or_default();
    let is_tool = |key: &str| key.ends_with("ToolCall") || key == "function";
    let tools = fields.into_iter().filter(|(key, value)| is_tool(key) && is_object(Some(*value)));
    tools.filter_map(|(key, raw)| Some((key, object(Some(raw))?))).collect()
}

fn called<'a>(key: Cow<'a, str>, body: &Body<'a>) -> Called<'a> {
    if let Some(name) = filled(body.name).filter(|_| key == "function") {
        return Called { tool: name, arguments: assembly::arguments(body.arguments) };
    }
    if key == "mcpToolCall" {
        let call = object::<McpArguments<'a>>(body.args).unwrap_or_default();
        if let (Some(server), Some(tool)) = (filled(call.provider), filled(call.tool).or_else(|| filled(call.name))) {
            let tool = Cow::Owned(format!("mcp__{server}__{tool}"));
            return Called { tool, arguments: assembly::arguments(call.args) };
        }
    }
    Called { tool: key, arguments: assembly::arguments(body.args) }
}

const SEVERAL: &str = "a call that ended in several ways at once";

const OTHER: &str = "the end of a call names another command, file or directory than the call asked for";

record! {
    /// What arguments and results name in the same words.
    struct Named { command = "command", path = "path", directory = "workingDirectory" }
}

/// The file that the result of a call names, where the call's own path can lead there and all else is as it was asked.
fn elsewhere<'a>(tool: &str, body: &Body<'a>, cwd: Option<&str>) -> Option<FileEvent<'a>> {
    let asked = object::<Named<'a>>(body.args)?;
    let named = object::<Named<'a>>(outcome(body.result).map(|(_, value)| value))?;
    let target = filled(named.path)?;
    let leads = paths::told(cwd, &filled(asked.path)?, &target) == Told::Elsewhere;
    let access = match tool {
        "editToolCall" | "writeToolCall" => Access::Write,
        "deleteToolCall" => Access::Delete,
        _ => Access::Read,
    };
    let is_all = !differs(&Named { path: None, ..asked }, &named, cwd);
    (leads && is_all).then_some(FileEvent { access, target })
}

/// The arguments that a call ran with, where its result names others than it was asked for: both are judged.
fn ran<'a>(body: &Body<'a>, cwd: Option<&str>) -> Option<Arguments<'a>> {
    let asked = object::<Named<'_>>(body.args)?;
    let told = object::<Named<'_>>(outcome(body.result).map(|(_, value)| value))?;
    if !differs(&asked, &told, cwd) {
        return None;
    }
    let kept = [
        ("command", told.command.or(asked.command)),
        ("path", told.path.or(asked.path)),
        ("workingDirectory", told.directory.or(asked.directory)),
    ];
    let kept = kept.iter().filter_map(|(key, value)| Some(format!("\"{key}\":{}", (*value)?.get())));
    Some(Arguments::Json(Cow::Owned(format!("{{{}}}", kept.collect::<Vec<_>>().join(",")))))
}

/// Whether two records of one call ask for different things.
fn asks_other(first: &Arguments<'_>, last: &Arguments<'_>, cwd: Option<&str>) -> bool {
    let (Arguments::Json(first), Arguments::Json(last)) = (first, last) else { return false };
    let (Some(first), Some(last)) = (parse::<Named<'_>>(first), parse::<Named<'_>>(last)) else { return false };
    differs(&first, &last, cwd)
}

fn differs(asked: &Named<'_>, told: &Named<'_>, cwd: Option<&str>) -> bool {
    let both = |asked: Option<Raw<'_>>, told: Option<Raw<'_>>, same: &dyn Fn(&str, &str) -> bool| {
        filled(asked).zip(filled(told)).is_some_and(|(asked, told)| !same(&asked, &told))
    };
    let is_same_path = |asked: &str, told: &str| paths::is_same(cwd, asked, told);
    both(asked.command, told.command, &|asked, told| asked.trim() == told.trim())
        || both(asked.path, told.path, &is_same_path)
        || both(asked.directory, told.directory, &is_same_path)
}

/// The keys of a result that say how its call ended, of which it has one. Others stand beside it and say under which rules it ran.
const ENDS: &[&str] = &[
    "success",
    "failure",
    "error",
    "rejected",
    "permissionDenied",
    "timeout",
    "aborted",
    "cancelled",
    "spawnError",
    "fileNotFound",
    "fileBusy",
    "notFile",
    "writePermissionDenied",
    "noSpace",
    "invalidFile",
    "toolNotFound",
];

record! {
    /// The fields that only a call that ran leaves behind.
    struct Left { exit = "exitCode", stdout = "stdout", content = "content" }
}

/// The ends that a result tells, by their keys. Where it knows none of them, each of its keys may be one.
fn ends(result: Option<Raw<'_>>) -> Vec<(Cow<'_, str>, Raw<'_>)> {
    let said = result.filter(|result| is_object(Some(*result))).and_then(|result| fields(result.get()));
    let said = said.unwrap_or_default();
    let has_left = |value: Raw<'_>| {
        object::<Left<'_>>(Some(value)).is_some_and(|left| left.exit.or(left.stdout).or(left.content).is_some())
    };
    let is_known = said.keys().any(|key| ENDS.contains(&&**key));
    said.into_iter().filter(|(key, value)| !is_known || ENDS.contains(&&**key) || has_left(*value)).collect()
}

/// Returns the status of a call. Where a result names several ends, the call ran.
fn outcome(result: Option<Raw<'_>>) -> Option<(Cow<'_, str>, Raw<'_>)> {
    let mut ends = ends(result);
    let success = ends.iter().position(|(key, _)| key == "success");
    success.map(|at| ends.swap_remove(at)).or_else(|| ends.pop())
}

fn outcomes(result: Option<Raw<'_>>) -> usize {
    ends(result).iter().filter(|(_, end)| is_object(Some(*end))).count()
}

fn status(result: Option<Raw<'_>>) -> Status {
    let Some((how, value)) = outcome(result) else { return Status::Missing };
    match &*how {
        "rejected" | "permissionDenied" => Status::Denied,
        "timeout" | "aborted" | "cancelled" => Status::Interrupted,
        "success" => {
            let exit = object::<Ended<'_>>(Some(value)).and_then(|ended| ended.exit);
            if exit.is_none_or(|exit| exit.get() == "0") { Status::Ok } else { Status::Error }
        }
        _ => Status::Error,
    }
}

fn usage(tokens: &Tokens<'_>) -> Usage {
    let mut counts = Counts::default();
    Usage {
        input: counts.needed(tokens.input),
        output: counts.needed(tokens.output),
        cache_read: counts.of(tokens.read),
        cache_write: counts.of(tokens.write),
        partial: counts.is_partial,
        ..Usage::default()
    }
}
