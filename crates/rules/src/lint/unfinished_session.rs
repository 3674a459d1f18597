//! A session that did not come to its end.

use super::context::LintContext;
use super::lint;
use crate::Hit;
use agent_strace_metrics::Ended;
use agent_strace_model::{Event, EventKind, RecordRole, Status};
use agent_strace_secrets::redact;

lint!(
    UNFINISHED_SESSION = LintUnfinishedSession,
    "unfinished-session",
    Warning,
    "the session broke off, was stopped or failed",
    [],
    look
);

/// What Claude Code writes in the user's place.
const INTERRUPTED: &str = "[Request interrupted";

fn look(context: &LintContext<'_>, hits: &mut Vec<Hit>) {
    let session = context.session();
    if session.events.is_empty() || !session.dialect.carries.acts() {
        return;
    }
    let end = session.events.iter().rev().find(|event| matches!(event.kind, EventKind::End(_)));
    let last = session.events.last().map_or(0, |event| event.number);
    let goes_on = |end: &Event<'_>| session.events.iter().any(|event| event.number > end.number && is_work(event));
    match (&context.log.measured.ended(), end) {
        (Ended::Recorded { failed, status, reason }, Some(end)) if !goes_on(end) => {
            if *failed {
                let why = status.iter().chain(reason).map(|words| short(words)).collect::<Vec<_>>().join(", ");
                let why = if why.is_empty() { "its record says that it failed".to_owned() } else { why };
                hits.push(context.hit(end.number..=end.number, format!("the session ended badly: {why}"), Vec::new()));
            }
        }
        (Ended::Unfinished, _) => {
            let message = "the session has no recorded end: it was left, crashed, or still goes on".to_owned();
            hits.push(context.hit(last..=last, message, Vec::new()));
        }
        (Ended::Recorded { .. }, None) => {}
        (Ended::Recorded { .. }, Some(_)) | (Ended::Untold, _) => {
            let last = session.events.iter().rev().find(|event| is_told(context, event));
            if let Some((event, why)) = last.and_then(|event| Some((event, broken_off(context, event)?))) {
                let message = format!("the session broke off: {why}");
                hits.push(context.hit(event.number..=event.number, message, Vec::new()));
            }
        }
    }
}

/// A piece of log text in one line. Half of a secret is one that no redaction knows: the cut comes last.
fn short(text: &str) -> String {
    let line = redact(text.split_whitespace().collect::<Vec<_>>().join(" "));
    format!("`{}`", line.as_str().chars().take(120).collect::<String>())
}

fn is_work(event: &Event<'_>) -> bool {
    event.call().is_some() || matches!(event.kind, EventKind::Prompt(_) | EventKind::Message(_))
}

/// Whether an event is one that something has to come after, or that is an end.
fn is_told(context: &LintContext<'_>, event: &Event<'_>) -> bool {
    let speaks = matches!(
        event.kind,
        EventKind::Prompt(_)
            | EventKind::Message(_)
            | EventKind::Reasoning(_)
            | EventKind::Call(_)
            | EventKind::Copied(_)
            | EventKind::Result(_)
            | EventKind::Failure(_)
    );
    speaks && event.origin.role == RecordRole::Primary && context.is_main(event)
}

fn broken_off(context: &LintContext<'_>, last: &Event<'_>) -> Option<String> {
    match &last.kind {
        EventKind::Prompt(text) if text.decode().starts_with(INTERRUPTED) => Some("its user stopped it".to_owned()),
        EventKind::Failure(text) => Some(format!("its last record is a failure, {}", short(&text.decode()))),
        EventKind::Call(call) | EventKind::Copied(call) if call.status == Status::Missing => {
            Some("its last record is a call without a result".to_owned())
        }
        EventKind::Result(_) => {
            let denied = context
                .calls
                .list
                .last()
                .is_some_and(|call| call.was_refused() || call.call.status == Status::Interrupted);
            Some(
                if denied {
                    "its last call was refused or stopped"
                } else {
                    "the model never answered the last result"
                }
                .to_owned(),
            )
        }
        _ => None,
    }
}
