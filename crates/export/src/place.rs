//! Where a path pattern of a settings file counts from, and whether it names a path.

use regex::Regex;

use super::matching;
use super::paths::Start;

/// A pattern as `.gitignore` has them, with its start.
#[derive(Debug, Clone)]
pub(crate) struct PathMatcher {
    start: Start,
    pattern: Regex,
}

impl PathMatcher {
    pub(crate) fn new(start: Start, pattern: Regex) -> Self {
        Self { start, pattern }
    }

    pub(crate) fn is_match(&self, path: &str, root: &str) -> bool {
        let path = matching::absolute(path, root);
        let below = match self.start {
            Start::Absolute => path.strip_prefix('/'),
            Start::Home => at_home(&path),
            Start::Root | Start::Anywhere => path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')),
        };
        below.is_some_and(|below| self.pattern.is_match(below))
    }
}

pub(crate) fn is_inside(path: &str, root: &str) -> bool {
    let path = matching::absolute(path.trim_matches(['"', '\'']), root);
    path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn at_home(path: &str) -> Option<&str> {
    if let Some(below) = path.strip_prefix("~/").or_else(|| path.strip_prefix("/root/")) {
        return Some(below);
    }
    let user = path.strip_prefix("/home/").or_else(|| path.strip_prefix("/Users/"))?;
    user.split_once('/').map(|(_, below)| below)
}
