//! Sessions below the ones that started them: which stand where, and each only once.

use std::collections::{BTreeMap, BTreeSet};

use super::{ReplayReport, ShownEvents};

/// How deep sessions are shown inside of each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Depth(pub(crate) usize);

impl Depth {
    /// Deeper ones are named, not shown.
    pub(crate) const MOST: Self = Self(8);
}

/// Who started whom.
#[derive(Debug, Default)]
pub struct Family {
    /// By the index of a session: those that it started, each with the index of the line that did so, where that is known.
    children: BTreeMap<usize, Vec<(Option<usize>, usize)>>,
}

impl Family {
    pub fn of(report: &ReplayReport) -> Self {
        let mut by_id: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, session) in report.sessions.iter().enumerate() {
            by_id.entry(&session.key.0).or_insert(index);
        }
        let mut family = Self::default();
        for (index, session) in report.sessions.iter().enumerate() {
            let Some(parent) = session.parent.as_deref().and_then(|parent| by_id.get(parent).copied()) else {
                continue;
            };
            if let Some(above) = report.sessions.get(parent).filter(|_| parent != index) {
                family.children.entry(parent).or_default().push((starter(above, session), index));
            }
        }
        family
    }

    /// These sessions, those first that none of the others started: then each is shown inside of the one that did.
    pub(crate) fn tops_first(&self, sessions: &[usize]) -> Vec<usize> {
        let mut inside = BTreeSet::new();
        for session in sessions {
            let mut open: Vec<usize> = self.below(*session).into_iter().map(|(_, child)| child).collect();
            let mut seen = BTreeSet::from([*session]);
            while let Some(child) = open.pop() {
                // What leads back to itself has no top, and what was followed before need not be again.
                if seen.insert(child) && inside.insert(child) {
                    open.extend(self.below(child).into_iter().map(|(_, child)| child));
                }
            }
        }
        let (below, tops): (Vec<usize>, Vec<usize>) = sessions.iter().partition(|session| inside.contains(session));
        tops.into_iter().chain(below).collect()
    }

    /// Those that a session started, in the order of the lines that did so; those of which that is not known last.
    pub fn below(&self, session: usize) -> Vec<(Option<usize>, usize)> {
        let mut below = self.children.get(&session).cloned().unwrap_or_default();
        below.sort_by_key(|(line, index)| (line.is_none(), *line, *index));
        below
    }
}

/// The line of the session above that started this one.
fn starter(above: &ShownEvents, session: &ShownEvents) -> Option<usize> {
    let of_record = session.parent_event.as_deref();
    let by_record = of_record.and_then(|id| above.lines.iter().position(|line| line.id.as_deref() == Some(id)));
    let bare = session.key.0.strip_prefix("agent-").unwrap_or(&session.key.0);
    let told = || above.started.iter().find(|started| started.id == session.key.0 || started.id == bare);
    by_record.or_else(|| told().map(|started| started.at))
}
