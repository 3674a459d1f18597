//! What came out, by source, as the table that the crate's documentation shows.

use std::collections::BTreeMap;
use std::fmt;

use super::judge::Verdict;
use super::reported::Claim;
use super::trace::Act;

const ACTS: [Act; 5] = [Act::Read, Act::Write, Act::Delete, Act::Connect, Act::Execute];

/// Sums over the texts of one source.
#[derive(Debug, Default, Clone)]
pub(super) struct Row {
    pub(super) texts: usize,
    pub(super) succeeded: usize,
    pub(super) opaque: usize,
    pub(super) done: BTreeMap<Act, usize>,
    pub(super) missed: BTreeMap<Act, usize>,
    pub(super) quiet: usize,
    pub(super) loud: usize,
    pub(super) maybe: usize,
    /// Deeds of opaque texts that no effect names.
    pub(super) unnamed: usize,
}

impl Row {
    pub(super) fn add(&mut self, verdict: &Verdict) {
        self.texts += 1;
        self.succeeded += usize::from(verdict.succeeded);
        self.opaque += usize::from(verdict.opaque);
        for observed in &verdict.done {
            *self.done.entry(observed.act).or_default() += 1;
        }
        for observed in verdict.missed() {
            *self.missed.entry(observed.act).or_default() += 1;
        }
        if verdict.opaque {
            self.unnamed += verdict.uncovered.len();
        }
        self.quiet += usize::from(verdict.quiet);
        self.loud += usize::from(verdict.says_too_much());
        self.maybe += usize::from(verdict.quiet && verdict.claim == Claim::Possible);
    }

    pub(super) fn done(&self, act: Act) -> usize {
        self.done.get(&act).copied().unwrap_or_default()
    }

    pub(super) fn missed(&self, act: Act) -> usize {
        self.missed.get(&act).copied().unwrap_or_default()
    }
}

/// One row a source, and one for all of them.
pub(super) struct Table {
    pub(super) rows: BTreeMap<String, Row>,
    pub(super) all: Row,
}

impl Table {
    pub(super) fn of(verdicts: &[Verdict]) -> Self {
        let mut table = Self { rows: BTreeMap::new(), all: Row::default() };
        for verdict in verdicts {
            table.rows.entry(verdict.source.clone()).or_default().add(verdict);
            table.all.add(verdict);
        }
        table
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| source | texts | ended well | opaque | reads | writes | deletes | connects | executes | quiet |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|---|---|---|")?;
        let all = ("all".to_owned(), self.all.clone());
        for (source, row) in self.rows.clone().into_iter().chain([all]) {
            write!(f, "| {source} | {} | {} | {} |", row.texts, row.succeeded, share(row.opaque, row.texts))?;
            for act in ACTS {
                write!(f, " {} / {} |", row.missed(act), row.done(act))?;
            }
            writeln!(f, " {} / {} |", row.loud, row.quiet)?;
        }
        Ok(())
    }
}

fn share(part: usize, whole: usize) -> String {
    let tenths = (part * 1000 + whole / 2).checked_div(whole).unwrap_or(0);
    format!("{part} ({}.{} %)", tenths / 10, tenths % 10)
}
