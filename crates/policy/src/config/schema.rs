//! The published JSON Schema of `.agent-strace.yaml`, from types that mirror what is read.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::private;
use super::retention::{HOLD, KEYS, ON_DELETE, SECTION};
use super::{FOREIGN, LEVELS, ROOT};
use crate::Exception;
use crate::schema::without_null;
use agent_strace_testing::schemas::keep;

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
    /// How long sessions are kept: `retention` deletes what is kept longer, and `check` reports it.
    retention: Option<Retention>,
    /// Rules about secrets and personal data, or `secret/*` and `pii/*`: whether `check` searches logs for them.
    private_data: Option<BTreeMap<String, bool>>,
    /// Which AI tools, MCP servers and hosts may be in the repository: what else `audit-tools` finds fails.
    approved: Option<Vec<Approval>>,
    /// Absolute directories that are the top of the repository where agents run: paths of sessions that ran in one of them
    /// count from there, as with `--root`.
    roots: Option<Vec<String>>,
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

/// Age, then number, then size: each counts what the one before it leaves.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Retention {
    /// Sessions that started longer ago are deleted.
    #[schemars(range(min = 1, max = 36_500))]
    max_age_days: Option<u32>,
    /// Only so many of the most recent sessions are kept.
    #[schemars(range(min = 1))]
    max_sessions: Option<u32>,
    /// The oldest sessions are deleted until all of them take no more than this (of 1024 × 1024 bytes).
    #[schemars(extend("exclusiveMinimum" = 0), range(max = 1e12))]
    max_size_mb: Option<f64>,
    /// Whether deletions are logged.
    on_delete: Option<OnDelete>,
    /// Where deletions are logged, relative to this file [default: `retention.log` in the store].
    #[schemars(regex(pattern = r"\.(log|jsonl|ndjson)$"))]
    log_path: Option<String>,
    /// Sessions that are kept whatever the limits say.
    hold: Option<Vec<Hold>>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[expect(dead_code, reason = "only its schema is used")]
enum OnDelete {
    Log,
    Silent,
}

/// A name (`cursor`, `mcp:github`, `host:llm.example.com`), or with reason, end and paths.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum Approval {
    Name(String),
    Stated(Stated),
}

/// Exactly one of `tool`, `mcp` and `host`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Stated {
    /// A tool by its id, its name or an alias.
    tool: Option<String>,
    /// MCP servers by their name; `*` and `?`.
    mcp: Option<String>,
    /// Hosts (`*` and `?`), or the id of a provider.
    host: Option<String>,
    /// Why it may be there.
    reason: String,
    /// The last day it holds, in UTC.
    #[schemars(extend("format" = "date"))]
    until: Option<String>,
    /// Files it holds for, as globs from the top of the repository [default: all].
    paths: Option<Paths>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum Paths {
    One(String),
    Many(Vec<String>),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Hold {
    /// The id of a session, or a pattern with `*` and `?`.
    #[schemars(length(min = 1))]
    session: String,
    /// Why, and for whom.
    #[schemars(length(min = 1))]
    reason: String,
}

#[test]
fn the_published_schema_is_what_is_read() {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Configuration>();
    schemars::transform::transform_subschemas(&mut without_null, &mut schema);
    let section = schema.pointer("/$defs/Retention/properties").unwrap().as_object().unwrap().clone();
    // Other programs read the same file, and the peer reads its keys without a section, too.
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let more: BTreeMap<_, _> = FOREIGN.iter().map(|key| ((*key).to_owned(), true.into())).collect();
        properties.extend(more);
        let same = |key: &&str| ((*key).to_owned(), section.get(*key).cloned().unwrap());
        properties.extend(KEYS.iter().map(same));
    }
    if let Some(Value::Object(section)) = schema.pointer_mut("/properties/private_data") {
        let looks = |rule: &str| (rule.to_owned(), json!({"type": "boolean"}));
        section.insert("properties".to_owned(), private::names().into_iter().map(looks).collect::<Map<_, _>>().into());
        section.insert("additionalProperties".to_owned(), false.into());
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
    assert_eq!(keys("/properties"), sorted(&[ROOT, FOREIGN, KEYS]));
    assert_eq!(keys("/$defs/Retention/properties"), sorted(&[SECTION]));
    assert_eq!(keys("/$defs/Hold/properties"), sorted(&[HOLD]));
    assert_eq!(value["$defs"]["OnDelete"]["enum"], json!(ON_DELETE));
    assert_eq!(value["$defs"]["Level"]["enum"], json!(LEVELS));
}
