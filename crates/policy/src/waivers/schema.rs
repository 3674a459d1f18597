//! The schema of an exception, which a suppression has, too.

use std::borrow::Cow;

use schemars::JsonSchema;
use schemars::{Schema, SchemaGenerator, json_schema};

use super::Subject;

/// What may be although a rule forbids it.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
pub struct Exception {
    /// What it is an exception from: an entry of the policy (`files.read.deny[0]`), the id of one of its rules, or a built-in
    /// rule (`scope/network`).
    #[schemars(length(min = 1, max = 500))]
    rule: String,
    /// What it is about: all keys have to hold, of a list one entry. Without it the whole rule is off, which is a finding.
    r#match: Option<Match>,
    /// Why it may be.
    #[schemars(length(min = 1, max = 500))]
    reason: String,
    /// Who answers for it.
    #[schemars(length(min = 1, max = 500))]
    owner: String,
    /// The last day it holds, in UTC.
    until: Day,
    /// How many findings of a run it covers at most.
    #[schemars(range(min = 1))]
    max_uses: Option<u32>,
}

struct Match;
struct Day;

impl JsonSchema for Match {
    fn schema_name() -> Cow<'static, str> {
        "Match".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let text = serde_json::json!({ "type": "string", "minLength": 1, "maxLength": 1024 });
        let texts = serde_json::json!({ "type": "array", "items": text, "minItems": 1 });
        let keys: serde_json::Map<String, serde_json::Value> = Subject::ALL
            .iter()
            .map(|subject| (subject.name().to_owned(), serde_json::json!({ "anyOf": [text, texts] })))
            .collect();
        json_schema!({ "type": "object", "properties": keys, "additionalProperties": false })
    }
}

impl JsonSchema for Day {
    fn schema_name() -> Cow<'static, str> {
        "Day".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date" })
    }
}

#[test]
fn an_exception_has_the_keys_that_are_read() {
    let schema = schemars::schema_for!(Exception);
    let keys: std::collections::BTreeSet<&str> =
        schema.as_value()["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, crate::parse::EXCEPTION.iter().copied().collect());
}
