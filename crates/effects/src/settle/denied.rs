//! The files that a policy forbids to read, and the lines of those that are committed.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::OnceLock;

use super::lines::{self, Lines};
use crate::{PathTarget, Repository};

/// Committed files that are compared with a line, and bytes of their contents.
const FILES: usize = 128;
const BYTES: usize = 1 << 20;

/// A policy, as far as it says which files may not be read.
pub trait ReadPolicy: fmt::Debug + Sync {
    fn denies_reading(&self, file: &PathTarget) -> bool;
}

/// The lines of the committed files that one policy forbids to read. They are read once a result asks for them.
#[derive(Debug, Default)]
pub struct DeniedLines(OnceLock<Lines>);

/// The files that a policy forbids to read.
#[derive(Debug, Clone, Copy)]
pub struct Denied<'p> {
    policy: &'p dyn ReadPolicy,
    repository: &'p Repository,
    lines: &'p DeniedLines,
}

impl<'p> Denied<'p> {
    /// `lines` belongs to this policy and this repository.
    pub fn new(policy: &'p dyn ReadPolicy, repository: &'p Repository, lines: &'p DeniedLines) -> Self {
        Self { policy, repository, lines }
    }

    pub(super) fn has(&self, file: &PathTarget) -> bool {
        self.policy.denies_reading(file)
    }

    fn has_tracked(&self, file: &str) -> bool {
        self.has(&PathTarget::new(file))
    }

    /// The lines of those that are committed.
    pub(super) fn lines(&self) -> &'p Lines {
        self.lines.0.get_or_init(|| {
            let mut lines = Lines::default();
            let Some(contents) = self.repository.contents() else { return lines };
            for (_, file) in self.repository.tracked_below("").filter(|(_, file)| self.has_tracked(file)) {
                for content in contents.of(file) {
                    lines.add(file, &String::from_utf8_lossy(&content));
                }
            }
            lines
        })
    }

    /// Removes the lines that stand in a committed file which may be read: in one of `first`, or in one of those that are the
    /// most like the file `near`. Where more files are left, a line that says little may stand in one of them, too.
    pub(super) fn remove_readable(&self, lines: &mut BTreeSet<&str>, first: &[&str], near: &str) {
        let Some(contents) = self.repository.contents() else { return };
        let tracked = self.repository.tracked_below("").map(|(_, file)| file);
        let mut others: Vec<&str> = tracked.filter(|file| !first.contains(file)).collect();
        others.sort_by_cached_key(|file| (Reverse(likeness(file, near)), *file));
        let mut left = BYTES;
        for (count, file) in first.iter().chain(&others).filter(|file| !self.has_tracked(file)).enumerate() {
            if count == FILES {
                return lines.retain(|line| lines::has_value(line));
            }
            for content in contents.of(file) {
                let Some(rest) = left.checked_sub(content.len()) else {
                    return lines.retain(|line| lines::has_value(line));
                };
                left = rest;
                for line in lines::long(&String::from_utf8_lossy(&content)) {
                    lines.remove(line);
                }
            }
            if lines.is_empty() {
                return;
            }
        }
    }
}

/// `.env.example` is like `.env` by its name, its directory, and its ending.
fn likeness(file: &str, other: &str) -> u8 {
    let parts = |path: &str| {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        [folder, name, stem, ending].map(str::to_owned)
    };
    let [folder, name, stem, ending] = parts(file);
    let [other_folder, other_name, other_stem, other_ending] = parts(other);
    let is_like = name.starts_with(&other_name)
        || other_name.starts_with(&name)
        || !stem.is_empty() && stem == other_stem
        || !other_stem.is_empty() && name.starts_with(&other_stem);
    u8::from(is_like) * 4 + u8::from(ending == other_ending) * 2 + u8::from(folder == other_folder)
}

#[cfg(test)]
mod tests {
    use super::likeness;

    #[test]
    fn files_of_like_names_come_first() {
        let order = [".env.example", "conf/.env.sample", "src/main.rs"];
        assert!(order.is_sorted_by_key(|file| std::cmp::Reverse(likeness(file, ".env"))));
        let order = ["conf/prod.example.yml", "conf/dev.yml", "ci.yml", "conf/a.rs", "src/a.rs"];
        assert!(order.is_sorted_by_key(|file| std::cmp::Reverse(likeness(file, "conf/prod.yml"))));
    }
}
