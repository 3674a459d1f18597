//! Everything that is counted of one session, in one place: budgets, costs, evals, lints, statistics and comparisons take
//! their numbers from [`Profile`], so that no two of them differ.

mod asked;
mod ending;
mod estimate;
mod failure;
mod files;
pub(crate) mod money;
mod part;
mod phase;
mod request;
pub(crate) mod series;
mod tools;

use std::cell::OnceCell;
use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::effects::{Certainty, Effect, Kind};
use crate::model::{EventKind, Session, Status, Usage, moment};

pub(crate) use ending::Ended;
pub(crate) use failure::{Failure, Retry};
pub(crate) use files::{Files, Reread};
pub(crate) use money::{Basis, Cost, Pricing};
pub(crate) use part::Part;
pub(crate) use phase::Phase;
pub(crate) use request::Request;
pub(crate) use tools::{ToolUse, Tools};

/// One effect of a session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deed<'a> {
    /// 1-based number of its event.
    pub(crate) event: u32,
    /// `None`: no call; the log states it as done.
    pub(crate) status: Option<Status>,
    pub(crate) effect: &'a Effect,
}

/// A session with what it did, counted when somebody asks.
#[derive(Debug)]
pub(crate) struct Measured<'a> {
    session: &'a Session<'a>,
    deeds: Vec<Deed<'a>>,
    pricing: Pricing<'a>,
    /// What many ask for who need nothing else of the profile.
    files: OnceCell<Files>,
    requests: OnceCell<Vec<Request>>,
    profile: OnceCell<Profile>,
}

impl<'a> Measured<'a> {
    pub(crate) fn new(session: &'a Session<'a>, deeds: Vec<Deed<'a>>, pricing: Pricing<'a>) -> Self {
        let (files, requests, profile) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { session, deeds, pricing, files, requests, profile }
    }

    /// What was done to files.
    pub(crate) fn files(&self) -> &Files {
        match self.profile.get() {
            Some(profile) => &profile.files,
            None => self.files.get_or_init(|| files::files(self.session, &self.deeds)),
        }
    }

    /// Each request to the model, once.
    pub(crate) fn requests(&self) -> &[Request] {
        match self.profile.get() {
            Some(profile) => &profile.requests,
            None => self.requests.get_or_init(|| request::requests(self.session, &self.pricing)),
        }
    }

    /// How the session ended.
    pub(crate) fn ended(&self) -> Ended {
        Ended::of(self.session)
    }

    pub(crate) fn profile(&self) -> &Profile {
        self.profile.get_or_init(|| {
            let counted = (self.files().clone(), self.requests().to_vec());
            Profile::of(self.session, &self.deeds, &self.pricing, counted)
        })
    }

    /// The same for who needs nothing else.
    pub(crate) fn into_profile(self) -> Profile {
        let Self { session, deeds, pricing, profile, .. } = self;
        profile.into_inner().unwrap_or_else(|| Profile::new(session, &deeds, &pricing))
    }

    /// By what its requests are priced.
    pub(crate) fn pricing(&self) -> &Pricing<'a> {
        &self.pricing
    }

    /// All of it.
    pub(crate) fn whole(&self) -> Part<'_> {
        Part::whole(self.session, &self.deeds)
    }

    /// The sub-agents whose calls stand in the log. Those that it does not tell apart count as one.
    pub(crate) fn subagents(&self) -> Vec<Part<'_>> {
        part::subagents(self.session, &self.deeds)
    }
}

/// What is counted of one session.
#[derive(Debug, Clone)]
pub(crate) struct Profile {
    pub(crate) id: String,
    pub(crate) agent: String,
    pub(crate) source: String,
    /// The session that started it.
    pub(crate) parent: Option<String>,
    /// The earliest and the latest recorded time.
    pub(crate) first: Option<Timestamp>,
    pub(crate) last: Option<Timestamp>,
    pub(crate) ended: Ended,
    pub(crate) events: usize,
    /// Calls, also those that were refused or failed, and those of its sub-agents in the same log.
    pub(crate) calls: usize,
    /// Calls that were refused before they ran.
    pub(crate) refused: usize,
    /// Prompts in its own conversation.
    pub(crate) turns: usize,
    /// As recorded, each answer once.
    pub(crate) usage: Usage,
    pub(crate) requests: Vec<Request>,
    /// Pauses of more than two minutes between two requests.
    pub(crate) resets: usize,
    pub(crate) cost: Cost,
    /// Calls that failed, and what failed outside of calls, in order.
    pub(crate) failures: Vec<Failure>,
    /// The same call again after it failed, in order.
    pub(crate) retries: Vec<Retry>,
    pub(crate) tools: Tools,
    pub(crate) files: Files,
    /// Every simple command that ran.
    pub(crate) commands: Vec<Ran>,
    pub(crate) hosts: BTreeSet<String>,
    /// Hosts that it contacted and the log does not name.
    pub(crate) unknown_hosts: bool,
    pub(crate) subagents: usize,
    /// What the agent noted as decisions of its own, in order. Raw log text.
    pub(crate) decisions: Vec<String>,
    pub(crate) phases: Vec<Phase>,
}

/// One simple command that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) event: u32,
    /// Program and arguments; what is not known stands as a pattern. Raw log text.
    pub(crate) words: Vec<String>,
}

impl Profile {
    pub(crate) fn new(session: &Session<'_>, deeds: &[Deed<'_>], pricing: &Pricing<'_>) -> Self {
        let counted = (files::files(session, deeds), request::requests(session, pricing));
        Self::of(session, deeds, pricing, counted)
    }

    fn of(
        session: &Session<'_>,
        deeds: &[Deed<'_>],
        pricing: &Pricing<'_>,
        (files, requests): (Files, Vec<Request>),
    ) -> Self {
        let whole = Part::whole(session, deeds);
        let (failures, retries) = failure::failures(session);
        let (first, last) = span(session);
        let cost = pricing.session(session, &requests);
        let phases = phase::phases(session, deeds, (&requests, pricing), (&failures, &retries));
        let hosts = series::connections(deeds);
        let hosts: BTreeSet<Option<String>> = hosts.map(|(_, connection)| connection.host.clone()).collect();
        Self {
            id: session.id.clone().into_owned(),
            agent: session.agent.clone().into_owned(),
            source: session.source.clone(),
            parent: session.parent.as_ref().map(|parent| parent.clone().into_owned()),
            first,
            last,
            ended: Ended::of(session),
            events: session.events.len(),
            calls: count(&series::calls(&whole)),
            refused: session.calls().filter(|(_, call)| call.status == Status::Denied).count(),
            turns: count(&series::turns(&whole, session)),
            usage: session.usage,
            resets: request::resets(&requests),
            requests,
            cost,
            failures,
            retries,
            tools: tools::tools(session),
            files,
            commands: commands(deeds),
            unknown_hosts: hosts.contains(&None),
            hosts: hosts.into_iter().flatten().collect(),
            subagents: count(&series::subagents(&whole, session)),
            decisions: decisions(session),
            phases,
        }
    }

    /// From the earliest recorded time to the latest, in milliseconds.
    pub(crate) fn duration(&self) -> Option<u64> {
        u64::try_from(self.last?.duration_since(self.first?).as_millis()).ok()
    }

    /// Tokens that were paid for, as recorded.
    pub(crate) fn tokens(&self) -> u64 {
        series::total_tokens(&self.usage)
    }

    /// Calls that failed, and what failed outside of calls.
    pub(crate) fn errors(&self) -> usize {
        self.failures.len()
    }
}

fn count(series: &series::Series) -> usize {
    usize::try_from(series.total()).unwrap_or(usize::MAX)
}

/// The earliest and the latest recorded time, of an event or of the session.
fn span(session: &Session<'_>) -> (Option<Timestamp>, Option<Timestamp>) {
    let beside = [&session.span.started, &session.span.ended].into_iter().flatten();
    let times = session.events.iter().filter_map(|event| event.time.as_ref()).chain(beside);
    times.filter_map(|time| moment(time)).fold((None, None), |(first, last), time| {
        let earlier = first.is_none_or(|first| time < first);
        let later = last.is_none_or(|last| time > last);
        (if earlier { Some(time) } else { first }, if later { Some(time) } else { last })
    })
}

fn commands(deeds: &[Deed<'_>]) -> Vec<Ran> {
    let done =
        deeds.iter().filter(|deed| deed.status != Some(Status::Denied) && deed.effect.certainty != Certainty::Possible);
    let ran = done.filter_map(|deed| match &deed.effect.kind {
        Kind::Execute(execution) => Some(Ran {
            event: deed.event,
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
