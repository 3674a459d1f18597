//! `schema`: the JSON Schemas of the files that are read and written.

use clap::Args;

use super::Streams;
use super::failure::Failure;
use super::output;

#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// The schema to print, e.g. `agent-scope`.
    #[arg(value_name = "NAME")]
    pub(super) name: Option<String>,
}

/// Name, what it describes, text.
const SCHEMAS: &[(&str, &str, &str)] = &[
    ("audit-tools", "output of `audit-tools --format json`", include_str!("../../schemas/audit-tools.v1.schema.json")),
    (
        "audit-tools-repository",
        "a line of `audit-tools --format ndjson` about a repository",
        include_str!("../../schemas/audit-tools-repository.v1.schema.json"),
    ),
    (
        "audit-tools-summary",
        "the last line of `audit-tools --format ndjson`",
        include_str!("../../schemas/audit-tools-summary.v1.schema.json"),
    ),
    ("agent-scope", "the policy file `.agent-scope.json`", include_str!("../../schemas/agent-scope.schema.json")),
    ("baseline", "what `--write-baseline` writes", include_str!("../../schemas/baseline.v1.schema.json")),
    ("config", "the configuration `.agent-strace.yaml`", include_str!("../../schemas/agent-strace.schema.json")),
    (
        "anonymize-config",
        "what else identifies somebody: `.agent-strace/anonymize.yaml`",
        include_str!("../../schemas/agent-strace-anonymize.schema.json"),
    ),
    ("export", "what `export --anonymize` writes", include_str!("../../schemas/export.v1.schema.json")),
    (
        "lint-config",
        "the lint file `.agent-strace-lint.json`",
        include_str!("../../schemas/agent-strace-lint.schema.json"),
    ),
    ("gaps", "output of `gaps --format json`", include_str!("../../schemas/gaps.v1.schema.json")),
    (
        "store-decision",
        "a line of `decisions.ndjson` of a session in the store",
        include_str!("../../schemas/store-decision.schema.json"),
    ),
    ("effects", "output of `effects --format json`", include_str!("../../schemas/effects.v1.schema.json")),
    ("cost", "output of `cost --format json`", include_str!("../../schemas/cost.v1.schema.json")),
    ("prices", "a file of `--prices`", include_str!("../../schemas/prices.schema.json")),
    ("stats", "output of `stats --format json`", include_str!("../../schemas/stats.v1.schema.json")),
    (
        "token-budget",
        "output of `token-budget --format json`",
        include_str!("../../schemas/token-budget.v1.schema.json"),
    ),
    ("compare", "output of `compare --format json`", include_str!("../../schemas/compare.v1.schema.json")),
    ("session-diff", "output of `diff --format json`", include_str!("../../schemas/session-diff.v1.schema.json")),
    (
        "semantic-diff",
        "output of `diff --semantic --format json`",
        include_str!("../../schemas/semantic-diff.v1.schema.json"),
    ),
    ("doctor", "output of `doctor --format json`", include_str!("../../schemas/doctor.v1.schema.json")),
    ("drift", "output of `drift --format json`", include_str!("../../schemas/drift.v1.schema.json")),
    (
        "drift-baseline",
        "what `drift --save-baseline` writes",
        include_str!("../../schemas/drift-baseline.v1.schema.json"),
    ),
    (
        "evals",
        "what sessions have to be like: `.agent-evals.yaml`",
        include_str!("../../schemas/agent-evals.schema.json"),
    ),
    ("eval", "output of `eval --format json`", include_str!("../../schemas/eval.v1.schema.json")),
    ("eval-baseline", "what `eval --save-baseline` writes", include_str!("../../schemas/eval-baseline.v1.schema.json")),
    (
        "eval-compare",
        "output of `eval compare --format json`",
        include_str!("../../schemas/eval-compare.v1.schema.json"),
    ),
    ("explain", "output of `explain --format json`", include_str!("../../schemas/explain.v1.schema.json")),
    ("why", "output of `why --format json`", include_str!("../../schemas/why.v1.schema.json")),
    (
        "store-annotation",
        "a line of `annotations.jsonl` in the store, as it is written",
        include_str!("../../schemas/store-annotation.schema.json"),
    ),
    ("list", "output of `list --format json`", include_str!("../../schemas/list.v1.schema.json")),
    ("session", "output of `inspect --view session`", include_str!("../../schemas/session.schema.json")),
    ("billing", "output of `inspect --view billing`", include_str!("../../schemas/billing.v1.schema.json")),
    (
        "redact-check",
        "output of `redact --check --format json`",
        include_str!("../../schemas/redact-check.v1.schema.json"),
    ),
    (
        "redact-finding",
        "a line of `redact --check --format ndjson`",
        include_str!("../../schemas/redact-finding.v1.schema.json"),
    ),
    (
        "store-event",
        "a line of `events.ndjson` in the store, as it is written",
        include_str!("../../schemas/store-event.schema.json"),
    ),
    ("store-meta", "`meta.json` in the store, as it is written", include_str!("../../schemas/store-meta.schema.json")),
    ("retention", "output of `retention` with `--format json`", include_str!("../../schemas/retention.v1.schema.json")),
    (
        "report",
        "output of `check` and `audit` with `--format json`",
        include_str!("../../schemas/report.v1.schema.json"),
    ),
    (
        "policy-explain",
        "output of `policy explain --format json`",
        include_str!("../../schemas/policy-explain.v1.schema.json"),
    ),
    ("policy-lint", "output of `policy lint --format json`", include_str!("../../schemas/policy-lint.v1.schema.json")),
    ("policy-test", "output of `policy test --format json`", include_str!("../../schemas/policy-test.v1.schema.json")),
    (
        "policy-mutate",
        "output of `policy test --mutate --format json`",
        include_str!("../../schemas/policy-mutate.v1.schema.json"),
    ),
    (
        "backtest",
        "output of `policy backtest --format json`",
        include_str!("../../schemas/policy-backtest.v1.schema.json"),
    ),
    (
        "coverage",
        "output of `policy coverage --format json`",
        include_str!("../../schemas/policy-coverage.v1.schema.json"),
    ),
    (
        "policy-builtins",
        "output of `policy builtins --format json`",
        include_str!("../../schemas/policy-builtins.v1.schema.json"),
    ),
    (
        "provenance",
        ".agent-scope.provenance.json: the sessions behind the entries of a generated policy",
        include_str!("../../schemas/agent-scope-provenance.schema.json"),
    ),
    ("diff", "output of `policy diff --format json`", include_str!("../../schemas/policy-diff.v1.schema.json")),
    (
        "policy-generate",
        "output of `policy --format json`",
        include_str!("../../schemas/policy-generate.v1.schema.json"),
    ),
    (
        "policy-repositories",
        "output of `init REPOSITORY… --format json` and `policy --repo DIR --format json`",
        include_str!("../../schemas/policy-repositories.v1.schema.json"),
    ),
    (
        "policy-drift",
        "output of `policy drift --format json`",
        include_str!("../../schemas/policy-drift.v1.schema.json"),
    ),
    (
        "policy-export",
        "output of `policy export --format json`",
        include_str!("../../schemas/policy-export.v1.schema.json"),
    ),
    (
        "policy-import",
        "output of `policy import --format json`",
        include_str!("../../schemas/policy-import.v1.schema.json"),
    ),
    (
        "validation",
        "output of `policy validate --format json`",
        include_str!("../../schemas/validation.v1.schema.json"),
    ),
    (
        "watchdog-postmortem",
        "`watchdog-postmortem.json`, which `guard` and `watch` write when they kill an agent",
        include_str!("../../schemas/watchdog-postmortem.v1.schema.json"),
    ),
];

pub(super) fn run(args: &SchemaArgs, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let Some(wanted) = &args.name else {
        let rows: Vec<_> = SCHEMAS.iter().map(|(name, about, _)| [(*name).to_owned(), (*about).to_owned()]).collect();
        output::print(streams.stdout, &agent_strace_report::columns(&rows))?;
        return Ok(0);
    };
    let found = SCHEMAS.iter().find(|(name, _, _)| name == wanted);
    let Some((_, _, text)) = found else {
        let known: Vec<&str> = SCHEMAS.iter().map(|(name, _, _)| *name).collect();
        return Err(Failure::new(format!("there is no schema `{wanted}`"))
            .did_you_mean(wanted, &known)
            .hint("`agent-strace schema` lists them"));
    };
    output::print(streams.stdout, text)?;
    Ok(0)
}

#[test]
fn settings_have_the_schemas_of_the_table() {
    for format in agent_strace_policy::grammar::FORMATS {
        let found = SCHEMAS.iter().find(|(name, _, _)| *name == format.command);
        let (_, _, text) = found.unwrap_or_else(|| panic!("no schema `{}`", format.command));
        assert_eq!(serde_json::from_str::<serde_json::Value>(text).unwrap(), format.schema(), "{}", format.command);
    }
}
