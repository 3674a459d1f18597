//! Files whose root is not certain: what is forbidden under any root that is likely is forbidden.

use agent_strace_effects::{Effect, PathTarget, Standing};
use agent_strace_model::finding::{Family, Level};

use crate::path::{FirstName, is_anchored};
use crate::{Basis, Context, Decision, Judgement};

/// Judges an effect under the most likely root, and what its files are called under the others.
pub(crate) fn under_all(
    effect: &Effect,
    context: &Context<'_>,
    judge: impl Fn(&Effect, &Context<'_>) -> Judgement,
) -> Judgement {
    let mut found = judge(effect, context);
    let (Some(roots), Some(target)) = (context.roots, effect.kind.path()) else { return found };
    if roots.is_guessed() && !is_anchored(&target.path) {
        found = found.guessed(roots.first(), Standing::Plausible);
    }
    for moved in roots.moved(target, effect.certainty) {
        let there = effect.on(moved.target, moved.certainty);
        let first = FirstName { target, certainty: effect.certainty, root: context.root };
        let root = moved.root.as_deref();
        let context = Context { root, roots: None, raw_command: None, first: Some(first), sight: None, ..*context };
        let other = judge(&there, &context);
        if let Some(target) = there.kind.path() {
            found = found.or_there(other.guessed(root, moved.standing), target);
        }
    }
    found
}

impl Judgement {
    /// Says that it holds only if `root` is the top of the repository. What more speaks against than for is no error.
    fn guessed(self, root: Option<&str>, standing: Standing) -> Self {
        let forbids = matches!(self.decision, Decision::Denied | Decision::Asked);
        if standing == Standing::Certain {
            return self;
        }
        let (level, sensitive, instructs) = match standing {
            Standing::Doubtful => (self.level.min(Level::Warning), false, false),
            Standing::Plausible | Standing::Certain => (self.level, self.sensitive, self.instructs),
        };
        let guess = match root {
            _ if !forbids => String::new(),
            Some(root) => format!(", if `{root}` is the top of the repository (`--root` or `roots` states it)"),
            None => ", if it is this file of the repository (`--root` or `roots` states where that is)".to_owned(),
        };
        Self { level, sensitive, instructs, reason: self.reason + &guess, ..self }
    }

    /// Adds what is forbidden where the files are called `target`. What is merely not allowed there says nothing.
    fn or_there(self, other: Self, target: &PathTarget) -> Self {
        let is_ruled = other.basis == Basis::Entry || other.rule.family() == Family::Floor;
        let forbids = is_ruled && matches!(other.decision, Decision::Denied | Decision::Asked);
        let (sensitive, instructs) = (self.sensitive || other.sensitive, self.instructs || other.instructs);
        if forbids && other.strictness() > self.strictness() {
            return Self { target: Some(target.clone()), sensitive, instructs, left_open: self.left_open, ..other };
        }
        let is_news = (sensitive, instructs) != (self.sensitive, self.instructs);
        let target = self.target.or_else(|| is_news.then(|| target.clone()));
        Self { target, sensitive, instructs, ..self }
    }
}
