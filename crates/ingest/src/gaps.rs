//! Keeps account of what was read of one file and what was not, bounded.

use std::borrow::Cow;
use std::collections::HashSet;

use super::Side;
use super::detect::Unclaimed;
use agent_strace_model::{Cut, Gap, GapKind};

/// One damaged file can't flood a report: after this many gaps they are only counted.
pub(super) const MAX_GAPS: usize = 1_000;

/// The gaps of one log.
#[derive(Debug)]
pub(super) struct Gaps {
    file: String,
    list: Vec<Gap>,
    uncounted: u64,
    records: u32,
    truncated: bool,
    damaged: bool,
}

impl Gaps {
    pub(super) fn new(file: &str) -> Self {
        Self { file: file.to_owned(), list: Vec::new(), uncounted: 0, records: 0, truncated: false, damaged: false }
    }

    /// Of what is left of a damaged log.
    pub(super) fn of_mended(file: &str) -> Self {
        Self { damaged: true, ..Self::new(file) }
    }

    pub(super) fn push(&mut self, line: Option<u32>, kind: GapKind) {
        let file = self.file.clone();
        self.push_for(file, line, kind);
    }

    /// A file beside the log that says nothing that can be read.
    pub(super) fn damage_of(&mut self, side: &Side, detail: &'static str) {
        self.push_for(side.shown.clone(), None, GapKind::malformed(detail));
    }

    /// A gap of a file that belongs to the log.
    pub(super) fn push_for(&mut self, file: String, line: Option<u32>, kind: GapKind) {
        if self.list.len() < MAX_GAPS {
            self.list.push(Gap { file, line, kind });
        } else {
            self.uncounted += 1;
        }
    }

    /// A record or a part of one does not have the shape that its format prescribes.
    pub(super) fn malformed(&mut self, line: u32, detail: &'static str) {
        self.push(Some(line), GapKind::malformed(detail));
    }

    /// A record is of no kind that its format has, or belongs to another log.
    pub(super) fn unknown_record(&mut self, line: u32, detail: &'static str) {
        self.push(Some(line), GapKind::UnknownRecord(detail.into()));
    }

    /// The lines of which something is told already.
    pub(super) fn lines(&self) -> HashSet<u32> {
        self.list.iter().filter_map(|gap| gap.line).collect()
    }

    /// Something looks like a call and was not read as one.
    pub(super) fn unread_call(&mut self, line: u32, detail: String) {
        self.push(Some(line), GapKind::UnknownRecord(detail.into()));
    }

    /// The log says two things that can't both be so.
    pub(super) fn contradiction(&mut self, line: u32, detail: &'static str) {
        self.push(Some(line), GapKind::Contradiction(detail.into()));
    }

    /// Part of a record is beyond a limit.
    pub(super) fn limit(&mut self, line: u32, detail: &'static str) {
        self.push(Some(line), GapKind::limit(detail));
    }

    /// A key that occurs twice in `holder`: the last one was taken.
    pub(super) fn twice(&mut self, line: u32, key: &str, holder: &'static str) {
        self.push(Some(line), GapKind::DuplicateKey { key: key.to_owned(), holder });
    }

    /// A record was read.
    pub(super) fn count_record(&mut self) {
        self.records = self.records.saturating_add(1);
    }

    pub(super) fn records(&self) -> u32 {
        self.records
    }

    /// Part of a record, or all of it, is not JSON.
    pub(super) fn damage(&mut self, line: u32, detail: impl Into<Cow<'static, str>>) {
        self.damaged = true;
        self.push(Some(line), GapKind::InvalidJson(detail.into()));
    }

    /// No format claims the log: what looked like JSON may be damaged.
    pub(super) fn unclaimed(&mut self, why: Unclaimed) {
        self.damaged = true;
        match why {
            Unclaimed::Cut => {
                self.truncated = true;
                self.push(None, GapKind::Truncated(Cut::First));
            }
            Unclaimed::Foreign(detail) => self.push(None, GapKind::UnknownFormat(detail.into())),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn damaged(&self) -> bool {
        self.damaged
    }

    /// The damage is known; what else is wrong and how much was read is what the mended text says.
    pub(super) fn after_mending(&mut self, left: Self) {
        self.records = left.records;
        self.uncounted += left.uncounted;
        for gap in left.list {
            if !self.list.contains(&gap) {
                self.push_for(gap.file, gap.line, gap.kind);
            }
        }
    }

    /// The log ends inside a record.
    pub(super) fn truncate(&mut self, line: u32) {
        self.truncated = true;
        self.damaged = true;
        self.push(Some(line), GapKind::Truncated(Cut::Later));
    }

    pub(super) fn truncated(&self) -> bool {
        self.truncated
    }

    pub(super) fn finish(mut self) -> Vec<Gap> {
        if self.uncounted > 0 {
            self.list.push(Gap::of_file(self.file, GapKind::NotListed(self.uncounted)));
        }
        self.list.dedup();
        self.list
    }
}
