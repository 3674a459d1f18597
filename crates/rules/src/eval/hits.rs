//! What falls short of the configuration → what the gate reports.

use std::sync::Arc;

use super::{
    Assessment, Baseline, Demands, Measurement, Stage, Value, Worth, weighted, worth_of_score, worth_of_value,
};
use crate::{Hit, Rule, Site, evals as rules};
use agent_strace_model::finding::{Level, PolicyLocation, PolicyRule, VerdictImpact};
use agent_strace_model::prices;
use agent_strace_policy::config::evals::{Bound, Criterion, Evals, FailOn, Metric, Scorer, Test};

/// Everything that falls short, as far as it can be told by now.
pub fn hits(demands: &Demands, assessment: &Assessment, stage: Stage) -> Vec<Hit> {
    let Demands { evals, baseline, .. } = demands;
    let mut hits = Vec::new();
    for (scorer, measured) in evals.scorers.iter().zip(&assessment.scores) {
        let at = At { name: &scorer.name, location: &scorer.location, measured };
        if stage_of_score(&scorer.test, assessment) != stage {
            continue;
        }
        match worth_of_score(scorer, measured) {
            Worth::Pass => {}
            Worth::Fail => hits.push(at.hit(&rules::SCORER, score_words(scorer, measured))),
            Worth::Unknown => hits.push(at.unknown()),
        }
        if let Some((baseline, tolerance)) = baseline
            && baseline.score_regressed(scorer, measured, *tolerance)
        {
            hits.push(at.regression(baseline, None));
        }
    }
    for (criterion, measured) in evals.criteria.iter().zip(&assessment.values) {
        let at = At { name: &criterion.name, location: &criterion.location, measured };
        if stage_of_value(criterion.metric) != stage {
            continue;
        }
        match worth_of_value(criterion, measured) {
            Worth::Pass => {}
            Worth::Fail => hits.push(at.hit(&rules::CRITERION, value_words(criterion, measured))),
            Worth::Unknown => hits.push(at.unknown()),
        }
        if let Some((baseline, tolerance)) = baseline
            && baseline.value_regressed(criterion, measured, *tolerance)
        {
            hits.push(at.regression(baseline, Some(criterion.metric)));
        }
    }
    if stage == Stage::Findings {
        // Some of the scores were not known before.
        for hit in &mut hits {
            hit.site = Site::Session;
        }
        hits.extend(score_hit(evals, assessment));
    }
    hits
}

fn stage_of_score(test: &Test, assessment: &Assessment) -> Stage {
    match test {
        Test::MaxFindings { .. } => Stage::Findings,
        Test::TestsRan(_) if assessment.relations.awaited => Stage::Findings,
        _ => Stage::Session,
    }
}

fn stage_of_value(metric: Metric) -> Stage {
    if metric == Metric::LintViolations { Stage::Findings } else { Stage::Session }
}

/// What is reported, and where it was demanded.
struct At<'a> {
    name: &'a str,
    location: &'a PolicyLocation,
    measured: &'a Measurement,
}

impl At<'_> {
    fn hit(&self, rule: &Rule, message: String) -> Hit {
        Hit {
            site: self.measured.event.map_or(Site::Session, Site::Event),
            until: None,
            level: rule.level,
            message,
            rule: rule.id,
            location: Some(self.location.clone()),
            policy_rule: Some(Arc::new(PolicyRule { id: self.name.to_owned(), owner: None, reason: None })),
            impact: VerdictImpact::ByLevel,
            about: vec![("name", self.name.to_owned())],
            since: Vec::new(),
        }
    }

    /// What can't be measured is not good: it keeps the verdict from being a pass.
    fn unknown(&self) -> Hit {
        let message = format!("`{}` can't be judged: {}", self.name, self.measured.reason);
        Hit { impact: VerdictImpact::Incomplete, ..self.hit(&rules::UNJUDGED, message) }
    }

    fn regression(&self, baseline: &Baseline, metric: Option<Metric>) -> Hit {
        let before = baseline.of_name(self.name).map_or_else(|| "nothing".to_owned(), |value| shown(&value, metric));
        let now = shown(&self.measured.value, metric);
        self.hit(&rules::REGRESSION, format!("`{}` is {now}, and was {before} in the baseline", self.name))
    }
}

/// The weighted score of all scorers.
fn score_hit(evals: &Evals, assessment: &Assessment) -> Option<Hit> {
    let thresholds = evals.thresholds.as_ref()?;
    let measured = match weighted(evals, assessment) {
        Some(score) => Measurement::new(score, "of all scorers by their weights"),
        None => Measurement::unknown("a score that counts is not known"),
    };
    let (pass, warn) = (thresholds.pass.as_ref(), thresholds.warn.as_ref());
    let (_, location) = pass.or(warn)?;
    let at = At { name: "thresholds", location, measured: &measured };
    let Some(score) = measured.number() else { return Some(at.unknown()) };
    let below = |limit: Option<&(f64, PolicyLocation)>| {
        limit.filter(|(limit, _)| !super::reaches(score, *limit)).map(|(limit, _)| *limit)
    };
    let words = |key: &str, limit: f64| format!("the weighted score is {score:.2}, below `thresholds.{key}` ({limit})");
    match (below(warn), below(pass)) {
        (Some(warn), _) => Some(at.hit(&rules::SCORE, words("warn", warn))),
        (None, Some(pass)) if thresholds.warn.is_none() => Some(at.hit(&rules::SCORE, words("pass", pass))),
        (None, Some(pass)) => Some(Hit { level: Level::Warning, ..at.hit(&rules::SCORE, words("pass", pass)) }),
        (None, None) => None,
    }
}

fn score_words(scorer: &Scorer, measured: &Measurement) -> String {
    let score = measured.number().unwrap_or(0.0);
    let kind = if scorer.name == scorer.test.name() { String::new() } else { format!(" ({})", scorer.test.name()) };
    format!("`{}`{kind} scores {score:.2}, {} is demanded: {}", scorer.name, scorer.threshold, measured.reason)
}

fn value_words(criterion: &Criterion, measured: &Measurement) -> String {
    let (name, metric) = (&criterion.name, criterion.metric);
    let (now, bound) = (shown(&measured.value, Some(metric)), shown_bound(criterion));
    let demand = match criterion.fail_on {
        FailOn::Above => format!("at most {bound} is allowed"),
        FailOn::AtOrAbove => format!("less than {bound} is allowed"),
        FailOn::Below => format!("at least {bound} is demanded"),
        FailOn::AtOrBelow => format!("more than {bound} is demanded"),
        FailOn::Equal => format!("anything but {bound} is allowed"),
        FailOn::NotEqual => format!("{bound} is demanded"),
    };
    let reason = if measured.reason.is_empty() { String::new() } else { format!(": {}", measured.reason) };
    format!("`{name}` ({}) is {now}, {demand}{reason}", metric.name())
}

fn shown_bound(criterion: &Criterion) -> String {
    match &criterion.bound {
        Bound::Number(number) => shown(&Value::Number(*number), Some(criterion.metric)),
        Bound::Text(text) => text.clone(),
    }
}

/// A value as people read it; `None`: a score.
pub fn shown(value: &Value, metric: Option<Metric>) -> String {
    match (value, metric) {
        (Value::Unknown, _) => "not known".to_owned(),
        (Value::Text(text), _) => text.clone(),
        (Value::Number(number), None) => format!("{number:.2}"),
        (Value::Number(number), Some(Metric::CostUsd)) => {
            let sign = if *number < 0.0 { "-" } else { "" };
            format!("{sign}{}", prices::rounded(prices::parts(number.abs())))
        }
        (Value::Number(number), Some(Metric::DurationSeconds)) => format!("{}s", rounded(*number)),
        (Value::Number(number), Some(_)) => rounded(*number),
    }
}

/// At most four decimals.
fn rounded(number: f64) -> String {
    let text = format!("{number:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
