//! What a session cost, from the agent's own log: hooks are told of no usage.

use std::path::Path;
use std::time::{Duration, Instant};

use super::Stamp;
use agent_strace_ingest::Log;
use agent_strace_ingest::discover::{self, Machine, Sink, Source, Wanted};
use agent_strace_live::watch::Spending;
use agent_strace_metrics::{Measured, Pricing};
use agent_strace_model::Gap;

/// The log of a session that has just begun appears soon; logs of sub-agents appear while a session runs.
const AGAIN: Duration = Duration::from_millis(1500);
/// At most this share of the time is spent on searches.
const SHARE: u32 = 20;
/// A larger log is not read again and again.
const LARGEST: u64 = 256 << 20;
/// Some agents put only the beginning of the id into the name of the file.
const SHORT: usize = 8;

/// The logs of one session.
#[derive(Default)]
pub(super) struct OwnLogs {
    /// As its agent calls it.
    pub(super) id: String,
    pub(super) agent: String,
    logs: Vec<OwnLog>,
    /// The end of the last search, and how long it took.
    searched: Option<(Instant, Duration)>,
}

struct OwnLog {
    source: Source,
    stamp: Option<Stamp>,
    /// `None`: it records no usage of this session.
    spending: Option<Spending>,
    problem: Option<String>,
}

impl OwnLogs {
    /// What was spent, and whether that changed; `None`: no log tells.
    pub(super) fn spending(&mut self, machine: &Machine, pricing: Pricing<'_>) -> Option<Spending> {
        self.search(machine);
        let id = self.id.clone();
        for log in &mut self.logs {
            let stamp = Stamp::of(Path::new(&log.source.shown));
            if stamp != log.stamp {
                log.stamp = stamp;
                log.read(&id, pricing);
            }
        }
        let problem = self.logs.iter().find_map(|log| log.problem.as_deref());
        let all = self.logs.iter().filter_map(|log| log.spending.clone()).reduce(Spending::and);
        match (all, problem) {
            (Some(all), Some(problem)) => Some(all.and(Spending::unknown(problem))),
            (all, _) => all,
        }
    }

    fn search(&mut self, machine: &Machine) {
        let is_early = |(end, took): (Instant, Duration)| end.elapsed() < AGAIN.max(took * SHARE);
        if self.id.is_empty() || self.searched.is_some_and(is_early) {
            return;
        }
        let began = Instant::now();
        let wanted = Wanted { agents: vec![self.agent.clone()], since: None };
        let short = self.id.get(..SHORT).unwrap_or(&self.id);
        for source in discover::on_machine(machine, &wanted).sources {
            let is_known = self.logs.iter().any(|log| log.source.shown == source.shown);
            // The recording itself is in a store.
            if !is_known && source.entry.is_none() && (source.shown.contains(&self.id) || source.shown.contains(short))
            {
                self.logs.push(OwnLog { source, stamp: None, spending: None, problem: None });
            }
        }
        self.searched = Some((Instant::now(), began.elapsed()));
    }

    /// The next look searches, however short the last search is ago.
    pub(super) fn search_again(&mut self) {
        self.searched = None;
    }
}

impl OwnLog {
    fn read(&mut self, id: &str, pricing: Pricing<'_>) {
        (self.spending, self.problem) = (None, None);
        if self.stamp.as_ref().is_some_and(|stamp| stamp.length > LARGEST) {
            self.problem = Some("the agent's own log is too large to be followed".to_owned());
            return;
        }
        let mut found = CollectedLogs::default();
        self.source.read(&mut found);
        for log in &found.logs {
            let reading = log.read();
            let ours = reading.sessions.iter().filter(|session| {
                session.id == id || session.parent.as_deref() == Some(id) || session.filed_under.as_deref() == Some(id)
            });
            let spent = ours.filter_map(|session| {
                let measured = Measured::new(session, Vec::new(), pricing);
                Spending::of(measured.cost(), measured.requests())
            });
            let spent = spent.reduce(Spending::and);
            self.spending = self.spending.take().into_iter().chain(spent).reduce(Spending::and);
        }
        if found.is_damaged {
            self.problem = Some("the agent's own log can't be read whole".to_owned());
        }
    }
}

#[derive(Default)]
struct CollectedLogs {
    logs: Vec<Log>,
    is_damaged: bool,
}

impl Sink for CollectedLogs {
    fn more(&mut self, _: u64) {}

    fn log(&mut self, log: Log) {
        self.logs.push(log);
    }

    fn gap(&mut self, _: Gap) {
        self.is_damaged = true;
    }
}
