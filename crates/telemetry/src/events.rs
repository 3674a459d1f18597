//! What happened beside calls: events of the span of the agent it happened to.

use opentelemetry_proto::tonic::trace::v1::span::Event as SpanEvent;

use super::attributes::{Attributes, TIME_BASIS, beginning};
use super::outcome::Failed;
use super::times::Stamp;
use super::{Naming, requests};
use agent_strace_metrics::Request;
use agent_strace_model::{Access, Ending, EventKind};

/// Characters of what was said.
const SAID: usize = 500;
const SAID_GEN_AI: usize = 1_000;
/// Characters of a path or a command.
const NAME: usize = 500;

fn event(name: &str, at: Stamp, mut attributes: Attributes) -> SpanEvent {
    if !at.recorded {
        attributes.text(TIME_BASIS, "neighbour");
    }
    let (attributes, dropped_attributes_count) = attributes.finish();
    SpanEvent { time_unix_nano: at.nanos, name: name.to_owned(), attributes, dropped_attributes_count }
}

/// `None`: it says nothing by itself, or has a span of its own. Prompts and replies keep the names that the store has for
/// them.
pub(super) fn of(kind: &EventKind<'_>, at: Stamp, naming: Naming) -> Option<SpanEvent> {
    let most = if naming == Naming::GenAi { SAID_GEN_AI } else { SAID };
    let (name, key, text) = match kind {
        EventKind::Prompt(text) => ("user_prompt", "prompt", text.decode()),
        EventKind::Command(text) => ("user_command", "command", text.decode()),
        EventKind::Message(text) => ("assistant_response", "text", text.decode()),
        EventKind::Decision(text) => ("decision", "decision", text.decode()),
        EventKind::File(file) => {
            let name = match file.access {
                Access::Read => "file_read",
                Access::Write => "file_write",
                Access::Delete => "file_delete",
            };
            (name, "path", beginning(&file.target, NAME))
        }
        EventKind::Hook { command } => ("hook", "command", beginning(command, NAME)),
        EventKind::End(ending) => return Some(end(ending, at)),
        _ => return None,
    };
    let mut attributes = Attributes::default();
    attributes.text(key, beginning(&text, most));
    Some(event(name, at, attributes))
}

fn end(ending: &Ending<'_>, at: Stamp) -> SpanEvent {
    let mut attributes = Attributes::default();
    attributes.text_if_any("status", ending.status.as_deref().map(|text| beginning(text, NAME)).as_deref());
    attributes.text_if_any("reason", ending.reason.as_deref().map(|text| beginning(text, NAME)).as_deref());
    event("session_end", at, attributes)
}

/// A result of a call that the log does not hold.
pub(super) fn orphan(text: Option<&str>, at: Stamp) -> SpanEvent {
    let mut attributes = Attributes::default();
    attributes.text_if_any("text", text.map(|text| beginning(text, SAID)).as_deref());
    event("tool_result", at, attributes)
}

/// What failed outside of any call.
pub(super) fn failure(failed: &Failed, at: Stamp) -> SpanEvent {
    failed.exception(at.nanos)
}

/// A request to the model, where it has no span.
pub(super) fn request(request: &Request, agent: &str, at: Stamp) -> SpanEvent {
    event("llm_response", at, requests::described(request, agent))
}
