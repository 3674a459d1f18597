//! How good a generated policy is, as numbers: what it would have refused wrongly, and what it allows that nobody did.
//!
//! *Wrongly refused*: each session in turn is left out, a policy is made from the others, and the session is judged by
//! it. A call counts that ran, and that an error is found in for anything that the generator would have allowed had it
//! seen it. What it leaves to people however often it sees it (sensitive files, `git push`, what can't be resolved, what
//! only failed, searches of the whole workspace) is counted beside it: that is what review is for.

use std::collections::BTreeSet;

use crate::finding::Level;
use crate::policy::{Decision, Diagnostics, Judgement, Policy};

use super::draft::{Settings, draft};
use super::observe::{CallId, Observed};
use super::plan;

/// One session, judged by a policy made from the others.
#[derive(Debug)]
pub(crate) struct HeldOut {
    pub(crate) session: u32,
    pub(crate) calls: usize,
    /// Of them, those that were wrongly refused.
    pub(crate) denied: usize,
    /// Of the others, those that are for people to look at.
    pub(crate) review: usize,
    /// What was wrongly refused, each once, in the words of the effects' tables.
    pub(crate) effects: BTreeSet<String>,
}

/// More sessions than this are left out in groups.
const GROUPS: u32 = 100;

pub(crate) fn held_out(observed: &Observed, settings: &Settings<'_>) -> Result<Vec<HeldOut>, Diagnostics> {
    let sessions = u32::try_from(observed.sessions.len()).unwrap_or(u32::MAX);
    let groups = sessions.min(GROUPS);
    let mut all = Vec::new();
    for group in 0..groups {
        let others = observed.only(&|session| session % groups != group);
        let made = draft(&others, settings)?;
        for session in (0..sessions).filter(|session| session % groups == group) {
            all.push(judged(&observed.only(&|one| one == session), session, &made.policy)?);
        }
    }
    all.sort_by_key(|one| one.session);
    Ok(all)
}

fn judged(own: &Observed, session: u32, policy: &Policy) -> Result<HeldOut, Diagnostics> {
    // What the generator leaves to people however often it sees it.
    let seen = draft(own, &Settings { min_sessions: 1, base: None })?;
    let (mut denied, mut review, mut effects) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for observation in own.all() {
        let refuses = |policy: &Policy| is_error(&policy.judge(&observation.effect, &plan::context(observation)));
        if !refuses(policy) {
            continue;
        }
        let ran: BTreeSet<CallId> = observation.calls.done.union(&observation.calls.failed).copied().collect();
        if refuses(&seen.policy) {
            review.extend(ran);
        } else {
            denied.extend(ran);
            effects.insert(observation.effect.to_string());
        }
    }
    let calls = own.sessions.get(session as usize).map_or(0, |session| session.calls);
    Ok(HeldOut { session, calls, denied: denied.len(), review: review.difference(&denied).count(), effects })
}

/// `check` would report an error.
fn is_error(judged: &Judgement) -> bool {
    let reported = matches!(judged.decision, Decision::Denied | Decision::Asked | Decision::Unresolved);
    reported && judged.level == Level::Error || judged.sensitive && judged.place.is_none()
}
