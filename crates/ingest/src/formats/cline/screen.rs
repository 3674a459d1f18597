//! What was on screen: the agent's words, and what it asked the user or told them.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::SCREEN;
use crate::assembly::{Assembly, Numbering, RecordLocation};
use crate::formats::Input;
use crate::gaps::Gaps;
use crate::json::{Counts, Raw, filled, is_true, parse, raw_text, record, scalar, text};
use crate::reader::Item;
use agent_strace_model::{Arguments, EventKind, Session, Status, ToolCall, ToolResult, Usage};

record! {
    struct Message { ts = "ts", kind = "type", say = "say", ask = "ask", text = "text", partial = "partial" }
}

record! {
    struct Shown { tool = "tool" }
}

record! {
    struct Request { input = "tokensIn", output = "tokensOut", cache_read = "cacheReads", cache_write = "cacheWrites" }
}

/// What the host appends to a command that it asks the user about.
const ASKS: &str = "REQ_APP";

/// Reads one task.
pub(super) fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let log = input.log;
    let mut assembly = Assembly::new(&SCREEN.dialect, &log.shown, Numbering::Ordinal);
    assembly.id(log.folder(&["ui_messages.json"], &[]).map(Cow::Borrowed));
    let mut screen = Screen { assembly, command: None, number: 0 };
    input.records("a message", gaps, |item: &Item<'a, Message<'a>>, gaps| {
        screen.message(item, gaps);
    });
    vec![screen.assembly.finish()]
}

struct Screen<'a> {
    assembly: Assembly<'a>,
    /// The last command: output that follows is its.
    command: Option<Cow<'a, str>>,
    number: u64,
}

impl<'a> Screen<'a> {
    fn message(&mut self, item: &Item<'a, Message<'a>>, gaps: &mut Gaps) {
        let Item { line, record, .. } = item;
        let location = RecordLocation { line: *line, id: None, time: scalar(record.ts) };
        let Some(kind) = filled(record.say).or_else(|| filled(record.ask)) else {
            return gaps.malformed(*line, "a message that neither says nor asks");
        };
        // It was still being written: nothing ran yet.
        if is_true(record.partial) {
            return self.assembly.push(location, EventKind::Other);
        }
        match &*kind {
            "task" | "user_feedback" | "user_feedback_diff" => self.words(location, record.text, EventKind::Prompt),
            "text" | "completion_result" | "followup" | "plan_mode_respond" => {
                self.words(location, record.text, EventKind::Message);
            }
            "reasoning" => self.words(location, record.text, EventKind::Reasoning),
            "command" => self.command(location, record.text),
            "command_output" => self.output(location, record),
            "tool" => self.tool(location, record.text, gaps),
            "use_mcp_server" => self.call(location, "use_mcp_tool", json(record.text)),
            "browser_action_launch" => {
                let url = text(record.text).unwrap_or_default();
                self.call(location, "browser_action", one("url", &url));
            }
            "browser_action" => self.call(location, "browser_action", json(record.text)),
            "api_req_started" => self.request(location, record.text),
            "condense_context" | "summarize_task" => {
                let compactions = &mut self.assembly.session.evidence.compactions;
                *compactions = compactions.saturating_add(1);
                self.assembly.push(location, EventKind::Other);
            }
            known if is_known(known) => self.assembly.push(location, EventKind::Other),
            _ => self.assembly.unknown(location),
        }
    }

    fn words(
        &mut self,
        location: RecordLocation<'a>,
        text: Option<Raw<'a>>,
        kind: fn(agent_strace_model::RawText<'a>) -> EventKind<'a>,
    ) {
        self.assembly.push(location, raw_text(text).map_or(EventKind::Other, kind));
    }

    fn command(&mut self, location: RecordLocation<'a>, value: Option<Raw<'a>>) {
        let command = text(value).unwrap_or_default();
        let command = command.strip_suffix(ASKS).unwrap_or(&command);
        self.call(location, "execute_command", one("command", command));
        self.command = Some(self.link());
    }

    fn output(&mut self, location: RecordLocation<'a>, record: &Message<'a>) {
        self.assembly.settle(Status::Ok, self.command.clone());
        let result = ToolResult { call_id: None, text: raw_text(record.text), is_error: false };
        self.assembly.push(location, EventKind::Result(result));
    }

    fn tool(&mut self, location: RecordLocation<'a>, value: Option<Raw<'a>>, gaps: &mut Gaps) {
        let shown = text(value).unwrap_or_default();
        let name = parse::<Shown<'_>>(shown.trim()).and_then(|shown| filled(shown.tool).map(Cow::into_owned));
        if name.is_none() {
            gaps.malformed(location.line, "a tool on screen without its name");
        }
        self.call(location, name.unwrap_or_default(), json(value));
    }

    fn call(&mut self, location: RecordLocation<'a>, tool: impl Into<Cow<'a, str>>, arguments: Arguments<'a>) {
        self.number += 1;
        let call = ToolCall {
            call_id: None,
            tool: tool.into(),
            arguments,
            cwd: None,
            status: Status::Missing,
            subagent: None,
        };
        let link = self.link();
        self.assembly.call(location, call, Some(link));
    }

    /// Messages on screen have no ids.
    fn link(&self) -> Cow<'a, str> {
        Cow::Owned(format!("on screen {}", self.number))
    }

    fn request(&mut self, location: RecordLocation<'a>, value: Option<Raw<'a>>) {
        let json = text(value).unwrap_or_default();
        if let Some(request) = parse::<Request<'_>>(json.trim()).filter(|request| request.input.is_some()) {
            let mut counts = Counts::default();
            let usage = Usage {
                input: counts.of(request.input),
                output: counts.of(request.output),
                cache_read: counts.of(request.cache_read),
                cache_write: counts.of(request.cache_write),
                partial: counts.is_partial,
                ..Usage::default()
            };
            self.assembly.usage(None, usage);
        }
        self.assembly.push(location, EventKind::Other);
    }
}

/// Arguments that are JSON in a text.
fn json(value: Option<Raw<'_>>) -> Arguments<'_> {
    crate::assembly::arguments(value)
}

fn one<'a>(key: &str, value: &str) -> Arguments<'a> {
    let fields = Map::from_iter([(key.to_owned(), Value::from(value))]);
    Arguments::Json(Cow::Owned(Value::Object(fields).to_string()))
}

/// Kinds of messages that do nothing by themselves.
fn is_known(kind: &str) -> bool {
    let kinds = [
        "api_req_finished",
        "api_req_retried",
        "api_req_retry_delayed",
        "api_req_deleted",
        "api_req_failed",
        "deleted_api_reqs",
        "checkpoint_created",
        "checkpoint_saved",
        "shell_integration_warning",
        "error",
        "error_retry",
        "info",
        "mcp_server_request_started",
        "mcp_server_response",
        "mcp_notification",
        "browser_action_result",
        "diff_error",
        "clineignore_error",
        "rooignore_error",
        "resume_task",
        "resume_completed_task",
        "mistake_limit_reached",
        "auto_approval_max_req_reached",
        "task_progress",
        "hook_status",
        "new_task",
        "condense",
        "report_bug",
        "load_mcp_documentation",
        "subtask_result",
        "user_edit_todos",
    ];
    kinds.contains(&kind)
}
