//! A session event by event, as it is replayed: who did what, when, how it went, and which call a result answers.
//!
//! [`events`] is for every viewer alike: the terminal and the HTML page show the same lines. Everything in it that comes
//! from the log is raw log text, cut to [`LONGEST`] characters: who shows it redacts and escapes it.

mod detail;
mod full;
mod links;
mod what;

use jiff::Timestamp;

use agent_strace_model::{Event, Session, Status, Stream, moment};

pub(super) use detail::of_call as detail_of;
pub use detail::{Detail, plain};
pub use full::{Full, full};
pub(super) use links::Links;
pub use links::Started;
pub use what::What;

/// The most characters of one text of a log that are kept: more than any viewer shows.
pub const LONGEST: usize = 4_000;

/// A session, event by event.
#[derive(Debug, Clone)]
pub struct Events {
    pub id: String,
    pub agent: String,
    pub source: String,
    /// The session that started it.
    pub parent: Option<String>,
    /// The event of that session that did so, by its record's id.
    pub parent_event: Option<String>,
    /// Earliest and latest recorded time, of an event or of the session.
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
    pub calls: usize,
    /// All that were paid for, as recorded.
    pub tokens: u64,
    /// In the order of the log. Numbers ascend; events of one record share theirs.
    pub lines: Vec<EventLine>,
    /// The sub-agents that its log says it started, in order.
    pub started: Vec<Started>,
}

/// One event.
#[derive(Debug, Clone)]
pub struct EventLine {
    /// As findings and `why` number it.
    pub number: u32,
    /// The record's own id.
    pub id: Option<String>,
    /// 1-based line in the log.
    pub line: u32,
    pub time: Option<Timestamp>,
    /// Milliseconds since the first event of the session that has a time; `None` without one.
    pub offset: Option<i64>,
    pub what: What,
    /// The tool of a call, or of the call that a result answers.
    pub tool: Option<String>,
    /// The sub-agent inside of the session that acts.
    pub subagent: Option<String>,
    pub detail: Option<Detail>,
    /// How a call ended, or the call that a result answers.
    pub status: Option<Status>,
    /// Of a result: the index of its call in [`Events::lines`].
    pub call: Option<usize>,
    /// Of a result: milliseconds since its call.
    pub took: Option<u64>,
}

/// Every event of a session.
pub fn events(session: &Session<'_>) -> Events {
    let times: Vec<Option<Timestamp>> =
        session.events.iter().map(|event| event.time.as_deref().and_then(moment)).collect();
    let beside = [&session.span.started, &session.span.ended].into_iter().flatten().filter_map(|time| moment(time));
    let (first, last) = times.iter().flatten().copied().chain(beside).fold((None, None), widen);
    let usage = &session.usage;
    let tokens = [usage.input, usage.output, usage.cache_read, usage.cache_write];
    Events {
        id: session.id.clone().into_owned(),
        agent: session.agent.clone().into_owned(),
        source: session.source.clone(),
        parent: session.parent.as_deref().map(str::to_owned),
        parent_event: session.parent_event.as_deref().map(str::to_owned),
        first,
        last,
        calls: session.calls().count(),
        tokens: tokens.into_iter().fold(0, u64::saturating_add),
        lines: lines(session, &times),
        started: links::started(session),
    }
}

fn lines(session: &Session<'_>, times: &[Option<Timestamp>]) -> Vec<EventLine> {
    let links = Links::of(session);
    let start = times.iter().flatten().next().copied();
    let lines = session.events.iter().enumerate().zip(times).map(|((index, event), time)| {
        let call = links.call_of(index);
        let acting = event.call().or_else(|| call.and_then(|call| links.call_at(call)));
        let subagent = acting.and_then(|call| call.subagent.as_deref()).or_else(|| sidechain(session, event));
        let began = call.and_then(|call| *times.get(call)?);
        EventLine {
            number: event.number,
            id: event.id.as_deref().map(str::to_owned),
            line: event.line,
            time: *time,
            offset: start.zip(*time).map(|(start, time)| milliseconds(start, time)),
            what: What::of(event, acting.map(|call| call.status)),
            tool: acting.map(|call| call.tool.clone().into_owned()),
            subagent: subagent.filter(|name| !is_itself(session, name)).map(str::to_owned),
            detail: detail::of(&event.kind),
            status: acting.map(|call| call.status),
            call,
            took: began.zip(*time).and_then(|(began, ended)| took(began, ended)),
        }
    });
    lines.collect()
}

/// The sub-agent whose conversation inside of the session an event is a part of.
fn sidechain<'s>(session: &'s Session<'s>, event: &Event<'_>) -> Option<&'s str> {
    match session.streams.get(usize::from(event.origin.stream))? {
        Stream::Sidechain(id) => Some(id),
        Stream::Main | Stream::Subagent(_) => None,
    }
}

/// Whether a session is that of this sub-agent: then all of it is its doing.
fn is_itself(session: &Session<'_>, subagent: &str) -> bool {
    session.id.strip_prefix("agent-").unwrap_or(&session.id) == subagent
}

fn widen(span: (Option<Timestamp>, Option<Timestamp>), time: Timestamp) -> (Option<Timestamp>, Option<Timestamp>) {
    let (first, last) = span;
    (Some(first.map_or(time, |first| first.min(time))), Some(last.map_or(time, |last| last.max(time))))
}

/// From one moment to another, which may lie before it: clocks of machines are set.
fn milliseconds(from: Timestamp, to: Timestamp) -> i64 {
    i64::try_from(to.duration_since(from).as_millis()).unwrap_or(i64::MAX)
}

fn took(start: Timestamp, end: Timestamp) -> Option<u64> {
    u64::try_from(milliseconds(start, end)).ok()
}

/// Text of a log, cut to what viewers may show: between words, so that redaction still recognises what is left.
fn cut(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(LONGEST) else { return text.to_owned() };
    let head = text.get(..end).unwrap_or_default();
    head.rsplit_once(char::is_whitespace).map_or(head, |(words, _)| words).to_owned()
}

#[cfg(test)]
mod tests;
