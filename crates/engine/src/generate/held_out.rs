//! How good a generated policy is, as numbers: what it would have refused, and whether it should have.
//!
//! Each session in turn is left out, a policy is made from the others, and the session is judged by it as `check` would.
//! A call that ran and that an error is found in is one of these, the first that holds:
//!
//! - *denied*: the generator would have allowed it, had it seen it. The policy is too narrow: this is what is wrong.
//! - *held back* (on purpose): the generator leaves it to people however often it sees it: sensitive files, the floor, what destroys or
//!   publishes, what reads or changes the whole workspace. That is what a review is for.
//! - *unresolved*: nobody can say what it does, so no entry can allow it.
//!
//! A call that failed counts as if it had not: a test suite that finds a fault was still to be run. One that was refused
//! before it ran counts nowhere.
//!
//! `--min-sessions` asks for so many sessions of the project, not of an entry: an entry that has to be seen in five
//! sessions (`--seen-in 5`) can't be learnt from the other four of five, and every call would be refused for nothing.

use std::collections::{BTreeMap, BTreeSet};

use agent_strace_model::finding::Level;
use agent_strace_policy::{Decision, Diagnostics, Judgement, Policy};

use super::described::described;
use super::draft::draft;
use super::observe::{CallId, Observed};
use super::plan;
use super::reason::Reason;
use super::start::Settings;

/// Why a call of a session that was left out is refused. The worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Denied,
    HeldBack,
    Unresolved,
}

impl Verdict {
    pub const ALL: [Self; 3] = [Self::Denied, Self::HeldBack, Self::Unresolved];

    /// In the contract of the output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Denied => "denied",
            Self::HeldBack => "held_back",
            Self::Unresolved => "unresolved",
        }
    }
}

/// An effect that is refused in the session that was left out.
#[derive(Debug)]
pub struct Refused {
    pub verdict: Verdict,
    /// Why the generator leaves it to people; `None`: it does not.
    pub reason: Option<Reason>,
    pub kind: &'static str,
    /// In the words of the effects' tables.
    pub effect: String,
    /// In plain words.
    pub described: String,
    /// The calls that had it and ran.
    pub calls: usize,
}

/// One session, judged by a policy made from the others.
#[derive(Debug)]
pub struct HeldOut {
    pub session: u32,
    /// What ran: calls, and changes of files that no call explains.
    pub calls: usize,
    /// Of them, those that are refused: each counts once, at the worst.
    refused: BTreeMap<Verdict, usize>,
    /// What is refused in them, the most frequent first.
    pub effects: Vec<Refused>,
}

impl HeldOut {
    pub fn refused(&self, verdict: Verdict) -> usize {
        self.refused.get(&verdict).copied().unwrap_or_default()
    }
}

/// More sessions than this are left out in groups.
const GROUPS: u32 = 100;

pub fn held_out(observed: &Observed, settings: &Settings<'_>) -> Result<Vec<HeldOut>, Diagnostics> {
    let sessions = u32::try_from(observed.sessions.len()).unwrap_or(u32::MAX);
    let groups = sessions.min(GROUPS);
    let mut all = Vec::new();
    for group in 0..groups {
        let others = observed.only(&|session| session % groups != group);
        let made = draft(&others, settings)?;
        for session in (0..sessions).filter(|session| session % groups == group) {
            all.push(judged(&observed.only(&|one| one == session), session, &made.policy, settings)?);
        }
    }
    all.sort_by_key(|one| one.session);
    Ok(all)
}

fn judged(own: &Observed, session: u32, policy: &Policy, settings: &Settings<'_>) -> Result<HeldOut, Diagnostics> {
    let own = own.as_if_nothing_failed();
    // What the generator leaves to people however often it sees it.
    let seen = draft(&own, &Settings { seen_in: 1, ..*settings })?;
    let left: BTreeMap<usize, &Reason> = seen.review.iter().map(|review| (review.index, &review.reason)).collect();
    let mut calls: BTreeMap<Verdict, BTreeSet<CallId>> = BTreeMap::new();
    let mut effects = Vec::new();
    for (index, observation) in own.all().enumerate() {
        let refuses = |policy: &Policy| is_error(&policy.judge(&observation.effect, &plan::context(observation)));
        if observation.calls.done.is_empty() || !refuses(policy) {
            continue;
        }
        let reason = left.get(&index).filter(|_| refuses(&seen.policy)).map(|reason| (*reason).clone());
        let verdict = match reason {
            None => Verdict::Denied,
            Some(Reason::Unresolved(_)) => Verdict::Unresolved,
            Some(_) => Verdict::HeldBack,
        };
        calls.entry(verdict).or_default().extend(&observation.calls.done);
        effects.push(Refused {
            verdict,
            reason,
            kind: observation.effect.kind.name(),
            effect: observation.effect.to_string(),
            described: described(&observation.effect),
            calls: observation.calls.done.len(),
        });
    }
    effects.sort_by(|left, right| {
        let key = |one: &Refused| (one.verdict, std::cmp::Reverse(one.calls), one.effect.clone());
        key(left).cmp(&key(right))
    });
    let mut counted = BTreeSet::new();
    let refused = Verdict::ALL.map(|verdict| {
        let calls = calls.remove(&verdict).unwrap_or_default();
        (verdict, calls.into_iter().filter(|call| counted.insert(*call)).count())
    });
    let calls = own.sessions.get(session as usize).map_or(0, |session| session.calls);
    Ok(HeldOut { session, calls, refused: refused.into(), effects })
}

/// `check` would report an error.
fn is_error(judged: &Judgement) -> bool {
    let reported = matches!(judged.decision, Decision::Denied | Decision::Asked | Decision::Unresolved);
    reported && judged.level == Level::Error || judged.sensitive && judged.location.is_none()
}
