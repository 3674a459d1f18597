//! Collects the directories from which the paths of a session may count, and what speaks for each.

use std::collections::BTreeMap;

use agent_strace_model::Session;

use super::super::paths;
use super::candidates::{self, Candidate, Why};
use super::mentioned::Mentioned;
use super::{Guarded, Repository, Standing, inferred, is_within};

/// The directories, as far as they can be told from those of another session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Places {
    /// The most likely root. `None`: the session shows no directory, and the caller states none.
    pub(super) first: Option<String>,
    /// The directory in which the session was started, where no setting states the top.
    pub(super) started: Option<String>,
    /// The session was not started in the most likely root, and no setting states that it is the top.
    pub(super) is_guessed: bool,
    /// The top of the repository, where that is another directory.
    pub(super) top: Option<String>,
    pub(super) others: Vec<Other>,
    /// Directories that no start leads to, below which the session names files of the repository.
    pub(super) shown: BTreeMap<String, Standing>,
    pub(super) elsewhere: Elsewhere,
    /// The number of files of the repository that the session names from the most likely root.
    pub(super) matches: Matched,
}

/// Another directory from which paths may count.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Other {
    /// `None`: paths may be those of any directory.
    pub(super) root: Option<String>,
    pub(super) why: Reason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Reason {
    /// Nothing tells it from the most likely root.
    Plausible,
    /// It holds the directory of the policy.
    HoldsPolicy,
    /// The policy speaks of a directory of the name in which the session was started.
    Name,
    /// The session was started somewhere below a directory of which the policy speaks.
    NameAbove,
}

/// Says which files of the repository are looked for in other directories.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Elsewhere {
    #[default]
    None,
    /// Only files that the change touches.
    Changed,
    /// All files that the repository has.
    All,
}

/// Says how many files of the repository the session names from a directory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Matched {
    #[default]
    None,
    One,
    Several,
}

/// The directory that is the top for sure. A directory that is stated may hold others, so the longest one counts.
pub(super) fn certain<'r>(cwd: &str, repository: &'r Repository) -> Option<&'r str> {
    let stated = repository.stated().iter().map(String::as_str).filter(|root| is_within(cwd, root));
    stated.max_by_key(|root| root.len()).or_else(|| repository.place().filter(|place| is_within(cwd, place)))
}

impl Places {
    /// Nothing has to show that this is the top.
    pub(super) fn only(root: Option<&str>) -> Self {
        Self { first: root.and_then(paths::root_again), matches: Matched::Several, ..Self::default() }
    }

    /// The places of a session that was started in `cwd`, where no setting states the top.
    pub(super) fn guessed(session: &Session<'_>, cwd: &str, repository: &Repository, guarded: &Guarded) -> Self {
        let mut candidates = candidates::of(cwd, session.top.as_deref(), repository, guarded);
        if !repository.has_files() && candidates.len() == 1 {
            let first = Some(cwd.to_owned());
            return Self { started: first.clone(), first, others: stated(repository).collect(), ..Self::default() };
        }
        let mentioned = Mentioned::of(session);
        candidates::rank(&mut candidates, &mentioned, repository);
        let claimed = candidates.iter().any(|candidate| candidate.why == Why::Claimed && candidate.root == cwd);
        candidates.retain(|candidate| candidate.why != Why::BelowGuarded || !claimed);
        let names: Vec<String> = candidates.iter().map(|candidate| candidate.root.clone()).collect();
        let mut candidates = candidates.into_iter();
        let Some(first) = candidates.next() else { return Self::only(Some(cwd)) };
        let files = mentioned.matches(&first.root, &first.tail, repository).files;
        let is_known = |name: &str| names.iter().any(|root| is_known_below(root, name, repository));
        let shown = mentioned.tops(repository, is_known).into_iter().filter(|(root, _)| !names.contains(root));
        let weighed = |(root, count)| (root, if count >= files { Standing::Plausible } else { Standing::Doubtful });
        Self {
            started: Some(cwd.to_owned()),
            is_guessed: first.root != cwd && first.why != Why::Claimed,
            first: Some(first.root),
            others: candidates.map(Other::from).chain(stated(repository)).collect(),
            shown: shown.map(weighed).collect(),
            elsewhere: Elsewhere::All,
            matches: Matched::of(files),
            top: None,
        }
    }

    /// A session whose log names no directory. If it speaks of files below a root that is known, or below the checkout in which
    /// the judge runs, it ran there; its other paths may still be of anywhere.
    pub(super) fn of_nowhere(session: &Session<'_>, repository: &Repository) -> Self {
        let mentioned = Mentioned::of(session);
        let known = repository.stated().iter().map(String::as_str).chain(repository.place());
        let mut roots = known.filter(|root| mentioned.names_below(root)).map(str::to_owned);
        let Some(first) = roots.next() else {
            return Self::shown(&mentioned, repository).or_inferred(session, repository);
        };
        let others = roots.map(Some).chain([None]).map(|root| Other { root, why: Reason::Plausible }).collect();
        Self { first: Some(first), others, matches: Matched::Several, ..Self::default() }
    }

    /// If nothing is known of the repository, the directory that holds all files of the session is the most likely root.
    /// Its paths may still be of anywhere.
    fn or_inferred(mut self, session: &Session<'_>, repository: &Repository) -> Self {
        if self.first.is_none()
            && !repository.has_files()
            && let Some(root) = inferred::root(session)
        {
            self.is_guessed = true;
            self.others.push(Other { root: None, why: Reason::Plausible });
            self.first = Some(root);
        }
        self
    }

    /// Looks for at least these files elsewhere.
    pub(super) fn looking_for(self, elsewhere: Elsewhere) -> Self {
        Self { elsewhere: self.elsewhere.max(elsewhere), ..self }
    }

    /// The places of a session of which nothing is known but the files that it names.
    fn shown(mentioned: &Mentioned, repository: &Repository) -> Self {
        let mut tops = mentioned.tops(repository, |_| false);
        let best = tops.iter().max_by_key(|(top, count)| (**count, std::cmp::Reverse(top.len())));
        let first = best.map(|(top, _)| top.clone());
        let matches = first.as_ref().and_then(|first| tops.remove(first)).map_or(Matched::None, Matched::of);
        let elsewhere = first.is_some().then_some(Other { root: None, why: Reason::Plausible });
        Self {
            is_guessed: first.is_some(),
            first,
            others: elsewhere.into_iter().collect(),
            shown: tops.into_keys().map(|top| (top, Standing::Plausible)).collect(),
            elsewhere: Elsewhere::All,
            matches,
            ..Self::default()
        }
    }

    /// The paths of a policy that lies in a directory of the repository count from there, for sessions that ran below it.
    pub(super) fn start_in_folder_of_policy(&mut self, cwd: &str, repository: &Repository) {
        let folder = repository.policy_folder();
        let Some(top) = self.first.as_deref().filter(|_| !folder.is_empty()) else { return };
        let own = format!("{}/{folder}", top.trim_end_matches('/'));
        if is_within(cwd, &own) {
            self.others.retain(|other| other.root.as_ref() != Some(&own));
            let top = self.first.replace(own);
            self.others.insert(0, Other { root: top.clone(), why: Reason::HoldsPolicy });
            self.top = top;
        }
    }
}

/// Directories of which the caller says that they are the top.
fn stated(repository: &Repository) -> impl Iterator<Item = Other> {
    repository.stated().iter().map(|root| Other { root: Some(root.clone()), why: Reason::Plausible })
}

/// The repository has the start of the way to the file, if `root` is the top.
fn is_known_below(root: &str, name: &str, repository: &Repository) -> bool {
    let Some(path) = name.strip_prefix(root.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/')) else {
        return false;
    };
    repository.has_start_of(path)
}

impl From<Candidate> for Other {
    fn from(candidate: Candidate) -> Self {
        let why = match candidate.why {
            Why::Guarded => Reason::Name,
            Why::BelowGuarded => Reason::NameAbove,
            Why::Claimed | Why::Inner | Why::Folder | Why::Started => Reason::Plausible,
        };
        Self { root: Some(candidate.root), why }
    }
}

impl Matched {
    fn of(files: usize) -> Self {
        match files {
            0 => Self::None,
            1 => Self::One,
            _ => Self::Several,
        }
    }
}
