//! Where a call runs and what earlier calls of the session left behind.

use std::collections::BTreeMap;

use super::{Certainty, PathTarget};

/// The session's file system as far as the log proves it.
#[derive(Debug, Clone)]
pub(crate) struct World {
    /// Absolute, normalised; `None` when the log recorded no working directory.
    root: Option<String>,
    /// Absolute, normalised; `None` when unknown (`cd "$D"`).
    cwd: Option<String>,
    /// Names that stand for other files: alias → original, both as [`PathTarget::path`].
    aliases: BTreeMap<String, Vec<String>>,
    /// Files written earlier in the session: path → content where it is known.
    written: BTreeMap<String, Option<String>>,
}

impl World {
    pub(crate) fn new(root: Option<&str>) -> Self {
        let root = root.map(str::to_owned);
        Self { cwd: root.clone(), root, aliases: BTreeMap::new(), written: BTreeMap::new() }
    }

    pub(crate) fn cwd(&self) -> Option<&str> {
        self.cwd.as_deref()
    }

    /// `None`: the directory is not known from here on.
    pub(crate) fn set_cwd(&mut self, cwd: Option<String>) {
        self.cwd = cwd;
    }

    /// Resolves a path as written (`src/../x`, `~/x`, `/repo/x`, `C:\x`, `file:///x`) against the working directory.
    /// An unknown directory makes a relative path a pattern.
    pub(crate) fn locate(&self, text: &str, certainty: Certainty) -> (PathTarget, Certainty) {
        (PathTarget::new(text), certainty)
    }

    /// From now on `alias` is another name for `original`'s content.
    pub(crate) fn link(&mut self, alias: &PathTarget, original: &PathTarget) {
        self.aliases.entry(alias.path.clone()).or_default().push(original.path.clone());
    }

    /// The call wrote `target`; `content` where it is known.
    pub(crate) fn wrote(&mut self, target: &PathTarget, content: Option<&str>) {
        self.written.insert(target.path.clone(), content.map(str::to_owned));
    }

    /// `None`: not written in this session. `Some(None)`: written, content not known.
    pub(crate) fn written(&self, target: &PathTarget) -> Option<Option<&str>> {
        self.written.get(&target.path).map(Option::as_deref)
    }
}
