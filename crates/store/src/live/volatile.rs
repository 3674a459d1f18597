//! Files that recorders keep in a store and that are no part of any session.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use super::super::disk;

const IGNORE: &str = ".gitignore";
/// Sessions are committed with the work, often by `git add -A`. The file keeps itself out, too: every clone gets its own.
const TEXT: &str = "\
# Written by agent-strace: these files are no part of any session.
/.gitignore
/.active-session*
/.pending-calls.json
/.pause-request
/.store.lock
.*.tmp
";

/// Keeps files that change with every session out of commits. A file that is there already stays as it is, and a store that
/// can't take the file still records.
pub(super) fn keep_out_of_commits(store: &Path) {
    let path = store.join(IGNORE);
    // The top of a repository has an ignore file of its user's.
    let is_top = || store.join(".git").symlink_metadata().is_ok();
    if path.symlink_metadata().is_ok() || is_top() {
        return;
    }
    if let Ok(mut file) = disk::private_file().open(&path)
        && file.write_all(TEXT.as_bytes()).is_err()
    {
        // Half of it would keep the rest from being written the next time.
        let _ = fs::remove_file(&path);
    }
}
