//! Takes over from the agent's own log how calls ended, where no step says it: its user refused one, or one failed.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::Deserialize;

use super::record::{OWN, key, refused};
use agent_strace_model::{Session, Status};
use agent_strace_store::StoreError;
use agent_strace_store::live::{Fact, Live, Note, Pending};

/// Records what the agent's own logs say of the calls of the session `id` and its sub-agents beyond the steps. Whoever may
/// write these logs may write anything into them, so a step that still says how a call ended is heard.
pub fn settle<'l, 'a: 'l>(
    live: &mut Live,
    logged: impl Iterator<Item = &'l Session<'a>> + Clone,
    id: &str,
    time: Timestamp,
) -> Result<(), StoreError> {
    for session in logged.clone().filter(|session| session.id == id) {
        for (pending, tool) in settled(live.pending(), session) {
            refused(live, &pending, &tool, "refused, as the agent's own log says", time)?;
        }
    }
    let failed = failed(logged, id);
    if failed.is_empty() {
        return Ok(());
    }
    for call in RecordedCalls::read(&live.text()?).not_failed(&failed) {
        call.fail(live, time)?;
    }
    Ok(())
}

/// A call, as the log of its agent names it: the sub-agent that made it, and its id.
type Name = (Option<String>, String);

/// The calls that failed. Where several have one name, it is not known which of them did.
fn failed<'l, 'a: 'l>(logged: impl Iterator<Item = &'l Session<'a>>, id: &str) -> BTreeSet<Name> {
    let mut found: BTreeMap<Name, (Status, usize)> = BTreeMap::new();
    for session in logged {
        let agent = (session.id != id).then_some(session.id.as_ref());
        for (_, call) in session.calls() {
            let Some(call_id) = &call.call_id else { continue };
            let agent = call.subagent.as_deref().or(agent).map(str::to_owned);
            let (status, count) = found.entry((agent, call_id.clone().into_owned())).or_insert((call.status, 0));
            (*status, *count) = (call.status, *count + 1);
        }
    }
    let failed = found.into_iter().filter(|(_, found)| *found == (Status::Error, 1));
    failed.map(|(name, _)| name).collect()
}

/// The calls of a recording, in their order, and what is recorded of their ends.
#[derive(Default)]
struct RecordedCalls {
    calls: Vec<RecordedCall>,
    /// The indices of the calls by their events, and by their names.
    events: BTreeMap<String, usize>,
    names: BTreeMap<Name, Vec<usize>>,
}

struct RecordedCall {
    event: String,
    id: String,
    tool: String,
    /// The last record of its end says that it failed, or was refused.
    has_failed: bool,
}

impl RecordedCalls {
    fn read(recorded: &[u8]) -> Self {
        let mut calls = Self::default();
        for line in recorded.split(|byte| *byte == b'\n') {
            // A line that can't be read is damage, which readers of the recording report.
            let Ok(line) = serde_json::from_slice::<Line>(line) else { continue };
            match (line.event_type.as_str(), line.data.tool_use_id, line.parent_id) {
                ("tool_call", Some(id), _) => {
                    let at = calls.calls.len();
                    calls.events.insert(line.event_id.clone(), at);
                    calls.names.entry((line.data.agent_id, id.clone())).or_default().push(at);
                    let tool = line.data.tool_name.unwrap_or_default();
                    calls.calls.push(RecordedCall { event: line.event_id, id, tool, has_failed: false });
                }
                (kind @ ("tool_result" | "error"), _, Some(event)) => {
                    if let Some(call) = calls.events.get(&event).and_then(|at| calls.calls.get_mut(*at)) {
                        call.has_failed = kind == "error";
                    }
                }
                _ => {}
            }
        }
        calls
    }

    fn not_failed(&self, failed: &BTreeSet<Name>) -> impl Iterator<Item = &RecordedCall> {
        let places = failed.iter().filter_map(|name| match self.names.get(name)?.as_slice() {
            [at] => Some(*at),
            _ => None,
        });
        let places: BTreeSet<usize> = places.collect();
        places.into_iter().filter_map(|at| self.calls.get(at)).filter(|call| !call.has_failed)
    }
}

impl RecordedCall {
    fn fail(&self, live: &mut Live, time: Timestamp) -> Result<(), StoreError> {
        let json = |text: &str| serde_json::Value::from(text).to_string();
        let (tool, id) = (json(&self.tool), json(&self.id));
        let message = r#""failed, as the agent's own log says""#;
        let note = Note {
            event_type: "error",
            kind: Some("outcome"),
            // The log does not say how long the call took.
            since: Some((&self.event, f64::NAN)),
            data: &[("tool_name", &tool), ("tool_use_id", &id), ("message", message)],
            recorded: &[("status", r#""error""#), ("is_error", "true")],
        };
        live.append(time, &Fact::Note(note)).map(|_| ())
    }
}

/// The fields of a line that name a call and how it ended.
#[derive(Deserialize)]
struct Line {
    event_type: String,
    event_id: String,
    parent_id: Option<String>,
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    tool_use_id: Option<String>,
    tool_name: Option<String>,
    agent_id: Option<String>,
}

/// Calls without a result that the agent's log has as refused, by their ids, or by what they are where they have none.
fn settled(pending: &[Pending], session: &Session<'_>) -> Vec<(Pending, String)> {
    let denied = session.calls().filter(|(_, call)| call.status == Status::Denied);
    let mut denied: Vec<(&str, String, &str)> = denied
        .map(|(_, call)| {
            (call.call_id.as_deref().unwrap_or_default(), key(&call.tool, &call.arguments), call.tool.as_ref())
        })
        .collect();
    let find = |pending: &Pending| {
        let by_id = denied.iter().position(|(id, ..)| *id == pending.call);
        let own = pending.call.starts_with(OWN);
        let at = by_id.or_else(|| denied.iter().position(|(_, key, _)| own && *key == pending.key))?;
        let (_, _, tool) = denied.swap_remove(at);
        Some((pending.clone(), tool.to_owned()))
    };
    pending.iter().filter(|pending| pending.is_open() && !pending.is_refused).filter_map(find).collect()
}
