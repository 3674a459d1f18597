//! What only the agent's own log tells: that its user refused a call. The step before a call comes before its user is
//! asked, and of a refusal no step tells.

use std::fs::File;
use std::io::Read as _;

use jiff::Timestamp;

use agent_strace_ingest::Log;
use agent_strace_live::hook_events::{self, HookEvent, What};
use agent_strace_store::StoreError;
use agent_strace_store::live::Live;

/// Of a longer log the agent is not made to wait for: calls without a result stay without one, and count as run.
const LARGEST: u64 = 64 << 20;

/// Where the agent waits or ends, calls without a result are looked up.
pub(super) fn settle(live: &mut Live, event: &HookEvent<'_>, time: Timestamp) -> Result<(), StoreError> {
    let is_quiet = matches!(event.what, What::Prompt(_) | What::Waits(_) | What::Ended(_));
    let Some(path) = event.transcript.as_deref().filter(|_| is_quiet) else { return Ok(()) };
    if live.pending().iter().all(|pending| !pending.is_open() || pending.is_refused) {
        return Ok(());
    }
    let Some(bytes) = bytes(path) else { return Ok(()) };
    let log = Log::new(path, bytes);
    let reading = log.read();
    for session in reading.sessions.iter().filter(|session| session.id == event.session) {
        hook_events::settle(live, session, time)?;
    }
    Ok(())
}

/// Nothing where it can't be read: it is not what is judged.
fn bytes(path: &str) -> Option<Vec<u8>> {
    let found = std::fs::metadata(path).ok()?;
    if !found.is_file() || found.len() > LARGEST {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
