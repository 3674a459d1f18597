//! A session with its effects, computed once so that several policies can judge them.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use agent_strace_effects::{
    Denied, DeniedLines, Effect, Effects, Kind, Left, Repository, Results, Roots, Tracker, Trust,
};
use agent_strace_metrics::{Measured, Pricing, Profile, TimedEffect};
use agent_strace_model::{Event, EventKind, Session, Status};
use agent_strace_policy::Policy;
use agent_strace_policy::evidence::Grade;
use agent_strace_secrets::Known;

use super::cache::JudgementCache;

/// If a policy demands logs that a job produced, results in a log settle nothing.
pub(crate) fn trust(policy: &Policy) -> Trust {
    let demanded = policy.evidence().minimum().map(|(grade, _)| grade);
    if demanded >= Some(Grade::Produced) { Trust::Accuses } else { Trust::Settles }
}

/// The files that the policy forbids to read. `lines` belongs to the policy and the repository.
fn denied<'p>(policy: &'p Policy, repository: &'p Repository, lines: &'p DeniedLines) -> Option<Denied<'p>> {
    policy.denies_reads().then(|| Denied::new(policy, repository, lines))
}

/// The effects of a session, not judged yet.
pub struct Replay<'s> {
    pub session: &'s Session<'s>,
    /// What its paths count from.
    pub roots: Roots,
    /// The events with effects, in order.
    pub(super) steps: Vec<Step<'s>>,
    pub(super) calls: usize,
    /// Calls that were denied before they ran.
    pub(super) attempts: usize,
    /// What the session left behind.
    pub(super) left: Left,
    /// Files that it ran, and may not have written.
    pub(super) asked_for: Vec<String>,
}

/// One event with effects.
pub(super) struct Step<'s> {
    pub(super) event: &'s Event<'s>,
    /// `None`: the event is not a call; the log states the effect as done.
    pub(super) status: Option<Status>,
    pub(super) effects: Effects,
    /// The text that the spans of the effects refer to.
    pub(super) text: Option<Arc<str>>,
    /// The text of the whole shell command, where the call runs one.
    pub(super) raw: Option<Arc<str>>,
    /// The identity of the text, computed on first use.
    pub(super) digest: OnceLock<String>,
}

impl Step<'_> {
    /// The call counts for another session of the run.
    pub(super) fn is_copied(&self) -> bool {
        matches!(self.event.kind, EventKind::Copied(_))
    }

    /// The text of the whole shell command.
    pub(super) fn command_text(&self) -> Option<&str> {
        self.raw.as_deref().or(self.text.as_deref())
    }

    fn commands(&self) -> impl Iterator<Item = Cow<'_, str>> {
        commands(self.command_text(), &self.effects)
    }
}

/// The commands of a call as they are written, and word by word without their quotes where that differs.
pub(crate) fn commands<'c>(text: Option<&'c str>, effects: &'c [Effect]) -> impl Iterator<Item = Cow<'c, str>> {
    let commands = effects.iter().filter_map(|effect| match &effect.kind {
        Kind::Execute(execution) => {
            Some(execution.argv.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "))
        }
        _ => None,
    });
    let spelled = commands.filter(move |command| !text.is_some_and(|text| text.contains(command.as_str())));
    text.map(Cow::Borrowed).into_iter().chain(spelled.map(Cow::Owned))
}

impl<'s> Replay<'s> {
    /// `policy` knows programs, and says which paths matter.
    pub fn new(session: &'s Session<'s>, policy: &Policy, repository: &Arc<Repository>) -> Self {
        Self::after(&[], session, policy, repository, Some(&DeniedLines::default()))
    }

    /// Replays a session of a run in which others came before it. `lines` speak against calls whose results show one of them.
    pub(super) fn after(
        earlier: &[Arc<Left>],
        session: &'s Session<'s>,
        policy: &Policy,
        repository: &Arc<Repository>,
        lines: Option<&DeniedLines>,
    ) -> Self {
        let roots = Roots::of(session, repository, &policy.guarded());
        let tracker = Tracker::new(session, &roots).with_programs(policy.programs());
        let denied = lines.and_then(|lines| denied(policy, repository, lines));
        let results = Results::of(session, trust(policy)).against(denied);
        Self::tracked(session, roots, tracker.after(earlier.iter().map(Arc::as_ref)), &results)
    }

    /// Replays a session with a cache that is shared by many sessions.
    pub(crate) fn with_cache(
        session: &'s Session<'s>,
        cache: &JudgementCache<'_>,
        repository: &Arc<Repository>,
    ) -> Self {
        let roots = Roots::of(session, repository, cache.guarded());
        let tracker = Tracker::new(session, &roots).with_programs(cache.policy().programs());
        let results = Results::of(session, trust(cache.policy()));
        let results = results.against(denied(cache.policy(), repository, &cache.lines));
        Self::tracked(session, roots, tracker.with_memo(&cache.commands), &results)
    }

    fn tracked(session: &'s Session<'s>, roots: Roots, mut tracker: Tracker, results: &Results<'_>) -> Self {
        let mut replay = Self {
            session,
            roots,
            steps: Vec::new(),
            calls: 0,
            attempts: 0,
            left: Left::default(),
            asked_for: Vec::new(),
        };
        for event in &session.events {
            let effects = tracker.step_with(event, results);
            let mut step = Step { event, status: None, effects, text: None, raw: None, digest: OnceLock::new() };
            if let Some(call) = event.call() {
                if !step.is_copied() {
                    replay.calls += 1;
                    replay.attempts += usize::from(call.status == Status::Denied);
                }
                step.status = Some(call.status);
                let runs = step.effects.iter().any(|effect| matches!(effect.kind, Kind::Execute(_)));
                step.raw = tracker.take_raw().filter(|_| runs);
            }
            if !step.effects.is_empty() {
                step.text = tracker.take_text();
                replay.steps.push(step);
            }
        }
        replay.left = tracker.left();
        replay.asked_for = tracker.asked_for();
        replay
    }

    /// The measurements of the session.
    pub fn measured<'r>(&'r self, pricing: Pricing<'r>) -> Measured<'r> {
        let effects = self.steps.iter().filter(|step| !step.is_copied()).flat_map(|step| {
            step.effects.iter().map(|effect| TimedEffect { event: step.event.number, status: step.status, effect })
        });
        Measured::new(self.session, effects.collect(), pricing)
    }

    /// The measurements without what the commands give away: a password that a program takes for a path is in no report.
    pub fn profile(&self, pricing: Pricing<'_>) -> Profile {
        let mut profile = self.measured(pricing).into_profile();
        let secrets = self.secrets();
        if !secrets.is_empty() {
            profile.rewrite(&|text| secrets.hide(text));
        }
        profile
    }

    /// Secrets that its commands contain: no output may show them, wherever they are.
    pub(super) fn secrets(&self) -> Known {
        Known::of(self.steps.iter().flat_map(Step::commands))
    }

    /// Keeps one event only; its effects still depend on the events before it.
    pub fn only(mut self, event: u32) -> Self {
        self.steps.retain(|step| step.event.number == event);
        self
    }

    /// All effects as text, for comparison in tests.
    #[cfg(test)]
    pub fn in_words(&self) -> Vec<String> {
        let words = |step: &Step<'_>| {
            let effects: &[Effect] = &step.effects;
            format!("{} {effects:?} {:?} {:?}", step.event.number, step.text, step.raw)
        };
        self.steps.iter().map(words).collect()
    }
}
