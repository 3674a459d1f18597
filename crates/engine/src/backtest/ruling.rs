//! What a policy says about each call of a session.

use crate::{Replay, Rulings};
use agent_strace_model::finding::{Finding, Level, RuleId, VerdictImpact};
use agent_strace_model::{Event, Status, ToolCall};
use agent_strace_policy::Decision;
use agent_strace_rules::Act;

use super::decider::{Decider, Rules};

/// What happens to a call. All but [`Verdict::Allowed`] block it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Allowed,
    /// It is blocked only because something it did could not be resolved.
    Unresolved,
    /// A person has to approve it.
    Asked,
    Denied,
}

impl Verdict {
    pub fn blocks(self) -> bool {
        self != Self::Allowed
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Unresolved => "unresolved",
            Self::Asked => "asked",
            Self::Denied => "denied",
        }
    }
}

/// One call, judged.
#[derive(Debug)]
pub struct Ruling<'a> {
    pub event: &'a Event<'a>,
    pub call: &'a ToolCall<'a>,
    pub verdict: Verdict,
    /// The strictest that speaks of it; of a call that is allowed the one that allows its first effect.
    pub decider: Decider,
    pub reason: &'a str,
    /// The kind of its first effect, in the words of the JSON contract.
    pub kind: Option<&'static str>,
    /// Everyone who decided about any of its effects.
    pub spoke: Vec<Decider>,
    /// Some effect could not be resolved, whether or not that blocks the call.
    pub unresolved: bool,
}

impl Ruling<'_> {
    /// A rule speaks of it.
    pub fn is_covered(&self) -> bool {
        !matches!(self.decider, Decider::Default | Decider::Unresolved)
    }

    /// The record shows that it was refused before it ran.
    pub(crate) fn is_attempt(&self) -> bool {
        self.call.status == Status::Denied
    }
}

/// Every call of a session, in order. `findings`: those of the same rulings.
pub(crate) fn of_calls<'a>(
    replay: &'a Replay<'_>,
    rulings: &'a Rulings<'_>,
    findings: &'a [Finding],
    rules: &Rules<'_>,
) -> Vec<Ruling<'a>> {
    let mut acts = rulings.acts().peekable();
    let mut findings = findings.iter().peekable();
    let mut result = Vec::new();
    for (event, call) in replay.session.calls() {
        let (mut own, mut against) = (Vec::new(), Vec::new());
        while let Some(act) = acts.next_if(|act| act.event <= event.number) {
            if act.event == event.number {
                own.push(act);
            }
        }
        while let Some(finding) = findings.next_if(|finding| finding.event <= event.number) {
            if finding.event == event.number && fails(finding) {
                against.push(finding);
            }
        }
        result.push(ruling(event, call, &own, &against, rules));
    }
    result
}

/// What `check` fails for at its usual threshold.
pub(super) fn fails(finding: &Finding) -> bool {
    finding.level == Level::Error && finding.impact == VerdictImpact::ByLevel
}

fn ruling<'a>(
    event: &'a Event<'a>,
    call: &'a ToolCall<'a>,
    acts: &[Act<'a>],
    against: &[&'a Finding],
    rules: &Rules<'_>,
) -> Ruling<'a> {
    let mut spoke: Vec<Decider> = Vec::new();
    for decider in acts.iter().filter_map(|act| rules.behind(act.judgement)) {
        if !spoke.contains(&decider) {
            spoke.push(decider);
        }
    }
    let strictest = against.iter().map(|finding| (verdict(finding), rules.found(finding), *finding));
    // The first of the strictest; among them an entry before a built-in rule before none.
    let strictest =
        strictest.min_by_key(|(verdict, decider, finding)| (std::cmp::Reverse(*verdict), rank(decider), finding.event));
    let (verdict, decider, reason) = if let Some((verdict, decider, finding)) = strictest {
        (verdict, decider, finding.message.as_str())
    } else {
        let reason = acts.first().map_or("it touches nothing that is judged", |act| &act.judgement.reason);
        (Verdict::Allowed, spoke.first().cloned().unwrap_or(Decider::Default), reason)
    };
    if !spoke.contains(&decider) {
        spoke.push(decider.clone());
    }
    Ruling {
        event,
        call,
        verdict,
        decider,
        reason,
        kind: acts.first().map(|act| act.effect.kind.name()),
        spoke,
        unresolved: acts.iter().any(|act| act.judgement.decision == Decision::Unresolved),
    }
}

fn verdict(finding: &Finding) -> Verdict {
    match finding.rule {
        RuleId::ScopeUnresolved => Verdict::Unresolved,
        RuleId::ScopeApproval => Verdict::Asked,
        _ => Verdict::Denied,
    }
}

fn rank(decider: &Decider) -> u8 {
    match decider {
        Decider::Entry(_) | Decider::List(_) => 0,
        Decider::BuiltIn(_) => 1,
        Decider::Default => 2,
        Decider::Unresolved => 3,
    }
}
