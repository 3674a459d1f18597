//! Logs that stop before their end.
//!
//! Most formats mark no end, and a session that still runs has none yet. What a run prints is another thing: its last record
//! says how the run ended, so that a log without it lacks an unknown number of calls.

use crate::gaps::Gaps;
use agent_strace_model::dialect::Ends;
use agent_strace_model::{Arguments, Event, EventKind, GapKind, Session, Status, ToolCall};

/// The text of a gap about a printed log.
pub(crate) const CUT: &str = "the output stops before the record that ends it: the run was cut off or still goes on; judge it once more when it has ended";

/// Notes what runs printed without an end, or after it. One record by itself is not the output of a run.
pub(crate) fn look(sessions: &[Session<'_>], gaps: &mut Gaps) {
    let stops =
        |session: &Session<'_>| !session.is_imported && session.dialect.ends == Ends::Printed && goes_on(session);
    if gaps.records() > 1 && sessions.iter().any(stops) {
        gaps.push(None, GapKind::missing(CUT));
    }
}

/// Something stands after the last end. Events need not be in the order of the records that tell of them, and one line may
/// hold all records.
fn goes_on(session: &Session<'_>) -> bool {
    let is_work = |event: &Event<'_>| {
        event.call().is_some() || matches!(event.kind, EventKind::Start | EventKind::Message(_) | EventKind::Result(_))
    };
    let is_end = |event: &Event<'_>| matches!(event.kind, EventKind::End(_));
    let at = |event: &Event<'_>| (event.line, event.origin.row);
    let last = |is: &dyn Fn(&Event<'_>) -> bool| session.events.iter().filter(|event| is(event)).map(at).max();
    last(&is_work) > last(&is_end)
}

/// No end is recorded, and a call of the session is the last thing that happened: its outcome is not known.
///
/// `in_revision`: the log was read from a commit. A recording that an agent commits itself always ends in the call that commits
/// it, so that call is no gap there. Elsewhere its result would be in the log.
pub(crate) fn stops_in_a_call(session: &Session<'_>, in_revision: bool) -> bool {
    let said = session.events.iter().rev().take_while(|event| {
        !matches!(event.kind, EventKind::End(_) | EventKind::Message(_) | EventKind::Prompt(_) | EventKind::Failure(_))
    });
    let has_ended = session.events.iter().any(|event| matches!(event.kind, EventKind::End(_)));
    let mut calls = said.filter_map(Event::call).enumerate();
    let may_commit = |back: usize, call: &ToolCall<'_>| in_revision && back == 0 && commits(call);
    !has_ended && calls.any(|(back, call)| call.status == Status::Missing && !may_commit(back, call))
}

/// One of the commands in the arguments is `git commit`.
fn commits(call: &ToolCall<'_>) -> bool {
    let (Arguments::Json(text) | Arguments::Text(text)) = &call.arguments else { return false };
    text.replace("\\n", ";").split([';', '|', '&', '(', '"', '\'', '`', '\n']).any(is_commit)
}

/// `git -C . commit -m x`
fn is_commit(command: &str) -> bool {
    let mut words = command.split_whitespace().skip_while(|word| word.contains('='));
    if words.next().and_then(|word| word.rsplit('/').next()) != Some("git") {
        return false;
    }
    while let Some(word) = words.next() {
        match word {
            "-C" | "-c" => _ = words.next(),
            _ if word.starts_with('-') => {}
            _ => return word == "commit",
        }
    }
    false
}
