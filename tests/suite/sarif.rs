//! Every SARIF file that the suite makes passes our own reading of what code scanning refuses.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::sarif_check::problems;
use crate::world::World;

fn sarif(world: &World, args: &[&str]) -> Value {
    let answer = world.run(&[args, &["--format", "sarif"]].concat());
    assert_eq!(problems(&answer.stdout), Vec::<String>::new(), "{}\n{}", answer.stdout, answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

#[test]
fn the_demo_is_accepted() {
    let world = World::demo();
    for args in [&["check"][..], &["check", "logs"], &["audit", "--all"], &["check", "20ab"]] {
        let log = sarif(&world, args);
        assert!(log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap().len() > 3);
    }
}

#[test]
fn a_clean_run_has_an_empty_list_of_results() {
    let log = sarif(&World::demo(), &["check", "20ab"]);
    assert_eq!(log["runs"][0]["results"], json!([]));
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], json!(true));
}

#[test]
fn a_result_stands_at_the_line_of_the_policy_that_was_violated() {
    let world = World::demo();
    let policy = world.read(".agent-scope.json");
    let log = sarif(&world, &["check", "7c9e"]);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let read = results.iter().find(|result| result["ruleId"] == "scope/read").unwrap();
    let place = &read["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], ".agent-scope.json");
    let line = usize::try_from(place["region"]["startLine"].as_u64().unwrap()).unwrap();
    assert!(policy.lines().nth(line - 1).unwrap().contains("\".env\""), "line {line}");
    assert!(read["partialFingerprints"]["primaryLocationLineHash"].is_string());
    assert!(read["message"]["text"].as_str().unwrap().contains("[event 5](1)"));
    assert_eq!(
        read["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"],
        ".agent-traces/7c9e02b6411fa8d4/events.ndjson"
    );
}

/// Whoever reads the alert learns why the rule is there and whom to ask; what they wrote is text, no markup.
#[test]
fn a_rule_with_a_name_says_why() {
    let world = World::empty();
    let push = |command: &str| json!({"tool_name": "Bash", "arguments": {"command": command}});
    world.session("5e55", 0, &[("tool_call", push("git push -f")), ("tool_call", push("git push"))]);
    let rule = json!({"id": "PUSH", "effect": "deny", "owner": "@platform", "reason": "ask in [chat](x)",
        "match": {"exec": {"program": "git", "subcommand": "push"}}});
    world.write(".agent-scope.json", &json!({"version": 2, "rules": [rule]}).to_string());
    let log = sarif(&world, &["check"]);
    let text = log["runs"][0]["results"][0]["message"]["text"].as_str().unwrap();
    assert!(text.ends_with(r"Decided by rule PUSH of @platform: ask in \[chat\](x)."), "{text}");
    assert_eq!(text.matches("Decided by").count(), 1);
}

#[test]
fn places_are_relative_to_the_top_of_the_repository() {
    let world = World::demo();
    world.write("sub/.agent-scope.json", &world.read(".agent-scope.json")).write(".git/HEAD", "ref: refs/heads/main\n");
    let log = sarif_in(&world, "sub", &["--trace-dir", "../.agent-traces", "check", "7c9e"]);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let uris: BTreeSet<&str> = results
        .iter()
        .filter(|result| result["ruleId"] == "scope/read")
        .filter_map(|result| result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str())
        .collect();
    assert_eq!(uris, BTreeSet::from(["sub/.agent-scope.json"]));
}

fn sarif_in(world: &World, folder: &str, args: &[&str]) -> Value {
    let answer = world.run_in(folder, &[args, &["--format", "sarif"]].concat());
    assert_eq!(problems(&answer.stdout), Vec::<String>::new(), "{}\n{}", answer.stdout, answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

#[test]
fn many_acts_against_one_line_are_one_result() {
    let world = World::demo();
    let reads: Vec<(&str, Value)> = (0..400)
        .map(|at| {
            ("tool_call", json!({"tool_name": "Read", "arguments": {"file_path": format!("other/{at}/[x](9).txt")}}))
        })
        .collect();
    world.session("aaaa0001", 1_790_100_000, &reads);
    let log = sarif(&world, &["check", "aaaa0001"]);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let reads: Vec<_> = results.iter().filter(|result| result["ruleId"] == "scope/read").collect();
    assert_eq!(reads.len(), 1);
    assert!(reads[0]["message"]["text"].as_str().unwrap().ends_with("more."));
}

#[test]
fn what_could_not_be_read_is_a_notification() {
    let world = World::demo();
    world.write("notes.txt", "nothing\n");
    let log = sarif(&world, &["check", "notes.txt"]);
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], json!(false));
    assert_eq!(invocation["toolExecutionNotifications"].as_array().unwrap().len(), 1);
}

/// A time stands in a report only when the caller gave it.
#[test]
fn the_time_of_the_run_is_the_one_that_was_given() {
    let world = World::demo();
    let ended = |args: &[&str]| sarif(&world, args)["runs"][0]["invocations"][0]["endTimeUtc"].clone();
    assert_eq!(ended(&["check", "20ab"]), json!(null));
    assert_eq!(ended(&["check", "20ab", "--now", "2026-03-01T13:00:00+01:00"]), json!("2026-03-01T12:00:00.000Z"));
}

/// The check itself has to notice what the standard's schema does not.
#[test]
fn the_check_finds_faults() {
    let world = World::demo();
    let good = sarif(&world, &["check", "7c9e"]);
    let faults: [(&str, Value); 9] = [
        ("/runs/0/results/0/locations", json!([])),
        ("/runs/0/results/0/locations/0/physicalLocation", json!(null)),
        ("/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri", json!("session:abc")),
        ("/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri", json!("../x")),
        ("/runs/0/results/0/locations/0/physicalLocation/region/startLine", json!(0)),
        ("/runs/0/results/0/ruleIndex", json!(9999)),
        ("/runs/0/results/0/message/text", json!("see [x](77)")),
        ("/runs/0/tool/driver/rules/0/properties/security-severity", json!("high")),
        ("/runs/0/results", json!(null)),
    ];
    for (pointer, value) in faults {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        assert!(!problems(&bad.to_string()).is_empty(), "{pointer}");
    }
}
