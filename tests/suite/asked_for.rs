//! Requests of users in public issues that no document of `tests/cmd` answers.

use serde_json::{Value, json};

use crate::world::World;

/// The suppressions that the README makes of a report, for all errors of a run at once.
#[test]
fn findings_of_a_run_are_excepted_until_a_day() {
    let world = World::demo();
    let check = |day: &str| world.run(&["check", "--format", "json", "--now", &format!("{day}T12:00:00Z")]);
    let before = check("2026-10-01");
    assert_eq!(before.code, 1, "{}", before.stderr);
    let report: Value = serde_json::from_str(&before.stdout).unwrap();
    let errors = report["findings"].as_array().unwrap().iter().filter(|found| found["level"] == "error");
    let mut suppressions: Vec<Value> = errors
        .map(|found| {
            json!({
                "rule": found["rule"], "match": {"fingerprint": found["fingerprint"]},
                "reason": "known when the gate came", "owner": "@ana", "until": "2026-12-31",
            })
        })
        .collect();
    suppressions.sort_by_key(Value::to_string);
    suppressions.dedup();
    world.write(".agent-strace.yaml", &json!({ "suppressions": suppressions }).to_string());
    let during: Value = serde_json::from_str(&check("2026-10-01").stdout).unwrap();
    let left = |report: &Value| {
        let errors = report["findings"].as_array().unwrap().iter().filter(|found| found["level"] == "error");
        errors.map(|found| found["rule"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    // Files that hold credentials are no matter of suppressions.
    assert!(
        left(&during).len() < left(&report).len() && during["summary"]["suppressed"].as_u64() > Some(0),
        "{during}"
    );
    let after: Value = serde_json::from_str(&check("2027-01-01").stdout).unwrap();
    assert!(left(&after).iter().any(|rule| rule == "policy/exception-expired"), "{after}");
    assert!(left(&after).len() > left(&during).len());
}
