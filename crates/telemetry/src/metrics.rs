//! What sessions add up to, as gauges: one point for each session, at the time it ended.

use super::names::SERVICE_NAME;
use opentelemetry_proto::tonic::metrics::v1::{
    Gauge, Metric, NumberDataPoint, ResourceMetrics, ScopeMetrics, metric, number_data_point::Value,
};

use super::attributes::Attributes;
use super::times::nanos;
use super::{resource, scope};
use agent_strace_metrics::Profile;
use agent_strace_model::prices::dollars;

/// How a session measured up to one thing that was demanded of it.
#[derive(Debug, Clone)]
pub struct Score {
    /// The name of the scorer.
    pub name: String,
    /// From 0 to 1.
    pub value: f64,
}

/// A gauge: name, unit, description, and what it is of a session; `None`: the session does not tell.
type Row = (&'static str, &'static str, &'static str, fn(&Profile) -> Option<f64>);

const ROWS: &[Row] = &[
    ("agent_strace.session.cost_usd", "USD", "What the session cost, where everything in it has a price.", cost),
    ("agent_strace.session.error_rate", "1", "Errors for each tool call.", |profile| rate(profile.errors(), profile)),
    (
        "agent_strace.session.retry_rate",
        "1",
        "Calls that were made again after they failed, for each tool call.",
        |profile| rate(profile.retries.len(), profile),
    ),
    ("agent_strace.session.blast_radius", "{file}", "Distinct files that were written or deleted.", |profile| {
        count(profile.files.changed)
    }),
    ("agent_strace.session.duration_s", "s", "From the first recorded time to the last.", |profile| {
        profile.duration().map(|milliseconds| exact(milliseconds) / 1e3)
    }),
    ("agent_strace.session.tool_calls", "{call}", "Tool calls, also those that failed or were refused.", |profile| {
        count(profile.calls)
    }),
];

const SCORE: (&str, &str, &str) = ("agent_strace.eval.score", "1", "How the session measured up, from 0 to 1.");

fn cost(profile: &Profile) -> Option<f64> {
    profile.cost.complete().map(dollars)
}

#[expect(clippy::cast_precision_loss, reason = "no session has so many milliseconds or files")]
fn exact(number: u64) -> f64 {
    number as f64
}

fn count(number: usize) -> Option<f64> {
    u64::try_from(number).ok().map(exact)
}

/// Of a session without calls there is no rate.
fn rate(part: usize, profile: &Profile) -> Option<f64> {
    Some(count(part)? / count(profile.calls).filter(|calls| *calls > 0.0)?)
}

/// `None`: no session has a time to stand at. Each session comes with its scores.
pub fn metrics(sessions: &[(&Profile, &[Score])], service: &str) -> Option<ResourceMetrics> {
    let timed: Vec<(&Profile, &[Score], u64)> = sessions
        .iter()
        .filter_map(|(profile, scores)| Some((*profile, *scores, profile.last.and_then(nanos)?)))
        .collect();
    let mut all = Vec::new();
    for (name, unit, description, of) in ROWS {
        let points = timed.iter().filter_map(|(profile, _, at)| Some(point(profile, *at, of(profile)?, None)));
        all.push(gauge(name, unit, description, points.collect()));
    }
    let scores = timed.iter().flat_map(|(profile, scores, at)| {
        scores.iter().map(|score| point(profile, *at, score.value, Some(&score.name)))
    });
    let (name, unit, description) = SCORE;
    all.push(gauge(name, unit, description, scores.collect()));
    all.retain(|metric| !matches!(&metric.data, Some(metric::Data::Gauge(gauge)) if gauge.data_points.is_empty()));
    let mut attributes = Attributes::default();
    attributes.text(SERVICE_NAME, service);
    let scope_metrics = ScopeMetrics { scope: Some(scope()), metrics: all, schema_url: String::new() };
    (!timed.is_empty()).then(|| ResourceMetrics {
        resource: Some(resource(attributes)),
        scope_metrics: vec![scope_metrics],
        schema_url: String::new(),
    })
}

fn gauge(name: &str, unit: &str, description: &str, data_points: Vec<NumberDataPoint>) -> Metric {
    Metric {
        name: name.to_owned(),
        description: description.to_owned(),
        unit: unit.to_owned(),
        metadata: Vec::new(),
        data: Some(metric::Data::Gauge(Gauge { data_points })),
    }
}

fn point(profile: &Profile, time_unix_nano: u64, value: f64, judge: Option<&str>) -> NumberDataPoint {
    // Characters of an id that tell sessions apart, as the Python tool has them.
    const ID: usize = 12;
    let mut attributes = Attributes::default();
    attributes.text("session_id", profile.id.chars().take(ID).collect::<String>());
    attributes.text("agent_name", profile.agent.as_str());
    attributes.text_if_any("judge", judge);
    let (attributes, _) = attributes.finish();
    NumberDataPoint {
        attributes,
        start_time_unix_nano: profile.first.and_then(nanos).unwrap_or_default(),
        time_unix_nano,
        value: Some(Value::AsDouble(value)),
        ..NumberDataPoint::default()
    }
}
