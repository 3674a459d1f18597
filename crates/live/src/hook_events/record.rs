//! What an agent tells → events of a session that is recorded while it runs.
//!
//! Results find their call by what was called and by the agent's id, where it gives one; the oldest without a result first.
//! The same id with another tool or other arguments is another call.

use std::borrow::Cow;

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use super::{After, Agent, Before, HookEvent, What};
use agent_strace_model::{Arguments, Ending, EventKind, Members, RawText, Status, ToolCall};
use agent_strace_store::StoreError;
use agent_strace_store::live::{Answer, Begun, Capture, Fact, Live, Pending, Stage, Written};

/// What ids begin with that are given here.
pub(super) const OWN: &str = "call-";

/// How something is recorded.
#[derive(Debug, Clone, Copy)]
pub struct Recording {
    pub agent: &'static Agent,
    /// When it happened.
    pub time: Timestamp,
    pub is_redacted: bool,
}

/// A call that was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// The event's number.
    pub event: u32,
    pub event_id: String,
    pub call_id: String,
}

/// Records `event` and the steps that the agent left out before it. Returns the call that is about to run, or that has ended.
pub fn record(live: &mut Live, event: &HookEvent<'_>, how: Recording) -> Result<Option<Called>, StoreError> {
    let mut writer = Writer { live, event, how, call: None };
    if writer.live.is_new() || matches!(event.what, What::Began(_)) {
        writer.start()?;
    }
    writer.what()?;
    Ok(writer.call)
}

/// The call was kept from running. Its agent may still say that it ran.
pub fn refuse(live: &mut Live, called: &Called, tool: &str, why: &str, time: Timestamp) -> Result<(), StoreError> {
    refused(live, &called.pending("", time), tool, why, time)
}

pub(super) fn refused(
    live: &mut Live,
    call: &Pending,
    tool: &str,
    why: &str,
    time: Timestamp,
) -> Result<(), StoreError> {
    let answer = Answer {
        call: Some(call),
        call_id: Some(&call.call),
        tool,
        status: Status::Denied,
        text: Some(RawText::Plain(Cow::Borrowed(why))),
        is_last: false,
    };
    live.append(time, &Fact::Answer(answer)).map(|_| ())
}

/// The call as it was told, as the line of event `number`: for who judges it, not for the store.
pub fn line(live: &Live, event: &HookEvent<'_>, before: &Before<'_>, called: &Called, time: Timestamp) -> String {
    let call = tool_call(event, before, &called.call_id);
    live.line(called.event, time, &Fact::Call { call: &call, key: "" })
}

fn tool_call<'c>(event: &HookEvent<'c>, before: &Before<'c>, id: &'c str) -> ToolCall<'c> {
    ToolCall {
        call_id: Some(Cow::Borrowed(id)),
        tool: before.tool.clone(),
        arguments: before.arguments.clone(),
        cwd: event.cwd.clone(),
        status: Status::Missing,
        subagent: event.subagent.clone(),
    }
}

/// How far the session is after it.
pub fn stage<'a>(event: &HookEvent<'_>, is_new: bool, begun: Begun<'a>) -> Stage<'a> {
    match event.what {
        _ if is_new => Stage::Began(begun),
        What::Waits(_) | What::Began(_) => Stage::Waits,
        What::Ended(_) => Stage::Ended,
        _ => Stage::Running,
    }
}

struct Writer<'w> {
    live: &'w mut Live,
    event: &'w HookEvent<'w>,
    how: Recording,
    call: Option<Called>,
}

impl Writer<'_> {
    fn append(&mut self, fact: &Fact<'_>) -> Result<Written, StoreError> {
        self.live.append(self.how.time, fact)
    }

    fn event(&mut self, kind: &EventKind<'_>) -> Result<(), StoreError> {
        self.append(&Fact::Event(kind)).map(|_| ())
    }

    /// A session that goes on keeps its root.
    fn start(&mut self) -> Result<(), StoreError> {
        let event = self.event;
        let source = if let What::Began(source) = &event.what { source.as_deref() } else { None };
        let capture = Capture {
            format: self.how.agent.format,
            agent: self.how.agent.name,
            id: &event.session,
            version: event.version.as_deref(),
            source,
            model: event.model.as_deref(),
            cwd: event.cwd.as_deref().filter(|_| self.live.is_new()),
            permissions: event.permissions.as_deref(),
            is_redacted: self.how.is_redacted,
        };
        self.append(&Fact::Start(capture)).map(|_| ())
    }

    fn what(&mut self) -> Result<(), StoreError> {
        match &self.event.what {
            What::Began(_) | What::Nothing | What::Waits(None) => Ok(()),
            What::Prompt(text) => self.event(&EventKind::Prompt(text.clone())),
            What::Said(text) | What::Waits(Some(text)) => self.event(&EventKind::Message(text.clone())),
            What::Thought(text) => self.event(&EventKind::Reasoning(text.clone())),
            What::Failed(text) => self.event(&EventKind::Failure(text.clone())),
            What::File(file) => self.event(&EventKind::File(file.clone())),
            What::Before(before) => self.before(before),
            What::After(after) => self.after(after),
            What::Ended(reason) => {
                let ending = Ending { reason: reason.clone(), ..Ending::default() };
                self.event(&EventKind::End(ending))
            }
        }
    }

    fn before(&mut self, before: &Before<'_>) -> Result<(), StoreError> {
        let key = key(&before.tool, &before.arguments);
        let call = before.call.as_deref();
        // Who was refused and asks again asks for another call.
        let mut same = self.live.pending().iter().filter(|pending| pending.is(call, &key) && pending.is_open());
        let known = same.find(|pending| call.is_some() || (before.is_told_twice && !pending.is_refused));
        let called = match known {
            Some(known) => Called::of(known),
            None => self.called(before, &key)?,
        };
        self.call = Some(called);
        Ok(())
    }

    fn called(&mut self, before: &Before<'_>, key: &str) -> Result<Called, StoreError> {
        let id = match &before.call {
            Some(id) => id.clone().into_owned(),
            None => format!("{OWN}{}", self.live.next()),
        };
        let call = tool_call(self.event, before, &id);
        let written = self.append(&Fact::Call { call: &call, key })?;
        Ok(Called { event: written.line, event_id: written.event_id, call_id: id })
    }

    fn after(&mut self, after: &After<'_>) -> Result<(), StoreError> {
        let key = key(&after.call.tool, &after.call.arguments);
        let call = after.call.call.as_deref();
        let same = || self.live.pending().iter().filter(|pending| pending.is(call, &key));
        let open = || same().filter(|pending| pending.is_open());
        let known = open().find(|pending| !pending.is_refused).or_else(|| open().next()).cloned();
        let known = match known {
            Some(known) => known,
            // Told in another step already.
            None if (call.is_some() || after.call.is_told_twice) && same().next().is_some() => return Ok(()),
            // It ran, whoever did not tell of it before.
            None => {
                let called = self.called(&after.call, &key)?;
                let found = self.live.pending().iter().find(|pending| pending.event == called.event_id);
                found.cloned().unwrap_or_else(|| called.pending(&key, self.how.time))
            }
        };
        self.call = Some(Called::of(&known));
        let text = after.text.clone();
        let is_our_refusal = || text.as_ref().is_some_and(is_refusal);
        let may_be_refused = self.how.agent.fails_refused && known.is_refused && after.status == Status::Error;
        let status = if may_be_refused && is_our_refusal() { Status::Denied } else { after.status };
        let answer = Answer {
            call: Some(&known),
            call_id: Some(&known.call),
            tool: &after.call.tool,
            status,
            text,
            is_last: true,
        };
        self.append(&Fact::Answer(answer)).map(|_| ())
    }
}

impl Called {
    fn of(pending: &Pending) -> Self {
        Self { event: pending.line, event_id: pending.event.clone(), call_id: pending.call.clone() }
    }

    fn pending(&self, key: &str, time: Timestamp) -> Pending {
        Pending {
            call: self.call_id.clone(),
            key: key.to_owned(),
            event: self.event_id.clone(),
            line: self.event,
            at: time.as_duration().as_secs_f64(),
            is_answered: false,
            is_refused: false,
            watched: None,
        }
    }
}

/// Whether the text of a failure is the reason that the hook gave, which is one line, and nothing else: a call that ran all
/// the same could print it, but its agent adds how it ended.
fn is_refusal(text: &RawText<'_>) -> bool {
    let RawText::Json(json) = text else { return false };
    let message = Members::of(json).and_then(|members| members.text("message"));
    agent_strace_model::is_refusal(message.unwrap_or_else(|| text.decode()).trim())
}

/// What is called: its tool, and its command or else its arguments.
pub(super) fn key(tool: &str, arguments: &Arguments<'_>) -> String {
    let arguments = match arguments {
        Arguments::Json(json) => {
            let command = Members::of(json).and_then(|members| members.text("command"));
            command.map_or_else(|| agent_strace_store::on_one_line(json), Cow::into_owned)
        }
        Arguments::Text(text) => text.clone().into_owned(),
        Arguments::Missing => String::new(),
    };
    // Of a tool of an MCP server only its own name is in every step.
    let tool = tool.rsplit("__").next().unwrap_or(tool);
    let digest = Sha256::digest(format!("{tool}\0{arguments}").as_bytes());
    let word = digest.first_chunk::<8>().map_or(0, |bytes| u64::from_be_bytes(*bytes));
    format!("{word:016x}")
}
