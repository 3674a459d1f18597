//! The same call over and over.

use std::collections::BTreeMap;

use super::calls::{Called, Conversation};
use super::context::{LintContext, LintEvent};
use super::lint;
use crate::Hit;
use agent_strace_policy::config::lint::{Parameter, Unit};

const THRESHOLD: Parameter = Parameter { key: "threshold", default: Some(5.0), unit: Unit::Count };

lint!(TOOL_LOOP = LintToolLoop, "tool-loop", Warning, "the same call was made over and over", [THRESHOLD], look);

/// Calls that ask for the same, with no other call of their agent between them.
struct Run<'a> {
    first: &'a Called<'a>,
    last: u32,
    length: usize,
}

fn look(context: &LintContext<'_>, hits: &mut Vec<Hit>) {
    let mut runs: BTreeMap<Conversation<'_>, Run<'_>> = BTreeMap::new();
    for event in context.events() {
        match event {
            LintEvent::Call(call) if waits(&call.call.tool) => {
                hits.extend(runs.remove(&call.by).and_then(|run| hit(context, &run)));
            }
            LintEvent::Call(call) => match runs.get_mut(&call.by) {
                Some(run) if run.first.is_same(call) => {
                    run.last = call.event;
                    run.length += 1;
                }
                _ => {
                    let ended = runs.insert(call.by, Run { first: call, last: call.event, length: 1 });
                    hits.extend(ended.and_then(|run| hit(context, &run)));
                }
            },
            // Who is told to go on may do the same again.
            LintEvent::Prompt => hits.extend(std::mem::take(&mut runs).values().filter_map(|run| hit(context, run))),
            LintEvent::Instruction | LintEvent::Message(_) => {}
        }
    }
    hits.extend(runs.values().filter_map(|run| hit(context, run)));
}

/// Tools that only wait for something that runs: asking again is what they are for.
const WAITING: &[&str] = &[
    "write_stdin",
    "BashOutput",
    "TaskOutput",
    "AgentOutputTool",
    "wait",
    "wait_agent",
    "read_bash",
    "list_bash",
    "sleep",
];

fn waits(tool: &str) -> bool {
    WAITING.contains(&tool.rsplit('.').next().unwrap_or(tool))
}

fn hit(context: &LintContext<'_>, run: &Run<'_>) -> Option<Hit> {
    if run.length < context.count(&THRESHOLD) {
        return None;
    }
    let tool = &run.first.call.tool;
    let message =
        format!("\"{tool}\" called {} times consecutively with the same arguments: possible loop", run.length);
    let about = vec![("tool", tool.to_string()), ("asks", run.first.asks().to_owned())];
    Some(context.hit(run.first.event..=run.last, message, about))
}
