//! Antigravity's transcripts.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::ANTIGRAVITY;
use crate::assembly::{self, Assembly, Numbering, RecordLocation};
use crate::formats::Input;
use crate::gaps::Gaps;
use crate::json::{Raw, elements, fields, filled, is, is_array, object, raw_text, record, scalar, text};
use crate::reader::Item;
use crate::scan::is_json;
use agent_strace_model::{Arguments, EventKind, RawText, Session, Status, ToolCall, ToolResult};

record! {
    struct Step {
        number = "step_index",
        source = "source",
        kind = "type",
        status = "status",
        created = "created_at",
        timestamp = "timestamp",
        content = "content",
        thinking = "thinking",
        calls = "tool_calls",
    }
}

record! {
    struct Call { name = "name", args = "args", arguments = "arguments" }
}

/// Reads one transcript.
pub(super) fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let log = input.log;
    let assembly = Assembly::new(&ANTIGRAVITY.dialect, &log.shown, Numbering::Ordinal);
    let mut steps = Steps { assembly, open: VecDeque::new() };
    input.records("a step", gaps, |item: &Item<'a, Step<'a>>, gaps| {
        steps.step(item, gaps);
    });
    let mut session = steps.assembly.finish();
    if let Some(name) = log.folder(&["transcript.jsonl"], &["logs", ".system_generated"]) {
        session.id = Cow::Borrowed(name);
    }
    vec![session]
}

struct Steps<'a> {
    assembly: Assembly<'a>,
    /// Calls whose own step has not come yet: their link, and the type that step has.
    open: VecDeque<(Cow<'a, str>, &'static str)>,
}

impl<'a> Steps<'a> {
    fn step(&mut self, item: &Item<'a, Step<'a>>, gaps: &mut Gaps) {
        let Item { line, record: step, .. } = item;
        let number = scalar(step.number);
        let location =
            RecordLocation { line: *line, id: number.clone(), time: scalar(step.created.or(step.timestamp)) };
        let kind = filled(step.kind).unwrap_or_default();
        match kind.strip_prefix("CORTEX_STEP_TYPE_").unwrap_or(&kind) {
            "USER_INPUT" => self.words(&location, step.content, EventKind::Prompt),
            "PLANNER_RESPONSE" => {
                self.words(&location, step.thinking, EventKind::Reasoning);
                self.words(&location, step.content, EventKind::Message);
            }
            // The host's own steps.
            "EPHEMERAL_MESSAGE"
            | "SYSTEM_MESSAGE"
            | "CONVERSATION_HISTORY"
            | "CHECKPOINT"
            | "ERROR_MESSAGE"
            | "KNOWLEDGE_ARTIFACTS" => self.assembly.push(location.clone(), EventKind::Other),
            "" => gaps.malformed(*line, "a step without a `type`"),
            _ if step.number.is_none() => gaps.unknown_record(*line, "a step without its number"),
            kind if step.calls.is_none() => self.outcome(location.clone(), kind, step),
            _ => self.assembly.unknown(location.clone()),
        }
        if step.calls.is_some() && !is_array(step.calls) {
            gaps.malformed(*line, "the calls of a step are not a list");
        }
        for (at, raw) in elements(step.calls).into_iter().enumerate() {
            match object::<Call<'a>>(Some(raw)) {
                Some(call) => self.call(&location, at, &call, gaps),
                None => gaps.malformed(*line, "a call that is not an object"),
            }
        }
    }

    fn words(&mut self, location: &RecordLocation<'a>, text: Option<Raw<'a>>, kind: fn(RawText<'a>) -> EventKind<'a>) {
        if let Some(text) = text {
            self.assembly.push(location.clone(), kind(RawText::Json(text.get())));
        }
    }

    fn call(&mut self, location: &RecordLocation<'a>, at: usize, call: &Call<'a>, gaps: &mut Gaps) {
        if let Some(key) = call.duplicate {
            gaps.twice(location.line, key, "a call");
        }
        let tool = filled(call.name).unwrap_or_default();
        self.assembly.pass(call.args.or(call.arguments));
        let arguments = arguments(call.args.or(call.arguments));
        // Calls have no ids; a step that is written again has the same number.
        let step = location.id.as_deref().map_or_else(|| format!("line {}", location.line), str::to_owned);
        let link: Cow<'a, str> = Cow::Owned(format!("{step}.{at}"));
        if self.assembly.repeats(Some(&link), &tool, &arguments) {
            return;
        }
        self.open.push_back((link.clone(), step_of(&tool)));
        let call = ToolCall { call_id: None, tool, arguments, cwd: None, status: Status::Missing, subagent: None };
        self.assembly.call(location.clone(), call, Some(link));
    }

    /// The step of a call that was asked for before, or one that nobody is known to have asked for.
    fn outcome(&mut self, location: RecordLocation<'a>, kind: &str, step: &Step<'a>) {
        let status = status(step.status);
        let found = self.open.iter().position(|(_, expected)| *expected == kind);
        let found = found.or_else(|| self.open.iter().position(|(_, expected)| expected.is_empty()));
        if let Some((link, _)) = found.and_then(|at| self.open.remove(at)) {
            self.assembly.settle(status, Some(link));
        } else if is(step.source, "MODEL") && !self.was_settled(location.id.as_deref()) {
            let tool = Cow::Owned(kind.to_ascii_lowercase());
            let arguments = Arguments::Missing;
            let call = ToolCall { call_id: None, tool, arguments, cwd: None, status, subagent: None };
            self.assembly.call(location.clone(), call, None);
        }
        let is_error = status == Status::Error;
        let result = ToolResult { call_id: None, text: raw_text(step.content), is_error };
        self.assembly.push(location, EventKind::Result(result));
    }

    /// The step was written before, when it had not ended yet.
    fn was_settled(&self, number: Option<&str>) -> bool {
        let last = self.assembly.session.events.last();
        number.is_some() && last.is_some_and(|event| event.id.as_deref() == number)
    }
}

fn status(value: Option<Raw<'_>>) -> Status {
    let value = filled(value).unwrap_or_default();
    match value.strip_prefix("CORTEX_STEP_STATUS_").unwrap_or(&value) {
        "DONE" => Status::Ok,
        "ERROR" => Status::Error,
        "CANCELED" | "CANCELLED" | "INTERRUPTED" => Status::Interrupted,
        _ => Status::Missing,
    }
}

/// The type of the step that carries out a call; empty where it is not known.
fn step_of(tool: &str) -> &'static str {
    match tool {
        "run_command" => "RUN_COMMAND",
        "command_status" => "COMMAND_STATUS",
        "send_command_input" => "SEND_COMMAND_INPUT",
        "view_file" | "view_file_outline" | "view_code_item" => "VIEW_FILE",
        "write_to_file" | "replace_file_content" | "multi_replace_file_content" => "CODE_ACTION",
        "grep_search" => "GREP_SEARCH",
        "list_dir" => "LIST_DIRECTORY",
        "find_by_name" => "FIND",
        "search_web" => "SEARCH_WEB",
        "read_url_content" => "READ_URL_CONTENT",
        "browser_subagent" => "BROWSER_SUBAGENT",
        "task_boundary" => "TASK_BOUNDARY",
        "notify_user" => "NOTIFY_USER",
        _ => "",
    }
}

/// Arguments whose values are JSON once more, as texts: `{"Cwd": "\"/srv\""}`.
fn arguments(value: Option<Raw<'_>>) -> Arguments<'_> {
    match assembly::arguments(value) {
        Arguments::Json(json) => match unwrapped(&json) {
            Some(plain) => Arguments::Json(Cow::Owned(plain)),
            None => Arguments::Json(json),
        },
        other => other,
    }
}

/// The same object with plain values; `None` when they are plain already.
fn unwrapped(json: &str) -> Option<String> {
    let fields = fields(json)?;
    let texts: Vec<_> = fields.values().map(|value| text(Some(*value))).collect();
    // A plain text may look like JSON, too: unless all of them do, only quoted texts are meant so.
    let all_encoded = texts.iter().flatten().all(|text| is_json(text));
    let encoded = |text: &str| (all_encoded || text.starts_with('"')) && is_json(text);
    if !texts.iter().flatten().any(|text| encoded(text)) {
        return None;
    }
    let mut plain = String::with_capacity(json.len());
    for ((key, value), text) in fields.iter().zip(&texts) {
        plain.push(if plain.is_empty() { '{' } else { ',' });
        plain.push_str(&serde_json::Value::from(&**key).to_string());
        plain.push(':');
        plain.push_str(text.as_deref().filter(|text| encoded(text)).unwrap_or(value.get()));
    }
    plain.push('}');
    Some(plain)
}
