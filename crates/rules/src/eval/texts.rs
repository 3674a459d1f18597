//! Whether a text of a session says something.

use std::borrow::Cow;

use regex::Regex;

use super::Measurement;
use agent_strace_model::{Event, EventKind, Session};
use agent_strace_policy::config::evals::Texts;

/// Looks at the texts themselves, never at paths, ids or other keys of a record.
pub(super) fn found(pattern: &Regex, texts: Texts, session: &Session<'_>) -> Measurement {
    let (mut looked, mut found) = (0_usize, None);
    for event in &session.events {
        let Some(text) = text(event, texts) else { continue };
        looked += 1;
        if pattern.is_match(&text) {
            found = Some(event.number);
            break;
        }
    }
    match (found, looked) {
        (Some(event), _) => Measurement::new(1.0, format!("found in event {event}")).at(found),
        (None, 0) => Measurement::new(0.0, format!("the log holds no {}", name(texts))),
        (None, _) => Measurement::new(0.0, format!("not found in {looked} {}", name(texts))),
    }
}

fn text<'e>(event: &'e Event<'_>, texts: Texts) -> Option<Cow<'e, str>> {
    match (&event.kind, texts) {
        (EventKind::Prompt(_), Texts::Prompts) => Some(event.prompt()?.decode()),
        (EventKind::Message(text), Texts::Responses)
        | (EventKind::Failure(text), Texts::Errors)
        | (EventKind::Decision(text), Texts::Decisions) => Some(text.decode()),
        (EventKind::Result(result), Texts::Results) => Some(result.text.as_ref()?.decode()),
        (EventKind::Result(result), Texts::Errors) if result.is_error => Some(result.text.as_ref()?.decode()),
        _ => None,
    }
}

fn name(texts: Texts) -> &'static str {
    match texts {
        Texts::Responses => "responses",
        Texts::Prompts => "prompts",
        Texts::Results => "results of tools",
        Texts::Errors => "errors",
        Texts::Decisions => "decisions",
    }
}
