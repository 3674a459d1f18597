//! Scores for Langfuse: how sessions measure up to `.agent-evals.yaml`, each at its trace.

use std::path::Path;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::super::super::Streams;
use super::super::super::environment::Environment;
use super::super::super::eval::{self, Scored};
use super::super::super::failure::Failure;
use super::super::super::http::Target;
use super::super::super::output;
use super::super::{ExportArgs, select};
use super::send::Sent;
use agent_strace_policy::hex;
use agent_strace_telemetry::trace_id;

const PATH: &str = "/api/public/scores";
/// Characters of a comment.
const COMMENT: usize = 500;

/// What `POST /api/public/scores` takes.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Score<'a> {
    /// Sent again, it replaces itself.
    id: String,
    trace_id: String,
    name: &'a str,
    value: f64,
    data_type: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    comment: String,
}

/// How the sessions that are asked for measure up.
pub(super) fn scored(
    trace_dir: &Path,
    args: &ExportArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<Vec<Scored>, Failure> {
    if args.is_stdin() {
        return Err(Failure::new("standard input can't be scored: it is read once").hint("give the log as a file"));
    }
    if !eval::are_demanded(environment)? {
        output::note(streams.stderr, "note: there is no .agent-evals.yaml: the only score is `no_errors`");
    }
    let inputs = select(trace_dir, args, environment, streams)?;
    eval::scores(inputs, args.telemetry.now, environment)
}

/// Of sessions that were sent. `false`: not all of it is known, or was taken.
pub(super) fn send(
    target: &Target,
    scored: &[Scored],
    sent_sessions: &[&str],
    streams: &mut Streams<'_>,
) -> Result<bool, Failure> {
    let (mut sent, mut unknown) = (Sent::default(), 0);
    for session in scored.iter().filter(|session| sent_sessions.contains(&session.id.as_str())) {
        unknown += session.unknown;
        let trace_id = hex(&trace_id(&session.id));
        for score in &session.scores {
            let digest = Sha256::digest(format!("{trace_id}\0{}", score.name));
            let comment = agent_strace_secrets::redact(score.reason.as_str()).as_str().chars().take(COMMENT).collect();
            let body = Score {
                id: hex(digest.get(..16).unwrap_or_default()),
                trace_id: trace_id.clone(),
                name: &score.name,
                value: score.value,
                data_type: "NUMERIC",
                comment,
            };
            sent.post(target, PATH, &agent_strace_report::to_json(&body), 1, streams)?;
        }
    }
    let scores = if sent.items == 1 { "1 score".to_owned() } else { format!("{} scores", sent.items) };
    let line = format!("sent {scores} to {}", target.shown(PATH));
    output::note(streams.stderr, &agent_strace_report::terminal(&line));
    if unknown > 0 {
        output::note(streams.stderr, &format!("warning: {unknown} scores are not known: `agent-strace eval` says why"));
    }
    Ok(sent.rejected == 0 && unknown == 0)
}
