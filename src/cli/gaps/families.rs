//! Sessions that belong together, and everything that hooks of this store decided about them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::super::failure::Failure;
use super::{Damage, Row};
use agent_strace_ingest::Log;
use agent_strace_live::hook_events::{self, Asked, Joined, LoggedSession};
use agent_strace_model::Session;
use agent_strace_store::live::{self, Decisions};

/// A session in an agent's own log.
pub(super) struct Logged {
    pub(super) agent: String,
    pub(super) source: String,
    session: LoggedSession,
}

impl Logged {
    pub(super) fn of(session: &Session<'_>) -> Self {
        let (agent, source) = (session.agent.clone().into_owned(), session.source.clone());
        Self { agent, source, session: LoggedSession::of(session) }
    }
}

/// A row for each session, in their order.
pub(super) fn rows(trace_dir: &Path, logged: &[Logged]) -> Result<Vec<Row>, Failure> {
    let mut rows: BTreeMap<usize, Row> = BTreeMap::new();
    for members in families(logged).into_values() {
        let joined = joined(trace_dir, logged, &members)?;
        rows.extend(members.into_iter().zip(joined));
    }
    Ok(rows.into_values().collect())
}

/// The places of sessions by the session that all the others descend from.
fn families(logged: &[Logged]) -> BTreeMap<(&str, &str), Vec<usize>> {
    let parents: BTreeMap<(&str, &str), &str> = logged
        .iter()
        .filter_map(|Logged { agent, session, .. }| Some(((&**agent, &*session.id), session.parent.as_deref()?)))
        .collect();
    let mut families: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (at, Logged { agent, session, .. }) in logged.iter().enumerate() {
        let mut first = session.id.as_str();
        let mut seen = BTreeSet::from([first]);
        while let Some(parent) = parents.get(&(&**agent, first)).filter(|parent| seen.insert(parent)) {
            first = parent;
        }
        families.entry((agent, first)).or_default().push(at);
    }
    families
}

fn joined(trace_dir: &Path, logged: &[Logged], members: &[usize]) -> Result<Vec<Row>, Failure> {
    let members: Vec<&Logged> = members.iter().filter_map(|at| logged.get(*at)).collect();
    let mut ids: BTreeSet<&str> = BTreeSet::new();
    for Logged { session, .. } in &members {
        ids.insert(&session.id);
        ids.extend(session.parent.as_deref());
        ids.extend(session.of_subagents.iter().map(String::as_str));
    }
    let mut asked = Vec::new();
    let mut damaged: BTreeMap<&str, Vec<Damage>> = BTreeMap::new();
    for id in ids {
        let Some(decisions) = live::decisions(trace_dir, id).map_err(|error| Failure::new(error.to_string()))? else {
            continue;
        };
        let found = decisions.damaged.iter().map(|(line, reason)| Damage { line: *line, reason });
        damaged.insert(id, found.collect());
        asked.extend(asked_in(trace_dir, id, decisions)?);
    }
    let sessions: Vec<&LoggedSession> = members.iter().map(|logged| &logged.session).collect();
    let family = hook_events::join(&sessions, &asked);
    let mut rows: Vec<Row> = Vec::new();
    for (logged, joined) in members.into_iter().zip(&family.sessions) {
        rows.push(row(logged, joined, damaged.remove(logged.session.id.as_str())));
    }
    // What no log of the family explains is shown once.
    let at = rows.iter().position(|row| row.is_root).unwrap_or_default();
    if let Some(row) = rows.get_mut(at) {
        row.unknown_calls = family.unknown;
        row.damaged.extend(damaged.into_values().flatten());
    }
    Ok(rows)
}

/// Each decision with the call that the hook recorded for it.
fn asked_in(trace_dir: &Path, id: &str, decisions: Decisions) -> Result<Vec<Asked>, Failure> {
    let bytes = live::recorded_events(trace_dir, id).map_err(|error| Failure::new(error.to_string()))?;
    let log = bytes.map(|bytes| Log::new(id, bytes));
    let reading = log.as_ref().map(Log::read);
    let recorded = reading.as_ref().and_then(|reading| reading.sessions.first());
    Ok(Asked::all(decisions, recorded))
}

/// `damaged`: the damage of its own log of decisions, where there is one.
fn row(logged: &Logged, joined: &Joined, damaged: Option<Vec<Damage>>) -> Row {
    let Logged { agent, source, session } = logged;
    Row {
        id: super::shown(&session.id),
        agent: super::shown(agent),
        source: super::shown(source),
        enforced: damaged.is_some() || joined.asked > 0,
        ran: joined.ran,
        decided: joined.decided,
        unknown_calls: 0,
        damaged: damaged.unwrap_or_default(),
        lapses: joined.unhooked.iter().map(super::past).collect(),
        is_root: session.parent.is_none(),
    }
}
