//! The findings in the page: all but the notes whose causes are counted, or the worst if there are too many for a browser.

use crate::causes::is_counted;
use crate::order::{self, Class};
use crate::view::{Report, ShownFinding, ShownSession};
use agent_strace_model::finding::Level;

/// Findings in a page; a browser is still quick with so many.
const MOST: usize = 2_000;

/// Findings as the page groups them.
pub(super) struct Excerpt<'a> {
    /// What is about the change and the whole run first, then session by session.
    pub(super) groups: Vec<Group<'a>>,
    pub(super) shown: usize,
    pub(super) total: usize,
}

/// Findings about one thing: by event in a session, by file in the change.
pub(super) struct Group<'a> {
    pub(super) subject: Subject<'a>,
    pub(super) findings: Vec<&'a ShownFinding>,
}

/// What findings are about.
#[derive(Debug, Clone, Copy)]
pub(super) enum Subject<'a> {
    Change,
    /// Exceptions and suppressions.
    Run,
    /// With its number among all sessions, from 1.
    Session(usize, &'a ShownSession),
}

impl<'a> Subject<'a> {
    /// What anchors of the page and filters call it.
    pub(super) fn key(self) -> String {
        match self {
            Self::Change => "change".to_owned(),
            Self::Run => "run".to_owned(),
            Self::Session(index, _) => index.to_string(),
        }
    }

    pub(super) fn session(self) -> Option<&'a ShownSession> {
        match self {
            Self::Session(_, session) => Some(session),
            Self::Change | Self::Run => None,
        }
    }
}

impl<'a> Excerpt<'a> {
    pub(super) fn new(report: &'a Report) -> Self {
        Self::of(report, MOST)
    }

    fn of(report: &'a Report, most: usize) -> Self {
        let change = Group { subject: Subject::Change, findings: report.of_change.iter().collect() };
        let run = Group { subject: Subject::Run, findings: report.remarks.iter().collect() };
        let of_sessions = report.sessions.iter().enumerate().map(|(at, session)| Group {
            subject: Subject::Session(at + 1, session),
            findings: session.findings.iter().filter(|finding| !is_counted(report, finding)).collect(),
        });
        let mut groups: Vec<Group<'_>> = [change, run].into_iter().chain(of_sessions).collect();
        let total: usize = groups.iter().map(|group| group.findings.len()).sum();
        if total > most {
            keep_worst(&mut groups, most);
        }
        groups.retain(|group| !group.findings.is_empty());
        groups.sort_by_cached_key(|group| group.findings.iter().map(|finding| order::rank_in_session(finding)).min());
        Self { groups, shown: total.min(most), total }
    }

    pub(super) fn findings(&self) -> impl Iterator<Item = &'a ShownFinding> {
        self.groups.iter().flat_map(|group| group.findings.iter().copied())
    }
}

/// Of equally bad ones those stay that come first.
fn keep_worst(groups: &mut [Group<'_>], most: usize) {
    let mut left = most;
    let mut quotas = vec![[0_usize; 5]; groups.len()];
    for class in 0..5 {
        for (group, quota) in groups.iter().zip(&mut quotas) {
            let there = group.findings.iter().filter(|finding| rank(finding) == class).count();
            let taken = there.min(left);
            left -= taken;
            if let Some(index) = quota.get_mut(class) {
                *index = taken;
            }
        }
    }
    for (group, quota) in groups.iter_mut().zip(&mut quotas) {
        group.findings.retain(|finding| match quota.get_mut(rank(finding)) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        });
    }
}

/// 0 is the worst: what is said about the gate itself is never left out for other findings.
pub(super) fn rank(finding: &ShownFinding) -> usize {
    match (order::class(finding.rule), finding.is_incomplete(), finding.level) {
        (Class::Gate, ..) => 0,
        (_, false, Level::Error) => 1,
        (_, true, _) => 2,
        (_, false, Level::Warning) => 3,
        (_, false, Level::Note) => 4,
    }
}

/// The word for how bad it is: that of its level, or that evidence is missing.
pub(super) fn level(finding: &ShownFinding) -> &'static str {
    if finding.is_incomplete() { "incomplete" } else { finding.level.name() }
}
