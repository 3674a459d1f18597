//! How a session measures up to `.agent-evals.yaml`: scores and numbers first, then what they are worth.
//!
//! Measuring needs the session and is done while it is judged; what depends on findings is filled in when exceptions,
//! suppressions and the baseline have had their say. What can't be measured is never taken for good: it is a shortfall
//! that keeps the verdict from being a pass.
//!
//! Paths and commands are compared by the policy, so a scorer and the policy can't disagree on what a file is.

mod background;
mod baseline;
mod commands;
mod files;
mod hits;
mod numbers;
mod relations;
mod rewriters;
mod runners;
mod tests_ran;
mod texts;
mod verdicts;

use crate::Log;
use agent_strace_model::finding::{Family, Finding, RuleId, VerdictImpact};
use agent_strace_policy::config::evals::{Bound, Criterion, Evals, FailOn, Metric, Scorer, Test};

pub use baseline::{Baseline, BaselineFault};
pub use hits::{hits, shown};
pub use relations::RunSession;
pub use relations::relate;
pub use verdicts::Verdicts;

/// What sessions have to be like, and what they were like before.
#[derive(Debug)]
pub struct Demands {
    pub evals: Evals,
    /// With how much worse is still as good.
    pub baseline: Option<(Baseline, f64)>,
    /// What was said elsewhere by judges that ask a model.
    pub verdicts: Verdicts,
}

/// When something can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Once the session is known.
    Session,
    /// Once it is known which findings count.
    Findings,
}

/// What was measured of one session, in the order of the configuration.
#[derive(Debug, Clone, Default)]
pub struct Assessment {
    pub scores: Vec<Measurement>,
    pub values: Vec<Measurement>,
    pub totals: Totals,
    /// What the other sessions of the run have to do with it.
    relations: relations::SessionRelations,
    /// Findings of lint rules are among those of the session.
    linted: bool,
}

/// What sessions are picked by.
#[derive(Debug, Clone, Default)]
pub struct Totals {
    pub errors: usize,
    pub retries: usize,
    pub files_changed: usize,
    /// What is known of the cost.
    pub dollars: f64,
    pub seconds: Option<f64>,
}

/// One score or one number.
#[derive(Debug, Clone)]
pub struct Measurement {
    pub value: Value,
    /// Lower case, one line: what was seen. May hold log text.
    pub reason: String,
    /// The number of the event that shows it best; `None`: the whole session does.
    pub event: Option<u32>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Of a scorer: from 0 to 1.
    Number(f64),
    Text(String),
    /// It can't be measured.
    Unknown,
}

/// Whether a score or a number is good enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worth {
    Pass,
    Fail,
    Unknown,
}

impl Measurement {
    fn new(value: f64, reason: impl Into<String>) -> Self {
        Self { value: Value::Number(value), reason: reason.into(), event: None }
    }

    fn at(self, event: Option<u32>) -> Self {
        Self { event, ..self }
    }

    fn unknown(reason: impl Into<String>) -> Self {
        Self { value: Value::Unknown, reason: reason.into(), event: None }
    }

    pub fn number(&self) -> Option<f64> {
        if let Value::Number(number) = self.value { Some(number) } else { None }
    }
}

/// Measures all that needs the session itself. `linted`: how the agent worked is judged, too.
pub fn measure(demands: &Demands, log: &Log<'_>, linted: bool) -> Assessment {
    let Demands { evals, verdicts, .. } = demands;
    let scores: Vec<Measurement> = evals.scorers.iter().map(|scorer| score(scorer, log, verdicts)).collect();
    Assessment {
        relations: relations::SessionRelations::of(evals, &scores, log),
        scores,
        values: evals.criteria.iter().map(|criterion| numbers::value(criterion, log)).collect(),
        totals: numbers::totals(log.measured),
        linted,
    }
}

fn score(scorer: &Scorer, log: &Log<'_>, verdicts: &Verdicts) -> Measurement {
    match &scorer.test {
        Test::NoErrors => numbers::no_errors(log),
        Test::CostUnder { dollars, estimates } => numbers::cost_under(log.measured.cost(), *dollars, *estimates),
        Test::DurationUnder { seconds } => numbers::duration_under(log.measured, *seconds),
        Test::FilesScoped(policy) => files::scoped(policy, log, files::Touches::All),
        Test::WritesWithin(policy) => files::scoped(policy, log, files::Touches::Changes),
        Test::Regex { pattern, texts } => texts::found(pattern, *texts, log.session),
        Test::CommandsMatching { commands, least, most } => commands::matching(commands, *least, *most, log),
        Test::TestsRan(commands) => tests_ran::tests_ran(commands, log),
        Test::MaxFindings { .. } => Measurement::unknown("findings were not counted"),
        Test::LlmJudge => verdicts.of(&log.session.id, &scorer.name),
    }
}

/// Fills in what depends on findings. `findings`: those of the session that count.
pub fn settle(evals: &Evals, assessment: &mut Assessment, findings: &[&Finding]) {
    for (scorer, measured) in evals.scorers.iter().zip(&mut assessment.scores) {
        if let Test::MaxFindings { most, level, rules } = &scorer.test {
            let named = || findings.iter().copied().filter(|finding| is_of(finding.rule, rules));
            let counts = |finding: &&Finding| finding.level >= *level && finding.impact == VerdictImpact::ByLevel;
            let counted = numbers::at_most(named().filter(counts), *most);
            // A rule that could not judge found nothing, and that is no good news.
            let lacking = named().find(|finding| finding.impact == VerdictImpact::Incomplete);
            *measured = match lacking.filter(|_| counted.number() == Some(1.0)) {
                Some(lacking) => unjudged(lacking),
                None => counted,
            };
        }
    }
    for (criterion, measured) in evals.criteria.iter().zip(&mut assessment.values) {
        if criterion.metric == Metric::LintViolations && assessment.linted {
            let named = || findings.iter().copied().filter(|finding| finding.rule.family() == Family::Lint);
            let lacking = named().find(|finding| finding.impact == VerdictImpact::Incomplete);
            *measured = lacking.map_or_else(|| numbers::violations(named()), unjudged);
        }
    }
}

fn unjudged(lacking: &Finding) -> Measurement {
    Measurement::unknown(format!("`{}` {}", lacking.rule, lacking.message))
}

/// Whether `rules` names the rule or its family (`scope/`). An empty list means all rules but those of evals.
fn is_of(rule: RuleId, rules: &[String]) -> bool {
    let named = |wanted: &String| {
        let family = wanted.trim_end_matches('*').strip_suffix('/');
        rule.as_str() == wanted || family == Some(rule.family().name())
    };
    rule.family() != Family::Eval && (rules.is_empty() || rules.iter().any(named))
}

/// What a score is worth.
pub fn worth_of_score(scorer: &Scorer, measured: &Measurement) -> Worth {
    match measured.number() {
        None => Worth::Unknown,
        Some(score) if reaches(score, scorer.threshold) => Worth::Pass,
        Some(_) => Worth::Fail,
    }
}

/// A score that only rounding keeps below a limit reaches it.
fn reaches(score: f64, limit: f64) -> bool {
    score >= limit - 1e-9
}

/// What a number is worth.
pub fn worth_of_value(criterion: &Criterion, measured: &Measurement) -> Worth {
    worth_of(criterion, &measured.value)
}

fn worth_of(criterion: &Criterion, value: &Value) -> Worth {
    let fails = match (value, &criterion.bound) {
        (Value::Number(value), Bound::Number(bound)) => compares(criterion.fail_on, value.partial_cmp(bound)),
        (Value::Text(value), Bound::Text(bound)) => compares(criterion.fail_on, Some(value.cmp(bound))),
        _ => None,
    };
    match fails {
        None => Worth::Unknown,
        Some(true) => Worth::Fail,
        Some(false) => Worth::Pass,
    }
}

fn compares(fail_on: FailOn, order: Option<std::cmp::Ordering>) -> Option<bool> {
    let order = order?;
    Some(match fail_on {
        FailOn::Above => order.is_gt(),
        FailOn::AtOrAbove => order.is_ge(),
        FailOn::Below => order.is_lt(),
        FailOn::AtOrBelow => order.is_le(),
        FailOn::Equal => order.is_eq(),
        FailOn::NotEqual => order.is_ne(),
    })
}

/// The scores by their weights; `None` where one that weighs something is not known, or none weighs anything.
pub fn weighted(evals: &Evals, assessment: &Assessment) -> Option<f64> {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (scorer, measured) in evals.scorers.iter().zip(&assessment.scores).filter(|(scorer, _)| scorer.weight > 0.0) {
        sum += measured.number()? * scorer.weight;
        weights += scorer.weight;
    }
    let score = sum / weights;
    (weights > 0.0 && score.is_finite()).then_some(score)
}

#[cfg(test)]
mod tests;
