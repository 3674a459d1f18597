//! Groups the timeline rows of a conversation into turns.

use std::collections::HashMap;
use std::mem;

use jiff::Timestamp;
use uuid::Uuid;

use super::document::{
    Call, CallContent, Position, Reason, ResultContent, SlashCommand, Text, Tool, ToolResult, Turn, TurnStats, User,
    UserOrigin,
};
use super::step::Draft;
use super::time;
use super::timeline::{Outcome, RecordStyle, TimelineRow, What};

/// The turns of one conversation.
#[derive(Debug, Default)]
pub(super) struct Turns {
    pub(super) turns: Vec<Turn>,
    /// Where sessions of sub-agents started, and when.
    pub(super) starts: Vec<(Option<Timestamp>, Position)>,
}

/// The host's mark for a turn that its user stopped.
const INTERRUPTED: &str = "[Request interrupted";
/// How the host opens the conversation again after a compaction.
const CONTINUED: &str = "This session is being continued";

pub(super) fn build(rows: impl IntoIterator<Item = TimelineRow>, style: RecordStyle) -> Turns {
    let mut built = Turns::default();
    let mut open: Option<Open> = None;
    for TimelineRow { id, time, what } in rows {
        match what {
            What::Prompt(text) if text.starts_with(INTERRUPTED) => built.close(open.take()),
            What::Prompt(text) => match &mut open {
                // What a command is short for follows it.
                Some(turn) if turn.awaits_text() => turn.expand(text),
                _ => built.close(open.replace(Open::prompt(id, time, text))),
            },
            What::Command { name, args } => {
                built.close(open.replace(Open::command(id, time, SlashCommand { name, args })));
            }
            What::Notice => {}
            What::Starts => {
                let step_index = open.as_ref().map_or(0, |turn| turn.steps.len());
                built.starts.push((time, Position { turn_index: built.turns.len(), step_index }));
            }
            what => {
                // Of the agents whose conversations are known, what comes before a prompt is not the conversation.
                if open.is_none() && style == RecordStyle::Plain {
                    open = Some(Open::prompt(id, time, String::new()));
                }
                if let Some(turn) = &mut open {
                    turn.add(id, time, what);
                }
            }
        }
    }
    built.close(open);
    built
}

impl Turns {
    fn close(&mut self, turn: Option<Open>) {
        self.turns.extend(turn.and_then(Open::finish));
    }
}

/// A turn that may still grow.
struct Open {
    id: Uuid,
    time: Option<Timestamp>,
    user: User,
    steps: Vec<Draft>,
    step: Draft,
    /// Call → its step and its index there, until its result comes.
    waiting: HashMap<Uuid, (usize, usize)>,
    pending_command: bool,
}

impl Open {
    fn prompt(id: Uuid, time: Option<Timestamp>, text: String) -> Self {
        let origin = if text.starts_with(CONTINUED) {
            UserOrigin::SystemGenerated { reason: Reason::ContextCompaction }
        } else {
            UserOrigin::User
        };
        Self {
            id,
            time,
            user: User { event_id: id, content: Text { text }, slash_command: None, origin },
            steps: Vec::new(),
            step: Draft::new(time),
            waiting: HashMap::new(),
            pending_command: false,
        }
    }

    fn command(id: Uuid, time: Option<Timestamp>, command: SlashCommand) -> Self {
        let mut turn = Self::prompt(id, time, String::new());
        turn.user.slash_command = Some(command);
        turn.pending_command = true;
        turn
    }

    fn awaits_text(&self) -> bool {
        self.pending_command && self.steps.is_empty() && self.step.is_empty()
    }

    fn expand(&mut self, text: String) {
        self.user.content = Text { text };
        self.pending_command = false;
    }

    fn add(&mut self, id: Uuid, time: Option<Timestamp>, what: What) {
        match what {
            What::Reasoning(text) => {
                if self.step.reasoning.is_some() {
                    self.next_step(time);
                }
                self.step.think(id, text);
            }
            What::Message(text) => {
                if self.step.message.is_some() {
                    self.next_step(time);
                }
                self.step.say(id, text);
            }
            What::Call(content) => self.call(id, time, content),
            What::Result(outcome) => self.result(id, time, outcome),
            What::Usage(window) => match self.steps.last_mut() {
                Some(step) if self.step.is_empty() => step.measure(id, window),
                _ => self.step.measure(id, window),
            },
            What::Prompt(_) | What::Command { .. } | What::Starts | What::Notice => {}
        }
    }

    fn next_step(&mut self, time: Option<Timestamp>) {
        self.steps.push(mem::replace(&mut self.step, Draft::new(time)));
    }

    fn call(&mut self, id: Uuid, time: Option<Timestamp>, content: CallContent) {
        let position = (self.steps.len(), self.step.tools.len());
        let provider_call_id = content.provider_call_id.clone();
        let call = Call { event_id: id, timestamp: time, provider_call_id, content };
        if self.step.call(Tool { call, result: None, duration_ms: None, is_error: false }) {
            self.waiting.insert(id, position);
        }
    }

    /// A result belongs to its call wherever that is in the turn.
    fn result(&mut self, id: Uuid, time: Option<Timestamp>, outcome: Outcome) {
        let Outcome { call, output, is_error, agent } = outcome;
        let Some((step, index)) = self.waiting.remove(&call) else { return };
        let step = self.steps.get_mut(step).unwrap_or(&mut self.step);
        let Some(tool) = step.tools.get_mut(index) else { return };
        tool.duration_ms = time::between(tool.call.timestamp, time).map(time::milliseconds);
        tool.is_error = is_error;
        tool.result = Some(ToolResult {
            event_id: id,
            timestamp: time,
            tool_call_id: call,
            content: ResultContent { output, tool_call_id: call, is_error, agent_id: agent },
        });
    }

    /// A turn in which nothing was done is none.
    fn finish(mut self) -> Option<Turn> {
        if !self.step.is_empty() {
            self.steps.push(self.step);
        }
        let last = self.steps.last()?.timestamp;
        let stats = TurnStats {
            duration_ms: time::between(self.time, last).map_or(0, time::milliseconds),
            step_count: self.steps.len(),
            total_tokens: self
                .steps
                .iter()
                .filter_map(|step| step.usage)
                .fold(0, |total, tokens| total.saturating_add(tokens.total())),
        };
        let steps = self.steps.into_iter().map(Draft::finish).collect();
        Some(Turn { id: self.id, timestamp: self.time, user: self.user, steps, stats })
    }
}
