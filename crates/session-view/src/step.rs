//! A step that is being built: one thought, one message, and the tools called beside them.

use std::collections::HashSet;

use jiff::Timestamp;
use uuid::Uuid;

use super::document::{Step, StepStatus, Text, Tokens, Tool, Words};
use agent_strace_model::Window;

#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) id: Option<Uuid>,
    pub(super) timestamp: Option<Timestamp>,
    pub(super) reasoning: Option<Words>,
    pub(super) message: Option<Words>,
    pub(super) tools: Vec<Tool>,
    pub(super) usage: Option<Tokens>,
    /// Names a step of which nothing but its size is known.
    measured: Option<Uuid>,
    /// The calls among `tools`.
    known: HashSet<Uuid>,
}

impl Draft {
    pub(super) fn new(timestamp: Option<Timestamp>) -> Self {
        Self { timestamp, ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.reasoning.is_none() && self.message.is_none() && self.tools.is_empty() && self.usage.is_none()
    }

    /// What it thought names the step.
    pub(super) fn think(&mut self, id: Uuid, text: String) {
        self.id = Some(id);
        self.reasoning = Some(Words { event_id: id, content: Text { text } });
    }

    pub(super) fn say(&mut self, id: Uuid, text: String) {
        self.id.get_or_insert(id);
        self.message = Some(Words { event_id: id, content: Text { text } });
    }

    /// `false`: the same call is here already.
    pub(super) fn call(&mut self, tool: Tool) -> bool {
        self.id.get_or_insert(tool.call.event_id);
        let is_new = self.known.insert(tool.call.event_id);
        if is_new {
            self.tools.push(tool);
        }
        is_new
    }

    /// Records of one answer repeat its size while it grows: the largest counts.
    pub(super) fn measure(&mut self, id: Uuid, window: Window) {
        self.measured.get_or_insert(id);
        let tokens = self.usage.get_or_insert(Tokens { fresh_input: 0, cache_creation: 0, cache_read: 0, output: 0 });
        tokens.fresh_input = tokens.fresh_input.max(window.fresh_input);
        tokens.cache_creation = tokens.cache_creation.max(window.cache_creation);
        tokens.cache_read = tokens.cache_read.max(window.cache_read);
        tokens.output = tokens.output.max(window.output);
    }

    pub(super) fn finish(self) -> Step {
        let is_failed = self.tools.iter().any(|tool| tool.is_error);
        Step {
            status: self.status(is_failed),
            is_failed,
            id: self.id.or(self.measured).unwrap_or_default(),
            timestamp: self.timestamp,
            reasoning: self.reasoning,
            message: self.message,
            tools: self.tools,
            usage: self.usage,
        }
    }

    fn status(&self, is_failed: bool) -> StepStatus {
        let waits = if self.tools.is_empty() {
            self.message.is_none() && self.reasoning.is_some()
        } else {
            self.tools.iter().any(|tool| tool.result.is_none())
        };
        match (is_failed, waits) {
            (true, _) => StepStatus::Failed,
            (false, true) => StepStatus::InProgress,
            (false, false) => StepStatus::Done,
        }
    }
}
