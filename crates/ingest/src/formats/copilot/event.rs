//! What each type of event means.

use super::{Envelope, Events};
use crate::assembly::RecordLocation;
use crate::gaps::Gaps;
use crate::json::{Counts, filled, is_object, object, raw_text, record, scalar};
use crate::reader::Item;
use agent_strace_model::{EventKind, RawText, Speaker, Usage};

record! {
    struct Message {
        id = "messageId",
        api_call = "apiCallId",
        content = "content",
        model = "model",
        reasoning = "reasoningText",
        requests = "toolRequests",
        output = "outputTokens",
        server_tools = "serverTools",
        source = "source",
    }
}

impl<'a> Events<'a> {
    pub(super) fn event(&mut self, item: &Item<'a, Envelope<'a>>, gaps: &mut Gaps) {
        let (line, envelope) = (item.line, &item.record);
        if let Some(key) = envelope.duplicate {
            gaps.twice(line, key, "an event");
        }
        let location = RecordLocation { line, id: filled(envelope.id), time: scalar(envelope.timestamp) };
        let Some(kind) = filled(envelope.kind) else {
            return gaps.malformed(line, "an event without a `type`");
        };
        if !is_object(envelope.data) {
            return gaps.malformed(line, "an event whose `data` is not an object");
        }
        match &*kind {
            "session.start" | "session.resume" | "session.context_changed" | "session.handoff" => {
                self.context(&kind, location, envelope.data);
            }
            "session.model_change" | "session.mode_changed" | "session.permissions_changed" => {
                self.change(envelope.data);
                self.assembly.push(location, EventKind::Other);
            }
            "session.shutdown" => {
                let ending = self.shutdown(envelope.data);
                self.assembly.push(location, EventKind::End(ending));
            }
            "session.compaction_complete" => self.compacted(location, envelope.data),
            "session.truncation" => {
                self.truncated();
                self.assembly.push(location, EventKind::Other);
            }
            "session.snapshot_rewind" => {
                let evidence = &mut self.assembly.session.evidence;
                evidence.rewinds = evidence.rewinds.saturating_add(1);
                self.assembly.push(location, EventKind::Other);
            }
            "user.message" => self.prompt(location, envelope),
            "assistant.message" => self.message(&location, envelope, gaps),
            "assistant.reasoning" => {
                let message = object::<Message<'a>>(envelope.data).unwrap_or_default();
                self.assembly.push(location, raw_text(message.content).map_or(EventKind::Other, EventKind::Reasoning));
            }
            "assistant.usage" => {
                self.usage(envelope.data);
                self.assembly.push(location, EventKind::Other);
            }
            "tool.execution_start" | "external_tool.requested" => self.started(location, envelope, gaps),
            "tool.execution_complete" => self.completed(location, envelope, gaps),
            "mcp_app.tool_call_complete" => self.by_window(location, envelope.data),
            "permission.completed" => self.permission(location, envelope.data),
            "abort" => self.abort(location),
            "hook.start" => self.hook_started(location, envelope),
            "hook.end" => self.hook_ended(location, envelope, gaps),
            "subagent.started" => self.agent_started(location, envelope),
            "subagent.completed" | "subagent.failed" => self.agent_ended(location, envelope.data),
            _ => self.other(location, &kind, envelope, gaps),
        }
    }

    /// Events without meaning for the gate; of a type nobody knows, one may still hold a call.
    fn other(&mut self, location: RecordLocation<'a>, kind: &str, envelope: &Envelope<'a>, gaps: &mut Gaps) {
        let about = kind.split_once('.').map_or(kind, |(about, _)| about);
        let known = if about == "tool" { CALL_EVENTS.contains(&kind) } else { KNOWN.contains(&about) };
        let holds_call = || {
            let data = object::<super::call::Data<'a>>(envelope.data).unwrap_or_default();
            data.arguments.is_some() && (data.tool.is_some() || data.name.is_some())
        };
        if known && !CALL_EVENTS.contains(&kind) && holds_call() {
            return self.started(location, envelope, gaps);
        }
        if known {
            return self.assembly.push(location, EventKind::Other);
        }
        self.assembly.unknown(location.clone());
        if object::<super::call::Data<'a>>(envelope.data).is_some_and(|data| data.id.is_some() && data.tool.is_some()) {
            self.started(location, envelope, gaps);
        }
    }

    fn prompt(&mut self, location: RecordLocation<'a>, envelope: &Envelope<'a>) {
        self.asked.clear();
        let message = object::<Message<'a>>(envelope.data).unwrap_or_default();
        // An agent that started another one speaks to it.
        let agent = filled(message.source).filter(|source| source.starts_with("agent-")).map(|_| Speaker::Subagent);
        self.assembly.say(location, raw_text(message.content).map_or(EventKind::Other, EventKind::Prompt), agent);
    }

    fn message(&mut self, location: &RecordLocation<'a>, envelope: &Envelope<'a>, gaps: &mut Gaps) {
        let message = object::<Message<'a>>(envelope.data).unwrap_or_default();
        if let Some(key) = message.duplicate {
            gaps.twice(location.line, key, "a message");
        }
        self.assembly.model(filled(message.model));
        if let Some(thought) = message.reasoning.filter(|text| text.get() != "\"\"") {
            self.assembly.push(location.clone(), EventKind::Reasoning(RawText::Json(thought.get())));
        }
        let words = message.content.filter(|text| text.get() != "\"\"");
        self.assembly.push(location.clone(), raw_text(words).map_or(EventKind::Other, EventKind::Message));
        let request = filled(message.api_call).or_else(|| filled(message.id));
        if message.output.is_none() {
            self.assembly.untold(request);
        } else if !self.assembly.knows(request.as_deref()) {
            // What was sent only the end of the run tells.
            let usage = Usage { output: Counts::default().of(message.output), partial: true, ..Usage::default() };
            self.assembly.usage(request, usage);
        }
        self.asked.clear();
        self.requests(location, message.requests, gaps);
        self.hosted(location, message.server_tools);
    }
}

/// What events are about whose other types say nothing about what the agent did.
const KNOWN: &[&str] = &[
    "session",
    "user",
    "assistant",
    "tool",
    "hook",
    "system",
    "permission",
    "subagent",
    "abort",
    "skill",
    "command",
    "commands",
    "mcp",
    "model",
    "user_input",
    "elicitation",
    "sampling",
    "external_tool",
    "exit_plan_mode",
    "auto_mode_switch",
    "capabilities",
    "factory",
    "pending_messages",
    "session_limits_exhausted",
    "tool_search",
    "ui",
];

/// Events of a call between its start and its end, and a call that the user makes, not the agent.
const CALL_EVENTS: &[&str] = &["tool.execution_partial_result", "tool.execution_progress", "tool.user_requested"];
