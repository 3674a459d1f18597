//! The published JSON Schema of `.agent-evals.yaml`, from types that mirror what is read.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

use super::criterion::{ALIASES, KEYS, STATUSES};
use super::scorer::{LEVELS, TEXTS, TYPES};
use super::{FailOn, Metric, ROOT, THRESHOLDS};
use crate::schema::without_null;
use agent_strace_testing::schemas::keep;

/// What every session has to be like.
#[derive(JsonSchema)]
#[schemars(title = "agent-evals.yaml", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Document {
    /// Each gives a session a score from 0 to 1.
    scorers: Option<Vec<Scorer>>,
    thresholds: Option<Thresholds>,
    /// Each compares one number or word of a session.
    evals: Option<Vec<Criterion>>,
}

/// What the weighted score has to reach.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Thresholds {
    pass: Option<f64>,
    /// Below it a session fails, between it and `pass` it is warned of.
    warn: Option<f64>,
}

/// Its type says which of the parameters it takes.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Scorer {
    #[schemars(with = "String")]
    r#type: (),
    /// What reports and baselines call it; without one its type.
    name: Option<String>,
    /// The least score that passes, above 0; without one 1.
    threshold: Option<f64>,
    /// Its share of the weighted score; without one 1.
    weight: Option<f64>,
    max_dollars: Option<f64>,
    /// Whether a cost counts that was worked out from the length of texts.
    estimates: Option<bool>,
    max_seconds: Option<f64>,
    allowed_paths: Option<Vec<String>>,
    /// A regular expression; of `commands_matching` see `patterns`.
    pattern: Option<String>,
    #[schemars(with = "Option<String>")]
    event_type: (),
    max: Option<u64>,
    min: Option<u64>,
    #[schemars(with = "Option<String>")]
    level: (),
    /// Rules, or families of them such as `scope/`.
    rules: Option<Vec<String>>,
    /// Commands as in `commands` of the policy.
    patterns: Option<Vec<String>>,
    /// Commands that run tests; without any the usual ones.
    commands: Option<Vec<String>>,
    prompt: Option<String>,
    model: Option<String>,
    base_url: Option<String>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Criterion {
    name: String,
    #[schemars(with = "String")]
    scorer: (),
    /// With hyphens or underscores.
    #[schemars(with = "String")]
    fail_on: (),
    /// For all but `not_equal`.
    threshold: Option<NumberOrWord>,
    /// For `not_equal`.
    expected: Option<NumberOrWord>,
    /// A change of the baseline that says nothing.
    min_change: Option<f64>,
    estimates: Option<bool>,
    /// In tokens, where it is not known.
    context_window: Option<u64>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum NumberOrWord {
    Number(f64),
    Word(String),
}

#[test]
fn the_published_schema_is_what_is_read() {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Document>();
    schemars::transform::transform_subschemas(&mut without_null, &mut schema);
    let names = |pairs: &[&str]| serde_json::json!(pairs);
    let first = |rows: &[(&'static str, &[&str])]| rows.iter().map(|row| row.0).collect::<Vec<_>>();
    let texts: Vec<&str> = TEXTS.iter().map(|row| row.0).collect();
    let levels: Vec<&str> = LEVELS.iter().map(|row| row.0).collect();
    let metrics: Vec<&str> =
        Metric::ALL.iter().map(|metric| metric.name()).chain(ALIASES.iter().map(|alias| alias.0)).collect();
    let modes: Vec<String> = FailOn::ALL
        .iter()
        .flat_map(|mode| [mode.name().to_owned(), mode.name().replace('_', "-")])
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    for (pointer, values) in [
        ("/$defs/Scorer/properties/type", names(&first(TYPES))),
        ("/$defs/Scorer/properties/event_type", names(&texts)),
        ("/$defs/Scorer/properties/level", names(&levels)),
        ("/$defs/Criterion/properties/scorer", names(&metrics)),
        ("/$defs/Criterion/properties/fail_on", serde_json::json!(modes)),
    ] {
        let (above, key) = pointer.rsplit_once('/').unwrap();
        let property = schema.pointer_mut(above).unwrap().get_mut(key).unwrap().as_object_mut().unwrap();
        property.insert("enum".to_owned(), values);
    }
    let word = schema.pointer_mut("/$defs/NumberOrWord/anyOf/1").unwrap().as_object_mut().unwrap();
    word.insert("enum".to_owned(), names(STATUSES));
    keep("agent-evals", &schema);
    let keys = |pointer: &str| {
        let mut keys: Vec<String> =
            schema.as_value().pointer(pointer).unwrap().as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys
    };
    let sorted = |names: &[&str]| {
        let mut names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        names.sort();
        names.dedup();
        names
    };
    assert_eq!(keys("/properties"), sorted(ROOT));
    assert_eq!(keys("/$defs/Thresholds/properties"), sorted(THRESHOLDS));
    assert_eq!(keys("/$defs/Criterion/properties"), sorted(KEYS));
    let parameters: Vec<&str> = TYPES.iter().flat_map(|row| row.1.iter().copied()).collect();
    let parameters = [parameters, vec!["type", "name", "threshold", "weight"]].concat();
    assert_eq!(keys("/$defs/Scorer/properties"), sorted(&parameters));
}
