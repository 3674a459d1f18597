//! What is demanded of sessions: evidence, conditions, order and budgets.

use super::*;
use agent_strace_model::finding::RuleId;

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Evidence {
    /// The least level that every log has to have: `E0` the author of the change may have written the log, `E1` its chain
    /// of digests is intact, or the job that judges also ran the agent, `E2` another job of the same run produced it, `E3`
    /// whoever called the gate verified an attestation of it. A log that the change holds has at most `E1`.
    minimum: Option<Minimum>,
    /// Addresses or names that the repository has beside those of its remotes, such as the one before it was renamed. A
    /// session that says that it ran in another repository accounts for nothing in a change. Owner and host don't count.
    repositories: Option<Vec<Pattern>>,
    /// Rule → what it weighs. `incomplete`: the verdict is no pass, whatever `--fail-on` says.
    rules: Option<Weights>,
}

/// Field → patterns. `*` matches any text.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Sessions {
    /// Every recorded value has to match; a session that does not record the field is refused.
    allow: Option<Fields>,
    /// No recorded value may match.
    deny: Option<Fields>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Sequence {
    id: Reason,
    /// Steps in order: `read`, `write`, `delete` or `list` with a path, `exec` with a command, `net` with a host or alone,
    /// `mcp` with `SERVER/TOOL`, `env` with the name of a variable.
    #[schemars(length(min = 2, max = 8))]
    deny: Vec<Pattern>,
    /// `session`, or how many calls it may take from the first step to the last.
    within: Option<Within>,
    /// Of the finding: `error` where it is left out.
    severity: Option<Severity>,
    reason: Option<Reason>,
    owner: Option<Reason>,
}

pub(super) struct Within;

impl JsonSchema for Within {
    fn schema_name() -> Cow<'static, str> {
        "Within".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "oneOf": [{ "const": "session" }, { "type": "integer", "minimum": 1 }] })
    }
}

pub(super) struct Severity;

impl JsonSchema for Severity {
    fn schema_name() -> Cow<'static, str> {
        "Severity".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        one_of(&["error", "warning", "note"], None)
    }
}

pub(super) struct Budgets;

impl JsonSchema for Budgets {
    fn schema_name() -> Cow<'static, str> {
        "Budgets".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let number = serde_json::json!({ "type": "number", "minimum": 0 });
        let limit = |key: &str| match key {
            "duration" => serde_json::json!({ "type": "string" }),
            "cost_usd" => number.clone(),
            _ => serde_json::json!({ "type": "integer", "minimum": 0 }),
        };
        let limits = |keys: Vec<&'static str>| object(keys.into_iter().map(|key| (key.to_owned(), limit(key))));
        let prices = object(parse::RATES.iter().map(|rate| ((*rate).to_owned(), number.clone())));
        object(parse::budget_keys().into_iter().map(|key| {
            let schema = match key {
                "per_subagent" => limits(parse::subagent_budget_keys()).to_value(),
                "usd_per_million_tokens" => prices.clone().to_value(),
                key => limit(key),
            };
            (key.to_owned(), schema)
        }))
    }
}

#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Minimum(String);
pub(super) struct Weights;
pub(super) struct Fields;

impl JsonSchema for Minimum {
    fn schema_name() -> Cow<'static, str> {
        "Minimum".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        one_of(Grade::NAMES, None)
    }
}

impl JsonSchema for Weights {
    fn schema_name() -> Cow<'static, str> {
        "Weights".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let weights = |rule: &RuleId| {
            if NEVER_OPEN.contains(rule) { one_of(&["error", "incomplete"], None) } else { one_of(Weight::NAMES, None) }
        };
        object(DEFAULTS.iter().map(|(rule, _)| (rule.to_string(), weights(rule).to_value())))
    }
}

impl JsonSchema for Fields {
    fn schema_name() -> Cow<'static, str> {
        "Fields".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let pattern = generator.subschema_for::<Pattern>();
        let list = serde_json::json!({ "type": "array", "items": pattern, "minItems": 1 });
        object(Field::ALL.iter().map(|field| (field.name().to_owned(), list.clone())))
    }
}
