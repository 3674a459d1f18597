//! The plain data that all other crates share: sessions, events, tool calls, gaps, findings and prices of models.
//!
//! This crate does no I/O and judges nothing: it must not know a log format, a shell, a policy or a report. Start with
//! [`Session`] and [`ToolCall`], then [`finding`].
//!
//! A session borrows from the bytes of its log wherever it can. Long texts stay undecoded ([`RawText`]) until
//! somebody asks, so that a gate that only looks at tool calls does not pay for the prose around them.

pub mod attribution;
pub mod conversation;
pub mod dialect;
pub mod evidence;
pub mod exit_code;
pub mod finding;
mod gap;
mod members;
mod moment;
pub mod naming;
pub mod prices;
mod rule_id;
mod text;
pub mod tombstone;

use std::borrow::Cow;
use std::iter::Sum;

use serde::{Deserialize, Serialize};

pub use attribution::Attribution;
pub use conversation::{Label, Origin, RecordRole, Speaker, Stream, Window, skill_name};
pub use dialect::{Dialect, Scripts, Shell, ShellLanguage};
pub use evidence::Evidence;
pub use gap::{Cut, Gap, GapKind};
pub use members::Members;
pub use moment::moment;
pub use text::{RawText, characters, decode_json};

/// The start of the gate's answer to a call that it refuses.
pub const REFUSAL: &str = "agent-strace: the scope of this repository";

/// Returns true for such an answer without anything else: it has one line.
pub fn is_refusal(text: &str) -> bool {
    text.starts_with(REFUSAL) && !text.trim_end().contains('\n')
}

/// One recorded session.
#[derive(Debug, Clone)]
pub struct Session<'a> {
    pub id: Cow<'a, str>,
    pub dialect: &'static Dialect,
    /// Name of the agent for reports (`claude-code`, `codex`, …; the native store records its own).
    pub agent: Cow<'a, str>,
    /// The file its events came from, as shown to users: the path as given, with `/` separators.
    pub source: String,
    /// The session that spawned this one, where the log says so.
    pub parent: Option<Cow<'a, str>>,
    /// The event of that session that did so, by its record's id, where the log says it.
    pub parent_event: Option<Cow<'a, str>>,
    /// The session whose history this one begins with, where the log says so.
    pub forked_from: Option<Cow<'a, str>>,
    /// The session its records say they are of, where that is not `id`: a sub-agent's file names its parent's.
    pub filed_under: Option<Cow<'a, str>>,
    /// The first working directory that the log recorded: the top of the repository, or a directory in it. `None` when it
    /// recorded none.
    pub root: Option<Cow<'a, str>>,
    /// The languages of the shells that the host says its tools use, each once. Empty where the log does not say it.
    pub shells: Vec<ShellLanguage>,
    /// The top level of the repository, where the log or its recorder names it.
    pub top: Option<Cow<'a, str>>,
    /// In the order of the log. Event numbers ascend but may skip lines that became gaps.
    pub events: Vec<Event<'a>>,
    /// Token counts, each API message counted once.
    pub usage: Usage,
    /// When it began and ended, where that is said beside its events: as recorded.
    pub span: Span<'a>,
    /// What the log says about usage, record by record, in order.
    pub spent: Vec<Spent<'a>>,
    /// The conversations in it, by [`Origin::stream`]; the first is the main one.
    pub streams: Vec<Stream<'a>>,
    /// What records say beside their events, by the event's index in `events`, ascending.
    pub labels: Vec<(usize, Label<'a>)>,
    /// Records of a type this version does not know: kept out of `events`' meaning, but counted.
    pub unknown_records: u32,
    /// The store has it from another log, with the gaps that were found in that log.
    pub is_imported: bool,
    /// It was recorded while it ran, by hooks or by what stood between the agent and something else.
    pub is_captured: bool,
    /// Pieces of the log's text in which nothing is a call of its own: what tools answered, and what tells of calls that
    /// are recorded elsewhere.
    pub passed: Vec<&'a str>,
    pub evidence: Evidence<'a>,
    pub attribution: Attribution<'a>,
}

/// The times of a whole session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Span<'a> {
    pub started: Option<Cow<'a, str>>,
    pub ended: Option<Cow<'a, str>>,
}

/// Token counts as the provider reported them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    pub requests: u64,
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    /// Part of `cache_write`: kept for an hour, which costs more.
    #[serde(skip_serializing_if = "is_none")]
    pub cache_write_1h: u64,
    /// Part of `output`, where the provider says so.
    pub reasoning: u64,
    /// Searches of the web that the provider ran for the model, which cost extra.
    #[serde(skip_serializing_if = "is_none")]
    pub searches: u64,
    /// It was more: some of it the log doesn't tell, or tells in a way that can't be read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

impl Usage {
    /// What of it is beyond another one, kind by kind.
    pub fn beyond(&self, other: &Self) -> Self {
        Self {
            requests: self.requests.saturating_sub(other.requests),
            input: self.input.saturating_sub(other.input),
            output: self.output.saturating_sub(other.output),
            cache_read: self.cache_read.saturating_sub(other.cache_read),
            cache_write: self.cache_write.saturating_sub(other.cache_write),
            cache_write_1h: self.cache_write_1h.saturating_sub(other.cache_write_1h),
            reasoning: self.reasoning.saturating_sub(other.reasoning),
            searches: self.searches.saturating_sub(other.searches),
            partial: self.partial && !other.partial,
        }
    }

    pub fn add(&mut self, more: &Self) {
        self.requests = self.requests.saturating_add(more.requests);
        self.input = self.input.saturating_add(more.input);
        self.output = self.output.saturating_add(more.output);
        self.cache_read = self.cache_read.saturating_add(more.cache_read);
        self.cache_write = self.cache_write.saturating_add(more.cache_write);
        self.cache_write_1h = self.cache_write_1h.saturating_add(more.cache_write_1h);
        self.reasoning = self.reasoning.saturating_add(more.reasoning);
        self.searches = self.searches.saturating_add(more.searches);
        self.partial |= more.partial;
    }
}

impl<'u> Sum<&'u Self> for Usage {
    fn sum<I: Iterator<Item = &'u Self>>(usages: I) -> Self {
        usages.fold(Self::default(), |mut sum, usage| {
            sum.add(usage);
            sum
        })
    }
}

/// Usage as one record tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spent<'a> {
    /// How many events of the session come before it.
    pub after: usize,
    pub origin: Origin,
    /// As recorded; `None`: that of the event before it.
    pub time: Option<Cow<'a, str>>,
    /// The API message. Logs repeat a message's usage on each of its records: the last one counts.
    pub message: Option<Cow<'a, str>>,
    /// That was asked, where the log tells by then.
    pub model: Option<Cow<'a, str>>,
    /// How it was served, where that has a price of its own (`fast`, `priority`, `batch`); `None`: as usual.
    pub tier: Option<Cow<'a, str>>,
    pub usage: Usage,
    /// What it says about the size of the conversation; `None` when it tells nothing new.
    pub window: Option<Window>,
}

/// One thing that happened.
#[derive(Debug, Clone)]
pub struct Event<'a> {
    /// 1-based within the session. For the native store it is the line in `events.ndjson`.
    pub number: u32,
    /// The record's own id, where it has one.
    pub id: Option<Cow<'a, str>>,
    /// 1-based line in [`Session::source`]. In a pretty-printed document: the line its record starts on.
    pub line: u32,
    /// As recorded: RFC 3339 text or epoch seconds. Never invented.
    pub time: Option<Cow<'a, str>>,
    pub origin: Origin,
    pub kind: EventKind<'a>,
}

#[derive(Debug, Clone)]
pub enum EventKind<'a> {
    Start,
    End(Ending<'a>),
    /// Something failed outside of any call: the model could not be asked, a turn was broken off.
    Failure(RawText<'a>),
    /// What the agent noted as a decision of its own.
    Decision(RawText<'a>),
    /// A text where users speak. Who says it, the event's [`Origin::speaker`] tells.
    Prompt(RawText<'a>),
    /// A command to the agent's host that the user typed (`/compact`), with its arguments.
    Command(RawText<'a>),
    /// Words to the model that no user wrote: the host's, a parent agent's, a summary after a compaction.
    Instruction(RawText<'a>),
    Message(RawText<'a>),
    /// What the model thought before it spoke or called, where the log shows it.
    Reasoning(RawText<'a>),
    Call(ToolCall<'a>),
    /// A call that was recorded before, by its index in the session's events.
    Repeat(usize),
    /// A call that another session of the run holds, too: it counts there.
    Copied(ToolCall<'a>),
    /// A result of a call in this session (or of one that was not recorded).
    Result(ToolResult<'a>),
    /// The log states that a file was read or written, outside any call (native `file_read`/`file_write`,
    /// Codex `patch_apply_end`).
    File(FileEvent<'a>),
    /// A hook the agent's host ran: it executes code, too.
    Hook {
        command: Cow<'a, str>,
    },
    /// What an MCP server says of itself or its tools: it goes into the context of the model.
    Offer(Offer<'a>),
    /// What the host tells its user about the session (durations, queued work, links).
    Notice,
    /// Known but without meaning for the gate (summaries, snapshots, mode changes).
    Other,
}

/// What an MCP server says, as it was recorded on its way to the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer<'a> {
    pub what: Offered,
    /// What the recording calls the server, as in `mcp__SERVER__TOOL`.
    pub server: Cow<'a, str>,
    /// What it calls itself.
    pub own_name: Option<Cow<'a, str>>,
    /// The result that it answered with, as JSON.
    pub json: Cow<'a, str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offered {
    /// Of `tools/list`.
    Tools,
    /// Of `initialize`.
    Introduction,
}

impl Offered {
    /// In the store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Introduction => "introduction",
        }
    }
}

/// How a session, or a run of it, ended, as its record says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ending<'a> {
    /// In the agent's own words (`success`, `error_max_turns`, `killed`).
    pub status: Option<Cow<'a, str>>,
    /// In the agent's own words.
    pub reason: Option<Cow<'a, str>>,
    pub exit_code: Option<i64>,
    /// The record says by itself that it was a failure.
    pub is_error: bool,
}

/// What the agent asked a tool to do.
#[derive(Debug, Clone)]
pub struct ToolCall<'a> {
    /// The id that links call and result, where the log has one.
    pub call_id: Option<Cow<'a, str>>,
    /// The tool's name as recorded (`Bash`, `mcp__github__create_issue`, `functions.exec_command`).
    pub tool: Cow<'a, str>,
    pub arguments: Arguments<'a>,
    /// The working directory of this record, if recorded.
    pub cwd: Option<Cow<'a, str>>,
    pub status: Status,
    /// Recorded inside a sub-agent of this session: its id or type.
    pub subagent: Option<Cow<'a, str>>,
}

/// A call's arguments, undecoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arguments<'a> {
    /// JSON text of the arguments (usually an object).
    Json(Cow<'a, str>),
    /// Plain text that is the argument itself (a patch, a script).
    Text(Cow<'a, str>),
    /// The record carries none. It can't be judged, so it is never allowed.
    Missing,
}

/// How a call ended, as far as the log says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    Ok,
    /// It ran and failed. What it did before failing happened.
    Error,
    /// The record shows that it was refused before it ran: an attempt.
    Denied,
    /// It was stopped while it ran.
    Interrupted,
    /// No result was recorded. It may have run.
    Missing,
}

impl Status {
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Denied => "denied",
            Self::Interrupted => "interrupted",
            Self::Missing => "missing",
        }
    }
}

#[derive(Debug, Clone)]
pub struct ToolResult<'a> {
    pub call_id: Option<Cow<'a, str>>,
    pub text: Option<RawText<'a>>,
    pub is_error: bool,
}

#[derive(Debug, Clone)]
pub struct FileEvent<'a> {
    pub access: Access,
    /// A path or a `file://` URI, as recorded.
    pub target: Cow<'a, str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    Read,
    Write,
    Delete,
}

impl<'a> Session<'a> {
    /// An empty session.
    pub fn new(dialect: &'static Dialect, source: &str) -> Self {
        Self {
            id: Cow::Borrowed(""),
            dialect,
            agent: Cow::Borrowed(dialect.agent),
            source: source.to_owned(),
            parent: None,
            parent_event: None,
            forked_from: None,
            filed_under: None,
            root: None,
            shells: Vec::new(),
            top: None,
            events: Vec::new(),
            usage: Usage::default(),
            span: Span::default(),
            spent: Vec::new(),
            streams: vec![Stream::Main],
            labels: Vec::new(),
            unknown_records: 0,
            is_imported: false,
            is_captured: false,
            passed: Vec::new(),
            evidence: Evidence::default(),
            attribution: Attribution::default(),
        }
    }

    /// The calls that count for this session.
    pub fn calls(&self) -> impl Iterator<Item = (&Event<'a>, &ToolCall<'a>)> {
        self.events.iter().filter_map(|event| match &event.kind {
            EventKind::Call(call) => Some((event, call)),
            _ => None,
        })
    }

    /// Every call that the log holds: those that count for another session of the run, too.
    pub fn recorded_calls(&self) -> impl Iterator<Item = (&Event<'a>, &ToolCall<'a>)> {
        self.events.iter().filter_map(|event| event.call().map(|call| (event, call)))
    }
}

impl<'a> Event<'a> {
    /// What a user says there. Other texts may stand where users speak, too: see [`Speaker`].
    pub fn prompt(&self) -> Option<&RawText<'a>> {
        match &self.kind {
            EventKind::Prompt(text) if self.origin.speaker.is_user() => Some(text),
            _ => None,
        }
    }

    /// The call that it records, whichever session of the run it counts for.
    pub fn call(&self) -> Option<&ToolCall<'a>> {
        match &self.kind {
            EventKind::Call(call) | EventKind::Copied(call) => Some(call),
            _ => None,
        }
    }

    /// The tool that it calls, where it is a call.
    pub fn tool(&self) -> Option<&str> {
        self.call().map(|call| &*call.tool)
    }
}
