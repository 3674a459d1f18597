use super::{baseline, effects, explanation, history, json, lints, mutants, trials, validation};
use agent_strace_testing::schemas::{keep, written};

#[test]
fn schemas_are_those_of_the_types() {
    keep("report.v1", &written::<json::Document<'static>>());
    keep("effects.v1", &written::<effects::Document<'static>>());
    keep("policy-explain.v1", &written::<explanation::Document<'static>>());
    keep("policy-lint.v1", &written::<lints::Document<'static>>());
    keep("policy-test.v1", &written::<trials::Document<'static>>());
    keep("policy-mutate.v1", &written::<mutants::Document<'static>>());
    keep("baseline.v1", &written::<baseline::Document<'static>>());
    keep("policy-backtest.v1", &written::<history::backtest::Document>());
    keep("policy-coverage.v1", &written::<history::coverage::Document>());
    keep("policy-diff.v1", &written::<history::diff::Document>());
    keep("validation.v1", &written::<validation::Document<'static>>());
}
