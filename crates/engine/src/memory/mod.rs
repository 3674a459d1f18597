//! What was worked out before, for who judges many sessions by one policy: effects of commands, and what the policy says
//! to an event. It changes how long an answer takes, never the answer.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_strace_effects::{Effects, Memo, Shelf};
use agent_strace_policy::{Holds, Policy};

use super::heard::{Heard, Scene};
use super::replay::Step;

/// Events that are kept in each part.
const EVENTS: usize = 4 * 1024;
/// Parts, so that threads do not wait for each other.
const PARTS: u64 = 16;

/// Of one policy.
pub struct Memory<'p> {
    policy: &'p Policy,
    pub(super) commands: Arc<Memo>,
    heard: Vec<Mutex<Shelf<Known>>>,
    /// Some exception is for some sessions only: what one session heard says nothing about another one.
    by_session: bool,
}

/// Everything that what the policy says depends on, and what it said.
struct Known {
    effects: Effects,
    root: Option<String>,
    raw: Option<Arc<str>>,
    holds: Vec<Holds>,
    session: Option<String>,
    heard: Arc<Heard>,
}

impl<'p> Memory<'p> {
    pub fn new(policy: &'p Policy) -> Self {
        Self {
            policy,
            commands: Arc::new(Memo::new(policy.programs())),
            heard: (0..PARTS).map(|_| Mutex::new(Shelf::new(EVENTS))).collect(),
            by_session: policy.waivers().iter().any(agent_strace_policy::Waiver::asks_for_session),
        }
    }

    pub fn policy(&self) -> &'p Policy {
        self.policy
    }

    /// What the policy says, asked at most once for events that do the same.
    pub(super) fn hear(&self, step: &Step<'_>, scene: &Scene<'_>) -> Arc<Heard> {
        let (root, raw) = (scene.root, step.raw.as_deref());
        let holds = self.policy.parts_for(&scene.actor);
        let session = self.by_session.then_some(scene.cover.session);
        let mut hasher = DefaultHasher::new();
        match step.effects.shared() {
            // No others are at that place while this memory has them, and those that differ are told apart below.
            Some(shared) => shared.as_ptr().hash(&mut hasher),
            None => step.effects.hash(&mut hasher),
        }
        (root, raw, &holds, session).hash(&mut hasher);
        let hash = hasher.finish();
        let Some(mut part) = self.part(hash) else { return Arc::new(Heard::new(step, scene)) };
        if let Some(known) = part.get(hash)
            && known.root.as_deref() == root
            && known.raw.as_deref() == raw
            && known.holds == holds
            && known.session.as_deref() == session
            && known.effects.are(&step.effects)
        {
            return Arc::clone(&known.heard);
        }
        drop(part);
        let heard = Arc::new(Heard::new(step, scene));
        let known = Known {
            effects: step.effects.clone(),
            root: root.map(str::to_owned),
            raw: step.raw.clone(),
            holds,
            session: session.map(str::to_owned),
            heard: Arc::clone(&heard),
        };
        if let Some(mut part) = self.part(hash) {
            part.put(hash, known);
        }
        heard
    }

    fn part(&self, hash: u64) -> Option<MutexGuard<'_, Shelf<Known>>> {
        let part = self.heard.get(usize::try_from(hash % PARTS).ok()?)?;
        Some(part.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests;
