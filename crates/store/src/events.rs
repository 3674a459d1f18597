//! A session as lines of `events.ndjson`.
//!
//! Keys that every reader of the store knows say what happened; `recorded` beside them keeps what those keys can't say,
//! so that reading the line again gives the same event.

use std::collections::{HashMap, HashSet};

use super::event::Part;
use super::json::{Object, Secrets};
use super::moment::Moment;
use super::plan::Plan;
use super::{Imported, name, text};
use agent_strace_model::evidence::Chain;
use agent_strace_model::{Event, EventKind, Spent, Status, ToolResult, Usage};

/// Lines and what they add up to.
#[derive(Debug)]
pub(super) struct Lines {
    pub(super) text: String,
    /// Epoch seconds of the first and the last event that has a time.
    pub(super) first: Option<f64>,
    pub(super) last: Option<f64>,
}

/// All lines of a session: its start, its events, what it cost, and what of its log could not be read.
pub(super) fn lines(imported: &Imported<'_>, directory: &str) -> Lines {
    let mut writer = Writer::new(imported, directory);
    writer.start();
    let session = imported.session;
    let mut spent = session.spent.iter().peekable();
    for (position, event) in session.events.iter().enumerate() {
        while let Some(cost) = spent.next_if(|cost| cost.after <= position) {
            writer.spent(cost);
        }
        writer.event(position, event);
    }
    for cost in spent {
        writer.spent(cost);
    }
    for gap in imported.gaps {
        writer.gap(gap);
    }
    Lines { text: writer.text, first: writer.first, last: writer.last }
}

struct Writer<'a> {
    imported: &'a Imported<'a>,
    directory: &'a str,
    plan: Plan<'a>,
    text: String,
    line: u32,
    first: Option<f64>,
    last: Option<f64>,
    /// What each API message cost in the end.
    costs: HashMap<&'a str, Usage>,
    /// API messages that are written as requests already.
    asked: HashSet<&'a str>,
}

/// What stands around the data of a line.
#[derive(Default)]
struct Envelope<'a> {
    kind: &'a str,
    time: Option<&'a str>,
    parent: Option<String>,
    duration: Option<f64>,
}

impl<'a> Writer<'a> {
    fn new(imported: &'a Imported<'a>, directory: &'a str) -> Self {
        let plan = Plan::of(imported.session);
        let first = imported.session.events.iter().find_map(|event| Moment::of(event.time.as_deref()).seconds);
        let spent = imported.session.spent.iter();
        let costs = spent.filter_map(|cost| Some((cost.message.as_deref()?, cost.usage))).collect();
        let asked = HashSet::new();
        Self { imported, directory, plan, text: String::new(), line: 0, first, last: first, costs, asked }
    }

    fn secrets(&self) -> Secrets {
        self.imported.secrets
    }

    fn object(&self) -> Object {
        Object::new(self.secrets())
    }

    fn event_id(&self, line: u32) -> String {
        name::hex(format!("{}\0{line}", self.directory).as_bytes(), 12)
    }

    /// Ends a line. `recorded` gets what the common keys can't say about the time.
    fn push(&mut self, envelope: Envelope<'_>, part: Part) {
        let (Part { mut data, mut recorded }, Envelope { kind, time, parent, duration }) = (part, envelope);
        self.line = self.line.saturating_add(1);
        let moment = Moment::of(time);
        if let Some(exact) = moment.inexact {
            recorded.word("time", exact);
        }
        self.last = match (moment.seconds, self.last) {
            (Some(now), Some(last)) => Some(now.max(last)),
            (now, last) => now.or(last),
        };
        let mut line = Object::new(Secrets::Keep);
        line.word("event_type", kind);
        // What has no time stands beside what came before it.
        if let Some(seconds) = moment.seconds.or(self.last) {
            line.number("timestamp", Seconds(seconds));
        }
        line.word("event_id", &self.event_id(self.line));
        line.word("session_id", self.directory);
        if let Some(parent) = &parent {
            line.word("parent_id", parent);
        }
        if let Some(duration) = duration {
            line.number("duration_ms", duration);
        }
        data.object("recorded", recorded);
        line.object("data", data);
        self.text.push_str(&line.finish());
        self.text.push('\n');
    }

    fn start(&mut self) {
        let session = self.imported.session;
        let mut data = self.object();
        data.word("mode", "import");
        data.text_if_any("cwd", session.root.as_deref());
        data.text_if_any("model", session.attribution.models.first().map(AsRef::as_ref));
        let mut evidence = session.evidence.clone();
        for subagent in &mut evidence.subagents {
            let position = session.events.iter().position(|event| event.number == subagent.event);
            subagent.event = position.map_or(1, |position| self.plan.line(position));
        }
        for restart in &mut evidence.restarts {
            let position = session.events.iter().position(|event| event.number >= restart.event);
            restart.event = position.map_or(1, |position| self.plan.line(position));
        }
        let mut import = self.object();
        import.word("format", session.dialect.name);
        import.text("agent", &session.agent);
        import.text("id", &session.id);
        import.text_if_any("parent", session.parent.as_deref());
        import.text_if_any("filed_under", session.filed_under.as_deref());
        import.json("streams", &json_of(&session.streams));
        import.object("source", self.imported.source.json());
        import.number("unknown_records", session.unknown_records);
        import.json("usage", &json_of(&session.usage));
        import.json("evidence", &json_of(&evidence));
        if let Chain::Broken(line) = evidence.chain {
            import.number("broken_chain", line);
        }
        import.json("attribution", &json_of(&session.attribution));
        if self.secrets() == Secrets::Redact {
            import.json("redacted", "true");
        }
        data.object("import", import);
        let time = session.events.iter().find_map(|event| event.time.as_deref());
        self.push(
            Envelope { kind: "session_start", time, ..Envelope::default() },
            Part { data, recorded: self.object() },
        );
    }

    fn event(&mut self, position: usize, event: &Event<'a>) {
        if !self.plan.is_written(position, &event.kind) {
            return;
        }
        let mut part = Part { data: self.object(), recorded: self.object() };
        part.recorded.number("line", event.line);
        part.recorded.text_if_any("id", event.id.as_deref());
        part.recorded.json("origin", &json_of(&event.origin));
        let labels = self.plan.labels(position);
        if !labels.is_empty() {
            part.recorded.json("labels", &json_of(&labels));
        }
        let linked = match &event.kind {
            EventKind::Result(result) => self.result(position, event, result, &mut part),
            EventKind::Repeat(call) => {
                part.recorded.number("call", self.plan.line(*call));
                Envelope { kind: part.put(&event.kind), ..Envelope::default() }
            }
            kind => Envelope { kind: part.put(kind), ..Envelope::default() },
        };
        self.push(Envelope { time: event.time.as_deref(), ..linked }, part);
    }

    fn result(
        &self,
        position: usize,
        event: &Event<'a>,
        result: &ToolResult<'a>,
        part: &mut Part,
    ) -> Envelope<'static> {
        let Part { data, recorded } = part;
        let at = self.plan.call_of(result.call_id.as_deref(), position);
        let call = at.and_then(|at| self.imported.session.events.get(at));
        let mut failed = result.is_error;
        if let Some(call) = call.and_then(Event::call) {
            data.text("tool_name", &call.tool);
            // How the call ended is known by now, whichever record told it.
            recorded.word("status", call.status.name());
            failed |= matches!(call.status, Status::Error | Status::Denied);
        }
        data.text_if_any("tool_use_id", result.call_id.as_deref());
        recorded.json("is_error", if result.is_error { "true" } else { "false" });
        if let Some(words) = &result.text {
            text::put(data, recorded, if failed { "error" } else { "result" }, words);
            if failed {
                // Some readers of the store look for it here.
                data.text("message", &text::short(words));
            }
        }
        let began = call.and_then(|call| Moment::of(call.time.as_deref()).milliseconds());
        let ended = Moment::of(event.time.as_deref()).milliseconds();
        Envelope {
            kind: if failed { "error" } else { "tool_result" },
            time: None,
            parent: at.map(|at| self.event_id(self.plan.line(at))),
            duration: began.zip(ended).map(|(began, ended)| ended - began).filter(|duration| *duration >= 0.0),
        }
    }

    /// What one record says about cost. Several records tell of one API message: the first of them is the request.
    fn spent(&mut self, cost: &'a Spent<'a>) {
        let mut data = self.object();
        let message = cost.message.as_deref();
        let asked = message.is_none_or(|message| self.asked.insert(message));
        let last = message.and_then(|message| self.costs.get(message)).copied().unwrap_or(cost.usage);
        if asked {
            data.text_if_any("model", self.imported.session.attribution.models.first().map(AsRef::as_ref));
        }
        data.number("input_tokens", last.input.saturating_add(last.cache_read).saturating_add(last.cache_write));
        data.number("output_tokens", last.output);
        data.text_if_any("message_id", message);
        let mut recorded = self.object();
        recorded.json("usage", &json_of(&cost.usage));
        recorded.json("origin", &json_of(&cost.origin));
        recorded.text_if_any("model", cost.model.as_deref());
        recorded.text_if_any("tier", cost.tier.as_deref());
        if let Some(window) = &cost.window {
            recorded.json("window", &json_of(window));
        }
        let kind = if asked { "llm_request" } else { "llm_response" };
        self.push(Envelope { kind, time: cost.time.as_deref(), ..Envelope::default() }, Part { data, recorded });
    }

    fn gap(&mut self, gap: &agent_strace_model::Gap) {
        let mut data = self.object();
        data.text("message", &format!("the log that was imported is incomplete: {}", gap.kind));
        let mut recorded = self.object();
        recorded.word("kind", "gap");
        if let Some(line) = gap.line {
            recorded.number("line", line);
        }
        recorded.text("reason", &gap.reason());
        self.push(Envelope { kind: "error", ..Envelope::default() }, Part { data, recorded });
    }
}

pub(super) fn json_of(value: &impl serde::Serialize) -> String {
    // These types have nothing in them that JSON can't say.
    serde_json::to_string(value).unwrap_or_else(|_| "{}".to_owned())
}

/// Seconds as the store writes them: always with a fraction, as a number that is none would be another type to readers.
pub(super) struct Seconds(pub(super) f64);

impl std::fmt::Display for Seconds {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:?}", self.0)
    }
}
