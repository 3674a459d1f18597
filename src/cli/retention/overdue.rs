//! Sessions past the limits of their store, for the gate.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::judged::{JudgedStore, limits};
use agent_strace_ingest::Log;
use agent_strace_model::finding::PolicyLocation;
use agent_strace_model::{Gap, GapKind};
use agent_strace_policy::config::retention::Retention;
use agent_strace_rules::retention::{Exceeded, Overdue};
use agent_strace_store::retention::{Clues, Limit, Stored};

/// The sessions of the store that exceed the limits, by their directories with all links resolved.
#[derive(Debug, Default)]
pub(in crate::cli) struct Overdues(BTreeMap<PathBuf, Overdue>);

impl Overdues {
    /// Judged by the recording alone, since in a checkout all files are as old as the checkout. Unreadable sessions are
    /// gaps.
    pub(in crate::cli) fn of_store(trace_dir: &Path, retention: &Retention, now: Timestamp) -> (Self, Vec<Gap>) {
        let gap = |path: String, reason: String| {
            Gap::of_file(path, GapKind::unreadable(format!("{reason}; whether retention is kept is not known")))
        };
        let judged = match JudgedStore::new(trace_dir, retention, limits(retention), Clues::Records, now) {
            Ok(judged) => judged,
            Err(error) => return (Self::default(), vec![gap(error.path, error.reason)]),
        };
        let mut found = BTreeMap::new();
        let unknown = judged.plan.unknown.iter().map(|index| (*index, None));
        for (index, limit) in judged.plan.doomed().map(|(index, limit)| (index, Some(limit))).chain(unknown) {
            let Some(session) = judged.survey.sessions.get(index) else { continue };
            let (Some(overdue), Ok(folder)) = (overdue(session, limit, retention), session.folder.canonicalize())
            else {
                continue;
            };
            found.entry(folder).or_insert(overdue);
        }
        let gaps = judged.survey.refused.into_iter().map(|refused| {
            let path = trace_dir.join(refused.path).display().to_string();
            gap(path, refused.reason)
        });
        (Self(found), gaps.collect())
    }

    /// Of the session of the store that this log is of.
    pub(in crate::cli) fn of(&self, log: &Log) -> Option<&Overdue> {
        if self.0.is_empty() || log.store.is_none() {
            return None;
        }
        self.0.get(&Path::new(&log.shown).parent()?.canonicalize().ok()?)
    }
}

fn overdue(session: &Stored, limit: Option<Limit>, retention: &Retention) -> Option<Overdue> {
    let age = retention.max_age_days.as_ref();
    let (exceeds, location): (Exceeded, &PolicyLocation) = match limit {
        Some(Limit::Age) => {
            let began = session.started?.at.to_zoned(TimeZone::UTC).date();
            (Exceeded::Age { began, days: age?.value }, &age?.location)
        }
        Some(Limit::Count) => {
            let limit = retention.max_sessions.as_ref()?;
            (Exceeded::Count { most: limit.value }, &limit.location)
        }
        Some(Limit::Size) => {
            let limit = retention.max_size_mb.as_ref()?;
            (Exceeded::Size { megabytes: limit.value }, &limit.location)
        }
        None => (Exceeded::Unknown, &age?.location),
    };
    Some(Overdue { exceeds, location: location.clone() })
}
