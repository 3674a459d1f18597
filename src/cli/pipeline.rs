//! Reads logs in parallel and applies a function to each, with results in the order of the logs and bounded memory.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::environment::Environment;
use super::failure::Failure;
use super::gate::SessionRequests;
use super::progress::Progress;
use super::repeats::{Counted, Repeats};
use super::reread;
use super::session_filter::SessionFilter;
use agent_strace_git::Blobs;
use agent_strace_ingest::discover::{self, Found, SelectError, Selection, Sink, Source};
use agent_strace_ingest::{Log, Reading};
use agent_strace_model::{Gap, Session};

/// Bytes of logs in memory at once. A larger log is read alone.
const BUDGET: u64 = 64 << 20;

/// The logs to read.
pub(super) struct Inputs {
    found: Found,
    /// Progress is shown on a terminal.
    progress: bool,
    /// Standard input, already read.
    stdin: Vec<Log>,
    wanted: SessionFilter,
    /// The whole store was selected, not named sessions.
    whole_store: bool,
    /// The files of the change that is judged, where logs are compared with them.
    blobs: Option<Blobs>,
}

/// The logs of standard input, and its gaps.
#[derive(Default)]
struct Stdin {
    logs: Vec<Log>,
    gaps: Vec<Gap>,
}

impl Sink for Stdin {
    fn more(&mut self, _: u64) {}

    fn log(&mut self, log: Log) {
        self.logs.push(log);
    }

    fn gap(&mut self, gap: Gap) {
        self.gaps.push(gap);
    }
}

/// Whether logs may be processed at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    AtOnce,
    OneByOne,
}

impl Inputs {
    /// The logs of all agents on the machine.
    pub(super) fn discover(
        homes: &discover::Machine,
        wanted: SessionFilter,
        environment: Environment,
    ) -> Result<Self, Failure> {
        let found = discover::on_machine(homes, &wanted.on_machine()?);
        Ok(Self { found, progress: environment.progress, stdin: Vec::new(), wanted, whole_store: false, blobs: None })
    }

    /// Only those that are wanted.
    pub(super) fn only(self, wanted: SessionFilter) -> Self {
        Self { wanted, ..self }
    }

    /// Nothing.
    pub(super) fn none(environment: Environment) -> Self {
        let (found, wanted) = (Found::default(), SessionFilter::default());
        Self { found, progress: environment.progress, stdin: Vec::new(), wanted, whole_store: true, blobs: None }
    }

    pub(super) fn select(
        trace_dir: &Path,
        requests: &[String],
        selection: Selection,
        environment: Environment,
        stdin: &mut dyn Read,
    ) -> Result<Self, Failure> {
        Self::select_in(Path::new("."), trace_dir, SessionRequests { named: requests, selection }, environment, stdin)
    }

    /// Like [`Self::select`], with the git objects of another repository.
    pub(super) fn select_in(
        repository: &Path,
        trace_dir: &Path,
        SessionRequests { named: requests, selection }: SessionRequests<'_>,
        environment: Environment,
        stdin: &mut dyn Read,
    ) -> Result<Self, Failure> {
        let found = discover::select_in(trace_dir, repository, requests, selection);
        let mut found = found.map_err(|error| select_failure(&error))?;
        let mut logs = Stdin::default();
        if found.stdin {
            discover::read_stream("-", stdin, &mut logs);
        }
        found.gaps.append(&mut logs.gaps);
        let whole_store = requests.is_empty() && selection == Selection::All;
        let wanted = SessionFilter::default();
        Ok(Self { found, progress: environment.progress, stdin: logs.logs, wanted, whole_store, blobs: None })
    }

    /// Whether it is all of the store, however it was asked for.
    pub(super) fn of_whole_store(self, whole_store: bool) -> Self {
        Self { whole_store, ..self }
    }

    /// No log at all was found, not even an unreadable one.
    pub(super) fn is_empty(&self) -> bool {
        self.found.sources.is_empty() && self.stdin.is_empty() && self.found.gaps.is_empty()
    }

    /// Logs, as reports name them.
    pub(super) fn logs(&self) -> Vec<String> {
        self.found.sources.iter().map(|source| source.shown.clone()).collect()
    }

    /// Leaves these logs out, and says how many there are.
    pub(super) fn leave_out(&mut self, logs: &BTreeSet<String>) -> usize {
        let before = self.found.sources.len();
        self.found.sources.retain(|source| !logs.contains(&source.shown));
        before - self.found.sources.len()
    }

    /// All of it lies in the store, as far as it was asked for there.
    pub(super) fn is_whole_store(&self) -> bool {
        self.whole_store
    }

    /// Some of it lies in this store.
    pub(super) fn are_in(&self, trace_dir: &Path) -> bool {
        let Ok(store) = trace_dir.canonicalize() else { return false };
        let lies_there = |source: &Source| {
            let folder = source.entry.as_ref().and(Path::new(&source.shown).parent());
            folder.and_then(|folder| folder.canonicalize().ok()).is_some_and(|folder| folder.starts_with(&store))
        };
        self.found.sources.iter().any(lies_there)
    }

    /// Adds a gap for another unreadable input, once.
    pub(super) fn lack(&mut self, gap: Option<Gap>) {
        self.found.gaps.extend(gap.filter(|gap| !self.found.gaps.contains(gap)));
    }

    /// Logs that the change holds are its own, wherever else the caller says that logs came from.
    pub(super) fn compare_with(&mut self, blobs: Blobs) {
        for log in &mut self.stdin {
            log.committed |= blobs.hold(log.bytes());
        }
        self.blobs = Some(blobs);
    }

    /// Sessions of the store that were not asked for.
    pub(super) fn left_out(&self) -> usize {
        self.found.left_out
    }

    /// Reads every log and works on it. Results are in the order of the logs; gaps are those of logs that could not be
    /// read at all.
    pub(super) fn each<T: Send>(self, work: impl Fn(Reading<'_>) -> T + Sync) -> (Vec<T>, Vec<Gap>) {
        self.each_log(Order::AtOnce, |_, reading| work(reading))
    }

    /// As [`Self::each`], with the log itself.
    pub(super) fn each_log<T: Send>(
        &self,
        order: Order,
        work: impl Fn(&Log, Reading<'_>) -> T + Sync,
    ) -> (Vec<T>, Vec<Gap>) {
        let put = |results: &mut Vec<T>, log: &Log, reading: Reading<'_>| results.push(work(log, reading));
        self.gather(order, put, Vec::extend)
    }

    /// Like [`Self::each_log`], but calls and answers that several sessions hold count in one of them.
    fn each_once<T: Send>(&self, work: impl Fn(&Log, Reading<'_>) -> T + Sync) -> (Vec<T>, Vec<Gap>) {
        let (mut logs, mut gaps) = self.each_log(Order::AtOnce, |log, reading| Counted::new(log, reading, &work));
        let repeats = Repeats::of(&logs);
        let named = repeats.logs();
        let again = self.again(&named, |log, reading| {
            Counted::new(log, reading, |log, mut reading| {
                repeats.apply(log, &mut reading);
                work(log, reading)
            })
        });
        gaps.extend(reread::replace(&mut logs, again, &named));
        (logs.into_iter().map(|log| log.result).collect(), gaps)
    }

    /// Reads these logs once more, by the names that reports have for them.
    pub(super) fn again<T: Send>(&self, logs: &BTreeSet<&str>, work: impl Fn(&Log, Reading<'_>) -> T + Sync) -> Vec<T> {
        let is_wanted = |log: &Log| logs.contains(log.shown.as_str());
        // What lies in an archive is named after it.
        let holds = |source: &Source| {
            let next = logs.range(source.shown.as_str()..).next();
            next.is_some_and(|shown| shown.starts_with(&source.shown))
        };
        let sources = self.found.sources.iter().filter(|source| holds(source));
        let put = |results: &mut Vec<T>, log: &Log| {
            if is_wanted(log) {
                results.push(work(log, self.read(log)));
            }
        };
        let mut results = self.fold(sources.collect(), Order::AtOnce, put, Vec::extend).0;
        self.stdin.iter().for_each(|log| put(&mut results, log));
        results
    }

    fn read<'l>(&self, log: &'l Log) -> Reading<'l> {
        let mut reading = log.read();
        self.wanted.apply(&mut reading);
        reading
    }

    /// Folds the logs in groups, and joins the results of the groups in the order of the logs.
    fn gather<A: Default + Send>(
        &self,
        order: Order,
        work: impl Fn(&mut A, &Log, Reading<'_>) + Sync,
        join: impl Fn(&mut A, A) + Sync,
    ) -> (A, Vec<Gap>) {
        let work = |results: &mut A, log: &Log| work(results, log, self.read(log));
        let (mut results, lacking) = self.fold(self.found.sources.iter().collect(), order, work, join);
        let mut gaps = self.found.gaps.clone();
        gaps.extend(lacking);
        for log in &self.stdin {
            work(&mut results, log);
        }
        gaps.sort();
        (results, gaps)
    }

    /// The same for some of the sources, with the gaps of those alone.
    fn fold<A: Default + Send>(
        &self,
        sources: Vec<&Source>,
        order: Order,
        work: impl Fn(&mut A, &Log) + Sync,
        join: impl Fn(&mut A, A) + Sync,
    ) -> (A, Vec<Gap>) {
        let budget = Budget::default();
        let progress = Progress::new(self.progress, sources.len(), "logs");
        let read = |(mut results, mut gaps): (A, Vec<Gap>), source: &Source| {
            let held = budget.hold(source.size);
            source.read(&mut Work {
                held,
                run: &work,
                results: &mut results,
                gaps: &mut gaps,
                blobs: self.blobs.as_ref(),
            });
            progress.step();
            (results, gaps)
        };
        // A pool of threads costs more than one small log.
        let at_once = sources.len() > 1 && order == Order::AtOnce;
        let nothing = || (A::default(), Vec::new());
        if at_once {
            let parts = sources.into_par_iter().fold(nothing, read);
            parts.reduce(nothing, |(mut results, mut gaps), (more, lacking)| {
                join(&mut results, more);
                gaps.extend(lacking);
                (results, gaps)
            })
        } else {
            sources.into_iter().fold(nothing(), read)
        }
    }
}

impl Inputs {
    /// Folds all sessions into one value and returns it with all gaps. No session stays in memory. `join` appends the
    /// result of later logs.
    pub(super) fn sum<A: Default + Send>(
        self,
        work: impl Fn(&mut A, &Session<'_>) + Sync,
        join: impl Fn(&mut A, A) + Sync,
    ) -> (A, Vec<Gap>) {
        let add = |(sum, gaps): &mut (A, Vec<Gap>), _: &Log, reading: Reading<'_>| {
            reading.sessions.iter().for_each(|session| work(sum, session));
            gaps.extend(reading.gaps);
        };
        let join = |(sum, gaps): &mut (A, Vec<Gap>), (later, more): (A, Vec<Gap>)| {
            join(sum, later);
            gaps.extend(more);
        };
        let ((sum, lacking), mut gaps) = self.gather(Order::AtOnce, add, join);
        gaps.extend(lacking);
        gaps.sort();
        (sum, gaps)
    }

    /// Applies `work` to every session, and returns the results with all gaps.
    pub(super) fn all<T: Send>(self, work: impl Fn(&Session<'_>) -> T + Sync) -> (Vec<T>, Vec<Gap>) {
        let (parts, gaps) = self.each(|reading| of_each(&reading, &work));
        joined(parts, gaps)
    }

    /// Like [`Self::all`], but calls and answers that several sessions hold count in one of them.
    pub(super) fn all_once<T: Send>(self, work: impl Fn(&Session<'_>) -> T + Sync) -> (Vec<T>, Vec<Gap>) {
        let (parts, gaps) = self.each_once(|_, reading| of_each(&reading, &work));
        joined(parts, gaps)
    }
}

/// The results for the sessions of a log, and its gaps.
type Part<T> = (Vec<T>, Vec<Gap>);

fn of_each<T>(reading: &Reading<'_>, work: impl Fn(&Session<'_>) -> T) -> Part<T> {
    (reading.sessions.iter().map(work).collect(), reading.gaps.clone())
}

fn joined<T>(parts: Vec<Part<T>>, mut gaps: Vec<Gap>) -> Part<T> {
    let mut results = Vec::new();
    for (part, part_gaps) in parts {
        results.extend(part);
        gaps.extend(part_gaps);
    }
    gaps.sort();
    (results, gaps)
}

pub(super) fn select_failure(error: &SelectError) -> Failure {
    let failure = Failure::new(error.to_string());
    match error {
        SelectError::NotFound(_) => failure.hint("`agent-strace list` shows the sessions in the store"),
        SelectError::Ambiguous { .. } => failure.hint("give more of the id"),
        SelectError::Revision { .. } => failure.hint("`git:REV[:PATH]` and `entire[:WHICH]` read this repository"),
        SelectError::NoCheckpoints => {
            failure.hint("`git fetch origin entire/checkpoints/v1:refs/remotes/origin/entire/checkpoints/v1` gets them")
        }
    }
}

/// Works on the logs of one source, each before the next one is read.
struct Work<'w, A, F> {
    held: Held<'w>,
    run: &'w F,
    results: &'w mut A,
    gaps: &'w mut Vec<Gap>,
    blobs: Option<&'w Blobs>,
}

impl<A, F: Fn(&mut A, &Log)> Sink for Work<'_, A, F> {
    fn more(&mut self, bytes: u64) {
        self.held.grow(bytes);
    }

    fn log(&mut self, log: Log) {
        (self.run)(self.results, &log);
        self.held.shrink(log.bytes().len() as u64);
    }

    fn gap(&mut self, gap: Gap) {
        self.gaps.push(gap);
    }

    fn blobs(&self) -> Option<&Blobs> {
        self.blobs
    }
}

/// Counts the bytes in memory. A reader that would exceed the budget waits.
#[derive(Default)]
struct Budget {
    used: Mutex<Used>,
    freed: Condvar,
}

#[derive(Default)]
struct Used {
    bytes: u64,
    /// One source at a time may be larger than was known before it was unpacked, however large it gets.
    exceeding: bool,
}

impl Budget {
    fn hold(&self, size: u64) -> Held<'_> {
        let size = size.min(BUDGET);
        let mut used = self.lock();
        while used.bytes + size > BUDGET {
            used = self.freed.wait(used).unwrap_or_else(PoisonError::into_inner);
        }
        used.bytes += size;
        Held { budget: self, size, more: 0, exceeds: false }
    }

    fn lock(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Held<'a> {
    budget: &'a Budget,
    size: u64,
    /// Beyond `size`.
    more: u64,
    exceeds: bool,
}

impl Held<'_> {
    /// Waits until there is room, or until no other source exceeds the budget.
    fn grow(&mut self, bytes: u64) {
        let mut used = self.budget.lock();
        while !self.exceeds && used.bytes + bytes > BUDGET {
            if used.exceeding {
                used = self.budget.freed.wait(used).unwrap_or_else(PoisonError::into_inner);
            } else {
                used.exceeding = true;
                self.exceeds = true;
            }
        }
        used.bytes += bytes;
        self.more += bytes;
    }

    /// Bytes that were unpacked are done with.
    fn shrink(&mut self, bytes: u64) {
        let mut used = self.budget.lock();
        let bytes = bytes.min(self.more);
        used.bytes -= bytes;
        self.more -= bytes;
        if self.exceeds && self.more == 0 {
            used.exceeding = false;
            self.exceeds = false;
        }
        drop(used);
        self.budget.freed.notify_all();
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.shrink(self.more);
        self.budget.lock().bytes -= self.size;
        self.budget.freed.notify_all();
    }
}
