//! The published JSON Schema of `.agent-strace-lint.json`, from what the rules declare.

use serde_json::{Value, json};

use super::declared;
use agent_strace_policy::config::lint::Unit;
use agent_strace_testing::schemas::keep;

#[test]
fn the_published_schema_is_what_rules_declare() {
    let mut rules = serde_json::Map::new();
    for rule in declared() {
        let mut members = json!({"enabled": {"type": "boolean"}, "level": {"enum": ["ERROR", "WARN", "INFO"]}});
        for parameter in rule.parameters {
            let mut number = match parameter.unit {
                Unit::Count => json!({"type": "integer", "minimum": 1}),
                Unit::Share => json!({"type": "number", "exclusiveMinimum": 0, "maximum": 1}),
                Unit::Dollars => json!({"type": "number", "exclusiveMinimum": 0}),
            };
            if let Some(default) = parameter.default {
                let whole = format!("{default:.0}").parse::<u64>();
                number["default"] = if parameter.unit == Unit::Count { json!(whole.unwrap()) } else { json!(default) };
            }
            members[parameter.key] = number;
        }
        let rule_id = format!("lint/{}", rule.name);
        let summary = crate::find(&rule_id).unwrap().summary;
        let shape =
            json!({"type": "object", "description": summary, "properties": members, "additionalProperties": false});
        rules.insert(rule.name.to_owned(), shape);
    }
    rules.insert("$schema".to_owned(), json!({"type": "string"}));
    let schema: Value = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "agent-strace-lint.json",
        "description": "Which lint rules look, at which level, and from which thresholds on.",
        "type": "object",
        "properties": rules,
        "additionalProperties": false,
    });
    keep("agent-strace-lint", &schemars::Schema::try_from(schema).unwrap());
}
