//! Scores and numbers of before: what must not get worse.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{Assessment, Measurement, Value};
use crate::config::evals::{Criterion, Evals, FailOn, Scorer};

/// The version that is written.
const VERSION: u64 = 1;

/// What a baseline file holds.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "baseline of evals, version 1"))]
pub(crate) struct Baseline {
    version: u64,
    /// Whose values they are, where they are of one session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    /// How many sessions they are the worst of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sessions: Option<usize>,
    /// By the names of scorers and criteria.
    scores: BTreeMap<String, Json>,
}

/// Why a file is no baseline, or not one of these evals.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BaselineFault {
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
}

impl Baseline {
    /// `{"version": 1, "scores": {…}}`, or just the values by name.
    pub(crate) fn read(text: &str, evals: &Evals) -> Result<Self, BaselineFault> {
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
        match strange {
            Some(name) => Err(BaselineFault::Type(name.to_owned())),
            None => Ok(Self { version: VERSION, session_id: None, sessions: None, scores }),
        }
    }

    /// The worst of every score and number. What is not known of some session is not known.
    pub(crate) fn of(evals: &Evals, sessions: &[(&str, &Assessment)]) -> Result<Self, BaselineFault> {
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
        Ok(Self { version: VERSION, sessions: only.is_none().then_some(sessions.len()), session_id: only, scores })
    }

    /// What it was before.
    pub(crate) fn of_name(&self, name: &str) -> Option<Value> {
        match self.scores.get(name)? {
            Json::String(text) => Some(Value::Text(text.clone())),
            value => value.as_f64().map(Value::Number),
        }
    }

    /// A score that got worse by more than `tolerance`.
    pub(crate) fn score_regressed(&self, scorer: &Scorer, measured: &Measurement, tolerance: f64) -> bool {
        let before = self.of_name(&scorer.name);
        match (before, measured.number()) {
            (Some(Value::Number(before)), Some(now)) => now - before < -tolerance,
            (Some(Value::Number(_)), None) => false,
            _ => true,
        }
    }

    /// A number that got worse by more than `tolerance` of what it was, and by more than a change that says nothing.
    pub(crate) fn value_regressed(&self, criterion: &Criterion, measured: &Measurement, tolerance: f64) -> bool {
        let before = self.of_name(&criterion.name);
        let (before, now) = match (before, &measured.value) {
            // That it is not known is told by itself.
            (Some(_), Value::Unknown) => return false,
            (Some(Value::Number(before)), Value::Number(now)) => (before, *now),
            (Some(before), now) => return before != *now,
            (None, _) => return true,
        };
        let allowed = if before == 0.0 { tolerance } else { before.abs() * tolerance }.max(criterion.slack);
        match criterion.fail_on {
            FailOn::Above | FailOn::AtOrAbove => now - before > allowed,
            FailOn::Below | FailOn::AtOrBelow => before - now > allowed,
            FailOn::Equal | FailOn::NotEqual => (now - before).abs() > criterion.slack,
        }
    }
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
    crate::schemas::keep("eval-baseline.v1", &crate::schemas::written::<Baseline>());
}
