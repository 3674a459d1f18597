//! What sessions add up to, as gauges.

use std::path::Path;

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::metrics::v1::{ResourceMetrics, metric};

use super::super::super::Streams;
use super::super::super::environment::Environment;
use super::super::super::eval;
use super::super::super::failure::Failure;
use super::super::super::http::Target;
use super::super::super::measured::totals;
use super::super::super::output;
use super::super::{ExportArgs, select};
use super::send::Sent;
use super::warn;
use agent_strace_metrics::{Basis, Pricing, Profile};
use agent_strace_policy::prices::shipped;
use agent_strace_store::indented;
use agent_strace_telemetry::Score;

const PATH: &str = "/v1/metrics";

pub(super) fn run(
    trace_dir: &Path,
    args: &ExportArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let target = args.telemetry.target(environment)?;
    let inputs = select(trace_dir, args, environment, streams)?;
    let measured = totals(inputs, Pricing::Table(shipped()), environment)?;
    let scores = scores(trace_dir, args, environment, streams)?;
    let mut profiles = measured.profiles;
    for profile in &mut profiles {
        for text in [&mut profile.id, &mut profile.agent] {
            agent_strace_secrets::redact(std::mem::take(text)).as_str().clone_into(text);
        }
    }
    let none: &[Score] = &[];
    let of = |profile: &Profile| scores.as_ref().and_then(|scores| scores.get(&profile.id)).map_or(none, Vec::as_slice);
    let sessions: Vec<(&Profile, &[Score])> = profiles.iter().map(|profile| (profile, of(profile))).collect();
    for line in agent_strace_report::gap_lines(&measured.gaps) {
        output::note(streams.stderr, &line);
    }
    let is_whole = tell(&profiles, streams) && measured.gaps.is_empty();
    let Some(metrics) = agent_strace_telemetry::metrics(&sessions, &args.telemetry.service_name) else {
        output::note(streams.stderr, "error: no session with a time was found: nothing was exported");
        return Ok(3);
    };
    let is_taken = match target {
        None => {
            let text = indented(&agent_strace_report::to_json(&ExportMetricsServiceRequest {
                resource_metrics: vec![metrics],
            }));
            match &args.output {
                Some(path) => output::write(path, &(text + "\n"))?,
                None => output::print(streams.stdout, &(text + "\n"))?,
            }
            true
        }
        Some(target) => send(&target, metrics, profiles.len(), streams)?,
    };
    Ok(if is_whole && is_taken { 0 } else { 3 })
}

type Scores = std::collections::BTreeMap<String, Vec<Score>>;

/// By session, where there is a file of evals.
fn scores(
    trace_dir: &Path,
    args: &ExportArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<Option<Scores>, Failure> {
    if !eval::are_demanded(environment)? {
        return Ok(None);
    }
    if args.is_stdin() {
        output::note(streams.stderr, "note: without scores: standard input can be read once, and scores need it again");
        return Ok(None);
    }
    let inputs = select(trace_dir, args, environment, streams)?;
    let scored = eval::scores(inputs, args.telemetry.now, environment)?;
    let by_id = scored.into_iter().map(|session| {
        let scores = session.scores.into_iter().map(|score| Score { name: score.name, value: score.value });
        (session.id, scores.collect())
    });
    Ok(Some(by_id.collect()))
}

/// What can't be told of sessions; `false`: something.
fn tell(profiles: &[Profile], streams: &mut Streams<'_>) -> bool {
    let untimed = profiles.iter().filter(|profile| profile.last.is_none()).count();
    if untimed > 0 {
        let line = format!("warning: {untimed} of {} sessions have no times: they have no points", profiles.len());
        output::note(streams.stderr, &line);
    }
    let unpriced = profiles.iter().filter(|profile| profile.cost.basis == Basis::Incomplete).count();
    if unpriced > 0 {
        let line = format!(
            "note: of {unpriced} of {} sessions not everything has a price: they have no point of \
             agent_strace.session.cost_usd; `agent-strace cost` says why",
            profiles.len()
        );
        output::note(streams.stderr, &line);
    }
    untimed == 0
}

/// `false`: not all of it was taken.
fn send(
    target: &Target,
    metrics: ResourceMetrics,
    sessions: usize,
    streams: &mut Streams<'_>,
) -> Result<bool, Failure> {
    warn(target, PATH, streams);
    let all = metrics.scope_metrics.iter().flat_map(|scope| &scope.metrics);
    let points = all.map(|metric| match &metric.data {
        Some(metric::Data::Gauge(gauge)) => gauge.data_points.len(),
        _ => 0,
    });
    let points = points.sum();
    let json = agent_strace_report::to_json(&ExportMetricsServiceRequest { resource_metrics: vec![metrics] });
    let mut sent = Sent::default();
    sent.post(target, PATH, &json, points, streams)?;
    let sessions = if sessions == 1 { "1 session".to_owned() } else { format!("{sessions} sessions") };
    let line = match sent.rejected {
        0 => format!("sent {points} points of {sessions} to {}", target.shown(PATH)),
        rejected => format!("sent {points} points to {}: {rejected} were rejected", target.shown(PATH)),
    };
    output::note(streams.stderr, &agent_strace_report::terminal(&line));
    Ok(sent.rejected == 0)
}
