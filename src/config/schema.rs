//! The published JSON Schema of `.agent-strace.yaml`, from types that mirror what is read.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

use super::{FOREIGN, LEVELS, RETENTION, ROOT};
use crate::policy::Exception;
use crate::policy::schema::without_null;
use crate::schemas::keep;

/// Settings of the gate, and findings that are to be passed over: for a reason, on somebody's word, until a day.
#[derive(JsonSchema)]
#[schemars(title = "agent-strace.yaml", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Configuration {
    /// The lowest level that fails; `--fail-on` wins.
    fail_on: Option<Level>,
    /// Findings that are known, relative to this file; `--baseline` wins.
    baseline: Option<String>,
    suppressions: Option<Vec<Exception>>,
    /// Read by `retention`, not by the gate.
    retention: Option<Retention>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[expect(dead_code, reason = "only its schema is used")]
enum Level {
    Error,
    Warning,
    Note,
    Never,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Retention {
    max_age_days: Option<u32>,
    max_sessions: Option<u32>,
    max_size_mb: Option<f64>,
    on_delete: Option<String>,
    log_path: Option<String>,
}

#[test]
fn the_published_schema_is_what_is_read() {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Configuration>();
    schemars::transform::transform_subschemas(&mut without_null, &mut schema);
    // Other programs read the same file, and the peer reads its keys without a section, too.
    if let Some(serde_json::Value::Object(properties)) = schema.get_mut("properties") {
        let more: BTreeMap<_, _> =
            FOREIGN.iter().chain(RETENTION).map(|key| ((*key).to_owned(), true.into())).collect();
        properties.extend(more);
    }
    keep("agent-strace", &schema);
    let value = schema.as_value();
    let keys = |pointer: &str| {
        let mut keys: Vec<&String> = value.pointer(pointer).unwrap().as_object().unwrap().keys().collect();
        keys.sort();
        keys
    };
    let sorted = |names: &[&[&'static str]]| {
        let mut names = names.concat();
        names.sort_unstable();
        names
    };
    assert_eq!(keys("/properties"), sorted(&[ROOT, FOREIGN, RETENTION]));
    assert_eq!(keys("/$defs/Retention/properties"), sorted(&[RETENTION]));
    assert_eq!(value["$defs"]["Level"]["enum"], serde_json::json!(LEVELS));
}
