//! A session that did not come to its end.

use super::lint;
use super::scene::Scene;
use crate::model::dialect::Ends;
use crate::model::{Ending, Event, EventKind, Status, Telling};
use crate::rules::Hit;

lint!(UNFINISHED_SESSION, "unfinished-session", Warning, "the session broke off, was stopped or failed", [], look);

/// Words with which agents say that a run did not end well.
const BAD: &[&str] = &[
    "error",
    "fail",
    "kill",
    "timeout",
    "timed_out",
    "timed out",
    "abort",
    "cancel",
    "interrupt",
    "crash",
    "max_turns",
    "max_budget",
];

/// What Claude Code writes in the user's place.
const INTERRUPTED: &str = "[Request interrupted";

fn look(scene: &Scene<'_>, hits: &mut Vec<Hit>) {
    let session = scene.session();
    if session.events.is_empty() || !session.dialect.carries.acts() {
        return;
    }
    let ended = session.events.iter().rev().find_map(|event| match &event.kind {
        EventKind::End(ending) => Some((event, ending)),
        _ => None,
    });
    if let Some((event, ending)) = ended {
        let after = session.events.iter().any(|later| later.number > event.number && is_work(later));
        if !after {
            if let Some(why) = bad(ending) {
                hits.push(scene.hit(
                    (event.number, event.number),
                    format!("the session ended badly: {why}"),
                    Vec::new(),
                ));
            }
            return;
        }
    } else if session.dialect.ends == Ends::Marked && session.span.ended.is_none() {
        let last = session.events.last().map_or(0, |event| event.number);
        let message = "the session has no recorded end: it was left, crashed, or still goes on".to_owned();
        hits.push(scene.hit((last, last), message, Vec::new()));
        return;
    } else if session.dialect.ends == Ends::Marked {
        return;
    }
    let last = session.events.iter().rev().find(|event| is_told(scene, event));
    if let Some((event, why)) = last.and_then(|event| Some((event, broken_off(scene, event)?))) {
        hits.push(scene.hit((event.number, event.number), format!("the session broke off: {why}"), Vec::new()));
    }
}

fn bad(ending: &Ending<'_>) -> Option<String> {
    let said = [ending.status.as_deref(), ending.reason.as_deref()];
    let is_bad = |word: &&str| BAD.iter().any(|bad| word.to_lowercase().contains(bad));
    if let Some(word) = said.into_iter().flatten().find(is_bad) {
        let short: String = word.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(120).collect();
        return Some(format!("`{short}`"));
    }
    match ending.exit_code {
        Some(code) if code != 0 => Some(format!("exit code {code}")),
        _ if ending.is_error => Some("its record says that it failed".to_owned()),
        _ => None,
    }
}

fn is_work(event: &Event<'_>) -> bool {
    matches!(event.kind, EventKind::Call(_) | EventKind::Prompt(_) | EventKind::Message(_))
}

/// Whether an event is one that something has to come after, or that is an end.
fn is_told(scene: &Scene<'_>, event: &Event<'_>) -> bool {
    let speaks = matches!(
        event.kind,
        EventKind::Prompt(_)
            | EventKind::Message(_)
            | EventKind::Reasoning(_)
            | EventKind::Call(_)
            | EventKind::Result(_)
            | EventKind::Failure(_)
    );
    speaks && event.origin.telling == Telling::Told && scene.is_main(event)
}

fn broken_off(scene: &Scene<'_>, last: &Event<'_>) -> Option<String> {
    match &last.kind {
        EventKind::Prompt(text) if text.decode().starts_with(INTERRUPTED) => Some("its user stopped it".to_owned()),
        EventKind::Failure(text) => {
            let text = text.decode();
            let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(120).collect();
            Some(format!("its last record is a failure, `{line}`"))
        }
        EventKind::Call(call) if call.status == Status::Missing => {
            Some("its last record is a call without a result".to_owned())
        }
        EventKind::Result(_) => {
            let denied = scene
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
