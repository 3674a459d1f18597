//! Which MCP servers sessions used.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::pipeline::Inputs;
use agent_strace_effects::{Kind, Roots, Tracker};
use agent_strace_ingest::discover::Selection;
use agent_strace_model::{Gap, GapKind, Session};

/// Server → its tools.
pub(super) type Used = BTreeMap<String, BTreeSet<String>>;

/// Where a work tree keeps the sessions that were recorded in it.
const STORE: &str = ".agent-traces";

/// Of the sessions that were named.
pub(super) fn named(sessions: &[String], environment: Environment) -> Result<(Used, Vec<Gap>), Failure> {
    if sessions.is_empty() {
        return Ok((Used::new(), Vec::new()));
    }
    let inputs = Inputs::select(Path::new(STORE), sessions, Selection::All, environment, &mut std::io::empty())?;
    if inputs.is_empty() {
        // Whoever names sessions wants them to be held against what is declared.
        let kind = GapKind::NoSession("no session was found there".into());
        return Ok((Used::new(), vec![Gap::of_file(sessions.join(", "), kind)]));
    }
    Ok(of(inputs))
}

/// Of those that lie in a work tree; `None`: there are none.
pub(super) fn in_worktree(path: &Path) -> Result<Option<(Used, Vec<Gap>)>, String> {
    let store = path.join(STORE);
    if !store.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        return Ok(None);
    }
    let inputs = Inputs::select(&store, &[], Selection::All, Environment::default(), &mut std::io::empty());
    let inputs = inputs.map_err(|_| format!("the sessions in `{STORE}` can't be read"))?;
    Ok((!inputs.is_empty()).then(|| of(inputs)))
}

fn of(inputs: Inputs) -> (Used, Vec<Gap>) {
    let (parts, mut gaps) = inputs.each(|reading| {
        let mut used = Used::new();
        for session in &reading.sessions {
            servers(session, &mut used);
        }
        (used, reading.gaps)
    });
    let mut all = Used::new();
    for (used, more) in parts {
        gaps.extend(more);
        for (server, tools) in used {
            all.entry(server).or_default().extend(tools);
        }
    }
    (all, gaps)
}

fn servers(session: &Session<'_>, used: &mut Used) {
    let mut tracker = Tracker::new(session, &Roots::only(session.root.as_deref()));
    for event in &session.events {
        for effect in &tracker.effects(event) {
            if let Kind::Tool { server: Some(server), tool } = &effect.kind {
                used.entry(server.clone()).or_default().insert(tool.clone());
            }
        }
    }
}
