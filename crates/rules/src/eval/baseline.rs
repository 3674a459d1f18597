//! Scores and numbers of before: what must not get worse.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{Assessment, Measurement, Value, Worth};
use agent_strace_policy::config::evals::{Bound, Criterion, Evals, FailOn, Scorer};

/// The version that is written.
const VERSION: u64 = 1;

/// What a baseline file holds.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "baseline of evals, version 1"))]
pub struct Baseline {
    version: u64,
    /// Whose values they are, where they are of one session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    /// How many sessions they are the worst of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sessions: Option<usize>,
    /// By the names of scorers and criteria.
    scores: BTreeMap<String, Json>,
    /// What each of them measures: the type of a scorer, or the metric of a criterion.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    scorers: BTreeMap<String, String>,
}

/// Why a file is no baseline, or not one of these evals.
#[derive(Debug, thiserror::Error)]
pub enum BaselineFault {
    #[error("it is not JSON: {0}")]
    Syntax(String),
    #[error("it is not an object with values by name")]
    Shape,
    #[error("it has version {0}, and this build reads version {VERSION}")]
    Version(String),
    #[error("its value of `{0}` is neither a number nor a text")]
    Type(String),
    #[error("it has no value for {0}")]
    Missing(String),
    #[error("its value of `{0}` is one of `{1}`, and the evals measure `{2}` by that name")]
    Other(String, String, &'static str),
}

impl Baseline {
    /// `{"version": 1, "scores": {…}}`, or just the values by name.
    pub fn read(text: &str, evals: &Evals) -> Result<Self, BaselineFault> {
        let json: Json = serde_json::from_str(text).map_err(|error| BaselineFault::Syntax(error.to_string()))?;
        let Json::Object(members) = &json else { return Err(BaselineFault::Shape) };
        let scores = match members.get("scores") {
            Some(Json::Object(scores)) => scores,
            Some(_) => return Err(BaselineFault::Shape),
            None => members,
        };
        match members.get("version").filter(|_| members.contains_key("scores")) {
            Some(version) if version.as_u64() != Some(VERSION) => {
                return Err(BaselineFault::Version(version.to_string()));
            }
            _ => {}
        }
        let scores: BTreeMap<String, Json> = scores.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let missing: Vec<String> =
            evals.names().filter(|name| !scores.contains_key(*name)).map(|name| format!("`{name}`")).collect();
        if !missing.is_empty() {
            return Err(BaselineFault::Missing(missing.join(", ")));
        }
        let strange =
            evals.names().find(|name| !scores.get(*name).is_some_and(|value| value.is_number() || value.is_string()));
        if let Some(name) = strange {
            return Err(BaselineFault::Type(name.to_owned()));
        }
        let scorers = measured_before(evals, members)?;
        Ok(Self { version: VERSION, session_id: None, sessions: None, scores, scorers })
    }

    /// The worst of every score and number. What is not known of some session is not known.
    pub fn of(evals: &Evals, sessions: &[(&str, &Assessment)]) -> Result<Self, BaselineFault> {
        let mut scores = BTreeMap::new();
        let mut unknown = Vec::new();
        let mut keep = |name: &str, worst: Option<Json>| match worst {
            Some(value) => drop(scores.insert(name.to_owned(), value)),
            None => unknown.push(format!("`{name}`")),
        };
        for (at, scorer) in evals.scorers.iter().enumerate() {
            let all = sessions.iter().map(|(_, assessment)| assessment.scores.get(at));
            keep(&scorer.name, worst(all, FailOn::Below));
        }
        for (at, criterion) in evals.criteria.iter().enumerate() {
            let all = sessions.iter().map(|(_, assessment)| assessment.values.get(at));
            keep(&criterion.name, worst(all, criterion.fail_on));
        }
        if !unknown.is_empty() {
            return Err(BaselineFault::Missing(unknown.join(", ")));
        }
        let only = if let [(id, _)] = sessions { Some((*id).to_owned()) } else { None };
        let scorers = evals.kinds().map(|(name, kind)| (name.to_owned(), kind.to_owned())).collect();
        let sessions = only.is_none().then_some(sessions.len());
        Ok(Self { version: VERSION, sessions, session_id: only, scores, scorers })
    }

    /// What it was before.
    pub fn of_name(&self, name: &str) -> Option<Value> {
        match self.scores.get(name)? {
            Json::String(text) => Some(Value::Text(text.clone())),
            value => value.as_f64().map(Value::Number),
        }
    }

    /// A score that got worse by more than `tolerance`.
    pub fn score_regressed(&self, scorer: &Scorer, measured: &Measurement, tolerance: f64) -> bool {
        let before = self.of_name(&scorer.name);
        match (before, measured.number()) {
            (Some(Value::Number(before)), Some(now)) => now - before < -tolerance,
            (Some(Value::Number(_)), None) => false,
            _ => true,
        }
    }

    /// A number that got worse by more than `tolerance` of what it was, and by more than a change that says nothing.
    pub fn value_regressed(&self, criterion: &Criterion, measured: &Measurement, tolerance: f64) -> bool {
        let before = self.of_name(&criterion.name);
        let holds = |value: &Value| super::worth_of(criterion, value);
        let (before, now) = match (before, &measured.value) {
            // That it is not known is told by itself.
            (Some(_), Value::Unknown) => return false,
            (Some(Value::Number(before)), Value::Number(now)) => (before, *now),
            (Some(before), _) if holds(&before) == Worth::Fail => return false,
            (Some(before), now) => return before != *now && holds(now) != Worth::Pass,
            (None, _) => return true,
        };
        let allowed = if before == 0.0 { tolerance } else { before.abs() * tolerance }.max(criterion.slack);
        match criterion.fail_on {
            FailOn::Above | FailOn::AtOrAbove => now - before > allowed,
            FailOn::Below | FailOn::AtOrBelow => before - now > allowed,
            FailOn::Equal => {
                let failed = |number: f64| holds(&Value::Number(number)) == Worth::Fail;
                failed(now) && !failed(before)
            }
            // What comes nearer to what is wanted is no worse.
            FailOn::NotEqual => {
                let Bound::Number(wanted) = criterion.bound else { return true };
                (now - wanted).abs() - (before - wanted).abs() > criterion.slack
            }
        }
    }
}

/// What the values were of, where the file says so: dollars are not compared with seconds.
fn measured_before(
    evals: &Evals,
    members: &serde_json::Map<String, Json>,
) -> Result<BTreeMap<String, String>, BaselineFault> {
    let Some(scorers) = members.get("scorers").filter(|_| members.contains_key("scores")) else {
        return Ok(BTreeMap::new());
    };
    let scorers: BTreeMap<String, String> = BTreeMap::deserialize(scorers).map_err(|_| BaselineFault::Shape)?;
    let other = evals.kinds().find_map(|(name, kind)| {
        let before = scorers.get(name).filter(|before| *before != kind)?;
        Some(BaselineFault::Other(name.to_owned(), before.clone(), kind))
    });
    other.map_or(Ok(scorers), Err)
}

/// The worst value of all sessions; of words that differ there is none.
fn worst<'m>(all: impl Iterator<Item = Option<&'m Measurement>>, fail_on: FailOn) -> Option<Json> {
    let mut worst: Option<Value> = None;
    for measured in all {
        let now = &measured?.value;
        worst = Some(match (worst, now) {
            (_, Value::Unknown) => return None,
            (None, now) => now.clone(),
            (Some(Value::Number(before)), Value::Number(now)) => Value::Number(match fail_on {
                FailOn::Below | FailOn::AtOrBelow => before.min(*now),
                _ => before.max(*now),
            }),
            (Some(before), now) if before == *now => before,
            _ => return None,
        });
    }
    match worst? {
        Value::Number(number) => serde_json::Number::from_f64(number).map(Json::Number),
        Value::Text(text) => Some(Json::String(text)),
        Value::Unknown => None,
    }
}

#[test]
fn the_schema_is_that_of_the_types() {
    agent_strace_testing::schemas::keep("eval-baseline.v1", &agent_strace_testing::schemas::written::<Baseline>());
}
