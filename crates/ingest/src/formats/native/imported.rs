//! What an imported session keeps beside the keys that every reader of the store knows.

use std::borrow::Cow;

use serde::Deserialize;

use crate::formats::FORMATS;
use crate::gaps::Gaps;
use crate::json::{Raw, count, filled, is_true, record, scalar, text};
use agent_strace_model::attribution::{Attribution, note};
use agent_strace_model::evidence::Chain;
use agent_strace_model::{Arguments, Evidence, GapKind, Label, Origin, Session, Spent, Status, Stream, Usage};

record! {
    /// Said by the first event, about the session.
    pub(super) struct Import {
        format = "format",
        agent = "agent",
        parent = "parent",
        unknown_records = "unknown_records",
        usage = "usage",
        evidence = "evidence",
        broken_chain = "broken_chain",
        attribution = "attribution",
        filed_under = "filed_under",
        streams = "streams",
    }
}

record! {
    /// Said by each event, about itself.
    pub(super) struct Recorded {
        kind = "kind",
        time = "time",
        id = "id",
        arguments = "arguments",
        status = "status",
        is_error = "is_error",
        usage = "usage",
        json = "json",
        line = "line",
        reason = "reason",
        origin = "origin",
        labels = "labels",
        window = "window",
        sum = "sum",
        call = "call",
        model = "model",
        tier = "tier",
        ending = "ending",
        by = "by",
    }
}

impl<'a> Import<'a> {
    /// Makes the session what it was in its own log.
    pub(super) fn apply(&self, session: &mut Session<'a>, line: u32, gaps: &mut Gaps) {
        speak(self.format, session, line, gaps);
        if let Some(agent) = filled(self.agent) {
            session.agent = agent;
        }
        session.parent = filled(self.parent);
        session.is_imported = true;
        session.unknown_records = u32::try_from(count(self.unknown_records)).unwrap_or(u32::MAX);
        let mut unreadable = false;
        session.evidence = part::<Evidence<'_>>(self.evidence, &mut unreadable);
        // That digests were right is never believed; that one was wrong is.
        if let Some(line) = scalar(self.broken_chain) {
            session.evidence.chain = Chain::Broken(line.parse().unwrap_or(1));
        }
        let attribution = part::<Attribution<'_>>(self.attribution, &mut unreadable);
        let known = std::mem::replace(&mut session.attribution, attribution).repository;
        note(&mut session.attribution.repository, known);
        session.filed_under = filled(self.filed_under);
        let streams: Vec<Stream<'_>> = part(self.streams, &mut unreadable);
        if !streams.is_empty() {
            session.streams = streams;
        }
        // The sums that the log itself gave: its records are not added to them.
        session.usage = part(self.usage, &mut unreadable);
        if unreadable {
            gaps.malformed(line, "what the imported log said about itself can't be read");
        }
    }
}

/// What is true of every log of a format is true of what was made of one.
pub(super) fn speak(format: Option<Raw<'_>>, session: &mut Session<'_>, line: u32, gaps: &mut Gaps) {
    let name = text(format).unwrap_or_default();
    match FORMATS.iter().find(|format| format.dialect.name == name) {
        Some(format) => session.dialect = &format.dialect,
        None => gaps.push(Some(line), GapKind::UnknownFormat("made of a format that is not known".into())),
    }
}

fn part<T: for<'de> Deserialize<'de> + Default>(value: Option<Raw<'_>>, unreadable: &mut bool) -> T {
    let read = value.map(|raw| serde_json::from_str(raw.get()));
    *unreadable |= matches!(read, Some(Err(_)));
    read.and_then(Result::ok).unwrap_or_default()
}

impl<'a> Recorded<'a> {
    /// The record's own id.
    pub(super) fn id(&self) -> Option<Cow<'a, str>> {
        filled(self.id)
    }

    /// The time as it was written, where the store can't say it; an empty one says that there was none.
    pub(super) fn time_or(&self, stored: Option<Cow<'a, str>>) -> Option<Cow<'a, str>> {
        text(self.time).or(stored).filter(|time| !time.is_empty())
    }

    pub(super) fn is(&self, kind: &str) -> bool {
        text(self.kind).is_some_and(|known| known == kind)
    }

    pub(super) fn status(&self) -> Option<Status> {
        let name = text(self.status)?;
        let known = [Status::Ok, Status::Error, Status::Denied, Status::Interrupted, Status::Missing];
        known.into_iter().find(|status| status.name() == name)
    }

    pub(super) fn is_error(&self) -> Option<bool> {
        self.is_error.map(|_| is_true(self.is_error))
    }

    /// A text that was no string.
    pub(super) fn json(&self) -> Option<Raw<'a>> {
        self.json
    }

    /// A call's arguments, in the form they had.
    pub(super) fn arguments(&self, value: Option<Raw<'a>>) -> Option<Arguments<'a>> {
        let form = text(self.arguments)?;
        let json = |raw: Raw<'a>| Arguments::Json(Cow::Borrowed(raw.get()));
        Some(match &*form {
            "object" => value.map_or(Arguments::Missing, json),
            "value" => {
                let value = crate::json::object::<Wrapped<'_>>(value)?.value;
                // A `null` is a value here.
                value.map_or(Arguments::Json(Cow::Borrowed("null")), json)
            }
            "input" => Arguments::Text(text(crate::json::object::<Wrapped<'_>>(value)?.input)?),
            "missing" => Arguments::Missing,
            _ => return None,
        })
    }

    /// Whether this record stands for a part of the log that could not be read.
    pub(super) fn gap(&self, line: u32, gaps: &mut Gaps) -> bool {
        if !self.is("gap") {
            return false;
        }
        let reason = filled(self.reason).unwrap_or(Cow::Borrowed("not said"));
        if text(self.by).is_some_and(|by| by == "recorder") {
            let missed = format!("the recorder missed something here: {reason}");
            gaps.push(Some(line), GapKind::NotRecorded(missed.into()));
            return true;
        }
        let number = self.line.map(|raw| count(Some(raw)));
        gaps.push(Some(line), GapKind::Imported { reason: reason.into_owned(), line: number });
        true
    }

    /// What the record said about cost, where it said nothing else.
    pub(super) fn spent(
        &self,
        after: usize,
        time: Option<Cow<'a, str>>,
        message: Option<Cow<'a, str>>,
    ) -> Option<Spent<'a>> {
        let mut unreadable = false;
        let usage: Usage = self.usage.map(|_| part(self.usage, &mut unreadable))?;
        let usage = Usage { partial: usage.partial || unreadable, ..usage };
        let window = self.window.map(|_| part(self.window, &mut false));
        let origin = self.origin().unwrap_or_default();
        Some(Spent { after, origin, time, message, model: filled(self.model), tier: filled(self.tier), usage, window })
    }

    /// The sum of a session's usage in the agent's own log.
    pub(super) fn sum(&self) -> Option<Usage> {
        let mut unreadable = false;
        let sum: Usage = self.sum.map(|_| part(self.sum, &mut unreadable))?;
        Some(Usage { partial: sum.partial || unreadable, ..sum })
    }

    pub(super) fn origin(&self) -> Option<Origin> {
        self.origin.map(|_| part(self.origin, &mut false))
    }

    pub(super) fn labels(&self) -> Vec<Label<'a>> {
        if self.labels.is_some() { part(self.labels, &mut false) } else { Vec::new() }
    }

    /// The line of the call that this one repeats.
    pub(super) fn call(&self) -> Option<u32> {
        u32::try_from(count(self.call)).ok().filter(|line| *line > 0)
    }
}

record! {
    struct Wrapped { value = "value", input = "input" }
}
