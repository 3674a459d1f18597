//! The events of a sample: answers of models, tools that ran, and what ran in the sandbox.

use std::borrow::Cow;

use super::attachments::Attachments;
use super::{Fault, outcome, tokens};
use crate::assembly::{Assembly, RecordLocation, arguments};
use crate::gaps::Gaps;
use crate::json::{Nested, Raw, elements, filled, is_array, object, raw_text, record, scalar};
use crate::reader::Reader;
use agent_strace_model::{Arguments, EventKind, Status, ToolCall, ToolResult};

record! {
    struct Event {
        kind = "event",
        time = "timestamp",
        output = "output",
        input = "input",
        asked = "call",
        state = "state",
        sample = "sample",
        changes = "changes",
        id = "id",
        function = "function",
        arguments = "arguments",
        result = "result",
        error: Nested<Fault<'a>> = "error",
        events = "events",
        action = "action",
        command = "cmd",
        file = "file",
        span = "span_id",
    }
}

record! {
    struct Output { choices = "choices", usage = "usage", model = "model" }
}

record! {
    struct Choice { message: Nested<Answer<'a>> = "message" }
}

record! {
    struct Answer { calls = "tool_calls" }
}

record! {
    struct Called { id = "id", function = "function", arguments = "arguments" }
}

/// Agents that are tools of others.
const DEEPEST: usize = 32;

pub(super) struct Events<'a> {
    pub(super) assembly: Assembly<'a>,
    pub(super) attachments: Attachments<'a>,
    /// The sample itself does not tell what it used.
    pub(super) tells_usage: bool,
}

impl<'a> Events<'a> {
    pub(super) fn list(&mut self, json: &'a str, line: u32, list: Raw<'a>, gaps: &mut Gaps) {
        if !is_array(Some(list)) {
            return gaps.malformed(line, "the events of a sample are not a list");
        }
        let mut reader = Reader::of_field(json, line, list);
        while let Some(item) = reader.next::<Event<'a>>(gaps) {
            self.event(item.line, &item.record, &[], 0, gaps);
        }
    }

    /// `within`: what the call was given that this event is a part of.
    fn event(&mut self, line: u32, event: &Event<'a>, within: &[String], depth: usize, gaps: &mut Gaps) {
        if let Some(key) = event.duplicate {
            gaps.twice(line, key, "an event");
        }
        let location = RecordLocation { line, id: None, time: scalar(event.time) };
        match &*filled(event.kind).unwrap_or_default() {
            "model" => {
                // The conversation so far, in two forms.
                self.assembly.pass(event.input);
                self.assembly.pass(event.asked);
                self.answer(&location, event.output, gaps);
            }
            "tool" => self.tool(&location, event, depth, gaps),
            "sandbox" => self.sandbox(location, event, within),
            "state" | "store" => self.assembly.pass(event.changes),
            "sample_init" => {
                self.assembly.pass(event.state);
                self.assembly.pass(event.sample);
            }
            "" => gaps.malformed(line, "an event without its kind"),
            _ => {}
        }
    }

    /// Calls of an answer that the messages do not hold any more.
    fn answer(&mut self, location: &RecordLocation<'a>, output: Option<Raw<'a>>, gaps: &mut Gaps) {
        let Some(output) = object::<Output<'a>>(output) else { return };
        if self.tells_usage
            && let Some(usage) = tokens(output.usage)
        {
            self.assembly.model(filled(output.model));
            self.assembly.usage(None, usage);
        }
        self.calls(location, &output, gaps);
    }

    /// The last answer of a sample, which its messages repeat.
    pub(super) fn output(&mut self, line: u32, output: Option<Raw<'a>>, gaps: &mut Gaps) {
        if let Some(output) = object::<Output<'a>>(output) {
            self.calls(&RecordLocation { line, id: None, time: None }, &output, gaps);
        }
    }

    fn calls(&mut self, location: &RecordLocation<'a>, output: &Output<'a>, gaps: &mut Gaps) {
        for choice in elements(output.choices) {
            let choice = object::<Choice<'a>>(Some(choice)).unwrap_or_default();
            for raw in choice.message.object().map(|message| elements(message.calls)).unwrap_or_default() {
                match object::<Called<'a>>(Some(raw)) {
                    Some(call) => self.call(location, filled(call.id), call.function, call.arguments, gaps),
                    None => gaps.malformed(location.line, "a call that is not an object"),
                }
            }
        }
    }

    /// A call under an id that is known is the same: long texts in it may stand elsewhere.
    fn call(
        &mut self,
        location: &RecordLocation<'a>,
        id: Option<Cow<'a, str>>,
        tool: Option<Raw<'a>>,
        given: Option<Raw<'a>>,
        gaps: &mut Gaps,
    ) {
        let tool = filled(tool).unwrap_or_default();
        let known = id.as_deref().and_then(|id| self.assembly.call_of(id));
        if known.is_some_and(|known| known.tool == tool) {
            let (told, arguments) = (known.map(|known| known.arguments.clone()), arguments(given));
            let whole = self.attachments.given(&arguments, location.line, gaps);
            let arguments = whole.map_or(arguments, |json| Arguments::Json(Cow::Owned(json)));
            if told.as_ref().is_some_and(|told| is_same(told, &arguments)) {
                return self.assembly.pass(given);
            }
        }
        let from = self.assembly.session.events.len();
        let arguments = arguments(given);
        let (cwd, status, subagent) = (None, Status::Missing, None);
        let call = ToolCall { call_id: id.clone(), tool, arguments, cwd, status, subagent };
        self.assembly.call(location.clone(), call, id);
        self.attachments.resolve(&mut self.assembly, from, location.line, gaps);
    }

    fn tool(&mut self, location: &RecordLocation<'a>, event: &Event<'a>, depth: usize, gaps: &mut Gaps) {
        let id = filled(event.id);
        self.call(location, id.clone(), event.function, event.arguments, gaps);
        let known = id.as_deref().and_then(|id| self.assembly.call_of(id));
        let within = known.map(|call| plain(&call.arguments)).unwrap_or_default();
        let is_told = known.is_some_and(|call| call.status != Status::Missing);
        let list = elements(event.events);
        if depth >= DEEPEST && !list.is_empty() {
            gaps.limit(location.line, "agents in agents, nested too deep to be read");
        } else {
            for raw in list {
                match object::<Event<'a>>(Some(raw)) {
                    Some(inner) => self.event(location.line, &inner, &within, depth + 1, gaps),
                    None => gaps.malformed(location.line, "an event that is not an object"),
                }
            }
        }
        if !is_told && (event.result.is_some() || event.error.is_object()) {
            let status = outcome(event.error.object());
            let is_error = status != Status::Ok;
            let result = ToolResult { call_id: id.clone(), text: raw_text(event.result), is_error };
            let from = self.assembly.session.events.len();
            self.assembly.result(location.clone(), result, status, id);
            self.attachments.resolve(&mut self.assembly, from, location.line, gaps);
        }
    }

    /// What ran in the sandbox, where it is not what the call around it asked for.
    fn sandbox(&mut self, location: RecordLocation<'a>, event: &Event<'a>, within: &[String]) {
        let (tool, key, value) = match &*filled(event.action).unwrap_or_default() {
            "exec" => ("sandbox_exec", "command", event.command),
            "read_file" => ("sandbox_read_file", "path", event.file),
            "write_file" => ("sandbox_write_file", "path", event.file),
            _ => return self.assembly.unknown(location),
        };
        let told = filled(value);
        if let Some(told) = &told
            && asks(within, told)
        {
            return self.assembly.push(location, EventKind::Other);
        }
        let arguments = match told {
            Some(told) => Arguments::Json(Cow::Owned(serde_json::json!({ key: told }).to_string())),
            None => Arguments::Missing,
        };
        let (call_id, cwd, subagent) = (None, None, None);
        // The event is written when the sandbox has answered.
        let call = ToolCall { call_id, tool: tool.into(), arguments, cwd, status: Status::Ok, subagent };
        self.assembly.call(location, call, None);
    }
}

/// The texts that a call was given.
fn plain(arguments: &Arguments<'_>) -> Vec<String> {
    let Arguments::Json(json) = arguments else { return Vec::new() };
    let Ok(serde_json::Value::Object(members)) = serde_json::from_str(json) else { return Vec::new() };
    members.values().filter_map(|value| value.as_str()).map(|text| text.trim().to_owned()).collect()
}

/// A command in the sandbox is the one that a call asked for, alone or behind the shell that reads it.
fn asks(within: &[String], ran: &str) -> bool {
    let bare = |text: &str| text.chars().filter(|letter| !matches!(letter, '\'' | '"' | '\\')).collect::<String>();
    let ran = bare(ran.trim());
    within.iter().filter(|given| !given.is_empty()).any(|given| {
        let before = ran.strip_suffix(&*bare(given)).map(str::trim_end);
        before.is_some_and(|before| before.is_empty() || SHELLS.contains(&before))
    })
}

/// What Inspect's tools put before a command.
const SHELLS: &[&str] = &["bash --login -c", "bash -c", "sh -c", "python3 -c", "python -c", "bash --login -i -c"];

fn is_same(one: &Arguments<'_>, other: &Arguments<'_>) -> bool {
    let value = |arguments: &Arguments<'_>| match arguments {
        Arguments::Json(json) => serde_json::from_str::<serde_json::Value>(json).ok(),
        _ => None,
    };
    one == other || value(one).zip(value(other)).is_some_and(|(one, other)| one == other)
}
