//! A session as the two things that are exported: what it adds up to, and its events, each on one line.

use serde::Deserialize;
use serde_json::value::RawValue;

use agent_strace_ingest::{Log, Reading};
use agent_strace_model::Gap;
use agent_strace_store::{Imported, Origin, Secrets, on_one_line};

/// A session on its way out.
#[derive(Debug)]
pub(super) struct Trace {
    pub(super) id: String,
    /// JSON on one line.
    meta: String,
    /// What an earlier export said of itself.
    anonymization: Option<String>,
    /// JSON, one line each.
    events: Vec<String>,
    /// Which line of the session each of them is, from 1.
    #[cfg_attr(not(feature = "mcp"), expect(dead_code, reason = "only tools of `mcp` number events"))]
    pub(super) numbers: Vec<usize>,
}

/// An earlier export.
#[derive(Deserialize)]
struct Exported<'a> {
    session_id: String,
    #[serde(borrow)]
    meta: Option<&'a RawValue>,
    #[serde(borrow)]
    anonymization: Option<&'a RawValue>,
    #[serde(borrow)]
    events: Vec<&'a RawValue>,
}

/// Events as the native store has them, as far as they say which session they are of.
#[derive(Deserialize)]
struct Native {
    event_type: String,
    session_id: Option<String>,
}

/// The sessions of a log, and what could not be read of it.
pub(super) fn of_log(log: &Log, reading: &Reading<'_>) -> (Vec<Trace>, Vec<Gap>) {
    if log.store.is_none()
        && let Some(trace) = Trace::exported(log.bytes())
    {
        return (vec![trace], Vec::new());
    }
    let gaps = reading.gaps.clone();
    if let Some(entry) = &log.store {
        let meta = entry.meta.as_deref().ok().map(String::from_utf8_lossy);
        return (vec![Trace::stored(&entry.id, meta.as_deref(), &String::from_utf8_lossy(log.bytes()))], gaps);
    }
    if let Some(trace) = Trace::native(log.bytes()).filter(|_| reading.sessions.len() == 1 && gaps.is_empty()) {
        return (vec![trace], gaps);
    }
    let name = log.shown.rsplit('/').next().unwrap_or(&log.shown);
    let sessions = reading.sessions.iter().enumerate().map(|(at, session)| {
        let source = Origin { name, bytes: log.bytes(), session: at };
        let imported = Imported { session, gaps: &reading.gaps, source, secrets: Secrets::Keep };
        let (meta, events) = agent_strace_store::files(&imported);
        Trace::stored(&session.id, Some(&meta), &events)
    });
    (sessions.collect(), gaps)
}

impl Trace {
    /// Lines that are no JSON are left out: they were told as gaps.
    fn stored(id: &str, meta: Option<&str>, events: &str) -> Self {
        let is_json = |json: &&str| serde_json::from_str::<serde::de::IgnoredAny>(json).is_ok();
        let lines = events.lines().map(str::trim).zip(1..).filter(|(line, _)| is_json(line));
        let (events, numbers) = lines.map(|(line, number)| (line.to_owned(), number)).unzip();
        let meta = meta.filter(is_json).map_or_else(|| "{}".to_owned(), on_one_line);
        Self { id: id.to_owned(), meta, anonymization: None, events, numbers }
    }

    /// Lines of the store that lie somewhere else: they stay as they are.
    fn native(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let first: Native = serde_json::from_str(text.lines().next()?).ok()?;
        let id = first.session_id.filter(|_| !first.event_type.is_empty())?;
        Some(Self::stored(&id, None, text))
    }

    fn exported(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok().filter(|text| text.trim_start().starts_with('{'))?;
        let Exported { session_id, meta, anonymization, events } = serde_json::from_str(text).ok()?;
        Some(Self {
            id: session_id,
            meta: meta.map_or_else(|| "{}".to_owned(), |meta| on_one_line(meta.get())),
            anonymization: anonymization.map(|said| on_one_line(said.get())),
            numbers: (1..=events.len()).collect(),
            events: events.into_iter().map(|event| on_one_line(event.get())).collect(),
        })
    }

    /// What is searched and rewritten: a header, then the events, one document a line.
    pub(super) fn lines(&self) -> String {
        let id = serde_json::Value::from(self.id.as_str());
        let said = self.anonymization.as_deref().unwrap_or("null");
        let mut lines = format!("{{\"session_id\":{id},\"meta\":{},\"anonymization\":{said}}}\n", self.meta);
        for event in &self.events {
            lines.push_str(event);
            lines.push('\n');
        }
        lines
    }

    /// Names and values of what the session adds up to: they say whose it is.
    pub(super) fn fields(&self) -> Vec<(String, String)> {
        let mut fields = Vec::new();
        if let Ok(meta) = serde_json::from_str(&self.meta) {
            collect("", &meta, &mut fields);
        }
        fields
    }
}

fn collect(name: &str, value: &serde_json::Value, fields: &mut Vec<(String, String)>) {
    match value {
        serde_json::Value::String(text) => fields.push((name.to_owned(), text.clone())),
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect(name, item, fields)),
        serde_json::Value::Object(members) => {
            members.iter().for_each(|(name, value)| collect(name, value, fields));
        }
        _ => {}
    }
}

/// What a session became.
#[derive(Debug)]
pub(super) struct Cleaned<'a> {
    pub(super) header: Header<'a>,
    pub(super) events: Vec<&'a str>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Header<'a> {
    pub(super) session_id: String,
    #[serde(borrow)]
    pub(super) meta: &'a RawValue,
    #[serde(borrow)]
    pub(super) anonymization: Option<&'a RawValue>,
}

impl<'a> Cleaned<'a> {
    /// `None`: it is no JSON, which the rewriting leaves it.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut lines = std::str::from_utf8(bytes).ok()?.lines();
        let header = serde_json::from_str(lines.next()?).ok()?;
        let events: Vec<&str> = lines.collect();
        let all = events.iter().all(|event| serde_json::from_str::<serde::de::IgnoredAny>(event).is_ok());
        all.then_some(Self { header, events })
    }
}
