//! The same call, failing again and again, with nothing changed in between.

use std::collections::BTreeMap;

use super::calls::{Called, Conversation};
use super::context::{LintContext, LintEvent};
use super::lint;
use crate::Hit;
use agent_strace_policy::config::lint::{Parameter, Unit};

const THRESHOLD: Parameter = Parameter { key: "threshold", default: Some(3.0), unit: Unit::Count };

lint!(
    ERROR_RETRY_LOOP = LintErrorRetryLoop,
    "error-retry-loop",
    Warning,
    "a call failed again and again, and nothing was changed in between",
    [THRESHOLD],
    look
);

/// Failures of one call.
struct Failures<'a> {
    first: &'a Called<'a>,
    last: u32,
    count: usize,
}

fn look(context: &LintContext<'_>, hits: &mut Vec<Hit>) {
    let mut failing: BTreeMap<(Conversation<'_>, (&str, &str)), Failures<'_>> = BTreeMap::new();
    let mut ended = Vec::new();
    for event in context.events() {
        match event {
            LintEvent::Call(call) if failing.is_empty() && !call.failed() => {}
            LintEvent::Call(call) => {
                let key = (call.by, call.key());
                if call.failed() {
                    let new = || Failures { first: call, last: call.event, count: 0 };
                    let failures = failing.entry(key).or_insert_with(new);
                    failures.count += 1;
                    failures.last = call.event;
                } else {
                    ended.extend(failing.remove(&key));
                }
                // After a change the same call is another attempt; what it changes itself is not a reason for it.
                if call.changes() {
                    let (same, others) = std::mem::take(&mut failing).into_iter().partition(|(known, _)| *known == key);
                    failing = same;
                    ended.extend(BTreeMap::into_values(others));
                }
            }
            LintEvent::Prompt => ended.extend(std::mem::take(&mut failing).into_values()),
            LintEvent::Instruction | LintEvent::Message(_) => {}
        }
    }
    ended.extend(failing.into_values());
    hits.extend(ended.iter().filter(|failures| failures.count >= context.count(&THRESHOLD)).map(|failures| {
        let tool = &failures.first.call.tool;
        let count = failures.count;
        let message =
            format!("\"{tool}\" failed {count} times with the same arguments, and nothing changed in between");
        let about = vec![("tool", tool.to_string()), ("asks", failures.first.asks().to_owned())];
        context.hit(failures.first.event..=failures.last, message, about)
    }));
}
