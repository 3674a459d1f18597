//! Which session is watched.

use std::path::{Path, PathBuf};

use super::super::super::failure::Failure;
use super::super::super::pipeline::select_failure;
use agent_strace_ingest::discover::{self, Selection};

/// The one that was asked for, else the one that runs, else the latest.
pub(super) fn session(trace_dir: &Path, request: Option<&str>) -> Result<Option<PathBuf>, Failure> {
    let failure = |error| select_failure(&error);
    if let Some(request) = request {
        let found = discover::session_folder(trace_dir, request).map_err(failure)?;
        return found.map(Some).ok_or_else(|| {
            Failure::new(format!("no session `{request}` in the trace store"))
                .hint("`agent-strace list` shows the sessions in the store")
        });
    }
    let active = std::fs::read_to_string(trace_dir.join(".active-session")).unwrap_or_default();
    if let Some(folder) = discover::session_folder(trace_dir, active.trim()).map_err(failure)? {
        return Ok(Some(folder));
    }
    let found = discover::select_in(trace_dir, Path::new("."), &[], Selection::Latest).map_err(failure)?;
    let last = found.sources.iter().rev().find(|source| source.entry.is_some());
    Ok(last.and_then(|source| Path::new(&source.shown).parent().map(Path::to_path_buf)))
}

/// Nothing could be done to it.
pub(super) fn no_process(folder: &Path) -> Failure {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Failure::new(format!("`{name}` has no process that could be stopped: its hook recorded none, or it is gone"))
        .hint("`--pid PID` names the agent's process")
        .hint("`agent-strace guard -- CMD` starts the agent itself, and `--dry-run` only says what would be done")
}
