//! Requests to the model: spans with their usage.

use super::names::{
    GEN_AI_CONVERSATION_ID, GEN_AI_OPERATION_NAME, GEN_AI_PROVIDER_NAME, GEN_AI_REQUEST_MODEL,
    GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS, GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS, GEN_AI_USAGE_INPUT_TOKENS,
    GEN_AI_USAGE_OUTPUT_TOKENS, GEN_AI_USAGE_REASONING_OUTPUT_TOKENS,
};
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;

use super::attributes::{Attributes, TIME_BASIS};
use super::ids::SpanId;
use super::provider::provider;
use super::times::{Times, nanos};
use agent_strace_metrics::Request;
use agent_strace_model::{EventKind, Session, Usage};

pub(super) fn described(request: &Request, agent: &str) -> Attributes {
    let mut attributes = Attributes::default();
    attributes.text(GEN_AI_OPERATION_NAME, "chat");
    attributes.text_if_any(GEN_AI_PROVIDER_NAME, provider(request.model.as_deref(), agent));
    attributes.text_if_any(GEN_AI_REQUEST_MODEL, request.model.as_deref());
    usage(&request.usage, &mut attributes);
    attributes
}

/// The conventions count what a cache gave back and took in as input, too. What the log does not tell is not zero.
pub(super) fn usage(usage: &Usage, attributes: &mut Attributes) {
    let input = usage.input.saturating_add(usage.cache_read).saturating_add(usage.cache_write);
    if input == 0 && usage.output == 0 {
        return;
    }
    attributes.number(GEN_AI_USAGE_INPUT_TOKENS, input);
    attributes.number(GEN_AI_USAGE_OUTPUT_TOKENS, usage.output);
    let parts = [
        (GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS, usage.cache_read),
        (GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS, usage.cache_write),
        (GEN_AI_USAGE_REASONING_OUTPUT_TOKENS, usage.reasoning),
    ];
    for (key, tokens) in parts.into_iter().filter(|(_, tokens)| *tokens > 0) {
        attributes.number(key, tokens);
    }
    if usage.partial {
        attributes.flag("agent_strace.usage.partial");
    }
}

/// When requests were made and answered. Logs record answers: the model was asked after the last thing that it was given.
#[derive(Debug)]
pub(super) struct Asked<'s> {
    session: &'s Session<'s>,
    times: &'s Times,
    /// Of each event, by its index: when the last input of its conversation before it was recorded.
    inputs: Vec<Option<u64>>,
}

impl<'s> Asked<'s> {
    pub(super) fn of(session: &'s Session<'s>, times: &'s Times) -> Self {
        // The store has records of requests, which say nothing else.
        let has_requests = session.dialect.name == "agent-strace";
        let mut last: Vec<Option<u64>> = vec![None; session.streams.len()];
        let mut inputs = Vec::with_capacity(session.events.len());
        for (index, event) in session.events.iter().enumerate() {
            let stream = usize::from(event.origin.stream);
            inputs.push(last.get(stream).copied().flatten());
            let is_input = match &event.kind {
                EventKind::Prompt(_) | EventKind::Instruction(_) | EventKind::Result(_) => true,
                EventKind::Other => has_requests,
                _ => false,
            };
            if let Some(last) = last.get_mut(stream).filter(|_| is_input && times.at(index).recorded) {
                *last = Some(times.at(index).nanos);
            }
        }
        Self { session, times, inputs }
    }

    /// From when to when, and the index of the event that it stands with; `None`: no event is like it.
    pub(super) fn span_of(&self, request: &Request) -> Option<(usize, Option<u64>, u64)> {
        let events = &self.session.events;
        let told = events.binary_search_by_key(&request.event, |event| event.number).ok()?;
        let stream = events.get(told)?.origin.stream;
        let is_of = |index: usize, is: fn(&EventKind<'_>) -> bool| {
            events.get(index).is_some_and(|event| event.origin.stream == stream && is(&event.kind))
        };
        // Usage is told before the answer, or after it.
        let next = told + 1;
        let index = if !is_of(told, is_output) && is_of(next, is_answer) { next } else { told };
        let mut end = self.times.at(index).nanos;
        // An answer is recorded piece by piece, unless a record of its own says that it came.
        let pieces = if is_of(index, is_output) { index + 1..events.len() } else { 0..0 };
        for after in pieces.take_while(|after| is_of(*after, is_output)) {
            end = end.max(self.times.at(after).nanos);
        }
        let own = request.at.and_then(nanos).filter(|at| *at != self.times.at(told).nanos);
        let end = own.unwrap_or(end);
        let start = self.inputs.get(index).copied().flatten().filter(|input| *input <= end);
        Some((index, start, end))
    }
}

fn is_output(kind: &EventKind<'_>) -> bool {
    matches!(kind, EventKind::Message(_) | EventKind::Reasoning(_) | EventKind::Call(_))
}

/// Also a record of an answer that says nothing else.
fn is_answer(kind: &EventKind<'_>) -> bool {
    is_output(kind) || matches!(kind, EventKind::Other)
}

/// A request with where it stands.
#[derive(Debug)]
pub(super) struct RequestSpan {
    pub(super) span: SpanId,
    pub(super) parent: SpanId,
    /// When what the model was given was recorded; `None`: not known.
    pub(super) start: Option<u64>,
    pub(super) end: u64,
}

pub(super) fn span(request: &Request, session: &Session<'_>, trace: [u8; 16], span: &RequestSpan) -> Span {
    let mut attributes = described(request, &session.agent);
    attributes.text(GEN_AI_CONVERSATION_ID, session.id.as_ref());
    attributes.text(TIME_BASIS, if span.start.is_some() { "since-input" } else { "no-start" });
    let (attributes, dropped_attributes_count) = attributes.finish();
    Span {
        trace_id: trace.to_vec(),
        span_id: span.span.to_vec(),
        parent_span_id: span.parent.to_vec(),
        name: "gen_ai.client.operation".to_owned(),
        kind: SpanKind::Client.into(),
        start_time_unix_nano: span.start.unwrap_or(span.end),
        end_time_unix_nano: span.end,
        attributes,
        dropped_attributes_count,
        ..Span::default()
    }
}
