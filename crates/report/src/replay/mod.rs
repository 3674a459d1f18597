//! Sessions event by event, with what the gate says of each event: the terminal and the HTML page show the same.
//!
//! [`ReplayReport`] is the model that viewers get: every text of a log in it is [`Redacted`], in the order of the log, and
//! findings stand at the event that caused them. [`terminal`] writes it as lines.

mod family;
mod lookup;
mod story;
mod terminal;
mod tree;
mod why;

use jiff::Timestamp;

use super::view::{Report, ShownFinding};
use agent_strace_model::Status;
use agent_strace_secrets::{Known, Redacted, redact};
use agent_strace_session_view::events::{Detail, EventLine, Events, Started, What};

pub use family::Family;

pub(crate) use family::Depth;
pub use terminal::detail as said;

pub use lookup::{FoundFinding, LookupTarget, NotFound, is_called};
pub use terminal::{Frame, Looks, Wanted, note_lines};
pub use why::{Chain, why};

/// A session to be shown, as input of [`ReplayReport::new`].
#[derive(Debug)]
pub struct ReplayInput {
    pub events: Events,
    /// The number of errors, counted as in all reports.
    pub errors: usize,
    /// Notes of people at events.
    pub notes: Vec<Note>,
}

/// A person's note at an event, or at the whole session (event 0).
#[derive(Debug, Clone)]
pub struct Note {
    pub event: u32,
    pub id: String,
    pub label: Option<String>,
    pub said: Option<String>,
    pub author: Option<String>,
    pub bookmark: bool,
}

/// Sessions, event by event.
#[derive(Debug)]
pub struct ReplayReport {
    /// What judged; `None`: nothing did.
    pub(super) judged: Option<Report>,
    pub(super) sessions: Vec<ShownEvents>,
}

/// One session. See [`Events`].
#[derive(Debug)]
pub(crate) struct ShownEvents {
    pub(super) id: Redacted,
    pub(super) agent: Redacted,
    pub(super) source: Redacted,
    pub(super) first: Option<Timestamp>,
    pub(super) last: Option<Timestamp>,
    pub(super) calls: usize,
    pub(super) errors: usize,
    pub(super) tokens: u64,
    pub(super) lines: Vec<ShownLine>,
    /// About the session as a whole.
    pub(super) findings: Vec<ShownFinding>,
    pub(super) notes: Vec<ShownNote>,
    /// The same as recorded: sessions are told apart and linked by them, and they are never shown.
    key: (String, String),
    parent: Option<String>,
    parent_event: Option<String>,
    started: Vec<Started>,
}

/// One event. See [`EventLine`].
#[derive(Debug)]
pub(crate) struct ShownLine {
    pub(super) number: u32,
    pub(super) line: u32,
    pub(super) time: Option<Timestamp>,
    pub(super) offset: Option<i64>,
    pub(super) what: What,
    pub(super) tool: Option<Redacted>,
    pub(super) subagent: Option<Redacted>,
    pub(super) detail: Option<ShownDetail>,
    pub(super) status: Option<Status>,
    /// The number of the call that a result answers, and its index among the lines.
    pub(super) call: Option<u32>,
    pub(super) call_index: Option<usize>,
    pub(super) took: Option<u64>,
    /// What it did that the gate reports.
    pub(super) findings: Vec<ShownFinding>,
    pub(super) notes: Vec<ShownNote>,
    /// The record's own id, by which sessions are linked; never shown.
    id: Option<String>,
}

/// See [`Detail`].
#[derive(Debug)]
pub enum ShownDetail {
    Command(Redacted),
    Files { paths: Vec<Redacted>, replaces: Option<Redacted> },
    Pattern { pattern: Redacted, path: Option<Redacted> },
    Url(Redacted),
    Words(Redacted),
    Message(Redacted),
    Text(Redacted),
    Argument(Redacted),
}

/// See [`Note`].
#[derive(Debug)]
pub(crate) struct ShownNote {
    pub(super) id: Redacted,
    pub(super) label: Option<Redacted>,
    pub(super) said: Option<Redacted>,
    pub(super) author: Option<Redacted>,
    pub(super) bookmark: bool,
}

impl ReplayReport {
    /// `judged`: of the same sessions in the same order.
    pub fn new(inputs: Vec<ReplayInput>, mut judged: Option<Report>) -> Self {
        let mut found: Vec<Vec<ShownFinding>> = match &mut judged {
            Some(report) => report.sessions.iter_mut().map(|session| std::mem::take(&mut session.findings)).collect(),
            None => Vec::new(),
        };
        found.resize_with(inputs.len(), Vec::new);
        let sessions = inputs.into_iter().zip(found).map(|(input, found)| ShownEvents::new(input, found)).collect();
        Self { judged, sessions }
    }

    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }

    /// The id of a session, redacted.
    pub fn id(&self, session: usize) -> Option<&str> {
        self.sessions.get(session).map(|session| session.id.as_str())
    }

    pub fn len(&self) -> usize {
        self.sessions.len()
    }
}

impl ShownEvents {
    fn new(input: ReplayInput, found: Vec<ShownFinding>) -> Self {
        let ReplayInput { events, errors, notes } = input;
        let numbers: Vec<u32> = events.lines.iter().map(|line| line.number).collect();
        let secrets = known(&events.lines);
        let mut session = Self {
            id: redact(&events.id),
            agent: redact(&events.agent),
            source: redact(&events.source),
            first: events.first,
            last: events.last,
            calls: events.calls,
            errors,
            tokens: events.tokens,
            lines: events.lines.into_iter().map(|line| ShownLine::new(line, &numbers, &secrets)).collect(),
            findings: Vec::new(),
            notes: Vec::new(),
            key: (events.id, events.source),
            parent: events.parent,
            parent_event: events.parent_event,
            started: events.started,
        };
        for finding in found {
            let index = session.index(finding.event, finding.tool.as_ref());
            match index.and_then(|index| session.lines.get_mut(index)) {
                Some(line) => line.findings.push(finding),
                None => session.findings.push(finding),
            }
        }
        for note in notes {
            let index = session.index(note.event, None);
            match index.and_then(|index| session.lines.get_mut(index)) {
                Some(line) => line.notes.push(ShownNote::new(note)),
                None => session.notes.push(ShownNote::new(note)),
            }
        }
        session
    }

    /// Where an event stands. Several may come from one record: what acts is meant, and of that what used this tool.
    fn index(&self, number: u32, tool: Option<&Redacted>) -> Option<usize> {
        let from = self.lines.partition_point(|line| line.number < number);
        let of_record = || self.lines.iter().enumerate().skip(from).take_while(|(_, line)| line.number == number);
        let acts = |line: &ShownLine| {
            matches!(line.what, What::ToolCall | What::FileRead | What::FileWrite | What::FileDelete | What::Hook)
        };
        let by_tool = of_record().find(|(_, line)| acts(line) && tool.is_some() && line.tool.as_ref() == tool);
        by_tool.or_else(|| of_record().find(|(_, line)| acts(line))).or_else(|| of_record().next()).map(|(at, _)| at)
    }

    /// Sub-agents that its log says it started, and that did nothing in it.
    pub(super) fn started_elsewhere(&self) -> usize {
        if self.lines.iter().any(|line| line.subagent.is_some()) { 0 } else { self.started.len() }
    }

    /// At its events, and about it as a whole.
    pub(super) fn all_findings(&self) -> impl Iterator<Item = &ShownFinding> {
        self.lines.iter().flat_map(|line| &line.findings).chain(&self.findings)
    }

    /// Whether it is the session with this id from this log.
    fn is(&self, id: &str, source: &str) -> bool {
        (self.key.0.as_str(), self.key.1.as_str()) == (id, source)
    }
}

/// Secrets that the commands of a session contain.
pub(super) fn known(lines: &[EventLine]) -> Known {
    Known::of(lines.iter().filter_map(|line| match &line.detail {
        Some(Detail::Command(text)) => Some(text),
        _ => None,
    }))
}

impl ShownLine {
    fn new(line: EventLine, numbers: &[u32], secrets: &Known) -> Self {
        Self {
            number: line.number,
            line: line.line,
            time: line.time,
            offset: line.offset,
            what: line.what,
            tool: line.tool.map(redact),
            subagent: line.subagent.map(redact),
            detail: line.detail.map(|detail| ShownDetail::new(detail, secrets)),
            status: line.status,
            call: line.call.and_then(|call| numbers.get(call).copied()),
            call_index: line.call,
            took: line.took,
            findings: Vec::new(),
            notes: Vec::new(),
            id: line.id,
        }
    }
}

impl ShownDetail {
    /// `secrets`: what the commands of the session give away.
    fn new(detail: Detail, secrets: &Known) -> Self {
        let redact = |text: String| secrets.redact(text);
        match detail {
            Detail::Command(text) => Self::Command(redact(text)),
            Detail::Files { paths, replaces } => {
                Self::Files { paths: paths.into_iter().map(redact).collect(), replaces: replaces.map(redact) }
            }
            Detail::Pattern { pattern, path } => Self::Pattern { pattern: redact(pattern), path: path.map(redact) },
            Detail::Url(text) => Self::Url(redact(text)),
            Detail::Words(text) => Self::Words(redact(text)),
            Detail::Message(text) => Self::Message(redact(text)),
            Detail::Text(text) => Self::Text(redact(text)),
            Detail::Argument(text) => Self::Argument(redact(text)),
        }
    }
}

impl ShownNote {
    fn new(note: Note) -> Self {
        Self {
            id: redact(note.id),
            label: note.label.map(redact),
            said: note.said.map(redact),
            author: note.author.map(redact),
            bookmark: note.bookmark,
        }
    }
}
