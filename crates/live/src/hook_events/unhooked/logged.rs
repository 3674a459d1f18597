//! The calls of agents' own logs and the calls that hooks were asked about, in a form in which both can be compared.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use agent_strace_model::{Arguments, EventKind, Members, REFUSAL, Scripts, Session, Status, ToolCall};
use agent_strace_store::live::{Decided, Decisions};
use serde_json::Value;

/// A session in an agent's own log.
#[derive(Debug)]
pub struct LoggedSession {
    pub id: String,
    /// The session that started this one.
    pub parent: Option<String>,
    /// Sessions under which hooks record the calls of its sub-agents.
    pub of_subagents: Vec<String>,
    pub(super) calls: Vec<LoggedCall>,
}

#[derive(Debug)]
pub(super) struct LoggedCall {
    pub(super) event: u32,
    pub(super) line: u32,
    pub(super) tool: String,
    pub(super) call_id: Option<String>,
    pub(super) subagent: Option<String>,
    pub(super) inputs: Inputs,
    pub(super) outcome: Outcome,
    /// Nothing outside of the agent is touched by it, or all that it does is recorded as calls of their own.
    pub(super) is_idle: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Its host says that it did not run.
    Refused,
    /// It failed, and its result holds the gate's own refusal.
    FailedWithOurRefusal,
    /// It ran, or may have run.
    Ran,
}

/// A decision, and the call that the hook recorded for it.
#[derive(Debug)]
pub struct Asked {
    pub(super) decided: Decided,
    /// `None`: the recording of the call is lost.
    pub(super) inputs: Option<Inputs>,
}

/// The arguments of a call, comparable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Inputs {
    /// JSON with its keys in order.
    pub(super) all: String,
    /// Agents give one command in several forms.
    pub(super) command: Option<String>,
}

impl LoggedSession {
    pub fn of(session: &Session<'_>) -> Self {
        let refused = refused(session);
        let call = |event: &agent_strace_model::Event<'_>, call: &ToolCall<'_>| LoggedCall {
            event: event.number,
            line: event.line,
            tool: call.tool.clone().into_owned(),
            call_id: call.call_id.as_deref().map(str::to_owned),
            subagent: call.subagent.as_deref().map(str::to_owned),
            inputs: Inputs::of(&call.arguments),
            outcome: Outcome::of(call, &refused),
            is_idle: is_unfolded(session, call) || is_idle(call),
        };
        let parent = session.parent.as_deref().or(session.filed_under.as_deref());
        let of_subagents = session.evidence.hook_sessions.iter();
        Self {
            id: session.id.clone().into_owned(),
            parent: parent.filter(|parent| **parent != *session.id).map(str::to_owned),
            of_subagents: of_subagents.map(|id| id.clone().into_owned()).collect(),
            calls: session.calls().map(|(event, asked)| call(event, asked)).collect(),
        }
    }

    /// The sub-agent that made the call: one inside the session, or the session itself.
    pub(super) fn subagent_of<'s>(&'s self, call: &'s LoggedCall) -> Option<&'s str> {
        call.subagent.as_deref().or_else(|| self.parent.is_some().then_some(self.id.as_str()))
    }
}

impl Asked {
    /// `recorded`: the session as the hook recorded it.
    pub fn all(decisions: Decisions, recorded: Option<&Session<'_>>) -> Vec<Self> {
        let recorded = recorded.into_iter().flat_map(Session::calls);
        let inputs: BTreeMap<u32, Inputs> =
            recorded.map(|(event, call)| (event.number, Inputs::of(&call.arguments))).collect();
        let asked = |decided: Decided| {
            let inputs = inputs.get(&decided.event).cloned();
            Self { decided, inputs }
        };
        decisions.all.into_iter().map(asked).collect()
    }
}

/// Where the recorder took out a secret, up to [`MARK_END`].
const MARK: &str = "[REDACTED:";
const MARK_END: char = ']';

impl Inputs {
    fn of(arguments: &Arguments<'_>) -> Self {
        match arguments {
            Arguments::Json(json) => {
                let command = Members::of(json).and_then(|members| members.text("command"));
                let all =
                    serde_json::from_str::<Value>(json).map_or_else(|_| json.to_string(), |value| value.to_string());
                Self { all, command: command.map(Cow::into_owned) }
            }
            Arguments::Text(text) => Self { all: text.clone().into_owned(), command: None },
            Arguments::Missing => Self { all: String::new(), command: None },
        }
    }

    /// A secret may have been taken out of them when they were recorded: agents can write the mark themselves.
    pub(super) fn has_mark(&self) -> bool {
        self.all.contains(MARK)
    }

    /// Whether they are `other` once the secrets are taken out of that.
    pub(super) fn is_redacted_form_of(&self, other: &Self) -> bool {
        let mut pieces = self.all.split(MARK);
        let first = pieces.next().unwrap_or_default();
        let Some(mut rest) = other.all.strip_prefix(first) else { return false };
        let mut pieces = pieces.map(|piece| piece.split_once(MARK_END).map_or("", |(_, piece)| piece)).peekable();
        while let Some(piece) = pieces.next() {
            if pieces.peek().is_none() {
                return rest.ends_with(piece);
            }
            let Some((_, after)) = rest.split_once(piece) else { return false };
            rest = after;
        }
        rest.is_empty()
    }
}

impl Outcome {
    fn of(call: &ToolCall<'_>, refused: &BTreeSet<&str>) -> Self {
        match call.status {
            Status::Denied => Self::Refused,
            Status::Error if call.call_id.as_deref().is_some_and(|id| refused.contains(id)) => {
                Self::FailedWithOurRefusal
            }
            Status::Ok | Status::Error | Status::Interrupted | Status::Missing => Self::Ran,
        }
    }
}

/// Calls whose result holds the gate's own refusal.
fn refused<'s>(session: &'s Session<'_>) -> BTreeSet<&'s str> {
    let results = session.events.iter().filter_map(|event| match &event.kind {
        EventKind::Result(result) if result.is_error => Some(result),
        _ => None,
    });
    let ours = results.filter(|result| result.text.as_ref().is_some_and(|text| text.decode().contains(REFUSAL)));
    ours.filter_map(|result| result.call_id.as_deref()).collect()
}

/// A tool of the agent's own that touches nothing. A tool of others that is called so may take a command or a file.
fn is_idle(call: &ToolCall<'_>) -> bool {
    const TARGETS: [&str; 6] = ["command", "cmd", "path", "file", "file_path", "url"];
    let names_target = match &call.arguments {
        Arguments::Json(json) => {
            Members::of(json).is_none_or(|members| TARGETS.iter().any(|name| members.json(name).is_some()))
        }
        Arguments::Text(_) => true,
        Arguments::Missing => false,
    };
    agent_strace_effects::touches_nothing(&call.tool) && !names_target
}

/// A script whose calls are all recorded does nothing by itself: hosts ask their hooks about its calls only.
fn is_unfolded(session: &Session<'_>, call: &ToolCall<'_>) -> bool {
    let is_whole = || matches!(&call.arguments, Arguments::Text(source) if source.contains("tools."));
    session.dialect.scripts == Scripts::Unfolded && call.tool == "exec" && is_whole()
}
