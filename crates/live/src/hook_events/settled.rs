//! Takes over from the agent's own log how calls ended, where no step says it: its user refused one, or one failed.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;

use super::record::{OWN, key, refused};
use agent_strace_model::{Session, Status};
use agent_strace_store::StoreError;
use agent_strace_store::live::{Answer, Fact, Live, Pending};

/// Records what the agent's own log says of the session's calls beyond the steps. Whoever may write that log may write
/// anything into it, so a step that says that a refused call ran is heard.
pub fn settle(live: &mut Live, session: &Session<'_>, time: Timestamp) -> Result<(), StoreError> {
    for (pending, tool) in settled(live.pending(), session) {
        refused(live, &pending, &tool, "refused, as the agent's own log says", time)?;
    }
    let failed = session.calls().filter(|(_, call)| call.status == Status::Error);
    let failed: BTreeMap<&str, &str> =
        failed.filter_map(|(_, call)| Some((call.call_id.as_deref()?, call.tool.as_ref()))).collect();
    if failed.is_empty() {
        return Ok(());
    }
    let unanswered = live.pending().iter().filter(|pending| pending.is_open() && !pending.is_refused);
    let unanswered =
        unanswered.filter_map(|pending| Some((pending.clone(), (*failed.get(&*pending.call)?).to_owned())));
    let unanswered: Vec<(Pending, String)> = unanswered.collect();
    let answered = failures(&live.text()?, &failed);
    for (call, tool) in unanswered.iter().chain(&answered) {
        let answer = Answer {
            call: Some(call),
            call_id: Some(&call.call),
            tool,
            status: Status::Error,
            // A step before it recorded the result.
            text: None,
            is_last: true,
        };
        live.append(time, &Fact::Answer(answer))?;
    }
    Ok(())
}

/// Calls that ended well as far as the steps say, and that the agent's log has as failed, in their order.
fn failures(recorded: &[u8], failed: &BTreeMap<&str, &str>) -> Vec<(Pending, String)> {
    let mut last: BTreeMap<(String, String), (usize, Recorded<'_>)> = BTreeMap::new();
    for (number, line) in recorded.split(|byte| *byte == b'\n').enumerate() {
        // A line that can't be read is damage, which readers of the recording report.
        let Ok(line) = serde_json::from_slice::<Recorded<'_>>(line) else { continue };
        let answers = matches!(line.event_type, "tool_result" | "error");
        let (Some(id), Some(event)) = (&line.data.tool_use_id, line.parent_id) else { continue };
        if answers && failed.contains_key(id.as_str()) {
            last.insert((id.clone(), event.to_owned()), (number, line));
        }
    }
    let mut ended: Vec<_> = last.into_iter().filter(|(_, (_, line))| line.event_type == "tool_result").collect();
    ended.sort_by_key(|(_, (number, _))| *number);
    let failure = |((call, event), (_, line)): ((String, String), (usize, Recorded<'_>))| {
        // The log does not say how long the call took.
        let pending = Pending { call, event, at: f64::NAN, is_answered: true, ..Pending::default() };
        (pending, line.data.tool_name.unwrap_or_default())
    };
    ended.into_iter().map(failure).collect()
}

/// A result, as it is recorded.
#[derive(Deserialize)]
struct Recorded<'a> {
    event_type: &'a str,
    parent_id: Option<&'a str>,
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    tool_use_id: Option<String>,
    tool_name: Option<String>,
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
