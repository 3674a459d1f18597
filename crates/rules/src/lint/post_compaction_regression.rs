//! An agent that worked worse once its conversation had been summarised.

use std::collections::BTreeSet;

use super::calls::Called;
use super::context::{LintContext, counted};
use super::lint;
use crate::Hit;
use agent_strace_effects::Kind;
use agent_strace_policy::config::lint::{Parameter, Unit};

const DROP: Parameter = Parameter { key: "compaction_threshold", default: Some(0.5), unit: Unit::Share };
const WINDOW: Parameter = Parameter { key: "behavior_window", default: Some(50.0), unit: Unit::Count };
const READS: Parameter = Parameter { key: "redundant_read_threshold", default: Some(3.0), unit: Unit::Count };
const LOOP: Parameter = Parameter { key: "tool_loop_threshold", default: Some(5.0), unit: Unit::Count };

lint!(
    POST_COMPACTION_REGRESSION = LintPostCompactionRegression,
    "post-compaction-regression",
    Warning,
    "after its conversation was summarised the agent read again or repeated itself",
    [DROP, WINDOW, READS, LOOP],
    look
);

/// Prompts smaller than this shrink for other reasons.
const SMALLEST: u64 = 10_000;

fn look(context: &LintContext<'_>, hits: &mut Vec<Hit>) {
    if !context.log.measured.requests().iter().any(|request| request.is_main && request.prompt.is_some()) {
        return context.cannot_judge("the log does not record what single requests sent", hits);
    }
    for at in compactions(context) {
        let behaviour = |reasons: Vec<String>| {
            let message = format!("after the conversation was summarised {}", reasons.join(", and "));
            context.hit(at..=at, message, vec![("at", at.to_string())])
        };
        let reasons: Vec<String> = [rereads(context, at), loops(context, at)].into_iter().flatten().collect();
        if !reasons.is_empty() {
            hits.push(behaviour(reasons));
        }
    }
}

/// The events at which a request of the main conversation was much smaller than the one before it.
fn compactions(context: &LintContext<'_>) -> Vec<u32> {
    let drop = context.number(&DROP).unwrap_or(1.0);
    let requests = context.log.measured.requests().iter().filter(|request| request.is_main);
    let sizes: Vec<(u32, u64)> = requests.filter_map(|request| Some((request.event, request.prompt?))).collect();
    let pairs = sizes.iter().zip(sizes.iter().skip(1));
    #[expect(clippy::cast_precision_loss, reason = "tokens, of which there are far fewer than 2^52")]
    let fell = |before: u64, now: u64| before >= SMALLEST && (now as f64) < before as f64 * (1.0 - drop);
    pairs.filter(|((_, before), (_, now))| fell(*before, *now)).map(|(_, (event, _))| *event).collect()
}

/// Files that were read before, and soon after again.
fn rereads(context: &LintContext<'_>, at: u32) -> Option<String> {
    let window = u32::try_from(context.count(&WINDOW)).unwrap_or(u32::MAX);
    let read = |first: u32, last: u32| -> BTreeSet<&str> {
        let effects = context.calls.between(first, last).iter().flat_map(Called::done);
        effects
            .filter_map(|effect| match &effect.kind {
                Kind::Read(target) if !target.subtree => Some(target.path.as_str()),
                _ => None,
            })
            .collect()
    };
    let before = read(at.saturating_sub(window), at.saturating_sub(1));
    let again = read(at, at.saturating_add(window));
    let count = before.intersection(&again).count();
    (count >= context.count(&READS)).then(|| format!("{} were read again", counted(count, "file")))
}

/// Calls in a row that ask for the same, of which there were none before.
fn loops(context: &LintContext<'_>, at: u32) -> Option<String> {
    let window = u32::try_from(context.count(&WINDOW)).unwrap_or(u32::MAX);
    let longest = |from: u32, to: u32| {
        context
            .calls
            .between(from, to)
            .chunk_by(|one, next| one.by == next.by && one.is_same(next))
            .map(<[_]>::len)
            .max()
            .unwrap_or(0)
    };
    let (before, after) =
        (longest(at.saturating_sub(window), at.saturating_sub(1)), longest(at, at.saturating_add(window)));
    let least = context.count(&LOOP);
    (after >= least && before < least).then(|| format!("the same call was made {after} times in a row"))
}
