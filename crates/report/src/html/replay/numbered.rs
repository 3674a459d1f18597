//! The findings of a page by row: all of them, or the worst ones if there are too many for a browser.

use std::collections::{BTreeMap, BTreeSet};

use super::rows::Rows;
use crate::html::excerpt::rank;
use crate::replay::{ReplayReport, ShownEvents};
use crate::view::ShownFinding;
use agent_strace_model::finding::RuleId;

/// The maximum number of findings in a page.
const MOST: usize = 2_000;

/// One finding with its number in the page.
pub(super) struct NumberedFinding<'a> {
    pub(super) finding: &'a ShownFinding,
    /// The index of its session in the page.
    pub(super) session: usize,
    /// The row of its event; `None`: it is not about a single event, or the page has no row for the event.
    pub(super) row: Option<usize>,
    /// Its number in the page, from 1.
    pub(super) number: usize,
}

/// All findings that a page shows.
pub(super) struct Findings<'a> {
    /// Session by session, in the order of their events; about a whole session last.
    pub(super) shown: Vec<NumberedFinding<'a>>,
    pub(super) total: usize,
    /// By row: indexes in `shown`.
    by_row: Vec<Vec<usize>>,
}

impl<'a> Findings<'a> {
    pub(super) fn new(report: &'a ReplayReport, rows: &Rows<'a>) -> Self {
        let indices = rows.indices();
        let mut all: Vec<NumberedFinding<'a>> = Vec::new();
        for (session, index) in rows.sessions.iter().enumerate() {
            all.extend(
                report.sessions.get(*index).into_iter().flat_map(|events| of_session(session, events, &indices)),
            );
        }
        let total = all.len();
        let mut shown = worst(all, MOST);
        let mut by_row = vec![Vec::new(); rows.all.len()];
        for (at, found) in shown.iter_mut().enumerate() {
            found.number = at + 1;
            if let Some(of_row) = found.row.and_then(|row| by_row.get_mut(row)) {
                of_row.push(at);
            }
        }
        Self { shown, total, by_row }
    }

    /// Those at a row, by their indices.
    pub(super) fn at(&self, row: usize) -> &[usize] {
        self.by_row.get(row).map_or(&[], Vec::as_slice)
    }

    pub(super) fn rules(&self) -> BTreeSet<RuleId> {
        self.shown.iter().map(|found| found.finding.rule).collect()
    }
}

fn of_session<'a>(
    session: usize,
    events: &'a ShownEvents,
    indices: &BTreeMap<(usize, usize), usize>,
) -> impl Iterator<Item = NumberedFinding<'a>> {
    let found = move |finding, row| NumberedFinding { finding, session, row, number: 0 };
    let at_events = events.lines.iter().enumerate().flat_map(move |(index, line)| {
        let row = indices.get(&(session, index)).copied();
        line.findings.iter().map(move |finding| found(finding, row))
    });
    at_events.chain(events.findings.iter().map(move |finding| found(finding, None)))
}

/// Of equally bad ones those that come first; in their order.
fn worst(all: Vec<NumberedFinding<'_>>, most: usize) -> Vec<NumberedFinding<'_>> {
    if all.len() <= most {
        return all;
    }
    let mut order: Vec<usize> = (0..all.len()).collect();
    let ranks: Vec<usize> = all.iter().map(|found| rank(found.finding)).collect();
    order.sort_by_key(|at| ranks.get(*at).copied());
    let kept: BTreeSet<usize> = order.into_iter().take(most).collect();
    all.into_iter().enumerate().filter(|(at, _)| kept.contains(at)).map(|(_, found)| found).collect()
}
