//! Files whose root is not certain: what is forbidden under any root that is likely is forbidden.

use agent_strace_effects::{Effect, PathTarget};
use agent_strace_model::finding::Family;

use crate::path::FirstName;
use crate::{Basis, Context, Decision, Judgement};

/// Judges an effect under the most likely root, and what its files are called under the others.
pub(crate) fn under_all(
    effect: &Effect,
    context: &Context<'_>,
    judge: impl Fn(&Effect, &Context<'_>) -> Judgement,
) -> Judgement {
    let mut found = judge(effect, context);
    let (Some(roots), Some(target)) = (context.roots, effect.kind.path()) else { return found };
    for moved in roots.moved(target, effect.certainty) {
        let there = effect.on(moved.target, moved.certainty);
        let first = FirstName { target, certainty: effect.certainty, root: context.root };
        let root = moved.root.as_deref();
        let context = Context { root, roots: None, raw_command: None, first: Some(first), ..*context };
        let other = judge(&there, &context);
        if let Some(target) = there.kind.path() {
            found = found.or_there(other, target);
        }
    }
    found
}

impl Judgement {
    /// Adds what is forbidden where the files are called `target`. What is merely not allowed there says nothing.
    fn or_there(self, other: Self, target: &PathTarget) -> Self {
        let is_ruled = other.basis == Basis::Entry || other.rule.family() == Family::Floor;
        let forbids = is_ruled && matches!(other.decision, Decision::Denied | Decision::Asked);
        let (sensitive, instructs) = (self.sensitive || other.sensitive, self.instructs || other.instructs);
        if forbids && other.strictness() > self.strictness() {
            return Self { target: Some(target.clone()), sensitive, instructs, ..other };
        }
        let is_news = (sensitive, instructs) != (self.sensitive, self.instructs);
        let target = self.target.or_else(|| is_news.then(|| target.clone()));
        Self { target, sensitive, instructs, ..self }
    }
}
