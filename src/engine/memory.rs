//! What was worked out before, for who judges many sessions by one policy: effects of commands, and what the policy says
//! about an effect. It changes how long an answer takes, never the answer.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, PoisonError};

use crate::effects::{Effect, Kind, Memo};
use crate::policy::{Context, Judgement, Policy};

/// Judgements that are kept in each part.
const JUDGEMENTS: usize = 32 * 1024;
/// Parts, so that threads do not wait for each other.
const PARTS: u64 = 16;

/// Of one policy.
pub(crate) struct Memory<'p> {
    policy: &'p Policy,
    pub(super) commands: Arc<Memo>,
    judgements: Vec<Mutex<HashMap<u64, Arc<Judged>>>>,
}

/// What the policy said about one effect.
struct Judged {
    effect: Effect,
    root: Option<String>,
    raw_command: Option<String>,
    judgement: Judgement,
}

impl<'p> Memory<'p> {
    pub(crate) fn new(policy: &'p Policy) -> Self {
        Self {
            policy,
            commands: Arc::new(Memo::new(policy.programs())),
            judgements: (0..PARTS).map(|_| Mutex::default()).collect(),
        }
    }

    pub(crate) fn policy(&self) -> &'p Policy {
        self.policy
    }

    /// What the policy says, asked at most once for the same effect in the same context.
    pub(super) fn judge(&self, effect: &Effect, context: &Context<'_>) -> Judgement {
        // Taken apart, so that a context that knows more is a key that holds more.
        let Context { root, raw_command, actor: _, tool } = *context;
        // The tool only counts for what can't be told of it.
        let of_tool = tool.is_some() && matches!(effect.kind, Kind::Opaque(_));
        if self.policy.asks_who_acts() || of_tool {
            return self.policy.judge(effect, context);
        }
        let mut hasher = DefaultHasher::new();
        (effect, root, raw_command).hash(&mut hasher);
        let key = hasher.finish();
        let Some(part) = usize::try_from(key % PARTS).ok().and_then(|part| self.judgements.get(part)) else {
            return self.policy.judge(effect, context);
        };
        let known = part.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(known) = known
            && known.effect == *effect
            && known.root.as_deref() == root
            && known.raw_command.as_deref() == raw_command
        {
            return known.judgement.clone();
        }
        let judgement = self.policy.judge(effect, context);
        let mut part = part.lock().unwrap_or_else(PoisonError::into_inner);
        if part.len() < JUDGEMENTS {
            part.entry(key).or_insert_with(|| {
                Arc::new(Judged {
                    effect: effect.clone(),
                    root: root.map(str::to_owned),
                    raw_command: raw_command.map(str::to_owned),
                    judgement: judgement.clone(),
                })
            });
        }
        judgement
    }
}
