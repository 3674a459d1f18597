//! Names that are no paths and no commands: of servers, tools and agents.

use super::glob::Glob;

/// A name with `*` and `?`.
#[derive(Debug, Clone)]
pub(super) struct NamePattern {
    exact: Glob,
    folded: Glob,
}

impl NamePattern {
    pub(super) fn new(text: &str) -> Self {
        Self { exact: Glob::fnmatch(text), folded: Glob::fnmatch(&fold(text)) }
    }

    /// As an allow reads it.
    pub(super) fn is(&self, name: &str) -> bool {
        self.exact.matches(name)
    }

    /// As a deny reads it: hosts of agents spell names differently (`linear-server`, `linear_server`).
    pub(super) fn may_be(&self, name: &str) -> bool {
        self.exact.matches(name) || self.folded.matches(&fold(name))
    }
}

fn fold(name: &str) -> String {
    let same = |character: char| if matches!(character, '-' | '.' | ' ' | ':') { '_' } else { character };
    name.chars().flat_map(char::to_lowercase).map(same).collect()
}
