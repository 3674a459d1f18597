//! The files that a call names, to look up what a host says that the call changed.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

use super::paths::{is_rooted, is_same, plain};

/// Names are found by so many of their last parts.
const PARTS: usize = 32;

/// Names that are not found by their parts are compared with all, so many times over.
const PASSES: usize = 64;

/// The names of files, found by their ends: calls name many files, and hosts tell of as many.
pub(super) struct Named<'s> {
    cwd: Option<&'s str>,
    names: Vec<&'s str>,
    /// The ends of all names, hashed: the first name that ends so.
    by_end: HashMap<u64, usize>,
    hasher: RandomState,
    /// Bytes of names that may still be compared.
    left: usize,
}

impl<'s> Named<'s> {
    /// `cwd`: the directory that relative names count from.
    pub(super) fn new(cwd: Option<&'s str>, names: impl IntoIterator<Item = &'s str>) -> Self {
        let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
        let length: usize = names.iter().map(|name| name.len()).sum();
        let (by_end, hasher, left) = (HashMap::new(), RandomState::new(), length.saturating_mul(PASSES));
        let mut named = Self { cwd, names, by_end, hasher, left };
        for at in 0..named.names.len() {
            let Some(name) = named.names.get(at) else { continue };
            for end in named.ends(name) {
                named.by_end.entry(end).or_insert(at);
            }
        }
        named
    }

    /// Returns whether one of the names is this file's.
    pub(super) fn holds(&mut self, path: &str) -> bool {
        let mut found = self.ends(path).into_iter().filter_map(|end| self.names.get(*self.by_end.get(&end)?));
        if found.any(|name| is_same(self.cwd, name, path)) {
            return true;
        }
        for name in &self.names {
            let Some(left) = self.left.checked_sub(name.len().saturating_add(path.len())) else { return false };
            self.left = left;
            if is_same(self.cwd, name, path) {
                return true;
            }
        }
        false
    }

    /// The ends of a path, the longest first.
    fn ends(&self, path: &str) -> Vec<u64> {
        let whole = match self.cwd {
            Some(cwd) if !is_rooted(path) => plain(&format!("{cwd}/{path}")),
            _ => plain(path),
        };
        let starts: Vec<usize> = whole.rmatch_indices('/').map(|(at, _)| at + 1).take(PARTS).collect();
        let ends = starts.into_iter().rev().filter_map(|start| whole.get(start..));
        std::iter::once(&*whole).chain(ends).map(|end| self.hasher.hash_one(end)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Named;

    #[test]
    fn files_are_found_by_any_of_their_names() {
        for (cwd, name, path) in [
            (Some("/w"), "src/a", "/w/src/a"),
            (Some("/w"), "/w/src/a", "src/../src/a"),
            (Some("/w"), "~/key", "/home/ann/key"),
            (None, "src/a", "/home/ann/src/a"),
            (None, "/home/ann/src/a", "src/a"),
        ] {
            assert!(Named::new(cwd, ["x/key", "y/a", name]).holds(path), "{name} {path}");
        }
        assert!(!Named::new(Some("/w"), ["src/a", ""]).holds("/w/secrets/src/a"));
        assert!(!Named::new(None, []).holds("a"));
    }

    #[test]
    fn many_names_are_read_in_one_pass() {
        let names: Vec<String> = (0..5_000).map(|at| format!("d{at}/f")).collect();
        let mut named = Named::new(Some("/w"), names.iter().map(String::as_str));
        assert!((0..5_000).all(|at| named.holds(&format!("/w/d{at}/f"))));
        assert!(!(0..5_000).any(|at| named.holds(&format!("/w/e{at}/f"))));
    }
}
