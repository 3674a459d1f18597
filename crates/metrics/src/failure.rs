//! What failed, and what was tried again.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use super::ending;
use agent_strace_model::{Arguments, Event, EventKind, RawText, Session, Status, ToolCall, ToolResult};

/// Something that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub event: u32,
    /// The tool whose call failed; `None`: no call did, the model could not be asked or the session ended so.
    pub tool: Option<String>,
    /// The first line of what was said of it. Raw log text.
    pub said: Option<String>,
}

/// The same call again after it failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retry {
    pub event: u32,
    /// The call that failed.
    pub of: u32,
    pub tool: String,
    /// How often the same call had failed in a row by then.
    pub times: usize,
    pub failed: bool,
}

/// What makes two calls the same one: who calls which tool with what, and where.
type Same<'s> = (Option<&'s str>, &'s str, &'s str, Option<&'s str>);

fn same<'s>(call: &'s ToolCall<'_>) -> Option<Same<'s>> {
    let (Arguments::Json(text) | Arguments::Text(text)) = &call.arguments else { return None };
    Some((call.subagent.as_deref(), &call.tool, text, call.cwd.as_deref()))
}

/// An error that no call of the log carries. `last`: how the call before it ended.
fn is_lost<'s>(result: &ToolResult<'_>, last: Option<Status>, calls: impl FnOnce() -> &'s BTreeSet<&'s str>) -> bool {
    match result.call_id.as_deref() {
        Some(id) => !calls().contains(id),
        None => matches!(last, None | Some(Status::Ok | Status::Missing)),
    }
}

/// Everything that failed, and every call that was made again after it failed.
pub(super) fn failures(session: &Session<'_>) -> (Vec<Failure>, Vec<Retry>) {
    let (mut failures, mut retries) = (Vec::new(), Vec::new());
    let failed: BTreeSet<&str> = session.calls().filter_map(|(_, call)| failed_id(call)).collect();
    let told = session.events.iter().filter_map(result).filter(|(id, _)| failed.contains(id));
    let results: BTreeMap<&str, &RawText<'_>> = told.collect();
    // Calls that failed when they were last made: where, and how often in a row.
    let mut failing: BTreeMap<Same<'_>, (u32, usize)> = BTreeMap::new();
    // Most errors stand with their calls, and nobody asks.
    let ids = LazyCell::new(|| session.recorded_calls().filter_map(|(_, call)| call.call_id.as_deref()).collect());
    let mut last = None;
    for event in &session.events {
        match &event.kind {
            EventKind::Call(call) => {
                last = Some(call.status);
                let failed = call.status == Status::Error;
                if failed {
                    let said = call.call_id.as_deref().and_then(|id| results.get(id)).and_then(|text| first_line(text));
                    let tool = Some(call.tool.clone().into_owned());
                    failures.push(Failure { event: event.number, tool, said });
                }
                let Some(same) = same(call) else { continue };
                let before = failing.remove(&same);
                let times = before.map_or(0, |(_, times)| times);
                if let Some((of, times)) = before {
                    let tool = call.tool.clone().into_owned();
                    retries.push(Retry { event: event.number, of, tool, times, failed });
                }
                if failed {
                    failing.insert(same, (event.number, times + 1));
                }
            }
            EventKind::Copied(call) => last = Some(call.status),
            EventKind::Result(result) if result.is_error && is_lost(result, last, || &ids) => {
                let said = result.text.as_ref().and_then(first_line);
                failures.push(Failure { event: event.number, tool: None, said });
            }
            EventKind::Failure(text) => {
                failures.push(Failure { event: event.number, tool: None, said: first_line(text) });
            }
            EventKind::End(ending) if ending::failed(ending) => {
                let said = ending.reason.as_deref().or(ending.status.as_deref()).map(str::to_owned);
                failures.push(Failure { event: event.number, tool: None, said });
            }
            _ => {}
        }
    }
    (failures, retries)
}

fn failed_id<'s>(call: &'s ToolCall<'_>) -> Option<&'s str> {
    call.call_id.as_deref().filter(|_| call.status == Status::Error)
}

fn result<'s>(event: &'s Event<'_>) -> Option<(&'s str, &'s RawText<'s>)> {
    let EventKind::Result(result) = &event.kind else { return None };
    Some((result.call_id.as_deref()?, result.text.as_ref()?))
}

fn first_line(text: &RawText<'_>) -> Option<String> {
    text.decode().lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}
