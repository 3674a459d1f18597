//! The directories from which the paths of a session count.
//!
//! A policy speaks of paths from the top of its repository. A log says where its agent was started, and that may be a
//! directory of the repository. Where neither the user nor the checkout states the top, each directory that may be it is a
//! candidate. A deny of the policy holds under all of them, and an allow under the most likely one. Matching the paths of the
//! session with the files of the repository adds and ranks candidates; it never removes one.

mod candidates;
mod crates;
mod guarded;
mod inferred;
mod mentioned;
mod places;
mod programs;
mod repository;

use std::sync::Arc;

use agent_strace_model::Session;

use super::paths::{self, Cwd, PathBase, is_anchored};
use super::{Certainty, PathTarget};
use candidates::DEPTH;
pub use guarded::Guarded;
pub use places::Places;
use places::{Elsewhere, Matched, Other, Reason};
pub use repository::Repository;

/// The directories from which the paths of one session may count.
#[derive(Debug, Clone, Default)]
pub struct Roots {
    places: Places,
    guarded: Guarded,
    repository: Arc<Repository>,
}

/// The weight of a name that a file has under another root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// More speaks against it.
    Doubtful,
    /// It is as likely as the other names.
    Plausible,
    /// It is a name of the file for sure.
    Certain,
}

/// An effect's target as it counts from another root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    pub root: Option<String>,
    pub target: PathTarget,
    pub certainty: Certainty,
    pub standing: Standing,
}

impl Roots {
    /// Paths count from this directory alone.
    pub fn only(root: Option<&str>) -> Self {
        Self { places: Places::only(root.and_then(paths::root).as_deref()), ..Self::default() }
    }

    /// The candidates for a session, the most likely one first.
    ///
    /// `guarded`: directories that the policy names in what it forbids.
    pub fn of(session: &Session<'_>, repository: &Arc<Repository>, guarded: &Guarded) -> Self {
        let cwd = session.root.as_deref().or(session.top.as_deref()).and_then(paths::root);
        let changed = if repository.has_changes() { Elsewhere::Changed } else { Elsewhere::None };
        let mut places = match cwd.as_deref() {
            None => Places::of_nowhere(session, repository).looking_for(changed),
            Some(cwd) => match places::certain(cwd, repository) {
                Some(root) => Places { elsewhere: changed, ..Places::only(Some(root)) },
                None => Places::guessed(session, cwd, repository, guarded),
            },
        };
        if let Some(cwd) = cwd {
            places.start_in_folder_of_policy(&cwd, repository);
        }
        Self { places, guarded: guarded.clone(), repository: Arc::clone(repository) }
    }

    /// The top of the repository, from which its links count.
    pub fn top(&self) -> Option<&str> {
        self.places.top.as_deref().or(self.first())
    }

    /// The most likely root.
    pub fn first(&self) -> Option<&str> {
        self.places.first.as_deref()
    }

    /// Returns whether no setting states that the most likely root is the top, and the session was started elsewhere.
    pub fn is_guessed(&self) -> bool {
        self.places.is_guessed
    }

    /// Equal places give equal names to equal targets, in the same repository.
    pub fn places(&self) -> &Places {
        &self.places
    }

    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    pub(crate) fn shared_repository(&self) -> &Arc<Repository> {
        &self.repository
    }

    /// The target as it counts from each of the other roots, where that is another name.
    pub fn moved(&self, target: &PathTarget, certainty: Certainty) -> Vec<Moved> {
        let Places { started, others, shown, elsewhere, .. } = &self.places;
        let mut moved = Found { target, list: Vec::new() };
        if others.is_empty() && shown.is_empty() && started.is_none() && *elsewhere == Elsewhere::None {
            return moved.list;
        }
        let absolute = self.absolute(target, certainty);
        let is_one = certainty != Certainty::Pattern && !target.subtree;
        for other in others {
            let Some(standing) = self.standing(other, target, is_one) else { continue };
            moved.from(other.root.as_deref(), &absolute, certainty, standing);
        }
        if is_one && self.is_known(&target.path) {
            return moved.list;
        }
        if !shown.is_empty() {
            let above = absolute.match_indices('/').take(DEPTH).filter_map(|(at, _)| absolute.get(..at));
            for (root, standing) in above.filter_map(|above| shown.get_key_value(above)) {
                moved.from(Some(root), &absolute, certainty, *standing);
            }
        }
        if is_one {
            self.add_strays(&absolute, certainty, &mut moved);
            self.add_beside(&absolute, certainty, &mut moved);
        }
        moved.list
    }

    /// The target as the pattern or path of a whole machine.
    fn absolute(&self, target: &PathTarget, certainty: Certainty) -> String {
        let path = target.path.as_str();
        let Some(root) = self.first().filter(|_| !is_anchored(path)) else { return path.to_owned() };
        let root = root.trim_end_matches('/');
        let root = if certainty == Certainty::Pattern { paths::escaped(root) } else { root.to_owned() };
        if path == "." { root } else { format!("{root}/{path}") }
    }

    /// A name of the policy says little about a file that the repository may have where the session was started.
    fn standing(&self, other: &Other, target: &PathTarget, is_one: bool) -> Option<Standing> {
        let is_inside = !is_anchored(&target.path);
        let is_shown = self.places.matches == Matched::Several;
        match other.why {
            Reason::HoldsPolicy => Some(Standing::Certain),
            Reason::Name | Reason::NameAbove if is_one && self.repository.has_start_of(&target.path) => None,
            Reason::Name | Reason::NameAbove if is_inside && is_shown => Some(Standing::Doubtful),
            Reason::Plausible | Reason::Name | Reason::NameAbove => Some(Standing::Plausible),
        }
    }

    /// Adds names of a file outside of what is known of the repository that ends like one of its files: it may be that file, in
    /// a checkout of which the log does not tell.
    fn add_strays(&self, absolute: &str, certainty: Certainty, moved: &mut Found<'_>) {
        let elsewhere = self.places.elsewhere;
        if elsewhere == Elsewhere::None {
            return;
        }
        for (top, end) in self.repository.tails_in(absolute) {
            let is_changed = self.repository.changes(end);
            if self.first() == Some(top) || !is_changed && elsewhere == Elsewhere::Changed {
                continue;
            }
            let is_doubtful = !is_changed && self.places.matches == Matched::Several;
            let standing = if is_doubtful { Standing::Doubtful } else { Standing::Plausible };
            moved.add(None, PathTarget::new(end.to_owned()), certainty, standing);
        }
    }

    /// Adds names of a file that lies beside the directory of the start, where the policy speaks of its directory.
    fn add_beside(&self, absolute: &str, certainty: Certainty, moved: &mut Found<'_>) {
        let Places { started: Some(started), matches, .. } = &self.places else { return };
        if is_within(absolute, started) {
            return;
        }
        let standing = if *matches == Matched::Several { Standing::Doubtful } else { Standing::Plausible };
        // A directory at the top of a disk holds whatever there is.
        let start = if absolute.starts_with('/') { 2 } else { 1 };
        for (at, _) in absolute.match_indices('/').skip(start).take(DEPTH) {
            let (above, path) = (absolute.get(..at).unwrap_or_default(), absolute.get(at + 1..).unwrap_or_default());
            if !is_within(started, above) {
                return;
            }
            if path.rsplit_once('/').is_some_and(|(folder, _)| self.guarded.covers(folder).is_some()) {
                moved.add(Some(above), PathTarget::new(path.to_owned()), certainty, standing);
            }
        }
    }

    /// The path is one of the repository for sure: it, or the directory that holds it, is there. Where nothing else is known
    /// from the root, a directory at its start may have its name by chance.
    fn is_known(&self, path: &str) -> bool {
        let repository = &*self.repository;
        let is_in_folder = || path.rsplit_once('/').is_some_and(|(folder, _)| repository.has_folder(folder));
        let is_shown = self.places.matches > Matched::None;
        !is_anchored(path) && (repository.has_file(path) || is_in_folder() || is_shown && repository.has_start_of(path))
    }
}

/// The names of a target that were found so far.
struct Found<'t> {
    target: &'t PathTarget,
    list: Vec<Moved>,
}

impl Found<'_> {
    /// Adds the name from a root, if the target is below it. `None`: any directory.
    fn from(&mut self, root: Option<&str>, absolute: &str, certainty: Certainty, standing: Standing) {
        let subtree = self.target.subtree;
        let found = match root {
            Some(root) => below(root, absolute, subtree, certainty),
            None => Some((PathTarget { path: absolute.to_owned(), subtree }, certainty)),
        };
        if let Some((target, certainty)) = found {
            self.add(root, target, certainty, standing);
        }
    }

    fn add(&mut self, root: Option<&str>, target: PathTarget, certainty: Certainty, standing: Standing) {
        if target == *self.target {
            return;
        }
        match self.list.iter_mut().find(|known| known.target == target) {
            Some(known) => known.standing = known.standing.max(standing),
            None => self.list.push(Moved { root: root.map(str::to_owned), target, certainty, standing }),
        }
    }
}

/// `target` from `root`: `None` where it is not below it.
fn below(root: &str, absolute: &str, subtree: bool, certainty: Certainty) -> Option<(PathTarget, Certainty)> {
    if subtree && certainty != Certainty::Pattern && is_within(root, absolute) {
        return Some((PathTarget { path: ".".to_owned(), subtree }, certainty));
    }
    let base = PathBase { root: Some(root), cwd: Cwd::Known(root) };
    let (target, certainty) = paths::locate(base, absolute, certainty);
    (!is_anchored(&target.path)).then_some((PathTarget { subtree, ..target }, certainty))
}

/// The directory itself, or one below it. Both are normalised.
fn is_within(directory: &str, outer: &str) -> bool {
    let rest = directory.strip_prefix(outer.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests;
