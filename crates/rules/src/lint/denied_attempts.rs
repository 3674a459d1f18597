//! What was refused, asked for again, or done another way.

use std::collections::BTreeMap;

use super::calls::Called;
use super::context::{LintContext, LintEvent};
use super::lint;
use crate::Hit;
use agent_strace_effects::{Certainty, Effect, Kind};
use agent_strace_model::RawText;
use agent_strace_policy::config::lint::{Parameter, Unit};

const THRESHOLD: Parameter = Parameter { key: "threshold", default: Some(3.0), unit: Unit::Count };

lint!(
    DENIED_ATTEMPTS = LintDeniedAttempts,
    "denied-attempts",
    Warning,
    "an agent went on trying, or found another way, after it had been refused",
    [THRESHOLD],
    look
);

/// Refusals since somebody spoke to the agent.
#[derive(Default)]
struct Refusals<'a> {
    calls: Vec<&'a Called<'a>>,
    /// What they would have done, and the event of the first that would.
    acts: BTreeMap<(&'static str, String), u32>,
}

fn look(context: &LintContext<'_>, hits: &mut Vec<Hit>) {
    let mut refused = Refusals::default();
    for event in context.events() {
        match event {
            // What touches nothing is a question: a plan that its user wants otherwise is no refusal.
            LintEvent::Call(call) if is_refused(context, call) && call.acts.is_empty() => {}
            LintEvent::Call(call) if is_refused(context, call) && is_answered(context, call) => {
                hits.extend(again(context, &refused.calls));
                refused = Refusals::default();
            }
            LintEvent::Call(call) if is_refused(context, call) => {
                refused.calls.push(call);
                for act in call.acts {
                    if let Some(target) = target(act.effect) {
                        refused.acts.entry(target).or_insert(call.event);
                    }
                }
            }
            LintEvent::Call(call) => hits.extend(around(context, &refused, call)),
            // Who is told to go on has been answered.
            LintEvent::Prompt => {
                hits.extend(again(context, &refused.calls));
                refused = Refusals::default();
            }
            LintEvent::Instruction | LintEvent::Message(_) => {}
        }
    }
    hits.extend(again(context, &refused.calls));
}

/// What a host writes about a call that it did not run.
const REFUSALS: &[&str] = &[
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "Permission to use ",
    "Claude requested permissions to ",
];

/// Whether somebody refused a call, or its result says so. A command can print the same words: judging does not believe
/// them, and a warning may. What the host's own check of the arguments sent back nobody refused.
fn is_refused(context: &LintContext<'_>, call: &Called<'_>) -> bool {
    if !call.was_refused() && !call.failed() {
        return false;
    }
    let text = context.calls.result(call).map(RawText::decode).unwrap_or_default();
    if call.was_refused() {
        return !text.starts_with("<tool_use_error>") || text.contains("denied");
    }
    REFUSALS.iter().any(|refusal| text.starts_with(refusal))
}

/// What agents write before the words of a user who refused a call and said what to do instead.
const ANSWERS: &[&str] = &["the user said:", "user provided the following", "reason for rejection"];

/// Whether a refusal came with words: it is an order as good as a prompt.
fn is_answered(context: &LintContext<'_>, call: &Called<'_>) -> bool {
    let Some(text) = context.calls.result(call).map(RawText::decode) else { return false };
    ANSWERS.iter().any(|answer| text.contains(answer))
}

/// Asked for over and over.
fn again(context: &LintContext<'_>, refused: &[&Called<'_>]) -> Option<Hit> {
    let ((first, last), count) = (refused.first().zip(refused.last())?, refused.len());
    let message = format!("{count} calls were refused, and the agent went on trying: nobody told it to");
    (count >= context.count(&THRESHOLD))
        .then(|| context.hit(first.event..=last.event, message, vec![("tool", first.call.tool.to_string())]))
}

/// Done all the same.
fn around(context: &LintContext<'_>, refused: &Refusals<'_>, call: &Called<'_>) -> Option<Hit> {
    if refused.acts.is_empty() || call.failed() {
        return None;
    }
    let (act, before) = call.done().find_map(|effect| {
        let target = target(effect)?;
        let before = refused.acts.get(&target)?;
        Some((target, *before))
    })?;
    let (kind, what) = act;
    let message = format!("{kind}s `{what}`, which had been refused at event {before}");
    Some(context.hit(call.event..=call.event, message, vec![("kind", kind.to_owned()), ("target", what)]))
}

/// What an act does to whom: only acts whose doing somebody would refuse.
fn target(effect: &Effect) -> Option<(&'static str, String)> {
    if effect.certainty != Certainty::Exact {
        return None;
    }
    match &effect.kind {
        Kind::Write(target) | Kind::Delete(target) => Some((effect.kind.name(), target.path.clone())),
        _ => None,
    }
}
