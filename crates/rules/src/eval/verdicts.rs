//! What judges said that ask a model: they run elsewhere, and hand over their verdicts.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Measurement;

/// By session, then by the name of the scorer.
#[derive(Debug, Clone, Default)]
pub struct Verdicts(BTreeMap<String, BTreeMap<String, Verdict>>);

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Verdict {
    score: f64,
    #[serde(default)]
    reason: String,
}

/// Why a file holds no verdicts.
#[derive(Debug, thiserror::Error)]
pub enum VerdictsFault {
    #[error("{0}")]
    Shape(String),
    #[error("the score of `{0}` for `{1}` is {2}, not a number from 0 to 1")]
    Score(String, String, f64),
}

impl Verdicts {
    /// `{"SESSION": {"SCORER": {"score": 0.8, "reason": "…"}}}`
    pub fn read(text: &str) -> Result<Self, VerdictsFault> {
        let all: BTreeMap<String, BTreeMap<String, Verdict>> =
            serde_json::from_str(text).map_err(|error| VerdictsFault::Shape(error.to_string()))?;
        for (session, verdicts) in &all {
            if let Some((scorer, verdict)) = verdicts.iter().find(|(_, verdict)| !(0.0..=1.0).contains(&verdict.score))
            {
                return Err(VerdictsFault::Score(scorer.clone(), session.clone(), verdict.score));
            }
        }
        Ok(Self(all))
    }

    pub(super) fn of(&self, session: &str, scorer: &str) -> Measurement {
        match self.0.get(session).and_then(|verdicts| verdicts.get(scorer)) {
            Some(verdict) => Measurement::new(verdict.score, verdict.reason.clone()),
            None => Measurement::unknown(
                "this build asks no model, and `--verdicts` names no file with what one said of this session",
            ),
        }
    }
}
