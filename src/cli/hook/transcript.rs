//! What only the agent's own log tells: that its user refused a call, and what its answers cost. The step before a call
//! comes before its user is asked, and no step tells of a refusal or of usage.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use super::subagent_logs::SubagentLogs;
use agent_strace_ingest::{Log, Reading};
use agent_strace_live::hook_events::{self, HookEvent, OwnLog, Quiet, What};
use agent_strace_model::Session;
use agent_strace_secrets::redact;
use agent_strace_store::StoreError;
use agent_strace_store::live::Live;

/// The agent is not made to wait for longer logs: calls without a result stay without one, and count as run.
const LARGEST: u64 = 64 << 20;
/// The same of the logs of sub-agents together.
const LARGEST_TOGETHER: usize = 128 << 20;
/// The agent is not made to wait for its own last answer where its log takes long to be read.
const LARGEST_AGAIN: usize = 8 << 20;
/// Logs of sub-agents of one session.
const MOST: usize = 200;
/// Some agents write their last answer down after they told of it.
const PATIENCE: usize = 5;
const PAUSE: Duration = Duration::from_millis(40);

/// Looks into the agent's own log when the agent waits or ends.
pub(super) fn catch_up(live: &mut Live, event: &HookEvent<'_>, time: Timestamp) -> Result<(), StoreError> {
    let quiet = match event.what {
        What::Prompt(_) => Quiet::Asked,
        What::Waits(_) | What::Ended(_) => Quiet::Answered,
        _ => return Ok(()),
    };
    let Some(path) = event.transcript.as_deref().map(Path::new) else { return Ok(()) };
    let Some(log) = whole(path, &event.session, quiet) else { return Ok(()) };
    let found = SubagentLogs::of(path, &event.session);
    let of_subagents = read_all(&found.paths);
    let is_all = found.is_complete && of_subagents.len() == found.paths.len();
    let readings: Vec<Reading<'_>> = std::iter::once(&log).chain(&of_subagents).map(Log::read).collect();
    let family = family(&readings, &event.session, &found.ids);
    let logged = readings.iter().flat_map(|reading| ours(reading, &family));
    hook_events::settle(live, logged, &event.session, time)?;
    let name = |log: &Log| redact(log.shown.rsplit(['/', '\\']).next().unwrap_or_default()).as_str().to_owned();
    let own = std::iter::once(&log).chain(&of_subagents).zip(&readings).map(|(log, reading)| OwnLog {
        name: name(log),
        sessions: ours(reading, &family).collect(),
        is_damaged: !reading.gaps.is_empty(),
    });
    let mut own: Vec<OwnLog<'_, '_>> = own.collect();
    let is_all = is_all && own.iter().all(|own| !own.sessions.is_empty());
    if let Some(main) = own.first_mut() {
        main.is_damaged |= !is_all;
    }
    hook_events::spend(live, &own, quiet, &|text| redact(text).as_str().to_owned(), time)
}

/// The ids of the session and its sub-agents, whose logs come after those of their parents. `named`: sub-agents by the
/// names of their logs.
fn family<'r>(readings: &'r [Reading<'_>], id: &'r str, named: &'r [String]) -> BTreeSet<&'r str> {
    let mut family: BTreeSet<&str> = named.iter().map(String::as_str).chain([id]).collect();
    for session in readings.iter().flat_map(|reading| &reading.sessions) {
        let parents = [&session.parent, &session.filed_under];
        if parents.into_iter().flatten().any(|parent| family.contains(parent.as_ref())) {
            family.insert(session.id.as_ref());
        }
    }
    family
}

fn ours<'r, 'a>(reading: &'r Reading<'a>, family: &BTreeSet<&str>) -> impl Iterator<Item = &'r Session<'a>> + Clone {
    reading.sessions.iter().filter(|session| family.contains(session.id.as_ref()))
}

/// The logs that are not too many and too large together.
fn read_all(paths: &[PathBuf]) -> Vec<Log> {
    let mut room = LARGEST_TOGETHER;
    let mut logs = Vec::new();
    for log in paths.iter().take(MOST).filter_map(|path| read(path)) {
        let Some(rest) = room.checked_sub(log.bytes().len()) else { break };
        room = rest;
        logs.push(log);
    }
    logs
}

/// The log, with the answer that the agent has just told of if it is written soon.
fn whole(path: &Path, id: &str, quiet: Quiet) -> Option<Log> {
    let mut log = read(path)?;
    let tries = if log.bytes().len() > LARGEST_AGAIN { 0 } else { PATIENCE };
    for _ in 0..tries {
        let is_own = |session: &&Session<'_>| session.id == id;
        let lacks = || log.read().sessions.iter().filter(is_own).any(hook_events::lacks_an_answer);
        if quiet == Quiet::Asked || !lacks() {
            break;
        }
        std::thread::sleep(PAUSE);
        log = read(path)?;
    }
    Some(log)
}

/// Nothing where it can't be read: it is not what is judged.
fn read(path: &Path) -> Option<Log> {
    let found = std::fs::metadata(path).ok()?;
    if !found.is_file() || found.len() > LARGEST {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(Log::new(path.display().to_string().replace('\\', "/"), bytes))
}
