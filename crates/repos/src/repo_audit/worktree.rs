//! Files that lie in the work tree and are not committed like that.

use std::collections::HashSet;
use std::fs;
use std::io::Read as _;
use std::path::Path;

/// Folders below the top.
const MAX_DEPTH: usize = 32;
/// Files that are looked at; a work tree that holds more is not looked through to its end.
const MAX_FILES: usize = 200_000;

/// What is looked for, and where.
pub(super) struct Walk<'w> {
    pub(super) top: &'w Path,
    /// Paths that HEAD has.
    pub(super) committed: &'w HashSet<Vec<u8>>,
    /// Whether git ignores a path, so that it is none of the repository's business.
    pub(super) is_ignored: &'w dyn Fn(&Path) -> bool,
    /// Whether a path is one that a tool leaves: that counts, ignored or not.
    pub(super) is_trace: &'w dyn Fn(&str) -> bool,
    /// Whether a path is worth a look.
    pub(super) is_wanted: &'w dyn Fn(&str) -> bool,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// From the top, sorted. Committed or not.
    pub(super) paths: Vec<String>,
    /// Why not all was looked at.
    pub(super) gaps: Vec<String>,
    files: usize,
}

impl Walk<'_> {
    pub(super) fn run(&self) -> Found {
        let mut found = Found::default();
        self.folder(self.top, "", 0, &mut found);
        found.paths.sort();
        found
    }

    fn folder(&self, folder: &Path, above: &str, depth: usize, found: &mut Found) {
        let Ok(entries) = fs::read_dir(folder) else {
            found.gaps.push(format!("the folder `{above}` can't be read"));
            return;
        };
        for entry in entries {
            let Ok(entry) = entry else {
                found.gaps.push(format!("the folder `{above}` can't be read to its end"));
                return;
            };
            // A name that is not UTF-8 is no trace of any tool.
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = if above.is_empty() { name.clone() } else { format!("{above}/{name}") };
            let Ok(kind) = entry.file_type() else {
                found.gaps.push(format!("`{path}` can't be looked at"));
                continue;
            };
            // Links are not followed: what they name lies elsewhere, or is found where it lies.
            if kind.is_dir() && name != ".git" {
                self.below(&entry.path(), &path, depth, found);
            } else if kind.is_file() {
                self.file(&path, found);
            }
        }
    }

    fn below(&self, folder: &Path, path: &str, depth: usize, found: &mut Found) {
        // Another repository, a submodule among them, is swept for itself.
        if folder.join(".git").symlink_metadata().is_ok() {
            return;
        }
        if depth >= MAX_DEPTH || found.files >= MAX_FILES {
            found.gaps.push(format!("the work tree is not looked at below `{path}`: it is too deep or too large"));
        // Folders of agents are ignored in many work trees, by a rule of their user's own.
        } else if !(self.is_ignored)(Path::new(path)) || (self.is_trace)(&format!("{path}/any")) {
            self.folder(folder, path, depth + 1, found);
        }
    }

    fn file(&self, path: &str, found: &mut Found) {
        found.files += 1;
        let is_committed = self.committed.contains(path.as_bytes());
        if (self.is_wanted)(path) && (is_committed || (self.is_trace)(path) || !(self.is_ignored)(Path::new(path))) {
            found.paths.push(path.to_owned());
        }
    }
}

/// The bytes of a file that is not too large; `None`: it is, or it is no plain file any more.
pub(super) fn read(path: &Path, limit: u64) -> Option<Vec<u8>> {
    let found = path.symlink_metadata().ok().filter(|found| found.is_file() && found.len() <= limit)?;
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(limit.max(found.len())).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
