//! The files of a set that exist in the work tree.

use std::borrow::Cow;

use agent_strace_effects::{Certainty, ExistingFile, PathTarget, Sight};

use crate::Context;
use crate::fold::fold;
use crate::glob::Pairs;

use super::{Files, PathList, PathPattern, PathRule};

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

/// The name of a file, prepared for quick comparisons: there may be very many files.
pub(crate) struct FileName<'n> {
    own: &'n str,
    folded: Cow<'n, str>,
    pairs: Pairs,
}

impl<'n> FileName<'n> {
    fn new(own: &'n str) -> Self {
        let folded = fold(own);
        let pairs = Pairs::of_text(&folded);
        Self { own, folded, pairs }
    }
}

impl PathPattern {
    /// Whether a file of this name, which is no link, needs a closer look.
    fn may_name(&self, name: &FileName<'_>) -> bool {
        let as_written = || match &name.folded {
            Cow::Borrowed(own) => self.exact.matches_text(own, name.pairs),
            Cow::Owned(_) => self.exact.matches(name.own),
        };
        self.anchored || self.folded.matches_text(&name.folded, name.pairs) || as_written()
    }
}

impl PathRule {
    pub(crate) fn may_name(&self, name: &FileName<'_>) -> bool {
        self.set.any_of.iter().any(|pattern| pattern.may_name(name))
    }
}

impl Files<'_> {
    /// Looks for files of the set that `is_meant` speaks of, by their own names or by those that links lead to. It speaks of no
    /// name of which `may_be` does not.
    pub(crate) fn seen(&self, may_be: impl Fn(&FileName<'_>) -> bool, is_meant: impl Fn(&Files<'_>) -> bool) -> Seen {
        let sight = self.sight.filter(|sight| sight.is_of_reads() && self.gathered.is_some() && !self.is_unknown());
        let Some((sight, look)) = sight.and_then(|sight| Some((sight, sight.look()?))) else { return Seen::Open };
        let mut is_open = false;
        for file in &look.files {
            let Some(name) = self.name_in(sight, file, &may_be, &is_meant) else { continue };
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
        let may_be = |name: &FileName<'_>| list.rules.iter().chain(&list.named).any(|rule| rule.may_name(name));
        let is_denied = |file: &Files<'_>| file.denied_by(list).is_some();
        let changed = look.files.iter().filter(|file| {
            let name = self.name_in(sight, file, may_be, is_denied);
            name.is_some_and(|name| sight.may_change(name))
        });
        let changed: Vec<String> = changed.map(|file| file.path.clone()).take(AT_RISK).collect();
        let is_known = !changed.is_empty() || sight.is_settled_by(&look) && sight.changes_existing();
        is_known.then_some(changed)
    }

    /// The name of the file in the set, if one of its names is meant.
    fn name_in<'f>(
        &self,
        sight: &Sight<'_>,
        file: &'f ExistingFile,
        may_be: impl Fn(&FileName<'_>) -> bool,
        is_meant: impl Fn(&Files<'_>) -> bool,
    ) -> Option<&'f str> {
        let own = sight.name(file)?;
        let name = FileName::new(own);
        if file.leads_to.is_none() && !may_be(&name) {
            return None;
        }
        let is_one = self.folded().names.has(&name.folded) || self.own.names.has(own);
        let mut names = [Some(own), file.leads_to.as_deref()].into_iter().flatten();
        let is_called = |name: &str| {
            let target = PathTarget::new(name);
            let context = Context { root: self.root, ..Context::default() };
            is_meant(&Files::new(&target, Certainty::Exact, &context))
        };
        (is_one && names.any(is_called)).then_some(own)
    }
}
