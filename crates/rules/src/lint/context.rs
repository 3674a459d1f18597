//! What a lint rule looks at.

use std::ops::RangeInclusive;

use super::calls::{Called, Calls};
use crate::{Hit, Log, Rule, Site};
use agent_strace_model::finding::{Level, VerdictImpact};
use agent_strace_model::{Event, EventKind, RecordRole, Session, Stream};
use agent_strace_policy::config::lint::{Parameter, Tuning};

/// One session, for one rule.
pub(super) struct LintContext<'a> {
    pub(super) log: &'a Log<'a>,
    pub(super) calls: &'a Calls<'a>,
    pub(super) rule: &'static Rule,
    pub(super) tuning: Tuning,
}

/// What happens in a session, as far as its rhythm goes.
pub(super) enum LintEvent<'a> {
    Call(&'a Called<'a>),
    /// The user said something to the agent: what comes now has another reason.
    Prompt,
    /// The conversation was summarised, or a sub-agent was told what to do.
    Instruction,
    /// The model said something.
    Message(&'a Event<'a>),
}

impl<'a> LintContext<'a> {
    pub(super) fn session(&self) -> &'a Session<'a> {
        self.log.session
    }

    /// A number that the rule goes by; without one that is given or a default it has nothing to say.
    pub(super) fn number(&self, parameter: &Parameter) -> Option<f64> {
        self.tuning.number(parameter)
    }

    /// A whole number that has a default.
    pub(super) fn count(&self, parameter: &Parameter) -> usize {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the lint file holds counts in u32"
        )]
        let count = self.number(parameter).unwrap_or(f64::MAX).min(f64::from(u32::MAX)) as usize;
        count
    }

    /// The calls of the session and what stands between them, in order.
    pub(super) fn events(&self) -> impl Iterator<Item = LintEvent<'a>> + use<'a> {
        let mut calls = self.calls.list.iter().peekable();
        self.log.session.events.iter().enumerate().filter_map(move |(index, event)| match &event.kind {
            EventKind::Call(_) | EventKind::Copied(_) => calls.next_if(|call| call.index == index).map(LintEvent::Call),
            // The words of a host give no new reason: an agent can cause them.
            EventKind::Prompt(_) | EventKind::Command(_)
                if event.origin.role == RecordRole::Primary && event.origin.speaker.is_user() =>
            {
                Some(LintEvent::Prompt)
            }
            EventKind::Instruction(_) => Some(LintEvent::Instruction),
            EventKind::Message(_) if event.origin.role == RecordRole::Primary => Some(LintEvent::Message(event)),
            _ => None,
        })
    }

    /// Whether an event is of the session's own conversation, not of a sub-agent's in it.
    pub(super) fn is_main(&self, event: &Event<'_>) -> bool {
        let stream = self.log.session.streams.get(usize::from(event.origin.stream));
        !matches!(stream, Some(Stream::Sidechain(_)))
    }

    /// The session is a sub-agent's of another one, which has the task and the answer.
    pub(super) fn is_subagent(&self) -> bool {
        self.log.session.parent.is_some()
    }

    /// A finding at some events, from the first to the last; `about` tells it from others of the rule.
    pub(super) fn hit(&self, events: RangeInclusive<u32>, message: String, about: Vec<(&'static str, String)>) -> Hit {
        let (first, last) = events.into_inner();
        Hit {
            site: Site::Event(first),
            until: (last > first).then_some(last),
            level: self.tuning.level.unwrap_or(self.rule.level),
            message,
            rule: self.rule.id,
            location: self.tuning.location.clone(),
            policy_rule: None,
            impact: VerdictImpact::ByLevel,
            about,
            since: Vec::new(),
        }
    }

    /// A finding about the whole session.
    pub(super) fn whole(&self, message: String, about: Vec<(&'static str, String)>) -> Hit {
        Hit { site: Site::Session, until: None, ..self.hit(0..=0, message, about) }
    }

    /// The log does not record what the rule goes by: evidence that is missing, where somebody counts on the rule.
    pub(super) fn cannot_judge(&self, why: &str, hits: &mut Vec<Hit>) {
        if self.tuning.location.is_some() || self.tuning.is_counted {
            let message = format!("can't be judged: {why}");
            let hit = self.whole(message, vec![("lacks", why.to_owned())]);
            hits.push(Hit { impact: VerdictImpact::Incomplete, level: Level::Warning, ..hit });
        }
    }
}

/// `1 file`, `2 files`.
pub(super) fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}
