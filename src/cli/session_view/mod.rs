//! What happened, and why the gate says so: `replay`, `explain`, `why`, `timeline`, `show`, `annotate`.

mod annotate;
mod explain;
mod finding_args;
mod judged;
mod page;
mod replay;
mod show;
mod timeline;
mod why;

use super::Streams;
use super::output;
use agent_strace_model::Gap;

pub(super) use annotate::{AnnotateArgs, EXAMPLES as ANNOTATE_EXAMPLES, run as annotate};
pub(super) use explain::{EXAMPLES as EXPLAIN_EXAMPLES, ExplainArgs, run as explain};
pub(super) use replay::{EXAMPLES as REPLAY_EXAMPLES, ReplayArgs, run as replay};
pub(super) use show::{EXAMPLES as SHOW_EXAMPLES, ShowArgs, run as show};
pub(super) use timeline::{EXAMPLES as TIMELINE_EXAMPLES, TimelineArgs, run as timeline};
pub(super) use why::{EXAMPLES as WHY_EXAMPLES, WhyArgs, run as why};

/// What is missing, and the exit code that says so.
fn conclude(is_empty: bool, gaps: &[Gap], left_out: usize, streams: &mut Streams<'_>) -> u8 {
    for line in agent_strace_report::gap_lines(gaps) {
        output::note(streams.stderr, &line);
    }
    if is_empty {
        output::note(streams.stderr, "error: no session was found");
        output::note(streams.stderr, output::NO_SESSION);
    }
    if left_out > 0 {
        let sessions = if left_out == 1 { "1 session is".to_owned() } else { format!("{left_out} sessions are") };
        output::note(streams.stderr, &format!("note: {sessions} left out: `agent-strace list` names them"));
    }
    if is_empty || !gaps.is_empty() { 3 } else { 0 }
}
