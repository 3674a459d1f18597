//! Keeps account of what was read of one file and what was not, bounded.

use super::detect::Unclaimed;
use agent_strace_model::Gap;

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

    pub(super) fn push(&mut self, line: Option<u32>, reason: impl Into<String>) {
        let file = self.file.clone();
        self.push_for(file, line, reason);
    }

    /// A gap of a file beside the log.
    pub(super) fn push_for(&mut self, file: String, line: Option<u32>, reason: impl Into<String>) {
        if self.list.len() < MAX_GAPS {
            self.list.push(Gap { file, line, reason: reason.into() });
        } else {
            self.uncounted += 1;
        }
    }

    /// A key that occurs twice in `what`: the last one was taken.
    pub(super) fn twice(&mut self, line: u32, key: &str, what: &str) {
        self.push(Some(line), format!("the key `{key}` occurs twice in {what}: readers disagree which one counts"));
    }

    /// A record was read.
    pub(super) fn count_record(&mut self) {
        self.records = self.records.saturating_add(1);
    }

    pub(super) fn records(&self) -> u32 {
        self.records
    }

    /// Part of a record, or all of it, is not JSON.
    pub(super) fn damage(&mut self, line: u32, reason: impl Into<String>) {
        self.damaged = true;
        self.push(Some(line), reason);
    }

    /// No format claims the log: what looked like JSON may be damaged.
    pub(super) fn unclaimed(&mut self, why: Unclaimed) {
        self.damaged = true;
        match why {
            Unclaimed::Cut => {
                self.truncated = true;
                self.push(None, "the log ends inside its first record: it may still be written or was cut off");
            }
            Unclaimed::Foreign(reason) => self.push(None, reason),
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
                self.push_for(gap.file, gap.line, gap.reason);
            }
        }
    }

    /// The log ends inside a record.
    pub(super) fn truncate(&mut self, line: u32) {
        self.truncated = true;
        self.damaged = true;
        self.push(Some(line), "the log ends inside a record: it may still be written or was cut off");
    }

    pub(super) fn truncated(&self) -> bool {
        self.truncated
    }

    pub(super) fn finish(mut self) -> Vec<Gap> {
        if self.uncounted > 0 {
            let reason = format!("{} more places of this file could not be read", self.uncounted);
            self.list.push(Gap { file: self.file, line: None, reason });
        }
        self.list.dedup();
        self.list
    }
}
