//! Turns the meaning of a message into an event of the store.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::recorder::{Recorder, quoted};
use agent_strace_live::proxy::message::{Outcome, Side};
use agent_strace_live::proxy::talk::{Ended, Question, Sense, Subject, arguments, ended, subject};
use agent_strace_model::{Access, Arguments, EventKind, FileEvent, RawText, Status, ToolCall};
use agent_strace_store::live::{Answer, Fact, Note};

/// The event that a request is recorded as.
pub(super) enum RecordedAction {
    Call(ToolCall<'static>),
    File(FileEvent<'static>),
    /// Not judged.
    Nothing,
}

/// The event of a request with this number.
pub(super) fn action_of(server: &str, number: u64, subject: &Subject, params: Option<&str>) -> RecordedAction {
    let call = |tool: &str, arguments: Arguments<'static>| {
        RecordedAction::Call(ToolCall {
            call_id: Some(Cow::Owned(call_id(number))),
            tool: Cow::Owned(format!("mcp__{server}__{tool}")),
            arguments,
            cwd: None,
            status: Status::Missing,
            subagent: None,
        })
    };
    let json =
        |json: Option<&str>| json.map_or(Arguments::Missing, |json| Arguments::Json(Cow::Owned(json.to_owned())));
    match subject {
        // A call without a tool name is judged by all of its parameters.
        Subject::Tool(name) if name.is_empty() => call("", json(params)),
        Subject::Tool(name) => call(name, json(arguments(params))),
        Subject::Resource(uri) if is_file(uri) => {
            RecordedAction::File(FileEvent { access: Access::Read, target: Cow::Owned(uri.clone()) })
        }
        Subject::Resource(_) => call("resources/read", json(params)),
        Subject::Sampling | Subject::Initialize | Subject::ToolList | Subject::Other(_) => RecordedAction::Nothing,
    }
}

fn is_file(uri: &str) -> bool {
    uri.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
}

/// The id of a call in the store: the ids of the protocol may be reused.
fn call_id(number: u64) -> String {
    format!("mcp-{number}")
}

impl Recorder {
    pub(super) fn record(&mut self, at: Timestamp, from: Side, sense: &Sense<'_>) {
        match sense {
            Sense::Asked { question, params } => {
                self.status.detail(|| format!("{} asks {}", from.name(), self.shown(&question.subject)));
                let action = action_of(&self.server, question.number, &question.subject, *params);
                self.asked(at, question, *params, &action);
            }
            Sense::Told { number, method, params } => {
                self.status.detail(|| format!("{} tells {method}", from.name()));
                match action_of(&self.server, *number, &subject(from, method, *params), *params) {
                    // A call that wants no answer is a call, too.
                    RecordedAction::Call(call) => drop(self.put(at, &Fact::Call { call: &call, key: "" })),
                    RecordedAction::File(file) => drop(self.put(at, &Fact::Event(&EventKind::File(file)))),
                    RecordedAction::Nothing => self.told(at, from, method, *params),
                }
            }
            Sense::Answered { question: Some(question), outcome, .. } => {
                self.status.detail(|| format!("{} answers {}", from.name(), self.shown(&question.subject)));
                self.answered(at, question, outcome);
            }
            Sense::Answered { question: None, id, outcome } => {
                let mut keys = vec![("side", side(from)), ("request_id", id.json())];
                keys.push(of_outcome(outcome));
                self.note(at, "decision", "answered what nobody asked", &keys, None);
            }
        }
    }

    fn told(&mut self, at: Timestamp, from: Side, method: &str, params: Option<&str>) {
        let method = quoted(method);
        let mut keys = vec![("side", side(from)), ("method", method.as_str())];
        keys.extend(params.map(|params| ("params", params)));
        self.note(at, "decision", "told something", &keys, None);
    }

    /// Records a message that was refused before the server saw it.
    pub(super) fn refused(&mut self, at: Timestamp, from: Side, sense: &Sense<'_>, reason: &str) {
        let (number, subject, params) = match sense {
            Sense::Asked { question, params } => {
                self.talk.forget(question);
                (question.number, question.subject.clone(), *params)
            }
            Sense::Told { number, method, params } => (*number, subject(from, method, *params), *params),
            Sense::Answered { .. } => return,
        };
        if let RecordedAction::Call(call) = action_of(&self.server, number, &subject, params) {
            let call = ToolCall { status: Status::Denied, ..call };
            self.put(at, &Fact::Call { call: &call, key: "" });
            self.answer(at, number, &call.tool, Status::Denied, RawText::Plain(Cow::Borrowed(reason)));
        } else {
            let (method, reason) = (quoted(&self.shown(&subject)), quoted(reason));
            let mut keys = vec![("side", side(from)), ("method", method.as_str()), ("reasoning", reason.as_str())];
            keys.extend(params.map(|params| ("params", params)));
            self.note(at, "decision", "refused", &keys, None);
        }
    }

    fn shown(&self, subject: &Subject) -> String {
        match subject {
            Subject::Tool(name) => format!("tools/call {}", self.without_secrets(name)),
            Subject::Resource(uri) => format!("resources/read {}", self.without_secrets(uri)),
            Subject::Sampling => "sampling/createMessage".to_owned(),
            Subject::Initialize => "initialize (or server/discover)".to_owned(),
            Subject::ToolList => "tools/list".to_owned(),
            Subject::Other(method) => method.clone(),
        }
    }

    /// Records a request.
    pub(super) fn asked(&mut self, at: Timestamp, question: &Question, params: Option<&str>, action: &RecordedAction) {
        let id = question.id.json();
        match action {
            RecordedAction::Call(call) => {
                let fact = Fact::Call { call, key: "" };
                self.put(at, &Fact::With(&fact, &[("request_id", id)]));
            }
            RecordedAction::File(file) => {
                let event = EventKind::File(file.clone());
                let written = self.put(at, &Fact::With(&Fact::Event(&event), &[("request_id", id)]));
                self.remember(question, at, written);
            }
            RecordedAction::Nothing => {
                let method = quoted(&self.shown(&question.subject));
                let mut keys = vec![("side", side(question.asked_by)), ("method", method.as_str()), ("request_id", id)];
                keys.extend(params.map(|params| ("params", params)));
                let written = if question.subject == Subject::Sampling {
                    self.sampling(at, params, &keys)
                } else {
                    self.note(at, "decision", "asked something", &keys, None)
                };
                self.remember(question, at, written);
            }
        }
    }

    /// Remembers a request until its answer. Requests without an answer are forgotten with the session.
    fn remember(&mut self, question: &Question, at: Timestamp, written: Option<String>) {
        const MOST: usize = 10_000;
        if let Some(event) = written {
            if self.open_requests.len() >= MOST {
                self.open_requests.pop_first();
            }
            self.open_requests.insert(question.number, (event, at.as_duration().as_secs_f64()));
        }
    }

    fn sampling(&mut self, at: Timestamp, params: Option<&str>, keys: &[(&'static str, &str)]) -> Option<String> {
        let asked = params.and_then(|params| serde_json::from_str::<Sampling<'_>>(params).ok()).unwrap_or_default();
        let count = asked.messages.len().to_string();
        let mut keys = keys.to_vec();
        keys.push(("message_count", &count));
        keys.extend(asked.messages.last().map(|last| ("last_message", last.get())));
        self.note(at, "llm_request", "", &keys, None)
    }

    fn answered(&mut self, at: Timestamp, question: &Question, outcome: &Outcome<'_>) {
        let since = self.open_requests.remove(&question.number);
        let since = since.as_ref().map(|(event, at)| (event.as_str(), *at));
        match (&question.subject, outcome) {
            (Subject::Tool(name), _) => self.call_answered(at, question, name, outcome),
            (Subject::Resource(uri), _) if !is_file(uri) => self.call_answered(at, question, "resources/read", outcome),
            (Subject::ToolList, Outcome::Result(list)) => self.offered(at, "tools", list, since),
            (Subject::Initialize, Outcome::Result(own)) => {
                self.server_info = own_name(own);
                self.offered(at, "introduction", own, since);
            }
            (Subject::Sampling, Outcome::Result(answer)) => {
                let told = serde_json::from_str::<Sampled<'_>>(answer).unwrap_or_default();
                let model = told.model.as_deref().map(quoted);
                let mut keys = vec![("side", side(question.asked_by.other())), ("answer", *answer)];
                keys.extend(model.as_deref().map(|model| ("model", model)));
                self.note(at, "llm_response", "", &keys, since);
            }
            (subject, outcome) => {
                let method = quoted(&self.shown(subject));
                let status = quoted(if ended(outcome) == Ended::Well { "ok" } else { "error" });
                let side = side(question.asked_by.other());
                let keys =
                    [("side", side), ("method", method.as_str()), ("status", status.as_str()), of_outcome(outcome)];
                self.note(at, "decision", "answered", &keys, since);
            }
        }
    }

    fn call_answered(&mut self, at: Timestamp, question: &Question, tool: &str, outcome: &Outcome<'_>) {
        let tool = format!("mcp__{}__{tool}", self.server);
        let status = if ended(outcome) == Ended::Well { Status::Ok } else { Status::Error };
        let (Outcome::Result(json) | Outcome::Error(json)) = outcome;
        let text = words(outcome).unwrap_or(json);
        self.answer(at, question.number, &tool, status, RawText::Json(text));
    }

    /// Records how a call ended.
    fn answer(&mut self, at: Timestamp, number: u64, tool: &str, status: Status, text: RawText<'_>) {
        let id = call_id(number);
        let call = self.live().and_then(|live| live.pending().iter().find(|call| call.call == id)).cloned();
        let answer = Answer { call: call.as_ref(), call_id: Some(&id), tool, status, text: Some(text), is_last: true };
        self.put(at, &Fact::Answer(answer));
    }

    /// Records how a server describes itself or its tools, since that goes into the context of the model.
    fn offered(&mut self, at: Timestamp, what: &'static str, json: &str, since: Option<(&str, f64)>) {
        let (label, info) = (quoted(&self.server), self.server_info.as_deref().map(quoted));
        let choice =
            if what == "tools" { "the MCP server listed its tools" } else { "the MCP server introduced itself" };
        let choice = quoted(choice);
        let mut data = vec![("choice", choice.as_str()), ("name", label.as_str())];
        data.extend(info.as_deref().map(|info| ("server", info)));
        let recorded = [("json", json)];
        self.put(
            at,
            &Fact::Note(Note { event_type: "decision", kind: Some(what), since, data: &data, recorded: &recorded }),
        );
    }

    /// Records an event that is for people alone.
    fn note(
        &mut self,
        at: Timestamp,
        event_type: &'static str,
        what: &str,
        keys: &[(&'static str, &str)],
        since: Option<(&str, f64)>,
    ) -> Option<String> {
        let choice = quoted(&format!("MCP: {what}"));
        let mut data = if what.is_empty() { Vec::new() } else { vec![("choice", choice.as_str())] };
        data.extend(keys);
        let kind = (event_type == "decision").then_some("mcp");
        self.put(at, &Fact::Note(Note { event_type, kind, since, data: &data, recorded: &[] }))
    }
}

fn side(side: Side) -> &'static str {
    match side {
        Side::Client => "\"client\"",
        Side::Server => "\"server\"",
    }
}

fn of_outcome<'o>(outcome: &Outcome<'o>) -> (&'static str, &'o str) {
    match outcome {
        Outcome::Result(json) => ("answer", json),
        Outcome::Error(json) => ("fault", json),
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Sampling<'m> {
    #[serde(borrow)]
    messages: Vec<&'m RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Sampled<'m> {
    #[serde(borrow)]
    model: Option<Cow<'m, str>>,
}

/// The name by which a server introduces itself.
fn own_name(introduction: &str) -> Option<String> {
    let told: Introduction<'_> = serde_json::from_str(introduction).ok()?;
    told.info.or_else(|| told.meta?.info)?.name.map(Cow::into_owned)
}

#[derive(Deserialize)]
struct Introduction<'m> {
    #[serde(borrow, rename = "serverInfo")]
    info: Option<Info<'m>>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<Meta<'m>>,
}

#[derive(Deserialize)]
struct Meta<'m> {
    #[serde(borrow, rename = "io.modelcontextprotocol/serverInfo")]
    info: Option<Info<'m>>,
}

#[derive(Deserialize)]
struct Info<'m> {
    #[serde(borrow)]
    name: Option<Cow<'m, str>>,
}

#[derive(Deserialize)]
struct Words<'m> {
    #[serde(borrow)]
    content: Option<&'m RawValue>,
    #[serde(borrow)]
    message: Option<&'m RawValue>,
    #[serde(borrow, rename = "structuredContent")]
    structured: Option<&'m RawValue>,
    #[serde(borrow)]
    data: Option<&'m RawValue>,
}

/// The text of an answer, if the answer holds nothing else that is worth keeping.
fn words<'m>(outcome: &Outcome<'m>) -> Option<&'m str> {
    let (Outcome::Result(json) | Outcome::Error(json)) = outcome;
    let words: Words<'m> = serde_json::from_str(json).ok()?;
    let text = match outcome {
        Outcome::Result(_) => words.content.filter(|_| words.structured.is_none()),
        Outcome::Error(_) => words.message.filter(|_| words.data.is_none()),
    };
    text.map(RawValue::get)
}
