//! A call and its result as one span.

use std::borrow::Cow;

use super::names::{
    GEN_AI_OPERATION_NAME, GEN_AI_TOOL_CALL_ARGUMENTS, GEN_AI_TOOL_CALL_ID, GEN_AI_TOOL_CALL_RESULT, GEN_AI_TOOL_NAME,
};
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::{Link, SpanKind};
use serde_json::Value;

use super::Naming;
use super::attributes::{Attributes, CUT, STATUS, TIME_BASIS, beginning};
use super::ids::{SpanId, root, trace_id};
use super::outcome::Failed;
use super::times::Stamp;
use agent_strace_model::{Arguments, Status, ToolCall, decode_json};

/// Characters of one argument, of how many there are, and of their names.
const INPUT: usize = 200;
const INPUTS: usize = 32;
const INPUT_NAME: usize = 64;
/// Characters of what came back.
const OUTPUT: usize = 500;
const RESULT: usize = 1_000;
/// Bytes of arguments as they are; of longer ones, each text is cut to so many characters.
const ARGUMENTS: usize = 8_192;
const ARGUMENT: usize = 500;

/// A call with where it stands.
#[derive(Debug)]
pub(super) struct Called<'s> {
    pub(super) call: &'s ToolCall<'s>,
    pub(super) span: SpanId,
    pub(super) parent: SpanId,
    pub(super) start: Stamp,
    /// `None`: no result is recorded.
    pub(super) end: Option<Stamp>,
    pub(super) result: Option<Cow<'s, str>>,
    /// Sessions of their own that it started, by id.
    pub(super) children: Vec<&'s str>,
}

impl Called<'_> {
    pub(super) fn failed(&self) -> Option<Failed> {
        Failed::of_call(self.call.status, self.result.as_deref().map(str::to_owned))
    }

    fn ended(&self) -> u64 {
        // Clocks are set back; a span never ends before it starts.
        self.end.map_or(self.start.nanos, |end| end.nanos.max(self.start.nanos))
    }

    pub(super) fn span(&self, trace: [u8; 16], naming: Naming) -> Span {
        let failed = self.failed();
        let mut attributes = self.described(naming);
        if let Some(failed) = &failed {
            failed.note(&mut attributes);
        }
        let (attributes, dropped_attributes_count) = attributes.finish();
        let name = if self.call.tool.is_empty() { "unnamed" } else { &self.call.tool };
        let prefix = if naming == Naming::GenAi { "gen_ai.tool.call/" } else { "tool/" };
        Span {
            trace_id: trace.to_vec(),
            span_id: self.span.to_vec(),
            parent_span_id: self.parent.to_vec(),
            name: format!("{prefix}{}", beginning(name, INPUT)),
            kind: SpanKind::Internal.into(),
            start_time_unix_nano: self.start.nanos,
            end_time_unix_nano: self.ended(),
            attributes,
            dropped_attributes_count,
            events: failed.iter().map(|failed| failed.exception(self.ended())).collect(),
            links: self.children.iter().map(|child| link(child)).collect(),
            status: failed.as_ref().map(Failed::status),
            ..Span::default()
        }
    }

    fn described(&self, naming: Naming) -> Attributes {
        let mut attributes = Attributes::default();
        attributes.text(GEN_AI_OPERATION_NAME, "execute_tool");
        attributes.text_if_any(GEN_AI_TOOL_NAME, Some(&self.call.tool));
        attributes.text_if_any(GEN_AI_TOOL_CALL_ID, self.call.call_id.as_deref());
        if self.call.status != Status::Ok {
            attributes.text(STATUS, self.call.status.name());
        }
        let (arguments, cut) = arguments(&self.call.arguments);
        attributes.text_if_any(GEN_AI_TOOL_CALL_ARGUMENTS, arguments.as_deref());
        if naming == Naming::Plain {
            inputs(&self.call.arguments, &mut attributes);
            let output = self.result.as_deref().map(|result| beginning(result, OUTPUT));
            attributes.text_if_any("tool.output", output.as_deref());
        }
        let result = self.result.as_deref().map(|result| beginning(result, RESULT));
        attributes.text_if_any(GEN_AI_TOOL_CALL_RESULT, result.as_deref());
        if cut || matches!(result, Some(Cow::Owned(_))) {
            attributes.flag(CUT);
        }
        if !self.start.recorded || self.end.is_some_and(|end| !end.recorded) {
            attributes.text(TIME_BASIS, "neighbour");
        } else if self.end.is_none() {
            attributes.text(TIME_BASIS, "no-end");
        }
        attributes
    }
}

/// To the trace of another session.
pub(super) fn link(session: &str) -> Link {
    Link { trace_id: trace_id(session).to_vec(), span_id: root(session).to_vec(), ..Link::default() }
}

/// What a call was given, and whether some of it was cut. JSON stays JSON.
fn arguments<'a>(given: &'a Arguments<'_>) -> (Option<Cow<'a, str>>, bool) {
    match given {
        Arguments::Missing => (None, false),
        Arguments::Json(text) | Arguments::Text(text) if text.len() <= ARGUMENTS => (Some(Cow::Borrowed(text)), false),
        Arguments::Text(text) => (Some(beginning(text, ARGUMENTS)), true),
        Arguments::Json(text) => {
            let shorter = serde_json::from_str(text).ok().map(|mut value| {
                shorten(&mut value);
                value.to_string()
            });
            // Very many short ones.
            let shorter = shorter.filter(|shorter| shorter.len() <= 2 * ARGUMENTS);
            (Some(shorter.map_or_else(|| beginning(text, ARGUMENTS), Cow::Owned)), true)
        }
    }
}

/// The parser bounds the depth.
fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(shorter) = beginning(text, ARGUMENT) {
                *text = shorter;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(members) => members.values_mut().for_each(shorten),
        _ => {}
    }
}

/// Each argument by itself, so that backends can search for it.
fn inputs(given: &Arguments<'_>, attributes: &mut Attributes) {
    let Some(members) = given.members() else { return };
    for (name, json) in members.iter().take(INPUTS) {
        let value = decode_json(json);
        attributes.text(format!("tool.input.{}", beginning(name, INPUT_NAME)), beginning(&value, INPUT));
    }
    attributes.drop_more(members.iter().count().saturating_sub(INPUTS));
}
