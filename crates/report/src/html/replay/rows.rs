//! The rows of a timeline: the events of a session, those of sub-agents deeper, each session that it started below the
//! event that did so.

use std::collections::{BTreeMap, BTreeSet};

use crate::replay::{Depth, Family, ReplayReport, ShownEvents, ShownLine};

/// Rows of a page; a browser still opens them at once.
const MOST: usize = 50_000;

/// One row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    /// The index of its session among those of the page.
    pub(super) session: usize,
    pub(super) depth: usize,
    pub(super) of: Of<'a>,
}

/// What a row is about.
#[derive(Debug, Clone, Copy)]
pub(super) enum Of<'a> {
    /// A session begins here; what is not known of that, in words.
    Session(&'a ShownEvents, &'static str),
    /// A session that stands elsewhere in the page, or too deep for it.
    Elsewhere(&'a ShownEvents, &'static str),
    /// An event, by its index in its session.
    Event(usize, &'a ShownLine),
}

/// All rows.
#[derive(Debug)]
pub(super) struct Rows<'a> {
    pub(super) all: Vec<Row<'a>>,
    /// Sessions of the page in order, by their indices in the report.
    pub(super) sessions: Vec<usize>,
    /// Events beyond the most that a page has.
    pub(super) left_out: usize,
}

impl<'a> Rows<'a> {
    /// Of these sessions and all below them, by their indices in the report.
    pub(super) fn new(report: &'a ReplayReport, roots: &[usize]) -> Self {
        Self::of(report, roots, MOST)
    }

    fn of(report: &'a ReplayReport, roots: &[usize], most: usize) -> Self {
        let family = Family::of(report);
        let rows = Self { all: Vec::new(), sessions: Vec::new(), left_out: 0 };
        let mut walk = Walk { report, family: &family, shown: BTreeSet::new(), most, rows };
        let tops = family.tops_first(roots);
        for index in &tops {
            walk.session(*index, 0, (tops.len() > 1).then_some(""));
        }
        walk.rows
    }

    /// By the session of the page and the index of an event in it: the row.
    pub(super) fn indices(&self) -> BTreeMap<(usize, usize), usize> {
        let indices = self.all.iter().enumerate().filter_map(|(at, row)| match row.of {
            Of::Event(index, _) => Some(((row.session, index), at)),
            Of::Session(..) | Of::Elsewhere(..) => None,
        });
        indices.collect()
    }

    pub(super) fn events(&self) -> usize {
        self.all.iter().filter(|row| matches!(row.of, Of::Event(..))).count()
    }
}

struct Walk<'a, 'f> {
    report: &'a ReplayReport,
    family: &'f Family,
    shown: BTreeSet<usize>,
    most: usize,
    rows: Rows<'a>,
}

impl<'a> Walk<'a, '_> {
    /// No deeper than [`Depth::MOST`].
    fn session(&mut self, index: usize, depth: usize, title: Option<&'static str>) {
        let Some(session) = self.report.sessions.get(index).filter(|_| self.shown.insert(index)) else { return };
        let of = self.rows.sessions.len();
        self.rows.sessions.push(index);
        if let Some(title) = title {
            self.push(Row { session: of, depth, of: Of::Session(session, title) });
        }
        let inside = depth + usize::from(title.is_some());
        let below = self.family.below(index);
        let mut next = below.iter().peekable();
        for (at, line) in session.lines.iter().enumerate() {
            let depth = inside + usize::from(line.subagent.is_some());
            self.push(Row { session: of, depth, of: Of::Event(at, line) });
            while let Some((_, child)) = next.next_if(|(starter, _)| *starter == Some(at)) {
                self.child(*child, depth + 1, "");
            }
        }
        for (_, child) in next {
            self.child(*child, inside, "started at an event that the log does not tell");
        }
    }

    fn child(&mut self, index: usize, depth: usize, title: &'static str) {
        let Some(session) = self.report.sessions.get(index) else { return };
        let session_of_page = self.rows.sessions.len().saturating_sub(1);
        let elsewhere = |why| Row { session: session_of_page, depth, of: Of::Elsewhere(session, why) };
        if self.shown.contains(&index) {
            return self.push(elsewhere("it stands elsewhere in this page"));
        }
        if depth > 2 * Depth::MOST.0 {
            return self.push(elsewhere("it is too deep for this page: `agent-strace replay` with its id shows it"));
        }
        self.session(index, depth, Some(title));
    }

    fn push(&mut self, row: Row<'a>) {
        if self.rows.all.len() < self.most {
            self.rows.all.push(row);
        } else if matches!(row.of, Of::Event(..)) {
            self.rows.left_out += 1;
        }
    }
}
