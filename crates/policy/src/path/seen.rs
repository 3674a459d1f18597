//! The files of a set that exist in the work tree.

use agent_strace_effects::{Certainty, ExistingFile, PathTarget};

use crate::Context;

use super::{Files, PathList};

/// Files that one call puts at risk, at most.
const AT_RISK: usize = 64;

/// What a look at the work tree says of the files that somebody means among those of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    /// This one exists, and the program reads it. The path counts from the top of the work tree.
    File(String),
    /// None of them exists.
    Nothing,
    /// Nobody looked, or the look leaves the question open.
    Open,
}

impl Files<'_> {
    /// Looks for files of the set that `is_meant` speaks of, by their own names or by those that links lead to.
    pub(crate) fn seen(&self, is_meant: impl Fn(&Files<'_>) -> bool) -> Seen {
        let sight = self.sight.filter(|sight| sight.is_of_reads() && self.gathered.is_some() && !self.is_unknown());
        let Some((sight, look)) = sight.and_then(|sight| Some((sight, sight.look()?))) else { return Seen::Open };
        let mut is_open = false;
        for file in &look.files {
            let Some((name, folded)) = sight.name(file) else { continue };
            if !self.has(name, folded) || !self.is_called(file, name, &is_meant) {
                continue;
            }
            if sight.is_read(file, name) {
                return Seen::File(file.path.clone());
            }
            is_open = true;
        }
        if !is_open && sight.is_settled_by(&look) { Seen::Nothing } else { Seen::Open }
    }

    /// The files of a set that is changed, as far as an entry of the list names them. `None`: nobody knows.
    pub(crate) fn at_risk(&self, list: &PathList) -> Option<Vec<String>> {
        let sight = self.sight.filter(|sight| !sight.is_of_reads() && self.gathered.is_some() && !self.is_unknown())?;
        let look = sight.look()?;
        let is_denied = |file: &Files<'_>| file.denied_by(list).is_some();
        let named = look.files.iter().filter_map(|file| Some((file, sight.name(file)?)));
        let changed = named.filter(|(file, (name, folded))| {
            self.has(name, folded) && sight.may_change(name) && self.is_called(file, name, is_denied)
        });
        let changed: Vec<String> = changed.map(|(file, _)| file.path.clone()).take(AT_RISK).collect();
        let is_known = !changed.is_empty() || sight.is_settled_by(&look) && sight.changes_existing();
        is_known.then_some(changed)
    }

    fn has(&self, name: &str, folded: &str) -> bool {
        self.folded().names.has(folded) || self.own.names.has(name)
    }

    /// One of the names of the file is meant.
    fn is_called(&self, file: &ExistingFile, name: &str, is_meant: impl Fn(&Files<'_>) -> bool) -> bool {
        let names = [Some(name), file.leads_to.as_deref()];
        names.into_iter().flatten().any(|name| {
            let target = PathTarget::new(name);
            let context = Context { root: self.root, ..Context::default() };
            is_meant(&Files::new(&target, Certainty::Exact, &context))
        })
    }
}
