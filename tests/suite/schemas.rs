//! What is printed and written is what the published schemas say, judged by a validator that is not ours.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::world::{World, project};

/// The command of a line, where it prints JSON of ours → its schema.
const PRINTED: &[(&str, &str)] = &[
    ("check", "report.v1"),
    ("audit", "report.v1"),
    ("effects", "effects.v1"),
    ("list", "list.v1"),
    ("cost", "cost.v1"),
    ("stats", "stats.v1"),
    ("explain", "explain.v1"),
    ("why", "why.v1"),
    ("token-budget", "token-budget.v1"),
    ("compare", "compare.v1"),
    ("diff", "session-diff.v1"),
    ("diff --semantic", "semantic-diff.v1"),
    ("drift", "drift.v1"),
    ("eval gate", "eval.v1"),
    ("eval compare", "eval-compare.v1"),
    ("redact json", "redact-check.v1"),
    ("redact ndjson", "redact-finding.v1"),
    ("inspect --view session", "session"),
    ("inspect --view billing", "billing.v1"),
    ("policy backtest", "policy-backtest.v1"),
    ("policy builtins", "policy-builtins.v1"),
    ("policy coverage", "policy-coverage.v1"),
    ("policy diff", "policy-diff.v1"),
    ("policy export --verify", "policy-export.v1"),
    ("policy import", "policy-import.v1"),
    ("policy drift", "policy-drift.v1"),
    ("policy --held-out", "policy-generate.v1"),
    ("policy --repo", "policy-repositories.v1"),
    ("init", "policy-repositories.v1"),
    ("policy explain", "policy-explain.v1"),
    ("policy test", "policy-test.v1"),
    ("policy test --mutate", "policy-mutate.v1"),
    ("policy validate", "validation.v1"),
    ("retention", "retention.v1"),
    ("gaps", "gaps.v1"),
];

/// Prints what is in the store, a policy, or another program's document.
const OTHERS: &[&str] =
    &["inspect", "export", "schema", "policy fmt", "policy export", "eval dataset", "setup", "hook"];

pub(crate) fn validator(name: &str) -> jsonschema::Validator {
    let path = project().join(format!("schemas/{name}.schema.json"));
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
}

pub(crate) fn faults(validator: &jsonschema::Validator, document: &Value) -> Vec<String> {
    validator.iter_errors(document).take(3).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// A command of a document and what it printed.
struct Block {
    place: String,
    command: String,
    document: Value,
}

fn blocks() -> Vec<Block> {
    let mut paths: Vec<_> =
        fs::read_dir(project().join("tests/cmd")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut blocks = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        for block in text.split("```console\n$ ").skip(1) {
            let (command, rest) = block.split_once('\n').unwrap();
            let printed = rest.split("\n```").next().unwrap();
            let printed: Vec<&str> =
                printed.lines().filter(|line| !line.starts_with("2> ") && !line.starts_with("? ")).collect();
            if let Ok(document @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(&printed.join("\n")) {
                let command = command.split("agent-strace ").nth(1).unwrap().to_owned();
                blocks.push(Block { place: path.display().to_string(), command, document });
            }
        }
    }
    let world = World::demo();
    world.copy_project("fixtures/turns");
    for command in ["audit --all --format json --policy .agent-scope.json", "inspect --view session fixtures/turns"] {
        let answer = world.run(&command.split(' ').collect::<Vec<_>>());
        let document = serde_json::from_str(&answer.stdout).unwrap();
        blocks.push(Block { place: "the demo".to_owned(), command: command.to_owned(), document });
    }
    blocks
}

#[test]
fn what_is_printed_has_a_schema_and_keeps_to_it() {
    let mut wrong = Vec::new();
    let mut seen = BTreeMap::new();
    for Block { place, command, document } in blocks() {
        let words = |wanted: &str| wanted.split(' ').all(|word| command.split(' ').any(|given| given == word));
        if document.get("$schema").is_some_and(|schema| schema.as_str().is_some_and(|name| name.contains("sarif"))) {
            continue;
        }
        match PRINTED.iter().filter(|(wanted, _)| words(wanted)).max_by_key(|(wanted, _)| wanted.len()) {
            Some((wanted, schema)) => {
                let validator = seen.entry(*wanted).or_insert_with(|| validator(schema));
                wrong.extend(
                    faults(validator, &document).into_iter().map(|fault| format!("{place}: {command}: {fault}")),
                );
            }
            None if OTHERS.iter().any(|other| words(other)) => {}
            None => wrong.push(format!("{place}: {command}: prints JSON of which no schema is published")),
        }
    }
    let missing: Vec<_> = PRINTED.iter().filter(|(wanted, _)| !seen.contains_key(wanted)).collect();
    assert!(missing.is_empty(), "no document shows JSON of {missing:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_imported_keeps_to_the_schemas_of_the_store() {
    let world = World::empty();
    world.copy_project("fixtures/logs");
    let answer = world.run(&["import", "fixtures/logs"]);
    assert!([0, 3].contains(&answer.code), "{}", answer.stderr);
    let (event, meta) = (validator("store-event"), validator("store-meta"));
    let mut lines = 0;
    for folder in fs::read_dir(world.path().join(".agent-traces")).unwrap() {
        let folder = folder.unwrap().path();
        assert_eq!(faults(&meta, &json(&folder.join("meta.json"))), Vec::<String>::new(), "{}", folder.display());
        for line in fs::read_to_string(folder.join("events.ndjson")).unwrap().lines() {
            // Half of a surrogate pair is kept as it was recorded; most libraries refuse it.
            let Ok(document) = serde_json::from_str(line) else { continue };
            lines += 1;
            assert_eq!(faults(&event, &document), Vec::<String>::new(), "{line}");
        }
    }
    assert!(lines > 500, "only {lines} events were imported");
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// A published schema that accepts anything would pass every test above.
#[test]
fn schemas_refuse_what_is_something_else() {
    for path in fs::read_dir(project().join("schemas")).unwrap() {
        let path = path.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().replace(".schema.json", "");
        let validator = validator(&name);
        // These are YAML, which holds nothing but comments where every setting is commented out.
        let may_be_empty = ["agent-strace", "agent-strace-anonymize"].contains(&name.as_str());
        for other in [Value::Null, Value::from(1), Value::from("x"), serde_json::json!([1])] {
            if may_be_empty && other.is_null() {
                continue;
            }
            assert!(!validator.is_valid(&other), "{name} accepts {other}");
        }
    }
}
