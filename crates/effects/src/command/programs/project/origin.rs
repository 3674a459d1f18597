//! Whose code a runner or an interpreter runs: that of the judged repository, or that of another one.

use crate::command::argument::Arg;
use crate::command::machine::Machine;
use crate::{About, Class, Reason};

impl Machine<'_> {
    /// A program runs code of the project that it is started in, or that its words name.
    pub(crate) fn runs_project(&mut self, words: &[Arg], reason: Reason, vouched_by: &[&str], or_by: &[&str]) {
        let foreign = if reason.class() == Class::Delegated { self.foreign_project(words) } else { None };
        match foreign {
            // An entry for the runner speaks of the repository's own code only.
            Some(foreign) => self.opaque(About::Anything, foreign, &[]),
            None => self.opaque_by(self.world.about_project(words), reason, vouched_by, or_by),
        }
    }

    /// The code is that of a repository that the session cloned, or of a revision that it brought in.
    pub(crate) fn foreign_project(&self, words: &[Arg]) -> Option<Reason> {
        let values = words.iter().skip(1).map(|word| word.after('=').map_or_else(|| word.clone(), |(_, value)| value));
        let named = values.filter(|value| value.is_exact() && !value.text.starts_with('-'));
        let is_cloned = || std::iter::once(Arg::exact(".")).chain(named).any(|word| self.world.is_cloned(&word));
        self.foreign(is_cloned)
    }

    /// Returns the spelled patterns of a file.
    pub(crate) fn foreign_file(&self, file: &Arg) -> Option<Reason> {
        let target = self.world.locate_word(file).0;
        let is_inside = !target.path.starts_with(['/', '~', '*']);
        let foreign = self.foreign(|| file.is_exact() && self.world.is_in_fetched_directory(&target))?;
        match foreign {
            Reason::ClonedCode => Some(Reason::ClonedScript),
            other => Some(other).filter(|_| is_inside),
        }
    }

    fn foreign(&self, is_cloned: impl FnOnce() -> bool) -> Option<Reason> {
        if !self.world.has_written() {
            None
        } else if is_cloned() {
            Some(Reason::ClonedCode)
        } else {
            self.holds_foreign_revision().then_some(Reason::ForeignRevision)
        }
    }
}
