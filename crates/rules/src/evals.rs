//! What `.agent-evals.yaml` demands. It is measured in [`crate::eval`], where these rules are reported from: they need
//! the findings of all others.

use super::{Check, Rule};
use agent_strace_model::finding::{Level, RuleId};

macro_rules! eval {
    ($name:ident, $id:expr, $spec:literal, $level:ident, $summary:literal) => {
        pub(crate) static $name: Rule = Rule {
            id: $id,
            level: Level::$level,
            summary: $summary,
            spec: include_str!(concat!("../specs/eval-", $spec, ".md")),
            check: Check::Evals,
        };
    };
}

eval!(CRITERION, RuleId::EvalCriterion, "criterion", Error, "a number of a session fails a criterion of the evals");
eval!(REGRESSION, RuleId::EvalRegression, "regression", Error, "a session is worse than the baseline of the evals");
eval!(SCORE, RuleId::EvalScore, "score", Error, "the weighted score of a session is below a threshold of the evals");
eval!(SCORER, RuleId::EvalScorer, "scorer", Error, "a session scores less than the evals demand");
eval!(UNJUDGED, RuleId::EvalUnjudged, "unjudged", Warning, "the log does not record what the evals demand");
