//! A session that ended and left nothing behind.

use super::context::{LintContext, counted};
use super::lint;
use crate::Hit;
use agent_strace_effects::Kind;
use agent_strace_metrics::Ended;
use agent_strace_model::Status;

lint!(NO_OUTPUT = LintNoOutput, "no-output", Warning, "the session ended and changed nothing", [], look);

fn look(context: &LintContext<'_>, hits: &mut Vec<Hit>) {
    let session = context.session();
    let calls = &context.calls.list;
    // What a sub-agent finds out is its parent's, and a session that goes on may still change something.
    let goes_on = context.log.measured.ended() == Ended::Unfinished;
    if calls.is_empty() || context.is_subagent() || goes_on || !session.dialect.carries.acts() {
        return;
    }
    let output = context.log.acts.iter().filter(|act| act.status != Some(Status::Denied)).any(|act| {
        match &act.effect.kind {
            // A sub-agent, a tool that nobody here knows and what could not be resolved may have done anything.
            Kind::Write(_) | Kind::Delete(_) | Kind::Spawn { .. } | Kind::Tool { .. } | Kind::Opaque(_) => true,
            // What a command sends somewhere is output; what a tool fetches is not.
            Kind::Connect(_) => act.effect.origin.parent.is_some(),
            Kind::Read(_) | Kind::List(_) | Kind::Execute(_) | Kind::Env { .. } => false,
        }
    });
    if !output {
        let message =
            format!("the session made {} and changed nothing: no file was written", counted(calls.len(), "tool call"));
        hits.push(context.whole(message, Vec::new()));
    }
}
