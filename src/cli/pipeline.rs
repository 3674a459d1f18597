//! Logs → work done on each, in parallel, with the results in the order of the logs and bounded memory.

use std::io::Read;
use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};

use rayon::prelude::*;

use super::environment::Environment;
use super::failure::Failure;
use super::progress::Progress;
use crate::ingest::discover::{self, Found, SelectError, Selection, Source};
use crate::ingest::{Log, Reading};
use crate::model::{Gap, Session};

/// Bytes of logs in memory at once. A larger log is read alone.
const BUDGET: u64 = 64 << 20;

/// What is to be read.
pub(super) struct Inputs {
    found: Found,
    /// Somebody waits at a terminal.
    progress: bool,
    /// Standard input, already read.
    stdin: Option<Result<Log, Gap>>,
}

impl Inputs {
    pub(super) fn select(
        trace_dir: &Path,
        requests: &[String],
        selection: Selection,
        environment: Environment,
        stdin: &mut dyn Read,
    ) -> Result<Self, Failure> {
        let found = discover::select(trace_dir, requests, selection).map_err(|error| select_failure(&error))?;
        let stdin = found.stdin.then(|| Log::from_reader("-", stdin));
        Ok(Self { found, progress: environment.progress, stdin })
    }

    /// No log at all was found, not even an unreadable one.
    pub(super) fn is_empty(&self) -> bool {
        self.found.sources.is_empty() && self.stdin.is_none() && self.found.gaps.is_empty()
    }

    /// Something else that had to be read and could not.
    pub(super) fn lack(&mut self, gap: Option<Gap>) {
        self.found.gaps.extend(gap);
    }

    /// Sessions of the store that were not asked for.
    pub(super) fn left_out(&self) -> usize {
        self.found.left_out
    }

    /// Reads every log and works on it. Results are in the order of the logs; gaps are those of logs that could not be
    /// read at all.
    pub(super) fn each<T: Send>(self, work: impl Fn(Reading<'_>) -> T + Sync) -> (Vec<T>, Vec<Gap>) {
        let budget = Budget::default();
        let progress = Progress::new(self.progress, self.found.sources.len());
        let read = |source: &Source| {
            let _held = budget.hold(source.size);
            let result = source.load().map(|log| work(log.read()));
            progress.step();
            result
        };
        let sources = &self.found.sources;
        // A pool of threads costs more than one small log.
        let done: Vec<Result<T, Gap>> = match sources.as_slice() {
            [] | [_] => sources.iter().map(read).collect(),
            _ => sources.par_iter().map(read).collect(),
        };
        let stdin = self.stdin.map(|log| log.map(|log| work(log.read())));
        let mut gaps = self.found.gaps;
        let mut results = Vec::with_capacity(done.len());
        for result in done.into_iter().chain(stdin) {
            match result {
                Ok(result) => results.push(result),
                Err(gap) => gaps.push(gap),
            }
        }
        gaps.sort();
        (results, gaps)
    }
}

impl Inputs {
    /// What `work` makes of every session, and everything that could not be read.
    pub(super) fn all<T: Send>(self, work: impl Fn(&Session<'_>) -> T + Sync) -> (Vec<T>, Vec<Gap>) {
        let (parts, mut gaps) =
            self.each(|reading| (reading.sessions.iter().map(&work).collect::<Vec<_>>(), reading.gaps));
        let mut results = Vec::new();
        for (part, part_gaps) in parts {
            results.extend(part);
            gaps.extend(part_gaps);
        }
        gaps.sort();
        (results, gaps)
    }
}

fn select_failure(error: &SelectError) -> Failure {
    let failure = Failure::new(error.to_string());
    match error {
        SelectError::NotFound(_) => failure.hint("`agent-strace list` shows the sessions in the store"),
        SelectError::Ambiguous { .. } => failure.hint("give more of the id"),
    }
}

/// Counts the bytes in memory; who would exceed the budget waits.
#[derive(Default)]
struct Budget {
    used: Mutex<u64>,
    freed: Condvar,
}

impl Budget {
    fn hold(&self, size: u64) -> Held<'_> {
        let size = size.min(BUDGET);
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        while *used + size > BUDGET {
            used = self.freed.wait(used).unwrap_or_else(PoisonError::into_inner);
        }
        *used += size;
        Held { budget: self, size }
    }
}

struct Held<'a> {
    budget: &'a Budget,
    size: u64,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut used = self.budget.used.lock().unwrap_or_else(PoisonError::into_inner);
        *used -= self.size;
        drop(used);
        self.budget.freed.notify_all();
    }
}
