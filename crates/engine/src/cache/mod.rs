//! A cache for judging many sessions by one policy: effects of commands and judgements of events. It changes the time that
//! an answer takes, never the answer.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_strace_effects::{DeniedLines, Effects, Guarded, LruCache, Memo, Places};
use agent_strace_policy::{Holds, Policy};

use super::judgement::{EventJudgement, JudgeContext};
use super::replay::Step;
use super::unresolved;

/// Events that each shard keeps.
const EVENTS: usize = 4 * 1024;
/// Shards, so that threads do not wait for each other.
const SHARDS: u64 = 16;

/// The cache of one policy, for sessions of one repository.
pub struct JudgementCache<'p> {
    policy: &'p Policy,
    pub(super) commands: Arc<Memo>,
    shards: Vec<Mutex<LruCache<Known>>>,
    /// Some exception applies to some sessions only, so sessions do not share judgements.
    by_session: bool,
    guarded: Guarded,
    pub(super) lines: DeniedLines,
}

/// A cached judgement with everything that it depends on.
struct Known {
    effects: Effects,
    places: Places,
    raw: Option<Arc<str>>,
    holds: Vec<Holds>,
    session: Option<String>,
    /// The tool and the text that unresolved acts are known by, beside their commands.
    unresolved: Option<(String, Option<String>)>,
    judgement: Arc<EventJudgement>,
}

impl<'p> JudgementCache<'p> {
    pub fn new(policy: &'p Policy) -> Self {
        Self {
            policy,
            commands: Arc::new(Memo::new(policy.programs())),
            shards: (0..SHARDS).map(|_| Mutex::new(LruCache::new(EVENTS))).collect(),
            guarded: policy.guarded(),
            lines: DeniedLines::default(),
            by_session: policy.waivers().iter().any(agent_strace_policy::Waiver::asks_for_session),
        }
    }

    pub fn policy(&self) -> &'p Policy {
        self.policy
    }

    pub(super) fn guarded(&self) -> &Guarded {
        &self.guarded
    }

    /// Judges an event; equal events are judged once.
    pub(super) fn judge(&self, step: &Step<'_>, context: &JudgeContext<'_>) -> Arc<EventJudgement> {
        let (places, raw) = (context.roots.places(), step.raw.as_deref());
        let holds = self.policy.parts_for(&context.actor);
        let session = self.by_session.then_some(context.matcher.session);
        let mut hasher = DefaultHasher::new();
        match step.effects.shared() {
            // The cache keeps the effects alive, so the address is unique; different effects are compared below.
            Some(shared) => shared.as_ptr().hash(&mut hasher),
            None => step.effects.hash(&mut hasher),
        }
        let unresolved = unresolved::beyond_command(step);
        (places, raw, &holds, session, unresolved).hash(&mut hasher);
        let hash = hasher.finish();
        let Some(mut shard) = self.shard(hash) else { return Arc::new(EventJudgement::new(step, context)) };
        if let Some(known) = shard.get(hash)
            && known.places == *places
            && known.raw.as_deref() == raw
            && known.holds == holds
            && known.session.as_deref() == session
            && known.unresolved.as_ref().map(|(tool, text)| (tool.as_str(), text.as_deref())) == unresolved
            && known.effects.are(&step.effects)
        {
            return Arc::clone(&known.judgement);
        }
        drop(shard);
        let judgement = Arc::new(EventJudgement::new(step, context));
        let known = Known {
            effects: step.effects.clone(),
            places: places.clone(),
            raw: step.raw.clone(),
            holds,
            session: session.map(str::to_owned),
            unresolved: unresolved.map(|(tool, text)| (tool.to_owned(), text.map(str::to_owned))),
            judgement: Arc::clone(&judgement),
        };
        if let Some(mut shard) = self.shard(hash) {
            shard.put(hash, known);
        }
        judgement
    }

    fn shard(&self, hash: u64) -> Option<MutexGuard<'_, LruCache<Known>>> {
        let shard = self.shards.get(usize::try_from(hash % SHARDS).ok()?)?;
        Some(shard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests;
