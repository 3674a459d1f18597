//! Code that was changed, and nothing was run on it afterwards.

use std::collections::BTreeSet;

use super::calls::Called;
use super::context::{LintContext, counted};
use super::{lint, vocabulary};
use crate::Hit;
use agent_strace_effects::{Certainty, Kind};

lint!(
    UNVERIFIED_CHANGE = LintUnverifiedChange,
    "unverified-change",
    Note,
    "code was changed after the last test, build or run",
    [],
    look
);

/// Parts of the names of tools that verify, or that run something.
const VERIFYING: &[&str] = &[
    "test",
    "diagnostic",
    "build",
    "lint",
    "check",
    "run",
    "exec",
    "preview",
    "browser",
    "playwright",
    "problem",
    "error",
];

fn look(context: &LintContext<'_>, hits: &mut Vec<Hit>) {
    // The parent of a sub-agent sees what it changed.
    if context.is_subagent() {
        return;
    }
    let calls = context.calls.list.iter().rev().filter(|call| !call.was_refused());
    let mut unverified: BTreeSet<&str> = BTreeSet::new();
    let (mut first, mut last) = (0, 0);
    for call in calls.take_while(|call| !verifies(call)) {
        for path in code(call) {
            last = if unverified.is_empty() { call.event } else { last };
            first = call.event;
            unverified.insert(path);
        }
    }
    if !unverified.is_empty() {
        let files = counted(unverified.len(), "file");
        let message = format!("{files} of code changed, and nothing was run on them since");
        let named = unverified.into_iter().collect::<Vec<_>>().join("\n");
        hits.push(context.hit(first..=last, message, vec![("paths", named)]));
    }
}

/// A call that writes a file and runs it has verified what it wrote.
fn verifies(call: &Called<'_>) -> bool {
    let says_so = || {
        let tool = call.call.tool.to_lowercase();
        VERIFYING.iter().any(|part| tool.contains(part))
    };
    let mut commands = false;
    for effect in call.done() {
        match &effect.kind {
            Kind::Execute(execution) => {
                commands = true;
                if vocabulary::verifies(execution) {
                    return true;
                }
            }
            // Whatever it was, it was run, or a tool of which nobody knows what it does.
            Kind::Opaque(_) | Kind::Spawn { .. } => return true,
            Kind::Tool { .. } if says_so() => return true,
            _ => {}
        }
    }
    !commands && code(call).next().is_none() && says_so()
}

/// The files of code that a call wrote in the workspace.
fn code<'a>(call: &Called<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
    let wrote = !call.failed();
    call.done()
        .filter(move |_| wrote)
        .filter_map(|effect| match &effect.kind {
            Kind::Write(target) if effect.certainty == Certainty::Exact && !target.subtree => {
                Some(target.path.as_str())
            }
            _ => None,
        })
        .filter(|path| vocabulary::is_code(path) && !path.starts_with(['/', '~']))
}
