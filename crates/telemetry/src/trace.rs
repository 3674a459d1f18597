//! A session as a trace.

use std::collections::{BTreeMap, BTreeSet};

use super::names::{
    GEN_AI_AGENT_ID, GEN_AI_AGENT_NAME, GEN_AI_AGENT_VERSION, GEN_AI_CONVERSATION_ID, GEN_AI_OPERATION_NAME,
    GEN_AI_PROVIDER_NAME, GEN_AI_REQUEST_MODEL, SERVICE_NAME, SESSION_ID, VCS_REF_HEAD_NAME, VCS_REF_HEAD_REVISION,
    VCS_REPOSITORY_URL_FULL,
};
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span};

use super::agents::{Agent, Agents};
use super::attributes::{Attributes, beginning};
use super::ids::{SpanId, SpanIds, trace_id};
use super::outcome::Failed;
use super::provider::provider;
use super::requests::{self, Asked, RequestSpan};
use super::times::Times;
use super::tools::{Called, link};
use super::{Naming, Options, events, resource, scope};
use agent_strace_metrics::Measured;
use agent_strace_model::{Event, EventKind, Session};

/// Characters of what Langfuse shows of a trace.
const SHOWN: usize = 2_000;

/// A session that was made a trace.
#[derive(Debug)]
pub struct Traced {
    pub spans: ResourceSpans,
    /// Events that stand at the time of a neighbour: their own records have none.
    pub untimed: usize,
}

/// `None`: the session recorded no times, and a trace has nothing else to stand on.
pub fn trace(measured: &Measured<'_>, session: &Session<'_>, options: Options<'_>) -> Option<Traced> {
    let times = Times::of(session)?;
    let mut ids = SpanIds::new(&session.id);
    let agents = Agents::of(session, &times, &mut ids);
    let results = results(session);
    let mut tracer = Tracer { session, times: &times, options, trace: trace_id(&session.id), agents, results };
    let calls = tracer.calls(&mut ids);
    tracer.happenings();
    let mut spans: Vec<Span> = calls.iter().map(|called| called.span(tracer.trace, options.naming)).collect();
    tracer.requests(measured, &mut ids, &mut spans);
    let agents: Vec<Agent<'_>> = std::mem::take(&mut tracer.agents.list);
    let own = agents.into_iter().map(|agent| tracer.agent(agent, measured));
    let mut all: Vec<Span> = own.collect();
    all.append(&mut spans);
    // As they began; what began at once stands in the order above: agents before what they did.
    all.sort_by_key(|span| span.start_time_unix_nano);
    let scope_spans = ScopeSpans { scope: Some(scope()), spans: all, schema_url: String::new() };
    let spans =
        ResourceSpans { resource: Some(tracer.resource()), scope_spans: vec![scope_spans], schema_url: String::new() };
    Some(Traced { spans, untimed: times.untimed })
}

struct Tracer<'s> {
    session: &'s Session<'s>,
    times: &'s Times,
    options: Options<'s>,
    trace: [u8; 16],
    agents: Agents<'s>,
    /// Of calls, by places.
    results: BTreeMap<usize, usize>,
}

/// Which result belongs to which call, by places: of several results the last, of several calls with one id the one
/// before the result.
fn results<'s>(session: &'s Session<'s>) -> BTreeMap<usize, usize> {
    let mut calls: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, event) in session.events.iter().enumerate() {
        if let EventKind::Call(call) = &event.kind
            && let Some(id) = call.call_id.as_deref()
        {
            calls.entry(id).or_default().push(index);
        }
    }
    let mut results = BTreeMap::new();
    for (index, event) in session.events.iter().enumerate() {
        let EventKind::Result(result) = &event.kind else { continue };
        let Some(calls) = result.call_id.as_deref().and_then(|id| calls.get(id)) else { continue };
        let before = calls.partition_point(|call| *call < index);
        if let Some(call) = calls.get(before.saturating_sub(1)).or_else(|| calls.first()) {
            results.insert(*call, index);
        }
    }
    results
}

impl<'s> Tracer<'s> {
    /// Every call once, with its result; sub-agents are put below the calls that started them.
    fn calls(&mut self, ids: &mut SpanIds<'_>) -> Vec<Called<'s>> {
        let mut calls = Vec::new();
        let mut by_id: BTreeMap<&str, (usize, SpanId)> = BTreeMap::new();
        for (index, event) in self.session.events.iter().enumerate() {
            let EventKind::Call(call) = &event.kind else { continue };
            let owner = self.agents.owner(self.session, event);
            let span = ids.of_event(event.id.as_deref(), event.number);
            if let Some(id) = call.call_id.as_deref() {
                by_id.insert(id, (owner, span));
            }
            let result = self.results.get(&index).copied();
            let text = result.and_then(|result| match &self.session.events.get(result)?.kind {
                EventKind::Result(result) => result.text.as_ref().map(|text| text.decode()),
                _ => None,
            });
            let called = Called {
                call,
                span,
                parent: self.agents.span(owner),
                start: self.times.at(index),
                end: result.map(|result| self.times.at(result)),
                result: text,
                children: self.children(event),
            };
            if let (Some(failed), Some(agent)) = (called.failed(), self.agents.get(owner)) {
                agent.failed = Some(failed);
            }
            self.agents.extend(owner, called.end.unwrap_or(called.start).nanos);
            calls.push(called);
        }
        self.agents.arrange(self.session, &by_id);
        calls
    }

    /// Sessions of their own that a call started.
    fn children(&self, event: &Event<'_>) -> Vec<&'s str> {
        let started = self.session.evidence.subagents.iter().filter(|started| started.event == event.number);
        started.filter_map(|started| started.id.as_deref()).filter(|id| !self.agents.knows(id)).collect()
    }

    /// What happened beside calls.
    fn happenings(&mut self) {
        let answered: BTreeSet<usize> = self.results.values().copied().collect();
        for (index, event) in self.session.events.iter().enumerate() {
            let at = self.times.at(index);
            let owner = self.agents.owner(self.session, event);
            let mut failed = None;
            let happened = match &event.kind {
                EventKind::Result(_) if answered.contains(&index) => None,
                EventKind::Result(result) => {
                    let text = result.text.as_ref().map(|text| text.decode());
                    failed = result.is_error.then(|| Failed::outside(text.as_deref().map(str::to_owned)));
                    failed.is_none().then(|| events::orphan(text.as_deref(), at))
                }
                EventKind::Failure(text) => {
                    failed = Some(Failed::outside(Some(text.decode().into_owned())));
                    None
                }
                EventKind::Prompt(_) if !event.origin.speaker.is_user() => None,
                kind => events::of(kind, at, self.options.naming),
            };
            let Some(agent) = self.agents.get(owner) else { continue };
            if let Some(failed) = failed {
                agent.push(events::failure(&failed, at));
                agent.failed = Some(failed);
            }
            if let Some(happened) = happened {
                agent.push(happened);
            }
        }
    }

    fn requests(&mut self, measured: &Measured<'_>, ids: &mut SpanIds<'_>, spans: &mut Vec<Span>) {
        let asked = Asked::of(self.session, self.times);
        for (nth, request) in measured.requests().iter().enumerate() {
            let Some((index, start, end)) = asked.span_of(request) else { continue };
            let Some(event) = self.session.events.get(index) else { continue };
            let owner = self.agents.owner(self.session, event);
            if self.options.naming == Naming::GenAi {
                self.agents.extend(owner, start.unwrap_or(end));
                self.agents.extend(owner, end);
                let span = ids.of("request", &nth.to_string());
                let request_span = RequestSpan { span, parent: self.agents.span(owner), start, end };
                spans.push(requests::span(request, self.session, self.trace, &request_span));
            } else if let Some(agent) = self.agents.get(owner) {
                agent.push(events::request(request, &self.session.agent, self.times.at(index)));
            }
        }
    }

    /// The span of an agent: the session's own is the root.
    fn agent(&self, mut agent: Agent<'_>, measured: &Measured<'_>) -> Span {
        let mut attributes = match agent.id {
            None => self.root(measured),
            Some(id) => self.subagent(id, &agent),
        };
        let is_root = agent.id.is_none();
        agent.events.sort_by_key(|event| event.time_unix_nano);
        let name = if is_root { Some(&*self.session.agent) } else { agent.name() };
        let name = self.name(name, is_root);
        let fell = if is_root { self.first_failure(measured, agent.failed) } else { agent.failed };
        if let Some(failed) = &fell {
            failed.note(&mut attributes);
        }
        let (attributes, dropped_attributes_count) = attributes.finish();
        let parent = self.session.parent.as_deref().filter(|_| is_root);
        Span {
            trace_id: self.trace.to_vec(),
            span_id: agent.span.to_vec(),
            parent_span_id: agent.parent.map(|parent| parent.to_vec()).unwrap_or_default(),
            name,
            kind: SpanKind::Internal.into(),
            start_time_unix_nano: agent.first,
            end_time_unix_nano: agent.last,
            attributes,
            dropped_attributes_count,
            events: agent.events,
            dropped_events_count: agent.dropped,
            links: parent.map(link).into_iter().collect(),
            status: fell.as_ref().map(Failed::status),
            ..Span::default()
        }
    }

    /// What failed in the session, wherever that was.
    fn first_failure(&self, measured: &Measured<'_>, own: Option<Failed>) -> Option<Failed> {
        let of_others = || self.session.calls().find_map(|(_, call)| Failed::of_call(call.status, None));
        let outside = || measured.failures().first().map(|failure| Failed::outside(failure.said.clone()));
        own.or_else(of_others).or_else(outside)
    }

    fn name(&self, name: Option<&str>, is_root: bool) -> String {
        const MOST: usize = 200;
        let name = name.map(|name| beginning(name, MOST));
        let what = match (is_root, self.options.naming) {
            (true, Naming::Plain) => "agent-session",
            (true, Naming::GenAi) => "gen_ai.agent.session",
            (false, _) => return name.map_or_else(|| "invoke_agent".to_owned(), |name| format!("invoke_agent {name}")),
        };
        name.map_or_else(|| what.to_owned(), |name| format!("{what} ({name})"))
    }

    fn root(&self, measured: &Measured<'_>) -> Attributes {
        let session = self.session;
        let mut models = session.attribution.models.iter().filter(|model| !model.starts_with('<'));
        let model = models.next().filter(|_| models.next().is_none());
        let mut attributes = Attributes::default();
        attributes.text(GEN_AI_OPERATION_NAME, "invoke_agent");
        if self.options.naming == Naming::Plain {
            attributes.text("agent.name", session.agent.as_ref());
        }
        attributes.text(GEN_AI_AGENT_NAME, session.agent.as_ref());
        attributes.text(GEN_AI_AGENT_ID, session.id.as_ref());
        attributes.text_if_any(GEN_AI_AGENT_VERSION, session.attribution.version.as_deref());
        attributes.text(GEN_AI_CONVERSATION_ID, session.id.as_ref());
        attributes.text(SESSION_ID, session.id.as_ref());
        attributes.text_if_any(GEN_AI_PROVIDER_NAME, provider(model.map(AsRef::as_ref), &session.agent));
        attributes.text_if_any(GEN_AI_REQUEST_MODEL, model.map(AsRef::as_ref));
        // Where requests have spans, the sum beside them would count twice.
        if self.options.naming == Naming::Plain || measured.requests().is_empty() {
            requests::usage(&session.usage, &mut attributes);
        }
        if self.options.langfuse {
            self.langfuse(&mut attributes);
        }
        attributes
    }

    /// What Langfuse shows of the trace as a whole.
    fn langfuse(&self, attributes: &mut Attributes) {
        attributes.text("langfuse.trace.name", self.name(Some(&self.session.agent), true));
        let mut events = self.session.events.iter();
        let prompt = events.find_map(|event| event.prompt().map(agent_strace_model::RawText::decode));
        let reply = self.session.events.iter().rev().find_map(|event| match &event.kind {
            EventKind::Message(text) => Some(text.decode()),
            _ => None,
        });
        attributes
            .text_if_any("langfuse.trace.input", prompt.map(|text| beginning(&text, SHOWN).into_owned()).as_deref());
        attributes
            .text_if_any("langfuse.trace.output", reply.map(|text| beginning(&text, SHOWN).into_owned()).as_deref());
    }

    fn subagent(&self, id: &str, agent: &Agent<'_>) -> Attributes {
        let mut attributes = Attributes::default();
        attributes.text(GEN_AI_OPERATION_NAME, "invoke_agent");
        attributes.text(GEN_AI_AGENT_ID, id);
        attributes.text_if_any(GEN_AI_AGENT_NAME, agent.name());
        attributes.text(GEN_AI_CONVERSATION_ID, self.session.id.as_ref());
        attributes
    }

    fn resource(&self) -> opentelemetry_proto::tonic::resource::v1::Resource {
        let attribution = &self.session.attribution;
        let mut attributes = Attributes::default();
        attributes.text(SERVICE_NAME, self.options.service);
        attributes.text_if_any(VCS_REPOSITORY_URL_FULL, attribution.repository.as_deref());
        attributes.text_if_any(VCS_REF_HEAD_NAME, attribution.branches.first().map(AsRef::as_ref));
        attributes.text_if_any(VCS_REF_HEAD_REVISION, attribution.commit.as_deref());
        if self.options.anonymized {
            attributes.flag("agent_strace.anonymized");
        }
        resource(attributes)
    }
}
