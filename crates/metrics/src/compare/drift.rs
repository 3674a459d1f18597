//! Whether agents behave otherwise than they did: distributions of six dimensions, over sessions of now and of before.
//!
//! Every dimension is a distribution, and two of them are compared by their Jensen-Shannon divergence: the mix of tools as
//! it is, numbers of sessions in a few fixed classes, so that a fingerprint is small and can be saved. Classes are smoothed:
//! with few sessions, some are empty by chance.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::distance::divergence;
use crate::Profile;

/// Fewer sessions than these on either side prove nothing.
pub const LEAST: usize = 5;
/// The version that is written.
const VERSION: u64 = 1;
/// What every class has before the first session is counted.
const SMOOTHING: f64 = 0.5;
/// The mix of tools counts twice.
const TOOL_MIX: &str = "tool_mix";

/// A number of every session: its name, the classes it is counted in (each up to and with its bound), and how it is got.
struct Scalar {
    name: &'static str,
    bounds: [f64; 5],
    of: fn(&Profile) -> Option<f64>,
    /// Every session has it.
    always: bool,
}

const SHARES: [f64; 5] = [0.0, 0.05, 0.1, 0.2, 0.4];
const COUNTS: [f64; 5] = [0.0, 1.0, 3.0, 7.0, 15.0];

const SCALARS: &[Scalar] = &[
    Scalar { name: "error_rate", bounds: SHARES, of: |profile| rate(profile.errors(), profile), always: false },
    Scalar { name: "retry_rate", bounds: SHARES, of: |profile| rate(profile.retries.len(), profile), always: false },
    Scalar { name: "blast_radius", bounds: COUNTS, of: |profile| Some(float(profile.files.changed)), always: true },
    Scalar { name: "session_duration_s", bounds: [10.0, 60.0, 300.0, 1200.0, 3600.0], of: seconds, always: false },
    Scalar { name: "decision_depth", bounds: COUNTS, of: |profile| Some(float(profile.decisions.len())), always: true },
];

#[expect(clippy::cast_precision_loss, reason = "there are fewer of anything in a log than a double can count")]
fn float(count: usize) -> f64 {
    count as f64
}

/// Of the calls whose end is recorded; `None`: there are calls, and nobody knows how any of them ended.
fn rate(count: usize, profile: &Profile) -> Option<f64> {
    let answered = profile.calls.saturating_sub(profile.unanswered);
    (answered > 0 || profile.calls == 0).then(|| float(count) / float(answered.max(1)))
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of any session fit into a double")]
fn seconds(profile: &Profile) -> Option<f64> {
    profile.duration().map(|milliseconds| milliseconds as f64 / 1000.0)
}

/// How sessions of a time behaved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "behaviour of sessions, version 1"))]
pub struct Fingerprint {
    version: u64,
    pub sessions: usize,
    pub period: Period,
    /// Shares of all calls, by tool.
    tool_mix: BTreeMap<String, f64>,
    /// By the name of the dimension.
    dimensions: BTreeMap<String, Summary>,
}

/// The earliest and the latest recorded time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Period {
    pub start: Option<String>,
    pub end: Option<String>,
}

/// One number over all sessions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Summary {
    pub mean: f64,
    pub p50: f64,
    pub p95: f64,
    /// Sessions in each class, from the lowest up.
    classes: [usize; 6],
}

impl Summary {
    fn of(mut values: Vec<f64>, bounds: [f64; 5]) -> Self {
        values.sort_by(f64::total_cmp);
        let mut classes = [0; 6];
        for value in &values {
            let class = bounds.iter().take_while(|bound| value > *bound).count();
            if let Some(count) = classes.get_mut(class) {
                *count += 1;
            }
        }
        let mean = if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / float(values.len()) };
        Self { mean: rounded(mean), p50: rounded(at(&values, 0.5)), p95: rounded(at(&values, 0.95)), classes }
    }

    /// Sessions of which the number is known.
    pub fn known(&self) -> usize {
        self.classes.iter().sum()
    }

    fn distribution(&self) -> BTreeMap<String, f64> {
        let classes = self.classes.iter().enumerate();
        classes.map(|(class, count)| (class.to_string(), float(*count) + SMOOTHING)).collect()
    }
}

/// A quantile of sorted values, between two of them by their distance.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in a list")]
fn at(values: &[f64], quantile: f64) -> f64 {
    let rank = quantile * float(values.len().saturating_sub(1));
    let (below, above) = (rank.floor(), rank.ceil());
    let value = |rank: f64| values.get(rank as usize).copied().unwrap_or(0.0);
    value(below) + (value(above) - value(below)) * (rank - below)
}

/// Four decimals, so that a saved fingerprint is the one that was compared.
fn rounded(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}

/// Why a file is no fingerprint.
#[derive(Debug, thiserror::Error)]
pub enum FingerprintFault {
    #[error("it is no fingerprint of this tool: {0}")]
    Shape(String),
    #[error("it has version {0}, and this build reads version {VERSION}")]
    Version(u64),
    #[error("it lacks the dimension `{0}`")]
    Lacks(&'static str),
    #[error("the classes of `{0}` do not count every session")]
    Uncounted(&'static str),
}

impl Fingerprint {
    pub fn of(profiles: &[&Profile]) -> Self {
        let mut calls: BTreeMap<String, f64> = BTreeMap::new();
        for (tool, used) in profiles.iter().flat_map(|profile| &profile.tools) {
            *calls.entry(tool.clone()).or_default() += float(used.calls);
        }
        let all: f64 = calls.values().sum();
        let tool_mix = calls.into_iter().map(|(tool, count)| (tool, rounded(count / all.max(1.0)))).collect();
        let summary = |scalar: &Scalar| {
            let values = profiles.iter().filter_map(|profile| (scalar.of)(profile)).collect();
            (scalar.name.to_owned(), Summary::of(values, scalar.bounds))
        };
        let start = profiles.iter().filter_map(|profile| profile.first).min();
        let end = profiles.iter().filter_map(|profile| profile.last).max();
        let period = Period { start: start.map(|time| time.to_string()), end: end.map(|time| time.to_string()) };
        let dimensions = SCALARS.iter().map(summary).collect();
        Self { version: VERSION, sessions: profiles.len(), period, tool_mix, dimensions }
    }

    pub fn read(text: &str) -> Result<Self, FingerprintFault> {
        let read: Self = serde_json::from_str(text).map_err(|error| FingerprintFault::Shape(error.to_string()))?;
        if read.version != VERSION {
            return Err(FingerprintFault::Version(read.version));
        }
        let sound = |share: &f64| (0.0..=1.0).contains(share);
        if !read.tool_mix.values().all(sound) {
            return Err(FingerprintFault::Shape("a share of `tool_mix` is not between 0 and 1".to_owned()));
        }
        // Counts that can't be are those of another file, or would leave a dimension out.
        let possible = |summary: &Summary| {
            let all = summary.classes.iter().try_fold(0_usize, |sum, count| sum.checked_add(*count));
            all.is_some_and(|all| all <= read.sessions)
        };
        if !read.dimensions.values().all(possible) {
            return Err(FingerprintFault::Shape("a dimension counts more sessions than there are".to_owned()));
        }
        if let Some(scalar) = SCALARS.iter().find(|scalar| !read.dimensions.contains_key(scalar.name)) {
            return Err(FingerprintFault::Lacks(scalar.name));
        }
        let counts = |scalar: &&Scalar| {
            scalar.always && read.dimensions.get(scalar.name).is_some_and(|summary| summary.known() != read.sessions)
        };
        match SCALARS.iter().find(counts) {
            Some(scalar) => Err(FingerprintFault::Uncounted(scalar.name)),
            None => Ok(read),
        }
    }
}

/// How far now is from before.
#[derive(Debug)]
pub struct Drift {
    /// From 0 to 1; `None`: there is too little on one side.
    pub overall: Option<f64>,
    pub dimensions: Vec<Dimension>,
}

impl Drift {
    /// Those that are far away by themselves, however little they weigh in the mean.
    pub fn above(&self, threshold: f64) -> impl Iterator<Item = &Dimension> {
        self.dimensions.iter().filter(move |dimension| dimension.score.is_some_and(|score| score >= threshold))
    }

    /// Those that one side tells and the other does not, although it has sessions enough.
    pub fn lost(&self) -> impl Iterator<Item = &Dimension> {
        self.dimensions.iter().filter(|dimension| {
            let known = dimension.summaries.as_ref().map(|(before, now)| (before.known(), now.known()));
            let one_sided = known.is_some_and(|(before, now)| (before >= LEAST) != (now >= LEAST));
            self.overall.is_some() && one_sided
        })
    }
}

/// One of the six.
#[derive(Debug)]
pub struct Dimension {
    pub name: &'static str,
    /// `None`: too few sessions tell.
    pub score: Option<f64>,
    /// Before and now; `None` of the mix of tools.
    pub summaries: Option<(Summary, Summary)>,
}

pub fn drift(before: &Fingerprint, now: &Fingerprint) -> Drift {
    let enough = before.sessions >= LEAST && now.sessions >= LEAST;
    let mix = enough.then(|| thousandths(divergence(&before.tool_mix, &now.tool_mix)));
    let mut dimensions = vec![Dimension { name: TOOL_MIX, score: mix, summaries: None }];
    for scalar in SCALARS {
        let of = |print: &Fingerprint| print.dimensions.get(scalar.name).cloned().unwrap_or_default();
        let (before, now) = (of(before), of(now));
        let known = before.known() >= LEAST && now.known() >= LEAST;
        let score = known.then(|| thousandths(divergence(&before.distribution(), &now.distribution())));
        dimensions.push(Dimension { name: scalar.name, score, summaries: Some((before, now)) });
    }
    let overall = enough.then(|| weigh(&dimensions));
    Drift { overall, dimensions }
}

/// The mean of what is known, the mix of tools twice.
fn weigh(dimensions: &[Dimension]) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for dimension in dimensions {
        let Some(score) = dimension.score else { continue };
        let weight = if dimension.name == TOOL_MIX { 2.0 } else { 1.0 };
        sum += weight * score;
        weights += weight;
    }
    if weights > 0.0 { thousandths(sum / weights) } else { 0.0 }
}

fn thousandths(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

#[test]
fn the_schema_is_that_of_the_types() {
    agent_strace_testing::schemas::keep("drift-baseline.v1", &agent_strace_testing::schemas::written::<Fingerprint>());
}
