//! Files that lie beside logs without being logs.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::ingest::detect;

/// Names that writers of logs give to other files. A name alone proves nothing: see [`is_sidecar`].
const NAMES: &[&str] = &[
    "meta.json",
    "annotations.jsonl",
    "eval.json",
    "identity.json",
    "watchdog-postmortem.json",
    "settings.json",
    "settings.local.json",
    "rbac.json",
    "identities.json",
    "team_budgets.json",
    "baseline.json",
    "tenant-audit.ndjson",
    "tenant-deletions.ndjson",
];

/// A file with such a name that is larger than this is read like any log.
const MAX_LOOK: u64 = 4 << 20;

/// Whether logs have this extension. Everything else in a folder is not looked at.
pub(super) fn may_be_log(name: &str) -> bool {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    extension
        .is_some_and(|extension| ["jsonl", "ndjson", "json"].iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

/// Whether a file is named like a companion of logs and does not hold a log: nothing hides behind a name.
pub(super) fn is_sidecar(name: &str, path: &Path, root: &Path) -> bool {
    let below = path.strip_prefix(root).unwrap_or(path);
    let hidden = below.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'));
    let named = hidden
        || NAMES.contains(&name)
        || name.ends_with(".settings.json")
        || name.ends_with(".meta.json")
        || path.parent().and_then(Path::file_name).is_some_and(|folder| folder == "datasets");
    named && !holds_log(path)
}

/// What can't be read counts as a log, so that reading it becomes a gap.
fn holds_log(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_LOOK + 1).read_to_end(&mut head));
    match read {
        Ok(length) => length as u64 > MAX_LOOK || detect::is_log(&head),
        Err(_) => true,
    }
}
