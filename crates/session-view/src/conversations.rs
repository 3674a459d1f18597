//! Builds the conversations of a session from its events.

use std::borrow::Cow;
use std::collections::HashMap;

use jiff::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

use super::arrange::SessionView;
use super::billing;
use super::document::{CallContent, Conversation, Lacking, Position, SessionStats, StreamId};
use super::identity::{Identity, Role};
use super::time;
use super::timeline::{Outcome, RecordStyle, TimelineRow, What};
use super::tools::{self, ToolName};
use super::turn::{self, Turns};
use agent_strace_model::{
    Arguments, Event, EventKind, Label, RawText, RecordRole, Session, Spent, Stream, ToolCall, ToolResult,
};

/// The conversations of a session; `gaps` is the number of gaps in its log.
pub fn session_views(session: &Session<'_>, gaps: usize) -> Vec<SessionView> {
    let style = RecordStyle::of(session.dialect);
    let mut teller = ConversationBuilder::new(session, style);
    let mut spent = session.spent.iter().peekable();
    for (at, event) in session.events.iter().enumerate() {
        while let Some(spent) = spent.next_if(|spent| spent.after <= at) {
            teller.spent(spent);
        }
        if event.origin.role == RecordRole::Primary {
            teller.event(at, event);
        }
    }
    for spent in spent {
        teller.spent(spent);
    }
    teller.finish(gaps)
}

struct ConversationBuilder<'s, 'a> {
    session: &'s Session<'a>,
    style: RecordStyle,
    identity: Identity<'s>,
    /// By conversation.
    timeline: Vec<Vec<TimelineRow>>,
    /// Latest call by the id its agent gave it.
    calls: HashMap<&'s str, Uuid>,
    /// The latest call without an id of its own.
    unnamed: Option<Uuid>,
    /// Time of a record, where its parts have times of their own.
    rows: HashMap<u32, Timestamp>,
}

impl<'s, 'a> ConversationBuilder<'s, 'a> {
    fn new(session: &'s Session<'a>, style: RecordStyle) -> Self {
        let mut rows = HashMap::new();
        if style == RecordStyle::Gemini {
            let messages =
                session.events.iter().filter(|event| !matches!(event.kind, EventKind::Call(_) | EventKind::Result(_)));
            for event in messages {
                rows.extend(event.time.as_deref().and_then(time::parse).map(|time| (event.origin.row, time)));
            }
        }
        Self {
            session,
            style,
            identity: Identity::of(session, style),
            timeline: session.streams.iter().map(|_| Vec::new()).collect(),
            calls: HashMap::new(),
            unnamed: None,
            rows,
        }
    }

    fn event(&mut self, at: usize, event: &'s Event<'a>) {
        let time = self.rows.get(&event.origin.row).copied();
        let time = time.or_else(|| event.time.as_deref().and_then(time::parse));
        let Some((role, what)) = self.what(at, event) else { return };
        let id = self.identity.event(event, role);
        if matches!(what, What::Call(_)) {
            self.register(event, id);
        }
        self.push(event.origin.stream, TimelineRow { id, time, what });
    }

    fn what(&self, at: usize, event: &'s Event<'a>) -> Option<(Role, What)> {
        Some(match &event.kind {
            EventKind::Prompt(text) => self.prompt(event, text)?,
            EventKind::Instruction(text) => match self.style {
                RecordStyle::Claude => self.prompt(event, text)?,
                RecordStyle::Codex => (Role::Message, What::Message(text.decode().into_owned())),
                RecordStyle::Gemini | RecordStyle::Plain => (Role::Message, What::Notice),
            },
            EventKind::Command(text) => {
                let text = text.decode();
                let (name, args) = text.split_once(' ').map_or((&*text, None), |(name, args)| (name, Some(args)));
                (Role::Command, What::Command { name: name.to_owned(), args: args.map(str::to_owned) })
            }
            EventKind::Failure(text) => match self.style {
                // The agent says it in the model's place.
                RecordStyle::Claude => (Role::Message, What::Message(text.decode().into_owned())),
                RecordStyle::Gemini => (Role::Message, What::Notice),
                _ => return None,
            },
            EventKind::Message(text) => (Role::Message, What::Message(text.decode().into_owned())),
            EventKind::Reasoning(text) => (Role::Reasoning, What::Reasoning(text.decode().into_owned())),
            EventKind::Call(call) | EventKind::Copied(call) => (Role::Call, What::Call(self.call(at, call))),
            EventKind::Repeat(of) => match &self.session.events.get(*of)?.kind {
                EventKind::Call(call) => (Role::Call, What::Call(self.call(*of, call))),
                _ => return None,
            },
            EventKind::Result(result) => (Role::Result, What::Result(self.result(at, result)?)),
            EventKind::Hook { .. } | EventKind::Offer(_) | EventKind::Notice => (Role::Message, What::Notice),
            EventKind::Other => match self.labels(at).next()? {
                Label::Starts(_) => (Role::Message, What::Starts),
                _ => return None,
            },
            EventKind::Start | EventKind::End(_) | EventKind::File(_) | EventKind::Decision(_) => return None,
        })
    }

    fn prompt(&self, event: &Event<'_>, text: &RawText<'_>) -> Option<(Role, What)> {
        let text = text.decode();
        // Numbers name what older versions noted of the screen.
        if self.style == RecordStyle::Gemini && event.id.as_ref().is_some_and(|id| id.parse::<u32>().is_ok()) {
            return None;
        }
        let command = if self.style == RecordStyle::Claude { slash_command(&text) } else { None };
        Some(match command {
            Some(command) => (Role::Command, command),
            None => (Role::User, What::Prompt(text.into_owned())),
        })
    }

    fn register(&mut self, event: &'s Event<'a>, id: Uuid) {
        let call = match &event.kind {
            EventKind::Call(call) => Some(call),
            EventKind::Repeat(of) => match self.session.events.get(*of).map(|event| &event.kind) {
                Some(EventKind::Call(call)) => Some(call),
                _ => None,
            },
            _ => None,
        };
        match call.and_then(|call| call.call_id.as_deref()) {
            Some(call_id) => {
                self.calls.insert(call_id, id);
            }
            None => self.unnamed = Some(id),
        }
    }

    fn call(&self, at: usize, call: &ToolCall<'_>) -> CallContent {
        let (mut name, mut shown, mut input) = (&*call.tool, None, None);
        for label in self.labels(at) {
            match label {
                Label::Name(label) => name = label,
                Label::Shown(label) => shown = Some(&**label),
                Label::Input(label) => input = Some(&**label),
                Label::Agent(_) | Label::Background(_) | Label::Starts(_) => {}
            }
        }
        let value = match &call.arguments {
            Arguments::Json(json) => text_arguments(json),
            Arguments::Text(text) => text_arguments(text),
            Arguments::Missing => match (input, self.style) {
                (Some(input), _) => text_arguments(input),
                (None, RecordStyle::Codex) => json!({ "raw": "" }),
                (None, _) => Value::Null,
            },
        };
        let arguments = tools::arguments(self.style, ToolName { name, shown }, value);
        let provider_call_id = call.call_id.as_deref().map(str::to_owned);
        CallContent { name: name.to_owned(), arguments, provider_call_id }
    }

    /// Skips results of omitted calls.
    fn result(&self, at: usize, result: &ToolResult<'_>) -> Option<Outcome> {
        let call = match result.call_id.as_deref() {
            Some(id) => self.calls.get(id).copied(),
            None => self.unnamed,
        };
        let output = match &result.text {
            // Only a text is an output there, not a list of parts.
            Some(RawText::Json(json)) if self.style == RecordStyle::Claude && !json.starts_with('"') => {
                Cow::Borrowed("")
            }
            Some(text) => text.decode(),
            None => Cow::Borrowed(""),
        };
        let is_error = match self.style {
            RecordStyle::Codex => exit_code(&output).is_some_and(|code| code != 0),
            _ => result.is_error,
        };
        let agent = self.labels(at).find_map(|label| match label {
            Label::Agent(agent) => Some(agent.clone().into_owned()),
            _ => None,
        });
        Some(Outcome { call: call?, output: output.into_owned(), is_error, agent })
    }

    fn labels(&self, at: usize) -> impl Iterator<Item = &'s Label<'a>> + use<'s, 'a> {
        let labels = &self.session.labels;
        let start = labels.partition_point(|(event, _)| *event < at);
        labels.iter().skip(start).take_while(move |(event, _)| *event == at).map(|(_, label)| label)
    }

    fn spent(&mut self, spent: &Spent<'_>) {
        if spent.origin.role == RecordRole::Aside {
            return;
        }
        if let Some(window) = spent.window {
            let time = spent.time.as_deref().and_then(time::parse);
            let id = self.identity.usage(spent.origin);
            self.push(spent.origin.stream, TimelineRow { id, time, what: What::Usage(window) });
        }
    }

    fn push(&mut self, stream: u16, mut row: TimelineRow) {
        let Some(timeline) = self.timeline.get_mut(usize::from(stream)) else { return };
        let Some(last) = timeline.last_mut() else { return timeline.push(row) };
        // A record without a time was written after the one before it.
        row.time = row.time.or(last.time);
        let parts = matches!(self.style, RecordStyle::Codex | RecordStyle::Gemini) && last.id == row.id;
        match (&mut last.what, row.what) {
            // The parts of one message are one text.
            (What::Prompt(text), What::Prompt(part))
            | (What::Message(text), What::Message(part))
            | (What::Reasoning(text), What::Reasoning(part))
                if parts =>
            {
                text.push('\n');
                text.push_str(&part);
            }
            (_, what) => timeline.push(TimelineRow { what, ..row }),
        }
    }

    fn finish(self, gaps: usize) -> Vec<SessionView> {
        let Self { session, style, identity, timeline, .. } = self;
        let lacking = Lacking { truncated: session.evidence.truncated, gaps };
        let evidence = (lacking.truncated || gaps > 0).then_some(lacking);
        // Of a log that tells nothing there is still its beginning and its end.
        let silent = timeline.iter().all(Vec::is_empty);
        let recorded = || session.events.iter().filter_map(|event| time::parse(event.time.as_deref()?));
        let speaker = session.streams.len().saturating_sub(1);
        let mut views = Vec::new();
        let streams = session.streams.iter().zip(timeline).zip(billing::bills(session));
        for (at, ((stream, timeline), bill)) in streams.enumerate() {
            if timeline.is_empty() && !(silent && at == speaker) {
                continue;
            }
            let times = || timeline.iter().filter(|row| !matches!(row.what, What::Starts)).filter_map(|row| row.time);
            let start_time = times().next().or_else(|| recorded().next());
            let end_time = times().next_back().or_else(|| recorded().next_back());
            let Turns { turns, starts } = turn::build(timeline, style);
            let total_tokens = turns.iter().fold(0, |total, turn| turn.stats.total_tokens.saturating_add(total));
            let seconds = time::between(start_time, end_time).map_or(0, |duration| duration.as_secs());
            let stats = SessionStats { total_turns: turns.len(), duration_seconds: seconds, total_tokens };
            let conversation = Conversation {
                session_id: identity.namespace,
                stream_id: stream_id(stream),
                spawned_by: None,
                start_time,
                end_time,
                turns,
                stats,
                billing: None,
                evidence,
            };
            views.push(SessionView::new(session, conversation, starts, bill));
        }
        views
    }
}

/// A text that holds JSON, or one that is the argument itself.
fn text_arguments(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| json!({ "raw": text }))
}

fn stream_id(stream: &Stream<'_>) -> StreamId {
    match stream {
        Stream::Main => StreamId::Main,
        Stream::Sidechain(agent) => StreamId::Sidechain { agent_id: agent.clone().into_owned() },
        Stream::Subagent(name) => StreamId::Subagent { name: name.clone().into_owned() },
    }
}

/// `<command-name>/name</command-name>`, with or without arguments.
fn slash_command(text: &str) -> Option<What> {
    let name = tagged(text, "<command-name>", "</command-name>").filter(|name| name.starts_with('/'))?;
    let args = tagged(text, "<command-args>", "</command-args>").filter(|args| !args.is_empty());
    Some(What::Command { name: name.to_owned(), args: args.map(str::to_owned) })
}

fn tagged<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let (start, end) = (text.find(open)?, text.find(close)?);
    Some(text.get(start + open.len()..end)?.trim())
}

/// The first number after `exit code:`, wherever it stands and whoever wrote it.
fn exit_code(output: &str) -> Option<i32> {
    const WORDS: &[u8] = b"exit code:";
    let found = output.as_bytes().windows(WORDS.len()).enumerate();
    let found = found.filter(|(_, window)| window.eq_ignore_ascii_case(WORDS));
    let digits = found.filter_map(|(at, _)| {
        let rest = output.get(at + WORDS.len()..)?.trim_start();
        let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        rest.get(..end).filter(|digits| !digits.is_empty())
    });
    digits.into_iter().next()?.parse().ok()
}

/// Where in a conversation the work of other agents came back.
pub(super) fn agents(conversation: &Conversation) -> HashMap<String, Position> {
    let mut found = HashMap::new();
    for (turn_index, turn) in conversation.turns.iter().enumerate() {
        for (step_index, step) in turn.steps.iter().enumerate() {
            let results = step.tools.iter().filter_map(|tool| tool.result.as_ref()?.content.agent_id.clone());
            found.extend(results.map(|agent| (agent, Position { turn_index, step_index })));
        }
    }
    found
}
