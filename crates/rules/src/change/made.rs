//! Which commits of a change its sessions made. One commit that a session made accounts for one of the change.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::making::Making;
use super::{Changed, Witness};
use agent_strace_git::change_set::{Change, Commit};

/// Seconds between a call that gives the subject of a commit and the date of the commit. A rebase keeps the one date of a
/// commit, and a pick the other one.
const SLACK: i64 = 86_400;
/// Seconds between them where the record gives no subject either.
const SLACK_OF_NAMELESS: i64 = 15 * 60;
/// Seconds after which changes are merged, which may date their commits anew.
const MOST_WAITING: i64 = 400 * 86_400;
/// Commits of one subject or of one time that are compared.
const MOST_COMPARED: usize = 100;

/// A commit that a session made, and the session.
#[derive(Clone, Copy)]
pub(super) struct Maker<'c> {
    pub(super) session: &'c Witness<'c>,
    making: &'c Making,
    /// The session, or one that it started, may have brought files before.
    pub(super) brings: bool,
}

/// The sessions that made the commits of a change, by the index of the commit.
pub(super) struct Made<'c> {
    makers: BTreeMap<usize, Vec<Maker<'c>>>,
}

impl<'c> Made<'c> {
    /// `is_by`: a session may have made the commit, as its marks say.
    pub(super) fn of(changed: &Changed<'c>, is_by: impl Fn(&Witness<'_>, &Commit) -> bool) -> Self {
        let new = || changed.sessions.iter().filter(|session| session.is_new);
        let mut brought: BTreeMap<&str, i64> = BTreeMap::new();
        for (family, from) in new().filter_map(|session| Some((session.family, session.recorded.brought_from()?))) {
            let first = brought.entry(family).or_insert(from);
            *first = from.min(*first);
        }
        let of_session = |session: &'c Witness<'c>| {
            let from = brought.get(session.family).copied();
            session.recorded.makings().iter().map(move |making| {
                let is_later = from.zip(making.seconds).is_some_and(|(from, seconds)| from < seconds);
                Maker { session, making, brings: making.brings || is_later }
            })
        };
        let mut all: Vec<Maker<'c>> = new().flat_map(of_session).collect();
        // A commit that accounts for content goes before one of the same subject or time that does not.
        all.sort_by_key(|maker| !maker.brings);
        let mut matching = Matching { change: changed.change, all, used: BTreeSet::new(), makers: BTreeMap::new() };
        matching.by_name(&is_by);
        matching.by_subject(&is_by);
        matching.by_time(&is_by);
        Self { makers: matching.makers }
    }

    pub(super) fn makers(&self, index: usize) -> &[Maker<'c>] {
        self.makers.get(&index).map_or(&[], Vec::as_slice)
    }
}

struct Matching<'c> {
    change: &'c Change,
    all: Vec<Maker<'c>>,
    /// The indices in `all` of which git printed a name that a commit has.
    used: BTreeSet<usize>,
    makers: BTreeMap<usize, Vec<Maker<'c>>>,
}

impl<'c> Matching<'c> {
    /// Git printed the start of the commit's name.
    fn by_name(&mut self, is_by: &impl Fn(&Witness<'_>, &Commit) -> bool) {
        let commits = &self.change.commits;
        for (at, maker) in self.all.iter().enumerate() {
            let Some(id) = maker.making.id.as_deref() else { continue };
            let index = commits.partition_point(|commit| commit.id.as_str() < id);
            let Some(commit) = commits.get(index).filter(|commit| commit.id.starts_with(id)) else { continue };
            self.used.insert(at);
            if is_by(maker.session, commit) {
                self.makers.entry(index).or_default().push(*maker);
            }
        }
    }

    /// The call gave the subject of the commit, or git printed it. A rebase has given the commit another name since.
    fn by_subject(&mut self, is_by: &impl Fn(&Witness<'_>, &Commit) -> bool) {
        let mut named: BTreeMap<&'c str, VecDeque<usize>> = BTreeMap::new();
        let left = self.all.iter().enumerate().filter(|(at, maker)| maker.making.is_shown && !self.used.contains(at));
        for (at, maker) in left {
            if let Some(subject) = maker.making.subject.as_deref().filter(|subject| !subject.is_empty()) {
                named.entry(subject).or_default().push_back(at);
            }
        }
        let after = if self.change.landed { MOST_WAITING } else { SLACK };
        for (index, commit) in self.open() {
            let subject = commit.subject.as_str();
            let subject = if named.contains_key(subject) { subject } else { without_number(subject) };
            let Some(candidates) = named.get_mut(subject) else { continue };
            let fits = |at: &usize| {
                let is_in_time =
                    |seconds: i64| is_near(commit, (seconds.saturating_sub(SLACK), seconds.saturating_add(after)));
                self.all
                    .get(*at)
                    .is_some_and(|maker| maker.making.seconds.is_none_or(is_in_time) && is_by(maker.session, commit))
            };
            let place = candidates.iter().take(MOST_COMPARED).position(fits);
            if let Some(at) = place.and_then(|place| candidates.remove(place)) {
                self.take(at, index);
            }
        }
    }

    /// All that is recorded is that a commit was made.
    fn by_time(&mut self, is_by: &impl Fn(&Witness<'_>, &Commit) -> bool) {
        let nameless = |maker: &Maker<'_>| maker.making.id.is_none() && maker.making.subject.is_none();
        let nameless = self.all.iter().enumerate().filter(|(_, maker)| nameless(maker));
        let mut timed: BTreeSet<(i64, usize)> =
            nameless.filter_map(|(at, maker)| Some((maker.making.seconds?, at))).collect();
        for (index, commit) in self.open() {
            let around = commit.dates.iter().flat_map(|date| {
                let (first, last) = (date.saturating_sub(SLACK_OF_NAMELESS), date.saturating_add(SLACK_OF_NAMELESS));
                timed.range((first, 0)..=(last, usize::MAX))
            });
            let fits = |(_, at): &&(i64, usize)| self.all.get(*at).is_some_and(|maker| is_by(maker.session, commit));
            if let Some(found) = around.take(MOST_COMPARED).find(fits).copied() {
                timed.remove(&found);
                self.take(found.1, index);
            }
        }
    }

    /// Commits of agents that no session is known to have made.
    fn open(&self) -> Vec<(usize, &'c Commit)> {
        let is_open = |(index, commit): &(usize, &Commit)| {
            !commit.marks.is_empty() && !commit.is_merge && !self.makers.contains_key(index)
        };
        self.change.commits.iter().enumerate().filter(is_open).collect()
    }

    fn take(&mut self, at: usize, index: usize) {
        if let Some(maker) = self.all.get(at) {
            self.makers.entry(index).or_default().push(*maker);
        }
    }
}

fn is_near(commit: &Commit, (first, last): (i64, i64)) -> bool {
    commit.dates.iter().any(|date| (first..=last).contains(date))
}

/// The subject as it was before a forge put the number of the pull request behind it: `Add b (#12)`.
fn without_number(subject: &str) -> &str {
    let number =
        |rest: &str| rest.strip_suffix(')').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    subject.rsplit_once(" (#").filter(|(_, rest)| number(rest)).map_or(subject, |(before, _)| before)
}
