//! All measurements of a session in one place: budgets, costs, evals, lints, statistics and comparisons take their numbers
//! from [`Profile`], so that they agree.
//!
//! This crate must not know policies, rules or reports: it counts and never judges. Start with [`Profile`]; [`compare`]
//! compares two profiles.

mod actor;
mod asked;
pub mod compare;
mod ending;
mod estimate;
mod failure;
mod files;
pub mod money;
mod phase;
mod request;
mod running;
pub mod series;
mod tools;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;

use jiff::Timestamp;

use agent_strace_effects::{Certainty, Effect, Kind};
use agent_strace_model::{EventKind, Session, Status, Usage, moment};

pub use actor::ActorActivity;
pub use ending::Ended;
pub use failure::Failure;
pub(crate) use failure::Retry;
pub use files::Files;
pub use files::Reread;
pub use money::{Basis, Cost, Pricing};
pub use phase::Phase;
pub use request::Request;
pub use running::Charge;
pub use tools::{ToolUse, Tools};

/// An effect with the event that it belongs to.
#[derive(Debug, Clone, Copy)]
pub struct TimedEffect<'a> {
    /// 1-based number of its event.
    pub event: u32,
    /// `None`: the event is not a call; the log states the effect as done.
    pub status: Option<Status>,
    pub effect: &'a Effect,
}

/// A session with its effects. Each measurement is computed on first use and cached.
#[derive(Debug)]
pub struct Measured<'a> {
    session: &'a Session<'a>,
    effects: Vec<TimedEffect<'a>>,
    pricing: Pricing<'a>,
    files: OnceCell<Files>,
    requests: OnceCell<Vec<Request>>,
    failed: OnceCell<(Vec<Failure>, Vec<Retry>)>,
    cost: OnceCell<Cost>,
    span: OnceCell<Span>,
}

impl<'a> Measured<'a> {
    pub fn new(session: &'a Session<'a>, effects: Vec<TimedEffect<'a>>, pricing: Pricing<'a>) -> Self {
        let (files, requests, failed) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { session, effects, pricing, files, requests, failed, cost: OnceCell::new(), span: OnceCell::new() }
    }

    /// Reads and changes of files.
    pub fn files(&self) -> &Files {
        self.files.get_or_init(|| files::files(self.session, &self.effects))
    }

    /// The requests to the model, each once.
    pub fn requests(&self) -> &[Request] {
        self.requests.get_or_init(|| request::requests(self.session, &self.pricing))
    }

    /// Failed calls and other failures, in order.
    pub fn failures(&self) -> &[Failure] {
        &self.failed().0
    }

    /// Repetitions of failed calls, in order.
    pub fn retries(&self) -> &[Retry] {
        &self.failed().1
    }

    fn failed(&self) -> &(Vec<Failure>, Vec<Retry>) {
        self.failed.get_or_init(|| failure::failures(self.session))
    }

    /// The cost of the session.
    pub fn cost(&self) -> &Cost {
        self.cost.get_or_init(|| self.pricing.session(self.session, self.requests()))
    }

    /// The growth of the cost, by event.
    pub fn charges(&self) -> Vec<Charge> {
        running::charges(self.session, self.requests(), &self.pricing)
    }

    /// The time span in which the session ran.
    pub fn span(&self) -> Span {
        *self.span.get_or_init(|| Span::of(self.session))
    }

    /// Calls, also those that were refused or failed.
    pub fn calls(&self) -> usize {
        self.session.calls().count()
    }

    /// How the session ended.
    pub fn ended(&self) -> Ended {
        Ended::of(self.session)
    }

    /// The price table of its requests.
    pub fn pricing(&self) -> &Pricing<'a> {
        &self.pricing
    }

    /// The activity of the whole session.
    pub fn whole(&self) -> ActorActivity<'_> {
        ActorActivity::whole(self.session, &self.effects)
    }

    /// The activity of each sub-agent whose calls are in the log. Sub-agents without a name of their own count as one.
    pub fn subagents(&self) -> Vec<ActorActivity<'_>> {
        actor::subagents(self.session, &self.effects)
    }

    /// All measurements, for callers that no longer need the session.
    pub fn into_profile(self) -> Profile {
        Profile::of(&self)
    }
}

/// From the earliest recorded time to the latest, of an event or of the session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
}

/// The time span in which a session ran.
pub fn span(session: &Session<'_>) -> Span {
    Span::of(session)
}

impl Span {
    fn of(session: &Session<'_>) -> Self {
        let beside = [&session.span.started, &session.span.ended].into_iter().flatten();
        let times = session.events.iter().filter_map(|event| event.time.as_ref()).chain(beside);
        times.filter_map(|time| moment(time)).fold(Self::default(), |span, time| Self {
            first: Some(span.first.map_or(time, |first| first.min(time))),
            last: Some(span.last.map_or(time, |last| last.max(time))),
        })
    }

    /// In milliseconds.
    pub fn duration(self) -> Option<u64> {
        u64::try_from(self.last?.duration_since(self.first?).as_millis()).ok()
    }
}

/// All measurements of one session.
#[derive(Debug, Clone)]
pub struct Profile {
    pub id: String,
    pub agent: String,
    pub source: String,
    /// The session that started it.
    pub parent: Option<String>,
    /// The earliest and the latest recorded time.
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
    pub ended: Ended,
    pub events: usize,
    /// Calls, including denied and failed ones and those of its sub-agents in the same log.
    pub calls: usize,
    /// Calls that were denied before they ran.
    pub refused: usize,
    /// Calls without a recorded end: they may have failed.
    pub unanswered: usize,
    /// Prompts in its own conversation.
    pub turns: usize,
    /// As recorded, each answer once.
    pub usage: Usage,
    pub requests: Vec<Request>,
    /// Pauses of more than two minutes between two requests.
    pub resets: usize,
    pub cost: Cost,
    /// Calls that failed, and what failed outside of calls, in order.
    pub failures: Vec<Failure>,
    /// The same call again after it failed, in order.
    pub retries: Vec<Retry>,
    pub tools: Tools,
    /// How many files were read, each counted once.
    pub files_read: usize,
    pub files: Files,
    /// Every simple command that ran.
    pub commands: Vec<Ran>,
    pub hosts: BTreeSet<String>,
    /// It contacted hosts that the log does not name.
    pub unknown_hosts: bool,
    pub subagents: usize,
    /// Decisions that the agent recorded, in order. Raw log text.
    pub decisions: Vec<String>,
    pub phases: Vec<Phase>,
}

/// One simple command that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    pub event: u32,
    /// Program and arguments; unresolved words are patterns. Raw log text.
    pub words: Vec<String>,
}

impl Profile {
    fn of(measured: &Measured<'_>) -> Self {
        let Measured { session, effects, pricing, .. } = measured;
        let (whole, requests, span) = (measured.whole(), measured.requests(), measured.span());
        let (failures, retries) = (measured.failures(), measured.retries());
        let hosts = series::connections(effects);
        let hosts: BTreeSet<Option<String>> = hosts.map(|(_, connection)| connection.host.clone()).collect();
        Self {
            id: session.id.clone().into_owned(),
            agent: session.agent.clone().into_owned(),
            source: session.source.clone(),
            parent: session.parent.as_ref().map(|parent| parent.clone().into_owned()),
            first: span.first,
            last: span.last,
            ended: measured.ended(),
            events: session.events.len(),
            calls: measured.calls(),
            refused: session.calls().filter(|(_, call)| call.status == Status::Denied).count(),
            unanswered: session.calls().filter(|(_, call)| call.status == Status::Missing).count(),
            turns: count(&series::turns(&whole, session)),
            usage: session.usage,
            resets: request::resets(requests),
            requests: requests.to_vec(),
            cost: measured.cost().clone(),
            failures: failures.to_vec(),
            retries: retries.to_vec(),
            tools: tools::tools(session),
            files_read: files::read(effects),
            files: measured.files().clone(),
            commands: commands(effects),
            unknown_hosts: hosts.contains(&None),
            hosts: hosts.into_iter().flatten().collect(),
            subagents: count(&series::subagents(&whole, session)),
            decisions: decisions(session),
            phases: phase::phases(session, effects, requests, pricing, failures, retries),
        }
    }

    /// Rewrites what was done to files, run and said; the numbers stay.
    pub fn rewrite(&mut self, written: &dyn for<'t> Fn(&'t str) -> Cow<'t, str>) {
        let rewrite = |text: &mut String| {
            if let Cow::Owned(other) = written(text) {
                *text = other;
            }
        };
        let rewrite_all = |texts: &mut BTreeSet<String>| {
            *texts = std::mem::take(texts).iter().map(|text| written(text).into_owned()).collect();
        };
        self.failures.iter_mut().filter_map(|failure| failure.said.as_mut()).for_each(rewrite);
        self.files.rereads.iter_mut().for_each(|reread| rewrite(&mut reread.path));
        self.commands.iter_mut().flat_map(|ran| &mut ran.words).for_each(rewrite);
        self.decisions.iter_mut().for_each(rewrite);
        rewrite_all(&mut self.hosts);
        for phase in &mut self.phases {
            rewrite(&mut phase.label);
            rewrite_all(&mut phase.read);
            rewrite_all(&mut phase.changed);
        }
    }

    /// From the earliest recorded time to the latest, in milliseconds.
    pub fn duration(&self) -> Option<u64> {
        Span { first: self.first, last: self.last }.duration()
    }

    /// Billed tokens, as recorded.
    pub fn tokens(&self) -> u64 {
        series::total_tokens(&self.usage)
    }

    /// The number of failures.
    pub fn errors(&self) -> usize {
        self.failures.len()
    }
}

fn count(series: &series::Series) -> usize {
    usize::try_from(series.total()).unwrap_or(usize::MAX)
}

fn commands(effects: &[TimedEffect<'_>]) -> Vec<Ran> {
    let done = effects
        .iter()
        .filter(|timed| timed.status != Some(Status::Denied) && timed.effect.certainty != Certainty::Possible);
    let ran = done.filter_map(|timed| match &timed.effect.kind {
        Kind::Execute(execution) => Some(Ran {
            event: timed.event,
            words: execution.argv.iter().map(|argument| argument.text.clone()).collect(),
        }),
        _ => None,
    });
    ran.collect()
}

fn decisions(session: &Session<'_>) -> Vec<String> {
    let texts = session.events.iter().filter_map(|event| match &event.kind {
        EventKind::Decision(text) => Some(text.decode().into_owned()),
        _ => None,
    });
    texts.collect()
}

#[cfg(test)]
mod tests;
