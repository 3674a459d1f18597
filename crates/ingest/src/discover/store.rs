//! Sessions of the native store by id.

use std::fs;
use std::path::{Path, PathBuf};

pub(super) const EVENTS: &str = "events.ndjson";
pub(super) const META: &str = "meta.json";
/// How far whoever recorded a session while it ran got.
pub(super) const RECORDER: &str = "recorder.json";
const WORKSPACES: &str = "workspaces";

/// Sessions whose id starts with `request`, sorted: `<store>/<id>` and `<store>/workspaces/<workspace>/<id>`.
pub(super) fn matching(trace_dir: &Path, request: &str) -> Vec<(String, PathBuf)> {
    if request.is_empty() || request.contains(['/', '\\']) || request.starts_with('.') {
        return Vec::new();
    }
    let mut found = sessions_in(trace_dir, request);
    for workspace in folders_in(&trace_dir.join(WORKSPACES)) {
        found.extend(sessions_in(&workspace, request));
    }
    found.sort();
    found
}

fn sessions_in(folder: &Path, prefix: &str) -> Vec<(String, PathBuf)> {
    let is_session = |path: &PathBuf| [EVENTS, META].iter().any(|name| path.join(name).symlink_metadata().is_ok());
    folders_in(folder)
        .into_iter()
        .filter_map(|path| Some((path.file_name()?.to_str()?.to_owned(), path)))
        .filter(|(id, path)| id.starts_with(prefix) && is_session(path))
        .collect()
}

/// What can't be listed holds no session that could be named; walking the store reports it.
fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}
