//! The files of a set that exist in the work tree.

use agent_strace_effects::{Certainty, ExistingFile, PathTarget};

use crate::Context;

use super::Files;

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
        let sight = self.sight.filter(|_| self.gathered.is_some() && !self.is_unknown());
        let Some((sight, look)) = sight.and_then(|sight| Some((sight, sight.look()?))) else { return Seen::Open };
        let mut is_open = false;
        for file in &look.files {
            let Some((name, folded)) = sight.name(file) else { continue };
            let is_one = self.folded().names.has(folded) || self.own.names.has(name);
            if !is_one || !self.is_called(file, name, &is_meant) {
                continue;
            }
            if sight.is_read(file, name) {
                return Seen::File(file.path.clone());
            }
            is_open = true;
        }
        if !is_open && sight.is_settled_by(&look) { Seen::Nothing } else { Seen::Open }
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
